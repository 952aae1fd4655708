/* robocache: the running time of each row of a buffer
 *
 * Row i of a buffer with R rows is at PTS + i * duration / R. A tensor of row times overrides this rule. A buffer without PTS starts at
 * the end of the previous one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/tensors/tensorcaps.h"

typedef struct
{
  GstSegment segment;           /* in TIME; undefined before the first */
  GstClockTime nominal_duration;        /* duration of buffers without one; GST_CLOCK_TIME_NONE: unknown */
  GstClockTime next_pts;        /* end of the last buffer; GST_CLOCK_TIME_NONE: unknown */
} RobocacheRowTimes;

void robocache_row_times_init (RobocacheRowTimes * clock);
/* Starts at a new stream position. A buffer without PTS then has no time. */
void robocache_row_times_set_segment (RobocacheRowTimes * clock, const GstSegment * segment);
void robocache_row_times_set_rate (RobocacheRowTimes * clock, gint num, gint den);

typedef enum
{
  ROBOCACHE_BUFFER_TIMED,
  ROBOCACHE_BUFFER_WITHOUT_TIME /* neither PTS, nor row times, nor a previous buffer */
} RobocacheBufferTiming;

/* Begins a buffer: determines pts and duration for robocache_row_times_nth, and advances the clock. */
typedef struct
{
  GstClockTime pts, duration;
  guint64 n_rows;
  const gint64 *row_times;      /* [n_rows] on the timeline of PTS, or NULL */
} RobocacheBufferTimes;

RobocacheBufferTiming robocache_row_times_begin (RobocacheRowTimes * clock, GstBuffer * buffer, guint64 n_rows,
    const gint64 * row_times, RobocacheBufferTimes * times);
/* A buffer whose rows are not used only advances the clock of buffers without PTS. */
void robocache_row_times_pass (RobocacheRowTimes * clock, GstBuffer * buffer);

/* Warns about a buffer without time, which was dropped and counted; pad: the pad that received it; NULL: the only sink pad. */
void robocache_row_times_warn (GstElement * element, GstPad * pad);

/* Running time on the element's clock; GST_CLOCK_TIME_NONE: no clock, or the clock does not run (below PLAYING). */
GstClockTime robocache_running_time_now (GstElement * element);

/* Running time of row i. FALSE: the row lies outside the segment. */
gboolean robocache_row_times_nth (const RobocacheRowTimes * clock, const RobocacheBufferTimes * times, guint64 i,
    gint64 * running_time);
/* Like robocache_row_times_nth, for a row before the segment's start, counted back from the start, so it may be negative. FALSE: the row
 * is not before the start. */
gboolean robocache_row_times_nth_before (const RobocacheRowTimes * clock, const RobocacheBufferTimes * times, guint64 i,
    gint64 * running_time);

/* Rows of a sensor as other/tensors: one tensor D or D:R, and optionally a second, int64, with R times. */
typedef struct
{
  RcDtype dtype;
  guint64 channels;             /* D */
  guint64 n_rows;               /* R, rows per buffer */
  gboolean has_times;
} RobocacheRowLayout;

/* FALSE and an error that names the expected caps of a stream of rows. */
gboolean robocache_row_layout_from_info (RobocacheRowLayout * layout, const RobocacheTensorsInfo * info,
    GError ** error);
