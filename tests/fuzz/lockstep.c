/* robocache: the thread of an element's pad, run in step with the fuzzer's
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* RTLD_NEXT */
#endif
#include "lockstep.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A thread that runs on for longer than this, in CPU time, never comes to an end. On a busy machine that takes a while; one
 * that is stuck needs none, and is ended with the process by whoever runs it. */
#define PATIENCE_S 20

typedef enum
{
  ABSENT,
  RUNS,
  WAITS
} Follower;

static struct
{
  pthread_mutex_t lock;
  pthread_cond_t changed;
  gboolean active;
  pthread_t leader;
  Follower follower;
  GCond *follower_cond, *leader_cond;   /* waited for */
  GstTaskFunction task;         /* of the follower; one pad has one */
  gpointer task_data;
  void (*unblock) (gpointer data);
  gpointer data;
} step = {.lock = PTHREAD_MUTEX_INITIALIZER,.changed = PTHREAD_COND_INITIALIZER };

/* This thread is the follower. Workers of a thread pool wait as well, and are none. */
static _Thread_local gboolean follows;

/* What stands behind the function of ours that has its name. */
#define REAL(name) ({ \
  static __typeof__ (&name) real; \
  if (g_atomic_pointer_get (&real) == NULL) \
    g_atomic_pointer_set (&real, (__typeof__ (&name)) dlsym (RTLD_NEXT, #name)); \
  real; \
})

static struct timespec
later (clockid_t clock, time_t seconds)
{
  struct timespec t;

  clock_gettime (clock, &t);
  t.tv_sec += seconds;
  return t;
}

/* Called with step.lock. Until the follower waits, or what the leader waits for has happened. */
static void
settle (gboolean leader_waits)
{
  const time_t end = later (CLOCK_PROCESS_CPUTIME_ID, PATIENCE_S).tv_sec;

  while (step.follower == RUNS && !(leader_waits && step.leader_cond == NULL)) {
    const struct timespec look_again = later (CLOCK_MONOTONIC, 1);

    if (pthread_cond_clockwait (&step.changed, &step.lock, CLOCK_MONOTONIC, &look_again) != 0
        && later (CLOCK_PROCESS_CPUTIME_ID, 0).tv_sec > end) {
      fprintf (stderr, "the element's thread has run for %d s\n", PATIENCE_S);
      abort ();
    }
  }
}

void
lockstep_settle (void)
{
  pthread_mutex_lock (&step.lock);
  settle (FALSE);
  pthread_mutex_unlock (&step.lock);
}

void
lockstep_begin (void (*unblock) (gpointer data), gpointer data)
{
  pthread_mutex_lock (&step.lock);
  step.active = TRUE;
  step.leader = pthread_self ();
  step.unblock = unblock;
  step.data = data;
  pthread_mutex_unlock (&step.lock);
}

void
lockstep_end (void)
{
  pthread_mutex_lock (&step.lock);
  step.active = FALSE;
  step.follower = ABSENT;
  pthread_mutex_unlock (&step.lock);
}

/* ---- the thread comes and goes ---- */

static void
follow (gpointer unused)
{
  (void) unused;
  follows = TRUE;
  step.task (step.task_data);
}

gboolean
gst_pad_start_task (GstPad *pad, GstTaskFunction func, gpointer data, GDestroyNotify notify)
{
  const gboolean runs = GST_PAD_TASK (pad) && gst_task_get_state (GST_PAD_TASK (pad)) != GST_TASK_STOPPED;

  pthread_mutex_lock (&step.lock);
  if (step.active && !runs)
    step.follower = RUNS;
  if (!runs) {
    step.task = func;
    step.task_data = data;
  }
  pthread_mutex_unlock (&step.lock);
  return REAL (gst_pad_start_task) (pad, follow, NULL, notify);
}

gboolean
gst_pad_stop_task (GstPad *pad)
{
  const gboolean stopped = REAL (gst_pad_stop_task) (pad);

  pthread_mutex_lock (&step.lock);
  step.follower = ABSENT;
  pthread_cond_broadcast (&step.changed);
  pthread_mutex_unlock (&step.lock);
  return stopped;
}

/* ---- a thread waits ---- */

/* A condition may wake up for no reason, so the leader need not really wait: it looks again once something happened. */
static void
lead_on (GCond *cond, GMutex *mutex)
{
  gboolean stuck;

  pthread_mutex_lock (&step.lock);
  step.leader_cond = cond;
  pthread_mutex_unlock (&step.lock);
  g_mutex_unlock (mutex);

  pthread_mutex_lock (&step.lock);
  stuck = step.leader_cond && step.follower != RUNS;
  settle (TRUE);
  step.leader_cond = NULL;
  pthread_mutex_unlock (&step.lock);
  if (stuck)
    step.unblock (step.data);
  g_mutex_lock (mutex);
}

static gboolean
wait_in_step (GCond *cond, GMutex *mutex, gint64 end_time)
{
  gboolean leads, signalled = TRUE;

  pthread_mutex_lock (&step.lock);
  leads = step.active && pthread_equal (step.leader, pthread_self ());
  if (step.active && follows) {
    step.follower = WAITS;
    step.follower_cond = cond;
    pthread_cond_broadcast (&step.changed);
  }
  pthread_mutex_unlock (&step.lock);

  if (leads) {
    lead_on (cond, mutex);
    return TRUE;
  }
  if (end_time == G_MAXINT64)
    REAL (g_cond_wait) (cond, mutex);
  else
    signalled = REAL (g_cond_wait_until) (cond, mutex, end_time);

  pthread_mutex_lock (&step.lock);
  if (step.active && follows && step.follower == WAITS)
    step.follower = RUNS;
  pthread_mutex_unlock (&step.lock);
  return signalled;
}

void
g_cond_wait (GCond *cond, GMutex *mutex)
{
  wait_in_step (cond, mutex, G_MAXINT64);
}

gboolean
g_cond_wait_until (GCond *cond, GMutex *mutex, gint64 end_time)
{
  return wait_in_step (cond, mutex, end_time);
}

/* Who waits for it runs from here on, though it does not know yet. */
void
g_cond_broadcast (GCond *cond)
{
  pthread_mutex_lock (&step.lock);
  if (step.active && step.follower == WAITS && step.follower_cond == cond)
    step.follower = RUNS;
  if (step.leader_cond == cond)
    step.leader_cond = NULL;
  pthread_cond_broadcast (&step.changed);
  pthread_mutex_unlock (&step.lock);
  REAL (g_cond_broadcast) (cond);
}

/* All of them, so that it is known who wakes up. */
void
g_cond_signal (GCond *cond)
{
  g_cond_broadcast (cond);
}
