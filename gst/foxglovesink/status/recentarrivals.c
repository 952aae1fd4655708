/* robocache: when the rows of a pad of robocachefuse arrived in the last second, relative to their timestamps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recentarrivals.h"

/* Buffers above 1 kHz: the last ones of the second. */
#define MAX_ARRIVALS 1024

/* Shared with the probe, which may run in another thread while the arrivals are freed. */
typedef struct
{
  GMutex lock;                  /* guards all below */
  gint64 at_us[MAX_ARRIVALS];   /* monotonic time */
  gint64 delays[MAX_ARRIVALS];  /* ns */
  guint64 n;                    /* the newest is at (n - 1) % MAX_ARRIVALS */
} Ring;

struct _RobocacheRecentArrivals
{
  Ring *ring;
  GstPad *pad;
  gulong probe;
  gboolean is_live;             /* the source has answered that it is */
};

static void
clear_ring (gpointer ring)
{
  g_mutex_clear (&((Ring *) ring)->lock);
}

static void
release_ring (gpointer ring)
{
  g_atomic_rc_box_release_full (ring, clear_ring);
}

static void
add_delay (Ring *ring, gint64 delay)
{
  g_mutex_lock (&ring->lock);
  ring->at_us[ring->n % MAX_ARRIVALS] = g_get_monotonic_time ();
  ring->delays[ring->n++ % MAX_ARRIVALS] = delay;
  g_mutex_unlock (&ring->lock);
}

static GstPadProbeReturn
on_buffer (GstPad *pad, GstPadProbeInfo *info, gpointer ring)
{
  const GstClockTime pts = GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info));
  GstEvent *event = GST_CLOCK_TIME_IS_VALID (pts) ? gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0) : NULL;
  GstElement *element = event ? gst_pad_get_parent_element (pad) : NULL;
  const GstClockTime now = element ? gst_element_get_current_running_time (element) : GST_CLOCK_TIME_NONE;
  const GstSegment *segment;
  GstClockTime time;
  gint sign;

  if (GST_CLOCK_TIME_IS_VALID (now)) {
    gst_event_parse_segment (event, &segment);
    sign = gst_segment_to_running_time_full (segment, GST_FORMAT_TIME, pts, &time);
    if (sign != 0)
      add_delay (ring, (gint64) now - sign * (gint64) time);
  }
  gst_clear_object (&element);
  gst_clear_event (&event);
  return GST_PAD_PROBE_OK;
}

RobocacheRecentArrivals *
robocache_recent_arrivals_new (GstPad *pad)
{
  RobocacheRecentArrivals *arrivals = g_new0 (RobocacheRecentArrivals, 1);

  arrivals->ring = g_atomic_rc_box_new0 (Ring);
  g_mutex_init (&arrivals->ring->lock);
  arrivals->pad = gst_object_ref (pad);
  arrivals->probe = gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_buffer, g_atomic_rc_box_acquire (arrivals->ring), release_ring);
  return arrivals;
}

void
robocache_recent_arrivals_free (RobocacheRecentArrivals *arrivals)
{
  gst_pad_remove_probe (arrivals->pad, arrivals->probe);
  gst_object_unref (arrivals->pad);
  release_ring (arrivals->ring);
  g_free (arrivals);
}

static gboolean
asks_live (GstPad *pad)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  gst_query_unref (query);
  return is_live;
}

void
robocache_recent_arrivals_get (RobocacheRecentArrivals *arrivals, RobocacheTickDurations *delay)
{
  const gint64 since_us = g_get_monotonic_time () - G_USEC_PER_SEC;
  GArray *delays = g_array_new (FALSE, FALSE, sizeof (gint64));
  Ring *ring = arrivals->ring;

  if (!arrivals->is_live)
    arrivals->is_live = asks_live (arrivals->pad);
  g_mutex_lock (&ring->lock);
  for (guint64 i = arrivals->is_live ? ring->n : 0; i > 0 && i + MAX_ARRIVALS > ring->n && ring->at_us[(i - 1) % MAX_ARRIVALS] >= since_us; i--)
    g_array_append_val (delays, ring->delays[(i - 1) % MAX_ARRIVALS]);
  g_mutex_unlock (&ring->lock);
  robocache_tick_durations_summarize (delays, delay);
}
