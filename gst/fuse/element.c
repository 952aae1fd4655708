/* robocache: robocachefuse around its core: the state that its parts share, its lock and its failures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "element.h"

#include "common/element/errors.h"
#include "debug.h"
#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"

/* ---- the lock ---- */

GPtrArray *
gst_robocache_fuse_released_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_mini_object_unref);
}

static gpointer
take_last (GPtrArray *released)
{
  return g_ptr_array_steal_index_fast (released, released->len - 1);
}

/* Sources that may not be ahead any more continue. */
static void
let_sources_continue (GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    const GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->waiting && !fuse_core_is_ahead (fuse->core, pad->stream, TRUE)) {
      g_cond_broadcast (&fuse->progress);
      return;
    }
  }
}

void
gst_robocache_fuse_follow_core (GstRobocacheFuse *fuse)
{
  if (fuse_core_clear_wakeup (fuse->core))
    gst_robocache_fuse_wake (fuse);
  if (fuse_core_clear_progress (fuse->core))
    let_sources_continue (fuse);
}

void
gst_robocache_fuse_unlock_to (GstRobocacheFuse *fuse, GPtrArray *released)
{
  gst_robocache_fuse_follow_core (fuse);
  while (fuse->released->len > 0)
    g_ptr_array_add (released, take_last (fuse->released));
  g_mutex_unlock (&fuse->lock);
}

/* Takes all of them at once: otherwise another thread would release the rest. */
void
gst_robocache_fuse_unlock (GstRobocacheFuse *fuse)
{
  GstMiniObject *few[16];
  GPtrArray *many;
  guint n = 0;

  if (fuse->released->len > G_N_ELEMENTS (few)) {
    many = gst_robocache_fuse_released_new ();
    gst_robocache_fuse_unlock_to (fuse, many);
    g_ptr_array_unref (many);
    return;
  }
  gst_robocache_fuse_follow_core (fuse);
  while (fuse->released->len > 0)
    few[n++] = take_last (fuse->released);
  g_mutex_unlock (&fuse->lock);
  while (n > 0)
    gst_mini_object_unref (few[--n]);
}

void
gst_robocache_fuse_wake (GstRobocacheFuse *fuse)
{
  g_atomic_int_inc (&fuse->wakeups);
  if (fuse->clock_id)
    gst_clock_id_unschedule (fuse->clock_id);
  else
    g_cond_signal (&fuse->work);
}

/* ---- pads ---- */

GstRobocacheFusePad *
gst_robocache_fuse_nth_pad (GstRobocacheFuse *fuse, guint i)
{
  return g_ptr_array_index (fuse->pads, i);
}

GstRobocacheFusePad *
gst_robocache_fuse_pad_of_stream (GstRobocacheFuse *fuse, const FuseStream *stream)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->stream == stream)
      return pad;
  }
  return NULL;
}

GPtrArray *
gst_robocache_fuse_ref_pads (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    g_ptr_array_add (pads, gst_object_ref (g_ptr_array_index (fuse->pads, i)));
  FUSE_UNLOCK (fuse);
  return pads;
}

/* ---- time ---- */

static FuseInstant
see_time (GstRobocacheFuse *fuse)
{
  FuseInstant seen = {.running_time = ROBOCACHE_NO_TIME,.monotonic = g_get_monotonic_time () * 1000 };
  GstClock *clock = NULL;

  GST_OBJECT_LOCK (fuse);
  seen.base_time = (gint64) GST_ELEMENT_CAST (fuse)->base_time;
  if (GST_ELEMENT_CLOCK (fuse))
    seen.clock = clock = gst_object_ref (GST_ELEMENT_CLOCK (fuse));
  GST_OBJECT_UNLOCK (fuse);
  if (clock) {
    seen.running_time = MAX ((gint64) gst_clock_get_time (clock) - seen.base_time, 0);
    gst_object_unref (clock);
  }
  return seen;
}

GstClockTime
gst_robocache_fuse_clock_now (GstRobocacheFuse *fuse)
{
  return fuse_clock_time_of (see_time (fuse).running_time);
}

void
gst_robocache_fuse_set_time (GstRobocacheFuse *fuse, GQueue *notes)
{
  FuseInstant now = {.running_time = ROBOCACHE_NO_TIME };

  if (fuse_core_is_live (fuse->core) && fuse_core_is_playing (fuse->core))
    now = see_time (fuse);
  now.is_flushing = fuse->flushing || fuse->open_flush != GST_SEQNUM_INVALID;
  fuse_core_set_time (fuse->core, &now, notes);
}

/* ---- failures ---- */

void
gst_robocache_fuse_begin_streams (GstRobocacheFuse *fuse)
{
  fuse->ended = GST_FLOW_OK;
}

gboolean
gst_robocache_fuse_end_streams (GstRobocacheFuse *fuse, GstFlowReturn flow)
{
  const gboolean had_failed = fuse_core_has_failed (fuse->core);

  if (fuse->ended == GST_FLOW_OK)
    fuse->ended = flow;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (pad->flow > GST_FLOW_NOT_NEGOTIATED)
      pad->flow = flow;
  }
  GST_DEBUG_OBJECT (fuse, "sources are answered %s%s", gst_flow_get_name (flow), had_failed ? ", as after the failure before" : "");
  fuse_core_set_failed (fuse->core, had_failed || flow <= GST_FLOW_NOT_NEGOTIATED);
  g_cond_broadcast (&fuse->progress);
  return !had_failed;
}

void
gst_robocache_fuse_look_for_failure (GstRobocacheFuse *fuse)
{
  gboolean has_failed = FALSE;

  for (guint i = 0; i < fuse->pads->len; i++)
    has_failed |= gst_robocache_fuse_nth_pad (fuse, i)->flow <= GST_FLOW_NOT_NEGOTIATED;
  fuse_core_set_failed (fuse->core, has_failed);
}

void
gst_robocache_fuse_post_failure (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GError *error)
{
  gchar *name = pad ? gst_object_get_name (GST_OBJECT (pad)) : NULL;    /* the message has the element's */
  GstClockTime position = GST_CLOCK_TIME_NONE;

  FUSE_LOCK (fuse);
  if (fuse->segment.format == GST_FORMAT_TIME)
    position = gst_segment_to_stream_time (&fuse->segment, GST_FORMAT_TIME, fuse->segment.position);
  FUSE_UNLOCK (fuse);
  robocache_post_error_at (GST_ELEMENT (fuse), name, error, position);
  g_free (name);
  g_error_free (error);
}

void
gst_robocache_fuse_fail (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstFlowReturn flow, GError *error)
{
  gboolean first;

  FUSE_LOCK (fuse);
  first = !fuse_core_has_failed (fuse->core);
  fuse_core_set_failed (fuse->core, TRUE);
  FUSE_UNLOCK (fuse);
  /* before the source gets the answer, since its own error has less detail */
  if (first)
    gst_robocache_fuse_post_failure (fuse, pad, error);
  else
    g_error_free (error);
  FUSE_LOCK (fuse);
  gst_robocache_fuse_end_streams (fuse, flow);
  FUSE_UNLOCK (fuse);
}
