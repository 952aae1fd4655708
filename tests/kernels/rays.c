/* robocache: rays of a depth camera's pixels against the lens they come through
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/rays.h"

#include <math.h>
#include <string.h>

#include "tests/check/lib/checks.h"

/* From none to as strong as lenses of depth cameras are. */
static const RcCamera cameras[] = {
  {640, 480, 615.0, 615.5, 320.2, 239.1, 0.0, 0.0, 0.0, 0.0, 0.0},
  {640, 480, 590.0, 592.0, 318.0, 242.0, 0.09, -0.18, 0.08, 0.0006, -0.0011},
  {640, 576, 504.0, 504.1, 321.9, 330.2, -0.05, 0.012, -0.001, -0.0002, 0.0004},
  {1280, 720, 640.0, 641.0, 645.0, 362.0, -0.055, 0.064, -0.02, 0.0002, 0.0009},
  {320, 240, 160.0, 160.0, 159.5, 119.5, -0.1, 0.01, 0.0, 0.001, -0.002},
  {320, 240, 200.0, 210.0, 170.0, 110.0, 0.4, 0.2, 0.1, 0.01, 0.01},
};

static float *
cast_rays (const RcCamera *camera, int64_t *n_without)
{
  float *rays = g_malloc (rc_camera_rays_bytes (camera));
  RcError error = { RC_OK, "" };

  fail_unless (rc_camera_rays (camera, rays, n_without, &error) == RC_OK, "%s", error.message);
  return rays;
}

/* Each ray falls on its pixel: in float32 it is off by its rounding, up to 2^-24 of it, times the focal length. */
GST_START_TEST (test_rays_fall_on_their_pixels)
{
  const RcCamera *camera = &cameras[__i__];
  int64_t n_without;
  float *rays = cast_rays (camera, &n_without);
  double worst = 0.0;

  fail_unless_equals_int64 (n_without, 0);
  for (int64_t i = 0; i < camera->width * camera->height; i++) {
    const double x = (double) rays[2 * i], y = (double) rays[2 * i + 1];
    double u, v;

    rc_camera_project (camera, x, y, &u, &v);
    worst = fmax (worst, fmax (fabs (u - (double) (i % camera->width)), fabs (v - (double) (i / camera->width))));
  }
  fail_unless (worst < 2e-4, "a ray is off its pixel by %g", worst);
  g_free (rays);
}

GST_END_TEST;

GST_START_TEST (test_no_distortion_is_a_pinhole)
{
  const RcCamera *camera = &cameras[0];
  float *rays = cast_rays (camera, NULL);

  fail_unless (!rc_camera_distorts (camera) && rc_camera_distorts (&cameras[1]));
  for (int64_t i = 0; i < camera->width * camera->height; i++) {
    fail_unless (rays[2 * i] == (float) (((double) (i % camera->width) - camera->cx) / camera->fx));
    fail_unless (rays[2 * i + 1] == (float) (((double) (i / camera->width) - camera->cy) / camera->fy));
  }
  g_free (rays);
}

GST_END_TEST;

/* ---- against an inversion of another kind: bisection along the radius, below the fold ---- */

static double
distorted_radius (const RcCamera *camera, double r)
{
  return r * (1.0 + camera->k1 * pow (r, 2) + camera->k2 * pow (r, 4) + camera->k3 * pow (r, 6));
}

static double
bisect_radius (const RcCamera *camera, double fold, double distorted)
{
  double low = 0.0, high = fold;

  for (int i = 0; i < 100; i++) {
    const double middle = (low + high) / 2.0;

    if (distorted_radius (camera, middle) < distorted)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Lenses whose image folds within the picture, and where: at the root of 1 + 3 k1 r² + 5 k2 r⁴. */
static const struct
{
  double k1, k2;
  double fold;
} folds[] = {
  {-0.5, 0.0, 0.816496580927726},
  {-1.0, 0.3, 0.650115167343736},       /* and turns again at 1.2559: what lies there is no ray either */
  {-0.2, 0.0, 1.290994448735806},
  {0.3, -0.4, 0.983382480926577},
};

GST_START_TEST (test_nothing_from_beyond_the_fold)
{
  const double fold = folds[__i__].fold;
  const RcCamera camera = { 400, 300, 130.0, 130.0, 200.0, 150.0, folds[__i__].k1, folds[__i__].k2, 0.0, 0.0, 0.0 };
  const double last = distorted_radius (&camera, fold);
  int64_t n_without, n_nan = 0, n_rays = 0;
  float *rays = cast_rays (&camera, &n_without);

  for (int64_t i = 0; i < camera.width * camera.height; i++) {
    const double xd = ((double) (i % camera.width) - camera.cx) / camera.fx;
    const double yd = ((double) (i / camera.width) - camera.cy) / camera.fy;
    const double distorted = hypot (xd, yd), r = hypot ((double) rays[2 * i], (double) rays[2 * i + 1]);

    n_nan += isnan (r) != 0;
    n_rays += !isnan (r);
    fail_unless (isnan (rays[2 * i]) == isnan (rays[2 * i + 1]));
    if (distorted > last * 1.0001) {
      fail_unless (isnan (r), "a ray at %g beyond %g", distorted, last);
    } else if (distorted < last * 0.97) {
      const double wanted = bisect_radius (&camera, fold, distorted);

      fail_unless (fabs (r - wanted) <= 1e-5 * wanted, "radius %g at %g, expected %g", r, distorted, wanted);
    } else if (!isnan (r)) {
      fail_unless (r <= fold && fabs (distorted_radius (&camera, r) - distorted) * camera.fx < 2e-3);
    }
  }
  fail_unless_equals_int64 (n_nan, n_without);
  fail_unless (n_nan > 1000 && n_rays > 1000);
  g_free (rays);
}

GST_END_TEST;

/* ---- what is refused ---- */

GST_START_TEST (test_wrong_cameras)
{
  static const struct
  {
    const char *name;
    gsize offset;
    double value;
    const char *words;
  } wrong[] = {
    {"fx", G_STRUCT_OFFSET (RcCamera, fx), 0.0, "above 0"},
    {"fy", G_STRUCT_OFFSET (RcCamera, fy), -3.0, "above 0"},
    {"cx", G_STRUCT_OFFSET (RcCamera, cx), INFINITY, "finite"},
    {"k1", G_STRUCT_OFFSET (RcCamera, k1), NAN, "finite"},
    {"k3", G_STRUCT_OFFSET (RcCamera, k3), -INFINITY, "finite"},
    {"p2", G_STRUCT_OFFSET (RcCamera, p2), NAN, "finite"},
  };
  RcCamera camera = cameras[1], high = cameras[0];
  RcError error = { RC_OK, "" };
  float ray[2];

  high.height = 65537;
  fail_unless_equals_int (rc_camera_rays (&high, ray, NULL, &error), RC_INVALID_ARGUMENT);
  fail_unless (strstr (error.message, "height is 65537") != NULL, "%s", error.message);
  *(double *) G_STRUCT_MEMBER_P (&camera, wrong[__i__].offset) = wrong[__i__].value;
  fail_unless_equals_int (rc_camera_rays (&camera, ray, NULL, &error), RC_INVALID_ARGUMENT);
  fail_unless (g_str_has_prefix (error.message, wrong[__i__].name) && strstr (error.message, wrong[__i__].words), "%s",
      error.message);
}

GST_END_TEST;

/* Numbers at the ends of what a double holds make NaNs and end. */
GST_START_TEST (test_absurd_lens)
{
  static const double numbers[] = { 1e308, -1e308, 1e-308, -1e150 };
  RcCamera camera = { 8, 6, 1e-300, 5.0, 4.0, 3.0, numbers[__i__], -numbers[__i__], numbers[__i__], 1e300, -1e300 };
  int64_t n_without;
  float *rays = cast_rays (&camera, &n_without);

  fail_unless (n_without > 0 && n_without <= 48);
  g_free (rays);
}

GST_END_TEST;

CHECK_MAIN (rays, NULL, NULL, EACH (cameras, test_rays_fall_on_their_pixels), ONCE (test_no_distortion_is_a_pinhole),
    EACH (folds, test_nothing_from_beyond_the_fold), TIMES (6, test_wrong_cameras), TIMES (4, test_absurd_lens))
