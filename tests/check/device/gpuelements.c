/* robocache: elements on a GPU: the CPU's bytes and statistics, from and into either memory, in pieces and over devices
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/device/gpujobs.h"
#include "kernels/memory.h"

/* Of 32 episodes of 34,048 bytes in and 14,336 out. */
#define MANY_EPISODES {EPISODES, "float32", 14, 500, 32, "gap-policy=hold", 256}

static const Job jobs[] = {
  {ROWS, "float32", 1, 1, 1, ""},
  {ROWS, "float32", 14, 1, 1, ""},
  {ROWS, "float32", 7, 1, 1, "interpolation=nearest"},
  {ROWS, "float32", 7, 5, 1, "interpolation=previous"},
  {ROWS, "float32", 13, 3, 1, "interpolation=cubic"},
  {ROWS, "float32", 6, 1, 1, "interpolation=mean"},
  {ROWS, "float32", 14, 2, 1, "interpolation=hermite velocities=7-13"},
  {ROWS, "float32", 7, 1, 1, "quaternions=3 angles=0-2"},
  {TIMED_ROWS, "float32", 5, 4, 1, "quaternions=0 interpolation=cubic"},
  {ROWS, "float32", 9, 4, 1, "quaternions=1 angles=0,5-7 interpolation=mean gap-policy=nan rate=8/1"},
  {TIMED_ROWS, "float16", 9, 5, 1, "quaternions=1 angles=0,5-7 interpolation=mean rate=8/1"},
  {FUSED_ROWS, "float32", 8, 1, 1, "rate=8/1 proprio_0::quaternions=4 proprio_0::angles=0-3 proprio_0::interpolation=mean info=tensor"},
  {ROWS, "float32", 6, 1, 1, "interpolation=lowpass rate=8/1"},
  {ROWS, "float32", 9, 4, 1, "quaternions=1 angles=0,5-7 interpolation=lowpass gap-policy=nan rate=8/1"},
  {FUSED_ROWS, "float32", 8, 1, 1, "rate=8/1 proprio_0::quaternions=4 proprio_0::angles=0-3 proprio_0::interpolation=lowpass info=tensor"},
  {ROWS, "float64", 33, 1, 1, ""},
  {TIMED_ROWS, "float64", 3, 7, 1, "interpolation=mean"},
  {ROWS, "float16", 9, 1, 1, ""},
  {ROWS, "bfloat16", 64, 2, 1, "interpolation=cubic"},
  {ROWS, "int32", 5, 1, 1, ""},
  {ROWS, "int32", 5, 1, 1, "type=int32 interpolation=cubic"},
  {ROWS, "float32", 1023, 1, 1, "type=float16"},
  {ROWS, "float32", 40000, 1, 1, ""},
  {ROWS, "float32", 3, 1, 1, "max-gap=11000000 gap-policy=nan"},
  {ROWS, "float32", 3, 4, 1, "max-gap=11000000 gap-policy=hold"},
  {ROWS, "float32", 4, 1, 1, "reorder-window=20000000"},
  {FUSED_ROWS, "float32", 14, 1, 1, ""},

  {EPISODES, "float32", 1, 1, 1, "gap-policy=nan", 1},
  {EPISODES, "float32", 2, 4, 3, "gap-policy=nan", 5},
  MANY_EPISODES,
  {EPISODES, "float32", 13, 100, 8, "gap-policy=nan interpolation=cubic", 77},
  {EPISODES, "float32", 7, 33, 5, "gap-policy=nan interpolation=nearest", 64},
  {EPISODES, "float32", 7, 33, 5, "gap-policy=hold interpolation=previous", 64},
  {EPISODES, "float32", 3, 200, 4, "gap-policy=nan interpolation=mean rate=100/1", 50},
  {EPISODES, "float32", 9, 200, 4, "gap-policy=nan quaternions=4 angles=0-3,8 interpolation=lowpass lobes=2 rate=10/1", 50},
  {EPISODES, "float32", 6, 200, 4, "gap-policy=nan interpolation=hermite velocities=3-5", 50},
  {EPISODES, "float32", 5, 200, 4, "gap-policy=nan quaternions=0 angles=4", 50},
  {EPISODES, "float32", 9, 200, 4, "gap-policy=nan quaternions=4 angles=0-3,8 interpolation=mean rate=10/1", 50},
  {EPISODES, "float64", 5, 64, 6, "gap-policy=nan", 100},
  {EPISODES, "float16", 5, 64, 6, "gap-policy=nan", 100},
  {EPISODES, "bfloat16", 256, 50, 32, "gap-policy=nan", 40},
  {EPISODES, "int32", 5, 64, 6, "gap-policy=nan", 100},
  {EPISODES, "int32", 5, 64, 6, "gap-policy=hold type=int32", 100},
  {EPISODES, "float32", 3, 6000, 2, "gap-policy=nan", 3000},
  {EPISODES, "float32", 1, 40, 9, "gap-policy=nan max-gap=12000000", 90},
  {EPISODES, "float32", 3000, 4, 1, "gap-policy=nan", 1},
  {EPISODES_IN_ONE, "float32", 2, 4, 3, "gap-policy=nan", 5},
  {EPISODES_IN_ONE, "float16", 3, 7, 3, "gap-policy=nan", 9},       /* of odd rows: the times lie crooked */

  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 type=float32"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 output=bits"},
  {CLOUDS, "float64", 4, 700, 1, "grid=17:9:5 mode=count type=uint8"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean feature-range=2 type=float16"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 mode=centroid"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 mode=max"},
  {CLOUDS, "float16", 6, 2000, 1, "grid=32:20:8 mode=min type=float16"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 output=sparse max-voxels=100"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 output=sparse max-voxels=5000 mode=mean accumulate=3"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=2097152:2097152:2097152 output=sparse max-voxels=5000 mode=centroid"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean accumulate=4"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 accumulate=3"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=33:20:8 mode=count output=sparse max-voxels=3000 accumulate=3"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=mean feature-range=2 accumulate=4"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=32:20:8 mode=max accumulate=4"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:8 output=index"},
  {CLOUDS, "float32", 3, 2000, 1, "grid=32:20:8 output=rank max-voxels=500 accumulate=3"},
  {CLOUDS, "float32", 5, 2000, 1, "grid=16:10:4 mode=first output=sparse max-voxels=300 max-points=3 accumulate=3"},
  {CLOUDS, "float32", 4, 2000, 1, "grid=32:20:1 mode=pillars output=sparse max-voxels=300 max-points=32"},

  {ITEMS, "float32", 3, 50000, 1, "grid=128:128:64"},
  {ITEMS, "float64", 4, 333, 1, "grid=32:20:8 mode=count"},
  {ITEMS, "float64", 4, 777, 1, "grid=32:20:8 output=rank"},
  {ITEMS, "float64", 4, 777, 1, "grid=16:10:4 mode=first output=sparse max-voxels=900 max-points=2 type=float16"},
  {ITEMS, "float32", 4, 500, 5, "grid=32:20:8 mode=min output=sparse max-voxels=3000 accumulate=3"},
  {ITEMS, "float32", 4, 500, 7, "grid=32:20:8 mode=count type=float16"},
  {ITEMS, "float32", 4, 500, 7, "grid=32:20:8 mode=mean"},
  {ITEMS, "float32", 3, 5000, 32, "grid=64:64:16"},
  {ITEMS, "float32", 3, 500, 5, "grid=40:20:8 output=bits accumulate=3"},
  {ITEMS, "float32", 4, 500, 6, "grid=32:20:8 output=sparse max-voxels=300 mode=max"},
  {ITEMS, "float32", 4, 500, 7, "grid=32:20:8 output=index"},
  {ITEMS, "float32", 3, 500, 6, "grid=32:20:8 output=rank max-voxels=300 accumulate=2"},
  {ITEMS, "float32", 3, 500, 6, "grid=32:20:8 output=rank max-voxels=300 accumulate=4"},
  {ITEMS, "float32", 4, 500, 7, "grid=16:10:4 mode=first output=sparse max-voxels=300 max-points=5"},
  {ITEMS, "float32", 4, 500, 7, "grid=16:10:1 mode=pillars output=sparse max-voxels=300 max-points=5 type=float16 centre-z=false"},

  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 output=rank"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 output=rank accumulate=3"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=first output=sparse max-voxels=2000 max-points=3"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=pillars output=sparse max-voxels=2000 max-points=3"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=count"},
  {DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=centroid output=sparse accumulate=3"},
};

/* ---- comparisons ---- */

/* Whether the element has given all buffers of upstream back. */
static gboolean
is_drained (GstHarness *h)
{
  GstQuery *query = gst_query_new_drain ();
  const gboolean drained = gst_pad_peer_query (h->srcpad, query);

  gst_query_unref (query);
  return drained;
}

/* Half way the rate of a stream changes. */
static Run
run_to_the_end (const Job *job, const gchar *backend, const gchar *more, guint side)
{
  const guint n = is_stream (job) ? 60 / job->rows + 3 : 6;
  const gboolean is_resampled = is_stream (job) && job->form != FUSED_ROWS;
  Run run = run_new (job, backend, more, side);

  fail_unless (run.allocator || !sides[side].in_is_offered);
  for (guint i = 0; i < n; i++) {
    if (is_resampled && i == 30 / job->rows)
      gst_util_set_object_arg (G_OBJECT (run.h->element), "rate", "130/1");
    run_push (&run, i);
    pull_all (run.h, run.bytes);
  }
  if (is_resampled)
    fail_unless_equals_int (is_drained (run.h), run.allocator == NULL);
  run_finish (&run);
  fail_unless (job->form == FUSED_ROWS || is_drained (run.h));
  if (strstr (more, "backend") == NULL)
    expect_backend (run.h, backend);
  return run;
}

/* Outputs and statistics of the GPU's run are the CPU's. Returns one of the others. */
static gint64
compare (const Job *job, const gchar *more, guint side, const gchar *stat)
{
  Run wanted = run_to_the_end (job, "cpu", "", SYSTEM_TO_SYSTEM), got = run_to_the_end (job, "cuda", more, side);
  gchar *what = g_strdup_printf ("%s, %s %u:%u:%u \"%s\" %s, %s", forms[job->form].element, job->type, job->channels, job->rows,
      job->items, job->properties, more, sides[side].name);
  const gint64 result = stat_of (got.h, stat);

  expect_same (got.bytes, wanted.bytes, what);
  if (job->form != FUSED_ROWS)  /* whose times are the clock's */
    expect_same_stats (got.h, wanted.h, sides[side].in_on_device, *more == '\0', what);
  run_free (&wanted);
  run_free (&got);
  g_free (what);
  return result;
}

/* Single rows and images are offered no memory but that of their caps. */
static gboolean
offers_memory (const Job *job, const Side *side)
{
  if (side->in_on_device)
    return job->form != DEPTH && job->form != FUSED_ROWS;
  return !is_stream (job) && job->form != DEPTH;
}

GST_START_TEST (test_same_as_the_cpu)
{
  const Job *job = &jobs[__i__ / N_SIDES];
  const guint side = __i__ % N_SIDES;

  /* emulated, and sharing the machine's memory: each job has one of the sides */
  if (few_cases () && g_getenv ("ROBOCACHE_EMULATED_INTEGRATED") && (guint) (job - jobs) % N_SIDES != side)
    return;
  if (!sides[side].in_is_offered || offers_memory (job, &sides[side]))
    fail_unless_equals_int64 (compare (job, "", side, "chunks"), 0);
}

GST_END_TEST;

/* ---- memory ---- */

/* In pieces, or on the CPU after all. */
static const struct
{
  Job job;
  guint side;
  const gchar *properties, *stat;
  gint64 min;                   /* of the statistic */
} tight[] = {
  /* what is on the device already needs room, too */
  {MANY_EPISODES, SYSTEM_TO_SYSTEM, "max-device-memory=1300000", "chunks", 12},
  {MANY_EPISODES, SYSTEM_TO_SYSTEM, "max-device-memory=600000", "chunks", 12},
  {MANY_EPISODES, SYSTEM_TO_SYSTEM, "max-device-memory=70000", "chunks", 12},
  {MANY_EPISODES, SYSTEM_TO_DEVICE, "max-device-memory=1300000", "chunks", 12},
  {MANY_EPISODES, SYSTEM_TO_DEVICE, "max-device-memory=600000", "chunks", 12},
  {MANY_EPISODES, DEVICE_TO_SYSTEM, "max-device-memory=1300000", "chunks", 12},
  {{ITEMS, "float32", 3, 50000, 1, "grid=64:64:16"}, SYSTEM_TO_SYSTEM, "max-device-memory=400000", "chunks", 2},
  {{ITEMS, "float32", 5, 50000, 1, "grid=32:20:8 mode=mean"}, SYSTEM_TO_SYSTEM, "max-device-memory=2600000", "chunks", 2},
  {{ITEMS, "float32", 5, 50000, 1, "grid=32:20:8 mode=mean"}, SYSTEM_TO_DEVICE, "max-device-memory=2600000", "chunks", 2},
  {{ITEMS, "float32", 3, 5000, 32, "grid=64:64:16"}, SYSTEM_TO_SYSTEM, "max-device-memory=500000", "chunks", 2},
  {{ITEMS, "float32", 4, 5000, 9, "grid=32:20:8 mode=mean accumulate=2"}, SYSTEM_TO_SYSTEM,
      "max-device-memory=700000", "chunks", 2},
  {{DEPTH, "uint16", 1, 1, 1, "grid=32:20:8 mode=centroid accumulate=2"}, SYSTEM_TO_SYSTEM,
      "max-device-memory=212000", "chunks", 2},
  {{CLOUDS, "float32", 3, 20000, 1, "grid=32:20:8 output=rank max-voxels=500 accumulate=3"}, SYSTEM_TO_SYSTEM,
      "max-device-memory=300000", "chunks", 2},
  {{CLOUDS, "float32", 5, 20000, 1, "grid=32:20:8 mode=mean accumulate=4"}, SYSTEM_TO_SYSTEM,
      "max-device-memory=500000", "chunks", 2},
  {{CLOUDS, "float32", 5, 20000, 1, "grid=32:20:8 mode=max accumulate=4"}, SYSTEM_TO_SYSTEM,
      "max-device-memory=500000", "chunks", 2},
  /* 64 x 48 pixels with 8 bytes each, where the lens distorts */
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count"}, SYSTEM_TO_SYSTEM, "max-device-memory=24000", "chunks", 0},
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count"}, SYSTEM_TO_DEVICE, "max-device-memory=24000", "chunks", 0},
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count k1=0.1"}, SYSTEM_TO_SYSTEM, "max-device-memory=48000", "chunks", 0},
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count k1=0.1"}, SYSTEM_TO_DEVICE, "max-device-memory=48000", "chunks", 0},
  /* known from caps, or when the first episodes are there */
  {{ITEMS, "float32", 3, 100, 2, "grid=64:64:16 mode=count"}, SYSTEM_TO_SYSTEM, "backend=auto devices=0 max-device-memory=10000",
      "fallbacks", 1},
  {MANY_EPISODES, SYSTEM_TO_SYSTEM, "backend=auto devices=0 max-device-memory=20000", "fallbacks", 1},
};

/* Whether the GPU writes outputs in system memory in place, so that they need none of its own. */
static gboolean
gpu_shares_memory (void)
{
  const RcWhere where = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };
  RcMemoryInfo info = { 0 };
  RcBackend *backend;

  fail_unless (rc_backend_open (&where, &backend, NULL) == RC_OK && rc_memory_info (backend, &info, NULL) == RC_OK);
  rc_backend_close (backend);
  return info.host_addressable;
}

GST_START_TEST (test_little_memory)
{
  const gboolean is_in_place = tight[__i__].side == DEVICE_TO_SYSTEM && gpu_shares_memory ();
  const gint64 stat = compare (&tight[__i__].job, tight[__i__].properties, tight[__i__].side, tight[__i__].stat);

  fail_unless (is_in_place ? stat == 0 : stat >= tight[__i__].min, "\"%s\" %s: %s=%" G_GINT64_FORMAT, tight[__i__].job.properties,
      tight[__i__].properties, tight[__i__].stat, stat);
}

GST_END_TEST;

static const struct
{
  Job job;
  guint side, bound;
  const gchar *words;           /* of the error */
} no_space[] = {
  {MANY_EPISODES, SYSTEM_TO_SYSTEM, 20000,
      "one episode needs |device 0 has 20000 free of max-device-memory|raise max-device-memory"},
  {{ITEMS, "float32", 3, 100, 1, "grid=256:256:256 mode=count"}, SYSTEM_TO_SYSTEM, 1000000,
      "a voxel grid needs |device 0 has 1000000 free of max-device-memory|smaller grid"},
  {{ITEMS, "float32", 3, 100, 1, "grid=256:256:256 mode=count"}, SYSTEM_TO_DEVICE, 1000000,
      "a voxel grid needs |device 0 has 1000000 free of max-device-memory|smaller grid"},
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count k1=0.1"}, SYSTEM_TO_SYSTEM, 24000,
      "a voxel grid needs |device 0 has 24000 free of max-device-memory"},
  {{DEPTH, "uint16", 1, 1, 1, "grid=8:8:8 mode=count k1=0.1"}, SYSTEM_TO_DEVICE, 24000,
      "a voxel grid needs |device 0 has 24000 free of max-device-memory"},
  /* each point takes scratch: 11 MB, of which the grid takes 0.1 */
  {{CLOUDS, "float32", 3, 200000, 1, "grid=64:64:64 mode=centroid output=sparse max-voxels=1000"}, SYSTEM_TO_SYSTEM, 1000000,
      " needs | free of max-device-memory"},
  {{CLOUDS, "float32", 3, 200000, 1, "grid=64:64:64 mode=centroid output=sparse max-voxels=1000"}, SYSTEM_TO_DEVICE, 1000000,
      " needs | free of max-device-memory"},
  /* an output that is as large as the cloud */
  {{CLOUDS, "float32", 3, 200000, 1, "grid=8:8:8 output=index"}, DEVICE_TO_DEVICE, 1000000,
      "an int64 number for each point: 1600000 bytes needed| free of max-device-memory=1000000: send smaller clouds"},
};

GST_START_TEST (test_no_space)
{
  gchar *more = g_strdup_printf ("max-device-memory=%u", no_space[__i__].bound);
  Run run = run_new (&no_space[__i__].job, "cuda", more, no_space[__i__].side);

  gst_clear_object (&run.allocator);
  fail_if (run_try (&run, FULL_CLOUD) == GST_FLOW_OK);
  expect_error (run.h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, no_space[__i__].words);
  fail_if (run_try (&run, FULL_CLOUD) == GST_FLOW_OK);
  expect_no_error (run.h);      /* said once */
  fail_unless (gst_harness_try_pull (run.h) == NULL);
  g_free (more);
  run_free (&run);
}

GST_END_TEST;

/* With auto the CPU goes on, also where this is known only when the second cloud is there: it maps it. */
GST_START_TEST (test_auto_falls_back_at_a_cloud)
{
  static const Job small = { CLOUDS, "float32", 4, 20, 1, "grid=64:64:16 output=sparse mode=centroid max-voxels=1000" };
  static const Job large = { CLOUDS, "float32", 4, 20000, 1, "grid=64:64:16 output=sparse mode=centroid max-voxels=1000" };
  static const struct
  {
    const Job *job;
    const gchar *backend;
  } clouds[] = { {&small, "cuda"}, {&large, "cpu"}, {&small, "cpu"} };
  Run got = run_new (&small, "auto", "max-device-memory=300000", DEVICE_TO_SYSTEM);
  Run wanted = run_new (&small, "cpu", "", SYSTEM_TO_SYSTEM), without_bound = run_new (&small, "cuda", "", DEVICE_TO_SYSTEM);

  gst_clear_object (&got.allocator);
  got.allocator = gst_object_ref (without_bound.allocator);
  for (guint i = 0; i < G_N_ELEMENTS (clouds); i++) {
    got.job = wanted.job = clouds[i].job;
    run_push (&wanted, FULL_CLOUD);
    run_push (&got, FULL_CLOUD);
    expect_backend (got.h, clouds[i].backend);
  }
  run_finish (&wanted);
  run_finish (&got);
  expect_same (got.bytes, wanted.bytes, "before and after");
  fail_unless_equals_int64 (stat_of (got.h, "fallbacks"), 1);
  fail_unless_equals_int64 (stat_of (got.h, "buffers"), 3);
  run_free (&without_bound);
  run_free (&wanted);
  run_free (&got);
}

GST_END_TEST;

/* The number that ends what the text has before it. */
static guint64
number_before (const gchar *text, const gchar *after)
{
  const gchar *end = strstr (text, after), *begin = end;

  fail_unless (end != NULL, "\"%s\" lacks \"%s\"", text, after);
  while (begin > text && g_ascii_isdigit (begin[-1]))
    begin--;
  return g_ascii_strtoull (begin, NULL, 10);
}

/* Raises max-device-memory by what an error says that there is too little; 0: it suffices. */
static guint64
raise_bound (const Job *job, guint64 bound, guint side)
{
  gchar *more = g_strdup_printf ("max-device-memory=%" G_GUINT64_FORMAT, bound);
  Run run = run_new (job, "cuda", more, side);
  const gboolean ok = run_try (&run, FULL_CLOUD) == GST_FLOW_OK;
  gchar *text = ok ? NULL : expect_error_text (run.h->element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "a voxel grid of |raise max-device-memory");

  if (text)
    bound += number_before (text, " bytes, and device") - number_before (text, " free of max-device-memory");
  g_free (text);
  g_free (more);
  run_free (&run);
  return ok ? 0 : bound;
}

/* Caps do not say the number of points. */
static const Job told[] = {
  {CLOUDS, "float32", 4, 60000, 1, "grid=16:16:8 mode=mean output=sparse max-voxels=500"},
  {CLOUDS, "float32", 3, 60000, 1, "grid=64:64:64 mode=centroid output=sparse max-voxels=500"},
  {CLOUDS, "float64", 4, 60000, 1, "grid=16:16:8 mode=mean"},
};

GST_START_TEST (test_a_bound_raised_as_told_suffices)
{
  const guint64 bound = raise_bound (&told[__i__ / 2], 250000, __i__ % 2);

  fail_unless (bound > 0, "there was room");
  fail_unless_equals_uint64 (raise_bound (&told[__i__ / 2], bound, __i__ % 2), 0);
}

GST_END_TEST;

/* A thousand buffers of one size allocate nothing after the first ones. */
static const struct
{
  Job job;
  const gchar *count;           /* a statistic that is so much a buffer; NULL: none is */
  guint of_a_buffer;
} steady[] = {
  {{ROWS, "float32", 14, 1, 1, ""}},
  {{ROWS, "float32", 14, 1, 1, "interpolation=cubic"}},
  {{EPISODES, "float32", 7, 50, 4, "gap-policy=nan", 20}, "ticks-out", 80},
  {{ITEMS, "float32", 4, 300, 1, "grid=16:16:8 mode=mean"}, "buffers", 1},
  {{ITEMS, "float32", 4, 300, 1, "grid=16:16:8 output=sparse max-voxels=50 accumulate=3"}, "buffers", 1},
  {{ITEMS, "float32", 4, 300, 1, "grid=16:16:8 mode=mean accumulate=4"}, "buffers", 1},
  {{ITEMS, "float32", 3, 100, 4, "grid=16:16:8"}, "buffers", 1},
};

GST_START_TEST (test_steady)
{
  static const gchar *const constant[] = { "pool-misses", "device-memory", "pinned-memory" };
  const gchar *count = steady[__i__ / N_SIDES].count;
  Run run = run_new (&steady[__i__ / N_SIDES].job, "cuda", "", __i__ % N_SIDES);
  gint64 before[G_N_ELEMENTS (constant)] = { 0 };
  const guint n = few_cases ()? 120 : 1100;

  for (guint i = 0; i < n; i++) {
    for (guint k = 0; i == 100 && k < G_N_ELEMENTS (constant); k++)
      before[k] = stat_of (run.h, constant[k]);
    run_push (&run, i);
    pull_all (run.h, run.bytes);
    g_byte_array_set_size (run.bytes, 0);
  }
  for (guint k = 0; k < G_N_ELEMENTS (constant); k++)
    fail_unless (stat_of (run.h, constant[k]) == before[k], "\"%s\": %s was %" G_GINT64_FORMAT " and is %" G_GINT64_FORMAT,
        run.job->properties, constant[k], before[k], stat_of (run.h, constant[k]));
  fail_unless (stat_of (run.h, "pool-hits") > n / 2 - 50);
  run_finish (&run);            /* stats are exact then */
  fail_unless (count == NULL || stat_of (run.h, count) == n * steady[__i__ / N_SIDES].of_a_buffer, "\"%s\": %s is %"
      G_GINT64_FORMAT, run.job->properties, count, count ? stat_of (run.h, count) : 0);
  run_free (&run);
}

GST_END_TEST;

/* What downstream does with an output on the CPU: i % 5 == 4 as behind a tee, where the other branch keeps it as it was. */
static void
use_output (GByteArray *bytes, GstBuffer *output, guint i)
{
  static const GstMapFlags flags[] = { GST_MAP_WRITE, GST_MAP_READWRITE, GST_MAP_READ, GST_MAP_READ };
  GstBuffer *other = gst_buffer_ref (output);
  GstMapInfo map;

  if (i % 5 == 4) {
    output = gst_buffer_make_writable (output);
    fail_unless (output != other);
  } else {
    add_output (bytes, g_steal_pointer (&other));
  }
  fail_unless (gst_buffer_map (output, &map, flags[i % G_N_ELEMENTS (flags)]));
  if (map.flags & GST_MAP_WRITE)
    memset (map.data, (int) i + 1, map.size);
  gst_buffer_unmap (output, &map);
  gst_buffer_unref (output);
  if (other)
    add_output (bytes, other);
}

/* Outputs that downstream keeps, or writes to before it releases them, do not change others. */
static const struct
{
  Job job;
  gboolean are_kept;
} used[] = {
  {{ROWS, "float32", 100, 1, 1, ""}, TRUE},
  {{ITEMS, "float32", 4, 3000, 1, "grid=32:20:8"}, FALSE},
  {{ITEMS, "float32", 4, 300, 1, "grid=33:20:8 mode=mean"}, FALSE},
  {{ITEMS, "float32", 4, 500, 7, "grid=32:20:8 mode=count type=float16"}, FALSE},
  {{ITEMS, "float32", 4, 3000, 1, "grid=32:20:8 mode=mean"}, TRUE},
};

static Run
run_and_use (const Job *job, gboolean are_kept, const gchar *backend, guint side)
{
  Run run = run_new (job, backend, "", side);
  GPtrArray *kept = g_ptr_array_new ();
  GstBuffer *output;

  for (guint i = 0; i < 60; i++) {
    run_push (&run, i);
    while ((output = gst_harness_try_pull (run.h))) {
      if (are_kept)
        g_ptr_array_add (kept, output);
      else
        use_output (run.bytes, output, i);
    }
  }
  for (guint i = 0; i < kept->len; i++)
    add_output (run.bytes, kept->pdata[i]);
  run_finish (&run);
  g_ptr_array_unref (kept);
  return run;
}

GST_START_TEST (test_used_outputs)
{
  const Job *job = &used[__i__ / 2].job;
  Run wanted = run_and_use (job, used[__i__ / 2].are_kept, "cpu", SYSTEM_TO_SYSTEM);
  Run got = run_and_use (job, used[__i__ / 2].are_kept, "cuda", __i__ % 2);

  expect_same (got.bytes, wanted.bytes, job->properties);
  run_free (&wanted);
  run_free (&got);
}

GST_END_TEST;

/* More voxels than there is room for: said once, a buffer later at most, and counted. */
GST_START_TEST (test_over_cap)
{
  static const Job job = { ITEMS, "float32", 3, 3000, 1, "grid=32:20:8 output=sparse max-voxels=10" };
  Run run = run_new (&job, "cuda", "", __i__);
  GstBus *bus = gst_element_get_bus (run.h->element);
  GstMessage *message;

  for (guint i = 0; i < 3; i++)
    run_push (&run, i);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_unref (message);
  run_finish (&run);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING) == NULL);
  fail_unless_equals_int64 (stat_of (run.h, "buffers-over-cap"), 3);
  gst_object_unref (bus);
  run_free (&run);
}

GST_END_TEST;

/* Two elements, the rows between them on the device. */
static Run
run_chain (const gchar *line, const gchar *caps_out)
{
  static const Job job = { ROWS, "float32", 14, 1, 1, "" };
  Run run = { &job, gst_harness_new_parse (line), NULL, g_rand_new_with_seed (3), g_byte_array_new () };
  gchar *caps = job_caps (&job, FALSE);
  GstBuffer *buffer;

  gst_harness_set_sink_caps_str (run.h, caps_out);
  gst_harness_set_src_caps_str (run.h, caps);
  for (guint i = 0; i < 100; i++)
    run_push (&run, i);
  gst_harness_push_event (run.h, gst_event_new_eos ());
  /* a recorder sends from a thread of its own */
  while (gst_harness_pull_until_eos (run.h, &buffer) && buffer)
    add_output (run.bytes, buffer);
  g_free (caps);
  return run;
}

GST_START_TEST (test_chain)
{
  Run wanted = run_chain ("robocacheresample backend=cpu rate=200/1 ! " SYSTEM
      " ! robocacheresample backend=cpu rate=90/1 interpolation=cubic", SYSTEM);
  Run got = run_chain ("robocacheresample backend=cuda rate=200/1 ! " DEVICE
      " ! robocacheresample backend=cuda rate=90/1 interpolation=cubic", SYSTEM);

  expect_same (got.bytes, wanted.bytes, "two elements");
  run_clear (&wanted);
  run_clear (&got);
}

GST_END_TEST;

/* A recording of rows in device memory has the CPU's rows in their order. */
GST_START_TEST (test_recorded)
{
  const gsize row = 14 * sizeof (gfloat);
  GstElementFactory *factory = gst_element_factory_find ("robocachemcapmux");
  const guint8 *from, *to;
  Run rows, file;

  if (!factory)
    return;                     /* built without recordings */
  gst_object_unref (factory);
  rows = run_chain ("robocacheresample backend=cpu rate=200/1", SYSTEM);
  file = run_chain ("robocacheresample backend=cuda rate=200/1 ! " DEVICE
      " ! robocachemcapmux time-origin=0 compression=none", "application/x-mcap");
  fail_unless (rows.bytes->len >= 100 * row);
  from = file.bytes->data;
  to = from + file.bytes->len;
  /* the time of each is before it */
  for (gsize i = sizeof (GstClockTime); i < rows.bytes->len; i += row + sizeof (GstClockTime)) {
    from = memmem (from, (gsize) (to - from), rows.bytes->data + i, row);
    fail_unless (from != NULL, "the row at byte %" G_GSIZE_FORMAT " is not in the recording", i);
    from += row;
  }
  run_clear (&rows);
  run_clear (&file);
}

GST_END_TEST;

/* ---- a live recording whose disk is held up ---- */

#define N_LIVE 120
#define N_BEFORE_DISK 80
#define LIVE_PATIENCE G_TIME_SPAN_MINUTE

typedef struct
{
  GMutex lock;
  GCond changed;
  GPtrArray *samples;           /* of GBytes */
  GByteArray *file;
} LiveRecording;

static void
note_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, LiveRecording *live)
{
  gpointer values;
  gsize size;

  gst_buffer_extract_dup (buffer, 0, gst_buffer_get_size (buffer), &values, &size);
  g_mutex_lock (&live->lock);
  g_ptr_array_add (live->samples, g_bytes_new_take (values, size));
  g_cond_broadcast (&live->changed);
  g_mutex_unlock (&live->lock);
}

static void
note_bytes (GstElement *sink, GstBuffer *buffer, GstPad *pad, LiveRecording *live)
{
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_READ);
  g_byte_array_append (live->file, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
}

static GstPadProbeReturn
hold_up (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return GST_PAD_PROBE_OK;
}

static gboolean
wait_for_samples (LiveRecording *live, guint n)
{
  const gint64 until = g_get_monotonic_time () + LIVE_PATIENCE;
  gboolean are_there;

  g_mutex_lock (&live->lock);
  while (!(are_there = live->samples->len >= n) && g_cond_wait_until (&live->changed, &live->lock, until));
  g_mutex_unlock (&live->lock);
  return are_there;
}

static void
connect (GstElement *pipeline, const gchar *name, GCallback callback, LiveRecording *live)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_signal_connect (sink, "handoff", callback, live);
  gst_object_unref (sink);
}

static void
wait_for_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, LIVE_PATIENCE * GST_USECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", message ? GST_MESSAGE_SRC_NAME (message) : "no end");
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
expect_samples_in_file (const LiveRecording *live)
{
  const guint8 *from = live->file->data, *to = from + live->file->len;

  for (guint i = 0; i < live->samples->len; i++) {
    gsize size;
    gconstpointer values = g_bytes_get_data (live->samples->pdata[i], &size);

    from = memmem (from, (gsize) (to - from), values, size);
    fail_unless (from != NULL, "sample %u is not in the recording", i);
    from += size;
  }
}

static guint64
rows_dropped (GstElement *mux)
{
  const GstStructure *of_pad;
  GstStructure *stats;
  guint64 n = 0;

  g_object_get (mux, "stats", &stats, NULL);
  of_pad = gst_value_get_structure (gst_structure_get_value (stats, "sink_0"));
  fail_unless (gst_structure_get_uint64 (of_pad, "rows-dropped-overflow", &n));
  gst_structure_free (stats);
  return n;
}

/* A fuse on the device, whose own thread hands each sample to the recorder first: samples go on while the recorder cannot write. All of
 * them are in the file, unless more wait than may. */
GST_START_TEST (test_recorded_live)
{
  const gchar *queue = __i__ == 0 ? "" : "max-queue-size=8000";
  LiveRecording live = {.samples = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref),.file = g_byte_array_new () };
  GstElementFactory *factory = gst_element_factory_find ("robocachemcapmux");
  gchar *line = g_strdup_printf ("robocachemcapmux name=m time-origin=0 compression=none chunk-size=4000 %s ! fakesink name=file "
      "async=false sync=false signal-handoffs=true robocachetestsrc kind=proprio is-live=true rate=100/1 num-buffers=%d ! robocachefuse backend=cuda rate=100/1 ! "
      DEVICE " ! tee name=t t. ! m.sink_0 t. ! fakesink name=samples async=false sync=false signal-handoffs=true", queue, N_LIVE);
  GError *error = NULL;
  GstElement *pipeline, *mux;
  gboolean went_on;
  GstPad *src;
  gulong probe;

  if (factory) {                /* built with recordings */
    pipeline = gst_parse_launch (line, &error);
    fail_unless (pipeline && !error, "%s", error ? error->message : "");
    connect (pipeline, "samples", G_CALLBACK (note_sample), &live);
    connect (pipeline, "file", G_CALLBACK (note_bytes), &live);
    mux = gst_bin_get_by_name (GST_BIN (pipeline), "m");
    src = gst_element_get_static_pad (mux, "src");
    probe = gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_BUFFER, hold_up, NULL, NULL);
    fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
    went_on = wait_for_samples (&live, N_BEFORE_DISK);
    gst_pad_remove_probe (src, probe);
    fail_unless (went_on, "samples wait for the recorder");
    wait_for_eos (pipeline);
    fail_unless (live.samples->len >= N_LIVE / 2);
    fail_unless_equals_int (rows_dropped (mux) > 0, __i__ == 1);
    if (__i__ == 0)
      expect_samples_in_file (&live);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (src);
    gst_object_unref (mux);
    gst_object_unref (pipeline);
  }
  gst_clear_object (&factory);
  g_byte_array_unref (live.file);
  g_ptr_array_unref (live.samples);
  g_free (line);
}

GST_END_TEST;

/* ---- flexible samples ---- */

/* Settings of robocachefuse. */
static const gchar *const flexible[] = { "", "window=3 info=tensor", "layout=concat type=float32" };

/* The bytes of all samples in system memory, headers included. */
static GByteArray *
flexible_samples (const gchar *backend, const gchar *settings)
{
  LiveRecording run = {.file = g_byte_array_new () };
  gchar *line = g_strdup_printf ("robocachetestsrc kind=proprio num-buffers=20 ! e.proprio_0 robocachetestsrc kind=force num-buffers=20 "
      "! e.force_0 robocachefuse name=e backend=%s rate=70/1 %s ! other/tensors,format=flexible ! fakesink name=file signal-handoffs=true",
      backend, settings);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline && !error, "%s", error ? error->message : "");
  connect (pipeline, "file", G_CALLBACK (note_bytes), &run);
  fail_unless (gst_element_set_state (pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE);
  wait_for_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
  return run.file;
}

GST_START_TEST (test_flexible)
{
  GByteArray *cpu = flexible_samples ("cpu", flexible[__i__]), *cuda = flexible_samples ("cuda", flexible[__i__]);

  fail_unless (cpu->len > 10 * 128);
  fail_unless (cpu->len == cuda->len && memcmp (cpu->data, cuda->data, cpu->len) == 0);
  g_byte_array_unref (cuda);
  g_byte_array_unref (cpu);
}

GST_END_TEST;

/* ---- devices ---- */

/* One GPU twice splits as two do, but for the copies between them. */
static const gchar *const splits[] = {
  "devices=0,0", "devices=0,0,0,0,0", "devices=0,0,0,0,0,0,0,0,0", "devices=0,1", "devices=1,0"
};

static const Job many_episodes = MANY_EPISODES;

static void
compare_over_devices (const Job *job, const gchar *split, const gchar *more, guint side)
{
  gchar *both = g_strdup_printf ("%s%s", split, more);

  if (strchr (split, '1') == NULL || has_gpu (1))
    compare (job, both, side, "chunks");
  g_free (both);
}

GST_START_TEST (test_devices)
{
  const guint side = __i__ % N_SIDES;

  for (guint i = 0; i < G_N_ELEMENTS (jobs); i++) {
    if (is_batch (&jobs[i]) && (!few_cases () || i % N_SIDES == side))
      compare_over_devices (&jobs[i], splits[__i__ / N_SIDES], "", side);
  }
  compare_over_devices (&told[0], splits[__i__ / N_SIDES], "", side);  /* nothing to split */
}

GST_END_TEST;

GST_START_TEST (test_devices_in_chunks)
{
  compare_over_devices (&many_episodes, splits[__i__ / 2], " max-device-memory=700000", __i__ % 2);
}

GST_END_TEST;

GST_START_TEST (test_wrong_device)
{
  static const gchar *const wrong[] = { "device-id=99", "devices=99", "devices=0,99" };
  GstElement *element = job_element (&many_episodes, "cuda", wrong[__i__]);

  if (__i__ < 2) {
    expect_start_error (element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "device number: 99: expected 0 to ");
  } else {
    Run run = run_with (&many_episodes, element, SYSTEM_TO_SYSTEM);

    expect_error (run.h, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "device number: 99: expected 0 to ");
    run_clear (&run);
  }
  free_element (element);
}

GST_END_TEST;

GPU_CHECK_MAIN (gpuelements, TRUE,
    TIMES (N_SIDES * G_N_ELEMENTS (jobs), test_same_as_the_cpu), EACH (tight, test_little_memory), EACH (no_space, test_no_space),
    ONCE (test_auto_falls_back_at_a_cloud),
    TIMES (2 * G_N_ELEMENTS (told), test_a_bound_raised_as_told_suffices), TIMES (N_SIDES * G_N_ELEMENTS (steady), test_steady),
    TIMES (2 * G_N_ELEMENTS (used), test_used_outputs), TIMES (2, test_over_cap), ONCE (test_chain), ONCE (test_recorded), TIMES (2, test_recorded_live), EACH (flexible, test_flexible),
    TIMES (N_SIDES * G_N_ELEMENTS (splits), test_devices), TIMES (2 * G_N_ELEMENTS (splits), test_devices_in_chunks),
    TIMES (3, test_wrong_device))
