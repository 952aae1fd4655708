/* robocache: buffers whose memory a device writes
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_LINE_DEVICE_H
#define BENCH_LINE_DEVICE_H

#include "common/device/allocator.h"
#include "tests/bench/pipelines/line.h"

/* Returns when the device has written all memory of the buffer. */
static inline void
line_wait_for_device (GstBuffer *buffer)
{
  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (!gst_memory_map (memory, &map, (GstMapFlags) (GST_MAP_READ | ROBOCACHE_MAP_DEVICE)))
      line_fail ("memory %u of a buffer cannot be mapped", i);
    gst_memory_unmap (memory, &map);
  }
}

#endif
