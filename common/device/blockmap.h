/* robocache: CPU and device maps of a block
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "block.h"

/* A CPU map waits for the last write, a write map for the reads too, and goes through pinned memory that the block keeps.
 * NULL, with an error in the log of the allocator, when the device failed or has no pinned memory left. */
gpointer robocache_block_map (RobocacheBlock * block, GstAllocator * allocator, GstMapFlags flags);
/* If the device fails to receive what a map wrote, all later reads and maps of the block fail. */
void robocache_block_unmap (RobocacheBlock * block, GstAllocator * allocator, GstMapFlags flags);
