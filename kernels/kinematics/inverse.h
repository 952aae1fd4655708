/* robocache: inverse kinematics by damped least squares, within the limits of the joints
 *
 * Included by .c and .cu. Levenberg and Marquardt's method: each iteration tries a step, keeps it where the error decreases, and
 * otherwise damps more. The damping is proportional to the error, so that it vanishes at a solution (Sugihara, Solvability-unconcerned
 * inverse kinematics by the Levenberg-Marquardt method, IEEE Trans. Robotics 27, 2011), and adapts to the gain of each step (Nielsen, Damping
 * parameter in Marquardt's method, IMM-REP-1999-05, Technical University of Denmark). A step does not move joints that are at a limit and
 * would cross it. A search that begins far from the targets and gets stuck restarts from other positions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "chain.h"

#define RC_INVERSE_DAMPING 1.0          /* damping of the first step, per square of the error */
#define RC_INVERSE_LEAST_DAMPING 1e-4
#define RC_INVERSE_MOST_DAMPING 1e12
#define RC_INVERSE_LESS (1.0 / 3.0)     /* least factor after an accepted step */
#define RC_INVERSE_MORE 2.0             /* factor after the first rejected step; it doubles with each further one */
#define RC_INVERSE_SMALL 1e-12          /* constant part of the damping */
#define RC_INVERSE_STALL 1e-10          /* the descent ends after a step smaller than this in all joints (rad, m) */
#define RC_INVERSE_SLOPE 1e-3           /* |J' e| / |e| below which a configuration is singular in the direction of the error */

#define RC_INVERSE_FAR 0.25             /* square of the error above which a start is far */
#define RC_INVERSE_SLOW 0.02            /* decrease, per square of the error, below which a step is slow */
#define RC_INVERSE_MOST_SLOW 4          /* consecutive slow steps after which a search gives up */
#define RC_INVERSE_CLOSING 1e-4         /* square of the error below which a search never gives up */

/* Memory of one row: m = 6 n_frames, n = n_variables. */
typedef struct RcInverseMemory
{
  RcTransform *moved;           /* [n_steps] */
  RcTransform *targets;         /* [n_frames] */
  double *jacobian;             /* [m][n] */
  double *normal;               /* [m][m] */
  double *error, *solution, *trial_error;       /* [m] */
  double *position, *trial, *slope;     /* [n] */
  double *start, *closest;      /* [n]: the row's start, and where the search from it got stuck */
} RcInverseMemory;

typedef struct RcInverseErrors
{
  double square;                /* the minimised sum of squares */
  double distance, angle;       /* greatest distance and angle of all frames */
} RcInverseErrors;

RC_SHARED double
rc_norm3 (const double *v)
{
  return sqrt ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);
}

/* The error of one frame, weighted, in the base frame: the vector from its position to that of the target, and the rotation vector from
 * its rotation to that of the target. */
RC_SHARED void
rc_inverse_frame_error (const RcTransform *at, const RcTransform *target, double weight, double *error, RcInverseErrors *errors)
{
  double turn[9], distance, angle;
  int i, k;

  for (i = 0; i < 3; i++) {
    error[i] = target->p[i] - at->p[i];
    for (k = 0; k < 3; k++)
      turn[3 * i + k] = (target->r[3 * i] * at->r[3 * k] + target->r[3 * i + 1] * at->r[3 * k + 1])
          + target->r[3 * i + 2] * at->r[3 * k + 2];
  }
  rc_rotation_vector (turn, error + 3);
  distance = rc_norm3 (error);
  angle = rc_norm3 (error + 3);
  errors->distance = distance > errors->distance ? distance : errors->distance;
  errors->angle = angle > errors->angle ? angle : errors->angle;
  for (i = 3; i < 6; i++)
    error[i] = weight * error[i];
  for (i = 0; i < 6; i++)
    errors->square = errors->square + error[i] * error[i];
}

RC_SHARED_CALL RcInverseErrors
rc_inverse_errors (const RcChain *chain, const RcTransform *base, const RcTransform *targets, const RcTransform *moved, double *error)
{
  RcInverseErrors errors = { 0.0, 0.0, 0.0 };
  RcTransform at;
  int f;

  for (f = 0; f < chain->n_frames; f++) {
    rc_chain_frame (chain, base, moved, f, &at);
    rc_inverse_frame_error (&at, &targets[f], chain->orientation_weight, error + 6 * f, &errors);
  }
  return errors;
}

RC_SHARED int
rc_inverse_is_close (const RcChain *chain, const RcInverseErrors *errors)
{
  return errors->distance <= chain->tolerance && (errors->angle <= chain->tolerance || chain->orientation_weight == 0.0);
}

/* Computes the weighted Jacobian of all frames, and the slope J' e of each variable. */
RC_SHARED_CALL void
rc_inverse_linearise (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory)
{
  const int n = chain->n_variables, m = 6 * chain->n_frames;
  RcTransform at;
  int f, i, k;

  for (f = 0; f < chain->n_frames; f++) {
    double *rows = memory->jacobian + (int64_t) 6 * f * n;

    rc_chain_frame (chain, base, memory->moved, f, &at);
    rc_chain_jacobian (chain, memory->moved, f, &at, rows);
    for (i = 3 * n; i < 6 * n; i++)
      rows[i] = chain->orientation_weight * rows[i];
  }
  for (k = 0; k < n; k++)
    memory->slope[k] = 0.0;
  for (i = 0; i < m; i++) {
    for (k = 0; k < n; k++)
      memory->slope[k] = memory->slope[k] + memory->jacobian[i * n + k] * memory->error[i];
  }
}

/* Whether a variable is at a limit that the error would push it over. */
RC_SHARED int
rc_inverse_is_held (const RcChain *chain, const RcInverseMemory *memory, int k)
{
  const double *limits = chain->limits + 2 * k;

  return (memory->position[k] <= limits[0] && memory->slope[k] < 0.0) || (memory->position[k] >= limits[1] && memory->slope[k] > 0.0);
}

/* Computes the lower triangle of normal = J J' + damping, without the columns of held variables, then solution = normal^-1 e by Cholesky. */
RC_SHARED_CALL void
rc_inverse_solve (const RcChain *chain, const RcInverseMemory *memory, uint64_t held, double damping)
{
  const int n = chain->n_variables, m = 6 * chain->n_frames;
  double *a = memory->normal, *x = memory->solution;
  int i, j, k;

  for (i = 0; i < m; i++) {
    const double *row = memory->jacobian + i * n;

    for (j = 0; j <= i; j++) {
      const double *other = memory->jacobian + j * n;
      double sum = i == j ? damping : 0.0;

      for (k = 0; k < n; k++)
        sum = sum + (held >> k & 1 ? 0.0 : row[k] * other[k]);
      a[i * m + j] = sum;
    }
  }
  for (j = 0; j < m; j++) {
    double pivot = a[j * m + j];

    for (k = 0; k < j; k++)
      pivot = pivot - a[j * m + k] * a[j * m + k];
    a[j * m + j] = sqrt (pivot > damping ? pivot : damping);
    for (i = j + 1; i < m; i++) {
      double sum = a[i * m + j];

      for (k = 0; k < j; k++)
        sum = sum - a[i * m + k] * a[j * m + k];
      a[i * m + j] = sum / a[j * m + j];
    }
  }
  for (i = 0; i < m; i++) {
    double sum = memory->error[i];

    for (k = 0; k < i; k++)
      sum = sum - a[i * m + k] * x[k];
    x[i] = sum / a[i * m + i];
  }
  for (i = m - 1; i >= 0; i--) {
    double sum = x[i];

    for (k = i + 1; k < m; k++)
      sum = sum - a[k * m + i] * x[k];
    x[i] = sum / a[i * m + i];
  }
}

RC_SHARED double
rc_inverse_clamp (double x, const double *limits)
{
  const double raised = x < limits[0] ? limits[0] : x;

  return raised > limits[1] ? limits[1] : raised;
}

/* Computes trial = position + J' solution, clamped to the limits. Returns the greatest change of a variable. */
RC_SHARED_CALL double
rc_inverse_step (const RcChain *chain, const RcInverseMemory *memory, uint64_t held)
{
  const int n = chain->n_variables, m = 6 * chain->n_frames;
  double greatest = 0.0;
  int i, k;

  for (k = 0; k < n; k++)
    memory->trial[k] = 0.0;
  for (i = 0; i < m; i++) {
    for (k = 0; k < n; k++)
      memory->trial[k] = memory->trial[k] + memory->jacobian[i * n + k] * memory->solution[i];
  }
  for (k = 0; k < n; k++) {
    const double wanted = memory->position[k] + (held >> k & 1 ? 0.0 : memory->trial[k]);
    double change;

    memory->trial[k] = rc_inverse_clamp (wanted, chain->limits + 2 * k);
    change = fabs (memory->trial[k] - memory->position[k]);
    greatest = change > greatest ? change : greatest;
  }
  return greatest;
}

/* After a stall: the reason why no configuration close to this one is better. */
RC_SHARED int
rc_inverse_reason (const RcChain *chain, const RcInverseMemory *memory, const RcInverseErrors *errors)
{
  double slope = 0.0;
  int is_held = 0, k;

  for (k = 0; k < chain->n_variables; k++) {
    const int held = rc_inverse_is_held (chain, memory, k);

    is_held |= held;
    slope = slope + (held ? 0.0 : memory->slope[k] * memory->slope[k]);
  }
  if (slope > RC_INVERSE_SLOPE * RC_INVERSE_SLOPE * errors->square)
    return RC_INVERSE_NOT_CONVERGED;
  return is_held ? RC_INVERSE_AT_LIMIT : RC_INVERSE_SINGULAR;
}

RC_SHARED uint64_t
rc_inverse_held (const RcChain *chain, const RcInverseMemory *memory)
{
  uint64_t held = 0;
  int k;

  for (k = 0; k < chain->n_variables; k++)
    held |= (uint64_t) rc_inverse_is_held (chain, memory, k) << k;
  return held;
}

/* ---- a descent ---- */

/* The state of a descent. */
typedef struct RcInverseDescent
{
  double damping, more;         /* damping per square of the error, and its factor if the next step is rejected */
  int is_kept;                  /* the last step was accepted */
  int n_slow;                   /* number of slow steps at the end */
} RcInverseDescent;

/* The error at memory->position. */
RC_SHARED_CALL RcInverseErrors
rc_inverse_measure (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory)
{
  rc_chain_move (chain, base, memory->position, memory->moved);
  return rc_inverse_errors (chain, base, memory->targets, memory->moved, memory->error);
}

/* The decrease of the square that a step would have if the error were linear in the variables: d' (g + damping d). */
RC_SHARED double
rc_inverse_expected_decrease (const RcChain *chain, const RcInverseMemory *memory, double damping)
{
  double sum = 0.0;
  int k;

  for (k = 0; k < chain->n_variables; k++) {
    const double change = memory->trial[k] - memory->position[k];

    sum = sum + change * (memory->slope[k] + damping * change);
  }
  return sum;
}

/* Adapts the damping. gain: the decrease of the square divided by the expected decrease. */
RC_SHARED void
rc_inverse_damp (RcInverseDescent *descent, double gain)
{
  const double off = 2.0 * gain - 1.0, factor = 1.0 - off * off * off;

  if (descent->is_kept) {
    descent->damping = descent->damping * (factor > RC_INVERSE_LESS ? factor : RC_INVERSE_LESS);
    descent->more = RC_INVERSE_MORE;
  } else {
    descent->damping = descent->damping * descent->more;
    descent->more = 2.0 * descent->more;
  }
  descent->damping = descent->damping < RC_INVERSE_LEAST_DAMPING ? RC_INVERSE_LEAST_DAMPING : descent->damping;
}

RC_SHARED void
rc_inverse_keep (const RcChain *chain, const RcInverseMemory *memory)
{
  int k;

  for (k = 0; k < chain->n_variables; k++)
    memory->position[k] = memory->trial[k];
  for (k = 0; k < 6 * chain->n_frames; k++)
    memory->error[k] = memory->trial_error[k];
}

/* Tries a step, and accepts it if the error decreases. 0: the descent has ended. */
RC_SHARED int
rc_inverse_iterate (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory, RcInverseDescent *descent,
    RcInverseErrors *best)
{
  const double damping = descent->damping * best->square + RC_INVERSE_SMALL;
  RcInverseErrors errors;
  double change, decrease, expected;
  uint64_t held;

  if (descent->is_kept)
    rc_inverse_linearise (chain, base, memory);
  held = rc_inverse_held (chain, memory);
  rc_inverse_solve (chain, memory, held, damping);
  change = rc_inverse_step (chain, memory, held);
  rc_chain_move (chain, base, memory->trial, memory->moved);
  errors = rc_inverse_errors (chain, base, memory->targets, memory->moved, memory->trial_error);
  decrease = best->square - errors.square;
  expected = rc_inverse_expected_decrease (chain, memory, damping);
  descent->is_kept = decrease > 0.0;
  rc_inverse_damp (descent, expected > 0.0 ? decrease / expected : 0.0);
  if (descent->is_kept) {
    descent->n_slow = decrease < RC_INVERSE_SLOW * best->square && best->square > RC_INVERSE_CLOSING ? descent->n_slow + 1 : 0;
    rc_inverse_keep (chain, memory);
    *best = errors;
  }
  return !(change < RC_INVERSE_STALL || descent->damping > RC_INVERSE_MOST_DAMPING);
}

/* Descends from memory->position, whose errors are in *best, towards memory->targets in at most `most` iterations. Returns the number of
 * iterations. */
RC_SHARED_CALL int32_t
rc_inverse_descend (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory, int32_t most, int gives_up,
    RcInverseErrors *best)
{
  RcInverseDescent descent = { RC_INVERSE_DAMPING, RC_INVERSE_MORE, 1, 0 };
  int32_t iterations = 0;
  int goes_on = 1;

  while (goes_on && iterations < most && !rc_inverse_is_close (chain, best)) {
    goes_on = rc_inverse_iterate (chain, base, memory, &descent, best) && !(gives_up && descent.n_slow >= RC_INVERSE_MOST_SLOW);
    iterations++;
  }
  return iterations;
}

/* ---- searches from other starts ---- */

/* A number in [0, 1) from two counters (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014). */
RC_SHARED double
rc_inverse_hash (int32_t attempt, int32_t variable)
{
  uint64_t x = (((uint64_t) (uint32_t) attempt << 32) | (uint32_t) variable) * UINT64_C (0x9E3779B97F4A7C15);

  x = (x ^ x >> 30) * UINT64_C (0xBF58476D1CE4E5B9);
  x = (x ^ x >> 27) * UINT64_C (0x94D049BB133111EB);
  x = x ^ x >> 31;
  return (double) (int64_t) (x >> 11) * 0x1p-53;
}

/* Sets memory->position anywhere within the limits; for a variable without limits, at most half a turn from the first start. */
RC_SHARED void
rc_inverse_start_elsewhere (const RcChain *chain, const RcInverseMemory *memory, int32_t attempt)
{
  int k;

  for (k = 0; k < chain->n_variables; k++) {
    const double *limits = chain->limits + 2 * k;
    const double low = limits[0] > memory->start[k] - RC_PI ? limits[0] : memory->start[k] - RC_PI;
    const double high = limits[1] < memory->start[k] + RC_PI ? limits[1] : memory->start[k] + RC_PI;

    memory->position[k] = rc_inverse_clamp (low + rc_inverse_hash (attempt, k) * (high - low), limits);
  }
}

RC_SHARED void
rc_inverse_copy (const RcChain *chain, const double *from, double *to)
{
  int k;

  for (k = 0; k < chain->n_variables; k++)
    to[k] = from[k];
}

/* Descends from other starts until *iterations is `most`. Returns whether one of these converged, with its errors in *best. */
RC_SHARED int
rc_inverse_search_elsewhere (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory, int32_t most,
    RcInverseErrors *best, int32_t *iterations)
{
  int32_t attempt;

  for (attempt = 1; attempt <= chain->restarts && *iterations < most; attempt++) {
    rc_inverse_start_elsewhere (chain, memory, attempt);
    *best = rc_inverse_measure (chain, base, memory);
    *iterations = *iterations + rc_inverse_descend (chain, base, memory, most - *iterations, 1, best);
    if (rc_inverse_is_close (chain, best))
      return 1;
  }
  return 0;
}

/* Searches from memory->position, which it improves, for memory->targets. If a far start does not converge, it tries other starts. If
 * these do not converge either, the last quarter of the iterations continues where the first descent gave up. */
RC_SHARED int
rc_inverse_search (const RcChain *chain, const RcTransform *base, const RcInverseMemory *memory, RcInverseErrors *best,
    int32_t *iterations)
{
  const int32_t most = chain->max_iterations;
  int is_far;

  *best = rc_inverse_measure (chain, base, memory);
  is_far = chain->restarts > 0 && best->square > RC_INVERSE_FAR;
  *iterations = rc_inverse_descend (chain, base, memory, most, is_far, best);
  if (is_far && !rc_inverse_is_close (chain, best) && *iterations < most) {
    rc_inverse_copy (chain, memory->position, memory->closest);
    if (!rc_inverse_search_elsewhere (chain, base, memory, most - most / 4, best, iterations)) {
      rc_inverse_copy (chain, memory->closest, memory->position);
      *best = rc_inverse_measure (chain, base, memory);
      *iterations = *iterations + rc_inverse_descend (chain, base, memory, most - *iterations, 0, best);
    }
  }
  if (rc_inverse_is_close (chain, best))
    return RC_INVERSE_CONVERGED;
  rc_chain_move (chain, base, memory->position, memory->moved);
  rc_inverse_linearise (chain, base, memory);
  return rc_inverse_reason (chain, memory, best);
}
