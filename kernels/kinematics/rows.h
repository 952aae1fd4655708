/* robocache: kinematics of one row of a batch
 *
 * Included by .c and .cu.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "inverse.h"

RC_SHARED const double *
rc_row_in (const RcKinematicsRows *rows, int64_t row)
{
  return (const double *) ((const char *) rows->numbers + row * rows->stride);
}

RC_SHARED double *
rc_row_out (const RcKinematicsOut *rows, int64_t row)
{
  return (double *) ((char *) rows->numbers + row * rows->stride);
}

RC_SHARED void
rc_store (double *to, const double *from, int n, int is_missing)
{
  int i;

  for (i = 0; i < n; i++)
    to[i] = is_missing ? rc_float64 (RC_NAN64_BITS) : rc_canonical64 (from[i]);
}

/* The base pose of a row; NULL if the run has none. Sets *is_valid if it is a pose. */
RC_SHARED const RcTransform *
rc_row_base (const RcKinematicsRows *base_poses, int64_t row, RcTransform *base, int *is_valid)
{
  *is_valid = 1;
  if (base_poses->numbers == NULL)
    return NULL;
  *is_valid = rc_transform_from_pose (rc_row_in (base_poses, row), RC_KINEMATICS_MAX_POSITION, base);
  return base;
}

/* jacobian and packed: [6][n_variables]. */
RC_SHARED void
rc_forward_frame (const RcChain *chain, const RcForwardArgs *args, int64_t row, int f, const RcTransform *base, int is_valid,
    const RcTransform *moved, double *jacobian, double *packed)
{
  const RcChainFrame *frame = &chain->frames[f];
  const int n = chain->n_variables;
  RcTransform at;
  double numbers[7];
  int is_missing;

  rc_chain_frame (chain, base, moved, f, &at);
  is_missing = !is_valid || !((at.p[0] - at.p[0]) + (at.p[1] - at.p[1]) + (at.p[2] - at.p[2]) == 0.0);
  if (args->poses.numbers != NULL) {
    rc_pose_from_transform (&at, numbers);
    rc_store (rc_row_out (&args->poses, row) + 7 * f, numbers, 7, is_missing);
  }
  if (args->twists.numbers != NULL) {
    rc_chain_velocity (chain, moved, f, &at, rc_row_in (&args->velocities, row), numbers);
    rc_store (rc_row_out (&args->twists, row) + 6 * f, numbers, 6, is_missing);
  }
  if (args->jacobians.numbers == NULL && args->manipulabilities.numbers == NULL)
    return;
  rc_chain_jacobian (chain, moved, f, &at, jacobian);
  if (args->jacobians.numbers != NULL)
    rc_store (rc_row_out (&args->jacobians, row) + (int64_t) 6 * n * f, jacobian, 6 * n, is_missing);
  if (args->manipulabilities.numbers == NULL)
    return;
  numbers[0] = rc_manipulability (jacobian, n, chain->columns + frame->columns, frame->n_columns, packed);
  rc_store (rc_row_out (&args->manipulabilities, row) + f, numbers, 1, is_missing);
}

/* As rc_row_base, but an invalid pose becomes the identity. */
RC_SHARED const RcTransform *
rc_forward_base (const RcForwardArgs *args, int64_t row, RcTransform *own, int *is_valid)
{
  const RcTransform *base = rc_row_base (&args->base_poses, row, own, is_valid);

  if (!*is_valid)
    *own = rc_transform_identity ();
  return base;
}

RC_SHARED void
rc_forward_row (const RcChain *chain, const RcForwardArgs *args, int64_t row, RcTransform *moved, double *jacobian, double *packed)
{
  int is_valid, f;
  RcTransform own;
  const RcTransform *base = rc_forward_base (args, row, &own, &is_valid);

  rc_chain_move (chain, base, rc_row_in (&args->positions, row), moved);
  for (f = 0; f < chain->n_frames; f++)
    rc_forward_frame (chain, args, row, f, base, is_valid, moved, jacobian, packed);
}

/* Reads targets and start of a row; 0: one of them, or the base pose, is missing. */
RC_SHARED int
rc_inverse_read (const RcChain *chain, const RcInverseArgs *args, int64_t row, const RcInverseMemory *memory)
{
  const double *targets = rc_row_in (&args->targets, row), *starts = rc_row_in (&args->starts, row);
  int is_valid = 1, i;

  for (i = 0; i < chain->n_frames; i++)
    is_valid &= rc_transform_from_pose (targets + 7 * i, RC_KINEMATICS_MAX_POSITION, &memory->targets[i]);
  for (i = 0; i < chain->n_variables; i++) {
    const double start = rc_bounded (starts[i], RC_KINEMATICS_MAX_POSITION);

    is_valid &= start == start;
    memory->position[i] = rc_inverse_clamp (start, chain->limits + 2 * i);
    memory->start[i] = memory->position[i];
  }
  return is_valid;
}

RC_SHARED void
rc_inverse_row (const RcChain *chain, const RcInverseArgs *args, int64_t row, const RcInverseMemory *memory)
{
  int is_valid, status = RC_INVERSE_MISSING;
  RcTransform own;
  const RcTransform *base = rc_row_base (&args->base_poses, row, &own, &is_valid);
  RcInverseErrors errors = { 0.0, 0.0, 0.0 };
  double residuals[2];
  int32_t iterations = 0;

  is_valid &= rc_inverse_read (chain, args, row, memory);
  if (is_valid)
    status = rc_inverse_search (chain, base, memory, &errors, &iterations);
  residuals[0] = errors.distance;
  residuals[1] = errors.angle;
  if (args->positions.numbers != NULL)
    rc_store (rc_row_out (&args->positions, row), memory->position, chain->n_variables, !is_valid);
  if (args->residuals.numbers != NULL)
    rc_store (rc_row_out (&args->residuals, row), residuals, 2, !is_valid);
  if (args->status != NULL)
    args->status[row] = (uint8_t) status;
  if (args->iterations != NULL)
    args->iterations[row] = iterations;
}
