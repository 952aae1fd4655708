/* robocache: the stream of a pad of robocacherossink: a sink that publishes its rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <gst/video/video.h>

#include "common/element/errors.h"
#include "common/element/inputfaults.h"
#include "common/rosstreams/encoders/encoders.h"
#include "common/tensors/flexibleinput.h"
#include "common/time/rowtimes.h"
#include "common/time/segments.h"

#define DEFAULT_DEPTH 10
/* of rows, which come often */
#define ROWS_DEPTH 100
#define COMMAND_DEPTH 1
#define COMMAND_MAX_AGE (100 * (gint64) GST_MSECOND)
#define COMMAND_LIFESPAN_PERIODS 2
#define COMMAND_ROLE "command"
#define MALFORMED "rows-dropped-malformed"

typedef struct
{
  guint64 buffers, rows;        /* received */
  guint64 messages, bytes;      /* published */
  guint64 lost;                 /* messages that slow readers lost */
  guint64 too_old;              /* older than max-age */
  guint64 no_time;              /* without a running time, or with one that messages cannot represent */
  guint64 outside_segment, malformed;
} Counts;

struct _GstRobocacheRosStream
{
  GstBaseSink parent;

  /* constant */
  GstElement *owner;            /* no reference */
  gchar *pad_name;
  GstDebugCategory *category;   /* of the owner */
  GstPadChainFunction chain;    /* of the base class, as the two below */
  GstPadEventFunction event;
  GstPadQueryFunction query;

  /* constant while started */
  const RobocacheRosSinkSession *session;       /* NULL: not started */
  RobocacheRosPadSettings settings;

  /* the streaming thread */
  RobocacheEncoderFormat *format;       /* NULL: none yet */
  RobocacheEncoder *encoder;    /* NULL: before the first buffer of these caps */
  gboolean has_publishers;      /* publishers are those of the encoder */
  gboolean is_command, is_live, has_warned_of_age;
  gint64 max_age_ns;            /* 0: none */
  RobocacheRowTimes clock;
  RobocachePadFaults faults;
  RobocacheFlexibleInput flexible;

  gint64 origin_ns;             /* object lock */
  gint transition;              /* atomic; GstStateChange in progress; 0: none */

  GMutex lock;                  /* guards what follows against statistics */
  GPtrArray *publishers;        /* RobocacheRosPublisher items, by channel of the encoder; NULL: none */
  Counts counts;
};

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ROBOCACHE_ENCODER_CAPS));

G_DEFINE_TYPE (GstRobocacheRosStream, gst_robocache_ros_stream, GST_TYPE_BASE_SINK)

/* ---- errors and counts ---- */

/* Takes the error. */
static void
post_error (GstRobocacheRosStream *self, GError *error)
{
  robocache_post_error_at (self->owner, self->pad_name, error, GST_CLOCK_TIME_NONE);
  g_error_free (error);
}

static void
count (GstRobocacheRosStream *self, guint64 *counter, guint64 n)
{
  g_mutex_lock (&self->lock);
  *counter += n;
  g_mutex_unlock (&self->lock);
}

static void
count_malformed (GstRobocacheRosStream *self, const GError *error)
{
  count (self, &self->counts.malformed, 1);
  robocache_pad_faults_warn (self->owner, robocache_pad_faults_note_buffer (&self->faults, GST_BASE_SINK_PAD (self), error, MALFORMED));
}

/* ---- caps ---- */

static void
set_encoder (GstRobocacheRosStream *self, RobocacheEncoder *encoder)
{
  g_clear_pointer (&self->encoder, robocache_encoder_free);
  self->encoder = encoder;
  self->has_publishers = FALSE;
}

static gboolean
ask_whether_live (GstRobocacheRosStream *self)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean is_live = FALSE;

  if (gst_pad_peer_query (GST_BASE_SINK_PAD (self), query))
    gst_query_parse_latency (query, &is_live, NULL, NULL);
  gst_query_unref (query);
  return is_live;
}

/* Settings that would send stale commands. */
static gboolean
check_command (const GstRobocacheRosStream *self, GError **error)
{
  const RobocacheRosPadSettings *settings = &self->settings;

  if (!self->is_command || (settings->durability == ROBOCACHE_ROS_VOLATILE && settings->depth <= COMMAND_DEPTH))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the stream is a command, and %s would send stale ones to %s readers: leave it out",
      settings->durability == ROBOCACHE_ROS_VOLATILE ? "depth above 1" : "durability=transient-local",
      settings->durability == ROBOCACHE_ROS_VOLATILE ? "slow" : "later");
  return FALSE;
}

static gboolean
check_message (const GstRobocacheRosStream *self, const RobocacheEncoderFormat *format, GError **error)
{
  if (!format->encoder || self->settings.message == ROBOCACHE_ROS_MESSAGE_AUTO)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "message selects a type for rows, but the stream is %s: set message=auto",
      gst_structure_get_name (gst_caps_get_structure (format->caps, 0)));
  return FALSE;
}

static void
use_format (GstRobocacheRosStream *self, RobocacheEncoderFormat *format)
{
  set_encoder (self, g_steal_pointer (&format->encoder));
  g_clear_pointer (&self->format, robocache_encoder_format_free);
  self->format = format;
  robocache_row_times_set_rate (&self->clock, format->rate_num, format->rate_den);
  self->faults.has_bad_caps = FALSE;
  self->max_age_ns = MAX (self->settings.max_age, 0);
  if (self->settings.max_age == ROBOCACHE_ROS_AUTO && self->is_command)
    self->max_age_ns = COMMAND_MAX_AGE;
}

/* Takes the error. TRUE: only the rows of this live stream are lost. */
static gboolean
answer_bad_caps (GstRobocacheRosStream *self, GError *error)
{
  if (!self->is_live || self->owner->numsinkpads < 2 || error->code == ROBOCACHE_ERROR_PROPERTY) {
    post_error (self, error);
    return FALSE;
  }
  robocache_pad_faults_warn (self->owner, robocache_pad_faults_note_caps (&self->faults, GST_BASE_SINK_PAD (self), error, MALFORMED));
  g_error_free (error);
  return TRUE;
}

static gboolean
set_caps (GstBaseSink *base, GstCaps *caps)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (base);
  const gchar *role = gst_structure_get_string (gst_caps_get_structure (caps, 0), "role");
  RobocacheEncoderFormat *format;
  GError *error = NULL;

  self->is_live = ask_whether_live (self);
  self->is_command = self->settings.is_command || g_strcmp0 (role, COMMAND_ROLE) == 0;
  GST_CAT_DEBUG_OBJECT (self->category, self, "%s, %s: %" GST_PTR_FORMAT, self->is_live ? "live" : "not live", self->is_command ? "a command"
      : "no command", caps);
  format = robocache_encoder_format_new (caps, &error);
  if (format && check_message (self, format, &error) && check_command (self, &error)) {
    use_format (self, format);
    return TRUE;
  }
  g_clear_pointer (&format, robocache_encoder_format_free);
  return answer_bad_caps (self, error);
}

/* ---- topics ---- */

/* Two periods, so that a reader that was stopped drops what it finds. */
static gint64
lifespan_of (const GstRobocacheRosStream *self)
{
  if (self->settings.lifespan != ROBOCACHE_ROS_AUTO)
    return self->settings.lifespan;
  if (!self->is_command)
    return 0;
  if (self->format->rate_num > 0)
    return (gint64) gst_util_uint64_scale_int (COMMAND_LIFESPAN_PERIODS * GST_SECOND, self->format->rate_den, self->format->rate_num);
  return self->max_age_ns;
}

static gboolean
open_encoder (GstRobocacheRosStream *self, GstBuffer *buffer, GError **error)
{
  const RobocacheEncoderSettings settings = {
    .has_message = self->settings.message != ROBOCACHE_ROS_MESSAGE_AUTO,
    .message = (RobocacheRowMessageKind) MAX (self->settings.message, 0),
    .is_command = self->is_command
  };

  if (!self->encoder)
    set_encoder (self, robocache_encoder_format_new_tensors (self->format, &settings, buffer, error));
  return self->encoder != NULL;
}

static gboolean
open_publishers (GstRobocacheRosStream *self, GError **error)
{
  const guint depth = self->is_command ? COMMAND_DEPTH : self->format->info.n_tensors > 0 ? ROWS_DEPTH : DEFAULT_DEPTH;
  const RobocacheRosOffer offer = {
    .topic = self->settings.topic,
    .is_reliable = self->settings.reliability == ROBOCACHE_ROS_RELIABLE,
    .is_transient_local = self->settings.durability == ROBOCACHE_ROS_TRANSIENT_LOCAL,
    .depth = self->settings.depth > 0 ? self->settings.depth : depth,
    .lifespan_ns = lifespan_of (self),
  };
  GPtrArray *publishers;

  g_mutex_lock (&self->lock);
  publishers = self->publishers = robocache_ros_publishers_open (self->session, &offer, self->encoder, self->publishers, error);
  g_mutex_unlock (&self->lock);
  self->has_publishers = publishers != NULL;
  for (guint i = 0; publishers && i < publishers->len; i++) {
    const RobocacheRosPublisher *publisher = g_ptr_array_index (publishers, i);

    GST_CAT_INFO_OBJECT (self->category, self, "publishes %s of type %s: %s, %s, depth %u, lifespan %" GST_TIME_FORMAT, publisher->topic,
        publisher->type, offer.is_reliable ? "reliable" : "best effort", offer.is_transient_local ? "transient local" : "volatile", offer.depth,
        GST_TIME_ARGS (offer.lifespan_ns));
  }
  return publishers != NULL;
}

/* With the first buffer of caps, in PAUSED already, so that readers find the topics before the clock runs. */
static GstFlowReturn
prepare (GstRobocacheRosStream *self, GstBuffer *buffer)
{
  GError *error = NULL;

  if (self->faults.has_bad_caps)
    return GST_FLOW_OK;
  if (!self->format)
    return GST_FLOW_NOT_NEGOTIATED;
  if (self->has_publishers || (open_encoder (self, buffer, &error) && open_publishers (self, &error)))
    return GST_FLOW_OK;
  post_error (self, error);
  return GST_FLOW_ERROR;
}

static GstFlowReturn
preroll (GstBaseSink *base, GstBuffer *buffer)
{
  return prepare (GST_ROBOCACHE_ROS_STREAM (base), buffer);
}

/* ---- rows ---- */

/* A buffer while it is published. */
typedef struct
{
  GstRobocacheRosStream *stream;
  GstBuffer *buffer;
  RobocacheEncoderItems items;
  RobocacheBufferTimes times;
  GError *error;
} Publishing;

static gboolean
write_message (gpointer user_data, guint channel, const RobocacheCdrWriter *message)
{
  Publishing *publishing = user_data;
  GstRobocacheRosStream *self = publishing->stream;
  RobocacheRosPublisher *publisher = g_ptr_array_index (self->publishers, channel);
  const guint64 n_lost = robocache_dds_writer_count_lost (publisher->writer);
  const gboolean is_written = robocache_ros_publisher_write (publisher, message, &publishing->error);

  g_mutex_lock (&self->lock);
  self->counts.messages += is_written;
  self->counts.bytes += is_written ? message->size : 0;
  self->counts.lost += robocache_dds_writer_count_lost (publisher->writer) - n_lost;
  g_mutex_unlock (&self->lock);
  return is_written;
}

/* Whether a row is older than max-age now. */
static gboolean
is_too_old (GstRobocacheRosStream *self, gint64 running_ns)
{
  const GstClockTime now = self->max_age_ns > 0 ? robocache_running_time_now (GST_ELEMENT (self)) : GST_CLOCK_TIME_NONE;
  gint64 age_ns;

  if (!GST_CLOCK_TIME_IS_VALID (now))
    return FALSE;
  age_ns = (gint64) now - running_ns;
  if (age_ns <= self->max_age_ns)
    return FALSE;
  GST_CAT_LOG_OBJECT (self->category, self, "a row is dropped: it is %" GST_STIME_FORMAT " old", GST_STIME_ARGS (age_ns));
  count (self, &self->counts.too_old, 1);
  if (!self->has_warned_of_age)
    GST_ELEMENT_WARNING (self->owner, STREAM, FORMAT, ("%s: dropped a row that is %" G_GINT64_FORMAT " ms old, above max-age of %"
            G_GINT64_FORMAT " ms; further ones are counted in stats (rows-dropped-too-old)", self->pad_name, age_ns / (gint64) GST_MSECOND,
            self->max_age_ns / (gint64) GST_MSECOND), (NULL));
  self->has_warned_of_age = TRUE;
  return TRUE;
}

static gint64
duration_of (const Publishing *publishing)
{
  const GstClockTime duration = GST_BUFFER_DURATION (publishing->buffer);

  return GST_CLOCK_TIME_IS_VALID (duration) && duration < G_MAXINT64 ? (gint64) (duration / publishing->items.n_items) : -1;
}

/* UTC of a row; FALSE: messages cannot represent it. */
static gboolean
get_stamp (GstRobocacheRosStream *self, gint64 running_ns, gint64 *stamp_ns)
{
  gint64 origin_ns;

  GST_OBJECT_LOCK (self);
  origin_ns = self->origin_ns;
  GST_OBJECT_UNLOCK (self);
  return !__builtin_add_overflow (running_ns, origin_ns, stamp_ns) && *stamp_ns >= 0 && robocache_ros_stamp_fits (*stamp_ns);
}

/* Waits until a row is due, unless the base class has done so for the whole buffer. */
static GstFlowReturn
wait_for_row (GstRobocacheRosStream *self, const Publishing *publishing, guint64 item, gint64 running_ns)
{
  if (item == 0 && !publishing->items.times)
    return GST_FLOW_OK;
  return gst_base_sink_wait (GST_BASE_SINK (self), (GstClockTime) running_ns, NULL);
}

static GstFlowReturn
publish_row (GstRobocacheRosStream *self, Publishing *publishing, guint64 item)
{
  RobocacheEncoderTimes times = { {0, self->settings.frame_id}, duration_of (publishing) };
  GstFlowReturn flow;
  gint64 running_ns;

  if (!robocache_row_times_nth (&self->clock, &publishing->times, item, &running_ns)) {
    count (self, &self->counts.outside_segment, 1);
    return GST_FLOW_OK;
  }
  flow = wait_for_row (self, publishing, item, running_ns);
  if (flow != GST_FLOW_OK || is_too_old (self, running_ns))
    return flow;
  if (!get_stamp (self, running_ns, &times.header.stamp_ns)) {
    count (self, &self->counts.no_time, 1);
    return GST_FLOW_OK;
  }
  GST_CAT_LOG_OBJECT (self->category, self, "row at running time %" GST_STIME_FORMAT ", stamp %" G_GINT64_FORMAT, GST_STIME_ARGS (running_ns),
      times.header.stamp_ns);
  return self->encoder->class->write (self->encoder, item, &times, write_message, publishing) ? GST_FLOW_OK : GST_FLOW_ERROR;
}

static GstFlowReturn
publish_rows (GstRobocacheRosStream *self, Publishing *publishing)
{
  const guint64 n = publishing->items.n_items;
  GstFlowReturn flow = GST_FLOW_OK;

  count (self, &self->counts.buffers, 1);
  count (self, &self->counts.rows, n);
  if (robocache_row_times_begin (&self->clock, publishing->buffer, n, publishing->items.times, &publishing->times) != ROBOCACHE_BUFFER_TIMED) {
    if (self->counts.no_time == 0)
      robocache_row_times_warn (self->owner, GST_BASE_SINK_PAD (self));
    count (self, &self->counts.no_time, n);
    return GST_FLOW_OK;
  }
  for (guint64 i = 0; i < n && flow == GST_FLOW_OK; i++)
    flow = publish_row (self, publishing, i);
  return flow;
}

static GstFlowReturn
render (GstBaseSink *base, GstBuffer *buffer)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (base);
  Publishing publishing = { self, buffer };
  GstFlowReturn flow = prepare (self, buffer);

  if (flow != GST_FLOW_OK)
    return flow;
  if (self->faults.has_bad_caps) {
    count (self, &self->counts.malformed, 1);
    return GST_FLOW_OK;
  }
  if (self->encoder->class->begin (self->encoder, buffer, &publishing.items, &publishing.error)) {
    flow = publish_rows (self, &publishing);
    self->encoder->class->end (self->encoder);
  } else if (robocache_pad_faults_drop (self->is_live, publishing.error)) {
    count_malformed (self, publishing.error);
    g_clear_error (&publishing.error);
  } else {
    flow = GST_FLOW_ERROR;
  }
  if (publishing.error)
    post_error (self, publishing.error);
  return flow;
}

/* ---- events and queries ---- */

static gboolean
check_segment (GstRobocacheRosStream *self, GstEvent *event)
{
  const GstSegment *segment;
  GError *error = NULL;

  gst_event_parse_segment (event, &segment);
  if (segment->format != GST_FORMAT_TIME)
    g_set_error (&error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the segment is in %s: rows have times in a TIME segment; put a parser before "
        "the sink", gst_format_get_name (segment->format));
  else if (robocache_segment_check (segment, &error))
    robocache_row_times_set_segment (&self->clock, segment);
  if (error)
    post_error (self, error);
  return error == NULL;
}

static gboolean
handle_event (GstBaseSink *base, GstEvent *event)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (base);

  GST_CAT_DEBUG_OBJECT (self->category, self, "%" GST_PTR_FORMAT, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT && !check_segment (self, event)) {
    gst_event_unref (event);
    return FALSE;
  }
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    robocache_row_times_init (&self->clock);
  return GST_BASE_SINK_CLASS (gst_robocache_ros_stream_parent_class)->event (base, event);
}

/* ---- flexible tensors ---- */

/* They become static before the base class sees them. */
static GstFlowReturn
chain (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (parent);
  GError *error = NULL;
  GstFlowReturn flow = robocache_flexible_input_strip (&self->flexible, &buffer, &error);

  /* a new pad had no part in the state; a flush waits for its data */
  gst_base_sink_set_async_enabled (GST_BASE_SINK (self), TRUE);
  if (flow == GST_FLOW_OK)
    return self->chain (pad, parent, buffer);
  gst_buffer_unref (buffer);
  if (error && robocache_pad_faults_drop (self->is_live, error)) {
    count_malformed (self, error);
    g_error_free (error);
    return GST_FLOW_OK;
  }
  if (error)
    post_error (self, error);
  return flow;
}

static gboolean
pad_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (parent);
  const gboolean has_caps = GST_EVENT_TYPE (event) == GST_EVENT_CAPS;
  GError *error = NULL;

  if (!robocache_flexible_input_take_event (&self->flexible, event, &error))
    return self->event (pad, parent, event);
  if (has_caps)
    self->is_live = ask_whether_live (self);
  return error == NULL || answer_bad_caps (self, error);
}

static gboolean
pad_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (parent);
  gboolean is_answered;
  GstCaps *caps;

  if (robocache_flexible_input_refuses (&self->flexible, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) == GST_QUERY_ACCEPT_CAPS) {
    gst_query_parse_accept_caps (query, &caps);
    if (robocache_flexible_input_accepts (caps)) {
      gst_query_set_accept_caps_result (query, TRUE);
      return TRUE;
    }
  }
  is_answered = self->query (pad, parent, query);
  if (is_answered && GST_QUERY_TYPE (query) == GST_QUERY_CAPS)
    robocache_flexible_input_add_caps (query);
  return is_answered;
}

static void
put_before_base_class (GstRobocacheRosStream *self)
{
  GstPad *pad = GST_BASE_SINK_PAD (self);

  robocache_flexible_input_init (&self->flexible, pad);
  self->chain = GST_PAD_CHAINFUNC (pad);
  self->event = GST_PAD_EVENTFUNC (pad);
  self->query = GST_PAD_QUERYFUNC (pad);
  gst_pad_set_chain_function (pad, chain);
  gst_pad_set_event_function (pad, pad_event);
  gst_pad_set_query_function (pad, pad_query);
}

static gboolean
propose_allocation (GstBaseSink *base, GstQuery *query)
{
  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  return TRUE;
}

/* ---- start and stop ---- */

void
gst_robocache_ros_stream_start (GstRobocacheRosStream *self, const RobocacheRosSinkSession *session, RobocacheRosPadSettings *settings)
{
  self->settings = *settings;
  *settings = (RobocacheRosPadSettings) { 0 };
  self->session = session;
  self->has_warned_of_age = FALSE;
  self->faults = (RobocachePadFaults) { 0 };
  robocache_row_times_init (&self->clock);
  g_mutex_lock (&self->lock);
  self->counts = (Counts) { 0 };
  g_mutex_unlock (&self->lock);
  gst_base_sink_set_sync (GST_BASE_SINK (self), session->settings.sync);
}

void
gst_robocache_ros_stream_stop (GstRobocacheRosStream *self)
{
  GPtrArray *publishers;

  set_encoder (self, NULL);
  g_clear_pointer (&self->format, robocache_encoder_format_free);
  g_mutex_lock (&self->lock);
  publishers = g_steal_pointer (&self->publishers);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&publishers, g_ptr_array_unref);
  robocache_flexible_input_clear (&self->flexible);
  robocache_ros_pad_settings_clear (&self->settings);
  self->session = NULL;
}

void
gst_robocache_ros_stream_set_origin (GstRobocacheRosStream *self, gint64 origin_ns)
{
  GST_OBJECT_LOCK (self);
  self->origin_ns = origin_ns;
  GST_OBJECT_UNLOCK (self);
}

/* In PLAYING it may be silent: the state does not wait for it. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (element);
  GstStateChangeReturn changed;

  g_atomic_int_set (&self->transition, (gint) transition);
  changed = GST_ELEMENT_CLASS (gst_robocache_ros_stream_parent_class)->change_state (element, transition);
  g_atomic_int_set (&self->transition, 0);
  return changed == GST_STATE_CHANGE_ASYNC && transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING ? GST_STATE_CHANGE_SUCCESS : changed;
}

GstStateChange
gst_robocache_ros_stream_get_transition (GstRobocacheRosStream *self)
{
  return (GstStateChange) g_atomic_int_get (&self->transition);
}

/* ---- statistics ---- */

GstStructure *
gst_robocache_ros_stream_statistics (GstRobocacheRosStream *self)
{
  GstStructure *structure;
  guint n_readers = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; self->publishers && i < self->publishers->len; i++) {
    const RobocacheRosPublisher *publisher = g_ptr_array_index (self->publishers, i);

    n_readers += robocache_dds_writer_count_readers (publisher->writer);
  }
  structure = gst_structure_new ("stream", "buffers-in", G_TYPE_UINT64, self->counts.buffers, "rows-in", G_TYPE_UINT64, self->counts.rows,
      "messages", G_TYPE_UINT64, self->counts.messages, "bytes", G_TYPE_UINT64, self->counts.bytes, "messages-lost",
      G_TYPE_UINT64, self->counts.lost, "readers", G_TYPE_UINT,
      n_readers, "rows-dropped-too-old", G_TYPE_UINT64, self->counts.too_old, "rows-dropped-no-time", G_TYPE_UINT64, self->counts.no_time,
      "rows-dropped-outside-segment", G_TYPE_UINT64, self->counts.outside_segment, MALFORMED, G_TYPE_UINT64, self->counts.malformed, NULL);
  g_mutex_unlock (&self->lock);
  return structure;
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (object);

  g_mutex_clear (&self->lock);
  g_free (self->pad_name);
  G_OBJECT_CLASS (gst_robocache_ros_stream_parent_class)->finalize (object);
}

static void
gst_robocache_ros_stream_class_init (GstRobocacheRosStreamClass *klass)
{
  GstBaseSinkClass *base_class = GST_BASE_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  base_class->set_caps = set_caps;
  base_class->preroll = preroll;
  base_class->render = render;
  base_class->event = handle_event;
  base_class->propose_allocation = propose_allocation;
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
  robocache_add_pad_template (GST_ELEMENT_CLASS (klass), &sink_template, GST_TYPE_PAD);
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "ROS 2 topics of a stream", "Sink/Network",
      "Publishes a stream as topics of ROS 2", "The robocache authors");
}

static void
gst_robocache_ros_stream_init (GstRobocacheRosStream *self)
{
  g_mutex_init (&self->lock);
  put_before_base_class (self);
  gst_base_sink_set_last_sample_enabled (GST_BASE_SINK (self), FALSE);
  /* a message takes microseconds; the base class would add 20 ms */
  gst_base_sink_set_processing_deadline (GST_BASE_SINK (self), 0);
}

GstRobocacheRosStream *
gst_robocache_ros_stream_new (GstElement *owner, const gchar *pad_name, GstDebugCategory *category)
{
  /* not the pad's name: the pads are the children that have properties */
  gchar *name = g_strdup_printf ("stream_%s", pad_name);
  GstRobocacheRosStream *self = g_object_new (GST_TYPE_ROBOCACHE_ROS_STREAM, "name", name, NULL);

  g_free (name);
  self->owner = owner;
  self->pad_name = g_strdup (pad_name);
  self->category = category;
  return self;
}
