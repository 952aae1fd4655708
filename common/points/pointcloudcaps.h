/* robocache: caps of points, in each of their forms
 *
 *   application/x-pointcloud, fields=(string)"x,y,z,intensity", type=(string)float32, framerate=(fraction)10/1
 *                                            and layouts of mixed types, pointlayout.h
 *   application/x-lidar                      float32 x, y, z, intensity
 *   other/tensors                            one tensor F:N of float16, float32 or float64; the first of F are x, y, z;
 *                                            or F:N:B, a batch of B clouds
 *                                            with picture=(string)32FC1, a depth image in metres
 *   video/x-raw, format=GRAY16_LE            a depth image
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include "camerarays.h"
#include "pointlayout.h"

#define ROBOCACHE_POINTCLOUD_MEDIA_TYPE "application/x-pointcloud"
#define ROBOCACHE_LIDAR_MEDIA_TYPE "application/x-lidar"

/* Points of the first three forms may be in device memory. */
#define ROBOCACHE_POINTS_INTERLEAVED_CAPS ROBOCACHE_POINTCLOUD_MEDIA_TYPE "; " ROBOCACHE_LIDAR_MEDIA_TYPE "; other/tensors"
#define ROBOCACHE_POINTS_DEPTH_CAPS "video/x-raw, format=(string)GRAY16_LE"

/* The template of a sink pad for points, for robocache_add_pad_template, which removes memories that this build lacks. */
#define ROBOCACHE_POINTS_TEMPLATE_CAPS ROBOCACHE_POINTS_INTERLEAVED_CAPS "; " \
    ROBOCACHE_POINTCLOUD_MEDIA_TYPE "(memory:RobocacheCUDA); " ROBOCACHE_LIDAR_MEDIA_TYPE "(memory:RobocacheCUDA); " \
    "other/tensors(memory:RobocacheCUDA); " ROBOCACHE_POINTS_DEPTH_CAPS

typedef enum
{
  ROBOCACHE_POINTS_CLOUD,       /* interleaved points; the size of the buffer determines their number */
  ROBOCACHE_POINTS_TENSOR,      /* interleaved points; caps fix their number */
  ROBOCACHE_POINTS_DEPTH        /* a depth image */
} RobocachePointsKind;

typedef struct
{
  RobocachePointsKind kind;
  RobocachePointLayout layout;  /* no fields for depth */
  guint64 n_points;             /* points per item, for tensors and depth; 0 for clouds, where each buffer determines the number */
  guint64 n_items;              /* clouds per buffer, each of which makes a grid; 1 except for batches */
  GstVideoInfo video;           /* depth */
  gboolean is_float_depth;      /* depth is float32, in a tensor */
  RobocacheCameraRays *rays;    /* depth of a lens that distorts, from properties and not from caps; NULL: pinhole */
  gint rate_num, rate_den;      /* framerate; 0/1: no nominal rate */
} RobocachePointsInfo;

/* Checks every field of fixed caps in any of the four forms. FALSE and an error that names the field, its value and the expected value.
 * Clear info after success. */
gboolean robocache_points_info_from_caps (RobocachePointsInfo * info, const GstCaps * caps, GError ** error);
void robocache_points_info_clear (RobocachePointsInfo * info);

/* application/x-pointcloud caps; fields are the names of a point's fields, like "x,y,z". */
GstCaps *robocache_pointcloud_caps_new (const gchar * fields, RcDtype dtype, gint rate_num, gint rate_den);

/* Bytes of one point; 0 for depth. */
gsize robocache_points_info_point_size (const RobocachePointsInfo * info);

/* Number of points per item of a buffer of `size` bytes with a cloud or tensor. FALSE and an error with both sizes: the size is not a
 * multiple of a point, or differs from the tensor's caps. */
gboolean robocache_points_info_count (const RobocachePointsInfo * info, gsize size, guint64 * n_points,
    GError ** error);
