/* robocache: the signals of the simulated robot are what their formulas say
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <math.h>

#include "gst/testsrc/counterhash.h"
#include "gst/testsrc/testsignal.h"
#include "tests/check/lib/checks.h"

#define SECONDS(ns) ((gdouble) (ns) / 1e9)
#define WEEK_NS (G_GINT64_CONSTANT (7) * 24 * 3600 * GST_SECOND)

static const gint64 times[] = { 0, 1, 12345678, 999999999, 1500000000, G_GINT64_CONSTANT (86399999999999) };

static void
expect_near (gdouble got, gdouble expected, gdouble tolerance)
{
  fail_unless (fabs (got - expected) < tolerance, "%.17g is not %.17g", got, expected);
}

/* The first n channels. */
static void
read_signals (RobocacheTestKind kind, gint64 t, gdouble *values, guint n)
{
  for (guint c = 0; c < n; c++)
    values[c] = robocache_test_signal (kind, c, t);
}

GST_START_TEST (the_sine_is_that_of_libm)
{
  for (gint i = -4000; i <= 4000; i++) {
    const gdouble turns = i / 1000.0;

    expect_near (robocache_test_sine (turns), sin (2.0 * G_PI * turns), 1e-14);
  }
  fail_unless (robocache_test_sine (0.25) > 1.0 - 1e-15);
  fail_unless (robocache_test_sine (0.0) == 0.0);
}

GST_END_TEST;

GST_START_TEST (proprio_is_sines)
{
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    for (guint c = 0; c < 30; c++) {
      const guint j = c % 7;
      const gdouble turns = fmod ((0.2 + 0.1 * j) * SECONDS (times[i]), 1.0) + c / 16.0;
      const gdouble expected = (1.0 - j / 10.0) * sin (2.0 * G_PI * turns);

      expect_near (robocache_test_signal (ROBOCACHE_TEST_PROPRIO, c, times[i]), expected, 1e-7);
    }
  }
}

GST_END_TEST;

GST_START_TEST (torque_is_r_cross_force)
{
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    const gdouble turn = 2.0 * G_PI * fmod (0.5 * SECONDS (times[i]), 1.0);
    const gdouble r[3] = { 0.1 * sin (turn), 0.1 * cos (turn), 0.05 };
    gdouble w[6];

    read_signals (ROBOCACHE_TEST_FORCE, times[i], w, 6);
    expect_near (w[3], r[1] * w[2] - r[2] * w[1], 1e-7);
    expect_near (w[4], r[2] * w[0] - r[0] * w[2], 1e-7);
    expect_near (w[5], r[0] * w[1] - r[1] * w[0], 1e-7);
    expect_near (hypot (w[0], w[1]), 5.0, 1e-12);
    fail_unless (w[2] <= -8.0 && w[2] >= -12.0);
  }
}

GST_END_TEST;

/* The orientation is a unit quaternion; the acceleration is gravity in the body, the third row of its rotation matrix. */
GST_START_TEST (imu_orientation_and_acceleration)
{
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    gdouble s[10];
    const gdouble *q = s, *a = s + 7;

    read_signals (ROBOCACHE_TEST_IMU, times[i], s, 10);
    expect_near (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1.0, 1e-14);
    expect_near (a[0], 9.81 * 2 * (q[0] * q[2] - q[3] * q[1]), 1e-12);
    expect_near (a[1], 9.81 * 2 * (q[1] * q[2] + q[3] * q[0]), 1e-12);
    expect_near (a[2], 9.81 * (1 - 2 * (q[0] * q[0] + q[1] * q[1])), 1e-12);
  }
}

GST_END_TEST;

/* angular rate = 2 q^-1 dq/dt, by differences */
GST_START_TEST (imu_rate_is_the_derivative_of_orientation)
{
  const gint64 t = 1234567890, h = 1000000;
  gdouble s[10], before[4], d[4];
  const gdouble *q = s, *rate = s + 4;

  read_signals (ROBOCACHE_TEST_IMU, t, s, 10);
  read_signals (ROBOCACHE_TEST_IMU, t - h, before, 4);
  read_signals (ROBOCACHE_TEST_IMU, t + h, d, 4);
  for (guint c = 0; c < 4; c++)
    d[c] = (d[c] - before[c]) / 2e-3;
  expect_near (rate[0], 2 * (q[3] * d[0] - q[0] * d[3] - q[1] * d[2] + q[2] * d[1]), 1e-5);
  expect_near (rate[1], 2 * (q[3] * d[1] - q[1] * d[3] - q[2] * d[0] + q[0] * d[2]), 1e-5);
  expect_near (rate[2], 2 * (q[3] * d[2] - q[2] * d[3] - q[0] * d[1] + q[1] * d[0]), 1e-5);
}

GST_END_TEST;

/* All frequencies are multiples of 0.05 Hz, so 20 s is a whole number of turns. */
GST_START_TEST (a_week_later_the_phase_is_the_same)
{
  gdouble now[14], later[14];

  read_signals (ROBOCACHE_TEST_PROPRIO, 123456789, now, 14);
  read_signals (ROBOCACHE_TEST_PROPRIO, WEEK_NS / (20 * GST_SECOND) * (20 * GST_SECOND) + 123456789, later, 14);
  fail_unless (memcmp (now, later, sizeof now) == 0);
}

GST_END_TEST;

GST_START_TEST (sensors_of_one_stream_differ)
{
  gdouble forces[12], imus[20];

  read_signals (ROBOCACHE_TEST_FORCE, 0, forces, 12);
  read_signals (ROBOCACHE_TEST_IMU, 0, imus, 20);
  fail_unless (forces[0] != forces[6] && imus[0] != imus[10]);
}

GST_END_TEST;

GST_START_TEST (names)
{
  static const struct
  {
    RobocacheTestKind kind;
    guint channel;
    const gchar *name;
  } cases[] = { {ROBOCACHE_TEST_PROPRIO, 3, "q3"}, {ROBOCACHE_TEST_FORCE, 0, "fx"}, {ROBOCACHE_TEST_FORCE, 11, "tz1"},
  {ROBOCACHE_TEST_IMU, 3, "qw"}, {ROBOCACHE_TEST_IMU, 19, "az1"}, {ROBOCACHE_TEST_POINTS, 3, "intensity"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar *name = robocache_test_channel_name (cases[i].kind, cases[i].channel);

    fail_unless_equals_string (name, cases[i].name);
    g_free (name);
  }
}

GST_END_TEST;

GST_START_TEST (points_lie_on_walls_or_ball)
{
  const guint n = 5000;
  const gint64 t = 3300000000;
  const gdouble ball[3] = { 2.0 * cos (2.0 * G_PI * 0.33), 1.5 * sin (2.0 * G_PI * 0.33), 1.0 };
  guint on_ball = 0, on_wall[6] = { 0 };

  for (guint i = 0; i < n; i++) {
    gdouble ray[3];
    gfloat p[4];

    robocache_test_room_ray (i, n, ray);
    expect_near (ray[0] * ray[0] + ray[1] * ray[1] + ray[2] * ray[2], 1.0, 1e-14);
    robocache_test_room_point (ray, t, p);
    if (p[3] == 1.0f) {
      expect_near (sqrt (pow (p[0] - ball[0], 2) + pow (p[1] - ball[1], 2) + pow (p[2] - ball[2], 2)), 0.5, 1e-6);
      on_ball++;
    } else {
      const guint wall = (guint) lrint (p[3] * 10.0) - 1;
      static const gdouble at[6] = { -3.0, 3.0, -2.5, 2.5, 0.0, 3.0 };

      fail_unless (wall < 6);
      expect_near (p[wall / 2], at[wall], 1e-6);
      fail_unless (fabs (p[0]) < 3.001 && fabs (p[1]) < 2.501 && p[2] > -0.001 && p[2] < 3.001);
      on_wall[wall]++;
    }
  }
  fail_unless (on_ball > 20);
  for (guint wall = 0; wall < 6; wall++)
    fail_unless (on_wall[wall] > 100);
}

GST_END_TEST;

GST_START_TEST (the_hash_is_uniform_and_repeats)
{
  gdouble sum = 0.0;
  guint low = 0;

  for (guint64 i = 0; i < 100000; i++) {
    const gdouble u = robocache_hash_unit (7, 1, i);

    fail_unless (u >= 0.0 && u < 1.0);
    fail_unless (u == robocache_hash_unit (7, 1, i));
    sum += u;
    low += robocache_hash_below (7, 2, i, 10) == 0;
    fail_unless (robocache_hash_below (7, 2, i, 10) < 10);
  }
  fail_unless (fabs (sum / 100000 - 0.5) < 0.01);
  fail_unless (low > 9500 && low < 10500);
  fail_unless (robocache_hash (7, 1, 0) != robocache_hash (7, 2, 0));
  fail_unless (robocache_hash (7, 1, 0) != robocache_hash (8, 1, 0));
}

GST_END_TEST;

CHECK_MAIN (testsignal, NULL, NULL, ONCE (the_sine_is_that_of_libm), ONCE (proprio_is_sines), ONCE (torque_is_r_cross_force),
  ONCE (imu_orientation_and_acceleration), ONCE (imu_rate_is_the_derivative_of_orientation), ONCE (a_week_later_the_phase_is_the_same),
  ONCE (sensors_of_one_stream_differ), ONCE (names), ONCE (points_lie_on_walls_or_ball), ONCE (the_hash_is_uniform_and_repeats))
