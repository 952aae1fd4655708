/* robocache: files of points to clouds
 *
 * A cloud leaves when its last byte is there. Its time is upstream's, or its number over the rate.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorcaps.h"
#include "gstrobocacheparse.h"

#define GST_CAT_DEFAULT gst_robocache_parse_debug

/* What a buffer of upstream was, and a cloud is not. */
#define FLAGS_OF_INPUT (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC | GST_BUFFER_FLAG_CORRUPTED | \
    GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE | \
    GST_BUFFER_FLAG_DELTA_UNIT)

/* ---- what upstream says ---- */

gboolean
gst_robocache_parse_take_cloud_caps (GstRobocacheParse *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  GError *fault = NULL;
  gint num = 0, den = 1;

  if (gst_structure_has_field_typed (structure, "framerate", GST_TYPE_FRACTION))
    gst_structure_get_fraction (structure, "framerate", &num, &den);
  self->has_frames = num > 0;
  GST_OBJECT_LOCK (self);
  if (self->properties.rate[0] == 0)
    self->rate = (RobocacheTickGrid) { MAX (num, 0), den };
  GST_OBJECT_UNLOCK (self);

  if (self->failed || robocache_cloud_reader_set_caps (self->clouds, caps, &fault))
    return !self->failed;
  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION, ("%s", fault->message), (NULL));
  self->failed = TRUE;
  g_error_free (fault);
  return FALSE;
}

/* Whether upstream reads one file, whose length it knows. */
static gboolean
reads_a_file (GstRobocacheParse *self)
{
  gint64 n_bytes;

  return gst_pad_peer_query_duration (self->sinkpad, GST_FORMAT_BYTES, &n_bytes) && n_bytes >= 0;
}

/* FALSE: upstream says nothing from which it follows, which is an error. */
static gboolean
find_cloud_end (GstRobocacheParse *self)
{
  RobocacheRecordFormat format;
  guint64 points_per_cloud;
  GError *fault;

  GST_OBJECT_LOCK (self);
  format = self->properties.format;
  points_per_cloud = self->properties.points_per_cloud;
  self->cloud_end = self->properties.cloud_end;
  GST_OBJECT_UNLOCK (self);
  if (self->cloud_end != GST_ROBOCACHE_PARSE_CLOUD_END_AUTO)
    return TRUE;

  if (points_per_cloud > 0)
    self->cloud_end = GST_ROBOCACHE_PARSE_CLOUD_END_STREAM;
  else if (self->upstream_has_times || self->has_frames)
    self->cloud_end = GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER;
  else if (format == ROBOCACHE_RECORDS_PCD || reads_a_file (self))
    self->cloud_end = GST_ROBOCACHE_PARSE_CLOUD_END_STREAM;
  else if (self->rate.num > 0)
    self->cloud_end = GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER;
  GST_INFO_OBJECT (self, "a file of points ends with %s",
      self->cloud_end == GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER ? "its buffer" : "the stream");
  if (self->cloud_end != GST_ROBOCACHE_PARSE_CLOUD_END_AUTO)
    return TRUE;
  fault = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "Upstream sends bytes, and does not say how many, so "
      "where a cloud ends is not known: set cloud-end=buffer where each buffer is a file (as of multifilesrc), "
      "cloud-end=stream where all bytes are one cloud, or points-per-cloud");
  gst_robocache_parse_refuse (self, fault);
  g_error_free (fault);
  return FALSE;
}

/* ---- hand out ---- */

/* Cloud k is at tick k of the grid, unless upstream knows better. */
static void
stamp (GstRobocacheParse *self, const RobocacheCloudRecord *cloud)
{
  const gint64 k = (gint64) MIN (cloud->number - 1, G_MAXINT64 - 1);

  GST_BUFFER_PTS (cloud->buffer) = cloud->pts;
  if (self->rate.num == 0)
    return;
  if (!GST_CLOCK_TIME_IS_VALID (cloud->pts))
    GST_BUFFER_PTS (cloud->buffer) = (GstClockTime) robocache_tick_time (&self->rate, k);
  GST_BUFFER_DURATION (cloud->buffer) =
      (GstClockTime) (robocache_tick_time (&self->rate, k + 1) - robocache_tick_time (&self->rate, k));
}

static gboolean
send_headers (GstRobocacheParse *self, const RobocacheCloudRecord *cloud)
{
  GstCaps *caps = gst_caps_copy (cloud->caps);
  const gint num = self->rate.num, den = num > 0 ? self->rate.den : 1;
  gboolean accepted;

  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, num, den, NULL);
  accepted = gst_robocache_parse_push_caps (self, caps);
  gst_caps_unref (caps);
  if (accepted)
    gst_robocache_parse_send_segment (self);
  return accepted;
}

static void
count_cloud (GstRobocacheParse *self, const RobocacheCloudRecord *cloud)
{
  const GstClockTime pts = GST_BUFFER_PTS (cloud->buffer);

  GST_OBJECT_LOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (pts)) {
    self->counters.backwards += GST_CLOCK_TIME_IS_VALID (self->previous) && pts < self->previous;
    self->newest = GST_CLOCK_TIME_IS_VALID (self->newest) ? MAX (self->newest, pts) : pts;
    self->previous = pts;
  }
  GST_OBJECT_UNLOCK (self);
}

/* Takes the cloud's buffer. */
static GstFlowReturn
take_cloud (GstRobocacheParse *self, RobocacheCloudRecord *cloud)
{
  self->errors_in_row = 0;
  cloud->buffer = gst_buffer_make_writable (cloud->buffer);
  GST_BUFFER_FLAG_UNSET (cloud->buffer, FLAGS_OF_INPUT);
  GST_BUFFER_DTS (cloud->buffer) = GST_BUFFER_DURATION (cloud->buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (cloud->buffer) = cloud->number - 1;
  GST_BUFFER_OFFSET_END (cloud->buffer) = cloud->number;
  stamp (self, cloud);
  count_cloud (self, cloud);
  if (!send_headers (self, cloud)) {
    gst_buffer_unref (cloud->buffer);
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (GST_BUFFER_PTS_IS_VALID (cloud->buffer) && !self->upstream_has_times
      && gst_robocache_parse_is_outside_segment (self, GST_BUFFER_PTS (cloud->buffer))) {
    gst_buffer_unref (cloud->buffer);
    return GST_FLOW_OK;
  }
  GST_OBJECT_LOCK (self);
  self->counters.clouds++;
  self->counters.points += cloud->n_points;
  GST_OBJECT_UNLOCK (self);
  GST_LOG_OBJECT (self, "cloud %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " points at %" GST_TIME_FORMAT, cloud->number,
      cloud->n_points, GST_TIME_ARGS (GST_BUFFER_PTS (cloud->buffer)));
  return gst_robocache_parse_push (self, cloud->buffer);
}

/* Good points between two malformed lines are as good as good records between them. */
static GstFlowReturn
take_malformed (GstRobocacheParse *self, const gchar *fault)
{
  const guint64 n_points = robocache_cloud_reader_n_points (self->clouds);

  if (n_points != self->points_at_fault)
    self->errors_in_row = 0;
  self->points_at_fault = n_points;
  return gst_robocache_parse_take_malformed (self, fault);
}

/* Hands out every cloud that is whole. */
static GstFlowReturn
process (GstRobocacheParse *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  RobocacheReadResult result;

  do {
    RobocacheCloudRecord cloud;
    GError *fault = NULL;

    result = robocache_cloud_reader_next (self->clouds, &cloud, &fault);
    switch (result) {
      case ROBOCACHE_READ_MORE:
      case ROBOCACHE_READ_HEADER:
        break;
      case ROBOCACHE_READ_RECORD:
        flow = take_cloud (self, &cloud);
        break;
      case ROBOCACHE_READ_MALFORMED:
        flow = take_malformed (self, fault->message);
        break;
      case ROBOCACHE_READ_REFUSED:
        flow = gst_robocache_parse_refuse (self, fault);
        break;
    }
    g_clear_error (&fault);
  } while (flow == GST_FLOW_OK && result != ROBOCACHE_READ_MORE);
  return flow;
}

/* ---- take in ---- */

GstFlowReturn
gst_robocache_parse_end_file (GstRobocacheParse *self)
{
  robocache_cloud_reader_end (self->clouds);
  return process (self);
}

GstFlowReturn
gst_robocache_parse_take_points (GstRobocacheParse *self, GstBuffer *buffer)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GError *fault = NULL;

  if (self->cloud_end == GST_ROBOCACHE_PARSE_CLOUD_END_AUTO && !find_cloud_end (self))
    flow = GST_FLOW_ERROR;
  else if (GST_BUFFER_IS_DISCONT (buffer))
    flow = gst_robocache_parse_end_file (self);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }
  if (!robocache_cloud_reader_push (self->clouds, buffer, &fault)) {
    flow = gst_robocache_parse_refuse (self, fault);
    g_error_free (fault);
    return flow;
  }
  if (self->cloud_end == GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER)
    return gst_robocache_parse_end_file (self);
  return process (self);
}
