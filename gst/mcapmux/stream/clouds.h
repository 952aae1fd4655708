/* robocache: messages of point clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_CLOUDS_H
#define MUX_CLOUDS_H

#include "encoder.h"

G_BEGIN_DECLS

/* application/x-pointcloud and application/x-lidar. Points whose fields have types that PointField lacks become a tensor. NULL and an
 * error: caps that are wrong. */
MuxEncoder *mux_clouds_new (const GstCaps * caps, GError ** error);

G_END_DECLS
#endif
