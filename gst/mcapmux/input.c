/* robocache: what arrives at the sink pads of the recorders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "input.h"

#include <gst/video/video.h>

#include "common/device/devicememory.h"
#include "common/time/segments.h"
#include "debug.h"
#include "fragments.h"
#include "journal.h"
#include "merge.h"

/* Of a buffer of tensors. */
#define MAX_MEMORIES 16

/* What is left to do without the lock. */
typedef struct
{
  GError *error;
  gchar *of;                    /* the pad whose error it is */
  guint64 n_overflow;           /* rows dropped for lack of space in the queue, to be posted */
  gboolean want_keys;
} After;

static GstFlowReturn
check_state (const MuxRecorderState *state, const GstRobocacheMcapPad *pad)
{
  if (pad->is_flushing || pad->is_removed || !state->is_started)
    return GST_FLOW_FLUSHING;
  if (state->flow != GST_FLOW_OK)
    return state->flow;
  if (pad->is_eos)
    return GST_FLOW_EOS;
  return GST_FLOW_OK;
}

void
mux_input_fail (GstPad *pad, GError *error)
{
  GstObject *recorder = gst_object_get_parent (GST_OBJECT (pad));

  mux_recorder_fail (GST_ROBOCACHE_MCAP_RECORDER (recorder), GST_OBJECT_NAME (pad), GST_FLOW_ERROR, error);
  gst_object_unref (recorder);
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
query_source (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, gboolean is_last)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gboolean is_live, is_queried;

  g_mutex_lock (&state->lock);
  is_queried = pad->is_queried;
  g_mutex_unlock (&state->lock);
  if (is_queried)
    return;
  is_live = ask_whether_live (pad);
  if (is_live || is_last)
    GST_INFO_OBJECT (pad, "the source is %s", is_live ? "live: it never waits" : "not live: rows are written in order of time");
  g_mutex_lock (&state->lock);
  pad->is_queried = is_live || is_last;
  pad->is_live = is_live;
  if (is_live && check_state (state, pad) == GST_FLOW_OK)
    mux_merge_handle_waiting (recorder, pad);
  mux_recorder_unlock (state);
  /* others do not wait for it any more */
  if (is_live)
    mux_input_continue (recorder);
}

static void
ask_for_keys (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  g_mutex_lock (&state->lock);
  for (guint i = 0; i < state->pads->len; i++) {
    GstRobocacheMcapPad *pad = mux_recorder_nth_pad (state, i);

    if (pad->wants_key)
      g_ptr_array_add (pads, gst_object_ref (pad));
    pad->wants_key = FALSE;
  }
  g_mutex_unlock (&state->lock);
  for (guint i = 0; i < pads->len; i++)
    gst_pad_push_event (pads->pdata[i], gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE, 0));
  g_ptr_array_unref (pads);
}

/* TRUE: no error ended the streams. */
static gboolean
do_after (GstRobocacheMcapRecorder *recorder, After *after)
{
  const gboolean is_good = after->error == NULL;

  if (after->error)
    mux_recorder_fail (recorder, after->of, GST_FLOW_ERROR, after->error);
  g_free (after->of);
  if (after->n_overflow > 0)
    GST_ELEMENT_WARNING (recorder, RESOURCE, WRITE, ("%" G_GUINT64_FORMAT " rows were dropped: what is written does not keep up with "
            "what arrives; raise max-queue-size, set compression=none, or use a faster disk", after->n_overflow), (NULL));
  if (after->want_keys)
    ask_for_keys (recorder);
  return is_good;
}

/* ---- with the lock ---- */

/* Collects what is to be done without it, and lets go of it. */
static void
unlock (GstRobocacheMcapRecorder *recorder, After *after)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  for (guint i = 0; i < state->pads->len; i++)
    after->want_keys |= mux_recorder_nth_pad (state, i)->wants_key;
  /* once there is space again */
  if (state->is_over && state->recording && !mux_recording_is_full (state->recording)) {
    after->n_overflow = state->n_overflow;
    state->n_overflow = 0;
    state->is_over = FALSE;
  }
  mux_recorder_unlock (state);
}

static void
set_error (After *after, GstRobocacheMcapPad *pad, GError *error)
{
  after->error = error;
  after->of = g_strdup (GST_OBJECT_NAME (pad));
}

static void
write_live (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, GstBuffer *buffer, After *after)
{
  GError *error = NULL;

  if (!mux_stream_open (&pad->stream, buffer, &error)) {
    set_error (after, pad, error);
    return;
  }
  while (!error && mux_stream_has_item (&pad->stream))
    mux_journal_write_row (recorder, pad, &error);
  mux_stream_close (&pad->stream);
  if (error)
    set_error (after, pad, error);
}

/* Writes what can be written, and waits while the pad is ahead. */
static void
merge (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, After *after)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstRobocacheMcapPad *of;
  GError *error = NULL;

  for (;;) {
    if (!mux_merge_run (recorder, &of, &error)) {
      set_error (after, of, error);
      return;
    }
    if (!mux_merge_must_wait (state, pad))
      return;
    GST_LOG_OBJECT (pad, "waits: %u items are ahead", pad->waiting.length);
    if (mux_recording_has_output (state->recording))
      g_cond_signal (&state->work);
    g_cond_wait (&state->progress, &state->lock);
  }
}

void
mux_input_continue (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstRobocacheMcapPad *of;
  After after = { NULL };
  GError *error = NULL;

  g_mutex_lock (&state->lock);
  if (state->is_started && !mux_merge_run (recorder, &of, &error))
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

GstFlowReturn
mux_input_chain (GstPad *gstpad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheMcapRecorder *recorder = GST_ROBOCACHE_MCAP_RECORDER (parent);
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  MuxRecorderState *state = mux_recorder_state (recorder);
  After after = { NULL };
  DeviceMaps device;
  GstFlowReturn flow;

  GST_LOG_OBJECT (pad, "%" GST_PTR_FORMAT, buffer);
  query_source (recorder, pad, TRUE);
  map_device_memory (&device, pad, buffer);
  g_mutex_lock (&state->lock);
  flow = check_state (state, pad);
  if (flow == GST_FLOW_OK && pad->is_live) {
    if (pad->stream.format)
      write_live (recorder, pad, buffer, &after);
    else
      flow = GST_FLOW_NOT_NEGOTIATED;
  } else if (flow == GST_FLOW_OK) {
    mux_merge_push (pad, GST_MINI_OBJECT_CAST (gst_buffer_ref (buffer)), NULL);
    merge (recorder, pad, &after);
    flow = check_state (state, pad);
  }
  unlock (recorder, &after);
  unmap_device_memory (&device);
  gst_buffer_unref (buffer);
  return do_after (recorder, &after) ? flow : GST_FLOW_ERROR;
}

/* ---- events ---- */

/* Caps are checked at once, so that a source learns of those that are refused. */
static gboolean
check_event (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event, MuxFormat **format)
{
  const GstSegment *segment;
  GError *error = NULL;
  GstCaps *caps;

  if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    gst_event_parse_caps (event, &caps);
    *format = mux_format_new (caps, &error);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    gst_event_parse_segment (event, &segment);
    if (segment->format != GST_FORMAT_TIME)
      g_set_error (&error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the segment is in %s: rows have times in a TIME segment; put a "
          "parser before the recorder", gst_format_get_name (segment->format));
    else
      robocache_segment_check (segment, &error);
  }
  if (error)
    mux_recorder_fail (recorder, GST_OBJECT_NAME (pad), GST_FLOW_NOT_NEGOTIATED, error);
  return error == NULL;
}

static gboolean
handle_event (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad, GstEvent *event)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  MuxFormat *format = NULL;
  After after = { NULL };
  gboolean is_handled;

  if (!check_event (recorder, pad, event, &format))
    return FALSE;
  g_mutex_lock (&state->lock);
  is_handled = check_state (state, pad) == GST_FLOW_OK;
  if (is_handled && pad->is_live) {
    mux_merge_handle_event (recorder, pad, event, g_steal_pointer (&format));
  } else if (is_handled) {
    mux_merge_push (pad, GST_MINI_OBJECT_CAST (gst_event_ref (event)), g_steal_pointer (&format));
    /* what says nothing of time waits for no turn: a query may be behind it */
    if (mux_merge_is_turn (GST_MINI_OBJECT_CAST (event)))
      merge (recorder, pad, &after);
  }
  unlock (recorder, &after);
  g_clear_pointer (&format, mux_format_free);
  return do_after (recorder, &after) && is_handled;
}

static void
start_flush (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  g_mutex_lock (&state->lock);
  pad->is_flushing = TRUE;
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
}

/* Called with the pad's stream lock, so none of its rows is on its way. */
static void
stop_flush (GstRobocacheMcapRecorder *recorder, GstRobocacheMcapPad *pad)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  After after = { NULL };

  g_mutex_lock (&state->lock);
  pad->stream.statistics.dropped_flush += gst_robocache_mcap_pad_drop_waiting (pad);
  robocache_row_times_init (&pad->stream.clock);
  pad->known_until_ns = ROBOCACHE_ROS_NO_TIME;
  if (state->is_started && !state->is_finished) {
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
  GstRobocacheMcapRecorder *recorder = GST_ROBOCACHE_MCAP_RECORDER (parent);
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  gboolean is_handled = TRUE;

  GST_DEBUG_OBJECT (pad, "%" GST_PTR_FORMAT, event);
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      start_flush (recorder, pad);
      break;
    case GST_EVENT_FLUSH_STOP:
      stop_flush (recorder, pad);
      break;
    case GST_EVENT_STREAM_START:
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

gboolean
mux_input_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_ALLOCATION:
      gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

/* ---- time ---- */

void
mux_input_close_old_chunks (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gboolean has_live = FALSE;
  guint64 now;

  g_mutex_lock (&state->lock);
  for (guint i = 0; i < state->pads->len; i++)
    has_live |= mux_recorder_nth_pad (state, i)->is_live;
  if (has_live && state->is_started && !state->is_finished && mux_journal_now (recorder, &now))
    mux_recording_close_old_chunks (state->recording, now);
  mux_recorder_unlock (state);
}
