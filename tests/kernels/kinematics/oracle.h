/* robocache: kinematics in long double, another way: both ends of a frame from the root, and functions of libm
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include <string.h>

#include "kernels/kinematics/kinematics.h"

typedef struct
{
  long double m[4][4];
} Matrix;

static inline Matrix
matrix_product (const Matrix *a, const Matrix *b)
{
  Matrix out = { 0 };

  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      for (int j = 0; j < 4; j++)
        out.m[i][k] += a->m[i][j] * b->m[j][k];
    }
  }
  return out;
}

static inline Matrix
matrix_inverse (const Matrix *a)
{
  Matrix out = { 0 };

  out.m[3][3] = 1;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      out.m[i][k] = a->m[k][i];
      out.m[i][3] -= a->m[k][i] * a->m[k][3];
    }
  }
  return out;
}

/* About an axis of norm 1 by Rodrigues' formula, and then along it. */
static inline Matrix
matrix_motion (const long double *u, long double angle, long double distance)
{
  const long double s = sinl (angle), c = cosl (angle), cross[3][3] = { {0, -u[2], u[1]}, {u[2], 0, -u[0]}, {-u[1], u[0], 0} };
  Matrix out = { 0 };

  out.m[3][3] = 1;
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      out.m[i][k] = (i == k ? c : 0) + s * cross[i][k] + (1 - c) * u[i] * u[k];
    out.m[i][3] = distance * u[i];
  }
  return out;
}

static inline Matrix
matrix_origin (const RcJointSpec *joint)
{
  static const long double axes[3][3] = { {1, 0, 0}, {0, 1, 0}, {0, 0, 1} };
  Matrix out = matrix_motion (axes[2], joint->rpy[2], 0);

  for (int k = 1; k >= 0; k--) {
    const Matrix turn = matrix_motion (axes[k], joint->rpy[k], 0);

    out = matrix_product (&out, &turn);
  }
  for (int i = 0; i < 3; i++)
    out.m[i][3] = joint->origin[i];
  return out;
}

static inline long double
oracle_position (const RcKinematicsSpec *spec, const double *row, int32_t joint)
{
  const RcJointSpec *j = &spec->joints[joint];

  if (j->mimics >= 0)
    return j->multiplier * oracle_position (spec, row, j->mimics) + j->offset;
  for (int64_t i = 0; i < spec->n_variables; i++) {
    if (spec->variables[i] == joint)
      return row[i];
  }
  return 0;
}

/* Pose of a link in the root link. joint: the one that moves the link. */
static inline Matrix
oracle_link (const RcKinematicsSpec *spec, const double *row, int32_t joint)
{
  const Matrix identity = { {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}} };
  const RcJointSpec *j = &spec->joints[joint];
  Matrix before, origin, motion;
  long double axis[3], norm = 0, q;

  if (joint < 0)
    return identity;
  before = oracle_link (spec, row, j->parent);
  origin = matrix_origin (j);
  before = matrix_product (&before, &origin);
  if (j->kind == RC_JOINT_FIXED)
    return before;
  for (int k = 0; k < 3; k++)
    norm += (long double) j->axis[k] * j->axis[k];
  for (int k = 0; k < 3; k++)
    axis[k] = j->axis[k] / sqrtl (norm);
  q = oracle_position (spec, row, joint);
  motion = j->kind == RC_JOINT_PRISMATIC ? matrix_motion (axis, 0, q) : matrix_motion (axis, q, 0);
  return matrix_product (&before, &motion);
}

/* Matrix of a pose x y z, w x y z, whose quaternion may have any norm. */
static inline Matrix
oracle_pose (const double *pose)
{
  const long double w = pose[3], x = pose[4], y = pose[5], z = pose[6], s = w * w + x * x + y * y + z * z;
  const Matrix out = { {
          {1 - 2 * (y * y + z * z) / s, 2 * (x * y - w * z) / s, 2 * (x * z + w * y) / s, pose[0]},
          {2 * (x * y + w * z) / s, 1 - 2 * (x * x + z * z) / s, 2 * (y * z - w * x) / s, pose[1]},
          {2 * (x * z - w * y) / s, 2 * (y * z + w * x) / s, 1 - 2 * (x * x + y * y) / s, pose[2]}, {0, 0, 0, 1}}
  };

  return out;
}

/* base_pose may be NULL. */
static inline Matrix
oracle_frame (const RcKinematicsSpec *spec, const double *row, const double *base_pose, int frame)
{
  const Matrix base = oracle_link (spec, row, spec->base), link = oracle_link (spec, row, spec->frames[frame]);
  const Matrix back = matrix_inverse (&base);
  Matrix out = matrix_product (&back, &link);

  if (base_pose != NULL) {
    const Matrix above = oracle_pose (base_pose);

    out = matrix_product (&above, &out);
  }
  return out;
}

static inline long double
matrix_distance (const Matrix *a, const Matrix *b)
{
  long double greatest = 0;

  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 4; k++)
      greatest = fmaxl (greatest, fabsl (a->m[i][k] - b->m[i][k]));
  }
  return greatest;
}
