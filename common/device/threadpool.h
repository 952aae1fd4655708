/* robocache: threads that share the work of a batch on the CPU
 *
 * The threads exist as long as the pool. The caller takes part in its work, so a pool of two starts one thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/backend.h"

typedef struct _RobocacheThreadPool RobocacheThreadPool;

/* n_threads >= 2, including the caller's. NULL and an error: the threads cannot be started. */
RobocacheThreadPool *robocache_thread_pool_new (guint n_threads, GError ** error);
/* Frees the pool, when no work is running. */
void robocache_thread_pool_free (RobocacheThreadPool * threads);

/* The interface for opening a backend; valid as long as the thread pool. */
const RcThreadPool *robocache_thread_pool_for_backend (const RobocacheThreadPool * threads);
