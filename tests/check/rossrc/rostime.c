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
  {FALLBACK (STAMP), FALLBACK (NONE), {5000, TRUE, 5100, 5200, 5200}, 5000, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {NONE, FALSE, 5100, 5200, 5200}, 5100, NULL},
  {FALLBACK (SOURCE), FALLBACK (NONE), {5000, TRUE, 5100, 5200, 5200}, 5100, NULL},
  {FALLBACK (ARRIVAL), FALLBACK (NONE), {5000, TRUE, 5100, 5200, 5200}, 5200, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {NONE, TRUE, 5100, 5200, 5200}, 0, "its time is 0"},
  {FALLBACK (STAMP), FALLBACK (SOURCE), {NONE, TRUE, 5100, 5200, 5200}, 5100, NULL},
  {FALLBACK (STAMP), FALLBACK (ARRIVAL), {NONE, TRUE, 5100, 5200, 5200}, 5200, NULL},
  {FALLBACK (STAMP), FALLBACK (SOURCE), {NONE, TRUE, 0, 5200, 5200}, 0, "its time is 0"},
  {FALLBACK (STAMP), FALLBACK (NONE), {BOOT - 1, TRUE, 5100, 5200, 5200}, 0, "its time is before the start of this host"},
  {FALLBACK (STAMP), FALLBACK (NONE), {BOOT, TRUE, 5100, 5200, 5200}, BOOT, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {5300, TRUE, 5100, 5200, 5200}, 5300, NULL},
  {FALLBACK (STAMP), FALLBACK (NONE), {5301, TRUE, 5100, 5200, 5200}, 0, "its time is more than max-future after its arrival"},
  {FALLBACK (STAMP), FALLBACK (ARRIVAL), {G_MAXINT64, TRUE, 5100, 5200, 5200}, 5200, NULL},
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

GST_START_TEST (test_mapping)
{
  const RobocacheRosClocks clocks = { 1000000000, 400000000, 1000000100, 700000000, 900000000 };
  RobocacheRosMapping mapping;

  robocache_ros_mapping_init (&mapping, &clocks, ROBOCACHE_ROS_NO_ORIGIN);
  fail_unless_equals_int64 (mapping.origin_ns, 600000050);
  fail_unless_equals_int64 (mapping.uncertainty_ns, 50);
  fail_unless_equals_int64 (mapping.boot_ns, 100000100);
  /* a clock that is slewed, and one that is set */
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2001000100, 1700000000, TRUE), 0);
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2005000100, 1700000000, FALSE), 5000000);
  fail_unless_equals_int64 (mapping.origin_ns, 600000050);
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2003000100, 1700000000, TRUE), -2000000);
  fail_unless_equals_int64 (mapping.origin_ns, 598000050);
  fail_unless_equals_int64 (robocache_ros_mapping_check (&mapping, 2003000100, 1700000000, TRUE), 0);
  robocache_ros_mapping_init (&mapping, &clocks, 7);
  fail_unless_equals_int64 (mapping.origin_ns, 7);
  fail_unless_equals_int64 (mapping.uncertainty_ns, 0);
}

GST_END_TEST;

CHECK_MAIN (rostime, NULL, NULL, EACH (cases, test_time_of_capture); ONCE (test_mapping));
