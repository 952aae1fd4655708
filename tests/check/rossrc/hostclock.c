/* robocache: clocks of other hosts, by the messages of their processes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gst/rossrc/hostclock.h"

#include "tests/check/lib/checks.h"

#define MS (gint64) GST_MSECOND
#define AHEAD 1000000 * MS

static const guint8 guids[][16] = {
  {1, 15, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3},
  {1, 15, 1, 1, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3},    /* another topic of that process */
  {1, 15, 1, 1, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3},    /* another process */
};

/* A topic whose messages take long has the clock that messages of a fast topic of its process show. */
GST_START_TEST (test_shared)
{
  GPtrArray *clocks = robocache_ros_host_clocks_new ();
  RobocacheRosHostClock *fast = robocache_ros_host_clocks_use (clocks, guids[0]), *slow = robocache_ros_host_clocks_use (clocks, guids[1]);
  RobocacheRosHostClock *other = robocache_ros_host_clocks_use (clocks, guids[2]);
  gint64 error_ns = 0;

  fail_unless (fast == slow && fast != other);
  /* in the order of arrival */
  for (gint64 t = 0; t <= 20000 * MS; t += 10 * MS) {
    robocache_ros_host_clock_read (fast, t + AHEAD, t + 1 * MS);
    robocache_ros_host_clock_read (slow, t - 39 * MS + AHEAD, t + 1 * MS);
    error_ns = robocache_ros_host_clock_convert (slow, t - 45 * MS + AHEAD) - (t - 45 * MS);
  }
  /* the transport of the fast one remains */
  fail_unless (error_ns > 0 && error_ns < 2 * MS, "%" G_GINT64_FORMAT, error_ns);
  /* a stamp after the publishing */
  error_ns = robocache_ros_host_clock_convert (slow, 20030 * MS + AHEAD) - 20030 * MS;
  fail_unless (error_ns > 0 && error_ns < 2 * MS, "%" G_GINT64_FORMAT, error_ns);
  /* the first message of a process is taken to be without a delay */
  robocache_ros_host_clock_read (other, 7, 500 * MS);
  fail_unless_equals_int64 (robocache_ros_host_clock_convert (other, 7), 500 * MS);
  robocache_ros_host_clocks_release (clocks, slow);
  fail_unless_equals_int (clocks->len, 2);
  robocache_ros_host_clocks_release (clocks, fast);
  fail_unless_equals_int (clocks->len, 1);
  g_ptr_array_unref (clocks);
}

GST_END_TEST;

CHECK_MAIN (hostclock, NULL, NULL, ONCE (test_shared));
