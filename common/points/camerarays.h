/* robocache: the rays of a depth camera's pixels, computed once for all users
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "kernels/rays.h"

/* Immutable, with counted references. */
typedef struct
{
  RcCamera camera;
  gfloat *rays;                 /* [height, width, 2]; kernels/rays.h */
  gint64 n_without;             /* number of pixels on which no ray falls */
} RobocacheCameraRays;

/* Returns a new reference to `last` (may be NULL) if it belongs to the same camera, otherwise new rays. NULL and an error: an invalid
 * parameter of the camera, or no memory. */
RobocacheCameraRays *robocache_camera_rays_new (const RcCamera * camera, RobocacheCameraRays * last, GError ** error);
void robocache_camera_rays_unref (RobocacheCameraRays * rays);
