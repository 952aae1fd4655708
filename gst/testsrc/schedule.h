/* robocache: rows of robocachetestsrc: their times, order and losses
 *
 * Pure functions of settings with a rate, and of the number of a row. Row k belongs at tick k; rows 2 m and 2 m + 1 may be
 * delivered the other way round.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TESTSCHEDULE_H
#define ROBOCACHE_TESTSCHEDULE_H

#include "properties.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_TEST_ROW_SENT,
  ROBOCACHE_TEST_ROW_DROPPED,
  ROBOCACHE_TEST_ROW_SILENT
} RobocacheTestRowFate;

/* Time of capture of row k in ns; G_MAXINT64 past the end of time. */
gint64 robocache_test_row_time (const RobocacheTestSettings * settings, gint64 k);
RobocacheTestRowFate robocache_test_row_fate (const RobocacheTestSettings * settings, gint64 k);
/* The row that is delivered as number `delivery`. */
gint64 robocache_test_row_of_delivery (const RobocacheTestSettings * settings, gint64 delivery);
/* Whether this delivery is the second of two rows that were sent in reverse. */
gboolean robocache_test_ends_swap (const RobocacheTestSettings * settings, gint64 delivery);

/* Lower bound in ns of the times of rows from this delivery on; G_MAXINT64 past the end of time. */
gint64 robocache_test_earliest_from (const RobocacheTestSettings * settings, gint64 delivery);
/* Upper bound in ns of a row's delivery after its time of capture: a row waits for a newer one before it. */
gint64 robocache_test_max_lateness (const RobocacheTestSettings * settings);
/* Rows sent before a delivery, but at most limit. */
gint robocache_test_sent_before (const RobocacheTestSettings * settings, gint64 delivery, gint limit);

G_END_DECLS
#endif
