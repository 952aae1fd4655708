/* robocache: recorded episodes in chunks and over several engines are what they are whole
 *
 * Engines of the CPU serve as devices: each has its own memory, and none computes in another's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/device/allocator.h"
#include "common/rows/episodes.h"
#include "tests/check/lib/checks.h"

#define CHANNELS 3
#define ROWS 5
#define TICKS 7
#define BATCH 11
#define PART_BYTES(n, type) (BATCH * (n) * sizeof (type))

typedef struct
{
  gfloat rows[BATCH][ROWS][CHANNELS];
  gint64 times[BATCH][ROWS], targets[BATCH][TICKS];
} Data;

static const RcAlignStreamSpec spec = {
  .in = RC_FLOAT32,.out = RC_FLOAT32,.channels = CHANNELS,
  .search = {.interpolation = RC_LINEAR,.max_gap_ns = -1,.hold_limit_ns = 0 },
};

static const RobocacheEpisodesShape shape = { BATCH, ROWS, TICKS };

/* Episode 4 goes back in time. */
static void
make_data (Data *data)
{
  GRand *random = g_rand_new_with_seed (5);

  for (guint b = 0; b < BATCH; b++) {
    for (guint i = 0; i < ROWS; i++) {
      data->times[b][i] = i * 1000 + g_rand_int_range (random, 0, 900);
      for (guint c = 0; c < CHANNELS; c++)
        data->rows[b][i][c] = (gfloat) g_rand_double_range (random, -1, 1);
    }
    for (guint i = 0; i < TICKS; i++)
      data->targets[b][i] = g_rand_int_range (random, -500, ROWS * 1000 + 500);
  }
  data->times[4][2] = -1;
  g_rand_free (random);
}

/* What the kernels make of it in one call. */
static void
align_whole (const Data *data, gfloat out[BATCH][TICKS][CHANNELS], RcAlignCounters *counters)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  const RcAlignSpec plan_spec = { &spec, 1 };
  const RcAlignStreamArgs stream = {
    .rows = data->rows,.n_rows = ROWS,.row_stride = sizeof (data->rows[0][0]),.batch_stride = sizeof (data->rows[0]),
    .times = &data->times[0][0],.times_batch_stride = sizeof (data->times[0]),.out = out,
    .out_row_stride = sizeof (out[0][0]),.out_batch_stride = sizeof (out[0]),.counters = counters
  };
  const RcAlignArgs args = {
    .streams = &stream,.batch = BATCH,.ticks = TICKS,.tick_times = &data->targets[0][0],
    .tick_times_batch_stride = sizeof (data->targets[0])
  };
  RcBackend *backend;
  RcAlignPlan *plan;

  fail_unless (rc_backend_open (&where, &backend, NULL) == RC_OK);
  fail_unless (rc_align_plan (backend, &plan_spec, &plan, NULL, NULL) == RC_OK);
  fail_unless (rc_align_run (plan, &args, NULL, NULL) == RC_OK);
  rc_align_plan_free (plan);
  rc_backend_close (backend);
}

static RobocacheEngine *
new_engine (guint64 max_bytes)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };
  RobocacheEngine *engine = robocache_engine_new (&where, max_bytes, NULL);

  fail_unless (engine != NULL);
  return engine;
}

static GstMemory *
wrap (gpointer data, gsize bytes)
{
  return gst_memory_new_wrapped (GST_MEMORY_FLAG_READONLY, data, bytes, 0, bytes, NULL, NULL);
}

/* A batch over n engines of max_bytes each. mapped: the CPU reads the inputs where they are; otherwise they are
 * brought. The output is an engine's own: the first's, or one that has no part in it. */
typedef struct
{
  guint n_engines;
  guint64 max_bytes;
  gboolean mapped, out_elsewhere;
  guint least_chunks;
  const gchar *error;           /* NULL: none */
} Case;

static const Case cases[] = {
  {1, 0, TRUE, FALSE, 0},
  {1, 0, FALSE, FALSE, 0},
  {1, 0, FALSE, TRUE, 0},
  {1, 0, TRUE, TRUE, 0},
  {1, 3000, FALSE, TRUE, 2},
  {1, 2000, FALSE, TRUE, 4},
  {1, 1200, FALSE, TRUE, BATCH},
  {2, 0, TRUE, FALSE, 0},
  {2, 0, FALSE, TRUE, 0},
  {3, 1200, FALSE, TRUE, 8},
  {2, 1500, FALSE, TRUE, BATCH},
  {11, 0, FALSE, TRUE, 0},
  {16, 0, FALSE, TRUE, 0},
  {1, 700, FALSE, TRUE, 0, "bytes needed"},     /* no room for one */
};

/* The bytes and the counters of a job are what the kernels make of it whole. */
static void
compare (const Data *data, GstMemory *out, RobocacheReadback *readback, GstClockTime pts)
{
  gfloat wanted[BATCH][TICKS][CHANNELS];
  RcAlignCounters counters = { 0 }, got;
  GstClockTime counted_pts;
  GstMapInfo map;

  align_whole (data, wanted, &counters);
  fail_unless (gst_memory_map (out, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, sizeof (wanted));
  for (guint b = 0; b < BATCH; b++)
    fail_unless (memcmp (map.data + b * sizeof (wanted[b]), wanted[b], sizeof (wanted[b])) == 0, "episode %u", b);
  gst_memory_unmap (out, &map);
  fail_unless_equals_int (robocache_readback_pending (readback), 1);
  fail_unless (robocache_readback_take (readback, (gint64 *) &got, &counted_pts, NULL));
  fail_unless_equals_uint64 (counted_pts, pts);
  fail_unless (memcmp (&got, &counters, sizeof (got)) == 0);
  fail_unless_equals_int64 (got.disordered_episodes, 1);
  fail_unless_equals_int (robocache_readback_pending (readback), 0);
}

static void
run_and_check (const Case *c, RobocacheEpisodes *episodes, const RobocacheEpisodesPlace *place, RobocacheReadback *readback,
    const Data *data, GstClockTime pts)
{
  GError *error = NULL;
  guint n_chunks;

  fail_unless (robocache_readback_begin (readback, NULL));
  fail_unless_equals_int (robocache_episodes_run (episodes, place, readback, &n_chunks, &error), c->error == NULL);
  if (c->error) {
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
    fail_unless (strstr (error->message, c->error) != NULL, "%s", error->message);
    g_error_free (error);
    return;
  }
  fail_unless (robocache_readback_end (readback, pts, NULL));
  fail_unless (c->least_chunks > 0 ? n_chunks >= c->least_chunks : n_chunks == 0, "%u chunks", n_chunks);
  compare (data, place->memories[ROBOCACHE_EPISODES_OUT], readback, pts);
}

GST_START_TEST (test_same_bytes)
{
  const Case *c = &cases[__i__];
  RobocacheEngine *engines[16], *elsewhere = new_engine (0);
  GstAllocator *allocator;
  RobocacheEpisodes *episodes;
  RobocacheReadback *readback;
  Data data;
  const struct
  {
    gpointer data;
    gsize bytes;
  } inputs[] = {
    [ROBOCACHE_EPISODES_ROWS] = {data.rows, sizeof (data.rows)},
    [ROBOCACHE_EPISODES_TIMES] = {data.times, sizeof (data.times)},
    [ROBOCACHE_EPISODES_TARGETS] = {data.targets, sizeof (data.targets)},
  };
  RobocacheEpisodesPlace place = { 0 };
  RcStatus status;

  make_data (&data);
  for (guint i = 0; i < c->n_engines; i++)
    engines[i] = new_engine (c->max_bytes);
  allocator = robocache_allocator_new (c->out_elsewhere ? elsewhere : engines[0], RC_MEMORY_DEVICE);
  episodes = robocache_episodes_new (engines, c->n_engines, &spec, &shape, &status, NULL);
  fail_unless (episodes != NULL);
  readback = robocache_readback_new (engines, c->n_engines, ROBOCACHE_EPISODES_N_COUNTERS, NULL);
  fail_unless (readback != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++) {
    place.memories[i] = wrap (inputs[i].data, inputs[i].bytes);
    place.mapped[i] = c->mapped ? inputs[i].data : NULL;
  }
  for (guint round = 0; round < 3; round++) {
    place.memories[ROBOCACHE_EPISODES_OUT] = robocache_allocator_alloc (allocator, PART_BYTES (TICKS * CHANNELS, gfloat), NULL);
    run_and_check (c, episodes, &place, readback, &data, round);
    gst_memory_unref (place.memories[ROBOCACHE_EPISODES_OUT]);
  }
  for (guint part = 0; part < ROBOCACHE_EPISODES_OUT; part++)
    gst_memory_unref (place.memories[part]);
  robocache_readback_free (readback);
  robocache_episodes_free (episodes);
  gst_object_unref (allocator);
  for (guint i = 0; i < c->n_engines; i++)
    robocache_engine_unref (engines[i]);
  robocache_engine_unref (elsewhere);
}

GST_END_TEST;

GST_START_TEST (test_wrong_spec)
{
  RobocacheEngine *engine = new_engine (0);
  const int32_t quaternion = 0;
  RcAlignStreamSpec wrong = spec;
  GError *error = NULL;
  RcStatus status;

  wrong.quaternions = &quaternion;
  wrong.n_quaternions = 1;
  fail_unless (robocache_episodes_new (&engine, 1, &wrong, &shape, &status, &error) == NULL);
  fail_unless_equals_int (status, RC_INVALID_ARGUMENT);
  fail_unless (strstr (error->message, "quaternion") != NULL);
  g_error_free (error);
  robocache_engine_unref (engine);
}

GST_END_TEST;

/* ---- the readback alone ---- */

/* In order; and what a job did not finish does not count for the next. */
GST_START_TEST (test_counters_of_jobs)
{
  RobocacheEngine *engines[] = { new_engine (0), new_engine (0) };
  RobocacheReadback *readback;
  gint64 counters[2];
  GstClockTime pts;

  readback = robocache_readback_new (engines, 2, 2, NULL);
  fail_unless (readback != NULL);
  fail_unless (robocache_readback_begin (readback, NULL));
  *(gint64 *) robocache_readback_counters (readback, 0) = 77;
  for (gint64 job = 0; job < 5; job++) {
    if (robocache_readback_pending (readback) == ROBOCACHE_READBACK_SLOTS) {
      fail_unless (robocache_readback_take (readback, counters, &pts, NULL));
      fail_unless_equals_uint64 (pts, (GstClockTime) job - ROBOCACHE_READBACK_SLOTS);
      fail_unless_equals_int64 (counters[0], 101 * (job - ROBOCACHE_READBACK_SLOTS));
      fail_unless_equals_int64 (counters[1], 3);
    }
    fail_unless (robocache_readback_begin (readback, NULL));
    ((gint64 *) robocache_readback_counters (readback, 0))[0] += job;
    ((gint64 *) robocache_readback_counters (readback, 1))[0] += 100 * job;
    ((gint64 *) robocache_readback_counters (readback, 0))[1] += 1;
    ((gint64 *) robocache_readback_counters (readback, 1))[1] += 2;
    fail_unless (robocache_readback_end (readback, (GstClockTime) job, NULL));
  }
  fail_unless_equals_int (robocache_readback_pending (readback), ROBOCACHE_READBACK_SLOTS);
  robocache_readback_free (readback);
  robocache_engine_unref (engines[0]);
  robocache_engine_unref (engines[1]);
}

GST_END_TEST;

/* ---- uploads ---- */

GST_START_TEST (test_upload)
{
  static const gsize sizes[] = { 1, 4095, 4096, 4097, 4 << 20, (4 << 20) + 1, (40 << 20) + 12345 };
  const gsize bytes = sizes[__i__ / 2];
  RobocacheEngine *engine = __i__ % 2 ? robocache_engine_new_for_cpu (3, NULL) : new_engine (0);
  RobocacheStaging staging = { NULL };
  guint8 *from = g_malloc (bytes + 3), *to = g_malloc0 (bytes);
  GstMemory *memory;

  for (gsize i = 0; i < bytes + 3; i++)
    from[i] = (guint8) (i * 7 + i / 251);
  memory = wrap (from, bytes + 3);
  fail_unless (robocache_upload_memory (&staging, engine, memory, 3, bytes, to, NULL));
  fail_unless (memcmp (to, from + 3, bytes) == 0);
  memset (to, 0, bytes);
  fail_unless (robocache_upload_bytes (&staging, engine, from, bytes, to, NULL));
  fail_unless (memcmp (to, from, bytes) == 0);
  robocache_staging_clear (&staging);
  gst_memory_unref (memory);
  g_free (from);
  g_free (to);
  robocache_engine_unref (engine);
}

GST_END_TEST;

CHECK_MAIN (episodes, NULL, NULL, EACH (cases, test_same_bytes), ONCE (test_wrong_spec), ONCE (test_counters_of_jobs),
    TIMES (2 * 7, test_upload))
