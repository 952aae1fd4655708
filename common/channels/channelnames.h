/* robocache: guesses kinds of channels by their names
 *
 * Four adjacent channels whose names differ in x, y, z, w alone are a quaternion: qx qy qz qw, imu_qw …, orientation.x …, q_w …, quat_x …,
 * rot.w …, orientation/x … of PlotJuggler, q_RS_w [] … of EuRoC, and q[0] to q[3] of PX4, in the order x, y, z, w or w, x, y, z. Modes,
 * statuses and counters are held. a.velocity is the rate of a.position, or of a, and dq0 that of q0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "channelkinds.h"

/* Kinds of n channels with these names. FALSE and a ROBOCACHE_ERROR_PROPERTY that lists the columns: the four of a quaternion are not
 * adjacent, or in another order. These channels are real then; other channels keep their kinds. */
gboolean robocache_kinds_of_names (RobocacheKinds * kinds, const gchar * const *names, guint n, GError ** error);

/* The component of a quaternion that a channel's name ends with: x, y, z, w as 0 to 3; -1: none of them. */
gint robocache_name_part (const gchar * name);
