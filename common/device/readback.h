/* robocache: what kernels count, brought to the host in the order of the work
 *
 * A job's counters are int64s, cleared on each engine when it begins, added to by its kernels and copied to pinned
 * memory when it ends. The copies of the last jobs may be under way; a job is taken when its are done, oldest first,
 * as the sum over the engines. On the CPU they are done at once.
 *
 * The owner guards a readback: take, and begin and end, may be called by different threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_READBACK_H
#define ROBOCACHE_READBACK_H

#include "engine.h"

G_BEGIN_DECLS

#define ROBOCACHE_READBACK_SLOTS 2         /* jobs under way: one is computed while the next is enqueued */

typedef struct _RobocacheReadbackShard RobocacheReadbackShard;

/* Zero is none. */
typedef struct
{
  guint n_shards, n_counters;
  RobocacheReadbackShard *shards;     /* one for each engine */
  guint oldest, n;              /* jobs not taken */
  GstClockTime pts[ROBOCACHE_READBACK_SLOTS];
} RobocacheReadback;

/* For jobs of n_counters that all of the engines share. FALSE and an error when there is no memory. */
gboolean robocache_readback_init (RobocacheReadback * readback, RobocacheEngine * const *engines, guint n_engines,
    guint n_counters, GError ** error);
/* What was not taken is lost; no work may be under way. */
void robocache_readback_clear (RobocacheReadback * readback);

/* A slot must be free. Enqueues that the counters are 0. */
gboolean robocache_readback_begin (RobocacheReadback * readback, GError ** error);
/* Where an engine's kernels count. */
gpointer robocache_readback_counters (const RobocacheReadback * readback, guint shard);
/* Enqueues the copy of all of them, of the job that has pts. */
gboolean robocache_readback_end (RobocacheReadback * readback, GstClockTime pts, GError ** error);

/* Jobs that were not taken. */
guint robocache_readback_pending (const RobocacheReadback * readback);
/* Waits for the oldest job, of which there must be one. FALSE and an error when a device failed; the job is lost. */
gboolean robocache_readback_take (RobocacheReadback * readback, gint64 * counters, GstClockTime * pts, GError ** error);

G_END_DECLS
#endif
