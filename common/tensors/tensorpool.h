/* robocache: a pool of buffers with one memory per tensor
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "stackpool.h"
#include "tensorcaps.h"

#define ROBOCACHE_TYPE_TENSOR_POOL (robocache_tensor_pool_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheTensorPool, robocache_tensor_pool, ROBOCACHE, TENSOR_POOL, GstRobocacheStackPool)

/* Makes a pool of buffers for fixed other/tensors caps, configured with allocator and params, of which one may be NULL, and ready to be
 * activated. NULL and an error: caps are not other/tensors. A pool with a limit (max_buffers > 0) cannot keep buffers of more than 4 GiB,
 * because its base class discards them. */
GstBufferPool *robocache_tensor_pool_new (GstCaps * caps, GstAllocator * allocator, const GstAllocationParams * params,
    guint min_buffers, guint max_buffers, GError ** error);
/* The size of the pool's buffers in an allocation query: bytes, at most G_MAXUINT. */
guint robocache_tensor_pool_buffer_size (GstRobocacheTensorPool * pool);
