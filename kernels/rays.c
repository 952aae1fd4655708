/* robocache: where the pixels of a depth camera look
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rays.h"

#include "arithmetic.h"
#include "backend_impl.h"
#include "floatmode.h"

#include <inttypes.h>

#define MAX_PIXELS 65536       /* along an axis */
#define BISECTIONS 200          /* a double has no more bits to halve */

int
rc_camera_distorts (const RcCamera *camera)
{
  return camera->k1 != 0.0 || camera->k2 != 0.0 || camera->k3 != 0.0 || camera->p1 != 0.0 || camera->p2 != 0.0;
}

uint64_t
rc_camera_rays_bytes (const RcCamera *camera)
{
  return (uint64_t) camera->width * (uint64_t) camera->height * 2 * sizeof (float);
}

/* ---- the lens ---- */

static double
radial (const RcCamera *camera, double r2)
{
  return 1.0 + r2 * (camera->k1 + r2 * (camera->k2 + r2 * camera->k3));
}

static void
tangential (const RcCamera *camera, double x, double y, double *dx, double *dy)
{
  const double r2 = x * x + y * y;

  *dx = 2.0 * camera->p1 * x * y + camera->p2 * (r2 + 2.0 * x * x);
  *dy = camera->p1 * (r2 + 2.0 * y * y) + 2.0 * camera->p2 * x * y;
}

void
rc_camera_project (const RcCamera *camera, double x, double y, double *u, double *v)
{
  const double factor = radial (camera, x * x + y * y);
  double dx, dy;

  tangential (camera, x, y, &dx, &dy);
  *u = (x * factor + dx) * camera->fx + camera->cx;
  *v = (y * factor + dy) * camera->fy + camera->cy;
}

/* ---- the fold: the least r² > 0 where r radial (r²) no longer grows ---- */

/* Its derivative, as a function of q = r². */
static double
growth (const RcCamera *camera, double q)
{
  return 1.0 + q * (3.0 * camera->k1 + q * (5.0 * camera->k2 + q * 7.0 * camera->k3));
}

/* The positions of the extremes of the growth, in increasing order; positions not above 0 become 0. */
static void
extremes_of_growth (const RcCamera *camera, double q[2])
{
  const double a = 21.0 * camera->k3, b = 5.0 * camera->k2, c = 3.0 * camera->k1;       /* a q² + 2 b q + c */
  const double root = sqrt (b * b - a * c), far = -(b + (b < 0.0 ? -root : root));
  const double one = a != 0.0 ? far / a : 0.0, other = far != 0.0 ? c / far : 0.0;
  const double low = one < other ? one : other, high = one < other ? other : one;

  q[0] = low > 0.0 ? low : 0.0; /* also NaN, which means that there is no extreme */
  q[1] = high > 0.0 ? high : 0.0;
}

/* The position of the fold; infinite if there is no fold. */
static double
fold_of (const RcCamera *camera)
{
  double extremes[2], low = 0.0, high = INFINITY;

  extremes_of_growth (camera, extremes);
  for (int i = 0; i < 2 && high == INFINITY; i++) {
    if (growth (camera, extremes[i]) <= 0.0)
      high = extremes[i];
    else
      low = extremes[i];
  }
  /* past its extremes it goes one way */
  for (double q = low > 0.0 ? low : 1.0; q < 1e100 && high == INFINITY; q *= 2.0) {
    if (growth (camera, q) <= 0.0)
      high = q;
  }
  for (int i = 0; i < BISECTIONS && high < INFINITY; i++) {
    const double middle = low + (high - low) / 2.0;

    if (growth (camera, middle) <= 0.0)
      high = middle;
    else
      low = middle;
  }
  return high;
}

/* ---- the inversion ---- */

static void
undistort (const RcCamera *camera, double xd, double yd, double *x, double *y)
{
  *x = xd;
  *y = yd;
  for (int i = 0; i < RC_RAYS_ITERATIONS; i++) {
    const double factor = radial (camera, *x * *x + *y * *y), x_before = *x, y_before = *y;
    double dx, dy;

    tangential (camera, x_before, y_before, &dx, &dy);
    *x = (xd - dx) / factor;
    *y = (yd - dy) / factor;
    if (fabs (*x - x_before) <= RC_RAYS_SETTLED && fabs (*y - y_before) <= RC_RAYS_SETTLED)
      return;
  }
}

static int
is_ray_of (const RcCamera *camera, double fold, double u, double v, double x, double y)
{
  double back_u, back_v;

  rc_camera_project (camera, x, y, &back_u, &back_v);
  return x * x + y * y < fold && fabs (back_u - u) <= RC_RAYS_TOLERANCE && fabs (back_v - v) <= RC_RAYS_TOLERANCE;
}

/* Apart from its caller, which sets the float mode around it. */
static int64_t __attribute__ ((noinline))
cast_rays (const RcCamera *camera, float *rays)
{
  const double fold = fold_of (camera);
  int64_t n_without = 0;

  for (int64_t v = 0; v < camera->height; v++) {
    for (int64_t u = 0; u < camera->width; u++, rays += 2) {
      double x, y;

      undistort (camera, ((double) u - camera->cx) / camera->fx, ((double) v - camera->cy) / camera->fy, &x, &y);
      if (is_ray_of (camera, fold, (double) u, (double) v, x, y)) {
        rays[0] = (float) x;
        rays[1] = (float) y;
      } else {
        rays[0] = rays[1] = rc_float32 (RC_NAN32_BITS);
        n_without++;
      }
    }
  }
  return n_without;
}

/* ---- validation ---- */

RcStatus
rc_check_image_size (int64_t width, int64_t height, RcError *error)
{
  const int is_wide = width < 1 || width > MAX_PIXELS;

  if (!is_wide && height >= 1 && height <= MAX_PIXELS)
    return RC_OK;
  return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, is_wide ? rc_wrong (RC_SETTING_WIDTH, "%" PRId64, width)
      : rc_wrong (RC_SETTING_HEIGHT, "%" PRId64, height), "1 to %d pixels", MAX_PIXELS);
}

RcStatus
rc_check_image_number (RcSetting setting, double value, int is_positive, RcError *error)
{
  if (fabs (value) < INFINITY && (!is_positive || value > 0.0))
    return RC_OK;
  return rc_error_set_wrong (error, RC_INVALID_ARGUMENT, rc_wrong (setting, "%g", value), "a finite number%s",
      is_positive ? " above 0" : "");
}

static RcStatus
check_camera (const RcCamera *camera, RcError *error)
{
  const struct
  {
    RcSetting setting;
    double value;
    int positive;
  } numbers[] = {
    {RC_SETTING_FX, camera->fx, 1}, {RC_SETTING_FY, camera->fy, 1}, {RC_SETTING_CX, camera->cx, 0}, {RC_SETTING_CY, camera->cy, 0},
    {RC_SETTING_K1, camera->k1, 0}, {RC_SETTING_K2, camera->k2, 0}, {RC_SETTING_K3, camera->k3, 0}, {RC_SETTING_P1, camera->p1, 0},
    {RC_SETTING_P2, camera->p2, 0},
  };
  RcStatus status = rc_check_image_size (camera->width, camera->height, error);

  for (size_t i = 0; i < sizeof (numbers) / sizeof (numbers[0]) && status == RC_OK; i++)
    status = rc_check_image_number (numbers[i].setting, numbers[i].value, numbers[i].positive, error);
  return status;
}

RcStatus
rc_camera_rays (const RcCamera *camera, float *rays, int64_t *n_without, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  const RcStatus status = check_camera (camera, error);
  const int64_t n = status == RC_OK ? cast_rays (camera, rays) : 0;

  rc_float_mode_leave (mode);
  if (n_without)
    *n_without = n;
  return status;
}
