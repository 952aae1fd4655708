/* robocache: the clock of a recording: UTC at running time 0
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "settings.h"

typedef struct
{
  gboolean is_known;
  gint64 origin_ns;             /* UTC at running time 0 */
  const gchar *source;          /* "property", "system", "reference", "origin" or "running" */

  gboolean has_system;          /* system_origin_ns is set, because the element went to PLAYING */
  gint64 system_origin_ns;
  gboolean has_stream_origin;   /* stream_origin_ns is set: that of the first stream that announced one */
  gint64 stream_origin_ns;
} MuxTimeline;

/* Initializes an undecided timeline. */
void mux_timeline_init (MuxTimeline * timeline);
/* Notes that the element goes to PLAYING with this base time. Only the first call has an effect. */
void mux_timeline_set_playing (MuxTimeline * timeline, GstClock * clock, GstClockTime base_time);
/* Notes the origin that robocacheparse announces. Only the first call has an effect. */
void mux_timeline_set_stream_origin (MuxTimeline * timeline, gint64 origin_ns);

/* Decides the clock with the first buffer, whose running time may be unknown (ROBOCACHE_ROS_NO_TIME). FALSE and an error: the buffer lacks
 * a time that the settings require. */
gboolean mux_timeline_decide (MuxTimeline * timeline, const MuxSettings * settings, gboolean is_live, GstBuffer * buffer,
    gint64 running_ns, GError ** error);

/* The time of arrival that a buffer has as a reference timestamp meta of timestamp/x-robocache-arrival, UTC. FALSE: none. */
gboolean mux_timeline_get_arrival (GstBuffer * buffer, guint64 * arrival_ns);
