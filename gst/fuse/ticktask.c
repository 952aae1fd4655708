/* robocache: the task of robocachefuse: waits for ticks, and hands out samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ticktask.h"

#include "gst/fuse/checks/spans.h"
#include "gst/fuse/stream/debug.h"
#include "elementlatency.h"
#include "messages.h"
#include "negotiation.h"
#include "gst/fuse/sample/samplemeta.h"
#include "settingsevent.h"
#include "timejumps.h"

/* No clock is asked to wait for longer at a time: running time may jump meanwhile, and instants near the end of its range make it spin. */
#define MAX_CLOCK_WAIT (500 * GST_MSECOND)
/* While awake, the task looks at the clock this often, and at properties that change without waking it (us). */
#define US_TO_LOOK_AGAIN 50
/* Live, GAP events within a hole are at least this far apart. */
#define GAP_INTERVAL ((gint64) GST_SECOND)

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

/* Returns when running time is there, when the task is woken, and when it should look again. */
static void
wait_for_running_time (GstRobocacheFuse *fuse, GstClockTime running_time)
{
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

/* ---- which tick is due; called with the lock ---- */

/* Copies what changed of properties since the last look. */
static void
sync_properties (GstRobocacheFuse *fuse, gboolean at_tick)
{
  RobocacheTickGrid grid;

  for (guint i = 0; i < fuse->pads->len; i++)
    gst_robocache_fuse_sync_pad (fuse, gst_robocache_fuse_nth_pad (fuse, i), at_tick);
  if (fuse->rate_changed && !at_tick) { /* a tick that was found has an index of the present grid */
    GST_OBJECT_LOCK (fuse);
    grid = (RobocacheTickGrid) { fuse->rate[0], fuse->rate[1] };
    GST_OBJECT_UNLOCK (fuse);
    fuse->rate_changed = FALSE;
    if (grid.num > 0 && fuse->clock.grid.num > 0) {
      GST_INFO_OBJECT (fuse, "ticks continue at %d/%d Hz", grid.num, grid.den);
      fuse_tick_clock_set_grid (&fuse->clock, grid);
      fuse_journal_add (&fuse->journal, FUSE_JOURNAL_RATE, -1, 0, GST_CLOCK_TIME_NONE);
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
  clock->earliest_start = fuse_earliest_in_time (now, fuse->total_latency);
}

static void
start_without_rows (GstRobocacheFuse *fuse)
{
  const gint64 start = fuse->clock.earliest_start;
  const GstClockTime now = gst_robocache_fuse_live_now (fuse);

  gst_robocache_fuse_note_start (fuse, now);
  if (fuse->clock.earliest_start != start)
    fuse_journal_add (&fuse->journal, FUSE_JOURNAL_STARTED, -1, 0, now);
}

/* Ticks are over, or one is known: which is then in tick. */
static gboolean
find_tick (GstRobocacheFuse *fuse, FuseTick *tick, gboolean *over)
{
  if (fuse->force_live && gst_robocache_fuse_has_streams (fuse))
    start_without_rows (fuse);
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
  const GstClockTime went_back = fuse->went_back;

  gst_robocache_fuse_collect_messages (fuse, FALSE, &messages);
  if (event == NULL && messages.length == 0 && !latency_is_off && went_back == 0)
    return FALSE;
  fuse->went_back = 0;
  FUSE_UNLOCK (fuse);
  if (went_back > 0)
    GST_ELEMENT_WARNING (fuse, CORE, CLOCK, ("running time went back by %.3f s: earlier rows are dropped, and ticks continue "
        "from there",
            (gdouble) went_back / 1e9), (NULL));
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

/* Reads the rows of all streams. FALSE: a required one is missing, or error is set. Called with the lock. */
static gboolean
read_streams (GstRobocacheFuse *fuse, gint64 tick, GError **error)
{
  static const gchar *const names[] = { "aligned", "held", "missing" };
  gboolean complete = TRUE;

  for (guint i = 0; i < fuse->composed->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->composed, i);
    FuseSnapshot *snapshot = &fuse->snapshots[i];

    if (!fuse_stream_read (&pad->stream, tick, snapshot, error))
      return FALSE;
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

/* Not live: FALSE and an error where no stream is aligned for long. Called with the lock. */
static gboolean
check_gap (GstRobocacheFuse *fuse, gint64 tick, GError **error)
{
  gboolean all_are_missing = TRUE;

  for (guint i = 0; i < fuse->composed->len; i++) {
    if (fuse->snapshots[i].bracket.status == RC_ALIGNED)
      return TRUE;
    all_are_missing &= fuse->snapshots[i].bracket.status == RC_MISSING;
  }
  return gst_robocache_fuse_check_gap (fuse, tick, fuse->clock.live ? tick : same_status_until (fuse, tick), all_are_missing, error);
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
  gboolean window_is_stale;
  guint64 n_skipped;            /* dropped ticks after this one */
  gint64 gap_start, gap_end;    /* of a GAP event; ROBOCACHE_NO_TIME: none is due */
  GQueue messages;
  GstStructure *stats;
  GstBuffer *sample;
  guint64 journal_start;
  gboolean has_journal;         /* live: fuse->departing is of this sample */
} Departure;

/* Adds dropped ticks to the hole that downstream is told of. Called with the lock. */
static void
extend_hole (GstRobocacheFuse *fuse, Departure *departure, const gchar *why)
{
  FuseHole *hole = &fuse->hole;
  const FuseTick *tick = &departure->tick;
  const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (tick->duration) ? tick->duration : 0;
  const gint64 lag = measure_lag (fuse, tick->time);

  GST_WARNING_OBJECT (fuse, "tick %" GST_TIME_FORMAT " is dropped, and %" G_GUINT64_FORMAT " after it: %s",
      GST_TIME_ARGS (tick->time), departure->n_skipped, why);
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

/* Releases rows that no tick after `tick` needs. Called with the lock. */
static void
prune_streams (GstRobocacheFuse *fuse, gint64 tick)
{
  const gint64 next = fuse_tick_clock_after (&fuse->clock, tick);

  for (guint i = 0; i < fuse->pads->len; i++)
    fuse_stream_prune (&gst_robocache_fuse_nth_pad (fuse, i)->stream, next);
}

/* The tick is decided: nothing of it depends on rows any more. Called with the lock. */
static void
leave_tick (GstRobocacheFuse *fuse, Departure *departure)
{
  fuse_tick_clock_advance (&fuse->clock, &departure->tick);
  if (!departure->complete) {
    departure->n_skipped = departure->compose ? skip_ticks (fuse, departure->tick.time) : 0;
    extend_hole (fuse, departure, "a required pad is missing");
  }
  take_hole (fuse, departure->complete, departure);
  fuse_tick_clock_sync_period (&fuse->clock);
  prune_streams (fuse, departure->tick.time);
  let_sources_continue (fuse);
}

/* What each stream of the sample took in. Called with the lock. */
static void
list_taken (GstRobocacheFuse *fuse)
{
  g_array_set_size (fuse->departing_taken, 0);
  for (guint i = 0; i < fuse->composed->len; i++) {
    const GstRobocacheFusePad *pad = g_ptr_array_index (fuse->composed, i);
    const gint64 taken[] = { pad->n_rows, pad->n_gaps, pad->n_events };

    g_array_append_vals (fuse->departing_taken, taken, G_N_ELEMENTS (taken));
  }
}

/* Live, the sample carries what it was decided from; a journal that nobody can use goes. Called with the lock. */
static void
note_decision (GstRobocacheFuse *fuse, Departure *departure)
{
  departure->has_journal = fuse->clock.live && departure->complete;
  if (fuse->clock.live) {
    gst_robocache_fuse_begin_settings (fuse);
    fuse_journal_add (&fuse->journal, departure->complete ? FUSE_JOURNAL_TICK : FUSE_JOURNAL_DROPPED, -1, 1, fuse->decided);
  }
  if (departure->has_journal)
    list_taken (fuse);
  if (departure->has_journal || !fuse->clock.live)
    fuse_journal_take (&fuse->journal, fuse->departing, &departure->journal_start);
}

/* Decides the tick that is due, after caps and properties were negotiated. FALSE: its streams are gone meanwhile, the ticks have
 * moved, a flush has begun, or error is set; live also that caps were negotiated, since whether the tick is due may have changed
 * meanwhile. Called with the lock, which may be released. */
static gboolean
decide_tick (GstRobocacheFuse *fuse, Departure *departure, GError **error)
{
  const gint64 tick = departure->tick.time;
  const guint n_moves = fuse->n_moves;
  gboolean all_required;

  sync_properties (fuse, TRUE);
  all_required = enter_tick (fuse, tick);
  while (all_required && (fuse->composition_changed || fuse->composer == NULL)) {
    if (!gst_robocache_fuse_has_streams (fuse) || !gst_robocache_fuse_change_composition (fuse, error) || fuse->flushing
        || fuse->clock.live)
      return FALSE;
    sync_properties (fuse, TRUE);
    all_required = enter_tick (fuse, tick);
  }
  if (fuse->n_moves != n_moves)
    return FALSE;
  gst_robocache_fuse_begin_tick (fuse, tick);
  departure->compose = all_required;
  departure->complete = all_required && read_streams (fuse, tick, error);
  if (*error || !gst_robocache_fuse_check_first_rows (fuse, tick, error) || (departure->complete && !check_gap (fuse, tick, error)))
    return FALSE;
  gst_robocache_fuse_collect_separate_streams (fuse, tick, &departure->messages);
  note_decision (fuse, departure);
  fuse->composing = departure->compose;
  departure->window_is_stale = fuse->window_is_stale && fuse->composer;
  fuse->window_is_stale &= !departure->window_is_stale;
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

  if (departure->window_is_stale && !fuse_composer_forget_window (fuse->composer, error))
    flow = GST_FLOW_ERROR;
  if (flow == GST_FLOW_OK && departure->compose)
    flow = fuse_composer_compose (fuse->composer, departure->tick.time, fuse->snapshots, departure->complete
        ? &departure->sample : NULL, error);
  for (guint64 i = n_shown; flow == GST_FLOW_OK && i > 0; i--)
    flow = fuse_composer_compose (fuse->composer, robocache_tick_time (&fuse->clock.grid, departure->tick.index
            + (gint64) (departure->n_skipped - i) + 1), fuse->snapshots, NULL, error);
  for (guint i = 0; i < fuse->composed->len; i++)
    fuse_snapshot_release (&fuse->snapshots[i]);
  return flow;
}

static void
describe_decision (GstRobocacheFuse *fuse, const Departure *departure)
{
  const FuseSampleDecision decision = {
    .decided = GST_CLOCK_TIME_IS_VALID (fuse->decided) ? (gint64) fuse->decided : -1,
    .taken = fuse->departing_taken,
    .journal = fuse->departing,
    .journal_start = departure->journal_start,
    .journal_pads = fuse_journal_pads (&fuse->journal),
  };

  fuse_sample_set_decision (departure->sample, departure->has_journal ? &decision : NULL);
}

/* Counts what was made. Called with the lock. */
static void
finish_tick (GstRobocacheFuse *fuse, Departure *departure)
{
  fuse->composing = FALSE;
  if (departure->sample) {
    describe_decision (fuse, departure);
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
    for (guint i = 0; i < fuse->composed->len; i++)
      fuse_snapshot_release (&fuse->snapshots[i]);
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

  gst_robocache_fuse_collect_separate_streams (fuse, G_MAXINT64, &departure.messages);
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

/* ---- waiting for the next tick ---- */

static void
warn_skipped (GstRobocacheFuse *fuse, const FuseTick *tick, guint64 n, GstClockTime late_by, gboolean at_end)
{
  gchar *why = at_end ? g_strdup ("all streams have ended")
      : g_strdup_printf ("running time has passed their deadlines by up to %.3f s", (gdouble) late_by / 1e9);

  GST_ELEMENT_WARNING (fuse, CORE, CLOCK, ("%" G_GUINT64_FORMAT " ticks from %" GST_TIME_FORMAT " on are skipped: %s, and no "
          "stream has a row near them", n, GST_TIME_ARGS (tick->time), why), (NULL));
  g_free (why);
}

/* Live: ticks that are overdue, or at the end, and have no rows near are reported as one gap. TRUE: there were some. Called with
 * the lock, which is then released for a while. */
static gboolean
skip_overdue (GstRobocacheFuse *fuse, const FuseTick *tick, GstClockTime now)
{
  Departure departure = {.tick = *tick,.messages = G_QUEUE_INIT };
  const gboolean at_end = fuse_tick_clock_streams_are_over (&fuse->clock);
  const GstClockTime deadline = fuse_deadline (tick->time, fuse->total_latency);
  const guint64 n = gst_robocache_fuse_skip_overdue (fuse, tick, now);

  if (n == 0)
    return FALSE;
  departure.n_skipped = n - 1;
  gst_robocache_fuse_begin_settings (fuse);
  fuse_journal_add (&fuse->journal, FUSE_JOURNAL_DROPPED, -1, n, now);
  extend_hole (fuse, &departure, at_end ? "the streams have ended" : "its deadline is long past");
  take_hole (fuse, TRUE, &departure);
  fuse->window_is_stale = TRUE;
  for (guint i = 0; i < fuse->composed->len; i++)
    fuse_stream_count_ticks (&((GstRobocacheFusePad *) g_ptr_array_index (fuse->composed, i))->stream, RC_MISSING, n);
  prune_streams (fuse, tick->time);
  FUSE_UNLOCK (fuse);
  depart (fuse, &departure);
  warn_skipped (fuse, tick, n, now - MIN (deadline, now), at_end);
  FUSE_LOCK (fuse);
  return TRUE;
}

/* Waits for rows, for a running time (GST_CLOCK_TIME_NONE: for rows alone), or until the task should look again. */
static void
sleep_until (GstRobocacheFuse *fuse, GstClockTime running_time, gint64 since)
{
  fuse->waits = TRUE;
  if (fuse->clock.live && fuse->clock.ticking && get_busy_wait (fuse) > 0 && may_stay_awake (fuse, since, running_time))
    stay_awake (fuse, since, running_time);
  else if (GST_CLOCK_TIME_IS_VALID (running_time))
    wait_for_running_time (fuse, running_time);
  else
    sleep_until_woken (fuse);
  fuse->waits = FALSE;
}

/* Waits until there is something to do. */
static Next
wait_for_work (GstRobocacheFuse *fuse, FuseTick *tick)
{
  const gint64 since = g_get_monotonic_time ();
  GstClockTime now, until;
  gboolean over;

  while (!fuse->flushing) {
    now = fuse->decided = gst_robocache_fuse_note_running_time (fuse);
    sync_properties (fuse, FALSE);
    if (send_what_is_due (fuse))
      continue;
    fuse->awaited = ROBOCACHE_NO_TIME;
    if (fuse->clock.live && !fuse->playing) {
      sleep_until_woken (fuse);
      continue;
    }
    until = GST_CLOCK_TIME_NONE;
    if (find_tick (fuse, tick, &over)) {
      if (over)
        return NEXT_END;
      if (gst_robocache_fuse_return_to_now (fuse, tick->time, now) || skip_overdue (fuse, tick, now))
        continue;
      if (look_at_streams (fuse, tick->time) == 0) {
        until = gst_robocache_fuse_earliest_departure (fuse, tick->time, now);
        if (until == 0)
          return NEXT_TICK;
      } else if (fuse->clock.live) {
        until = fuse_deadline (tick->time, fuse->total_latency);
        if (GST_CLOCK_TIME_IS_VALID (now) && now >= until) {
          GST_DEBUG_OBJECT (fuse, "the deadline of tick %" GST_TIME_FORMAT " has come: %u pads are not ready",
              GST_TIME_ARGS (tick->time), fuse->n_unready);
          return NEXT_TICK;
        }
      }
    }
    let_sources_continue (fuse);
    sleep_until (fuse, until, since);
  }
  return NEXT_PAUSE;
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
