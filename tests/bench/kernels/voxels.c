/* robocache: voxel grids that are timed, or checked
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/kernels/voxels.h"

#include <stdlib.h>

#include "kernels/memory.h"

/* ---- memory ---- */

static void *
take (const BenchVoxelCopy *copy, int64_t bytes)
{
  return bench_memory (copy->backend, (uint64_t) bytes, NULL);
}

static void *
new_output (BenchVoxelCopy *copy, const char *name, int64_t bytes)
{
  BenchVoxelOutput *output = &copy->outputs[copy->n_outputs++];

  *output = (BenchVoxelOutput) { name, take (copy, bytes), bytes };
  return output->memory;
}

static void
make_outputs (BenchVoxelCopy *copy, const BenchClouds *clouds)
{
  const RcVoxelSpec *spec = &clouds->spec;
  const int64_t cap = spec->max_voxels, batch = spec->batch, n = clouds->work->points;
  const int is_sparse = spec->output == RC_VOXEL_SPARSE;

  if (rc_voxel_maps_points (spec->output)) {
    copy->job.point_voxels = new_output (copy, "map", batch * n * 8);
    copy->job.point_voxels_batch_stride = n * 8;
    copy->job.first_point = copy->job.n_points - n;     /* of a window the newest cloud's */
    return;
  }
  copy->out.grid = copy->out.values = new_output (copy, is_sparse ? "values" : "grid", batch * copy->value_bytes);
  copy->out.grid_batch_stride = copy->out.values_batch_stride = copy->value_bytes;
  if (is_sparse) {
    copy->out.n_voxels = new_output (copy, "n_voxels", batch * 4);
    copy->out.n_voxels_batch_stride = 4;
    copy->out.coordinates = new_output (copy, "coordinates", batch * cap * 12);
    copy->out.coordinates_batch_stride = cap * 12;
  }
  if (spec->mode == RC_VOXEL_FIRST) {
    copy->out.point_counts = new_output (copy, "point_counts", batch * cap * 4);
    copy->out.point_counts_batch_stride = cap * 4;
  }
}

static int
is_of_cpu (const BenchVoxelCopy *copy)
{
  return rc_backend_kind (copy->backend) == RC_BACKEND_CPU;
}

/* The CPU reads points where they are. */
static void
take_clouds (BenchVoxelCopy *copy, const BenchClouds *clouds)
{
  const BenchVoxels *work = clouds->work;
  const int64_t n = work->width > 0 ? work->height : work->points;
  int i;

  copy->n_clouds = clouds->n_clouds;
  for (i = 0; i < copy->n_clouds; i++)
    copy->clouds[i] = (RcVoxelChunk) {.data = is_of_cpu (copy) ? clouds->clouds[i]
          : bench_memory (copy->backend, (uint64_t) clouds->cloud_bytes, clouds->clouds[i]),.n = n,.stride = clouds->stride,
      .batch_stride = n * clouds->stride,.counters = copy->out.counters,.layer = i
    };
}

void
bench_voxel_open (BenchVoxelCopy *copy, const BenchClouds *clouds, RcBackend *backend)
{
  const BenchVoxels *work = clouds->work;
  const int64_t n = work->points * MAX (work->window, 1);
  RcFootprint footprint;
  RcError error;

  *copy = (BenchVoxelCopy) {.backend = backend,.work = work };
  if (rc_voxel_plan (backend, &clouds->spec, &copy->plan, &footprint, &error) != RC_OK)
    bench_fail (work->work.name, error.message);
  if (work->window > 0 && !rc_voxel_keeps (copy->plan))
    bench_fail (work->work.name, "no job of its plan goes on from another: expected no window");
  copy->value_bytes = rc_voxel_value_bytes (copy->plan);
  copy->scratch_bytes = (int64_t) (footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) n);
  copy->job = (RcVoxelJob) {.n_points = n,.scratch = take (copy, copy->scratch_bytes)};
  make_outputs (copy, clouds);
  copy->out.counters = take (copy, sizeof (RcVoxelCounters));
  if (work->kept) {
    copy->out.occupied_batch_stride = rc_voxel_bitmap_bytes (copy->plan);
    copy->out.occupied = take (copy, work->clouds * copy->out.occupied_batch_stride);
  }
  take_clouds (copy, clouds);
}

void
bench_voxel_open_again (BenchVoxelCopy *copy, const BenchClouds *clouds, const BenchVoxelCopy *first)
{
  BenchClouds there = *clouds;
  int i;

  for (i = 0; i < clouds->n_clouds; i++)
    there.clouds[i] = (void *) first->clouds[i].data;
  bench_voxel_open (copy, &there, first->backend);
}

void
bench_voxel_close (BenchVoxelCopy *copy)
{
  void *const memories[] = { copy->out.counters, copy->job.scratch, copy->out.occupied };
  size_t i;

  rc_voxel_plan_free (copy->plan);
  for (i = 0; i < sizeof (memories) / sizeof (memories[0]); i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, memories[i]);
  for (i = 0; i < (size_t) copy->n_outputs; i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, copy->outputs[i].memory);
  for (i = 0; i < (size_t) copy->n_clouds && !is_of_cpu (copy); i++)
    rc_memory_free (copy->backend, RC_MEMORY_DEVICE, (void *) copy->clouds[i].data);
}

/* Each byte of the output that may change, which of a kept grid is sectors all over it. What jobs hold that go on from one
 * another is not counted. */
BenchBytes
bench_voxel_bytes (const BenchClouds *clouds, const BenchVoxelCopy *copy)
{
  const BenchVoxels *work = clouds->work;
  BenchBytes bytes = {.read = bench_clouds_bytes (clouds) };
  int i;

  if (work->kept) {
    bytes.scattered = bench_clouds_bytes_that_change (clouds, copy->value_bytes);
    bytes.among = work->clouds * copy->value_bytes;
  }
  for (i = 0; i < copy->n_outputs && !work->kept; i++)
    bytes.written += copy->outputs[i].bytes;
  return bytes;
}

/* ---- runs ---- */

static void
must (const BenchVoxelCopy *copy, RcStatus status, const RcError *error)
{
  if (status != RC_OK)
    bench_fail (copy->work->work.name, error->message);
}

/* Points, or rows of images, from first on. */
static RcVoxelChunk
part_of (const RcVoxelChunk *cloud, int64_t first, int64_t n)
{
  RcVoxelChunk part = *cloud;

  part.data = (const char *) cloud->data + first * cloud->stride;
  part.n = n;
  part.first_row = first;
  return part;
}

typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

/* In as many chunks. */
static void
hand_over (BenchVoxelCopy *copy, Phase phase, const RcVoxelChunk *cloud, const int64_t *chunks, int n_chunks, RcStream stream)
{
  int64_t first = 0;
  RcError error;
  int i;

  for (i = 0; i < n_chunks; first += chunks[i++]) {
    const RcVoxelChunk part = part_of (cloud, first, chunks[i]);

    must (copy, phase (copy->plan, &copy->job, &part, stream, &error), &error);
  }
}

static void
run_chunks (BenchVoxelCopy *copy, const RcVoxelChunk *cloud, RcStream stream)
{
  const BenchVoxels *work = copy->work;
  RcError error;

  must (copy, rc_voxel_begin (copy->plan, &copy->job, stream, &error), &error);
  if (work->ranges_whole)
    hand_over (copy, rc_voxel_range, cloud, &cloud->n, 1, stream);
  else
    hand_over (copy, rc_voxel_range, cloud, work->chunks, work->n_chunks, stream);
  hand_over (copy, rc_voxel_add, cloud, work->chunks, work->n_chunks, stream);
  must (copy, rc_voxel_end (copy->plan, &copy->job, &copy->out, stream, &error), &error);
}

/* One of two clouds comes, and the other one leaves, if it is there. */
static void
run_window (BenchVoxelCopy *copy, RcStream stream)
{
  const RcVoxelChunk *comes = &copy->clouds[copy->turn], *leaves = &copy->clouds[!copy->turn];
  RcVoxelChunk stays = copy->clouds[2];
  RcError error;

  must (copy, rc_voxel_begin (copy->plan, &copy->job, stream, &error), &error);
  for (; !copy->job.goes_on && stays.layer <= copy->work->window; stays.layer++)
    must (copy, rc_voxel_add (copy->plan, &copy->job, &stays, stream, &error), &error);
  must (copy, rc_voxel_add (copy->plan, &copy->job, comes, stream, &error), &error);
  if (copy->job.goes_on)
    must (copy, rc_voxel_remove (copy->plan, &copy->job, leaves, stream, &error), &error);
  must (copy, rc_voxel_end (copy->plan, &copy->job, &copy->out, stream, &error), &error);
}

static void
run_job (BenchVoxelCopy *copy, RcStream stream)
{
  const RcVoxelChunk *cloud = &copy->clouds[copy->turn];
  RcError error;

  if (copy->work->window > 0)
    run_window (copy, stream);
  else if (copy->work->n_chunks > 1)
    run_chunks (copy, cloud, stream);
  else
    must (copy, rc_voxel_run (copy->plan, &copy->job, cloud, &copy->out, stream, &error), &error);
  copy->turn = copy->n_clouds > 1 && !copy->turn;
}

/* Later runs find the scratch clear, or go on from this one, and the grid as it left it. */
void
bench_voxel_run (void *copies, int i, cudaStream_t stream)
{
  BenchVoxelCopy *copy = (BenchVoxelCopy *) copies + i;

  run_job (copy, stream);
  copy->job.is_clean = 1;
  copy->job.goes_on = copy->work->window > 0;
  copy->job.first_added = copy->job.goes_on ? copy->job.first_point : 0;
  copy->out.is_known = copy->out.occupied != NULL;
}

/* ---- what came of it ---- */

void
bench_voxel_compare (const Bench *bench, const BenchVoxelCopy *device, BenchVoxelCopy *cpu,
    char differs[BENCH_DIFFERS_SIZE])
{
  const BenchVoxelOutput *there = device->outputs, *here = cpu->outputs;
  int i;

  while (cpu->turn != device->turn)
    bench_voxel_run (cpu, 0, NULL);
  for (i = 0; i < device->n_outputs; i++)
    bench_compare (bench, differs, there[i].name, there[i].memory, here[i].memory, there[i].bytes);
}
