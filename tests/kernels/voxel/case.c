/* robocache: a random voxel grid, made on every backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tests/kernels/numbers.h"
#include "tests/kernels/random.h"

#define MAX_DENSE_BYTES (INT64_C (24) << 20)   /* of a random dense output, accumulators apart */

const char *const voxel_modes[] = { "occupancy", "count", "mean", "centroid", "max", "min", "first", "pillars" };
const char *const voxel_outputs[] = { "dense", "bits", "sparse", "index", "rank" };

static int
wished (VoxelCase *c, int wish, int least, int most)
{
  return wish == ANY ? (int) random_between (&c->random, least, most) : wish;
}

/* ---- specs ---- */

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
  const int huge = !is_grid (spec->output) && wish->axis == ANY && random_one_in (&c->random, 3);

  for (int axis = 0; axis < 3; axis++) {
    int64_t *n = &spec->grid[axis];

    *n = wish->axis != ANY ? wish->axis : huge ? random_between (&c->random, 1, RC_VOXEL_MAX_AXIS) : random_one_in (&c->random, 3)
        ? 32 * random_between (&c->random, 1, 3) : random_between (&c->random, 1, 70);
    if (huge && random_one_in (&c->random, 3))
      *n = RC_VOXEL_MAX_AXIS;
    spec->origin[axis] = random_real (&c->random, -3.0, 3.0);
    spec->voxel_size[axis] = random_real (&c->random, 0.01, 0.5);
    if (huge)
      spec->voxel_size[axis] = 0x1p-7;
  }
}

static void
choose_points (VoxelCase *c, const VoxelWish *wish)
{
  RcVoxelPoints *points = &c->spec.points;
  static const RcDtype inputs[] = { RC_FLOAT16, RC_FLOAT32, RC_FLOAT64 };

  points->dtype = wish->input == ANY ? inputs[random_between (&c->random, 0, 2)] : (RcDtype) wish->input;
  points->features = wish->features != ANY ? wish->features : random_one_in (&c->random, 8) ? random_between (&c->random, 10, 70) : random_between (&c->random, 1, 9);
  points->first_feature = random_one_in (&c->random, 6) ? random_between (&c->random, 0, 3) : 3;
  points->fields = points->first_feature + points->features + (random_one_in (&c->random, 3) ? random_between (&c->random, 0, 3) : 0);
  points->fields = points->fields < 3 ? 3 : points->fields;
}

static int
has_layout (VoxelCase *c, const VoxelWish *wish)
{
  return !wish->plain && (wish->layout == ANY ? random_one_in (&c->random, 3) : wish->layout);
}

/* Fields of any type in any order, with gaps; now and then what is packed but for one of them. */
static void
choose_layout (VoxelCase *c)
{
  RcVoxelPoints *points = &c->spec.points;
  const int alike = random_one_in (&c->random, 4), in_order = random_one_in (&c->random, 6);
  int order[CASE_FIELDS];
  int64_t offset = random_one_in (&c->random, 2) ? 0 : random_between (&c->random, 1, 9);

  for (int64_t i = 0; i < points->fields; i++) {
    const int64_t other = alike || in_order ? i : random_between (&c->random, 0, i);

    order[i] = order[other];
    order[other] = (int) i;
  }
  for (int64_t i = 0; i < points->fields; i++) {
    RcVoxelField *field = &c->layout[order[i]];

    field->dtype = order[i] < 3 || alike ? points->dtype : (RcDtype) random_between (&c->random, 0, RC_N_DTYPES - 1);
    field->offset = offset;
    offset += (int64_t) rc_dtype_size (field->dtype) + (random_one_in (&c->random, alike ? 9 : 2) ? random_between (&c->random, 1, 8) : 0);
  }
  points->layout = c->layout;
}

/* Rays of no camera, some of them none. */
static void
choose_rays (VoxelCase *c)
{
  const int64_t n = c->spec.depth.width * c->spec.depth.height * 2;

  if ((c->rays = malloc ((size_t) n * sizeof (float))) == NULL)
    return;
  for (int64_t i = 0; i < n; i++)
    c->rays[i] = random_one_in (&c->random, 30) ? NAN : (float) random_real (&c->random, -1.5, 1.5);
  c->spec.depth.rays = c->rays;
}

static void
choose_depth (VoxelCase *c)
{
  RcVoxelDepth *depth = &c->spec.depth;

  depth->width = random_one_in (&c->random, 4) ? 640 : random_between (&c->random, 1, 90);
  depth->height = random_between (&c->random, 1, 40);
  depth->fx = random_real (&c->random, 20.0, 80.0);
  depth->fy = random_real (&c->random, 20.0, 80.0);
  depth->cx = random_real (&c->random, 0.0, (double) depth->width);
  depth->cy = random_real (&c->random, 0.0, (double) depth->height);
  depth->is_float = random_one_in (&c->random, 2);
  depth->scale = random_one_in (&c->random, 10) ? 1e38 : random_real (&c->random, 1e-5, 1e-3);
}

static void
choose_values (VoxelCase *c, const VoxelWish *wish)
{
  static const RcDtype dtypes[] = { RC_UINT8, RC_UINT32, RC_FLOAT16, RC_FLOAT32 };
  RcVoxelSpec *spec = &c->spec;

  spec->source = (RcVoxelSource) (wish->source == ANY ? random_one_in (&c->random, 5) : wish->source);
  spec->mode = (RcVoxelMode) wished (c, wish->mode, RC_VOXEL_OCCUPANCY, RC_VOXEL_PILLARS);
  spec->max_points = wish->max_points > 0 ? wish->max_points : random_one_in (&c->random, 3) ? random_between (&c->random, 1, 3)
      : random_between (&c->random, 1, 40);
  spec->centre_z = random_one_in (&c->random, 2);
  spec->output = (RcVoxelOutput) wished (c, wish->output, RC_VOXEL_DENSE, RC_VOXEL_RANK);
  spec->dtype = wish->dtype == ANY ? dtypes[random_between (&c->random, 0, 3)] : (RcDtype) wish->dtype;
  if (spec->output == RC_VOXEL_BITS || rc_voxel_maps_points (spec->output))
    spec->mode = RC_VOXEL_OCCUPANCY;
  if (rc_voxel_lists_points (spec->mode))
    spec->output = RC_VOXEL_SPARSE;
  if (spec->source == RC_VOXEL_DEPTH && spec->mode > RC_VOXEL_COUNT && !rc_voxel_lists_points (spec->mode))
    spec->mode = RC_VOXEL_CENTROID;
  if (spec->mode != RC_VOXEL_OCCUPANCY && spec->mode != RC_VOXEL_COUNT && !rc_dtype_is_float (spec->dtype))
    spec->dtype = RC_FLOAT32;
}

/* Random grids and batches have bounded outputs; wished ones are what they are. */
static void
choose_spec (VoxelCase *c, const VoxelWish *wish)
{
  RcVoxelSpec *spec = &c->spec;
  int64_t channels;

  choose_values (c, wish);
  choose_points (c, wish);
  choose_depth (c);
  if (spec->source == RC_VOXEL_DEPTH && has_layout (c, wish))
    choose_rays (c);
  if (spec->source == RC_VOXEL_POINTS && spec->points.fields <= CASE_FIELDS && has_layout (c, wish))
    choose_layout (c);
  choose_grid (c, wish);
  /* a GPU sorts the points of small grids, and lists those of large ones */
  if (rc_voxel_lists_points (spec->mode) && wish->axis == ANY && random_one_in (&c->random, 2))
    spec->grid[random_between (&c->random, 0, 2)] = 1 << 16;
  spec->batch = wish->batch != ANY ? wish->batch : random_one_in (&c->random, 10) ? random_between (&c->random, 4, 9) : random_between (&c->random, 1, 3);
  spec->feature_range = spec->mode == RC_VOXEL_MEAN && random_one_in (&c->random, 3) ? random_real (&c->random, 1e-3, 2.0) : 0.0;
  channels = spec->mode <= RC_VOXEL_COUNT ? 1 : spec->mode == RC_VOXEL_CENTROID ? 3 : spec->points.features;
  while (is_grid (spec->output) && wish->axis == ANY && spec->grid[0] * spec->grid[1] * spec->grid[2] * channels * spec->batch * 4
      > MAX_DENSE_BYTES) {
    const int64_t n = random_between (&c->random, 1, 20);

    spec->grid[random_between (&c->random, 0, 2)] = n;
  }
}

/* ---- points ---- */

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
  const int64_t kind = random_between (&c->random, 0, 99);
  double voxel;

  switch (c->spread) {
    case ONE_VOXEL:
      return origin + size * (floor (n / 2) + random_real (&c->random, 0.25, 0.75));
    case FEW_VOXELS:
      voxel = (double) random_between (&c->random, 0, n < 3 ? 0 : 2);
      return origin + size * (voxel + random_real (&c->random, 0.1, 0.9));
    case ALL_OUTSIDE:
      return axis == 0 ? origin - size * random_real (&c->random, 1.0, 100.0) : random_real (&c->random, -10.0, 10.0);
    default:
      if (kind == 0)
        return special[random_between (&c->random, 0, COUNT (special) - 1)];
      if (kind < 15) {
        voxel = (double) random_between (&c->random, 0, (int64_t) n);
        return (double) nextafterf ((float) (origin + size * voxel), random_one_in (&c->random, 2) ? 1e9f : -1e9f);
      }
      if (kind < 30)
        return origin + size * (double) random_between (&c->random, -1, (int64_t) n + 1);
      return origin + random_real (&c->random, -0.03, 1.03) * size * n;
  }
}

static double
feature (VoxelCase *c, int64_t field)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-45, -3e-42, 6e-8, 65504.0, 1e300, -1e-310 };
  static const double scales[] = { 1.0, 255.0, 1e-6, 3e4, 1e-44 };

  if (random_one_in (&c->random, 50))
    return special[random_between (&c->random, 0, COUNT (special) - 1)];
  return random_real (&c->random, -1.0, 1.0) * scales[(uint64_t) (field + (int64_t) (c->seed % 5)) % 5];
}

RcVoxelField
voxel_case_field (const VoxelCase *c, int64_t i)
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

  for (int64_t i = 0; i < points->fields; i++) {
    const RcVoxelField field = voxel_case_field (c, i);

    if (is_number (field.dtype))
      oracle_put (field.dtype, at + field.offset, i < 3 ? coordinate (c, (int) i) : feature (c, i));
    if (!is_number (field.dtype) || (i >= 3 && random_one_in (&c->random, 60))) {
      const uint64_t bits = random_bits (&c->random);

      memcpy (at + field.offset, &bits, rc_dtype_size (field.dtype));
    }
  }
}

static void
fill_row (VoxelCase *c, uint8_t *at)
{
  static const float no_return[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -1000.0f };

  for (int64_t u = 0; u < c->spec.depth.width; u++) {
    const uint16_t depth = random_one_in (&c->random, 10) ? 0 : (uint16_t) random_bits (&c->random);
    const float metres = random_one_in (&c->random, 10) ? no_return[random_between (&c->random, 0, 5)] : (float) depth;

    memcpy (at + rc_voxel_pixel_bytes (&c->spec.depth) * u, c->spec.depth.is_float ? (const void *) &metres : &depth,
        (size_t) rc_voxel_pixel_bytes (&c->spec.depth));
  }
}

static int
is_depth (const VoxelCase *c)
{
  return c->spec.source == RC_VOXEL_DEPTH;
}

int64_t
voxel_case_unit_bytes (const VoxelCase *c)
{
  int64_t bytes = 0;

  for (int64_t i = 0; i < c->spec.points.fields && !is_depth (c); i++) {
    const RcVoxelField field = voxel_case_field (c, i);
    const int64_t end = field.offset + (int64_t) rc_dtype_size (field.dtype);

    bytes = end > bytes ? end : bytes;
  }
  return is_depth (c) ? c->spec.depth.width * rc_voxel_pixel_bytes (&c->spec.depth) : bytes;
}

static void
fill_chunk (VoxelCase *c, const RcVoxelChunk *chunk)
{
  for (int64_t e = 0; e < c->spec.batch; e++) {
    for (int64_t i = 0; i < chunk->n; i++) {
      uint8_t *at = (uint8_t *) chunk->data + e * chunk->batch_stride + i * chunk->stride;

      if (is_depth (c))
        fill_row (c, at);
      else
        fill_point (c, at);
    }
  }
}

/* n points or rows of each item. */
static void
make_chunk (VoxelCase *c, const VoxelWish *wish, int k, int64_t n, Arena *arena)
{
  RcVoxelChunk *chunk = &c->chunks[k];
  const int64_t unit = voxel_case_unit_bytes (c), size = is_depth (c) ? rc_voxel_pixel_bytes (&c->spec.depth)
      : (int64_t) rc_dtype_size (c->spec.points.dtype);
  const int loose = !wish->plain && random_one_in (&c->random, 3);
  const int64_t padding = loose ? random_between (&c->random, 0, 9) : wish->plain ? 0 : size * random_between (&c->random, 0, 3);
  int64_t *counts = NULL;
  uint8_t *data;

  chunk->n = n;
  chunk->stride = unit + padding;
  chunk->batch_stride = n * chunk->stride + (loose ? random_between (&c->random, 0, 9) : 0);
  if (is_depth (c))
    chunk->first_row = random_between (&c->random, 0, c->spec.depth.height - n);
  data = arena_take (arena, "points", c->spec.batch * chunk->batch_stride + 16, loose ? random_between (&c->random, 1, 17) : 0);
  chunk->data = data;
  fill_chunk (c, chunk);
  if (!wish->plain && random_one_in (&c->random, 3)) {
    counts = arena_take (arena, "counts", c->spec.batch * 8, 0);
    for (int64_t e = 0; e < c->spec.batch; e++)
      counts[e] = random_one_in (&c->random, 4) ? 0 : random_one_in (&c->random, 3) ? n : random_between (&c->random, 0, n);
    chunk->counts = counts;
  }
  if (wish->plain || !random_one_in (&c->random, 8)) {
    chunk->counters = arena_take (arena, "counters of add", sizeof (RcVoxelCounters), 0);
    memset (chunk->counters, 0, sizeof (RcVoxelCounters));
  }
}

/* N as the caller states it: the greatest sum, more than that, or one for each item. */
static void
make_job (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  const int64_t pixels = is_depth (c) ? c->spec.depth.width : 1;
  const int each = !wish->plain && random_one_in (&c->random, 3);
  int64_t *item_points = NULL, sum = 0;

  for (int k = 0; k < c->n_chunks; k++)
    sum += c->chunks[k].n * pixels;
  c->job.n_points = sum + (wish->plain || random_one_in (&c->random, 2) ? 0 : random_between (&c->random, 1, 40));
  if (!each)
    return;
  item_points = arena_take (arena, "item_points", c->spec.batch * 8, 0);
  c->job.n_points = 0;
  for (int64_t e = 0; e < c->spec.batch; e++) {
    item_points[e] = random_one_in (&c->random, 2) ? 0 : random_between (&c->random, 0, 9);
    for (int k = 0; k < c->n_chunks; k++)
      item_points[e] += (c->chunks[k].counts ? c->chunks[k].counts[e] : c->chunks[k].n) * pixels;
    c->job.n_points = item_points[e] > c->job.n_points ? item_points[e] : c->job.n_points;
  }
  c->job.item_points = item_points;
}

static void
shuffle (VoxelCase *c, int *order)
{
  for (int k = 0; k < c->n_chunks; k++) {
    const int other = (int) random_between (&c->random, 0, k);

    order[k] = order[other];
    order[other] = k;
  }
}

static void
make_chunks (VoxelCase *c, const VoxelWish *wish, Arena *arena)
{
  int64_t left = wish->points != ANY ? wish->points : random_one_in (&c->random, 4) ? random_between (&c->random, 0, 3000) : random_between (&c->random, 0, 300);

  if (is_depth (c))
    left = wish->points != ANY ? wish->points / c->spec.depth.width : random_between (&c->random, 0, c->spec.depth.height);
  c->n_chunks = wish->plain || random_one_in (&c->random, 2) ? 1 : (int) random_between (&c->random, 1, CASE_CHUNKS / 2);
  for (int k = 0; k < c->n_chunks; k++) {
    int64_t n = k == c->n_chunks - 1 ? left : random_between (&c->random, 0, left);

    if (is_depth (c) && n > c->spec.depth.height)
      n = c->spec.depth.height;
    left -= n;
    make_chunk (c, wish, k, n, arena);
  }
  shuffle (c, c->range_order);
  shuffle (c, c->add_order);
  make_job (c, wish, arena);
}

/* ---- outputs ---- */

/* bytes of each item with padding in multiples of size. */
static void *
make_output (VoxelCase *c, const char *name, const VoxelWish *wish, int64_t bytes, int64_t size, int64_t *batch_stride, Arena *arena)
{
  const int64_t odd = wish->plain || random_one_in (&c->random, 2) ? 0 : size * random_between (&c->random, 1, 5);

  *batch_stride = bytes + (wish->plain ? 0 : size * random_between (&c->random, 0, 4));
  return arena_take (arena, name, c->spec.batch * *batch_stride + 64, odd);
}

static void
take_sparse (VoxelCase *c, const VoxelWish *wish, int64_t bytes, int64_t size, Arena *arena)
{
  const RcVoxelSpec *spec = &c->spec;
  RcVoxelOut *out = &c->out;

  out->n_voxels = make_output (c, "n_voxels", wish, 4, 4, &out->n_voxels_batch_stride, arena);
  out->coordinates = make_output (c, "coordinates", wish, spec->max_voxels * 12, 4, &out->coordinates_batch_stride, arena);
  if (spec->mode != RC_VOXEL_OCCUPANCY)
    out->values = make_output (c, "values", wish, bytes, size, &out->values_batch_stride, arena);
  if (rc_voxel_lists_points (spec->mode))
    out->point_counts = make_output (c, "point_counts", wish, spec->max_voxels * 4, 4, &out->point_counts_batch_stride, arena);
}

/* The bitmap is wanted or not; every backend writes the grid's bits there. */
static void
take_outputs (VoxelCase *c, const VoxelWish *wish, int64_t bytes, int64_t bitmap_bytes, Arena *arena)
{
  const RcVoxelSpec *spec = &c->spec;
  RcVoxelJob *job = &c->job;
  const int64_t size = spec->output == RC_VOXEL_BITS ? 4 : (int64_t) rc_dtype_size (spec->dtype);
  RcVoxelOut *out = &c->out;

  if (wish->plain || !random_one_in (&c->random, 8)) {
    out->counters = arena_take (arena, "counters of end", sizeof (RcVoxelCounters), 0);
    memset (out->counters, 0, sizeof (RcVoxelCounters));
  }
  if (rc_voxel_maps_points (spec->output)) {
    job->first_point = wish->plain || random_one_in (&c->random, 2) ? 0 : random_between (&c->random, 0, job->n_points);
    job->point_voxels = make_output (c, "point_voxels", wish, (job->n_points - job->first_point) * 8, 8, &job->point_voxels_batch_stride,
        arena);
  } else if (spec->output == RC_VOXEL_SPARSE) {
    take_sparse (c, wish, bytes, size, arena);
  } else {
    out->grid = make_output (c, "grid", wish, bytes, size, &out->grid_batch_stride, arena);
    if (bitmap_bytes > 0 && (wish->plain || !random_one_in (&c->random, 3)))
      out->occupied = make_output (c, "occupied", wish, bitmap_bytes, 4, &out->occupied_batch_stride, arena);
  }
}

/* Of the spec's plan on the reference. Returns whether there is one. */
static int
find_bytes (const VoxelCase *c, const Place *reference, int64_t *value_bytes, int64_t *bitmap_bytes, Test *test)
{
  RcVoxelPlan *plan = NULL;
  RcError error;

  *value_bytes = *bitmap_bytes = 0;
  if (rc_voxel_plan (reference->backend, &c->spec, &plan, NULL, &error) == RC_OK) {
    *value_bytes = rc_voxel_value_bytes (plan);
    *bitmap_bytes = rc_voxel_bitmap_bytes (plan);
  } else {
    test_fail (test, "plan on %s: %s (%s)", reference->name, error.message, voxel_case_text (c));
  }
  rc_voxel_plan_free (plan);
  return test_holds (test);
}

int
voxel_case_take_outputs (VoxelCase *c, const Suite *suite, int plain, Test *test)
{
  const VoxelWish wish = {.plain = plain };
  int64_t bytes, bitmap_bytes;

  if (find_bytes (c, &suite->reference, &bytes, &bitmap_bytes, test))
    take_outputs (c, &wish, bytes, bitmap_bytes, suite->arena);
  return test_holds (test);
}

int
voxel_case_make (VoxelCase *c, const VoxelWish *wish, uint64_t seed, const Suite *suite, Test *test)
{
  memset (c, 0, sizeof (*c));
  arena_clear (suite->arena);
  c->seed = c->random = seed;
  c->spread = (Spread) (wish->spread != ANY ? wish->spread : random_one_in (&c->random, 4)
      ? random_between (&c->random, ONE_VOXEL, ALL_OUTSIDE) : SPREAD);
  choose_spec (c, wish);
  make_chunks (c, wish, suite->arena);
  /* lists of points are bounded, as dense outputs are */
  while (c->spec.max_points > 1 && (c->job.n_points + 300) * c->spec.max_points * (6 + (is_depth (c) ? 3 : c->spec.points.fields))
      * c->spec.batch * 4 > MAX_DENSE_BYTES)
    c->spec.max_points /= 2;
  c->spec.max_voxels = random_one_in (&c->random, 2) ? c->job.n_points + random_between (&c->random, 1, 300)
      : random_between (&c->random, 1, c->job.n_points / 2 + 1);
  c->halves = !wish->plain && random_one_in (&c->random, 4);
  return voxel_case_take_outputs (c, suite, wish->plain, test);
}

void
voxel_case_replace_points (VoxelCase *c)
{
  c->spread = (Spread) (random_one_in (&c->random, 2) ? SPREAD : random_between (&c->random, ONE_VOXEL, ALL_OUTSIDE));
  for (int k = 0; k < c->n_chunks; k++)
    fill_chunk (c, &c->chunks[k]);
}

void
voxel_case_clear (VoxelCase *c)
{
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
      ", range %g, cap %" PRId64 " of %" PRId64 " points, spread %d; first chunk: n %" PRId64 "%s, data %% 16 = %d, stride %" PRId64, c->seed,
      spec->source == RC_VOXEL_DEPTH ? "depth" : rc_dtype_name (spec->points.dtype), spec->mode, spec->output,
      rc_dtype_name (spec->dtype), spec->grid[0], spec->grid[1], spec->grid[2], spec->batch, c->job.n_points,
      c->job.item_points ? " of items" : "", c->job.first_point, c->n_chunks, spec->points.fields,
      spec->points.layout || spec->depth.rays ? " in a layout, or rays" : "", spec->points.features,
      spec->points.first_feature, spec->feature_range, spec->max_voxels, spec->max_points, c->spread, c->chunks[0].n,
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
  if (c->n_chunks == 1 && c->seed % 3 != 0)
    return rc_voxel_run (plan, job, &chunks[0], out, stream, error) == RC_OK;
  if (rc_voxel_begin (plan, job, stream, error) != RC_OK)
    return 0;
  for (int k = 0; k < c->n_chunks; k++) {
    if (rc_voxel_range (plan, job, &chunks[c->range_order[k]], stream, error) != RC_OK)
      return 0;
  }
  for (int k = 0; k < c->n_chunks; k++) {
    if (!add_chunk (c, plan, job, &chunks[c->add_order[k]], stream, error))
      return 0;
  }
  return rc_voxel_end (plan, job, out, stream, error) == RC_OK;
}

/* Addresses of the case at a place; on the host for no arena. */
static void *
there (Arena *arena, const Place *place, const void *host)
{
  return arena == NULL ? (void *) host : arena_there (arena, place, host);
}

void
voxels_find (const VoxelCase *c, Arena *arena, PlacedVoxels *placed)
{
  const Place *place = placed->place;
  RcVoxelOut *out = &placed->out;

  placed->job = c->job;
  placed->job.scratch = placed->scratch.memory;
  placed->job.item_points = there (arena, place, c->job.item_points);
  placed->job.point_voxels = there (arena, place, c->job.point_voxels);
  for (int k = 0; k < c->n_chunks; k++) {
    placed->chunks[k] = c->chunks[k];
    placed->chunks[k].data = there (arena, place, c->chunks[k].data);
    placed->chunks[k].counts = there (arena, place, c->chunks[k].counts);
    placed->chunks[k].counters = there (arena, place, c->chunks[k].counters);
  }
  *out = c->out;
  out->grid = there (arena, place, c->out.grid);
  out->n_voxels = there (arena, place, c->out.n_voxels);
  out->coordinates = there (arena, place, c->out.coordinates);
  out->values = there (arena, place, c->out.values);
  out->point_counts = there (arena, place, c->out.point_counts);
  out->occupied = there (arena, place, c->out.occupied);
  out->counters = there (arena, place, c->out.counters);
}

int
voxels_place (const VoxelCase *c, Arena *arena, const Place *place, PlacedVoxels *placed, Test *test)
{
  RcFootprint footprint;
  CallerMode mode;
  RcStatus status;
  RcError error;

  memset (placed, 0, sizeof (*placed));
  placed->place = place;
  if (arena != NULL && !arena_upload (arena, place, test))
    return 0;
  voxels_find (c, arena, placed);
  caller_mode_enter (&mode, place, c->seed + (uint64_t) place->number);
  status = rc_voxel_plan (place->backend, &c->spec, &placed->plan, &footprint, &error);
  caller_mode_leave (&mode, test);
  if (status != RC_OK) {
    test_fail (test, "plan on %s: %s (%s)", place->name, error.message, voxel_case_text (c));
    return 0;
  }
  placed->scratch = scratch_new (place, &footprint, c->job.n_points, test);
  placed->job.scratch = placed->scratch.memory;
  return test_holds (test);
}

int
voxels_enqueue (const VoxelCase *c, const PlacedVoxels *placed, Test *test)
{
  CallerMode mode;
  RcError error;
  int done;

  caller_mode_enter (&mode, placed->place, c->seed + (uint64_t) placed->place->number);
  done = run_phases (c, placed->plan, &placed->job, placed->chunks, &placed->out, placed->place->stream, &error);
  caller_mode_leave (&mode, test);
  if (!done)
    test_fail (test, "%s: %s (%s)", placed->place->name, error.message, voxel_case_text (c));
  return test_holds (test);
}

void
voxels_give_up (const VoxelCase *c, const PlacedVoxels *placed, Test *test)
{
  RcError error;

  if (is_ok (rc_voxel_begin (placed->plan, &placed->job, placed->place->stream, &error), &error, test)
      && is_ok (rc_voxel_range (placed->plan, &placed->job, &placed->chunks[0], placed->place->stream, &error), &error, test)
      && !rc_voxel_needs_range (placed->plan))
    is_ok (rc_voxel_add (placed->plan, &placed->job, &placed->chunks[0], placed->place->stream, &error), &error, test);
}

void
voxels_leave (PlacedVoxels *placed, Test *test)
{
  if (placed->place == NULL)
    return;
  place_wait (placed->place, test);
  rc_voxel_plan_free (placed->plan);
  scratch_free (placed->place, &placed->scratch, test);
}

/* ---- comparing ---- */

void
voxel_case_expect (const VoxelCase *c, const Suite *suite, int has_oracle, Test *test)
{
  int64_t value_bytes, bitmap_bytes;
  PlacedVoxels placed;

  if (has_oracle) {
    if (find_bytes (c, &suite->reference, &value_bytes, &bitmap_bytes, test))
      voxel_case_ask_oracle (c, value_bytes, bitmap_bytes, test);
    return;
  }
  if (voxels_place (c, NULL, &suite->reference, &placed, test))
    voxels_enqueue (c, &placed, test);
  voxels_leave (&placed, test);
}

int
voxel_case_place (const VoxelCase *c, Suite *suite, PlacedCase *all, Test *test)
{
  memset (all, 0, sizeof (*all));
  all->has_oracle = voxel_case_has_oracle (c);
  for (; all->n < suite->n_places + all->has_oracle; all->n++) {
    const Place *place = all->n < suite->n_places ? &suite->places[all->n] : &suite->reference;

    if (!voxels_place (c, suite->arena, place, &all->placed[all->n], test))
      return 0;
  }
  return 1;
}

int
voxel_case_upload (const VoxelCase *c, Suite *suite, const PlacedCase *all, Test *test)
{
  for (int p = 0; p < all->n; p++)
    arena_upload (suite->arena, all->placed[p].place, test);
  return test_holds (test);
}

void
voxel_case_run (const VoxelCase *c, Suite *suite, const PlacedCase *all, Test *test)
{
  for (int p = 0; p < all->n && test_holds (test); p++)
    voxels_enqueue (c, &all->placed[p], test);
  voxel_case_expect (c, suite, all->has_oracle, test);
  for (int p = 0; p < all->n && test_holds (test); p++)
    arena_compare (suite->arena, all->placed[p].place, voxel_case_text (c), test);
}

void
voxel_case_leave (PlacedCase *all, Test *test)
{
  for (int p = 0; p < MAX_PLACES; p++)
    voxels_leave (&all->placed[p], test);
}

void
voxel_case_check (const VoxelCase *c, Suite *suite, Test *test)
{
  PlacedCase all;

  if (voxel_case_place (c, suite, &all, test))
    voxel_case_run (c, suite, &all, test);
  voxel_case_leave (&all, test);
}
