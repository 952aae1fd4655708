/* robocache: what ThreadSanitizer must find, and what it must not
 *
 * races NAME runs one case. The sanitizer ends the process with status 66 where it saw a race.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <string.h>

#define N_STEPS 10000

static guint64 shared;
static GMutex mutex;
static GRecMutex recursive;
static GRWLock shared_lock;
static GCond cond;
static gboolean published;

static gpointer
step_unprotected (gpointer data)
{
  for (guint i = 0; i < N_STEPS; i++)
    shared++;
  return NULL;
}

static gpointer
step_with_mutex (gpointer data)
{
  for (guint i = 0; i < N_STEPS; i++) {
    g_mutex_lock (&mutex);
    shared++;
    g_mutex_unlock (&mutex);
  }
  return NULL;
}

static gpointer
step_with_recursive_mutex (gpointer data)
{
  for (guint i = 0; i < N_STEPS; i++) {
    g_rec_mutex_lock (&recursive);
    shared++;
    g_rec_mutex_unlock (&recursive);
  }
  return NULL;
}

static gpointer
step_with_object_lock (gpointer data)
{
  for (guint i = 0; i < N_STEPS; i++) {
    GST_OBJECT_LOCK (data);
    shared++;
    GST_OBJECT_UNLOCK (data);
  }
  return NULL;
}

static gpointer
step_as_writer (gpointer data)
{
  for (guint i = 0; i < N_STEPS; i++) {
    g_rw_lock_writer_lock (&shared_lock);
    shared++;
    g_rw_lock_writer_unlock (&shared_lock);
  }
  return NULL;
}

/* Each has a lock, and not the same one. */
static gpointer
step_with_another_lock (gpointer data)
{
  GMutex own;

  g_mutex_init (&own);
  for (guint i = 0; i < N_STEPS; i++) {
    g_mutex_lock (&own);
    shared++;
    g_mutex_unlock (&own);
  }
  g_mutex_clear (&own);
  return NULL;
}

static gpointer
publish (gpointer data)
{
  shared = 1;
  g_mutex_lock (&mutex);
  published = TRUE;
  g_cond_signal (&cond);
  g_mutex_unlock (&mutex);
  return NULL;
}

static gpointer
wait_and_read (gpointer data)
{
  g_mutex_lock (&mutex);
  while (!published)
    g_cond_wait (&cond, &mutex);
  g_mutex_unlock (&mutex);
  shared++;
  return NULL;
}

static const struct
{
  const gchar *name;
  GThreadFunc first, second;
} cases[] = {
  {"unprotected", step_unprotected, step_unprotected},
  {"another-lock", step_with_another_lock, step_with_another_lock},
  {"one-side-only", step_with_mutex, step_unprotected},
  {"mutex", step_with_mutex, step_with_mutex},
  {"recursive-mutex", step_with_recursive_mutex, step_with_recursive_mutex},
  {"object-lock", step_with_object_lock, step_with_object_lock},
  {"writer-lock", step_as_writer, step_as_writer},
  {"condition", publish, wait_and_read},
};

int
main (int argc, char **argv)
{
  GstObject *object;

  gst_init (&argc, &argv);
  object = g_object_new (GST_TYPE_PIPELINE, NULL);
  gst_object_ref_sink (object);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GThread *first, *second;

    if (argc != 2 || strcmp (argv[1], cases[i].name) != 0)
      continue;
    first = g_thread_new ("first", cases[i].first, object);
    second = g_thread_new ("second", cases[i].second, object);
    g_thread_join (first);
    g_thread_join (second);
    gst_object_unref (object);
    return shared == 0;
  }
  fprintf (stderr, "no such case\n");
  return 2;
}
