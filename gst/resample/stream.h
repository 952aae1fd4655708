/* robocache: robocacheresample, one stream: rows in, ticks of a grid out
 *
 * A plain structure: it knows no element, pads or clock. Not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_STREAM_H
#define GST_ROBOCACHE_RESAMPLE_STREAM_H

#include "common/rows/gapcheck.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/clockjump.h"
#include "format.h"

G_BEGIN_DECLS

typedef struct
{
  gpointer log_object;          /* named in log lines */
  gboolean live;                /* ticks leave as soon as the rows around them are there */
  RobocacheRowTimes clock;      /* the segment too, also without a history */
  RobocacheClockJump jump;      /* of a live sensor's clock */

  /* from open to close */
  gboolean is_open;
  GstRobocacheResampleFormat format;
  RcSearch search;
  gboolean drops_gaps;
  gboolean rows_on_device;      /* the history's rows are RobocacheDeviceRow */
  RobocacheHistory history;
  gint64 placed;                /* time of the row that follows a clock jump; ROBOCACHE_NO_TIME: none is pending */
  gboolean is_ticking;          /* next_index is fixed */
  gint64 next_index, next_tick; /* on the grid, and its time */
  RobocacheGapCheck gap;
  guint n_measured;             /* spacings of the history when the period was last measured */

  gint64 last_tick;             /* running time; -1 before the first. Kept by close, so that no tick comes twice */
} GstRobocacheResampleStream;

void gst_robocache_resample_stream_init (GstRobocacheResampleStream * stream, gpointer log_object);

/* Starts an empty history for streams of the format. losses: where the history reports late and dropped rows. */
void gst_robocache_resample_stream_open (GstRobocacheResampleStream * stream, const GstRobocacheResampleFormat * format,
    const GstRobocacheResampleSettings * settings, gboolean rows_on_device, RobocacheLosses * losses);
/* Ends the history: rows that are kept are counted as used, late or superseded, or when flushed as dropped; all counts are
 * added to counts. A stream that is not open may be closed. */
void gst_robocache_resample_stream_close (GstRobocacheResampleStream * stream, gboolean flushed, RobocacheRowCounts * counts);
/* A new history in place of the old one, otherwise as after open. */
void gst_robocache_resample_stream_restart (GstRobocacheResampleStream * stream, gboolean flushed,
    RobocacheRowCounts * counts);
/* The format's grid and output from now on; rows stay. The next tick is the first one of the grid after the last. */
void gst_robocache_resample_stream_set_output (GstRobocacheResampleStream * stream, const GstRobocacheResampleFormat * format);

/* ---- rows in ---- */

/* Rows of one buffer, and how far they have been inserted. */
typedef struct
{
  GstBuffer *buffer;
  RobocacheTensorsMap map;
  gboolean is_mapped;           /* otherwise rows stay in the buffer's device memory */
  gint64 *row_times;            /* [n_rows] on the timeline of PTS, or NULL */
  RobocacheBufferTimes times;
  guint64 next;
  gboolean no_memory;           /* for the row next */
} GstRobocacheResampleRows;

/* Maps the rows of a buffer, to unmap afterwards. FALSE and an error when it differs from its caps. */
gboolean gst_robocache_resample_rows_map (GstRobocacheResampleRows * rows, const GstRobocacheResampleStream * stream,
    GstBuffer * buffer, GError ** error);
void gst_robocache_resample_rows_unmap (GstRobocacheResampleRows * rows);

/* Fixes the times of rows. FALSE: their buffer has no time and nothing to continue from; they are counted as dropped. */
gboolean gst_robocache_resample_stream_begin_rows (GstRobocacheResampleStream * stream, GstRobocacheResampleRows * rows);
/* Inserts rows from rows->next on; now is the running time of the clock if wild rows are to be found, otherwise
 * GST_CLOCK_TIME_NONE. FALSE: the sensor's clock jumped before rows->next. Then output all ticks, restart, and call it again. */
gboolean gst_robocache_resample_stream_insert (GstRobocacheResampleStream * stream, GstRobocacheResampleRows * rows,
    GstClockTime now);
/* No row comes before the position end. FALSE: the GAP is outside the segment, or as wild as a row would be. */
gboolean gst_robocache_resample_stream_gap (GstRobocacheResampleStream * stream, GstClockTime start, GstClockTime end,
    GstClockTime now);

/* ---- ticks out ---- */

/* One tick, or a run of successive ticks without rows. */
typedef struct
{
  gint64 time, duration;        /* ns of running time; the duration spans the run */
  guint64 n_ticks;
  gboolean dropped;
  RobocacheAlignment alignment; /* of the first */
} GstRobocacheResampleTick;

/* The next tick that is decided. Ticks within a gap that are dropped come as one run. FALSE: it waits for rows. */
gboolean gst_robocache_resample_stream_next (GstRobocacheResampleStream * stream, GstRobocacheResampleTick * tick);
/* FALSE and an error that names both times when the newest row is years after the tick: its clock is another one. */
gboolean gst_robocache_resample_stream_check (const GstRobocacheResampleStream * stream,
    const GstRobocacheResampleTick * tick, GError ** error);
/* Releases rows that no tick needs, also after a change of the grid. */
void gst_robocache_resample_stream_prune (GstRobocacheResampleStream * stream);

/* ---- latency ---- */

/* ns between a row and the tick that it decides, reordering included; 0 where rows are none. */
GstClockTime gst_robocache_resample_stream_latency (const GstRobocacheResampleStream * stream);
/* Whether enough rows have come since this was last TRUE to measure their period again, where caps name none. */
gboolean gst_robocache_resample_stream_measures_again (GstRobocacheResampleStream * stream);

G_END_DECLS
#endif
