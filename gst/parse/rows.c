/* robocache: records to rows, each stamped with the time in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/tensors/tensorcaps.h"
#include "gstrobocacheparse.h"

#define GST_CAT_DEFAULT gst_robocache_parse_debug

/* ---- negotiate ---- */

static GstCaps *
make_caps (GstRobocacheParse *self)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_num = 0,.rate_den = 1 };
  const guint64 dims[] = { robocache_record_reader_n_channels (self->reader) };
  const gchar *names = robocache_record_reader_channel_names (self->reader);
  GstCaps *caps;

  robocache_tensor_info_set (&info.tensors[0], RC_FLOAT32, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  if (names)
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names, NULL);
  return caps;
}

gboolean
gst_robocache_parse_send_row_headers (GstRobocacheParse *self)
{
  const guint version = robocache_record_reader_version (self->reader);
  gboolean accepted = TRUE;

  if (self->caps_version != version) {
    GstCaps *caps = make_caps (self);

    accepted = gst_robocache_parse_push_caps (self, caps);
    gst_caps_unref (caps);
  }
  if (!accepted)
    return FALSE;
  self->caps_version = version;
  gst_robocache_parse_send_segment (self);
  return TRUE;
}

/* ---- take in ---- */

static void
take_before_origin (GstRobocacheParse *self, const RobocacheRecord *record, guint64 before_ns)
{
  GST_OBJECT_LOCK (self);
  self->counters.before_origin++;
  GST_OBJECT_UNLOCK (self);
  self->discont = TRUE;
  GST_LOG_OBJECT (self, "record %" G_GUINT64_FORMAT " is %" G_GUINT64_FORMAT " ns before the origin", record->number,
      before_ns);
  if (self->said_before_origin)
    return;
  self->said_before_origin = TRUE;
  if (self->stamp.arrives_now)
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Dropped record %" G_GUINT64_FORMAT ": it was captured %" G_GUINT64_FORMAT " ns before running time 0, when the "
            "pipeline started", record->number, before_ns), ("further ones are counted in stats"));
  else
    GST_ELEMENT_WARNING (self, STREAM, FAILED,
        ("Dropped record %" G_GUINT64_FORMAT ": it is %" G_GUINT64_FORMAT " ns before running time 0, which is %"
            G_GINT64_FORMAT " on the file's clock; an earlier time-origin keeps it", record->number, before_ns,
            self->stamp.origin_ns), ("further ones are counted in stats"));
}

static void
count_row (GstRobocacheParse *self, const RobocacheRecord *record, const RobocacheRecordTimes *times)
{
  const GstClockTime pts = (GstClockTime) times->pts;
  gint64 delay_ns;

  if (!robocache_time_difference (times->release, times->pts, &delay_ns))
    delay_ns = 0;               /* an arrival centuries before the capture */
  GST_OBJECT_LOCK (self);
  self->counters.empty_fields += record->n_empty;
  self->counters.backwards += GST_CLOCK_TIME_IS_VALID (self->previous) && pts < self->previous;
  self->counters.delay_max_ns = MAX (self->counters.delay_max_ns, delay_ns);
  self->newest = GST_CLOCK_TIME_IS_VALID (self->newest) ? MAX (self->newest, pts) : pts;
  GST_OBJECT_UNLOCK (self);
  self->previous = pts;
}

/* A row moved the estimate of the sensor's clock. */
static void
take_estimate (GstRobocacheParse *self)
{
  RobocacheClockEstimate estimate;
  GstMessage *message;

  robocache_clock_track_get (self->stamp.track, &estimate);
  GST_OBJECT_LOCK (self);
  self->clock = estimate;
  GST_OBJECT_UNLOCK (self);
  message = robocache_clock_event_message (self->stamp.track, GST_ELEMENT (self), NULL);
  if (message)
    gst_element_post_message (GST_ELEMENT (self), message);
}

/* ---- hand out ---- */

static GstFlowReturn
push_row (GstRobocacheParse *self, const RobocacheRecord *record, GstClockTime pts)
{
  const gsize size = robocache_record_reader_n_channels (self->reader) * sizeof (gfloat);
  GstBuffer *buffer = gst_buffer_new_memdup (record->values, size);

  GST_BUFFER_PTS (buffer) = pts;
  GST_OBJECT_LOCK (self);
  self->counters.rows++;
  GST_OBJECT_UNLOCK (self);
  GST_LOG_OBJECT (
      self, "row of record %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT, record->number, GST_TIME_ARGS (pts));
  return gst_robocache_parse_push (self, buffer);
}

static GstFlowReturn
take_record (GstRobocacheParse *self, const RobocacheRecord *record)
{
  RobocacheRecordTimes times;
  GstFlowReturn flow;

  if (!robocache_record_stamp_row (&self->stamp, record, &times)) {
    gchar *fault = g_strdup_printf (
        "record %" G_GUINT64_FORMAT " is further from time-origin than int64 nanoseconds reach", record->number);

    flow = gst_robocache_parse_take_malformed (self, fault);
    g_free (fault);
    return flow;
  }
  self->errors_in_row = 0;
  if (self->tracks)
    take_estimate (self);
  if (times.pts < 0) {
    take_before_origin (self, record, 0 - (guint64) times.pts);
    return GST_FLOW_OK;
  }
  count_row (self, record, &times);
  if (!gst_robocache_parse_send_row_headers (self))
    return GST_FLOW_NOT_NEGOTIATED;
  if (gst_robocache_parse_is_outside_segment (self, (GstClockTime) times.pts))
    return GST_FLOW_OK;
  if (self->replays) {
    flow = robocache_live_wait_until (&self->wait, GST_ELEMENT (self), (GstClockTime) MAX (times.release, 0));
    if (flow != GST_FLOW_OK)
      return flow;
  }
  return push_row (self, record, (GstClockTime) times.pts);
}

GstFlowReturn
gst_robocache_parse_process_rows (GstRobocacheParse *self)
{
  GstFlowReturn flow = GST_FLOW_OK;
  RobocacheReadResult result;

  do {
    RobocacheRecord record;
    GError *fault = NULL;

    result = robocache_record_reader_next (self->reader, &record, &fault);
    switch (result) {
      case ROBOCACHE_READ_MORE:
        break;
      case ROBOCACHE_READ_HEADER:
        flow = gst_robocache_parse_send_row_headers (self) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
        break;
      case ROBOCACHE_READ_RECORD:
        flow = take_record (self, &record);
        break;
      case ROBOCACHE_READ_MALFORMED:
        flow = gst_robocache_parse_take_malformed (self, fault->message);
        break;
      case ROBOCACHE_READ_REFUSED:
        flow = gst_robocache_parse_refuse (self, fault);
        break;
    }
    g_clear_error (&fault);
  } while (flow == GST_FLOW_OK && result != ROBOCACHE_READ_MORE);

  GST_OBJECT_LOCK (self);
  self->counters.comments = robocache_record_reader_comments (self->reader);
  GST_OBJECT_UNLOCK (self);
  return flow;
}

/* The sensor's clock is followed by that of the pipeline, which runs in PLAYING. */
static GstFlowReturn
arrive (GstRobocacheParse *self)
{
  GstFlowReturn flow = robocache_live_wait_for_playing (&self->wait);

  if (flow != GST_FLOW_OK || robocache_record_stamp_arrive (&self->stamp, GST_ELEMENT (self)))
    return flow;
  GST_ELEMENT_ERROR (self, CORE, CLOCK, ("clock-mode=track compares the sensor's times with the pipeline's clock, but "
          "the pipeline has none: give it one, or set arrival-column or clock-mode=none"), (NULL));
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_robocache_parse_take_records (GstRobocacheParse *self, GstBuffer *buffer)
{
  GError *fault = NULL;
  GstFlowReturn flow;

  if (self->stamp.arrives_now && (flow = arrive (self)) != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }
  if (robocache_record_reader_push (self->reader, buffer, &fault))
    return gst_robocache_parse_process_rows (self);
  flow = gst_robocache_parse_refuse (self, fault);
  g_error_free (fault);
  return flow;
}
