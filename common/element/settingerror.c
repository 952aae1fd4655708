/* robocache: errors of the kernels in the user's words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settingerror.h"

#include <string.h>

/* Elements have the same names for the same settings. */
static const gchar *const user_names[RC_N_SETTINGS] = {
  [RC_SETTING_DEVICE] = "device number",        /* of device-id or devices */
  [RC_SETTING_IN] = "type of the rows",
  [RC_SETTING_OUT] = "type",
  [RC_SETTING_CHANNELS] = "number of channels",
  [RC_SETTING_INTERPOLATION] = "interpolation",
  [RC_SETTING_MAX_GAP] = "max-gap",
  [RC_SETTING_HOLD_LIMIT] = "hold-limit",
  [RC_SETTING_PERIOD] = "period",
  [RC_SETTING_QUATERNIONS] = "quaternions",
  [RC_SETTING_ANGLES] = "angles",
  [RC_SETTING_VELOCITIES] = "velocities",
  [RC_SETTING_HOLDS] = "kinds",
  [RC_SETTING_MODE] = "mode",
  [RC_SETTING_OUTPUT] = "output",
  [RC_SETTING_POINT_DTYPE] = "type of the points",
  [RC_SETTING_FIELDS] = "number of fields",
  [RC_SETTING_GRID] = "grid",
  [RC_SETTING_ORIGIN] = "origin",
  [RC_SETTING_VOXEL_SIZE] = "voxel-size",
  [RC_SETTING_DTYPE] = "type",
  [RC_SETTING_MAX_POINTS] = "max-points",
  [RC_SETTING_MAX_VOXELS] = "max-voxels",
  [RC_SETTING_FEATURE_RANGE] = "feature-range",
  [RC_SETTING_N_POINTS] = "number of points",
  [RC_SETTING_WIDTH] = "width",
  [RC_SETTING_HEIGHT] = "height",
  [RC_SETTING_FX] = "fx",
  [RC_SETTING_FY] = "fy",
  [RC_SETTING_CX] = "cx",
  [RC_SETTING_CY] = "cy",
  [RC_SETTING_SCALE] = "depth-scale",
  [RC_SETTING_K1] = "k1",
  [RC_SETTING_K2] = "k2",
  [RC_SETTING_K3] = "k3",
  [RC_SETTING_P1] = "p1",
  [RC_SETTING_P2] = "p2",
  [RC_SETTING_JOINTS] = "joints of the model",
  [RC_SETTING_BASE] = "base",
  [RC_SETTING_FRAMES] = "frames",
  [RC_SETTING_VARIABLES] = "joints",
  [RC_SETTING_MAX_ITERATIONS] = "max-iterations",
  [RC_SETTING_RESTARTS] = "restarts",
  [RC_SETTING_TOLERANCE] = "tolerance",
  [RC_SETTING_ORIENTATION_WEIGHT] = "orientation-weight",
  [RC_SETTING_CUTOFF] = "cutoff",
  [RC_SETTING_LOBES] = "lobes",
};

/* "mode=mean", "type of the points: int16", "quaternions" */
static void
append_setting (GString *text, RcSetting setting, const gchar *value)
{
  const gboolean is_word = strchr (user_names[setting], ' ') == NULL;

  g_string_append (text, user_names[setting]);
  if (*value)
    g_string_append_printf (text, "%s%s", is_word ? "=" : ": ", value);
}

static void
append_part (GString *text, const RcWrongSetting *wrong)
{
  static const gchar axes[] = "xyz";

  append_setting (text, wrong->setting, wrong->part == RC_PART_VALUE ? wrong->value : "");
  if (wrong->part != RC_PART_VALUE)
    g_string_append_printf (text, ": %s", wrong->value);
  if (wrong->part == RC_PART_LENGTH)
    g_string_append (text, " entries");
  if (wrong->part == RC_PART_AXIS)
    g_string_append_printf (text, " along %c", axes[wrong->index]);
}

gchar *
robocache_setting_text (const RcError *failure)
{
  const RcWrongSetting *wrong = &failure->wrong;
  GString *text;

  if (wrong->setting == RC_SETTING_NONE)
    return g_strdup (failure->message);
  text = g_string_new (NULL);
  append_part (text, wrong);
  if (wrong->other != RC_SETTING_NONE)
    append_setting (g_string_append (text, " with "), wrong->other, wrong->other_value);
  g_string_append_printf (text, ": expected %s", failure->expected);
  return g_string_free (text, FALSE);
}

gboolean
robocache_setting_error (const RcError *failure, RobocacheError code, GError **error)
{
  gchar *text;

  if (failure->wrong.setting == RC_SETTING_NONE)
    return FALSE;
  text = robocache_setting_text (failure);
  g_set_error_literal (error, ROBOCACHE_ERROR, code, text);
  g_free (text);
  return TRUE;
}
