/* robocache: memory of a device is written and read in order, by devices and by CPUs
 *
 * A case is a list of steps on memories a, b, …, whose content is modelled beside them: what a read or a map sees is what the
 * steps before it wrote, in whatever order the devices do their work.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicework.h"

#include <stdlib.h>

#define BYTES 100
#define N_ENGINES 5             /* 0 to 2 on one device, 3 on another one, 4 the CPU's */
#define CPU 4
#define N_MEMORIES 6
#define MAX_READS 24

typedef struct
{
  GstMemory *memory;
  guint8 *model;                /* of the block; shares have that of their parent */
  gsize offset;                 /* of a share */
} Tracked;

typedef struct
{
  Seen seen;
  guint8 expected[BYTES];
  gsize size;
} Read;

static FakeDevice *device, *far_device;
static RobocacheEngine *engines[N_ENGINES];
static RobocacheEngine *engine; /* the first one */
static GstAllocator *allocator; /* of its device memory */
static Tracked memories[N_MEMORIES];
static Read reads[MAX_READS];
static guint n_reads;
static guint8 value;            /* of the last write */

static void
setup (void)
{
  const RcWhere cpu = {.kind = RC_BACKEND_CPU };

  device = fake_device_new (0);
  far_device = fake_device_new (1);
  for (guint i = 0; i < CPU; i++)
    engines[i] = engine_on (i < 3 ? device : far_device, 0);
  engines[CPU] = robocache_engine_new (&cpu, 0, NULL);
  engine = engines[0];
  allocator = robocache_allocator_new (engine, RC_MEMORY_DEVICE);
}

static void
teardown (void)
{
  gst_object_unref (allocator);
  for (guint i = 0; i < N_ENGINES; i++)
    robocache_engine_unref (engines[i]);
  fake_device_free (device);
  fake_device_free (far_device);
}

/* ---- steps ---- */

static guint8 *
model_of (const Tracked *tracked)
{
  return tracked->model + tracked->offset;
}

static void
track (Tracked *to, GstMemory *memory, const guint8 *content)
{
  fail_unless (memory != NULL && to->memory == NULL);
  *to = (Tracked) { memory, g_malloc0 (BYTES), 0 };
  if (content)
    memcpy (to->model, content, memory->size);
}

static void
track_new (Tracked *to, RobocacheEngine *maker, RcMemoryKind kind)
{
  GstAllocator *made = robocache_allocator_new (maker, kind);

  track (to, alloc_memory (made, BYTES), NULL);
  fail_unless (robocache_is_memory (to->memory));
  fail_unless_equals_int (robocache_is_gpu_memory (to->memory), robocache_engine_is_gpu (maker) && kind == RC_MEMORY_DEVICE);
  gst_object_unref (made);
}

static void
expect_model (const Tracked *tracked, const guint8 *data)
{
  const guint8 *model = model_of (tracked);

  for (gsize i = 0; i < tracked->memory->size; i++)
    fail_unless (data[i] == model[i], "byte %" G_GSIZE_FORMAT " is %u; expected %u", i, data[i], model[i]);
}

static void
write_step (Tracked *tracked, guint e)
{
  value++;
  if (e == CPU) {
    fail_unless (robocache_memory_begin_write (tracked->memory, engines[CPU], NULL));
    memset (robocache_memory_data (tracked->memory), value, tracked->memory->size);
    fail_unless (robocache_memory_end_write (tracked->memory, engines[CPU], NULL));
  } else {
    write_with (tracked->memory, engines[e], value);
  }
  memset (model_of (tracked), value, tracked->memory->size);
}

static void
read_step (const Tracked *tracked, guint e)
{
  Read *read = &reads[n_reads];

  if (e == CPU) {
    fail_unless (robocache_memory_begin_read (tracked->memory, engines[CPU], NULL));
    expect_model (tracked, robocache_memory_data (tracked->memory));
    fail_unless (robocache_memory_end_read (tracked->memory, engines[CPU], NULL));
    return;
  }
  fail_unless (n_reads++ < MAX_READS);
  read->size = tracked->memory->size;
  memcpy (read->expected, model_of (tracked), read->size);
  read_with (tracked->memory, engines[e], &read->seen);
}

/* Sees all, and writes n bytes where it maps to write. A map for the device alone, or of memory that the CPU sees, copies nothing. */
static void
map_step (Tracked *tracked, guint flags, gsize from, gsize n)
{
  const gboolean direct = (flags & ROBOCACHE_MAP_DEVICE)
      || robocache_block_is_cpu_visible (robocache_memory_block (tracked->memory));
  const guint copies = fake_device_counts (device).copies;
  guint8 *data;
  GstMapInfo map;

  fail_unless (gst_memory_map (tracked->memory, &map, (GstMapFlags) flags));
  fail_unless_equals_uint64 (map.size, tracked->memory->size);
  fail_unless_equals_int (map.data == robocache_memory_data (tracked->memory), direct);
  data = flags & ROBOCACHE_MAP_DEVICE ? fake_bytes (map.data) : map.data;
  expect_model (tracked, data);
  if (flags & GST_MAP_WRITE) {
    memset (data + from, ++value, n);
    memset (model_of (tracked) + from, value, n);
  }
  gst_memory_unmap (tracked->memory, &map);
  fail_unless (!direct || fake_device_counts (device).copies == copies);
}

static void
share_step (Tracked *to, const Tracked *of, gssize offset, gssize size)
{
  GstMapInfo map;

  *to = (Tracked) { gst_memory_share (of->memory, offset, size), of->model, of->offset + (gsize) offset };
  fail_unless (robocache_memory_data (to->memory) == (guint8 *) robocache_memory_data (of->memory) + offset);
  fail_unless (robocache_memory_engine (to->memory) == robocache_memory_engine (of->memory));
  fail_if (gst_memory_map (to->memory, &map, GST_MAP_WRITE));
}

static void
copy_step (Tracked *to, const Tracked *of, gssize offset, gssize size)
{
  track (to, gst_memory_copy (of->memory, offset, size), model_of (of) + offset);
  fail_unless (gst_memory_is_writable (to->memory));
  fail_unless (robocache_memory_engine (to->memory) == robocache_memory_engine (of->memory));
}

static void
copy_out_step (Tracked *to, const Tracked *of, gsize offset, gsize size, guint e)
{
  GstAllocator *made = robocache_allocator_new (engines[e], RC_MEMORY_DEVICE);
  GError *error = NULL;

  track (to, alloc_memory (made, size), model_of (of) + offset);
  fail_unless (robocache_memory_begin_write (to->memory, engines[e], NULL));
  fail_unless (robocache_memory_copy_out (of->memory, offset, size, robocache_memory_data (to->memory), engines[e], &error), "%s",
      error ? error->message : "no error");
  fail_unless (robocache_memory_end_write (to->memory, engines[e], NULL));
  gst_object_unref (made);
}

static void
forget (Tracked *tracked)
{
  g_clear_pointer (&tracked->memory, gst_memory_unref);
}

/* OP, a memory and numbers; of share, copy and out another memory after that. */
static void
do_step (const gchar *text)
{
  const gboolean has_two = strchr ("sco", text[0]) != NULL;
  Tracked *tracked = g_ascii_islower (text[1]) ? &memories[text[1] - 'a'] : NULL;
  const Tracked *of = has_two ? &memories[text[2] - 'a'] : NULL;
  gchar **numbers = g_strsplit (text + (tracked ? 2 : 1) + has_two, ",", -1);
  gint n[3] = { 0 };

  for (guint i = 0; numbers[i]; i++)
    n[i] = atoi (numbers[i]);
  g_strfreev (numbers);
  switch (text[0]) {
    case 'n':                  /* new device memory of an engine */
      track_new (tracked, engines[n[0]], RC_MEMORY_DEVICE);
      break;
    case 'N':                  /* new pinned memory */
      track_new (tracked, engines[n[0]], RC_MEMORY_PINNED);
      break;
    case 'w':
      write_step (tracked, (guint) n[0]);
      break;
    case 'b':                  /* begins a write, and gives up */
      fail_unless (robocache_memory_begin_write (tracked->memory, engines[n[0]], NULL));
      break;
    case 'r':
      read_step (tracked, (guint) n[0]);
      break;
    case 'm':                  /* maps: to read, to write from n0 on n1 bytes, both */
      map_step (tracked, GST_MAP_READ, 0, 0);
      break;
    case 'M':
      map_step (tracked, GST_MAP_WRITE, (gsize) n[0], (gsize) n[1]);
      break;
    case 'X':
      map_step (tracked, GST_MAP_READWRITE, (gsize) n[0], (gsize) n[1]);
      break;
    case 'd':                  /* the same for the device */
      map_step (tracked, GST_MAP_READ | ROBOCACHE_MAP_DEVICE, 0, 0);
      break;
    case 'D':
      map_step (tracked, GST_MAP_WRITE | ROBOCACHE_MAP_DEVICE, (gsize) n[0], (gsize) n[1]);
      break;
    case 's':                  /* a share of n1 bytes from n0 on */
      share_step (tracked, of, n[0], n[1]);
      break;
    case 'c':
      copy_step (tracked, of, n[0], n[1]);
      break;
    case 'o':                  /* out to new memory of engine n2 */
      copy_out_step (tracked, of, (gsize) n[0], (gsize) n[1], (guint) n[2]);
      break;
    case 'u':
      forget (tracked);
      break;
    case 'e':                  /* waits for an engine */
      fail_unless (robocache_engine_synchronize (engines[n[0]], NULL));
      break;
    case 'p':                  /* so much is enqueued and not done */
      fail_unless_equals_int (fake_pending (), n[0]);
      break;
    default:
      fail ("no step %s", text);
  }
}

static const struct
{
  const gchar *what, *steps;
} cases[] = {
  {"a reader waits for the write", "na0 wa0 ra1"},
  {"a writer waits for the reads", "na0 wa0 ra0 ra1 ra2 wa0"},
  {"writers take turns", "na0 wa0 ra0 wa1 ra0 wa0 ra1 wa1 ra1 wa0 ra0 wa1 ra0 wa0 ra1 wa1 ra1"},
  {"readers do not wait for each other", "na0 wa0 e0 ra0 ra1 e1 p2"},
  {"reads stay pending until a write is noted", "na0 wa0 ra1 ba0 wa2 e2"},
  {"work in place", "na0 wa0 ba1 ra1 wa1 ra0"},
  {"a reader on another device", "na0 wa0 oba0,100,3 wa0"},
  {"pinned memory of two devices", "Na0 wa0 ra0 wa3 ra0 wa0 ra3 wa3 ra3 wa0 ra0 wa3 ra0"},
  {"pinned memory to another device", "Na0 wa0 oba0,100,3 wa0"},
  {"a read map waits for the write", "na0 wa0 ma wa1 ma"},
  {"a read map waits for nothing else", "na0 nb0 wa0 ra1 wb0 ma p5"},
  {"a write map waits for reads", "na0 wa0 ra1 Ma0,100 ra0 ra1"},
  {"a write map keeps the rest", "na0 wa0 Ma10,10 ra1 Xa15,20 ra1"},
  {"maps one after another", "na0 wa0 Ma0,100 ma wa1 ma Xa0,10 Ma5,10 ma wa1 Ma0,1 ma wa0 wa1 ma Ma99,1"},
  {"maps for the device", "na0 wa0 ra1 da Da0,100 ra1 ma wa1 da"},
  {"maps of pinned memory", "Na0 wa0 ra1 Xa0,100 ra1 ma"},
  {"shares", "na0 wa0 Ma10,20 sba10,20 sca30,-1 sdb5,10 ua rb1 mb ub mc md rd0"},
  {"a writer waits for readers of shares", "na0 wa0 sba50,10 rb1 ub wa0"},
  {"copies", "na0 wa1 Ma10,20 cba0,-1 cca10,20 sda10,20 ced5,-1 ud wa1 rb1 me mc"},
  {"a part goes out", "na0 wa0 Ma40,10 oba40,10,1 wa0"},
  {"pinned memory goes out before it is written", "Na0 wa1 oba0,100,0 wa1 oca0,100,0 Ma0,100"},
  {"the CPU's own memory", "na4 wa4 Xa0,50 sba40,20 ccb0,-1 rc4 oda30,20,4 rd4 ra4"},
  {"the CPU and pinned memory", "Na0 wa0 ra1 ra4 wa4 ra1 wa0 oba0,100,4 rb4"},
  {"device memory to the CPU", "na0 wa0 Ma20,20 oba20,20,4 rb4"},
};

static void
run_case (const gchar *steps, guint order)
{
  gchar **list = g_strsplit (steps, " ", -1);
  guint8 *models[N_MEMORIES];

  for (guint i = 0; list[i]; i++)
    do_step (list[i]);
  finish_in_order (order, engines, CPU);
  for (guint i = 0; i < n_reads; i++)
    fail_unless (memcmp (reads[i].seen.bytes, reads[i].expected, reads[i].size) == 0, "read %u", i);
  for (guint i = 0; i < N_MEMORIES; i++) {
    if (memories[i].memory)
      map_step (&memories[i], GST_MAP_READ, 0, 0);
    models[i] = memories[i].offset == 0 ? memories[i].model : NULL;
  }
  for (guint i = 0; i < N_MEMORIES; i++)
    forget (&memories[i]);
  for (guint i = 0; i < N_MEMORIES; i++)
    g_free (models[i]);
  memset (memories, 0, sizeof (memories));
  n_reads = 0;
  g_strfreev (list);
}

GST_START_TEST (test_cases)
{
  GST_INFO ("%s", cases[__i__ / N_ORDERS].what);
  run_case (cases[__i__ / N_ORDERS].steps, __i__ % N_ORDERS);
}

GST_END_TEST;

/* A GPU that shares the machine's memory: nothing is copied for a map. */
GST_START_TEST (test_maps_of_an_integrated_gpu)
{
  fake_device_set_host_addressable (device, TRUE);
  robocache_engine_unref (engines[0]);
  engines[0] = engine_on (device, 0);
  fail_unless (robocache_engine_is_host_addressable (engines[0]));
  run_case ("na0 wa0 ra1 Xa0,100 ra1 ma", __i__);
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

/* ---- other memory, life ---- */

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

static Suite *
devicememory_suite (void)
{
  Suite *s = suite_create ("devicememory");
  TCase *tc = tcase_create ("devicememory");

  suite_add_tcase (s, tc);
  tcase_add_checked_fixture (tc, setup, teardown);
  tcase_add_loop_test (tc, test_cases, 0, G_N_ELEMENTS (cases) * N_ORDERS);
  tcase_add_loop_test (tc, test_maps_of_an_integrated_gpu, 0, N_ORDERS);
  tcase_add_test (tc, test_engines_that_read_no_more_are_let_go);
  tcase_add_test (tc, test_nested_read_maps_copy_once);
  tcase_add_loop_test (tc, test_copy_out_of_memory_that_is_not_ours, 0, 2);
  tcase_add_test (tc, test_memory_outlives_allocator_and_engine);
  tcase_add_test (tc, test_memory_of_no_bytes);
  return s;
}

GST_CHECK_MAIN (devicememory);
