/* robocache: the phases of voxel grids on the CPU
 *
 * Bytes moved: range and add read each point once (fields * 4 bytes for float32) and touch one voxel of the
 * accumulators a point, and its bit. A first begin clears the accumulators, those after it next to nothing. End streams
 * over the bitmap of what was touched, and over that of the grid where there is one; beside that it reads and clears
 * what was touched, and writes of the grid what changes, or all of it. A grid that fits the cache is bound by the reads.
 * Where the plan keeps, nothing is cleared, and what is removed is read like what is added.
 * The map of index takes no accumulators: 8 bytes a point are written beside what is read.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernels/floatmode.h"
#include "voxel_feature.h"
#include "voxel_item.h"

#include <stdlib.h>

/* ---- depth: of a pinhole camera the rays of the columns, then those of the rows ---- */

static RcStatus
prepare (RcVoxelPlan *plan, RcError *error)
{
  const RcVoxelDepth *depth = &plan->spec.depth;
  float *rays;

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

/* ---- what a phase does with a block of located points ---- */

typedef void (*TakeBlock) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const RcCpuVoxelBlock * block,
    const char *points, int64_t stride, RcVoxelCounters * counters);

static void
take_range (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] < 0)
      continue;
    for (int64_t c = 0; c < plan->channels; c++) {
      const double magnitude = fabs (rc_cpu_voxel_feature (plan, points + i * stride, c));

      if (magnitude < INFINITY && magnitude > item->range[c])
        item->range[c] = magnitude;
    }
  }
}

static void
mark (const RcCpuVoxelItem *item, int64_t voxel)
{
  item->bits[voxel / 32] |= UINT32_C (1) << (voxel % 32);
}

static void
add_bits (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] >= 0)
      mark (item, block->voxel[i]);
  }
}

/* What follows is inlined with a sign that is known: 1 adds a point, -1 takes it out. The first point of a voxel marks it,
 * and the last one that leaves it ends that. */
static inline void
count_point (const RcCpuVoxelItem *item, int64_t voxel, int sign)
{
  const uint32_t before = item->counts[voxel];

  item->counts[voxel] = before + (uint32_t) sign;
  if (sign > 0 && before == 0)
    mark (item, voxel);
  if (sign < 0 && before == 1)
    item->bits[voxel / 32] &= ~(UINT32_C (1) << (voxel % 32));
}

static inline void
take_counts (const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, int sign)
{
  for (int64_t i = 0; i < block->n; i++) {
    if (block->voxel[i] >= 0)
      count_point (item, block->voxel[i], sign);
  }
}

static void
add_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_counts (item, block, 1);
}

static void
remove_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_counts (item, block, -1);
}

static inline void
add_to_sum (int64_t *sum, int64_t x, int sign)
{
  *sum = (int64_t) (sign > 0 ? (uint64_t) *sum + (uint64_t) x : (uint64_t) *sum - (uint64_t) x);
}

/* What cannot be added up: a flag can be set, and a count taken back. */
static inline void
take_special (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t at, uint32_t saw, int sign)
{
  if (plan->keeps)
    item->seen[3 * at + rc_voxel_seen_index (saw)] += (uint32_t) sign;
  else
    item->saw[at / 8] |= saw << (at % 8 * RC_VOXEL_SAW_BITS);
}

static inline void
take_features (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters, int sign)
{
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];

    if (v < 0)
      continue;
    count_point (item, v, sign);
    for (int64_t c = 0; c < plan->channels; c++) {
      const double x = rc_cpu_voxel_feature (plan, points + i * stride, c);
      const uint32_t saw = rc_voxel_saw (x);
      const int64_t at = v * plan->channels + c;

      counters->clamped += rc_cpu_voxel_exceeds_range (plan, x);
      if (saw)
        take_special (plan, item, at, saw, sign);
      else
        add_to_sum (&item->sums[at], rc_voxel_fixed (&item->scales[c], rc_cpu_voxel_clamp (plan, x)), sign);
    }
  }
}

static void
add_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_features (plan, item, block, points, stride, counters, 1);
}

static void
remove_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_features (plan, item, block, points, stride, counters, -1);
}

static inline void
take_positions (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, int sign)
{
  const float *const axes[3] = { block->x, block->y, block->z };

  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];

    if (v < 0)
      continue;
    count_point (item, v, sign);
    for (int axis = 0; axis < 3; axis++)
      add_to_sum (&item->sums[v * 3 + axis],
          rc_voxel_fixed (&item->scales[axis], (double) axes[axis][i] - (double) plan->box.origin[axis]), sign);
  }
}

static void
add_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_positions (plan, item, block, 1);
}

static void
remove_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  take_positions (plan, item, block, -1);
}

static void
add_extreme (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t v = block->voxel[i];
    uint32_t *greatest = v < 0 ? NULL : item->keys + v * plan->channels;

    if (greatest == NULL)
      continue;
    if (greatest[0] == 0)
      mark (item, v);
    for (int64_t c = 0; c < plan->channels; c++) {
      const uint32_t key = rc_cpu_voxel_extreme_key (plan, rc_cpu_voxel_feature (plan, points + i * stride, c));

      greatest[c] = key > greatest[c] ? key : greatest[c];
    }
  }
}

/* The fields of a point as the output has them. */
static void
keep_fields (const RcVoxelPlan *plan, const RcCpuVoxelBlock *block, int64_t i, const char *point, char *kept)
{
  const float p[3] = { block->x[i], block->y[i], block->z[i] };

  for (int64_t c = 0; c < plan->channels; c++)
    rc_cpu_store_value[plan->spec.dtype] (kept, c, point ? rc_cpu_voxel_feature (plan, point, c) : (double) p[c]);
}

/* Keeps what the end needs of one point; point is NULL for depth. */
static void
keep_point (const RcVoxelPlan *plan, const RcCpuVoxelBlock *block, int64_t i, const char *point, char *kept,
    RcVoxelCounters *counters)
{
  if (plan->spec.mode == RC_VOXEL_FIRST) {
    keep_fields (plan, block, i, point, kept);
    return;
  }
  if (plan->spec.mode == RC_VOXEL_CENTROID) {
    const float p[3] = { block->x[i], block->y[i], block->z[i] };

    memcpy (kept, p, sizeof (p));
    return;
  }
  for (int64_t c = 0; c < plan->channels; c++) {
    const double x = rc_cpu_voxel_feature (plan, point, c);

    if (rc_voxel_is_extreme (plan)) {
      ((uint32_t *) kept)[c] = rc_cpu_voxel_extreme_key (plan, x);
      continue;
    }
    counters->clamped += rc_cpu_voxel_exceeds_range (plan, x);
    if (plan->kept_dtype == RC_FLOAT64)
      ((double *) kept)[c] = x;
    else
      ((float *) kept)[c] = (float) x;
  }
}

static void
add_sparse (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  const int64_t payload_bytes = (int64_t) plan->layout.payload_bytes;
  for (int64_t i = 0; i < block->n; i++) {
    const int64_t at = item->head->n_keys;

    if (block->voxel[i] < 0)
      continue;
    item->voxels[0][at] = (uint64_t) block->voxel[i];
    if (payload_bytes > 0)
      keep_point (plan, block, i, points ? points + i * stride : NULL, item->payload + at * payload_bytes, counters);
    item->head->n_keys = at + 1;
  }
}

static void
add_index (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  rc_cpu_voxel_add_index (item, block);
}

static void
add_rank (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelBlock *block, const char *points,
    int64_t stride, RcVoxelCounters *counters)
{
  rc_cpu_voxel_add_rank (item, block);
}

static TakeBlock
adder_of (const RcVoxelPlan *plan)
{
  static const TakeBlock dense[] = {
    [RC_VOXEL_OCCUPANCY] = add_bits,
    [RC_VOXEL_COUNT] = add_count,
    [RC_VOXEL_MEAN] = add_mean,
    [RC_VOXEL_CENTROID] = add_centroid,
    [RC_VOXEL_MAX] = add_extreme,
    [RC_VOXEL_MIN] = add_extreme,
  };

  static const TakeBlock others[] = {
    [RC_VOXEL_SPARSE] = add_sparse,
    [RC_VOXEL_INDEX] = add_index,
    [RC_VOXEL_RANK] = add_rank,
  };

  if (plan->keeps && plan->spec.mode == RC_VOXEL_OCCUPANCY)
    return add_count;
  return rc_voxel_has_accumulators (plan) ? dense[plan->spec.mode] : others[plan->spec.output];
}

static TakeBlock
remover_of (const RcVoxelPlan *plan)
{
  if (plan->spec.mode == RC_VOXEL_MEAN)
    return remove_mean;
  return plan->spec.mode == RC_VOXEL_CENTROID ? remove_centroid : remove_count;
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
  TakeBlock take;
  RcVoxelCounters counters;
  RcCpuVoxelBlock block;
} Walk;

static void
take_block (Walk *walk, const char *points, int64_t stride)
{
  walk->kernels->voxel_locate (&walk->block, &walk->plan->box);
  count_block (&walk->block, &walk->counters);
  walk->take (walk->plan, &walk->item, &walk->block, points, stride, &walk->counters);
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
    take_block (walk, points, chunk->stride);
  }
}

/* n pixels of a row, from column u on. */
static void
unproject (Walk *walk, const char *pixels, int64_t row, int64_t u, int64_t n)
{
  const RcVoxelDepth *depth = &walk->plan->spec.depth;
  const float *rx = walk->plan->backend_state;
  const float scale = (float) depth->scale;

  if (depth->rays)
    walk->kernels->voxel_unproject_rays (&walk->block, pixels, depth->rays + 2 * (row * depth->width + u), scale, n);
  else
    walk->kernels->voxel_unproject (&walk->block, pixels, rx + u, rx[depth->width + row], scale, n);
}

static void
walk_rows (Walk *walk, const char *data, int64_t n, const RcVoxelChunk *chunk)
{
  const int64_t width = walk->plan->spec.depth.width;

  for (int64_t row = 0; row < n; row++) {
    for (int64_t u = 0; u < width; u += RC_CPU_VOXEL_BLOCK) {
      unproject (walk, data + row * chunk->stride + 2 * u, chunk->first_row + row, u,
          smaller (width - u, RC_CPU_VOXEL_BLOCK));
      take_block (walk, NULL, 0);
    }
  }
}

static void
add_counters (RcVoxelCounters *to, const RcVoxelCounters *from)
{
  to->points += from->points;
  to->inside += from->inside;
  to->outside += from->outside;
  to->nan += from->nan;
  to->infinite += from->infinite;
  to->clamped += from->clamped;
  to->occupied += from->occupied;
  to->over_cap += from->over_cap;
  to->over_points += from->over_points;
}

/* What walking a chunk does to an item. */
typedef enum Purpose
{
  TO_LOOK,
  TO_ADD,
  TO_REMOVE
} Purpose;

/* Notes the points that an item gets or gives back. Wrong counts are an error, found before the first point. */
static RcStatus
note_points (const RcVoxelChunk *chunk, RcVoxelItem *head, int64_t i, int64_t n, int64_t points, Purpose purpose,
    RcError *error)
{
  if (n < 0 || n > chunk->n)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "counts[%lld] of a chunk is %lld; expected 0 to %lld",
        (long long) i, (long long) n, (long long) chunk->n);
  if (purpose == TO_ADD && points > head->n_points - head->n_added)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%lld points after %lld others for item %lld; the job was said to "
        "have %lld", (long long) points, (long long) head->n_added, (long long) i, (long long) head->n_points);
  if (purpose == TO_REMOVE && points > head->n_held)
    return rc_error_set (error, RC_INVALID_ARGUMENT, "%lld points to take out of item %lld, which holds %lld",
        (long long) points, (long long) i, (long long) head->n_held);
  if (purpose == TO_ADD)
    head->n_added += points;
  if (purpose != TO_LOOK)
    head->n_held += purpose == TO_ADD ? points : -points;
  return RC_OK;
}

/* Hands all points of a chunk to take. Without a job, what is looked for goes to ranges [batch, C]. */
static RcStatus
walk_chunk (const RcVoxelPlan *plan, const RcVoxelJob *job, double *ranges, const RcVoxelChunk *chunk, TakeBlock take,
    Purpose purpose, RcVoxelCounters *counters, RcError *error)
{
  const int depth = plan->spec.source == RC_VOXEL_DEPTH;
  Walk walk;

  walk.plan = plan;
  walk.kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  walk.take = take;
  memset (&walk.counters, 0, sizeof (walk.counters));
  for (int64_t i = 0; i < plan->spec.batch; i++) {
    const int64_t n = chunk->counts ? chunk->counts[i] : chunk->n;
    const int64_t points = depth ? n * plan->spec.depth.width : n;
    const char *data = (const char *) chunk->data + i * chunk->batch_stride;

    RcStatus status;

    walk.item = job ? rc_cpu_voxel_item (plan, job, i) : (RcCpuVoxelItem) {.range = ranges + i * plan->channels};
    walk.block.first = job ? walk.item.head->n_added : 0;
    status = note_points (chunk, walk.item.head, i, n, points, purpose, error);
    if (status != RC_OK)
      return status;
    if (depth)
      walk_rows (&walk, data, n, chunk);
    else
      walk_points (&walk, data, n, chunk);
  }
  if (counters)
    add_counters (counters, &walk.counters);
  return RC_OK;
}

/* ---- the phases ---- */

/* The scales of the features or axes of a mean, once what they depend on is known. */
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

static RcStatus
check_stream (RcStream stream, RcError *error)
{
  if (stream == NULL)
    return RC_OK;
  return rc_error_set (error, RC_INVALID_ARGUMENT, "stream is %p; expected NULL, the CPU has no streams", stream);
}

/* Accumulators are cleared, and their scales are not known yet. */
static void
begin_anew (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcCpuVoxelItem *item, int64_t i)
{
  if (job->is_clean && plan->keeps)
    rc_cpu_voxel_clear_kept (plan, item);
  memset (item->head, 0, (size_t) (job->is_clean ? plan->layout.bits : plan->layout.item_bytes));
  for (int64_t c = 0; plan->knows_ranges && c < plan->channels; c++)
    item->range[c] = job->ranges[i * plan->channels + c];
}

static RcStatus
begin (RcVoxelPlan *plan, const RcVoxelJob *job, RcStream stream, RcError *error)
{
  const RcStatus status = check_stream (stream, error);

  if (status != RC_OK)
    return status;
  for (int64_t i = 0; i < plan->spec.batch; i++) {
    const RcCpuVoxelItem item = rc_cpu_voxel_item (plan, job, i);
    const int64_t n = job->item_points ? job->item_points[i] : job->n_points;

    if (n < 0 || n > job->n_points)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "item_points[%lld] is %lld; expected 0 to n_points, %lld",
          (long long) i, (long long) n, (long long) job->n_points);
    if (!job->goes_on)
      begin_anew (plan, job, &item, i);
    item.head->n_points = n;
    item.head->n_added = 0;
  }
  return RC_OK;
}

static RcStatus
range (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  RcStatus status = check_stream (stream, error);

  if (status == RC_OK)
    status = walk_chunk (plan, job, NULL, chunk, take_range, TO_LOOK, NULL, error);
  rc_float_mode_leave (mode);
  return status;
}

static RcStatus
measure (RcVoxelPlan *plan, const RcVoxelChunk *chunk, double *ranges, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  const RcStatus status = walk_chunk (plan, NULL, ranges, chunk, take_range, TO_LOOK, NULL, error);

  rc_float_mode_leave (mode);
  return status;
}

/* Adds the points of a chunk, or takes them out. */
static RcStatus
take_points (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, TakeBlock take,
    Purpose purpose, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  RcStatus status = check_stream (stream, error);

  for (int64_t i = 0; status == RC_OK && i < plan->spec.batch; i++) {
    const RcCpuVoxelItem item = rc_cpu_voxel_item (plan, job, i);

    set_scales (plan, &item);
  }
  if (status == RC_OK)
    status = walk_chunk (plan, job, NULL, chunk, take, purpose, purpose == TO_ADD ? chunk->counters : NULL, error);
  rc_float_mode_leave (mode);
  return status;
}

static RcStatus
add (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return take_points (plan, job, chunk, stream, adder_of (plan), TO_ADD, error);
}

static RcStatus
take_out (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream, RcError *error)
{
  return take_points (plan, job, chunk, stream, remover_of (plan), TO_REMOVE, error);
}

/* Of item i; NULL stays NULL. */
static void *
part_of (void *part, int64_t batch_stride, int64_t i)
{
  return part ? (char *) part + i * batch_stride : NULL;
}

static void
write_item (const RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, int64_t i, RcVoxelCounters *counters)
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
  if (plan->keeps && plan->spec.output == RC_VOXEL_SPARSE)
    rc_cpu_voxel_write_kept_sparse (plan, &item, &own, counters);
  else
    writers[plan->spec.output] (plan, &item, &own, counters);
}

/* What scales of means are for is no more than N. */
static RcStatus
check_held (const RcVoxelPlan *plan, const RcVoxelJob *job, RcError *error)
{
  for (int64_t i = 0; plan->keeps && i < plan->spec.batch; i++) {
    const RcVoxelItem *head = rc_cpu_voxel_item (plan, job, i).head;

    if (head->n_held > head->n_points)
      return rc_error_set (error, RC_INVALID_ARGUMENT, "item %lld holds %lld points; the job was said to have %lld",
          (long long) i, (long long) head->n_held, (long long) head->n_points);
  }
  return RC_OK;
}

static RcStatus
end (RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelOut *out, RcStream stream, RcError *error)
{
  const RcFloatMode mode = rc_float_mode_enter ();
  RcStatus status = check_stream (stream, error);
  RcVoxelCounters counters;

  memset (&counters, 0, sizeof (counters));
  if (status == RC_OK)
    status = check_held (plan, job, error);
  for (int64_t i = 0; status == RC_OK && i < plan->spec.batch; i++)
    write_item (plan, job, out, i, &counters);
  if (out->counters && status == RC_OK)
    add_counters (out->counters, &counters);
  rc_float_mode_leave (mode);
  return status;
}

const RcVoxelOps rc_cpu_voxel_ops = {
  .prepare = prepare,
  .release = release,
  .begin = begin,
  .range = range,
  .add = add,
  .remove = take_out,
  .end = end,
  .measure = measure,
};
