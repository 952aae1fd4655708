/* robocache: rows of sources that are not live, in order of time, then pad
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "merge.h"

#include "common/time/originevent.h"
#include "fragments.h"
#include "gst/mcapmux/file/channels.h"
#include "journal.h"

/* What a source may be ahead of the others: enough rows to switch threads rarely, few frames. */
#define MAX_WAITING 32
#define MAX_WAITING_BYTES (4 << 20)
#define MIN_WAITING 2

gboolean
mux_merge_is_turn (const GstMiniObject *object)
{
  return GST_IS_BUFFER (object) || GST_EVENT_TYPE (object) == GST_EVENT_GAP || GST_EVENT_TYPE (object) == GST_EVENT_EOS;
}

void
mux_merge_push (GstRobocacheMcapPad *pad, GstMiniObject *object, RobocacheEncoderFormat *format)
{
  MuxItem *item = g_new0 (MuxItem, 1);

  item->object = object;
  item->format = format;
  g_queue_push_tail (&pad->waiting, item);
  pad->n_turns += mux_merge_is_turn (object);
  if (GST_IS_BUFFER (object))
    pad->waiting_bytes += gst_buffer_get_size (GST_BUFFER (object));
}

static MuxItem *
pop (GstRobocacheMcapPad *pad)
{
  MuxItem *item = g_queue_pop_head (&pad->waiting);

  pad->n_turns -= mux_merge_is_turn (item->object);
  if (GST_IS_BUFFER (item->object))
    pad->waiting_bytes -= gst_buffer_get_size (GST_BUFFER (item->object));
  return item;
}

static gboolean
has_waiting (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len; i++) {
    const GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);

    if (!pad->is_live && (pad->waiting.length > 0 || mux_stream_has_item (&pad->stream)))
      return TRUE;
  }
  return FALSE;
}

gboolean
mux_merge_must_wait (MuxRecorder *recorder, const GstRobocacheMcapPad *pad)
{
  if (recorder->flow != GST_FLOW_OK || pad->is_flushing || pad->is_removed)
    return FALSE;
  /* what others left when they ended is written by whoever is left */
  if ((recorder->is_sink && !recorder->is_playing) || (mux_recording_is_full (recorder->recording) && has_waiting (recorder)))
    return TRUE;
  return pad->waiting.length > MAX_WAITING || (pad->waiting.length > MIN_WAITING && pad->waiting_bytes > MAX_WAITING_BYTES);
}

/* ---- events ---- */

static void
handle_gap (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  const GstSegment *segment = &pad->stream.clock.segment;
  GstClockTime start, duration, running;
  gboolean has_duration;

  gst_event_parse_gap (event, &start, &duration);
  running = segment->format == GST_FORMAT_TIME ? gst_segment_to_running_time (segment, GST_FORMAT_TIME, start) : GST_CLOCK_TIME_NONE;
  if (!GST_CLOCK_TIME_IS_VALID (running) || running >= G_MAXINT64 / 2)
    return;
  has_duration = GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 / 2;
  pad->known_until_ns = (gint64) (running + (has_duration ? duration : 0));
  GST_CAT_LOG_OBJECT (recorder->category, pad, "no row before running time %" GST_STIME_FORMAT ": the others do not wait for it until then",
      GST_STIME_ARGS (pad->known_until_ns));
  pad->stream.statistics.gaps++;
  mux_journal_write_event (recorder, pad, "gap", (gint64) running, has_duration ? (gint64) duration : -1, "");
}

static void
handle_segment (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  const GstSegment *segment;
  gchar *text;

  gst_event_parse_segment (event, &segment);
  mux_stream_set_segment (&pad->stream, segment);
  text = mux_segment_to_text (segment);
  mux_journal_write_event (recorder, pad, "segment", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* Other branches after a tee have a stream with the same id. Not live, the id would make otherwise equal files differ. Before the first
 * buffer this is unknown, so events wait. */
static void
note_stream (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  const gboolean may_be_live = pad->is_live || recorder->is_live || !recorder->timeline.is_known;
  gchar *id = may_be_live ? gst_pad_get_stream_id (GST_PAD (pad)) : NULL;

  if (id)
    mux_journal_write_event (recorder, pad, "stream", ROBOCACHE_ROS_NO_TIME, -1, id);
  g_free (id);
}

static void
handle_caps (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event, RobocacheEncoderFormat *format)
{
  GstCaps *caps;
  gchar *text;

  note_stream (recorder, pad);
  gst_event_parse_caps (event, &caps);
  text = gst_caps_to_string (caps);
  mux_journal_write_event (recorder, pad, "caps", ROBOCACHE_ROS_NO_TIME, -1, text);
  GST_CAT_INFO_OBJECT (recorder->category, pad, "is recorded on %s: %" GST_PTR_FORMAT, pad->stream.topic, caps);
  mux_stream_set_format (&pad->stream, format);
  g_free (text);
}

static void
handle_tag (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  gboolean from_first_row;
  GstTagList *tags;
  gint64 origin_ns;
  gchar *text;

  if (robocache_origin_event_parse (event, &origin_ns, &from_first_row)) {
    mux_journal_write_origin (recorder, pad, origin_ns, from_first_row);
    return;
  }
  gst_event_parse_tag (event, &tags);
  text = gst_tag_list_to_string (tags);
  mux_journal_write_event (recorder, pad, "tags", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

/* Of the event of settings of robocachefuse: see its settingsevent.h. */
#define SETTINGS_EVENT "RobocacheFuseSettings"
#define FIRST_SETTINGS 0

static gboolean
add_setting (GQuark field, const GValue *value, gpointer map)
{
  if (G_VALUE_HOLDS_STRING (value))
    robocache_mcap_append_text (map, g_quark_to_string (field), g_value_get_string (value));
  return TRUE;
}

/* Settings at the start are metadata of the file, too. */
static void
handle_settings (MuxRecorder *recorder, GstRobocacheMcapPad *pad, const GstStructure *settings)
{
  gchar *text = gst_structure_to_string (settings);
  gint64 number = FIRST_SETTINGS;

  gst_structure_get_int64 (settings, "number", &number);
  if (number == FIRST_SETTINGS && !recorder->is_finished) {
    GByteArray *map = g_byte_array_new ();

    GST_CAT_DEBUG_OBJECT (recorder->category, pad, "settings of the element upstream are metadata %s", MUX_SETTINGS_METADATA);
    gst_structure_foreach (settings, add_setting, map);
    mux_recording_add_metadata (recorder->recording, MUX_SETTINGS_METADATA, map, TRUE);
  }
  mux_journal_write_event (recorder, pad, "property", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

static void
handle_custom (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  gchar *text;

  if (structure && gst_structure_has_name (structure, SETTINGS_EVENT)) {
    handle_settings (recorder, pad, structure);
    return;
  }
  text = structure ? gst_structure_to_string (structure) : g_strdup ("");
  mux_journal_write_event (recorder, pad, "custom", ROBOCACHE_ROS_NO_TIME, -1, text);
  g_free (text);
}

void
mux_merge_handle_event (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event, RobocacheEncoderFormat *format)
{
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      handle_caps (recorder, pad, event, format);
      break;
    case GST_EVENT_SEGMENT:
      handle_segment (recorder, pad, event);
      break;
    case GST_EVENT_GAP:
      handle_gap (recorder, pad, event);
      break;
    case GST_EVENT_TAG:
      handle_tag (recorder, pad, event);
      break;
    case GST_EVENT_CUSTOM_DOWNSTREAM:
    case GST_EVENT_CUSTOM_DOWNSTREAM_STICKY:
      handle_custom (recorder, pad, event);
      break;
    case GST_EVENT_EOS:
      mux_journal_write_event (recorder, pad, "eos", ROBOCACHE_ROS_NO_TIME, -1, "");
      pad->is_eos = TRUE;
      recorder->end_seqnum = gst_event_get_seqnum (event);
      mux_fragments_forget (recorder, pad);
      mux_merge_check_end (recorder);
      break;
    default:
      break;
  }
}

void
mux_merge_check_end (MuxRecorder *recorder)
{

  for (guint i = 0; i < recorder->pads->len; i++)
    if (!mux_recorder_nth_pad (recorder, i)->is_eos)
      return;
  if (recorder->pads->len == 0 || !recorder->is_started)
    return;
  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "all %u streams have ended", recorder->pads->len);
  mux_journal_finish (recorder);
  if (recorder->flow == GST_FLOW_OK)
    recorder->flow = GST_FLOW_EOS;
  g_cond_broadcast (&recorder->progress);
}

/* ---- turns ---- */

/* The running time at which a GAP that waits begins. FALSE: it has none. */
static gboolean
gap_time (const GstRobocacheMcapPad *pad, GstEvent *event, gint64 *time)
{
  const GstSegment *segment = &pad->stream.clock.segment;
  GstClockTime start, running;

  gst_event_parse_gap (event, &start, NULL);
  running = segment->format == GST_FORMAT_TIME ? gst_segment_to_running_time (segment, GST_FORMAT_TIME, start) : GST_CLOCK_TIME_NONE;
  *time = (gint64) running;
  return GST_CLOCK_TIME_IS_VALID (running) && running < G_MAXINT64;
}

/* Opens the next buffer. FALSE and an error: it is not what its caps say. */
static gboolean
open_buffer (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GError **error)
{
  MuxItem *item = pop (pad);
  gboolean is_open = FALSE;

  if (pad->stream.format)
    is_open = mux_stream_open (&pad->stream, GST_BUFFER (item->object), error);
  else
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "a buffer before caps");
  mux_item_free (item, &recorder->released);
  return is_open;
}

static void
handle_waiting_event (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxItem *item = pop (pad);

  mux_merge_handle_event (recorder, pad, GST_EVENT (item->object), g_steal_pointer (&item->format));
  mux_item_free (item, &recorder->released);
}

void
mux_merge_handle_waiting (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  while (pad->waiting.length > 0)
    handle_waiting_event (recorder, pad);
}

static gboolean
outlives_flush (const GstMiniObject *object)
{
  return GST_IS_EVENT (object) && GST_EVENT_IS_STICKY (object) && GST_EVENT_TYPE (object) != GST_EVENT_SEGMENT
      && GST_EVENT_TYPE (object) != GST_EVENT_EOS;
}

guint64
mux_merge_flush_waiting (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  guint64 n_rows = gst_robocache_mcap_pad_close (pad, &recorder->released);

  while (pad->waiting.length > 0) {
    const GstMiniObject *object = ((MuxItem *) g_queue_peek_head (&pad->waiting))->object;

    if (outlives_flush (object)) {
      handle_waiting_event (recorder, pad);
    } else {
      n_rows += GST_IS_BUFFER (object);
      mux_item_free (pop (pad), &recorder->released);
    }
  }
  return n_rows;
}

/* Handles the pad's events up to its turn, and finds its time: a row without one has that of the row before. FALSE and an error. */
static gboolean
find_turn (MuxRecorder *recorder, GstRobocacheMcapPad *pad, gboolean *has_turn, gint64 *time, GError **error)
{

  for (*has_turn = TRUE;;) {
    GstMiniObject *object;

    if (mux_stream_has_item (&pad->stream)) {
      if (!mux_journal_get_time (recorder, pad, time))
        *time = pad->last_ns;
      return TRUE;
    }
    gst_robocache_mcap_pad_close (pad, &recorder->released);
    if (pad->n_turns == 0) {
      *has_turn = FALSE;
      return TRUE;
    }
    object = ((MuxItem *) g_queue_peek_head (&pad->waiting))->object;
    if (GST_IS_BUFFER (object)) {
      if (!open_buffer (recorder, pad, error))
        return FALSE;
    } else if (GST_EVENT_TYPE (object) == GST_EVENT_GAP && gap_time (pad, GST_EVENT (object), time)) {
      return TRUE;
    } else {
      handle_waiting_event (recorder, pad);
    }
  }
}

/* Whether the others wait for this pad. */
static gboolean
takes_part (const GstRobocacheMcapPad *pad)
{
  return !pad->is_live && !pad->is_eos && (pad->waiting.length > 0 || pad->stream.buffer || gst_pad_is_linked ((GstPad *) pad));
}

/* Whether others must wait for a pad, because its progress is unknown. Its events wait, too, so that the moment at which they are handled
 * does not depend on threads. */
static gboolean
must_wait_for_some (MuxRecorder *recorder)
{
  for (guint i = 0; i < recorder->pads->len; i++) {
    const GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);

    if (takes_part (pad) && pad->n_turns == 0 && !mux_stream_has_item (&pad->stream) && pad->known_until_ns == ROBOCACHE_ROS_NO_TIME) {
      GST_CAT_LOG_OBJECT (recorder->category, pad, "the other pads wait for this one: no row, GAP or EOS of it is here");
      return TRUE;
    }
  }
  return FALSE;
}

/* The pad whose turn it is, NULL: none; and the time up to which that holds. FALSE and an error, of *next. */
static gboolean
find_next (MuxRecorder *recorder, GstRobocacheMcapPad **next, gint64 *until, GError **error)
{
  gint64 first = G_MAXINT64, silent_until = G_MAXINT64;

  *next = NULL;
  *until = G_MAXINT64;
  for (guint i = 0; i < recorder->pads->len; i++) {
    GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);
    gboolean has_turn;
    gint64 time = 0;

    if (!takes_part (pad))
      continue;
    if (!find_turn (recorder, pad, &has_turn, &time, error)) {
      *next = pad;
      return FALSE;
    }
    /* its end may have come with that */
    if (pad->is_eos)
      continue;
    if (!has_turn) {
      silent_until = MIN (silent_until, pad->known_until_ns);
    } else if (*next == NULL || time < first) {
      *until = *next ? MIN (*until, first) : *until;
      first = time;
      *next = pad;
    } else {
      *until = MIN (*until, time);
    }
  }
  /* at the end of its GAP a pad may have a row */
  if (first >= silent_until) {
    GST_CAT_LOG_OBJECT (recorder->category, recorder->element, "the row at %" GST_STIME_FORMAT " waits: a silent pad may bring one from %"
        GST_STIME_FORMAT " on", GST_STIME_ARGS (first), GST_STIME_ARGS (silent_until));
    *next = NULL;
  }
  *until = MIN (*until, silent_until);
  return TRUE;
}

/* Writes the rows of the pad up to a time; equal times are compared again. FALSE and an error on failure. */
static gboolean
write_until (MuxRecorder *recorder, GstRobocacheMcapPad *pad, gint64 until, GError **error)
{
  gint64 time;

  if (!mux_stream_has_item (&pad->stream)) {
    handle_waiting_event (recorder, pad);
    return TRUE;
  }
  do {
    if (!mux_journal_write_row (recorder, pad, error))
      return FALSE;
  } while (mux_stream_has_item (&pad->stream) && mux_journal_get_time (recorder, pad, &time) && time < until
      && !mux_recording_is_full (recorder->recording));
  return TRUE;
}

gboolean
mux_merge_run (MuxRecorder *recorder, GstRobocacheMcapPad **of, GError **error)
{
  gint64 until;

  while (recorder->flow == GST_FLOW_OK && !(recorder->is_sink && !recorder->is_playing) && !mux_recording_is_full (recorder->recording)) {
    if (must_wait_for_some (recorder))
      break;
    if (!find_next (recorder, of, &until, error))
      return FALSE;
    if (*of == NULL)
      break;
    if (!write_until (recorder, *of, until, error))
      return FALSE;
  }
  g_cond_broadcast (&recorder->progress);
  return TRUE;
}
