/* robocache: writes and reads of engines on fake devices, for tests
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/devicework.h"

RobocacheEngine *
engine_on (FakeDevice *device, guint64 max_bytes)
{
  GError *error = NULL;
  RobocacheEngine *engine = robocache_engine_new_for_backend (fake_device_open (device), max_bytes, &error);

  fail_unless (engine != NULL, "%s", error ? error->message : "no error");
  return engine;
}

void
fill (guint8 *to, const guint8 *from, gsize bytes, gpointer value)
{
  memset (to, GPOINTER_TO_INT (value), bytes);
}

void
look (guint8 *to, const guint8 *from, gsize bytes, gpointer seen)
{
  memcpy (((Seen *) seen)->bytes, from, bytes);
}

gboolean
enqueue_write (GstMemory *memory, RobocacheEngine *engine, guint8 value, GError **error)
{
  if (!robocache_memory_begin_write (memory, engine, error))
    return FALSE;
  fake_launch (robocache_engine_stream (engine), fill, robocache_memory_data (memory), NULL, memory->size,
      GINT_TO_POINTER (value));
  return robocache_memory_end_write (memory, engine, error);
}

gboolean
enqueue_read (GstMemory *memory, RobocacheEngine *engine, Seen *seen, GError **error)
{
  if (!robocache_memory_begin_read (memory, engine, error))
    return FALSE;
  fake_launch (robocache_engine_stream (engine), look, NULL, robocache_memory_data (memory), memory->size, seen);
  return robocache_memory_end_read (memory, engine, error);
}

void
write_with (GstMemory *memory, RobocacheEngine *engine, guint8 value)
{
  GError *error = NULL;

  fail_unless (enqueue_write (memory, engine, value, &error), "%s", error ? error->message : "no error");
}

void
read_with (GstMemory *memory, RobocacheEngine *engine, Seen *seen)
{
  GError *error = NULL;

  fail_unless (enqueue_read (memory, engine, seen, &error), "%s", error ? error->message : "no error");
}

GstMemory *
alloc_memory (GstAllocator *allocator, gsize bytes)
{
  GError *error = NULL;
  GstMemory *memory = robocache_allocator_alloc (allocator, bytes, &error);

  fail_unless (memory != NULL, "%s", error ? error->message : "no error");
  return memory;
}

void
finish_in_order (guint order, RobocacheEngine **engines, guint n)
{
  if (order < n) {
    while (fake_step (robocache_engine_stream (engines[order])));
  } else if (order == n) {
    for (guint i = n; i-- > 0;)
      fail_unless (robocache_engine_synchronize (engines[i], NULL));
  }
  fake_finish (order);
}
