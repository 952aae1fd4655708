/* robocache: what became of the rows of a stream
 *
 * Every row that came in is, at any moment, in exactly one of used, late, duplicate, superseded and dropped, or still
 * kept; and a row that was dropped was so for exactly one reason.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWCOUNTS_H
#define ROBOCACHE_ROWCOUNTS_H

#include "common/element/stats.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_DROPPED_NO_TIME,    /* no timestamp, and none before it to go on from */
  ROBOCACHE_DROPPED_OUTSIDE_SEGMENT,
  ROBOCACHE_DROPPED_CLOCK_JUMP, /* a time that is far from the clock and does not go on from the rows before it */
  ROBOCACHE_DROPPED_OVERFLOW,   /* no room in a bounded history */
  ROBOCACHE_DROPPED_FLUSH,
  ROBOCACHE_DROPPED_REFUSED,    /* a buffer that is not what its caps say, or came after an error or the end */
  ROBOCACHE_DROPPED_REMOVED,    /* still waiting for a tick when its pad was removed */
  ROBOCACHE_DROPPED_NO_REFERENCE,       /* no reference timestamp, where that is what counts */
  ROBOCACHE_N_DROP_REASONS
} RobocacheDropReason;

typedef struct
{
  guint64 in;                   /* rows offered */
  guint64 used;                 /* rows that took part in an output row */
  guint64 late;                 /* rows older than the newest by more than the reorder window, or whose ticks had left */
  guint64 duplicate;            /* rows replaced by a later arrival with the same time */
  guint64 superseded;           /* rows in time that no tick needed */
  guint64 dropped[ROBOCACHE_N_DROP_REASONS];
} RobocacheRowCounts;

guint64 robocache_row_counts_dropped (const RobocacheRowCounts * counts);       /* for whatever reason */
/* Counts rows that were dropped before anything else could become of them. */
void robocache_row_counts_refuse (RobocacheRowCounts * counts, RobocacheDropReason reason, guint64 n_rows);
void robocache_row_counts_add (RobocacheRowCounts * sum, const RobocacheRowCounts * counts);
/* Adds rows-in, rows-used, rows-late, rows-duplicate, rows-superseded, rows-dropped, rows-dropped-REASON for each reason,
 * and rows-kept (uint64). */
void robocache_row_counts_to_structure (const RobocacheRowCounts * counts, guint64 n_kept, GstStructure * structure);

/* Rows that were lost though their sensor meant them to be used: late ones, and those dropped for want of a time or of
 * room. Beside the counters these have a distribution and, for QoS messages, what was lost since somebody last asked. */
typedef struct
{
  guint64 n;
  gint64 time;                  /* running time of the first of them; G_MININT64: it had none */
  gint64 lateness;              /* of the latest */
} RobocacheLoss;

typedef struct
{
  RobocacheHistogram lateness;  /* of late rows: how far behind the least time that was still taken, or the last tick */
  RobocacheLoss pending;
} RobocacheLosses;

/* losses may be NULL. */
void robocache_losses_late (RobocacheLosses * losses, gint64 time, gint64 lateness);
void robocache_losses_dropped (RobocacheLosses * losses, gint64 time, guint64 n_rows);
/* FALSE: nothing was lost since this was last called. */
gboolean robocache_losses_take (RobocacheLosses * losses, RobocacheLoss * loss);

G_END_DECLS
#endif
