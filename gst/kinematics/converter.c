/* robocache: robocachekinematics, rows of joints to rows of frames, and back
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "converter.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/element/settingerror.h"
#include "common/element/propertytypes.h"
#include "numbers.h"

/* ---- formats ---- */

static gint64
n_frames (const RobocacheConverter *converter)
{
  return converter->model.spec.n_frames;
}

static gint64
n_variables (const RobocacheConverter *converter)
{
  return converter->model.spec.n_variables;
}

guint64
robocache_converter_channels (const RobocacheConverter *converter)
{
  return converter->n_new + (converter->settings->append ? converter->n_in : 0);
}

/* names of the input's channels may be NULL. */
static gchar *
join_names (const RobocacheConverter *converter, GPtrArray *names_new, const gchar *names)
{
  GString *joined = g_string_new (NULL);

  if (converter->settings->append && names == NULL)
    return g_string_free (joined, TRUE);
  if (converter->settings->append)
    g_string_append (joined, names);
  for (guint i = 0; i < names_new->len; i++)
    g_string_append_printf (joined, "%s%s", joined->len ? "," : "", (const gchar *) names_new->pdata[i]);
  return g_string_free (joined, FALSE);
}

static gboolean
make_plan (RobocacheConverter *converter, RcBackend *backend, GError **error)
{
  const RobocacheKinematicsSettings *settings = converter->settings;
  RcKinematicsSpec *spec = &converter->model.spec;
  RcError failure;

  spec->max_iterations = (gint32) settings->max_iterations;
  spec->restarts = (gint32) settings->restarts;
  spec->tolerance = settings->tolerance;
  spec->orientation_weight = settings->orientation_weight;
  if (rc_kinematics_plan (backend, robocache_model_spec (&converter->model), &converter->plan, NULL, &failure) == RC_OK)
    return TRUE;
  if (!robocache_setting_error (&failure, ROBOCACHE_ERROR_PROPERTY, error))
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, failure.message);
  return FALSE;
}

static gboolean
make_rows (RobocacheConverter *converter, const RobocacheRobot *robot, const gchar *names, GError **error)
{
  GPtrArray *names_new = robocache_columns_names_out (&converter->model, robot, converter->settings);
  const gint64 size = 6 * n_frames (converter) * n_variables (converter);

  converter->n_new = names_new->len;
  converter->names = join_names (converter, names_new, names);
  converter->row = robocache_try_malloc (converter->n_in * sizeof (gdouble), "a row", error);
  converter->made = g_new (gdouble, converter->n_new + 1);
  if (converter->settings->mode == ROBOCACHE_KINEMATICS_JACOBIAN)
    converter->jacobians = g_new (gdouble, size + 1);
  g_ptr_array_unref (names_new);
  return converter->row != NULL;
}

gboolean
robocache_converter_init (RobocacheConverter *converter, const RobocacheKinematicsSettings *settings, const RobocacheRobot *robot,
    RcBackend *backend, RcDtype in, guint64 n_in, const gchar *names, GError **error)
{
  robocache_converter_clear (converter);
  converter->settings = settings;
  converter->form = (RobocachePoseForm) {settings->orientation, settings->quaternion_order};
  converter->in = in;
  converter->out = robocache_dtype_resolve (settings->type, in);
  converter->n_in = n_in;
  if (!robocache_model_init (&converter->model, robot, settings->base, settings->frames, error)
      || !robocache_columns_find (&converter->columns, &converter->model, robot, settings, n_in, names, error)
      || !make_plan (converter, backend, error))
    return FALSE;
  return make_rows (converter, robot, names, error);
}

void
robocache_converter_clear (RobocacheConverter *converter)
{
  rc_kinematics_plan_free (converter->plan);
  robocache_model_clear (&converter->model);
  g_free (converter->names);
  g_free (converter->row);
  g_free (converter->made);
  g_free (converter->jacobians);
  memset (converter, 0, sizeof (*converter));
}

void
robocache_converter_reset (RobocacheConverter *converter)
{
  converter->has_reference = converter->has_solution = FALSE;
}

/* ---- columns ---- */

static void
gather (const RobocacheConverter *converter, const gint32 *columns, gint64 n, gdouble *numbers)
{
  for (gint64 i = 0; i < n; i++)
    numbers[i] = columns[i] == ROBOCACHE_NO_COLUMN ? 0.0 : converter->row[columns[i]];
}

/* x y z and w x y z. FALSE: the row has no base pose. */
static gboolean
gather_base_pose (const RobocacheConverter *converter, gdouble *pose)
{
  const RobocachePoseForm form = { ROBOCACHE_ORIENTATION_QUATERNION, converter->form.order };
  gdouble channels[7];

  if (!converter->columns.has_base_pose)
    return FALSE;
  gather (converter, converter->columns.base_pose, 7, channels);
  memcpy (pose, channels, sizeof (channels));
  if (form.order == ROBOCACHE_QUATERNION_XYZW) {
    pose[3] = channels[6];
    memcpy (pose + 4, channels + 3, 3 * sizeof (gdouble));
  }
  return TRUE;
}

static void
fill_missing (gdouble *numbers, guint64 n)
{
  for (guint64 i = 0; i < n; i++)
    numbers[i] = rc_float64 (RC_NAN64_BITS);
}

static gboolean
forward (RobocacheConverter *converter, RcForwardArgs *args, GError **error)
{
  gdouble base_pose[7];
  RcError failure;

  args->batch = 1;
  if (gather_base_pose (converter, base_pose))
    args->base_poses.numbers = base_pose;
  if (rc_kinematics_forward (converter->plan, args, NULL, &failure) == RC_OK)
    return TRUE;
  g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, failure.message);
  return FALSE;
}

/* ---- poses out ---- */

/* The frames' transforms. FALSE: one is missing. */
static gboolean
read_poses (const gdouble *poses, gint64 n, RcTransform *out)
{
  gboolean are_there = TRUE;

  for (gint64 i = 0; i < n; i++)
    are_there &= rc_transform_from_pose (poses + 7 * i, RC_KINEMATICS_MAX_POSITION, &out[i]);
  return are_there;
}

/* Poses relative to those of the first row, or of the row before; the first ones are relative to themselves. A row that misses a pose
 * changes no reference. */
static void
make_relative (RobocacheConverter *converter, RcTransform *poses)
{
  const gsize bytes = (gsize) n_frames (converter) * sizeof (RcTransform);
  RcTransform absolute[RC_KINEMATICS_MAX_FRAMES];

  memcpy (absolute, poses, bytes);
  if (!converter->has_reference)
    memcpy (converter->references, absolute, bytes);
  for (gint64 i = 0; i < n_frames (converter); i++) {
    const RcTransform back = rc_transform_invert (&converter->references[i]);

    rc_transform_compose (&back, &absolute[i], &poses[i]);
  }
  if (converter->settings->reference == ROBOCACHE_REFERENCE_PREVIOUS)
    memcpy (converter->references, absolute, bytes);
  converter->has_reference = TRUE;
}

/* Writes the poses, each at the first channel of its frame, `stride` channels apart. */
static void
write_poses (RobocacheConverter *converter, const gdouble *poses, guint stride)
{
  const guint width = robocache_pose_channels (converter->form);
  RcTransform frames[RC_KINEMATICS_MAX_FRAMES];
  const gboolean are_there = read_poses (poses, n_frames (converter), frames);

  if (converter->settings->reference != ROBOCACHE_REFERENCE_BASE && are_there)
    make_relative (converter, frames);
  for (gint64 i = 0; i < n_frames (converter); i++) {
    gdouble *channels = converter->made + i * stride;
    const gboolean is_missing = poses[7 * i] != poses[7 * i]
        || (!are_there && converter->settings->reference != ROBOCACHE_REFERENCE_BASE);

    if (is_missing)
      fill_missing (channels, width);
    else
      robocache_pose_write (converter->form, &frames[i], channels);
  }
}

/* ---- rows of frames ---- */

static gboolean
make_frames (RobocacheConverter *converter, GError **error)
{
  const gint mode = converter->settings->mode;
  const gint64 n = n_frames (converter), v = n_variables (converter);
  const guint stride = (guint) (converter->n_new / (guint64) n);
  gdouble positions[RC_KINEMATICS_MAX_VARIABLES], velocities[RC_KINEMATICS_MAX_VARIABLES];
  gdouble poses[7 * RC_KINEMATICS_MAX_FRAMES], manipulabilities[RC_KINEMATICS_MAX_FRAMES], twists[6 * RC_KINEMATICS_MAX_FRAMES];
  RcForwardArgs args = {.positions = {positions, 0},.poses = {mode == ROBOCACHE_KINEMATICS_FORWARD ? poses : NULL, 0},
    .jacobians = {converter->jacobians, 0},
    .manipulabilities = {converter->settings->manipulability ? manipulabilities : NULL, 0}
  };

  gather (converter, converter->columns.positions, v, positions);
  if (mode == ROBOCACHE_KINEMATICS_VELOCITY) {
    gather (converter, converter->columns.velocities, v, velocities);
    args.velocities.numbers = velocities;
    args.twists.numbers = twists;
  }
  if (!forward (converter, &args, error))
    return FALSE;
  if (mode == ROBOCACHE_KINEMATICS_FORWARD)
    write_poses (converter, poses, stride);
  for (gint64 i = 0; i < n; i++) {
    gdouble *channels = converter->made + i * stride;

    if (mode == ROBOCACHE_KINEMATICS_JACOBIAN)
      memcpy (channels, converter->jacobians + 6 * v * i, (gsize) (6 * v) * sizeof (gdouble));
    else if (mode == ROBOCACHE_KINEMATICS_VELOCITY)
      memcpy (channels, twists + 6 * i, 6 * sizeof (gdouble));
    if (converter->settings->manipulability)
      channels[stride - 1] = manipulabilities[i];
  }
  return TRUE;
}

/* ---- rows of joints ---- */

static gdouble
middle_of (const RcJointSpec *joint)
{
  const gboolean is_limited = joint->kind != RC_JOINT_CONTINUOUS && ABS (joint->lower) <= RC_KINEMATICS_MAX_NUMBER
      && ABS (joint->upper) <= RC_KINEMATICS_MAX_NUMBER;

  return is_limited ? 0.5 * (joint->lower + joint->upper) : 0.0;
}

/* The last solution, or else the row's joints where it has them, or else the middle of the limits. */
static void
find_start (const RobocacheConverter *converter, gdouble *start)
{
  if (converter->has_solution) {
    memcpy (start, converter->solution, (gsize) n_variables (converter) * sizeof (gdouble));
    return;
  }
  gather (converter, converter->columns.positions, n_variables (converter), start);
  for (gint64 i = 0; i < n_variables (converter); i++) {
    if (converter->columns.positions[i] == ROBOCACHE_NO_COLUMN || start[i] - start[i] != 0.0)
      start[i] = middle_of (&converter->model.joints[converter->model.variables[i]]);
  }
}

/* The poses that targets are relative to: those of the start. */
static gboolean
find_references (RobocacheConverter *converter, const gdouble *start, GError **error)
{
  gdouble poses[7 * RC_KINEMATICS_MAX_FRAMES];
  RcForwardArgs args = {.positions = {start, 0},.poses = {poses, 0} };

  if (converter->settings->reference == ROBOCACHE_REFERENCE_BASE
      || (converter->settings->reference == ROBOCACHE_REFERENCE_FIRST && converter->has_reference))
    return TRUE;
  if (!forward (converter, &args, error))
    return FALSE;
  converter->has_reference = read_poses (poses, n_frames (converter), converter->references);
  return TRUE;
}

/* Targets of the row as poses; NaN where one is missing. */
static void
find_targets (const RobocacheConverter *converter, gdouble *targets)
{
  const guint width = robocache_pose_channels (converter->form);
  const gboolean is_relative = converter->settings->reference != ROBOCACHE_REFERENCE_BASE;

  for (gint64 i = 0; i < n_frames (converter); i++) {
    gdouble channels[ROBOCACHE_MAX_POSE_CHANNELS];
    RcTransform own, target;

    gather (converter, converter->columns.poses + i * width, width, channels);
    if (!robocache_pose_read (converter->form, channels, &own) || (is_relative && !converter->has_reference)) {
      fill_missing (targets + 7 * i, 7);
      continue;
    }
    target = own;
    if (is_relative)
      rc_transform_compose (&converter->references[i], &own, &target);
    rc_pose_from_transform (&target, targets + 7 * i);
  }
}

static void
count_solution (RobocacheKinematicsCounts *counts, guint8 status, const gdouble *residuals, gint32 iterations)
{
  counts->solutions[status]++;
  counts->iterations += (guint64) iterations;
  counts->max_iterations = MAX (counts->max_iterations, (guint64) iterations);
  if (status != RC_INVERSE_CONVERGED)
    return;
  counts->max_distance = MAX (counts->max_distance, residuals[0]);
  counts->max_angle = MAX (counts->max_angle, residuals[1]);
}

static gboolean
make_joints (RobocacheConverter *converter, RobocacheKinematicsCounts *counts, GError **error)
{
  const gint64 v = n_variables (converter);
  gdouble start[RC_KINEMATICS_MAX_VARIABLES], targets[7 * RC_KINEMATICS_MAX_TARGETS], base_pose[7];
  gdouble *made = converter->made;
  guint8 status;
  gint32 iterations;
  RcInverseArgs args = {.batch = 1,.targets = {targets, 0},.starts = {start, 0},.positions = {made, 0},.residuals = {made + v + 1, 0},
    .status = &status,.iterations = &iterations
  };
  RcError failure;

  find_start (converter, start);
  if (!find_references (converter, start, error))
    return FALSE;
  find_targets (converter, targets);
  if (gather_base_pose (converter, base_pose))
    args.base_poses.numbers = base_pose;
  if (rc_kinematics_inverse (converter->plan, &args, NULL, &failure) != RC_OK) {
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, failure.message);
    return FALSE;
  }
  made[v] = status;
  count_solution (counts, status, made + v + 1, iterations);
  if (status != RC_INVERSE_MISSING) {
    memcpy (converter->solution, made, (gsize) v * sizeof (gdouble));
    converter->has_solution = TRUE;
  }
  return TRUE;
}

/* ---- rows ---- */

static gboolean
has_nan (const gdouble *numbers, guint64 n)
{
  for (guint64 i = 0; i < n; i++) {
    if (numbers[i] != numbers[i])
      return TRUE;
  }
  return FALSE;
}

/* Input channels that come first keep their bits where the type stays. */
static guint8 *
append_input (const RobocacheConverter *converter, const guint8 *in, guint8 *out)
{
  if (!converter->settings->append)
    return out;
  if (converter->in == converter->out)
    memcpy (out, in, converter->n_in * rc_dtype_size (converter->in));
  else
    robocache_numbers_store (converter->out, converter->row, out, converter->n_in);
  return out + converter->n_in * rc_dtype_size (converter->out);
}

static gboolean
convert_row (RobocacheConverter *converter, const guint8 *in, guint8 *out, RobocacheKinematicsCounts *counts, GError **error)
{
  robocache_numbers_load (converter->in, in, converter->row, converter->n_in);
  if (!(converter->settings->mode == ROBOCACHE_KINEMATICS_INVERSE ? make_joints (converter, counts, error)
          : make_frames (converter, error)))
    return FALSE;
  counts->rows++;
  counts->missing += has_nan (converter->made, converter->n_new);
  out = append_input (converter, in, out);
  robocache_numbers_store (converter->out, converter->made, out, converter->n_new);
  return TRUE;
}

gboolean
robocache_converter_run (RobocacheConverter *converter, gconstpointer in, gpointer out, guint64 n, RobocacheKinematicsCounts *counts,
    GError **error)
{
  const guint64 in_bytes = converter->n_in * rc_dtype_size (converter->in);
  const guint64 out_bytes = robocache_converter_channels (converter) * rc_dtype_size (converter->out);
  gboolean ok = TRUE;

  for (guint64 i = 0; i < n && ok; i++)
    ok = convert_row (converter, (const guint8 *) in + i * in_bytes, (guint8 *) out + i * out_bytes, counts, error);
  return ok;
}
