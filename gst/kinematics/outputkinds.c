/* robocache: robocachekinematics, kinds of the channels that come out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outputkinds.h"

#include <string.h>

#include "common/channels/channelnames.h"

static gboolean
is_continuous (const RobocacheConverter *converter, const RobocacheRobot *robot, gint64 variable)
{
  return robocache_robot_joint (robot, converter->model.variables[variable])->spec.kind == RC_JOINT_CONTINUOUS;
}

static void
put_angle (RobocacheKinds *kinds, guint64 channel)
{
  if (kinds->of[channel] == ROBOCACHE_KIND_REAL)
    kinds->of[channel] = ROBOCACHE_KIND_ANGLE;
}

/* Channels of the input, which come first, and its joints. */
static void
put_input (const RobocacheConverter *converter, const RobocacheRobot *robot, const gchar *in, const gchar *in_names, RobocacheKinds *kinds)
{
  RobocacheKinds own = { 0 };

  if (in && robocache_kinds_parse (&own, in, converter->n_in, in_names, NULL)) {
    memcpy (kinds->of, own.of, converter->n_in);
    memcpy (kinds->rate_of, own.rate_of, converter->n_in * sizeof (*own.rate_of));
  }
  for (gint64 i = 0; i < converter->model.spec.n_variables; i++) {
    if (is_continuous (converter, robot, i) && converter->columns.positions[i] != ROBOCACHE_NO_COLUMN)
      put_angle (kinds, (guint64) converter->columns.positions[i]);
  }
  robocache_kinds_clear (&own);
}

static gboolean
is_euler_angle (const gchar *name)
{
  return g_str_has_suffix (name, ".roll") || g_str_has_suffix (name, ".pitch") || g_str_has_suffix (name, ".yaw");
}

/* Channels that are made, from `first` on. */
static void
put_made (const RobocacheConverter *converter, const RobocacheRobot *robot, guint64 first, RobocacheKinds *kinds)
{
  GPtrArray *names = robocache_columns_names_out (&converter->model, robot, converter->settings);
  const gboolean is_inverse = converter->settings->mode == ROBOCACHE_KINEMATICS_INVERSE;
  RobocacheKinds made = { 0 };

  robocache_kinds_of_names (&made, (const gchar * const *) names->pdata, names->len, NULL);
  memcpy (kinds->of + first, made.of, names->len);
  for (guint i = 0; i < names->len; i++)
    kinds->rate_of[first + i] = (gint32) first + made.rate_of[i];
  for (guint i = 0; i < names->len && converter->settings->mode == ROBOCACHE_KINEMATICS_FORWARD; i++) {
    if (is_euler_angle (names->pdata[i]))
      put_angle (kinds, first + i);
  }
  for (gint64 i = 0; i < converter->model.spec.n_variables && is_inverse; i++) {
    if (is_continuous (converter, robot, i))
      put_angle (kinds, first + (guint64) i);
  }
  robocache_kinds_clear (&made);
  g_ptr_array_unref (names);
}

gchar *
robocache_kinematics_output_kinds (const RobocacheConverter *converter, const RobocacheRobot *robot, const gchar *in, const gchar *in_names)
{
  const guint64 n = robocache_converter_channels (converter), first = n - converter->n_new;
  RobocacheKinds kinds = { 0 };
  gchar *text;

  if (n > ROBOCACHE_MAX_KINDS)
    return NULL;
  robocache_kinds_init (&kinds, n);
  if (first > 0)
    put_input (converter, robot, in, in_names, &kinds);
  put_made (converter, robot, first, &kinds);
  text = robocache_kinds_to_string (&kinds, converter->names);
  robocache_kinds_clear (&kinds);
  return text;
}
