/* robocache: files of points to clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cloudparser.h"

#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorcaps.h"
#include "common/time/tickgrid.h"
#include "gst/parse/points/cloudreader.h"
#include "seek.h"

#define GST_CAT_DEFAULT robocache_parse_debug

/* Flags of a buffer of the input that do not hold for a cloud. */
#define FLAGS_OF_INPUT (GST_BUFFER_FLAG_DISCONT | GST_BUFFER_FLAG_RESYNC | GST_BUFFER_FLAG_CORRUPTED | \
    GST_BUFFER_FLAG_MARKER | GST_BUFFER_FLAG_HEADER | GST_BUFFER_FLAG_GAP | GST_BUFFER_FLAG_DROPPABLE | \
    GST_BUFFER_FLAG_DELTA_UNIT)

struct _RobocacheCloudParser
{
  RobocacheParseOutput *output;
  GstPad *sinkpad;
  RobocacheCloudReader *reader;

  /* settings */
  RobocacheInputFormat format;
  guint64 points_per_cloud;
  RobocacheCloudEnd cloud_end;
  gboolean has_rate;

  RobocacheTickGrid rate;       /* of the settings or caps; num 0: none */
  gboolean has_frames;          /* the caps of the input have a framerate */
  gboolean has_allocation;      /* downstream was asked for an allocator */
  RobocacheCloudEnd end;        /* in use; AUTO: not known yet */
  guint64 points_at_fault;      /* read without a fault before the last malformed record */
};

/* ---- life ---- */

static gboolean
check_settings (const RobocacheParseSettings *s, GError **error)
{
  if (s->arrival_column >= 0 || s->clock_mode != ROBOCACHE_CLOCK_NONE) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s is set, but point files have no time column: unset it, and "
        "set rate or send buffers with times",
        s->arrival_column >= 0 ? "arrival-column" : "clock-mode");
    return FALSE;
  }
  if (s->points_per_cloud > 0 && s->cloud_end == ROBOCACHE_CLOUD_END_BUFFER) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "points-per-cloud is %" G_GUINT64_FORMAT
        ", but cloud-end=buffer makes each buffer a cloud: set one of the two", s->points_per_cloud);
    return FALSE;
  }
  return TRUE;
}

static void
set_rate (RobocacheCloudParser *parser, gint num, gint den)
{
  parser->rate = (RobocacheTickGrid) { MAX (num, 0), den };
  GST_OBJECT_LOCK (parser->output->element);
  parser->output->has_times = num > 0;
  GST_OBJECT_UNLOCK (parser->output->element);
}

RobocacheCloudParser *
robocache_cloud_parser_new (const RobocacheParseSettings *s, RobocacheParseOutput *output, GstPad *sinkpad, GError **error)
{
  const RobocacheCloudSpec spec = { s->format, s->layout, s->channels, s->points_per_cloud, s->max_cloud_bytes };
  RobocacheCloudReader *reader = check_settings (s, error) ? robocache_cloud_reader_new (&spec, error) : NULL;
  RobocacheCloudParser *parser;

  if (!reader)
    return NULL;
  parser = g_new0 (RobocacheCloudParser, 1);
  parser->output = output;
  parser->sinkpad = sinkpad;
  parser->reader = reader;
  parser->format = s->format;
  parser->points_per_cloud = s->points_per_cloud;
  parser->cloud_end = s->cloud_end;
  parser->has_rate = s->rate[0] > 0;
  set_rate (parser, s->rate[0], s->rate[1]);
  return parser;
}

void
robocache_cloud_parser_free (RobocacheCloudParser *parser)
{
  robocache_cloud_reader_free (parser->reader);
  g_free (parser);
}

void
robocache_cloud_parser_restart (RobocacheCloudParser *parser)
{
  robocache_cloud_reader_restart (parser->reader);
  parser->end = ROBOCACHE_CLOUD_END_AUTO;
}

/* ---- what upstream declares ---- */

gboolean
robocache_cloud_parser_set_caps (RobocacheCloudParser *parser, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  GError *fault = NULL;
  gint num = 0, den = 1;

  if (gst_structure_has_field_typed (structure, "framerate", GST_TYPE_FRACTION))
    gst_structure_get_fraction (structure, "framerate", &num, &den);
  GST_INFO_OBJECT (parser->sinkpad, "upstream sends %" GST_PTR_FORMAT, caps);
  parser->has_frames = num > 0;
  parser->has_allocation = FALSE;
  if (!parser->has_rate)
    set_rate (parser, num, den);

  if (parser->output->failed || robocache_cloud_reader_set_caps (parser->reader, caps, &fault))
    return !parser->output->failed;
  robocache_parse_output_refuse (parser->output, fault);
  g_error_free (fault);
  return FALSE;
}

static RobocacheCloudEnd
find_end (RobocacheCloudParser *parser)
{
  if (parser->cloud_end != ROBOCACHE_CLOUD_END_AUTO)
    return parser->cloud_end;
  if (parser->points_per_cloud > 0)
    return ROBOCACHE_CLOUD_END_STREAM;
  if (parser->output->follows_upstream || parser->has_frames)
    return ROBOCACHE_CLOUD_END_BUFFER;
  if (parser->format == ROBOCACHE_INPUT_PCD || robocache_parse_reads_a_file (parser->sinkpad))
    return ROBOCACHE_CLOUD_END_STREAM;
  return parser->rate.num > 0 ? ROBOCACHE_CLOUD_END_BUFFER : ROBOCACHE_CLOUD_END_AUTO;
}

/* FALSE after an error: neither settings nor upstream determine the end of a cloud. */
static gboolean
decide_end (RobocacheCloudParser *parser)
{
  GError *fault;

  parser->end = find_end (parser);
  if (parser->end != ROBOCACHE_CLOUD_END_AUTO) {
    GST_INFO_OBJECT (parser->output->element, "a file of points ends with %s",
        parser->end == ROBOCACHE_CLOUD_END_BUFFER ? "its buffer" : "the stream");
    return TRUE;
  }
  fault = g_error_new (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "The length of the input is unknown, and so is the end of a "
      "cloud: set cloud-end=buffer if each buffer is a file (as from multifilesrc), cloud-end=stream if all bytes are one "
      "cloud, or points-per-cloud");
  robocache_parse_output_refuse (parser->output, fault);
  g_error_free (fault);
  return FALSE;
}

/* ---- clouds ---- */

/* Cloud k is at tick k of the grid, unless upstream has a time for it. */
static void
stamp (RobocacheCloudParser *parser, const RobocacheCloudRecord *cloud)
{
  const gint64 k = (gint64) MIN (cloud->number - 1, G_MAXINT64 - 1);
  GstBuffer *buffer = cloud->buffer;

  GST_BUFFER_FLAG_UNSET (buffer, FLAGS_OF_INPUT);
  GST_BUFFER_DTS (buffer) = GST_BUFFER_DURATION (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_OFFSET (buffer) = cloud->number - 1;
  GST_BUFFER_OFFSET_END (buffer) = cloud->number;
  GST_BUFFER_PTS (buffer) = cloud->pts;
  if (parser->rate.num == 0)
    return;
  if (!GST_CLOCK_TIME_IS_VALID (cloud->pts))
    GST_BUFFER_PTS (buffer) = (GstClockTime) robocache_tick_time (&parser->rate, k);
  GST_BUFFER_DURATION (buffer) =
      (GstClockTime) (robocache_tick_time (&parser->rate, k + 1) - robocache_tick_time (&parser->rate, k));
}

static gboolean
send_headers (RobocacheCloudParser *parser, const RobocacheCloudRecord *cloud)
{
  GstCaps *caps = gst_caps_copy (cloud->caps);
  const gint num = parser->rate.num, den = num > 0 ? parser->rate.den : 1;
  gboolean accepted;

  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, num, den, NULL);
  accepted = robocache_parse_output_send_headers (parser->output, caps);
  gst_caps_unref (caps);
  return accepted;
}

/* For the clouds that follow; again when downstream changes. */
static void
update_allocator (RobocacheCloudParser *parser)
{
  const gboolean has_changed = gst_pad_check_reconfigure (parser->output->pad);

  if (parser->has_allocation && !has_changed)
    return;
  robocache_cloud_reader_set_allocator (parser->reader, robocache_parse_output_get_allocator (parser->output));
  parser->has_allocation = TRUE;
}

/* Takes the cloud's buffer. */
static GstFlowReturn
handle_cloud (RobocacheCloudParser *parser, RobocacheCloudRecord *cloud)
{
  gboolean is_admitted, is_negotiated;

  parser->output->errors_in_row = 0;
  cloud->buffer = gst_buffer_make_writable (cloud->buffer);
  stamp (parser, cloud);
  is_admitted = robocache_parse_output_admit (parser->output, GST_BUFFER_PTS (cloud->buffer));
  is_negotiated = send_headers (parser, cloud);
  if (!is_admitted || !is_negotiated) {
    gst_buffer_unref (cloud->buffer);
    return is_negotiated ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
  }
  update_allocator (parser);
  GST_LOG_OBJECT (parser->output->element, "cloud %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " points at %" GST_TIME_FORMAT,
      cloud->number, cloud->n_points, GST_TIME_ARGS (GST_BUFFER_PTS (cloud->buffer)));
  return robocache_parse_output_push (parser->output, cloud->buffer, cloud->n_points);
}

/* Good points between two malformed lines are as good as good records between them. */
static GstFlowReturn
handle_malformed (RobocacheCloudParser *parser, const gchar *fault)
{
  const guint64 n_points = robocache_cloud_reader_n_points (parser->reader);

  if (n_points != parser->points_at_fault)
    parser->output->errors_in_row = 0;
  parser->points_at_fault = n_points;
  return robocache_parse_output_malformed (parser->output, fault);
}

static GstFlowReturn
process (RobocacheCloudParser *parser)
{
  GstFlowReturn flow = GST_FLOW_OK;
  RobocacheReadResult result;

  do {
    RobocacheCloudRecord cloud;
    GError *fault = NULL;

    result = robocache_cloud_reader_next (parser->reader, &cloud, &fault);
    switch (result) {
      case ROBOCACHE_READ_MORE:
      case ROBOCACHE_READ_HEADER:
        break;
      case ROBOCACHE_READ_RECORD:
        flow = handle_cloud (parser, &cloud);
        break;
      case ROBOCACHE_READ_MALFORMED:
        flow = handle_malformed (parser, fault->message);
        break;
      case ROBOCACHE_READ_REFUSED:
        flow = robocache_parse_output_refuse (parser->output, fault);
        break;
    }
    g_clear_error (&fault);
  } while (flow == GST_FLOW_OK && result != ROBOCACHE_READ_MORE);
  return flow;
}

/* ---- input ---- */

GstFlowReturn
robocache_cloud_parser_drain (RobocacheCloudParser *parser)
{
  GST_DEBUG_OBJECT (parser->output->element, "a file of points ends here");
  robocache_cloud_reader_end (parser->reader);
  return process (parser);
}

GstFlowReturn
robocache_cloud_parser_push (RobocacheCloudParser *parser, GstBuffer *buffer)
{
  GstFlowReturn flow = GST_FLOW_OK;
  GError *fault = NULL;

  if (parser->end == ROBOCACHE_CLOUD_END_AUTO && !decide_end (parser))
    flow = GST_FLOW_ERROR;
  else if (GST_BUFFER_IS_DISCONT (buffer))
    flow = robocache_cloud_parser_drain (parser);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }
  if (!robocache_cloud_reader_push (parser->reader, buffer, &fault)) {
    flow = robocache_parse_output_refuse (parser->output, fault);
    g_error_free (fault);
    return flow;
  }
  return parser->end == ROBOCACHE_CLOUD_END_BUFFER ? robocache_cloud_parser_drain (parser) : process (parser);
}
