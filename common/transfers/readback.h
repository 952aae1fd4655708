/* robocache: counters of kernels, brought to the host in the order of the work
 *
 * A job's counters are int64s. Each engine clears them when the job begins, its kernels add to them, and it copies them to pinned
 * memory when the job ends. The counters of a job are the sum over the engines. On the CPU they are there at once.
 *
 * One thread begins, ends and waits for jobs, without a lock. Any thread may take the oldest job, which never waits for the device:
 * the owner guards that with a lock of its own, and replaces the readback under it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_READBACK_H
#define ROBOCACHE_READBACK_H

#include "common/device/engine.h"

G_BEGIN_DECLS

#define ROBOCACHE_READBACK_SLOTS 2      /* jobs not taken: one is computed while the next is enqueued */

typedef struct _RobocacheReadback RobocacheReadback;

/* For jobs of n_counters that all of the engines share. NULL and an error when there is no memory. */
RobocacheReadback *robocache_readback_new (RobocacheEngine * const *engines, guint n_engines, guint n_counters,
    GError ** error);
/* Waits for work that is under way. Counters that were not taken are lost. NULL is accepted. */
void robocache_readback_free (RobocacheReadback * readback);

/* Enqueues that the counters are 0. A slot must be free. */
gboolean robocache_readback_begin (RobocacheReadback * readback, GError ** error);
/* The counters that an engine's kernels write; no reference. */
gpointer robocache_readback_counters (const RobocacheReadback * readback, guint shard);
/* Enqueues the copy of the counters of the job, whose buffer has that PTS. */
gboolean robocache_readback_end (RobocacheReadback * readback, GstClockTime pts, GError ** error);
/* Waits on the CPU for all jobs but the last `but_last`. FALSE and an error when a device failed. NULL is accepted. */
gboolean robocache_readback_wait (RobocacheReadback * readback, guint but_last, GError ** error);

/* Jobs not taken. */
guint robocache_readback_pending (const RobocacheReadback * readback);
/* Takes the oldest job if it is done. FALSE: it is not, or there is none; or an error, when a device failed, and the job is lost.
 * NULL is accepted. */
gboolean robocache_readback_take (RobocacheReadback * readback, gint64 * counters, GstClockTime * pts, GError ** error);

G_END_DECLS
#endif
