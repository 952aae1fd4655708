/* robocache: statistics of robocacheparse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/time/clocktrack.h"

/* A zeroed struct is valid and empty. */
typedef struct
{
  guint64 rows, clouds, points; /* sent; points in those clouds */
  guint64 malformed, before_origin, skipped;    /* records dropped; skipped: outside the segment of a seek */
  guint64 backwards, equal_times, empty_fields, comments;       /* rows earlier than, or at the time of, the row before */
  guint64 incomplete, steps_back;       /* records without a value of a channel; steps back of the clock */
  gchar *column_groups;         /* groups of columns of a file that was read to its end, see emptycells.h; or NULL. The owner of the struct frees it */
  gint64 delay_max_ns;          /* greatest arrival - capture */
  gboolean tracks_clock;        /* clock is valid */
  RobocacheClockEstimate clock; /* estimate of the sensor's clock */
} RobocacheParseStatistics;

/* The value of the property `stats`, to be freed with gst_structure_free. */
GstStructure *robocache_parse_statistics_to_structure (const RobocacheParseStatistics * statistics);
