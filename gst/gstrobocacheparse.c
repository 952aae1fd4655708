/* robocache: bytes of a recording or a serial port to a stream of rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/**
 * SECTION:element-robocacheparse
 * @title: robocacheparse
 *
 * Cuts bytes into records, CSV lines or binary ones, wherever the buffers fall, and sends each as a row of float32 that
 * is stamped with the time in the record. With `arrival-column` a recording is replayed live.
 *
 * |[
 * gst-launch-1.0 filesrc location=joints.csv ! robocacheparse ! robocacheresample rate=100 ! fakesink
 * gst-launch-1.0 filesrc location=imu.csv ! robocacheparse time-column=1 arrival-column=0 time-unit=ns ! fakesink
 * ]|
 */
#include "gstrobocacheparse.h"

#include "common/livewait.h"
#include "common/recordreader.h"
#include "common/recordstamp.h"
#include "common/recordtally.h"
#include "common/seek.h"
#include "common/settings.h"
#include "common/stats.h"
#include "common/tensorcaps.h"

GST_DEBUG_CATEGORY_STATIC (parse_debug);
#define GST_CAT_DEFAULT parse_debug

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
  PROP_STATS,
  PROP_STATS_INTERVAL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

typedef struct
{
  RobocacheRecordFormat format;
  gchar *delimiter, *channels, *layout;
  guint time_column;
  gint arrival_column;          /* -1: not replayed live */
  RobocacheTimeUnit time_unit;
  RobocacheStart start;
  gint64 time_origin;           /* ROBOCACHE_NO_ORIGIN: not set */
  RobocacheClockMode clock_mode;
  gint max_errors;              /* -1: no limit */
} Settings;

struct _GstRobocacheParse
{
  GstElement parent;
  GstPad *sinkpad, *srcpad;

  /* object lock */
  Settings properties;
  GstClockTime stats_interval;
  RobocacheRecordTally counters;
  GstSegment segment;           /* of the output; its position is the last row */
  GstClockTime newest, duration;        /* of rows seen; duration is none until a whole file was read */
  GstEvent *seek;               /* that the next segment from upstream answers */
  guint32 segment_seqnum;
  RobocacheClockEstimate clock; /* when the sensor's clock is followed */
  gboolean live, replays, tracks;       /* READY → PAUSED on */

  /* streaming thread, or no streaming thread */
  RobocacheRecordReader *reader;
  RobocacheRecordStamp stamp;
  gint max_errors;
  guint caps_version;           /* of the reader's columns that caps were sent for; 0: none */
  gboolean segment_wanted;
  gboolean discont;
  gboolean failed;              /* an error was posted: nothing goes on */
  gint errors_in_row;
  gchar *first_fault;
  gboolean said_before_origin;
  GstClockTime previous;        /* time of the row before */
  GList *waiting_events;        /* that must follow our segment */
  RobocacheStatsTimer stats_timer;

  RobocacheLiveWait wait;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src", GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS ("other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
        "framerate=(fraction)0/1"));

#define gst_robocache_parse_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstRobocacheParse, gst_robocache_parse, GST_TYPE_ELEMENT,
    GST_DEBUG_CATEGORY_INIT (parse_debug, "robocacheparse", 0, "bytes to rows"));
GST_ELEMENT_REGISTER_DEFINE (robocacheparse, "robocacheparse", GST_RANK_NONE, GST_TYPE_ROBOCACHE_PARSE);

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

static gboolean
fail_negotiation (GstRobocacheParse *self, GstCaps *caps, GstCaps *peer)
{
  gchar *ours = gst_caps_to_string (caps), *theirs = gst_caps_to_string (peer);

  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
      ("The recording's rows are %s, but downstream accepts only %s; choose other channels, or another downstream",
          ours, theirs),
      (NULL));
  self->failed = TRUE;
  g_free (ours);
  g_free (theirs);
  return FALSE;
}

/* Sends caps for columns that are new. */
static gboolean
send_caps (GstRobocacheParse *self)
{
  const guint version = robocache_record_reader_version (self->reader);
  GstCaps *caps, *peer, *spelled, *current;
  gboolean accepted = TRUE;

  if (self->caps_version == version)
    return TRUE;
  caps = make_caps (self);
  peer = gst_pad_peer_query_caps (self->srcpad, NULL);
  if (!robocache_tensors_caps_compatible (caps, peer)) {
    accepted = fail_negotiation (self, caps, peer);
  } else {
    spelled = robocache_tensors_caps_in_spelling_of (caps, peer);
    current = gst_pad_get_current_caps (self->srcpad);
    if (!current || !gst_caps_is_equal (current, spelled))
      gst_pad_push_event (self->srcpad, gst_event_new_caps (spelled));
    gst_clear_caps (&current);
    gst_caps_unref (spelled);
    self->caps_version = version;
  }
  gst_caps_unref (peer);
  gst_caps_unref (caps);
  return accepted;
}

/* Caps, segment and the events that must come after them, before the first row. */
static gboolean
send_headers (GstRobocacheParse *self)
{
  GstEvent *event;

  if (!send_caps (self))
    return FALSE;
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
  return TRUE;
}

/* ---- take in ---- */

/* Called with the object lock. */
static GstStructure *
make_stats (GstRobocacheParse *self)
{
  GstStructure *stats = gst_structure_new_empty ("robocacheparse");

  robocache_record_tally_to_structure (&self->counters, stats);
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
static GstFlowReturn
take_malformed (GstRobocacheParse *self, const gchar *fault)
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
  if (self->discont)
    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  self->discont = FALSE;

  GST_OBJECT_LOCK (self);
  self->counters.rows++;
  self->segment.position = pts;
  self->stats_timer.interval = self->stats_interval;
  GST_OBJECT_UNLOCK (self);
  GST_LOG_OBJECT (
      self, "row of record %" G_GUINT64_FORMAT " at %" GST_TIME_FORMAT, record->number, GST_TIME_ARGS (pts));
  if (robocache_stats_timer_due (&self->stats_timer, pts))
    post_stats (self);
  return gst_pad_push (self->srcpad, buffer);
}

/* A seek reads the file from its beginning, since rows need not be in order of time. */
static gboolean
is_outside_segment (GstRobocacheParse *self, GstClockTime pts)
{
  gboolean outside;

  GST_OBJECT_LOCK (self);
  outside = pts < self->segment.start || pts >= self->segment.stop;
  self->counters.skipped += outside;
  GST_OBJECT_UNLOCK (self);
  return outside;
}

static GstFlowReturn
take_record (GstRobocacheParse *self, const RobocacheRecord *record)
{
  RobocacheRecordTimes times;
  GstFlowReturn flow;

  if (!robocache_record_stamp_row (&self->stamp, record, &times)) {
    gchar *fault = g_strdup_printf (
        "record %" G_GUINT64_FORMAT " is further from time-origin than int64 nanoseconds reach", record->number);

    flow = take_malformed (self, fault);
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
  if (!send_headers (self))
    return GST_FLOW_NOT_NEGOTIATED;
  if (is_outside_segment (self, (GstClockTime) times.pts))
    return GST_FLOW_OK;
  if (self->replays) {
    flow = robocache_live_wait_until (&self->wait, GST_ELEMENT (self), (GstClockTime) MAX (times.release, 0));
    if (flow != GST_FLOW_OK)
      return flow;
  }
  return push_row (self, record, (GstClockTime) times.pts);
}

static GstFlowReturn
refuse_columns (GstRobocacheParse *self, const gchar *fault)
{
  GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault), (NULL));
  self->failed = TRUE;
  return GST_FLOW_ERROR;
}

/* Hands out every record that is whole. */
static GstFlowReturn
process (GstRobocacheParse *self)
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
        flow = send_headers (self) ? GST_FLOW_OK : GST_FLOW_NOT_NEGOTIATED;
        break;
      case ROBOCACHE_READ_RECORD:
        flow = take_record (self, &record);
        break;
      case ROBOCACHE_READ_MALFORMED:
        flow = take_malformed (self, fault->message);
        break;
      case ROBOCACHE_READ_REFUSED:
        flow = refuse_columns (self, fault->message);
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

static GstFlowReturn
gst_robocache_parse_chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);
  GstFlowReturn flow;

  if (self->failed) {
    gst_buffer_unref (buffer);
    return GST_FLOW_ERROR;
  }
  if (self->stamp.arrives_now && (flow = arrive (self)) != GST_FLOW_OK) {
    gst_buffer_unref (buffer);
    return flow;
  }
  robocache_record_reader_push (self->reader, buffer);
  return process (self);
}

/* ---- events ---- */

/* Between two pieces of input that do not follow each other. */
static void
restart (GstRobocacheParse *self)
{
  robocache_record_reader_restart (self->reader);
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
  robocache_record_reader_end (self->reader);
  process (self);
}

/* Makes our segment what a seek asks for. */
static gboolean
seek_segment (GstSegment *segment, GstEvent *event)
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

static void
take_segment (GstRobocacheParse *self)
{
  drain (self);
  restart (self);
  GST_OBJECT_LOCK (self);
  if (self->seek) {
    self->segment_wanted = seek_segment (&self->segment, self->seek);
    self->segment_seqnum = gst_event_get_seqnum (self->seek);
    gst_clear_event (&self->seek);
  }
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
  RobocacheRecordTally counters;
  guint64 read;

  drain (self);
  GST_OBJECT_LOCK (self);
  self->duration = self->newest;
  counters = self->counters;
  GST_OBJECT_UNLOCK (self);
  read = counters.rows + counters.before_origin + counters.skipped;

  if (!self->failed && read == 0 && self->first_fault) {
    GST_ELEMENT_ERROR (self, STREAM, DECODE, ("No record of %" G_GUINT64_FORMAT " could be read; the first: %s",
            counters.malformed, self->first_fault), (NULL));
    self->failed = TRUE;
  } else if (!self->failed && read == 0) {
    GST_ELEMENT_WARNING (self, STREAM, FAILED, ("The input ended without a record"), (NULL));
  }
  /* a header, or a layout, makes caps without a row */
  if (!self->failed && robocache_record_reader_n_channels (self->reader) > 0)
    send_headers (self);
  if (self->stats_timer.interval > 0)
    post_stats (self);
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
      take_segment (self);
      gst_event_unref (event);
      return TRUE;
    case GST_EVENT_CAPS:
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

static void
set_seek (GstRobocacheParse *self, GstEvent *event)
{
  GST_OBJECT_LOCK (self);
  gst_event_replace (&self->seek, event);
  GST_OBJECT_UNLOCK (self);
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
  if (self->live || !seek_segment (&segment, event)) {
    GST_INFO_OBJECT (self, "refused %" GST_PTR_FORMAT, event);
    return FALSE;
  }
  gst_event_parse_seek (event, NULL, NULL, &flags, NULL, NULL, NULL, NULL);
  bytes = gst_event_new_seek (
      1.0, GST_FORMAT_BYTES, flags & GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, -1);
  gst_event_set_seqnum (bytes, gst_event_get_seqnum (event));
  set_seek (self, event);
  if (gst_pad_push_event (self->sinkpad, bytes))
    return TRUE;
  GST_INFO_OBJECT (self, "upstream cannot seek to byte 0");
  set_seek (self, NULL);
  return FALSE;
}

static gboolean
gst_robocache_parse_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gboolean done;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
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
  if (!self->live && gst_pad_peer_query (self->sinkpad, bytes))
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

static gboolean
gst_robocache_parse_src_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheParse *self = GST_ROBOCACHE_PARSE (parent);

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

/* ---- life of the element ---- */

static gboolean
start (GstRobocacheParse *self)
{
  const Settings *s = &self->properties;
  GError *fault = NULL;

  GST_OBJECT_LOCK (self);
  self->reader = robocache_record_reader_new (&(RobocacheRecordSpec) { s->format, s->delimiter, s->layout, s->channels,
        s->time_column, s->arrival_column, s->time_unit }, &fault);
  self->replays = s->arrival_column >= 0;
  self->tracks = s->clock_mode == ROBOCACHE_CLOCK_TRACK;
  self->max_errors = s->max_errors;
  self->live = self->replays || self->tracks;
  if (self->reader && !robocache_record_stamp_init (&self->stamp, s->start, s->time_origin, s->clock_mode,
          self->replays, &fault))
    g_clear_pointer (&self->reader, robocache_record_reader_free);
  self->clock = (RobocacheClockEstimate) {.uncertainty_ns = -1 };
  self->counters = (RobocacheRecordTally) { 0 };
  self->duration = GST_CLOCK_TIME_NONE;
  self->segment_seqnum = GST_SEQNUM_INVALID;
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
  GST_OBJECT_UNLOCK (self);

  if (!self->reader) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS, ("%s", fault->message), (NULL));
    g_error_free (fault);
    return FALSE;
  }
  self->failed = self->said_before_origin = FALSE;
  self->caps_version = 0;
  self->segment_wanted = TRUE;
  restart (self);
  robocache_live_wait_set_flushing (&self->wait, FALSE);
  return TRUE;
}

static void
stop (GstRobocacheParse *self)
{
  g_clear_pointer (&self->reader, robocache_record_reader_free);
  robocache_record_stamp_clear (&self->stamp);
  g_clear_pointer (&self->first_fault, g_free);
  set_seek (self, NULL);
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
      "columns", "", flags);
  properties[PROP_LAYOUT] = g_param_spec_string ("layout", "Layout",
      "A binary record as a struct string of Python, like <q6f", "", flags);
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
  properties[PROP_STATS] = g_param_spec_boxed ("stats", "Statistics", "Rows sent, and records dropped by reason",
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
      "Cuts CSV or binary records into timestamped rows, and replays recordings live", "robocache");
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_RECORD_FORMAT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_TIME_UNIT, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_START, 0);
  gst_type_mark_as_plugin_api (ROBOCACHE_TYPE_CLOCK_MODE, 0);
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
  robocache_live_wait_init (&self->wait);
}
