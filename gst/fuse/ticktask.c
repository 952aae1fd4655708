/* robocache: the task of robocachefuse: waits for ticks, and hands out samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ticktask.h"

#include "gst/fuse/stream/debug.h"
#include "liveness.h"
#include "messages.h"
#include "negotiation.h"

/* No clock is asked to wait for longer: instants near the end of its range make it spin. */
#define MAX_CLOCK_WAIT GST_SECOND * 3600
/* While awake, the task looks at the clock this often, and at properties that change without waking it (us). */
#define US_TO_LOOK_AGAIN 50
/* Live, GAP events within a hole are at least this far apart. */
#define GAP_INTERVAL ((gint64) GST_SECOND)
/* Not live, nothing but missing rows for longer than this is an error of timestamps, and no recording. */
#define MAX_EMPTY_SPAN (366 * 24 * 3600 * (gint64) GST_SECOND)

/* What the task does next. */
typedef enum
{
  NEXT_PAUSE,                   /* for a flush, or since the source pad is not active */
  NEXT_TICK,
  NEXT_END                    /* EOS, or SEGMENT_DONE */
} Next;

/* ---- waiting; called with the lock ---- */

static void
sleep_until_woken (GstRobocacheFuse *fuse)
{
  fuse->sleeps = TRUE;
  g_cond_wait (&fuse->work, &fuse->lock);
  fuse->sleeps = FALSE;         /* also where nobody woke it */
}

/* Running time at which a tick must leave. */
static GstClockTime
deadline_of (GstRobocacheFuse *fuse, gint64 tick)
{
  return (GstClockTime) rc_add_saturating (MAX (tick, 0), (gint64) MIN (fuse->total_latency, G_MAXINT64));
}

/* TRUE: the deadline has come. FALSE: the task was woken before. */
static gboolean
wait_for_deadline (GstRobocacheFuse *fuse, gint64 tick)
{
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (fuse));
  const GstClockTime deadline = deadline_of (fuse, tick), base_time = gst_element_get_base_time (GST_ELEMENT (fuse));
  GstClockTime latest, until = base_time + deadline;
  GstClockReturn result;
  GstClockID id;

  if (clock == NULL) {
    sleep_until_woken (fuse);
    return FALSE;
  }
  latest = gst_clock_get_time (clock) + MAX_CLOCK_WAIT;
  if (until < deadline || until > latest)
    until = latest;
  id = fuse->clock_id = gst_clock_new_single_shot_id (clock, until);
  FUSE_UNLOCK (fuse);
  result = gst_clock_id_wait (id, NULL);
  FUSE_LOCK (fuse);
  fuse->clock_id = NULL;
  gst_clock_id_unref (id);
  gst_object_unref (clock);
  return result != GST_CLOCK_UNSCHEDULED && until != latest;
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

static GstClockTime
deadline_of_awaited (GstRobocacheFuse *fuse)
{
  return fuse->awaited == ROBOCACHE_NO_TIME ? GST_CLOCK_TIME_NONE : deadline_of (fuse, fuse->awaited);
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

/* ---- which tick is due; called with the lock ---- */

/* Copies what changed of properties since the last look. */
static void
sync_properties (GstRobocacheFuse *fuse, gboolean at_tick)
{
  RobocacheTickGrid grid;

  for (guint i = 0; i < fuse->pads->len; i++) {
    if (gst_robocache_fuse_pad_sync_settings (gst_robocache_fuse_nth_pad (fuse, i), at_tick))
      fuse->composition_changed = TRUE;
  }
  if (fuse->rate_changed) {
    GST_OBJECT_LOCK (fuse);
    grid = (RobocacheTickGrid) { fuse->rate[0], fuse->rate[1] };
    GST_OBJECT_UNLOCK (fuse);
    fuse->rate_changed = FALSE;
    if (grid.num > 0 && fuse->clock.grid.num > 0) {
      GST_INFO_OBJECT (fuse, "ticks continue at %d/%d Hz", grid.num, grid.den);
      fuse_tick_clock_set_grid (&fuse->clock, grid);
      fuse_tick_clock_sync_period (&fuse->clock);
      fuse->composition_changed = fuse->discont = TRUE;
    }
  }
  if (gst_pad_check_reconfigure (fuse->src))
    fuse->composition_changed = TRUE;
}

/* Whether a seek asked only for ticks before this one. */
static gboolean
is_past_the_end (GstRobocacheFuse *fuse, gint64 tick)
{
  const GstSegment *segment = &fuse->segment;

  return GST_CLOCK_TIME_IS_VALID (segment->stop)
      && tick >= (gint64) gst_segment_to_running_time (segment, GST_FORMAT_TIME, segment->stop);
}

/* Counts the streams that the tick waits for. Where all are declared and none has data, it waits for its deadline. */
static guint
look_at_streams (GstRobocacheFuse *fuse, gint64 tick)
{
  gboolean any_data = FALSE;

  fuse->awaited = tick;
  fuse->n_unready = 0;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    any_data |= !pad->stream.is_declared || pad->stream.has_data;
    pad->is_ready = fuse_stream_is_ready (&pad->stream, tick, !fuse->clock.live);
    if (!pad->is_ready) {
      GST_LOG_OBJECT (pad, "tick %" GST_TIME_FORMAT " waits for this pad: rows until %" GST_STIME_FORMAT,
          GST_TIME_ARGS (tick), GST_STIME_ARGS (fuse_stream_frontier (&pad->stream)));
      fuse->n_unready++;
    }
  }
  if (!any_data)
    fuse->n_unready++;
  return fuse->n_unready;
}

/* Pads that may not be ahead any more continue. */
static void
let_sources_continue (GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->waiting && !gst_robocache_fuse_is_ahead (fuse, pad)) {
      g_cond_broadcast (&fuse->progress);
      return;
    }
  }
}

void
gst_robocache_fuse_look_at_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  FuseTickClock *clock = &fuse->clock;
  FuseTick tick;

  if (!fuse->waits)
    return;
  if (fuse->awaited == ROBOCACHE_NO_TIME) {
    if (fuse_tick_clock_next (clock, &tick) || fuse_tick_clock_is_over (clock))
      gst_robocache_fuse_wake (fuse);
    else
      let_sources_continue (fuse);      /* the row may have told where the first tick is */
    return;
  }
  /* live, the first tick and those of a reference pad may become earlier */
  if (clock->live && (clock->reference || !clock->ticking) && fuse_tick_clock_next (clock, &tick)
      && tick.time != fuse->awaited) {
    gst_robocache_fuse_wake (fuse);
    return;
  }
  if (!pad->is_ready && fuse_stream_is_ready (&pad->stream, fuse->awaited, !clock->live)) {
    pad->is_ready = TRUE;
    if (--fuse->n_unready == 0)
      gst_robocache_fuse_wake (fuse);
  }
}

void
gst_robocache_fuse_note_start (GstRobocacheFuse *fuse, GstClockTime now)
{
  FuseTickClock *clock = &fuse->clock;

  if (clock->ticking || clock->earliest_start != ROBOCACHE_NO_TIME || !GST_CLOCK_TIME_IS_VALID (now)
      || !GST_CLOCK_TIME_IS_VALID (fuse->total_latency))
    return;
  clock->earliest_start = rc_add_saturating ((gint64) now, -(gint64) MIN (fuse->total_latency, G_MAXINT64));
}

/* Ticks are over, or one is known: which is then in tick. */
static gboolean
find_tick (GstRobocacheFuse *fuse, FuseTick *tick, gboolean *over)
{
  if (fuse->force_live && gst_robocache_fuse_has_streams (fuse))
    gst_robocache_fuse_note_start (fuse, gst_robocache_fuse_live_now (fuse));
  *over = fuse->failed ? fuse_tick_clock_streams_are_over (&fuse->clock) : fuse_tick_clock_is_over (&fuse->clock);
  if (!*over) {
    if (fuse->failed || !fuse_tick_clock_next (&fuse->clock, tick))
      return FALSE;
    *over = is_past_the_end (fuse, tick->time);
  }
  return !*over || !fuse->segment_done_sent;
}

/* Events, messages and errors that are due leave without the lock. TRUE: some left. */
static gboolean
send_what_is_due (GstRobocacheFuse *fuse)
{
  GQueue messages = G_QUEUE_INIT;
  GstEvent *event = g_queue_pop_head (&fuse->events);
  gboolean latency_is_off = gst_robocache_fuse_latency_is_off (fuse, NULL);

  gst_robocache_fuse_collect_messages (fuse, FALSE, &messages);
  if (event == NULL && messages.length == 0 && !latency_is_off)
    return FALSE;
  FUSE_UNLOCK (fuse);
  gst_robocache_fuse_post_messages (fuse, &messages);
  if (latency_is_off)
    gst_robocache_fuse_update_latency (fuse);
  if (event) {
    gst_robocache_fuse_push_stream_start (fuse);
    gst_pad_push_event (fuse->src, event);
  }
  FUSE_LOCK (fuse);
  return TRUE;
}

/* Waits until there is something to do. */
static Next
wait_for_work (GstRobocacheFuse *fuse, FuseTick *tick)
{
  const gint64 since = g_get_monotonic_time ();
  gboolean over;

  while (!fuse->flushing) {
    sync_properties (fuse, FALSE);
    if (send_what_is_due (fuse))
      continue;
    fuse->awaited = ROBOCACHE_NO_TIME;
    if (fuse->clock.live && !fuse->playing) {
      sleep_until_woken (fuse);
      continue;
    }
    if (find_tick (fuse, tick, &over)) {
      if (over)
        return NEXT_END;
      if (look_at_streams (fuse, tick->time) == 0)
        return NEXT_TICK;
    }
    let_sources_continue (fuse);
    fuse->waits = TRUE;
    if (fuse->clock.live && fuse->clock.ticking && get_busy_wait (fuse) > 0
        && may_stay_awake (fuse, since, deadline_of_awaited (fuse))) {
      stay_awake (fuse, since, deadline_of_awaited (fuse));
      fuse->waits = FALSE;
      continue;
    }
    if (fuse->clock.live && fuse->awaited != ROBOCACHE_NO_TIME) {
      if (wait_for_deadline (fuse, tick->time) && !fuse->flushing) {
        GST_DEBUG_OBJECT (fuse, "the deadline of tick %" GST_TIME_FORMAT " has come: %u pads are not ready",
            GST_TIME_ARGS (tick->time), fuse->n_unready);
        fuse->waits = FALSE;
        return NEXT_TICK;
      }
    } else {
      sleep_until_woken (fuse);
    }
    fuse->waits = FALSE;
  }
  return NEXT_PAUSE;
}

/* ---- one tick ---- */

/* Lets streams move on to the rows that hold at tick. FALSE: a required one has no caps. Called with the lock. */
static gboolean
enter_tick (GstRobocacheFuse *fuse, gint64 tick)
{
  gboolean all_required = TRUE;

  for (guint i = 0; i < fuse->pads->len; i++) {
    FuseStream *stream = &gst_robocache_fuse_nth_pad (fuse, i)->stream;

    if (fuse_stream_enter_tick (stream, tick))
      fuse->composition_changed = TRUE;
    if (stream->settings.required && fuse_stream_epoch (stream) == NULL)
      all_required = FALSE;
  }
  return all_required;
}

/* Reads the rows of all streams. FALSE: a required one is missing. Called with the lock. */
static gboolean
read_streams (GstRobocacheFuse *fuse, gint64 tick)
{
  static const gchar *const names[] = { "aligned", "held", "missing" };
  gboolean complete = TRUE;

  for (guint i = 0; i < fuse->composed->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->composed, i);
    FuseSnapshot *snapshot = &fuse->snapshots[i];

    fuse_stream_read (&pad->stream, tick, snapshot);
    GST_LOG_OBJECT (pad, "tick %" GST_TIME_FORMAT ": %s, rows at %" GST_STIME_FORMAT " and %" GST_STIME_FORMAT,
        GST_TIME_ARGS (tick), names[snapshot->bracket.status], GST_STIME_ARGS (snapshot->before),
        GST_STIME_ARGS (snapshot->after));
    if (snapshot->bracket.status == RC_MISSING && pad->stream.settings.required) {
      GST_DEBUG_OBJECT (pad, "is required and missing at %" GST_TIME_FORMAT, GST_TIME_ARGS (tick));
      complete = FALSE;
    }
  }
  return complete;
}

/* The instant until which all streams are certain to have the status that they have at tick. Called with the lock. */
static gint64
same_status_until (GstRobocacheFuse *fuse, gint64 tick)
{
  gint64 until = G_MAXINT64;

  for (guint i = 0; i < fuse->composed->len; i++)
    until = MIN (until, fuse_stream_same_status_until (&((GstRobocacheFusePad *) g_ptr_array_index (fuse->composed, i))->stream,
            tick, fuse->snapshots[i].bracket.status));
  return until;
}

/* Not live: the ticks after one that was dropped which are as certainly dropped, by arithmetic. Called with the lock. */
static guint64
skip_ticks (GstRobocacheFuse *fuse, gint64 tick)
{
  const gint64 until = fuse->clock.live ? tick : same_status_until (fuse, tick);
  const guint64 n = until > tick ? fuse_tick_clock_skip (&fuse->clock, until) : 0;

  for (guint i = 0; n > 0 && i < fuse->composed->len; i++)
    fuse_stream_count_ticks (&((GstRobocacheFusePad *) g_ptr_array_index (fuse->composed, i))->stream,
        fuse->snapshots[i].bracket.status, n);
  return n;
}

/* Not live: FALSE and an error where nothing but missing rows would fill years. Called with the lock. */
static gboolean
check_span (GstRobocacheFuse *fuse, gint64 tick, GError **error)
{
  gint64 until;

  for (guint i = 0; i < fuse->composed->len; i++) {
    if (fuse->snapshots[i].bracket.status == RC_ALIGNED)
      return TRUE;
  }
  until = fuse->clock.live ? tick : same_status_until (fuse, tick);
  if (until == G_MAXINT64 || until - tick < MAX_EMPTY_SPAN)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "no stream has a row between %" GST_TIME_FORMAT " and %"
      GST_TIME_FORMAT ": give all timestamps one origin", GST_TIME_ARGS (tick), GST_TIME_ARGS (until));
  return FALSE;
}

/* How long after a tick it is; 0 when nothing says. Called with the lock. */
static gint64
measure_lag (GstRobocacheFuse *fuse, gint64 tick)
{
  GstClock *clock = fuse->clock.live ? gst_element_get_clock (GST_ELEMENT (fuse)) : NULL;
  GstClockTimeDiff lag;

  if (clock == NULL)
    return 0;
  lag = GST_CLOCK_DIFF (gst_element_get_base_time (GST_ELEMENT (fuse)) + tick, gst_clock_get_time (clock));
  gst_object_unref (clock);
  return lag;
}

/* What leaves the element with a tick. */
typedef struct
{
  FuseTick tick;
  gboolean complete;            /* there is a sample */
  gboolean compose;             /* the streams were read */
  guint64 n_skipped;            /* dropped ticks after this one */
  gint64 gap_start, gap_end;    /* of a GAP event; ROBOCACHE_NO_TIME: none is due */
  GQueue messages;
  GstStructure *stats;
  GstBuffer *sample;
} Departure;

/* Adds dropped ticks to the hole that downstream is told of. Called with the lock. */
static void
extend_hole (GstRobocacheFuse *fuse, Departure *departure)
{
  FuseHole *hole = &fuse->hole;
  const FuseTick *tick = &departure->tick;
  const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (tick->duration) ? tick->duration : 0;
  const gint64 lag = measure_lag (fuse, tick->time);

  GST_WARNING_OBJECT (fuse, "tick %" GST_TIME_FORMAT " is dropped, and %" G_GUINT64_FORMAT " after it: a required pad is missing",
      GST_TIME_ARGS (tick->time), departure->n_skipped);
  gst_robocache_fuse_collect_dropped (fuse, tick->time, tick->duration, lag, 1 + departure->n_skipped, &departure->messages);
  fuse->discont = TRUE;
  if (!fuse->sent_buffer)
    return;
  if (hole->n == 0)
    hole->first = tick->time;
  hole->n += 1 + departure->n_skipped;
  hole->end = departure->n_skipped > 0 ? fuse_tick_clock_after (&fuse->clock, tick->time)
      : rc_add_saturating (tick->time, (gint64) duration);
}

/* Takes the hole as a GAP event, where one is due. Called with the lock. */
static void
take_hole (GstRobocacheFuse *fuse, gboolean is_over, Departure *departure)
{
  FuseHole *hole = &fuse->hole;
  const gboolean live_due = fuse->clock.live && (fuse->last_gap == ROBOCACHE_NO_TIME
      || rc_add_saturating (hole->end, -fuse->last_gap) >= GAP_INTERVAL);

  departure->gap_start = ROBOCACHE_NO_TIME;
  if (hole->n > 0 && (is_over || live_due)) {
    departure->gap_start = hole->first;
    departure->gap_end = hole->end;
    fuse->last_gap = hole->first;
    hole->n = 0;
  }
  if (is_over)
    fuse->last_gap = ROBOCACHE_NO_TIME;
}

/* The tick is decided: nothing of it depends on rows any more. Called with the lock. */
static void
leave_tick (GstRobocacheFuse *fuse, Departure *departure)
{
  gint64 next;

  fuse_tick_clock_advance (&fuse->clock, &departure->tick);
  if (!departure->complete) {
    departure->n_skipped = departure->compose ? skip_ticks (fuse, departure->tick.time) : 0;
    extend_hole (fuse, departure);
  }
  take_hole (fuse, departure->complete, departure);
  next = fuse_tick_clock_after (&fuse->clock, departure->tick.time);
  fuse_tick_clock_sync_period (&fuse->clock);
  for (guint i = 0; i < fuse->pads->len; i++)
    fuse_stream_prune (&gst_robocache_fuse_nth_pad (fuse, i)->stream, next);
  let_sources_continue (fuse);
}

/* Decides the tick that is due, after caps and properties were negotiated. FALSE: its streams are gone meanwhile, a flush has
 * begun, or error is set. Called with the lock, which may be released. */
static gboolean
decide_tick (GstRobocacheFuse *fuse, Departure *departure, GError **error)
{
  const gint64 tick = departure->tick.time;
  gboolean all_required;

  sync_properties (fuse, TRUE);
  all_required = enter_tick (fuse, tick);
  while (all_required && (fuse->composition_changed || fuse->composer == NULL)) {
    if (!gst_robocache_fuse_has_streams (fuse) || !gst_robocache_fuse_change_composition (fuse, error) || fuse->flushing)
      return FALSE;
    sync_properties (fuse, TRUE);
    all_required = enter_tick (fuse, tick);
  }
  departure->compose = all_required;
  departure->complete = all_required && read_streams (fuse, tick);
  if (departure->complete && !check_span (fuse, tick, error))
    return FALSE;
  fuse->composing = departure->compose;
  leave_tick (fuse, departure);
  return TRUE;
}

/* Makes the sample, and moves the window over ticks that were skipped. Called without the lock. */
static GstFlowReturn
compose (GstRobocacheFuse *fuse, Departure *departure, GError **error)
{
  /* of the ticks that were skipped a window shows the last ones */
  const guint64 n_shown = MIN (departure->n_skipped, (guint64) fuse->started_output.window);
  GstFlowReturn flow = GST_FLOW_OK;

  if (departure->compose)
    flow = fuse_composer_compose (fuse->composer, departure->tick.time, fuse->snapshots, departure->complete
        ? &departure->sample : NULL, error);
  for (guint64 i = n_shown; flow == GST_FLOW_OK && i > 0; i--)
    flow = fuse_composer_compose (fuse->composer, robocache_tick_time (&fuse->clock.grid, departure->tick.index
            + (gint64) (departure->n_skipped - i) + 1), fuse->snapshots, NULL, error);
  for (guint i = 0; i < fuse->composed->len; i++)
    fuse_snapshot_release (&fuse->snapshots[i]);
  return flow;
}

/* Counts what was made. Called with the lock. */
static void
finish_tick (GstRobocacheFuse *fuse, Departure *departure)
{
  fuse->composing = FALSE;
  if (departure->sample) {
    fuse->ticks.n_out++;
    if (fuse->clock.live && GST_CLOCK_TIME_IS_VALID (fuse->total_latency))
      fuse_tick_statistics_add (&fuse->ticks, measure_lag (fuse, departure->tick.time),
          (gint64) MIN (fuse->total_latency, G_MAXINT64));
    if (fuse->discont)
      GST_BUFFER_FLAG_SET (departure->sample, GST_BUFFER_FLAG_DISCONT);
    fuse->discont = FALSE;
    fuse->sent_buffer = TRUE;
  }
  if (robocache_statistics_timer_due (&fuse->stats_timer, departure->tick.time))
    departure->stats = gst_robocache_fuse_make_statistics (fuse);
}

/* ---- what leaves; called without the lock ---- */

static void
push_gap (GstRobocacheFuse *fuse, gint64 start, gint64 end)
{
  GstClockTime pts;

  if (start == ROBOCACHE_NO_TIME)
    return;
  gst_robocache_fuse_push_segment (fuse);
  FUSE_LOCK (fuse);
  pts = gst_segment_position_from_running_time (&fuse->segment, GST_FORMAT_TIME, start);
  FUSE_UNLOCK (fuse);
  gst_pad_push_event (fuse->src, gst_event_new_gap (pts, end > start ? (GstClockTime) (end - start) : GST_CLOCK_TIME_NONE));
}

static GstFlowReturn
push_sample (GstRobocacheFuse *fuse, GstBuffer *sample, const FuseTick *tick)
{
  GstClockTime pts;

  gst_robocache_fuse_push_stream_start (fuse);
  gst_robocache_fuse_push_segment (fuse);
  FUSE_LOCK (fuse);
  pts = gst_segment_position_from_running_time (&fuse->segment, GST_FORMAT_TIME, tick->time);
  fuse->segment.position = pts;
  FUSE_UNLOCK (fuse);
  GST_BUFFER_PTS (sample) = pts;
  GST_BUFFER_DURATION (sample) = tick->duration;
  return gst_pad_push (fuse->src, sample);
}

static GstFlowReturn
depart (GstRobocacheFuse *fuse, Departure *departure)
{
  gst_robocache_fuse_post_messages (fuse, &departure->messages);
  if (departure->stats)
    robocache_statistics_post (GST_ELEMENT (fuse), departure->stats);
  push_gap (fuse, departure->gap_start, departure->gap_end);
  if (departure->sample == NULL)
    return GST_FLOW_OK;
  return push_sample (fuse, departure->sample, &departure->tick);
}

/* Called with the lock, and returns with it. */
static GstFlowReturn
make_tick (GstRobocacheFuse *fuse, const FuseTick *tick)
{
  Departure departure = {.tick = *tick,.messages = G_QUEUE_INIT };
  GError *error = NULL;
  GstFlowReturn flow;

  if (!decide_tick (fuse, &departure, &error)) {
    FUSE_UNLOCK (fuse);
    if (error)
      gst_robocache_fuse_fail (fuse, NULL, error->domain == ROBOCACHE_ERROR ? GST_FLOW_NOT_NEGOTIATED : GST_FLOW_ERROR, error);
    FUSE_LOCK (fuse);
    return GST_FLOW_OK;
  }
  FUSE_UNLOCK (fuse);
  flow = compose (fuse, &departure, &error);
  FUSE_LOCK (fuse);
  finish_tick (fuse, &departure);
  FUSE_UNLOCK (fuse);
  if (error) {
    gst_robocache_fuse_fail (fuse, NULL, GST_FLOW_ERROR, error);
    gst_robocache_fuse_post_messages (fuse, &departure.messages);
    g_clear_pointer (&departure.stats, gst_structure_free);
    flow = GST_FLOW_OK;         /* the streams have failed, and the task waits until they are flushed */
  } else if (flow == GST_FLOW_OK) {
    flow = depart (fuse, &departure);
  } else {
    gst_robocache_fuse_post_messages (fuse, &departure.messages);
    g_clear_pointer (&departure.stats, gst_structure_free);
  }
  FUSE_LOCK (fuse);
  return flow;
}

/* EOS, or SEGMENT_DONE where a stream ended so. Called with the lock, and returns with it. FALSE: the task pauses. */
static gboolean
end_ticks (GstRobocacheFuse *fuse)
{
  Departure departure = {.messages = G_QUEUE_INIT };
  gboolean segment_done = FALSE;
  GstClockTime position;

  for (guint i = 0; i < fuse->pads->len; i++) {
    FuseStream *stream = &gst_robocache_fuse_nth_pad (fuse, i)->stream;

    segment_done |= stream->segment_done && !stream->eos;
    fuse_stream_settle (stream);
  }
  /* ticks may end before the streams do */
  segment_done |= !fuse_tick_clock_streams_are_over (&fuse->clock) && (fuse->segment.flags & GST_SEGMENT_FLAG_SEGMENT);
  gst_robocache_fuse_collect_messages (fuse, TRUE, &departure.messages);
  take_hole (fuse, TRUE, &departure);
  position = GST_CLOCK_TIME_IS_VALID (fuse->segment.position) ? fuse->segment.position : fuse->segment.start;
  fuse->segment_done_sent = segment_done;
  if (!segment_done)
    gst_robocache_fuse_end_streams (fuse, GST_FLOW_EOS);
  FUSE_UNLOCK (fuse);

  gst_robocache_fuse_post_messages (fuse, &departure.messages);
  push_gap (fuse, departure.gap_start, departure.gap_end);
  robocache_statistics_post_last (GST_ELEMENT (fuse));
  gst_robocache_fuse_push_stream_start (fuse);
  gst_robocache_fuse_push_segment (fuse);
  GST_INFO_OBJECT (fuse, "%s", segment_done ? "the segment is done" : "EOS");
  gst_robocache_fuse_push_marked (fuse, segment_done ? gst_event_new_segment_done (GST_FORMAT_TIME, (gint64) position)
      : gst_event_new_eos ());
  FUSE_LOCK (fuse);
  return segment_done;
}

/* ---- the task ---- */

static void
run_task (gpointer data)
{
  GstRobocacheFuse *fuse = data;
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean run = TRUE;
  FuseTick tick;

  g_atomic_pointer_set (&fuse->task_thread, g_thread_self ());
  FUSE_LOCK (fuse);
  while (run && flow == GST_FLOW_OK) {
    switch (wait_for_work (fuse, &tick)) {
      case NEXT_TICK:
        flow = make_tick (fuse, &tick);
        break;
      case NEXT_END:
        run = end_ticks (fuse);
        break;
      default:
        run = FALSE;
        break;
    }
  }
  /* downstream may be flushing for a reason of its own */
  if (flow != GST_FLOW_OK && (flow != GST_FLOW_FLUSHING || (!fuse->flushing && fuse->open_flush == GST_SEQNUM_INVALID)))
    gst_robocache_fuse_end_streams (fuse, flow);
  FUSE_UNLOCK (fuse);
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
  fuse->ended = GST_FLOW_OK;
  set_pool_flushing (fuse, FALSE);
  FUSE_UNLOCK (fuse);
  gst_pad_start_task (fuse->src, run_task, fuse, NULL);
}

void
gst_robocache_fuse_stop_task (GstRobocacheFuse *fuse, gboolean pause)
{
  FUSE_LOCK (fuse);
  fuse->flushing = TRUE;
  set_pool_flushing (fuse, TRUE);
  gst_robocache_fuse_wake (fuse);
  FUSE_UNLOCK (fuse);
  if (pause)
    gst_pad_pause_task (fuse->src);
  else
    gst_pad_stop_task (fuse->src);
}
