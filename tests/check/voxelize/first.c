/* robocache: robocachevoxelize: the first points of each voxel
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "voxelize_harness.h"

#define FIRST UNIT "mode=first output=sparse max-voxels=3 max-points=2 "

/* Voxel 1 three times, voxel 23 once, outside and NaN. */
#define FEW cloud (1.25f, 0.5f, 0.25f, 10.0f, 3.5f, 2.5f, 1.5f, -4.0f, 9.0f, 0.0f, 0.0f, 1.0f, 1.5f, 0.0f, 0.0f, 20.0f, \
    NAN, 0.0f, 0.0f, 2.0f, 1.75f, 0.0f, 0.0f, 30.0f)

/* What the tensors of an output hold, from n voxels with these points and counts on. */
static void
expect_tensors (GstBuffer *output, guint32 n, const gint32 coordinates[9], gconstpointer points, gsize point_bytes,
    const guint32 counts[3])
{
  const struct
  {
    gconstpointer data;
    gsize bytes;
  } tensors[] = { {&n, 4}, {coordinates, 36}, {points, point_bytes}, {counts, 12} };

  fail_unless_equals_int (gst_buffer_n_memory (output), 4);
  for (guint i = 0; i < G_N_ELEMENTS (tensors); i++) {
    GstMapInfo map;

    fail_unless (gst_memory_map (gst_buffer_peek_memory (output, i), &map, GST_MAP_READ));
    fail_unless_equals_uint64 (map.size, tensors[i].bytes);
    fail_unless (memcmp (map.data, tensors[i].data, map.size) == 0, "tensor %u", i);
    gst_memory_unmap (gst_buffer_peek_memory (output, i), &map);
  }
  gst_buffer_unref (output);
}

GST_START_TEST (test_first)
{
  GstHarness *h = harness_with_caps (FIRST, XYZI);
  const gfloat points[24] = { 1.25f, 0.5f, 0.25f, 10.0f, 1.5f, 0.0f, 0.0f, 20.0f, 3.5f, 2.5f, 1.5f, -4.0f };

  for (guint i = 0; i < 3; i++)
    expect_tensors (push_pull (h, FEW), 2, (const gint32[9]) {1, 0, 0, 3, 2, 1}, points, sizeof (points),
        (const guint32[3]) {2, 1});
  fail_unless_equals_int64 (stat_of (h, "points"), 18);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 12);
  fail_unless_equals_int64 (stat_of (h, "points-outside"), 3);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 3);
  fail_unless_equals_int64 (stat_of (h, "points-over-max"), 3);
  fail_unless_equals_int64 (stat_of (h, "occupied-voxels"), 2);
  fail_unless_equals_int64 (stat_of (h, "voxels-over-cap"), 0);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

/* Points of voxels that have no row are not counted beside them. */
GST_START_TEST (test_over_cap)
{
  GstHarness *h = harness_with_caps (FIRST "max-voxels=1 max-points=1", XYZI);
  GstBuffer *output = push_pull (h, FEW);
  const gfloat point[4] = { 1.25f, 0.5f, 0.25f, 10.0f };
  GstMessage *warning;

  fail_unless_equals_int (gst_buffer_memcmp (output, 16, point, sizeof (point)), 0);
  fail_unless_equals_int (gst_buffer_get_size (output), 4 + 12 + 16 + 4);
  gst_buffer_unref (output);
  fail_unless_equals_int64 (stat_of (h, "voxels-over-cap"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-over-max"), 2);
  warning = pop_message (h, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  gst_message_unref (warning);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_no_points)
{
  GstHarness *h = harness_with_caps (FIRST, XYZI);
  const gfloat points[24] = { 0 };

  gst_buffer_unref (push_pull (h, FEW));
  expect_tensors (push_pull (h, gst_buffer_new ()), 0, (const gint32[9]) {0}, points, sizeof (points),
      (const guint32[3]) {0});
  harness_free (h);
}

GST_END_TEST;

/* Clouds of a window count from the oldest on. */
GST_START_TEST (test_window)
{
  GstHarness *h = harness_with_caps (FIRST "accumulate=2", XYZI);
  const gfloat points[24] = { 0.5f, 0, 0, 2, 0.5f, 0, 0, 3 };
  const guint32 counts[3] = { 2 };

  gst_buffer_unref (push_pull (h, cloud (0.5f, 0, 0, 1)));
  gst_buffer_unref (push_pull (h, cloud (0.5f, 0, 0, 2)));
  expect_tensors (push_pull (h, cloud (0.5f, 0, 0, 3, 0.5f, 0, 0, 4)), 1, (const gint32[9]) {0}, points, sizeof (points),
      counts);
  harness_free (h);
}

GST_END_TEST;

/* Fields of any type follow x, y and z, in float16 here. */
GST_START_TEST (test_layout)
{
  GstHarness *h = harness_with_caps (FIRST "type=float16", "application/x-pointcloud,fields=(string)\"ring,z,x,y\","
      "types=(string)\"uint8,float32,float32,float32\",offsets=(string)\"0,4,8,12\",point-step=16");
  guint8 data[16] = { 255 };
  const gfloat zxy[3] = { 1.5f, 3.0f, 2.0f };
  const guint16 points[24] = { 0x4200, 0x4000, 0x3E00, 0x5BF8 };

  memcpy (data + 4, zxy, sizeof (zxy));
  expect_tensors (push_pull (h, buffer_of (data, sizeof (data))), 1, (const gint32[9]) {3, 2, 1}, points, sizeof (points),
      (const guint32[3]) {1});
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_depth)
{
  GstHarness *h = harness_with_caps (FIRST "fx=1024 fy=1024 depth-scale=0.0009765625",
      "video/x-raw,format=GRAY16_LE,width=4,height=1,framerate=30/1");
  const guint16 pixels[4] = { 1024, 0, 1536, 1280 };
  const gfloat points[18] = { 0, 0, 1.0f, 3.0f / 1024.0f, 0, 1.5f };
  GstBuffer *output = push_pull (h, buffer_of (pixels, sizeof (pixels)));
  gfloat got[18];
  const guint32 counts[3] = { 2 };

  fail_unless_equals_int (gst_buffer_extract (output, 40, got, sizeof (got)), sizeof (got));
  fail_unless (memcmp (got, points, sizeof (points)) == 0);
  fail_unless_equals_int (gst_buffer_memcmp (output, 40 + sizeof (got), counts, sizeof (counts)), 0);
  fail_unless_equals_int64 (stat_of (h, "points-over-max"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 1);
  gst_buffer_unref (output);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *in, *types, *dimensions;
} caps_cases[] = {
  {"max-voxels=9", XYZ, "uint32,int32,float32,uint32", "1,3:9,3:32:9,1:9"},
  {"max-voxels=9 max-points=5 type=float16", XYZI, "uint32,int32,float16,uint32", "1,3:9,4:5:9,1:9"},
  {"max-voxels=9 max-points=5", TENSORS "types=(string)float64,dimensions=(string)6:40:3", "uint32,int32,float32,uint32",
      "1:3,3:9:3,6:5:9:3,1:9:3"},
  {"max-voxels=9 max-points=65536 fx=1 fy=1", "video/x-raw,format=GRAY16_LE,width=4,height=3,framerate=30/1",
      "uint32,int32,float32,uint32", "1,3:9,3:65536:9,1:9"},
};

GST_START_TEST (test_caps)
{
  gchar *properties = g_strdup_printf (UNIT "mode=first output=sparse %s", caps_cases[__i__].properties);
  GstHarness *h = harness_with_caps (properties, caps_cases[__i__].in);
  GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);
  const GstStructure *structure;
  gint n = 0;

  expect_no_error (h);
  fail_unless (caps != NULL);
  structure = gst_caps_get_structure (caps, 0);
  fail_unless (gst_structure_get_int (structure, "num_tensors", &n) && n == 4);
  fail_unless_equals_string (gst_structure_get_string (structure, "types"), caps_cases[__i__].types);
  fail_unless_equals_string (gst_structure_get_string (structure, "dimensions"), caps_cases[__i__].dimensions);
  fail_unless_equals_string (gst_structure_get_string (structure, "voxel-mode"), "first");
  gst_caps_unref (caps);
  g_free (properties);
  harness_free (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *words;
} bad[] = {
  {"output=dense", "mode first with output dense: expected output sparse"},
  {"output=bits", "mode first with output bits"},
  {"output=index", "mode first with output index"},
  {"output=rank", "mode first with output rank"},
  {"output=sparse type=uint8", "expected float16 or float32"},
};

GST_START_TEST (test_refused)
{
  gchar *properties = g_strdup_printf (UNIT "mode=first %s", bad[__i__].properties);
  GstHarness *h = harness_with_caps (properties, XYZI);

  fail_unless_equals_int (gst_harness_push (h, FEW), GST_FLOW_NOT_NEGOTIATED);
  expect_error (h, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, bad[__i__].words);
  g_free (properties);
  harness_free (h);
}

GST_END_TEST;

GST_START_TEST (test_larger_than_the_machine)
{
  GstHarness *h = harness_with_caps (UNIT "mode=first output=sparse max-voxels=2147483647 max-points=1000", XYZ);

  expect_error (h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "max-points of mode=first");
  harness_free (h);
}

GST_END_TEST;

/* Room for more points, and other modes, in one stream. */
GST_START_TEST (test_changes_while_playing)
{
  GstHarness *h = harness_with_caps (FIRST, XYZI);
  GstBuffer *output;

  fail_unless_equals_int (gst_buffer_get_size (output = push_pull (h, FEW)), 4 + 36 + 96 + 12);
  gst_buffer_unref (output);
  g_object_set (h->element, "max-points", 7, NULL);
  fail_unless_equals_int (gst_buffer_get_size (output = push_pull (h, FEW)), 4 + 36 + 336 + 12);
  gst_buffer_unref (output);
  gst_util_set_object_arg (G_OBJECT (h->element), "mode", "count");
  fail_unless_equals_int (gst_buffer_n_memory (output = push_pull (h, FEW)), 3);
  gst_buffer_unref (output);
  fail_unless_equals_int64 (stat_of (h, "points-over-max"), 1);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

static Suite *
voxelize_first_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize: first points");
  TCase *tc = tcase_create ("first");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_first);
  tcase_add_test (tc, test_over_cap);
  tcase_add_test (tc, test_no_points);
  tcase_add_test (tc, test_window);
  tcase_add_test (tc, test_layout);
  tcase_add_test (tc, test_depth);
  tcase_add_loop_test (tc, test_caps, 0, G_N_ELEMENTS (caps_cases));
  tcase_add_loop_test (tc, test_refused, 0, G_N_ELEMENTS (bad));
  tcase_add_test (tc, test_larger_than_the_machine);
  tcase_add_test (tc, test_changes_while_playing);
  return suite;
}

GST_CHECK_MAIN (voxelize_first);
