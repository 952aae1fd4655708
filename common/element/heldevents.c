/* robocache: events behind caps that are known with the first buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "heldevents.h"

void
robocache_held_events_begin (RobocacheHeldEvents *held)
{
  held->is_holding = TRUE;
}

/* A flush leaves the sticky events but SEGMENT, as the core does. */
static void
drop_flushed (RobocacheHeldEvents *held)
{
  for (guint n = held->events.length; n > 0; n--) {
    GstEvent *event = g_queue_pop_head (&held->events);

    if (GST_EVENT_IS_STICKY (event) && GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
      g_queue_push_tail (&held->events, event);
    else
      gst_event_unref (event);
  }
}

gboolean
robocache_held_events_take (RobocacheHeldEvents *held, GstEvent *event)
{
  /* others come in any thread, beside a buffer */
  if (!GST_EVENT_IS_SERIALIZED (event) || !held->is_holding)
    return FALSE;
  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      robocache_held_events_clear (held);
      return FALSE;
    case GST_EVENT_FLUSH_STOP:
      drop_flushed (held);
      return FALSE;
    case GST_EVENT_CAPS:
    case GST_EVENT_EOS:
      return FALSE;
    default:
      g_queue_push_tail (&held->events, event);
      return TRUE;
  }
}

GstEvent *
robocache_held_events_release (RobocacheHeldEvents *held)
{
  held->is_holding = FALSE;
  return g_queue_pop_head (&held->events);
}

void
robocache_held_events_clear (RobocacheHeldEvents *held)
{
  held->is_holding = FALSE;
  g_queue_clear_full (&held->events, (GDestroyNotify) gst_event_unref);
}
