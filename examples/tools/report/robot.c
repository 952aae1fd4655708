/* robocache: where a robot's tool is, for streams that have its joints
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "robot.h"

#include "examples/tools/program.h"

#ifdef HAVE_URDF
#include <math.h>
#include <string.h>

#include "gst/kinematics/model.h"
#include "gst/kinematics/urdf/urdf.h"

/* x, y, z, manipulability, distance from limits */
enum
{ X, Y, Z, MANIPULABILITY, MARGIN, N_VALUES };

struct ReportRobot
{
  RobocacheRobot *urdf;
  RobocacheModel model;
  RcBackend *backend;
  RcKinematicsPlan *plan;
  const gchar *tool;            /* the link's name */
  GHashTable *columns;          /* of each variable, or NULL where it lacks one, by the name of a stream */
  guint n_fitting;              /* streams */
  guint n_values;              /* without limits one less */
};

/* ---- life ---- */

static gboolean
add_variables (ReportRobot *robot, GError **error)
{
  gboolean *is_added = g_new0 (gboolean, robot->urdf->joints->len + 1), ok = TRUE;

  for (gint i = 0; i < (gint) robot->urdf->joints->len && ok; i++) {
    const gint source = robot->model.moves[i] ? robocache_model_source (&robot->model, i) : -1;

    if (source < 0 || is_added[source])
      continue;
    is_added[source] = TRUE;
    ok = robocache_model_add_variable (&robot->model, source, error);
  }
  g_free (is_added);
  return ok;
}

static gboolean
make_plan (ReportRobot *robot, GError **error)
{
  RcKinematicsSpec spec = *robocache_model_spec (&robot->model);
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  RcError failure;

  spec.max_iterations = 1;
  spec.tolerance = 1e-6;
  if (rc_backend_open (&where, &robot->backend, &failure) == RC_OK
      && rc_kinematics_plan (robot->backend, &spec, &robot->plan, NULL, &failure) == RC_OK)
    return TRUE;
  FAULT (error, "%s", failure.message);
  return FALSE;
}

static gboolean
has_limits (const ReportRobot *robot)
{
  gboolean found = FALSE;

  for (gint64 i = 0; i < robot->model.spec.n_variables; i++)
    found |= robot->model.joints[robot->model.variables[i]].kind != RC_JOINT_CONTINUOUS;
  return found;
}

ReportRobot *
report_robot_new (const gchar *name, const gchar *bytes, gsize n, const gchar *tool, GError **error)
{
  RobocacheRobot *urdf = robocache_urdf_parse (name, bytes, n, error);
  ReportRobot *robot;
  gint frame;

  if (!urdf)
    return NULL;
  robot = g_new0 (ReportRobot, 1);
  robot->urdf = urdf;
  robot->columns = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  if (!robocache_model_init (&robot->model, urdf, NULL, tool, error) || !add_variables (robot, error) || !make_plan (robot, error)) {
    g_prefix_error (error, "%s: ", name);
    report_robot_free (robot);
    return NULL;
  }
  robot->n_values = has_limits (robot) ? N_VALUES : MARGIN;
  frame = robot->model.frames[0];
  robot->tool = frame == ROBOCACHE_ROBOT_ROOT ? urdf->root : robocache_robot_joint (urdf, frame)->link;
  return robot;
}

void
report_robot_free (ReportRobot *robot)
{
  if (!robot)
    return;
  rc_kinematics_plan_free (robot->plan);
  if (robot->backend)
    rc_backend_close (robot->backend);
  robocache_model_clear (&robot->model);
  robocache_robot_free (robot->urdf);
  g_hash_table_unref (robot->columns);
  g_free (robot);
}

/* ---- channels ---- */

static const gchar *
joint_name (const ReportRobot *robot, gint64 variable)
{
  return robocache_robot_joint (robot->urdf, robot->model.variables[variable])->name;
}

/* The channel of a joint: its name, or JOINT.position as in recordings. */
static gboolean
find_channel (const ReportStream *stream, const gchar *joint, gint *found)
{
  const gsize length = strlen (joint);

  for (guint i = 0; i < stream->n_drawn; i++) {
    const gchar *name = stream->channel_names[i];

    if (strncmp (name, joint, length) != 0 || (name[length] != '\0' && !g_str_equal (name + length, ".position")))
      continue;
    *found = (gint) i;
    return TRUE;
  }
  return FALSE;
}

/* The channel of each variable; NULL: one is missing. */
static gint *
find_columns (const ReportRobot *robot, const ReportStream *stream)
{
  gint *columns = g_new0 (gint, robot->model.spec.n_variables + 1);

  for (gint64 i = 0; i < robot->model.spec.n_variables; i++) {
    if (find_channel (stream, joint_name (robot, i), &columns[i]))
      continue;
    g_free (columns);
    return NULL;
  }
  return columns;
}

/* Known from the first row with names on. */
static const gint *
get_columns (ReportRobot *robot, const ReportStream *stream)
{
  gpointer columns = NULL;

  if (!stream->channel_names || robot->model.spec.n_variables == 0)
    return NULL;
  if (g_hash_table_lookup_extended (robot->columns, stream->name, NULL, &columns))
    return columns;
  columns = find_columns (robot, stream);
  robot->n_fitting += columns != NULL;
  g_hash_table_insert (robot->columns, g_strdup (stream->name), columns);
  return columns;
}

/* ---- values ---- */

/* The least distance of a joint from one of its limits, negative beyond it; infinite: no joint has any. */
static gdouble
margin_of (const ReportRobot *robot, const gdouble *positions)
{
  gdouble margin = INFINITY;

  for (gint64 i = 0; i < robot->model.spec.n_variables; i++) {
    const RcJointSpec *joint = &robot->model.joints[robot->model.variables[i]];

    if (joint->kind != RC_JOINT_CONTINUOUS)
      margin = MIN (margin, MIN (positions[i] - joint->lower, joint->upper - positions[i]));
  }
  return margin;
}

static gboolean
compute (ReportRobot *robot, const gint *columns, const gdouble *values, gdouble *out)
{
  gdouble positions[RC_KINEMATICS_MAX_VARIABLES], pose[7];
  const RcForwardArgs args = {.batch = 1,.positions = {positions, 0},.poses = {pose, 0},.manipulabilities = {&out[MANIPULABILITY], 0} };

  for (gint64 i = 0; i < robot->model.spec.n_variables; i++)
    positions[i] = values[columns[i]];
  if (rc_kinematics_forward (robot->plan, &args, NULL, NULL) != RC_OK)
    return FALSE;
  for (gint i = X; i <= Z; i++)
    out[i] = pose[i];
  out[MARGIN] = margin_of (robot, positions);
  return TRUE;
}

static ReportStream *
get_tool_stream (const ReportRobot *robot, Report *report, const ReportStream *stream)
{
  static const gchar *const names[] = { "x (m)", "y (m)", "z (m)", "manipulability", "distance from limits (rad, m)" };
  gchar *name = g_strdup_printf ("%s of %s", robot->tool, stream->name);
  ReportStream *tool = report_get_stream (report, name);

  report_stream_set_channels (tool, "float64", robot->n_values, names);
  g_free (name);
  return tool;
}

void
report_robot_add (ReportRobot *robot, Report *report, const ReportStream *stream, gboolean is_tick, gint64 time_ns,
    const gdouble *values)
{
  const gint *columns = values ? get_columns (robot, stream) : NULL;
  gdouble out[N_VALUES];

  if (!columns || !compute (robot, columns, values, out))
    return;
  if (is_tick)
    report_stream_add_aligned (get_tool_stream (robot, report, stream), time_ns, out);
  else
    report_stream_add_row (get_tool_stream (robot, report, stream), time_ns, out);
}

void
report_robot_join (const ReportRobot *robot, Report *report, const ReportStream *rows, const ReportStream *ticks)
{
  ReportStream *tool;

  if (!g_hash_table_lookup (robot->columns, rows->name) || !g_hash_table_lookup (robot->columns, ticks->name))
    return;
  tool = get_tool_stream (robot, report, ticks);
  report_stream_take_ticks (get_tool_stream (robot, report, rows), tool);
  report_remove_stream (report, tool);
}

void
report_robot_finish (const ReportRobot *robot, Report *report)
{
  GString *names = g_string_new (NULL);

  for (gint64 i = 0; i < robot->model.spec.n_variables; i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", joint_name (robot, i));
  if (robot->n_fitting == 0)
    report_add_note (report, "No stream has a channel for each joint that moves %s: %s.", robot->tool, names->str);
  g_string_free (names, TRUE);
}

#else

ReportRobot *
report_robot_new (const gchar *name, const gchar *bytes, gsize n, const gchar *tool, GError **error)
{
  FAULT (error, "%s: this build reads no URDF: build it with libxml2", name);
  return NULL;
}

void
report_robot_free (ReportRobot *robot)
{
}

void
report_robot_add (ReportRobot *robot, Report *report, const ReportStream *stream, gboolean is_tick, gint64 time_ns,
    const gdouble *values)
{
}

void
report_robot_join (const ReportRobot *robot, Report *report, const ReportStream *rows, const ReportStream *ticks)
{
}

void
report_robot_finish (const ReportRobot *robot, Report *report)
{
}

#endif

ReportRobot *
report_robot_open (const gchar *path, const gchar *tool, GError **error)
{
  ReportRobot *robot = NULL;
  gchar *bytes;
  gsize n;

  if (g_file_get_contents (path, &bytes, &n, error)) {
    robot = report_robot_new (path, bytes, n, tool, error);
    g_free (bytes);
  }
  return robot;
}
