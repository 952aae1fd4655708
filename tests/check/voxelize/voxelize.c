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

/* Three points: two in voxel (1, 0, 0), one in (3, 2, 1); and one outside. */
#define FEW cloud (1.25f, 0.5f, 0.5f, 10.0f, 1.75f, 0.5f, 0.25f, 30.0f, 3.5f, 2.5f, 1.5f, -4.0f, 9.0f, 0.0f, 0.0f, \
    99.0f)
#define FIRST 1                 /* linear indices */
#define SECOND 23

static const struct
{
  const gchar *mode;
  guint channels;
  gfloat first[3], second[3];
} modes[] = {
  {"occupancy", 1, {1}, {1}},
  {"count", 1, {2}, {1}},
  {"mean", 1, {20}, {-4}},
  {"centroid", 3, {1.5f, 0.5f, 0.375f}, {3.5f, 2.5f, 1.5f}},
  {"max", 1, {30}, {-4}},
  {"min", 1, {10}, {-4}},
};

static GstHarness *
harness_of_mode (guint i, const gchar *output)
{
  gchar *properties = g_strdup_printf (UNIT "type=float32 max-voxels=5 mode=%s output=%s", modes[i].mode, output);
  GstHarness *h = harness_with_caps (properties, XYZI);

  g_free (properties);
  return h;
}

GST_START_TEST (test_dense)
{
  GstHarness *h = harness_of_mode (__i__, "dense");
  GstBuffer *output = push_pull (h, FEW);
  const guint n = modes[__i__].channels;
  gfloat wanted[24 * 3] = { 0 };

  memcpy (wanted + FIRST * n, modes[__i__].first, n * sizeof (gfloat));
  memcpy (wanted + SECOND * n, modes[__i__].second, n * sizeof (gfloat));
  gst_check_buffer_data (output, wanted, 24 * n * sizeof (gfloat));
  gst_buffer_unref (output);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_sparse)
{
  GstHarness *h = harness_of_mode (__i__, "sparse");
  GstBuffer *output = push_pull (h, FEW);
  const guint n = modes[__i__].channels;
  const gint32 coordinates[15] = { 1, 0, 0, 3, 2, 1 };
  const guint32 number = 2;
  gfloat values[15] = { 0 };

  fail_unless_equals_int (gst_buffer_n_memory (output), __i__ == 0 ? 2 : 3);
  fail_unless_equals_int (gst_buffer_memcmp (output, 0, &number, 4), 0);
  fail_unless_equals_int (gst_buffer_memcmp (output, 4, coordinates, 60), 0);
  memcpy (values, modes[__i__].first, n * sizeof (gfloat));
  memcpy (values + n, modes[__i__].second, n * sizeof (gfloat));
  if (__i__ > 0)
    fail_unless_equals_int (gst_buffer_memcmp (output, 64, values, 5 * n * sizeof (gfloat)), 0);
  gst_buffer_unref (output);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_bits)
{
  GstHarness *h = harness_with_caps (UNIT "grid=40:1:1 output=bits", XYZ);
  const guint32 wanted[2] = { 1u << 31 | 1u, 1u << 7 };
  GstBuffer *output = push_pull (h, cloud (0, 0, 0, 31, 0, 0, 39, 0, 0, 40, 0, 0));

  gst_check_buffer_data (output, wanted, sizeof (wanted));
  gst_buffer_unref (output);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_empty_cloud)
{
  static const gchar *properties[] = { UNIT, UNIT "mode=mean", UNIT "output=bits", UNIT "output=sparse mode=centroid" };
  GstHarness *h = harness_with_caps (properties[__i__], XYZI);
  GstBuffer *output = push_pull (h, at (gst_buffer_new (), 5));
  GstMapInfo map;

  fail_unless (gst_buffer_map (output, &map, GST_MAP_READ));
  for (gsize i = 0; i < map.size; i++)
    fail_unless_equals_int (map.data[i], 0);
  gst_buffer_unmap (output, &map);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (output), 5);
  fail_unless_equals_int64 (stat_of (h, "buffers"), 1);
  gst_buffer_unref (output);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *caps;
  gsize size;
  const gchar *words;
} wrong_sizes[] = {
  {XYZ, 25, "a buffer of 25 bytes is no whole number of points of 12 bytes"},
  {XYZI, 8, "a buffer of 8 bytes is no whole number of points of 16 bytes"},
  {TENSORS "types=(string)float32,dimensions=(string)3:10", 60, "60 bytes, but its caps say 10 points of 12 bytes, "
  "120"}, {TENSORS "types=(string)float32,dimensions=(string)3:10", 0, "0 bytes"},
  {"video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1", 23, "23 bytes, but its caps say GRAY16_LE, 4x3, 24 bytes"},
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
  GstHarness *h = harness_with_caps (UNIT "fx=1 fy=1", wrong_sizes[__i__].caps);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, wrong_sizes[__i__].size, NULL);

  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, wrong_sizes[__i__].words);
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), 0);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_tensor_of_points)
{
  GstHarness *h = harness_with_caps (UNIT, TENSORS "types=(string)float64,dimensions=(string)3:2");
  const gdouble points[] = { 0, 0, 0, 3, 2, 1 };

  fail_unless_equals_int (occupied (push_pull (h, buffer_of (points, sizeof (points)))), 2);
  harness_free (h);
}

GST_END_TEST;

/* ---- depth ---- */

#define DEPTH_CAPS "video/x-raw,format=GRAY16_LE,width=3,height=2,framerate=30/1"
#define DEPTH UNIT "origin=<-2.0,-2.0,0.0> grid=4:4:4 fx=1 fy=1 cx=1 cy=0.5 depth-scale=0.5 mode=count type=uint8 "

/* Depth 2 units, 1 m: x is -1, 0, 1; y is -0.5 and 0.5; the last pixel has no return. */
static const guint16 depth_pixels[6] = { 2, 2, 2, 2, 2, 0 };

static void
check_depth (GstBuffer *output)
{
  guint8 wanted[64] = { 0 };

  for (guint v = 0; v < 2; v++)
    for (guint u = 0; u < 3; u++)
      wanted[(1 * 4 + (v + 1)) * 4 + u + 1] += v * 3 + u < 5;
  gst_check_buffer_data (output, wanted, sizeof (wanted));
  gst_buffer_unref (output);
}

/* As GStreamer lays it out, rows padded to 4 bytes. */
GST_START_TEST (test_depth)
{
  GstHarness *h = harness_with_caps (DEPTH, DEPTH_CAPS);
  guint16 rows[8] = { 0 };

  memcpy (rows, depth_pixels, 6);
  memcpy (rows + 4, depth_pixels + 3, 6);
  check_depth (push_pull (h, buffer_of (rows, sizeof (rows))));
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 5);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_depth_with_stride)
{
  GstHarness *h = harness_with_caps (DEPTH, DEPTH_CAPS);
  guint16 rows[32];
  GstBuffer *buffer;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 4 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 22 };

  memset (rows, 0x11, sizeof (rows));
  memcpy (rows + 2, depth_pixels, 6);
  memcpy (rows + 13, depth_pixels + 3, 6);
  buffer = buffer_of (rows, 4 + 22 + 6);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 3, 2, 1, offset,
      stride);
  check_depth (push_pull (h, buffer));
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_depth_meta_past_the_end)
{
  GstHarness *h = harness_with_caps (DEPTH, DEPTH_CAPS);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, 16, NULL);
  gsize offset[GST_VIDEO_MAX_PLANES] = { 4 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 8 };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 3, 2, 1, offset,
      stride);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "16 bytes with a video meta that says GRAY16_LE, 3x2, 8 bytes a line from byte 4 on");
  harness_free (h);
}

GST_END_TEST;

/* A plane is mapped as one memory. */
GST_START_TEST (test_depth_in_two_memories)
{
  GstHarness *h = harness_with_caps (DEPTH, DEPTH_CAPS);
  GstBuffer *buffer = gst_buffer_append (buffer_of (depth_pixels, 6), buffer_of (depth_pixels + 3, 6));
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 6 };

  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY16_LE, 3, 2, 1, offset,
      stride);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "12 bytes with a video meta that says GRAY16_LE, 3x2");
  harness_free (h);
}

GST_END_TEST;

/* Of another format, or of a smaller picture than the caps'. */
GST_START_TEST (test_depth_meta_of_another_image)
{
  GstHarness *h = harness_with_caps (DEPTH, DEPTH_CAPS);
  GstBuffer *buffer = buffer_of (depth_pixels, 12);

  gst_buffer_add_video_meta (buffer, GST_VIDEO_FRAME_FLAG_NONE, __i__ ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8,
      __i__ ? 2 : 3, 2);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, __i__ ? "says GRAY16_LE, 2x2" : "says GRAY8, 3x2");
  harness_free (h);
}

GST_END_TEST;

/* ---- the window ---- */

/* Pushes a cloud of one point in voxel x and returns how many voxels the grid has. */
static guint
push_point (GstHarness *h, gfloat x)
{
  return occupied (push_pull (h, cloud (x, 0, 0)));
}

GST_START_TEST (test_accumulate)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3", XYZ);

  fail_unless_equals_int (push_point (h, 0), 1);
  fail_unless_equals_int (push_point (h, 1), 2);
  fail_unless_equals_int (push_point (h, 2), 3);
  fail_unless_equals_int (push_point (h, 3), 3);
  fail_unless_equals_int (push_point (h, 3), 2);
  fail_unless_equals_int (push_point (h, 3), 1);
  fail_unless_equals_int64 (stat_of (h, "points"), 6);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 6);
  harness_free (h);
}

GST_END_TEST;

/* Each grid is that of the clouds in one: the mean's fixed point is that of all of them. */
GST_START_TEST (test_accumulated_mean)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=2 mode=mean grid=1:1:1", XYZI);
  GstHarness *one = harness_with_caps (UNIT "mode=mean grid=1:1:1", XYZI);
  GstBuffer *a, *b;

  gst_buffer_unref (push_pull (h, cloud (0, 0, 0, 0.1f, 0, 0, 0, 0.7f)));
  a = push_pull (h, cloud (0, 0, 0, 12345.678f));
  b = push_pull (one, cloud (0, 0, 0, 12345.678f, 0, 0, 0, 0.7f, 0, 0, 0, 0.1f));
  gst_check_buffer_data (a, (gfloat[]) {4115.4927f}, 4);
  gst_check_buffer_data (b, (gfloat[]) {4115.4927f}, 4);
  gst_buffer_unref (a);
  gst_buffer_unref (b);
  harness_free (h);
  harness_free (one);
}

GST_END_TEST;

static void
push_segment (GstHarness *h, GstFormat format, guint64 start, gint64 base)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  segment.start = segment.position = segment.time = start;
  segment.base = (guint64) base;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

GST_START_TEST (test_flush_empties_the_window)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3", XYZ);

  push_point (h, 0);
  fail_unless_equals_int (push_point (h, 1), 2);
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  push_segment (h, GST_FORMAT_TIME, 0, 0);
  fail_unless_equals_int (push_point (h, 2), 1);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_segment_empties_the_window)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3", XYZ);

  push_point (h, 0);
  push_segment (h, GST_FORMAT_TIME, 0, 0);
  fail_unless_equals_int (push_point (h, 1), 2);
  push_segment (h, GST_FORMAT_TIME, 10 * GST_SECOND, 0);
  fail_unless_equals_int (push_point (h, 2), 1);
  harness_free (h);
}

GST_END_TEST;

/* The same one again, wherever its buffers have got to, and wherever it says that they have. */
GST_START_TEST (test_the_same_segment_leaves_the_window)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3", XYZ);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless_equals_int (occupied (push_pull (h, at (cloud (0.5f, 0, 0), 5 * GST_SECOND))), 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (occupied (push_pull (h, at (cloud (1.5f, 0, 0), 6 * GST_SECOND))), 2);
  segment.position = 7 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (occupied (push_pull (h, at (cloud (2.5f, 0, 0), 7 * GST_SECOND))), 3);
  segment.base = 7 * GST_SECOND;
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
  fail_unless_equals_int (occupied (push_pull (h, at (cloud (2.5f, 0, 0), 0))), 1);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_change_empties_the_window)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3 mode=max", XYZI);
  GstCaps *caps;

  gst_buffer_unref (push_pull (h, cloud (0, 0, 0, 7)));
  gst_harness_set_src_caps_str (h, "application/x-pointcloud,fields=(string)\"x,y,z,a,b\",type=(string)float32");
  {
    GstBuffer *output = push_pull (h, cloud (1, 0, 0, 8, 9));
    gfloat wanted[48] = { 0, 0, 8, 9 };

    gst_check_buffer_data (output, wanted, sizeof (wanted));
    gst_buffer_unref (output);
  }
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"), "2:4:3:2");
  gst_caps_unref (caps);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_accumulate_shrinks_while_playing)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=3", XYZ);

  push_point (h, 0);
  push_point (h, 1);
  fail_unless_equals_int (push_point (h, 2), 3);
  g_object_set (h->element, "accumulate", 1, NULL);
  fail_unless_equals_int (push_point (h, 3), 1);
  harness_free (h);
}

GST_END_TEST;

/* ---- more voxels than fit ---- */

GST_START_TEST (test_over_cap)
{
  GstHarness *h = harness_with_caps (UNIT "output=sparse max-voxels=2", XYZ);
  const guint32 wanted[] = { 2, 0, 0, 0, 1, 0, 0 };

  for (guint i = 0; i < 3; i++) {
    GstBuffer *output = push_pull (h, cloud (3, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 0));

    fail_unless_equals_int (gst_buffer_memcmp (output, 0, wanted, sizeof (wanted)), 0);
    gst_buffer_unref (output);
  }
  {
    GstMessage *message = pop_message (h, GST_MESSAGE_WARNING);
    GError *warning = NULL;

    fail_unless (message != NULL);
    gst_message_parse_warning (message, &warning, NULL);
    fail_unless (g_error_matches (warning, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
    fail_unless (strstr (warning->message, "4 voxels are occupied, but max-voxels is 2") != NULL);
    g_error_free (warning);
    gst_message_unref (message);
  }
  fail_unless (pop_message (h, GST_MESSAGE_WARNING) == NULL);
  fail_unless_equals_int64 (stat_of (h, "voxels-over-cap"), 6);
  fail_unless_equals_int64 (stat_of (h, "buffers-over-cap"), 3);
  fail_unless_equals_int64 (stat_of (h, "occupied-voxels"), 4);
  harness_free (h);
}

GST_END_TEST;

/* ---- time ---- */

GST_START_TEST (test_times_and_metadata_are_copied)
{
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
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_no_pts)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstBuffer *output = push_pull (h, cloud (0, 0, 0));

  fail_if (GST_BUFFER_PTS_IS_VALID (output));
  gst_buffer_unref (output);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

/* Equal and backwards times are no business of an element that needs no time. */
GST_START_TEST (test_equal_and_backwards_pts)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  static const GstClockTime times[] = { 50, 50, 20 };

  for (guint i = 0; i < 3; i++) {
    GstBuffer *output = push_pull (h, at (cloud (0, 0, 0), times[i]));

    fail_unless_equals_uint64 (GST_BUFFER_PTS (output), times[i]);
    gst_buffer_unref (output);
  }
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

/* ---- properties while playing ---- */

GST_START_TEST (test_grid_changes_while_playing)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstBuffer *output;
  GstCaps *caps;

  fail_unless_equals_int (push_point (h, 5), 0);
  g_object_set (h->element, "grid", "6:1:1", NULL);
  output = push_pull (h, cloud (5, 0, 0));
  gst_check_buffer_data (output, ((guint8[]) {0, 0, 0, 0, 0, 1}), 6);
  gst_buffer_unref (output);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"), "6");
  gst_caps_unref (caps);
  gst_util_set_object_arg (G_OBJECT (h->element), "output", "sparse");
  output = push_pull (h, cloud (5, 0, 0));
  fail_unless_equals_int (gst_buffer_n_memory (output), 2);
  gst_buffer_unref (output);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

/* The caps stay what they are, the grid does not. */
GST_START_TEST (test_origin_changes_while_playing)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);

  fail_unless_equals_int (push_point (h, 5), 0);
  gst_util_set_object_arg (G_OBJECT (h->element), "origin", "<2.0,0.0,0.0>");
  fail_unless_equals_int (push_point (h, 5), 1);
  gst_util_set_object_arg (G_OBJECT (h->element), "voxel-size", "<0.5,1.0,1.0>");
  fail_unless_equals_int (push_point (h, 5), 0);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_wrong_property_while_playing)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);

  push_point (h, 0);
  g_object_set (h->element, "grid", "6:1", NULL);
  fail_unless_equals_int (gst_harness_push (h, cloud (0, 0, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_error (h, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, "grid is \"6:1\"");
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_feature_range)
{
  GstHarness *h = harness_with_caps (UNIT "grid=1:1:1 mode=mean feature-range=10", XYZI);
  GstBuffer *output = push_pull (h, cloud (0, 0, 0, 4, 0, 0, 0, 1000));

  gst_check_buffer_data (output, (gfloat[]) {7}, 4);
  gst_buffer_unref (output);
  fail_unless_equals_int64 (stat_of (h, "values-clamped"), 1);
  harness_free (h);
}

GST_END_TEST;

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
  tcase_add_loop_test (tc, test_dense, 0, G_N_ELEMENTS (modes));
  tcase_add_loop_test (tc, test_sparse, 0, G_N_ELEMENTS (modes));
  tcase_add_test (tc, test_bits);
  tcase_add_loop_test (tc, test_empty_cloud, 0, 4);
  tcase_add_loop_test (tc, test_wrong_size, 0, G_N_ELEMENTS (wrong_sizes));
  tcase_add_test (tc, test_position_of_an_error);
  tcase_add_test (tc, test_tensor_of_points);
  tcase_add_test (tc, test_depth);
  tcase_add_test (tc, test_depth_with_stride);
  tcase_add_test (tc, test_depth_meta_past_the_end);
  tcase_add_test (tc, test_depth_in_two_memories);
  tcase_add_loop_test (tc, test_depth_meta_of_another_image, 0, 2);
  tcase_add_test (tc, test_accumulate);
  tcase_add_test (tc, test_accumulated_mean);
  tcase_add_test (tc, test_flush_empties_the_window);
  tcase_add_test (tc, test_segment_empties_the_window);
  tcase_add_test (tc, test_the_same_segment_leaves_the_window);
  tcase_add_test (tc, test_caps_change_empties_the_window);
  tcase_add_test (tc, test_accumulate_shrinks_while_playing);
  tcase_add_test (tc, test_over_cap);
  tcase_add_test (tc, test_times_and_metadata_are_copied);
  tcase_add_test (tc, test_no_pts);
  tcase_add_test (tc, test_equal_and_backwards_pts);
  tcase_add_loop_test (tc, test_segments_are_passed_on, 0, 2);
  tcase_add_test (tc, test_gap_is_passed_on);
  tcase_add_loop_test (tc, test_eos, 0, 2);
  tcase_add_loop_test (tc, test_latency, 0, 2);
  tcase_add_test (tc, test_grid_changes_while_playing);
  tcase_add_test (tc, test_origin_changes_while_playing);
  tcase_add_test (tc, test_wrong_property_while_playing);
  tcase_add_test (tc, test_feature_range);
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
