/* robocache: threads that share the work of a batch on the CPU
 *
 * Threads of its own rather than a GThreadPool, which GLib 2.84 frees wrongly where it can start only some of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "threadpool.h"

typedef struct _Job Job;

struct _RobocacheThreadPool
{
  GThread **helpers;
  guint n_helpers;
  RcThreadPool for_backend;

  GMutex lock;
  GCond came;                   /* a job, or the end */
  GCond left;                   /* a helper left a job */
  Job *first;                   /* jobs that need helpers */
  gboolean is_ending;
};

/* Work of one caller, on its stack. */
struct _Job
{
  void (*work) (void *data, gint64 i);
  gpointer data;
  gint64 n;
  gint64 next;                  /* atomic: the first item that nobody has taken */

  /* under the pool's lock */
  Job *following;
  guint n_wanted;               /* helpers that may still join; 0: not in the list */
  guint n_helpers;              /* helpers that joined and have not left */
};

static void
take_part (Job *job)
{
  gint64 i;

  while ((i = __atomic_fetch_add (&job->next, 1, __ATOMIC_RELAXED)) < job->n)
    job->work (job->data, i);
}

/* Called with the lock. */
static void
remove_job (RobocacheThreadPool *threads, const Job *job)
{
  Job **link = &threads->first;

  while (*link != job)
    link = &(*link)->following;
  *link = job->following;
}

/* Called with the lock. The first job, joined; NULL: the pool ends. */
static Job *
join_job (RobocacheThreadPool *threads)
{
  Job *job;

  while (!threads->first && !threads->is_ending)
    g_cond_wait (&threads->came, &threads->lock);
  job = threads->first;
  if (!job)
    return NULL;
  job->n_helpers++;
  if (--job->n_wanted == 0)
    remove_job (threads, job);
  return job;
}

static gpointer
help (gpointer data)
{
  RobocacheThreadPool *threads = data;
  Job *job;

  g_mutex_lock (&threads->lock);
  while ((job = join_job (threads))) {
    g_mutex_unlock (&threads->lock);
    take_part (job);
    g_mutex_lock (&threads->lock);
    job->n_helpers--;
    g_cond_broadcast (&threads->left);
  }
  g_mutex_unlock (&threads->lock);
  return NULL;
}

/* Called with the lock. Jobs are helped in the order that they came. */
static void
add_job (RobocacheThreadPool *threads, Job *job)
{
  Job **link = &threads->first;

  if (job->n_wanted == 0)
    return;
  while (*link)
    link = &(*link)->following;
  *link = job;
  g_cond_broadcast (&threads->came);
}

static void
run (gpointer self, void (*work) (void *data, gint64 i), gpointer data, gint64 n)
{
  RobocacheThreadPool *threads = self;
  Job job = {.work = work,.data = data,.n = n,.n_wanted = (guint) CLAMP (n - 1, 0, (gint64) threads->n_helpers) };

  g_mutex_lock (&threads->lock);
  add_job (threads, &job);
  g_mutex_unlock (&threads->lock);
  take_part (&job);
  g_mutex_lock (&threads->lock);
  if (job.n_wanted > 0)         /* helpers that did not come in time find nothing to do */
    remove_job (threads, &job);
  while (job.n_helpers > 0)
    g_cond_wait (&threads->left, &threads->lock);
  g_mutex_unlock (&threads->lock);
}

static gboolean
start_helpers (RobocacheThreadPool *threads, guint n, GError **error)
{
  threads->helpers = g_new (GThread *, n);
  for (; threads->n_helpers < n; threads->n_helpers++) {
    GThread *helper = g_thread_try_new ("robocache-helper", help, threads, error);

    if (!helper)
      return FALSE;
    threads->helpers[threads->n_helpers] = helper;
  }
  return TRUE;
}

RobocacheThreadPool *
robocache_thread_pool_new (guint n_threads, GError **error)
{
  RobocacheThreadPool *threads = g_new0 (RobocacheThreadPool, 1);

  threads->for_backend = (RcThreadPool) { run, threads };
  g_mutex_init (&threads->lock);
  g_cond_init (&threads->came);
  g_cond_init (&threads->left);
  if (start_helpers (threads, n_threads - 1, error))
    return threads;
  robocache_thread_pool_free (threads);
  return NULL;
}

static void
stop_helpers (RobocacheThreadPool *threads)
{
  g_mutex_lock (&threads->lock);
  threads->is_ending = TRUE;
  g_cond_broadcast (&threads->came);
  g_mutex_unlock (&threads->lock);
  for (guint i = 0; i < threads->n_helpers; i++)
    g_thread_join (threads->helpers[i]);
}

void
robocache_thread_pool_free (RobocacheThreadPool *threads)
{
  if (threads == NULL)
    return;
  stop_helpers (threads);
  g_free (threads->helpers);
  g_mutex_clear (&threads->lock);
  g_cond_clear (&threads->came);
  g_cond_clear (&threads->left);
  g_free (threads);
}

const RcThreadPool *
robocache_thread_pool_for_backend (const RobocacheThreadPool *threads)
{
  return &threads->for_backend;
}
