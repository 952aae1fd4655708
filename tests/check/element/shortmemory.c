/* robocache: elements whose streams decide sizes that memory does not have: one error each, and no abort
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"
#include "tests/check/lib/memorylimit.h"
#include "tests/check/lib/checks.h"

#define MB (G_GUINT64_CONSTANT (1) << 20)
#define FEW (16 * MB)           /* less than what is tested; malloc maps the latter, which is more than 32 MiB */

/* One error of memory, whose text has the words; within 10 s. */
static void
expect_no_memory (GstBus *bus, const gchar *of, const gchar *words)
{
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 10 * GST_SECOND, GST_MESSAGE_ERROR);
  GError *error = NULL;

  fail_unless (message != NULL, "no error");
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT), "%s", error->message);
  fail_unless (strstr (error->message, of) && strstr (error->message, words), "\"%s\" lacks \"%s\" or \"%s\"", error->message, of,
      words);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
}

/* n memories, each of the same bytes. */
static GstBuffer *
buffer_of_memories (guint n, gpointer data, gsize bytes, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n; i++)
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, data, bytes, 0, bytes, NULL, NULL));
  GST_BUFFER_PTS (buffer) = pts;
  GST_BUFFER_DURATION (buffer) = 100 * GST_MSECOND;
  return buffer;
}

/* ---- robocachefuse ---- */

static const struct
{
  const gchar *caps, *bytes;
} frames[] = {
  {"video/x-raw,format=RGBA,width=32767,height=32767,framerate=10/1", "rows of 4294705156 bytes"},
  {"video/x-raw,format=RGB,width=32767,height=32767,framerate=0/1", "rows of 3221028867 bytes"},
  {"video/x-raw,format=GRAY8,width=32767,height=32767,framerate=10/1", "rows of 1073676289 bytes"},
  {F32 ("1000000000"), "rows of 4000000000 bytes"},
  {F32 ("1:1000000000"), "rows of 4 bytes"},
};

GST_START_TEST (frames_of_any_size)
{
  Rig *rig = rig_new ("rate=10/1");
  Feed *feed = feed_new_bare (rig, __i__ < 3 ? "camera_0" : "sink_0", FALSE);
  rlim_t before;

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("a"));
  before = limit_memory (2048 * MB);
  feed_caps (feed, frames[__i__].caps);
  restore_memory (before);
  feed_segment (feed);
  expect_no_memory (rig->bus, GST_OBJECT_NAME (feed->sink), frames[__i__].bytes);
  fail_unless_equals_int (feed_bytes (feed, 0, "", 1), GST_FLOW_NOT_NEGOTIATED);
  rig_free (rig);
}

GST_END_TEST;

/* Each fits, but not all of them. */
GST_START_TEST (frames_of_several_cameras)
{
  static const gchar *caps = "video/x-raw,format=GRAY8,width=8000,height=8000,framerate=10/1";
  Rig *rig = rig_new ("rate=10/1");
  Feed *feeds[4];
  rlim_t before;

  for (guint i = 0; i < G_N_ELEMENTS (feeds); i++)
    feeds[i] = feed_new_bare (rig, "camera_%u", FALSE);
  rig_play (rig);
  before = limit_memory (1024 * MB);
  for (guint i = 0; i < G_N_ELEMENTS (feeds); i++) {
    feed_event (feeds[i], gst_event_new_stream_start ("a"));
    feed_caps (feeds[i], caps);
  }
  restore_memory (before);
  expect_no_memory (rig->bus, "camera_", "000000 bytes of other pads");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (rows_of_a_block)
{
  Feed *feed;
  Rig *rig = rig_new ("rate=10/1");
  gfloat *block = g_new0 (gfloat, 6000000);
  rlim_t before;

  feed = feed_new_bare (rig, "sink_0", FALSE);
  rig_play (rig);
  feed_start (feed, F32 ("1:6000000"));
  before = limit_memory (64 * MB);
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer_of_memories (1, block, 24000000, 0)), GST_FLOW_ERROR);
  restore_memory (before);
  expect_no_memory (rig->bus, "sink_0", "rows of 4 bytes");
  rig_free (rig);
  g_free (block);
}

GST_END_TEST;

/* A mean of 80 MB of rows. */
GST_START_TEST (rows_of_a_tick)
{
  Rig *rig = rig_new ("rate=1/1");
  gfloat *block = g_new0 (gfloat, 20000000);
  GstBuffer *buffer = buffer_of_memories (1, block, 80000000, 0);
  Feed *feed;
  rlim_t before;

  feed = feed_new_bare (rig, "sink_0", FALSE);
  set_all (feed->sink, "interpolation=mean");
  rig_play (rig);
  feed_start (feed, F32 ("1000000:20"));
  GST_BUFFER_DURATION (buffer) = 450 * GST_MSECOND;
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  before = limit_memory (FEW);
  feed_eos (feed);
  expect_no_memory (rig->bus, "no memory for", "the rows of a tick: 80000000 bytes");
  restore_memory (before);
  rig_free (rig);
  g_free (block);
}

GST_END_TEST;

/* What DRAIN asks for back is kept, since it cannot be copied. */
GST_START_TEST (frames_that_cannot_be_copied)
{
  Rig *rig = rig_new ("rate=10/1");
  guint8 *frame = g_malloc0 (40000000);
  GstQuery *query = gst_query_new_drain ();
  Feed *camera, *other;
  rlim_t before;

  camera = feed_new_bare (rig, "camera_0", FALSE);
  other = feed_new_bare (rig, "sink_0", FALSE);
  rig_play (rig);
  feed_start (other, ONE_CHANNEL);
  feed_start (camera, "video/x-raw,format=GRAY8,width=8000,height=5000,framerate=10/1");
  fail_unless_equals_int (gst_pad_push (camera->pad, buffer_of_memories (1, frame, 40000000, 0)), GST_FLOW_OK);
  fail_unless (gst_pad_peer_query (camera->pad, query));
  before = limit_memory (FEW);
  fail_if (gst_pad_peer_query (camera->pad, query));
  restore_memory (before);
  gst_query_unref (query);
  rig_free (rig);
  g_free (frame);
}

GST_END_TEST;

/* ---- elements of one sink pad and one source pad ---- */

static const struct
{
  const gchar *element, *caps;
  guint n, bytes, n_memories;   /* buffers of so many bytes, in several memories; memory is short before the last one */
  guint64 left;
  const gchar *words;
} transforms[] = {
  {"robocacheresample rate=10/1", F32 ("1:6000000"), 1, 24000000, 1, 64 * MB, "rows of 4 bytes"},
  {"robocacheresample rate=10/1", F32 ("10000000"), 2, 40000000, 1, FEW, "an output row: 40000000 bytes"},
  {"robocacheresample rate=10/1", "other/tensors,format=static,num_tensors=2,types=(string)\"float32,int64\","
        "dimensions=(string)\"1:5000001,5000001\",framerate=(fraction)0/1", 1, 60000012, 1, FEW,
      "a copy of a tensor: 40000008 bytes"},
  {"robocachevoxelize grid=8:8:8", "application/x-pointcloud,fields=(string)\"x,y,z,i\",type=float32,framerate=(fraction)0/1",
      2, 20000000, 2, FEW, "a copy of a buffer with several memories: 40000000 bytes"},
};

GST_START_TEST (buffers_that_need_more)
{
  GstHarness *h = gst_harness_new_parse (transforms[__i__].element);
  GstBus *bus = gst_bus_new ();
  gpointer data = g_malloc0 (transforms[__i__].bytes);
  GstFlowReturn flow = GST_FLOW_OK;
  rlim_t before = 0;

  gst_element_set_bus (h->element, bus);
  gst_harness_set_src_caps_str (h, transforms[__i__].caps);
  for (guint i = 0; i < transforms[__i__].n; i++) {
    if (i + 1 == transforms[__i__].n)
      before = limit_memory (transforms[__i__].left);
    flow = gst_harness_push (h, buffer_of_memories (transforms[__i__].n_memories, data, transforms[__i__].bytes,
            i * 100 * GST_MSECOND));
  }
  restore_memory (before);
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  expect_no_memory (bus, "", transforms[__i__].words);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
  g_free (data);
}

GST_END_TEST;

/* Means of a window of batches, a point each, after the last of four; with so much memory. */
static GBytes *
means_of_a_window (guint64 left)
{
  static const gfloat points[] = { 0.5f, 0.5f, 0.5f, 1.0f, 0.5f, 0.5f, 0.5f, 2.0f };
  const guint n = 400000;
  GstHarness *h = gst_harness_new_parse ("robocachevoxelize backend=cpu origin=<0.0,0.0,0.0> voxel-size=<1.0,1.0,1.0> grid=1:1:1 "
      "mode=mean accumulate=3");
  gfloat *data = g_new (gfloat, 16 * n);
  GstBuffer *last = NULL;
  rlim_t before;
  gpointer means;
  gsize size;

  gst_harness_set_src_caps_str (h, F32 ("4:1:400000"));
  before = limit_memory (left);
  for (guint i = 0; i < 4; i++) {
    gfloat *cloud = data + 4 * (gsize) n * i;

    for (guint k = 0; k < n; k++)
      memcpy (cloud + 4 * k, points + 4 * ((k + i) % 2), 16);
    gst_clear_buffer (&last);
    fail_unless_equals_int (gst_harness_push (h, buffer_of_memories (1, cloud, 16 * n, i * 100 * GST_MSECOND)), GST_FLOW_OK);
    last = gst_harness_pull (h);
  }
  restore_memory (before);
  gst_buffer_extract_dup (last, 0, gst_buffer_get_size (last), &means, &size);
  gst_buffer_unref (last);
  gst_harness_teardown (h);
  g_free (data);
  return g_bytes_new_take (means, size);
}

/* Ranges of a window's features without memory end incremental sums, and no result is another one. */
GST_START_TEST (ranges_of_a_window)
{
  GBytes *all = means_of_a_window (16384 * MB), *few = means_of_a_window (40 * MB);

  fail_unless (g_bytes_equal (all, few));
  g_bytes_unref (all);
  g_bytes_unref (few);
}

GST_END_TEST;

/* As frames_that_cannot_be_copied. */
GST_START_TEST (clouds_that_cannot_be_copied)
{
  GstHarness *h = gst_harness_new_parse ("robocachevoxelize grid=8:8:8 accumulate=2");
  gpointer data = g_malloc0 (40000000);
  GstQuery *query = gst_query_new_drain ();
  rlim_t before;

  gst_harness_set_src_caps_str (h, "application/x-lidar,framerate=(fraction)0/1");
  fail_unless_equals_int (gst_harness_push (h, buffer_of_memories (1, data, 40000000, 0)), GST_FLOW_OK);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  before = limit_memory (FEW);
  fail_if (gst_pad_peer_query (h->srcpad, query));
  restore_memory (before);
  gst_query_unref (query);
  gst_harness_teardown (h);
  g_free (data);
}

GST_END_TEST;

CHECK_MAIN_IF (shortmemory, !skip_without_memory_limit ("shortmemory"), NULL, NULL, EACH (frames, frames_of_any_size), ONCE (frames_of_several_cameras),
  ONCE (rows_of_a_block), ONCE (rows_of_a_tick), ONCE (frames_that_cannot_be_copied), EACH (transforms, buffers_that_need_more),
  ONCE (ranges_of_a_window), ONCE (clouds_that_cannot_be_copied))
