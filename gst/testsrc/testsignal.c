/* robocache: signals of a simulated robot, in closed form
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "testsignal.h"

#include <math.h>

#define PI 3.14159265358979323846
#define GRAVITY 9.81            /* m/s2 */

gdouble
robocache_test_sine (gdouble turns)
{
  gdouble x = turns - rint (turns), y, y2, sum = 1.0;

  if (x > 0.25)
    x = 0.5 - x;
  else if (x < -0.25)
    x = -0.5 - x;
  y = 2.0 * PI * x;
  y2 = y * y;
  /* Taylor's series to y^21, which at pi/2 leaves out 1e-18 */
  for (gint n = 20; n > 0; n -= 2)
    sum = 1.0 - y2 / (gdouble) (n * (n + 1)) * sum;
  return y * sum;
}

/* sin (2 pi (f t + phase)); f t is reduced to less than a turn in integers. */
static gdouble
sine_at (guint millihertz, gint64 time_ns, gdouble phase_turns)
{
  const guint64 turn = G_GUINT64_CONSTANT (1000000000000);
  const guint64 part = (guint64) ((unsigned __int128) millihertz * (guint64) time_ns % turn);

  return robocache_test_sine ((gdouble) part / (gdouble) turn + phase_turns);
}

/* ---- channels ---- */

static gdouble
proprio (guint channel, gint64 time_ns)
{
  const guint joint = channel % 7;

  return (1.0 - joint / 10.0) * sine_at (200 + 100 * joint, time_ns, (channel % 16) / 16.0);
}

/* A force that turns in the contact plane and pushes down, at a contact point that moves: torque = r x force. */
static gdouble
wrench (guint component, gint64 time_ns, gdouble phase)
{
  const gdouble force[3] = { 5.0 * sine_at (2000, time_ns, phase), 5.0 * sine_at (2000, time_ns, phase + 0.25),
    -10.0 + 2.0 * sine_at (7000, time_ns, phase)
  };
  const gdouble r[3] = { 0.1 * sine_at (500, time_ns, phase), 0.1 * sine_at (500, time_ns, phase + 0.25), 0.05 };
  const guint axis = component % 3, next = (axis + 1) % 3, last = (axis + 2) % 3;

  return component < 3 ? force[axis] : r[next] * force[last] - r[last] * force[next];
}

/* Turns about the fixed axis (1, 2, 2) / 3 at a quarter turn a second, so slerp between any two rows is exact. */
static gdouble
imu (guint component, gint64 time_ns, gdouble phase)
{
  static const gdouble axis[3] = { 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0 };
  /* axis x up */
  static const gdouble across[3] = { 2.0 / 3.0, -1.0 / 3.0, 0.0 };
  static const gdouble up[3] = { 0.0, 0.0, 1.0 };
  gdouble sine, cosine;

  if (component < 3)
    return axis[component] * sine_at (125, time_ns, phase / 2.0);
  if (component == 3)
    return sine_at (125, time_ns, phase / 2.0 + 0.25);
  if (component < 7)
    return axis[component - 4] * (PI / 2.0);

  /* gravity seen from the body: Rodrigues' formula for the inverse rotation */
  component -= 7;
  sine = sine_at (250, time_ns, phase);
  cosine = sine_at (250, time_ns, phase + 0.25);
  return GRAVITY * (up[component] * cosine - across[component] * sine + axis[component] * axis[2] * (1.0 - cosine));
}

static const struct
{
  guint channels;
  const gchar *names[10];
} sensors[] = {
  [ROBOCACHE_TEST_PROPRIO] = {1, {"q"}},
  [ROBOCACHE_TEST_FORCE] = {6, {"fx", "fy", "fz", "tx", "ty", "tz"}},
  [ROBOCACHE_TEST_IMU] = {10, {"qx", "qy", "qz", "qw", "gx", "gy", "gz", "ax", "ay", "az"}},
  [ROBOCACHE_TEST_POINTS] = {4, {"x", "y", "z", "intensity"}},
};

guint
robocache_test_sensor_channels (RobocacheTestKind kind)
{
  return sensors[kind].channels;
}

gdouble
robocache_test_signal (RobocacheTestKind kind, guint channel, gint64 time_ns)
{
  const guint n = sensors[kind].channels;
  const gdouble phase = (channel / n % 16) / 16.0;

  switch (kind) {
    case ROBOCACHE_TEST_PROPRIO:
      return proprio (channel, time_ns);
    case ROBOCACHE_TEST_FORCE:
      return wrench (channel % n, time_ns, phase);
    case ROBOCACHE_TEST_IMU:
      return imu (channel % n, time_ns, phase);
    case ROBOCACHE_TEST_POINTS:
      break;
  }
  g_return_val_if_reached (0.0);
}

gchar *
robocache_test_channel_name (RobocacheTestKind kind, guint channel)
{
  const guint sensor = channel / sensors[kind].channels;
  const gchar *name = sensors[kind].names[channel % sensors[kind].channels];

  if (sensor == 0 && kind != ROBOCACHE_TEST_PROPRIO)
    return g_strdup (name);
  return g_strdup_printf ("%s%u", name, sensor);
}

/* ---- the room ---- */

#define BALL_RADIUS 0.5

static const gdouble lidar[3] = { 0.0, 0.0, 1.5 };
/* walls as seen from the lidar */
static const gdouble walls[3][2] = { {-3.0, 3.0}, {-2.5, 2.5}, {-1.5, 1.5} };

void
robocache_test_room_ray (guint i, guint n, gdouble ray[3])
{
  /* i / golden ratio, mod 1, as 64-bit fixed point */
  const guint64 azimuth = (guint64) i * G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  const gdouble turns = (gdouble) (azimuth >> 11) * 0x1p-53;
  const gdouble z = 1.0 - (2.0 * i + 1.0) / n, radius = sqrt (1.0 - z * z);

  ray[0] = radius * robocache_test_sine (turns + 0.25);
  ray[1] = radius * robocache_test_sine (turns);
  ray[2] = z;
}

/* Distance from the lidar to the wall that the ray meets, and which. */
static gdouble
distance_to_wall (const gdouble ray[3], guint *wall)
{
  gdouble nearest = G_MAXDOUBLE;

  for (guint axis = 0; axis < 3; axis++) {
    const guint side = ray[axis] > 0.0;
    const gdouble distance = ray[axis] == 0.0 ? G_MAXDOUBLE : walls[axis][side] / ray[axis];

    if (distance < nearest) {
      nearest = distance;
      *wall = 2 * axis + side;
    }
  }
  return nearest;
}

/* Distance from the lidar to the ball along the ray; G_MAXDOUBLE when the ray misses it. */
static gdouble
distance_to_ball (const gdouble ray[3], gint64 time_ns)
{
  const gdouble ball[3] = { 2.0 * sine_at (100, time_ns, 0.25), 1.5 * sine_at (100, time_ns, 0.0), 1.0 - lidar[2] };
  const gdouble along = ball[0] * ray[0] + ball[1] * ray[1] + ball[2] * ray[2];
  const gdouble square = ball[0] * ball[0] + ball[1] * ball[1] + ball[2] * ball[2];
  const gdouble inside = along * along - square + BALL_RADIUS * BALL_RADIUS;

  return along > 0.0 && inside >= 0.0 ? along - sqrt (inside) : G_MAXDOUBLE;
}

void
robocache_test_room_point (const gdouble ray[3], gint64 time_ns, gfloat point[4])
{
  guint wall = 0;
  const gdouble to_wall = distance_to_wall (ray, &wall), to_ball = distance_to_ball (ray, time_ns);
  const gdouble distance = MIN (to_wall, to_ball);

  for (guint axis = 0; axis < 3; axis++)
    point[axis] = (gfloat) (lidar[axis] + distance * ray[axis]);
  point[3] = (gfloat) (to_ball < to_wall ? 1.0 : (wall + 1) / 10.0);
}
