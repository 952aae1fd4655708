/* robocache: the clock of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "timeline.h"

#include "common/element/errors.h"
#include "common/ros/messageencoders.h"

/* From 1900, where NTP counts from, to 1970. */
#define NTP_TO_UNIX (G_GINT64_CONSTANT (2208988800) * GST_SECOND)

void
mux_timeline_init (MuxTimeline *timeline)
{
  *timeline = (MuxTimeline) {FALSE};
}

void
mux_timeline_set_playing (MuxTimeline *timeline, GstClock *clock, GstClockTime base_time)
{
  const gint64 running = clock ? GST_CLOCK_DIFF (base_time, gst_clock_get_time (clock)) : 0;

  if (timeline->has_system)
    return;
  timeline->has_system = TRUE;
  timeline->system_origin_ns = g_get_real_time () * 1000 - running;
}

void
mux_timeline_set_stream_origin (MuxTimeline *timeline, gint64 origin_ns)
{
  if (timeline->has_stream_origin)
    return;
  timeline->has_stream_origin = TRUE;
  timeline->stream_origin_ns = origin_ns;
}

/* UTC of a buffer's reference timestamp; FALSE: none that we understand. */
static gboolean
get_reference (GstBuffer *buffer, const gchar *media_type, GstClockTime *time)
{
  GstReferenceTimestampMeta *meta;
  gpointer state = NULL;

  while ((meta = (GstReferenceTimestampMeta *) gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_REFERENCE_TIMESTAMP_META_API_TYPE)))
    if (gst_structure_has_name (gst_caps_get_structure (meta->reference, 0), media_type)) {
      *time = meta->timestamp;
      return TRUE;
    }
  return FALSE;
}

static gboolean
get_utc (GstBuffer *buffer, gint64 *utc_ns)
{
  GstClockTime time;

  if (get_reference (buffer, "timestamp/x-unix", &time) && time <= G_MAXINT64)
    *utc_ns = (gint64) time;
  else if (get_reference (buffer, "timestamp/x-ntp", &time) && time >= NTP_TO_UNIX)
    *utc_ns = (gint64) (time - NTP_TO_UNIX);
  else
    return FALSE;
  return TRUE;
}

gboolean
mux_timeline_get_arrival (GstBuffer *buffer, guint64 *arrival_ns)
{
  return get_reference (buffer, "timestamp/x-robocache-arrival", arrival_ns);
}

static void
set_origin (MuxTimeline *timeline, gint64 origin_ns, const gchar *source)
{
  timeline->origin_ns = origin_ns;
  timeline->source = source;
  timeline->is_known = TRUE;
}

static gboolean
fail (GError **error)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the first buffer has no reference timestamp meta of "
      "timestamp/x-unix or timestamp/x-ntp: set clock=system, or set add-reference-timestamp-meta=true on rtpbin");
  return FALSE;
}

gboolean
mux_timeline_decide (MuxTimeline *timeline, const MuxSettings *settings, gboolean is_live, GstBuffer *buffer, gint64 running_ns,
    GError **error)
{
  const gint choice = settings->clock;
  gint64 utc_ns;

  if (settings->time_origin != MUX_NO_ORIGIN)
    set_origin (timeline, settings->time_origin, "property");
  else if ((choice == MUX_CLOCK_AUTO || choice == MUX_CLOCK_REFERENCE) && buffer && running_ns != ROBOCACHE_ROS_NO_TIME
      && get_utc (buffer, &utc_ns))
    set_origin (timeline, utc_ns - running_ns, "reference");
  else if (choice == MUX_CLOCK_REFERENCE)
    return fail (error);
  else if (choice == MUX_CLOCK_SYSTEM || (choice == MUX_CLOCK_AUTO && is_live))
    /* before PLAYING running time stands at 0 */
    set_origin (timeline, timeline->has_system ? timeline->system_origin_ns : g_get_real_time () * 1000, "system");
  else if (choice == MUX_CLOCK_AUTO && timeline->has_stream_origin)
    set_origin (timeline, timeline->stream_origin_ns, "origin");
  else
    set_origin (timeline, 0, "running");
  return TRUE;
}
