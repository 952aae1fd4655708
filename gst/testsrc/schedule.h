/* robocache: rows of robocachetestsrc: their times, order and losses
 *
 * Pure functions of settings with a rate, and of the number of a row. The nominal time of row k is tick k; rows 2 m and 2 m + 1 may be
 * delivered in reverse order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "properties.h"

typedef enum
{
  ROBOCACHE_TEST_ROW_SENT,
  ROBOCACHE_TEST_ROW_DROPPED,
  ROBOCACHE_TEST_ROW_SILENT
} RobocacheTestRowFate;

/* Time of capture of row k in ns; G_MAXINT64 past the end of time. */
gint64 robocache_test_row_time (const RobocacheTestSettings * settings, gint64 k);
RobocacheTestRowFate robocache_test_row_fate (const RobocacheTestSettings * settings, gint64 k);
/* The number of the row that is sent at position `delivery`. */
gint64 robocache_test_row_of_delivery (const RobocacheTestSettings * settings, gint64 delivery);
/* Whether this delivery is the second of two rows in reverse order. */
gboolean robocache_test_ends_swap (const RobocacheTestSettings * settings, gint64 delivery);

/* Lower bound in ns of the times of rows from this delivery on; G_MAXINT64 past the end of time. */
gint64 robocache_test_earliest_from (const RobocacheTestSettings * settings, gint64 delivery);
/* The delivery from which on all rows at or after a time are sent, together with some earlier rows. */
gint64 robocache_test_delivery_from (const RobocacheTestSettings * settings, gint64 time_ns);
/* Upper bound in ns of the time from capture to delivery: a row may wait for a newer row that is sent before it. */
gint64 robocache_test_max_lateness (const RobocacheTestSettings * settings);
/* Number of rows sent before a delivery, at most limit. */
gint robocache_test_sent_before (const RobocacheTestSettings * settings, gint64 delivery, gint limit);
/* The newest row before a time, among the first `limit` rows (-1: all rows) that are sent; -1: no such row, or a row at that time is sent. */
gint64 robocache_test_row_in_force (const RobocacheTestSettings * settings, gint64 time_ns, gint limit);
