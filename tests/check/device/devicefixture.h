/* robocache: a fake device with two engines, and an allocator of the first one, made anew for each test
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/device/devicework.h"

#define NUMBER 5                /* of the device */

static FakeDevice *device;
static RobocacheEngine *engine, *other;
static GstAllocator *allocator; /* of device memory */

static void
setup (void)
{
  device = fake_device_new (NUMBER);
  engine = engine_on (device, 0);
  other = engine_on (device, 0);
  allocator = robocache_allocator_new (engine, RC_MEMORY_DEVICE);
}

static void
teardown (void)
{
  gst_object_unref (allocator);
  robocache_engine_unref (engine);
  robocache_engine_unref (other);
  fake_device_free (device);
}

static inline RobocacheMemoryStatistics
statistics_of (RobocacheEngine *of)
{
  RobocacheMemoryStatistics statistics;

  robocache_engine_get_memory_statistics (of, &statistics);
  return statistics;
}
