/* robocache: signals of a simulated robot, in closed form
 *
 * Pure functions of time, so a test can compute the true value at any instant. Only IEEE operations are used (the sine is
 * our own polynomial) and phases are reduced in integers, so values are the same on every machine and as exact after
 * a week as in the first second. The formulas are also in docs/elements/robocachetestsrc.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

typedef enum
{
  ROBOCACHE_TEST_PROPRIO,       /* any number of joint angles */
  ROBOCACHE_TEST_FORCE,         /* wrenches: fx fy fz tx ty tz, 6 channels per sensor */
  ROBOCACHE_TEST_IMU,           /* qx qy qz qw gx gy gz ax ay az, 10 channels per sensor */
  ROBOCACHE_TEST_POINTS         /* a room seen by a lidar: see below */
} RobocacheTestKind;

/* sin (2 pi turns), with an error of at most 2e-16. turns may be of any size that a double represents with sufficient precision. */
gdouble robocache_test_sine (gdouble turns);

/* Value of a channel at time_ns >= 0. Not for POINTS. */
gdouble robocache_test_signal (RobocacheTestKind kind, guint channel, gint64 time_ns);

/* Channels of one sensor; a stream has a whole number of sensors. The result is 1 for PROPRIO, 4 (x, y, z, intensity) for POINTS. */
guint robocache_test_sensor_channels (RobocacheTestKind kind);

/* The name of a channel: "q3", "fx", "fx1" (second sensor). Free with g_free. */
gchar *robocache_test_channel_name (RobocacheTestKind kind, guint channel);

/* The room: |x| <= 3, |y| <= 2.5, 0 <= z <= 3 metres, a lidar at (0, 0, 1.5), and a ball of radius 0.5 that circles it once in 10 s. The
 * ray of point i of n is a unit vector on a Fibonacci sphere. */
void robocache_test_room_ray (guint i, guint n, gdouble ray[3]);
/* The end of a ray at time_ns: x, y, z and intensity, 0.1 … 0.6 for the walls -x +x -y +y -z +z and 1 for the ball. */
void robocache_test_room_point (const gdouble ray[3], gint64 time_ns, gfloat point[4]);
