/* robocache: tells ThreadSanitizer of the order that GLib's locks and reference counts make
 *
 * GLib and GStreamer are not instrumented, and a GMutex is a futex, so the sanitizer would see no order between two
 * threads that share one. These functions stand before GLib's, for us and for GStreamer, and add nothing but that
 * knowledge: who lets go of a lock publishes what it did (release), who takes it sees that (acquire). What is not
 * protected stays a race; races.c shows that it is found.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* RTLD_NEXT */
#endif
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

/* The function that ours stands before. */
#define BEHIND(name) \
  static __typeof__ (&name) found; \
  __typeof__ (&name) behind = __atomic_load_n (&found, __ATOMIC_RELAXED); \
  if (behind == NULL) { \
    behind = (__typeof__ (&name)) dlsym (RTLD_NEXT, #name); \
    __atomic_store_n (&found, behind, __ATOMIC_RELAXED); \
  }

/* ---- locks ---- */

#define TAKES(name, Lock) \
  void name (Lock * lock) \
  { \
    BEHIND (name) \
    behind (lock); \
    __tsan_acquire (lock); \
  }

#define TRIES_TO_TAKE(name, Lock) \
  gboolean name (Lock * lock) \
  { \
    gboolean taken; \
    BEHIND (name) \
    taken = behind (lock); \
    if (taken) \
      __tsan_acquire (lock); \
    return taken; \
  }

#define LETS_GO(name, Lock) \
  void name (Lock * lock) \
  { \
    BEHIND (name) \
    __tsan_release (lock); \
    behind (lock); \
  }

TAKES (g_mutex_lock, GMutex)
TRIES_TO_TAKE (g_mutex_trylock, GMutex)
LETS_GO (g_mutex_unlock, GMutex)
TAKES (g_rec_mutex_lock, GRecMutex)
TRIES_TO_TAKE (g_rec_mutex_trylock, GRecMutex)
LETS_GO (g_rec_mutex_unlock, GRecMutex)
TAKES (g_rw_lock_writer_lock, GRWLock)
TRIES_TO_TAKE (g_rw_lock_writer_trylock, GRWLock)
LETS_GO (g_rw_lock_writer_unlock, GRWLock)
TAKES (g_rw_lock_reader_lock, GRWLock)
TRIES_TO_TAKE (g_rw_lock_reader_trylock, GRWLock)
LETS_GO (g_rw_lock_reader_unlock, GRWLock)

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  BEHIND (g_cond_wait)
  __tsan_release (mutex);
  behind (cond, mutex);
  __tsan_acquire (mutex);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean signalled;

  BEHIND (g_cond_wait_until)
  __tsan_release (mutex);
  signalled = behind (cond, mutex, end_time);
  __tsan_acquire (mutex);
  return signalled;
}

/* ---- thread pools: who takes an item sees what whoever pushed it did, and who waits for the pool sees what was done with all ---- */

typedef struct
{
  GFunc func;
  gpointer user_data;
} Worker;

static void
take_item (gpointer item, gpointer data)
{
  Worker *worker = data;

  __tsan_acquire (item);
  worker->func (item, worker->user_data);
  __tsan_release (worker);
}

GThreadPool *
g_thread_pool_new (GFunc func, gpointer user_data, gint max_threads, gboolean exclusive, GError **error)
{
  Worker *worker = g_new (Worker, 1);   /* as long as the process */
  BEHIND (g_thread_pool_new)

  *worker = (Worker) { func, user_data };
  return behind (take_item, worker, max_threads, exclusive, error);
}

gboolean
g_thread_pool_push (GThreadPool *pool, gpointer item, GError **error)
{
  BEHIND (g_thread_pool_push)
  __tsan_release (item);
  return behind (pool, item, error);
}

void
g_thread_pool_free (GThreadPool *pool, gboolean immediate, gboolean waits)
{
  gpointer worker = pool->user_data;
  BEHIND (g_thread_pool_free)

  behind (pool, immediate, waits);
  if (waits)
    __tsan_acquire (worker);
}

/* ---- what is initialized once ---- */

#undef g_once_init_enter
#undef g_once_init_leave

gboolean
g_once_init_enter (volatile void *location)
{
  gboolean ours;

  BEHIND (g_once_init_enter)
  ours = behind (location);
  __tsan_acquire ((void *) location);
  return ours;
}

void
g_once_init_leave (volatile void *location, gsize result)
{
  BEHIND (g_once_init_leave)
  __tsan_release ((void *) location);
  behind (location, result);
}

/* ---- reference counts: who lets go last sees what all others did ---- */

#undef g_object_ref

#define LETS_GO_OF(name, Pointer) \
  void name (Pointer object) \
  { \
    BEHIND (name) \
    __tsan_release (object); \
    __tsan_acquire (object); \
    behind (object); \
  }

LETS_GO_OF (g_object_unref, gpointer)
LETS_GO_OF (gst_object_unref, gpointer)
LETS_GO_OF (gst_mini_object_unref, GstMiniObject *)
