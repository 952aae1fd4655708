/* robocache: robocachekinematics, which channels of a row are what
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "columns.h"

#include <string.h>

#include "common/channels/channelnames.h"
#include "common/element/errors.h"
#include "common/element/propertytypes.h"

/* Where columns are sought. */
typedef struct
{
  RobocacheColumns *columns;
  RobocacheModel *model;
  const RobocacheRobot *robot;
  const RobocacheKinematicsSettings *settings;
  guint64 n;
  const gchar *names_text;
  gchar **names;                /* of channels; NULL: they have none */
  GHashTable *numbers;          /* name to number of the channel + 1, or 0 where several have it */
} Search;

static gboolean G_GNUC_PRINTF (2, 3)
refuse (GError **error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
is_set (const gchar *text)
{
  return text && *text;
}

/* ---- channels by name ---- */

static void
search_open (Search *search)
{
  search->numbers = g_hash_table_new (g_str_hash, g_str_equal);
  if (search->names_text == NULL)
    return;
  search->names = g_strsplit (search->names_text, ",", -1);
  for (guint i = 0; search->names[i]; i++) {
    const gchar *name = g_strstrip (search->names[i]);
    const gboolean is_known = g_hash_table_contains (search->numbers, name);

    g_hash_table_insert (search->numbers, (gpointer) name, GUINT_TO_POINTER (is_known ? 0 : i + 1));
  }
}

static void
search_close (Search *search)
{
  g_strfreev (search->names);
  g_hash_table_unref (search->numbers);
}

/* ROBOCACHE_NO_COLUMN where no channel has the name. FALSE and an error: several have it. */
static gboolean
find_name (const Search *search, const gchar *name, gint32 *column, GError **error)
{
  gpointer number;

  *column = ROBOCACHE_NO_COLUMN;
  if (!g_hash_table_lookup_extended (search->numbers, name, NULL, &number))
    return TRUE;
  if (number == NULL)
    return refuse (error, "channels: several channels are named \"%s\": channels that kinematics needs must have different names",
        name);
  if (GPOINTER_TO_UINT (number) > search->n)
    return refuse (error, "channels: the caps name more channels than a row has, %" G_GUINT64_FORMAT, search->n);
  *column = (gint32) (GPOINTER_TO_UINT (number) - 1);
  return TRUE;
}

/* "NAME.QUANTITY", or NAME where quantity is NULL or no channel has that. */
static gboolean
find_quantity (const Search *search, const gchar *name, const gchar *quantity, gboolean takes_plain, gint32 *column, GError **error)
{
  gchar *full = g_strconcat (name, ".", quantity, NULL);
  gboolean ok = find_name (search, full, column, error);

  if (ok && takes_plain && *column == ROBOCACHE_NO_COLUMN)
    ok = find_name (search, name, column, error);
  g_free (full);
  return ok;
}

/* ---- channels by list ---- */

/* n channels of a property. */
static gboolean
find_list (const Search *search, const gchar *property, const gchar *text, gint32 *list, guint n, const gchar *of, GError **error)
{
  RobocacheChannelList channels = { NULL, 0 };
  GError *why = NULL;
  gboolean ok = robocache_channel_list_parse (&channels, text, search->names_text, &why);

  if (!ok)
    refuse (error, "%s: %s", property, why->message);
  else if (channels.n != n)
    ok = refuse (error, "%s=%s: %" G_GINT64_FORMAT " channels: expected %u, %s", property, text, channels.n, n, of);
  for (guint i = 0; i < n && ok; i++) {
    list[i] = channels.channels[i];
    if ((guint64) list[i] >= search->n)
      ok = refuse (error, "%s: channel %d: expected 0 to %" G_GUINT64_FORMAT, property, list[i], search->n - 1);
  }
  g_clear_error (&why);
  robocache_channel_list_clear (&channels);
  return ok;
}

/* ---- joints ---- */

/* A joint of the list, or of a channel. Joints that mimic or are fixed follow from others. */
static gboolean
add_joint (Search *search, const gchar *name, gint32 column, GError **error)
{
  const gint joint = robocache_robot_find_joint (search->robot, name);
  const gint64 n = search->model->spec.n_variables;

  if (joint == ROBOCACHE_ROBOT_NONE)
    return refuse (error, "joints: robot \"%s\" has no joint \"%s\"", search->robot->name, name);
  if (search->model->joints[joint].kind == RC_JOINT_FIXED || search->model->joints[joint].mimics >= 0)
    return TRUE;
  for (gint64 i = 0; i < n; i++) {
    if (search->model->variables[i] == joint)
      return refuse (error, "joints: joint \"%s\" is listed twice", name);
  }
  if (!robocache_model_add_variable (search->model, joint, error))
    return FALSE;
  search->columns->positions[n] = column;
  return TRUE;
}

/* One name a channel, from the first one on; an empty one is of no joint. */
static gboolean
find_listed_joints (Search *search, GError **error)
{
  gchar **names = g_strsplit (search->settings->joints, ",", -1);
  const gboolean is_inverse = search->settings->mode == ROBOCACHE_KINEMATICS_INVERSE;
  gboolean ok = TRUE;

  for (guint i = 0; names[i] && ok; i++) {
    const gchar *name = g_strstrip (names[i]);
    gint32 column = (gint32) i;

    if (is_inverse)
      ok = find_quantity (search, name, "position", TRUE, &column, error);
    else if (i >= search->n)
      ok = refuse (error, "joints: %u names, but rows have %" G_GUINT64_FORMAT " channels", g_strv_length (names), search->n);
    if (ok && *name)
      ok = add_joint (search, name, column, error);
  }
  g_strfreev (names);
  return ok;
}

/* All joints that move a frame, in the order of the robot. */
static gboolean
find_movers (Search *search, GError **error)
{
  gboolean ok = TRUE;

  for (gint i = 0; i < (gint) search->robot->joints->len && ok; i++) {
    const gint source = robocache_model_source (search->model, i);
    const gchar *name = robocache_robot_joint (search->robot, source)->name;
    gint32 column;
    gboolean is_known = FALSE;

    for (gint64 k = 0; k < search->model->spec.n_variables; k++)
      is_known |= search->model->variables[k] == source;
    if (!search->model->moves[i] || is_known)
      continue;
    ok = find_quantity (search, name, "position", TRUE, &column, error) && add_joint (search, name, column, error);
  }
  return ok;
}

/* The name of the first variable without a channel; NULL: every variable has one. */
static const gchar *
joint_without (const Search *search, const gint32 *columns)
{
  for (gint64 i = 0; i < search->model->spec.n_variables; i++) {
    if (columns[i] == ROBOCACHE_NO_COLUMN)
      return robocache_robot_joint (search->robot, search->model->variables[i])->name;
  }
  return NULL;
}

static gboolean
find_joints (Search *search, GError **error)
{
  const gboolean is_listed = is_set (search->settings->joints);
  const gboolean ok = is_listed ? find_listed_joints (search, error) : find_movers (search, error);
  const gchar *missing = ok && search->settings->mode != ROBOCACHE_KINEMATICS_INVERSE
      ? joint_without (search, search->columns->positions) : NULL;

  if (missing)
    return refuse (error, "channels: no channel is named \"%s\" or \"%s.position\", a joint that moves a frame: name the channels in caps, or "
        "set joints", missing, missing);
  return ok && robocache_model_check_variables (search->model, search->robot, error);
}

static gboolean
find_velocities (Search *search, GError **error)
{
  const guint n = (guint) search->model->spec.n_variables;
  gboolean ok = TRUE;
  const gchar *missing;

  if (is_set (search->settings->velocities))
    return find_list (search, "velocities", search->settings->velocities, search->columns->velocities, n, "one per joint", error);
  for (guint i = 0; i < n && ok; i++)
    ok = find_quantity (search, robocache_robot_joint (search->robot, search->model->variables[i])->name, "velocity", FALSE,
        &search->columns->velocities[i], error);
  missing = ok ? joint_without (search, search->columns->velocities) : NULL;
  return missing ? refuse (error, "channels: no channel is named \"%s.velocity\": name the channels in caps, or set velocities", missing) : ok;
}

/* ---- poses ---- */

static RobocachePoseForm
form_of (const RobocacheKinematicsSettings *settings)
{
  return (RobocachePoseForm) {settings->orientation, settings->quaternion_order};
}

static const gchar *
frame_name (const RobocacheModel *model, const RobocacheRobot *robot, gint64 frame)
{
  const gint joint = model->frames[frame];

  return joint == ROBOCACHE_ROBOT_ROOT ? robot->root : robocache_robot_joint (robot, joint)->link;
}

static gboolean
find_pose (Search *search, gint64 frame, gint32 *list, GError **error)
{
  const RobocachePoseForm form = form_of (search->settings);
  const gchar *name = frame_name (search->model, search->robot, frame);
  const gchar *const *parts = robocache_pose_names (form);
  gboolean ok = TRUE;

  for (guint i = 0; i < robocache_pose_channels (form) && ok; i++) {
    ok = find_quantity (search, name, parts[i], FALSE, &list[i], error);
    if (ok && list[i] == ROBOCACHE_NO_COLUMN)
      ok = refuse (error, "channels: no channel is named \"%s.%s\": name the channels in caps, or set poses", name, parts[i]);
  }
  return ok;
}

/* Whether names of the four channels of a list, where they tell the order of a quaternion, agree with quaternion-order. */
static gboolean
check_order (const Search *search, const gchar *property, const gint32 *quaternion, GError **error)
{
  static const gint orders[][4] = {
    [ROBOCACHE_QUATERNION_WXYZ] = {3, 0, 1, 2},
    [ROBOCACHE_QUATERNION_XYZW] = {0, 1, 2, 3},
  };
  const guint n_names = search->names ? g_strv_length (search->names) : 0;
  gboolean agrees = TRUE;

  for (guint i = 0; i < 4; i++) {
    const gint part = (guint) quaternion[i] < n_names ? robocache_name_part (search->names[quaternion[i]]) : -1;

    if (part < 0)
      return TRUE;
    agrees &= part == orders[search->settings->quaternion_order][i];
  }
  return agrees || refuse (error, "%s: channels %s, %s, %s, %s are not in the order of quaternion-order: list them in that order, "
      "or set quaternion-order", property, search->names[quaternion[0]], search->names[quaternion[1]], search->names[quaternion[2]],
      search->names[quaternion[3]]);
}

/* Lists of n poses. */
static gboolean
check_orders (const Search *search, gint64 n, GError **error)
{
  const guint width = robocache_pose_channels (form_of (search->settings));
  gboolean ok = TRUE;

  for (gint64 i = 0; i < n && ok && search->settings->orientation == ROBOCACHE_ORIENTATION_QUATERNION; i++)
    ok = check_order (search, "poses", search->columns->poses + i * width + 3, error);
  return ok;
}

static gboolean
find_poses (Search *search, GError **error)
{
  const guint width = robocache_pose_channels (form_of (search->settings));
  const gint64 n = search->model->spec.n_frames;
  gboolean ok = TRUE;

  if (n > RC_KINEMATICS_MAX_TARGETS)
    return refuse (error, "frames: %d links with mode=ik: expected at most %d", (gint) n, RC_KINEMATICS_MAX_TARGETS);
  if (is_set (search->settings->poses))
    return find_list (search, "poses", search->settings->poses, search->columns->poses, (guint) n * width, "the pose of each frame",
        error) && check_orders (search, n, error);
  for (gint64 i = 0; i < n && ok; i++)
    ok = find_pose (search, i, search->columns->poses + i * width, error);
  return ok;
}

static gboolean
find_base_pose (Search *search, GError **error)
{
  search->columns->has_base_pose = is_set (search->settings->base_pose);
  return !search->columns->has_base_pose || (find_list (search, "base-pose", search->settings->base_pose, search->columns->base_pose, 7,
          "x, y, z and a quaternion", error) && check_order (search, "base-pose", search->columns->base_pose + 3, error));
}

gboolean
robocache_columns_find (RobocacheColumns *columns, RobocacheModel *model, const RobocacheRobot *robot,
    const RobocacheKinematicsSettings *settings, guint64 n, const gchar *names, GError **error)
{
  Search search = { columns, model, robot, settings, n, names };
  gboolean ok;

  search_open (&search);
  ok = find_joints (&search, error) && find_base_pose (&search, error);
  if (ok && settings->mode == ROBOCACHE_KINEMATICS_VELOCITY)
    ok = find_velocities (&search, error);
  if (ok && settings->mode == ROBOCACHE_KINEMATICS_INVERSE)
    ok = find_poses (&search, error);
  search_close (&search);
  return ok;
}

/* ---- names out ---- */

static const gchar *const twist_names[] = { "vx", "vy", "vz", "wx", "wy", "wz" };

static void
add_name (GPtrArray *names, const gchar *first, const gchar *second)
{
  g_ptr_array_add (names, g_strconcat (first, ".", second, NULL));
}

static const gchar *
variable_name (const RobocacheModel *model, const RobocacheRobot *robot, gint64 i)
{
  return robocache_robot_joint (robot, model->variables[i])->name;
}

static void
add_jacobian (GPtrArray *names, const RobocacheModel *model, const RobocacheRobot *robot, const gchar *frame)
{
  for (guint k = 0; k < 6; k++) {
    for (gint64 i = 0; i < model->spec.n_variables; i++)
      g_ptr_array_add (names, g_strconcat (frame, ".", twist_names[k], ".", variable_name (model, robot, i), NULL));
  }
}

static void
add_frame (GPtrArray *names, const RobocacheModel *model, const RobocacheRobot *robot, const RobocacheKinematicsSettings *settings,
    const gchar *frame)
{
  const RobocachePoseForm form = form_of (settings);

  for (guint i = 0; i < robocache_pose_channels (form) && settings->mode == ROBOCACHE_KINEMATICS_FORWARD; i++)
    add_name (names, frame, robocache_pose_names (form)[i]);
  if (settings->mode == ROBOCACHE_KINEMATICS_JACOBIAN)
    add_jacobian (names, model, robot, frame);
  for (guint i = 0; i < 6 && settings->mode == ROBOCACHE_KINEMATICS_VELOCITY; i++)
    add_name (names, frame, twist_names[i]);
  if (settings->manipulability)
    add_name (names, frame, "manipulability");
}

static void
add_solution (GPtrArray *names, const RobocacheModel *model, const RobocacheRobot *robot)
{
  for (gint64 i = 0; i < model->spec.n_variables; i++)
    add_name (names, variable_name (model, robot, i), "position");
  g_ptr_array_add (names, g_strdup ("ik.status"));
  g_ptr_array_add (names, g_strdup ("ik.distance"));
  g_ptr_array_add (names, g_strdup ("ik.angle"));
}

GPtrArray *
robocache_columns_names_out (const RobocacheModel *model, const RobocacheRobot *robot, const RobocacheKinematicsSettings *settings)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  if (settings->mode == ROBOCACHE_KINEMATICS_INVERSE)
    add_solution (names, model, robot);
  for (gint64 i = 0; i < model->spec.n_frames && settings->mode != ROBOCACHE_KINEMATICS_INVERSE; i++)
    add_frame (names, model, robot, settings, frame_name (model, robot, i));
  return names;
}
