/* robocache: streams through robocachemcapmux and robocachemcapdemux, and what is left of them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <string.h>

#include "common/tensors/tensorcaps.h"
#include "tests/check/lib/checks.h"

#define N_BUFFERS 20
#define STEP (10 * GST_MSECOND)

/* ---- streams ---- */

#define TENSOR(type, dimensions) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)" type \
  ", dimensions=(string)" dimensions ", framerate=(fraction)100/1"
#define FOUR_ROWS "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)int16, dimensions=(string)\"2:4\", " \
  "framerate=(fraction)100/1, channels=(string)\"a,b\""

static const struct
{
  const gchar *caps;
  gsize size;                   /* of a buffer */
  guint rows;                   /* that leave for each buffer, 1 unless blocks are taken apart */
  const gchar *mux;             /* properties */
  const gchar *caps_out;        /* NULL: the same */
  guint8 mask;                  /* of the last byte of each number of type_size, so that it is no NaN */
  guint type_size;
  guint first_bytes;            /* of each buffer, from prefix */
  const gchar *prefix;
} streams[] = {
  /* joints, IMU, wrench and pose in each type that float64 holds; and in others */
  {TENSOR ("float32", "3") ", channels=(string)\"q2,q0,q1\", role=(string)proprio", 12, 1, "", NULL, 0xbf, 4},
  {TENSOR ("float64", "2") ", channels=(string)\"a.velocity,b.velocity\"", 16, 1, "", NULL, 0xbf, 8},
  {TENSOR ("float16", "2") ", channels=(string)\"a.effort,a.position\"", 4, 1, "", NULL, 0xbb, 2},
  {TENSOR ("bfloat16", "2") ", channels=(string)\"a,b\", role=(string)joints", 4, 1, "", NULL, 0xbf, 2},
  {TENSOR ("uint32", "6") ", channels=(string)\"fx,fy,fz,tx,ty,tz\", role=(string)force", 24, 1, "", NULL, 0xff, 4},
  {TENSOR ("int64", "6") ", channels=(string)\"fx,fy,fz,tx,ty,tz\", role=(string)force", 48, 1, "", NULL, 0xff, 8},
  {TENSOR ("float32", "10") ", channels=(string)\"ax,ay,az,gx,gy,gz,qw,qx,qy,qz\", role=(string)imu", 40, 1, "", NULL, 0xbf, 4},
  {TENSOR ("float32", "3") ", channels=(string)\"gx,gy,gz\", role=(string)imu", 12, 1, "", NULL, 0xbf, 4},
  {TENSOR ("float64", "7") ", channels=(string)\"x,y,z,qw,qx,qy,qz\", role=(string)pose", 56, 1, "", NULL, 0xbf, 8},
  /* rows of any channels, and without names */
  {TENSOR ("int8", "2") ", channels=(string)\"a,b\"", 2, 1, "", NULL, 0xff, 1},
  {TENSOR ("uint64", "2") ", channels=(string)\"a,b\", role=(string)counts", 16, 1, "", NULL, 0xff, 8},
  {TENSOR ("float32", "5"), 20, 1, "compression=zstd", NULL, 0xff, 4},
  {TENSOR ("float32", "1"), 4, 1, "compression=lz4", NULL, 0xff, 4},
  /* blocks of rows, taken apart or kept */
  {FOUR_ROWS, 16, 4, "", TENSOR ("int16", "2") ", channels=(string)\"a,b\"", 0xff, 2},
  {FOUR_ROWS, 16, 1, "keep-buffers=true", NULL, 0xff, 2},
  /* tensors, clouds, pictures, video */
  {TENSOR ("uint8", "\"2:3:4\""), 24, 1, "", NULL, 0xff, 1},
  {"application/x-pointcloud, fields=(string)\"x,y,z,intensity\", type=(string)float32, framerate=(fraction)10/1", 48, 1, "", NULL, 0xff, 4},
  {"application/x-pointcloud, fields=(string)\"x,y,z,ring\", types=(string)\"float32,float32,float32,uint16\", "
        "offsets=(string)\"0,4,8,12\", point-step=(int)16, framerate=(fraction)10/1", 48, 1, "", NULL, 0xff, 4},
  {"video/x-raw, format=(string)RGB, width=(int)3, height=(int)2, framerate=(fraction)30/1", 24, 1, "", NULL, 0xff, 1},
  {"video/x-raw, format=(string)GRAY16_LE, width=(int)4, height=(int)2, framerate=(fraction)30/1", 16, 1, "", NULL, 0xff, 1},
  {TENSOR ("float32", "\"4:3\"") ", picture=(string)32FC1", 48, 1, "", NULL, 0xff, 4},
  {TENSOR ("int16", "\"3:2:2\"") ", picture=(string)16SC3", 24, 1, "", NULL, 0xff, 2},
  {"image/jpeg, framerate=(fraction)10/1", 30, 1, "", NULL, 0xff, 1, 3, "\xff\xd8\xff"},
  {"image/png, framerate=(fraction)10/1", 30, 1, "", NULL, 0xff, 1, 8, "\x89PNG\r\n\x1a\n"},
  {"video/x-h264, stream-format=(string)byte-stream, alignment=(string)au, width=(int)4, height=(int)2", 20, 1, "", NULL, 0x7f, 1, 15,
        "\0\0\0\1\x67\x42\0\0\1\x68\x01\0\0\1\x65"},
  /* kinds of channels */
  {TENSOR ("float64", "7") ", channels=(string)\"x,y,z,qx,qy,qz,qw\", role=(string)pose, kinds=(string)\"real*3,quaternion\"", 56, 1, "", NULL,
        0xbf, 8},
  {TENSOR ("float32", "3") ", channels=(string)\"q2,q0,q1\", role=(string)proprio, kinds=(string)\"angle*3\"", 12, 1, "", NULL, 0xbf, 4},
  {TENSOR ("int8", "2") ", channels=(string)\"a,b\", kinds=(string)\"hold,real\"", 2, 1, "", NULL, 0xff, 1},
};

static void
fill_buffer (guint stream, guint index, guint8 *bytes)
{
  GRand *random = g_rand_new_with_seed (stream * 1000 + index);

  for (gsize i = 0; i < streams[stream].size; i++) {
    /* no start code of video */
    bytes[i] = (guint8) g_rand_int_range (random, streams[stream].prefix ? 2 : 0, 256);
    if (i % streams[stream].type_size == streams[stream].type_size - 1)
      bytes[i] &= streams[stream].mask;
  }
  if (streams[stream].prefix)
    memcpy (bytes, streams[stream].prefix, streams[stream].first_bytes);
  /* lines of RGB are padded with zeros */
  if (strstr (streams[stream].caps, "RGB"))
    for (gsize i = 9; i < streams[stream].size; i += 12)
      memset (bytes + i, 0, 3);
  g_rand_free (random);
}

/* ---- the way ---- */

static void
wait_for_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 20 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  GError *error = NULL;

  fail_unless (message != NULL, "no end after 20 s");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
push_buffers (GstElement *source, guint stream, guint first, guint n)
{
  GstCaps *caps = gst_caps_from_string (streams[stream].caps);
  GstFlowReturn ret;

  g_object_set (source, "caps", caps, NULL);
  for (guint i = first; i < first + n; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, streams[stream].size, NULL);
    GstMapInfo map;

    gst_buffer_map (buffer, &map, GST_MAP_WRITE);
    fill_buffer (stream, i, map.data);
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = i * STEP;
    GST_BUFFER_DURATION (buffer) = STEP;
    g_signal_emit_by_name (source, "push-buffer", buffer, &ret);
    gst_buffer_unref (buffer);
  }
  gst_caps_unref (caps);
}

/* Half of the buffers are of one stream, the others of the next. */
static void
record (guint stream, guint next, const gchar *path)
{
  gchar *launch = g_strdup_printf ("robocachemcapmux name=m time-origin=1700000000000000000 %s ! filesink location=%s "
      "appsrc name=a format=time ! m.sink_0", streams[stream].mux, path);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *source = gst_bin_get_by_name (GST_BIN (pipeline), "a");
  GstFlowReturn ret;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  push_buffers (source, stream, 0, N_BUFFERS / 2);
  push_buffers (source, next, N_BUFFERS / 2, N_BUFFERS / 2);
  g_signal_emit_by_name (source, "end-of-stream", &ret);
  wait_for_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (source);
  gst_object_unref (pipeline);
  g_free (launch);
}

typedef struct
{
  GPtrArray *buffers;
  GstCaps *caps;                /* of the first buffer */
  GstCaps *last_caps;
  guint n_pads;
} Output;

static GstPadProbeReturn
note_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Output *output = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER)
    g_ptr_array_add (output->buffers, gst_buffer_ref (GST_PAD_PROBE_INFO_BUFFER (info)));
  gst_clear_caps (&output->last_caps);
  output->last_caps = gst_pad_get_current_caps (pad);
  return GST_PAD_PROBE_OK;
}

static void
link_pad (GstElement *demux, GstPad *pad, gpointer user_data)
{
  Output *output = user_data;
  GstElement *bin = GST_ELEMENT (gst_object_get_parent (GST_OBJECT (demux))), *sink = gst_bin_get_by_name (GST_BIN (bin), "s");
  GstPad *sinkpad = gst_element_get_static_pad (sink, "sink");

  output->n_pads++;
  output->caps = gst_pad_get_current_caps (pad);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, note_data, output, NULL);
  fail_unless (gst_pad_link (pad, sinkpad) == GST_PAD_LINK_OK);
  gst_object_unref (sinkpad);
  gst_object_unref (sink);
  gst_object_unref (bin);
}

static void
play (const gchar *path, Output *output)
{
  gchar *launch = g_strdup_printf ("filesrc location=%s ! robocachemcapdemux name=d fakesink name=s sync=false", path);
  GstElement *pipeline = gst_parse_launch (launch, NULL), *demux = gst_bin_get_by_name (GST_BIN (pipeline), "d");

  *output = (Output) {.buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref) };
  g_signal_connect (demux, "pad-added", G_CALLBACK (link_pad), output);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (demux);
  gst_object_unref (pipeline);
  g_free (launch);
}

/* ---- what is left ---- */

static void
check_caps (guint stream, const GstCaps *found)
{
  GstCaps *caps = gst_caps_from_string (streams[stream].caps_out ? streams[stream].caps_out : streams[stream].caps);
  gchar *text = gst_caps_to_string (found), *expected = gst_caps_to_string (caps);

  /* a video has more fields, which follow from these */
  if (g_str_has_prefix (streams[stream].caps, "video/x-raw"))
    fail_unless (gst_caps_is_subset (found, caps), "%s are not %s", text, expected);
  else
    fail_unless (gst_caps_is_equal (found, caps), "%s are not %s", text, expected);
  g_free (expected);
  g_free (text);
  gst_caps_unref (caps);
}

static void
check_buffers (guint stream, const GPtrArray *found)
{
  const guint rows = streams[stream].rows;
  const gsize row_size = streams[stream].size / rows;
  guint8 *bytes = g_malloc (streams[stream].size);

  fail_unless_equals_int (found->len, N_BUFFERS * rows);
  for (guint i = 0; i < found->len; i++) {
    GstBuffer *buffer = g_ptr_array_index (found, i);

    fill_buffer (stream, i / rows, bytes);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), i * (STEP / rows));
    fail_unless_equals_int (gst_buffer_get_size (buffer), row_size);
    fail_unless (gst_buffer_memcmp (buffer, 0, bytes + i % rows * row_size, row_size) == 0, "buffer %u of stream %u differs", i, stream);
  }
  g_free (bytes);
}

GST_START_TEST (test_streams)
{
  gchar *path = NULL;
  const gint fd = g_file_open_tmp ("trip-XXXXXX.mcap", &path, NULL);
  Output output;

  fail_unless (fd >= 0 && g_close (fd, NULL));
  record (__i__, __i__, path);
  play (path, &output);
  fail_unless_equals_int (output.n_pads, 1);
  check_caps (__i__, output.caps);
  check_buffers (__i__, output.buffers);
  gst_caps_unref (output.caps);
  gst_caps_unref (output.last_caps);
  g_ptr_array_unref (output.buffers);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

/* Streams whose caps change to those of another. */
static const struct
{
  guint first, next;
} changes[] = { {0, 1}, {1, 0}, {9, 10}, {0, 9}, {16, 17}, {18, 19}, {20, 21}, {6, 7} };

GST_START_TEST (test_changes)
{
  const guint first = changes[__i__].first, next = changes[__i__].next;
  gchar *path = NULL;
  const gint fd = g_file_open_tmp ("trip-XXXXXX.mcap", &path, NULL);
  Output output;

  fail_unless (fd >= 0 && g_close (fd, NULL));
  record (first, next, path);
  play (path, &output);
  fail_unless (output.n_pads == 1, "%u pads", output.n_pads);
  fail_unless (output.buffers->len == N_BUFFERS, "%u buffers", output.buffers->len);
  check_caps (first, output.caps);
  check_caps (next, output.last_caps);
  gst_caps_unref (output.caps);
  gst_caps_unref (output.last_caps);
  g_ptr_array_unref (output.buffers);
  g_unlink (path);
  g_free (path);
}

GST_END_TEST;

CHECK_MAIN (roundtrip, NULL, NULL, EACH (streams, test_streams), EACH (changes, test_changes))
