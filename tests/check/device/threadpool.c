/* robocache: threads that share the work of a batch, or cannot be started
 *
 * pthread_create is this program's: it starts as many threads as are left, and no more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "common/device/threadpool.h"
#include "tests/check/lib/device/deviceharness.h"

#define THREADS 8               /* of a pool, the caller's among them */

static gint left = G_MAXINT;

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*run) (void *), void *data)
{
  const __typeof__ (&pthread_create) real = (__typeof__ (&pthread_create)) dlsym (RTLD_NEXT, "pthread_create");

  return g_atomic_int_add (&left, -1) > 0 ? real (thread, attributes, run, data) : EAGAIN;
}


static RobocacheThreadPool *
threads_of (guint n_threads)
{
  GError *error = NULL;
  RobocacheThreadPool *threads = robocache_thread_pool_new (n_threads, &error);

  fail_unless (threads != NULL, "%s", error ? error->message : "");
  return threads;
}

static void
run (RobocacheThreadPool *threads, void (*work) (gpointer data, gint64 i), gpointer data, gint64 n)
{
  const RcThreadPool *for_backend = robocache_thread_pool_for_backend (threads);

  for_backend->run (for_backend->self, work, data, n);
}

static void
count_call (gpointer data, gint64 i)
{
  g_atomic_int_inc ((gint *) data + i);
}

/* __i__: threads - 2 */
GST_START_TEST (test_each_is_called_once)
{
  RobocacheThreadPool *threads = threads_of ((guint) __i__ + 2);

  for (gint64 n = 0; n < 200; n++) {
    gint calls[200] = { 0 };

    run (threads, count_call, calls, n);
    for (gint64 i = 0; i < 200; i++)
      fail_unless_equals_int (g_atomic_int_get (&calls[i]), i < n ? 1 : 0);
  }
  robocache_thread_pool_free (threads);
}

GST_END_TEST;

typedef struct
{
  GMutex lock;
  GCond all_are_here;
  guint n, awaited;
} Meeting;

/* Ends when as many calls are under way at once as are awaited. */
static void
meet (gpointer data, gint64 i)
{
  Meeting *meeting = data;

  g_mutex_lock (&meeting->lock);
  if (++meeting->n == meeting->awaited)
    g_cond_broadcast (&meeting->all_are_here);
  while (meeting->n < meeting->awaited)
    g_cond_wait (&meeting->all_are_here, &meeting->lock);
  g_mutex_unlock (&meeting->lock);
}

GST_START_TEST (test_all_threads_take_part)
{
  RobocacheThreadPool *threads = threads_of (5);

  for (guint round = 0; round < 20; round++) {
    Meeting meeting = {.awaited = 5 };

    g_mutex_init (&meeting.lock);
    g_cond_init (&meeting.all_are_here);
    run (threads, meet, &meeting, 5);
    fail_unless_equals_int (meeting.n, 5);
    g_mutex_clear (&meeting.lock);
    g_cond_clear (&meeting.all_are_here);
  }
  robocache_thread_pool_free (threads);
}

GST_END_TEST;

static gpointer
run_often (gpointer threads)
{
  for (guint round = 0; round < 500; round++) {
    gint calls[7] = { 0 };

    run (threads, count_call, calls, G_N_ELEMENTS (calls));
    for (guint i = 0; i < G_N_ELEMENTS (calls); i++)
      fail_unless_equals_int (calls[i], 1);
  }
  return NULL;
}

GST_START_TEST (test_two_callers_at_once)
{
  RobocacheThreadPool *threads = threads_of (3);
  GThread *thread = g_thread_new ("other", run_often, threads);

  run_often (threads);
  g_thread_join (thread);
  robocache_thread_pool_free (threads);
}

GST_END_TEST;

/* ---- threads that cannot be started ---- */

/* __i__: threads that start */
GST_START_TEST (test_threads_that_do_not_start)
{
  RobocacheThreadPool *threads;
  GError *error = NULL;

  g_atomic_int_set (&left, __i__);
  threads = robocache_thread_pool_new (THREADS, &error);
  if (__i__ == THREADS - 1) {
    fail_unless (threads != NULL && error == NULL);
  } else {
    fail_unless (threads == NULL);
    fail_unless (g_error_matches (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN));
    g_error_free (error);
  }
  robocache_thread_pool_free (threads);
}

GST_END_TEST;

/* An element does not start, says why, and starts when threads are there again. */
GST_START_TEST (test_element_without_threads)
{
  static const gchar *const elements[] = { "robocacheresample", "robocachevoxelize" };
  GstElement *element = new_element (elements[__i__], "n-threads=" G_STRINGIFY (THREADS));

  g_atomic_int_set (&left, 3);
  expect_start_error (element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "n-threads=" G_STRINGIFY (THREADS) ": ");
  g_atomic_int_set (&left, THREADS - 1);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  free_element (element);
}

GST_END_TEST;

CHECK_MAIN (threadpool, NULL, NULL,
    TIMES (8, test_each_is_called_once), ONCE (test_all_threads_take_part), ONCE (test_two_callers_at_once),
    TIMES (THREADS, test_threads_that_do_not_start), TIMES (2, test_element_without_threads))
