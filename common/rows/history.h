/* robocache: the recent rows of one stream, in order of time, and their alignment to ticks
 *
 * Rows arrive in any order; the history keeps them sorted, drops late ones, lets the last of equal times win, and finds
 * when a tick is decided and by which rows. Every inserted row is, at any moment, in exactly one of used,
 * late, duplicate, superseded and dropped, or still kept. Used by resample and fuse alike; not thread-safe.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_HISTORY_H
#define ROBOCACHE_HISTORY_H

#include "common/time/nanoseconds.h"
#include "kernels/interpolation.h"
#include "rowcounts.h"

G_BEGIN_DECLS

#define ROBOCACHE_N_SPACINGS 64
#define ROBOCACHE_MAX_REORDER_WINDOW (3600 * ROBOCACHE_SECOND)

/* Takes what a row refers to, which is released. */
typedef void (*RobocacheReleaseRow) (gpointer row, gpointer data);

typedef struct
{
  gsize row_bytes;
  RobocacheReleaseRow release_row;      /* or NULL */
  gpointer release_data;
  gsize max_rows;               /* 0: no bound; otherwise the oldest row is dropped for a new one */
  gint64 reorder_window;        /* ns */

  /* rows first … first + n - 1 of each array, in increasing time */
  gint64 *times;
  guint8 *rows;
  guint8 *flags;
  gint64 *overdue_by;           /* the last tick that had left when the row came, less its time; negative: in time */
  gsize first, n, capacity;

  gint64 oldest_row;            /* least time of a row, released ones included; ROBOCACHE_NO_TIME before the first */
  gint64 newest_row;            /* greatest time of a row; ROBOCACHE_NO_TIME before the first */
  gint64 gap_end;               /* greatest end of a GAP; ROBOCACHE_NO_TIME before the first */
  gint64 last_tick;             /* greatest tick that was aligned; ROBOCACHE_NO_TIME before the first */
  gboolean eos;

  gint64 spacings[ROBOCACHE_N_SPACINGS];        /* of successive newest rows, a ring */
  guint n_spacings;             /* ever recorded */

  RobocacheRowCounts counts;
  RobocacheLosses *losses;      /* of its owner; or NULL */
} RobocacheHistory;

/* Alignment of a stream to a tick. */
typedef struct
{
  RcBracket bracket;            /* row indices count from robocache_history_rows () */
  gint64 before;                /* time of the row at or before the tick; ROBOCACHE_NO_TIME when there is none */
  gint64 after;                 /* time of the row after it; none also where a GAP lies between, so that it does not
                                 * matter how soon the tick was asked for */
} RobocacheAlignment;

void robocache_history_init (RobocacheHistory * history, gsize row_bytes, RobocacheReleaseRow release_row, gpointer release_data);
void robocache_history_clear (RobocacheHistory * history);      /* frees everything */

/* Releases all rows and forgets times. Rows are counted as used, late or superseded. */
void robocache_history_reset (RobocacheHistory * history);
/* The same, but unused rows that were in time are counted as dropped. */
void robocache_history_discard (RobocacheHistory * history, RobocacheDropReason reason);

/* Releases rows from time on; unused ones that were in time are counted as dropped. */
void robocache_history_discard_from (RobocacheHistory * history, gint64 time, RobocacheDropReason reason);

/* The fate of a row at its arrival. */
typedef enum
{
  ROBOCACHE_ROW_INSERTED,
  ROBOCACHE_ROW_DUPLICATE,      /* replaced the row with the same time */
  ROBOCACHE_ROW_LATE,           /* before the frontier */
  ROBOCACHE_ROW_OVERFLOW,       /* older than all rows of a full history */
  ROBOCACHE_ROW_NO_MEMORY       /* counted as one that overflows */
} RobocacheRowFate;

/* Copies row_bytes of a row; with release_row set, takes over what the row refers to, whatever its fate. */
RobocacheRowFate robocache_history_insert (RobocacheHistory * history, gint64 time, gconstpointer row);
/* ROBOCACHE_ERROR_MEMORY, for a row without memory. */
void robocache_history_set_no_memory (const RobocacheHistory * history, GError ** error);
/* For log lines. */
const gchar *robocache_row_fate_name (RobocacheRowFate fate);
/* Counts rows that were dropped before insertion; time is that of the first, or ROBOCACHE_NO_TIME. */
void robocache_history_count_dropped (RobocacheHistory * history, RobocacheDropReason reason, gint64 time,
    guint64 n_rows);
/* A GAP: no row with a time before end will be inserted. */
void robocache_history_gap (RobocacheHistory * history, gint64 end);
void robocache_history_eos (RobocacheHistory * history);

/* The row that an output row still waits for. */
typedef enum
{
  ROBOCACHE_WAIT_NONE,
  ROBOCACHE_WAIT_FIRST_ROW,
  ROBOCACHE_WAIT_ROW_AFTER,
  ROBOCACHE_WAIT_SECOND_ROW_AFTER,      /* of cubic */
  ROBOCACHE_WAIT_MEAN_WINDOW
} RobocacheWait;

/* Whether the output row at tick is decided, and otherwise why not. settled: no row to come may change it, nor what
 * robocache_history_align reports of it, so output does not depend on scheduling. Otherwise as soon as the rows it needs
 * are there. */
RobocacheWait robocache_history_wait (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);
gboolean robocache_history_ready (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);
/* For log lines: "a row after the tick" and the like. */
const gchar *robocache_wait_reason (RobocacheWait wait);

/* The rows for a tick, and marks them used. */
void robocache_history_align (RobocacheHistory * history, const RcSearch * search, gint64 tick,
    RobocacheAlignment * alignment);

/* Given that tick is decided and missing: all ticks before the returned time (> tick) are decided and missing, too. It depends
 * on the rows around the tick and on GAPs alone, not on how much later rows have arrived. */
gint64 robocache_history_missing_until (const RobocacheHistory * history, const RcSearch * search, gint64 tick,
    gboolean settled);

/* Releases rows that no tick from next_tick on can need. */
void robocache_history_prune (RobocacheHistory * history, const RcSearch * search, gint64 next_tick);

/* Rows with a time before this are late; ROBOCACHE_NO_TIME before the first row or GAP. */
gint64 robocache_history_frontier (const RobocacheHistory * history);
gboolean robocache_history_has_rows (const RobocacheHistory * history);
gint64 robocache_history_first_time (const RobocacheHistory * history); /* ROBOCACHE_NO_TIME when empty */
gint64 robocache_history_last_time (const RobocacheHistory * history);
gconstpointer robocache_history_rows (const RobocacheHistory * history);        /* the first kept row */
gconstpointer robocache_history_row (const RobocacheHistory * history, gint64 index);
/* Rows kept with a time after t. */
gsize robocache_history_rows_after (const RobocacheHistory * history, gint64 t);

/* Time of the first row after t; ROBOCACHE_NO_TIME when there is none. */
gint64 robocache_history_next_after (const RobocacheHistory * history, gint64 t);

/* Median of the last 64 spacings; 0 with fewer than two rows. */
gint64 robocache_history_median_spacing (const RobocacheHistory * history);

/* Latency of an interpolation in ns: previous 0; nearest, linear and hermite one row; cubic two; mean half a tick more
 * than linear. */
gint64 robocache_interpolation_latency (RcInterpolation interpolation, gint64 row_period_ns, gint64 tick_period_ns);

/* The rows of a bracket, and the bracket of the same rows when they lie one after another from 0 on: writes their indices,
 * which a mean has bracket->next - bracket->row of and others at most four, and returns how many there are. */
guint64 robocache_bracket_rows (const RcBracket * bracket, gint64 * rows);
RcBracket robocache_bracket_of_gathered (const RcBracket * bracket);

G_END_DECLS
#endif
