/* robocache: the joints between a base and its frames, as runs read them, and their forward kinematics
 *
 * Included by .c and .cu. Fixed joints are part of the steps and frames after them. The z axis of each step is the axis of its joint.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kinematics.h"
#include "transform.h"

/* A moving joint. */
typedef struct RcChainStep
{
  RcTransform origin;           /* in the frame of the preceding step, while the joint is at 0 */
  double multiplier, offset;    /* position of the joint = multiplier * variable + offset */
  int32_t before;               /* number of the preceding step, lower than its own number; -1: the base */
  int32_t variable;
  int32_t is_prismatic;
  int32_t unused;
} RcChainStep;

typedef struct RcChainFrame
{
  RcTransform in_step;          /* in the frame of its step */
  int32_t step;                 /* step that moves the frame; -1: the frame is fixed to the base */
  int32_t path, n_path;         /* entries of RcChain.paths: the steps that move the frame, from the base on */
  int32_t columns, n_columns;   /* entries of RcChain.columns: the variables that move the frame */
  int32_t unused;
} RcChainFrame;

typedef struct RcChain
{
  const RcChainStep *steps;
  const RcChainFrame *frames;
  const int32_t *paths, *columns;
  const double *limits;         /* lower and upper of each variable */
  int32_t n_steps, n_frames, n_variables, max_iterations, restarts;
  double tolerance, orientation_weight;
} RcChain;

/* x clamped to -greatest … greatest; NaN if x is not finite. */
RC_SHARED double
rc_bounded (double x, double greatest)
{
  const double raised = x < -greatest ? -greatest : x;

  return (raised > greatest ? greatest : raised) + (x - x);
}

/* The position of a step's joint. */
RC_SHARED double
rc_chain_position (const RcChainStep *step, const double *variables)
{
  return rc_bounded (step->multiplier * rc_bounded (variables[step->variable], RC_KINEMATICS_MAX_POSITION) + step->offset,
      RC_KINEMATICS_MAX_POSITION);
}

/* Computes the frame of a step. before may be NULL: the identity. */
RC_SHARED void
rc_chain_step (const RcChainStep *step, const RcTransform *before, double position, double sine, double cosine, RcTransform *moved)
{
  if (before != NULL)
    rc_transform_compose (before, &step->origin, moved);
  else
    *moved = step->origin;
  if (step->is_prismatic)
    rc_transform_shift (moved, position);
  else
    rc_transform_turn (moved, sine, cosine);
}

/* Steps of a chain. The local memory of a GPU's threads holds few. */
#ifdef __CUDACC__
#define RC_CHAIN_MAX_STEPS 64
#else
#define RC_CHAIN_MAX_STEPS RC_KINEMATICS_MAX_STEPS
#endif

/* Computes the frames of all steps. base may be NULL: the identity. */
RC_SHARED_CALL void
rc_chain_move (const RcChain *chain, const RcTransform *base, const double *variables, RcTransform *moved)
{
  double position[RC_CHAIN_MAX_STEPS], sine[RC_CHAIN_MAX_STEPS], cosine[RC_CHAIN_MAX_STEPS];
  int i;

  for (i = 0; i < chain->n_steps; i++)
    position[i] = rc_chain_position (&chain->steps[i], variables);
  for (i = 0; i < chain->n_steps; i++)
    rc_sine_cosine (position[i], &sine[i], &cosine[i]);
  for (i = 0; i < chain->n_steps; i++) {
    const RcChainStep *step = &chain->steps[i];

    rc_chain_step (step, step->before >= 0 ? &moved[step->before] : base, position[i], sine[i], cosine[i], &moved[i]);
  }
}

RC_SHARED void
rc_chain_frame (const RcChain *chain, const RcTransform *base, const RcTransform *moved, int frame, RcTransform *out)
{
  const RcChainFrame *f = &chain->frames[frame];
  const RcTransform *before = f->step >= 0 ? &moved[f->step] : base;

  if (before != NULL)
    rc_transform_compose (before, &f->in_step, out);
  else
    *out = f->in_step;
}

/* The twist of a point for a unit velocity of a step's joint. */
RC_SHARED void
rc_chain_twist (const RcChainStep *step, const RcTransform *moved, const double *point, double *twist)
{
  const double zx = moved->r[2], zy = moved->r[5], zz = moved->r[8];
  const double dx = point[0] - moved->p[0], dy = point[1] - moved->p[1], dz = point[2] - moved->p[2];
  const int turns = !step->is_prismatic;

  twist[0] = turns ? zy * dz - zz * dy : zx;
  twist[1] = turns ? zz * dx - zx * dz : zy;
  twist[2] = turns ? zx * dy - zy * dx : zz;
  twist[3] = turns ? zx : 0.0;
  twist[4] = turns ? zy : 0.0;
  twist[5] = turns ? zz : 0.0;
}

/* Computes the Jacobian of a frame: six rows of n_variables numbers. */
RC_SHARED_CALL void
rc_chain_jacobian (const RcChain *chain, const RcTransform *moved, int frame, const RcTransform *at, double *jacobian)
{
  const RcChainFrame *f = &chain->frames[frame];
  const int n = chain->n_variables;
  double twist[6];
  int i, k;

  for (i = 0; i < 6 * n; i++)
    jacobian[i] = 0.0;
  for (i = 0; i < f->n_path; i++) {
    const int s = chain->paths[f->path + i];
    const RcChainStep *step = &chain->steps[s];

    rc_chain_twist (step, &moved[s], at->p, twist);
    for (k = 0; k < 6; k++)
      jacobian[k * n + step->variable] = jacobian[k * n + step->variable] + step->multiplier * twist[k];
  }
}

/* The twist of a frame for velocities of the variables. */
RC_SHARED void
rc_chain_velocity (const RcChain *chain, const RcTransform *moved, int frame, const RcTransform *at, const double *velocities,
    double *twist)
{
  const RcChainFrame *f = &chain->frames[frame];
  double one[6];
  int i, k;

  for (k = 0; k < 6; k++)
    twist[k] = 0.0;
  for (i = 0; i < f->n_path; i++) {
    const int s = chain->paths[f->path + i];
    const double velocity = chain->steps[s].multiplier
        * rc_bounded (velocities[chain->steps[s].variable], RC_KINEMATICS_MAX_VELOCITY);

    rc_chain_twist (&chain->steps[s], &moved[s], at->p, one);
    for (k = 0; k < 6; k++)
      twist[k] = twist[k] + velocity * one[k];
  }
}

/* ---- manipulability: the volume of vectors that span the image of the Jacobian, by Gram and Schmidt ---- */

/* Makes vector i orthogonal to the vectors before it, which are orthogonal already, and returns its norm. The numbers of vector i are at
 * i * stride + k * step. */
RC_SHARED double
rc_orthogonalise (double *numbers, int i, int length, int stride, int step)
{
  double *vector = numbers + i * stride;
  double squares = 0.0;
  int j, k;

  for (j = 0; j < i; j++) {
    const double *other = numbers + j * stride;
    double along = 0.0, size = 0.0;

    for (k = 0; k < length; k++) {
      along = along + vector[k * step] * other[k * step];
      size = size + other[k * step] * other[k * step];
    }
    along = size > 0.0 ? along / size : 0.0;
    for (k = 0; k < length; k++)
      vector[k * step] = vector[k * step] - along * other[k * step];
  }
  for (k = 0; k < length; k++)
    squares = squares + vector[k * step] * vector[k * step];
  return sqrt (squares);
}

/* The product of the singular values of six rows of n numbers, of which n_columns columns are not always 0. It orthogonalises the rows if
 * there are at least six columns, otherwise the columns. Destroys packed, [6][n_columns]. */
RC_SHARED double
rc_manipulability (const double *jacobian, int n, const int32_t *columns, int n_columns, double *packed)
{
  const int by_rows = n_columns >= 6, count = by_rows ? 6 : n_columns;
  double product = 1.0;
  int i, k;

  for (i = 0; i < 6; i++) {
    for (k = 0; k < n_columns; k++)
      packed[i * n_columns + k] = jacobian[i * n + columns[k]];
  }
  for (i = 0; i < count; i++)
    product = product * (by_rows ? rc_orthogonalise (packed, i, n_columns, n_columns, 1)
        : rc_orthogonalise (packed, i, 6, 1, n_columns));
  return n_columns > 0 ? product : 0.0;
}
