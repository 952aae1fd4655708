/* robocache: one sensor of robocachefuse: its format, its rows, and their ticks
 *
 * Times are in ns. Times of settings, rows and GAPs are those of the sensor; times of ticks are those of the output, offset included.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/decimationcheck.h"
#include "common/rows/checks.h"
#include "common/time/clockjump.h"
#include "log.h"
#include "snapshot.h"
#include "statistics.h"
#include "timestamps.h"

/* Treatment of rows with NaN. */
typedef enum
{
  FUSE_NAN_COPY,                /* rows with NaN are used like other rows */
  FUSE_NAN_MISSING              /* rows with NaN are dropped, as if they had no value */
} FuseNan;

/* Times in ns. */
typedef struct
{
  RcSearch search;              /* period_ns is the period of the ticks, set by the owner of the tick clock */
  gint64 offset;                /* added to every row's time */
  gint64 reorder_window;
  gint64 max_lead;              /* maximum distance of a live row ahead of running time, offset included */
  gboolean required;
  FuseNan nan;
} FuseStreamSettings;

/* A source's answer to latency queries. Times in ns. */
typedef struct
{
  gboolean is_known;            /* the source has answered */
  gboolean live;                /* the source is live, so it never has to wait */
  gint64 min, max;              /* latencies of a live source; max ROBOCACHE_NO_TIME: it can buffer without limit */
} FuseSource;

/* Rows of one format and one segment. A new SEGMENT, new caps and a jump of the sensor's clock end an epoch and begin the
 * next, so old rows are drained while new rows arrive, and no row is ever blended with a row of another epoch. */
typedef struct
{
  FuseRowFormat *format;
  guint serial;                 /* serial of the format: formats with the same serial have the same rows */
  gboolean has_holds, is_held;  /* some of the channels are held, or all */
  RcSearch search;              /* see fuse_stream_search */
  gint64 begin;                 /* first tick of this epoch, which may have earlier rows; ROBOCACHE_NO_TIME: no row is before its segment */
  RobocacheHistory history;
} FuseEpoch;

typedef struct
{
  guint64 id;                   /* constant: never used twice in a process */
  gchar *name;                  /* constant */
  guint64 order;                /* constant: position among the streams of a sample */
  gboolean is_camera;           /* constant: by default, ticks are the rows of the first camera */
  const FuseLog *log;           /* constant; or NULL */
  GPtrArray *released;          /* constant: buffers to release without the owner's lock, since a release calls their owners */

  FuseStreamSettings settings;  /* as they were set: fuse_stream_search fits their search to rows */
  FuseTimestampSettings next_timestamps;        /* settings of timestamps from the next tick on */
  FuseSource source;
  FuseTimestamps times;
  RobocacheClockJump jump;      /* detects jumps of a live sensor's clock */

  gint32 *quaternions;          /* [n_quaternions] first channels of quaternions, in rows of the newest format */
  gint64 n_quaternions;
  gboolean has_holds, is_held;  /* some or all channels of new rows are held; the epochs have this for stored rows */
  RcSearch search;              /* see fuse_stream_search */
  guint32 unfiltered;           /* channels that the check of decimation skips */
  GQueue epochs;                /* FuseEpoch items, oldest first; empty before the first format */
  FuseRowFormat *format;        /* the newest format, with which the next epoch begins; NULL: no caps have come */
  guint serial;                 /* serial number of the newest format */
  gboolean is_declared;         /* the format is expected: no caps have come yet */
  gboolean has_data;            /* a row or a GAP has come since the stream began */
  gboolean eos;
  gboolean segment_done;        /* no row comes before the next segment, which no seek has requested */
  guint32 awaited_segment;      /* number of the last seek without a flush, whose segment is awaited; 0: none */
  gboolean was_done;            /* SEGMENT_DONE has arrived since the last segment */
  gboolean is_removed;          /* the stream no longer belongs to a core */
  guint n_positions;            /* number of times that its rows restarted at another position */
  guint max_frames;             /* maximum frames of a live camera that are kept for ticks */

  FuseStatistics statistics;    /* without the rows of the current epochs, and without lateness */
  RobocacheLosses losses;
  gboolean warned_no_time, warned_no_reference, warned_far;
  RobocacheGapCheck gap;
  gint64 max_gap;               /* max-gap (ns) at the last tick of the last epoch that ended; 0: no epoch has ended */
  RobocacheDecimationCheck decimation;  /* check of the first rows of the first format */
  RobocacheNanCheck nan;        /* check for NaN in rows in host memory */

  /* announced by the source: running time 0 on its clock, which is the time of the first row unless it was set */
  gboolean has_origin, origin_is_first_row;
  gint64 origin;
  gint64 origin_shift;          /* added to every row's time, so that streams with origins share one clock */
  gint64 sought_by;             /* how much earlier the segment of the stream starts than that of samples; subtracted from times of later rows */

  /* used by its core */
  gboolean is_ready;            /* ready for the awaited tick */
  gboolean start_is_checked, end_is_checked;    /* checked since the ticks began: see recordingspans.h */
  guint64 spacings_seen;          /* number of spacings when its period was last measured */
  gint64 needed;                /* latency that it needed (ns) when the total latency was last computed: see ticklatency.h */
  gint64 n_rows, n_gaps, n_events;      /* received since the core started: see journal.h */
  gint64 journal_number;        /* number of the stream in the journal; -1: not added yet */
} FuseStream;

/* name: that of its pad; order: streams of a sample are sorted by order. */
FuseStream *fuse_stream_new (const gchar * name, guint64 order, gboolean is_camera);
void fuse_stream_free (FuseStream * stream);
/* Resets the stream and its statistics; settings and id stay. */
void fuse_stream_reset (FuseStream * stream);

/* The time that is added to every row's time: the property, and the shift to the clock of other streams. */
gint64 fuse_stream_offset (const FuseStream * stream);
/* The position in the stream, whose times are shifted, that corresponds to a position of samples. */
gint64 fuse_stream_position (const FuseStream * stream, gint64 position);

/* Sets settings, which take effect at once. */
void fuse_stream_set_settings (FuseStream * stream, const FuseStreamSettings * settings);
/* Sets the period of the ticks (ns). */
void fuse_stream_set_period (FuseStream * stream, gint64 period);
/* The search for rows of this epoch, which follows their kinds: see robocache_search_set_holds. NULL: that of the newest format. */
const RcSearch *fuse_stream_search (const FuseStream * stream, const FuseEpoch * epoch);
/* Other settings about timestamps take effect, and begin an epoch. */
void fuse_stream_apply_timestamps (FuseStream * stream);

/* ---- events; in order with rows ---- */

/* Sets the format (transferred). has_same_rows: rows are those of the previous format. is_declared: the format is from expected-caps, and
 * no caps have arrived. */
void fuse_stream_set_format (FuseStream * stream, FuseRowFormat * format, gboolean has_same_rows, gboolean is_declared);
/* Begins a segment: its rows do not continue earlier rows. */
void fuse_stream_begin_segment (FuseStream * stream);
/* Notes a GAP: no row comes before end. start: the beginning of the GAP. now: running time of its arrival; ROBOCACHE_NO_TIME: rows may
 * have any time. */
void fuse_stream_gap (FuseStream * stream, gint64 start, gint64 end, gint64 now);
void fuse_stream_eos (FuseStream * stream);
void fuse_stream_segment_done (FuseStream * stream);
/* After a seek without a flush, makes ticks wait for rows of its segment, also after SEGMENT_DONE. */
void fuse_stream_await_segment (FuseStream * stream, guint32 number);
/* The seek with this number has failed: its segment is not awaited. */
void fuse_stream_await_no_segment (FuseStream * stream, guint32 number);
/* Restarts the stream after EOS. */
void fuse_stream_restart (FuseStream * stream);
/* Drops all rows; the format stays. */
void fuse_stream_flush (FuseStream * stream);
/* Running time has gone back: drops all rows, and expects that the next rows follow running time. */
void fuse_stream_follow_running_time (FuseStream * stream, gint64 moved);
/* Running time jumped to now by moved (0: it did not jump), so the sensor may follow or not. by_clock: the pipeline's clock jumped. */
void fuse_stream_expect_move (FuseStream * stream, gint64 now, gint64 moved, gboolean by_clock);
/* Ends all epochs; unused rows that are not late are counted as dropped. */
void fuse_stream_discard (FuseStream * stream, RobocacheDropReason reason);
/* Counts the remaining rows as used or unused, when no tick follows. */
void fuse_stream_settle (FuseStream * stream);

/* ---- rows in: see rowrules.h ---- */

/* The epoch of new rows; NULL before the first format. */
FuseEpoch *fuse_stream_newest_epoch (const FuseStream * stream);
/* The sensor's clock has jumped: rows continue at t, and older rows after t are useless. */
void fuse_stream_begin_epoch_at (FuseStream * stream, gint64 t);
/* Call this when an epoch of a live stream begins with a row at t. Ends earlier epochs whose rows are all after t, since these rows are
 * invalid and would block new rows. */
void fuse_stream_end_epochs_ahead (FuseStream * stream, gint64 t);
/* The time of a row in the output. A saturated time never equals ROBOCACHE_NO_TIME. */
gint64 fuse_stream_with_offset (const FuseStream * stream, gint64 t);
/* Counts rows that were dropped unprocessed, as overflow. */
void fuse_stream_drop_unread (FuseStream * stream, guint64 n_rows);
/* Counts the rows of a refused buffer; malformed rows are a loss. */
void fuse_stream_refuse (FuseStream * stream, RobocacheDropReason reason);
/* Replaces each kept frame of a camera by the result of copy, with its reference; NULL: the frame cannot be copied. FALSE: a frame could
 * not be copied. */
gboolean fuse_stream_copy_frames (FuseStream * stream, gpointer (*copy) (gpointer frame));

/* ---- ticks out ---- */

/* The epoch of the current ticks; NULL before the first format. */
FuseEpoch *fuse_stream_epoch (const FuseStream * stream);
/* Whether no row will come, or ticks do not wait for rows: the stream is at EOS, at the end of a segment, or declared and without data. */
gboolean fuse_stream_is_over (const FuseStream * stream);
/* Whether the row at tick is decided; see robocache_history_ready. */
gboolean fuse_stream_is_ready (const FuseStream * stream, gint64 tick, gboolean settled);
/* The reason why the tick must wait, for log messages: "a row after the tick", for example. */
const gchar *fuse_stream_awaits (const FuseStream * stream, gint64 tick, gboolean settled);
/* Moves to the epoch that tick falls into. */
void fuse_stream_enter_tick (FuseStream * stream, gint64 tick);
/* Reads the rows at tick, and counts its status. live: ticks have deadlines. FALSE and an error: no memory for the rows. */
gboolean fuse_stream_read (FuseStream * stream, gint64 tick, gboolean live, FuseSnapshot * snapshot, GError ** error);
/* Releases rows that no tick from next_tick on needs. */
void fuse_stream_prune (FuseStream * stream, gint64 next_tick);
/* Returns a time before which all ticks after tick have the same status as tick. */
gint64 fuse_stream_same_status_until (const FuseStream * stream, gint64 tick, RcRowStatus status);
/* Counts n more ticks of a status. */
void fuse_stream_count_ticks (FuseStream * stream, RcRowStatus status, guint64 n);

/* The first instant for which the stream has a row: the start of its segment, if a row is before the start; ROBOCACHE_NO_TIME: unknown. */
gint64 fuse_stream_begin (const FuseStream * stream);
/* Greatest lower bound of the times of later rows; smallest and greatest time of a row; ROBOCACHE_NO_TIME: unknown. */
gint64 fuse_stream_frontier (const FuseStream * stream);
gint64 fuse_stream_first_time (const FuseStream * stream);
gint64 fuse_stream_last_time (const FuseStream * stream);
/* Greatest time of a row, including released rows. */
gint64 fuse_stream_newest_row (const FuseStream * stream);
/* Time of the first row after t; ROBOCACHE_NO_TIME: no such row yet. */
gint64 fuse_stream_next_row_after (const FuseStream * stream, gint64 t);
gsize fuse_stream_rows_after (const FuseStream * stream, gint64 t);
/* The first instant from t on that is near a row: within a second, within two periods, or up to 10 s if rows are held or interpolated for
 * that long. G_MAXINT64: none. */
gint64 fuse_stream_next_near (const FuseStream * stream, gint64 t);

/* 1/framerate (ns) of the first row after t, or of the newest caps if no such row exists yet; 0: caps have no framerate. */
gint64 fuse_stream_nominal_period (const FuseStream * stream, gint64 t);
/* Nominal or else measured spacing of the newest rows (ns); 0: unknown. */
gint64 fuse_stream_period (const FuseStream * stream);

/* max-gap (ns) at the last tick; -1: no limit. Before the first tick, periods count as unknown. */
gint64 fuse_stream_max_gap (const FuseStream * stream);
/* See robocache_gap_check. */
gchar *fuse_stream_check_gap (FuseStream * stream, gboolean at_end);

/* Adds the statistics of the stream's rows and ticks to sum. */
void fuse_stream_add_statistics (const FuseStream * stream, FuseStatistics * sum);
