/* robocache: the stream of a pad of robocacherossink: a sink that publishes its rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "common/element/errordomain.h"
#include "common/time/nanoseconds.h"
#include "common/time/rowtimes.h"

#define DEFAULT_DEPTH 10
/* of rows, which come often */
#define ROWS_DEPTH 100
#define COMMAND_DEPTH 1
#define COMMAND_MAX_AGE (100 * (gint64) GST_MSECOND)
#define COMMAND_LIFESPAN_PERIODS 2
/* Sinks pause before sources, whose last rows are of this time after. */
#define PAUSE_SPREAD (5 * (gint64) GST_MSECOND)
#define COMMAND_ROLE "command"

struct _GstRobocacheRosStream
{
  GstRobocacheStreamSink parent;

  /* constant while started */
  const RobocacheRosSinkSession *session;       /* NULL: not started */
  RobocacheRosPadSettings settings;

  /* the streaming thread */
  gboolean is_command, is_rows, has_warned_of_age;
  gint64 period_ns;             /* nominal, of buffers; 0: unknown */
  guint64 n_rows;               /* of a buffer, if it is rows */
  gint64 max_age_ns;            /* 0: none */

  GMutex lock;                  /* guards what follows against statistics */
  GPtrArray *publishers;        /* RobocacheRosPublisher items, by channel of the encoder; NULL: none */
  guint64 lost;                 /* messages that slow readers lost */
  guint64 too_old;              /* rows older than max-age */
  gint64 paused_at_ns;          /* running time of the last pause; no time: there was none */
};

G_DEFINE_TYPE (GstRobocacheRosStream, gst_robocache_ros_stream, GST_TYPE_ROBOCACHE_STREAM_SINK)

static GstDebugCategory *
category_of (GstRobocacheRosStream *self)
{
  return gst_robocache_stream_sink_get_owner (GST_ROBOCACHE_STREAM_SINK (self))->category;
}

/* ---- caps ---- */

/* Settings that would send stale commands. */
static gboolean
check_command (const GstRobocacheRosStream *self, GError **error)
{
  const RobocacheRosPadSettings *settings = &self->settings;

  if (!self->is_command || (settings->durability == ROBOCACHE_ROS_VOLATILE && settings->depth <= COMMAND_DEPTH))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "the stream is a command, and %s would send stale commands to %s readers: unset %s",
      settings->durability == ROBOCACHE_ROS_VOLATILE ? "depth above 1" : "durability=transient-local",
      settings->durability == ROBOCACHE_ROS_VOLATILE ? "slow" : "later", settings->durability == ROBOCACHE_ROS_VOLATILE ? "depth" : "durability");
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
take_rate (GstRobocacheRosStream *self, const RobocacheEncoderFormat *format)
{
  RobocacheRowLayout layout;

  self->period_ns = format->rate_num > 0 ? (gint64) gst_util_uint64_scale_int (GST_SECOND, format->rate_den, format->rate_num) : 0;
  self->is_rows = format->info.n_tensors > 0 && !format->encoder && robocache_row_layout_from_info (&layout, &format->info, NULL);
  self->n_rows = self->is_rows ? MAX (layout.n_rows, 1) : 1;
}

static gboolean
check_format (GstRobocacheStreamSink *stream, const RobocacheEncoderFormat *format, GError **error)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);
  const gchar *role = gst_structure_get_string (gst_caps_get_structure (format->caps, 0), "role");

  self->is_command = self->settings.is_command || g_strcmp0 (role, COMMAND_ROLE) == 0;
  take_rate (self, format);
  self->max_age_ns = MAX (self->settings.max_age, 0);
  if (self->settings.max_age == ROBOCACHE_ROS_AUTO && self->is_command)
    self->max_age_ns = COMMAND_MAX_AGE;
  GST_CAT_DEBUG_OBJECT (category_of (self), self, "%s", self->is_command ? "a command" : "no command");
  return check_message (self, format, error) && check_command (self, error);
}

/* ---- topics ---- */

/* Two periods of messages, so that a reader that was stopped drops what it finds. */
static gint64
lifespan_of (const GstRobocacheRosStream *self, gboolean is_rows)
{
  if (self->settings.lifespan != ROBOCACHE_ROS_AUTO)
    return self->settings.lifespan;
  if (!self->is_command)
    return 0;
  if (self->period_ns > 0)
    return COMMAND_LIFESPAN_PERIODS * self->period_ns / (gint64) (is_rows ? self->n_rows : 1);
  return self->max_age_ns;
}

static void
get_encoder_settings (GstRobocacheStreamSink *stream, RobocacheEncoderSettings *settings)
{
  const GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);

  settings->has_message = self->settings.message != ROBOCACHE_ROS_MESSAGE_AUTO;
  settings->message = (RobocacheRowMessageKind) MAX (self->settings.message, 0);
  settings->is_command = self->is_command;
}

static gboolean
open_publishers (GstRobocacheStreamSink *stream, const RobocacheEncoder *encoder, GError **error)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);
  /* a sample of one tensor looks like rows; its channels have suffixes */
  const gboolean is_rows = self->is_rows && *g_array_index (encoder->channels, RobocacheEncoderChannel, 0).suffix == '\0';
  const guint depth = self->is_command ? COMMAND_DEPTH : is_rows ? ROWS_DEPTH : DEFAULT_DEPTH;
  const RobocacheRosOffer offer = {
    .topic = self->settings.topic,
    .is_reliable = self->settings.reliability == ROBOCACHE_ROS_RELIABLE,
    .is_transient_local = self->settings.durability == ROBOCACHE_ROS_TRANSIENT_LOCAL,
    .depth = self->settings.depth > 0 ? self->settings.depth : depth,
    .lifespan_ns = lifespan_of (self, is_rows),
  };
  GPtrArray *publishers, *old;

  g_mutex_lock (&self->lock);
  old = g_steal_pointer (&self->publishers);
  g_mutex_unlock (&self->lock);
  publishers = robocache_ros_publishers_open (self->session, &offer, encoder, old, error);
  g_mutex_lock (&self->lock);
  self->publishers = publishers;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; publishers && i < publishers->len; i++) {
    const RobocacheRosPublisher *publisher = g_ptr_array_index (publishers, i);

    GST_CAT_INFO_OBJECT (category_of (self), self, "publishes %s of type %s: %s, %s, depth %u, lifespan %" GST_TIME_FORMAT, publisher->topic,
        publisher->type, offer.is_reliable ? "reliable" : "best effort", offer.is_transient_local ? "transient local" : "volatile", offer.depth,
        GST_TIME_ARGS (offer.lifespan_ns));
  }
  return publishers != NULL;
}

/* ---- rows ---- */

static gboolean
write_message (GstRobocacheStreamSink *stream, guint channel, const RobocacheStreamTimes *times, const RobocacheCdrWriter *message, GError **error)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);
  RobocacheRosPublisher *publisher = g_ptr_array_index (self->publishers, channel);
  const guint64 n_lost = robocache_dds->writer_count_lost (publisher->writer);
  const gboolean is_written = robocache_ros_publisher_write (publisher, message, error);

  g_mutex_lock (&self->lock);
  self->lost += robocache_dds->writer_count_lost (publisher->writer) - n_lost;
  g_mutex_unlock (&self->lock);
  return is_written;
}

/* Running time stands still in a pause, in which a live row gets older all the same. */
static gboolean
is_of_before_pause (GstRobocacheRosStream *self, gint64 running_ns)
{
  gboolean is_before;

  if (self->max_age_ns == 0 || !gst_robocache_stream_sink_is_live (GST_ROBOCACHE_STREAM_SINK (self)))
    return FALSE;
  g_mutex_lock (&self->lock);
  is_before = self->paused_at_ns != ROBOCACHE_NO_TIME && running_ns <= self->paused_at_ns + PAUSE_SPREAD;
  self->too_old += is_before;
  g_mutex_unlock (&self->lock);
  if (is_before)
    GST_CAT_LOG_OBJECT (category_of (self), self, "a row is dropped: it is of before the pause");
  return is_before;
}

/* FALSE: the row is older than max-age now, or of before a pause. */
static gboolean
accepts_row (GstRobocacheStreamSink *stream, gint64 running_ns)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);
  const RobocacheStreamOwner *owner = gst_robocache_stream_sink_get_owner (stream);
  const GstClockTime now = self->max_age_ns > 0 ? robocache_running_time_now (GST_ELEMENT (self)) : GST_CLOCK_TIME_NONE;
  gint64 age_ns;

  if (is_of_before_pause (self, running_ns))
    return FALSE;
  if (!GST_CLOCK_TIME_IS_VALID (now))
    return TRUE;
  age_ns = (gint64) now - running_ns;
  if (age_ns <= self->max_age_ns)
    return TRUE;
  GST_CAT_LOG_OBJECT (category_of (self), self, "a row is dropped: it is %" GST_STIME_FORMAT " old", GST_STIME_ARGS (age_ns));
  g_mutex_lock (&self->lock);
  self->too_old++;
  g_mutex_unlock (&self->lock);
  if (!self->has_warned_of_age)
    GST_ELEMENT_WARNING (owner->element, STREAM, FORMAT, ("%s: dropped a row that is %" G_GINT64_FORMAT " ms old, above max-age of %"
            G_GINT64_FORMAT " ms; further ones are counted in stats (rows-dropped-too-old)", owner->pad_name, age_ns / (gint64) GST_MSECOND,
            self->max_age_ns / (gint64) GST_MSECOND), (NULL));
  self->has_warned_of_age = TRUE;
  return FALSE;
}

/* ---- start and stop ---- */

void
gst_robocache_ros_stream_start (GstRobocacheRosStream *self, const RobocacheRosSinkSession *session, RobocacheRosPadSettings *settings)
{
  self->settings = *settings;
  *settings = (RobocacheRosPadSettings) { 0 };
  self->session = session;
  self->has_warned_of_age = FALSE;
  g_mutex_lock (&self->lock);
  self->lost = self->too_old = 0;
  self->paused_at_ns = ROBOCACHE_NO_TIME;
  g_mutex_unlock (&self->lock);
  gst_base_sink_set_sync (GST_BASE_SINK (self), session->settings.sync);
  gst_robocache_stream_sink_start (GST_ROBOCACHE_STREAM_SINK (self), self->settings.frame_id);
}

void
gst_robocache_ros_stream_stop (GstRobocacheRosStream *self)
{
  GPtrArray *publishers;

  g_mutex_lock (&self->lock);
  publishers = g_steal_pointer (&self->publishers);
  g_mutex_unlock (&self->lock);
  g_clear_pointer (&publishers, g_ptr_array_unref);
  gst_robocache_stream_sink_stop (GST_ROBOCACHE_STREAM_SINK (self));
  robocache_ros_pad_settings_clear (&self->settings);
  self->session = NULL;
}

/* ---- statistics ---- */

GstStructure *
gst_robocache_ros_stream_statistics (GstRobocacheStreamSink *stream)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (stream);
  GstStructure *structure = gst_robocache_stream_sink_statistics (stream);
  guint n_readers = 0;

  g_mutex_lock (&self->lock);
  for (guint i = 0; self->publishers && i < self->publishers->len; i++) {
    const RobocacheRosPublisher *publisher = g_ptr_array_index (self->publishers, i);

    n_readers += robocache_dds->writer_count_readers (publisher->writer);
  }
  gst_structure_set (structure, "messages-lost", G_TYPE_UINT64, self->lost, "readers", G_TYPE_UINT, n_readers, "rows-dropped-too-old", G_TYPE_UINT64,
      self->too_old, NULL);
  g_mutex_unlock (&self->lock);
  return structure;
}

/* ---- states ---- */

static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (element);

  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED) {
    const GstClockTime now = robocache_running_time_now (element);

    g_mutex_lock (&self->lock);
    self->paused_at_ns = GST_CLOCK_TIME_IS_VALID (now) ? (gint64) now : self->paused_at_ns;
    g_mutex_unlock (&self->lock);
  }
  return GST_ELEMENT_CLASS (gst_robocache_ros_stream_parent_class)->change_state (element, transition);
}

/* A flush begins running time anew. */
static gboolean
handle_event (GstBaseSink *base, GstEvent *event)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (base);

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_mutex_lock (&self->lock);
    self->paused_at_ns = ROBOCACHE_NO_TIME;
    g_mutex_unlock (&self->lock);
  }
  return GST_BASE_SINK_CLASS (gst_robocache_ros_stream_parent_class)->event (base, event);
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  GstRobocacheRosStream *self = GST_ROBOCACHE_ROS_STREAM (object);

  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (gst_robocache_ros_stream_parent_class)->finalize (object);
}

static void
gst_robocache_ros_stream_class_init (GstRobocacheRosStreamClass *klass)
{
  GstRobocacheStreamSinkClass *sink_class = GST_ROBOCACHE_STREAM_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  GST_ELEMENT_CLASS (klass)->change_state = change_state;
  GST_BASE_SINK_CLASS (klass)->event = handle_event;
  sink_class->check_format = check_format;
  sink_class->get_encoder_settings = get_encoder_settings;
  sink_class->open = open_publishers;
  sink_class->accepts_row = accepts_row;
  sink_class->write = write_message;
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "ROS 2 topics of a stream", "Sink/Network",
      "Publishes a stream as topics of ROS 2", "The robocache authors");
}

static void
gst_robocache_ros_stream_init (GstRobocacheRosStream *self)
{
  g_mutex_init (&self->lock);
}
