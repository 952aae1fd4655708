/* robocache: robocachekinematics, the model of a robot between a base and frames, by names
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "model.h"

#include "common/element/errors.h"

void
robocache_model_clear (RobocacheModel *model)
{
  g_clear_pointer (&model->joints, g_free);
  g_clear_pointer (&model->moves, g_free);
}

/* ---- links ---- */

static gboolean
find_link (const RobocacheRobot *robot, const gchar *property, const gchar *name, gint32 *number, GError **error)
{
  *number = robocache_robot_find_link (robot, name);
  if (*number != ROBOCACHE_ROBOT_NONE)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s: \"%s\" is not a link of robot \"%s\"%s", property, name,
      robot->name, robocache_robot_find_joint (robot, name) == ROBOCACHE_ROBOT_NONE ? "" : ", but a joint");
  return FALSE;
}

static const gchar *
link_name (const RobocacheRobot *robot, gint number)
{
  return number == ROBOCACHE_ROBOT_ROOT ? robot->root : robocache_robot_joint (robot, number)->link;
}

/* Marks links that a joint follows, by numbers of joints. */
static gboolean *
mark_followed (const RobocacheRobot *robot)
{
  gboolean *is_followed = g_new0 (gboolean, robot->joints->len + 1);

  for (guint i = 0; i < robot->joints->len; i++)
    is_followed[robocache_robot_joint (robot, (gint) i)->spec.parent + 1] = TRUE;
  return is_followed;
}

static gboolean
find_only_end (RobocacheModel *model, const RobocacheRobot *robot, GError **error)
{
  gboolean *is_followed = mark_followed (robot);
  GString *ends = g_string_new (NULL);

  for (gint i = ROBOCACHE_ROBOT_ROOT; i < (gint) robot->joints->len; i++) {
    if (is_followed[i + 1])
      continue;
    if (model->spec.n_frames++ < 8)
      g_string_append_printf (ends, "%s%s", ends->len ? ", " : "", link_name (robot, i));
    model->frames[0] = i;
  }
  g_free (is_followed);
  if (model->spec.n_frames != 1)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "frames is not set, and robot \"%s\" has %d end links (%s%s): "
        "set frames to the links to compute", robot->name, (gint) model->spec.n_frames, ends->str, model->spec.n_frames > 8
        ? ", …" : "");
  g_string_free (ends, TRUE);
  return model->spec.n_frames == 1;
}

static gboolean
find_frames (RobocacheModel *model, const RobocacheRobot *robot, const gchar *frames, GError **error)
{
  gchar **names = g_strsplit (frames, ",", -1);
  const guint n = g_strv_length (names);
  gboolean ok = n <= RC_KINEMATICS_MAX_FRAMES;

  if (!ok)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "frames: %u links: expected at most %d", n,
        RC_KINEMATICS_MAX_FRAMES);
  for (guint i = 0; i < n && ok; i++)
    ok = find_link (robot, "frames", g_strstrip (names[i]), &model->frames[i], error);
  model->spec.n_frames = n;
  g_strfreev (names);
  return ok;
}

/* ---- joints between the base and frames ---- */

static void
toggle_way (const RobocacheModel *model, gint32 joint, gboolean *is_between)
{
  for (; joint >= 0; joint = model->joints[joint].parent)
    is_between[joint] = !is_between[joint];
}

/* Those before the base or the frame, but not before both. */
static gboolean
mark_movers (RobocacheModel *model, const RobocacheRobot *robot, gint32 frame, GError **error)
{
  gboolean *is_between = g_new0 (gboolean, robot->joints->len + 1);
  gboolean ok = TRUE;

  toggle_way (model, model->spec.base, is_between);
  toggle_way (model, frame, is_between);
  for (gint i = 0; i < (gint) robot->joints->len && ok; i++) {
    const RobocacheRobotJoint *joint = robocache_robot_joint (robot, i);

    model->moves[i] |= is_between[i] && joint->spec.kind != RC_JOINT_FIXED;
    ok = !is_between[i] || !(joint->is_free || joint->mimics_nothing);
    if (!ok && joint->mimics_nothing)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "frames: joint \"%s\" moves frame \"%s\" and mimics joint "
          "\"%s\", which does not exist or does not move: correct <mimic>, or set base=%s",
          joint->name, link_name (robot, frame), joint->mimics,
          joint->link);
    else if (!ok)
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "base: joint \"%s\" between link \"%s\" and frame \"%s\" is "
          "floating or planar: set base=%s", joint->name, link_name (robot, model->spec.base), link_name (robot, frame), joint->link);
  }
  g_free (is_between);
  return ok;
}

gboolean
robocache_model_init (RobocacheModel *model, const RobocacheRobot *robot, const gchar *base, const gchar *frames, GError **error)
{
  gboolean ok = TRUE;

  *model = (RobocacheModel) {.joints = g_new (RcJointSpec, robot->joints->len + 1),.moves = g_new0 (gboolean, robot->joints->len + 1)
  };
  for (guint i = 0; i < robot->joints->len; i++)
    model->joints[i] = robocache_robot_joint (robot, (gint) i)->spec;
  /* a robot of one link has no joint, and a spec has at least one */
  model->joints[robot->joints->len] = (RcJointSpec) {.parent = ROBOCACHE_ROBOT_ROOT,.mimics = -1 };
  model->spec.joints = model->joints;
  model->spec.n_joints = MAX (robot->joints->len, 1);
  model->spec.base = ROBOCACHE_ROBOT_ROOT;
  if (base && *base)
    ok = find_link (robot, "base", base, &model->spec.base, error);
  if (ok)
    ok = frames && *frames ? find_frames (model, robot, frames, error) : find_only_end (model, robot, error);
  for (gint64 i = 0; i < model->spec.n_frames && ok; i++)
    ok = mark_movers (model, robot, model->frames[i], error);
  return ok;
}

const RcKinematicsSpec *
robocache_model_spec (RobocacheModel *model)
{
  model->spec.joints = model->joints;
  model->spec.frames = model->frames;
  model->spec.variables = model->variables;
  return &model->spec;
}

/* ---- variables ---- */

gint
robocache_model_source (const RobocacheModel *model, gint joint)
{
  while (model->joints[joint].mimics >= 0)
    joint = model->joints[joint].mimics;
  return joint;
}

gboolean
robocache_model_add_variable (RobocacheModel *model, gint joint, GError **error)
{
  if (model->spec.n_variables == RC_KINEMATICS_MAX_VARIABLES) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "joints: more than %d joints", RC_KINEMATICS_MAX_VARIABLES);
    return FALSE;
  }
  model->variables[model->spec.n_variables++] = joint;
  return TRUE;
}

static gboolean
is_variable (const RobocacheModel *model, gint joint)
{
  for (gint64 i = 0; i < model->spec.n_variables; i++) {
    if (model->variables[i] == joint)
      return TRUE;
  }
  return FALSE;
}

gboolean
robocache_model_check_variables (const RobocacheModel *model, const RobocacheRobot *robot, GError **error)
{
  for (gint i = 0; i < (gint) robot->joints->len; i++) {
    const gint source = robocache_model_source (model, i);

    if (!model->moves[i] || is_variable (model, source))
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "joints: joint \"%s\" moves a frame, but is not listed",
        robocache_robot_joint (robot, source)->name);
    return FALSE;
  }
  return TRUE;
}
