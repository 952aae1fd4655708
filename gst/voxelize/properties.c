/* robocache: robocachevoxelize, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include <string.h>

#include "common/backend/deviceproperties.h"
#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/points/gridcaps.h"

#define DEFAULT_GRID "128:128:32"
#define DEFAULT_MAX_VOXELS 65536
#define DEFAULT_MAX_POINTS 32
#define DEFAULT_DEPTH_SCALE 0.001
#define MAX_ACCUMULATE 10000
#define DEFAULT_MAX_CLOUD_BYTES (G_GUINT64_CONSTANT (1) << 30)

static const gdouble default_origin[3] = { -6.4, -6.4, -1.6 };
static const gdouble default_voxel_size[3] = { 0.1, 0.1, 0.1 };

enum
{
  PROP_ORIGIN = ROBOCACHE_VOXELIZE_PROP_ORIGIN,
  PROP_VOXEL_SIZE = ROBOCACHE_VOXELIZE_PROP_VOXEL_SIZE,
  PROP_GRID,
  PROP_MODE,
  PROP_OUTPUT,
  PROP_TYPE,
  PROP_MAX_VOXELS,
  PROP_MAX_POINTS,
  PROP_KEEP,
  PROP_CENTRE_Z,
  PROP_ACCUMULATE,
  PROP_MAX_CLOUD_BYTES,
  PROP_NUMBERS,                 /* those of numbers[] */
  LAST_SETTING = ROBOCACHE_VOXELIZE_N_SETTINGS
};

static ROBOCACHE_DEFINE_ENUM (keep_get_type, "GstRobocacheVoxelKeep",
    {ROBOCACHE_VOXEL_KEEP_NEWEST, "Points of the newest cloud, then of the one before it, and so on", "newest"},
    {ROBOCACHE_VOXEL_KEEP_FIRST, "Points in the order of arrival", "first"})

#define LENS "of the depth camera's lens, as in OpenCV"

/* Properties from PROP_NUMBERS on, each a gdouble of RobocacheVoxelSettings. */
static const struct
{
  const gchar *name, *nick, *blurb;
  gdouble minimum, standard;
  gsize offset;
} numbers[] = {
  {"feature-range", "Feature range", "With mode=mean: maximum magnitude of a feature; larger values are clamped and counted. Saves "
      "a pass over the points (0 = measured in the data)", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, feature_range)},
  {"fx", "Focal length x", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fx)},
  {"fy", "Focal length y", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fy)},
  {"cx", "Centre x", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cx)},
  {"cy", "Centre y", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cy)},
  {"k1", "Radial 1", "Radial distortion, factor of r², " LENS, -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, k1)},
  {"k2", "Radial 2", "Radial distortion, factor of r⁴, " LENS, -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, k2)},
  {"k3", "Radial 3", "Radial distortion, factor of r⁶, " LENS, -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, k3)},
  {"p1", "Tangential 1", "Tangential distortion " LENS, -G_MAXDOUBLE, 0.0, G_STRUCT_OFFSET (RobocacheVoxelSettings, p1)},
  {"p2", "Tangential 2", "Tangential distortion " LENS, -G_MAXDOUBLE, 0.0, G_STRUCT_OFFSET (RobocacheVoxelSettings, p2)},
  {"depth-scale", "Depth scale", "Metres per unit of GRAY16_LE depth; float32 depth is in metres", 0.0, DEFAULT_DEPTH_SCALE,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, depth_scale)},
};

G_STATIC_ASSERT (PROP_NUMBERS + G_N_ELEMENTS (numbers) == LAST_SETTING + 1);

/* The field of a property that is one value. */
static gpointer
field_of (RobocacheVoxelizeProperties *properties, guint id)
{
  RobocacheVoxelSettings *settings = &properties->settings;
  gpointer fields[] = {
    [PROP_GRID] = &properties->grid,
    [PROP_MODE] = &settings->mode,
    [PROP_OUTPUT] = &settings->output,
    [PROP_TYPE] = &settings->dtype,
    [PROP_MAX_VOXELS] = &settings->max_voxels,
    [PROP_MAX_POINTS] = &settings->max_points,
    [PROP_KEEP] = &settings->keep,
    [PROP_CENTRE_Z] = &settings->centre_z,
    [PROP_ACCUMULATE] = &settings->accumulate,
    [PROP_MAX_CLOUD_BYTES] = &settings->max_cloud_bytes,
  };

  return id >= PROP_NUMBERS ? G_STRUCT_MEMBER_P (settings, numbers[id - PROP_NUMBERS].offset) : fields[id];
}

void
robocache_voxelize_properties_set (RobocacheVoxelizeProperties *properties, guint id, const GValue *value)
{
  const gboolean is_origin = id == PROP_ORIGIN;
  gchar **wrong = is_origin ? &properties->wrong_origin : &properties->wrong_voxel_size;

  properties->has_changed = TRUE;
  if (!is_origin && id != PROP_VOXEL_SIZE) {
    robocache_setting_set (field_of (properties, id), value);
    return;
  }
  g_free (*wrong);
  *wrong = robocache_property_get_doubles (is_origin ? "origin" : "voxel-size", value,
      is_origin ? properties->settings.origin : properties->settings.voxel_size, 3,
      "three numbers, x, y and z, like \"<1.0,1.0,1.0>\"");
}

void
robocache_voxelize_properties_get (RobocacheVoxelizeProperties *properties, guint id, GValue *value)
{
  if (id == PROP_ORIGIN || id == PROP_VOXEL_SIZE)
    robocache_value_set_doubles (value, id == PROP_ORIGIN ? properties->settings.origin : properties->settings.voxel_size,
        3);
  else
    robocache_setting_get (field_of (properties, id), value);
}

gboolean
robocache_voxelize_properties_read (RobocacheVoxelizeProperties *properties, RobocacheVoxelSettings *settings,
    GError **error)
{
  const gchar *wrong = properties->wrong_origin ? properties->wrong_origin : properties->wrong_voxel_size;

  *settings = properties->settings;
  properties->has_changed = FALSE;
  if (wrong)
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, wrong);
  return wrong == NULL && robocache_voxel_grid_parse (properties->grid, settings->grid, error);
}

void
robocache_voxelize_properties_install (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_object_class_install_property (klass, PROP_NUMBERS + i, g_param_spec_double (numbers[i].name, numbers[i].nick,
            numbers[i].blurb, numbers[i].minimum, G_MAXDOUBLE, numbers[i].standard, flags));
  g_object_class_install_property (klass, PROP_ORIGIN, robocache_param_spec_doubles ("origin", "Origin",
          "Corner of the grid with minimum x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_VOXEL_SIZE, robocache_param_spec_doubles ("voxel-size", "Voxel size",
          "Edges of a voxel along x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_GRID, g_param_spec_string ("grid", "Grid",
          "Number of voxels along x, y, z, as nx:ny:nz", DEFAULT_GRID, flags));
  g_object_class_install_property (klass, PROP_MODE, g_param_spec_enum ("mode", "Mode",
          "Value of a voxel, computed from its points", ROBOCACHE_TYPE_VOXEL_MODE, RC_VOXEL_OCCUPANCY, flags));
  g_object_class_install_property (klass, PROP_OUTPUT, g_param_spec_enum ("output", "Output", "Form of the grid",
          ROBOCACHE_TYPE_VOXEL_OUTPUT, RC_VOXEL_DENSE, flags));
  g_object_class_install_property (klass, PROP_TYPE, g_param_spec_enum ("type", "Type", "Type of the values: uint8, uint32, "
      "float16 or float32; index and rank are int64 (auto = a type that downstream accepts, preferably uint8 for occupancy, "
      "uint32 for count, and float32 for other modes)", ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, flags));
  g_object_class_install_property (klass, PROP_MAX_VOXELS, g_param_spec_int ("max-voxels", "Max voxels",
          "Maximum voxels for output=sparse and rank; excess voxels, those with the greatest z, are omitted and counted",
          1, G_MAXINT,
          DEFAULT_MAX_VOXELS, flags));
  g_object_class_install_property (klass, PROP_MAX_POINTS, g_param_spec_int ("max-points", "Max points",
          "Maximum points per voxel for mode=first and pillars; excess points are omitted and counted", 1, RC_VOXEL_MAX_FIRST,
          DEFAULT_MAX_POINTS, flags));
  g_object_class_install_property (klass, PROP_KEEP, g_param_spec_enum ("keep", "Keep",
          "With mode=first or pillars and accumulate above 1: which points a voxel keeps, up to max-points", keep_get_type (),
          ROBOCACHE_VOXEL_KEEP_NEWEST, flags));
  g_object_class_install_property (klass, PROP_CENTRE_Z, g_param_spec_boolean ("centre-z", "Centre z",
          "With mode=pillars: include each point's z offset from the centre of its voxel. Points of x, y, z, intensity then have "
          "10 features, otherwise 9",
          TRUE, flags));
  g_object_class_install_property (klass, PROP_ACCUMULATE, g_param_spec_uint ("accumulate", "Accumulate",
          "Number of clouds per grid, the newest included", 1, MAX_ACCUMULATE, 1, flags));
  g_object_class_install_property (klass, PROP_MAX_CLOUD_BYTES, g_param_spec_uint64 ("max-cloud-bytes", "Max cloud bytes",
          "Maximum size of a cloud or image, or of each in a batch (bytes); a larger one is an error", 1, G_MAXUINT64,
          DEFAULT_MAX_CLOUD_BYTES, flags));
  g_object_class_install_property (klass, ROBOCACHE_VOXELIZE_PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Counts since the element started, up to the buffer whose PTS is last-pts", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, ROBOCACHE_VOXELIZE_PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
          "Statistics interval", "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXUINT64, 0,
          flags));
  robocache_device_install_properties (klass, ROBOCACHE_VOXELIZE_PROP_DEVICE_FIRST);
  robocache_device_install_batch_properties (klass, ROBOCACHE_VOXELIZE_PROP_DEVICE_FIRST);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_VOXEL_MODE, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_VOXEL_OUTPUT, 0);
  gst_type_mark_as_plugin_api (keep_get_type (), 0);
}

void
robocache_voxelize_properties_init (RobocacheVoxelizeProperties *properties)
{
  *properties = (RobocacheVoxelizeProperties) {.grid = g_strdup (DEFAULT_GRID),.settings = {.mode = RC_VOXEL_OCCUPANCY,
      .output = RC_VOXEL_DENSE,.dtype = ROBOCACHE_DTYPE_AUTO,.max_voxels = DEFAULT_MAX_VOXELS,
      .max_points = DEFAULT_MAX_POINTS,.centre_z = TRUE,.accumulate = 1,.max_cloud_bytes = DEFAULT_MAX_CLOUD_BYTES,
      .depth_scale = DEFAULT_DEPTH_SCALE}
  };
  memcpy (properties->settings.origin, default_origin, sizeof (default_origin));
  memcpy (properties->settings.voxel_size, default_voxel_size, sizeof (default_voxel_size));
}

void
robocache_voxelize_properties_clear (RobocacheVoxelizeProperties *properties)
{
  g_free (properties->grid);
  g_free (properties->wrong_origin);
  g_free (properties->wrong_voxel_size);
}
