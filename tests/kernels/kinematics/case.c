/* robocache: a random tree of joints and random rows, run on every backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>
#include <math.h>

#include "tests/kernels/random.h"

/* ---- trees ---- */

/* Right angles, as robots have them, and any. */
static double
random_angle (uint64_t *random)
{
  return random_one_in (random, 2) ? 1.5707963267948966 * (double) random_between (random, -2, 2) : random_real (random, -4, 4);
}

static void
choose_axis (KinematicsCase *c, RcJointSpec *joint)
{
  for (int k = 0; k < 3; k++)
    joint->axis[k] = random_real (&c->random, -1, 1);
  if (random_one_in (&c->random, 2)) {
    const int64_t along = random_between (&c->random, 0, 2);

    for (int k = 0; k < 3; k++)
      joint->axis[k] = k == along ? (random_one_in (&c->random, 2) ? -1 : 1) : 0;
  }
}

static void
choose_joint (KinematicsCase *c, int i)
{
  RcJointSpec *joint = &c->joints[i];

  joint->kind = (RcJointKind) random_between (&c->random, RC_JOINT_FIXED, RC_JOINT_PRISMATIC);
  joint->mimics = -1;
  joint->parent = (int32_t) random_between (&c->random, i < 3 ? -1 : i - 3, i - 1);
  for (int k = 0; k < 3; k++) {
    joint->origin[k] = random_one_in (&c->random, 3) ? 0 : random_real (&c->random, -0.5, 0.5);
    joint->rpy[k] = random_angle (&c->random);
  }
  choose_axis (c, joint);
  joint->lower = random_real (&c->random, -3, 0);
  joint->upper = random_real (&c->random, 0, 3);
  if (random_one_in (&c->random, 10))
    joint->lower = -INFINITY;
}

/* Some joints mimic another that moves, and the rest that move are variables. */
static void
choose_variables (KinematicsCase *c)
{
  for (int i = 0; i < c->spec.n_joints; i++) {
    RcJointSpec *joint = &c->joints[i];
    const int32_t other = (int32_t) random_between (&c->random, 0, c->spec.n_joints - 1);

    if (joint->kind == RC_JOINT_FIXED)
      continue;
    if (other < i && c->joints[other].kind != RC_JOINT_FIXED && random_one_in (&c->random, 5)) {
      joint->mimics = other;
      joint->multiplier = random_real (&c->random, -2, 2);
      joint->offset = random_real (&c->random, -1, 1);
    } else {
      c->variables[c->spec.n_variables++] = i;
    }
  }
}

static void
choose_spec (KinematicsCase *c, const KinematicsWish *wish)
{
  c->spec = (RcKinematicsSpec) {.joints = c->joints,.frames = c->frames,.variables = c->variables,.tolerance = 1e-6 };
  c->spec.n_joints = random_between (&c->random, 1, wish->max_joints);
  c->spec.max_iterations = (int32_t) random_between (&c->random, 1, 100);
  c->spec.restarts = (int32_t) random_between (&c->random, 0, 5);
  c->spec.orientation_weight = random_one_in (&c->random, 4) ? random_real (&c->random, 0, 2) : 1.0;
  for (int i = 0; i < c->spec.n_joints; i++)
    choose_joint (c, i);
  choose_variables (c);
  c->spec.base = random_one_in (&c->random, 2) ? -1 : (int32_t) random_between (&c->random, -1, c->spec.n_joints - 1);
  c->spec.n_frames = random_between (&c->random, 1, wish->max_frames);
  for (int i = 0; i < c->spec.n_frames; i++)
    c->frames[i] = (int32_t) random_between (&c->random, c->spec.n_joints / 2, c->spec.n_joints - 1);
}

/* ---- rows ---- */

static double
odd_number (uint64_t *random)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 1e308, -1e308, 1e22, 0x1p30, 5e-324, -0.0 };

  return odd[random_between (random, 0, COUNT (odd) - 1)];
}

static double *
take_numbers (KinematicsCase *c, const KinematicsWish *wish, Arena *arena, const char *name, int64_t n, double range)
{
  double *numbers = arena_take (arena, name, 8 * n, 8 * random_between (&c->random, 0, 3));

  for (int64_t i = 0; i < n; i++)
    numbers[i] = wish->is_odd && random_one_in (&c->random, 12) ? odd_number (&c->random) : random_real (&c->random, -range, range);
  return numbers;
}

static RcKinematicsRows
take_rows (KinematicsCase *c, const KinematicsWish *wish, Arena *arena, const char *name, int64_t batch, int64_t length, double range)
{
  const int64_t padded = length + random_between (&c->random, 0, 3);

  return (RcKinematicsRows) {take_numbers (c, wish, arena, name, batch * padded, range), 8 * padded};
}

static RcKinematicsOut
take_out (KinematicsCase *c, const KinematicsWish *wish, Arena *arena, const char *name, int64_t batch, int64_t length)
{
  const int64_t padded = length + random_between (&c->random, 0, 3);

  if (wish->is_partial && random_one_in (&c->random, 2))
    return (RcKinematicsOut) {NULL, 0};
  return (RcKinematicsOut) {arena_take (arena, name, 8 * batch * padded, 0), 8 * padded};
}

/* Positions that variables may have; targets are poses of these, which the forward run writes for the inverse one. */
void
kinematics_case_make (KinematicsCase *c, const KinematicsWish *wish, uint64_t seed, Arena *arena)
{
  int64_t batch, n, f;

  memset (c, 0, sizeof (*c));
  c->seed = c->random = seed;
  arena_clear (arena);
  choose_spec (c, wish);
  batch = random_between (&c->random, wish->min_rows, wish->max_rows);
  n = c->spec.n_variables;
  f = c->spec.n_frames;
  c->forward.batch = batch;
  c->forward.positions = take_rows (c, wish, arena, "positions", batch, n, 4);
  c->forward.velocities = take_rows (c, wish, arena, "velocities", batch, n, 2);
  c->forward.poses = take_out (c, wish, arena, "poses", batch, 7 * f);
  c->forward.jacobians = take_out (c, wish, arena, "jacobians", batch, 6 * n * f);
  c->forward.manipulabilities = take_out (c, wish, arena, "manipulabilities", batch, f);
  c->forward.twists = take_out (c, wish, arena, "twists", batch, 6 * f);
  if (wish->has_base_poses)
    c->forward.base_poses = take_rows (c, wish, arena, "base_poses", batch, 7, 1);
  if (wish->has_base_poses && random_one_in (&c->random, 3))
    c->forward.base_poses.stride = 0;
  c->inverse.batch = wish->is_forward || f > RC_KINEMATICS_MAX_TARGETS ? 0 : batch;
  c->inverse.base_poses = c->forward.base_poses;
  c->inverse.targets = take_rows (c, wish, arena, "targets", batch, 7 * f, 1);
  c->inverse.starts = take_rows (c, wish, arena, "starts", batch, n, 3);
  c->inverse.positions = take_out (c, wish, arena, "solutions", batch, n);
  c->inverse.residuals = take_out (c, wish, arena, "residuals", batch, 2);
  c->inverse.status = arena_take (arena, "status", batch, 0);
  c->inverse.iterations = arena_take (arena, "iterations", 4 * batch, 0);
  snprintf (c->text, sizeof (c->text), "seed %" PRIu64 ": %" PRId64 " joints, %" PRId64 " variables, base %" PRId32 ", %" PRId64
      " frames, batch %" PRId64, seed, c->spec.n_joints, n, c->spec.base, f, batch);
}

/* ---- places ---- */

static RcKinematicsRows
rows_there (const Arena *arena, const Place *place, RcKinematicsRows rows)
{
  return (RcKinematicsRows) {rows.numbers ? arena_there (arena, place, rows.numbers) : NULL, rows.stride};
}

static RcKinematicsOut
out_there (const Arena *arena, const Place *place, RcKinematicsOut out)
{
  return (RcKinematicsOut) {out.numbers ? arena_there (arena, place, out.numbers) : NULL, out.stride};
}

static RcForwardArgs
forward_there (const KinematicsCase *c, const Arena *arena, const Place *place)
{
  const RcForwardArgs *args = &c->forward;

  return (RcForwardArgs) {.batch = args->batch,.positions = rows_there (arena, place, args->positions),
    .velocities = rows_there (arena, place, args->velocities),.base_poses = rows_there (arena, place, args->base_poses),
    .poses = out_there (arena, place, args->poses),.jacobians = out_there (arena, place, args->jacobians),
    .manipulabilities = out_there (arena, place, args->manipulabilities),.twists = out_there (arena, place, args->twists)
  };
}

static RcInverseArgs
inverse_there (const KinematicsCase *c, const Arena *arena, const Place *place)
{
  const RcInverseArgs *args = &c->inverse;

  return (RcInverseArgs) {.batch = args->batch,.targets = rows_there (arena, place, args->targets),
    .starts = rows_there (arena, place, args->starts),.base_poses = rows_there (arena, place, args->base_poses),
    .positions = out_there (arena, place, args->positions),.residuals = out_there (arena, place, args->residuals),
    .status = arena_there (arena, place, args->status),.iterations = arena_there (arena, place, args->iterations)
  };
}

static void
run (const KinematicsCase *c, const Place *place, const RcForwardArgs *forward, const RcInverseArgs *inverse, Test *test)
{
  RcKinematicsPlan *plan = NULL;
  CallerMode mode;
  RcStatus status;
  RcError error;

  status = rc_kinematics_plan (place->backend, &c->spec, &plan, NULL, &error);
  if (!is_ok (status, &error, test))
    return;
  caller_mode_enter (&mode, place, c->seed);
  status = rc_kinematics_forward (plan, forward, place->stream, &error);
  if (status == RC_OK && c->spec.n_frames <= RC_KINEMATICS_MAX_TARGETS)
    status = rc_kinematics_inverse (plan, inverse, place->stream, &error);
  caller_mode_leave (&mode, test);
  if (status != RC_OK)
    test_fail (test, "%s: %s (%s)", place->name, error.message, c->text);
  place_wait (place, test);
  rc_kinematics_plan_free (plan);
}

void
kinematics_case_check (KinematicsCase *c, Arena *arena, const Place *reference, const Place *places, int n_places, Test *test)
{
  for (int p = 0; p < n_places && test_holds (test); p++) {
    RcForwardArgs forward;
    RcInverseArgs inverse;

    if (!arena_upload (arena, &places[p], test))
      break;
    forward = forward_there (c, arena, &places[p]);
    inverse = inverse_there (c, arena, &places[p]);
    run (c, &places[p], &forward, &inverse, test);
  }
  run (c, reference, &c->forward, &c->inverse, test);
  for (int p = 0; p < n_places && test_holds (test); p++)
    arena_compare (arena, &places[p], c->text, test);
}
