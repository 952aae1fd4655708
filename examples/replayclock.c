/* robocache: a live pipeline on a clock that jumps from one thing to do to the next
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "replayclock.h"

/* How long a thread may take until it waits again. Only before the first tick and after the last, while fuse has no time to
 * wait for, does it take that long. */
#define PATIENCE_US (200 * G_TIME_SPAN_MILLISECOND)

static GstPadProbeReturn
note_end (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  ReplayClock *replay = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS)
    g_atomic_int_add (&replay->n_waiters, -1);
  return GST_PAD_PROBE_OK;
}

static gboolean
watch_pad (GstElement *fuse, GstPad *pad, gpointer data)
{
  ReplayClock *replay = data;

  replay->n_waiters++;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, note_end, replay, NULL);
  return TRUE;
}

void
replay_clock_init (ReplayClock *replay, GstElement *pipeline, GstElement *fuse)
{
  replay->clock = manual_clock_new ();
  replay->bus = gst_element_get_bus (pipeline);
  replay->n_waiters = 1;        /* fuse */
  gst_element_foreach_sink_pad (fuse, watch_pad, replay);
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), GST_CLOCK (replay->clock));
}

void
replay_clock_clear (ReplayClock *replay)
{
  gst_clear_object (&replay->clock);
  gst_clear_object (&replay->bus);
}

void
replay_clock_step (ReplayClock *replay)
{
  manual_clock_await_threads (replay->clock, (guint) g_atomic_int_get (&replay->n_waiters), PATIENCE_US);
  if (!gst_bus_have_pending (replay->bus))
    manual_clock_release_next (replay->clock);
}
