/* robocache: threads that share the work of a batch on the CPU
 *
 * The threads live as long as the pool. The caller takes part in its work, so a pool of two has one thread of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_THREAD_POOL_H
#define ROBOCACHE_THREAD_POOL_H

#include <glib.h>

#include "kernels/backend.h"

G_BEGIN_DECLS

typedef struct _RobocacheThreadPool RobocacheThreadPool;

/* n_threads >= 2, the caller's among them. NULL and an error where not so many can be started. */
RobocacheThreadPool *robocache_thread_pool_new (guint n_threads, GError ** error);
/* No work may be under way. */
void robocache_thread_pool_free (RobocacheThreadPool * threads);

/* As a backend is opened with; lives as long as the thread pool. */
const RcThreadPool *robocache_thread_pool_for_backend (const RobocacheThreadPool * threads);

G_END_DECLS
#endif
