/* robocache: what kernels count, brought to the host in the order of the work
 *
 * A job's counters are int64s, cleared on each engine when it begins, added to by its kernels and copied to pinned
 * memory when it ends. The copies of the last jobs may be under way; a job is taken when its are done, oldest first,
 * as the sum over the engines. On the CPU they are done at once.
 *
 * The owner guards a tally: take, and begin and end, may be called by different threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_TALLY_H
#define ROBOCACHE_TALLY_H

#include "engine.h"

G_BEGIN_DECLS

#define ROBOCACHE_TALLY_SLOTS 2         /* jobs under way: one is computed while the next is enqueued */

typedef struct _RobocacheTallyLane RobocacheTallyLane;

/* Zero is none. */
typedef struct
{
  guint n_lanes, n_counters;
  RobocacheTallyLane *lanes;    /* one for each engine */
  guint oldest, n;              /* jobs not taken */
  GstClockTime pts[ROBOCACHE_TALLY_SLOTS];
} RobocacheTally;

/* For jobs of n_counters that all of the engines share. FALSE and an error when there is no memory. */
gboolean robocache_tally_init (RobocacheTally * tally, RobocacheEngine * const *engines, guint n_engines,
    guint n_counters, GError ** error);
/* What was not taken is lost; no work may be under way. */
void robocache_tally_clear (RobocacheTally * tally);

/* A slot must be free. Enqueues that the counters are 0. */
gboolean robocache_tally_begin (RobocacheTally * tally, GError ** error);
/* Where an engine's kernels count. */
gpointer robocache_tally_counters (const RobocacheTally * tally, guint lane);
/* Enqueues the copy of all of them, of the job that has pts. */
gboolean robocache_tally_end (RobocacheTally * tally, GstClockTime pts, GError ** error);

/* Jobs that were not taken. */
guint robocache_tally_pending (const RobocacheTally * tally);
/* Waits for the oldest job, of which there must be one. FALSE and an error when a device failed; the job is lost. */
gboolean robocache_tally_take (RobocacheTally * tally, gint64 * counters, GstClockTime * pts, GError ** error);

G_END_DECLS
#endif
