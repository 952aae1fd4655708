/* robocache: a random tree of joints and random rows, run on every backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/kinematics/kinematics.h"
#include "tests/kernels/suite.h"

#define MAX_JOINTS 24
#define MAX_ROWS 150

/* Limits and properties of a random case. */
typedef struct
{
  int max_joints, max_frames, min_rows, max_rows;
  int is_odd;                   /* numbers that no robot has: NaN, infinite, huge */
  int has_base_poses;
  int is_partial;               /* some outputs of forward runs are not wanted */
  int is_forward;               /* no inverse kinematics */
} KinematicsWish;

typedef struct
{
  uint64_t seed, random;
  RcJointSpec joints[MAX_JOINTS];
  int32_t frames[RC_KINEMATICS_MAX_FRAMES], variables[RC_KINEMATICS_MAX_VARIABLES];
  RcKinematicsSpec spec;
  RcForwardArgs forward;
  RcInverseArgs inverse;
  char text[200];
} KinematicsCase;

void kinematics_case_make (KinematicsCase * c, const KinematicsWish * wish, uint64_t seed, Arena * arena);
/* The same bytes on all places. The reference's results lie in the arena then. */
void kinematics_case_check (KinematicsCase * c, Arena * arena, const Place * reference, const Place * places, int n_places,
    Test * test);
