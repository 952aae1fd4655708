/* robocache: robocachevoxelize, a pool of buffers for maps of clouds
 *
 * A map has one int64 for each point, and clouds differ in size. Buffers are made for the largest cloud so far, and cut to size: a
 * steady stream allocates nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELIZE_POINTMAP_H
#define ROBOCACHE_VOXELIZE_POINTMAP_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A zeroed struct is a valid empty pool. */
typedef struct
{
  GstBufferPool *pool;          /* active; NULL: none yet */
  guint64 n_points;             /* capacity of its buffers */
} RobocachePointMapPool;

/* Before other caps or another allocator, and at the end. */
void robocache_point_map_pool_clear (RobocachePointMapPool * maps);
/* A buffer for n_points points. On GST_FLOW_ERROR *bytes is the size that the allocator lacked, or *error is set. */
GstFlowReturn robocache_point_map_pool_acquire (RobocachePointMapPool * maps, GstAllocator * allocator,
    const GstAllocationParams * params, guint64 n_points, GstBuffer ** output, gsize * bytes, GError ** error);

G_END_DECLS
#endif
