/* robocache: a valid kinematic model, as backends read it
 *
 * For the files in kernels/ only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "chain.h"

struct RcKinematicsPlan
{
  RcBackend *backend;
  void *state;                  /* the backend's own */
  RcChain chain;                /* on the host; its lists follow the plan in memory */
  RcChainStep steps[RC_KINEMATICS_MAX_STEPS];
  RcChainFrame frames[RC_KINEMATICS_MAX_FRAMES];
  int32_t paths[RC_KINEMATICS_MAX_FRAMES * RC_KINEMATICS_MAX_STEPS];
  int32_t columns[RC_KINEMATICS_MAX_FRAMES * RC_KINEMATICS_MAX_VARIABLES];
  double limits[2 * RC_KINEMATICS_MAX_VARIABLES];
};

/* The functions that a backend implements. Their arguments are valid. */
typedef struct RcKinematicsOps
{
  /* Sets plan->state. May be NULL: nothing to prepare. */
  RcStatus (*prepare) (RcBackend * backend, RcKinematicsPlan * plan, RcError * error);
  RcStatus (*forward) (RcKinematicsPlan * plan, const RcForwardArgs * args, RcStream stream, RcError * error);
  RcStatus (*inverse) (RcKinematicsPlan * plan, const RcInverseArgs * args, RcStream stream, RcError * error);
  /* Frees plan->state, which is NULL when preparing failed. May be NULL. */
  void (*release) (RcKinematicsPlan * plan);
} RcKinematicsOps;
