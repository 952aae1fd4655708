/* robocache: robocachevoxelize: of each point its voxel
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "voxelize_harness.h"

/* In voxels 1 and 23, beside the grid, with a NaN and with an infinite coordinate, and in voxel 1 again. */
#define FEW cloud (1.25f, 0.5f, 0.5f, 3.5f, 2.5f, 1.5f, 9.0f, 0.0f, 0.0f, NAN, 0.0f, 0.0f, 0.0f, INFINITY, 0.0f, \
    1.75f, 0.0f, 0.0f)

static void
expect_map (GstBuffer *output, const gint64 *wanted, gsize n)
{
  GstMapInfo map;

  fail_unless_equals_uint64 (gst_buffer_get_size (output), n * sizeof (gint64));
  fail_unless (gst_buffer_map (output, &map, GST_MAP_READ));
  for (gsize i = 0; i < n; i++)
    fail_unless_equals_int64 (((gint64 *) map.data)[i], wanted[i]);
  gst_buffer_unmap (output, &map);
  gst_buffer_unref (output);
}

#define expect(output, ...) expect_map (output, (const gint64[]) { __VA_ARGS__ }, \
    sizeof ((const gint64[]) { __VA_ARGS__ }) / sizeof (gint64))

GST_START_TEST (test_index)
{
  GstHarness *h = harness_with_caps (UNIT "output=index", XYZ);
  GstBuffer *output = push_pull (h, at (FEW, 7));

  fail_unless_equals_uint64 (GST_BUFFER_PTS (output), 7);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (output), 100 * GST_MSECOND);
  expect (output, 1, 23, -1, -2, -3, 1);
  fail_unless_equals_int64 (stat_of (h, "points"), 6);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 3);
  fail_unless_equals_int64 (stat_of (h, "points-outside"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-infinite"), 1);
  fail_unless_equals_int64 (stat_of (h, "occupied-voxels"), 0);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_rank)
{
  GstHarness *h = harness_with_caps (UNIT "output=rank", XYZ);

  expect (push_pull (h, FEW), 0, 1, -1, -2, -3, 0);
  fail_unless_equals_int64 (stat_of (h, "occupied-voxels"), 2);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_rank_over_cap)
{
  GstHarness *h = harness_with_caps (UNIT "output=rank max-voxels=1", XYZ);
  GstMessage *warning;

  expect (push_pull (h, FEW), 0, -4, -1, -2, -3, 0);
  fail_unless_equals_int64 (stat_of (h, "voxels-over-cap"), 1);
  fail_unless_equals_int64 (stat_of (h, "buffers-over-cap"), 1);
  fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));        /* a GPU's counters come with the next event */
  warning = pop_message (h, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  gst_message_unref (warning);
  harness_free (h);
}

GST_END_TEST;

/* Points of the newest cloud, rows of the voxels of all. */
GST_START_TEST (test_rank_of_a_window)
{
  GstHarness *h = harness_with_caps (UNIT "output=rank accumulate=2", XYZ);

  expect (push_pull (h, cloud (2, 0, 0, 9, 9, 9)), 0, -1);
  expect (push_pull (h, cloud (3, 0, 0)), 1);
  expect (push_pull (h, cloud (0, 0, 0, 3, 0, 0, 1, 0, 0)), 0, 2, 1);
  expect_map (push_pull (h, gst_buffer_new ()), NULL, 0);
  expect (push_pull (h, cloud (2, 0, 0)), 0);
  fail_unless_equals_int64 (stat_of (h, "points"), 7);
  harness_free (h);
}

GST_END_TEST;

/* Rows change as clouds come and leave that have other voxels, though none of the newest points does. */
GST_START_TEST (test_rank_of_a_window_that_slides)
{
  GstHarness *h = harness_with_caps (UNIT "output=rank max-voxels=3 accumulate=3", XYZ);

  expect (push_pull (h, cloud (3, 0, 0)), 0);
  expect (push_pull (h, cloud (1, 0, 0, 2, 0, 0)), 0, 1);
  expect (push_pull (h, cloud (3, 0, 0, NAN, 0, 0)), 2, -2);
  expect (push_pull (h, cloud (3, 0, 0)), 2);   /* the first cloud left, the voxel stays */
  expect (push_pull (h, cloud (0, 0, 0, 3, 0, 0)), 0, 1);       /* the second one left with its voxels */
  expect (push_pull (h, cloud (3, 0, 0, 1, 0, 0, 2, 0, 0)), -4, 1, 2);
  fail_unless_equals_int64 (stat_of (h, "voxels-over-cap"), 1);
  expect (push_pull (h, cloud (9, 9, 9)), -1);
  expect_map (push_pull (h, gst_buffer_new ()), NULL, 0);
  expect (push_pull (h, cloud (3, 0, 0, 3, 0, 0)), 0, 0);       /* of fewer points than come and leave: made anew */
  fail_unless_equals_int64 (stat_of (h, "points-read"), 1 + 2 + 2 + 2 + 4 + 5 + 2 + 2 + 3);
  harness_free (h);
}

GST_END_TEST;

/* What other clouds had changes nothing, and they are not kept. */
GST_START_TEST (test_index_has_no_window)
{
  GstHarness *h = harness_with_caps (UNIT "output=index accumulate=5", XYZ);
  GstBuffer *old = cloud (2, 0, 0);

  gst_buffer_ref (old);
  expect (push_pull (h, old), 2);
  expect (push_pull (h, cloud (3, 0, 0)), 3);
  fail_unless_equals_int64 (stat_of (h, "points-read"), 2);
  fail_unless_equals_int (GST_MINI_OBJECT_REFCOUNT_VALUE (old), 1);
  gst_buffer_unref (old);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_empty_cloud)
{
  GstHarness *h = harness_with_caps (__i__ ? UNIT "output=rank" : UNIT "output=index", XYZ);

  for (guint i = 0; i < 3; i++) {
    GstBuffer *input = at (i == 1 ? cloud (1, 0, 0) : gst_buffer_new (), i), *output;

    GST_BUFFER_FLAG_SET (input, GST_BUFFER_FLAG_MARKER);
    output = push_pull (h, input);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (output), i);
    fail_unless (GST_BUFFER_FLAG_IS_SET (output, GST_BUFFER_FLAG_MARKER));
    expect_map (output, __i__ ? (const gint64[]) {0} : (const gint64[]) {1}, i == 1);
  }
  fail_unless_equals_int64 (stat_of (h, "buffers"), 3);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

static GstBuffer *
long_cloud (guint n)
{
  gfloat *points = g_new0 (gfloat, 3 * n);
  GstBuffer *buffer;

  for (guint i = 0; i < n; i++)
    points[3 * i] = (gfloat) (i % 5);
  buffer = n > 0 ? buffer_of (points, 12 * n) : gst_buffer_new ();
  g_free (points);
  return buffer;
}

static void
expect_long (GstBuffer *output, guint n)
{
  gint64 *wanted = g_new (gint64, n + 1);

  for (guint i = 0; i < n; i++)
    wanted[i] = i % 5 < 4 ? (gint64) (i % 5) : -1;
  expect_map (output, wanted, n);
  g_free (wanted);
}

/* Clouds that grow and shrink, while readers hold on to maps. */
GST_START_TEST (test_any_number_of_points)
{
  static const guint numbers[] = { 5, 700, 3, 0, 701, 10000, 699, 12000, 1, 15000, 15001 };
  GstHarness *h = harness_with_caps (UNIT "output=index", XYZ);
  GstBuffer *outputs[G_N_ELEMENTS (numbers)];

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    outputs[i] = push_pull (h, long_cloud (numbers[i]));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    expect_long (outputs[i], numbers[i]);
  harness_free (h);
}

GST_END_TEST;

/* A map that comes back is the next one, and so is a grid: a buffer that was freed would have lost what was noted on it. */
GST_START_TEST (test_memory_is_used_again)
{
  GstHarness *h = harness_with_caps (__i__ ? UNIT : UNIT "output=index", XYZ);
  const GQuark seen = g_quark_from_static_string ("seen");

  for (guint i = 0; i < 20; i++) {
    const guint n = i == 0 ? 1000 : 900 + i;
    GstBuffer *output = push_pull (h, long_cloud (n));

    fail_unless_equals_int (gst_buffer_n_memory (output), 1);
    fail_unless (i == 0 || gst_mini_object_get_qdata (GST_MINI_OBJECT (output), seen), "buffer %u", i);
    gst_mini_object_set_qdata (GST_MINI_OBJECT (output), seen, h, NULL);
    if (__i__ == 0)
      expect_long (output, n);
    else
      fail_unless_equals_int (occupied (output), 4);
  }
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_wrong_size)
{
  GstHarness *h = harness_with_caps (UNIT "output=index", XYZ);

  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, 25, NULL)), GST_FLOW_ERROR);
  expect_error (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "25 bytes is no whole number of points of 12 bytes");
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_tensor_and_depth)
{
  static const guint16 pixels[8] = { 1000, 2000, 0, 0xEEEE, 9000, 1500, 1000, 0xEEEE };
  const gfloat points[] = { 0, 0, 0, 5, 3, 2, 1, 5 };
  GstHarness *h = harness_with_caps (UNIT "output=index", TENSORS "types=(string)float32,dimensions=(string)4:2");

  expect (push_pull (h, buffer_of (points, sizeof (points))), 0, 23);
  harness_free (h);
  /* rows of three pixels are padded to 8 bytes */
  h = harness_with_caps (UNIT "output=rank fx=1000 fy=1000", "video/x-raw,format=GRAY16_LE,width=3,height=2,framerate=30/1");
  expect (push_pull (h, buffer_of (pixels, sizeof (pixels))), 0, -1, -2, -1, 0, 0);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 1);
  harness_free (h);
}

GST_END_TEST;

/* From a grid to a map, to the map of other clouds and back, in one stream. */
GST_START_TEST (test_output_changes_while_playing)
{
  GstHarness *h = harness_with_caps (UNIT, XYZ);
  GstCaps *caps;

  fail_unless_equals_int (occupied (push_pull (h, FEW)), 2);
  gst_util_set_object_arg (G_OBJECT (h->element), "output", "rank");
  expect (push_pull (h, FEW), 0, 1, -1, -2, -3, 0);
  g_object_set (h->element, "max-voxels", 1, NULL);     /* caps stay what they are */
  expect (push_pull (h, FEW), 0, -4, -1, -2, -3, 0);
  gst_harness_set_src_caps_str (h, TENSORS "types=(string)float32,dimensions=(string)3:2,framerate=10/1");
  expect (push_pull (h, cloud (2, 0, 0, 1, 0, 0)), -4, 0);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (gst_structure_has_name (gst_caps_get_structure (caps, 0), "other/tensors"));
  gst_caps_unref (caps);
  gst_util_set_object_arg (G_OBJECT (h->element), "output", "dense");
  fail_unless_equals_int (occupied (push_pull (h, cloud (2, 0, 0, 1, 0, 0))), 2);
  harness_free (h);
}

GST_END_TEST;

static Suite *
voxelize_map_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize: maps of points");
  TCase *tc = tcase_create ("map");

  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_index);
  tcase_add_test (tc, test_rank);
  tcase_add_test (tc, test_rank_over_cap);
  tcase_add_test (tc, test_rank_of_a_window);
  tcase_add_test (tc, test_rank_of_a_window_that_slides);
  tcase_add_test (tc, test_index_has_no_window);
  tcase_add_loop_test (tc, test_empty_cloud, 0, 2);
  tcase_add_test (tc, test_any_number_of_points);
  tcase_add_loop_test (tc, test_memory_is_used_again, 0, 2);
  tcase_add_test (tc, test_wrong_size);
  tcase_add_test (tc, test_tensor_and_depth);
  tcase_add_test (tc, test_output_changes_while_playing);
  return suite;
}

GST_CHECK_MAIN (voxelize_map);
