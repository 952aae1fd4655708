/* robocache: seeks in recordings, and what is known of their length
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/time/segments.h"
#include "gstrobocacheparse.h"

#define GST_CAT_DEFAULT gst_robocache_parse_debug

/* ---- seeks ---- */

gboolean
gst_robocache_parse_seek_segment (GstSegment *segment, GstEvent *event)
{
  GstSeekType start_type, stop_type;
  GstSeekFlags flags;
  GstFormat format;
  gint64 start, stop;
  gdouble rate;

  gst_event_parse_seek (event, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  return robocache_seek_fits (segment, event) && !(flags & (GST_SEEK_FLAG_SEGMENT | GST_SEEK_FLAG_INSTANT_RATE_CHANGE))
      && gst_segment_do_seek (segment, rate, format, flags, start_type, (guint64) start, stop_type, (guint64) stop,
      NULL);
}

void
gst_robocache_parse_set_seek (GstRobocacheParse *self, GstEvent *event)
{
  GST_OBJECT_LOCK (self);
  gst_event_replace (&self->seek, event);
  GST_OBJECT_UNLOCK (self);
}

/* Whether seeks and what is known of their like are upstream's, as the times are. */
static gboolean
follows_upstream (GstRobocacheParse *self)
{
  gboolean follows;

  GST_OBJECT_LOCK (self);
  follows = self->upstream_has_times;
  GST_OBJECT_UNLOCK (self);
  return follows;
}

/* Clouds without a rate are at no time that a seek could name. */
static gboolean
has_times (GstRobocacheParse *self)
{
  gboolean has;

  GST_OBJECT_LOCK (self);
  has = !robocache_record_format_is_of_clouds (self->properties.format) || self->rate.num > 0;
  GST_OBJECT_UNLOCK (self);
  return has;
}

/* Only upstream can go back, and the only byte whose time is known is the first. */
static gboolean
seek (GstRobocacheParse *self, GstEvent *event)
{
  GstSegment segment;
  GstSeekFlags flags;
  GstEvent *bytes;

  GST_OBJECT_LOCK (self);
  segment = self->segment;
  GST_OBJECT_UNLOCK (self);
  if (self->live || !has_times (self) || !gst_robocache_parse_seek_segment (&segment, event)) {
    GST_INFO_OBJECT (self, "refused %" GST_PTR_FORMAT, event);
    return FALSE;
  }
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  bytes = gst_event_new_seek (
      1.0, GST_FORMAT_BYTES, flags & GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, -1);
  gst_event_set_seqnum (bytes, gst_event_get_seqnum (event));
  gst_robocache_parse_set_seek (self, event);
  if (gst_pad_push_event (self->sinkpad, bytes))
    return TRUE;
  GST_INFO_OBJECT (self, "upstream cannot seek to byte 0");
  gst_robocache_parse_set_seek (self, NULL);
  return FALSE;
}

gboolean
gst_robocache_parse_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gboolean done;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK || follows_upstream (GST_ROBOCACHE_PARSE (parent)))
    return gst_pad_event_default (pad, parent, event);
  done = seek (GST_ROBOCACHE_PARSE (parent), event);
  gst_event_unref (event);
  return done;
}

/* ---- queries ---- */

static gboolean
answer_position (GstRobocacheParse *self, GstQuery *query)
{
  GstClockTime position;
  GstFormat format;

  gst_query_parse_position (query, &format, NULL);
  if (format != GST_FORMAT_TIME)
    return FALSE;
  GST_OBJECT_LOCK (self);
  position = gst_segment_to_stream_time (&self->segment, GST_FORMAT_TIME, self->segment.position);
  GST_OBJECT_UNLOCK (self);
  gst_query_set_position (query, GST_FORMAT_TIME, (gint64) position);
  return GST_CLOCK_TIME_IS_VALID (position);
}

static gboolean
answer_duration (GstRobocacheParse *self, GstQuery *query)
{
  GstClockTime duration;
  GstFormat format;

  gst_query_parse_duration (query, &format, NULL);
  GST_OBJECT_LOCK (self);
  duration = self->duration;
  GST_OBJECT_UNLOCK (self);
  if (format != GST_FORMAT_TIME || !GST_CLOCK_TIME_IS_VALID (duration))
    return FALSE;
  gst_query_set_duration (query, GST_FORMAT_TIME, (gint64) duration);
  return TRUE;
}

static gboolean
answer_seeking (GstRobocacheParse *self, GstQuery *query)
{
  GstQuery *bytes;
  gboolean seekable = FALSE;
  GstClockTime duration;
  GstFormat format;

  gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
  if (format != GST_FORMAT_TIME) {
    gst_query_set_seeking (query, format, FALSE, 0, -1);
    return TRUE;
  }
  bytes = gst_query_new_seeking (GST_FORMAT_BYTES);
  if (!self->live && has_times (self) && gst_pad_peer_query (self->sinkpad, bytes))
    gst_query_parse_seeking (bytes, NULL, &seekable, NULL, NULL);
  gst_query_unref (bytes);
  GST_OBJECT_LOCK (self);
  duration = self->duration;
  GST_OBJECT_UNLOCK (self);
  gst_query_set_seeking (query, GST_FORMAT_TIME, seekable, 0, (gint64) duration);
  return TRUE;
}

/* How long after its capture a row arrives is not known before it does, so a live replay reports none; `latency` of
 * robocachefuse is there to wait for transport. Nothing of a file is lost by waiting. */
static gboolean
answer_latency (GstRobocacheParse *self, GstPad *pad, GstQuery *query)
{
  gboolean live;

  if (!self->replays) {
    if (!gst_pad_query_default (pad, GST_OBJECT (self), query))
      return FALSE;
    gst_query_parse_latency (query, &live, NULL, NULL);
    if (live || !self->live)
      return TRUE;
  }
  gst_query_set_latency (query, TRUE, 0, GST_CLOCK_TIME_NONE);
  return TRUE;
}

gboolean
gst_robocache_parse_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

  if (follows_upstream (self))
    return gst_pad_query_default (pad, parent, query);
  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_POSITION:
      return answer_position (self, query);
    case GST_QUERY_DURATION:
      return answer_duration (self, query);
    case GST_QUERY_SEEKING:
      return answer_seeking (self, query);
    case GST_QUERY_LATENCY:
      return answer_latency (self, pad, query);
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}
