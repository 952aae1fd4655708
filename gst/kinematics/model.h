/* robocache: robocachekinematics, the model of a robot between a base and frames, by names
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "urdf/robot.h"

/* A spec, and the lists that it points to. */
typedef struct
{
  RcKinematicsSpec spec;
  RcJointSpec *joints;
  gint32 frames[RC_KINEMATICS_MAX_FRAMES];
  gint32 variables[RC_KINEMATICS_MAX_VARIABLES];
  gboolean *moves;              /* for each joint: it moves, and lies between the base and a frame */
} RobocacheModel;

/* Sets joints, base and frames, without variables. base NULL or empty: the root link. frames: separated by commas; NULL or empty: the
 * only link without a child joint. FALSE and an error that names the property: an unknown link, several links without a child joint, or a
 * floating or planar joint between the base and a frame. Clear the model in either case. */
gboolean robocache_model_init (RobocacheModel * model, const RobocacheRobot * robot, const gchar * base, const gchar * frames,
    GError ** error);
void robocache_model_clear (RobocacheModel * model);

/* The spec, which is valid as long as the model is not moved in memory. */
const RcKinematicsSpec *robocache_model_spec (RobocacheModel * model);

/* The joint whose position determines the position of a joint: itself, or the joint that it mimics. */
gint robocache_model_source (const RobocacheModel * model, gint joint);

/* Adds a variable. FALSE and an error: too many variables. */
gboolean robocache_model_add_variable (RobocacheModel * model, gint joint, GError ** error);
/* FALSE and an error: a joint that moves a frame neither is a variable nor mimics one. */
gboolean robocache_model_check_variables (const RobocacheModel * model, const RobocacheRobot * robot, GError ** error);
