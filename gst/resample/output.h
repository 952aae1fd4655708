/* robocache: robocacheresample, output buffers: in its own memory, or in memory that downstream offers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"

/* Downstream's offer for output in system memory. A zeroed struct is a valid empty offer. */
typedef struct
{
  GstBufferPool *pool;          /* active; or NULL */
  GstAllocator *allocator;      /* NULL: the default one */
  GstAllocationParams params;
} GstRobocacheResampleOffer;

/* Takes over references, and activates the pool, which the base class deactivates. Ignores pools that do not start, and custom
 * allocators, which cannot allocate by size. */
void gst_robocache_resample_offer_set (GstRobocacheResampleOffer * offer, GstBufferPool * pool, GstAllocator * allocator,
    const GstAllocationParams * params);
void gst_robocache_resample_offer_clear (GstRobocacheResampleOffer * offer);

/* Makes the row of a tick. GST_FLOW_ERROR and an error: a device failed, or downstream's memory is not writable. Otherwise returns the
 * flow of the pool. */
GstFlowReturn gst_robocache_resample_new_row (GstRobocacheResampleEngine * engine, const GstRobocacheResampleOffer * offer,
    const RobocacheHistory * history, const RobocacheAlignment * alignment, GstBuffer ** buffer, GError ** error);

/* Replaces *buffer (taken, in the engine's memory and complete) by a buffer in the offered memory, if any. */
GstFlowReturn gst_robocache_resample_move_to_offer (const GstRobocacheResampleOffer * offer, GstBuffer ** buffer,
    GError ** error);
