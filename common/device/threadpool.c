/* robocache: threads that share the work of a batch on the CPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "threadpool.h"

struct _RobocacheCrew
{
  GThreadPool *pool;
  guint n_helpers;              /* threads of the pool */
  RcCrew for_backend;
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
help (gpointer data, gpointer crew)
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
  RobocacheCrew *crew = self;
  const guint n_helpers = (guint) CLAMP (n - 1, 0, (gint64) crew->n_helpers);
  Job job = {.work = work,.data = data,.n = n,.n_helpers = n_helpers };

  g_mutex_init (&job.lock);
  g_cond_init (&job.left);
  for (guint i = 0; i < n_helpers; i++)
    g_thread_pool_push (crew->pool, &job, NULL);        /* fails only where a thread must be started: they all were */
  take_part (&job);
  g_mutex_lock (&job.lock);
  while (job.n_helpers > 0)
    g_cond_wait (&job.left, &job.lock);
  g_mutex_unlock (&job.lock);
  g_mutex_clear (&job.lock);
  g_cond_clear (&job.left);
}

RobocacheCrew *
robocache_crew_new (guint n_threads, GError **error)
{
  RobocacheCrew *crew = g_new0 (RobocacheCrew, 1);
  GError *failure = NULL;

  crew->n_helpers = n_threads - 1;
  crew->for_backend = (RcCrew) { run, crew };
  crew->pool = g_thread_pool_new (help, crew, (gint) crew->n_helpers, TRUE, &failure);
  if (failure == NULL)
    return crew;
  g_propagate_error (error, failure);
  robocache_crew_free (crew);
  return NULL;
}

void
robocache_crew_free (RobocacheCrew *crew)
{
  if (crew == NULL)
    return;
  g_thread_pool_free (crew->pool, FALSE, TRUE);
  g_free (crew);
}

const RcCrew *
robocache_crew_for_backend (const RobocacheCrew *crew)
{
  return &crew->for_backend;
}
