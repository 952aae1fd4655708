/* robocache: the place, form and mode of a voxel grid, in caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gridcaps.h"

#include <math.h>
#include <string.h>

#include "common/element/propertytypes.h"

#define FIELD_OUTPUT "voxel-output"
#define FIELD_MODE "voxel-mode"
#define FIELD_GRID "voxel-grid"
#define FIELD_ORIGIN "voxel-origin"
#define FIELD_SIZE "voxel-size"

gboolean
robocache_voxel_grid_parse (const gchar *string, gint64 grid[3], GError **error)
{
  gchar **items = g_strsplit (string ? string : "", ":", -1);
  gint64 parsed[3];
  gboolean ok = g_strv_length (items) == 3;

  for (guint axis = 0; ok && axis < 3; axis++)
    ok = g_ascii_string_to_signed (g_strstrip (items[axis]), 10, 1, RC_VOXEL_MAX_AXIS, &parsed[axis], NULL);
  g_strfreev (items);
  if (ok) {
    memcpy (grid, parsed, sizeof (parsed));
    return TRUE;
  }
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "grid is \"%s\": expected three numbers nx:ny:nz, "
      "each 1 to %d, like \"128:128:32\"", string ? string : "", RC_VOXEL_MAX_AXIS);
  return FALSE;
}

gboolean
robocache_voxel_mode_has_channels (RcVoxelMode mode)
{
  return mode != RC_VOXEL_OCCUPANCY && mode != RC_VOXEL_COUNT;
}

/* ---- to caps ---- */

static const gchar *
nick_of (GType type, gint value)
{
  GEnumClass *values = g_type_class_ref (type);
  const gchar *nick = g_enum_get_value (values, value)->value_nick;

  g_type_class_unref (values);
  return nick;
}

static void
set_doubles_field (GstCaps *caps, const gchar *field, const gdouble xyz[3])
{
  GValue array = G_VALUE_INIT;

  g_value_init (&array, GST_TYPE_ARRAY);
  robocache_value_set_doubles (&array, xyz, 3);
  gst_caps_set_value (caps, field, &array);
  g_value_unset (&array);
}

void
robocache_voxel_frame_to_caps (const RcVoxelSpec *spec, GstCaps *caps)
{
  gchar *grid = g_strdup_printf ("%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, (gint64) spec->grid[0],
      (gint64) spec->grid[1], (gint64) spec->grid[2]);

  gst_caps_set_simple (caps, FIELD_OUTPUT, G_TYPE_STRING, nick_of (ROBOCACHE_TYPE_VOXEL_OUTPUT, (gint) spec->output),
      FIELD_MODE, G_TYPE_STRING, nick_of (ROBOCACHE_TYPE_VOXEL_MODE, (gint) spec->mode),
      FIELD_GRID, G_TYPE_STRING, grid, NULL);
  set_doubles_field (caps, FIELD_ORIGIN, spec->origin);
  set_doubles_field (caps, FIELD_SIZE, spec->voxel_size);
  g_free (grid);
}

/* ---- from caps ---- */

/* The value of an enum's nick in a field; absent when there is no such field. */
static gboolean
enum_field (const GstStructure *structure, const gchar *field, GType type, gint absent, gint *value, GError **error)
{
  const gchar *nick = gst_structure_get_string (structure, field);
  GEnumClass *values;
  const GEnumValue *found;

  *value = absent;
  if (!gst_structure_has_field (structure, field))
    return TRUE;
  values = g_type_class_ref (type);
  found = nick ? g_enum_get_value_by_nick (values, nick) : NULL;
  if (found)
    *value = found->value;
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s is %s: expected a string like \"%s\"", field,
        nick ? nick : "no string", values->values[0].value_nick);
  g_type_class_unref (values);
  return found != NULL;
}

static gboolean
doubles_field (const GstStructure *structure, const gchar *field, const gchar *property, const gdouble *said,
    gdouble xyz[3], GError **error)
{
  const GValue *value = gst_structure_get_value (structure, field);
  gchar *text;

  if (said) {
    memcpy (xyz, said, 3 * sizeof (gdouble));
    return TRUE;
  }
  if (value && robocache_value_get_doubles (value, xyz, 3))
    return TRUE;
  text = value ? g_strdup_value_contents (value) : NULL;
  if (text)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "%s is %s: expected three numbers, like "
        "<0.1,0.1,0.1>", field, text);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the caps have no %s: set the property %s to x, y and z in "
        "metres, like \"<0.1,0.1,0.1>\"", field, property);
  g_free (text);
  return FALSE;
}

/* As the kernels use them. */
static gboolean
check_metres (const RobocacheVoxelFrame *frame, GError **error)
{
  for (guint axis = 0; axis < 3; axis++) {
    const gchar name = "xyz"[axis];

    if (!isfinite ((gfloat) frame->origin[axis])) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "origin: %g along %c: expected a finite number of metres",
          frame->origin[axis], name);
      return FALSE;
    }
    if (!isfinite ((gfloat) frame->voxel_size[axis]) || !((gfloat) frame->voxel_size[axis] > 0.0f)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "voxel-size: %g along %c: expected a finite number of "
          "metres above 0", frame->voxel_size[axis], name);
      return FALSE;
    }
  }
  return TRUE;
}

/* Without other information, the axes of a dense tensor are those of the grid. */
static gboolean
grid_of_tensor (RobocacheVoxelFrame *frame, const RobocacheTensorInfo *tensor, GError **error)
{
  gint64 *grid = frame->grid;
  const gboolean plain = frame->output == RC_VOXEL_DENSE && tensor->rank <= 3;
  gchar *dimensions;

  for (guint axis = 0; plain && axis < 3; axis++)
    grid[axis] = (gint64) MIN (robocache_tensor_info_dim (tensor, axis), G_MAXINT64);
  if (plain && MAX (MAX (grid[0], grid[1]), grid[2]) <= RC_VOXEL_MAX_AXIS)
    return TRUE;
  dimensions = robocache_dimensions_to_string (tensor);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the caps have no " FIELD_GRID ", and dimensions %s of %s voxels "
      "do not contain the size of the grid: set the property grid, like \"128:128:32\"",
      dimensions, nick_of (ROBOCACHE_TYPE_VOXEL_OUTPUT, (gint) frame->output));
  g_free (dimensions);
  return FALSE;
}

static gboolean
find_grid (RobocacheVoxelFrame *frame, const GstStructure *structure, const RobocacheTensorInfo *tensor,
    const gchar *said, GError **error)
{
  const gchar *field = gst_structure_get_string (structure, FIELD_GRID);

  if (said && *said)
    return robocache_voxel_grid_parse (said, frame->grid, error);
  if (!gst_structure_has_field (structure, FIELD_GRID))
    return grid_of_tensor (frame, tensor, error);
  if (robocache_voxel_grid_parse (field, frame->grid, NULL))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, FIELD_GRID " is %s: expected a string nx:ny:nz, like "
      "\"128:128:32\"", field ? field : "no string");
  return FALSE;
}

gboolean
robocache_voxel_frame_from_caps (RobocacheVoxelFrame *frame, const GstCaps *caps, const RobocacheTensorsInfo *info,
    const RobocacheVoxelFrameHints *hints, GError **error)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  gint output;

  if (!enum_field (structure, FIELD_OUTPUT, ROBOCACHE_TYPE_VOXEL_OUTPUT,
          info->n_tensors > 1 ? RC_VOXEL_SPARSE : RC_VOXEL_DENSE, &output, error)
      || !enum_field (structure, FIELD_MODE, ROBOCACHE_TYPE_VOXEL_MODE, -1, &frame->mode, error))
    return FALSE;
  frame->output = (RcVoxelOutput) (hints->output >= 0 ? hints->output : output);
  if (rc_voxel_maps_points (frame->output)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, FIELD_OUTPUT " is %s, which maps points to voxels: expected a grid, which is "
        "dense, bits or sparse", nick_of (ROBOCACHE_TYPE_VOXEL_OUTPUT, output));
    return FALSE;
  }
  return find_grid (frame, structure, &info->tensors[0], hints->grid, error)
      && doubles_field (structure, FIELD_ORIGIN, "origin", hints->origin, frame->origin, error)
      && doubles_field (structure, FIELD_SIZE, "voxel-size", hints->voxel_size, frame->voxel_size, error)
      && check_metres (frame, error);
}
