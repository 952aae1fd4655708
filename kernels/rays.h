/* robocache: the rays of the pixels of a depth camera
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Greatest number of steps of the inversion. Lenses of depth cameras need 5 to 30; near a fold, where the iteration converges slowly,
 * more steps find rays for more pixels in the corners. */
#define RC_RAYS_ITERATIONS 100
/* The iteration ends when a step moves the ray by at most this distance, which is far below the resolution of float32. */
#define RC_RAYS_SETTLED 0x1p-40
/* Greatest distance, in pixels, between a pixel and the projection of its ray. */
#define RC_RAYS_TOLERANCE 1e-3

/* A camera with the distortion of Brown and Conrady (D. C. Brown, "Decentering distortion of lenses", Photogrammetric
 * Engineering 32, 1966), with the symbols and the signs of OpenCV's "Camera Calibration and 3D Reconstruction". The
 * ray (x, y) = (X / Z, Y / Z) falls on the pixel
 *
 *   u = fx xd + cx,   xd = x (1 + k1 r² + k2 r⁴ + k3 r⁶) + 2 p1 x y + p2 (r² + 2 x²)
 *   v = fy yd + cy,   yd = y (1 + k1 r² + k2 r⁴ + k3 r⁶) + p1 (r² + 2 y²) + 2 p2 x y,   r² = x² + y²
 */
typedef struct RcCamera
{
  int64_t width, height;        /* pixels, each 1 … 65536 */
  double fx, fy, cx, cy;        /* pixels; fx and fy > 0 */
  double k1, k2, k3;            /* radial */
  double p1, p2;                /* tangential */
} RcCamera;

/* Whether the lens distorts at all. */
int rc_camera_distorts (const RcCamera * camera);

/* Bytes of the rays of an image. */
uint64_t rc_camera_rays_bytes (const RcCamera * camera);

/* rays [height, width, 2]: x and y of each pixel, computed in double and rounded once. The inversion is the fixed point
 * x ← (xd - tangential (x, y)) / radial (x, y), beginning with xd, as in OpenCV's undistortPoints, in at most
 * RC_RAYS_ITERATIONS steps. A pixel is NaN if no ray falls on it, or only rays beyond the fold. Beyond the fold, the distorted radius
 * decreases again, so that the world would be mapped onto the image a second time.
 * n_without, unless NULL: the number of NaN pixels. Errors: RC_INVALID_ARGUMENT with the parameter, its value and what was expected. */
RcStatus rc_camera_rays (const RcCamera * camera, float *rays, int64_t * n_without, RcError * error);

/* The pixel on which a ray falls. */
void rc_camera_project (const RcCamera * camera, double x, double y, double *u, double *v);

#ifdef __cplusplus
}
#endif
