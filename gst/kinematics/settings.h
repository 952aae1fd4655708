/* robocache: robocachekinematics, the settings of its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/dtype.h"

typedef enum
{
  ROBOCACHE_KINEMATICS_FORWARD,
  ROBOCACHE_KINEMATICS_JACOBIAN,
  ROBOCACHE_KINEMATICS_INVERSE,
  ROBOCACHE_KINEMATICS_VELOCITY
} RobocacheKinematicsMode;

typedef enum
{
  ROBOCACHE_ORIENTATION_QUATERNION,
  ROBOCACHE_ORIENTATION_ROTATION_6D,
  ROBOCACHE_ORIENTATION_EULER
} RobocacheOrientation;

typedef enum
{
  ROBOCACHE_QUATERNION_WXYZ,
  ROBOCACHE_QUATERNION_XYZW
} RobocacheQuaternionOrder;

typedef enum
{
  ROBOCACHE_REFERENCE_BASE,
  ROBOCACHE_REFERENCE_PREVIOUS,
  ROBOCACHE_REFERENCE_FIRST
} RobocacheReference;

typedef struct
{
  gchar *urdf, *base, *frames;
  gchar *joints;                /* names, one per channel; NULL or empty: the names of the channels */
  gchar *velocities, *poses, *base_pose;        /* channel lists; NULL or empty: by name, or unused */
  gint mode, orientation, quaternion_order, reference;
  gboolean append, manipulability;
  gint type;                    /* RcDtype, or ROBOCACHE_DTYPE_AUTO */
  guint max_iterations, restarts;
  gdouble tolerance, orientation_weight;
} RobocacheKinematicsSettings;

void robocache_kinematics_settings_init (RobocacheKinematicsSettings * settings);
/* to is cleared first. */
void robocache_kinematics_settings_copy (RobocacheKinematicsSettings * to, const RobocacheKinematicsSettings * from);
void robocache_kinematics_settings_clear (RobocacheKinematicsSettings * settings);
