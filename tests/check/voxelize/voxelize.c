/* robocache: robocachevoxelize: data, time, properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "tests/recordings.h"
#include "voxelize_harness.h"

/* ---- data ---- */

static const struct
{
  const gchar *properties, *caps;
  gsize size;
  const gchar *words;
} wrong_sizes[] = {
  {"", XYZ, 25, "a buffer of 25 bytes is no whole number of points of 12 bytes"},
  {"", XYZI, 8, "a buffer of 8 bytes is no whole number of points of 16 bytes"},
  {"output=index", XYZ, 25, "25 bytes is no whole number of points of 12 bytes"},
  {"", "application/x-pointcloud,fields=(string)\"x,y,z,i\",type=(string)float32,point-step=32", 33,
      "points of 32 bytes (4 fields, x, y and z of float32): 1 are"},
  {"", TENSORS "types=(string)float32,dimensions=(string)3:10", 60, "60 bytes, but its caps say 10 points of 12 bytes, 120"},
  {"", TENSORS "types=(string)float32,dimensions=(string)3:10", 0, "0 bytes"},
  {"", TENSORS "types=(string)float32,dimensions=(string)5:40:5", 800, "its caps say 200 points of 20 bytes, 4000 in all"},
  {"fx=1 fy=1", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", 23, "23 bytes, but its caps say GRAY16_LE, 4x3, 24 bytes"},
};

/* An error says where in the stream it was. */
GST_START_TEST (test_position_of_an_error)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 24, NULL);
  GstMessage *message;
  gchar *debug;

  gst_buffer_memset (buffer, 0, 0, 24);
  GST_BUFFER_PTS (buffer) = 3 * GST_SECOND;
  GST_BUFFER_DURATION (buffer) = GST_SECOND / 2;
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 25, NULL)), GST_FLOW_ERROR);
  message = pop_message (h, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, NULL, &debug);
  fail_unless (strstr (debug, "at 0:00:03.500000000 of the stream") != NULL, "%s", debug);
  g_free (debug);
  gst_message_unref (message);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_wrong_size)
{
  GstHarness *h = harness_with_caps (wrong_sizes[__i__].properties, wrong_sizes[__i__].caps);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, wrong_sizes[__i__].size, NULL);

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, wrong_sizes[__i__].words);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  harness_free (h);
}

GST_END_TEST;

/* ---- depth ---- */

/* Images of 3x2 at 2 units, 1 m, whose last pixel has no return, in buffers of so many bytes in one memory or two. */
static const struct
{
  gsize bytes[2];
  GstVideoFormat format;
  guint width;
  gsize offset;
  gint stride;
  const gchar *words;           /* of the error; NULL: a grid comes out */
} metas[] = {
  {{32}, GST_VIDEO_FORMAT_GRAY16_LE, 3, 4, 22, NULL},
  {{16}, GST_VIDEO_FORMAT_GRAY16_LE, 3, 4, 8, "16 bytes with a video meta that says GRAY16_LE, 3x2, 8 bytes a line from byte 4 on"},
  {{6, 6}, GST_VIDEO_FORMAT_GRAY16_LE, 3, 0, 6, "12 bytes with a video meta that says GRAY16_LE, 3x2"},
  {{12}, GST_VIDEO_FORMAT_GRAY8, 3, 0, 4, "says GRAY8, 3x2"},
  {{12}, GST_VIDEO_FORMAT_GRAY16_LE, 2, 0, 4, "says GRAY16_LE, 2x2"},
};

GST_START_TEST (test_video_meta)
{
  static const guint16 line[3] = { 2, 2, 2 };
  GstHarness *h = harness_with_caps (UNIT "origin=<-2.0,-2.0,0.0> grid=4:4:4 fx=1 fy=1 cx=1 cy=0.5 depth-scale=0.5 "
      "mode=count type=uint8", "video/x-raw,format=GRAY16_LE,width=3,height=2,framerate=30/1");
  gsize offset[GST_VIDEO_MAX_PLANES] = { metas[__i__].offset };
  gint stride[GST_VIDEO_MAX_PLANES] = { metas[__i__].stride };
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, metas[__i__].bytes[0], NULL);
  guint8 wanted[64] = {[21] = 1,[22] = 1,[23] = 1,[25] = 1,[26] = 1 };

  gst_buffer_memset (buffer, 0, 0x11, metas[__i__].bytes[0]);
  if (metas[__i__].bytes[1] > 0)
    gst_buffer_append (buffer, gst_buffer_new_allocate (NULL, metas[__i__].bytes[1], NULL));
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, metas[__i__].format, metas[__i__].width, 2, 1, offset,
      stride);
  if (metas[__i__].words) {
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
    expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, metas[__i__].words);
  } else {
    gst_buffer_fill (buffer, metas[__i__].offset, line, 6);
    gst_buffer_fill (buffer, metas[__i__].offset + (gsize) metas[__i__].stride, line, 4);
    gst_buffer_memset (buffer, metas[__i__].offset + (gsize) metas[__i__].stride + 4, 0, 2);
    buffer = push_pull (h, buffer);
    gst_check_buffer_data (buffer, wanted, sizeof (wanted));
    gst_buffer_unref (buffer);
  }
  harness_free (h);
}

GST_END_TEST;

/* ---- time ---- */

static guint
push_point (GstHarness *h, gfloat x)
{
  return occupied (push_pull (h, cloud (x, 0, 0)));
}

static void
push_segment (GstHarness *h, GstFormat format, guint64 start, gint64 base)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  segment.start = segment.position = segment.time = start;
  segment.base = (guint64) base;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

GST_START_TEST (test_times_and_metadata_are_copied)
{
  static const GstClockTime times[] = { 50, 50, 20, GST_CLOCK_TIME_NONE };
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ptp");
  GstBuffer *buffer = at (cloud (0, 0, 0), 1234), *output;

  GST_BUFFER_DTS (buffer) = 1200;
  GST_BUFFER_OFFSET (buffer) = 77;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  gst_buffer_add_reference_timestamp_meta (buffer, reference, 99, 1);
  output = push_pull (h, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (output), 1234);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (output), 1200);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (output), 100 * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output), 77);
  fail_unless (GST_BUFFER_FLAG_IS_SET (output, GST_BUFFER_FLAG_MARKER));
  fail_unless (gst_buffer_get_reference_timestamp_meta (output, reference) != NULL);
  fail_unless_equals_int64 (stat_of (h, "last-pts"), 1234);
  gst_buffer_unref (output);
  gst_caps_unref (reference);
  /* any order, and none */
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    output = push_pull (h, at (cloud (0, 0, 0), times[i]));
    fail_unless_equals_uint64 (GST_BUFFER_PTS (output), times[i]);
    gst_buffer_unref (output);
  }
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

static GstEvent *
pull_event_of (GstHarness *h, GstEventType type)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h)) != NULL && GST_EVENT_TYPE (event) != type)
    gst_event_unref (event);
  return event;
}

GST_START_TEST (test_segments_are_passed_on)
{
  static const GstFormat formats[] = { GST_FORMAT_TIME, GST_FORMAT_BYTES };
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  const GstSegment *segment;
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (h)) != NULL)
    gst_event_unref (event);
  push_segment (h, formats[__i__], 5000, 7);
  event = pull_event_of (h, GST_EVENT_SEGMENT);
  fail_unless (event != NULL);
  gst_event_parse_segment (event, &segment);
  fail_unless (segment->format == formats[__i__] && segment->start == 5000 && segment->base == 7);
  gst_event_unref (event);
  fail_unless_equals_int (push_point (h, 1), 1);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_gap_is_passed_on)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=2", XYZ);
  GstClockTime time, duration;
  GstEvent *event;

  push_point (h, 0);
  fail_unless (gst_harness_push_event (h, gst_event_new_gap (10, 20)));
  event = pull_event_of (h, GST_EVENT_GAP);
  fail_unless (event != NULL);
  gst_event_parse_gap (event, &time, &duration);
  fail_unless (time == 10 && duration == 20);
  gst_event_unref (event);
  fail_unless_equals_int (push_point (h, 1), 2);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_eos)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstEvent *event;

  if (__i__)
    push_point (h, 0);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  event = pull_event_of (h, GST_EVENT_EOS);
  fail_unless (event != NULL);
  gst_event_unref (event);
  fail_unless_equals_int64 (stat_of (h, "buffers"), __i__);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_latency)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=5", XYZ);
  GstQuery *query = gst_query_new_latency ();
  GstClockTime least, most;
  gboolean live;

  gst_harness_set_live (h, __i__);
  gst_harness_set_upstream_latency (h, 33 * GST_MSECOND);
  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &live, &least, &most);
  fail_unless_equals_int (live, __i__);
  fail_unless_equals_uint64 (least, 33 * GST_MSECOND);
  gst_query_unref (query);
  harness_free (h);
}

GST_END_TEST;

/* ---- properties and statistics ---- */

static const struct
{
  const gchar *name, *value;
} properties[] = {
  {"origin", "< -1, 0.5, 2 >"}, {"voxel-size", "< 0.25, 0.5, 1 >"}, {"grid", "7:8:9"}, {"mode", "centroid"},
  {"output", "sparse"}, {"type", "float16"}, {"max-voxels", "17"}, {"max-points", "18"}, {"feature-range", "2.5"}, {"accumulate", "4"},
  {"fx", "500.5"}, {"fy", "501.5"}, {"cx", "-3.25"}, {"cy", "240.5"}, {"k1", "-0.1"}, {"k2", "0.02"},
  {"k3", "1e-3"}, {"p1", "-0.001"}, {"p2", "0.002"}, {"depth-scale", "0.0025"},
  {"stats-interval", "1000"}, {"backend", "cpu"}, {"device-id", "3"},
};

GST_START_TEST (test_property_keeps_its_value)
{
  GstElement *element = gst_element_factory_make ("robocachevoxelize", NULL);
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), properties[__i__].name);
  GValue set = G_VALUE_INIT, got = G_VALUE_INIT;

  fail_unless (spec != NULL && (spec->flags & (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_MUTABLE_READY)));
  gst_util_set_object_arg (G_OBJECT (element), properties[__i__].name, properties[__i__].value);
  g_value_init (&set, spec->value_type);
  g_value_init (&got, spec->value_type);
  fail_unless (gst_value_deserialize (&set, properties[__i__].value));
  g_object_get_property (G_OBJECT (element), properties[__i__].name, &got);
  if (GST_VALUE_HOLDS_ARRAY (&got)) {
    for (guint i = 0; i < 3; i++) {
      GValue number = G_VALUE_INIT;

      g_value_init (&number, G_TYPE_DOUBLE);
      g_value_transform (gst_value_array_get_value (&set, i), &number);
      fail_unless (g_value_get_double (&number) == g_value_get_double (gst_value_array_get_value (&got, i)));
      g_value_unset (&number);
    }
  } else {
    fail_unless_equals_int (gst_value_compare (&set, &got), GST_VALUE_EQUAL);
  }
  g_value_unset (&set);
  g_value_unset (&got);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_stats)
{
  GstHarness *h = harness_with_caps (UNIT "stats-interval=1000000000", XYZ);
  GstStructure *stats;
  const gchar *backend;
  guint messages = 0;
  GstMessage *message;

  for (guint i = 0; i < 30; i++)
    gst_buffer_unref (push_pull (h, at (cloud (0, 0, 0, 9, 0, 0, NAN, 0, 0, INFINITY, 0, 0, 1, 1, 1),
    i * 100 * GST_MSECOND)));
  fail_unless_equals_int64 (stat_of (h, "buffers"), 30);
  fail_unless_equals_int64 (stat_of (h, "points"), 150);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 60);
  fail_unless_equals_int64 (stat_of (h, "points-outside"), 30);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 30);
  fail_unless_equals_int64 (stat_of (h, "points-infinite"), 30);
  fail_unless_equals_int64 (stat_of (h, "occupied-voxels"), 2);
  g_object_get (h->element, "stats", &stats, NULL);
  backend = g_type_name (G_VALUE_TYPE (gst_structure_get_value (stats, "active-backend")));
  fail_unless_equals_string (backend, "RobocacheBackend");
  gst_structure_free (stats);
  while ((message = pop_message (h, GST_MESSAGE_ELEMENT)) != NULL) {
    fail_unless (gst_message_has_name (message, "robocachevoxelize"));
    messages++;
    gst_message_unref (message);
  }
  fail_unless_equals_int (messages, 2);
  harness_free (h);
}

GST_END_TEST;

/* Without times nothing comes before the end, and there all that was counted. */
GST_START_TEST (test_last_stats)
{
  GstHarness *h = harness_with_caps (UNIT "stats-interval=1", XYZ);
  guint64 counted = 0;
  GstMessage *message;

  for (guint i = 0; i < 3; i++)
    gst_buffer_unref (push_pull (h, cloud (0, 0, 0)));
  fail_unless (pop_message (h, GST_MESSAGE_ELEMENT) == NULL);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
  message = pop_message (h, GST_MESSAGE_ELEMENT);
  fail_unless (message != NULL && gst_message_has_name (message, "robocachevoxelize"));
  fail_unless (gst_structure_get_uint64 (gst_message_get_structure (message), "buffers", &counted));
  fail_unless_equals_uint64 (counted, 3);
  gst_message_unref (message);
  fail_unless (pop_message (h, GST_MESSAGE_ELEMENT) == NULL);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_no_gpu)
{
  GstElement *element = gst_element_factory_make ("robocachevoxelize", NULL);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_util_set_object_arg (G_OBJECT (element), "device-id", "4095");
  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- whole pipelines ---- */

static void
run_to_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_bus_set_flushing (bus, FALSE);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%" GST_PTR_FORMAT, message);
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
}

static gchar *
temporary_file (const gchar *name)
{
  gchar *folder = g_dir_make_tmp ("robocachevoxelize-XXXXXX", NULL), *path = g_build_filename (folder, name, NULL);

  g_free (folder);
  return path;
}

static void
temporary_file_remove (gchar *path)
{
  gchar *folder = g_path_get_dirname (path);

  g_remove (path);
  g_rmdir (folder);
  g_free (folder);
  g_free (path);
}

GST_START_TEST (test_ten_times_null_to_playing)
{
  gchar *in = temporary_file ("cloud"), *out = temporary_file ("grid"), *description, *reference = NULL;
  gfloat points[300 * 4];
  GstElement *pipeline;
  gsize reference_size = 0;

  for (guint i = 0; i < G_N_ELEMENTS (points); i++)
    points[i] = (gfloat) (i * 7919 % 1000) / 250.0f;
  fail_unless (g_file_set_contents (in, (gchar *) points, sizeof (points), NULL));
  description = g_strdup_printf ("filesrc location=%s blocksize=480 ! " XYZI " ! robocachevoxelize name=v " UNIT
      "grid=4:4:4 mode=mean accumulate=3 ! filesink location=%s", in, out);
  pipeline = gst_parse_launch (description, NULL);
  fail_unless (pipeline != NULL);
  for (guint i = 0; i < 10; i++) {
    gchar *contents;
    gsize size;

    run_to_eos (pipeline);
    fail_unless (g_file_get_contents (out, &contents, &size, NULL));
    fail_unless_equals_int (size, 10 * 64 * 4);
    if (reference) {
      fail_unless (size == reference_size && memcmp (contents, reference, size) == 0);
      g_free (contents);
    } else {
      reference = contents;
      reference_size = size;
    }
  }
  gst_object_unref (pipeline);
  g_free (reference);
  g_free (description);
  temporary_file_remove (in);
  temporary_file_remove (out);
}

GST_END_TEST;

#define RECORDED "cloud_119978_xyz_f32.bin"

GST_START_TEST (test_recorded_cloud)
{
  const char *path = recording_path ("robocachevoxelize recorded_cloud", RECORDED);
  GstElement *pipeline, *element;
  GstStructure *stats;
  gint64 n = 0, inside = 0;
  gchar *description;

  if (path == NULL)
    return;
  description = g_strdup_printf ("filesrc location=%s blocksize=1439736 ! " XYZ " ! robocachevoxelize name=v "
      "origin=<-256.0,-256.0,-256.0> voxel-size=<1.0,1.0,1.0> grid=512:512:512 mode=count output=%s ! fakesink", path,
      __i__ ? "sparse" : "dense");
  pipeline = gst_parse_launch (description, NULL);
  element = gst_bin_get_by_name (GST_BIN (pipeline), "v");
  run_to_eos (pipeline);
  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "occupied-voxels", &n));
  fail_unless (gst_structure_get_int64 (stats, "points-inside", &inside));
  fail_unless_equals_int64 (n, 3440);
  fail_unless_equals_int64 (inside, 119978);
  gst_structure_free (stats);
  gst_object_unref (element);
  gst_object_unref (pipeline);
  g_free (description);
}

GST_END_TEST;

#ifndef __SANITIZE_ADDRESS__
GST_START_TEST (test_example_script)
{
  gchar *in = temporary_file ("cloud"), *out = temporary_file ("grid"), *contents, *errors = NULL;
  const gfloat points[] = { 0.5f, 0.5f, 0.5f, 1.5f, 0.5f, 0.5f, 1.25f, 0.5f, 0.5f };
  gchar *command[] = { (gchar *) "bash", (gchar *) ROBOCACHE_EXAMPLES "/voxelize-file.sh", in, out, (gchar *) "1.0",
    (gchar *) "0.0,0.0,0.0", (gchar *) "3:1:1", NULL
  };
  gsize size;
  gint status;

  if (!g_file_test (command[1], G_FILE_TEST_EXISTS)) {
    g_print ("SKIP robocachevoxelize example_script: %s is not there\n", command[1]);
    return;
  }
  fail_unless (g_file_set_contents (in, (gchar *) points, sizeof (points), NULL));
  fail_unless (g_spawn_sync (NULL, command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, &errors, &status, NULL));
  fail_unless (g_spawn_check_wait_status (status, NULL), "%s", errors);
  fail_unless (g_file_get_contents (out, &contents, &size, NULL));
  fail_unless_equals_int (size, 3);
  fail_unless (memcmp (contents, "\1\1\0", 3) == 0);
  g_free (contents);
  g_free (errors);
  temporary_file_remove (in);
  temporary_file_remove (out);
}

GST_END_TEST;
#endif

static Suite *
robocachevoxelize_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_wrong_size, 0, G_N_ELEMENTS (wrong_sizes));
  tcase_add_test (tc, test_position_of_an_error);
  tcase_add_loop_test (tc, test_video_meta, 0, G_N_ELEMENTS (metas));
  tcase_add_test (tc, test_times_and_metadata_are_copied);
  tcase_add_loop_test (tc, test_segments_are_passed_on, 0, 2);
  tcase_add_test (tc, test_gap_is_passed_on);
  tcase_add_loop_test (tc, test_eos, 0, 2);
  tcase_add_loop_test (tc, test_latency, 0, 2);
  tcase_add_loop_test (tc, test_property_keeps_its_value, 0, G_N_ELEMENTS (properties));
  tcase_add_test (tc, test_stats);
  tcase_add_test (tc, test_last_stats);
  tcase_add_test (tc, test_no_gpu);
  tcase_add_test (tc, test_ten_times_null_to_playing);
  tcase_add_loop_test (tc, test_recorded_cloud, 0, 2);
#ifndef __SANITIZE_ADDRESS__    /* gst-launch-1.0 is not sanitized, and could not load us */
  tcase_add_test (tc, test_example_script);
#endif
  return suite;
}

GST_CHECK_MAIN (robocachevoxelize);
