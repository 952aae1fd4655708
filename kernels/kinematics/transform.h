/* robocache: positions and rotations of frames
 *
 * Included by .c and .cu. A rotation is a matrix, row-major; its columns are the axes of the frame. Sums are in the order written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "trigonometry.h"

typedef struct RcTransform
{
  double r[9];
  double p[3];
} RcTransform;

RC_SHARED RcTransform
rc_transform_identity (void)
{
  const RcTransform identity = { {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0} };

  return identity;
}

RC_SHARED void
rc_transform_compose (const RcTransform *a, const RcTransform *b, RcTransform *out)
{
  int i, k;

  for (i = 0; i < 3; i++) {
    const double x = a->r[3 * i], y = a->r[3 * i + 1], z = a->r[3 * i + 2];

    for (k = 0; k < 3; k++)
      out->r[3 * i + k] = (x * b->r[k] + y * b->r[3 + k]) + z * b->r[6 + k];
    out->p[i] = ((x * b->p[0] + y * b->p[1]) + z * b->p[2]) + a->p[i];
  }
}

RC_SHARED RcTransform
rc_transform_invert (const RcTransform *a)
{
  RcTransform out;
  int i, k;

  for (i = 0; i < 3; i++) {
    for (k = 0; k < 3; k++)
      out.r[3 * i + k] = a->r[3 * k + i];
    out.p[i] = -((a->r[i] * a->p[0] + a->r[3 + i] * a->p[1]) + a->r[6 + i] * a->p[2]);
  }
  return out;
}

RC_SHARED void
rc_turn_row (double *row, double sine, double cosine)
{
  const double x = row[0], y = row[1];

  row[0] = cosine * x + sine * y;
  row[1] = cosine * y - sine * x;
}

/* Rotates about the frame's own z axis. Not written as a loop, since gcc 12 would use fma in it. */
RC_SHARED void
rc_transform_turn (RcTransform *t, double sine, double cosine)
{
  rc_turn_row (t->r, sine, cosine);
  rc_turn_row (t->r + 3, sine, cosine);
  rc_turn_row (t->r + 6, sine, cosine);
}

/* Moves along the frame's own z axis. */
RC_SHARED void
rc_transform_shift (RcTransform *t, double distance)
{
  int i;

  for (i = 0; i < 3; i++)
    t->p[i] = t->p[i] + distance * t->r[3 * i + 2];
}

/* The rotation about the fixed axes x, then y, then z. */
RC_SHARED void
rc_rotation_from_rpy (const double *rpy, double *r)
{
  double sr, cr, sp, cp, sy, cy;

  rc_sine_cosine (rpy[0], &sr, &cr);
  rc_sine_cosine (rpy[1], &sp, &cp);
  rc_sine_cosine (rpy[2], &sy, &cy);
  r[0] = cy * cp;
  r[1] = cy * sp * sr - sy * cr;
  r[2] = cy * sp * cr + sy * sr;
  r[3] = sy * cp;
  r[4] = sy * sp * sr + cy * cr;
  r[5] = sy * sp * cr - cy * sr;
  r[6] = -sp;
  r[7] = cp * sr;
  r[8] = cp * cr;
}

/* The three angles of a rotation as above. The second is in [-pi/2, pi/2]; at either end of this range, the first is 0. */
RC_SHARED void
rc_rpy_from_rotation (const double *r, double *rpy)
{
  const double cosine = sqrt (r[0] * r[0] + r[3] * r[3]);
  const int is_end = !(cosine > 1e-12);

  rpy[0] = is_end ? 0.0 * cosine : rc_arctangent (r[7], r[8]);
  rpy[1] = rc_arctangent (-r[6], cosine);
  rpy[2] = is_end ? rc_arctangent (-r[1], r[4]) : rc_arctangent (r[3], r[0]);
}

/* The rotation of a quaternion q: w x y z, of norm 1. */
RC_SHARED void
rc_rotation_from_quaternion (const double *q, double *r)
{
  const double w = q[0], x = q[1], y = q[2], z = q[3];

  r[0] = 1.0 - 2.0 * (y * y + z * z);
  r[1] = 2.0 * (x * y - w * z);
  r[2] = 2.0 * (x * z + w * y);
  r[3] = 2.0 * (x * y + w * z);
  r[4] = 1.0 - 2.0 * (x * x + z * z);
  r[5] = 2.0 * (y * z - w * x);
  r[6] = 2.0 * (x * z - w * y);
  r[7] = 2.0 * (y * z + w * x);
  r[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* The quaternion of a rotation: w x y z, w >= 0, of norm 1; if w is 0, the first nonzero component is positive. Computed from the
 * greatest of the four (Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1, 1978). */
RC_SHARED_CALL void
rc_quaternion_from_rotation (const double *r, double *q)
{
  const double trace = (r[0] + r[4]) + r[8];
  int is_negative, i;

  if (trace >= r[0] && trace >= r[4] && trace >= r[8]) {
    q[0] = 1.0 + trace;
    q[1] = r[7] - r[5];
    q[2] = r[2] - r[6];
    q[3] = r[3] - r[1];
  } else if (r[0] >= r[4] && r[0] >= r[8]) {
    q[0] = r[7] - r[5];
    q[1] = 1.0 + r[0] - r[4] - r[8];
    q[2] = r[1] + r[3];
    q[3] = r[2] + r[6];
  } else if (r[4] >= r[8]) {
    q[0] = r[2] - r[6];
    q[1] = r[1] + r[3];
    q[2] = 1.0 + r[4] - r[0] - r[8];
    q[3] = r[5] + r[7];
  } else {
    q[0] = r[3] - r[1];
    q[1] = r[2] + r[6];
    q[2] = r[5] + r[7];
    q[3] = 1.0 + r[8] - r[0] - r[4];
  }
  rc_normalise4 (q);
  is_negative = q[0] < 0.0 || (q[0] == 0.0 && (q[1] < 0.0 || (q[1] == 0.0 && (q[2] < 0.0 || (q[2] == 0.0 && q[3] < 0.0)))));
  for (i = 0; i < 4; i++)
    q[i] = is_negative ? -q[i] : q[i];
}

/* The rotation vector, axis times angle (at most pi), in the frame to which the rotation maps. */
RC_SHARED void
rc_rotation_vector (const double *r, double *vector)
{
  double q[4], norm, factor;
  int i;

  rc_quaternion_from_rotation (r, q);
  norm = sqrt ((q[1] * q[1] + q[2] * q[2]) + q[3] * q[3]);
  factor = norm > 1e-150 ? 2.0 * rc_arctangent (norm, q[0]) / norm : 2.0;
  for (i = 0; i < 3; i++)
    vector[i] = factor * q[1 + i];
}

/* Reads a pose: x y z, then w x y z of any norm. FALSE: a number is NaN or infinite, or the norm is 0. Coordinates are clamped to `greatest`. */
RC_SHARED_CALL int
rc_transform_from_pose (const double *pose, double greatest, RcTransform *out)
{
  double q[4], size = 0.0;
  int is_finite = 1, i;

  for (i = 0; i < 7; i++)
    is_finite &= pose[i] - pose[i] == 0.0;
  for (i = 0; i < 3; i++)
    out->p[i] = pose[i] > greatest ? greatest : pose[i] < -greatest ? -greatest : pose[i];
  for (i = 0; i < 4; i++)
    size = fabs (pose[3 + i]) > size ? fabs (pose[3 + i]) : size;
  if (!is_finite || !(size > 0.0))
    return 0;
  /* divide by the greatest first, so that no square leaves the range of doubles */
  for (i = 0; i < 4; i++)
    q[i] = pose[3 + i] / size;
  rc_normalise4 (q);
  rc_rotation_from_quaternion (q, out->r);
  return 1;
}

RC_SHARED void
rc_pose_from_transform (const RcTransform *t, double *pose)
{
  int i;

  for (i = 0; i < 3; i++)
    pose[i] = t->p[i];
  rc_quaternion_from_rotation (t->r, pose + 3);
}
