/* robocache: what robocachefuse decides: which tick is due, what its sample is made of, and what leaves with it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "core.h"

#include <string.h>

#include "control.h"
#include "ticklatency.h"
#include "seekranges.h"
#include "recordingspans.h"
#include "state.h"
#include "status.h"
#include "timejumps.h"

/* Live, GAPs within a hole are at least this far apart. */
#define GAP_INTERVAL ROBOCACHE_SECOND
/* Not live: rows that a stream may be ahead of the next tick; then its source waits until there is room for several more, since each wait
 * costs as much as many rows. */
#define MAX_ROWS_AHEAD 32
#define ROWS_AHEAD_TO_CONTINUE 16

/* ---- departures ---- */

static void
begin_departure (FuseCore *core, FuseDeparture *departure)
{
  if (departure->journal == NULL) {
    departure->journal = g_array_new (FALSE, FALSE, sizeof (FuseJournalEntry));
    departure->taken = g_array_new (FALSE, FALSE, sizeof (gint64));
  }
  departure->n_snapshots = 0;
  departure->n_skipped = 0;
  departure->is_skipped = departure->has_rows = departure->window_is_stale = departure->segment_done = departure->has_journal = FALSE;
  departure->range_begins = FALSE;
  departure->grid = core->clock.grid;
  departure->gap_start = departure->segment_from = ROBOCACHE_NO_TIME;
  departure->decided = core->now;
}

void
fuse_departure_release (FuseDeparture *departure, void (*unref_buffer) (gpointer buffer))
{
  for (guint i = 0; i < departure->n_snapshots; i++)
    fuse_snapshot_release (&departure->snapshots[i], unref_buffer);
}

void
fuse_departure_clear (FuseDeparture *departure)
{
  for (guint i = 0; i < departure->capacity; i++)
    fuse_snapshot_clear (&departure->snapshots[i]);
  g_clear_pointer (&departure->snapshots, g_free);
  g_clear_pointer (&departure->journal, g_array_unref);
  g_clear_pointer (&departure->taken, g_array_unref);
  departure->n_snapshots = departure->capacity = 0;
}

static void
reserve_snapshots (FuseDeparture *departure, guint n)
{
  if (n > departure->capacity) {
    departure->snapshots = g_renew (FuseSnapshot, departure->snapshots, n);
    memset (departure->snapshots + departure->capacity, 0, (n - departure->capacity) * sizeof (FuseSnapshot));
    departure->capacity = n;
  }
  departure->n_snapshots = n;
}

/* ---- which tick is due ---- */

/* Of a tick that is known: whether it is behind all ranges, or else in one. FALSE: the range that it may be in has not begun. */
static gboolean
find_place (FuseCore *core, FuseTick *tick, gboolean *over)
{
  FuseTickPlace place = fuse_ranges_place (core, tick->time);
  gint64 begin;

  while (place == FUSE_TICK_BEFORE_RANGE && (begin = fuse_ranges_next_begin (core, tick->time)) != ROBOCACHE_NO_TIME) {
    if (fuse_tick_clock_skip (&core->clock, begin) == 0)
      fuse_tick_clock_enter (&core->clock, begin);
    if (!fuse_tick_clock_next (&core->clock, tick))
      return FALSE;
    place = fuse_ranges_place (core, tick->time);
  }
  *over = place == FUSE_TICK_BEYOND_RANGE;
  return place != FUSE_TICK_BEFORE_RANGE;
}

/* Ticks are over, or one is known: which is then in tick. */
static gboolean
find_tick (FuseCore *core, FuseTick *tick, gboolean *over)
{
  if (core->settings.force_live && fuse_core_has_epochs (core) && fuse_core_begin_ticks (core))
    fuse_journal_add (&core->journal, FUSE_JOURNAL_STARTED, -1, 0, core->now);
  if (fuse_core_awaits_streams (core)) {
    FUSE_LOG (&core->log, LOG, NULL, "the first tick waits for %u streams that may be added, and for caps of declared ones", core->n_expected);
    return FALSE;
  }
  *over = core->has_failed ? fuse_tick_clock_streams_are_over (&core->clock) : fuse_tick_clock_is_over (&core->clock);
  if (!*over) {
    if (core->has_failed || !fuse_tick_clock_next (&core->clock, tick))
      return FALSE;
    if (!find_place (core, tick, over))
      return FALSE;
  }
  return !*over || !core->segment_done;
}

/* Counts the streams that the tick waits for. Where all are declared and none has data, it waits for its deadline. */
static guint
look_at_streams (FuseCore *core, const FuseTick *tick)
{
  gboolean any_data = FALSE;

  core->awaited = tick->time;
  core->n_unready = 0;
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    any_data |= !stream->is_declared || stream->has_data;
    stream->is_ready = fuse_stream_is_ready (stream, tick->time, !core->clock.live);
    if (!stream->is_ready) {
      FUSE_LOG (&core->log, LOG, stream, FUSE_TICK_FORMAT " waits for this pad: %s; its newest row is at %" FUSE_TIME_FORMAT,
          FUSE_TICK_ARGS (core, tick), fuse_stream_awaits (stream, tick->time, !core->clock.live), FUSE_TIME_ARGS (fuse_stream_newest_row (stream)));
      core->n_unready++;
    }
  }
  if (!any_data)
    core->n_unready++;
  return core->n_unready;
}

/* When the tick may leave: ROBOCACHE_NO_TIME: now; G_MAXINT64: when something comes. */
static gint64
time_of_departure (FuseCore *core, const FuseTick *tick)
{
  gint64 deadline;

  if (look_at_streams (core, tick) == 0)
    return fuse_earliest_departure (core, tick->time);
  if (!core->clock.live)
    return G_MAXINT64;
  deadline = fuse_deadline (tick->time, MAX (core->total, 0));
  if (core->now == ROBOCACHE_NO_TIME || core->now < deadline) {
    FUSE_LOG (&core->log, LOG, NULL, FUSE_TICK_FORMAT " waits for %u pads until %" FUSE_TIME_FORMAT "; running time is %" FUSE_TIME_FORMAT,
        FUSE_TICK_ARGS (core, tick), core->n_unready, FUSE_TIME_ARGS (deadline), FUSE_TIME_ARGS (core->now));
    return deadline;
  }
  FUSE_LOG (&core->log, LOG, NULL, FUSE_TICK_FORMAT " leaves at its deadline %" FUSE_TIME_FORMAT ": %u pads are not ready",
      FUSE_TICK_ARGS (core, tick), FUSE_TIME_ARGS (deadline), core->n_unready);
  return ROBOCACHE_NO_TIME;
}

/* ---- what samples are made of ---- */

static void
add_composed (FuseCore *core, FuseStream *stream)
{
  const FuseEpoch *epoch = fuse_stream_epoch (stream);
  const FuseComposed key = { stream->id, epoch->serial, epoch->search.interpolation };

  g_ptr_array_add (core->next_composed, stream);
  g_array_append_val (core->next_keys, key);
}

/* The rate, or the reference's. */
static RobocacheTickGrid
rate_of_samples (const FuseCore *core)
{
  const FuseTickClock *clock = &core->clock;
  const FuseEpoch *epoch = clock->reference ? fuse_stream_epoch (clock->reference) : NULL;

  if (clock->grid.num > 0)
    return clock->grid;
  return epoch && epoch->format->rate_num > 0 ? (RobocacheTickGrid) { epoch->format->rate_num, epoch->format->rate_den }
      : (RobocacheTickGrid) { 0, 1 };
}

static gboolean
is_same_rate (RobocacheTickGrid a, RobocacheTickGrid b)
{
  return a.num == b.num && a.den == b.den;
}

/* Whether the current composer fits the streams at the tick. */
static gboolean
is_composed (FuseCore *core)
{
  g_ptr_array_set_size (core->next_composed, 0);
  g_array_set_size (core->next_keys, 0);
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);
    const FuseEpoch *epoch = fuse_stream_epoch (stream);

    if (epoch && !(core->settings.output.layout == FUSE_LAYOUT_CONCAT && epoch->format->is_camera))
      add_composed (core, stream);
  }
  core->next_rate = rate_of_samples (core);
  core->next_is_void = FALSE;
  return core->is_accepted && is_same_rate (core->rate, core->next_rate) && core->keys->len == core->next_keys->len
      && memcmp (core->keys->data, core->next_keys->data, core->keys->len * sizeof (FuseComposed)) == 0;
}

const GPtrArray *
fuse_core_composed (const FuseCore *core, RobocacheTickGrid *rate)
{
  *rate = core->next_rate;
  return core->next_composed;
}

void
fuse_core_accept (FuseCore *core)
{
  GPtrArray *composed = core->composed;
  GArray *keys = core->keys;

  if (core->next_is_void)
    return;
  core->composed = core->next_composed;
  core->next_composed = composed;
  core->keys = core->next_keys;
  core->next_keys = keys;
  core->rate = core->next_rate;
  core->is_accepted = TRUE;
  FUSE_LOG (&core->log, INFO, NULL, "samples have %u streams, at %d/%d Hz", core->composed->len, core->rate.num, core->rate.den);
}

void
fuse_core_renew (FuseCore *core)
{
  core->is_accepted = FALSE;
}

/* ---- one tick ---- */

static FuseStream *
composed_stream (const FuseCore *core, guint i)
{
  return g_ptr_array_index (core->composed, i);
}

/* Lets streams move on to the rows that hold at tick. FALSE: a required one has no format. */
static gboolean
enter_tick (FuseCore *core, gint64 tick)
{
  gboolean all_required = TRUE;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    fuse_stream_apply_timestamps (stream);
    fuse_stream_enter_tick (stream, tick);
    if (stream->settings.required && fuse_stream_epoch (stream) == NULL)
      all_required = FALSE;
  }
  return all_required;
}

/* For log lines: why the rows of a stream at a tick are no better. */
static const gchar *
explain (const FuseStream *stream, const FuseSnapshot *snapshot)
{
  const RcInterpolation interpolation = fuse_stream_search (stream, fuse_stream_epoch (stream))->interpolation;

  if (snapshot->bracket.status == RC_ALIGNED)
    return "within max-gap";
  if (rc_bracket_is_scattered (&snapshot->bracket))
    return "quaternions of its rows have no mean";
  if (snapshot->before == ROBOCACHE_NO_TIME)
    return "no row is before it";
  if (snapshot->bracket.status == RC_MISSING)
    return "the row before it is older than hold-limit";
  if (interpolation == RC_LOWPASS)
    return "the rows do not cover its filter";
  if (snapshot->after != ROBOCACHE_NO_TIME || interpolation == RC_PREVIOUS)
    return "the rows around it are further apart than max-gap";
  return fuse_stream_is_over (stream) ? "the stream has ended" : "the row after it did not arrive in time";
}

static void
log_rows (const FuseCore *core, const FuseStream *stream, const FuseTick *tick, const FuseSnapshot *snapshot)
{
  static const gchar *const names[] = { "aligned", "held", "missing" };

  FUSE_LOG (&core->log, LOG, stream, FUSE_TICK_FORMAT " is %s, with rows at %" FUSE_TIME_FORMAT " and %" FUSE_TIME_FORMAT ": %s",
      FUSE_TICK_ARGS (core, tick), names[snapshot->bracket.status], FUSE_TIME_ARGS (snapshot->before), FUSE_TIME_ARGS (snapshot->after),
      explain (stream, snapshot));
}

/* Reads the rows of all streams. FALSE: a required one is missing, or error is set. */
static gboolean
read_streams (FuseCore *core, FuseDeparture *departure, GError **error)
{
  const gint64 tick = departure->tick.time;
  gboolean complete = TRUE;

  reserve_snapshots (departure, core->composed->len);
  for (guint i = 0; i < core->composed->len; i++) {
    FuseStream *stream = composed_stream (core, i);
    FuseSnapshot *snapshot = &departure->snapshots[i];

    if (!fuse_stream_read (stream, tick, core->clock.live, snapshot, error))
      return FALSE;
    log_rows (core, stream, &departure->tick, snapshot);
    complete &= snapshot->bracket.status != RC_MISSING || !stream->settings.required;
  }
  return complete;
}

/* The instant until which all streams are certain to have the status that they have at tick. */
static gint64
same_status_until (const FuseCore *core, const FuseDeparture *departure, gint64 tick)
{
  gint64 until = G_MAXINT64;

  if (core->clock.live)
    return tick;
  for (guint i = 0; i < departure->n_snapshots; i++) {
    if (rc_bracket_is_scattered (&departure->snapshots[i].bracket))
      return tick;
  }
  for (guint i = 0; i < departure->n_snapshots; i++)
    until = MIN (until, fuse_stream_same_status_until (composed_stream (core, i), tick, departure->snapshots[i].bracket.status));
  return until;
}

/* Not live: the ticks after one that was dropped which are as certainly dropped, by arithmetic. */
static guint64
skip_ticks (FuseCore *core, const FuseDeparture *departure, gint64 tick)
{
  const gint64 until = same_status_until (core, departure, tick);
  const guint64 n = until > tick ? fuse_tick_clock_skip (&core->clock, until) : 0;

  for (guint i = 0; n > 0 && i < departure->n_snapshots; i++)
    fuse_stream_count_ticks (composed_stream (core, i), departure->snapshots[i].bracket.status, n);
  return n;
}

/* Not live: FALSE and an error where no stream is aligned for long. */
static gboolean
check_gap (const FuseCore *core, const FuseDeparture *departure, gint64 tick, GError **error)
{
  gboolean all_are_missing = TRUE;

  for (guint i = 0; i < departure->n_snapshots; i++) {
    if (departure->snapshots[i].bracket.status == RC_ALIGNED)
      return TRUE;
    all_are_missing &= departure->snapshots[i].bracket.status == RC_MISSING;
  }
  return fuse_check_gap (core, tick, same_status_until (core, departure, tick), all_are_missing, error);
}

static void
warn_of_scattered (const FuseCore *core, const FuseDeparture *departure, GQueue *notes)
{
  for (guint i = 0; i < departure->n_snapshots; i++) {
    FuseStream *stream = composed_stream (core, i);

    if (rc_bracket_is_scattered (&departure->snapshots[i].bracket))
      fuse_note_add_warning (notes, FUSE_NOTE_FORMAT, stream, robocache_quaternion_check_take_warning (&stream->statistics.quaternions));
  }
}

/* ---- dropped ticks ---- */

static gint64
next_row (const FuseStream *stream, const FuseTick *tick)
{
  return stream ? fuse_stream_next_row_after (stream, tick->time) : ROBOCACHE_NO_TIME;
}

/* The first tick of a hole is worth a warning, those after it are not: a hole may have a thousand ticks a second. of: the stream that is
 * the reason, or NULL. */
static void
log_dropped (const FuseCore *core, const FuseDeparture *departure, const FuseStream *of, const gchar *why)
{
  const FuseTick *tick = &departure->tick;

  if (core->hole.n_since == 0)
    FUSE_LOG (&core->log, WARNING, of, FUSE_TICK_FORMAT " is dropped, and %" G_GUINT64_FORMAT " after it: %s; the next row is at %"
        FUSE_TIME_FORMAT, FUSE_TICK_ARGS (core, tick), departure->n_skipped, why, FUSE_TIME_ARGS (next_row (of, tick)));
  else
    FUSE_LOG (&core->log, LOG, of, FUSE_TICK_FORMAT " is dropped, too, and %" G_GUINT64_FORMAT " after it: %s; the next row is at %"
        FUSE_TIME_FORMAT, FUSE_TICK_ARGS (core, tick), departure->n_skipped, why, FUSE_TIME_ARGS (next_row (of, tick)));
}

/* Adds dropped ticks to the hole before the next sample. of, why: for log lines. */
static void
extend_hole (FuseCore *core, const FuseDeparture *departure, const FuseStream *of, const gchar *why, GQueue *notes)
{
  FuseHole *hole = &core->hole;
  const FuseTick *tick = &departure->tick;
  const gint64 duration = MAX (tick->duration, 0);

  log_dropped (core, departure, of, why);
  hole->n_since += 1 + departure->n_skipped;
  fuse_lose_ticks (core, tick, 1 + departure->n_skipped, notes);
  core->discont = TRUE;
  if (!core->has_sent)
    return;
  if (hole->n == 0)
    hole->first = tick->time;
  hole->n += 1 + departure->n_skipped;
  hole->end = departure->n_skipped > 0 ? fuse_tick_clock_after (&core->clock, tick->time) : rc_add_saturating (tick->time, duration);
}

/* Takes the hole as a GAP, where one is due. */
static void
take_hole (FuseCore *core, gboolean is_over, FuseDeparture *departure)
{
  FuseHole *hole = &core->hole;
  const gboolean live_due = core->clock.live && (core->last_gap == ROBOCACHE_NO_TIME
      || rc_add_saturating (hole->end, -core->last_gap) >= GAP_INTERVAL);

  if (hole->n > 0 && (is_over || live_due)) {
    FUSE_LOG (&core->log, DEBUG, NULL, "a GAP covers %" G_GUINT64_FORMAT " dropped ticks, from %" FUSE_TIME_FORMAT " to %" FUSE_TIME_FORMAT, hole->n,
        FUSE_TIME_ARGS (hole->first), FUSE_TIME_ARGS (hole->end));
    departure->gap_start = hole->first;
    departure->gap_end = hole->end;
    core->last_gap = hole->first;
    hole->n = 0;
  }
  if (is_over)
    core->last_gap = ROBOCACHE_NO_TIME;
}

/* Releases rows that no tick after `tick` needs. */
static void
prune_streams (FuseCore *core, gint64 tick)
{
  const gint64 next = fuse_tick_clock_after (&core->clock, tick);

  for (guint i = 0; i < core->streams->len; i++)
    fuse_stream_prune (fuse_core_stream (core, i), next);
}

/* The first required stream that a dropped tick lacks. */
static const FuseStream *
find_missing (const FuseCore *core, const FuseDeparture *departure)
{
  for (guint i = 0; departure->has_rows && i < departure->n_snapshots; i++) {
    if (departure->snapshots[i].bracket.status == RC_MISSING && composed_stream (core, i)->settings.required)
      return composed_stream (core, i);
  }
  for (guint i = 0; !departure->has_rows && i < core->streams->len; i++) {
    if (fuse_core_stream (core, i)->settings.required && fuse_stream_epoch (fuse_core_stream (core, i)) == NULL)
      return fuse_core_stream (core, i);
  }
  return NULL;
}

/* The tick is decided: nothing of it depends on rows any more. */
static void
leave_tick (FuseCore *core, FuseDeparture *departure, gboolean is_complete, GQueue *notes)
{
  fuse_tick_clock_advance (&core->clock, &departure->tick);
  if (!is_complete) {
    departure->n_skipped = departure->has_rows ? skip_ticks (core, departure, departure->tick.time) : 0;
    extend_hole (core, departure, find_missing (core, departure), departure->has_rows ? "this pad is required, and its row before is older than hold-limit"
        : "this pad is required and has no caps", notes);
  }
  take_hole (core, is_complete, departure);
  fuse_tick_clock_sync_period (&core->clock);
  prune_streams (core, departure->tick.time);
  core->may_continue = TRUE;
}

/* ---- the journal ---- */

/* Counts of the rows, GAPs and events that each stream of the sample has received. */
static void
list_taken (const FuseCore *core, FuseDeparture *departure)
{
  g_array_set_size (departure->taken, 0);
  for (guint i = 0; i < core->composed->len; i++) {
    const FuseStream *stream = composed_stream (core, i);
    const gint64 taken[] = { stream->n_rows, stream->n_gaps, stream->n_events };

    g_array_append_vals (departure->taken, taken, G_N_ELEMENTS (taken));
  }
}

/* Live, the sample has the data of the decision; a journal that nobody can use is dropped. */
static void
note_decision (FuseCore *core, FuseDeparture *departure, gboolean is_complete)
{
  departure->has_journal = core->clock.live && is_complete;
  if (core->clock.live)
    fuse_journal_add (&core->journal, is_complete ? FUSE_JOURNAL_TICK : FUSE_JOURNAL_DROPPED, -1, 1, core->now);
  if (departure->has_journal)
    list_taken (core, departure);
  if (departure->has_journal || !core->clock.live)
    fuse_journal_take (&core->journal, departure->journal, &departure->journal_start);
}

/* ---- decisions ---- */

static FuseDecision
fail (FuseCore *core, FuseDeparture *departure)
{
  core->is_composing = departure->n_snapshots > 0;
  return FUSE_FAIL;
}

static FuseDecision
decide_tick (FuseCore *core, FuseDeparture *departure, GQueue *notes, GError **error)
{
  const gint64 tick = departure->tick.time;
  const gboolean all_required = enter_tick (core, tick);
  GError *failure = NULL;
  gboolean is_complete;

  if (all_required && !is_composed (core)) {
    core->is_accepted = FALSE;
    if (!core->clock.live)
      fuse_tick_clock_enter (&core->clock, tick);
    return FUSE_COMPOSE;
  }
  fuse_ranges_enter (core, tick, departure);
  fuse_begin_tick (core, tick, departure);
  is_complete = all_required && read_streams (core, departure, &failure);
  if (failure || !fuse_check_first_rows (core, tick, &failure) || (is_complete && !check_gap (core, departure, tick, &failure))) {
    g_propagate_error (error, failure);
    return fail (core, departure);
  }
  departure->has_rows = all_required;
  warn_of_scattered (core, departure, notes);
  fuse_collect_separate_streams (core, tick, notes);
  note_decision (core, departure, is_complete);
  core->is_composing = departure->has_rows;
  departure->window_is_stale = core->window_is_stale && departure->has_rows;
  core->window_is_stale &= !departure->has_rows;
  leave_tick (core, departure, is_complete, notes);
  return is_complete ? FUSE_SEND : FUSE_DROP;
}

/* Live: drops ticks that would leave at once and have no rows near them, as one hole. FALSE: no such ticks. */
static gboolean
drop_empty (FuseCore *core, FuseDeparture *departure, GQueue *notes)
{
  const FuseTick *tick = &departure->tick;
  const gboolean at_end = fuse_tick_clock_streams_are_over (&core->clock);
  const gint64 late = rc_subtract_saturating (core->now, fuse_deadline (tick->time, MAX (core->total, 0)));
  const guint64 n = fuse_skip_empty (core, tick, departure);
  gchar *why;

  if (n == 0)
    return FALSE;
  fuse_ranges_enter (core, tick->time, departure);
  departure->n_skipped = n - 1;
  departure->is_skipped = TRUE;
  fuse_journal_add (&core->journal, FUSE_JOURNAL_DROPPED, -1, n, core->now);
  extend_hole (core, departure, NULL, at_end ? "the streams have ended" : late > 0 ? "its deadline is long past" : "the rows around it are far ahead",
      notes);
  take_hole (core, TRUE, departure);
  core->window_is_stale = TRUE;
  for (guint i = 0; i < core->composed->len; i++)
    fuse_stream_count_ticks (composed_stream (core, i), RC_MISSING, n);
  prune_streams (core, tick->time);
  why = at_end ? g_strdup ("all streams have ended")
      : late > 0 ? g_strdup_printf ("running time has passed their deadlines by up to %.3f s", FUSE_SECONDS (late))
      : g_strdup ("the rows around them are more than a second ahead of running time");
  fuse_note_add (notes, FUSE_NOTE_TIME, NULL, g_strdup_printf ("%" G_GUINT64_FORMAT " ticks from %.9f s on are skipped: %s, and no stream has a "
          "row near them", n, FUSE_SECONDS (tick->time), why));
  g_free (why);
  return TRUE;
}

/* The end, or that of a segment where a stream ended so, or ticks end before the streams do. */
static FuseDecision
end_ticks (FuseCore *core, FuseDeparture *departure, GQueue *notes)
{
  const gboolean streams_are_over = fuse_tick_clock_streams_are_over (&core->clock);

  FUSE_LOG (&core->log, INFO, NULL, "the ticks end: %s; %" G_GUINT64_FORMAT " samples left, %" G_GUINT64_FORMAT " ticks were dropped",
      streams_are_over ? "no stream has a row for another one" : "the segment stops there", core->ticks.n_out, core->ticks.n_dropped);
  fuse_ranges_enter (core, G_MAXINT64, departure);
  fuse_collect_separate_streams (core, G_MAXINT64, notes);
  departure->segment_done = !streams_are_over && core->range.is_segment;
  for (guint i = 0; i < core->streams->len; i++)
    departure->segment_done |= fuse_core_stream (core, i)->segment_done && !fuse_core_stream (core, i)->eos;
  for (guint i = 0; i < core->streams->len; i++) {
    /* a stream that continues has rows for the next segment */
    if (!departure->segment_done || fuse_stream_is_over (fuse_core_stream (core, i)))
      fuse_stream_settle (fuse_core_stream (core, i));
  }
  fuse_core_collect_notes (core, TRUE, notes);
  take_hole (core, TRUE, departure);
  core->segment_done = core->range_is_done = departure->segment_done;
  return FUSE_END;
}

/* The streams of the current range had SEGMENT_DONE, and continue with another range. */
static FuseDecision
end_range (FuseCore *core, FuseDeparture *departure)
{
  take_hole (core, TRUE, departure);
  departure->segment_done = core->range_is_done = TRUE;
  return FUSE_END;
}

/* While streams are awaited, the first rows choose no tick source; it is chosen here. */
static gboolean
has_rows (const FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    if (fuse_stream_first_time (fuse_core_stream (core, i)) != ROBOCACHE_NO_TIME)
      return TRUE;
  }
  return FALSE;
}

static FuseDecision
wait_until (FuseCore *core, gint64 deadline)
{
  core->is_waiting = TRUE;
  core->deadline = deadline == G_MAXINT64 ? ROBOCACHE_NO_TIME : deadline;
  core->may_continue = TRUE;
  return FUSE_WAIT;
}

FuseDecision
fuse_core_decide (FuseCore *core, FuseDeparture *departure, GQueue *notes, GError **error)
{
  FuseTick *tick = &departure->tick;
  gboolean over;
  gint64 until;

  begin_departure (core, departure);
  core->is_waiting = FALSE;
  core->deadline = core->awaited = ROBOCACHE_NO_TIME;
  if (fuse_latency_is_off (core, NULL))
    fuse_note_add (notes, FUSE_NOTE_LATENCY, NULL, NULL);
  if (core->clock.live && !core->is_playing)
    return wait_until (core, ROBOCACHE_NO_TIME);
  if (!core->has_failed && has_rows (core) && !fuse_core_choose_reference (core, error))
    return FUSE_FAIL;
  do {
    if (!find_tick (core, tick, &over))
      return wait_until (core, ROBOCACHE_NO_TIME);
    if (over)
      return fuse_ranges_owe_done (core, G_MAXINT64) ? end_range (core, departure) : end_ticks (core, departure, notes);
  } while (fuse_return_to_now (core, tick->time));
  if (drop_empty (core, departure, notes))
    return FUSE_DROP;
  until = time_of_departure (core, tick);
  if (until != ROBOCACHE_NO_TIME)
    return wait_until (core, until);
  return fuse_ranges_owe_done (core, tick->time) ? end_range (core, departure) : decide_tick (core, departure, notes, error);
}

gint64
fuse_core_lateness (const FuseCore *core, const FuseDeparture *departure)
{
  if (!core->clock.live || departure->decided == ROBOCACHE_NO_TIME)
    return 0;
  return rc_subtract_saturating (departure->decided, fuse_deadline (departure->tick.time, MAX (core->total, 0)));
}

gint64
fuse_core_thinned_spacing (const FuseCore *core, const FuseStream *stream)
{
  if (!core->clock.live || !stream->source.live || core->clock.reference == stream)
    return 0;
  return fuse_tick_clock_period (&core->clock) / 2;
}

gint64
fuse_core_next_deadline (const FuseCore *core)
{
  return core->deadline;
}

gboolean
fuse_core_finish (FuseCore *core, const FuseDeparture *departure, gboolean has_sample, gint64 now)
{
  const gboolean discont = core->discont;
  const gint64 lag = now == ROBOCACHE_NO_TIME ? 0 : rc_subtract_saturating (now, departure->tick.time);

  core->is_composing = FALSE;
  if (!has_sample)
    return discont;
  if (core->hole.n_since > 0)
    FUSE_LOG (&core->log, INFO, NULL, "samples leave again at %" FUSE_TIME_FORMAT ", after %" G_GUINT64_FORMAT " dropped ticks",
        FUSE_TIME_ARGS (departure->tick.time), core->hole.n_since);
  core->hole.n_since = 0;
  FUSE_LOG (&core->log, LOG, NULL, "the sample of the tick at %" FUSE_TIME_FORMAT " leaves, %" G_GINT64_FORMAT " ns after it",
      FUSE_TIME_ARGS (departure->tick.time), lag);
  core->ticks.n_out++;
  if (core->clock.live && core->total != ROBOCACHE_NO_TIME)
    fuse_tick_statistics_add (&core->ticks, lag, core->total);
  core->discont = FALSE;
  core->has_sent = TRUE;
  return discont;
}

/* ---- sources that are ahead ---- */

static guint64
bytes_of_rows (const FuseCore *core)
{
  guint64 bytes = 0;

  for (guint i = 0; i < core->streams->len; i++) {
    for (const GList *l = fuse_core_stream (core, i)->epochs.head; l; l = l->next) {
      const FuseEpoch *epoch = l->data;

      bytes += epoch->history.n * (fuse_row_format_bytes (epoch->format) + sizeof (*epoch->history.times));
    }
  }
  return bytes;
}

gboolean
fuse_core_is_ahead (const FuseCore *core, const FuseStream *stream, gboolean is_waiting)
{
  const gsize too_many = is_waiting ? ROWS_AHEAD_TO_CONTINUE : MAX_ROWS_AHEAD;
  gint64 tick;

  if (core->clock.live && stream->source.live)
    return FALSE;
  if (fuse_core_awaits_streams (core))
    return bytes_of_rows (core) >= (guint64) FUSE_MAX_EARLY_MIB << 20;
  if (fuse_tick_clock_candidate ((FuseTickClock *) &core->clock, &tick))
    return fuse_stream_rows_after (stream, tick) >= too_many && fuse_stream_is_ready (stream, tick, TRUE)
        && fuse_stream_frontier (stream) >= tick;
  if (stream == core->clock.reference)
    return FALSE;
  /* rows before running time 0 are of no tick's time */
  return fuse_stream_rows_after (stream, MAX (core->clock.last_tick, -1)) >= too_many
      && fuse_stream_frontier (stream) >= fuse_stream_first_time (stream);
}
