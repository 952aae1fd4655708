/* robocache: threads that should share a batch and cannot be started
 *
 * pthread_create is this program's: it starts as many threads as are left, and no more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* RTLD_NEXT */
#endif
#include <gst/check/gstcheck.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "common/device/threadpool.h"

#define THREADS 8               /* of a pool, the caller's among them */

static gint left = G_MAXINT;

int
pthread_create (pthread_t *thread, const pthread_attr_t *attributes, void *(*run) (void *), void *data)
{
  const __typeof__ (&pthread_create) real = (__typeof__ (&pthread_create)) dlsym (RTLD_NEXT, "pthread_create");

  return g_atomic_int_add (&left, -1) > 0 ? real (thread, attributes, run, data) : EAGAIN;
}

/* Threads of one pool do not wait for the next. */
static void
forget_threads (void)
{
  g_thread_pool_set_max_unused_threads (0);
}

/* __i__: threads that start */
GST_START_TEST (test_thread_pool)
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

static const gchar *const elements[] = { "robocacheresample", "robocachevoxelize" };

/* The only error on the bus names the property and its value. */
static void
expect_error (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *error;

  fail_unless (message != NULL && gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (g_str_has_prefix (error->message, "n-threads=" G_STRINGIFY (THREADS) ": "), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
}

/* It does not start, says why, and starts when threads are there again. */
GST_START_TEST (test_element)
{
  GstElement *element = gst_object_ref_sink (gst_element_factory_make (elements[__i__], NULL));
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (element, bus);
  g_object_set (element, "n-threads", THREADS, NULL);
  g_atomic_int_set (&left, 3);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  expect_error (bus);
  gst_element_set_state (element, GST_STATE_NULL);

  g_atomic_int_set (&left, THREADS - 1);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
threadpoolfaults_suite (void)
{
  Suite *suite = suite_create ("threadpoolfaults");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_checked_fixture (tc, forget_threads, NULL);
  tcase_add_loop_test (tc, test_thread_pool, 0, THREADS);
  tcase_add_loop_test (tc, test_element, 0, G_N_ELEMENTS (elements));
  return suite;
}

GST_CHECK_MAIN (threadpoolfaults);
