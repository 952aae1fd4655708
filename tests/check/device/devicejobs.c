/* robocache: batches of episodes and windows of clouds on devices that are none: in whatever order the devices do
 * their work, what comes out is what the kernels make of it in one call
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/transfers/staging.h"
#include "common/rows/episodes.h"
#include "gst/voxelize/voxelsettings.h"
#include "gst/voxelize/voxelizer/voxelizer.h"
#include "fakekernels.h"
#include "tests/check/lib/device/devicework.h"

#define MAX_ENGINES 3
#define ROUNDS 6                /* of a job */

#define CHANNELS 3
#define ROWS 5
#define TICKS 7
#define BATCH 10

typedef struct
{
  gfloat rows[BATCH][ROWS][CHANNELS];
  gint64 times[BATCH][ROWS], targets[BATCH][TICKS];
} Episodes;

typedef struct
{
  gfloat rows[BATCH][TICKS][CHANNELS];
} Aligned;

static const RcAlignStreamSpec align_spec = {
  .in = RC_FLOAT32,.out = RC_FLOAT32,.channels = CHANNELS,
  .search = {.interpolation = RC_CUBIC,.max_gap_ns = -1,.hold_limit_ns = 0 },
};

/* ---- devices ---- */

typedef enum
{
  IN_SYSTEM,
  IN_PINNED,
  IN_DEVICE
} InputMemory;

/* Over which devices, with how much memory each; where inputs come from and outputs go. */
typedef struct
{
  guint n_engines;
  gint devices[MAX_ENGINES];
  guint64 max_bytes;            /* with which episodes do not fit */
  InputMemory in;
  gboolean out_on_device;
} Setup;

static const Setup setups[] = {
  {1, {0}, 0, IN_SYSTEM, FALSE},
  {1, {0}, 0, IN_SYSTEM, TRUE},
  {1, {0}, 0, IN_DEVICE, FALSE},
  {1, {0}, 0, IN_DEVICE, TRUE},
  {1, {0}, 2500, IN_SYSTEM, FALSE},
  {2, {0, 0}, 0, IN_SYSTEM, TRUE},
  {2, {0, 1}, 0, IN_SYSTEM, FALSE},
  {2, {0, 1}, 0, IN_SYSTEM, TRUE},
  {2, {0, 1}, 0, IN_DEVICE, TRUE},
  {2, {0, 1}, 1500, IN_DEVICE, TRUE},
  {3, {1, 0, 1}, 1900, IN_SYSTEM, TRUE},
  {3, {0, 1, 0}, 0, IN_DEVICE, FALSE},
  {1, {0}, 0, IN_PINNED, TRUE},
  {1, {0}, 2500, IN_PINNED, FALSE},
  {2, {0, 1}, 0, IN_PINNED, TRUE},
};

typedef struct
{
  const Setup *setup;
  FakeDevice *devices[2];
  RobocacheEngine *engines[MAX_ENGINES], *source;      /* source: of another element, on device 0, that makes the inputs */
  GstAllocator *inputs, *outputs;
} Machine;

static void
machine_init (Machine *machine, const Setup *setup, guint64 max_bytes)
{
  const RcWhere where = { RC_BACKEND_CPU, 0, RC_CPU_BEST, 0 };

  fail_unless (rc_backend_open (&where, &fake_kernels_cpu, NULL) == RC_OK);
  machine->setup = setup;
  for (guint i = 0; i < 2; i++)
    machine->devices[i] = fake_device_new ((gint) i);
  for (guint i = 0; i < setup->n_engines; i++)
    machine->engines[i] = fake_kernels_engine (machine->devices[setup->devices[i]], max_bytes);
  machine->source = fake_kernels_engine (machine->devices[0], 0);
  machine->inputs = setup->in == IN_SYSTEM ? NULL
      : robocache_allocator_new (machine->source, setup->in == IN_DEVICE ? RC_MEMORY_DEVICE : RC_MEMORY_PINNED);
  machine->outputs = robocache_allocator_new (machine->engines[0], setup->out_on_device
      ? RC_MEMORY_DEVICE : RC_MEMORY_PINNED);
}

static void
machine_clear (Machine *machine)
{
  gst_object_unref (machine->outputs);
  gst_clear_object (&machine->inputs);
  for (guint i = 0; i < machine->setup->n_engines; i++)
    robocache_engine_unref (machine->engines[i]);
  robocache_engine_unref (machine->source);
  for (guint i = 0; i < 2; i++)
    fake_device_free (machine->devices[i]);
  rc_backend_close (fake_kernels_cpu);
}

/* In system memory the caller writes something else there once it was handed over. */
static GstMemory *
input_of (Machine *machine, gconstpointer data, gsize bytes)
{
  GstMemory *memory = gst_allocator_alloc (machine->inputs, bytes, NULL);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_WRITE));
  memcpy (map.data, data, bytes);
  gst_memory_unmap (memory, &map);
  return memory;
}

static void
spoil (Machine *machine, GstMemory *memory)
{
  GstMapInfo map;

  if (machine->setup->in == IN_SYSTEM && gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    memset (map.data, 0x5a, map.size);
    gst_memory_unmap (memory, &map);
  }
  gst_memory_unref (memory);
}

/* Takes the memory, and sees what is in it: in device memory later, when its block may be written again already,
 * unless kept is where to put it; otherwise now, since what is pushed in system memory was waited for. */
static gpointer
see (Machine *machine, GstMemory *memory, GPtrArray *kept)
{
  gpointer seen = g_malloc0 (memory->size);
  GstMapInfo map;

  if (machine->setup->out_on_device) {
    fail_unless (robocache_memory_begin_read (memory, machine->source, NULL));
    fake_launch (robocache_engine_stream (machine->source), look, NULL, robocache_memory_data (memory), memory->size,
        seen);
    fail_unless (robocache_memory_end_read (memory, machine->source, NULL));
  } else {
    fail_unless (robocache_engine_synchronize (machine->engines[0], NULL));
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
    memcpy (seen, map.data, map.size);
    gst_memory_unmap (memory, &map);
  }
  if (kept)
    g_ptr_array_add (kept, memory);
  else
    gst_memory_unref (memory);
  return seen;
}

/* Lets one engine run as far ahead of the others as they allow. */
static void
run_ahead (RobocacheEngine *engine)
{
  while (fake_step (robocache_engine_stream (engine)))
    continue;
}

/* What was done when the next round is enqueued: nothing, all of it, or what one engine can. */
static void
do_some_work (Machine *machine, guint order, guint round)
{
  if (order % 2)
    fake_finish (order + round);
  else if (order == 2 || order == 6)
    run_ahead (machine->engines[machine->setup->n_engines - 1]);
  else if (order == 4)
    run_ahead (machine->engines[0]);
}

/* Does all work, in the order that seed gives, and compares. */
static void
expect_seen (gpointer *seen, gpointer *wanted, gsize bytes, guint32 seed)
{
  fake_finish (seed);
  for (guint round = 0; round < ROUNDS; round++) {
    fail_unless (memcmp (seen[round], wanted[round], bytes) == 0, "round %u", round);
    g_free (seen[round]);
  }
}

/* ---- episodes ---- */

static void
make_episodes (Episodes *e, guint32 seed)
{
  GRand *random = g_rand_new_with_seed (seed);

  for (guint b = 0; b < BATCH; b++) {
    for (guint i = 0; i < ROWS; i++) {
      e->times[b][i] = i * 1000 + g_rand_int_range (random, 0, 900);
      for (guint c = 0; c < CHANNELS; c++)
        e->rows[b][i][c] = (gfloat) g_rand_double_range (random, -1, 1);
    }
    for (guint i = 0; i < TICKS; i++)
      e->targets[b][i] = g_rand_int_range (random, -500, ROWS * 1000 + 500);
  }
  e->times[seed % BATCH][2] = -1;
  g_rand_free (random);
}

static void
place_episodes (Machine *machine, const Episodes *e, RobocacheEpisodesPlace *place)
{
  place->memories[ROBOCACHE_EPISODES_ROWS] = input_of (machine, e->rows, sizeof (e->rows));
  place->memories[ROBOCACHE_EPISODES_TIMES] = input_of (machine, e->times, sizeof (e->times));
  place->memories[ROBOCACHE_EPISODES_TARGETS] = input_of (machine, e->targets, sizeof (e->targets));
  place->memories[ROBOCACHE_EPISODES_OUT] = robocache_allocator_alloc (machine->outputs, sizeof (Aligned), NULL);
}

static void
align_whole (const Episodes *e, Aligned *out, RcAlignCounters *counters)
{
  const RcAlignStreamArgs stream = {
    .rows = e->rows,.n_rows = ROWS,.row_stride = sizeof (e->rows[0][0]),.batch_stride = sizeof (e->rows[0]),
    .times = &e->times[0][0],.times_batch_stride = sizeof (e->times[0]),.out = out->rows,
    .out_row_stride = sizeof (out->rows[0][0]),.out_batch_stride = sizeof (out->rows[0]),.counters = counters
  };
  const RcAlignArgs args = {
    .streams = &stream,.batch = BATCH,.ticks = TICKS,.tick_times = &e->targets[0][0],
    .tick_times_batch_stride = sizeof (e->targets[0])
  };

  memset (counters, 0, sizeof (*counters));
  fail_unless (rc_align_run (fake_kernels_align, &args, NULL, NULL) == RC_OK);
}

static void
expect_counts (RobocacheReadback *readback, GstClockTime pts, gconstpointer wanted, gsize bytes)
{
  gint64 got[16];
  GstClockTime counted;

  fail_unless (robocache_readback_wait (readback, robocache_readback_pending (readback) - 1, NULL));
  fail_unless (robocache_readback_take (readback, got, &counted, NULL));
  fail_unless_equals_uint64 (counted, pts);
  fail_unless (memcmp (got, wanted, bytes) == 0);
}

GST_START_TEST (test_episodes)
{
  const RobocacheEpisodesShape shape = { BATCH, ROWS, TICKS };
  const RcAlignSpec plan_spec = { &align_spec, 1 };
  const guint order = __i__ % N_ORDERS;
  GPtrArray *kept = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_memory_unref);
  gpointer seen[ROUNDS], wanted_bytes[ROUNDS];
  Aligned wanted[ROUNDS];
  RcAlignCounters counts[ROUNDS];
  RobocacheReadback *readback;
  RobocacheEpisodes *episodes;
  Machine machine = { NULL };
  gboolean keeps;
  RcStatus status;

  machine_init (&machine, &setups[__i__ / N_ORDERS], setups[__i__ / N_ORDERS].max_bytes);
  fail_unless (rc_align_plan (fake_kernels_cpu, &plan_spec, &fake_kernels_align, NULL, NULL) == RC_OK);
  episodes = robocache_episodes_new (machine.engines, machine.setup->n_engines, &align_spec, &shape, &status, NULL);
  fail_unless (episodes != NULL);
  readback = robocache_readback_new (machine.engines, machine.setup->n_engines, ROBOCACHE_EPISODES_N_COUNTERS, NULL);
  fail_unless (readback != NULL);
  keeps = order >= N_ORDERS / 2 && machine.setup->max_bytes == 0;
  for (guint round = 0; round < ROUNDS; round++) {
    RobocacheEpisodesPlace place = { 0 };
    GError *error = NULL;
    Episodes e;
    guint n_chunks;

    make_episodes (&e, round);
    align_whole (&e, &wanted[round], &counts[round]);
    place_episodes (&machine, &e, &place);
    if (robocache_readback_pending (readback) == ROBOCACHE_READBACK_SLOTS)
      expect_counts (readback, round - ROBOCACHE_READBACK_SLOTS, &counts[round - ROBOCACHE_READBACK_SLOTS], sizeof (counts[0]));
    fail_unless (robocache_readback_begin (readback, NULL));
    fail_unless (robocache_episodes_run (episodes, &place, readback, &n_chunks, &error), "%s",
        error ? error->message : "");
    fail_unless (robocache_readback_end (readback, round, NULL));
    fail_unless ((machine.setup->max_bytes > 0) == (n_chunks > 1), "%u chunks", n_chunks);
    for (guint part = 0; part < ROBOCACHE_EPISODES_OUT; part++)
      spoil (&machine, place.memories[part]);
    seen[round] = see (&machine, place.memories[ROBOCACHE_EPISODES_OUT], keeps ? kept : NULL);
    wanted_bytes[round] = &wanted[round];
    do_some_work (&machine, order, round);
  }
  expect_seen (seen, wanted_bytes, sizeof (wanted[0]), order);
  g_ptr_array_unref (kept);
  for (guint round = ROUNDS - ROBOCACHE_READBACK_SLOTS; round < ROUNDS; round++)
    expect_counts (readback, round, &counts[round], sizeof (counts[round]));
  robocache_readback_free (readback);
  robocache_episodes_free (episodes);
  rc_align_plan_free (fake_kernels_align);
  machine_clear (&machine);
}

GST_END_TEST;

/* A device that fails at any of its calls: an error, and nothing left behind. */
GST_START_TEST (test_episodes_on_a_device_that_fails)
{
  static const Setup setup = { 2, {0, 1}, 0, IN_SYSTEM, TRUE };
  const RobocacheEpisodesShape shape = { BATCH, ROWS, TICKS };
  const RcAlignSpec plan_spec = { &align_spec, 1 };
  RobocacheEpisodesPlace place = { 0 };
  RobocacheReadback *readback;
  RobocacheEpisodes *episodes;
  Machine machine = { NULL };
  GError *error = NULL;
  RcStatus status;
  guint n_chunks;
  Episodes e;

  machine_init (&machine, &setup, 0);
  fail_unless (rc_align_plan (fake_kernels_cpu, &plan_spec, &fake_kernels_align, NULL, NULL) == RC_OK);
  make_episodes (&e, 1);
  episodes = robocache_episodes_new (machine.engines, 2, &align_spec, &shape, &status, NULL);
  readback = robocache_readback_new (machine.engines, 2, ROBOCACHE_EPISODES_N_COUNTERS, NULL);
  fail_unless (readback != NULL);
  place_episodes (&machine, &e, &place);
  fail_unless (robocache_readback_begin (readback, NULL));
  machine.devices[__i__ % 2]->failing_call = (guint) __i__ / 2 + 1;
  if (!robocache_episodes_run (episodes, &place, readback, &n_chunks, &error)) {
    fail_unless (error->domain == GST_LIBRARY_ERROR, "%s", error->message);
    fail_unless (machine.devices[__i__ % 2]->has_failed);
    g_error_free (error);
  }
  for (guint part = 0; part < ROBOCACHE_EPISODES_N_PARTS; part++)
    gst_memory_unref (place.memories[part]);
  robocache_readback_free (readback);
  robocache_episodes_free (episodes);
  rc_align_plan_free (fake_kernels_align);
  machine_clear (&machine);
}

GST_END_TEST;

/* ---- clouds ---- */

#define ACCUMULATE 3
#define GRID_VOXELS (8 * 8 * 8)

typedef struct
{
  gint64 points, items;         /* of a cloud */
  RcVoxelMode mode;
} Clouds;

static const Clouds clouds[] = {
  {900, 1, RC_VOXEL_MEAN},
  {60, 5, RC_VOXEL_COUNT},
  {900, 1, RC_VOXEL_COUNT},
  {900, 1, RC_VOXEL_OCCUPANCY},
};

static gfloat *
make_cloud (const Clouds *c, guint32 seed, gsize *bytes)
{
  GRand *random = g_rand_new_with_seed (seed);
  gfloat *points;

  *bytes = (gsize) (c->points * c->items) * 4 * sizeof (gfloat);
  points = g_malloc (*bytes);
  for (gsize i = 0; i < *bytes / sizeof (gfloat); i++)
    points[i] = (gfloat) g_rand_double_range (random, -0.5, 8.5);
  g_rand_free (random);
  return points;
}

/* Whether kernels read a cloud where it is. */
static gboolean
is_in_place (const Clouds *c, const Setup *setup, gboolean keeps)
{
  return setup->in == IN_DEVICE || (setup->in == IN_PINNED && c->mode == RC_VOXEL_OCCUPANCY && !keeps);
}

/* What there is little room for is made anew, but of a single item clouds come and leave in pieces. Means begin anew while
 * the window fills, since their scales change with N. */
static gint64
clouds_read (const Clouds *c, const Setup *setup, gboolean keeps, guint round)
{
  if (keeps && (setup->max_bytes == 0 || c->items == 1) && (c->mode != RC_VOXEL_MEAN || round >= ACCUMULATE))
    return round < ACCUMULATE ? 1 : 2;
  return MIN (round + 1, ACCUMULATE);
}

/* All clouds of a window in one job of the CPU; counters of the newest. */
static void
voxelize_whole (const Clouds *c, const RcVoxelSpec *spec, guint last, gpointer out, RcVoxelCounters *counters)
{
  const guint first = last + 1 > ACCUMULATE ? last + 1 - ACCUMULATE : 0;
  RcVoxelJob job = {.n_points = (last - first + 1) * c->points };
  const RcVoxelOut to = {.grid = out,.grid_batch_stride = GRID_VOXELS * 4,.counters = counters };
  RcFootprint footprint;
  RcVoxelPlan *plan;

  memset (counters, 0, sizeof (*counters));
  fail_unless (rc_voxel_plan (fake_kernels_cpu, spec, &plan, &footprint, NULL) == RC_OK);
  job.scratch = aligned_alloc (256, (footprint.scratch_bytes + 255) / 256 * 256);
  fail_unless (rc_voxel_begin (plan, &job, NULL, NULL) == RC_OK);
  for (guint phase = 0; phase < 2; phase++) {
    for (guint i = first; i <= last; i++) {
      gsize bytes;
      gfloat *points = make_cloud (c, i, &bytes);
      const RcVoxelChunk chunk = {.data = points,.n = c->points,.stride = 16,.batch_stride = c->points * 16,
        .counters = i == last ? counters : NULL
      };

      fail_unless ((phase ? rc_voxel_add : rc_voxel_range) (plan, &job, &chunk, NULL, NULL) == RC_OK);
      g_free (points);
    }
  }
  fail_unless (rc_voxel_end (plan, &job, &to, NULL, NULL) == RC_OK);
  free (job.scratch);
  rc_voxel_plan_free (plan);
}

GST_START_TEST (test_clouds)
{
  const guint order = __i__ % N_ORDERS;
  GPtrArray *kept = g_ptr_array_new_with_free_func ((GDestroyNotify) gst_memory_unref);
  const Clouds *c = &clouds[__i__ / N_ORDERS % G_N_ELEMENTS (clouds)];
  const Setup *setup = &setups[__i__ / N_ORDERS / G_N_ELEMENTS (clouds)];
  const RobocacheVoxelSettings settings = {
    .origin = {0, 0, 0},.voxel_size = {1, 1, 1},.grid = {8, 8,
        8},.mode = c->mode,.output = RC_VOXEL_DENSE,.max_voxels = 1
  };
  const RcDtype dtype = c->mode == RC_VOXEL_MEAN ? RC_FLOAT32 : RC_UINT32;
  const gsize out_bytes = (gsize) c->items * GRID_VOXELS * 4;
  gpointer seen[ROUNDS], wanted[ROUNDS];
  RcVoxelCounters counts[ROUNDS];
  RobocacheReadback *readback;
  RobocacheCloudWindow window;
  RobocacheVoxelizer *voxelizer;
  RobocachePointsInfo points;
  Machine machine = { NULL };
  gchar *text = g_strdup_printf ("other/tensors,format=(string)static,num_tensors=1,types=(string)float32,"
      "dimensions=(string)4:%d:%d", (gint) c->points, (gint) c->items);
  GstCaps *caps = gst_caps_from_string (text);
  RcVoxelSpec spec;
  gboolean keeps;
  RcStatus status;

  machine_init (&machine, setup, setup->max_bytes ? 20000 : 0);
  fail_unless (robocache_points_info_from_caps (&points, caps, NULL));
  spec = robocache_voxel_spec (&settings, &points, dtype);
  spec.accumulates = order % 2;
  voxelizer = robocache_voxelizer_new (machine.engines, machine.setup->n_engines, FALSE, &spec, &status, NULL);
  fail_unless (voxelizer != NULL);
  readback = robocache_readback_new (machine.engines, machine.setup->n_engines, ROBOCACHE_VOXELIZER_N_COUNTERS, NULL);
  fail_unless (readback != NULL);
  robocache_cloud_window_init (&window);
  keeps = order >= N_ORDERS / 2 && setup->max_bytes == 0;
  for (guint round = 0; round < ROUNDS; round++) {
    RobocacheVoxelPlace place = {.n_outputs = 1,.item_bytes = {GRID_VOXELS * 4} };
    GstBuffer *buffer = gst_buffer_new ();
    GError *error = NULL;
    gsize bytes;
    gfloat *data = make_cloud (c, round, &bytes);
    RobocacheVoxelWork work;
    gint64 n_read;

    wanted[round] = g_malloc (out_bytes);
    voxelize_whole (c, &spec, round, wanted[round], &counts[round]);
    gst_buffer_append_memory (buffer, input_of (&machine, data, bytes));
    fail_unless (robocache_cloud_window_push (&window, &points, ACCUMULATE, buffer, NULL));
    gst_buffer_unref (buffer);
    place.memories[0] = robocache_allocator_alloc (machine.outputs, out_bytes, &error);
    fail_unless (place.memories[0] != NULL, "%s", error ? error->message : "");
    if (robocache_readback_pending (readback) == ROBOCACHE_READBACK_SLOTS)
      expect_counts (readback, round - ROBOCACHE_READBACK_SLOTS, &counts[round - ROBOCACHE_READBACK_SLOTS], sizeof (counts[0]));
    fail_unless (robocache_readback_begin (readback, NULL));
    fail_unless (robocache_voxelizer_run (voxelizer, &points, &window, &place, readback, &work, &error), "%s",
        error ? error->message : "");
    robocache_cloud_window_prune (&window);
    fail_unless (robocache_readback_end (readback, round, NULL));
    seen[round] = see (&machine, place.memories[0], keeps ? kept : NULL);
    do_some_work (&machine, order, round);
    n_read = clouds_read (c, setup, spec.accumulates, round);
    fail_unless (setup->max_bytes == 0 || is_in_place (c, setup, spec.accumulates) || c->items > 1 || n_read < 2 || work.n_chunks > 1);
    fail_unless_equals_int64 (work.points_read, n_read * c->points * c->items);
    g_free (data);
  }
  robocache_cloud_window_finish (&window);
  expect_seen (seen, wanted, out_bytes, order);
  g_ptr_array_unref (kept);
  for (guint round = 0; round < ROUNDS; round++)
    g_free (wanted[round]);
  for (guint round = ROUNDS - ROBOCACHE_READBACK_SLOTS; round < ROUNDS; round++)
    expect_counts (readback, round, &counts[round], sizeof (counts[round]));
  robocache_readback_free (readback);
  robocache_voxelizer_free (voxelizer);
  gst_caps_unref (caps);
  g_free (text);
  machine_clear (&machine);
}

GST_END_TEST;

/* ---- uploads ---- */

static const gsize upload_sizes[] = { 1, 5000, (5 << 20) + 7 };

static gsize
size_of_upload (gint number)
{
  return upload_sizes[number % (gint) G_N_ELEMENTS (upload_sizes)];
}

static guint8
byte_of_upload (gint number, gsize k)
{
  return (guint8) (k + k / 4093 * 7 + (gsize) number * 31);
}

static void
check_upload (gpointer to, gint number)
{
  const guint8 *got = fake_bytes (to);

  for (gsize k = 0; k < size_of_upload (number); k++) {
    if (got[k] != byte_of_upload (number, k))
      fail ("byte %" G_GSIZE_FORMAT " of upload %d is %u", k, number, got[k]);
  }
}

static gboolean
upload (RobocacheStaging *staging, RobocacheEngine *engine, gint number, gpointer to, GError **error)
{
  const gsize bytes = size_of_upload (number);
  guint8 *from = g_malloc (bytes);
  gboolean ok;

  for (gsize k = 0; k < bytes; k++)
    from[k] = byte_of_upload (number, k);
  ok = robocache_upload_bytes (staging, engine, from, bytes, to, error);
  memset (from, 0xee, bytes);
  g_free (from);
  return ok;
}

/* Sizes by turns, on one device and then on another, until slots are filled again. What is written to the source after an upload does not
 * get there, and helpers do not call the device. */
GST_START_TEST (test_upload)
{
  FakeDevice *devices[] = { fake_device_new (0), fake_device_new (1) };
  RobocacheEngine *engines[] = { engine_on (devices[0], 0), engine_on (devices[1], 0) };
  const gint first = __i__ / N_ORDERS;
  RobocacheStaging staging = { NULL };
  gpointer to[14];

  for (guint i = 0; i < G_N_ELEMENTS (engines); i++) {
    devices[i]->only_caller = g_thread_self ();
    fail_unless (first < (gint) G_N_ELEMENTS (upload_sizes) || robocache_engine_start_threads (engines[i], 4, NULL));
  }
  for (gint i = 0; i < (gint) G_N_ELEMENTS (to); i++) {
    RobocacheEngine *engine = engines[i >= (gint) G_N_ELEMENTS (to) / 2];

    to[i] = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, size_of_upload (first + i), NULL);
    fail_unless (upload (&staging, engine, first + i, to[i], NULL));
  }
  fail_unless (staging.n_slots == ROBOCACHE_STAGING_SLOTS);
  fake_finish (__i__ % N_ORDERS);
  for (gint i = 0; i < (gint) G_N_ELEMENTS (to); i++) {
    check_upload (to[i], first + i);
    robocache_engine_free (engines[i >= (gint) G_N_ELEMENTS (to) / 2], RC_MEMORY_DEVICE, to[i], size_of_upload (first + i));
  }
  robocache_staging_clear (&staging);
  for (guint i = 0; i < G_N_ELEMENTS (engines); i++) {
    robocache_engine_unref (engines[i]);
    fake_device_free (devices[i]);
  }
}

GST_END_TEST;

/* Whether an upload on a device that fails at that call succeeds. */
static gboolean
upload_until_failure (guint failing_call, gboolean is_shared)
{
  FakeDevice *device = fake_device_new (0);
  RobocacheEngine *engine = engine_on (device, 0);
  const gint large = G_N_ELEMENTS (upload_sizes) - 1;
  RobocacheStaging staging = { NULL };
  GError *error = NULL;
  gboolean ok;
  gpointer to;

  fail_unless (!is_shared || robocache_engine_start_threads (engine, 4, NULL));
  to = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, size_of_upload (large), NULL);
  device->failing_call = failing_call;
  ok = upload (&staging, engine, large, to, &error);
  fail_unless (ok != device->has_failed);
  fail_unless (ok == (error == NULL));
  g_clear_error (&error);
  fake_finish (0);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, to, size_of_upload (large));
  robocache_staging_clear (&staging);
  robocache_engine_unref (engine);
  fake_device_free (device);
  return ok;
}

/* A device that fails at any call of an upload: one error. One thread makes as many calls each time, several do not. */
GST_START_TEST (test_upload_that_fails)
{
  guint failing_call = 1;

  while (failing_call < 50 && !upload_until_failure (failing_call, __i__))
    failing_call++;
  fail_unless (failing_call > 9 && failing_call < 50, "call %u", failing_call);
}

GST_END_TEST;

/* After copies of which one failed, the next upload goes through another slot, since the device may still read the first. */
GST_START_TEST (test_upload_after_a_failure)
{
  FakeDevice *device = fake_device_new (0);
  RobocacheEngine *engine = engine_on (device, 0);
  const gint large = G_N_ELEMENTS (upload_sizes) - 1;
  guint8 *small = g_malloc0 (1 << 20);
  RobocacheStaging staging = { NULL };
  GError *error = NULL;
  gpointer to[2] = {
    robocache_engine_alloc (engine, RC_MEMORY_DEVICE, 1 << 20, NULL),
    robocache_engine_alloc (engine, RC_MEMORY_DEVICE, size_of_upload (large), NULL)
  };

  device->failing_copy = 2;
  fail_if (robocache_upload_bytes (&staging, engine, small, 1 << 20, to[0], &error));
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED), "%s", error->message);
  g_clear_error (&error);
  fail_unless (upload (&staging, engine, large, to[1], NULL));
  fail_unless (fake_bytes (to[0])[0] == 0xa5);  /* still to be copied */
  fake_finish (__i__);
  fail_unless (fake_bytes (to[0])[0] == 0);
  check_upload (to[1], large);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, to[0], 1 << 20);
  robocache_engine_free (engine, RC_MEMORY_DEVICE, to[1], size_of_upload (large));
  robocache_staging_clear (&staging);
  robocache_engine_unref (engine);
  fake_device_free (device);
  g_free (small);
}

GST_END_TEST;

/* A slot that work reads in place is not filled again before, nor freed where a larger one is needed. A device that keeps up has one. */
GST_START_TEST (test_slots_read_in_place)
{
  FakeDevice *device = fake_device_new (0);
  RobocacheEngine *engine = engine_on (device, 0);
  const gboolean keeps_up = __i__ >= N_ORDERS;
  RobocacheStaging staging = { NULL };
  gpointer to[30];

  for (guint i = 0; i < G_N_ELEMENTS (to); i++) {
    const gsize bytes = 5000 + 100 * i;
    gpointer slot = robocache_staging_next (&staging, engine, bytes, NULL);
    RcError failure;

    memset (slot, (gint) i, bytes);
    to[i] = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, bytes, NULL);
    fail_unless_equals_int (robocache_engine_copy (engine, to[i], slot, bytes, &failure), RC_OK);
    fail_unless (robocache_staging_mark_read (&staging, NULL));
    if (keeps_up)
      fake_finish (__i__ % N_ORDERS);
  }
  fail_unless_equals_int (staging.n_slots, keeps_up ? 1 : ROBOCACHE_STAGING_SLOTS);
  fake_finish (__i__ % N_ORDERS);
  for (guint i = 0; i < G_N_ELEMENTS (to); i++) {
    fail_unless_equals_int (fake_bytes (to[i])[5000 - 1], i);
    robocache_engine_free (engine, RC_MEMORY_DEVICE, to[i], 5000 + 100 * i);
  }
  robocache_staging_clear (&staging);
  robocache_engine_unref (engine);
  fake_device_free (device);
}

GST_END_TEST;

CHECK_MAIN (devicejobs, NULL, NULL,
    TIMES (G_N_ELEMENTS (setups) * N_ORDERS, test_episodes), TIMES (60, test_episodes_on_a_device_that_fails),
    TIMES (G_N_ELEMENTS (setups) * G_N_ELEMENTS (clouds) * N_ORDERS, test_clouds), TIMES (2 * 3 * N_ORDERS, test_upload),
    TIMES (2, test_upload_that_fails), TIMES (N_ORDERS, test_upload_after_a_failure),
    TIMES (2 * N_ORDERS, test_slots_read_in_place))
