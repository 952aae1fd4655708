/* robocache: the phases of voxel grids on the CPU
 *
 * Bytes moved: range and add read each point once (fields * 4 bytes for float32) and touch one voxel of the
 * accumulators a point, and its bit. A first begin clears the accumulators, those after it next to nothing. End streams
 * over the bitmap of what was touched, and over that of the grid where there is one; beside that it reads and clears
 * what was touched, and writes of the grid what changes, or all of it. A grid that fits the cache is bound by the reads.
 * Where the plan keeps, nothing is cleared, and what is removed is read like what is added, but for features of max and
 * min: of the voxels that a cloud leaves, its keys are read, and those of the others where it had the greatest.
 * The map of index takes no accumulators: 8 bytes a point are written beside what is read. So it is with that of rank where
 * the plan keeps, whose end reads and writes them once more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "insert.h"

#include <stdlib.h>

/* ---- depth: of a pinhole camera the rays of the columns, then those of the rows ---- */

static RcStatus
prepare (RcVoxelPlan *plan, RcError *error)
{
  const RcVoxelDepth *depth = &plan->spec.depth;
  float *rays;

  plan->layout.backend_bytes = rc_cpu_voxel_ranks_bytes (plan) * (uint64_t) plan->spec.batch;
  if (plan->spec.source != RC_VOXEL_DEPTH || depth->rays)
    return RC_OK;
  rays = malloc (rc_pinhole_rays_bytes (depth));
  if (rays == NULL)
    return rc_error_set (error, RC_NO_SPACE, "no memory for the rays of an image of %zu bytes",
        rc_pinhole_rays_bytes (depth));
  rc_pinhole_rays (depth, rays);
  plan->backend_state = rays;
  return RC_OK;
}

static void
release (RcVoxelPlan *plan)
{
  free (plan->backend_state);
}

/* ---- chunks to blocks ---- */

static void
count_block (const RcCpuVoxelBlock *block, RcVoxelCounters *counters)
{
  counters->points += block->n;
  counters->outside += block->outside;
  counters->nan += block->nan;
  counters->infinite += block->infinite;
  counters->inside += block->n - block->outside - block->nan - block->infinite;
}

typedef struct Walk
{
  const RcVoxelPlan *plan;
  const RcCpuKernels *kernels;
  RcCpuVoxelItem item;
  RcCpuVoxelInsert insert;
  RcVoxelCounters counters;
  RcCpuVoxelBlock block;
} Walk;

static void
insert_block (Walk *walk, const char *points, int64_t stride)
{
  walk->kernels->voxel_locate (&walk->block, &walk->plan->box);
  count_block (&walk->block, &walk->counters);
  walk->insert (walk->plan, &walk->item, &walk->block, points, stride, &walk->counters);
  walk->block.first += walk->block.n;
}

static int64_t
smaller (int64_t a, int64_t b)
{
  return a < b ? a : b;
}

static void
walk_points (Walk *walk, const char *data, int64_t n, const RcVoxelChunk *chunk)
{
  for (int64_t first = 0; first < n; first += RC_CPU_VOXEL_BLOCK) {
    const char *points = data + first * chunk->stride;

    walk->kernels->voxel_load (&walk->block, walk->plan->fields, points, chunk->stride,
        smaller (n - first, RC_CPU_VOXEL_BLOCK));
    insert_block (walk, points, chunk->stride);
  }
}

/* n pixels of a row, from column u on. */
static void
unproject (Walk *walk, const char *pixels, int64_t row, int64_t u, int64_t n)
{
  const RcVoxelDepth *depth = &walk->plan->spec.depth;
  const float *rx = walk->plan->backend_state;

  if (depth->rays)
    walk->kernels->voxel_unproject_rays (&walk->block, pixels, depth->rays + 2 * (row * depth->width + u), depth, n);
  else
    walk->kernels->voxel_unproject (&walk->block, pixels, rx + u, rx[depth->width + row], depth, n);
}

static void
walk_rows (Walk *walk, const char *data, int64_t n, const RcVoxelChunk *chunk)
{
  const int64_t width = walk->plan->spec.depth.width, pixel = rc_voxel_pixel_bytes (&walk->plan->spec.depth);

  for (int64_t row = 0; row < n; row++) {
    for (int64_t u = 0; u < width; u += RC_CPU_VOXEL_BLOCK) {
      unproject (walk, data + row * chunk->stride + pixel * u, chunk->first_row + row, u,
          smaller (width - u, RC_CPU_VOXEL_BLOCK));
      insert_block (walk, NULL, 0);
    }
  }
}

/* Other items may add to the same ones meanwhile. */
static void
add_counters (RcVoxelCounters *to, const RcVoxelCounters *from)
{
  rc_cpu_count (&to->points, from->points);
  rc_cpu_count (&to->inside, from->inside);
  rc_cpu_count (&to->outside, from->outside);
  rc_cpu_count (&to->nan, from->nan);
  rc_cpu_count (&to->infinite, from->infinite);
  rc_cpu_count (&to->clamped, from->clamped);
  rc_cpu_count (&to->occupied, from->occupied);
  rc_cpu_count (&to->over_cap, from->over_cap);
  rc_cpu_count (&to->over_points, from->over_points);
}

/* What walking a chunk does to an item. */
typedef enum Purpose
{
  TO_LOOK,
  TO_ADD,
  TO_REMOVE
} Purpose;

/* A chunk, and the work on its points. */
typedef struct ChunkWalk
{
  const RcVoxelPlan *plan;
  const RcVoxelJob *job;        /* NULL: the phase finds ranges */
  double *ranges;               /* [batch, C] */
  const RcVoxelChunk *chunk;
  RcCpuVoxelInsert insert;
  Purpose purpose;
  RcVoxelCounters *counters;    /* NULL: not wanted */
} ChunkWalk;

/* Number of points, or lines of the image, that the chunk has of an item. */
static int64_t
rows_of (const RcVoxelChunk *chunk, int64_t i)
{
  return chunk->counts ? chunk->counts[i] : chunk->n;
}

static int64_t
points_of (const ChunkWalk *chunk_walk, int64_t i)
{
  const RcVoxelSpec *spec = &chunk_walk->plan->spec;

  return rows_of (chunk_walk->chunk, i) * (spec->source == RC_VOXEL_DEPTH ? spec->depth.width : 1);
}

static RcCpuVoxelItem
item_of (const ChunkWalk *chunk_walk, int64_t i)
{
  const RcVoxelPlan *plan = chunk_walk->plan;
  RcCpuVoxelItem item = chunk_walk->job ? rc_cpu_voxel_item (plan, chunk_walk->job, i)
      : (RcCpuVoxelItem) {.range = chunk_walk->ranges + i * plan->channels};

  item.layer = chunk_walk->chunk->layer;
  return item;
}

/* The points that an item gets or gives back. Wrong counts are an error, found before the first point. */
static RcStatus
check_points (const ChunkWalk *chunk_walk, int64_t i, RcError *error)
{
  const RcVoxelItem *head = item_of (chunk_walk, i).head;
  const RcVoxelJob *job = chunk_walk->job;
  const int64_t n = rows_of (chunk_walk->chunk, i), points = points_of (chunk_walk, i);

  if (n < 0 || n > chunk_walk->chunk->n)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "counts[%lld] of a chunk is %lld; expected 0 to %lld",
        (long long) i, (long long) n, (long long) chunk_walk->chunk->n);
  if (chunk_walk->purpose == TO_ADD
      && points > smaller (head->n_points + job->first_added, job->n_points) - head->n_added)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%lld points after %lld others for item %lld; the job has "
        "%lld for this item", (long long) points, (long long) head->n_added, (long long) i, (long long) head->n_points);
  if (chunk_walk->purpose == TO_REMOVE && points > head->n_held)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%lld points to remove from item %lld, which holds %lld",
        (long long) points, (long long) i, (long long) head->n_held);
  return RC_OK;
}

static void
count_points_of (RcVoxelItem *head, int64_t points, Purpose purpose)
{
  if (purpose == TO_ADD)
    head->n_added += points;
  if (purpose != TO_LOOK)
    head->n_held += purpose == TO_ADD ? points : -points;
}

/* Computes the scales of the features or axes of a mean, once ranges and numbers of points are known. */
static void
set_scales (const RcVoxelPlan *plan, const RcCpuVoxelItem *item)
{
  for (int64_t c = 0; rc_voxel_is_mean (plan) && c < plan->channels; c++) {
    const double greatest = plan->spec.feature_range > 0.0 ? plan->spec.feature_range : item->range[c];
    const int exponent = plan->spec.mode == RC_VOXEL_CENTROID ? plan->centroid_exponent[c]
        : rc_voxel_exponent_above (greatest);

    item->scales[c] = rc_voxel_scale (exponent, (uint64_t) item->head->n_points);
  }
}

/* Hands all points of an item to take. */
static void
walk_item (void *data, int64_t i)
{
  const ChunkWalk *chunk_walk = data;
  const RcVoxelPlan *plan = chunk_walk->plan;
  const RcVoxelChunk *chunk = chunk_walk->chunk;
  const char *points = (const char *) chunk->data + i * chunk->batch_stride;
  Walk walk;

  walk.plan = plan;
  walk.kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  walk.item = item_of (chunk_walk, i);
  walk.insert = chunk_walk->insert;
  memset (&walk.counters, 0, sizeof (walk.counters));
  walk.block.first = chunk_walk->job ? walk.item.head->n_added : 0;
  if (chunk_walk->purpose != TO_LOOK)
    set_scales (plan, &walk.item);
  count_points_of (walk.item.head, points_of (chunk_walk, i), chunk_walk->purpose);
  if (plan->spec.source == RC_VOXEL_DEPTH)
    walk_rows (&walk, points, rows_of (chunk, i), chunk);
  else
    walk_points (&walk, points, rows_of (chunk, i), chunk);
  if (chunk_walk->counters)
    add_counters (chunk_walk->counters, &walk.counters);
}

static RcStatus
walk_chunk (ChunkWalk *chunk_walk, RcError *error)
{
  const RcVoxelPlan *plan = chunk_walk->plan;

  for (int64_t i = 0; i < plan->spec.batch; i++) {
    const RcStatus status = check_points (chunk_walk, i, error);

    if (status != RC_OK)
      return status;
  }
  rc_cpu_for_each (plan->backend, walk_item, chunk_walk, plan->spec.batch);
  return RC_OK;
}

/* ---- the phases ---- */

static RcStatus
check_stream (RcStream stream, RcError *error)
{
  if (stream == NULL)
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p; expected NULL, the CPU has no streams", stream);
}

/* A plan and its job. */
typedef struct PlanJob
{
  const RcVoxelPlan *plan;
  const RcVoxelJob *job;
} PlanJob;

static int64_t
job_points (const RcVoxelJob *job, int64_t i)
{
  return job->item_points ? job->item_points[i] : job->n_points;
}

/* Unless the job is incremental, accumulators are cleared, and their scales are not known yet. */
static void
begin_item (void *data, int64_t i)
{
  const PlanJob *of = data;
  const RcVoxelPlan *plan = of->plan;
  const RcVoxelJob *job = of->job;
  const RcCpuVoxelItem item = rc_cpu_voxel_item (plan, job, i);

  if (!job->is_incremental) {
    if (job->is_clean && plan->accumulates)
      rc_cpu_voxel_clear_accumulated (plan, &item);
    memset (item.head, 0, (size_t) (job->is_clean ? plan->layout.bits : plan->layout.item_bytes));
    for (int64_t c = 0; plan->knows_ranges && c < plan->channels; c++)
      item.range[c] = job->ranges[i * plan->channels + c];
  }
  item.head->n_points = job_points (job, i);
  item.head->n_added = job->first_added;
}

static RcStatus
begin (RcVoxelPlan *plan, const RcVoxelJob *job, RcStream stream, RcError *error)
{
  const RcStatus status = check_stream (stream, error);
  PlanJob of = { plan, job };

  if (status != RC_OK)
    return status;
  for (int64_t i = 0; i < plan->spec.batch; i++) {
    const int64_t n = job_points (job, i);

    if (n < 0 || n > job->n_points)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "item_points[%lld] is %lld; expected 0 to n_points, %lld",
          (long long) i, (long long) n, (long long) job->n_points);
  }
  rc_cpu_for_each (plan->backend, begin_item, &of, plan->spec.batch);
  return RC_OK;
}

static RcStatus
range (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  ChunkWalk look = { plan, job, NULL, chunk, rc_cpu_voxel_find_range, TO_LOOK, NULL };
  const RcStatus status = check_stream (stream, error);

  return status == RC_OK ? walk_chunk (&look, error) : status;
}

static RcStatus
measure (RcVoxelPlan *plan, const RcVoxelChunk *chunk, double *ranges, RcStream stream, RcError *error)
{
  ChunkWalk look = { plan, NULL, ranges, chunk, rc_cpu_voxel_find_range, TO_LOOK, NULL };
  const RcStatus status = check_stream (stream, error);

  return status == RC_OK ? walk_chunk (&look, error) : status;
}

static RcStatus
add (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  ChunkWalk walk = { plan, job, NULL, chunk, rc_cpu_voxel_adder (plan), TO_ADD, chunk->counters };
  const RcStatus status = check_stream (stream, error);

  return status == RC_OK ? walk_chunk (&walk, error) : status;
}

static RcStatus
remove_points (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  ChunkWalk walk = { plan, job, NULL, chunk, rc_cpu_voxel_remover (plan), TO_REMOVE, NULL };
  const RcStatus status = check_stream (stream, error);

  return status == RC_OK ? walk_chunk (&walk, error) : status;
}

/* Of item i; NULL stays NULL. */
static void *
part_of (void *part, int64_t batch_stride, int64_t i)
{
  return part ? (char *) part + i * batch_stride : NULL;
}

static void
write_outputs (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, int64_t i,
    RcVoxelCounters *counters)
{
  static void (*const writers[]) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcVoxelOut * out,
      RcVoxelCounters * counters) = {
    [RC_VOXEL_DENSE] = rc_cpu_voxel_write_dense,
    [RC_VOXEL_BITS] = rc_cpu_voxel_write_bits,
    [RC_VOXEL_SPARSE] = rc_cpu_voxel_write_sparse,
  };
  const RcCpuVoxelItem item = rc_cpu_voxel_item (plan, job, i);
  RcVoxelOut own = *out;

  if (rc_voxel_maps_points (plan->spec.output)) {
    rc_cpu_voxel_write_map (plan, &item, job->n_points, counters);
    return;
  }
  own.grid = part_of (out->grid, out->grid_batch_stride, i);
  own.occupied = part_of (out->occupied, out->occupied_batch_stride, i);
  own.n_voxels = part_of (out->n_voxels, out->n_voxels_batch_stride, i);
  own.coordinates = part_of (out->coordinates, out->coordinates_batch_stride, i);
  own.values = part_of (out->values, out->values_batch_stride, i);
  own.point_counts = part_of (out->point_counts, out->point_counts_batch_stride, i);
  if (plan->accumulates && plan->spec.output == RC_VOXEL_SPARSE)
    rc_cpu_voxel_write_window_sparse (plan, &item, &own, counters);
  else
    writers[plan->spec.output] (plan, &item, &own, counters);
}

/* What is written of a job. */
typedef struct JobEnd
{
  const RcVoxelPlan *plan;
  const RcVoxelJob *job;
  const RcVoxelOut *out;
} JobEnd;

static void
write_item (void *data, int64_t i)
{
  const JobEnd *end = data;
  RcVoxelCounters own;

  memset (&own, 0, sizeof (own));
  write_outputs (end->plan, end->job, end->out, i, &own);
  if (end->out->counters)
    add_counters (end->out->counters, &own);
}

/* What scales of means are for is no more than N. */
static RcStatus
check_held (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  for (int64_t i = 0; plan->accumulates && i < plan->spec.batch; i++) {
    const RcVoxelItem *head = rc_cpu_voxel_item (plan, job, i).head;

    if (head->n_held > head->n_points)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "item %lld holds %lld points, but item_points has %lld",
          (long long) i, (long long) head->n_held, (long long) head->n_points);
  }
  return RC_OK;
}

static RcStatus
end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  JobEnd job_end = { plan, job, out };
  RcStatus status = check_stream (stream, error);

  if (status == RC_OK)
    status = check_held (plan, job, error);
  if (status == RC_OK)
    rc_cpu_for_each (plan->backend, write_item, &job_end, plan->spec.batch);
  return status;
}

const RcVoxelOps rc_cpu_voxel_ops = {
  .prepare = prepare,
  .release = release,
  .begin = begin,
  .range = range,
  .add = add,
  .remove = remove_points,
  .end = end,
  .measure = measure,
};
