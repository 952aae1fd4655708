/* robocache: messages of errors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "backend_impl.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* As the specs call them. */
static const char *const setting_names[RC_N_SETTINGS] = {
  [RC_SETTING_DEVICE] = "where.device",
  [RC_SETTING_IN] = "in",
  [RC_SETTING_OUT] = "out",
  [RC_SETTING_CHANNELS] = "channels",
  [RC_SETTING_INTERPOLATION] = "search.interpolation",
  [RC_SETTING_MAX_GAP] = "search.max_gap_ns",
  [RC_SETTING_HOLD_LIMIT] = "search.hold_limit_ns",
  [RC_SETTING_PERIOD] = "search.period_ns",
  [RC_SETTING_QUATERNIONS] = "quaternions",
  [RC_SETTING_ANGLES] = "angles",
  [RC_SETTING_VELOCITIES] = "velocities",
  [RC_SETTING_HOLDS] = "holds",
  [RC_SETTING_MODE] = "mode",
  [RC_SETTING_OUTPUT] = "output",
  [RC_SETTING_POINT_DTYPE] = "points.dtype",
  [RC_SETTING_FIELDS] = "points.fields",
  [RC_SETTING_GRID] = "grid",
  [RC_SETTING_ORIGIN] = "origin",
  [RC_SETTING_VOXEL_SIZE] = "voxel_size",
  [RC_SETTING_DTYPE] = "dtype",
  [RC_SETTING_MAX_POINTS] = "max_points",
  [RC_SETTING_MAX_VOXELS] = "max_voxels",
  [RC_SETTING_FEATURE_RANGE] = "feature_range",
  [RC_SETTING_N_POINTS] = "n_points",
  [RC_SETTING_WIDTH] = "width",
  [RC_SETTING_HEIGHT] = "height",
  [RC_SETTING_FX] = "fx",
  [RC_SETTING_FY] = "fy",
  [RC_SETTING_CX] = "cx",
  [RC_SETTING_CY] = "cy",
  [RC_SETTING_SCALE] = "scale",
  [RC_SETTING_K1] = "k1",
  [RC_SETTING_K2] = "k2",
  [RC_SETTING_K3] = "k3",
  [RC_SETTING_P1] = "p1",
  [RC_SETTING_P2] = "p2",
  [RC_SETTING_JOINTS] = "joints",
  [RC_SETTING_BASE] = "base",
  [RC_SETTING_FRAMES] = "frames",
  [RC_SETTING_VARIABLES] = "variables",
  [RC_SETTING_MAX_ITERATIONS] = "max_iterations",
  [RC_SETTING_RESTARTS] = "restarts",
  [RC_SETTING_TOLERANCE] = "tolerance",
  [RC_SETTING_ORIENTATION_WEIGHT] = "orientation_weight",
  [RC_SETTING_CUTOFF] = "search.cutoff_hz",
  [RC_SETTING_LOBES] = "search.lobes",
};

RcStatus
rc_error_set (RcError *error, RcStatus status, const char *format, ...)
{
  va_list args;

  if (error == NULL)
    return status;
  error->status = status;
  error->wrong.setting = RC_SETTING_NONE;
  va_start (args, format);
  vsnprintf (error->message, sizeof (error->message), format, args);
  va_end (args);
  return status;
}

RcWrongSetting
rc_wrong (RcSetting setting, const char *format, ...)
{
  RcWrongSetting wrong = {.setting = setting,.stream = -1,.index = -1 };
  va_list args;

  va_start (args, format);
  vsnprintf (wrong.value, sizeof (wrong.value), format, args);
  va_end (args);
  return wrong;
}

RcWrongSetting
rc_wrong_length (RcSetting setting, int64_t n)
{
  RcWrongSetting wrong = rc_wrong (setting, "%" PRId64, n);

  wrong.part = RC_PART_LENGTH;
  return wrong;
}

RcWrongSetting
rc_wrong_entry (RcSetting setting, int64_t index, int64_t value)
{
  RcWrongSetting wrong = rc_wrong (setting, "%" PRId64, value);

  wrong.part = RC_PART_ENTRY;
  wrong.index = index;
  return wrong;
}

RcWrongSetting
rc_wrong_axis (RcSetting setting, int axis, double value)
{
  RcWrongSetting wrong = rc_wrong (setting, "%.10g", value);

  wrong.part = RC_PART_AXIS;
  wrong.index = axis;
  return wrong;
}

RcWrongSetting
rc_wrong_with (RcWrongSetting wrong, RcSetting other, const char *format, ...)
{
  va_list args;

  wrong.other = other;
  va_start (args, format);
  vsnprintf (wrong.other_value, sizeof (wrong.other_value), format, args);
  va_end (args);
  return wrong;
}

/* "streams[1].quaternions[0]", "streams[1].n_angles", "grid[2]" */
static void
write_path (const RcWrongSetting *wrong, char *path, size_t size)
{
  char stream[40] = "", index[32] = "";

  if (wrong->stream >= 0)
    snprintf (stream, sizeof (stream), "streams[%" PRId64 "].", wrong->stream);
  if (wrong->index >= 0)
    snprintf (index, sizeof (index), "[%" PRId64 "]", wrong->index);
  snprintf (path, size, "%s%s%s%s", stream, wrong->part == RC_PART_LENGTH ? "n_" : "", setting_names[wrong->setting], index);
}

RcStatus
rc_error_set_wrong (RcError *error, RcStatus status, RcWrongSetting wrong, const char *format, ...)
{
  const int has_other = wrong.other != RC_SETTING_NONE;
  char path[128];
  va_list args;

  if (error == NULL)
    return status;
  error->status = status;
  error->wrong = wrong;
  va_start (args, format);
  vsnprintf (error->expected, sizeof (error->expected), format, args);
  va_end (args);
  write_path (&wrong, path, sizeof (path));
  snprintf (error->message, sizeof (error->message), "%s is %s%s%s%s%s; expected %s", path, wrong.value, has_other ? " with " : "",
      has_other ? setting_names[wrong.other] : "", *wrong.other_value ? " " : "", wrong.other_value, error->expected);
  return status;
}
