/* robocache: writes rows and events of pads into the recording, with their times
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "journal.h"

#include "fragments.h"
#include "statistics.h"
#include "stream/references.h"

/* ---- times ---- */

/* How far a stream's running times are behind those of the first stream that announced an origin. 0 for live sources, whose
 * times are the pipeline's. */
static gint64
shift_of (const MuxRecorder *recorder, const GstRobocacheMcapPad *pad)
{
  if (!pad->has_origin || pad->is_live || !recorder->timeline.has_stream_origin || recorder->started.clock == MUX_CLOCK_RUNNING)
    return 0;
  return pad->origin_ns - recorder->timeline.stream_origin_ns;
}

gboolean
mux_journal_get_time (const MuxRecorder *recorder, const GstRobocacheMcapPad *pad, gint64 *running_ns)
{
  if (mux_stream_get_time (&pad->stream, running_ns) != MUX_ITEM_TIMED)
    return FALSE;
  *running_ns += shift_of (recorder, pad);
  return TRUE;
}

gboolean
mux_journal_now (MuxRecorder *recorder, guint64 *log_ns)
{
  GstClock *clock = gst_element_get_clock (recorder->element);
  gint64 now;

  if (!clock || !recorder->timeline.is_known) {
    gst_clear_object (&clock);
    return FALSE;
  }
  now = GST_CLOCK_DIFF (gst_element_get_base_time (recorder->element), gst_clock_get_time (clock)) + recorder->timeline.origin_ns;
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
log_time_of (MuxRecorder *recorder, const GstRobocacheMcapPad *pad, gboolean has_time, gint64 utc_ns)
{
  guint64 log_ns;

  if (pad->stream.buffer && mux_timeline_get_arrival (pad->stream.buffer, &log_ns))
    return log_ns;
  if (pad->is_live && mux_journal_now (recorder, &log_ns))
    return log_ns;
  return has_time ? (guint64) utc_ns : MAX (recorder->last_log_ns, (guint64) MAX (recorder->timeline.origin_ns, 0));
}

/* ---- the beginning ---- */

static gboolean
has_live_pad (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len; i++)
    if (mux_recorder_nth_pad (recorder, i)->is_live)
      return TRUE;
  return FALSE;
}

static void
describe_recording (const MuxRecorder *recorder, GByteArray *map)
{
  gchar *origin = g_strdup_printf ("%" G_GINT64_FORMAT, recorder->timeline.origin_ns);

  robocache_mcap_append_text (map, "clock", recorder->timeline.source);
  robocache_mcap_append_sealed (map, "time-origin", origin);
  g_free (origin);
}

static void
describe_tag (const GstTagList *tags, const gchar *name, gpointer map)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  gst_tag_list_copy_value (&value, tags, name);
  text = G_VALUE_HOLDS_STRING (&value) ? g_value_dup_string (&value) : gst_value_serialize (&value);
  if (text)
    robocache_mcap_append_text (map, name, text);
  g_free (text);
  g_value_unset (&value);
}

/* Tags that the application set, in each file. */
static void
add_tags (MuxRecorder *recorder)
{
  const GstTagList *tags = gst_tag_setter_get_tag_list (GST_TAG_SETTER (recorder->element));
  GByteArray *map;

  if (!tags || gst_tag_list_is_empty (tags))
    return;
  map = g_byte_array_new ();
  gst_tag_list_foreach (tags, describe_tag, map);
  mux_recording_add_metadata (recorder->recording, MUX_TAGS_METADATA, map, TRUE);
}

/* Not live, this information is only in the metadata of channels. */
static void
write_early_events (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxEarlyEvent *event;

  while ((event = g_queue_pop_head (&pad->early))) {
    if (recorder->is_live)
      mux_journal_write_event (recorder, pad, event->kind, event->running_ns, event->duration_ns, event->text);
    mux_early_event_free (event);
  }
}

/* Sets the time of the recording, with the first buffer of a pad. FALSE and an error: the buffer has no time for this. */
static gboolean
start_time (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GError **error)
{
  gint64 running_ns = ROBOCACHE_ROS_NO_TIME;
  GByteArray *map;

  if (recorder->timeline.is_known)
    return TRUE;
  if (!mux_journal_get_time (recorder, pad, &running_ns))
    running_ns = ROBOCACHE_ROS_NO_TIME;
  recorder->is_live = has_live_pad (recorder);
  if (!mux_timeline_decide (&recorder->timeline, &recorder->started, recorder->is_live, pad->stream.buffer, running_ns, error))
    return FALSE;
  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "running time 0 is %" G_GINT64_FORMAT " ns UTC, from %s; %s; the first row is of %s",
      recorder->timeline.origin_ns, recorder->timeline.source, recorder->is_live ? "live" : "not live", GST_OBJECT_NAME (pad));
  map = g_byte_array_new ();
  describe_recording (recorder, map);
  mux_recording_add_metadata (recorder->recording, MUX_RECORDING_METADATA, map, TRUE);
  add_tags (recorder);
  for (guint i = 0; i < recorder->pads->len; i++)
    write_early_events (recorder, mux_recorder_nth_pad (recorder, i));
  return TRUE;
}

/* ---- statistics ---- */

static void
write_statistics (MuxRecorder *recorder)
{
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "statistics up to log time %" G_GUINT64_FORMAT, recorder->last_log_ns);
  mux_recording_add_metadata (recorder->recording, MUX_STATISTICS_METADATA, mux_statistics_to_map (recorder), FALSE);
}

static void
note_log_time (MuxRecorder *recorder, guint64 log_ns)
{
  const GstClockTime interval = recorder->started.index_interval;

  recorder->last_log_ns = log_ns;
  if (interval == 0)
    return;
  if (recorder->next_statistics_ns == 0) {
    recorder->next_statistics_ns = log_ns + interval;
  } else if (log_ns >= recorder->next_statistics_ns) {
    write_statistics (recorder);
    recorder->next_statistics_ns = log_ns + interval;
  }
}

/* ---- overflow ---- */

/* Drops the rest of the pad's buffer. */
static void
drop_for_overflow (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  if (pad->overflow == 0)
    GST_CAT_WARNING_OBJECT (recorder->category, pad, "rows are dropped from log time %" G_GUINT64_FORMAT " on: max-queue-size=%" G_GUINT64_FORMAT
        " bytes or more wait to be written", recorder->last_log_ns, recorder->started.max_queue_size);
  else
    GST_CAT_LOG_OBJECT (recorder->category, pad, "another row is dropped: %" G_GUINT64_FORMAT " so far", pad->overflow + 1);
  mux_stream_skip (&pad->stream, &pad->stream.statistics.dropped_overflow);
  pad->overflow++;
  recorder->n_overflow++;
  recorder->is_over = TRUE;
}

/* Records that rows were dropped, once rows are written again. */
static void
note_overflow (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  gchar *text = g_strdup_printf ("rows=%" G_GUINT64_FORMAT, pad->overflow);

  GST_CAT_INFO_OBJECT (recorder->category, pad, "rows are written again: %" G_GUINT64_FORMAT " were dropped", pad->overflow);
  pad->overflow = 0;
  mux_journal_write_event (recorder, pad, "overflow", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* ---- rows ---- */

/* The time of a row on the recording's clock. FALSE: it is dropped. *has_time: it has one. */
static gboolean
get_utc (MuxRecorder *recorder, GstRobocacheMcapPad *pad, gint64 *utc_ns, gboolean *has_time)
{
  gint64 running_ns = 0;

  switch (mux_stream_get_time (&pad->stream, &running_ns)) {
    case MUX_ITEM_OUTSIDE:
      GST_CAT_LOG_OBJECT (recorder->category, pad, "a row is dropped: its time is outside of the segment %" GST_SEGMENT_FORMAT,
          &pad->stream.clock.segment);
      mux_stream_skip (&pad->stream, &pad->stream.statistics.dropped_outside_segment);
      return FALSE;
    case MUX_ITEM_UNTIMED:
      *has_time = FALSE;
      return TRUE;
    default:
      break;
  }
  running_ns += shift_of (recorder, pad);
  *has_time = TRUE;
  if (__builtin_add_overflow (running_ns, recorder->timeline.origin_ns, utc_ns) || !is_writable (*utc_ns)) {
    GST_CAT_LOG_OBJECT (recorder->category, pad, "a row is dropped: running time %" GST_STIME_FORMAT " and origin %" G_GINT64_FORMAT
        " ns make no UTC that a message can hold", GST_STIME_ARGS (running_ns), recorder->timeline.origin_ns);
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
needs_references (const MuxRecorder *recorder, const GstRobocacheMcapPad *pad)
{
  return recorder->is_live && pad->stream.position == 0 && mux_reference_count (pad->stream.buffer) > 0 && !(pad->is_live
      && mux_recording_is_full (recorder->recording));
}

/* Before the messages of a buffer: its reference timestamps, and how long its rows take. */
static void
note_references (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
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

static void
log_channels (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  const MuxStream *stream = &pad->stream;

  for (guint i = 0; i < stream->encoder->channels->len; i++) {
    const RobocacheEncoderChannel *channel = &g_array_index (stream->encoder->channels, RobocacheEncoderChannel, i);

    GST_CAT_INFO_OBJECT (recorder->category, pad, "channel %u is topic %s%s of type %s", g_array_index (stream->channels, guint, i),
        stream->topic, channel->suffix, channel->type);
  }
}

gboolean
mux_journal_write_row (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GError **error)
{
  const gboolean had_channels = pad->stream.has_channels;
  gboolean has_time;
  gint64 utc_ns = 0;
  MuxTimes times;

  if (!start_time (recorder, pad, error))
    return FALSE;
  if (needs_references (recorder, pad))
    note_references (recorder, pad);
  if (!get_utc (recorder, pad, &utc_ns, &has_time))
    return TRUE;
  if (pad->is_live && mux_recording_is_full (recorder->recording)) {
    drop_for_overflow (recorder, pad);
    return TRUE;
  }
  if (pad->overflow > 0)
    note_overflow (recorder, pad);
  times = (MuxTimes) {utc_ns, log_time_of (recorder, pad, has_time, utc_ns)};
  mux_fragments_choose (recorder, pad, times.log_ns);
  if (!mux_stream_write (&pad->stream, recorder->recording, &recorder->events, &times, has_time, error))
    return FALSE;
  GST_CAT_LOG_OBJECT (recorder->category, pad, "row at %" G_GINT64_FORMAT " ns UTC is written, log time %" G_GUINT64_FORMAT,
      has_time ? utc_ns : -1, times.log_ns);
  if (!had_channels)
    log_channels (recorder, pad);
  note_log_time (recorder, times.log_ns);
  return TRUE;
}

/* ---- events ---- */

/* A silent source may send many. */
#define MAX_EARLY_EVENTS 1024

/* Before the first buffer, the content of an event is in the metadata of the channel. In a live recording the event also waits until the
 * time of the recording is known, since a stream without rows has no channel. */
static void
keep_early_event (GstRobocacheMcapPad *pad, const gchar *kind, gint64 running_ns, gint64 duration_ns, const gchar *text)
{
  MuxEarlyEvent *event;

  if (pad->early.length >= MAX_EARLY_EVENTS) {
    GST_CAT_LOG_OBJECT (pad->recorder->category, pad, "event %s is not recorded: %u wait for the first row", kind, MAX_EARLY_EVENTS);
    return;
  }
  event = g_new (MuxEarlyEvent, 1);
  *event = (MuxEarlyEvent) {kind, running_ns, duration_ns, g_strdup (text)};
  g_queue_push_tail (&pad->early, event);
}

void
mux_journal_write_event (MuxRecorder *recorder, GstRobocacheMcapPad *pad, const gchar *kind, gint64 running_ns,
    gint64 duration_ns, const gchar *text)
{
  gint64 utc_ns = running_ns != ROBOCACHE_ROS_NO_TIME ? running_ns + shift_of (recorder, pad) : pad->last_ns;
  MuxTimes times;

  if (recorder->is_finished)
    return;
  if (!recorder->timeline.is_known) {
    keep_early_event (pad, kind, running_ns, duration_ns, text);
    return;
  }
  utc_ns = utc_ns == ROBOCACHE_ROS_NO_TIME ? recorder->timeline.origin_ns : utc_ns + recorder->timeline.origin_ns;
  if (!is_writable (utc_ns))
    return;
  /* no later than what was written, where it is of a row before */
  times.log_ns = log_time_of (recorder, pad, TRUE, utc_ns);
  if (running_ns == ROBOCACHE_ROS_NO_TIME && !pad->is_live)
    times.log_ns = MAX (times.log_ns, recorder->last_log_ns);
  times.stamp_ns = utc_ns;
  mux_events_write (&recorder->events, recorder->recording, &times, &(MuxEvent) {
      kind, pad->stream.topic, mux_stream_get_sequence (&pad->stream, recorder->recording), duration_ns, text});
  GST_CAT_LOG_OBJECT (recorder->category, pad, "event %s is recorded, log time %" G_GUINT64_FORMAT ": %s", kind, times.log_ns, text);
  pad->stream.statistics.events++;
  recorder->last_log_ns = MAX (recorder->last_log_ns, times.log_ns);
}

void
mux_journal_write_origin (MuxRecorder *recorder, GstRobocacheMcapPad *pad, gint64 origin_ns, gboolean from_first_row)
{
  gchar *text;

  pad->has_origin = TRUE;
  pad->origin_ns = origin_ns;
  mux_timeline_set_stream_origin (&recorder->timeline, origin_ns);
  GST_CAT_INFO_OBJECT (recorder->category, pad, "running time 0 is %" G_GINT64_FORMAT " ns on the source's clock%s: rows move by %" G_GINT64_FORMAT
      " ns", origin_ns, from_first_row ? ", the time of its first row" : "", shift_of (recorder, pad));
  text = g_strdup_printf ("origin=%" G_GINT64_FORMAT " first-row=%s shift=%" G_GINT64_FORMAT, origin_ns, from_first_row ? "true" : "false",
      shift_of (recorder, pad));
  mux_journal_write_event (recorder, pad, "origin", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* ---- the end ---- */

void
mux_journal_finish (MuxRecorder *recorder)
{
  if (recorder->is_finished)
    return;
  mux_statistics_log (recorder);
  write_statistics (recorder);
  mux_recording_finish (recorder->recording);
  recorder->is_finished = TRUE;
  g_cond_broadcast (&recorder->work);
}
