/* robocache: messages of robocacherossink: those of the recorder, to the byte, and those that a property selects
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <string.h>

#include "common/mcap/read/fileindex.h"
#include "common/mcap/read/stream.h"
#include "common/ros/messageencoders.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/dds/sinkrun.h"

/* ---- the bytes of the recorder ---- */

/* A stream, from a launch line or from caps and the size of buffers, and topics that it has beside /x. A line of CSV is a file that
 * robocacheparse reads. */
static const struct
{
  const gchar *launch, *csv, *caps;
  gsize size;
  const gchar *topics;          /* "SUFFIX TYPE", separated by ; */
} streams[] = {
  {"robocachetestsrc kind=proprio channels=3 num-buffers=5", NULL, NULL, 0, " sensor_msgs/msg/JointState"},
  {"robocachetestsrc kind=imu num-buffers=5", NULL, NULL, 0, " sensor_msgs/msg/Imu"},
  {"robocachetestsrc kind=force num-buffers=5", NULL, NULL, 0, " geometry_msgs/msg/WrenchStamped"},
  {"robocacheparse", "t,x,y,z,qx,qy,qz,qw\n0,1,2,3,0,0,0,1\n0.01,4,5,6,1,0,0,0\n", NULL, 0, " geometry_msgs/msg/PoseStamped"},
  {"robocacheparse", "t,a,b\n0,1,2\n0.01,4,5\n", NULL, 0, " robocache_msgs/msg/Row"},
  {NULL, NULL, "other/tensors,format=static,num_tensors=1,types=int16,dimensions=(string)3:4,framerate=100/1", 24, " robocache_msgs/msg/Row"},
  {NULL, NULL, "other/tensors,format=static,num_tensors=2,types=(string)\"uint8,float32\",dimensions=(string)\"2:2:3,5\",framerate=100/1", 32,
        "/0 robocache_msgs/msg/Tensor;/1 robocache_msgs/msg/Row"},
  {"robocachetestsrc kind=points channels=20 num-buffers=2 rate=50/1", NULL, NULL, 0, " sensor_msgs/msg/PointCloud2"},
  {"robocachetestsrc kind=points channels=20 num-buffers=2 rate=50/1 ! robocachevoxelize grid=2:3:4 voxel-size=<1.0,1.0,1.0>", NULL, NULL, 0,
        " robocache_msgs/msg/Tensor"},
  {NULL, NULL, "video/x-raw,format=RGB,width=3,height=2,framerate=100/1", 24, " sensor_msgs/msg/Image"},
  {NULL, NULL, "other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)3:2,framerate=100/1,picture=(string)32FC1", 24,
        " sensor_msgs/msg/Image"},
  {NULL, NULL, "image/jpeg,framerate=100/1", 11, " sensor_msgs/msg/CompressedImage"},
  {NULL, NULL, "image/png,framerate=100/1", 13, " sensor_msgs/msg/CompressedImage"},
  {"videotestsrc num-buffers=3 ! video/x-raw,format=I420,width=16,height=16,framerate=100/1 ! x264enc bframes=0 tune=zerolatency "
        "! video/x-h264,stream-format=byte-stream,alignment=au", NULL, NULL, 0, " foxglove_msgs/msg/CompressedVideo"},
  {"robocachetestsrc kind=force num-buffers=30 ! robocachefuse rate=100/1 info=tensor name=f robocachetestsrc num-buffers=4 channels=2 ! f.sink_1 f.",
        NULL, NULL, 0, "/sink_0 robocache_msgs/msg/Row;/sink_1 robocache_msgs/msg/Row;/info robocache_msgs/msg/Tensor;/tick robocache_msgs/msg/Tick"},
};

static gchar *
source_of (guint i, const gchar *csv)
{
  if (streams[i].csv)
    return g_strdup_printf ("filesrc location=%s ! %s", csv, streams[i].launch);
  return g_strdup (streams[i].launch ? streams[i].launch : "appsrc name=a0 format=time");
}

/* Name in DDS of a topic of the recorder. */
static gchar *
published_name (const gchar *suffix)
{
  const gboolean is_number = *suffix == '/' && g_ascii_isdigit (suffix[1]);

  return g_strconcat ("/x", is_number ? "/tensor_" : "", suffix + is_number, NULL);
}

/* Opens a reader for each topic, once its publisher is known: what is sent before is lost. Returns their number. */
static guint
listen_to (Peer *peer, gchar **topics)
{
  guint n = 0;

  for (; topics[n]; n++) {
    gchar **words = g_strsplit (topics[n], " ", 2), *name = published_name (words[0]);

    peer_do (peer, "listen %s %s reliable volatile 1000", name, words[1]);
    peer_do (peer, "publisher %s", name);
    g_free (name);
    g_strfreev (words);
  }
  return n;
}

/* Compares the messages of a recording with those of the readers. */
static void
compare_recording (const gchar *path, Peer *peer, gchar **topics)
{
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapDefinitions *definitions = robocache_mcap_definitions_new ();
  RobocacheMcapStreamRecord record;
  gsize size;
  gchar *file;
  guint n = 0;

  fail_unless (g_file_get_contents (path, &file, &size, NULL));
  robocache_mcap_stream_push (stream, (const guint8 *) file, size);
  while (robocache_mcap_stream_next (stream, &record, NULL) == ROBOCACHE_MCAP_STREAM_RECORD) {
    const RobocacheMcapMessage *message = &record.record.message;
    const gchar *topic;

    if (record.opcode != ROBOCACHE_MCAP_MESSAGE) {
      robocache_mcap_definitions_add (definitions, record.opcode, record.content, NULL);
      continue;
    }
    topic = robocache_mcap_definitions_channel (definitions, message->channel_id)->topic;
    for (guint i = 0; topics[i]; i++) {
      const gsize length = (gsize) (strchr (topics[i], ' ') - topics[i]);
      Received received;

      if (strlen (topic) != 2 + length || strncmp (topic + 2, topics[i], length) != 0)
        continue;
      received = receive (peer, i);
      expect_message_bytes (received.bytes, message->data.data, message->data.size, topic);
      g_byte_array_unref (received.bytes);
      n++;
    }
  }
  fail_unless (n >= 2);
  for (guint i = 0; topics[i]; i++)
    fail_unless_equals_int (waiting (peer, i), 0);
  g_free (file);
  robocache_mcap_definitions_free (definitions);
  robocache_mcap_stream_free (stream);
}

static void
push_pattern (SinkRun *live, gsize size)
{
  for (guint i = 0; i < 4; i++) {
    guint8 *bytes = bytes_of_message (i, size);

    push_bytes (live, 0, i * PERIOD, bytes, size);
    g_free (bytes);
  }
  end_stream (live, 0);
}

static gboolean
has_elements (const gchar *launch)
{
  GstElementFactory *factory = launch && strstr (launch, "x264enc") ? gst_element_factory_find ("x264enc") : NULL;
  const gboolean has = factory != NULL || !launch || !strstr (launch, "x264enc");

  gst_clear_object (&factory);
  return has;
}

/* Published messages have the bytes that robocachemcapsink records of the same stream. */
GST_START_TEST (test_bytes)
{
  gchar *path = g_strdup_printf ("%s/rossink-%d.mcap", g_get_tmp_dir (), (gint) getpid ());
  gchar *csv = streams[__i__].csv ? make_csv (streams[__i__].csv) : NULL, *source = source_of (__i__, csv);
  gchar **topics = g_strsplit (streams[__i__].topics, ";", -1);
  Peer *peer;
  SinkRun live;
  guint n;

  if (!has_elements (source)) {
    g_print ("SKIP test_bytes: x264enc is missing\n");
    return;
  }
  sink_run_begin (&live, 40, "%s ! tee name=t ! queue ! robocachemcapsink name=m location=%s sink_0::topic=/x sink_0::frame-id=base t. ! queue "
      "! robocacherossink name=s sink_0::topic=/x sink_0::frame-id=base", source, path);
  if (live.sources[0])
    live_set_caps (&live, 0, "%s", streams[__i__].caps);
  gst_child_proxy_set (GST_CHILD_PROXY (live.pipeline), "m::time-origin", ORIGIN_S * (gint64) GST_SECOND, NULL);
  live_set (&live, GST_STATE_PAUSED);
  if (live.sources[0])
    push_pattern (&live, streams[__i__].size);
  live_reach (&live, GST_STATE_PAUSED);
  peer = peer_start (40);
  n = listen_to (peer, topics);
  sink_run_wait_for_count (&live, "sink_0", "readers", n);
  live_set (&live, GST_STATE_PLAYING);
  wait_for_eos (&live);
  compare_recording (path, peer, topics);
  fail_unless_equals_uint64 (sink_count (&live, "sink_0", "messages-lost"), 0);
  sink_run_end (&live);
  peer_stop (peer);
  g_unlink (path);
  if (csv)
    g_unlink (csv);
  g_strfreev (topics);
  g_free (source);
  g_free (csv);
  g_free (path);
}

GST_END_TEST;

/* ---- messages that a pad's property selects ---- */

static const gdouble numbers[] = { 1.5, -2, 3, 4, 5.25, -6 };
static const RobocacheRosHeader stamp = { ORIGIN_S * (gint64) GST_SECOND, "base" };

static void
write_joints (RobocacheCdrWriter *writer)
{
  static const gchar *const names[] = { "a", "b" };

  robocache_ros_write_joint_state (writer, &stamp, names, 2, numbers, NULL, NULL);
}

static void
write_twist (RobocacheCdrWriter *writer)
{
  robocache_ros_write_twist (writer, &stamp, numbers, numbers + 3);
}

static void
write_wrench (RobocacheCdrWriter *writer)
{
  robocache_ros_write_wrench (writer, &stamp, numbers, numbers + 3);
}

static void
write_array (RobocacheCdrWriter *writer)
{
  robocache_ros_write_float64_multi_array (writer, numbers, 2);
}

/* fields: of the caps, besides float64 rows. */
static const struct
{
  const gchar *fields, *settings;
  guint channels;
  const gchar *type;
  void (*write) (RobocacheCdrWriter *writer);
} messages[] = {
  {"channels=(string)\"a,b\"", "message=joint-state", 2, "sensor_msgs/msg/JointState", write_joints},
  {"channels=(string)\"a,b\",role=joints", "command=true", 2, "sensor_msgs/msg/JointState", write_joints},
  {"channels=(string)\"vx,vy,vz,wx,wy,wz\"", "message=twist", 6, "geometry_msgs/msg/TwistStamped", write_twist},
  {"role=command", "message=twist", 6, "geometry_msgs/msg/TwistStamped", write_twist},
  {"role=command", "message=wrench", 6, "geometry_msgs/msg/WrenchStamped", write_wrench},
  {"channels=(string)\"a,b\"", "message=float64-multi-array", 2, ARRAY, write_array},
  {"channels=(string)\"a,b\",role=command", "", 2, ARRAY, write_array},
};

GST_START_TEST (test_messages)
{
  gchar *settings = on_pad (messages[__i__].settings);
  RobocacheCdrWriter expected = { 0 };
  Received received;
  Peer *peer;
  SinkRun live;

  sink_run_begin (&live, 41, "appsrc name=a0 format=time ! robocacherossink name=s sink_0::topic=/x sink_0::frame-id=base "
      "sink_0::lifespan=0%s", settings);
  live_set_caps (&live, 0, "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)%u,framerate=100/1,%s",
      messages[__i__].channels, messages[__i__].fields);
  live_set (&live, GST_STATE_PAUSED);
  push_bytes (&live, 0, 0, numbers, messages[__i__].channels * sizeof (gdouble));
  live_reach (&live, GST_STATE_PAUSED);
  peer = peer_start (41);
  peer_do (peer, "listen /x %s reliable volatile 10", messages[__i__].type);
  peer_do (peer, "publisher /x");
  sink_run_wait_for_count (&live, "sink_0", "readers", 1);
  live_set (&live, GST_STATE_PLAYING);
  received = receive (peer, 0);
  messages[__i__].write (&expected);
  expect_message_bytes (received.bytes, expected.data, expected.size, messages[__i__].type);
  sink_run_end (&live);
  peer_stop (peer);
  g_byte_array_unref (received.bytes);
  robocache_cdr_writer_clear (&expected);
  g_free (settings);
}

GST_END_TEST;

CHECK_MAIN_IF (messages, dds_network_begin ("messages"), NULL, NULL,
    EACH (streams, test_bytes);
    EACH (messages, test_messages));
