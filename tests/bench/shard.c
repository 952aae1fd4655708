/* robocache: batches of like items, and shards of them that a backend computes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "shard.h"

#include <string.h>

#include "kernels_timing.h"

#define MS 1000000
#define SECOND (1000 * MS)

void
bench_must_be_well (RcStatus status, const RcError *error, const char *what)
{
  if (status != RC_OK)
    bench_fail (what, error->message);
}

/* ---- episodes: rows with jitter, resampled to ticks; float32, linear ---- */

enum
{
  ROWS,
  TIMES,
  TICKS,
  OUT,
  STATUS
};

typedef struct
{
  int64_t rows, ticks, channels;
} Episode;

static const Episode short_episode = { 500, 256, 32 }, long_episode = { 4096, 2048, 64 };

#define EPISODE_PARTS(r, t, c) {{(r) * (c) * 4, 0}, {(r) * 8, 0}, {(t) * 8, 0}, {(t) * (c) * 4, 1}, {(t), 1}}

static void
fill_episodes (const Episode *episode, int64_t n, void *const parts[])
{
  float *rows = parts[ROWS];
  int64_t *times = parts[TIMES], *ticks = parts[TICKS], e, i;

  for (i = 0; i < n * episode->rows * episode->channels; i++)
    rows[i] = (float) (2 * bench_uniform () - 1);
  for (e = 0; e < n; e++) {
    for (i = 0; i < episode->rows; i++)
      times[e * episode->rows + i] = (int64_t) ((((double) i + 0.33 * bench_uniform ()) / (double) episode->rows) * SECOND);
    for (i = 0; i < episode->ticks; i++)
      ticks[e * episode->ticks + i] = (int64_t) ((20 + 960 * ((double) i + 0.5) / (double) episode->ticks) * MS);
  }
}

static void
fill_short (void *const parts[])
{
  fill_episodes (&short_episode, bench_short_episodes.distinct, parts);
}

static void
fill_long (void *const parts[])
{
  fill_episodes (&long_episode, bench_long_episodes.distinct, parts);
}

static void
open_episodes (BenchShard *shard, const Episode *episode)
{
  const RcAlignStreamSpec stream = {.in = RC_FLOAT32,.out = RC_FLOAT32,.channels = episode->channels,
    .search = {RC_LINEAR, -1, 0, 0}
  };
  const RcAlignSpec spec = { &stream, 1 };
  const int64_t row = episode->channels * 4;
  RcFootprint footprint;
  RcError error;

  bench_must_be_well (rc_align_plan (shard->backend, &spec, &shard->align, &footprint, &error), &error, "plan");
  bench_must_be_well (rc_memory_alloc (shard->backend, RC_MEMORY_DEVICE, footprint.scratch_bytes + 1, &shard->scratch, &error), &error,
      "scratch");
  shard->stream = (RcAlignStreamArgs) {.rows = shard->parts[ROWS],.n_rows = episode->rows,.row_stride = row,
    .batch_stride = episode->rows * row,.times = shard->parts[TIMES],.times_batch_stride = episode->rows * 8,
    .out = shard->parts[OUT],.out_row_stride = row,.out_batch_stride = episode->ticks * row,.status = shard->parts[STATUS],
    .status_batch_stride = episode->ticks
  };
  shard->args = (RcAlignArgs) { &shard->stream, shard->items, episode->ticks, shard->parts[TICKS], episode->ticks * 8,
    shard->scratch
  };
}

static void
open_short (BenchShard *shard)
{
  open_episodes (shard, &short_episode);
}

static void
open_long (BenchShard *shard)
{
  open_episodes (shard, &long_episode);
}

static void
run_episodes (BenchShard *shard, RcStream stream)
{
  RcError error;

  bench_must_be_well (rc_align_run (shard->align, &shard->args, stream, &error), &error, "resample");
}

const BenchWork bench_short_episodes = { "resample 500 -> 256x32, float32", "row", 256, 64, 5,
  EPISODE_PARTS (500, 256, 32), fill_short, open_short, run_episodes
};

const BenchWork bench_long_episodes = { "resample 4096 -> 2048x64, float32", "row", 2048, 16, 5,
  EPISODE_PARTS (4096, 2048, 64), fill_long, open_long, run_episodes
};

/* ---- clouds: points at random, to the voxels that have some; uint8 ---- */

#define POINTS 100000
#define AXIS 128

static void
fill_clouds (void *const parts[])
{
  float *points = parts[0];
  int64_t i;

  for (i = 0; i < bench_clouds.distinct * POINTS * 3; i++)
    points[i] = (float) (AXIS * bench_uniform ());
}

static void
open_clouds (BenchShard *shard)
{
  const RcVoxelSpec spec = {.points = {RC_FLOAT32, 3, 3, 0},.mode = RC_VOXEL_OCCUPANCY,.output = RC_VOXEL_DENSE,
    .dtype = RC_UINT8,.voxel_size = {1, 1, 1},.grid = {AXIS, AXIS, AXIS},.batch = shard->items
  };
  RcFootprint footprint;
  RcError error;

  bench_must_be_well (rc_voxel_plan (shard->backend, &spec, &shard->voxel, &footprint, &error), &error, "plan");
  bench_must_be_well (rc_memory_alloc (shard->backend, RC_MEMORY_DEVICE, footprint.scratch_bytes + footprint.scratch_bytes_per_point
          * POINTS + 1, &shard->scratch, &error), &error, "scratch");
  shard->out = (RcVoxelOut) {.grid = shard->parts[1],.grid_batch_stride = AXIS * AXIS * AXIS};
  shard->chunk = (RcVoxelChunk) {.data = shard->parts[0],.n = POINTS,.stride = 12,.batch_stride = POINTS * 12};
  shard->job = (RcVoxelJob) {.n_points = POINTS,.scratch = shard->scratch};
}

static void
run_clouds (BenchShard *shard, RcStream stream)
{
  RcError error;

  bench_must_be_well (rc_voxel_begin (shard->voxel, &shard->job, stream, &error), &error, "voxels");
  bench_must_be_well (rc_voxel_range (shard->voxel, &shard->job, &shard->chunk, stream, &error), &error, "voxels");
  bench_must_be_well (rc_voxel_add (shard->voxel, &shard->job, &shard->chunk, stream, &error), &error, "voxels");
  bench_must_be_well (rc_voxel_end (shard->voxel, &shard->job, &shard->out, stream, &error), &error, "voxels");
  shard->job.is_clean = 1;
}

const BenchWork bench_clouds = { "occupancy of 100,000 points, 128^3, uint8", "cloud", 1, 4, 2,
  {{POINTS * 12, 0}, {AXIS * AXIS * AXIS, 1}}, fill_clouds, open_clouds, run_clouds
};

/* ---- batches ---- */

int64_t
bench_item_bytes (const BenchWork *work)
{
  int64_t bytes = 0;
  int i;

  for (i = 0; i < work->n_parts; i++)
    bytes += work->parts[i].bytes;
  return bytes;
}

void
bench_parts_alloc (const BenchWork *work, RcBackend *backend, RcMemoryKind kind, int64_t items,
    void *parts[SHARD_MAX_PARTS])
{
  RcError error;
  int i;

  for (i = 0; i < work->n_parts; i++)
    bench_must_be_well (rc_memory_alloc (backend, kind, (uint64_t) (items * work->parts[i].bytes), &parts[i], &error), &error, "memory");
}

void
bench_parts_free (const BenchWork *work, RcBackend *backend, RcMemoryKind kind, void *parts[SHARD_MAX_PARTS])
{
  int i;

  for (i = 0; i < work->n_parts; i++)
    rc_memory_free (backend, kind, parts[i]);
}

void
bench_parts_fill (const BenchWork *work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS],
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
bench_shard_open (BenchShard *shard, const BenchWork *work, RcBackend *backend, int64_t items,
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
bench_truth_make (const BenchWork *work, RcBackend *cpu, void *parts[SHARD_MAX_PARTS])
{
  BenchShard shard;

  bench_parts_alloc (work, cpu, RC_MEMORY_DEVICE, work->distinct, parts);
  work->fill (parts);
  bench_shard_open (&shard, work, cpu, work->distinct, parts);
  bench_shard_run (&shard, NULL);
  bench_shard_close (&shard);
}

int
bench_is_true (const BenchWork *work, void *const truth[SHARD_MAX_PARTS], void *const parts[SHARD_MAX_PARTS], int64_t first,
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
