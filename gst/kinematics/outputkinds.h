/* robocache: robocachekinematics, kinds of the channels that come out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "converter.h"

/* Kinds for caps of output, of names and of the robot, whose continuous joints are angles; with append, of the input, too. in: kinds
 * of the input's caps, and names of its channels; or NULL. NULL: all are real. */
gchar *robocache_kinematics_output_kinds (const RobocacheConverter * converter, const RobocacheRobot * robot, const gchar * in,
    const gchar * in_names);
