/* robocache: copies counters of kernels to the host in the order of the work
 *
 * A job's counters are int64s. Each engine clears them when the job begins, its kernels add to them, and it copies them to pinned
 * memory when the job ends. The counters of a job are the sum over the engines. On the CPU, they are available at once.
 *
 * One thread begins, ends and waits for jobs, without a lock. Any thread may take the oldest job, which never waits for the device:
 * the owner guards this with its own lock, under which it also replaces the readback.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/engine.h"

#define ROBOCACHE_READBACK_SLOTS 2      /* maximum number of jobs in the readback: one is computed while the next is enqueued */

typedef struct _RobocacheReadback RobocacheReadback;

/* Makes a readback for jobs with n_counters that all engines share. NULL and an error: no memory. */
RobocacheReadback *robocache_readback_new (RobocacheEngine * const *engines, guint n_engines, guint n_counters,
    GError ** error);
/* Waits for enqueued work, and frees the readback. Discards counters that were not read. readback may be NULL. */
void robocache_readback_free (RobocacheReadback * readback);

/* Enqueues the clearing of the counters. A slot must be free. */
gboolean robocache_readback_begin (RobocacheReadback * readback, GError ** error);
/* The counters that an engine's kernels write; no reference. */
gpointer robocache_readback_counters (const RobocacheReadback * readback, guint shard);
/* Enqueues the copy of the counters of the job; pts is that of its buffer. */
gboolean robocache_readback_end (RobocacheReadback * readback, GstClockTime pts, GError ** error);
/* Waits on the CPU for all jobs except the last `but_last`. FALSE and an error: a device failed. readback may be NULL. */
gboolean robocache_readback_wait (RobocacheReadback * readback, guint but_last, GError ** error);

/* Number of jobs that were not taken. */
guint robocache_readback_pending (const RobocacheReadback * readback);
/* Takes the oldest job if it is done. FALSE: it is not done, or no job exists; with an error if a device failed, and the job is lost.
 * readback may be NULL. */
gboolean robocache_readback_take (RobocacheReadback * readback, gint64 * counters, GstClockTime * pts, GError ** error);
