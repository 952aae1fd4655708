/* robocache: a fuzzer of robocachemcapdemux
 *
 * The first bytes choose settings, the second ones topics, each of a type of ours with its definition, or of one whose definition is in the
 * input. The rest is messages: a byte of the topic, a byte of the time since the last one, two of the length, and the bytes, which the
 * greatest times have compressed by zstd. They go through the element in order of arrival and by random access. Both ways as many buffers come
 * out, each as large as its caps say.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "bench.h"
#include "common/mcap/compression.h"
#include "common/mcap/records.h"
#include "common/ros/definitions.h"

#define MAX_TOPICS 4
#define MAX_MESSAGES 40
#define MAX_PLAIN_STEP 191

/* ---- a recording ---- */

static const gchar *const types[] = { "sensor_msgs/JointState", "sensor_msgs/Imu", "geometry_msgs/WrenchStamped", "sensor_msgs/Image",
  "sensor_msgs/CompressedImage", "sensor_msgs/PointCloud2", "foxglove_msgs/CompressedVideo", "robocache_msgs/Row", "robocache_msgs/Tensor",
  "sensor_msgs/CameraInfo", "robocache_msgs/Tick", "tf2_msgs/TFMessage", "std_msgs/Float32MultiArray", "sensor_msgs/LaserScan",
  "nav_msgs/Odometry", "a_msgs/Any"
};

static const gchar *const noted_caps[] = { NULL, NULL, NULL, "other/tensors, format=static, num_tensors=1, types=(string)float32, "
      "dimensions=(string)6, framerate=0/1, channels=(string)\"fx,fy,fz,tx,ty,tz\"", "video/x-raw, format=RGB, width=1, height=1",
  "application/x-pointcloud, fields=(string)\"x,y,z\", type=(string)float32", "x", "other/tensors, format=static, num_tensors=2, "
      "types=(string)\"int8,int64\", dimensions=(string)\"2:2,2\", framerate=0/1, role=(string)joints, channels=(string)\"a,b\""
};

static guint8 *
read_bytes (Input *input, gsize announced, gsize *size)
{
  guint8 *bytes;

  *size = MIN (announced, input->n);
  bytes = g_malloc (*size);
  if (*size > 0)
    memcpy (bytes, input->bytes, *size);
  input->bytes += *size;
  input->n -= *size;
  return bytes;
}

static void
append_topic (GByteArray *file, Input *input, guint16 id)
{
  const gchar *type = input_pick (input, types), *caps = input_pick (input, noted_caps);
  gchar *text = robocache_ros_schema_text (type), *name = g_strdup_printf ("/%s/%u", id % 2 ? "camera" : "t", id);
  gchar **parts = g_strsplit (type, "/", 2), *long_name = g_strjoin ("/msg/", parts[0], parts[1], NULL);
  GByteArray *metadata = g_byte_array_new ();
  gsize size = text ? strlen (text) : 0;

  if (!text) {
    const gsize announced = input_two_bytes (input);

    text = (gchar *) read_bytes (input, announced, &size);
  }
  if (caps)
    robocache_mcap_append_text (metadata, "caps", caps);
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_SCHEMA, &(RobocacheMcapSchema) {id, robocache_mcap_text (long_name),
          robocache_mcap_text ("ros2msg"), {(const guint8 *) text, size}});
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHANNEL, &(RobocacheMcapChannel) {id, id, robocache_mcap_text (name),
          robocache_mcap_text ("cdr"), {metadata->data, metadata->len}});
  g_byte_array_unref (metadata);
  g_strfreev (parts);
  g_free (long_name);
  g_free (name);
  g_free (text);
}

/* Takes bytes; free with g_byte_array_unref. */
static GByteArray *
message_of (guint8 *bytes, gsize size, gboolean is_compressed)
{
  static RobocacheMcapCodec *codec;     /* costs more than a run */
  GByteArray *plain = g_byte_array_new_take (bytes, size), *packed = g_byte_array_new ();
  const RobocacheMcapBytes whole = { plain->data, plain->len };
  gboolean is_packed;

  if (!codec)
    codec = robocache_mcap_codec_new ();
  is_packed = is_compressed && robocache_mcap_compress (codec, ROBOCACHE_MCAP_ZSTD, whole, packed, NULL);
  g_byte_array_unref (is_packed ? plain : packed);
  return is_packed ? packed : plain;
}

static GByteArray *
make_file (Input *input)
{
  const guint n_topics = 1 + input_below (input, MAX_TOPICS);
  GByteArray *file = g_byte_array_new ();
  guint64 time = 1;

  g_byte_array_append (file, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_HEADER, &(RobocacheMcapHeader) {robocache_mcap_text ("ros2"), {NULL, 0}});
  for (guint i = 0; i < n_topics; i++)
    append_topic (file, input, (guint16) (i + 1));
  for (guint i = 0; i < MAX_MESSAGES && !input_is_empty (input); i++) {
    const guint topic = input_below (input, n_topics);
    const guint8 step = input_byte (input);
    const gsize announced = input_two_bytes (input);
    RobocacheMcapMessage message = { (guint16) (topic + 1), i };
    gsize size;
    guint8 *bytes = read_bytes (input, announced, &size);
    GByteArray *data = message_of (bytes, size, step > MAX_PLAIN_STEP);

    time += (guint64) step * 50 * GST_MSECOND;
    message.log_time = time;
    message.publish_time = step % 2 ? time : time - 1;
    message.data = (RobocacheMcapBytes) { data->data, data->len };
    robocache_mcap_append_record (file, ROBOCACHE_MCAP_MESSAGE, &message);
    g_byte_array_unref (data);
  }
  return file;
}

/* ---- a run ---- */

typedef struct
{
  GstElement *element;
  GstPad *source;               /* ours, before it */
  const GByteArray *file;
  GPtrArray *sinks;             /* ours, behind it */
  GMutex lock;
  GCond changed;
  gboolean has_ended;
  guint64 n_buffers;
} Run;

static void
end (Run *run)
{
  g_mutex_lock (&run->lock);
  run->has_ended = TRUE;
  g_cond_signal (&run->changed);
  g_mutex_unlock (&run->lock);
}

static GstFlowReturn
judge_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Run *run = g_object_get_data (G_OBJECT (pad), "run");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  GstEvent *segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  RobocacheTensorsInfo info;
  GstVideoInfo video;

  if (!caps || !segment)
    fuzz_fail ("a buffer before caps or segment");
  if (robocache_tensors_info_from_caps (&info, caps, NULL)) {
    if (gst_buffer_get_size (buffer) != robocache_tensors_info_size (&info))
      fuzz_fail ("a buffer of %" G_GSIZE_FORMAT " bytes, caps of %" G_GSIZE_FORMAT, gst_buffer_get_size (buffer),
          robocache_tensors_info_size (&info));
  } else if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "other/tensors")) {
    fuzz_fail ("caps of no tensors");
  }
  if (gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw") && gst_video_info_from_caps (&video, caps)
      && gst_buffer_get_size (buffer) != video.size)
    fuzz_fail ("a frame of %" G_GSIZE_FORMAT " bytes, caps of %" G_GSIZE_FORMAT, gst_buffer_get_size (buffer), video.size);
  if (!GST_BUFFER_PTS_IS_VALID (buffer))
    fuzz_fail ("a buffer without a time");
  gst_event_unref (segment);
  gst_caps_unref (caps);
  gst_buffer_unref (buffer);
  run->n_buffers++;
  return GST_FLOW_OK;
}

static gboolean
judge_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS)
    end (g_object_get_data (G_OBJECT (pad), "run"));
  gst_event_unref (event);
  return TRUE;
}

static void
link_pad (GstElement *element, GstPad *pad, gpointer user_data)
{
  static GstStaticPadTemplate any = GST_STATIC_PAD_TEMPLATE ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
  Run *run = user_data;
  GstPad *sink = gst_pad_new_from_static_template (&any, NULL);

  g_object_set_data (G_OBJECT (sink), "run", run);
  gst_pad_set_chain_function (sink, judge_buffer);
  gst_pad_set_event_function (sink, judge_event);
  gst_pad_set_active (sink, TRUE);
  if (gst_pad_link (pad, sink) != GST_PAD_LINK_OK)
    fuzz_fail ("a pad cannot be linked");
  g_ptr_array_add (run->sinks, gst_object_ref_sink (sink));
}

static GstBusSyncReply
note_error (GstBus *bus, GstMessage *message, gpointer run)
{
  GError *error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    end (run);
  } else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING) {
    gst_message_parse_warning (message, &error, NULL);
  }
  if (error && !g_utf8_validate (error->message, -1, NULL))
    fuzz_fail ("a message is no UTF-8");
  g_clear_error (&error);
  gst_message_unref (message);
  return GST_BUS_DROP;
}

static GstFlowReturn
get_range (GstPad *pad, GstObject *parent, guint64 offset, guint size, GstBuffer **buffer)
{
  const Run *run = g_object_get_data (G_OBJECT (pad), "run");
  const gsize n = offset < run->file->len ? MIN (size, run->file->len - offset) : 0;

  if (n == 0)
    return GST_FLOW_EOS;
  if (*buffer == NULL)
    *buffer = gst_buffer_new_allocate (NULL, n, NULL);
  gst_buffer_set_size (*buffer, gst_buffer_fill (*buffer, 0, run->file->data + offset, n));
  return GST_FLOW_OK;
}

static gboolean
answer (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Run *run = g_object_get_data (G_OBJECT (pad), "run");
  const gboolean is_random = g_object_get_data (G_OBJECT (pad), "random") != NULL;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_SCHEDULING:
      gst_query_set_scheduling (query, GST_SCHEDULING_FLAG_SEEKABLE, 1, -1, 0);
      gst_query_add_scheduling_mode (query, GST_PAD_MODE_PUSH);
      if (is_random)
        gst_query_add_scheduling_mode (query, GST_PAD_MODE_PULL);
      return TRUE;
    case GST_QUERY_DURATION:
      gst_query_set_duration (query, GST_FORMAT_BYTES, run->file->len);
      return TRUE;
    default:
      return FALSE;
  }
}

static gboolean
activate (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  return TRUE;
}

static void
push_file (Run *run, gsize block)
{
  GstFlowReturn ret = GST_FLOW_OK;
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_pad_push_event (run->source, gst_event_new_stream_start ("fuzz"));
  gst_pad_push_event (run->source, gst_event_new_segment (&segment));
  for (gsize at = 0; at < run->file->len && ret == GST_FLOW_OK; at += block)
    ret = gst_pad_push (run->source, gst_buffer_new_memdup (run->file->data + at, MIN (block, run->file->len - at)));
  if (ret == GST_FLOW_OK)
    gst_pad_push_event (run->source, gst_event_new_eos ());
  else if (ret != GST_FLOW_EOS && !run->has_ended)
    fuzz_fail ("no error, but %s", gst_flow_get_name (ret));
}

static void
open_run (Run *run, const GByteArray *file, const gchar *const settings[2], gboolean is_random)
{
  GstPad *sink;
  GstBus *bus = gst_bus_new ();

  *run = (Run) {.element = gst_object_ref_sink (gst_element_factory_make ("robocachemcapdemux", NULL)),.file = file };
  g_mutex_init (&run->lock);
  g_cond_init (&run->changed);
  run->sinks = g_ptr_array_new ();
  run->source = gst_object_ref_sink (gst_pad_new ("source", GST_PAD_SRC));
  g_object_set_data (G_OBJECT (run->source), "run", run);
  g_object_set_data (G_OBJECT (run->source), "random", is_random ? run : NULL);
  gst_pad_set_getrange_function (run->source, get_range);
  gst_pad_set_query_function (run->source, answer);
  gst_pad_set_activatemode_function (run->source, activate);
  g_object_set (run->element, "fields", settings[0], "joints", settings[1], NULL);
  gst_util_set_object_arg (G_OBJECT (run->element), "start", "keep");
  gst_bus_set_sync_handler (bus, note_error, run, NULL);
  gst_element_set_bus (run->element, bus);
  gst_object_unref (bus);
  g_signal_connect (run->element, "pad-added", G_CALLBACK (link_pad), run);
  sink = gst_element_get_static_pad (run->element, "sink");
  gst_pad_link (run->source, sink);
  gst_object_unref (sink);
  if (!is_random)
    gst_pad_set_active (run->source, TRUE);
  gst_element_set_state (run->element, GST_STATE_PAUSED);
}

static void
close_run (Run *run)
{
  gst_element_set_state (run->element, GST_STATE_NULL);
  gst_pad_set_active (run->source, FALSE);
  for (guint i = 0; i < run->sinks->len; i++) {
    gst_pad_set_active (g_ptr_array_index (run->sinks, i), FALSE);
    gst_object_unref (g_ptr_array_index (run->sinks, i));
  }
  g_ptr_array_unref (run->sinks);
  gst_element_set_bus (run->element, NULL);
  gst_object_unref (run->element);
  gst_object_unref (run->source);
  g_mutex_clear (&run->lock);
  g_cond_clear (&run->changed);
}

/* The number of buffers that come out. */
static guint64
read_file (const GByteArray *file, const gchar *const settings[2], gsize block)
{
  guint64 n;
  Run run;

  open_run (&run, file, settings, block == 0);
  if (block > 0)
    push_file (&run, block);
  g_mutex_lock (&run.lock);
  while (!run.has_ended)
    g_cond_wait (&run.changed, &run.lock);
  g_mutex_unlock (&run.lock);
  close_run (&run);
  n = run.n_buffers;
  return n;
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  static const gchar *const fields[] = { "", "", "*", "/t/*:*", "/camera/1:*stamp*,x,data[1]", "header" };
  static const gchar *const joints[] = { "", "", "a", "b,a;c" };
  static const gsize blocks[] = { 4096, 1, 7, 100 };
  Input input = { bytes, n };
  const gchar *settings[2];
  guint64 in_order, by_index;
  GByteArray *file;
  gsize block;

  settings[0] = input_pick (&input, fields);
  settings[1] = input_pick (&input, joints);
  block = input_pick (&input, blocks);
  file = make_file (&input);
  in_order = read_file (file, settings, block);
  by_index = read_file (file, settings, 0);
  if (in_order != by_index)
    fuzz_fail ("%" G_GUINT64_FORMAT " buffers in order of arrival, %" G_GUINT64_FORMAT " by random access", in_order, by_index);
  g_byte_array_unref (file);
  return 0;
}
