/* robocache: bytes of a recording or a serial port to a stream of rows, and files of points to clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacheparse
 * @title: robocacheparse
 *
 * Cuts bytes into records, CSV lines or binary ones, wherever the buffers fall, and sends each as a row of float32 that
 * is stamped with the time in the record. With `arrival-column` a recording is replayed live. Files of points, PCD and
 * those of KITTI and nuScenes, become a cloud a buffer.
 *
 * |[
 * gst-launch-1.0 filesrc location=joints.csv ! robocacheparse ! robocacheresample rate=100 ! fakesink
 * gst-launch-1.0 multifilesrc location=velodyne/%06d.bin caps="application/octet-stream,framerate=10/1" \
 *   ! robocacheparse format=kitti ! robocachevoxelize ! fakesink
 * gst-launch-1.0 filesrc location=imu.csv ! robocacheparse time-column=1 arrival-column=0 time-unit=ns ! fakesink
 * ]|
 */
#include "gstrobocacheparse.h"

#include "common/element/properties.h"
#include "common/element/errors.h"
#include "common/points/pointcloudcaps.h"
#include "common/tensors/tensorcaps.h"

GST_DEBUG_CATEGORY (gst_robocache_parse_debug);
#define GST_CAT_DEFAULT gst_robocache_parse_debug

#define DEFAULT_MAX_ERRORS 10

enum
{
  PROP_0,
  PROP_FORMAT,
  PROP_DELIMITER,
  PROP_TIME_COLUMN,
  PROP_TIME_UNIT,
  PROP_CHANNELS,
  PROP_LAYOUT,
  PROP_START,
  PROP_TIME_ORIGIN,
  PROP_ARRIVAL_COLUMN,
  PROP_CLOCK_MODE,
  PROP_MAX_ERRORS,
  PROP_RATE,
  PROP_CLOUD_END,
  PROP_POINTS_PER_CLOUD,
  PROP_STATS,
  PROP_STATS_INTERVAL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
        "framerate=(fraction)0/1; " ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; " ROBOCACHE_LIDAR_MEDIA_TYPE));

ROBOCACHE_DEFINE_ENUM (gst_robocache_parse_cloud_end_get_type, "GstRobocacheParseCloudEnd",
    {GST_ROBOCACHE_PARSE_CLOUD_END_AUTO, "With the buffer where upstream has frames, with the stream where it is a file",
        "auto"},
    {GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER, "A buffer is a file", "buffer"},
    {GST_ROBOCACHE_PARSE_CLOUD_END_STREAM, "The stream is a file", "stream"})

#define gst_robocache_parse_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheParse, gst_robocache_parse, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (gst_robocache_parse_debug, "robocacheparse", 0, "bytes to rows and clouds"));
GST_ELEMENT_REGISTER_DEFINE (robocacheparse, "robocacheparse", GST_RANK_NONE, GST_TYPE_ROBOCACHE_PARSE);

/* ---- negotiate ---- */

static gboolean
fail_negotiation (GstRobocacheParse *self, GstCaps *caps, GstCaps *peer)
{
  gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);

  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
      ("The recording's %s are %s, but downstream accepts only %s; choose %sanother downstream",
          self->clouds ? "clouds" : "rows", ours, theirs, self->clouds ? "" : "other channels, or "), (NULL));
  self->failed = TRUE;
  g_free (ours);
  g_free (theirs);
  return FALSE;
}

static gboolean
has_caps (GstPad *pad, GstCaps *caps)
{
  GstCaps *current = gst_pad_get_current_caps (pad);
  const gboolean has = current && gst_caps_is_equal (current, caps);

  gst_clear_caps (&current);
  return has;
}

gboolean
gst_robocache_parse_push_caps (GstRobocacheParse *self, GstCaps *caps)
{
  GstCaps *peer, *spelled;
  gboolean accepted;

  if (has_caps (self->srcpad, caps))
    return TRUE;
  peer = gst_pad_peer_query_caps (self->srcpad, NULL);
  accepted = self->clouds ? gst_caps_can_intersect (caps, peer) : robocache_tensors_caps_compatible (caps, peer);
  if (!accepted) {
    fail_negotiation (self, caps, peer);
  } else {
    spelled = self->clouds ? gst_caps_ref (caps) : robocache_tensors_caps_in_spelling_of (caps, peer);
    if (!has_caps (self->srcpad, spelled))
      gst_pad_push_event (self->srcpad, gst_event_new_caps (spelled));
    gst_caps_unref (spelled);
  }
  gst_caps_unref (peer);
  return accepted;
}

void
gst_robocache_parse_send_segment (GstRobocacheParse *self)
{
  GstEvent *event;

  if (self->segment_wanted) {
    GST_OBJECT_LOCK (self);
    event = gst_event_new_segment (&self->segment);
    if (self->segment_seqnum != GST_SEQNUM_INVALID)
      gst_event_set_seqnum (event, self->segment_seqnum);
    GST_OBJECT_UNLOCK (self);
    gst_pad_push_event (self->srcpad, event);
    self->segment_wanted = FALSE;
  }
  while (self->waiting_events) {
    event = self->waiting_events->data;
    self->waiting_events = g_list_delete_link (self->waiting_events, self->waiting_events);
    gst_pad_push_event (self->srcpad, event);
  }
}

/* ---- take in ---- */

/* Called with the object lock. */
static GstStructure *
make_stats (GstRobocacheParse *self)
{
  GstStructure *stats = gst_structure_new_empty ("robocacheparse");

  robocache_record_counts_to_structure (&self->counters, stats);
  if (self->tracks)
    robocache_clock_estimate_to_structure (&self->clock, stats);
  return stats;
}

static void
post_stats (GstRobocacheParse *self)
{
  GstStructure *stats;

  GST_OBJECT_LOCK (self);
  stats = make_stats (self);
  GST_OBJECT_UNLOCK (self);
  robocache_stats_post (GST_ELEMENT (self), stats);
}

/* The first one is worth a message on the bus; more are in the log and in stats. */
GstFlowReturn
gst_robocache_parse_take_malformed (GstRobocacheParse *self, const gchar *fault)
{
  GST_WARNING_OBJECT (self, "dropped: %s", fault);
  GST_OBJECT_LOCK (self);
  self->counters.malformed++;
  GST_OBJECT_UNLOCK (self);
  self->discont = TRUE;
  self->errors_in_row++;

  if (self->max_errors >= 0 && self->errors_in_row > self->max_errors) {
    GST_ELEMENT_ERROR (self, STREAM, DECODE, ("%d malformed records in a row, more than max-errors=%d; the last: %s",
            self->errors_in_row, self->max_errors, fault), (NULL));
    self->failed = TRUE;
    return GST_FLOW_ERROR;
  }
  if (!self->first_fault) {
    self->first_fault = g_strdup (fault);
    GST_ELEMENT_WARNING (self, STREAM, DECODE, ("Dropped a malformed record: %s", fault),
        ("further ones are counted in stats and written to the debug log"));
  }
  return GST_FLOW_OK;
}

GstFlowReturn
gst_robocache_parse_refuse (GstRobocacheParse *self, const GError *fault)
{
  robocache_post_error (GST_ELEMENT (self), fault);
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* ---- hand out ---- */

/* A seek reads the file from its beginning, since rows need not be in order of time. */
gboolean
gst_robocache_parse_is_outside_segment (GstRobocacheParse *self, GstClockTime pts)
{
  gboolean outside;

  GST_OBJECT_LOCK (self);
  outside = pts < self->segment.start || pts >= self->segment.stop;
  self->counters.skipped += outside;
  GST_OBJECT_UNLOCK (self);
  return outside;
}

GstFlowReturn
gst_robocache_parse_push (GstRobocacheParse *self, GstBuffer *buffer)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;

  GST_OBJECT_LOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (pts))
    self->segment.position = pts;
  self->stats_timer.interval = self->stats_interval;
  GST_OBJECT_UNLOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (pts) && robocache_stats_timer_due (&self->stats_timer, pts))
    post_stats (self);
  return gst_pad_push (self->srcpad, buffer);
}

static GstFlowReturn
gst_robocache_parse_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

  if (self->failed) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  return self->clouds ? gst_robocache_parse_take_points (self, buffer) : gst_robocache_parse_take_records (self, buffer);
}

/* ---- events ---- */

/* Between two pieces of input that do not follow each other. */
static void
restart (GstRobocacheParse *self)
{
  if (self->clouds)
    robocache_cloud_reader_restart (self->clouds);
  else
    robocache_record_reader_restart (self->reader);
  self->cloud_end = GST_ROBOCACHE_PARSE_CLOUD_END_AUTO;
  self->errors_in_row = 0;
  self->discont = TRUE;
  self->previous = GST_CLOCK_TIME_NONE;
  robocache_stats_timer_reset (&self->stats_timer);
  GST_OBJECT_LOCK (self);
  self->newest = GST_CLOCK_TIME_NONE;
  GST_OBJECT_UNLOCK (self);
}

static void
drain (GstRobocacheParse *self)
{
  if (self->failed)
    return;
  if (self->clouds) {
    gst_robocache_parse_end_file (self);
  } else {
    robocache_record_reader_end (self->reader);
    gst_robocache_parse_process_rows (self);
  }
}

/* Times of files of points are upstream's where it has some; those of a recording are in the recording. */
static void
take_segment (GstRobocacheParse *self, GstEvent *event)
{
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  drain (self);
  restart (self);
  GST_OBJECT_LOCK (self);
  self->upstream_has_times = self->clouds && segment->format == GST_FORMAT_TIME;
  if (self->upstream_has_times) {
    self->segment = *segment;
    self->segment_wanted = TRUE;
    self->segment_seqnum = gst_event_get_seqnum (event);
  } else if (self->seek) {
    self->segment_wanted = gst_robocache_parse_seek_segment (&self->segment, self->seek);
    self->segment_seqnum = gst_event_get_seqnum (self->seek);
  }
  gst_clear_event (&self->seek);
  GST_OBJECT_UNLOCK (self);
}

static void
take_flush_stop (GstRobocacheParse *self)
{
  restart (self);
  self->failed = FALSE;
  self->segment_wanted = TRUE;
  g_list_free_full (g_steal_pointer (&self->waiting_events), (GDestroyNotify) gst_event_unref);
  GST_OBJECT_LOCK (self);
  if (!self->seek) {
    gst_segment_init (&self->segment, GST_FORMAT_TIME);
    self->segment_seqnum = GST_SEQNUM_INVALID;
  }
  GST_OBJECT_UNLOCK (self);
  robocache_live_wait_set_flushing (&self->wait, FALSE);
}

static void
take_eos (GstRobocacheParse *self)
{
  RobocacheRecordCounts counters;
  guint64 read;

  drain (self);
  GST_OBJECT_LOCK (self);
  self->duration = self->newest;
  counters = self->counters;
  GST_OBJECT_UNLOCK (self);
  read = counters.rows + counters.clouds + counters.before_origin + counters.skipped;

  if (!self->failed && read == 0 && self->first_fault) {
    GST_ELEMENT_ERROR (self, STREAM, DECODE, ("No %s of %" G_GUINT64_FORMAT " could be read; the first: %s",
            self->clouds ? "cloud" : "record", counters.malformed, self->first_fault), (NULL));
    self->failed = TRUE;
  } else if (!self->failed && read == 0) {
    GST_ELEMENT_WARNING (self, STREAM, FAILED, ("The input ended without a %s", self->clouds ? "cloud" : "record"),
        (NULL));
  }
  /* a header, or a layout, makes caps without a row */
  if (!self->failed && self->reader && robocache_record_reader_n_channels (self->reader) > 0)
    gst_robocache_parse_send_row_headers (self);
  robocache_stats_post_last (GST_ELEMENT (self));
}

/* Those of records do not matter. */
static gboolean
take_caps (GstRobocacheParse *self, GstEvent *event)
{
  gboolean taken = TRUE;
  GstCaps *caps;

  if (self->clouds) {
    gst_event_parse_caps (event, &caps);
    drain (self);
    taken = gst_robocache_parse_take_cloud_caps (self, caps);
  }
  gst_event_unref (event);
  return taken;
}

static gboolean
take_other_event (GstRobocacheParse *self, GstEvent *event)
{
  if (GST_EVENT_IS_SERIALIZED (event) && self->segment_wanted) {
    self->waiting_events = g_list_append (self->waiting_events, event);
    return TRUE;
  }
  return gst_pad_push_event (self->srcpad, event);
}

static gboolean
gst_robocache_parse_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_START:
      robocache_live_wait_set_flushing (&self->wait, TRUE);
      break;
    case GST_EVENT_FLUSH_STOP:
      take_flush_stop (self);
      break;
    case GST_EVENT_EOS:
      take_eos (self);
      break;
    case GST_EVENT_STREAM_START:
      break;
    case GST_EVENT_SEGMENT:
      take_segment (self, event);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_CAPS:
      return take_caps (self, event);
    case GST_EVENT_GAP:
    case GST_EVENT_SEGMENT_DONE:
      /* they speak of bytes */
      gst_event_unref (event);
      return TRUE;
    default:
      return take_other_event (self, event);
  }
  return gst_pad_push_event (self->srcpad, event);
}

/* ---- life of the element ---- */

/* Called with the object lock. */
static gboolean
open_clouds (GstRobocacheParse *self, GError **error)
{
  const GstRobocacheParseSettings *s = &self->properties;

  if (s->arrival_column >= 0 || s->clock_mode != ROBOCACHE_CLOCK_NONE) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "%s is set, but a file of points has no column of "
        "times: leave it unset, and set rate, or give the files' buffers times",
        s->arrival_column >= 0 ? "arrival-column" : "clock-mode");
    return FALSE;
  }
  if (s->points_per_cloud > 0 && s->cloud_end == GST_ROBOCACHE_PARSE_CLOUD_END_BUFFER) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "points-per-cloud is %" G_GUINT64_FORMAT
        ", but cloud-end=buffer says that a cloud is a buffer: set one of the two", s->points_per_cloud);
    return FALSE;
  }
  self->clouds = robocache_cloud_reader_new (&(RobocacheCloudSpec) { s->format, s->layout, s->channels,
        s->points_per_cloud }, error);
  self->rate = (RobocacheTickGrid) { s->rate[0], s->rate[1] };
  return self->clouds != NULL;
}

/* Called with the object lock. */
static gboolean
open_rows (GstRobocacheParse *self, GError **error)
{
  const GstRobocacheParseSettings *s = &self->properties;

  self->reader = robocache_record_reader_new (&(RobocacheRecordSpec) { s->format, s->delimiter, s->layout, s->channels,
        s->time_column, s->arrival_column, s->time_unit }, error);
  return self->reader && robocache_record_stamp_init (&self->stamp, s->start, s->time_origin, s->clock_mode,
      s->arrival_column >= 0, error);
}

static void
close_readers (GstRobocacheParse *self)
{
  g_clear_pointer (&self->reader, robocache_record_reader_free);
  g_clear_pointer (&self->clouds, robocache_cloud_reader_free);
  robocache_record_stamp_clear (&self->stamp);
}

static gboolean
start (GstRobocacheParse *self)
{
  const GstRobocacheParseSettings *s = &self->properties;
  GError *fault = NULL;
  gboolean opened;

  GST_OBJECT_LOCK (self);
  opened = robocache_record_format_is_of_clouds (s->format) ? open_clouds (self, &fault) : open_rows (self, &fault);
  self->replays = s->arrival_column >= 0;
  self->tracks = s->clock_mode == ROBOCACHE_CLOCK_TRACK;
  self->max_errors = s->max_errors;
  self->live = self->replays || self->tracks;
  self->upstream_has_times = FALSE;
  self->clock = (RobocacheClockEstimate) {.uncertainty_ns = -1 };
  self->counters = (RobocacheRecordCounts) { 0 };
  self->duration = GST_CLOCK_TIME_NONE;
  self->segment_seqnum = GST_SEQNUM_INVALID;
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  GST_OBJECT_UNLOCK (self);

  if (!opened) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault->message), (NULL));
    g_error_free (fault);
    close_readers (self);
    return FALSE;
  }
  self->failed = self->said_before_origin = FALSE;
  self->caps_version = 0;
  self->points_at_fault = 0;
  self->has_frames = FALSE;
  self->segment_wanted = TRUE;
  restart (self);
  robocache_live_wait_set_flushing (&self->wait, FALSE);
  return TRUE;
}

static void
stop (GstRobocacheParse *self)
{
  close_readers (self);
  g_clear_pointer (&self->first_fault, g_free);
  gst_robocache_parse_set_seek (self, NULL);
  g_list_free_full (g_steal_pointer (&self->waiting_events), (GDestroyNotify) gst_event_unref);
}

static GstStateChangeReturn
gst_robocache_parse_change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (element);
  GstStateChangeReturn ret;

  if (transition == GST_STATE_CHANGE_READY_TO_PAUSED && !start (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    robocache_live_wait_set_playing (&self->wait, FALSE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    robocache_live_wait_set_flushing (&self->wait, TRUE);

  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (ret == GST_STATE_CHANGE_FAILURE) {
    if (transition == GST_STATE_CHANGE_READY_TO_PAUSED)
      stop (self);              /* no pad was activated that could reach the reader */
    return ret;
  }

  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING)
    robocache_live_wait_set_playing (&self->wait, TRUE);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    stop (self);
  /* a live replay sends nothing in PAUSED */
  if (self->live && GST_STATE_TRANSITION_NEXT (transition) == GST_STATE_PAUSED)
    return GST_STATE_CHANGE_NO_PREROLL;
  return ret;
}

/* ---- properties ---- */

#define SETTING(field) G_STRUCT_OFFSET (GstRobocacheParse, properties.field)

static const glong settings[N_PROPS] = {
  [PROP_FORMAT] = SETTING (format),
  [PROP_DELIMITER] = SETTING (delimiter),
  [PROP_TIME_COLUMN] = SETTING (time_column),
  [PROP_TIME_UNIT] = SETTING (time_unit),
  [PROP_CHANNELS] = SETTING (channels),
  [PROP_LAYOUT] = SETTING (layout),
  [PROP_START] = SETTING (start),
  [PROP_TIME_ORIGIN] = SETTING (time_origin),
  [PROP_ARRIVAL_COLUMN] = SETTING (arrival_column),
  [PROP_CLOCK_MODE] = SETTING (clock_mode),
  [PROP_MAX_ERRORS] = SETTING (max_errors),
  [PROP_RATE] = SETTING (rate),
  [PROP_CLOUD_END] = SETTING (cloud_end),
  [PROP_POINTS_PER_CLOUD] = SETTING (points_per_cloud),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (GstRobocacheParse, stats_interval),
};

static void
gst_robocache_parse_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  robocache_setting_set (G_STRUCT_MEMBER_P (object, settings[id]), value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_parse_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_LOCK (object);
  if (id == PROP_STATS)
    g_value_take_boxed (value, make_stats (GST_ROBOCACHE_PARSE (object)));
  else
    robocache_setting_get (G_STRUCT_MEMBER_P (object, settings[id]), value);
  GST_OBJECT_UNLOCK (object);
}

static void
gst_robocache_parse_finalize (GObject *object)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (object);

  stop (self);
  g_free (self->properties.delimiter);
  g_free (self->properties.channels);
  g_free (self->properties.layout);
  robocache_live_wait_clear (&self->wait);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY;

  properties[PROP_FORMAT] = g_param_spec_enum ("format", "Format", "What a record is", ROBOCACHE_TYPE_RECORD_FORMAT,
      ROBOCACHE_RECORDS_CSV, flags);
  properties[PROP_DELIMITER] = g_param_spec_string ("delimiter", "Delimiter",
      "What parts the fields of a line: one character, or tab, or space (any run of blanks)", ",", flags);
  properties[PROP_TIME_COLUMN] = g_param_spec_uint ("time-column", "Time column",
      "Column of the time of capture, counted from 0", 0, G_MAXINT, 0, flags);
  properties[PROP_TIME_UNIT] = g_param_spec_enum ("time-unit", "Time unit", "Unit of the time and arrival columns",
      ROBOCACHE_TYPE_TIME_UNIT, ROBOCACHE_TIME_UNIT_S, flags);
  properties[PROP_CHANNELS] = g_param_spec_string ("channels", "Channels",
      "Columns that are data: names of the header, numbers and ranges like 1-6,9; empty: all but the time and arrival "
      "columns; of points the names of layout's numbers", "", flags);
  properties[PROP_LAYOUT] = g_param_spec_string ("layout", "Layout",
      "A binary record or a point as a struct string of Python, like <q6f", "", flags);
  properties[PROP_START] = g_param_spec_enum ("start", "Start", "What running time 0 is", ROBOCACHE_TYPE_START,
      ROBOCACHE_START_ZERO,
      flags);
  properties[PROP_TIME_ORIGIN] = g_param_spec_int64 ("time-origin", "Time origin",
      "Time of the file's clock that is running time 0 (ns), wins over start; files that are aligned share one; "
      "the least int64: not set",
      G_MININT64, G_MAXINT64, ROBOCACHE_NO_ORIGIN, flags);
  properties[PROP_ARRIVAL_COLUMN] = g_param_spec_int ("arrival-column", "Arrival column",
      "Column of the time of arrival, at which each row is sent: replays the recording live; -1: none", -1, G_MAXINT,
      -1, flags);
  properties[PROP_CLOCK_MODE] = g_param_spec_enum ("clock-mode", "Clock mode",
      "Whose clock the times of capture are of; arrivals are those of arrival-column, or else of the pipeline's clock",
      ROBOCACHE_TYPE_CLOCK_MODE, ROBOCACHE_CLOCK_NONE, flags);
  properties[PROP_MAX_ERRORS] = g_param_spec_int ("max-errors", "Max errors",
      "Malformed records in a row that are dropped; one more is an error; -1: no limit", -1, G_MAXINT,
      DEFAULT_MAX_ERRORS, flags);
  properties[PROP_RATE] = gst_param_spec_fraction ("rate", "Rate",
      "Clouds a second, for those that come without a time: cloud k is at k / rate; 0/1: the framerate of the input's caps, "
      "if there is one", 0, 1, G_MAXINT, 1, 0, 1, flags);
  properties[PROP_CLOUD_END] = g_param_spec_enum ("cloud-end", "Cloud end",
      "Where a file of points ends, and with it a cloud", GST_TYPE_ROBOCACHE_PARSE_CLOUD_END,
      GST_ROBOCACHE_PARSE_CLOUD_END_AUTO, flags);
  properties[PROP_POINTS_PER_CLOUD] = g_param_spec_uint64 ("points-per-cloud", "Points per cloud",
      "Points after which a cloud ends in a stream of kitti, nuscenes or points; 0: with the file", 0, G_MAXINT64, 0,
      flags);
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Rows or clouds sent, and records dropped by reason",
      GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_STATS_INTERVAL] = g_param_spec_uint64 ("stats-interval", "Statistics interval",
      "Running time between two element messages with the statistics (ns); 0: none", 0, G_MAXINT64, 0,
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING);
  g_object_class_install_properties (klass, N_PROPS, properties);
}

static void
gst_robocache_parse_class_init (GstRobocacheParseClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_robocache_parse_set_property;
  object_class->get_property = gst_robocache_parse_get_property;
  object_class->finalize = gst_robocache_parse_finalize;
  install_properties (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Sensor recording parser", "Codec/Parser/Sensor",
      "Cuts CSV or binary records into timestamped rows, replays recordings live, and reads files of points", "robocache");
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_RECORD_FORMAT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_TIME_UNIT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_START, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
  gst_type_mark_as_plugin_api (GST_TYPE_ROBOCACHE_PARSE_CLOUD_END, 0);
  element_class->change_state = gst_robocache_parse_change_state;
}

static void
gst_robocache_parse_init (GstRobocacheParse *self)
{
  self->sinkpad = gst_pad_new_from_static_template (&sink_template, "sink");
  gst_pad_set_chain_function (self->sinkpad, gst_robocache_parse_chain);
  gst_pad_set_event_function (self->sinkpad, gst_robocache_parse_sink_event);
  gst_element_add_pad (GST_ELEMENT (self), self->sinkpad);

  self->srcpad = gst_pad_new_from_static_template (&src_template, "src");
  gst_pad_set_event_function (self->srcpad, gst_robocache_parse_src_event);
  gst_pad_set_query_function (self->srcpad, gst_robocache_parse_src_query);
  gst_pad_use_fixed_caps (self->srcpad);
  gst_element_add_pad (GST_ELEMENT (self), self->srcpad);

  self->properties.delimiter = g_strdup (",");
  self->properties.channels = g_strdup ("");
  self->properties.layout = g_strdup ("");
  self->properties.time_origin = ROBOCACHE_NO_ORIGIN;
  self->properties.arrival_column = -1;
  self->properties.max_errors = DEFAULT_MAX_ERRORS;
  self->properties.rate[1] = 1;
  robocache_live_wait_init (&self->wait);
}
