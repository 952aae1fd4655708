/* robocache: what the recorders share: state, lock and failures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recorder.h"

#include "common/element/errors.h"
#include "debug.h"

GST_DEBUG_CATEGORY (gst_robocache_mcap_debug);

typedef struct _GstRobocacheMcapRecorderPrivate GstRobocacheMcapRecorderPrivate;

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (GstRobocacheMcapRecorder, gst_robocache_mcap_recorder, GST_TYPE_ELEMENT,
    G_ADD_PRIVATE (GstRobocacheMcapRecorder)
    GST_DEBUG_CATEGORY_INIT (gst_robocache_mcap_debug, "robocachemcap", 0, "recordings in MCAP files"))

MuxRecorderState *
mux_recorder_state (GstRobocacheMcapRecorder *recorder)
{
  return gst_robocache_mcap_recorder_get_instance_private (recorder);
}

GstRobocacheMcapPad *
mux_recorder_nth_pad (MuxRecorderState *state, guint i)
{
  return state->pads->pdata[i];
}

void
mux_recorder_unlock (MuxRecorderState *state)
{
  if (state->recording && mux_recording_has_output (state->recording))
    g_cond_signal (&state->work);
  g_mutex_unlock (&state->lock);
}

void
mux_recorder_fail (GstRobocacheMcapRecorder *recorder, const gchar *of, GstFlowReturn flow, GError *error)
{
  MuxRecorderState *state = mux_recorder_state (recorder);
  gboolean is_first;

  g_mutex_lock (&state->lock);
  is_first = state->flow == GST_FLOW_OK || state->flow == GST_FLOW_EOS;
  if (is_first)
    state->flow = flow;
  g_cond_broadcast (&state->progress);
  g_mutex_unlock (&state->lock);
  if (is_first)
    robocache_post_error_at (GST_ELEMENT (recorder), of, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
}

/* ---- life ---- */

static void
dispose (GObject *object)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (object));

  g_ptr_array_set_size (state->pads, 0);
  G_OBJECT_CLASS (gst_robocache_mcap_recorder_parent_class)->dispose (object);
}

static void
finalize (GObject *object)
{
  MuxRecorderState *state = mux_recorder_state (GST_ROBOCACHE_MCAP_RECORDER (object));

  g_ptr_array_unref (state->pads);
  mux_settings_clear (&state->settings);
  mux_settings_clear (&state->started);
  g_cond_clear (&state->work);
  g_cond_clear (&state->progress);
  g_mutex_clear (&state->lock);
  G_OBJECT_CLASS (gst_robocache_mcap_recorder_parent_class)->finalize (object);
}

static void
gst_robocache_mcap_recorder_class_init (GstRobocacheMcapRecorderClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = dispose;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_MCAP_RECORDER, 0);
}

static void
gst_robocache_mcap_recorder_init (GstRobocacheMcapRecorder *recorder)
{
  MuxRecorderState *state = mux_recorder_state (recorder);

  g_mutex_init (&state->lock);
  g_cond_init (&state->work);
  g_cond_init (&state->progress);
  state->pads = g_ptr_array_new_with_free_func (gst_object_unref);
  mux_settings_init (&state->settings);
}
