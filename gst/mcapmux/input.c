/* robocache: what arrives at the sink pads of the recorders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input.h"

#include <gst/video/video.h>

#include "common/device/devicememory.h"
#include "common/time/segments.h"
#include "fragments.h"
#include "journal.h"
#include "merge.h"
#include "preroll.h"

/* Of a buffer of tensors. */
#define MAX_MEMORIES 16

/* What is left to do without the lock. */
typedef struct
{
  gchar *warning;               /* of a faulty sensor */
  GError *error;
  gchar *of;                    /* the pad whose error it is */
  guint64 n_overflow;           /* rows dropped for lack of space in the queue, to be posted */
  gboolean want_keys;
} After;

static GstFlowReturn
check_state (const MuxRecorder *recorder, const GstRobocacheMcapPad *pad)
{
  if (pad->is_flushing || pad->is_removed || !recorder->is_started)
    return GST_FLOW_FLUSHING;
  if (recorder->flow != GST_FLOW_OK)
    return recorder->flow;
  if (pad->is_eos)
    return GST_FLOW_EOS;
  return GST_FLOW_OK;
}

/* Ends the recording after an error (taken) of the pad. */
static void
end_with_error (GstPad *pad, GError *error)
{
  GstObject *element = gst_object_get_parent (GST_OBJECT (pad));

  mux_recorder_fail (GST_ROBOCACHE_MCAP_PAD (pad)->recorder, GST_OBJECT_NAME (pad), GST_FLOW_ERROR, error);
  gst_object_unref (element);
}

/* ---- without the lock ---- */

static gboolean
ask_whether_live (GstRobocacheMcapPad *pad)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (gst_pad_peer_query (GST_PAD (pad), query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  gst_query_unref (query);
  return is_live;
}

/* Finds out whether a pad's source is live. Cameras do not know their latency before they have caps, so a source that is not live is
 * asked again until its first buffer. */
static void
query_source (MuxRecorder *recorder, GstRobocacheMcapPad *pad, gboolean is_last)
{
  gboolean is_live, is_queried;

  g_mutex_lock (&recorder->lock);
  is_queried = pad->is_queried;
  g_mutex_unlock (&recorder->lock);
  if (is_queried)
    return;
  is_live = ask_whether_live (pad);
  if (is_live || is_last)
    GST_CAT_INFO_OBJECT (recorder->category, pad, "the source is %s", is_live ? "live: it never waits" : "not live: rows are written in order of time");
  g_mutex_lock (&recorder->lock);
  pad->is_queried = is_live || is_last;
  pad->is_live = is_live;
  if (is_live && check_state (recorder, pad) == GST_FLOW_OK)
    mux_merge_handle_waiting (recorder, pad);
  mux_recorder_unlock (recorder);
  /* others do not wait for it any more */
  if (is_live)
    mux_input_continue (recorder);
}

static void
ask_for_keys (MuxRecorder *recorder)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  g_mutex_lock (&recorder->lock);
  for (guint i = 0; i < recorder->pads->len; i++) {
    GstRobocacheMcapPad *pad = mux_recorder_nth_pad (recorder, i);

    if (pad->wants_key) {
      GST_CAT_DEBUG_OBJECT (recorder->category, pad, "asks its source for a key frame, with which it goes on in the next file");
      g_ptr_array_add (pads, gst_object_ref (pad));
    }
    pad->wants_key = FALSE;
  }
  g_mutex_unlock (&recorder->lock);
  for (guint i = 0; i < pads->len; i++)
    gst_pad_push_event (pads->pdata[i], gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
  g_ptr_array_unref (pads);
}

/* TRUE: no error ended the streams. */
static gboolean
do_after (MuxRecorder *recorder, After *after)
{
  const gboolean is_good = after->error == NULL;

  robocache_pad_faults_warn (recorder->element, g_steal_pointer (&after->warning));
  if (after->error)
    mux_recorder_fail (recorder, after->of, GST_FLOW_ERROR, after->error);
  g_free (after->of);
  if (after->n_overflow > 0)
    GST_ELEMENT_WARNING (recorder->element, RESOURCE, WRITE, ("%" G_GUINT64_FORMAT " rows were dropped because writing is slower than the "
            "input; raise max-queue-size, set compression=none, or use a faster disk", after->n_overflow), (NULL));
  if (after->want_keys)
    ask_for_keys (recorder);
  return is_good;
}

/* ---- with the lock ---- */

/* Collects the work that must be done without the lock, and releases the lock. */
static void
unlock (MuxRecorder *recorder, After *after)
{
  for (guint i = 0; i < recorder->pads->len; i++)
    after->want_keys |= mux_recorder_nth_pad (recorder, i)->wants_key;
  /* once there is space again */
  if (recorder->is_over && recorder->recording && !mux_recording_is_full (recorder->recording)) {
    after->n_overflow = recorder->n_overflow;
    recorder->n_overflow = 0;
    recorder->is_over = FALSE;
  }
  mux_recorder_unlock (recorder);
}

static void
set_error (After *after, GstRobocacheMcapPad *pad, GError *error)
{
  after->error = error;
  after->of = g_strdup (GST_OBJECT_NAME (pad));
}

static gboolean
is_another_left (MuxRecorder *recorder, const GstRobocacheMcapPad *pad)
{
  for (guint i = 0; i < recorder->pads->len; i++) {
    const GstRobocacheMcapPad *other = mux_recorder_nth_pad (recorder, i);

    if (other != pad && !other->faults.has_bad_caps && !other->is_eos)
      return TRUE;
  }
  return FALSE;
}

static void
count_malformed (GstRobocacheMcapPad *pad, GstBuffer *buffer)
{
  robocache_row_times_pass (&pad->stream.clock, buffer);
  pad->stream.statistics.dropped_malformed++;
}

/* A buffer that cannot be used. FALSE: the error ends the recording. TRUE: the rows of the pad alone are lost. */
static gboolean
drop_bad_buffer (GstRobocacheMcapPad *pad, GstBuffer *buffer, GError **error, After *after)
{
  if (!robocache_pad_faults_drop (pad->is_live, *error))
    return FALSE;
  after->warning = robocache_pad_faults_note_buffer (&pad->faults, GST_PAD (pad), *error, MUX_STATISTIC_MALFORMED);
  count_malformed (pad, buffer);
  g_clear_error (error);
  return TRUE;
}

static void
write_live (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstBuffer *buffer, After *after)
{
  GError *error = NULL;

  if (!mux_stream_open (&pad->stream, buffer, &error)) {
    if (!drop_bad_buffer (pad, buffer, &error, after))
      set_error (after, pad, error);
    return;
  }
  while (!error && mux_stream_has_item (&pad->stream))
    mux_journal_write_row (recorder, pad, &error);
  gst_robocache_mcap_pad_close (pad, &recorder->released);
  if (error)
    set_error (after, pad, error);
}

static const gchar *
why_waits (const MuxRecorder *recorder)
{
  if (recorder->is_sink && !recorder->is_playing)
    return "the recorder is not PLAYING";
  return mux_recording_is_full (recorder->recording) ? "max-queue-size bytes wait to be written" : "rows are written in order of time";
}

/* Writes what can be written, and waits while the pad is ahead. */
static void
merge (MuxRecorder *recorder, GstRobocacheMcapPad *pad, After *after)
{
  GstRobocacheMcapPad *of;
  GError *error = NULL;

  for (;;) {
    if (!mux_merge_run (recorder, &of, &error)) {
      set_error (after, of, error);
      return;
    }
    if (!mux_merge_must_wait (recorder, pad))
      return;
    /* what was released goes back to its owner before this waits, or its pool may be empty meanwhile */
    if (recorder->released.length > 0) {
      mux_recorder_unlock (recorder);
      g_mutex_lock (&recorder->lock);
      continue;
    }
    GST_CAT_LOG_OBJECT (recorder->category, pad, "its source waits: %s; %u items of %" G_GSIZE_FORMAT " bytes are ahead of the other pads",
        why_waits (recorder), pad->waiting.length, pad->waiting_bytes);
    if (mux_recording_has_output (recorder->recording))
      g_cond_signal (&recorder->work);
    g_cond_wait (&recorder->progress, &recorder->lock);
  }
}

void
mux_input_continue (MuxRecorder *recorder)
{
  GstRobocacheMcapPad *of;
  After after = { NULL };
  GError *error = NULL;

  g_mutex_lock (&recorder->lock);
  if (recorder->is_started && !mux_merge_run (recorder, &of, &error))
    set_error (&after, of, error);
  unlock (recorder, &after);
  do_after (recorder, &after);
}

/* ---- buffers ---- */

typedef struct
{
  GstMapInfo maps[MAX_MEMORIES];
  guint n_maps;
} DeviceMaps;

/* Device memory comes to the host, through pinned memory, before the lock is taken: other streams do not wait for the copy. The maps
 * under the lock find it done. */
static void
map_device_memory (DeviceMaps *device, const GstRobocacheMcapPad *pad, GstBuffer *buffer)
{
  /* a buffer that waits for its turn is mapped then */
  const guint n = pad->is_live ? MIN (gst_buffer_n_memory (buffer), MAX_MEMORIES) : 0;

  device->n_maps = 0;
  for (guint i = 0; i < n; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);

    if (robocache_is_gpu_memory (memory) && gst_memory_map (memory, &device->maps[device->n_maps], GST_MAP_READ))
      device->n_maps++;
  }
}

static void
unmap_device_memory (DeviceMaps *device)
{
  for (guint i = 0; i < device->n_maps; i++)
    gst_memory_unmap (device->maps[i].memory, &device->maps[i]);
}

/* A buffer (taken) without usable flexible tensors; error (taken) may be NULL. */
static GstFlowReturn
answer_flexible (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstBuffer *buffer, GstFlowReturn flow, GError *error)
{
  After after = { NULL };

  g_mutex_lock (&recorder->lock);
  if (error && drop_bad_buffer (pad, buffer, &error, &after))
    flow = GST_FLOW_OK;
  unlock (recorder, &after);
  do_after (recorder, &after);
  gst_buffer_unref (buffer);
  if (error)
    end_with_error (GST_PAD (pad), error);
  return flow;
}

GstFlowReturn
mux_input_chain (GstPad *gstpad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  MuxRecorder *recorder = pad->recorder;
  After after = { NULL };
  DeviceMaps device;
  GError *error = NULL;
  GstFlowReturn flow = robocache_flexible_input_strip (&pad->flexible, &buffer, &error);

  GST_CAT_LOG_OBJECT (recorder->category, pad, "%" GST_PTR_FORMAT, buffer);
  if (flow != GST_FLOW_OK)
    return answer_flexible (recorder, pad, buffer, flow, error);
  query_source (recorder, pad, TRUE);
  mux_preroll_commit (recorder);
  map_device_memory (&device, pad, buffer);
  g_mutex_lock (&recorder->lock);
  flow = check_state (recorder, pad);
  if (flow == GST_FLOW_OK && pad->is_live) {
    if (pad->faults.has_bad_caps)
      count_malformed (pad, buffer);
    else if (pad->stream.format)
      write_live (recorder, pad, buffer, &after);
    else
      flow = GST_FLOW_NOT_NEGOTIATED;
  } else if (flow == GST_FLOW_OK) {
    mux_merge_push (pad, GST_MINI_OBJECT_CAST (gst_buffer_ref (buffer)), NULL);
    merge (recorder, pad, &after);
    flow = check_state (recorder, pad);
  }
  unlock (recorder, &after);
  if (flow != GST_FLOW_OK)
    GST_CAT_LOG_OBJECT (recorder->category, pad, "a buffer is answered %s", gst_flow_get_name (flow));
  unmap_device_memory (&device);
  gst_buffer_unref (buffer);
  return do_after (recorder, &after) ? flow : GST_FLOW_ERROR;
}

/* ---- events ---- */

/* Caps that cannot be used, because of error (taken). FALSE: they end the recording. */
static gboolean
answer_bad_caps (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GError *error)
{
  After after = { NULL };
  gboolean is_tolerated;

  g_mutex_lock (&recorder->lock);
  is_tolerated = pad->is_live && is_another_left (recorder, pad);
  if (is_tolerated)
    after.warning = robocache_pad_faults_note_caps (&pad->faults, GST_PAD (pad), error, MUX_STATISTIC_MALFORMED);
  unlock (recorder, &after);
  do_after (recorder, &after);
  if (is_tolerated)
    g_error_free (error);
  else
    mux_recorder_fail (recorder, GST_OBJECT_NAME (pad), GST_FLOW_NOT_NEGOTIATED, error);
  return is_tolerated;
}

static gboolean
take_good_caps (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  g_mutex_lock (&recorder->lock);
  pad->faults.has_bad_caps = FALSE;
  g_mutex_unlock (&recorder->lock);
  return TRUE;
}

/* Caps are checked at once, so that a source learns of those that are refused. FALSE: the recording has failed. */
static gboolean
check_event (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event, RobocacheEncoderFormat **format)
{
  const GstSegment *segment;
  GError *error = NULL;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    *format = robocache_encoder_format_new (caps, &error);
    if (error)
      return answer_bad_caps (recorder, pad, error);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    if (segment->format != GST_FORMAT_TIME)
      g_set_error (&error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the segment is in %s, but the recorder needs TIME: put a parser "
          "before the recorder", gst_format_get_name (segment->format));
    else
      robocache_segment_check (segment, &error);
  }
  if (error)
    mux_recorder_fail (recorder, GST_OBJECT_NAME (pad), GST_FLOW_NOT_NEGOTIATED, error);
  return error == NULL;
}

static gboolean
handle_event (MuxRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  RobocacheEncoderFormat *format = NULL;
  After after = { NULL };
  gboolean is_handled;

  if (!check_event (recorder, pad, event, &format))
    return FALSE;
  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS && format == NULL)
    return TRUE;
  if (mux_merge_is_turn (GST_MINI_OBJECT_CAST (event)))
    mux_preroll_commit (recorder);
  g_mutex_lock (&recorder->lock);
  is_handled = check_state (recorder, pad) == GST_FLOW_OK;
  pad->faults.has_bad_caps &= format == NULL;
  if (is_handled && pad->is_live) {
    mux_merge_handle_event (recorder, pad, event, g_steal_pointer (&format));
  } else if (is_handled) {
    mux_merge_push (pad, GST_MINI_OBJECT_CAST (gst_event_ref (event)), g_steal_pointer (&format));
    /* an event without a time does not wait for its turn, since a query may follow it */
    if (mux_merge_is_turn (GST_MINI_OBJECT_CAST (event)))
      merge (recorder, pad, &after);
  }
  unlock (recorder, &after);
  g_clear_pointer (&format, robocache_encoder_format_free);
  return do_after (recorder, &after) && is_handled;
}

static void
start_flush (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  g_mutex_lock (&recorder->lock);
  pad->is_flushing = TRUE;
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
  mux_preroll_lose (recorder);
}

/* Called with the pad's stream lock, so none of its rows is being handled. */
static void
stop_flush (MuxRecorder *recorder, GstRobocacheMcapPad *pad)
{
  After after = { NULL };
  guint64 n_dropped;

  g_mutex_lock (&recorder->lock);
  n_dropped = mux_merge_flush_waiting (recorder, pad);
  GST_CAT_DEBUG_OBJECT (recorder->category, pad, "the flush drops %" G_GUINT64_FORMAT " rows that waited", n_dropped);
  pad->stream.statistics.dropped_flush += n_dropped;
  robocache_row_times_init (&pad->stream.clock);
  pad->known_until_ns = ROBOCACHE_ROS_NO_TIME;
  if (recorder->is_started && !recorder->is_finished) {
    pad->is_eos = FALSE;
    mux_journal_write_event (recorder, pad, "flush", ROBOCACHE_ROS_NO_TIME, -1, "");
  }
  pad->is_flushing = FALSE;
  unlock (recorder, &after);
  do_after (recorder, &after);
}

gboolean
mux_input_event (GstPad *gstpad, GstObject *parent, GstEvent *event)
{
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  MuxRecorder *recorder = pad->recorder;
  gboolean is_handled = TRUE, resets_time, has_caps;
  GError *error = NULL;

  GST_CAT_DEBUG_OBJECT (recorder->category, pad, "%" GST_PTR_FORMAT, event);
  has_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  if (robocache_flexible_input_take_event (&pad->flexible, event, &error)) {
    if (!has_caps)
      return TRUE;
    query_source (recorder, pad, FALSE);
    return error ? answer_bad_caps (recorder, pad, error) : take_good_caps (recorder, pad);
  }
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      start_flush (recorder, pad);
      break;
    case GST_EVENT_FLUSH_STOP:
      gst_event_parse_flush_stop (event, &resets_time);
      stop_flush (recorder, pad);
      if (resets_time)
        mux_preroll_reset_time (recorder);
      break;
    case GST_EVENT_STREAM_START:
      g_mutex_lock (&recorder->lock);
      gst_robocache_mcap_pad_begin (pad);
      g_mutex_unlock (&recorder->lock);
      query_source (recorder, pad, FALSE);
      break;
    default:
      query_source (recorder, pad, mux_merge_is_turn (GST_MINI_OBJECT_CAST (event)));
      is_handled = !GST_EVENT_IS_SERIALIZED (event) || handle_event (recorder, pad, event);
      break;
  }
  gst_event_unref (event);
  return is_handled;
}

/* ---- queries ---- */

/* FALSE: the pad's template decides. */
static gboolean
accept_flexible (GstQuery *query)
{
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  if (!robocache_flexible_input_accepts (caps))
    return FALSE;
  gst_query_set_accept_caps_result (query, TRUE);
  return TRUE;
}

gboolean
mux_input_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  gboolean is_answered;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      if (robocache_flexible_input_refuses (&GST_ROBOCACHE_MCAP_PAD (pad)->flexible, query))
        return FALSE;
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      return accept_flexible (query) || gst_pad_query_default (pad, parent, query);
    case GST_QUERY_CAPS:
      is_answered = gst_pad_query_default (pad, parent, query);
      robocache_flexible_input_add_caps (query);
      return is_answered;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* ---- time ---- */

void
mux_input_close_old_chunks (MuxRecorder *recorder)
{
  gboolean has_live = FALSE;
  guint64 now;

  g_mutex_lock (&recorder->lock);
  for (guint i = 0; i < recorder->pads->len; i++)
    has_live |= mux_recorder_nth_pad (recorder, i)->is_live;
  if (has_live && recorder->is_started && !recorder->is_finished && mux_journal_now (recorder, &now))
    mux_recording_close_old_chunks (recorder->recording, now);
  mux_recorder_unlock (recorder);
}
