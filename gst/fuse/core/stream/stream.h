/* robocache: one sensor of robocachefuse: its format, its rows, and their ticks
 *
 * Times are in ns. Those of settings, rows and GAPs are the sensor's; those of ticks are the output's, offset included.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_STREAM_H
#define FUSE_STREAM_H

#include "common/rows/gapcheck.h"
#include "common/time/clockjump.h"
#include "log.h"
#include "snapshot.h"
#include "statistics.h"
#include "timestamps.h"

G_BEGIN_DECLS

/* Times in ns. */
typedef struct
{
  RcSearch search;              /* its period_ns is the ticks', set by the tick clock's owner */
  gint64 offset;                /* added to every row's time */
  gint64 reorder_window;
  gint64 max_lead;              /* of a live row, offset included, over running time */
  gboolean required;
} FuseStreamSettings;

/* A source's answer to latency queries. Times in ns. */
typedef struct
{
  gboolean is_known;            /* it was asked */
  gboolean live;                /* its rows come when they come: it is never made to wait */
  gint64 min, max;              /* latencies of a live source; max ROBOCACHE_NO_TIME: it can hold back as much as is asked for */
} FuseSource;

/* Rows of one format and one segment. A new SEGMENT, new caps and a jump of the sensor's clock end an epoch and begin the
 * next, so old rows are drained while new ones arrive, and no row is ever blended with one of another epoch. */
typedef struct
{
  FuseRowFormat *format;
  guint serial;                 /* of the format: formats of one serial have the same rows */
  RobocacheHistory history;
} FuseEpoch;

typedef struct
{
  guint64 id;                   /* constant: never used twice in a process */
  gchar *name;                  /* constant */
  guint64 order;                /* constant: among the streams of a sample */
  gboolean is_camera;           /* constant: without another choice, ticks are the rows of the first camera */
  const FuseLog *log;           /* constant; or NULL */
  GPtrArray *released;          /* constant: buffers to release without the owner's lock, since that calls their makers */

  FuseStreamSettings settings;  /* those in force */
  FuseTimestampSettings next_timestamps;        /* those about timestamps, from the next tick on */
  FuseSource source;
  FuseTimestamps times;
  RobocacheClockJump jump;      /* of a live sensor's clock */

  gint32 *quaternions;          /* [n_quaternions] first channels, in rows of the newest format */
  gint64 n_quaternions;
  GQueue epochs;                /* of FuseEpoch, oldest first; empty before the first format */
  FuseRowFormat *format;        /* the newest one, which the next epoch begins with; NULL: none has come */
  guint serial;                 /* of the newest format */
  gboolean is_declared;         /* the format is expected: no caps have come yet */
  gboolean has_data;            /* a row or a GAP has come since the stream began */
  gboolean eos;
  gboolean segment_done;        /* no row comes before the next segment */
  gboolean is_removed;          /* it belongs to no core any more */
  guint n_positions;            /* how often its rows began anew, at another place */
  guint max_frames;             /* of a live camera that are kept for ticks */

  FuseStatistics statistics;    /* without the rows of the epochs above, and without lateness */
  RobocacheLosses losses;
  gboolean warned_no_time, warned_no_reference, warned_far;
  RobocacheGapCheck gap;

  /* announced by the source: running time 0 on its clock, which is that of the first row unless it was set */
  gboolean has_origin, origin_is_first_row;
  gint64 origin;
  gint64 origin_shift;          /* added to every row's time, so that streams with origins are on one clock */
  gint64 sought_by;             /* how much earlier than the samples' segment that of the stream starts */

  /* for its core */
  gboolean is_ready;            /* for the tick that is awaited */
  gboolean start_is_checked, end_is_checked;    /* since the ticks began: see spans.h */
  guint spacings_seen;          /* when its period was last measured */
  gint64 n_rows, n_gaps, n_events;      /* taken in since the core started: see journal.h */
  gint64 journal_number;        /* in the journal; -1: none yet */
} FuseStream;

/* name: of its pad; order: streams of a sample are sorted by it. */
FuseStream *fuse_stream_new (const gchar * name, guint64 order, gboolean is_camera);
void fuse_stream_free (FuseStream * stream);
/* As new, statistics included; settings and id stay. */
void fuse_stream_reset (FuseStream * stream);

/* Added to the time of every row: the property, and the shift to the clock of other streams. */
gint64 fuse_stream_offset (const FuseStream * stream);
/* The position in the stream, whose times are shifted, that is a position of samples. */
gint64 fuse_stream_position (const FuseStream * stream, gint64 position);

/* Settings take effect at once. */
void fuse_stream_set_settings (FuseStream * stream, const FuseStreamSettings * settings);
/* Other settings about timestamps take effect, and begin an epoch. */
void fuse_stream_apply_timestamps (FuseStream * stream);

/* ---- events; in order with rows ---- */

/* Takes the format over. has_same_rows: as those of the format before it. is_declared: no caps have come, they are expected. */
void fuse_stream_set_format (FuseStream * stream, FuseRowFormat * format, gboolean has_same_rows, gboolean is_declared);
/* Rows have no connection with those before. */
void fuse_stream_begin_segment (FuseStream * stream);
/* No row comes before end; start: where the GAP begins. now: running time at which it arrives, or ROBOCACHE_NO_TIME: rows may be at any
 * time. */
void fuse_stream_gap (FuseStream * stream, gint64 start, gint64 end, gint64 now);
void fuse_stream_eos (FuseStream * stream);
void fuse_stream_segment_done (FuseStream * stream);
/* A new stream after EOS. */
void fuse_stream_restart (FuseStream * stream);
/* Drops all rows; the format stays. */
void fuse_stream_flush (FuseStream * stream);
/* Running time has gone back: drops all rows, and expects the next ones where the sensor follows it. */
void fuse_stream_follow_running_time (FuseStream * stream, gint64 moved);
/* Running time has moved to now, other than by the time that has passed, or not (0): the sensor may or may not follow. by_clock:
 * the pipeline's clock has moved. */
void fuse_stream_expect_move (FuseStream * stream, gint64 now, gint64 moved, gboolean by_clock);
/* Ends all epochs; unused rows in time are counted as dropped. */
void fuse_stream_discard (FuseStream * stream, RobocacheDropReason reason);
/* No tick follows: rows still kept are counted as used or not. */
void fuse_stream_settle (FuseStream * stream);

/* ---- rows in: see insertion.h ---- */

/* The epoch of new rows; NULL before the first format. */
FuseEpoch *fuse_stream_newest_epoch (const FuseStream * stream);
/* The sensor's clock has jumped: rows continue at t, beyond which no older one is of use. */
void fuse_stream_begin_epoch_at (FuseStream * stream, gint64 t);
/* t: the first row of an epoch of a live stream. Older rows that are all after it are void, and would hold new ones back. */
void fuse_stream_end_epochs_ahead (FuseStream * stream, gint64 t);
/* The time of a row in the output. Saturated times are no ROBOCACHE_NO_TIME. */
gint64 fuse_stream_with_offset (const FuseStream * stream, gint64 t);
/* Counts the rows of a buffer that is refused. */
void fuse_stream_refuse (FuseStream * stream);
/* Replaces kept frames of a camera by what copy returns, with a reference; NULL: it cannot copy. FALSE: one could not be copied. */
gboolean fuse_stream_copy_frames (FuseStream * stream, gpointer (*copy) (gpointer frame));

/* ---- ticks out ---- */

/* The epoch that answers ticks now; NULL before the first format. */
FuseEpoch *fuse_stream_epoch (const FuseStream * stream);
/* No row comes, or none is waited for: at EOS, at the end of a segment, or declared and without data. */
gboolean fuse_stream_is_over (const FuseStream * stream);
/* Whether the row at tick is decided; see robocache_history_ready. */
gboolean fuse_stream_is_ready (const FuseStream * stream, gint64 tick, gboolean settled);
/* Moves to the epoch that tick falls into. */
void fuse_stream_enter_tick (FuseStream * stream, gint64 tick);
/* Reads the rows at tick, and counts its status. FALSE and an error: there is no memory for them. */
gboolean fuse_stream_read (FuseStream * stream, gint64 tick, FuseSnapshot * snapshot, GError ** error);
/* Releases rows that no tick from next_tick on needs. */
void fuse_stream_prune (FuseStream * stream, gint64 next_tick);
/* With the status that it had at tick: no tick after it and before the returned one has another. */
gint64 fuse_stream_same_status_until (const FuseStream * stream, gint64 tick, RcRowStatus status);
/* Counts n more ticks of a status. */
void fuse_stream_count_ticks (FuseStream * stream, RcRowStatus status, guint64 n);

/* Greatest lower bound of the times of rows to come, least and greatest time of a row; ROBOCACHE_NO_TIME when unknown. */
gint64 fuse_stream_frontier (const FuseStream * stream);
gint64 fuse_stream_first_time (const FuseStream * stream);
gint64 fuse_stream_last_time (const FuseStream * stream);
/* Greatest time of a row, those included that were released. */
gint64 fuse_stream_newest_row (const FuseStream * stream);
/* Time of the first row after t; ROBOCACHE_NO_TIME when there is none yet. */
gint64 fuse_stream_next_row_after (const FuseStream * stream, gint64 t);
gsize fuse_stream_rows_after (const FuseStream * stream, gint64 t);
/* The first instant from t on that is near a row: within a second; up to 10 s if rows are held or interpolated for so long; and within two
 * periods. G_MAXINT64: there is none. */
gint64 fuse_stream_next_near (const FuseStream * stream, gint64 t);

/* 1/framerate (ns) of the first row after t, or of the newest caps before there is one; 0 where caps have none. */
gint64 fuse_stream_nominal_period (const FuseStream * stream, gint64 t);
/* Nominal or else measured spacing of the newest rows (ns); 0 when unknown. */
gint64 fuse_stream_period (const FuseStream * stream);

/* See robocache_gap_check. */
gchar *fuse_stream_check_gap (FuseStream * stream, gboolean at_end);

/* Adds what became of the rows and ticks. */
void fuse_stream_add_statistics (const FuseStream * stream, FuseStatistics * sum);

G_END_DECLS
#endif
