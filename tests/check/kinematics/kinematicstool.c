/* robocache: kinematics of a robot of a URDF file on a CPU, for tests in other languages
 *
 *   kinematicstool URDF                                        prints the joints, one per line
 *   kinematicstool URDF LEVEL BASE FRAMES JOINTS forward       rows of positions and velocities; for each frame pose, Jacobian,
 *                                                              manipulability and twist
 *   kinematicstool URDF LEVEL BASE FRAMES JOINTS inverse       rows of targets and starts; positions, residuals, status and iterations
 *   kinematicstool URDF LEVEL BASE FRAMES JOINTS time-forward   the rows of forward; microseconds a row for poses, and for Jacobians, as text
 *   kinematicstool URDF LEVEL BASE FRAMES JOINTS time-inverse   the rows of inverse; the median and the mean of microseconds a row, as text
 *
 * Rows are float64 on standard input and output. LEVEL is an RcCpuLevel, with `free` behind it where limits do not hold; BASE, FRAMES
 * and JOINTS are names, separated by commas. RESTARTS and ITERATIONS in the environment set what their names say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/time/numberorder.h"
#include "gst/kinematics/model.h"
#include "gst/kinematics/urdf/urdf.h"

static void
give_up (const gchar *why)
{
  fprintf (stderr, "kinematicstool: %s\n", why);
  exit (EXIT_FAILURE);
}

static void
print_joint (const RobocacheRobot *robot, const RobocacheRobotJoint *joint)
{
  const RcJointSpec *s = &joint->spec;

  printf ("%s %d %s %s %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %s %.17g %.17g\n", joint->name, (int) s->kind,
      joint->parent, joint->link, s->origin[0], s->origin[1], s->origin[2], s->rpy[0], s->rpy[1], s->rpy[2], s->axis[0], s->axis[1],
      s->axis[2], s->lower, s->upper, joint->mimics ? joint->mimics : "-", s->multiplier, s->offset);
}

static void
add_joints (RobocacheModel *model, const RobocacheRobot *robot, const gchar *names, GError **error)
{
  gchar **list = g_strsplit (names, ",", -1);

  for (gchar **name = list; *name; name++) {
    const gint joint = robocache_robot_find_joint (robot, *name);

    if (joint == ROBOCACHE_ROBOT_NONE)
      give_up (*name);
    robocache_model_add_variable (model, joint, error);
  }
  g_strfreev (list);
}

static gdouble *
read_rows (gsize row, gint64 *n)
{
  GByteArray *bytes = g_byte_array_new ();
  guint8 chunk[65536];
  gsize got;

  while ((got = fread (chunk, 1, sizeof (chunk), stdin)) > 0)
    g_byte_array_append (bytes, chunk, (guint) got);
  *n = (gint64) (bytes->len / (row * sizeof (gdouble)));
  return (gdouble *) g_byte_array_free (bytes, FALSE);
}

static gdouble *
forward (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, gint64 *n, gsize *row, RcError *error)
{
  const gint64 v = spec->n_variables, f = spec->n_frames, stride = f * (7 + 6 * v + 1 + 6) * 8;
  const gdouble *in = read_rows ((gsize) (2 * v), n);
  gdouble *out = g_malloc ((gsize) (*n * stride) + 1);
  const RcForwardArgs args = {.batch = *n,.positions = {in, 2 * v * 8},.velocities = {in + v, 2 * v * 8},
    .poses = {out, stride},.jacobians = {out + 7 * f, stride},.manipulabilities = {out + (7 + 6 * v) * f, stride},
    .twists = {out + (7 + 6 * v + 1) * f, stride}
  };

  if (rc_kinematics_forward (plan, &args, NULL, error) != RC_OK)
    give_up (error->message);
  *row = (gsize) stride;
  return out;
}

static gdouble *
inverse (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, gint64 *n, gsize *row, RcError *error)
{
  const gint64 v = spec->n_variables, f = spec->n_frames, stride = (v + 4) * 8;
  const gdouble *in = read_rows ((gsize) (7 * f + v), n);
  gdouble *out = g_malloc ((gsize) (*n * stride) + 1);
  guint8 *status = g_malloc ((gsize) *n + 1);
  gint32 *iterations = g_new (gint32, *n + 1);
  const RcInverseArgs args = {.batch = *n,.targets = {in, (7 * f + v) * 8},.starts = {in + 7 * f, (7 * f + v) * 8},
    .positions = {out, stride},.residuals = {out + v, stride},.status = status,.iterations = iterations
  };

  if (rc_kinematics_inverse (plan, &args, NULL, error) != RC_OK)
    give_up (error->message);
  for (gint64 i = 0; i < *n; i++) {
    out[i * (v + 4) + v + 2] = status[i];
    out[i * (v + 4) + v + 3] = iterations[i];
  }
  *row = (gsize) stride;
  return out;
}

/* ---- times, of one row a call ---- */

static gdouble
time_forward (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, const gdouble *in, gint64 n, gboolean wants_poses)
{
  const gint64 v = spec->n_variables, began = g_get_monotonic_time ();
  gdouble *out = g_new (gdouble, spec->n_frames * (7 + 6 * v));
  RcError error;

  for (gint64 i = 0; i < n; i++) {
    const RcForwardArgs args = {.batch = 1,.positions = {in + 2 * v * i, 0},.poses = {wants_poses ? out : NULL, 0},
      .jacobians = {wants_poses ? NULL : out, 0}
    };

    if (rc_kinematics_forward (plan, &args, NULL, &error) != RC_OK)
      give_up (error.message);
  }
  g_free (out);
  return (gdouble) (g_get_monotonic_time () - began) / (gdouble) n;
}

static gint64
nanoseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

static void
print_inverse_times (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, const gdouble *in, gint64 n)
{
  const gint64 v = spec->n_variables, width = 7 * spec->n_frames + v;
  gdouble *out = g_new (gdouble, v + 1);
  gint64 *times = g_new (gint64, n);
  gdouble sum = 0.0;
  RcError error;

  for (gint64 i = 0; i < n; i++) {
    const RcInverseArgs args = {.batch = 1,.targets = {in + width * i, 0},.starts = {in + width * i + 7 * spec->n_frames, 0},
      .positions = {out, 0}
    };
    const gint64 began = nanoseconds ();

    if (rc_kinematics_inverse (plan, &args, NULL, &error) != RC_OK)
      give_up (error.message);
    times[i] = nanoseconds () - began;
    sum += (gdouble) times[i];
  }
  qsort (times, (size_t) n, sizeof (*times), robocache_compare_integers);
  printf ("%.3f %.3f\n", (gdouble) times[n / 2] / 1e3, sum / (gdouble) n / 1e3);
  g_free (times);
  g_free (out);
}

static void
print_times (RcKinematicsPlan *plan, const RcKinematicsSpec *spec, const gchar *mode)
{
  const gboolean is_inverse = strstr (mode, "inverse") != NULL;
  gint64 n;
  const gdouble *in = read_rows ((gsize) (is_inverse ? 7 * spec->n_frames + spec->n_variables : 2 * spec->n_variables), &n);

  if (n == 0)
    give_up ("no row");
  if (is_inverse)
    print_inverse_times (plan, spec, in, n);
  else
    printf ("%.3f %.3f\n", time_forward (plan, spec, in, n, TRUE), time_forward (plan, spec, in, n, FALSE));
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  RobocacheRobot *robot = argc > 1 ? robocache_urdf_read (argv[1], &error) : NULL;
  const RcWhere where = {.cpu_level = argc > 2 ? (RcCpuLevel) atoi (argv[2]) : RC_CPU_BEST };
  RcKinematicsPlan *plan;
  RobocacheModel model;
  RcBackend *backend;
  RcError failure;
  gdouble *out;
  gint64 n;
  gsize row;

  if (robot == NULL)
    give_up (error ? error->message : "expected a URDF");
  if (argc == 2) {
    for (guint i = 0; i < robot->joints->len; i++)
      print_joint (robot, robocache_robot_joint (robot, (gint) i));
    robocache_robot_free (robot);
    return EXIT_SUCCESS;
  }
  if (argc != 7 || !robocache_model_init (&model, robot, argv[3], argv[4], &error))
    give_up (error ? error->message : "expected URDF LEVEL BASE FRAMES JOINTS forward|inverse");
  for (gint64 i = 0; i < model.spec.n_joints && strstr (argv[2], "free"); i++) {
    if (model.joints[i].kind == RC_JOINT_REVOLUTE)
      model.joints[i].kind = RC_JOINT_CONTINUOUS;
  }
  add_joints (&model, robot, argv[5], &error);
  if (!robocache_model_check_variables (&model, robot, &error))
    give_up (error->message);
  model.spec.max_iterations = g_getenv ("ITERATIONS") ? atoi (g_getenv ("ITERATIONS")) : 100;
  model.spec.restarts = g_getenv ("RESTARTS") ? atoi (g_getenv ("RESTARTS")) : 0;
  model.spec.tolerance = 1e-6;
  model.spec.orientation_weight = 1.0;
  if (rc_backend_open (&where, &backend, &failure) != RC_OK
      || rc_kinematics_plan (backend, robocache_model_spec (&model), &plan, NULL, &failure) != RC_OK)
    give_up (failure.message);
  if (g_str_has_prefix (argv[6], "time-")) {
    print_times (plan, &model.spec, argv[6]);
    return EXIT_SUCCESS;
  }
  out = (strcmp (argv[6], "inverse") == 0 ? inverse : forward) (plan, &model.spec, &n, &row, &failure);
  fwrite (out, row, (size_t) n, stdout);
  return EXIT_SUCCESS;
}
