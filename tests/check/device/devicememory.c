/* robocache: memory of a device is written and read in order, by devices and by CPUs, is used again, and fails as a whole
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "devicesteps.h"

/* ---- cases ---- */

typedef struct
{
  const gchar *what, *steps;
  GQuark (*domain) (void);      /* of the errors of steps that fail */
  gint code;
  const gchar *words;           /* that they have */
} Case;

#define NO_SPACE gst_resource_error_quark, GST_RESOURCE_ERROR_NO_SPACE_LEFT
#define FAILED gst_library_error_quark, GST_LIBRARY_ERROR_FAILED

static const Case cases[] = {
  /* order */
  {"a reader waits for the write", "new:a@0 write:a@0 read:a@1"},
  {"a writer waits for the reads", "new:a@0 write:a@0 read:a@0 read:a@1 read:a@2 write:a@0"},
  {"writers take turns", "new:a@0 write:a@0 read:a@0 write:a@1 read:a@0 write:a@0 read:a@1 write:a@1 read:a@1 write:a@0 read:a@0 "
      "write:a@1 read:a@0 write:a@0 read:a@1 write:a@1 read:a@1"},
  {"readers do not wait for each other", "new:a@0 write:a@0 wait:0 read:a@0 read:a@1 wait:1 pending=2"},
  {"reads stay pending until a write is noted", "new:a@0 write:a@0 read:a@1 begin:a@0 write:a@2 wait:2"},
  {"work in place", "new:a@0 write:a@0 begin:a@1 read:a@1 write:a@1 read:a@0"},
  {"a reader on another device", "new:a@0 write:a@0 new:b@3 into:b=a@3 write:a@0"},
  {"pinned memory of two devices", "pinned:a@0 write:a@0 read:a@0 write:a@3 read:a@0 write:a@0 read:a@3 write:a@3 read:a@3 "
      "write:a@0 read:a@0 write:a@3 read:a@0"},
  {"pinned memory to another device", "pinned:a@0 write:a@0 new:b@3 into:b=a@3 write:a@0"},

  /* maps */
  {"a read map waits for the write", "new:a@0 write:a@0 map:a write:a@1 map:a"},
  {"a read map waits for nothing else", "new:a@0 new:b@0 write:a@0 read:a@1 write:b@0 map:a pending=5"},
  {"a write map waits for reads", "new:a@0 write:a@0 read:a@1 mapw:a,0+100 read:a@0 read:a@1"},
  {"a write map keeps the rest", "new:a@0 write:a@0 mapw:a,10+10 read:a@1 mapx:a,15+20 read:a@1"},
  {"maps one after another", "new:a@0 write:a@0 mapw:a,0+100 map:a write:a@1 map:a mapx:a,0+10 mapw:a,5+10 map:a write:a@1 "
      "mapw:a,0+1 map:a write:a@0 write:a@1 map:a mapw:a,99+1"},
  {"maps for the device", "new:a@0 write:a@0 read:a@1 dmap:a dmapw:a,0+100 read:a@1 map:a write:a@1 dmap:a"},
  {"maps of pinned memory", "pinned:a@0 write:a@0 read:a@1 mapx:a,0+100 read:a@1 map:a"},
  {"maps of an integrated GPU copy nothing", "integrated new:a@0 write:a@0 read:a@1 mapx:a,0+100 read:a@1 map:a"},
  {"memory of no bytes", "new:a@0*0 write:a@0 mapx:a copy:b=a,0+-1"},

  /* shares and copies */
  {"shares", "new:a@0 write:a@0 mapw:a,10+20 share:b=a,10+20 share:c=a,30+-1 share:d=b,5+10 free:a read:b@1 map:b free:b map:c "
      "dmap:d read:d@0"},
  {"a writer waits for readers of shares", "new:a@0 write:a@0 share:b=a,50+10 read:b@1 free:b write:a@0"},
  {"copies", "new:a@0 write:a@1 mapw:a,10+20 copy:b=a,0+-1 copy:c=a,10+20 share:d=a,10+20 copy:e=d,5+-1 free:d write:a@1 "
      "read:b@1 map:e map:c"},
  {"a part goes out", "new:a@0 write:a@0 mapw:a,40+10 new:b@1*10 into:b=a,40@1 write:a@0"},
  {"pinned memory goes out before it is written", "pinned:a@0 write:a@1 new:b@0 into:b=a@0 write:a@1 new:c@0 into:c=a@0 "
      "mapw:a,0+100"},
  {"the CPU's own memory", "new:a@cpu write:a@cpu mapx:a,0+50 share:b=a,40+20 copy:c=b,0+-1 read:c@cpu new:d@cpu*20 "
      "into:d=a,30@cpu read:d@cpu read:a@cpu"},
  {"the CPU and pinned memory", "pinned:a@0 write:a@0 read:a@1 read:a@cpu write:a@cpu read:a@1 write:a@0 new:b@cpu into:b=a@cpu "
      "read:b@cpu"},
  {"device memory to the CPU", "new:a@0 write:a@0 mapw:a,20+20 new:b@cpu*20 into:b=a,20@cpu read:b@cpu"},

  /* blocks that are used again */
  {"hits and misses", "new:a@0 new:b@0 free:a new:a@0 hits=1 misses=2 bytes=200 free:a free:b bytes=200 trim bytes=0 peak=200"},
  {"a block comes back with its last part", "new:a@0 write:a@0 share:b=a,10+10 free:a new:a@0 allocs=2 free:b new:b@0 allocs=2 "
      "hits=1 free:a free:b"},
  {"a trim waits for idle blocks", "new:a@0 new:b@0 write:a@0 read:a@1 free:a write:b@0 trim done:1 blocks=1 map:b free:b "
      "blocks=0 trim"},
  {"a trim for room does not wait for used blocks", "total:200 new:a@0 new:b@0*50 write:a@0 read:a@1 write:b@0 read:b@1 free:a "
      "new:c@0*150 done:1 pending=5 free:c"},
  {"a full device", "total:1000 new:a@0*400 new:b@0*400 !new:c@0*300 bytes=800 peak=800 free:b new:b@0*600 bytes=1000 peak=1000 "
      "host=0 free:a free:b trim bytes=0 peak=1000", NO_SPACE, "300 bytes needed|200 of 1000 free"},
  {"max-device-memory", "bound:1000 new:a@0*400 new:b@0*400 !new:c@0*300 bytes=800 peak=800 free:b new:b@0*600 bytes=1000 "
      "peak=1000 host=0 free:a free:b trim bytes=0 peak=1000", NO_SPACE, "300 bytes needed|200 free of max-device-memory=1000"},

  /* stamps. Work that uses one is done before it is freed: the fake device fails a test whose memory goes early */
  {"a stamp holds while others read", "new:a@0 !stamp:a stamp:a read:a@1 map:a dmap:a share:b=a,10+10 map:b copy:c=a,0+-1 "
      "mapw:c,0+100 free:b free:c stamp:a"},
  {"a stamp holds while nobody has the block", "new:a@0 !stamp:a free:a new:a@0 hits=1 stamp:a"},
  {"a write map ends a stamp", "new:a@0 !stamp:a mapw:a,0+100 !stamp:a stamp:a"},
  {"a write map for the device ends a stamp", "new:a@0 !stamp:a dmapw:a,0+100 !stamp:a stamp:a"},
  {"a write by another engine ends a stamp", "new:a@0 !stamp:a write:a@1 !stamp:a stamp:a"},
  {"a write without a stamp ends a stamp", "new:a@0 !stamp:a write:a@0 !stamp:a stamp:a"},
  {"a write that is given up ends a stamp", "new:a@0 !stamp:a begin-stamp:a !stamp:a stamp:a"},
  {"another writer ends a stamp", "new:a@0 !stamp:a !stamp:a,1 !stamp:a stamp:a"},
  {"other bytes end a stamp", "new:a@0 !stamp:a*40 !stamp:a*41 !stamp:a*40 stamp:a*40"},
  {"other bytes of the block end a stamp", "new:a@0 !stamp:a*40 resize:a,4+96 !stamp:a*40 stamp:a*40"},
  {"a stamp counts against max-device-memory", "bound:1000 new:a@0 !no-stamp:a*901 no-memory !no-stamp:a*901 "
      "no-memory:0 !stamp:a*900 bytes=1000"},

  /* what fails once. Work without an event is waited for: nobody can overtake it, nor free its memory */
  {"no event for a write", "new:a@0 no-event !write:a@0 read:a@1 wait:1 done:1 write:a@0 map:a", NO_SPACE, ""},
  {"no event for a read", "new:a@0 write:a@0 no-event !read:a@1 write:a@0 wait:0 done:1", NO_SPACE, ""},
  {"what a map wrote is lost, and its block is not kept", "new:a@0*32 lose:a !read:a@1 !map:a !dmap:a !copy:b=a,0+-1 free:a trim "
      "blocks=0 new:a@0*32 write:a@0 map:a", FAILED, "32 bytes that the CPU wrote were not copied"},
  {"no pinned memory for a map", "new:a@0 write:a@0 no-memory !map:a host=0 map:a host=100"},
  {"a block is had without those that were kept", "no-memory new:a@0 write:a@0 no-memory copy:b=a,0+-1 free:b trim break "
      "!new:c@0*200 !copy:c=a,0+-1", FAILED, ""},
  {"a writer that broke does not hide a reader at work", "pinned:a@0 write:a@0 wait:0 read:a@3 break !wait:0 free:a trim done:1",
      FAILED, ""},
};

static void
expect_failure (const Case *c, const gchar *step, GError *error)
{
  gchar **words = g_strsplit (c->words ? c->words : "", "|", -1);

  if (error) {
    fail_unless (c->domain && g_error_matches (error, c->domain (), c->code), "%s: %s: %s", running, step, error->message);
    for (gchar **word = words; *word; word++)
      fail_unless (strstr (error->message, *word) != NULL, "%s: %s: \"%s\" lacks \"%s\"", running, step, error->message, *word);
    g_error_free (error);
  } else {                      /* GstMemory has none */
    fail_unless (strstr (step, "map") || strstr (step, "copy") || strstr (step, "stamp"), "%s: %s: no error", running, step);
  }
  g_strfreev (words);
}

static void
run_case (const Case *c, guint order)
{
  gchar **list = g_strsplit (c->steps, " ", -1);

  running = c->what;
  for (guint i = 0; list[i]; i++) {
    const gboolean fails = list[i][0] == '!';
    GError *error = NULL;

    fail_unless (do_step (list[i] + fails, &error) == !fails, "%s: %s: %s", running, list[i], error ? error->message : "");
    if (fails)
      expect_failure (c, list[i], error);
  }
  g_strfreev (list);
  if (devices[0]->has_failed)
    return;
  finish_in_order (order, engines, CPU);
  for (guint i = 0; i < reads->len; i++)
    fail_unless (is_done (i), "%s: read %u", running, i);
  for (gchar map[] = "map:a"; map[4] < 'a' + N_MEMORIES; map[4]++)
    fail_unless (memories[map[4] - 'a'].memory == NULL || do_step (map, NULL), "%s: %s", running, map);
}

GST_START_TEST (test_cases)
{
  run_case (&cases[__i__ / N_ORDERS], __i__ % N_ORDERS);
}

GST_END_TEST;

/* ---- random work ---- */

static guint
any (GRand *random, guint n)
{
  return (guint) g_rand_int_range (random, 0, (gint) n);
}

/* M is one of six memories, O another one; E an engine that may use M, H the one that made it, A any; g is a share. */
static const gchar *const moves[] = {
  "write:M@E", "write:M@E", "read:M@E", "read:M@E", "into:M=O@H", "into:M=O@H", "map:M", "mapx:M,0+100",
  "share:g=M,8+16 map:g free:g", "free:M copy:M=O,0+-1", "free:M new:M@A write:M@A", "free:M pinned:M@A write:M@A", "step:5@A",
  "trim"
};

/* As letters and digits. */
typedef struct
{
  gchar home;
  gboolean is_pinned;
} Origin;

static gchar
engine_for (const Origin *origin, GRand *random)
{
  if (origin->is_pinned)
    return (gchar) ('0' + any (random, CPU));
  return (gchar) (IS_FAR (origin->home - '0') ? '3' + any (random, 2) : '0' + any (random, 3));
}

static void
append_move (GString *steps, const gchar *move, Origin *origins, GRand *random)
{
  const guint m = any (random, 6), o = (m + 1 + any (random, 5)) % 6;
  const gchar letters[] = { 'M', 'O', 'E', 'H', 'A', '\0' };
  const gchar values[] = { (gchar) ('a' + m), (gchar) ('a' + o), engine_for (&origins[m], random), origins[m].home,
    (gchar) ('0' + any (random, CPU))
  };

  g_string_append_c (steps, ' ');
  for (const gchar *c = move; *c; c++)
    g_string_append_c (steps, strchr (letters, *c) ? values[strchr (letters, *c) - letters] : *c);
  if (strstr (move, "copy"))
    origins[m] = origins[o];
  else if (g_str_has_prefix (move, "free:M"))
    origins[m] = (Origin) { values[4], strstr (move, "pinned") != NULL };
}

GST_START_TEST (test_random_work)
{
  Origin origins[] = { {'0'}, {'1'}, {'3'}, {'4'}, {'0', TRUE}, {'3', TRUE} };
  GRand *random = g_rand_new_with_seed ((guint32) __i__);
  GString *steps = g_string_new ("new:a@0 write:a@0 new:b@1 write:b@1 new:c@3 write:c@3 new:d@4 write:d@4 pinned:e@0 write:e@0 "
      "pinned:f@3 write:f@3");
  Case c = { "random work" };

  for (guint i = 0; i < 400; i++)       /* trims are rare */
    append_move (steps, moves[any (random, G_N_ELEMENTS (moves) - (i % 8 > 0))], origins, random);
  c.steps = steps->str;
  run_case (&c, __i__ % N_ORDERS);
  g_string_free (steps, TRUE);
  g_rand_free (random);
}

GST_END_TEST;

/* ---- a device that fails ---- */

static guint errors;            /* logged */

static void
count_errors (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer user_data)
{
  if (level == GST_LEVEL_ERROR)
    g_atomic_int_inc (&errors);
}

/* Whichever call it is at which a device breaks: no crash, an error or a log line that names it, and nothing left; the other
 * device goes on. */
static const struct
{
  guint device;
  const gchar *steps;
  guint min_calls;
  const gchar *before, *after;  /* steps that do not fail; after: NULL: a write fails then */
} breaks[] = {
  {0, "new:a@0 write:a@0 read:a@1 mapx:a,0+100 copy:b=a,0+-1 new:c@0 into:c=b@1 write:a@1 write:a@0 wait:0 map:c", 25, ""},
  {1, "into:b=a@3 wait:3", 4, "new:a@0 write:a@0 new:b@3", "write:a@1 read:a@0 map:a"},
};

/* Until one fails. */
static gboolean
do_steps (const gchar *steps, GError **error)
{
  gchar **list = g_strsplit (steps, " ", -1);
  gboolean ok = TRUE;

  for (guint i = 0; ok && list[i] && *list[i]; i++)
    ok = do_step (list[i], error);
  g_strfreev (list);
  return ok;
}

static void
expect_broken (void)
{
  GError *error = NULL;

  if (do_step ("new:h@0", &error))      /* of a block that was kept */
    fail_if (do_step ("write:h@0", &error));
  fail_unless_error (error, LIBRARY, FAILED, "failed before");
}

GST_START_TEST (test_device_breaks_at_any_call)
{
  FakeDevice *device;
  gboolean reached = TRUE, ok;
  GError *error = NULL;
  guint n;

  running = breaks[__i__].steps;
  gst_debug_set_active (TRUE);
  gst_debug_set_default_threshold (GST_LEVEL_ERROR);
  gst_debug_remove_log_function (NULL);
  gst_debug_add_log_function (count_errors, NULL, NULL);
  for (n = 1; reached; n++) {
    device = devices[breaks[__i__].device];
    fail_unless (do_steps (breaks[__i__].before, NULL));
    errors = 0;
    device->failing_call = n;
    ok = do_steps (breaks[__i__].steps, &error);
    reached = device->has_failed;
    fail_unless (ok || reached, "call %u: %s", n, error ? error->message : "no error");
    fail_unless (!reached || !ok || errors > 0, "call %u", n);
    fail_unless (!reached || error || errors > 0, "call %u", n);
    fail_unless (error == NULL || strstr (error->message, "(fake)") || strstr (error->message, "did not get"), "call %u: %s", n,
        error ? error->message : "");
    g_clear_error (&error);
    device->failing_call = 0;
    if (breaks[__i__].after)
      fail_unless (do_steps (breaks[__i__].after, NULL), "call %u", n);
    else if (reached)
      expect_broken ();
    fake_finish (n);
    fail_unless (breaks[__i__].after == NULL || is_done (reads->len - 1), "call %u", n);
    teardown ();
    setup ();
  }
  fail_unless (n > breaks[__i__].min_calls, "only %u calls", n);
  gst_debug_remove_log_function (count_errors);
}

GST_END_TEST;

/* ---- other memory, life ---- */

GST_START_TEST (test_engines_that_read_no_more_are_let_go)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);

  for (guint i = 0; i < 100; i++) {
    RobocacheEngine *passing = engine_on (devices[0], 0);
    Seen seen;

    write_with (memory, engine, i);
    read_with (memory, passing, &seen);
    fake_finish (i);
    fail_unless_all (seen.bytes, BYTES, i);
    robocache_engine_unref (passing);
  }
  fail_unless (devices[0]->counts.backends <= 22, "%u backends", devices[0]->counts.backends);
  gst_memory_unref (memory);
}

GST_END_TEST;

GST_START_TEST (test_nested_read_maps_copy_once)
{
  GstMemory *memory = alloc_memory (allocator, BYTES);
  GstMapInfo maps[3];
  guint copies;

  write_with (memory, engine, 5);
  copies = devices[0]->counts.copies;
  for (guint i = 0; i < 3; i++) {
    fail_unless (gst_memory_map (memory, &maps[i], GST_MAP_READ));
    fail_unless (maps[i].data == maps[0].data);
  }
  for (guint i = 0; i < 3; i++) {       /* unmap clears the info since 1.28 */
    fail_unless_all (maps[2 - i].data, BYTES, 5);
    gst_memory_unmap (memory, &maps[2 - i]);
  }
  fail_unless_equals_int (devices[0]->counts.copies - copies, 1);
  write_with (memory, engine, 6);
  fail_unless_mapped (memory, 6);
  gst_memory_unref (memory);
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

CHECK_MAIN (devicememory, setup, teardown,
    TIMES (G_N_ELEMENTS (cases) * N_ORDERS, test_cases), TIMES (40, test_random_work),
    EACH (breaks, test_device_breaks_at_any_call), ONCE (test_engines_that_read_no_more_are_let_go),
    ONCE (test_nested_read_maps_copy_once), TIMES (2, test_copy_out_of_memory_that_is_not_ours),
    ONCE (test_memory_outlives_allocator_and_engine))
