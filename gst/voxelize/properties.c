/* robocache: robocachevoxelize, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachevoxelize.h"

#include <string.h>

#include "common/element/properties.h"

#define DEFAULT_GRID "128:128:32"
#define DEFAULT_MODE RC_VOXEL_OCCUPANCY
#define DEFAULT_OUTPUT RC_VOXEL_DENSE
#define DEFAULT_MAX_VOXELS 65536
#define DEFAULT_MAX_POINTS 32
#define DEFAULT_ACCUMULATE 1
#define DEFAULT_DEPTH_SCALE 0.001
#define MAX_ACCUMULATE 10000

static const gdouble default_origin[3] = { -6.4, -6.4, -1.6 };
static const gdouble default_voxel_size[3] = { 0.1, 0.1, 0.1 };

enum
{
  PROP_0,
  PROP_ORIGIN,
  PROP_VOXEL_SIZE,
  PROP_GRID,
  PROP_MODE,
  PROP_OUTPUT,
  PROP_TYPE,
  PROP_MAX_VOXELS,
  PROP_MAX_POINTS,
  PROP_ACCUMULATE,
  PROP_FEATURE_RANGE,           /* to PROP_DEPTH_SCALE: numbers[] */
  PROP_FX,
  PROP_FY,
  PROP_CX,
  PROP_CY,
  PROP_K1,
  PROP_K2,
  PROP_K3,
  PROP_P1,
  PROP_P2,
  PROP_DEPTH_SCALE,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  PROP_BATCH_FIRST,
  PROP_BATCH_LAST = PROP_BATCH_FIRST + ROBOCACHE_BATCH_N_PROPS - 1,
  PROP_DEVICE_FIRST
};

/* The properties that are one number of the settings. */
static const struct
{
  guint id;
  const gchar *name, *nick, *blurb;
  gdouble least, standard;
  gsize offset;                 /* in RobocacheVoxelSettings */
} numbers[] = {
  {PROP_FEATURE_RANGE, "feature-range", "Feature range", "Greatest magnitude of a feature, for mode=mean: larger "
      "values are clamped and counted, and one pass over the points is saved (0 = found in the data)", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, feature_range)},
  {PROP_FX, "fx", "Focal length x", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fx)},
  {PROP_FY, "fy", "Focal length y", "Focal length of the depth camera in pixels", 0.0, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, fy)},
  {PROP_CX, "cx", "Centre x", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cx)},
  {PROP_CY, "cy", "Centre y", "Principal point of the depth camera in pixels", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, cy)},
  {PROP_K1, "k1", "Radial 1", "Radial distortion of the depth camera's lens, factor of r², as in OpenCV", -G_MAXDOUBLE,
      0.0, G_STRUCT_OFFSET (RobocacheVoxelSettings, k1)},
  {PROP_K2, "k2", "Radial 2", "Radial distortion of the depth camera's lens, factor of r⁴, as in OpenCV", -G_MAXDOUBLE,
      0.0, G_STRUCT_OFFSET (RobocacheVoxelSettings, k2)},
  {PROP_K3, "k3", "Radial 3", "Radial distortion of the depth camera's lens, factor of r⁶, as in OpenCV", -G_MAXDOUBLE,
      0.0, G_STRUCT_OFFSET (RobocacheVoxelSettings, k3)},
  {PROP_P1, "p1", "Tangential 1", "Tangential distortion of the depth camera's lens, as in OpenCV", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, p1)},
  {PROP_P2, "p2", "Tangential 2", "Tangential distortion of the depth camera's lens, as in OpenCV", -G_MAXDOUBLE, 0.0,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, p2)},
  {PROP_DEPTH_SCALE, "depth-scale", "Depth scale", "Metres of one unit of depth", 0.0, DEFAULT_DEPTH_SCALE,
      G_STRUCT_OFFSET (RobocacheVoxelSettings, depth_scale)},
};

static gdouble *
number_of (RobocacheVoxelSettings *settings, guint id)
{
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (numbers[i].id == id)
      return (gdouble *) G_STRUCT_MEMBER_P (settings, numbers[i].offset);
  }
  g_return_val_if_reached (NULL);
}

/* Called with the object lock held. *wrong says what is wrong with value, or becomes NULL. */
static void
set_doubles (gdouble xyz[3], gchar **wrong, const gchar *name, const GValue *value)
{
  g_free (*wrong);
  *wrong = robocache_property_get_doubles (name, value, xyz, 3, "three numbers, x, y and z, like \"<1.0,1.0,1.0>\"");
}

static void
gst_robocache_voxelize_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);
  RobocacheVoxelSettings *settings = &self->settings;
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  self->settings_changed |= id < PROP_STATS;
  switch (id) {
    case PROP_ORIGIN:
      set_doubles (settings->origin, &self->wrong_origin, "origin", value);
      break;
    case PROP_VOXEL_SIZE:
      set_doubles (settings->voxel_size, &self->wrong_voxel_size, "voxel-size", value);
      break;
    case PROP_GRID:
      g_free (self->grid);
      self->grid = g_value_dup_string (value);
      break;
    case PROP_MODE:
      settings->mode = (RcVoxelMode) g_value_get_enum (value);
      break;
    case PROP_OUTPUT:
      settings->output = (RcVoxelOutput) g_value_get_enum (value);
      break;
    case PROP_TYPE:
      settings->dtype = (RcDtype) g_value_get_enum (value);
      break;
    case PROP_MAX_VOXELS:
      settings->max_voxels = g_value_get_int (value);
      break;
    case PROP_MAX_POINTS:
      settings->max_points = g_value_get_int (value);
      break;
    case PROP_FEATURE_RANGE ... PROP_DEPTH_SCALE:
      *number_of (settings, id) = g_value_get_double (value);
      break;
    case PROP_ACCUMULATE:
      self->accumulate = g_value_get_uint (value);
      break;
    case PROP_STATS_INTERVAL:
      self->stats_timer.interval = g_value_get_uint64 (value);
      robocache_stats_timer_reset (&self->stats_timer);
      break;
    case PROP_BATCH_FIRST ... PROP_BATCH_LAST:
      robocache_device_set_batch_property (&self->device, id - PROP_BATCH_FIRST, value);
      break;
    default:
      known = id >= PROP_DEVICE_FIRST && id < PROP_DEVICE_FIRST + ROBOCACHE_DEVICE_N_PROPS;
      if (known)
        robocache_device_set_property (&self->device, id - PROP_DEVICE_FIRST, value);
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_robocache_voxelize_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstRobocacheVoxelize *self = GST_ROBOCACHE_VOXELIZE (object);
  RobocacheVoxelSettings *settings = &self->settings;
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_ORIGIN:
      robocache_value_set_doubles (value, settings->origin, 3);
      break;
    case PROP_VOXEL_SIZE:
      robocache_value_set_doubles (value, settings->voxel_size, 3);
      break;
    case PROP_GRID:
      g_value_set_string (value, self->grid);
      break;
    case PROP_MODE:
      g_value_set_enum (value, (gint) settings->mode);
      break;
    case PROP_OUTPUT:
      g_value_set_enum (value, (gint) settings->output);
      break;
    case PROP_TYPE:
      g_value_set_enum (value, (gint) settings->dtype);
      break;
    case PROP_MAX_VOXELS:
      g_value_set_int (value, (gint) settings->max_voxels);
      break;
    case PROP_MAX_POINTS:
      g_value_set_int (value, (gint) settings->max_points);
      break;
    case PROP_FEATURE_RANGE ... PROP_DEPTH_SCALE:
      g_value_set_double (value, *number_of (settings, id));
      break;
    case PROP_ACCUMULATE:
      g_value_set_uint (value, self->accumulate);
      break;
    case PROP_STATS:
      g_value_take_boxed (value, gst_robocache_voxelize_make_stats (self));
      break;
    case PROP_STATS_INTERVAL:
      g_value_set_uint64 (value, self->stats_timer.interval);
      break;
    case PROP_BATCH_FIRST ... PROP_BATCH_LAST:
      robocache_device_get_batch_property (&self->device, id - PROP_BATCH_FIRST, value);
      break;
    default:
      known = id >= PROP_DEVICE_FIRST && id < PROP_DEVICE_FIRST + ROBOCACHE_DEVICE_N_PROPS;
      if (known)
        robocache_device_get_property (&self->device, id - PROP_DEVICE_FIRST, value);
  }
  GST_OBJECT_UNLOCK (self);
  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

void
gst_robocache_voxelize_install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  klass->set_property = gst_robocache_voxelize_set_property;
  klass->get_property = gst_robocache_voxelize_get_property;
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    g_object_class_install_property (klass, numbers[i].id, g_param_spec_double (numbers[i].name, numbers[i].nick,
            numbers[i].blurb, numbers[i].least, G_MAXDOUBLE, numbers[i].standard, flags));
  g_object_class_install_property (klass, PROP_ORIGIN, robocache_param_spec_doubles ("origin", "Origin",
          "Corner of the grid with the least x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_VOXEL_SIZE, robocache_param_spec_doubles ("voxel-size", "Voxel size",
          "Edges of a voxel along x, y, z, in metres", flags));
  g_object_class_install_property (klass, PROP_GRID, g_param_spec_string ("grid", "Grid",
          "Number of voxels along x, y, z, as nx:ny:nz", DEFAULT_GRID, flags));
  g_object_class_install_property (klass, PROP_MODE, g_param_spec_enum ("mode", "Mode", "What a voxel says of its "
      "points", ROBOCACHE_TYPE_VOXEL_MODE, DEFAULT_MODE, flags));
  g_object_class_install_property (klass, PROP_OUTPUT, g_param_spec_enum ("output", "Output", "The form of the grid",
          ROBOCACHE_TYPE_VOXEL_OUTPUT, DEFAULT_OUTPUT, flags));
  g_object_class_install_property (klass, PROP_TYPE, g_param_spec_enum ("type", "Type", "Type of the values: uint8, "
      "uint32, "
          "float16 or float32 (auto = what downstream takes, or uint8 for occupancy, uint32 for count, else float32; "
          "int64 for output=index and rank)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, flags));
  g_object_class_install_property (klass, PROP_MAX_VOXELS, g_param_spec_int ("max-voxels", "Max voxels",
          "Capacity of sparse output, and ranks; more occupied voxels are counted and left out", 1, G_MAXINT, DEFAULT_MAX_VOXELS,
          flags));
  g_object_class_install_property (klass, PROP_MAX_POINTS, g_param_spec_int ("max-points", "Max points",
          "Points of a voxel for mode=first; those that come later are counted and left out", 1, RC_VOXEL_MAX_FIRST,
          DEFAULT_MAX_POINTS, flags));
  g_object_class_install_property (klass, PROP_ACCUMULATE, g_param_spec_uint ("accumulate", "Accumulate",
          "How many clouds, the newest included, make one grid", 1, MAX_ACCUMULATE, DEFAULT_ACCUMULATE, flags));
  g_object_class_install_property (klass, PROP_STATS, g_param_spec_boxed ("stats", "Statistics",
          "Counters since the element started, exact for the last buffer out", GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval",
      "Statistics interval",
          "Running time between element messages that hold stats, in ns (0 = off)", 0, G_MAXUINT64, 0, flags));
  robocache_device_install_properties (klass, PROP_DEVICE_FIRST);
  robocache_device_install_batch_properties (klass, PROP_BATCH_FIRST);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_VOXEL_MODE, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_VOXEL_OUTPUT, 0);
}

void
gst_robocache_voxelize_init_settings (GstRobocacheVoxelize *self)
{
  robocache_device_init (&self->device);
  memcpy (self->settings.origin, default_origin, sizeof (default_origin));
  memcpy (self->settings.voxel_size, default_voxel_size, sizeof (default_voxel_size));
  self->settings.mode = DEFAULT_MODE;
  self->settings.output = DEFAULT_OUTPUT;
  self->settings.dtype = ROBOCACHE_DTYPE_AUTO;
  self->settings.max_voxels = DEFAULT_MAX_VOXELS;
  self->settings.max_points = DEFAULT_MAX_POINTS;
  self->settings.depth_scale = DEFAULT_DEPTH_SCALE;
  self->grid = g_strdup (DEFAULT_GRID);
  self->accumulate = DEFAULT_ACCUMULATE;
}

void
gst_robocache_voxelize_clear_settings (GstRobocacheVoxelize *self)
{
  robocache_device_finalize (&self->device);
  g_free (self->grid);
  g_free (self->wrong_origin);
  g_free (self->wrong_voxel_size);
}

gboolean
gst_robocache_voxelize_take_settings (GstRobocacheVoxelize *self, RobocacheVoxelSettings *settings, guint *accumulate,
    GError **error)
{
  const gchar *wrong;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  *settings = self->settings;
  *accumulate = self->accumulate;
  self->settings_changed = FALSE;
  wrong = self->wrong_origin ? self->wrong_origin : self->wrong_voxel_size;
  ok = wrong == NULL && robocache_voxel_grid_parse (self->grid, settings->grid, error);
  if (wrong)
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, wrong);
  GST_OBJECT_UNLOCK (self);
  return ok;
}
