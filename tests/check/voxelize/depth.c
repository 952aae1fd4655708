/* robocache: robocachevoxelize on depth images of cameras whose lens distorts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "kernels/rays.h"
#include "tests/check/lib/points/voxelizeharness.h"

#define WIDTH 64
#define HEIGHT 48
#define LENS "fx=50 fy=52 cx=31.5 cy=23 "
#define DISTORTION "k1=-0.25 k2=0.07 k3=-0.01 p1=0.002 p2=-0.003 "
#define CAMERA_GRID "origin=<-10,-10,0> voxel-size=<0.5,0.5,0.5> grid=40:40:20 output=sparse mode=centroid "
#define CAMERA_CAPS IMAGE ("64", "48")

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
      expect_one_centroid (push_pull (with, untimed_buffer (pixels, sizeof (pixels))), centroid);
      /* half a pixel each way, which the lens makes more of towards the corners */
      fail_unless (error_of (point, centroid) < 1.0, "off by %g pixels", error_of (point, centroid));
      fail_unless (fabs ((gdouble) centroid[2] - point[2]) < 1e-3);
      expect_one_centroid (push_pull (without, untimed_buffer (pixels, sizeof (pixels))), centroid);
      worst_without = MAX (worst_without, error_of (point, centroid));
    }
  }
  fail_unless (n_seen > 100);
  fail_unless (worst_without > 3.0, "the lens moves points by %g pixels only", worst_without);
  fail_unless_equals_int64 (count_of (with, "points-inside"), n_seen);
  harness_close (with);
  harness_close (without);
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
  gst_buffer_unref (push_pull (h, untimed_buffer (pixels, sizeof (pixels))));
  fail_unless (n_without > 100 && n_without < WIDTH * HEIGHT - 100);
  fail_unless_equals_int64 (count_of (h, "points-nan"), n_without);
  fail_unless_equals_int64 (count_of (h, "points-inside"), WIDTH * HEIGHT - n_without);
  g_free (rays);
  harness_close (h);
}

GST_END_TEST;

#define FLOAT_CAPS(dimensions, encoding) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, " \
    "dimensions=(string)" dimensions ", framerate=(fraction)0/1, picture=(string)" encoding

/* float32 in metres gives the grid of uint16 in millimetres; what is not finite and above 0 is no point. depth-scale is of uint16. */
GST_START_TEST (test_metres_in_float)
{
  static const gfloat none[] = { NAN, INFINITY, -INFINITY, 0, -1 };
  static const gchar *const lenses[] = { LENS, LENS DISTORTION };
  gchar *millimetres = g_strconcat (CAMERA_GRID, lenses[__i__], NULL);
  GstHarness *of_floats = harness_with_caps (millimetres, FLOAT_CAPS ("64:48", "32FC1")), *of_integers = harness_with_caps (millimetres, CAMERA_CAPS);
  guint16 integers[WIDTH * HEIGHT];
  gfloat floats[WIDTH * HEIGHT];
  GBytes *grid, *expected;

  for (guint i = 0; i < WIDTH * HEIGHT; i++) {
    integers[i] = (guint16) (i % 7 == 0 ? 0 : 500 + i * 13 % 4000);
    floats[i] = i % 7 == 0 ? none[i / 7 % G_N_ELEMENTS (none)] : (gfloat) integers[i] * (gfloat) 0.001;
  }
  grid = bytes_of (push_pull (of_floats, untimed_buffer (floats, sizeof (floats))));
  expected = bytes_of (push_pull (of_integers, untimed_buffer (integers, sizeof (integers))));
  fail_unless (g_bytes_equal (grid, expected));
  fail_unless_equals_int64 (count_of (of_floats, "points-nan"), count_of (of_integers, "points-nan"));
  fail_unless_equals_int64 (count_of (of_floats, "points-inside"), count_of (of_integers, "points-inside"));
  g_bytes_unref (grid);
  g_bytes_unref (expected);
  g_free (millimetres);
  harness_close (of_floats);
  harness_close (of_integers);
}

GST_END_TEST;

/* The lens is put on, kept while another property changes, and taken off again. */
GST_START_TEST (test_lens_changes_while_playing)
{
  static const gchar *const changes[][2] = { {"k1", "0"}, {"k1", "-0.25"}, {"accumulate", "1"}, {"k1", "0"} };
  GstHarness *h = harness_with_caps (CAMERA_GRID LENS "max-voxels=3000", CAMERA_CAPS);
  guint16 pixels[WIDTH * HEIGHT];
  GBytes *grids[G_N_ELEMENTS (changes)];

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    pixels[i] = (guint16) (i % 7 == 0 ? 0 : 500 + i * 13 % 4000);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++) {
    GstBuffer *output;

    gst_util_set_object_arg (G_OBJECT (h->element), changes[i][0], changes[i][1]);
    output = push_pull (h, untimed_buffer (pixels, sizeof (pixels)));
    grids[i] = bytes_of (output);
    gst_buffer_unref (output);
    fail_unless (g_bytes_equal (grids[i], grids[0]) == (i == 0 || i == 3), "grid %u", i);
  }
  expect_no_complaint (h);
  for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
    g_bytes_unref (grids[i]);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (voxelize_depth, use_cpu, NULL, ONCE (test_points_through_the_lens),
    ONCE (test_pixels_beyond_the_fold_are_counted), TIMES (2, test_metres_in_float), ONCE (test_lens_changes_while_playing))
