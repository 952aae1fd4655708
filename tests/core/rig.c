/* robocache: a core of robocachefuse by itself, and what its owner does around it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rig.h"

#include "common/element/errordomain.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/ticklatency.h"
#include "gst/fuse/core/status.h"

/* More are out before a word is over: ticks go on for ever. */
#define MAX_SAMPLES 100000

/* ---- life ---- */

Rig *
rig_new (RigMode mode, const gchar *settings)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  const FuseLog log = { NULL };
  Rig *rig = g_new0 (Rig, 1);
  gchar **items = g_strsplit (settings, " ", -1);

  rig->mode = mode;
  rig->released = g_ptr_array_new_with_free_func (buffer_unref);
  rig->core = fuse_core_new (rig->released, &log);
  rig->feeds = g_ptr_array_new ();
  rig->blends = g_ptr_array_new ();
  rig_default_settings (&rig->settings);
  if (rc_backend_open (&where, &rig->backend, NULL) != RC_OK)
    g_error ("no CPU");
  for (gchar **item = items; *item; item++) {
    if (**item && !rig_parse_setting (rig, *item))
      g_error ("\"%s\" sets nothing", *item);
  }
  g_strfreev (items);
  return rig;
}

static void
free_message (gpointer data)
{
  g_free (((Message *) data)->text);
  g_free (data);
}

static void
begin_segment (Rig *rig, gint64 start)
{
  rig->segment_start = start;
  rig->last_time = NONE;
}

static void
forget_output (Rig *rig)
{
  g_queue_clear_full (&rig->samples, g_free);
  g_queue_clear_full (&rig->gaps, g_free);
  rig->is_over = FALSE;
  begin_segment (rig, 0);
}

void
rig_free (Rig *rig)
{
  while (rig->feeds->len > 0)
    feed_free (g_ptr_array_index (rig->feeds, 0));
  forget_output (rig);
  g_queue_clear_full (&rig->messages, free_message);
  g_queue_clear_full (&rig->notes, (GDestroyNotify) fuse_note_free);
  rig_clear_composition (rig);
  g_ptr_array_unref (rig->blends);
  fuse_departure_clear (&rig->departure);
  fuse_core_free (rig->core);
  g_ptr_array_unref (rig->released);
  g_ptr_array_unref (rig->feeds);
  rc_backend_close (rig->backend);
  g_free (rig->settings.reference);
  g_free (rig);
}

void
rig_start (Rig *rig)
{
  forget_output (rig);
  fuse_core_start (rig->core, &rig->settings);
  rig->is_started = TRUE;
  rig->ended = FLOW_OK;
  for (guint i = 0; i < rig->feeds->len; i++)
    feed_reset (g_ptr_array_index (rig->feeds, i));
  rig_update_latency (rig);
  fuse_core_play (rig->core, rig->base_time);
  rig->is_running = TRUE;
  rig_run (rig);
}

void
rig_stop (Rig *rig)
{
  fuse_core_pause (rig->core, rig->base_time);
  rig->is_started = rig->is_running = FALSE;
}

/* ---- time ---- */

gint64
rig_running_time (const Rig *rig)
{
  return MAX (rig->clock - rig->base_time, 0);
}

/* The process has no time of its own. */
void
rig_set_time (Rig *rig)
{
  const FuseInstant now = {
    .running_time = fuse_core_is_live (rig->core) && fuse_core_is_playing (rig->core) ? rig_running_time (rig) : ROBOCACHE_NO_TIME,
    .base_time = rig->base_time,
    .clock = GUINT_TO_POINTER (rig->clock_number + 1),
    .is_flushing = rig->is_flushing,
  };

  fuse_core_set_time (rig->core, &now, &rig->notes);
}

/* ---- sources ---- */

static void
ask_source (Rig *rig, Feed *feed)
{
  const FuseSource unlinked = {.is_known = TRUE,.max = ROBOCACHE_NO_TIME };
  const FuseEvent event = {.kind = FUSE_EVENT_SOURCE,.source = feed->is_linked ? feed->source : unlinked };

  fuse_core_event (rig->core, feed->stream, &event, &rig->notes);
}

void
rig_query_sources (Rig *rig, Feed *feed)
{
  if (feed)
    ask_source (rig, feed);
  for (guint i = 0; feed == NULL && i < rig->feeds->len; i++)
    ask_source (rig, g_ptr_array_index (rig->feeds, i));
  fuse_core_update_sources (rig->core);
}

static void
add_message (Rig *rig, const gchar *type, const gchar *kind, gchar *text)
{
  Message *message = g_new0 (Message, 1);

  *message = (Message) { type, kind, text };
  g_queue_push_tail (&rig->messages, message);
}

void
rig_update_latency (Rig *rig)
{
  if (fuse_core_update_latency (rig->core))
    add_message (rig, "latency", NULL, NULL);
}

/* ---- reports ---- */

Feed *
rig_feed_of (const Rig *rig, const FuseStream *stream)
{
  for (guint i = 0; i < rig->feeds->len; i++) {
    Feed *feed = g_ptr_array_index (rig->feeds, i);

    if (feed->stream == stream)
      return feed;
  }
  return NULL;
}

static void
report (Rig *rig, const FuseNote *note)
{
  const gboolean is_gone = note->stream && rig_feed_of (rig, note->stream) == NULL;

  switch (note->kind) {
    case FUSE_NOTE_LATENCY:
      break;
    case FUSE_NOTE_CLOCK:
    case FUSE_NOTE_LOST_ROWS:
    case FUSE_NOTE_LOST_TICKS:
      if (!is_gone)
        add_message (rig, note->kind == FUSE_NOTE_CLOCK ? "element" : "qos", NULL, NULL);
      break;
    default:
      add_message (rig, "warning", NULL, g_strdup (note->text));
  }
}

gboolean
rig_report (Rig *rig)
{
  const gboolean any = rig->notes.length > 0;
  gboolean latency_is_off = FALSE;
  FuseNote *note;

  while ((note = g_queue_pop_head (&rig->notes))) {
    latency_is_off |= note->kind == FUSE_NOTE_LATENCY;
    report (rig, note);
    fuse_note_free (note);
  }
  if (latency_is_off)
    rig_update_latency (rig);
  return any;
}

/* ---- failures ---- */

/* FALSE: they had failed before. */
static gboolean
end_streams (Rig *rig, Flow flow)
{
  const gboolean had_failed = fuse_core_has_failed (rig->core);

  if (rig->ended == FLOW_OK)
    rig->ended = flow;
  for (guint i = 0; i < rig->feeds->len; i++) {
    Feed *feed = g_ptr_array_index (rig->feeds, i);

    if (feed->flow < FLOW_NOT_NEGOTIATED)
      feed->flow = flow;
  }
  fuse_core_set_failed (rig->core, had_failed || flow >= FLOW_NOT_NEGOTIATED);
  return !had_failed;
}

static const gchar *
kind_of (const GError *error)
{
  static const gchar *const kinds[] = {
    [ROBOCACHE_ERROR_CAPS] = "negotiation",[ROBOCACHE_ERROR_DATA] = "format",[ROBOCACHE_ERROR_PROPERTY] = "settings",
    [ROBOCACHE_ERROR_MEMORY] = "memory"
  };

  return kinds[error->code];
}

void
rig_fail (Rig *rig, Feed *feed, Flow flow, GError *error)
{
  if (end_streams (rig, flow))
    add_message (rig, "error", kind_of (error), feed ? g_strdup_printf ("%s: %s", feed->stream->name, error->message)
        : g_strdup (error->message));
  g_error_free (error);
}

void
rig_look_for_failure (Rig *rig)
{
  gboolean has_failed = FALSE;

  for (guint i = 0; i < rig->feeds->len; i++)
    has_failed |= ((Feed *) g_ptr_array_index (rig->feeds, i))->flow >= FLOW_NOT_NEGOTIATED;
  fuse_core_set_failed (rig->core, has_failed);
}

/* ---- flushes ---- */

static gboolean
are_all (const Rig *rig, GPtrArray *feeds)
{
  gboolean all = TRUE;

  for (guint i = 0; i < rig->feeds->len; i++) {
    Feed *feed = g_ptr_array_index (rig->feeds, i);

    all &= !feed->is_linked || g_ptr_array_find (feeds, feed, NULL);
  }
  return all;
}

static void
reset_ticks (Rig *rig)
{
  fuse_core_reset_ticks (rig->core);
  begin_segment (rig, 0);
}

void
rig_flush (Rig *rig, GPtrArray *feeds)
{
  const FuseEvent flush = {.kind = FUSE_EVENT_FLUSH };
  const gboolean all = are_all (rig, feeds);

  play_expect (rig->play, all || rig->ended == FLOW_OK, "after the end only a flush of all pads is the core's");
  rig->is_flushing = all;
  for (guint i = 0; i < feeds->len; i++) {
    Feed *feed = g_ptr_array_index (feeds, i);

    if (all)
      reset_ticks (rig);
    fuse_core_event (rig->core, feed->stream, &flush, &rig->notes);
    feed->flow = FLOW_OK;
    rig_look_for_failure (rig);
  }
  rig->is_flushing = FALSE;
  if (!all)
    return;
  reset_ticks (rig);
  rig->ended = FLOW_OK;
  rig->is_running = TRUE;
}

/* ---- decisions ---- */

static void
push_gap (Rig *rig)
{
  const FuseDeparture *departure = &rig->departure;
  Gap *gap;

  if (departure->gap_start == ROBOCACHE_NO_TIME)
    return;
  gap = g_new (Gap, 1);
  *gap = (Gap) { departure->gap_start, departure->gap_end > departure->gap_start ? departure->gap_end - departure->gap_start : NONE };
  g_queue_push_tail (&rig->gaps, gap);
}

static void
leave (Rig *rig, gboolean is_complete)
{
  FuseDeparture *departure = &rig->departure;
  PlayedSample *sample = is_complete ? rig_make_sample (rig) : NULL;
  gboolean is_discont;

  if (departure->segment_from != ROBOCACHE_NO_TIME)
    begin_segment (rig, departure->segment_from);
  fuse_departure_release (departure, buffer_unref);
  is_discont = fuse_core_finish (rig->core, departure, is_complete, fuse_core_is_live (rig->core) ? rig_running_time (rig) : ROBOCACHE_NO_TIME);
  push_gap (rig);
  if (sample == NULL)
    return;
  sample->is_discont = is_discont;
  play_expect (rig->play, sample->time > rig->last_time, "a sample at %g after one at %g", (gdouble) sample->time / 1e6,
      (gdouble) rig->last_time / 1e6);
  rig->last_time = sample->time;
  g_queue_push_tail (&rig->samples, sample);
  play_expect (rig->play, rig->samples.length <= MAX_SAMPLES, "it spins");
}

static gboolean
end_ticks (Rig *rig)
{
  const gboolean segment_done = rig->departure.segment_done;

  if (!segment_done)
    end_streams (rig, FLOW_EOS);
  push_gap (rig);
  rig->is_over = !segment_done;
  return segment_done;
}

static gboolean
fail_tick (Rig *rig, GError *error)
{
  fuse_departure_release (&rig->departure, buffer_unref);
  rig_fail (rig, NULL, error->code == ROBOCACHE_ERROR_MEMORY ? FLOW_ERROR : FLOW_NOT_NEGOTIATED, error);
  fuse_core_finish (rig->core, &rig->departure, FALSE, ROBOCACHE_NO_TIME);
  return TRUE;
}

/* One decision, and what follows from it. FALSE: nothing more is due. */
static gboolean
step (Rig *rig)
{
  FuseDecision decision;
  GError *error = NULL;
  gboolean reports;

  rig_set_time (rig);
  fuse_core_collect_notes (rig->core, FALSE, &rig->notes);
  if (rig_report (rig))
    return TRUE;
  decision = fuse_core_decide (rig->core, &rig->departure, &rig->notes, &error);
  reports = rig_report (rig);
  switch (decision) {
    case FUSE_WAIT:
      return reports;
    case FUSE_COMPOSE:
      rig_compose (rig);
      fuse_core_accept (rig->core);
      return TRUE;
    case FUSE_SEND:
    case FUSE_DROP:
      rig->lateness = fuse_core_lateness (rig->core, &rig->departure);
      leave (rig, decision == FUSE_SEND);
      return TRUE;
    case FUSE_END:
      return rig->is_running = end_ticks (rig);
    default:
      return fail_tick (rig, error);
  }
}

void
rig_run (Rig *rig)
{
  while (rig->is_running && step (rig));
  fuse_core_clear_wakeup (rig->core);    /* what asked before the last decision */
  g_ptr_array_set_size (rig->released, 0);
}

/* With the time that the core saw last. */
static gboolean
is_due (Rig *rig)
{
  const gint64 now = fuse_core_now (rig->core), deadline = fuse_core_next_deadline (rig->core);

  return now != ROBOCACHE_NO_TIME && deadline != ROBOCACHE_NO_TIME && now >= deadline;
}

void
rig_look (Rig *rig)
{
  g_ptr_array_set_size (rig->released, 0);
  if (!rig->is_running)
    return;
  if (fuse_core_clear_wakeup (rig->core))
    rig_run (rig);
  else if (rig->mode == RIG_LAZY && !is_due (rig))
    play_expect (rig->play, fuse_core_decide (rig->core, &rig->departure, &rig->notes, NULL) == FUSE_WAIT, "the core did not ask to be looked at");
}

void
rig_look_after (Rig *rig)
{
  if (rig->mode == RIG_EAGER)
    rig_look (rig);
}
