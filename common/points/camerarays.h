/* robocache: the rays of a depth camera's pixels, computed once for all that use them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CAMERARAYS_H
#define ROBOCACHE_CAMERARAYS_H

#include <gst/gst.h>

#include "kernels/rays.h"

G_BEGIN_DECLS

/* Counted references; nothing in it changes. */
typedef struct
{
  RcCamera camera;
  gfloat *rays;                 /* [height, width, 2]; kernels/rays.h */
  gint64 n_without;             /* pixels that have none, since no ray falls on them */
} RobocacheCameraRays;

/* A reference to last, unless NULL, where that is of the same camera; otherwise new ones. NULL and an error: a number
 * that makes no sense, or no memory. */
RobocacheCameraRays *robocache_camera_rays_new (const RcCamera * camera, RobocacheCameraRays * last, GError ** error);
void robocache_camera_rays_unref (RobocacheCameraRays * rays);

G_END_DECLS
#endif
