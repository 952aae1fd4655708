/* robocache: writes rows and events of pads into the recording, with their times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "journal.h"

#include "debug.h"
#include "fragments.h"
#include "statistics.h"
#include "stream/references.h"

/* ---- times ---- */

/* How far a stream's running times are behind those of the first stream that announced an origin. 0 for live sources, whose
 * times are the pipeline's. */
static gint64
shift_of (const MuxRecorderState *state, const GstRobocacheMcapPad *pad)
{
  if (!pad->has_origin || pad->is_live || !state->timeline.has_stream_origin || state->started.clock == MUX_CLOCK_RUNNING)
    return 0;
  return pad->origin_ns - state->timeline.stream_origin_ns;
}

gboolean
mux_journal_get_time (const MuxRecorderState *state, const GstRobocacheMcapPad *pad, gint64 *running_ns)
{
  if (mux_stream_get_time (&pad->stream, running_ns) != MUX_ITEM_TIMED)
    return FALSE;
  *running_ns += shift_of (state, pad);
  return TRUE;
}

gboolean
mux_journal_now (GstRobocacheMcapRecorder *recorder, guint64 *log_ns)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (recorder));
  gint64 now;

  if (!clock || !state->timeline.is_known) {
    gst_clear_object (&clock);
    return FALSE;
  }
  now = GST_CLOCK_DIFF (gst_element_get_base_time (GST_ELEMENT (recorder)), gst_clock_get_time (clock)) + state->timeline.origin_ns;
  gst_object_unref (clock);
  *log_ns = (guint64) MAX (now, 0);
  return TRUE;
}

/* Whether UTC fits the header of a message. */
static gboolean
is_writable (gint64 utc_ns)
{
  return utc_ns >= 0 && robocache_ros_stamp_fits (utc_ns);
}

/* When a row arrived: as it came with the buffer, live now, else when it was captured. */
static guint64
log_time_of (GstRobocacheMcapRecorder *recorder, const GstRobocacheMcapPad *pad, gboolean has_time, gint64 utc_ns)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  guint64 log_ns;

  if (pad->stream.buffer && mux_timeline_get_arrival (pad->stream.buffer, &log_ns))
    return log_ns;
  if (pad->is_live && mux_journal_now (recorder, &log_ns))
    return log_ns;
  return has_time ? (guint64) utc_ns : MAX (state->last_log_ns, (guint64) MAX (state->timeline.origin_ns, 0));
}

/* ---- the beginning ---- */

static gboolean
has_live_pad (MuxRecorderState *state)
{
  for (guint i = 0; i < state->pads->len; i++)
    if (mux_recorder_nth_pad (state, i)->is_live)
      return TRUE;
  return FALSE;
}

static void
describe_recording (const MuxRecorderState *state, GByteArray *map)
{
  gchar *origin = g_strdup_printf ("%" G_GINT64_FORMAT, state->timeline.origin_ns);

  robocache_mcap_append_text (map, "clock", state->timeline.source);
  robocache_mcap_append_text (map, "time-origin", origin);
  g_free (origin);
}

/* Not live what they say is in the metadata of channels alone. */
static void
write_early_events (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxEarlyEvent *event;

  while ((event = g_queue_pop_head (&pad->early))) {
    if (mux_recorder_state (recorder)->is_live)
      mux_journal_write_event (recorder, pad, event->kind, event->running_ns, event->duration_ns, event->text);
    mux_early_event_free (event);
  }
}

gboolean
mux_journal_start (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, GError **error)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gint64 running_ns = ROBOCACHE_ROS_NO_TIME;
  GByteArray *map;

  if (state->timeline.is_known)
    return TRUE;
  if (!mux_journal_get_time (state, pad, &running_ns))
    running_ns = ROBOCACHE_ROS_NO_TIME;
  state->is_live = has_live_pad (state);
  if (!mux_timeline_decide (&state->timeline, &state->started, state->is_live, pad->stream.buffer, running_ns, error))
    return FALSE;
  GST_INFO_OBJECT (recorder, "running time 0 is %" G_GINT64_FORMAT " ns UTC (%s)", state->timeline.origin_ns,
      state->timeline.source);
  map = g_byte_array_new ();
  describe_recording (state, map);
  mux_recording_add_metadata (state->recording, MUX_RECORDING_METADATA, map, TRUE);
  for (guint i = 0; i < state->pads->len; i++)
    write_early_events (recorder, mux_recorder_nth_pad (state, i));
  return TRUE;
}

/* ---- statistics ---- */

static void
write_statistics (MuxRecorderState *state)
{
  mux_recording_add_metadata (state->recording, MUX_STATISTICS_METADATA, mux_statistics_to_map (state), FALSE);
}

static void
note_log_time (MuxRecorderState *state, guint64 log_ns)
{
  const GstClockTime interval = state->started.index_interval;

  state->last_log_ns = log_ns;
  if (interval == 0)
    return;
  if (state->next_statistics_ns == 0) {
    state->next_statistics_ns = log_ns + interval;
  } else if (log_ns >= state->next_statistics_ns) {
    write_statistics (state);
    state->next_statistics_ns = log_ns + interval;
  }
}

/* ---- overflow ---- */

/* Drops the rest of the pad's buffer. */
static void
drop_for_overflow (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  GST_LOG_OBJECT (pad, "a row is dropped: %" G_GUINT64_FORMAT " bytes wait to be written", state->started.max_queue_size);
  mux_stream_skip (&pad->stream, &pad->stream.statistics.dropped_overflow);
  pad->overflow++;
  state->n_overflow++;
  state->is_over = TRUE;
}

/* Records that rows were dropped, once rows are written again. */
static void
note_overflow (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  gchar *text = g_strdup_printf ("rows=%" G_GUINT64_FORMAT, pad->overflow);

  pad->overflow = 0;
  mux_journal_write_event (recorder, pad, "overflow", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* ---- rows ---- */

/* The time of a row on the recording's clock. FALSE: it is dropped. *has_time: it has one. */
static gboolean
get_utc (MuxRecorderState *state, GstRobocacheMcapPad *pad, gint64 *utc_ns, gboolean *has_time)
{
  gint64 running_ns = 0;

  switch (mux_stream_get_time (&pad->stream, &running_ns)) {
    case MUX_ITEM_OUTSIDE:
      mux_stream_skip (&pad->stream, &pad->stream.statistics.dropped_outside_segment);
      return FALSE;
    case MUX_ITEM_UNTIMED:
      *has_time = FALSE;
      return TRUE;
    default:
      break;
  }
  running_ns += shift_of (state, pad);
  *has_time = TRUE;
  if (__builtin_add_overflow (running_ns, state->timeline.origin_ns, utc_ns) || !is_writable (*utc_ns)) {
    mux_stream_skip (&pad->stream, &pad->stream.statistics.dropped_time);
    return FALSE;
  }
  pad->last_ns = running_ns;
  return TRUE;
}

static MuxReferencedBuffer
describe_buffer (const MuxStream *stream)
{
  const GstClockTime pts = GST_BUFFER_PTS (stream->buffer);
  const guint64 n_outside = mux_stream_count_outside (stream);
  MuxReferencedBuffer of = {.references = mux_reference_count (stream->buffer),.messages = stream->items.n_items - n_outside,
    .dropped = n_outside,.pts_ns = -1
  };

  if (GST_CLOCK_TIME_IS_VALID (pts))
    of.pts_ns = (gint64) gst_segment_to_running_time (&stream->clock.segment, GST_FORMAT_TIME, pts);
  return of;
}

/* At the beginning of a buffer. Not live nothing is replayed, and most references are the stamps of another recording. */
static gboolean
needs_references (const MuxRecorderState *state, const GstRobocacheMcapPad *pad)
{
  return state->is_live && pad->stream.position == 0 && mux_reference_count (pad->stream.buffer) > 0 && !(pad->is_live
      && mux_recording_is_full (state->recording));
}

/* Before the messages of a buffer: its reference timestamps, and how long its rows take. */
static void
note_references (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxReferencedBuffer of = describe_buffer (&pad->stream);
  gpointer state = NULL;

  for (; of.number < of.references; of.number++) {
    const GstReferenceTimestampMeta *meta = mux_reference_next (pad->stream.buffer, &state);
    const GstClockTime duration = GST_CLOCK_TIME_IS_VALID (meta->duration) ? meta->duration : GST_BUFFER_DURATION (pad->stream.buffer);
    gchar *text = mux_reference_to_text (meta, &of);

    mux_journal_write_event (recorder, pad, "reference", ROBOCACHE_ROS_NO_TIME, GST_CLOCK_TIME_IS_VALID (duration) ? (gint64) duration : -1,
        text);
    g_free (text);
  }
}

gboolean
mux_journal_write_row (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, GError **error)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gboolean has_time;
  gint64 utc_ns = 0;
  MuxTimes times;

  if (!mux_journal_start (recorder, pad, error))
    return FALSE;
  if (needs_references (state, pad))
    note_references (recorder, pad);
  if (!get_utc (state, pad, &utc_ns, &has_time))
    return TRUE;
  if (pad->is_live && mux_recording_is_full (state->recording)) {
    drop_for_overflow (recorder, pad);
    return TRUE;
  }
  if (pad->overflow > 0)
    note_overflow (recorder, pad);
  times = (MuxTimes) {utc_ns, log_time_of (recorder, pad, has_time, utc_ns)};
  mux_fragments_choose (state, pad, times.log_ns);
  if (!mux_stream_write (&pad->stream, state->recording, &state->events, &times, has_time, error))
    return FALSE;
  note_log_time (state, times.log_ns);
  return TRUE;
}

/* ---- events ---- */

/* A silent source may send many. */
#define MAX_EARLY_EVENTS 1024

/* Before the first buffer what an event says is in the metadata of the channel; in a live recording it also waits for the time of the
 * recording, since a stream that never has a row has no channel. */
static void
keep_early_event (GstRobocacheMcapPad *pad, const gchar *kind, gint64 running_ns, gint64 duration_ns, const gchar *text)
{
  MuxEarlyEvent *event;

  if (pad->early.length >= MAX_EARLY_EVENTS)
    return;
  event = g_new (MuxEarlyEvent, 1);
  *event = (MuxEarlyEvent) {kind, running_ns, duration_ns, g_strdup (text)};
  g_queue_push_tail (&pad->early, event);
}

void
mux_journal_write_event (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, const gchar *kind, gint64 running_ns,
    gint64 duration_ns, const gchar *text)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gint64 utc_ns = running_ns != ROBOCACHE_ROS_NO_TIME ? running_ns + shift_of (state, pad) : pad->last_ns;
  MuxTimes times;

  if (state->is_finished)
    return;
  if (!state->timeline.is_known) {
    keep_early_event (pad, kind, running_ns, duration_ns, text);
    return;
  }
  utc_ns = utc_ns == ROBOCACHE_ROS_NO_TIME ? state->timeline.origin_ns : utc_ns + state->timeline.origin_ns;
  if (!is_writable (utc_ns))
    return;
  /* no later than what was written, where it is of a row before */
  times.log_ns = log_time_of (recorder, pad, TRUE, utc_ns);
  if (running_ns == ROBOCACHE_ROS_NO_TIME && !pad->is_live)
    times.log_ns = MAX (times.log_ns, state->last_log_ns);
  times.stamp_ns = utc_ns;
  mux_events_write (&state->events, state->recording, &times, &(MuxEvent) {
      kind, pad->stream.topic, mux_stream_get_sequence (&pad->stream, state->recording), duration_ns, text});
  pad->stream.statistics.events++;
  state->last_log_ns = MAX (state->last_log_ns, times.log_ns);
}

void
mux_journal_write_origin (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, gint64 origin_ns, gboolean from_first_row)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gchar *text;

  pad->has_origin = TRUE;
  pad->origin_ns = origin_ns;
  mux_timeline_set_stream_origin (&state->timeline, origin_ns);
  text = g_strdup_printf ("origin=%" G_GINT64_FORMAT " first-row=%s shift=%" G_GINT64_FORMAT, origin_ns, from_first_row ? "true" : "false",
      shift_of (state, pad));
  mux_journal_write_event (recorder, pad, "origin", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* ---- the end ---- */

void
mux_journal_finish (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  if (state->is_finished)
    return;
  write_statistics (state);
  mux_recording_finish (state->recording);
  state->is_finished = TRUE;
  g_cond_broadcast (&state->work);
}
