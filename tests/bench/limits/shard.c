/* robocache: batches of like items, and shards of them that a backend computes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/shard.h"

#include <stdlib.h>
#include <string.h>

#include "tests/bench/kernels/timing.h"

void
bench_must_be_well (RcStatus status, const RcError *error, const char *what)
{
  if (status != RC_OK)
    bench_fail (what, error->message);
}

static void
alloc_scratch (BenchShard *shard, uint64_t bytes)
{
  RcError error;

  bench_must_be_well (rc_memory_alloc (shard->backend, RC_MEMORY_DEVICE, bytes + 1, &shard->scratch, &error), &error,
      "scratch");
}

/* ---- episodes ---- */

enum
{
  ROWS,
  TIMES,
  TICKS,
  OUT,
  STATUS,
  N_PARTS_OF_EPISODES
};

static void
open_episodes (BenchShard *shard)
{
  const BenchAlignData *episodes = &shard->work->episodes;
  const RcAlignSpec spec = { episodes->specs, 1 };
  const int64_t ticks = episodes->work->ticks;
  RcFootprint footprint;
  RcError error;

  bench_must_be_well (rc_align_plan (shard->backend, &spec, &shard->align, &footprint, &error), &error, "plan");
  alloc_scratch (shard, footprint.scratch_bytes);
  shard->stream = episodes->host[0];
  shard->stream.rows = shard->parts[ROWS];
  shard->stream.times = shard->parts[TIMES];
  shard->stream.out = shard->parts[OUT];
  shard->stream.status = shard->parts[STATUS];
  shard->args = (RcAlignArgs) { &shard->stream, shard->items, ticks, shard->parts[TICKS], ticks * 8, shard->scratch };
}

static void
run_episodes (BenchShard *shard, RcStream stream)
{
  RcError error;

  bench_must_be_well (rc_align_run (shard->align, &shard->args, stream, &error), &error, "resample");
}

static void
make_episodes (BenchItems *items, const BenchAlignment *work)
{
  BenchAlignData episodes;

  if (work->n_streams != 1)
    bench_fail (work->work.name, "expected an alignment of one stream");
  bench_align_make_data (&episodes, work);
  *items = (BenchItems) {.of = &work->work,.unit = "million rows",.units_an_item = (double) work->ticks / 1e6,
    .distinct = work->batch,.n_parts = N_PARTS_OF_EPISODES,.parts = {
      [ROWS] = {episodes.in_bytes[0] / work->batch, 0, episodes.host[0].rows},
      [TIMES] = {work->streams[0].rows * 8, 0, episodes.host[0].times},
      [TICKS] = {work->ticks * 8, 0, episodes.ticks},
      [OUT] = {episodes.out_bytes[0] / work->batch, 1, NULL},
      [STATUS] = {work->ticks, 1, NULL},
    },.episodes = episodes,.open = open_episodes,.run = run_episodes
  };
}

/* ---- clouds ---- */

enum
{
  POINTS,
  GRID,
  N_PARTS_OF_CLOUDS
};

static void
open_clouds (BenchShard *shard)
{
  const BenchClouds *clouds = &shard->work->clouds;
  const int64_t n = clouds->work->points;
  RcVoxelSpec spec = clouds->spec;
  RcFootprint footprint;
  RcError error;

  spec.batch = shard->items;
  bench_must_be_well (rc_voxel_plan (shard->backend, &spec, &shard->voxel, &footprint, &error), &error, "plan");
  alloc_scratch (shard, footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) n);
  shard->out = (RcVoxelOut) {.grid = shard->parts[GRID],.grid_batch_stride = shard->work->parts[GRID].bytes};
  shard->chunk = (RcVoxelChunk) {.data = shard->parts[POINTS],.n = n,.stride = clouds->stride,
    .batch_stride = shard->work->parts[POINTS].bytes
  };
  shard->job = (RcVoxelJob) {.n_points = n,.scratch = shard->scratch};
}

static void
run_clouds (BenchShard *shard, RcStream stream)
{
  RcError error;

  bench_must_be_well (rc_voxel_run (shard->voxel, &shard->job, &shard->chunk, &shard->out, stream, &error), &error, "voxels");
  shard->job.is_clean = 1;
}

static void
make_clouds (BenchItems *items, const BenchVoxels *work)
{
  BenchClouds clouds;

  if (work->output != RC_VOXEL_DENSE || work->features > 0 || work->mode == RC_VOXEL_CENTROID || work->width > 0
      || work->n_chunks > 1 || work->window > 0 || work->kept)
    bench_fail (work->work.name, "expected points in one chunk, and a dense grid of one value a voxel");
  bench_clouds_make (&clouds, work);
  *items = (BenchItems) {.of = &work->work,.unit = "thousand clouds",.units_an_item = 1e-3,.distinct = work->clouds,
    .n_parts = N_PARTS_OF_CLOUDS,.parts = {
      [POINTS] = {clouds.cloud_bytes / work->clouds, 0, clouds.clouds[0]},
      [GRID] = {work->axis * work->axis * work->axis * (int64_t) rc_dtype_size (work->type), 1, NULL},
    },.clouds = clouds,.open = open_clouds,.run = run_clouds
  };
}

/* ---- works ---- */

void
bench_batches_open (BenchBatches *batches)
{
  const BenchWish all = { 0 };
  gchar *path = bench_beside_the_program ("batches.ini");
  GError *error = NULL;
  GArray *alignments, *voxels;
  guint i;

  *batches = (BenchBatches) {.configurations = bench_configurations_read (path, &all, &error) };
  if (batches->configurations == NULL)
    bench_fail ("works", error->message);
  g_free (path);
  alignments = batches->configurations->alignments;
  voxels = batches->configurations->voxels;
  batches->works = calloc (alignments->len + voxels->len, sizeof (*batches->works));
  for (i = 0; i < alignments->len; i++)
    make_episodes (&batches->works[batches->n++], &g_array_index (alignments, BenchAlignment, i));
  for (i = 0; i < voxels->len; i++)
    make_clouds (&batches->works[batches->n++], &g_array_index (voxels, BenchVoxels, i));
}

void
bench_batches_close (BenchBatches *batches)
{
  int i;

  for (i = 0; i < batches->n; i++) {
    if (batches->works[i].episodes.work != NULL)
      bench_align_free_data (&batches->works[i].episodes);
    else
      bench_clouds_free (&batches->works[i].clouds);
  }
  free (batches->works);
  bench_configurations_free (batches->configurations);
}

/* ---- batches ---- */

int64_t
bench_item_bytes (const BenchItems *work)
{
  int64_t bytes = 0;
  int i;

  for (i = 0; i < work->n_parts; i++)
    bytes += work->parts[i].bytes;
  return bytes;
}

void
bench_parts_alloc (const BenchItems *work, RcBackend *backend, RcMemoryKind kind, int64_t items,
    void *parts[SHARD_MAX_PARTS])
{
  RcError error;
  int i;

  for (i = 0; i < work->n_parts; i++)
    bench_must_be_well (rc_memory_alloc (backend, kind, (uint64_t) (items * work->parts[i].bytes), &parts[i], &error), &error, "memory");
}

void
bench_parts_free (const BenchItems *work, RcBackend *backend, RcMemoryKind kind, void *parts[SHARD_MAX_PARTS])
{
  int i;

  for (i = 0; i < work->n_parts; i++)
    rc_memory_free (backend, kind, parts[i]);
}

void
bench_parts_fill (const BenchItems *work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
    int64_t items)
{
  int64_t done;
  int i;

  for (i = 0; i < work->n_parts; i++) {
    const int64_t bytes = work->parts[i].bytes;

    for (done = 0; !work->parts[i].is_output && done < items; done += work->distinct) {
      const int64_t n = items - done < work->distinct ? items - done : work->distinct;

      memcpy ((char *) parts[i] + done * bytes, truth[i], (size_t) (n * bytes));
    }
  }
}

/* ---- shards ---- */

void
bench_shard_open (BenchShard *shard, const BenchItems *work, RcBackend *backend, int64_t items,
    void *const parts[SHARD_MAX_PARTS])
{
  *shard = (BenchShard) {.work = work,.backend = backend,.items = items};
  memcpy (shard->parts, parts, sizeof (shard->parts));
  work->open (shard);
}

void
bench_shard_run (BenchShard *shard, RcStream stream)
{
  shard->work->run (shard, stream);
}

void
bench_shard_close (BenchShard *shard)
{
  rc_align_plan_free (shard->align);
  rc_voxel_plan_free (shard->voxel);
  rc_memory_free (shard->backend, RC_MEMORY_DEVICE, shard->scratch);
}

/* ---- what is right ---- */

void
bench_truth_make (const BenchItems *work, RcBackend *cpu, void *parts[SHARD_MAX_PARTS])
{
  BenchShard shard;
  int i;

  bench_parts_alloc (work, cpu, RC_MEMORY_DEVICE, work->distinct, parts);
  for (i = 0; i < work->n_parts; i++) {
    if (!work->parts[i].is_output)
      memcpy (parts[i], work->parts[i].inputs, (size_t) (work->distinct * work->parts[i].bytes));
  }
  bench_shard_open (&shard, work, cpu, work->distinct, parts);
  bench_shard_run (&shard, NULL);
  bench_shard_close (&shard);
}

int
bench_is_true (const BenchItems *work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS], int64_t first,
    int64_t items)
{
  int64_t item;
  int i;

  for (i = 0; i < work->n_parts; i++) {
    const int64_t bytes = work->parts[i].bytes;

    for (item = first; work->parts[i].is_output && item < first + items; item++) {
      if (memcmp ((const char *) parts[i] + item * bytes, (const char *) truth[i] + item % work->distinct * bytes,
              (size_t) bytes) != 0)
        return 0;
    }
  }
  return 1;
}
