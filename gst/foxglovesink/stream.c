/* robocache: the stream of a pad of robocachefoxglovesink: its messages go to the channels of a server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include "common/ros/definitions.h"

/* An advertised topic. */
typedef struct
{
  RobocacheFoxgloveSession *session;
  gchar *topic;
  const gchar *type;
  RobocacheViewChannel *channel;
  RobocacheDerived *derived;    /* NULL: nothing is made of its messages */
  RobocacheViewChannel *derived_channel;
} Output;

struct _GstRobocacheFoxgloveStream
{
  GstRobocacheStreamSink parent;
  RobocacheFoxgloveSession *session;    /* constant while started; NULL: not started */
  gchar *topic;
  GPtrArray *outputs;           /* Output by channel of the encoder; the streaming thread */
};

G_DEFINE_TYPE (GstRobocacheFoxgloveStream, gst_robocache_foxglove_stream, GST_TYPE_ROBOCACHE_STREAM_SINK)

/* ---- topics made of others ---- */

/* The transforms of all streams are one topic. */
static RobocacheViewChannel *
tf_channel (RobocacheFoxgloveSession *session, const RobocacheViewTopic *topic)
{
  RobocacheViewChannel *channel;

  g_mutex_lock (&session->lock);
  if (!session->tf)
    session->tf = session->functions->add (session->server, topic);
  channel = session->tf;
  g_mutex_unlock (&session->lock);
  return channel;
}

static gboolean
has_own_channel (const Output *output)
{
  return output->derived && !g_str_equal (robocache_derived_topic (output->derived)->topic, ROBOCACHE_TF_TOPIC);
}

/* Takes derived. Viewers stay subscribed if its topic is that of the one before. */
static void
set_derived (Output *output, RobocacheDerived *derived)
{
  const gboolean had_channel = has_own_channel (output);
  RobocacheDerived *before = output->derived;

  output->derived = derived;
  if (had_channel && !has_own_channel (output))
    output->session->functions->remove (output->session->server, output->derived_channel);
  if (has_own_channel (output) && !had_channel)
    output->derived_channel = output->session->functions->add (output->session->server, robocache_derived_topic (derived));
  else if (derived && !has_own_channel (output))
    output->derived_channel = tf_channel (output->session, robocache_derived_topic (derived));
  g_clear_pointer (&before, robocache_derived_free);
}

static gboolean
is_derived_wanted (const Output *output)
{
  return output->derived && output->session->functions->is_wanted (output->derived_channel) && robocache_derived_is_due (output->derived);
}

/* ---- outputs ---- */

static void
output_free (gpointer data)
{
  Output *output = data;

  set_derived (output, NULL);
  output->session->functions->remove (output->session->server, output->channel);
  g_free (output->topic);
  g_free (output);
}

static RobocacheViewKind
kind_of (const gchar *type)
{
  static const gchar *const newest[] = { "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/PointCloud2",
    "robocache_msgs/msg/Tensor", NULL
  };

  if (g_strv_contains (newest, type))
    return ROBOCACHE_VIEW_NEWEST;
  return g_str_equal (type, "foxglove_msgs/msg/CompressedVideo") ? ROBOCACHE_VIEW_VIDEO : ROBOCACHE_VIEW_ROWS;
}

static Output *
output_new (RobocacheFoxgloveSession *session, const gchar *topic, const gchar *type)
{
  gchar *definition = robocache_ros_schema_text (type);
  const RobocacheViewTopic advertised = { topic, type, definition, kind_of (type) };
  Output *output = g_new0 (Output, 1);

  output->session = session;
  output->topic = g_strdup (topic);
  output->type = type;
  output->channel = session->functions->add (session->server, &advertised);
  g_free (definition);
  return output;
}

/* The output of these that has the topic and type, taken from them; NULL: none. */
static Output *
take_output (GPtrArray *outputs, const gchar *topic, const gchar *type)
{
  for (guint i = 0; i < outputs->len; i++) {
    const Output *output = g_ptr_array_index (outputs, i);

    if (g_str_equal (output->topic, topic) && g_str_equal (output->type, type))
      return g_ptr_array_steal_index (outputs, i);
  }
  return NULL;
}

/* Viewers stay subscribed over new caps of the same messages. Topics that end are withdrawn before new ones are advertised. */
static gboolean
open_channels (GstRobocacheStreamSink *stream, const RobocacheEncoder *encoder, GError **error)
{
  GstRobocacheFoxgloveStream *self = GST_ROBOCACHE_FOXGLOVE_STREAM (stream);
  const guint n = encoder->channels->len;
  const RobocacheEncoderChannel *channels = (const RobocacheEncoderChannel *) (gpointer) encoder->channels->data;
  Output **outputs = g_new0 (Output *, n);
  gchar **topics = g_new0 (gchar *, n);
  GstCaps *caps = gst_pad_get_current_caps (GST_BASE_SINK_PAD (stream));

  for (guint i = 0; i < n; i++) {
    topics[i] = g_strconcat (self->topic, channels[i].suffix, NULL);
    outputs[i] = take_output (self->outputs, topics[i], channels[i].type);
  }
  g_ptr_array_set_size (self->outputs, 0);
  for (guint i = 0; i < n; i++) {
    g_ptr_array_add (self->outputs, outputs[i] ? outputs[i] : output_new (self->session, topics[i], channels[i].type));
    set_derived (g_ptr_array_index (self->outputs, i), caps ? robocache_derived_new (&self->session->derived, topics[i], channels[i].type,
            caps) : NULL);
    g_free (topics[i]);
  }
  gst_clear_caps (&caps);
  g_free (topics);
  g_free (outputs);
  return TRUE;
}

/* ---- messages ---- */

static gboolean
check_format (GstRobocacheStreamSink *stream, const RobocacheEncoderFormat *format, GError **error)
{
  gst_base_sink_set_sync (GST_BASE_SINK (stream), GST_ROBOCACHE_FOXGLOVE_STREAM (stream)->session->sync
      && !gst_robocache_stream_sink_is_live (stream));
  return TRUE;
}

static gboolean
is_wanted (GstRobocacheStreamSink *stream, guint channel)
{
  const Output *output = g_ptr_array_index (GST_ROBOCACHE_FOXGLOVE_STREAM (stream)->outputs, channel);

  return output->session->functions->is_wanted (output->channel) || is_derived_wanted (output);
}

static void
publish (const Output *output, RobocacheViewChannel *channel, const RobocacheStreamTimes *times, const RobocacheCdrWriter *writer)
{
  const RobocacheViewMessage message = { times->log_ns, times->is_key, writer->data, writer->size };

  output->session->functions->publish (output->session->server, channel, &message);
}

static gboolean
write_message (GstRobocacheStreamSink *stream, guint channel, const RobocacheStreamTimes *times, const RobocacheCdrWriter *writer, GError **error)
{
  const Output *output = g_ptr_array_index (GST_ROBOCACHE_FOXGLOVE_STREAM (stream)->outputs, channel);
  const RobocacheCdrWriter *derived = is_derived_wanted (output) ? robocache_derived_make (output->derived, writer) : NULL;

  if (output->session->functions->is_wanted (output->channel))
    publish (output, output->channel, times, writer);
  if (derived)
    publish (output, output->derived_channel, times, derived);
  return TRUE;
}

/* ---- start and stop ---- */

void
gst_robocache_foxglove_stream_start (GstRobocacheFoxgloveStream *self, RobocacheFoxgloveSession *session, gchar *topic, const gchar *frame_id)
{
  self->session = session;
  self->topic = topic;
  gst_robocache_stream_sink_start (GST_ROBOCACHE_STREAM_SINK (self), frame_id);
}

void
gst_robocache_foxglove_stream_stop (GstRobocacheFoxgloveStream *self)
{
  g_ptr_array_set_size (self->outputs, 0);
  gst_robocache_stream_sink_stop (GST_ROBOCACHE_STREAM_SINK (self));
  g_clear_pointer (&self->topic, g_free);
  self->session = NULL;
}

/* ---- life ---- */

static void
finalize (GObject *object)
{
  g_ptr_array_unref (GST_ROBOCACHE_FOXGLOVE_STREAM (object)->outputs);
  g_free (GST_ROBOCACHE_FOXGLOVE_STREAM (object)->topic);
  G_OBJECT_CLASS (gst_robocache_foxglove_stream_parent_class)->finalize (object);
}

static void
gst_robocache_foxglove_stream_class_init (GstRobocacheFoxgloveStreamClass *klass)
{
  GstRobocacheStreamSinkClass *sink_class = GST_ROBOCACHE_STREAM_SINK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  sink_class->check_format = check_format;
  sink_class->open = open_channels;
  sink_class->is_wanted = is_wanted;
  sink_class->write = write_message;
  gst_element_class_set_static_metadata (GST_ELEMENT_CLASS (klass), "Foxglove topics of a stream", "Sink/Network",
      "Sends a stream to viewers", "The robocache authors");
}

static void
gst_robocache_foxglove_stream_init (GstRobocacheFoxgloveStream *self)
{
  self->outputs = g_ptr_array_new_with_free_func (output_free);
}
