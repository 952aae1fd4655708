/* robocache: the recent rows of one stream, in order of time, and their alignment to ticks
 *
 * Rows arrive in any order. The history keeps them sorted, drops late rows, keeps the last of rows with equal times, and finds when a
 * tick is decided, and by which rows. At any moment, every inserted row is counted exactly once, as used, late, duplicate, superseded,
 * dropped or still kept. Used by robocacheresample and robocachefuse; not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "brackets.h"
#include "common/time/nanoseconds.h"
#include "kernels/dtype.h"
#include "kernels/interpolation.h"
#include "rowcounts.h"

#define ROBOCACHE_N_SPACINGS 64
#define ROBOCACHE_MAX_REORDER_WINDOW (3600 * ROBOCACHE_SECOND)

/* Releases the objects that a row refers to. */
typedef void (*RobocacheReleaseRow) (gpointer row, gpointer data);

/* Copies bytes of the elements of a row from offset on, from any memory. FALSE: they cannot be read. */
typedef gboolean (*RobocacheReadRow) (gconstpointer row, gsize offset, gsize bytes, gpointer to);

/* Quaternions of rows, whose mean may not exist. */
typedef struct
{
  RcDtype dtype;
  guint64 channels;             /* number of elements of a row */
  const gint32 *first;          /* [n] first channels */
  gint64 n;
  RobocacheReadRow read;        /* NULL: the rows of the history are the elements themselves */
} RobocacheRowQuaternions;

typedef struct
{
  gsize row_bytes;
  RobocacheReleaseRow release_row;      /* NULL: not needed */
  gpointer release_data;
  gsize max_rows;               /* 0: no limit; otherwise a new row replaces the oldest one */
  gint64 reorder_window;        /* ns */
  gint64 row_period;            /* 1/framerate (ns), the period of RC_GAP_AUTO; 0: no framerate, and the period is measured by spacings */

  /* rows first … first + n - 1 of each array, in increasing time */
  gint64 *times;
  guint8 *rows;
  guint8 *flags;
  gint64 *overdue_by;           /* time of the last tick that was sent before the row arrived, minus the row's time; negative: the row is in time */
  gsize first, n, capacity;

  gint64 oldest_row;            /* smallest time of a row, including released rows; ROBOCACHE_NO_TIME before the first */
  gint64 newest_row;            /* greatest time of a row; ROBOCACHE_NO_TIME before the first */
  gint64 gap_end;               /* greatest end of a GAP; ROBOCACHE_NO_TIME before the first */
  gint64 last_tick;             /* greatest tick that was aligned; ROBOCACHE_NO_TIME before the first */
  gboolean eos;

  gint64 spacings[ROBOCACHE_N_SPACINGS];        /* ring of the time differences between successive newest rows */
  guint64 n_spacings;           /* ever recorded */
  gint64 past[RC_MAX_SPACINGS]; /* times of the rows that were released last, a ring */
  guint64 n_past;               /* ever recorded */

  RobocacheRowCounts counts;
  RobocacheLosses *losses;      /* owned by the caller; or NULL */
  RobocacheRowQuaternions quaternions;  /* first is owned by the history */
} RobocacheHistory;

/* Alignment of a stream to a tick. */
typedef struct
{
  RcBracket bracket;            /* rows are counted from robocache_history_rows (); missing if a quaternion of a mean or lowpass has no mean */
  gint64 before;                /* time of the row at or before the tick; ROBOCACHE_NO_TIME when there is none */
  gint64 used;                  /* time of the row that is copied, for RC_NEAREST possibly `after`; equal to before if several rows are combined, or
                                 * if after is unknown */
  gint64 after;                 /* time of the row after the tick; ROBOCACHE_NO_TIME without such a row, or if a GAP lies between, so that the
                                 * result does not depend on when the tick was requested */
} RobocacheAlignment;

void robocache_history_init (RobocacheHistory * history, gsize row_bytes, RobocacheReleaseRow release_row, gpointer release_data);
void robocache_history_clear (RobocacheHistory * history);      /* frees everything */

/* Sets the quaternions (copied) whose mean may be missing, as decided by the plan. Quaternions outside a row, which a plan refuses, are
 * ignored. */
void robocache_history_set_quaternions (RobocacheHistory * history, const RobocacheRowQuaternions * quaternions);

/* Releases all rows and discards times. Rows are counted as used, late or superseded. */
void robocache_history_reset (RobocacheHistory * history);
/* Like robocache_history_reset, but unused rows that were in time are counted as dropped. */
void robocache_history_discard (RobocacheHistory * history, RobocacheDropReason reason);

/* Releases the rows at `time` and later. Unused rows among them count as dropped, except late rows. */
void robocache_history_discard_from (RobocacheHistory * history, gint64 time, RobocacheDropReason reason);

/* The result of inserting a row. */
typedef enum
{
  ROBOCACHE_ROW_INSERTED,
  ROBOCACHE_ROW_DUPLICATE,      /* replaced the row with the same time */
  ROBOCACHE_ROW_LATE,           /* before the frontier */
  ROBOCACHE_ROW_OVERFLOW,       /* older than all rows of a full history */
  ROBOCACHE_ROW_NO_MEMORY       /* counted as overflow */
} RobocacheRowFate;

/* Inserts a row, of which row_bytes are copied. If release_row is set, always takes ownership of the objects that the row refers to. */
RobocacheRowFate robocache_history_insert (RobocacheHistory * history, gint64 time, gconstpointer row);
/* Sets ROBOCACHE_ERROR_MEMORY, for a row without memory. */
void robocache_history_set_no_memory (const RobocacheHistory * history, GError ** error);
/* A name for log messages. */
const gchar *robocache_row_fate_name (RobocacheRowFate fate);
/* Counts rows that were dropped before insertion; time: that of the first row, or ROBOCACHE_NO_TIME. */
void robocache_history_count_dropped (RobocacheHistory * history, RobocacheDropReason reason, gint64 time,
    guint64 n_rows);
/* Notes a GAP: no row with a time before end will be inserted. */
void robocache_history_gap (RobocacheHistory * history, gint64 end);
void robocache_history_eos (RobocacheHistory * history);

/* The row for which an output row still waits. */
typedef enum
{
  ROBOCACHE_WAIT_NONE,
  ROBOCACHE_WAIT_FIRST_ROW,
  ROBOCACHE_WAIT_ROW_AFTER,
  ROBOCACHE_WAIT_SECOND_ROW_AFTER,      /* only for cubic */
  ROBOCACHE_WAIT_MEAN_WINDOW,
  ROBOCACHE_WAIT_LOWPASS        /* a row at or after the end of the filter */
} RobocacheWait;

/* Returns whether the output row at tick is decided, and otherwise the reason. settled: it is decided when no later row can change it or
 * the result of robocache_history_align, so output does not depend on scheduling. Otherwise it is decided as soon as the rows that it
 * needs have arrived. */
RobocacheWait robocache_history_wait (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);
gboolean robocache_history_ready (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);
/* A text for log messages, like "a row after the tick". */
const gchar *robocache_wait_reason (RobocacheWait wait);

/* The greatest gap (ns) that search allows at t; -1: no limit. With RC_GAP_AUTO, it depends only on the rows up to t, so it does not depend
 * on the order of arrival. */
gint64 robocache_history_max_gap (const RobocacheHistory * history, const RcSearch * search, gint64 t);

/* Finds the rows for a tick, and marks them as used. */
void robocache_history_align (RobocacheHistory * history, const RcSearch * search, gint64 tick,
    RobocacheAlignment * alignment);

/* If tick is decided and missing: returns a time (> tick) before which all ticks are also decided and missing. It depends only on the
 * rows around the tick and on GAPs, not on the number of later rows that have arrived. */
gint64 robocache_history_missing_until (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);

/* Releases rows that ticks from next_tick on cannot need. */
void robocache_history_prune (RobocacheHistory * history, const RcSearch * search, gint64 next_tick);

/* Rows with a time before this are late; ROBOCACHE_NO_TIME before the first row or GAP. */
gint64 robocache_history_frontier (const RobocacheHistory * history);
gboolean robocache_history_has_rows (const RobocacheHistory * history);
gint64 robocache_history_first_time (const RobocacheHistory * history); /* ROBOCACHE_NO_TIME when empty */
gint64 robocache_history_last_time (const RobocacheHistory * history);
gconstpointer robocache_history_rows (const RobocacheHistory * history);        /* the first kept row */
const gint64 *robocache_history_times (const RobocacheHistory * history);       /* times of the kept rows */
gconstpointer robocache_history_row (const RobocacheHistory * history, gint64 index);
/* Number of kept rows with a time after t. */
gsize robocache_history_rows_after (const RobocacheHistory * history, gint64 t);

/* Time of the first row after t; ROBOCACHE_NO_TIME: none. */
gint64 robocache_history_next_after (const RobocacheHistory * history, gint64 t);

/* Median of the last 64 spacings; 0 with fewer than two rows. */
gint64 robocache_history_median_spacing (const RobocacheHistory * history);

/* Latency of an interpolation in ns: 0 for previous; one row for nearest, linear and hermite; two rows for cubic; half a tick more than
 * linear for mean; the half width of the filter for lowpass. The period of search is not used. */
gint64 robocache_interpolation_latency (const RcSearch * search, gint64 row_period_ns, gint64 tick_period_ns);
