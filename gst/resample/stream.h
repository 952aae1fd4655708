/* robocache: robocacheresample, one stream: makes ticks of a grid from rows
 *
 * A plain structure that uses no element, pads or clock. Not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/decimationcheck.h"
#include "common/rows/checks.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/clockjump.h"
#include "format.h"

typedef struct
{
  gpointer log_object;          /* named in log lines */
  gboolean live;                /* ticks leave as soon as the rows around them have arrived */
  RobocacheRowTimes clock;      /* also has the segment, even without a history */
  RobocacheClockJump jump;      /* detects jumps of a live sensor's clock */

  /* valid from open to close */
  gboolean is_open;
  GstRobocacheResampleFormat format;
  RcSearch search;
  gboolean drops_gaps;
  gboolean rows_on_device;      /* the history's rows are RobocacheDeviceRow */
  const RobocacheChannelRoles *roles;   /* the owner's, parsed */
  RobocacheHistory history;
  gint64 placed;                /* time of the row that follows a clock jump; ROBOCACHE_NO_TIME: none is pending */
  gboolean is_ticking;          /* next_index is fixed */
  gint64 next_index, next_tick; /* index of the next tick on the grid, and its time */
  RobocacheGapCheck gap;
  gint64 max_gap;               /* that was in force at the last tick of a history that ended; 0: there was none */
  RobocacheDecimationCheck decimation;  /* check of the first rows after open */
  guint64 n_measured;           /* spacings of the history when the period was last measured */

  gint64 last_tick;             /* running time; -1 before the first. close keeps it, so that no tick is repeated */
} GstRobocacheResampleStream;

void gst_robocache_resample_stream_init (GstRobocacheResampleStream * stream, gpointer log_object);

/* Starts an empty history for streams of the format. roles: of its rows, read by restarts too. losses: where the history
 * reports late and dropped rows. */
void gst_robocache_resample_stream_open (GstRobocacheResampleStream * stream, const GstRobocacheResampleFormat * format,
    const GstRobocacheResampleSettings * settings, gboolean rows_on_device, const RobocacheChannelRoles * roles, RobocacheLosses * losses);
/* Ends the history: rows that are kept are counted as used, late or superseded, or when flushed as dropped; all counts are
 * added to counts. A stream that is not open may be closed. */
void gst_robocache_resample_stream_close (GstRobocacheResampleStream * stream, gboolean flushed, RobocacheRowCounts * counts);
/* Replaces the history by a new one; the state is otherwise that after open. */
void gst_robocache_resample_stream_restart (GstRobocacheResampleStream * stream, gboolean flushed,
    RobocacheRowCounts * counts);
/* The format's grid and output from now on; rows and roles stay. The next tick is the first one of the grid after the last. */
void gst_robocache_resample_stream_set_output (GstRobocacheResampleStream * stream, const GstRobocacheResampleFormat * format,
    const GstRobocacheResampleSettings * settings);

/* ---- rows in ---- */

/* Rows of one buffer, and the progress of their insertion. */
typedef struct
{
  GstBuffer *buffer;
  RobocacheTensorsMap map;
  gboolean is_mapped;           /* FALSE: rows stay in the buffer's device memory */
  gint64 *row_times;            /* [n_rows] on the timeline of PTS, or NULL */
  RobocacheBufferTimes times;
  guint64 next;
  gboolean no_memory;           /* no memory for row next */
} GstRobocacheResampleRows;

/* Maps the rows of a buffer; unmap them afterwards. FALSE and an error: the buffer differs from its caps. */
gboolean gst_robocache_resample_rows_map (GstRobocacheResampleRows * rows, const GstRobocacheResampleStream * stream,
    GstBuffer * buffer, GError ** error);
void gst_robocache_resample_rows_unmap (GstRobocacheResampleRows * rows);

/* Determines the times of rows. FALSE: their buffer has no time and no previous row to continue from; the rows are counted as dropped. */
gboolean gst_robocache_resample_stream_begin_rows (GstRobocacheResampleStream * stream, GstRobocacheResampleRows * rows);
/* Inserts rows from rows->next on; now: running time of the clock, to detect rows far from it; GST_CLOCK_TIME_NONE: do not check. FALSE:
 * the sensor's clock jumped before rows->next. Then output all ticks, restart, and call the function again. */
gboolean gst_robocache_resample_stream_insert (GstRobocacheResampleStream * stream, GstRobocacheResampleRows * rows,
    GstClockTime now);
/* Handles a GAP: no row comes before the position end. FALSE: the GAP is outside the segment, or too far from the clock. */
gboolean gst_robocache_resample_stream_gap (GstRobocacheResampleStream * stream, GstClockTime start, GstClockTime end,
    GstClockTime now);

/* ---- ticks out ---- */

/* One tick, or a run of successive ticks without rows. */
typedef struct
{
  gint64 time, duration;        /* ns of running time; the duration spans the run */
  guint64 n_ticks;
  gboolean dropped;
  RobocacheAlignment alignment; /* alignment of the first tick */
} GstRobocacheResampleTick;

/* Returns the next decided tick. Dropped ticks within a gap are returned as one run. FALSE: the next tick waits for rows. */
gboolean gst_robocache_resample_stream_next (GstRobocacheResampleStream * stream, GstRobocacheResampleTick * tick);
/* FALSE and an error that names both times: the newest row is years after the tick, so it has another clock. */
gboolean gst_robocache_resample_stream_check (const GstRobocacheResampleStream * stream,
    const GstRobocacheResampleTick * tick, GError ** error);
/* Releases rows that no tick needs, also after a change of the grid. */
void gst_robocache_resample_stream_prune (GstRobocacheResampleStream * stream);

/* max-gap (ns) at the last tick; -1: no limit. Before the first tick, periods count as unknown. */
gint64 gst_robocache_resample_stream_max_gap (const GstRobocacheResampleStream * stream);

/* ---- latency ---- */

/* Time (ns) between a row and the tick that it decides, reordering included; 0: the stream is not open. */
GstClockTime gst_robocache_resample_stream_latency (const GstRobocacheResampleStream * stream);
/* Whether to measure the period of rows again: enough rows have arrived since the last TRUE, and caps have no framerate. */
gboolean gst_robocache_resample_stream_measures_again (GstRobocacheResampleStream * stream);
