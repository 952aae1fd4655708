/* robocache: the state of a recorder that is a sink
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "preroll.h"

static void
post_state (GstElement *element, GstState before, GstState now, GstState pending)
{
  gst_element_post_message (element, gst_message_new_state_changed (GST_OBJECT (element), before, now, pending));
}

static void
post_done (GstElement *element)
{
  gst_element_post_message (element, gst_message_new_async_done (GST_OBJECT (element), GST_CLOCK_TIME_NONE));
}

GstStateChangeReturn
mux_preroll_begin (MuxRecorder *recorder)
{
  if (!recorder->is_sink)
    return GST_STATE_CHANGE_SUCCESS;
  g_mutex_lock (&recorder->lock);
  recorder->needs_preroll = TRUE;
  g_mutex_unlock (&recorder->lock);
  gst_element_post_message (recorder->element, gst_message_new_async_start (GST_OBJECT (recorder->element)));
  return GST_STATE_CHANGE_ASYNC;
}

/* Sets the element's state if one waits. The application may set another one in its thread, so both are decided with the object lock. */
static gboolean
take_pending (MuxRecorder *recorder, GstState *before, GstState *pending)
{
  GstElement *element = recorder->element;
  gboolean is_taken;

  g_mutex_lock (&recorder->lock);
  GST_OBJECT_LOCK (element);
  *before = GST_STATE (element);
  *pending = GST_STATE_PENDING (element);
  is_taken = recorder->needs_preroll && *pending >= GST_STATE_PAUSED && !recorder->is_held;
  recorder->has_held_data |= recorder->is_held;
  if (is_taken) {
    recorder->needs_preroll = FALSE;
    GST_STATE (element) = *pending;
    GST_STATE_NEXT (element) = GST_STATE_PENDING (element) = GST_STATE_VOID_PENDING;
    GST_STATE_RETURN (element) = GST_STATE_CHANGE_SUCCESS;
  }
  GST_OBJECT_UNLOCK (element);
  g_mutex_unlock (&recorder->lock);
  return is_taken;
}

void
mux_preroll_commit (MuxRecorder *recorder)
{
  GstElement *element = recorder->element;
  GstState before, pending;

  g_rec_mutex_lock (&recorder->preroll_lock);
  if (!take_pending (recorder, &before, &pending)) {
    g_rec_mutex_unlock (&recorder->preroll_lock);
    return;
  }
  GST_CAT_DEBUG_OBJECT (recorder->category, element, "data arrived: the state is %s", gst_element_state_get_name (pending));
  post_state (element, before, GST_STATE_PAUSED, pending == GST_STATE_PAUSED ? GST_STATE_VOID_PENDING : pending);
  post_done (element);
  g_rec_mutex_unlock (&recorder->preroll_lock);
  if (pending == GST_STATE_PLAYING) {
    GST_ELEMENT_GET_CLASS (element)->change_state (element, GST_STATE_CHANGE_PAUSED_TO_PLAYING);
    post_state (element, GST_STATE_PAUSED, GST_STATE_PLAYING, GST_STATE_VOID_PENDING);
  }
  GST_STATE_BROADCAST (element);
}

void
mux_preroll_wait (MuxRecorder *recorder)
{
  g_rec_mutex_lock (&recorder->preroll_lock);
  g_rec_mutex_unlock (&recorder->preroll_lock);
}

void
mux_preroll_lose (MuxRecorder *recorder)
{
  gboolean is_lost;

  g_mutex_lock (&recorder->lock);
  is_lost = recorder->is_sink && recorder->is_started && !recorder->needs_preroll && !recorder->is_finished;
  recorder->needs_preroll |= is_lost;
  recorder->is_playing &= !is_lost;
  g_mutex_unlock (&recorder->lock);
  if (is_lost)
    GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "a flush: the state waits for data again");
  if (is_lost)
    gst_element_lost_state (recorder->element);
}

void
mux_preroll_reset_time (MuxRecorder *recorder)
{
  if (recorder->is_sink)
    gst_element_post_message (recorder->element, gst_message_new_reset_time (GST_OBJECT (recorder->element), 0));
}

void
mux_preroll_hold (MuxRecorder *recorder)
{
  g_mutex_lock (&recorder->lock);
  recorder->is_held = TRUE;
  recorder->has_held_data = FALSE;
  g_mutex_unlock (&recorder->lock);
}

void
mux_preroll_unhold (MuxRecorder *recorder)
{
  gboolean has_data;

  g_mutex_lock (&recorder->lock);
  recorder->is_held = FALSE;
  has_data = recorder->has_held_data;
  g_mutex_unlock (&recorder->lock);
  GST_CAT_DEBUG_OBJECT (recorder->category, recorder->element, "the event is sent: data %s meanwhile", has_data ? "arrived" : "did not arrive");
  if (has_data)
    mux_preroll_commit (recorder);
}

void
mux_preroll_end (MuxRecorder *recorder)
{
  gboolean was_needed;

  g_mutex_lock (&recorder->lock);
  was_needed = recorder->needs_preroll;
  recorder->needs_preroll = FALSE;
  g_mutex_unlock (&recorder->lock);
  if (was_needed)
    post_done (recorder->element);
}
