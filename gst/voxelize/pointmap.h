/* robocache: robocachevoxelize, maps of clouds: a pool of buffers, and caps
 *
 * A map has one int64 for each point, and clouds differ in size. Buffers have the size of the largest cloud so far, and are truncated: a
 * steady stream allocates nothing. As tensors they have caps for each size.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* A zeroed struct is a valid empty pool. */
typedef struct
{
  GstBufferPool *pool;          /* active; NULL: none yet */
  guint64 n_points;             /* points that a buffer of the pool can store */
} RobocachePointMapPool;

/* Clears the pool; call it before new caps or another allocator, and at the end. */
void robocache_point_map_pool_clear (RobocachePointMapPool * maps);
/* Acquires a buffer for n_points points. GST_FLOW_ERROR: *bytes is the size that could not be allocated, or *error is set. */
GstFlowReturn robocache_point_map_pool_acquire (RobocachePointMapPool * maps, GstAllocator * allocator,
    const GstAllocationParams * params, guint64 n_points, GstBuffer ** output, gsize * bytes, GError ** error);

/* Sends caps for maps of n_points points, as a tensor, after maps of old_points points. FALSE and an error: downstream does not accept them. */
gboolean robocache_point_map_push_caps (GstPad * srcpad, guint64 old_points, guint64 n_points, GError ** error);
