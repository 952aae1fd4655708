/* robocache: kinematics of chains and trees of joints
 *
 * A model is a tree of links that joints connect. A plan fixes the model, the base, the frames to compute and the joints that are
 * variables. A run computes poses, Jacobians, manipulabilities and twists of the frames, or joint positions from poses
 * (docs/explanation/arithmetic.md#kinematics).
 *
 * All numbers are float64: metres, radians, seconds. A pose is 7 numbers, x y z of the frame's origin and the quaternion w x y z of its
 * rotation, and maps coordinates of the frame to coordinates of the base. A twist is 6 numbers: the velocity of the frame's origin, then
 * the angular velocity, both in the base frame. A Jacobian is 6 rows of n_variables numbers that map velocities of the variables to the
 * twist. Arrays are row-major and aligned to 8 bytes. Their stride over the batch, in bytes, is a multiple of 8; with a stride of 0 the
 * whole batch shares one entry.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_KINEMATICS_MAX_JOINTS 4096
/* On a GPU, both are at most 64, and a plan of more is RC_INVALID_ARGUMENT. */
#define RC_KINEMATICS_MAX_STEPS 1024    /* moving joints between the base and the frames */
#define RC_KINEMATICS_MAX_VARIABLES 1024
#define RC_KINEMATICS_MAX_FRAMES 16
#define RC_KINEMATICS_MAX_TARGETS 4     /* frames of a plan for inverse kinematics */
#define RC_KINEMATICS_MAX_INVERSE_VARIABLES 64  /* variables of a plan for inverse kinematics, which notes those at limits in a word */
#define RC_KINEMATICS_MAX_ITERATIONS 10000
#define RC_KINEMATICS_MAX_RESTARTS 1000
/* Positions of joints and coordinates of targets are clamped to this (rad, m), and velocities likewise. */
#define RC_KINEMATICS_MAX_POSITION 0x1p30
#define RC_KINEMATICS_MAX_VELOCITY 0x1p100
/* Greatest number in a spec, except limits. */
#define RC_KINEMATICS_MAX_NUMBER 1e6

typedef enum RcJointKind
{
  RC_JOINT_FIXED,
  RC_JOINT_REVOLUTE,
  RC_JOINT_CONTINUOUS,          /* revolute without limits */
  RC_JOINT_PRISMATIC
} RcJointKind;

/* A joint, and the link that it moves. */
typedef struct RcJointSpec
{
  RcJointKind kind;
  int32_t parent;               /* joint that moves the parent link; lower than its own number; -1: the root link */
  double origin[3];             /* position of the joint's frame in the frame of the parent link */
  double rpy[3];                /* rotation of the joint's frame about the fixed axes x, then y, then z */
  double quaternion[4];         /* w x y z, of any norm: the same rotation instead of rpy; all 0: rpy is read */
  double axis[3];               /* in the joint's frame, of any length except 0; not read for fixed joints */
  double lower, upper;          /* limits of revolute and prismatic joints; infinite: no limit */
  int32_t mimics;               /* joint that determines the position of this one; -1: none */
  double multiplier, offset;    /* position = multiplier * (position of `mimics`) + offset */
} RcJointSpec;

typedef struct RcKinematicsSpec
{
  const RcJointSpec *joints;
  int64_t n_joints;             /* 1 to RC_KINEMATICS_MAX_JOINTS */
  int32_t base;                 /* joint whose link is the base; -1: the root link */
  const int32_t *frames;        /* joints whose links are the frames; -1: the root link */
  int64_t n_frames;             /* 1 to RC_KINEMATICS_MAX_FRAMES */
  const int32_t *variables;     /* joints whose positions the rows have, in the order of the rows; neither fixed nor mimicking, none twice */
  int64_t n_variables;          /* 0 to RC_KINEMATICS_MAX_VARIABLES */

  /* fields for inverse kinematics */
  int32_t max_iterations;       /* 1 to RC_KINEMATICS_MAX_ITERATIONS */
  int32_t restarts;             /* other starts within max_iterations after a far start has failed, 0 to RC_KINEMATICS_MAX_RESTARTS */
  double tolerance;             /* m and rad, > 0 */
  double orientation_weight;    /* m per rad in the minimised error, 0 to 1e3; 0: any orientation is accepted */
} RcKinematicsSpec;

typedef struct RcKinematicsPlan RcKinematicsPlan;

/* Validates spec, selects and loads the code that runs it, and sets *footprint. Enqueues nothing. The backend must outlive the plan.
 * footprint may be NULL. Every moving joint between the base and a frame must be a variable, or mimic one.
 * Errors: RC_INVALID_ARGUMENT, RC_NO_SPACE. */
RcStatus rc_kinematics_plan (RcBackend * backend, const RcKinematicsSpec * spec, RcKinematicsPlan ** plan,
    RcFootprint * footprint, RcError * error);
/* Runs of the plan must have ended. */
void rc_kinematics_plan_free (RcKinematicsPlan * plan);

/* The input numbers of a batch, and the bytes between its rows. */
typedef struct RcKinematicsRows
{
  const double *numbers;
  int64_t stride;
} RcKinematicsRows;

/* The output numbers of a batch; NULL: not wanted. Rows must not overlap. */
typedef struct RcKinematicsOut
{
  double *numbers;
  int64_t stride;
} RcKinematicsOut;

typedef struct RcForwardArgs
{
  int64_t batch;                /* >= 0 */
  RcKinematicsRows positions;   /* [n_variables] */
  RcKinematicsRows velocities;  /* [n_variables], for twists */
  RcKinematicsRows base_poses;  /* [7] poses of the base in another frame, which then replaces the base frame; NULL: none */
  RcKinematicsOut poses;        /* [n_frames][7]; w >= 0 */
  RcKinematicsOut jacobians;    /* [n_frames][6][n_variables] */
  RcKinematicsOut manipulabilities;     /* [n_frames] product of the Jacobian's singular values */
  RcKinematicsOut twists;       /* [n_frames][6] */
} RcForwardArgs;

/* Enqueues forward kinematics on stream. Allocates nothing, waits for nothing. One plan is used by one thread at a time.
 * If the position of a joint is NaN or infinite, every frame that it moves is NaN, with all its results. No other result is NaN.
 * Errors: RC_INVALID_ARGUMENT, RC_DEVICE_FAILED, RC_CALL_FAILED. */
RcStatus rc_kinematics_forward (RcKinematicsPlan * plan, const RcForwardArgs * args, RcStream stream, RcError * error);

typedef enum RcInverseStatus
{
  RC_INVERSE_CONVERGED,         /* both residuals are within the tolerance */
  RC_INVERSE_NOT_CONVERGED,     /* max_iterations were not enough */
  RC_INVERSE_AT_LIMIT,          /* a joint's limit keeps the frames from the targets */
  RC_INVERSE_SINGULAR,          /* no velocity of the joints moves the frames closer: the targets are out of reach, or the configuration is
                                 * singular */
  RC_INVERSE_MISSING            /* a target, a start or a base pose is NaN or infinite, or a quaternion has norm 0: the row is NaN */
} RcInverseStatus;

typedef struct RcInverseArgs
{
  int64_t batch;                /* >= 0 */
  RcKinematicsRows targets;     /* [n_frames][7]; quaternions of any norm */
  RcKinematicsRows starts;      /* [n_variables] positions to start from, such as the last solution */
  RcKinematicsRows base_poses;  /* as in RcForwardArgs */
  RcKinematicsOut positions;    /* [n_variables] within limits; without convergence the closest positions that were found */
  RcKinematicsOut residuals;    /* [2] greatest distance (m) and angle (rad) of a frame from its target */
  uint8_t *status;              /* [batch] RcInverseStatus; NULL: not wanted */
  int32_t *iterations;          /* [batch] iterations of each row; NULL: not wanted */
} RcInverseArgs;

/* Enqueues inverse kinematics on stream, with the rules of rc_kinematics_forward. */
RcStatus rc_kinematics_inverse (RcKinematicsPlan * plan, const RcInverseArgs * args, RcStream stream, RcError * error);

#ifdef __cplusplus
}
#endif
