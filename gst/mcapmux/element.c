/* robocache: the class of the recorders: pads, properties and states
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element.h"

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/tensors/flexibleinput.h"
#include "common/tensors/memorycaps.h"
#include "debug.h"
#include "fragments.h"
#include "gst/mcapmux/stream/pictures.h"
#include "input.h"
#include "journal.h"
#include "merge.h"
#include "output.h"
#include "statistics.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (ROBOCACHE_TENSORS_TEMPLATE_CAPS "; application/x-pointcloud; application/x-lidar; "
        "video/x-raw, format=(string)" MUX_RAW_FORMATS "; image/jpeg; image/png; "
        "video/x-h264, stream-format=(string)byte-stream, alignment=(string)au; "
        "video/x-h265, stream-format=(string)byte-stream, alignment=(string)au"));

static void child_proxy_init (gpointer iface, gpointer data);

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstRobocacheMcapElement, gst_robocache_mcap_element, GST_TYPE_ROBOCACHE_MCAP_RECORDER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init))

/* ---- pads ---- */

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  const GstRobocacheMcapPad *first = *(GstRobocacheMcapPad * const *) a, *second = *(GstRobocacheMcapPad * const *) b;

  return (first->number > second->number) - (first->number < second->number);
}

/* The number of a pad of that name, or the first that is free. FALSE: the name is no name of a pad, or taken. */
static gboolean
choose_number (MuxRecorderState *state, const gchar *name, guint *number)
{
  guint64 asked;

  if (name && (!g_str_has_prefix (name, "sink_") || !g_ascii_string_to_unsigned (name + 5, 10, 0, G_MAXUINT, &asked, NULL)))
    return FALSE;
  *number = name ? (guint) asked : 0;
  for (guint i = 0; i < state->pads->len; i++) {
    if (mux_recorder_nth_pad (state, i)->number != *number)
      continue;
    if (name)
      return FALSE;
    (*number)++;
  }
  return TRUE;
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  GstRobocacheMcapRecorder *recorder = GST_ROBOCACHE_MCAP_RECORDER (element);
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstRobocacheMcapPad *pad = NULL;
  gchar *own_name = NULL;
  guint number;

  g_mutex_lock (&state->lock);
  if (choose_number (state, name, &number)) {
    own_name = g_strdup_printf ("sink_%u", number);
    pad = g_object_new (GST_TYPE_ROBOCACHE_MCAP_PAD, "name", own_name, "direction", GST_PAD_SINK, "template", template, NULL);
    pad->number = number;
    gst_pad_set_chain_function (GST_PAD (pad), mux_input_chain);
    gst_pad_set_event_function (GST_PAD (pad), mux_input_event);
    gst_pad_set_query_function (GST_PAD (pad), mux_input_query);
    robocache_accept_flexible (GST_PAD (pad), mux_input_fail);
    g_ptr_array_add (state->pads, gst_object_ref_sink (pad));
    g_ptr_array_sort (state->pads, compare_pads);
    gst_robocache_mcap_pad_start (pad, state->started.keep_buffers);
  }
  g_mutex_unlock (&state->lock);
  if (!pad) {
    GST_WARNING_OBJECT (recorder, "no pad \"%s\": expected sink_ and a number that is not taken", name);
    return NULL;
  }
  if (state->is_started)
    gst_pad_set_active (GST_PAD (pad), TRUE);
  gst_element_add_pad (element, GST_PAD (pad));
  gst_child_proxy_child_added (GST_CHILD_PROXY (recorder), G_OBJECT (pad), own_name);
  g_free (own_name);
  return GST_PAD (pad);
}

static void
release_pad (GstElement *element, GstPad *gstpad)
{
  GstRobocacheMcapRecorder *recorder = GST_ROBOCACHE_MCAP_RECORDER (element);
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  MuxRecorderState *state = mux_recorder_state (recorder);
  gchar *name = gst_object_get_name (GST_OBJECT (pad));

  g_mutex_lock (&state->lock);
  pad->is_removed = TRUE;
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
  /* waits for its chain function */
  gst_pad_set_active (gstpad, FALSE);
  gst_object_ref (pad);
  gst_element_remove_pad (element, gstpad);
  g_mutex_lock (&state->lock);
  if (state->is_started && !state->is_finished && !pad->is_eos)
    mux_journal_write_event (recorder, pad, "removed", ROBOCACHE_ROS_NO_TIME, -1, "");
  gst_robocache_mcap_pad_drop_waiting (pad);
  if (state->recording)
    mux_fragments_forget (state, pad);
  g_ptr_array_remove (state->pads, pad);
  mux_merge_check_end (recorder);
  g_cond_broadcast (&state->progress);
  mux_recorder_unlock (state);
  mux_input_continue (recorder);
  gst_child_proxy_child_removed (GST_CHILD_PROXY (recorder), G_OBJECT (pad), name);
  gst_object_unref (pad);
  g_free (name);
}

static guint
get_children_count (GstChildProxy *proxy)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (proxy));
  guint n;

  g_mutex_lock (&state->lock);
  n = state->pads->len;
  g_mutex_unlock (&state->lock);
  return n;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (proxy));
  GObject *child;

  g_mutex_lock (&state->lock);
  child = index < state->pads->len ? g_object_ref (state->pads->pdata[index]) : NULL;
  g_mutex_unlock (&state->lock);
  return child;
}

static void
child_proxy_init (gpointer iface, gpointer data)
{
  GstChildProxyInterface *proxy = iface;

  proxy->get_children_count = get_children_count;
  proxy->get_child_by_index = get_child_by_index;
}

/* ---- properties ---- */

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (object));

  GST_OBJECT_LOCK (object);
  robocache_setting_set (mux_settings_field (&state->settings, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (object));

  if (id == MUX_PROP_STATS) {
    g_mutex_lock (&state->lock);
    g_value_take_boxed (value, mux_statistics_to_structure (state));
    g_mutex_unlock (&state->lock);
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (mux_settings_field (&state->settings, id), value);
  GST_OBJECT_UNLOCK (object);
}

/* ---- states ---- */

static const gchar *
media_type_of (const gchar *name)
{
  static const struct
  {
    const gchar *ending, *media_type;
  } types[] = { {".urdf", "application/xml"}, {".xml", "application/xml"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
  {".json", "application/json"}, {".txt", "text/plain"}, {".csv", "text/csv"}, {".md", "text/markdown"}, {".png", "image/png"},
  {".jpg", "image/jpeg"}, {".pdf", "application/pdf"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (g_str_has_suffix (name, types[i].ending))
      return types[i].media_type;
  return "application/octet-stream";
}

/* FALSE and an error: a file cannot be read. */
static gboolean
attach_file (MuxRecorderState *state, const gchar *path, GError **error)
{
  gchar *name = g_path_get_basename (path);
  GError *fault = NULL;
  gchar *data;
  gsize size;
  GBytes *bytes;

  if (!g_file_get_contents (path, &data, &size, &fault)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_READ, "attachments: %s", fault->message);
    g_error_free (fault);
    g_free (name);
    return FALSE;
  }
  bytes = g_bytes_new_take (data, size);
  mux_recording_attach (state->recording, name, media_type_of (name), bytes, 0, 0);
  g_bytes_unref (bytes);
  g_free (name);
  return TRUE;
}

static gboolean
attach_files (MuxRecorderState *state, GError **error)
{
  gchar **paths = g_strsplit (state->started.attachments ? state->started.attachments : "", ",", -1);
  gboolean is_good = TRUE;

  for (gchar **path = paths; is_good && *path; path++)
    is_good = *g_strstrip (*path) == '\0' || attach_file (state, *path, error);
  g_strfreev (paths);
  return is_good;
}

static void
copy_settings (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  GST_OBJECT_LOCK (recorder);
  mux_settings_copy (&state->started, &state->settings);
  state->started_fragment_duration = state->fragment_duration;
  GST_OBJECT_UNLOCK (recorder);
}

static void
start_recording (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  const MuxRecordingSettings settings = {
    .chunk_size = (gsize) state->started.chunk_size,
    .chunk_duration_ns = state->started.chunk_duration,
    .max_queued = (gsize) state->started.max_queue_size,
  };

  state->recording = mux_recording_new (&settings);
  mux_timeline_init (&state->timeline);
  state->is_live = FALSE;
  state->last_log_ns = state->next_statistics_ns = state->n_overflow = 0;
  state->is_over = state->is_finished = FALSE;
  state->flow = GST_FLOW_OK;
  for (guint i = 0; i < state->pads->len; i++)
    gst_robocache_mcap_pad_start (mux_recorder_nth_pad (state, i), state->started.keep_buffers);
}

static void
stop (GstRobocacheMcapRecorder *recorder)
{
  GstRobocacheMcapRecorderClass *klass = GST_ROBOCACHE_MCAP_RECORDER_GET_CLASS (recorder);
  MuxRecorderState *state = mux_recorder_state (recorder);

  if (state->task)
    mux_output_stop (g_steal_pointer (&state->task));
  if (klass->stop)
    klass->stop (recorder);
  g_mutex_lock (&state->lock);
  state->is_started = FALSE;
  for (guint i = 0; i < state->pads->len; i++)
    gst_robocache_mcap_pad_drop_waiting (mux_recorder_nth_pad (state, i));
  g_clear_pointer (&state->recording, mux_recording_free);
  mux_events_clear (&state->events);
  g_mutex_unlock (&state->lock);
}

/* FALSE: an error was posted. */
static gboolean
start (GstRobocacheMcapRecorder *recorder)
{
  GstRobocacheMcapRecorderClass *klass = GST_ROBOCACHE_MCAP_RECORDER_GET_CLASS (recorder);
  MuxRecorderState *state = mux_recorder_state (recorder);
  GError *error = NULL;
  gboolean is_good;

  copy_settings (recorder);
  g_mutex_lock (&state->lock);
  start_recording (recorder);
  is_good = attach_files (state, &error);
  state->is_started = is_good;
  g_mutex_unlock (&state->lock);
  if (is_good && (!klass->start || klass->start (recorder, &error)))
    return TRUE;
  robocache_post_error_at (GST_ELEMENT (recorder), NULL, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
  stop (recorder);
  return FALSE;
}

static gboolean
timer_fired (GstClock *clock, GstClockTime time, GstClockID id, gpointer user_data)
{
  mux_input_close_old_chunks (user_data);
  return TRUE;
}

static void
start_timer (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstClock *clock = gst_element_get_clock (GST_ELEMENT (recorder));
  const GstClockTime interval = state->started.chunk_duration / 2;

  if (clock && interval > 0) {
    state->timer = gst_clock_new_periodic_id (clock, gst_clock_get_time (clock) + interval, interval);
    gst_clock_id_wait_async (state->timer, timer_fired, gst_object_ref (recorder), gst_object_unref);
  }
  gst_clear_object (&clock);
}

static void
stop_timer (MuxRecorderState *state)
{
  if (!state->timer)
    return;
  gst_clock_id_unschedule (state->timer);
  gst_clock_id_unref (state->timer);
  state->timer = NULL;
}

static void
set_playing (GstRobocacheMcapRecorder *recorder, gboolean is_playing)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  GstClock *clock = is_playing ? gst_element_get_clock (GST_ELEMENT (recorder)) : NULL;

  g_mutex_lock (&state->lock);
  state->is_playing = is_playing;
  if (is_playing)
    mux_timeline_set_playing (&state->timeline, clock, gst_element_get_base_time (GST_ELEMENT (recorder)));
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
  gst_clear_object (&clock);
  if (is_playing)
    start_timer (recorder);
  else
    stop_timer (state);
}

/* Sources continue no more; the end of the pipeline writes what it has. */
static void
end_streams (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gboolean must_drain;

  g_mutex_lock (&state->lock);
  must_drain = state->is_sink && state->task && (state->flow == GST_FLOW_OK || state->flow == GST_FLOW_EOS);
  if (state->flow == GST_FLOW_OK)
    state->flow = GST_FLOW_FLUSHING;
  if (must_drain)
    mux_journal_finish (recorder);
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
  if (must_drain)
    mux_output_drain (recorder);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheMcapRecorder *recorder = GST_ROBOCACHE_MCAP_RECORDER (element);
  GstStateChangeReturn changed;

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!start (recorder))
        return GST_STATE_CHANGE_FAILURE;
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      set_playing (recorder, TRUE);
      break;
    case GST_STATE_CHANGE_PLAYING_TO_PAUSED:
      set_playing (recorder, FALSE);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_READY:
      end_streams (recorder);
      break;
    default:
      break;
  }
  changed = GST_ELEMENT_CLASS (gst_robocache_mcap_element_parent_class)->change_state (element, transition);
  /* once the source pad is active: before, a push is answered FLUSHING, which ends the recording */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && changed != GST_STATE_CHANGE_FAILURE)
    mux_recorder_state (recorder)->task = mux_output_start (recorder);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || (changed == GST_STATE_CHANGE_FAILURE
          && transition == GST_STATE_CHANGE_READY_TO_PAUSED))
    stop (recorder);
  return changed;
}

/* ---- life ---- */

static void
gst_robocache_mcap_element_class_init (GstRobocacheMcapElementClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  mux_settings_install (object_class);
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  element_class->change_state = change_state;
  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_ROBOCACHE_MCAP_PAD);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_MCAP_ELEMENT, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_MCAP_PAD, 0);
}

static void
gst_robocache_mcap_element_init (GstRobocacheMcapElement *element)
{
}
