/* robocache: robocachekinematics, its properties except the read-only ones
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib-object.h>

#include "common/element/statsmessages.h"
#include "settings.h"

#define ROBOCACHE_KINEMATICS_PROP_STATS 1       /* handled by the element; the other ids follow */

typedef struct
{
  RobocacheKinematicsSettings settings; /* for the next start */
  RobocacheStatisticsTimer stats_timer;
} RobocacheKinematicsProperties;

void robocache_kinematics_properties_init (RobocacheKinematicsProperties * properties);
void robocache_kinematics_properties_clear (RobocacheKinematicsProperties * properties);
void robocache_kinematics_properties_install (GObjectClass * klass);
void robocache_kinematics_properties_set (RobocacheKinematicsProperties * properties, guint id, const GValue * value);
void robocache_kinematics_properties_get (RobocacheKinematicsProperties * properties, guint id, GValue * value);
