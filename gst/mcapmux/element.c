/* robocache: the class of the recorders: pads, properties and states
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element.h"

#include "common/element/errors.h"
#include "common/element/propertytypes.h"
#include "common/tensors/memorycaps.h"
#include "fragments.h"
#include "common/rosstreams/encoders/encoders.h"
#include "input.h"
#include "journal.h"
#include "merge.h"
#include "output.h"
#include "preroll.h"
#include "statistics.h"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink_%u", GST_PAD_SINK, GST_PAD_REQUEST,
    GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

static void child_proxy_init (gpointer iface, gpointer data);

typedef MuxRecorder GstRobocacheMcapRecorderPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstRobocacheMcapRecorder, gst_robocache_mcap_recorder, GST_TYPE_ELEMENT,
    G_ADD_PRIVATE (GstRobocacheMcapRecorder)
    G_IMPLEMENT_INTERFACE (GST_TYPE_CHILD_PROXY, child_proxy_init)
    G_IMPLEMENT_INTERFACE (GST_TYPE_TAG_SETTER, NULL))

MuxRecorder *
mux_element_get_recorder (gpointer element)
{
  return gst_robocache_mcap_recorder_get_instance_private (GST_ROBOCACHE_MCAP_RECORDER (element));
}

/* ---- pads ---- */

static gint
compare_pads (gconstpointer a, gconstpointer b)
{
  const GstRobocacheMcapPad *first = *(GstRobocacheMcapPad * const *) a, *second = *(GstRobocacheMcapPad * const *) b;

  return (first->number > second->number) - (first->number < second->number);
}

/* The number of a pad of that name, or the one behind the highest. FALSE: the name is no name of a pad, or taken. */
static gboolean
choose_number (MuxRecorder *recorder, const gchar *name, guint *number)
{
  const guint n = recorder->pads->len;
  guint64 asked;

  if (!name) {
    *number = n > 0 ? mux_recorder_nth_pad (recorder, n - 1)->number + 1 : 0;
    return n == 0 || *number > 0;
  }
  if (!g_str_has_prefix (name, "sink_") || !g_ascii_string_to_unsigned (name + 5, 10, 0, G_MAXUINT, &asked, NULL))
    return FALSE;
  *number = (guint) asked;
  for (guint i = 0; i < n; i++)
    if (mux_recorder_nth_pad (recorder, i)->number == *number)
      return FALSE;
  return TRUE;
}

static GstPad *
request_new_pad (GstElement *element, GstPadTemplate *template, const gchar *name, const GstCaps *caps)
{
  MuxRecorder *recorder = mux_element_get_recorder (element);
  GstRobocacheMcapPad *pad = NULL;
  gchar *own_name = NULL;
  guint number;

  g_mutex_lock (&recorder->lock);
  if (choose_number (recorder, name, &number)) {
    own_name = g_strdup_printf ("sink_%u", number);
    pad = g_object_new (GST_TYPE_ROBOCACHE_MCAP_PAD, "name", own_name, "direction", GST_PAD_SINK, "template", template, NULL);
    pad->recorder = recorder;
    pad->number = number;
    gst_pad_set_chain_function (GST_PAD (pad), mux_input_chain);
    gst_pad_set_event_function (GST_PAD (pad), mux_input_event);
    gst_pad_set_query_function (GST_PAD (pad), mux_input_query);
    g_ptr_array_add (recorder->pads, gst_object_ref_sink (pad));
    g_ptr_array_sort (recorder->pads, compare_pads);
    gst_robocache_mcap_pad_start (pad, recorder->started.keep_buffers);
  }
  g_mutex_unlock (&recorder->lock);
  if (!pad) {
    GST_CAT_WARNING_OBJECT (recorder->category, element, "no pad \"%s\": expected sink_ and a number that is not taken", name);
    return NULL;
  }
  if (recorder->is_started)
    gst_pad_set_active (GST_PAD (pad), TRUE);
  gst_element_add_pad (element, GST_PAD (pad));
  GST_CAT_DEBUG_OBJECT (recorder->category, pad, "added, %s", recorder->is_started ? "while the recording runs" : "before the recording");
  gst_child_proxy_child_added (GST_CHILD_PROXY (element), G_OBJECT (pad), own_name);
  g_free (own_name);
  return GST_PAD (pad);
}

static void
release_pad (GstElement *element, GstPad *gstpad)
{
  MuxRecorder *recorder = mux_element_get_recorder (element);
  GstRobocacheMcapPad *pad = GST_ROBOCACHE_MCAP_PAD (gstpad);
  gchar *name = gst_object_get_name (GST_OBJECT (pad));

  g_mutex_lock (&recorder->lock);
  pad->is_removed = TRUE;
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
  /* waits for its chain function */
  gst_pad_set_active (gstpad, FALSE);
  gst_object_ref (pad);
  gst_element_remove_pad (element, gstpad);
  g_mutex_lock (&recorder->lock);
  GST_CAT_DEBUG_OBJECT (recorder->category, pad, "removed: %u items that waited are dropped", pad->waiting.length);
  if (recorder->is_started && !recorder->is_finished && !pad->is_eos)
    mux_journal_write_event (recorder, pad, "removed", ROBOCACHE_ROS_NO_TIME, -1, "");
  gst_robocache_mcap_pad_drop_waiting (pad, &recorder->released);
  if (recorder->recording)
    mux_fragments_forget (recorder, pad);
  g_ptr_array_remove (recorder->pads, pad);
  mux_merge_check_end (recorder);
  g_cond_broadcast (&recorder->progress);
  mux_recorder_unlock (recorder);
  mux_input_continue (recorder);
  gst_child_proxy_child_removed (GST_CHILD_PROXY (element), G_OBJECT (pad), name);
  gst_object_unref (pad);
  g_free (name);
}

static guint
get_children_count (GstChildProxy *proxy)
{
  MuxRecorder *recorder = mux_element_get_recorder (proxy);
  guint n;

  g_mutex_lock (&recorder->lock);
  n = recorder->pads->len;
  g_mutex_unlock (&recorder->lock);
  return n;
}

static GObject *
get_child_by_index (GstChildProxy *proxy, guint index)
{
  MuxRecorder *recorder = mux_element_get_recorder (proxy);
  GObject *child;

  g_mutex_lock (&recorder->lock);
  child = index < recorder->pads->len ? g_object_ref (recorder->pads->pdata[index]) : NULL;
  g_mutex_unlock (&recorder->lock);
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
  MuxRecorder *recorder = mux_element_get_recorder (object);

  GST_OBJECT_LOCK (object);
  robocache_setting_set (mux_settings_field (&recorder->settings, id), value);
  GST_OBJECT_UNLOCK (object);
  robocache_warn_of_late_setting (object, pspec);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  MuxRecorder *recorder = mux_element_get_recorder (object);

  if (id == MUX_PROP_STATS) {
    g_mutex_lock (&recorder->lock);
    g_value_take_boxed (value, mux_statistics_to_structure (recorder));
    g_mutex_unlock (&recorder->lock);
    return;
  }
  GST_OBJECT_LOCK (object);
  robocache_setting_get (mux_settings_field (&recorder->settings, id), value);
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
attach_file (MuxRecorder *recorder, const gchar *path, GError **error)
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
  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "attaches %s, %" G_GSIZE_FORMAT " bytes, %s", path, size, media_type_of (name));
  mux_recording_attach (recorder->recording, name, media_type_of (name), bytes, 0, 0);
  g_bytes_unref (bytes);
  g_free (name);
  return TRUE;
}

static gboolean
attach_files (MuxRecorder *recorder, GError **error)
{
  gchar **paths = g_strsplit (recorder->started.attachments ? recorder->started.attachments : "", ",", -1);
  gboolean is_good = TRUE;

  for (gchar **path = paths; is_good && *path; path++)
    is_good = *g_strstrip (*path) == '\0' || attach_file (recorder, *path, error);
  g_strfreev (paths);
  return is_good;
}

static void
copy_settings (MuxRecorder *recorder)
{

  GST_OBJECT_LOCK (recorder->element);
  mux_settings_copy (&recorder->started, &recorder->settings);
  recorder->started_fragment_duration = recorder->fragment_duration;
  GST_OBJECT_UNLOCK (recorder->element);
}

static void
start_recording (MuxRecorder *recorder)
{
  const MuxRecordingSettings settings = {
    .chunk_size = (gsize) recorder->started.chunk_size,
    .chunk_duration_ns = recorder->started.chunk_duration,
    .max_queued = (gsize) recorder->started.max_queue_size,
    .max_message = (gsize) recorder->started.max_message_bytes,
  };

  GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "a chunk is closed after %" G_GSIZE_FORMAT " bytes or %" GST_TIME_FORMAT
      "; rows of live sources are dropped while %" G_GSIZE_FORMAT " bytes wait; a message has at most %" G_GSIZE_FORMAT " bytes",
      settings.chunk_size, GST_TIME_ARGS (settings.chunk_duration_ns), settings.max_queued, settings.max_message);
  recorder->recording = mux_recording_new (&settings);
  mux_timeline_init (&recorder->timeline);
  recorder->is_live = FALSE;
  recorder->last_log_ns = recorder->next_statistics_ns = recorder->n_overflow = 0;
  recorder->is_over = recorder->is_finished = recorder->has_failed = FALSE;
  recorder->end_seqnum = GST_SEQNUM_INVALID;
  recorder->flow = GST_FLOW_OK;
  for (guint i = 0; i < recorder->pads->len; i++)
    gst_robocache_mcap_pad_start (mux_recorder_nth_pad (recorder, i), recorder->started.keep_buffers);
}

static void
stop (MuxRecorder *recorder)
{
  GstRobocacheMcapRecorderClass *klass = GST_ROBOCACHE_MCAP_RECORDER_GET_CLASS (recorder->element);

  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "stops: sources were answered %s", gst_flow_get_name (recorder->flow));
  if (recorder->task)
    mux_output_stop (g_steal_pointer (&recorder->task));
  if (klass->stop)
    klass->stop (recorder->element);
  g_mutex_lock (&recorder->lock);
  recorder->is_started = FALSE;
  for (guint i = 0; i < recorder->pads->len; i++)
    gst_robocache_mcap_pad_drop_waiting (mux_recorder_nth_pad (recorder, i), &recorder->released);
  g_clear_pointer (&recorder->recording, mux_recording_free);
  mux_events_clear (&recorder->events);
  gst_tag_setter_reset_tags (GST_TAG_SETTER (recorder->element));
  mux_recorder_unlock (recorder);
}

/* FALSE: an error was posted. */
static gboolean
start (MuxRecorder *recorder)
{
  GstRobocacheMcapRecorderClass *klass = GST_ROBOCACHE_MCAP_RECORDER_GET_CLASS (recorder->element);
  GError *error = NULL;
  gboolean is_good;

  recorder->functions = &klass->output;
  copy_settings (recorder);
  g_mutex_lock (&recorder->lock);
  start_recording (recorder);
  is_good = attach_files (recorder, &error);
  recorder->is_started = is_good;
  g_mutex_unlock (&recorder->lock);
  if (is_good && (!klass->start || klass->start (recorder->element, &error)))
    return TRUE;
  robocache_post_error_at (recorder->element, NULL, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
  stop (recorder);
  return FALSE;
}

static gboolean
timer_fired (GstClock *clock, GstClockTime time, GstClockID id, gpointer user_data)
{
  mux_input_close_old_chunks (mux_element_get_recorder (user_data));
  return TRUE;
}

static void
stop_timer (MuxRecorder *recorder)
{
  if (!recorder->timer)
    return;
  gst_clock_id_unschedule (recorder->timer);
  gst_clock_id_unref (recorder->timer);
  recorder->timer = NULL;
}

static void
start_timer (MuxRecorder *recorder, GstClock *clock)
{
  const GstClockTime interval = recorder->started.chunk_duration / 2;

  stop_timer (recorder);
  if (!clock || interval == 0)
    return;
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "live: looks for old chunks every %" GST_TIME_FORMAT, GST_TIME_ARGS (interval));
  recorder->timer = gst_clock_new_periodic_id (clock, gst_clock_get_time (clock) + interval, interval);
  gst_clock_id_wait_async (recorder->timer, timer_fired, gst_object_ref (recorder->element), gst_object_unref);
}

static void
set_playing (MuxRecorder *recorder, gboolean is_playing)
{
  GstClock *clock = is_playing ? gst_element_get_clock (recorder->element) : NULL;

  g_mutex_lock (&recorder->lock);
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, is_playing ? "rows are written from now on" : "rows wait");
  recorder->is_playing = is_playing;
  if (is_playing)
    mux_timeline_set_playing (&recorder->timeline, clock, gst_element_get_base_time (recorder->element));
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
  /* the thread that brings the data may set the state while the application does */
  g_rec_mutex_lock (&recorder->preroll_lock);
  start_timer (recorder, clock);
  g_rec_mutex_unlock (&recorder->preroll_lock);
  gst_clear_object (&clock);
}

/* Sources no longer continue; the end of the pipeline writes the remaining data. */
static void
end_streams (MuxRecorder *recorder)
{
  gboolean must_drain;

  g_mutex_lock (&recorder->lock);
  must_drain = recorder->is_sink && recorder->task && mux_recording_has_begun (recorder->recording)
      && (recorder->flow == GST_FLOW_OK || recorder->flow == GST_FLOW_EOS);
  if (recorder->flow == GST_FLOW_OK)
    recorder->flow = GST_FLOW_FLUSHING;
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, must_drain ? "PAUSED to READY: all rows so far are written first"
      : "PAUSED to READY: there is nothing left to write");
  if (must_drain)
    mux_journal_finish (recorder);
  g_cond_broadcast (&recorder->progress);
  g_mutex_unlock (&recorder->lock);
  if (must_drain)
    mux_output_drain (recorder);
}

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  MuxRecorder *recorder = mux_element_get_recorder (element);
  GstStateChangeReturn changed, preroll = GST_STATE_CHANGE_SUCCESS;

  switch (transition) {
    case GST_STATE_CHANGE_READY_TO_PAUSED:
      if (!start (recorder))
        return GST_STATE_CHANGE_FAILURE;
      preroll = mux_preroll_begin (recorder);
      break;
    case GST_STATE_CHANGE_PAUSED_TO_PLAYING:
      mux_preroll_wait (recorder);
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
  changed = GST_ELEMENT_CLASS (gst_robocache_mcap_recorder_parent_class)->change_state (element, transition);
  /* once the source pad is active: before, a push is answered FLUSHING */
  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && changed != GST_STATE_CHANGE_FAILURE)
    recorder->task = mux_output_start (recorder);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY || (changed == GST_STATE_CHANGE_FAILURE
          && transition == GST_STATE_CHANGE_READY_TO_PAUSED)) {
    set_playing (recorder, FALSE);
    stop (recorder);
    mux_preroll_end (recorder);
  }
  return changed == GST_STATE_CHANGE_SUCCESS ? preroll : changed;
}

/* ---- life ---- */

static void
dispose (GObject *object)
{
  g_ptr_array_set_size (mux_element_get_recorder (object)->pads, 0);
  G_OBJECT_CLASS (gst_robocache_mcap_recorder_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  mux_recorder_clear (mux_element_get_recorder (object));
  G_OBJECT_CLASS (gst_robocache_mcap_recorder_parent_class)->finalize (object);
}

static void
gst_robocache_mcap_recorder_class_init (GstRobocacheMcapRecorderClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = set_property;
  object_class->get_property = get_property;
  object_class->dispose = dispose;
  object_class->finalize = finalize;
  mux_settings_install (object_class);
  element_class->request_new_pad = request_new_pad;
  element_class->release_pad = release_pad;
  element_class->change_state = change_state;
  robocache_add_pad_template (element_class, &sink_template, GST_TYPE_ROBOCACHE_MCAP_PAD);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_MCAP_RECORDER, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_MCAP_PAD, 0);
}

static void
gst_robocache_mcap_recorder_init (GstRobocacheMcapRecorder *self)
{
  mux_recorder_init (mux_element_get_recorder (self), GST_ELEMENT (self));
}
