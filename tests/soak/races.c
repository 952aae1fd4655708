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
static GMutex mutex, own[2];
static GRecMutex recursive;
static GRWLock shared_lock;
static GstObject *object;
static GCond cond;
static gboolean published;

/* ---- a counter, with and without a lock ---- */

typedef struct
{
  GDestroyNotify lock, unlock;  /* NULL: none */
  gpointer of;
} Guard;

static void
lock_object (gpointer data)
{
  GST_OBJECT_LOCK (object);
}

static void
unlock_object (gpointer data)
{
  GST_OBJECT_UNLOCK (object);
}

static const Guard no_guard = { NULL };
static const Guard by_mutex = { (GDestroyNotify) g_mutex_lock, (GDestroyNotify) g_mutex_unlock, &mutex };
static const Guard by_own[2] = { {(GDestroyNotify) g_mutex_lock, (GDestroyNotify) g_mutex_unlock, &own[0]},
  {(GDestroyNotify) g_mutex_lock, (GDestroyNotify) g_mutex_unlock, &own[1]}
};
static const Guard by_recursive = { (GDestroyNotify) g_rec_mutex_lock, (GDestroyNotify) g_rec_mutex_unlock, &recursive };
static const Guard by_object = { lock_object, unlock_object, NULL };
static const Guard by_writer = { (GDestroyNotify) g_rw_lock_writer_lock, (GDestroyNotify) g_rw_lock_writer_unlock, &shared_lock };

static gpointer
count (gpointer data)
{
  const Guard *guard = data;

  for (guint i = 0; i < N_STEPS; i++) {
    if (guard->lock)
      guard->lock (guard->of);
    shared++;
    if (guard->unlock)
      guard->unlock (guard->of);
  }
  return NULL;
}

/* ---- a condition ---- */

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
  const Guard *of_first, *of_second;
} cases[] = {
  {"unprotected", count, count, &no_guard, &no_guard},
  {"another-lock", count, count, &by_own[0], &by_own[1]},
  {"one-side-only", count, count, &by_mutex, &no_guard},
  {"mutex", count, count, &by_mutex, &by_mutex},
  {"recursive-mutex", count, count, &by_recursive, &by_recursive},
  {"object-lock", count, count, &by_object, &by_object},
  {"writer-lock", count, count, &by_writer, &by_writer},
  {"condition", publish, wait_and_read},
};

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  object = g_object_new (GST_TYPE_PIPELINE, NULL);
  gst_object_ref_sink (object);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GThread *first, *second;

    if (argc != 2 || strcmp (argv[1], cases[i].name) != 0)
      continue;
    first = g_thread_new ("first", cases[i].first, (gpointer) cases[i].of_first);
    second = g_thread_new ("second", cases[i].second, (gpointer) cases[i].of_second);
    g_thread_join (first);
    g_thread_join (second);
    gst_object_unref (object);
    return shared == 0;
  }
  fprintf (stderr, "no such case\n");
  return 2;
}
