/* robocache: memory of a device is written and read in order, by devices and by CPUs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#define BYTES 100

static FakeDevice *device;
static RobocacheEngine *engine; /* that makes the memory */
static RobocacheEngine *other;  /* on the same device */
static GstAllocator *allocator;

static void
setup (void)
{
  device = fake_device_new (0);
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

/* ---- devices ---- */

GST_START_TEST (test_reader_waits_for_the_write)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen = { {0} };

  write_with (memory, engine, 7);
  read_with (memory, other, &seen);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (seen.bytes, BYTES, 7);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_writer_waits_for_the_reads)
{
  RobocacheEngine *engines[] = { engine, other, engine_on (device, 0) };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen[3];

  write_with (memory, engine, 1);
  for (guint i = 0; i < 3; i++)
    read_with (memory, engines[i], &seen[i]);
  write_with (memory, engine, 2);
  finish_in_order (__i__, engines, 3);
  for (guint i = 0; i < 3; i++)
    fail_unless_all (seen[i].bytes, BYTES, 1);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
  robocache_engine_unref (engines[2]);
}

GST_END_TEST;

GST_START_TEST (test_writers_of_two_engines_take_turns)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen[10];

  for (guint i = 0; i < 10; i++) {
    write_with (memory, engines[i % 2], i);
    read_with (memory, engines[i / 2 % 2], &seen[i]);
  }
  finish_in_order (__i__, engines, 2);
  for (guint i = 0; i < 10; i++)
    fail_unless_all (seen[i].bytes, BYTES, i);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* Readers do not wait for each other, nor for themselves. */
GST_START_TEST (test_reader_waits_for_no_reader)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen[2];

  write_with (memory, engine, 3);
  fail_unless (robocache_engine_synchronize (engine, NULL));
  read_with (memory, engine, &seen[0]);
  read_with (memory, other, &seen[1]);
  fail_unless (robocache_engine_synchronize (other, NULL));
  fail_unless_all (seen[1].bytes, BYTES, 3);
  fail_unless_equals_int (fake_pending (), 2);  /* the other read, and its event */
  fake_finish (0);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* A writer that gave up after begin_write has not taken the readers' place. */
GST_START_TEST (test_reads_stay_pending_until_a_write_is_noted)
{
  RobocacheEngine *third = engine_on (device, 0);
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen;

  write_with (memory, engine, 1);
  read_with (memory, other, &seen);
  fail_unless (robocache_memory_begin_write (memory, engine, NULL));
  write_with (memory, third, 2);
  fail_unless (robocache_engine_synchronize (third, NULL));
  fake_finish (0);
  fail_unless_all (seen.bytes, BYTES, 1);
  gst_memory_unref (memory);
  robocache_engine_unref (third);
}

GST_END_TEST;

GST_START_TEST (test_work_in_place)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen before, after;

  write_with (memory, engine, 1);
  fail_unless (robocache_memory_begin_write (memory, other, NULL));
  read_with (memory, other, &before);
  fake_launch (robocache_engine_stream (other), fill, robocache_memory_data (memory), NULL, BYTES, GINT_TO_POINTER (2));
  fail_unless (robocache_memory_end_write (memory, other, NULL));
  read_with (memory, engine, &after);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (before.bytes, BYTES, 1);
  fail_unless_all (after.bytes, BYTES, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_engines_that_read_no_more_are_let_go)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);

  for (guint i = 0; i < 100; i++) {
    RobocacheEngine *passing = engine_on (device, 0);
    Seen seen;

    write_with (memory, engine, i);
    read_with (memory, passing, &seen);
    fake_finish (i);
    fail_unless_all (seen.bytes, BYTES, i);
    robocache_engine_unref (passing);
  }
  fail_unless (fake_device_counts (device).backends <= 22, "%u backends", fake_device_counts (device).backends);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* ---- several devices ---- */

GST_START_TEST (test_reader_on_another_device)
{
  FakeDevice *far_device = fake_device_new (1);
  RobocacheEngine *far = engine_on (far_device, 0);
  RobocacheEngine *engines[] = { engine, far };
  GstAllocator *there = robocache_allocator_new (far, RC_MEMORY_DEVICE);
  GstMemory *memory = alloc_memory (allocator, BYTES), *result = alloc_memory (there, BYTES);

  write_with (memory, engine, 1);
  fail_unless (robocache_memory_begin_write (result, far, NULL));
  fail_unless (robocache_memory_copy_out (memory, 0, BYTES, robocache_memory_data (result), far, NULL));
  fail_unless (robocache_memory_end_write (result, far, NULL));
  write_with (memory, engine, 2);
  finish_in_order (__i__, engines, 2);
  fail_unless_mapped (result, 1);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
  gst_memory_unref (result);
  robocache_allocator_trim (allocator); /* blocks that are kept know who has read them */
  gst_object_unref (there);
  robocache_engine_unref (far);
  fake_device_free (far_device);
}

GST_END_TEST;

/* A block that engines of several devices write to has an event of the right one each time. */
GST_START_TEST (test_pinned_memory_written_by_two_devices)
{
  FakeDevice *far_device = fake_device_new (1);
  RobocacheEngine *far = engine_on (far_device, 0);
  RobocacheEngine *engines[] = { engine, far };
  GstAllocator *pinned = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstMemory *memory = alloc_memory (pinned, BYTES);
  Seen seen[6];

  for (guint i = 0; i < 6; i++) {
    write_with (memory, engines[i % 2], i);
    read_with (memory, engines[i / 2 % 2], &seen[i]);
  }
  finish_in_order (__i__, engines, 2);
  for (guint i = 0; i < 6; i++)
    fail_unless_all (seen[i].bytes, BYTES, i);
  fail_unless_mapped (memory, 5);
  gst_memory_unref (memory);
  gst_object_unref (pinned);
  robocache_engine_unref (far);
  fake_device_free (far_device);
}

GST_END_TEST;

/* Pinned memory of another device's engine is read directly; there is no device to ask for it. */
GST_START_TEST (test_pinned_memory_is_copied_to_another_device)
{
  FakeDevice *far_device = fake_device_new (1);
  RobocacheEngine *far = engine_on (far_device, 0);
  RobocacheEngine *engines[] = { engine, far };
  GstAllocator *pinned = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstAllocator *there = robocache_allocator_new (far, RC_MEMORY_DEVICE);
  GstMemory *memory = alloc_memory (pinned, BYTES), *result = alloc_memory (there, BYTES);

  write_with (memory, engine, 1);
  fail_unless (robocache_memory_begin_write (result, far, NULL));
  fail_unless (robocache_memory_copy_out (memory, 0, BYTES, robocache_memory_data (result), far, NULL));
  fail_unless (robocache_memory_end_write (result, far, NULL));
  write_with (memory, engine, 2);
  finish_in_order (__i__, engines, 2);
  fail_unless_mapped (result, 1);
  gst_memory_unref (memory);
  gst_memory_unref (result);
  gst_object_unref (pinned);
  gst_object_unref (there);
  robocache_engine_unref (far);
  fake_device_free (far_device);
}

GST_END_TEST;

/* ---- CPU maps ---- */

GST_START_TEST (test_read_map_waits_for_the_write)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);

  write_with (memory, engine, 1);
  fail_unless_mapped (memory, 1);
  write_with (memory, other, 2);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* … and not for reads, nor for anything else. */
GST_START_TEST (test_read_map_waits_for_nothing_else)
{
  GstMemory *memory = alloc_memory (allocator, BYTES), *unrelated = alloc_memory (allocator, BYTES);
  Seen seen;

  write_with (memory, engine, 1);
  read_with (memory, other, &seen);
  write_with (unrelated, engine, 2);
  fail_unless_mapped (memory, 1);
  fail_unless_equals_int (fake_pending (), 5);  /* wait, read, event; write, event */
  fake_finish (0);
  gst_memory_unref (memory);
  gst_memory_unref (unrelated);
}

GST_END_TEST;

static void
map_and_fill (GstMemory *memory, GstMapFlags flags, gsize from, gsize to, guint8 value)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, flags));
  fail_unless_equals_uint64 (map.size, memory->size);
  memset (map.data + from, value, to - from);
  gst_memory_unmap (memory, &map);
}

GST_START_TEST (test_write_map_comes_after_reads_and_before_what_follows)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen before, after[2];

  write_with (memory, engine, 1);
  read_with (memory, other, &before);
  map_and_fill (memory, GST_MAP_WRITE, 0, BYTES, 2);
  read_with (memory, engine, &after[0]);
  read_with (memory, other, &after[1]);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (before.bytes, BYTES, 1);
  fail_unless_all (after[0].bytes, BYTES, 2);
  fail_unless_all (after[1].bytes, BYTES, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* What a map does not write stays, whether it said that it reads or not. */
GST_START_TEST (test_map_keeps_what_it_does_not_write)
{
  static const GstMapFlags flags[] = { GST_MAP_WRITE, GST_MAP_READWRITE };
  GstMemory *memory = alloc_memory (allocator, BYTES);
  Seen seen;

  write_with (memory, engine, 1);
  map_and_fill (memory, flags[__i__], 10, 20, 2);
  read_with (memory, other, &seen);
  fake_finish (0);
  fail_unless_all (seen.bytes, 10, 1);
  fail_unless_all (seen.bytes + 10, 10, 2);
  fail_unless_all (seen.bytes + 20, BYTES - 20, 1);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_maps_one_after_another)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);

  for (guint i = 0; i < 20; i++) {
    map_and_fill (memory, GST_MAP_WRITE, 0, BYTES, i);
    if (i % 3 == 0)
      fail_unless_mapped (memory, i);
    if (i % 5 == 0) {
      write_with (memory, other, 100 + i);
      fail_unless_mapped (memory, 100 + i);
    }
  }
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_nested_read_maps_copy_once)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GstMapInfo maps[3];
  guint copies;

  write_with (memory, engine, 5);
  copies = fake_device_counts (device).copies;
  for (guint i = 0; i < 3; i++)
    fail_unless (gst_memory_map (memory, &maps[i], GST_MAP_READ));
  for (guint i = 0; i < 3; i++) {
    fail_unless (maps[i].data == maps[0].data);
    fail_unless_all (maps[2 - i].data, BYTES, 5);
    gst_memory_unmap (memory, &maps[2 - i]);
  }
  fail_unless_equals_int (fake_device_counts (device).copies - copies, 1);
  write_with (memory, engine, 6);
  fail_unless_mapped (memory, 6);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_device_map)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GstMapInfo map;
  Seen seen;

  write_with (memory, engine, 1);
  read_with (memory, other, &seen);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ | ROBOCACHE_MAP_DEVICE));
  fail_unless (map.data == robocache_memory_data (memory));
  fail_unless_all (fake_bytes (map.data), BYTES, 1);
  gst_memory_unmap (memory, &map);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE | ROBOCACHE_MAP_DEVICE));
  fail_unless_all (seen.bytes, BYTES, 1);       /* the map has waited for it */
  memset (fake_bytes (map.data), 2, BYTES);
  gst_memory_unmap (memory, &map);
  read_with (memory, other, &seen);
  fail_unless_mapped (memory, 2);
  fake_finish (0);
  fail_unless_all (seen.bytes, BYTES, 2);
  gst_memory_unref (memory);
}

GST_END_TEST;

/* Pinned memory, and the memory of a GPU that shares the machine's, is mapped where it is. */
GST_START_TEST (test_map_of_what_the_cpu_sees)
{
  RobocacheEngine *maker = engine;
  GstAllocator *seen_by_cpu;
  GstMemory *memory;
  GstMapInfo map;
  Seen seen;

  if (__i__ == 1) {
    fake_device_set_host_addressable (device, TRUE);
    maker = engine_on (device, 0);
    fail_unless (robocache_engine_is_host_addressable (maker));
  }
  seen_by_cpu = robocache_allocator_new (maker, __i__ == 1 ? RC_MEMORY_DEVICE : RC_MEMORY_PINNED);
  memory = alloc_memory (seen_by_cpu, BYTES);
  fail_unless (robocache_is_memory (memory));
  fail_unless_equals_int (robocache_is_gpu_memory (memory), __i__ == 1);
  write_with (memory, maker, 1);
  read_with (memory, other, &seen);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  fail_unless (map.data == robocache_memory_data (memory));
  fail_unless_all (map.data, BYTES, 1);
  fail_unless_all (seen.bytes, BYTES, 1);
  memset (map.data, 2, BYTES);
  gst_memory_unmap (memory, &map);
  read_with (memory, other, &seen);
  fake_finish (0);
  fail_unless_all (seen.bytes, BYTES, 2);
  fail_unless_equals_int (fake_device_counts (device).copies, 0);
  gst_memory_unref (memory);
  gst_object_unref (seen_by_cpu);
  if (maker != engine)
    robocache_engine_unref (maker);
}

GST_END_TEST;

/* ---- sub-memories and copies ---- */

GST_START_TEST (test_share)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES), *part, *rest, *part_of_part;
  GstMapInfo map;
  Seen seen;

  write_with (memory, engine, 1);
  map_and_fill (memory, GST_MAP_WRITE, 10, 30, 2);
  part = gst_memory_share (memory, 10, 20);
  rest = gst_memory_share (memory, 30, -1);
  part_of_part = gst_memory_share (part, 5, 10);
  gst_memory_unref (memory);
  fail_unless (robocache_is_gpu_memory (part) && robocache_memory_engine (part) == engine);
  fail_unless ((guint8 *) robocache_memory_data (part_of_part) == (guint8 *) robocache_memory_data (part) + 5);
  fail_unless_equals_uint64 (rest->size, BYTES - 30);
  fail_unless_equals_uint64 (part_of_part->size, 10);
  fail_if (gst_memory_map (part, &map, GST_MAP_WRITE));
  read_with (part, other, &seen);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (seen.bytes, 20, 2);
  fail_unless_mapped (part, 2);
  gst_memory_unref (part);
  fail_unless_mapped (rest, 1);
  fail_unless_mapped (part_of_part, 2);
  gst_memory_unref (rest);
  gst_memory_unref (part_of_part);
}

GST_END_TEST;

/* A read of a part is a read of the block. */
GST_START_TEST (test_writer_waits_for_readers_of_parts)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES), *part;
  Seen seen;

  write_with (memory, engine, 1);
  part = gst_memory_share (memory, 50, 10);
  read_with (part, other, &seen);
  gst_memory_unref (part);
  write_with (memory, engine, 2);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (seen.bytes, 10, 1);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_copy)
{
  RobocacheEngine *engines[] = { engine, other };
  GstMemory *memory = alloc_memory (allocator, BYTES), *whole, *part, *of_share, *share;
  Seen seen;

  write_with (memory, other, 1);
  map_and_fill (memory, GST_MAP_WRITE, 10, 30, 2);
  whole = gst_memory_copy (memory, 0, -1);
  part = gst_memory_copy (memory, 10, 20);
  share = gst_memory_share (memory, 10, 20);
  of_share = gst_memory_copy (share, 5, -1);
  fail_unless (whole && part && of_share);
  fail_unless (gst_memory_is_writable (of_share) && robocache_is_gpu_memory (of_share));
  gst_memory_unref (share);
  write_with (memory, other, 3);
  read_with (whole, other, &seen);
  finish_in_order (__i__, engines, 2);
  fail_unless_all (seen.bytes, 10, 1);
  fail_unless_all (seen.bytes + 10, 20, 2);
  fail_unless_all (seen.bytes + 30, BYTES - 30, 1);
  fail_unless_equals_uint64 (of_share->size, 15);
  fail_unless_mapped (part, 2);
  fail_unless_mapped (of_share, 2);
  fail_unless_mapped (memory, 3);
  gst_memory_unref (memory);
  gst_memory_unref (whole);
  gst_memory_unref (part);
  gst_memory_unref (of_share);
}

GST_END_TEST;

GST_START_TEST (test_copy_out_of_a_part)
{
  GstMemory *memory = alloc_memory (allocator, BYTES), *result = alloc_memory (allocator, 10);

  write_with (memory, engine, 1);
  map_and_fill (memory, GST_MAP_WRITE, 40, 50, 2);
  fail_unless (robocache_memory_begin_write (result, other, NULL));
  fail_unless (robocache_memory_copy_out (memory, 40, 10, robocache_memory_data (result), other, NULL));
  fail_unless (robocache_memory_end_write (result, other, NULL));
  write_with (memory, engine, 3);
  fail_unless_mapped (result, 2);
  gst_memory_unref (memory);
  gst_memory_unref (result);
}

GST_END_TEST;

static GstMemory *
copy_to_device (GstMemory *memory, gsize bytes)
{
  GstMemory *result = alloc_memory (allocator, bytes);
  GError *error = NULL;

  fail_unless (robocache_memory_begin_write (result, engine, NULL));
  fail_unless (robocache_memory_copy_out (memory, 0, bytes, robocache_memory_data (result), engine, &error), "%s",
      error ? error->message : "no error");
  fail_unless (robocache_memory_end_write (result, engine, NULL));
  return result;
}

/* Of memory that is not ours all has been read on return, also of what somebody else has pinned. */
GST_START_TEST (test_copy_out_of_memory_that_is_not_ours)
{
  RcBackend *backend = robocache_engine_backend (engine);
  GstMemory *memory, *result;
  gpointer pinned = NULL;
  guint8 *data;

  if (__i__ == 1)
    fail_unless (rc_memory_alloc (backend, RC_MEMORY_PINNED, BYTES, &pinned, NULL) == RC_OK);
  data = pinned ? pinned : g_malloc (BYTES);
  memset (data, 1, BYTES);
  memory = gst_memory_new_wrapped (0, data, BYTES, 0, BYTES, NULL, NULL);
  result = copy_to_device (memory, BYTES);
  memset (data, 2, BYTES);
  fail_unless_mapped (result, 1);
  gst_memory_unref (result);
  gst_memory_unref (memory);
  if (pinned)
    rc_memory_free (backend, RC_MEMORY_PINNED, pinned);
  else
    g_free (data);
}

GST_END_TEST;

/* Pinned memory of ours is read later, and who writes to it waits for that. */
GST_START_TEST (test_copy_out_of_pinned_memory)
{
  GstAllocator *pinned = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstMemory *memory = alloc_memory (pinned, BYTES), *result;

  write_with (memory, other, 1);
  result = copy_to_device (memory, BYTES);
  if (__i__ == 0)
    write_with (memory, other, 2);
  else
    map_and_fill (memory, GST_MAP_WRITE, 0, BYTES, 2);
  fake_finish (__i__);
  fail_unless_mapped (result, 1);
  fail_unless_mapped (memory, 2);
  gst_memory_unref (memory);
  gst_memory_unref (result);
  gst_object_unref (pinned);
}

GST_END_TEST;

/* ---- the CPU ---- */

static RobocacheEngine *
cpu_engine (void)
{
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  RobocacheEngine *cpu = robocache_engine_new (&where, 0, NULL);

  fail_unless (cpu != NULL);
  return cpu;
}

GST_START_TEST (test_cpu_engine)
{
  RobocacheEngine *cpu = cpu_engine ();
  GstAllocator *system = robocache_allocator_new (cpu, RC_MEMORY_DEVICE);
  GstMemory *memory = alloc_memory (system, BYTES), *part, *copied;
  guint8 out[BYTES];

  fail_unless (robocache_is_memory (memory));
  fail_if (robocache_is_gpu_memory (memory));
  fail_unless (robocache_memory_begin_write (memory, cpu, NULL));
  memset (robocache_memory_data (memory), 1, BYTES);
  fail_unless (robocache_memory_end_write (memory, cpu, NULL));
  map_and_fill (memory, GST_MAP_READWRITE, 0, 50, 2);
  part = gst_memory_share (memory, 40, 20);
  copied = gst_memory_copy (part, 0, -1);
  fail_unless (robocache_memory_begin_read (copied, cpu, NULL));
  fail_unless_all (robocache_memory_data (copied), 10, 2);
  fail_unless_all ((guint8 *) robocache_memory_data (copied) + 10, 10, 1);
  fail_unless (robocache_memory_end_read (copied, cpu, NULL));
  fail_unless (robocache_memory_copy_out (memory, 30, 20, out, cpu, NULL));
  fail_unless_all (out, 20, 2);
  gst_memory_unref (memory);
  gst_memory_unref (part);
  gst_memory_unref (copied);
  gst_object_unref (system);
  robocache_engine_unref (cpu);
}

GST_END_TEST;

/* A CPU engine's part in the order is waited for by itself: it has no streams that could wait. */
GST_START_TEST (test_cpu_engine_and_pinned_memory)
{
  RobocacheEngine *cpu = cpu_engine ();
  GstAllocator *pinned = robocache_allocator_new (engine, RC_MEMORY_PINNED);
  GstMemory *memory = alloc_memory (pinned, BYTES);
  guint8 out[BYTES];
  Seen seen;

  write_with (memory, engine, 1);
  read_with (memory, other, &seen);
  fail_unless (robocache_memory_begin_read (memory, cpu, NULL));
  fail_unless_all (robocache_memory_data (memory), BYTES, 1);
  fail_unless (robocache_memory_end_read (memory, cpu, NULL));
  fail_unless (robocache_memory_begin_write (memory, cpu, NULL));
  memset (robocache_memory_data (memory), 2, BYTES);
  fail_unless (robocache_memory_end_write (memory, cpu, NULL));
  fail_unless_all (seen.bytes, BYTES, 1);
  read_with (memory, other, &seen);
  write_with (memory, engine, 3);
  fail_unless (robocache_memory_copy_out (memory, 0, BYTES, out, cpu, NULL));
  fail_unless_all (out, BYTES, 3);
  fail_unless_all (seen.bytes, BYTES, 2);
  gst_memory_unref (memory);
  gst_object_unref (pinned);
  robocache_engine_unref (cpu);
}

GST_END_TEST;

GST_START_TEST (test_cpu_engine_reads_device_memory)
{
  RobocacheEngine *cpu = cpu_engine ();
  GstMemory *memory = alloc_memory (allocator, BYTES);
  guint8 out[BYTES];

  write_with (memory, engine, 1);
  map_and_fill (memory, GST_MAP_WRITE, 20, 40, 2);
  fail_unless (robocache_memory_copy_out (memory, 20, 20, out, cpu, NULL));
  fail_unless_all (out, 20, 2);
  gst_memory_unref (memory);
  robocache_engine_unref (cpu);
}

GST_END_TEST;

/* ---- life ---- */

GST_START_TEST (test_memory_outlives_allocator_and_engine)
{
  FakeDevice *short_lived = fake_device_new (3);
  RobocacheEngine *maker = engine_on (short_lived, 0), *reader = engine_on (short_lived, 0);
  GstAllocator *gone = robocache_allocator_new (maker, RC_MEMORY_DEVICE);
  GstMemory *memory = alloc_memory (gone, BYTES), *part;
  Seen seen;

  write_with (memory, maker, 9);
  read_with (memory, reader, &seen);
  gst_object_unref (gone);
  robocache_engine_unref (maker);
  robocache_engine_unref (reader);
  part = gst_memory_share (memory, 10, 10);
  fail_unless_mapped (memory, 9);
  gst_memory_unref (memory);
  fail_unless_mapped (part, 9);
  gst_memory_unref (part);
  fail_unless_all (seen.bytes, BYTES, 9);       /* its memory was not freed before it was done */
  fake_device_free (short_lived);
}

GST_END_TEST;

GST_START_TEST (test_memory_of_no_bytes)
{
  GstMemory *memory = alloc_memory (allocator, 0), *copied;
  GstMapInfo map;

  write_with (memory, engine, 1);
  fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
  fail_unless_equals_uint64 (map.size, 0);
  gst_memory_unmap (memory, &map);
  copied = gst_memory_copy (memory, 0, -1);
  fail_unless (copied != NULL && copied->size == 0);
  gst_memory_unref (copied);
  gst_memory_unref (memory);
}

GST_END_TEST;

static void
add_order_tests (TCase *tc)
{
  tcase_add_loop_test (tc, test_reader_waits_for_the_write, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_writer_waits_for_the_reads, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_writers_of_two_engines_take_turns, 0, N_ORDERS);
  tcase_add_test (tc, test_reader_waits_for_no_reader);
  tcase_add_test (tc, test_reads_stay_pending_until_a_write_is_noted);
  tcase_add_loop_test (tc, test_work_in_place, 0, N_ORDERS);
  tcase_add_test (tc, test_engines_that_read_no_more_are_let_go);
  tcase_add_loop_test (tc, test_reader_on_another_device, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_pinned_memory_written_by_two_devices, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_pinned_memory_is_copied_to_another_device, 0, N_ORDERS);
}

static void
add_map_tests (TCase *tc)
{
  tcase_add_test (tc, test_read_map_waits_for_the_write);
  tcase_add_test (tc, test_read_map_waits_for_nothing_else);
  tcase_add_loop_test (tc, test_write_map_comes_after_reads_and_before_what_follows, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_map_keeps_what_it_does_not_write, 0, 2);
  tcase_add_test (tc, test_maps_one_after_another);
  tcase_add_test (tc, test_nested_read_maps_copy_once);
  tcase_add_test (tc, test_device_map);
  tcase_add_loop_test (tc, test_map_of_what_the_cpu_sees, 0, 2);
}

static Suite *
devicememory_suite (void)
{
  Suite *s = suite_create ("devicememory");
  TCase *tc = tcase_create ("devicememory");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  add_order_tests (tc);
  add_map_tests (tc);
  tcase_add_loop_test (tc, test_share, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_writer_waits_for_readers_of_parts, 0, N_ORDERS);
  tcase_add_loop_test (tc, test_copy, 0, N_ORDERS);
  tcase_add_test (tc, test_copy_out_of_a_part);
  tcase_add_loop_test (tc, test_copy_out_of_memory_that_is_not_ours, 0, 2);
  tcase_add_loop_test (tc, test_copy_out_of_pinned_memory, 0, 2);
  tcase_add_test (tc, test_cpu_engine);
  tcase_add_test (tc, test_cpu_engine_and_pinned_memory);
  tcase_add_test (tc, test_cpu_engine_reads_device_memory);
  tcase_add_test (tc, test_memory_outlives_allocator_and_engine);
  tcase_add_test (tc, test_memory_of_no_bytes);
  return s;
}

GST_CHECK_MAIN (devicememory);
