/* robocache: threads that share the work of a batch on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "threadpool.h"

struct _RobocacheThreadPool
{
  GThreadPool *pool;
  guint n_helpers;              /* threads of the pool */
  RcThreadPool for_backend;
};

/* Work that was brought; it is done when nobody is at it any more. */
typedef struct
{
  void (*work) (void *data, gint64 i);
  gpointer data;
  gint64 n;
  gint64 next;                  /* atomic: the first that nobody has taken */

  GMutex lock;
  GCond left;
  guint n_helpers;              /* lock: that have not yet left */
} Job;

static void
take_part (Job *job)
{
  gint64 i;

  while ((i = __atomic_fetch_add (&job->next, 1, __ATOMIC_RELAXED)) < job->n)
    job->work (job->data, i);
}

static void
help (gpointer data, gpointer threads)
{
  Job *job = data;

  take_part (job);
  g_mutex_lock (&job->lock);
  if (--job->n_helpers == 0)
    g_cond_signal (&job->left);
  g_mutex_unlock (&job->lock);
}

static void
run (gpointer self, void (*work) (void *data, gint64 i), gpointer data, gint64 n)
{
  RobocacheThreadPool *threads = self;
  const guint n_helpers = (guint) CLAMP (n - 1, 0, (gint64) threads->n_helpers);
  Job job = {.work = work,.data = data,.n = n,.n_helpers = n_helpers };

  g_mutex_init (&job.lock);
  g_cond_init (&job.left);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (threads->pool, &job, NULL);        /* fails only where a thread must be started: they all were */
  take_part (&job);
  g_mutex_lock (&job.lock);
  while (job.n_helpers > 0)
    g_cond_wait (&job.left, &job.lock);
  g_mutex_unlock (&job.lock);
  g_mutex_clear (&job.lock);
  g_cond_clear (&job.left);
}

RobocacheThreadPool *
robocache_thread_pool_new (guint n_threads, GError **error)
{
  RobocacheThreadPool *threads = g_new0 (RobocacheThreadPool, 1);
  GError *failure = NULL;

  threads->n_helpers = n_threads - 1;
  threads->for_backend = (RcThreadPool) { run, threads };
  threads->pool = g_thread_pool_new (help, threads, (gint) threads->n_helpers, TRUE, &failure);
  if (failure == NULL)
    return threads;
  g_propagate_error (error, failure);
  robocache_thread_pool_free (threads);
  return NULL;
}

void
robocache_thread_pool_free (RobocacheThreadPool *threads)
{
  if (threads == NULL)
    return;
  if (threads->pool)            /* GLib 2.84 has none where it cannot start a thread */
    g_thread_pool_free (threads->pool, FALSE, TRUE);
  g_free (threads);
}

const RcThreadPool *
robocache_thread_pool_for_backend (const RobocacheThreadPool *threads)
{
  return &threads->for_backend;
}
