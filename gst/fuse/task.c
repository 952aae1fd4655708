/* robocache: the task of robocachefuse: waits until the core decides, composes samples, and hands them out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "task.h"

#include "debug.h"
#include "downstream.h"
#include "gst/fuse/checks/checks.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/sample/samplemeta.h"
#include "negotiation.h"
#include "reports.h"
#include "settingsevent.h"

/* No clock is asked to wait for longer at a time: running time may jump meanwhile, and instants near the end of its range make it spin. */
#define MAX_CLOCK_WAIT (500 * GST_MSECOND)
/* While awake, the task checks the clock at this interval, and properties that change without waking it (us). */
#define US_TO_LOOK_AGAIN 50

/* One run of the task. */
typedef struct
{
  GstRobocacheFuse *fuse;
  FuseDeparture departure;
  FuseReports reports;
  GstBuffer *sample;            /* of the departure; NULL: it has none */
  FuseElementStatistics *stats; /* to be posted with it; or NULL */
  gint64 late_at;               /* see gst_robocache_fuse_follow_lateness */
  gint64 free_since;            /* monotonic time (us) when it last had waited for the clock, plus the time for which others held it since */
  gint64 awake_since;           /* monotonic time (us) of the last departure; 0: there was none */
} Run;

/* ---- waiting; called with the lock ---- */

static void
sleep_until_woken (GstRobocacheFuse *fuse)
{
  g_cond_wait (&fuse->work, &fuse->lock);
}

/* Returns when running time is reached, when the task is woken, or when it should check again. */
static void
wait_for_running_time (Run *run, GstClockTime running_time)
{
  GstRobocacheFuse *fuse = run->fuse;
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (fuse));
  const GstClockTime base_time = gst_element_get_base_time (GST_ELEMENT (fuse));
  GstClockTime now;
  GstClockID id;

  if (clock == NULL) {
    sleep_until_woken (fuse);
    return;
  }
  now = gst_clock_get_time (clock);
  if (now >= base_time && now - base_time >= running_time) {
    gst_object_unref (clock);
    return;
  }
  id = fuse->clock_id = gst_clock_new_single_shot_id (clock, MIN (now + MAX_CLOCK_WAIT, base_time + running_time));
  FUSE_UNLOCK (fuse);
  gst_clock_id_wait (id, NULL);
  run->free_since = g_get_monotonic_time ();    /* from here on it waits for the lock */
  FUSE_LOCK (fuse);
  fuse->clock_id = NULL;
  gst_clock_id_unref (id);
  gst_object_unref (clock);
}

static inline void
relax (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("isb");
#endif
}

static GstClockTime
get_busy_wait (GstRobocacheFuse *fuse)
{
  GstClockTime busy_wait;

  GST_OBJECT_LOCK (fuse);
  busy_wait = fuse->busy_wait;
  GST_OBJECT_UNLOCK (fuse);
  return busy_wait;
}

/* Called without the lock. Whether to stay awake: nothing woke the task, and neither the deadline nor the end of busy-wait has
 * come. */
static gboolean
may_stay_awake (GstRobocacheFuse *fuse, gint64 since, GstClockTime deadline)
{
  const gint64 awake_for = (g_get_monotonic_time () - since) * 1000;
  const GstClockTime now = gst_robocache_fuse_clock_now (fuse);

  return (GstClockTime) awake_for < get_busy_wait (fuse) && GST_CLOCK_TIME_IS_VALID (now) && now < deadline;
}

/* With busy-wait: looks for work without sleep, since waking a thread may take longer than making a sample. Returns when there
 * is work, at the deadline, and at the end of busy-wait. */
static void
stay_awake (GstRobocacheFuse *fuse, gint64 since, GstClockTime deadline)
{
  const gint wakeups = g_atomic_int_get (&fuse->wakeups);
  gint64 look_again = 0, now;

  FUSE_UNLOCK (fuse);
  while (g_atomic_int_get (&fuse->wakeups) == wakeups) {
    now = g_get_monotonic_time ();
    if (now >= look_again) {
      if (!may_stay_awake (fuse, since, deadline))
        break;
      look_again = now + US_TO_LOOK_AGAIN;
    }
    relax ();
  }
  FUSE_LOCK (fuse);
}

/* Waits for the core's deadline, if it has one, or until the task is woken. */
static void
sleep_until_due (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;
  const GstClockTime until = fuse_clock_time_of (fuse_core_next_deadline (fuse->core));

  if (GST_CLOCK_TIME_IS_VALID (until))
    GST_LOG_OBJECT (fuse, "nothing is due before running time %" GST_TIME_FORMAT, GST_TIME_ARGS (until));
  else
    GST_LOG_OBJECT (fuse, "nothing is due before a row or an event arrives");
  gst_robocache_fuse_follow_core (fuse);
  if (run->awake_since > 0 && fuse_core_is_live (fuse->core) && get_busy_wait (fuse) > 0 && may_stay_awake (fuse, run->awake_since, until))
    stay_awake (fuse, run->awake_since, until);
  else if (GST_CLOCK_TIME_IS_VALID (until))
    wait_for_running_time (run, until);
  else
    sleep_until_woken (fuse);
}

/* ---- what leaves; called without the lock ---- */

static GstFlowReturn
depart (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;

  /* what skips ticks is warned of once their GAP is out */
  if (run->departure.is_skipped)
    gst_robocache_fuse_push_gap (fuse, &run->departure);
  gst_robocache_fuse_post_reports (fuse, &run->reports);
  if (run->stats)
    robocache_statistics_post (GST_ELEMENT (fuse), gst_robocache_fuse_statistics_to_structure (fuse, g_steal_pointer (&run->stats)));
  if (!run->departure.is_skipped)
    gst_robocache_fuse_push_gap (fuse, &run->departure);
  return run->sample ? gst_robocache_fuse_push_sample (fuse, g_steal_pointer (&run->sample), &run->departure.tick) : GST_FLOW_OK;
}

/* ---- one tick ---- */

GstFlowReturn
gst_robocache_fuse_compose (GstRobocacheFuse *fuse, const FuseDeparture *departure, GstBuffer **sample, GError **error)
{
  FuseComposer *composer = fuse->composer;
  /* of the ticks that were skipped a window shows the last ones */
  const guint64 n_shown = MIN (departure->n_skipped, (guint64) fuse_core_settings (fuse->core)->output.window);
  GstFlowReturn flow = GST_FLOW_OK;

  if (!departure->has_rows)
    return flow;
  if (departure->window_is_stale && !fuse_composer_forget_window (composer, error))
    return GST_FLOW_ERROR;
  flow = fuse_composer_compose (composer, departure->tick.time, departure->snapshots, sample, error);
  for (guint64 i = n_shown; flow == GST_FLOW_OK && i > 0; i--)
    flow = fuse_composer_compose (composer, robocache_tick_time (&departure->grid, departure->tick.index
            + (gint64) (departure->n_skipped - i) + 1), departure->snapshots, NULL, error);
  return flow;
}

/* Live, adds the data of the decision to the sample. Called with the lock. */
static void
describe_decision (Run *run)
{
  const FuseDeparture *departure = &run->departure;
  const FuseSampleDecision decision = {
    .decided = departure->decided == ROBOCACHE_NO_TIME ? -1 : departure->decided,
    .taken = departure->taken,
    .journal = departure->journal,
    .journal_start = departure->journal_start,
    .journal_pads = fuse_core_journal_names (run->fuse->core),
  };

  fuse_sample_set_decision (run->sample, departure->has_journal ? &decision : NULL);
}

/* Called with the lock. */
static void
finish_tick (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;
  const gint64 now = fuse_core_is_live (fuse->core) ? fuse_time_of_clock (gst_robocache_fuse_clock_now (fuse)) : ROBOCACHE_NO_TIME;
  const gboolean discont = fuse_core_finish (fuse->core, &run->departure, run->sample != NULL, now);

  if (run->sample) {
    describe_decision (run);
    if (discont)
      GST_BUFFER_FLAG_SET (run->sample, GST_BUFFER_FLAG_DISCONT);
  }
  if (!run->departure.is_skipped)
    run->stats = gst_robocache_fuse_copy_due_statistics (fuse, run->departure.tick.time);
}

/* What went wrong with the streams, or with the device. */
static GstFlowReturn
flow_of_error (const GError *error)
{
  return error->domain == ROBOCACHE_ERROR && error->code != ROBOCACHE_ERROR_MEMORY ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR;
}

/* The streams fail, and the task waits until they are flushed. Called without the lock. */
static GstFlowReturn
fail (Run *run, GstFlowReturn flow, GError *error)
{
  GST_INFO_OBJECT (run->fuse, "no sample leaves until a flush, sources are answered %s: %s", gst_flow_get_name (flow), error->message);
  gst_robocache_fuse_fail (run->fuse, NULL, flow, error);
  gst_robocache_fuse_post_reports (run->fuse, &run->reports);
  g_clear_pointer (&run->stats, gst_robocache_fuse_statistics_free);
  return GST_FLOW_OK;
}

/* Ticks went back, or a segment begins there. Called with the lock. */
static void
follow_segment (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;

  if (run->departure.range_begins)
    gst_robocache_fuse_begin_range (fuse, &run->departure.range);
  if (run->departure.segment_from == ROBOCACHE_NO_TIME)
    return;
  gst_robocache_fuse_go_back (fuse, run->departure.segment_from);
  gst_robocache_fuse_reset_stats_timer (fuse);
}

/* Called with the lock, and returns with it. */
static GstFlowReturn
make_tick (Run *run, gboolean is_complete)
{
  GstRobocacheFuse *fuse = run->fuse;
  GError *error = NULL;
  GstFlowReturn flow;
  gint64 since;

  if (fuse_core_is_live (fuse->core))
    gst_robocache_fuse_begin_settings (fuse);
  follow_segment (run);
  FUSE_UNLOCK (fuse);
  flow = gst_robocache_fuse_compose (fuse, &run->departure, is_complete ? &run->sample : NULL, &error);
  fuse_departure_release (&run->departure, fuse_buffer_unref);
  FUSE_LOCK (fuse);
  finish_tick (run);
  FUSE_UNLOCK (fuse);
  if (error) {
    flow = fail (run, GST_FLOW_ERROR, error);
  } else if (flow == GST_FLOW_OK) {
    since = g_get_monotonic_time ();
    flow = depart (run);
    run->free_since += g_get_monotonic_time () - since;
  } else {
    gst_robocache_fuse_post_reports (fuse, &run->reports);
    g_clear_pointer (&run->stats, gst_robocache_fuse_statistics_free);
  }
  run->awake_since = g_get_monotonic_time ();
  FUSE_LOCK (fuse);
  return flow;
}

/* EOS, or SEGMENT_DONE where a stream ended so. Called with the lock, and returns with it. FALSE: the task pauses. */
static gboolean
end_ticks (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;
  const gboolean segment_done = run->departure.segment_done;

  follow_segment (run);
  if (!segment_done)
    gst_robocache_fuse_end_streams (fuse, GST_FLOW_EOS);
  FUSE_UNLOCK (fuse);

  gst_robocache_fuse_post_reports (fuse, &run->reports);
  gst_robocache_fuse_push_gap (fuse, &run->departure);
  robocache_statistics_post_last (GST_ELEMENT (fuse));
  gst_robocache_fuse_push_end (fuse, segment_done);
  FUSE_LOCK (fuse);
  return segment_done;
}

/* Called with the lock, and returns with it. */
static void
negotiate (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;
  const gint64 since = g_get_monotonic_time ();
  GError *error = NULL;
  gboolean ok = gst_robocache_fuse_change_composition (fuse, &error);

  run->free_since += g_get_monotonic_time () - since;
  if (ok)
    return;
  FUSE_UNLOCK (fuse);
  fail (run, flow_of_error (error), error);
  FUSE_LOCK (fuse);
}

/* Called with the lock, and returns with it. */
static void
fail_tick (Run *run, GError *error)
{
  FUSE_UNLOCK (run->fuse);
  fuse_departure_release (&run->departure, fuse_buffer_unref);
  fail (run, flow_of_error (error), error);
  FUSE_LOCK (run->fuse);
  fuse_core_finish (run->fuse->core, &run->departure, FALSE, ROBOCACHE_NO_TIME);
}

/* ---- the task ---- */

static gboolean
has_reports (const FuseReports *reports)
{
  return reports->messages.length > 0 || reports->latency_is_off;
}

/* Events, messages and errors that are due leave without the lock. TRUE: some left. Called with the lock, and returns with it. */
static gboolean
send_what_is_due (Run *run)
{
  GstRobocacheFuse *fuse = run->fuse;
  GstEvent *event = gst_robocache_fuse_next_event (fuse);
  gint64 since;

  fuse_core_collect_notes (fuse->core, FALSE, &run->reports.notes);
  gst_robocache_fuse_collect_reports (fuse, &run->reports);
  if (event == NULL && !has_reports (&run->reports))
    return FALSE;
  FUSE_UNLOCK (fuse);
  since = g_get_monotonic_time ();
  gst_robocache_fuse_post_reports (fuse, &run->reports);
  if (event)
    gst_robocache_fuse_push_event (fuse, event);
  run->free_since += g_get_monotonic_time () - since;
  FUSE_LOCK (fuse);
  return TRUE;
}

/* One decision of the core, and what follows from it. Called with the lock, and returns with it. FALSE: the task pauses. */
static gboolean
step (Run *run, GstFlowReturn *flow)
{
  GstRobocacheFuse *fuse = run->fuse;
  GError *error = NULL;
  FuseDecision decision;

  gst_robocache_fuse_set_time (fuse, &run->reports.notes);
  if (gst_pad_check_reconfigure (fuse->src)) {
    GST_INFO_OBJECT (fuse, "downstream changed: its caps and memory are asked for again");
    fuse_core_renew (fuse->core);
  }
  if (send_what_is_due (run))
    return TRUE;
  decision = fuse_core_decide (fuse->core, &run->departure, &run->reports.notes, &error);
  gst_robocache_fuse_collect_reports (fuse, &run->reports);
  switch (decision) {
    case FUSE_WAIT:
      if (!has_reports (&run->reports))
        sleep_until_due (run);
      return TRUE;
    case FUSE_COMPOSE:
      negotiate (run);
      return TRUE;
    case FUSE_SEND:
    case FUSE_DROP:
      gst_robocache_fuse_follow_lateness (fuse, &run->departure, run->free_since, &run->late_at);
      *flow = make_tick (run, decision == FUSE_SEND);
      return TRUE;
    case FUSE_END:
      return end_ticks (run);
    default:
      fail_tick (run, error);
      return TRUE;
  }
}

static void
run_task (gpointer data)
{
  GstRobocacheFuse *fuse = data;
  Run run = {.fuse = fuse,.reports = FUSE_REPORTS_INIT,.free_since = g_get_monotonic_time () };
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean goes_on = TRUE;

  g_atomic_pointer_set (&fuse->task_thread, g_thread_self ());
  FUSE_LOCK (fuse);
  while (goes_on && flow == GST_FLOW_OK && !fuse->flushing)
    goes_on = step (&run, &flow);
  /* downstream may be flushing for a reason of its own */
  if (flow != GST_FLOW_OK && (flow != GST_FLOW_FLUSHING || (!fuse->flushing && fuse->open_flush == GST_SEQNUM_INVALID)))
    gst_robocache_fuse_end_streams (fuse, flow);
  gst_robocache_fuse_end_starvation (fuse);
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_post_messages (fuse, &run.reports.messages);
  fuse_departure_clear (&run.departure);
  g_atomic_pointer_set (&fuse->task_thread, NULL);
  GST_DEBUG_OBJECT (fuse, "the task pauses: %s", gst_flow_get_name (flow));
  gst_pad_pause_task (fuse->src);
}

gboolean
gst_robocache_fuse_is_task (GstRobocacheFuse *fuse)
{
  return g_atomic_pointer_get (&fuse->task_thread) == g_thread_self ();
}

/* Downstream's pool may be what the task waits for. Called with the lock. */
static void
set_pool_flushing (GstRobocacheFuse *fuse, gboolean flushing)
{
  if (fuse->peer_pool)
    gst_buffer_pool_set_flushing (fuse->peer_pool, flushing);
}

void
gst_robocache_fuse_start_task (GstRobocacheFuse *fuse)
{
  FUSE_LOCK (fuse);
  fuse->flushing = FALSE;
  GST_DEBUG_OBJECT (fuse, "the task starts");
  gst_robocache_fuse_begin_streams (fuse);
  set_pool_flushing (fuse, FALSE);
  FUSE_UNLOCK (fuse);
  gst_pad_start_task (fuse->src, run_task, fuse, NULL);
}

void
gst_robocache_fuse_stop_task (GstRobocacheFuse *fuse, gboolean pause)
{
  FUSE_LOCK (fuse);
  GST_DEBUG_OBJECT (fuse, "the task is to %s", pause ? "pause" : "stop");
  fuse->flushing = TRUE;
  set_pool_flushing (fuse, TRUE);
  gst_robocache_fuse_wake (fuse);
  FUSE_UNLOCK (fuse);
  if (pause)
    gst_pad_pause_task (fuse->src);
  else
    gst_pad_stop_task (fuse->src);
}
