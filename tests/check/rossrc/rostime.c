/* robocache: times of capture of live messages, and the system clock at running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/messageencoders.h"
#include "common/rospads/outputstream.h"
#include "gst/rossrc/rostime.h"
#include "tests/check/lib/checks.h"

#define BOOT 1000
#define NONE ROBOCACHE_ROS_NO_TIME
#define FALLBACK(x) ROBOCACHE_ROS_TIME_##x

static const struct
{
  gint source, fallback;
  RobocacheRosTimes times;
  gint64 expected;
  const gchar *fault;
} cases[] = {
  {FALLBACK (STAMP), FALLBACK (NONE), {5000, TRUE, 5100, 5200}, 5000, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {NONE, FALSE, 5100, 5200}, 5100, NULL},
  {FALLBACK (SOURCE), FALLBACK (NONE), {5000, TRUE, 5100, 5200}, 5100, NULL},
  {FALLBACK (ARRIVAL), FALLBACK (NONE), {5000, TRUE, 5100, 5200}, 5200, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {NONE, TRUE, 5100, 5200}, 0, "its time is 0"},
  {FALLBACK (STAMP), FALLBACK (SOURCE), {NONE, TRUE, 5100, 5200}, 5100, NULL},
  {FALLBACK (STAMP), FALLBACK (ARRIVAL), {NONE, TRUE, 5100, 5200}, 5200, NULL},
  {FALLBACK (STAMP), FALLBACK (SOURCE), {NONE, TRUE, 0, 5200}, 0, "its time is 0"},
  {FALLBACK (STAMP), FALLBACK (NONE), {BOOT - 1, TRUE, 5100, 5200}, 0, "its time is before the start of this host"},
  {FALLBACK (STAMP), FALLBACK (NONE), {BOOT, TRUE, 5100, 5200}, BOOT, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {5300, TRUE, 5100, 5200}, 5300, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {5301, TRUE, 5100, 5200}, 0, "its time is more than max-future after its arrival"},
  {FALLBACK (STAMP), FALLBACK (ARRIVAL), {G_MAXINT64, TRUE, 5100, 5200}, 5200, NULL},
};

GST_START_TEST (test_time_of_capture)
{
  const RobocacheRosSrcSettings settings = {.time_source = cases[__i__].source,.time_fallback = cases[__i__].fallback,.max_future = 100 };
  gint64 time;
  const gchar *fault = robocache_ros_time_of_capture (&settings, &cases[__i__].times, BOOT, &time);

  fail_unless_equals_string (fault, cases[__i__].fault);
  if (!fault)
    fail_unless_equals_int64 (time, cases[__i__].expected);
}

GST_END_TEST;

/* ---- running times ---- */

#define MS (gint64) GST_MSECOND
#define PLACED ROBOCACHE_ROS_PLACED
#define EARLY ROBOCACHE_ROS_BEFORE_ORIGIN
#define PAUSED ROBOCACHE_ROS_IN_PAUSE

/* What happens to the clocks, and messages (ms). The host started 1,000,000 ms before the monotonic clock's 0. */
typedef struct
{
  enum
  { END, START, STOP, CHECK, CLOCK, MESSAGE } what;
  gint64 system_ms, monotonic_ms;       /* clocks at that time, or at the arrival of a message */
  gint64 value_ms;              /* running time; step that is found; time on /clock; time of a message */
  RobocacheRosPlacement placement;
  gint64 expected_ms;           /* running time of a message; how far /clock stepped back */
} Happening;

static const struct
{
  gint64 origin_ms;             /* -1: not set */
  gboolean is_simulated, follows;
  Happening happenings[12];
} mappings[] = {
  /* a pause */
  {-1, FALSE, FALSE, {{START, 5000, 100, 0}, {MESSAGE, 5021, 121, 5020, PLACED, 20}, {MESSAGE, 5021, 121, 4999, EARLY, 0}, {STOP, 5030, 130, 30},
    {MESSAGE, 5031, 131, 5029, PLACED, 29}, {MESSAGE, 5051, 151, 5050, PAUSED, 30}, {START, 5060, 160, 30}, {MESSAGE, 5061, 161, 5029, PLACED, 29},
    {MESSAGE, 5062, 162, 5050, PAUSED, 30}, {MESSAGE, 5065, 165, 5064, PLACED, 34}}},
  /* a clock of others: a pause adds to its origin, and steps of the system clock do not count */
  {700, FALSE, TRUE, {{START, 5000, 100, 0}, {MESSAGE, 5021, 121, 720, PLACED, 20}, {MESSAGE, 5021, 121, 699, EARLY, 0}, {STOP, 5030, 130, 30},
    {START, 5060, 160, 30}, {MESSAGE, 5065, 165, 764, PLACED, 34}, {CHECK, 8070, 170, 3000}, {MESSAGE, 8075, 175, 774, PLACED, 44},
    {MESSAGE, 8075, 175, 729, PLACED, 29}}},
  /* steps, which are found some ms later, while messages of before wait: forward, */
  {-1, FALSE, TRUE, {{START, 5000, 100, 0}, {CHECK, 5010, 110, 0}, {CHECK, 8020, 120, 3000}, {MESSAGE, 5014, 114, 5013, PLACED, 13},
    {MESSAGE, 8019, 119, 8018, PLACED, 18}, {MESSAGE, 8031, 131, 8030, PLACED, 30}, {MESSAGE, 8031, 131, 5008, PLACED, 8}}},
  /* back, */
  {-1, FALSE, TRUE, {{START, 5000, 100, 0}, {CHECK, 5010, 110, 0}, {CHECK, 4020, 120, -1000}, {MESSAGE, 5014, 114, 5013, PLACED, 13},
    {MESSAGE, 4019, 119, 4018, PLACED, 18}, {MESSAGE, 4031, 131, 4030, PLACED, 30}, {MESSAGE, 4031, 131, 5008, PLACED, 8}}},
  /* and by little */
  {-1, FALSE, TRUE, {{START, 5000, 100, 0}, {CHECK, 5010, 110, 0}, {CHECK, 5022, 120, 2}, {MESSAGE, 5014, 114, 5014, PLACED, 14},
    {MESSAGE, 5021, 119, 5020, PLACED, 18}, {MESSAGE, 5033, 131, 5032, PLACED, 30}}},
  /* not followed: all times after it are shifted */
  {-1, FALSE, FALSE, {{START, 5000, 100, 0}, {CHECK, 8020, 120, 3000}, {MESSAGE, 5014, 114, 5013, PLACED, 13}, {MESSAGE, 8031, 131, 8030, PLACED, 3030}}},
  /* /clock, whose first message has the running time of its arrival; it steps back, and a pause forgets it */
  {-1, TRUE, FALSE, {{START, 5000, 100, 0}, {CLOCK, 5010, 110, 900, EARLY, 0}, {MESSAGE, 5011, 111, 895, PLACED, 5}, {CLOCK, 5020, 120, 910, EARLY, 0},
    {CLOCK, 5030, 130, 400, EARLY, 510}, {MESSAGE, 5031, 131, 909, PLACED, 19}, {MESSAGE, 5031, 131, 405, PLACED, 25}, {STOP, 5040, 140, 40},
    {START, 5090, 190, 40}, {CLOCK, 5091, 191, 450, EARLY, 0}, {MESSAGE, 5092, 192, 451, PLACED, 42}}},
};

static void
happen (RobocacheRosMapping *mapping, const Happening *what, gint64 *sim_ns)
{
  const gint64 system_ns = what->system_ms * MS, monotonic_ns = what->monotonic_ms * MS;
  const RobocacheClockReading clocks = { system_ns, what->value_ms * MS, system_ns, monotonic_ns, monotonic_ns + 1000000 * MS };
  gint64 running_ns, again_ns;

  if (what->what == START) {
    robocache_ros_mapping_start (mapping, &clocks);
  } else if (what->what == STOP) {
    robocache_ros_mapping_stop (mapping, &clocks);
  } else if (what->what == CHECK) {
    fail_unless_equals_int64 (robocache_ros_mapping_check (mapping, system_ns, monotonic_ns), what->value_ms * MS);
  } else if (what->what == CLOCK) {
    fail_unless_equals_int64 (robocache_ros_mapping_set_sim_time (mapping, *sim_ns, what->value_ms * MS, monotonic_ns), what->expected_ms * MS);
    *sim_ns = what->value_ms * MS;
  } else {
    robocache_ros_mapping_now (mapping, system_ns, monotonic_ns, *sim_ns, &running_ns);
    fail_unless_equals_int (robocache_ros_mapping_place (mapping, what->value_ms * MS, running_ns, &running_ns), what->placement);
    fail_unless_equals_int64 (running_ns, what->expected_ms * MS);
    /* the time of the place has this place */
    fail_unless_equals_int (robocache_ros_mapping_place (mapping, robocache_ros_mapping_time (mapping, running_ns), running_ns, &again_ns), PLACED);
    fail_unless_equals_int64 (again_ns, running_ns);
  }
}

GST_START_TEST (test_mapping)
{
  const gint64 origin_ms = mappings[__i__].origin_ms;
  const RobocacheRosSrcSettings settings = {.use_sim_time = mappings[__i__].is_simulated,
    .clock_mode = mappings[__i__].follows ? ROBOCACHE_ROS_CLOCK_FOLLOW : ROBOCACHE_ROS_CLOCK_KEEP,
    .time_origin = origin_ms < 0 ? ROBOCACHE_ROS_NO_ORIGIN : origin_ms * MS
  };
  gint64 sim_ns = ROBOCACHE_ROS_NO_ORIGIN;
  RobocacheRosMapping mapping;

  robocache_ros_mapping_init (&mapping, &settings);
  for (const Happening * each = mappings[__i__].happenings; each->what != END; each++)
    happen (&mapping, each, &sim_ns);
}

GST_END_TEST;

/* The present and the start of the host on the clock of the stamps: of this host, set, and set far from all times. */
static const struct
{
  gint64 origin_ns, now_ns, running_ns, boot_ns;
} presents[] = {
  {ROBOCACHE_ROS_NO_ORIGIN, 5020 * MS, 20 * MS, -995100 * MS},
  {700 * MS, 720 * MS, 20 * MS, -999400 * MS},
  {G_MAXINT64, G_MAXINT64, 20 * MS, G_MAXINT64 - 1000100 * MS},
};

GST_START_TEST (test_present)
{
  const RobocacheRosSrcSettings settings = {.time_origin = presents[__i__].origin_ns };
  const RobocacheClockReading clocks = { 5000 * MS, 0, 5000 * MS, 100 * MS, 1000100 * MS };
  RobocacheRosMapping mapping;
  gint64 running_ns;

  robocache_ros_mapping_init (&mapping, &settings);
  fail_unless_equals_int64 (robocache_ros_mapping_origin (&mapping), ROBOCACHE_ROS_NO_ORIGIN);
  robocache_ros_mapping_start (&mapping, &clocks);
  fail_unless_equals_int64 (robocache_ros_mapping_now (&mapping, 5020 * MS, 120 * MS, 0, &running_ns), presents[__i__].now_ns);
  fail_unless_equals_int64 (running_ns, presents[__i__].running_ns);
  fail_unless_equals_int64 (robocache_ros_mapping_boot (&mapping), presents[__i__].boot_ns);
  /* far from the origin */
  fail_unless_equals_int (robocache_ros_mapping_place (&mapping, presents[__i__].origin_ns > 0 ? G_MININT64 : 0, running_ns, &running_ns), EARLY);
}

GST_END_TEST;

/* The origin is between the readings, and slews are no steps. */
GST_START_TEST (test_origin)
{
  const RobocacheClockReading clocks = { 1000000000, 400000000, 1000000100, 700000000, 900000000 };
  const RobocacheRosSrcSettings settings = {.time_origin = ROBOCACHE_ROS_NO_ORIGIN,.clock_mode = ROBOCACHE_ROS_CLOCK_FOLLOW };
  RobocacheRosMapping mapping;

  robocache_ros_mapping_init (&mapping, &settings);
  robocache_ros_mapping_start (&mapping, &clocks);
  fail_unless_equals_int64 (robocache_ros_mapping_origin (&mapping), 600000050);
  fail_unless_equals_int64 (mapping.uncertainty_ns, 50);
  fail_unless_equals_int64 (robocache_ros_mapping_boot (&mapping), 100000100);
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2001000100, 1700000000), 0);
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2005000100, 1700000000), 5000000);
  fail_unless_equals_int64 (robocache_ros_mapping_origin (&mapping), 605000050);
  /* old spans are forgotten */
  for (guint i = 1; i < 2 * ROBOCACHE_ROS_MAX_SPANS; i++)
    fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2005000100 + i * 2000000, 1700000000), 2000000);
  fail_unless_equals_int64 (robocache_ros_mapping_origin (&mapping), 605000050 + (2 * ROBOCACHE_ROS_MAX_SPANS - 1) * 2000000);
}

GST_END_TEST;

CHECK_MAIN (rostime, NULL, NULL, EACH (cases, test_time_of_capture); EACH (mappings, test_mapping); EACH (presents, test_present);
    ONCE (test_origin));
