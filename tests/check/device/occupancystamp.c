/* robocache: the stamp of a memory holds until anybody else may have written to it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#define BYTES 100
#define STAMP_BYTES 40
#define ME 7

static FakeDevice *device;
static RobocacheEngine *engine, *other;
static GstAllocator *allocator;
static GstMemory *memory;

static void
setup (void)
{
  device = fake_device_new (0);
  engine = engine_on (device, 1000);
  other = engine_on (device, 0);
  allocator = robocache_allocator_new (engine, RC_MEMORY_DEVICE);
  memory = alloc_memory (allocator, BYTES);
}

static void
teardown (void)
{
  gst_memory_unref (memory);
  gst_object_unref (allocator);
  robocache_engine_unref (engine);
  robocache_engine_unref (other);
  fake_device_free (device);
}

/* A write of mine with its stamp. TRUE: the stamp before was known. */
static gboolean
write_stamped (guint64 writer, gsize bytes)
{
  gboolean is_known = TRUE;

  fail_unless (robocache_memory_begin_stamp (memory, writer, bytes, &is_known) != NULL);
  write_with (memory, engine, 1);
  robocache_memory_end_stamp (memory, writer);
  return is_known;
}

static void
map_to (GstMemory *mapped, GstMapFlags flags)
{
  GstMapInfo map;

  fail_unless (gst_memory_map (mapped, &map, flags));
  gst_memory_unmap (mapped, &map);
}

GST_START_TEST (test_stamps_hold)
{
  Seen seen;
  GstMemory *part, *copy;

  fail_if (write_stamped (ME, STAMP_BYTES));
  fail_unless (write_stamped (ME, STAMP_BYTES));
  read_with (memory, other, &seen);
  map_to (memory, GST_MAP_READ);
  map_to (memory, GST_MAP_READ | ROBOCACHE_MAP_DEVICE);
  part = gst_memory_share (memory, 10, 10);
  map_to (part, GST_MAP_READ);
  copy = gst_memory_copy (memory, 0, -1);
  map_to (copy, GST_MAP_WRITE);
  gst_memory_unref (part);
  gst_memory_unref (copy);
  fail_unless (write_stamped (ME, STAMP_BYTES));
}

GST_END_TEST;

/* And in the next memory that the allocator makes of the block. */
GST_START_TEST (test_stamps_hold_while_nobody_has_the_block)
{
  const gpointer data = robocache_memory_data (memory);

  write_stamped (ME, STAMP_BYTES);
  gst_memory_unref (memory);
  memory = alloc_memory (allocator, BYTES);
  fail_unless (robocache_memory_data (memory) == data);
  fail_unless (write_stamped (ME, STAMP_BYTES));
}

GST_END_TEST;

static void
write_map (void)
{
  map_to (memory, GST_MAP_WRITE);
}

static void
write_map_on_the_device (void)
{
  map_to (memory, GST_MAP_READWRITE | ROBOCACHE_MAP_DEVICE);
}

static void
write_by_another_engine (void)
{
  write_with (memory, other, 2);
}

static void
write_by_my_engine (void)
{
  write_with (memory, engine, 2);
}

/* As what begins and fails. */
static void
begin_without_a_write (void)
{
  gboolean is_known;

  robocache_memory_begin_stamp (memory, ME, STAMP_BYTES, &is_known);
}

static void
stamp_of_another (void)
{
  fail_if (write_stamped (ME + 1, STAMP_BYTES));
}

static void
stamp_of_other_bytes (void)
{
  fail_if (write_stamped (ME, STAMP_BYTES + 1));
}

static void
other_bytes_of_the_block (void)
{
  gst_memory_resize (memory, 4, BYTES - 4);
}

static void (*const ends[]) (void) = {
  write_map, write_map_on_the_device, write_by_another_engine, write_by_my_engine, begin_without_a_write,
  stamp_of_another, stamp_of_other_bytes, other_bytes_of_the_block
};

GST_START_TEST (test_stamps_end)
{
  write_stamped (ME, STAMP_BYTES);
  ends[__i__] ();
  fail_if (write_stamped (ME, STAMP_BYTES));
  fail_unless (write_stamped (ME, STAMP_BYTES));
}

GST_END_TEST;

/* They count against max-device-memory; where there is no room for them there are none, and that is not asked again. */
GST_START_TEST (test_no_room)
{
  RobocacheMemoryStatistics statistics;
  gboolean is_known = TRUE;

  fail_unless (robocache_memory_begin_stamp (memory, ME, 1000 - BYTES + 1, &is_known) == NULL);
  fail_if (is_known);
  robocache_memory_end_stamp (memory, ME);
  fake_device_fail_alloc (device, 1);
  fail_unless (robocache_memory_begin_stamp (memory, ME, 1000 - BYTES + 1, &is_known) == NULL);
  fail_if (is_known);
  fake_device_fail_alloc (device, 0);
  fail_if (write_stamped (ME, 1000 - BYTES));
  robocache_engine_get_memory_statistics (engine, &statistics);
  fail_unless_equals_uint64 (statistics.bytes, 1000);
}

GST_END_TEST;

/* Work that still uses a stamp is done before it is freed: the fake device fails a test whose memory goes early. */
GST_START_TEST (test_stamps_go_after_the_work_on_them)
{
  gboolean is_known;
  gpointer stamp = robocache_memory_begin_stamp (memory, ME, STAMP_BYTES, &is_known);

  fail_unless (robocache_memory_begin_write (memory, engine, NULL));
  fake_launch (robocache_engine_stream (engine), fill, stamp, NULL, STAMP_BYTES, NULL);
  fail_unless (robocache_memory_end_write (memory, engine, NULL));
  robocache_memory_end_stamp (memory, ME);
  if (__i__ == 0)
    fail_if (write_stamped (ME, STAMP_BYTES + 1));
}

GST_END_TEST;

static Suite *
occupancystamp_suite (void)
{
  Suite *s = suite_create ("occupancystamp");
  TCase *tc = tcase_create ("occupancystamp");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_test (tc, test_stamps_hold);
  tcase_add_test (tc, test_stamps_hold_while_nobody_has_the_block);
  tcase_add_loop_test (tc, test_stamps_end, 0, G_N_ELEMENTS (ends));
  tcase_add_test (tc, test_no_room);
  tcase_add_loop_test (tc, test_stamps_go_after_the_work_on_them, 0, 2);
  return s;
}

GST_CHECK_MAIN (occupancystamp);
