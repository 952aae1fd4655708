/* robocache: robocachefuse, waiting for the next tick without sleep
 *
 * The base class's thread sleeps until the last pad has its token, and being woken takes longer than making a sample: tens of
 * microseconds on a CPU that has halted meanwhile. With busy-wait it stays awake after each tick, looks for the next one
 * itself, and no pad needs a token. It goes back to the base class, with all tokens that are due, when there is anything else
 * to do: an event, a deadline, new caps downstream, a flush.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

/* Rows and events tell of themselves; the clock, the latencies and busy-wait change without a word. */
#define US_TO_LOOK_AGAIN 1000

static inline void
rest (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("isb");
#endif
}

/* Of busy-wait, which may be set meanwhile. */
static gint64
us_to_stay_awake (GstRobocacheFuse *fuse)
{
  GstClockTime busy_wait;

  GST_OBJECT_LOCK (fuse);
  busy_wait = fuse->busy_wait;
  GST_OBJECT_UNLOCK (fuse);
  return (gint64) (busy_wait / 1000);
}

/* Called with the lock. Until the base class must wait for the next tick's deadline; 0: not at all. */
static gint64
us_to_deadline (GstRobocacheFuse *fuse, GstClockTime latency)
{
  const GstClockTime now = robocache_running_time_now (GST_ELEMENT (fuse));
  gint64 tick, left;

  if (!fuse->live || !GST_CLOCK_TIME_IS_VALID (latency) || !GST_CLOCK_TIME_IS_VALID (now)
      || gst_robocache_fuse_ticks_are_over (fuse))
    return 0;
  if (!gst_robocache_fuse_next_tick (fuse, &tick))
    return G_MAXINT64;
  left = rc_add_saturating (rc_add_saturating (tick, (gint64) MIN (latency, G_MAXINT64)), -(gint64) now);
  return MAX (left, 0) / 1000;
}

/* Called with the lock. */
static gboolean
next_tick_is_complete (GstRobocacheFuse *fuse)
{
  gint64 tick;

  return gst_robocache_fuse_next_tick (fuse, &tick) && gst_robocache_fuse_tick_is_complete (fuse, tick);
}

/* Whether the base class has something to do, beside what comes with a token. */
static gboolean
is_needed_elsewhere (GstRobocacheFuse *fuse)
{
  GstPad *src = GST_AGGREGATOR_SRC_PAD (fuse);
  gboolean needed;

  GST_OBJECT_LOCK (src);
  needed = GST_PAD_IS_FLUSHING (src) || GST_PAD_NEEDS_RECONFIGURE (src);
  GST_OBJECT_UNLOCK (src);
  return needed || (guint) g_atomic_int_get (&fuse->events_in) != fuse->events_at_turn;
}

/* When the thread, awake since then, is to stop looking, as things are now (us). */
static gint64
end_of_looking (GstRobocacheFuse *fuse, gint64 since, gint64 now)
{
  const gint64 latest = rc_add_saturating (since, us_to_stay_awake (fuse));
  const GstClockTime latency = gst_aggregator_get_latency (GST_AGGREGATOR (fuse));      /* its lock comes before ours */
  gint64 end = now;

  FUSE_LOCK (fuse);
  if (!next_tick_is_complete (fuse))
    end = MIN (latest, rc_add_saturating (now, us_to_deadline (fuse, latency)));
  FUSE_UNLOCK (fuse);
  return end;
}

/* Until the next tick is complete, or its deadline comes; at most for as long as busy-wait says. */
static void
look_for_next_tick (GstRobocacheFuse *fuse)
{
  const gint64 since = g_get_monotonic_time ();
  gint64 now = since, end = since, look_again = since;
  gint looks = 0;

  while (!is_needed_elsewhere (fuse)) {
    const gint looks_now = g_atomic_int_get (&fuse->looks);

    if (looks_now != looks || now >= look_again) {
      looks = looks_now;
      look_again = now + US_TO_LOOK_AGAIN;
      end = end_of_looking (fuse, since, now);
    }
    if (now >= end)
      return;
    rest ();
    now = g_get_monotonic_time ();
  }
}

/* An event that has come since the turn before may be one that the base class has not handled: it has another turn soon. */
void
gst_robocache_fuse_begin_turn (GstRobocacheFuse *fuse)
{
  const guint events = (guint) g_atomic_int_get (&fuse->events_in);

  fuse->may_stay_awake = events == fuse->events_at_turn;
  fuse->events_at_turn = events;
}

gboolean
gst_robocache_fuse_stay_awake (GstRobocacheFuse *fuse)
{
  gboolean is_due;

  if (us_to_stay_awake (fuse) == 0 || !fuse->may_stay_awake)
    return FALSE;
  FUSE_LOCK (fuse);
  fuse->src_is_awake = TRUE;
  FUSE_UNLOCK (fuse);
  look_for_next_tick (fuse);
  FUSE_LOCK (fuse);
  fuse->src_is_awake = FALSE;
  is_due = fuse->live && next_tick_is_complete (fuse) && !is_needed_elsewhere (fuse);
  if (!is_due)
    gst_robocache_fuse_choose_src_tokens (fuse);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_push_src_tokens (fuse);
  return is_due;
}
