/* robocache: robocachevoxelize on points of any layout and on depth cameras whose lens distorts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "kernels/rays.h"
#include "voxelize_harness.h"

/* ---- layouts ---- */

/* As drivers of lidars put it into a PointCloud2. */
typedef struct
{
  gfloat x, y, z;
  guint8 padding[4];
  gfloat intensity;
  guint16 ring;
  guint8 more_padding[2];
  gdouble time;
} LidarPoint;

G_STATIC_ASSERT (sizeof (LidarPoint) == 32);

#define LIDAR "application/x-pointcloud,fields=(string)\"x,y,z,intensity,ring,time\"," \
    "types=(string)\"float32,float32,float32,float32,uint16,float64\",offsets=(string)\"0,4,8,16,20,24\"," \
    "point-step=(int)32,framerate=(fraction)10/1"

static const LidarPoint lidar_points[] = {
  {0.5, 0.5, 0.5, {0xFF, 0xFF, 0xFF, 0xFF}, 10, 3, {0xFF, 0xFF}, 1700000000.25},
  {0.75, 0.5, 0.5, {0}, 30, 64000, {0}, 1700000000.75},
  {3.5, 2.5, 1.5, {0}, -5, 7, {0}, 2},
  {NAN, 0, 0, {0}, 1, 1, {0}, 1},
  {-1, 0, 0, {0}, 1, 1, {0}, 1},
};

static void
expect_features (GstBuffer *output, guint voxel, gfloat intensity, gfloat ring, gfloat time)
{
  const gfloat wanted[] = { intensity, ring, time };
  GstMapInfo map;

  fail_unless (gst_buffer_map (output, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, 4 * 3 * 2 * sizeof (wanted));
  for (guint c = 0; c < 3; c++)
    assert_equals_float (((gfloat *) map.data)[voxel * 3 + c], wanted[c]);
  gst_buffer_unmap (output, &map);
}

GST_START_TEST (test_lidar_points)
{
  static const struct
  {
    const gchar *mode;
    gfloat first[3];
  } modes[] = {
    {UNIT "mode=mean", {20, 32001.5f, 1700000000.5f}},
    {UNIT "mode=max", {30, 64000, 1700000000.75f}},
    {UNIT "mode=min", {10, 3, 1700000000.25f}},
  };
  GstHarness *h = harness_with_caps (modes[__i__].mode, LIDAR);
  GstBuffer *output = push_pull (h, buffer_of (lidar_points, sizeof (lidar_points)));

  expect_no_error (h);
  expect_features (output, 0, modes[__i__].first[0], modes[__i__].first[1], modes[__i__].first[2]);
  expect_features (output, 23, -5, 7, 2);
  expect_features (output, 11, 0, 0, 0);
  gst_buffer_unref (output);
  fail_unless_equals_int64 (stat_of (h, "points"), 5);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), 3);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), 1);
  fail_unless_equals_int64 (stat_of (h, "points-outside"), 1);
  harness_free (h);
}

GST_END_TEST;

/* Other caps empty the window. */
GST_START_TEST (test_other_layouts_take_turns)
{
  GstHarness *h = harness_with_caps (UNIT "accumulate=5", LIDAR);

  fail_unless_equals_int (occupied (push_pull (h, buffer_of (lidar_points, sizeof (lidar_points)))), 2);
  gst_harness_set_src_caps_str (h, XYZ);
  fail_unless_equals_int (occupied (push_pull (h, cloud (0, 0, 0))), 1);
  gst_harness_set_src_caps_str (h, LIDAR);
  fail_unless_equals_int (occupied (push_pull (h, buffer_of (&lidar_points[2], 32))), 1);
  fail_unless_equals_int (occupied (push_pull (h, gst_buffer_new ())), 1);
  expect_no_error (h);
  harness_free (h);
}

GST_END_TEST;

/* ---- lenses ---- */

#define WIDTH 64
#define HEIGHT 48
#define LENS "fx=50 fy=52 cx=31.5 cy=23 "
#define DISTORTION "k1=-0.25 k2=0.07 k3=-0.01 p1=0.002 p2=-0.003 "
#define CAMERA_GRID "origin=<-10,-10,0> voxel-size=<0.5,0.5,0.5> grid=40:40:20 output=sparse mode=centroid "
#define CAMERA_CAPS "video/x-raw,format=GRAY16_LE,width=64,height=48,framerate=30/1"

static const RcCamera camera = { WIDTH, HEIGHT, 50, 52, 31.5, 23, -0.25, 0.07, -0.01, 0.002, -0.003 };

/* The image of one point, z in millimetres; FALSE when the camera does not see it. */
static gboolean
take_picture (const gdouble point[3], guint16 *pixels)
{
  gdouble u, v;

  memset (pixels, 0, WIDTH * HEIGHT * sizeof (guint16));
  rc_camera_project (&camera, point[0] / point[2], point[1] / point[2], &u, &v);
  u = floor (u + 0.5);
  v = floor (v + 0.5);
  if (u < 0 || v < 0 || u >= WIDTH || v >= HEIGHT)
    return FALSE;
  pixels[(gint) v * WIDTH + (gint) u] = (guint16) (point[2] * 1000.0);
  return TRUE;
}

/* The one centroid of a sparse grid. */
static void
expect_one_centroid (GstBuffer *output, gfloat centroid[3])
{
  guint32 n;

  fail_unless_equals_int (gst_buffer_n_memory (output), 3);
  gst_buffer_extract (output, 0, &n, sizeof (n));
  fail_unless_equals_int (n, 1);
  gst_buffer_extract (output, gst_buffer_get_size (output) - 4 * 3 * sizeof (gfloat), centroid, 3 * sizeof (gfloat));
  gst_buffer_unref (output);
}

/* In pixels of the point's distance. */
static gdouble
error_of (const gdouble point[3], const gfloat centroid[3])
{
  return hypot ((gdouble) centroid[0] - point[0], (gdouble) centroid[1] - point[1]) / point[2] * camera.fx;
}

GST_START_TEST (test_points_through_the_lens)
{
  GstHarness *with = harness_with_caps (CAMERA_GRID LENS DISTORTION "max-voxels=4", CAMERA_CAPS);
  GstHarness *without = harness_with_caps (CAMERA_GRID LENS "max-voxels=4", CAMERA_CAPS);
  guint16 pixels[WIDTH * HEIGHT];
  gdouble worst_without = 0;
  guint n_seen = 0;

  for (gint i = -6; i <= 6; i++) {
    for (gint j = -5; j <= 5; j++) {
      const gdouble point[3] = { i * 0.2, j * 0.2, 2.0 + 0.125 * (i + 6) };
      gfloat centroid[3];

      if (!take_picture (point, pixels))
        continue;
      n_seen++;
      expect_one_centroid (push_pull (with, buffer_of (pixels, sizeof (pixels))), centroid);
      /* half a pixel each way, which the lens makes more of towards the corners */
      fail_unless (error_of (point, centroid) < 1.0, "off by %g pixels", error_of (point, centroid));
      fail_unless (fabs ((gdouble) centroid[2] - point[2]) < 1e-3);
      expect_one_centroid (push_pull (without, buffer_of (pixels, sizeof (pixels))), centroid);
      worst_without = MAX (worst_without, error_of (point, centroid));
    }
  }
  fail_unless (n_seen > 100);
  fail_unless (worst_without > 3.0, "the lens moves points by %g pixels only", worst_without);
  fail_unless_equals_int64 (stat_of (with, "points-inside"), n_seen);
  harness_free (with);
  harness_free (without);
}

GST_END_TEST;

/* A full image through a lens that folds within it: pixels without a ray are counted as those without return are. */
GST_START_TEST (test_pixels_beyond_the_fold_are_counted)
{
  const RcCamera folding = { WIDTH, HEIGHT, 20, 20, 32, 24, -0.5, 0, 0, 0, 0 };
  GstHarness *h = harness_with_caps (CAMERA_GRID "fx=20 fy=20 cx=32 cy=24 k1=-0.5", CAMERA_CAPS);
  gfloat *rays = g_malloc (rc_camera_rays_bytes (&folding));
  guint16 pixels[WIDTH * HEIGHT];
  gint64 n_without;

  fail_unless (rc_camera_rays (&folding, rays, &n_without, NULL) == RC_OK);
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = 2000;
  gst_buffer_unref (push_pull (h, buffer_of (pixels, sizeof (pixels))));
  fail_unless (n_without > 100 && n_without < WIDTH * HEIGHT - 100);
  fail_unless_equals_int64 (stat_of (h, "points-nan"), n_without);
  fail_unless_equals_int64 (stat_of (h, "points-inside"), WIDTH * HEIGHT - n_without);
  g_free (rays);
  harness_free (h);
}

GST_END_TEST;

static void
fill_picture (guint16 *pixels)
{
  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = (guint16) (i % 7 == 0 ? 0 : 500 + i * 13 % 4000);
}

/* The lens is put on, kept while another property changes, and taken off again. */
GST_START_TEST (test_lens_changes_while_playing)
{
  GstHarness *h = harness_with_caps (CAMERA_GRID LENS "max-voxels=3000", CAMERA_CAPS);
  guint16 pixels[WIDTH * HEIGHT];
  GstBuffer *grids[4];
  gboolean same;

  fill_picture (pixels);
  grids[0] = push_pull (h, buffer_of (pixels, sizeof (pixels)));
  g_object_set (h->element, "k1", -0.25, NULL);
  grids[1] = push_pull (h, buffer_of (pixels, sizeof (pixels)));
  g_object_set (h->element, "accumulate", 1u, NULL);
  grids[2] = push_pull (h, buffer_of (pixels, sizeof (pixels)));
  g_object_set (h->element, "k1", 0.0, NULL);
  grids[3] = push_pull (h, buffer_of (pixels, sizeof (pixels)));
  expect_no_error (h);
  for (guint i = 0; i < 4; i++) {
    GstMapInfo first, map;

    fail_unless (gst_buffer_map (grids[0], &first, GST_MAP_READ) && gst_buffer_map (grids[i], &map, GST_MAP_READ));
    same = map.size == first.size && memcmp (map.data, first.data, map.size) == 0;
    fail_unless (same == (i == 0 || i == 3), "grid %u", i);
    gst_buffer_unmap (grids[0], &first);
    gst_buffer_unmap (grids[i], &map);
  }
  for (guint i = 0; i < 4; i++)
    gst_buffer_unref (grids[i]);
  harness_free (h);
}

GST_END_TEST;

static Suite *
robocachevoxelize_inputs_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize: inputs");
  TCase *tc = tcase_create ("general");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);  /* in system memory; elementdevice.c is about others */

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_lidar_points, 0, 3);
  tcase_add_test (tc, test_other_layouts_take_turns);
  tcase_add_test (tc, test_points_through_the_lens);
  tcase_add_test (tc, test_pixels_beyond_the_fold_are_counted);
  tcase_add_test (tc, test_lens_changes_while_playing);
  return suite;
}

GST_CHECK_MAIN (robocachevoxelize_inputs);
