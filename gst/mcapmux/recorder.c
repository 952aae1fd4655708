/* robocache: what the recorders share: state, lock and failures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recorder.h"

#include "common/element/errors.h"

void
mux_recorder_init (MuxRecorder *recorder, GstElement *element)
{
  recorder->element = element;
  g_rec_mutex_init (&recorder->preroll_lock);
  g_mutex_init (&recorder->lock);
  g_cond_init (&recorder->work);
  g_cond_init (&recorder->progress);
  g_queue_init (&recorder->released);
  recorder->pads = g_ptr_array_new_with_free_func (gst_object_unref);
  mux_settings_init (&recorder->settings);
}

void
mux_recorder_clear (MuxRecorder *recorder)
{
  g_ptr_array_unref (recorder->pads);
  mux_settings_clear (&recorder->settings);
  mux_settings_clear (&recorder->started);
  g_cond_clear (&recorder->work);
  g_cond_clear (&recorder->progress);
  g_mutex_clear (&recorder->lock);
  g_rec_mutex_clear (&recorder->preroll_lock);
}

GstRobocacheMcapPad *
mux_recorder_nth_pad (MuxRecorder *recorder, guint i)
{
  return recorder->pads->pdata[i];
}

void
mux_recorder_unlock (MuxRecorder *recorder)
{
  GQueue released = recorder->released;

  g_queue_init (&recorder->released);
  if (recorder->recording && mux_recording_has_output (recorder->recording))
    g_cond_signal (&recorder->work);
  g_mutex_unlock (&recorder->lock);
  g_queue_clear_full (&released, (GDestroyNotify) gst_mini_object_unref);
}

void
mux_recorder_fail (MuxRecorder *recorder, const gchar *of, GstFlowReturn flow, GError *error)
{
  gboolean is_first;

  g_mutex_lock (&recorder->lock);
  while (recorder->has_failed && recorder->flow == GST_FLOW_OK)
    g_cond_wait (&recorder->progress, &recorder->lock);
  is_first = !recorder->has_failed && (recorder->flow == GST_FLOW_OK || recorder->flow == GST_FLOW_EOS);
  recorder->has_failed |= is_first;
  g_mutex_unlock (&recorder->lock);
  if (is_first) {
    GST_CAT_INFO_OBJECT (recorder->category, recorder->element, "the recording ends: %s, sources are answered %s", error->message,
        gst_flow_get_name (flow));
    /* a source that is answered first reports that its stream ended, which explains nothing */
    robocache_post_error_at (recorder->element, of, error, GST_CLOCK_TIME_NONE);
    g_mutex_lock (&recorder->lock);
    recorder->flow = flow;
    g_cond_broadcast (&recorder->progress);
    g_mutex_unlock (&recorder->lock);
  }
  g_error_free (error);
}
