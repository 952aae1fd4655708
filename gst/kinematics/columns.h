/* robocache: robocachekinematics, the meaning of each channel of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "model.h"
#include "orientation.h"
#include "settings.h"

#define ROBOCACHE_NO_COLUMN (-1)

/* Channels of input rows, by number. */
typedef struct
{
  gint32 positions[RC_KINEMATICS_MAX_VARIABLES];        /* ROBOCACHE_NO_COLUMN: rows of poses have no start for the joint */
  gint32 velocities[RC_KINEMATICS_MAX_VARIABLES];
  gint32 poses[RC_KINEMATICS_MAX_TARGETS * ROBOCACHE_MAX_POSE_CHANNELS];
  gint32 base_pose[7];
  gboolean has_base_pose;
} RobocacheColumns;

/* Finds the columns of rows of n channels, and adds the variables of model. names: those of the channels, separated by commas, or NULL.
 * FALSE and
 * an error that names the property, joint or channel. */
gboolean robocache_columns_find (RobocacheColumns * columns, RobocacheModel * model, const RobocacheRobot * robot,
    const RobocacheKinematicsSettings * settings, guint64 n, const gchar * names, GError ** error);

/* Names of the output channels, except for those of the input. Free with g_ptr_array_unref. */
GPtrArray *robocache_columns_names_out (const RobocacheModel * model, const RobocacheRobot * robot,
    const RobocacheKinematicsSettings * settings);
