/* robocache: writes and reads of engines on fake devices, for tests
 *
 * A write makes all bytes of a memory one value; a read remembers all bytes. Both are enqueued, not done.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>

#include "common/device/allocator.h"
#include "common/device/blockmap.h"
#include "common/device/occupancystamp.h"
#include "tests/check/device/fakedevice.h"
#include "tests/check/lib/checks.h"

/* Orders in which the work of a loop test is done. */
#define N_ORDERS 8

typedef struct
{
  guint8 bytes[4096];
} Seen;

RobocacheEngine *engine_on (FakeDevice *device, guint64 max_bytes);

void fill (guint8 *to, const guint8 *from, gsize bytes, gpointer value);

void look (guint8 *to, const guint8 *from, gsize bytes, gpointer seen);

gboolean enqueue_write (GstMemory *memory, RobocacheEngine *engine, guint8 value, GError **error);

gboolean enqueue_read (GstMemory *memory, RobocacheEngine *engine, Seen *seen, GError **error);

void write_with (GstMemory *memory, RobocacheEngine *engine, guint8 value);

void read_with (GstMemory *memory, RobocacheEngine *engine, Seen *seen);

GstMemory *alloc_memory (GstAllocator *allocator, gsize bytes);

/* Expects an error of GstResourceError or GstLibraryError with these words, and clears it. */
#define fail_unless_error(error, domain, code, words) \
  do { \
    fail_unless (g_error_matches (error, GST_##domain##_ERROR, GST_##domain##_ERROR_##code)); \
    fail_unless (strstr ((error)->message, words) != NULL, "%s", (error)->message); \
    g_clear_error (&(error)); \
  } while (0)

#define fail_unless_all(data, n, value) \
  do { \
    const guint8 *const all_ = (const guint8 *) (data); \
    for (gsize at_ = 0; at_ < (gsize) (n); at_++) \
      fail_unless (all_[at_] == (guint8) (value), "byte %" G_GSIZE_FORMAT " is %u; expected %u", at_, all_[at_], \
          (guint8) (value)); \
  } while (0)

/* Expects the value in all bytes of a memory that is mapped to read. */
#define fail_unless_mapped(memory, value) \
  do { \
    GstMapInfo map_; \
    fail_unless (gst_memory_map (memory, &map_, GST_MAP_READ)); \
    fail_unless_all (map_.data, map_.size, value); \
    gst_memory_unmap (memory, &map_); \
  } while (0)

/* In order of number: nothing until the test ends, each stream as far as it goes, and mixtures. */
void finish_in_order (guint order, RobocacheEngine **engines, guint n);
