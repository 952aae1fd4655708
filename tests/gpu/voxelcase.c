/* robocache: a random voxel grid, made on the CPU and on the GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelcase.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "kernels/arithmetic.h"

#define CANARY 256
#define MAX_DENSE_BYTES (INT64_C (24) << 20)   /* of a random dense output, accumulators apart */

/* ---- random numbers: splitmix64 ---- */

static uint64_t
random_bits (VoxelCase *c)
{
  uint64_t z = c->state += UINT64_C (0x9E3779B97F4A7C15);

  z = (z ^ z >> 30) * UINT64_C (0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C (0x94D049BB133111EB);
  return z ^ z >> 31;
}

static int64_t
between (VoxelCase *c, int64_t low, int64_t high)
{
  return low + (int64_t) (random_bits (c) % (uint64_t) (high - low + 1));
}

static int
one_in (VoxelCase *c, int n)
{
  return random_bits (c) % (uint64_t) n == 0;
}

static double
real_between (VoxelCase *c, double low, double high)
{
  return low + (double) (random_bits (c) >> 11) * 0x1p-53 * (high - low);
}

static int
wished (VoxelCase *c, int wish, int least, int most)
{
  return wish == ANY ? (int) between (c, least, most) : wish;
}

/* ---- specs ---- */

static int
is_float (RcDtype dtype)
{
  return dtype == RC_FLOAT16 || dtype == RC_FLOAT32;
}

/* Whether the output has a place for every voxel. */
static int
is_grid (RcVoxelOutput output)
{
  return output == RC_VOXEL_DENSE || output == RC_VOXEL_BITS;
}

static void
choose_grid (VoxelCase *c, const VoxelWish *wish)
{
  RcVoxelSpec *spec = &c->spec;
  const int huge = !is_grid (spec->output) && wish->axis == ANY && one_in (c, 3);
  int axis;

  for (axis = 0; axis < 3; axis++) {
    int64_t *n = &spec->grid[axis];

    *n = wish->axis != ANY ? wish->axis : huge ? between (c, 1, RC_VOXEL_MAX_AXIS) : one_in (c, 3)
        ? 32 * between (c, 1, 3) : between (c, 1, 70);
    if (huge && one_in (c, 3))
      *n = RC_VOXEL_MAX_AXIS;
    spec->origin[axis] = real_between (c, -3.0, 3.0);
    spec->voxel_size[axis] = real_between (c, 0.01, 0.5);
    if (huge)
      spec->voxel_size[axis] = 0x1p-7;
  }
}

static void
choose_points (VoxelCase *c, const VoxelWish *wish)
{
  RcVoxelPoints *points = &c->spec.points;
  static const RcDtype inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64 };

  points->dtype = wish->input == ANY ? inputs[between (c, 0, 2)] : (RcDtype) wish->input;
  points->features = wish->features != ANY ? wish->features : one_in (c, 8) ? between (c, 10, 70) : between (c, 1, 9);
  points->first_feature = one_in (c, 6) ? between (c, 0, 3) : 3;
  points->fields = points->first_feature + points->features + (one_in (c, 3) ? between (c, 0, 3) : 0);
  points->fields = points->fields < 3 ? 3 : points->fields;
}

static int
has_layout (VoxelCase *c, const VoxelWish *wish)
{
  return !wish->plain && (wish->layout == ANY ? one_in (c, 3) : wish->layout);
}

/* Fields of any type in any order, with gaps; now and then what is packed but for one of them. */
static void
choose_layout (VoxelCase *c)
{
  RcVoxelPoints *points = &c->spec.points;
  const int alike = one_in (c, 4);
  int order[CASE_FIELDS];
  int64_t offset = one_in (c, 2) ? 0 : between (c, 1, 9), i;

  for (i = 0; i < points->fields; i++) {
    const int64_t other = alike ? i : between (c, 0, i);

    order[i] = order[other];
    order[other] = (int) i;
  }
  for (i = 0; i < points->fields; i++) {
    RcVoxelField *field = &c->layout[order[i]];

    field->dtype = order[i] < 3 || alike ? points->dtype : (RcDtype) between (c, 0, RC_N_DTYPES - 1);
    field->offset = offset;
    offset += (int64_t) rc_dtype_size (field->dtype) + (one_in (c, alike ? 9 : 2) ? between (c, 1, 8) : 0);
  }
  points->layout = c->layout;
}

/* Rays of no camera, some of them none. */
static void
choose_rays (VoxelCase *c)
{
  const int64_t n = c->spec.depth.width * c->spec.depth.height * 2;
  int64_t i;

  if ((c->rays = malloc ((size_t) n * sizeof (float))) == NULL)
    return;
  for (i = 0; i < n; i++)
    c->rays[i] = one_in (c, 30) ? NAN : (float) real_between (c, -1.5, 1.5);
  c->spec.depth.rays = c->rays;
}

static void
choose_depth (VoxelCase *c)
{
  RcVoxelDepth *depth = &c->spec.depth;

  depth->width = one_in (c, 4) ? 640 : between (c, 1, 90);
  depth->height = between (c, 1, 40);
  depth->fx = real_between (c, 20.0, 80.0);
  depth->fy = real_between (c, 20.0, 80.0);
  depth->cx = real_between (c, 0.0, (double) depth->width);
  depth->cy = real_between (c, 0.0, (double) depth->height);
  depth->scale = one_in (c, 10) ? 1e38 : real_between (c, 1e-5, 1e-3);
}

static void
choose_values (VoxelCase *c, const VoxelWish *wish)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  RcVoxelSpec *spec = &c->spec;

  spec->source = (RcVoxelSource) (wish->source == ANY ? one_in (c, 5) : wish->source);
  spec->mode = (RcVoxelMode) wished (c, wish->mode, RC_VOXEL_OCCUPANCY, RC_VOXEL_FIRST);
  spec->max_points = one_in (c, 3) ? between (c, 1, 3) : between (c, 1, 40);
  spec->output = (RcVoxelOutput) wished (c, wish->output, RC_VOXEL_DENSE, RC_VOXEL_RANK);
  spec->dtype = wish->dtype == ANY ? dtypes[between (c, 0, 3)] : (RcDtype) wish->dtype;
  if (spec->output == RC_VOXEL_BITS || rc_voxel_maps_points (spec->output))
    spec->mode = RC_VOXEL_OCCUPANCY;
  if (spec->mode == RC_VOXEL_FIRST)
    spec->output = RC_VOXEL_SPARSE;
  if (spec->source == RC_VOXEL_DEPTH && spec->mode > RC_VOXEL_COUNT && spec->mode != RC_VOXEL_FIRST)
    spec->mode = RC_VOXEL_CENTROID;
  if (spec->mode != RC_VOXEL_OCCUPANCY && spec->mode != RC_VOXEL_COUNT && !is_float (spec->dtype))
    spec->dtype = RC_FLOAT32;
}

static int64_t
channels_of (const RcVoxelSpec *spec)
{
  return spec->mode <= RC_VOXEL_COUNT ? 1 : spec->mode == RC_VOXEL_CENTROID ? 3 : spec->points.features;
}

/* Random grids and batches have bounded outputs; wished ones are what they are. */
static void
choose_spec (VoxelCase *c, const VoxelWish *wish)
{
  RcVoxelSpec *spec = &c->spec;

  choose_values (c, wish);
  choose_points (c, wish);
  choose_depth (c);
  if (spec->source == RC_VOXEL_DEPTH && has_layout (c, wish))
    choose_rays (c);
  if (spec->source == RC_VOXEL_POINTS && spec->points.fields <= CASE_FIELDS && has_layout (c, wish))
    choose_layout (c);
  choose_grid (c, wish);
  spec->batch = wish->batch != ANY ? wish->batch : one_in (c, 10) ? between (c, 4, 9) : between (c, 1, 3);
  spec->feature_range = spec->mode == RC_VOXEL_MEAN && one_in (c, 3) ? real_between (c, 1e-3, 2.0) : 0.0;
  while (is_grid (spec->output) && wish->axis == ANY && spec->grid[0] * spec->grid[1] * spec->grid[2]
      * channels_of (spec) * spec->batch * 4 > MAX_DENSE_BYTES)
    spec->grid[between (c, 0, 2)] = between (c, 1, 20);
}

/* ---- points ---- */

static void
put_number (RcDtype dtype, uint8_t *at, double x)
{
  const uint16_t half = rc_float16_from_float64 (x);
  const float single = (float) x;

  if (dtype == RC_FLOAT16)
    memcpy (at, &half, 2);
  else if (dtype == RC_FLOAT32)
    memcpy (at, &single, 4);
  else
    memcpy (at, &x, 8);
}

static int
is_number (RcDtype dtype)
{
  return dtype == RC_FLOAT16 || dtype == RC_FLOAT32 || dtype == RC_FLOAT64;
}

static double
coordinate (VoxelCase *c, int axis)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -1e-45, 1e-310, 1e30, -1e30, 1e300,
    3.4e38
  };
  const double origin = c->spec.origin[axis], size = c->spec.voxel_size[axis], n = (double) c->spec.grid[axis];
  const int64_t kind = between (c, 0, 99);

  switch (c->lie) {
    case ONE_VOXEL:
      return origin + size * (floor (n / 2) + real_between (c, 0.25, 0.75));
    case FEW_VOXELS:
      return origin + size * ((double) between (c, 0, n < 3 ? 0 : 2) + real_between (c, 0.1, 0.9));
    case ALL_OUTSIDE:
      return axis == 0 ? origin - size * real_between (c, 1.0, 100.0) : real_between (c, -10.0, 10.0);
    default:
      if (kind == 0)
        return special[between (c, 0, sizeof (special) / sizeof (special[0]) - 1)];
      if (kind < 15)
        return (double) nextafterf ((float) (origin + size * (double) between (c, 0, (int64_t) n)),
            one_in (c, 2) ? 1e9f : -1e9f);
      if (kind < 30)
        return origin + size * (double) between (c, -1, (int64_t) n + 1);
      return origin + real_between (c, -0.03, 1.03) * size * n;
  }
}

static double
feature (VoxelCase *c, int64_t field)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -3e-42, 6e-8, 65504.0, 1e300, -1e-310 };
  static const double scales[] = { 1.0, 255.0, 1e-6, 3e4, 1e-44 };

  if (one_in (c, 50))
    return special[between (c, 0, sizeof (special) / sizeof (special[0]) - 1)];
  return real_between (c, -1.0, 1.0) * scales[(uint64_t) (field + (int64_t) (c->seed % 5)) % 5];
}

static RcVoxelField
field_of (const VoxelCase *c, int64_t i)
{
  const RcVoxelPoints *points = &c->spec.points;

  return points->layout ? points->layout[i]
      : (RcVoxelField) { points->dtype, i * (int64_t) rc_dtype_size (points->dtype) };
}

/* Any bits now and then, and for integers always: NaNs of every kind. */
static void
fill_point (VoxelCase *c, uint8_t *at)
{
  const RcVoxelPoints *points = &c->spec.points;
  int64_t i;

  for (i = 0; i < points->fields; i++) {
    const RcVoxelField field = field_of (c, i);

    if (is_number (field.dtype))
      put_number (field.dtype, at + field.offset, i < 3 ? coordinate (c, (int) i) : feature (c, i));
    if (!is_number (field.dtype) || (i >= 3 && one_in (c, 60))) {
      const uint64_t bits = random_bits (c);

      memcpy (at + field.offset, &bits, rc_dtype_size (field.dtype));
    }
  }
}

static void
fill_row (VoxelCase *c, uint8_t *at)
{
  int64_t u;

  for (u = 0; u < c->spec.depth.width; u++) {
    const uint16_t depth = one_in (c, 10) ? 0 : (uint16_t) random_bits (c);

    memcpy (at + 2 * u, &depth, 2);
  }
}

static int
is_depth (const VoxelCase *c)
{
  return c->spec.source == RC_VOXEL_DEPTH;
}

/* Bytes of a point, or of a row of the image. */
static int64_t
unit_bytes (const VoxelCase *c)
{
  int64_t bytes = 0, i;

  for (i = 0; i < c->spec.points.fields && !is_depth (c); i++) {
    const RcVoxelField field = field_of (c, i);
    const int64_t end = field.offset + (int64_t) rc_dtype_size (field.dtype);

    bytes = end > bytes ? end : bytes;
  }
  return is_depth (c) ? c->spec.depth.width * 2 : bytes;
}

static void
fill_chunk (VoxelCase *c, const RcVoxelChunk *chunk)
{
  int64_t e, i;

  for (e = 0; e < c->spec.batch; e++) {
    for (i = 0; i < chunk->n; i++) {
      uint8_t *at = (uint8_t *) chunk->data + e * chunk->batch_stride + i * chunk->stride;

      if (is_depth (c))
        fill_row (c, at);
      else
        fill_point (c, at);
    }
  }
}

/* n points or rows of each item; 0: no room. */
static int
make_chunk (VoxelCase *c, const VoxelWish *wish, int k, int64_t n, Arena *arena)
{
  RcVoxelChunk *chunk = &c->chunks[k];
  const int64_t unit = unit_bytes (c), size = is_depth (c) ? 2 : (int64_t) rc_dtype_size (c->spec.points.dtype);
  const int loose = !wish->plain && one_in (c, 3);
  const int64_t padding = loose ? between (c, 0, 9) : wish->plain ? 0 : size * between (c, 0, 3);
  int64_t *counts = NULL, e;
  uint8_t *data;

  chunk->n = n;
  chunk->stride = unit + padding;
  chunk->batch_stride = n * chunk->stride + (loose ? between (c, 0, 9) : 0);
  if (is_depth (c))
    chunk->first_row = between (c, 0, c->spec.depth.height - n);
  data = arena_take (arena, c->spec.batch * chunk->batch_stride + 16, loose ? between (c, 1, 17) : 0);
  if (data == NULL)
    return 0;
  chunk->data = data;
  fill_chunk (c, chunk);
  if (!wish->plain && one_in (c, 3)) {
    if ((counts = arena_take (arena, c->spec.batch * 8, 0)) == NULL)
      return 0;
    for (e = 0; e < c->spec.batch; e++)
      counts[e] = one_in (c, 4) ? 0 : one_in (c, 3) ? n : between (c, 0, n);
    chunk->counts = counts;
  }
  if (wish->plain || !one_in (c, 8)) {
    if ((chunk->counters = arena_take (arena, sizeof (RcVoxelCounters), 0)) == NULL)
      return 0;
    memset (chunk->counters, 0, sizeof (RcVoxelCounters));
  }
  return 1;
}

/* N as the caller states it: the greatest sum, more than that, or one for each item. */
static int
make_job (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  const int64_t pixels = is_depth (c) ? c->spec.depth.width : 1;
  const int each = !wish->plain && one_in (c, 3);
  int64_t *item_points = NULL, sum = 0, e;
  int k;

  for (k = 0; k < c->n_chunks; k++)
    sum += c->chunks[k].n * pixels;
  c->job.n_points = sum + (wish->plain || one_in (c, 2) ? 0 : between (c, 1, 40));
  if (!each)
    return 1;
  if ((item_points = arena_take (arena, c->spec.batch * 8, 0)) == NULL)
    return 0;
  c->job.n_points = 0;
  for (e = 0; e < c->spec.batch; e++) {
    item_points[e] = one_in (c, 2) ? 0 : between (c, 0, 9);
    for (k = 0; k < c->n_chunks; k++)
      item_points[e] += (c->chunks[k].counts ? c->chunks[k].counts[e] : c->chunks[k].n) * pixels;
    c->job.n_points = item_points[e] > c->job.n_points ? item_points[e] : c->job.n_points;
  }
  c->job.item_points = item_points;
  return 1;
}

static void
shuffle (VoxelCase *c, int *order)
{
  int k;

  for (k = 0; k < c->n_chunks; k++) {
    const int other = (int) between (c, 0, k);

    order[k] = order[other];
    order[other] = k;
  }
}

static int
make_chunks (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  int64_t left = wish->points != ANY ? wish->points : one_in (c, 4) ? between (c, 0, 3000) : between (c, 0, 300);
  int k;

  if (is_depth (c))
    left = wish->points != ANY ? wish->points / c->spec.depth.width : between (c, 0, c->spec.depth.height);
  c->n_chunks = wish->plain || one_in (c, 2) ? 1 : (int) between (c, 1, CASE_CHUNKS);
  for (k = 0; k < c->n_chunks; k++) {
    int64_t n = k == c->n_chunks - 1 ? left : between (c, 0, left);

    if (is_depth (c) && n > c->spec.depth.height)
      n = c->spec.depth.height;
    left -= n;
    if (!make_chunk (c, wish, k, n, arena))
      return 0;
  }
  shuffle (c, c->range_order);
  shuffle (c, c->add_order);
  return make_job (c, wish, arena);
}

/* ---- outputs ---- */

/* bytes of each item with padding in multiples of size; NULL: no room. */
static void *
make_output (VoxelCase *c, const VoxelWish *wish, int64_t bytes, int64_t size, int64_t *batch_stride, Arena *arena)
{
  const int64_t odd = wish->plain || one_in (c, 2) ? 0 : size * between (c, 1, 5);

  *batch_stride = bytes + (wish->plain ? 0 : size * between (c, 0, 4));
  return arena_take (arena, c->spec.batch * *batch_stride + 64, odd);
}

/* Wanted or not; both backends leave there what the grid holds. */
static int
make_bitmap (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  const int64_t bytes = rc_voxel_bitmap_bytes (c->cpu_plan);
  RcVoxelOut *out = &c->out;

  if (bytes == 0 || (!wish->plain && one_in (c, 3)))
    return 1;
  out->occupied = make_output (c, wish, bytes, 4, &out->occupied_batch_stride, arena);
  return out->occupied != NULL;
}

static int
make_out (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  const RcVoxelSpec *spec = &c->spec;
  RcVoxelJob *job = &c->job;
  const int64_t bytes = rc_voxel_value_bytes (c->cpu_plan);
  const int64_t size = spec->output == RC_VOXEL_BITS ? 4 : (int64_t) rc_dtype_size (spec->dtype);
  RcVoxelOut *out = &c->out;

  if (wish->plain || !one_in (c, 8)) {
    if ((out->counters = arena_take (arena, sizeof (RcVoxelCounters), 0)) == NULL)
      return 0;
    memset (out->counters, 0, sizeof (RcVoxelCounters));
  }
  if (rc_voxel_maps_points (spec->output)) {
    job->first_point = wish->plain || one_in (c, 2) ? 0 : between (c, 0, job->n_points);
    job->point_voxels = make_output (c, wish, (job->n_points - job->first_point) * 8, 8, &job->point_voxels_batch_stride,
        arena);
    return job->point_voxels != NULL;
  }
  if (spec->output != RC_VOXEL_SPARSE) {
    out->grid = make_output (c, wish, bytes, size, &out->grid_batch_stride, arena);
    return out->grid != NULL && make_bitmap (c, wish, arena);
  }
  out->n_voxels = make_output (c, wish, 4, 4, &out->n_voxels_batch_stride, arena);
  out->coordinates = make_output (c, wish, spec->max_voxels * 12, 4, &out->coordinates_batch_stride, arena);
  if (spec->mode != RC_VOXEL_OCCUPANCY)
    out->values = make_output (c, wish, bytes, size, &out->values_batch_stride, arena);
  if (spec->mode == RC_VOXEL_FIRST && (out->point_counts = make_output (c, wish, spec->max_voxels * 4, 4,
              &out->point_counts_batch_stride, arena)) == NULL)
    return 0;
  return out->n_voxels != NULL && out->coordinates != NULL && (out->values != NULL || spec->mode == RC_VOXEL_OCCUPANCY);
}

/* Lists of points are bounded, as dense outputs are. */
static void
bound_first (VoxelCase *c)
{
  const int64_t most_voxels = c->job.n_points + 300, fields = is_depth (c) ? 3 : c->spec.points.fields;

  while (c->spec.max_points > 1 && most_voxels * c->spec.max_points * fields * c->spec.batch * 4 > MAX_DENSE_BYTES)
    c->spec.max_points /= 2;
}

int
voxel_case_make (VoxelCase *c, const VoxelWish *wish, uint64_t seed, Arena *arena, RcBackend *cpu, Test *test)
{
  RcError error;

  memset (c, 0, sizeof (*c));
  arena_clear (arena);
  c->seed = c->state = seed;
  c->lie = (Lie) (wish->lie != ANY ? wish->lie : one_in (c, 4) ? between (c, ONE_VOXEL, ALL_OUTSIDE) : SPREAD);
  choose_spec (c, wish);
  if (!make_chunks (c, wish, arena)) {
    test_fail (test, "seed %" PRIu64 " does not fit the arena", seed);
    return 0;
  }
  bound_first (c);
  c->spec.max_voxels = one_in (c, 2) ? c->job.n_points + between (c, 1, 300) : between (c, 1, c->job.n_points / 2 + 1);
  if (rc_voxel_plan (cpu, &c->spec, &c->cpu_plan, &c->cpu_footprint, &error) != RC_OK) {
    test_fail (test, "CPU: %s (%s)", error.message, voxel_case_text (c));
    return 0;
  }
  c->halves = !wish->plain && one_in (c, 4);
  if (make_out (c, wish, arena))
    return 1;
  test_fail (test, "seed %" PRIu64 " does not fit the arena", seed);
  return 0;
}

void
voxel_case_take_other_points (VoxelCase *c)
{
  int k;

  c->lie = (Lie) (one_in (c, 2) ? SPREAD : between (c, ONE_VOXEL, ALL_OUTSIDE));
  for (k = 0; k < c->n_chunks; k++)
    fill_chunk (c, &c->chunks[k]);
}

void
voxel_case_clear (VoxelCase *c)
{
  rc_voxel_plan_free (c->cpu_plan);
  c->cpu_plan = NULL;
  free (c->rays);
  c->rays = NULL;
}

const char *
voxel_case_text (const VoxelCase *c)
{
  static __thread char text[512];
  const RcVoxelSpec *spec = &c->spec;

  snprintf (text, sizeof (text), "seed %" PRIu64 ": %s, mode %d, output %d, dtype %s, grid %" PRId64 ":%" PRId64 ":%"
      PRId64 ", batch %" PRId64 ", N %" PRId64 "%s from %" PRId64 ", %d chunks, %" PRId64 " fields%s, %" PRId64 " features from %" PRId64
      ", range %g, cap %" PRId64 " of %" PRId64 " points, lie %d; first chunk: n %" PRId64 "%s, data %% 16 = %d, stride %" PRId64, c->seed,
      spec->source == RC_VOXEL_DEPTH ? "depth" : rc_dtype_name (spec->points.dtype), spec->mode, spec->output,
      rc_dtype_name (spec->dtype), spec->grid[0], spec->grid[1], spec->grid[2], spec->batch, c->job.n_points,
      c->job.item_points ? " of items" : "", c->job.first_point, c->n_chunks, spec->points.fields,
      spec->points.layout || spec->depth.rays ? " in a layout, or rays" : "", spec->points.features,
      spec->points.first_feature, spec->feature_range, spec->max_voxels, spec->max_points, c->lie, c->chunks[0].n,
      c->chunks[0].counts ? " with counts" : "", (int) ((uintptr_t) c->chunks[0].data % 16), c->chunks[0].stride);
  return text;
}

/* ---- running ---- */

/* A chunk as range saw it, or in two. */
static int
add_chunk (const VoxelCase *c, RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunk, RcStream stream,
    RcError *error)
{
  const int64_t half = chunk->n / 2;
  RcVoxelChunk first = *chunk, second = *chunk;

  if (!c->halves || chunk->counts != NULL)
    return rc_voxel_add (plan, job, chunk, stream, error) == RC_OK;
  first.n = half;
  second.n -= half;
  second.data = (const char *) chunk->data + half * chunk->stride;
  second.first_row += is_depth (c) ? half : 0;
  return rc_voxel_add (plan, job, &first, stream, error) == RC_OK && rc_voxel_add (plan, job, &second, stream, error) == RC_OK;
}

/* All phases, of one chunk mostly at once; 0 on failure, with the reason in error. */
static int
run_phases (const VoxelCase *c, RcVoxelPlan *plan, const RcVoxelJob *job, const RcVoxelChunk *chunks,
    const RcVoxelOut *out, RcStream stream, RcError *error)
{
  int k;

  if (c->n_chunks == 1 && c->seed % 3 != 0)
    return rc_voxel_run (plan, job, &chunks[0], out, stream, error) == RC_OK;
  if (rc_voxel_begin (plan, job, stream, error) != RC_OK)
    return 0;
  for (k = 0; k < c->n_chunks; k++) {
    if (rc_voxel_range (plan, job, &chunks[c->range_order[k]], stream, error) != RC_OK)
      return 0;
  }
  for (k = 0; k < c->n_chunks; k++) {
    if (!add_chunk (c, plan, job, &chunks[c->add_order[k]], stream, error))
      return 0;
  }
  return rc_voxel_end (plan, job, out, stream, error) == RC_OK;
}

void
voxel_case_run_cpu (const VoxelCase *c, Test *test)
{
  const uint64_t bytes = c->cpu_footprint.scratch_bytes
      + c->cpu_footprint.scratch_bytes_per_point * (uint64_t) c->job.n_points;
  RcVoxelJob job = c->job;
  RcError error;

  job.scratch = aligned_alloc (256, (bytes + 255) / 256 * 256);
  if (job.scratch == NULL)
    test_fail (test, "no memory for scratch of %" PRIu64 " bytes (%s)", bytes, voxel_case_text (c));
  else if (!run_phases (c, c->cpu_plan, &job, c->chunks, &c->out, NULL, &error))
    test_fail (test, "CPU: %s (%s)", error.message, voxel_case_text (c));
  free (job.scratch);
}

static void
addresses_on_device (const VoxelCase *c, const Arena *arena, DeviceVoxels *device)
{
  RcVoxelOut *out = &device->out;
  int k;

  device->job = c->job;
  device->job.item_points = arena_on_device (arena, c->job.item_points);
  device->job.point_voxels = arena_on_device (arena, c->job.point_voxels);
  for (k = 0; k < c->n_chunks; k++) {
    device->chunks[k] = c->chunks[k];
    device->chunks[k].data = arena_on_device (arena, c->chunks[k].data);
    device->chunks[k].counts = arena_on_device (arena, c->chunks[k].counts);
    device->chunks[k].counters = arena_on_device (arena, c->chunks[k].counters);
  }
  *out = c->out;
  out->grid = arena_on_device (arena, c->out.grid);
  out->n_voxels = arena_on_device (arena, c->out.n_voxels);
  out->coordinates = arena_on_device (arena, c->out.coordinates);
  out->values = arena_on_device (arena, c->out.values);
  out->point_counts = arena_on_device (arena, c->out.point_counts);
  out->occupied = arena_on_device (arena, c->out.occupied);
  out->counters = arena_on_device (arena, c->out.counters);
}

int
voxel_case_to_device (const VoxelCase *c, Arena *arena, const Gpu *gpu, DeviceVoxels *device, Test *test)
{
  RcFootprint footprint;
  RcError error;
  size_t bytes;

  memset (device, 0, sizeof (*device));
  if (!arena_upload (arena, gpu->stream)) {
    test_fail (test, "upload: %s (%s)", cudaGetErrorString (cudaGetLastError ()), voxel_case_text (c));
    return 0;
  }
  addresses_on_device (c, arena, device);
  if (rc_voxel_plan (gpu->backend, &c->spec, &device->plan, &footprint, &error) != RC_OK) {
    test_fail (test, "plan: %s (%s)", error.message, voxel_case_text (c));
    return 0;
  }
  device->scratch_bytes = footprint.scratch_bytes + footprint.scratch_bytes_per_point * (uint64_t) c->job.n_points;
  bytes = device->scratch_bytes + (gpu->separate ? 0 : CANARY);
  if (cudaMalloc (&device->job.scratch, bytes) != cudaSuccess) {
    test_fail (test, "no memory for scratch of %zu bytes (%s)", bytes, voxel_case_text (c));
    return 0;
  }
  /* dirty, but not where a checker looks for what was never written */
  return gpu->separate || cudaMemsetAsync (device->job.scratch, 0x5A, bytes, gpu->stream) == cudaSuccess;
}

int
voxel_case_enqueue (const VoxelCase *c, const DeviceVoxels *device, const Gpu *gpu, Test *test)
{
  RcError error;

  if (run_phases (c, device->plan, &device->job, device->chunks, &device->out, gpu->stream, &error))
    return 1;
  test_fail (test, "GPU: %s (%s)", error.message, voxel_case_text (c));
  return 0;
}

void
voxel_case_leave_device (DeviceVoxels *device)
{
  rc_voxel_plan_free (device->plan);
  cudaFree (device->job.scratch);
}

/* ---- comparing ---- */

static const char *
part_at (const VoxelCase *c, const uint8_t *at)
{
  const struct
  {
    const char *name;
    const void *from;
    int64_t bytes;
  } parts[] = {
    {"grid", c->out.grid, c->spec.batch * c->out.grid_batch_stride},
    {"n_voxels", c->out.n_voxels, c->spec.batch * c->out.n_voxels_batch_stride},
    {"coordinates", c->out.coordinates, c->spec.batch * c->out.coordinates_batch_stride},
    {"values", c->out.values, c->spec.batch * c->out.values_batch_stride},
    {"point_counts", c->out.point_counts, c->spec.batch * c->out.point_counts_batch_stride},
    {"point_voxels", c->job.point_voxels, c->spec.batch * c->job.point_voxels_batch_stride},
    {"occupied", c->out.occupied, c->spec.batch * c->out.occupied_batch_stride},
    {"counters of end", c->out.counters, sizeof (RcVoxelCounters)},
  };
  size_t i;
  int k;

  for (i = 0; i < sizeof (parts) / sizeof (parts[0]); i++) {
    const uint8_t *from = parts[i].from;

    if (from != NULL && at >= from && at < from + parts[i].bytes)
      return parts[i].name;
  }
  for (k = 0; k < c->n_chunks; k++) {
    const uint8_t *counters = (const uint8_t *) c->chunks[k].counters;

    if (counters != NULL && at >= counters && at < counters + sizeof (RcVoxelCounters))
      return "counters of add";
  }
  return "an input or padding";
}

static void
check_canary (const VoxelCase *c, const DeviceVoxels *device, Test *test)
{
  uint8_t canary[CANARY];
  int i;

  if (cudaMemcpy (canary, (const uint8_t *) device->job.scratch + device->scratch_bytes, CANARY, cudaMemcpyDeviceToHost)
      != cudaSuccess)
    test_fail (test, "canary: %s (%s)", cudaGetErrorString (cudaGetLastError ()), voxel_case_text (c));
  for (i = 0; i < CANARY; i++)
    test_expect (test, canary[i] == 0x5A, "byte %d past the scratch of %" PRIu64 " (%s)", i, device->scratch_bytes,
        voxel_case_text (c));
}

void
voxel_case_compare (const VoxelCase *c, const DeviceVoxels *device, Arena *arena, const Gpu *gpu, Test *test)
{
  uint8_t here, there;
  const uint8_t *at;

  if (!arena_download (arena, gpu->stream)) {
    test_fail (test, "download: %s (%s)", cudaGetErrorString (cudaGetLastError ()), voxel_case_text (c));
    return;
  }
  at = arena_difference (arena, &here, &there);
  if (at != NULL)
    test_fail (test, "a byte of %s is %02x on the CPU and %02x on the GPU; %s", part_at (c, at), here, there,
        voxel_case_text (c));
  if (!gpu->separate)
    check_canary (c, device, test);
}

void
voxel_case_check (const VoxelCase *c, Arena *arena, const Gpu *gpu, Test *test)
{
  DeviceVoxels device;

  /* the outputs go up before the CPU writes them */
  if (voxel_case_to_device (c, arena, gpu, &device, test) && voxel_case_enqueue (c, &device, gpu, test)) {
    voxel_case_run_cpu (c, test);
    voxel_case_compare (c, &device, arena, gpu, test);
  }
  voxel_case_leave_device (&device);
}
