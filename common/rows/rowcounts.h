/* robocache: counters of the rows of a stream
 *
 * At any moment, every inserted row is counted exactly once, as used, late, duplicate, superseded, dropped or still kept. A dropped row
 * has exactly one reason.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "histogram.h"

typedef enum
{
  ROBOCACHE_DROPPED_NO_TIME,    /* no timestamp, and no buffer before it */
  ROBOCACHE_DROPPED_OUTSIDE_SEGMENT,
  ROBOCACHE_DROPPED_CLOCK_JUMP, /* a time far from the clock and from the rows before it */
  ROBOCACHE_DROPPED_OVERFLOW,   /* no space in a bounded history */
  ROBOCACHE_DROPPED_FLUSH,
  ROBOCACHE_DROPPED_REFUSED,    /* a buffer before caps, after an error or after the end */
  ROBOCACHE_DROPPED_REMOVED,    /* still waiting for a tick when its pad was removed */
  ROBOCACHE_DROPPED_NO_REFERENCE,       /* no reference timestamp, although the pad requires one */
  ROBOCACHE_DROPPED_AHEAD,      /* further ahead of running time than max-lead */
  ROBOCACHE_DROPPED_MALFORMED,  /* a buffer that differs from its caps, or whose caps cannot be used */
  ROBOCACHE_DROPPED_NAN,        /* a row with NaN, where NaN counts as missing */
  ROBOCACHE_N_DROP_REASONS
} RobocacheDropReason;

typedef struct
{
  guint64 in;                   /* rows offered */
  guint64 used;                 /* rows that were used for an output row */
  guint64 late;                 /* rows older than the newest row by more than the reorder window, or whose ticks had been sent */
  guint64 overtaken;            /* late rows that were older than the newest row by more than the reorder window */
  guint64 duplicate;            /* rows replaced by a later arrival with the same time */
  guint64 superseded;           /* rows that were in time, but not needed by any tick */
  guint64 dropped[ROBOCACHE_N_DROP_REASONS];
} RobocacheRowCounts;

/* The name of its counter in stats, like "rows-dropped-no-time". */
const gchar *robocache_drop_reason_field (RobocacheDropReason reason);
/* A name for log messages, like "no-time". */
const gchar *robocache_drop_reason_name (RobocacheDropReason reason);
guint64 robocache_row_counts_dropped (const RobocacheRowCounts * counts);       /* for all reasons */
/* Counts rows that were dropped on arrival. */
void robocache_row_counts_refuse (RobocacheRowCounts * counts, RobocacheDropReason reason, guint64 n_rows);
void robocache_row_counts_add (RobocacheRowCounts * sum, const RobocacheRowCounts * counts);
/* Losses: rows that arrived late, and rows dropped without a time or for lack of space; or ticks without a row. */
typedef struct
{
  guint64 n;
  gint64 time;                  /* running time of the first loss; G_MININT64: unknown */
  gint64 lateness;              /* greatest lateness in ns */
} RobocacheLoss;

/* A zeroed struct is valid and empty. */
typedef struct
{
  RobocacheHistogram lateness;  /* lateness of late rows: relative to the earliest accepted time, or to the last tick */
  RobocacheLoss pending;        /* not yet reported */
  gint64 reported_ns;           /* time of the last report, if any */
  gboolean reported;
} RobocacheLosses;

/* losses may be NULL. */
void robocache_losses_late (RobocacheLosses * losses, gint64 time, gint64 lateness);
void robocache_losses_dropped (RobocacheLosses * losses, gint64 time, guint64 n_rows);

/* Whether robocache_losses_take would return TRUE. */
gboolean robocache_losses_are_due (const RobocacheLosses * losses, gint64 now_ns, gint64 interval_ns);
/* Reads and clears the pending losses for a report at the time now_ns. Reports are at least interval_ns apart; the first one is
 * immediate. If the timeline restarts at an earlier time, the next report is not delayed. now_ns is on any monotonic timeline of the
 * caller; G_MININT64: unknown, as if no time had passed. FALSE: nothing is pending, or the interval has not passed. */
gboolean robocache_losses_take (RobocacheLosses * losses, gint64 now_ns, gint64 interval_ns, RobocacheLoss * loss);
/* Like robocache_losses_take, regardless of the interval, for the end of a stream. */
gboolean robocache_losses_flush (RobocacheLosses * losses, RobocacheLoss * loss);
