/* robocache: the outputs of a voxel case as the oracle has them, byte for byte
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "case.h"

#include <inttypes.h>
#include <stdlib.h>

#include "oracle.h"
#include "tests/kernels/numbers.h"

#define MAX_VALUES INT64_C (120000)     /* fields of all points of an item */
#define MAX_BYTES (INT64_C (16) << 20)  /* of an output */

static int64_t
fields_of (const RcVoxelSpec *spec)
{
  return spec->source == RC_VOXEL_DEPTH ? 3 : spec->points.fields;
}

static int64_t
pixels_of (const RcVoxelSpec *spec)
{
  return spec->source == RC_VOXEL_DEPTH ? spec->depth.width : 1;
}

int
voxel_case_has_oracle (const VoxelCase *c)
{
  const int is_grid = c->spec.output == RC_VOXEL_DENSE || c->spec.output == RC_VOXEL_BITS;
  const double voxels = (double) c->spec.grid[0] * (double) c->spec.grid[1] * (double) c->spec.grid[2];
  const double values = voxels * (double) (c->spec.mode <= RC_VOXEL_COUNT ? 1 : 3 + c->spec.points.features);
  int64_t points = 0;

  for (int k = 0; k < c->n_chunks; k++)
    points += c->chunks[k].n * pixels_of (&c->spec);
  return points * fields_of (&c->spec) * c->spec.batch <= MAX_VALUES
      && (!is_grid || values * (double) c->spec.batch * 4 <= (double) MAX_BYTES);
}

/* ---- points ---- */

static void
load_point (const VoxelCase *c, const uint8_t *at, double *values)
{
  for (int64_t i = 0; i < c->spec.points.fields; i++) {
    const RcVoxelField field = voxel_case_field (c, i);

    values[i] = oracle_get (field.dtype, at + field.offset);
  }
}

static void
load_pixel (const RcVoxelDepth *depth, const uint8_t *at, int64_t u, int64_t v, double *values)
{
  const int64_t pixel = v * depth->width + u;
  const float rx = depth->rays ? depth->rays[2 * pixel] : (float) (((double) u - depth->cx) / depth->fx);
  const float ry = depth->rays ? depth->rays[2 * pixel + 1] : (float) (((double) v - depth->cy) / depth->fy);
  uint16_t raw;
  float z, p[3];

  if (depth->is_float) {
    memcpy (&z, at, sizeof (z));
  } else {
    memcpy (&raw, at, sizeof (raw));
    z = (float) raw;
  }
  z = z > 0 && isfinite (z) ? z * (float) depth->scale : NAN;
  p[0] = rx * z;
  p[1] = ry * z;
  p[2] = z;
  for (int axis = 0; axis < 3; axis++)
    values[axis] = (double) p[axis];
}

static int64_t
rows_of (const RcVoxelChunk *chunk, int64_t item)
{
  return chunk->counts ? chunk->counts[item] : chunk->n;
}

/* The points of an item, chunks in the order of add; chunk_of [n] is the chunk of each. */
static OracleCloud
load_item (const VoxelCase *c, int64_t item, int **chunk_of)
{
  OracleCloud cloud = {.fields = fields_of (&c->spec) };
  const int64_t pixels = pixels_of (&c->spec);

  for (int k = 0; k < c->n_chunks; k++)
    cloud.n += rows_of (&c->chunks[k], item) * pixels;
  cloud.values = calloc ((size_t) (cloud.n * cloud.fields) + 1, sizeof (double));
  *chunk_of = calloc ((size_t) cloud.n + 1, sizeof (int));
  cloud.n = 0;
  for (int k = 0; k < c->n_chunks; k++) {
    const RcVoxelChunk *chunk = &c->chunks[c->add_order[k]];
    const uint8_t *data = (const uint8_t *) chunk->data + item * chunk->batch_stride;

    for (int64_t i = 0; i < rows_of (chunk, item) * pixels; i++, cloud.n++) {
      const uint8_t *at = data + i / pixels * chunk->stride;
      double *values = cloud.values + cloud.n * cloud.fields;

      (*chunk_of)[cloud.n] = c->add_order[k];
      if (c->spec.source == RC_VOXEL_DEPTH)
        load_pixel (&c->spec.depth, at + rc_voxel_pixel_bytes (&c->spec.depth) * (i % pixels), i % pixels, chunk->first_row + i / pixels, values);
      else
        load_point (c, at, values);
    }
  }
  return cloud;
}

/* ---- outputs ---- */

static void
count_points (const VoxelCase *c, const OracleGrid *grid, const OracleCloud *cloud, const int *chunk_of)
{
  for (int64_t i = 0; i < cloud->n; i++) {
    RcVoxelCounters *counters = c->chunks[chunk_of[i]].counters;
    const int64_t voxel = grid->point_voxels[i];

    if (counters == NULL)
      continue;
    counters->points++;
    *(voxel == RC_VOXEL_NAN ? &counters->nan : voxel == RC_VOXEL_INFINITE ? &counters->infinite
        : voxel == RC_VOXEL_OUTSIDE ? &counters->outside : &counters->inside) += 1;
    counters->clamped += grid->clamped[i];
  }
}

static void
put_value (const RcVoxelSpec *spec, uint8_t *at, double x)
{
  if (spec->mode == RC_VOXEL_COUNT)
    x = fmin (x, spec->dtype == RC_UINT8 ? 255.0 : spec->dtype == RC_FLOAT16 ? 65504.0 : 4294967295.0);
  oracle_put (spec->dtype, at, x);
}

static void
put_grid (const VoxelCase *c, const OracleGrid *grid, int64_t item, int64_t value_bytes, int64_t bitmap_bytes)
{
  const int64_t size = (int64_t) rc_dtype_size (c->spec.dtype), nx = c->spec.grid[0];
  uint8_t *out = (uint8_t *) c->out.grid + item * c->out.grid_batch_stride;
  uint32_t *bits = (uint32_t *) ((uint8_t *) c->out.occupied + item * c->out.occupied_batch_stride);

  memset (out, 0, (size_t) value_bytes);
  if (c->out.occupied != NULL)
    memset (bits, 0, (size_t) bitmap_bytes);
  for (int64_t m = 0; m < grid->n_occupied; m++) {
    const int64_t voxel = grid->voxels[m], word = voxel / nx * ((nx + 31) / 32) + voxel % nx / 32;

    if (c->out.occupied != NULL)
      bits[voxel / 32] |= 1u << voxel % 32;
    if (c->spec.output == RC_VOXEL_BITS) {
      uint32_t bit;

      memcpy (&bit, out + 4 * word, 4);
      bit |= 1u << voxel % nx % 32;
      memcpy (out + 4 * word, &bit, 4);
      continue;
    }
    for (int64_t k = 0; k < grid->channels; k++)
      put_value (&c->spec, out + (voxel * grid->channels + k) * size, grid->results[m * grid->channels + k]);
  }
}

/* Of a point from the grid's origin. */
static double
distance_of (const RcVoxelSpec *spec, const OracleCloud *cloud, int64_t point, int axis)
{
  return (double) (float) cloud->values[point * cloud->fields + axis] - (double) (float) spec->origin[axis];
}

/* The mean of the points that mode pillars puts out has the bits of the formula, and is a mean. */
static double
mean_distance (const RcVoxelSpec *spec, const OracleCloud *cloud, const int64_t *points, int64_t n, int axis, Test *test)
{
  const double extent = (double) spec->grid[axis] * (double) (float) spec->voxel_size[axis];
  long double plain = 0.0L;
  double mean;
  int64_t sum = 0;
  int e;

  frexp (extent, &e);
  e += (int) ceil (log2 ((double) spec->max_points));
  for (int64_t i = 0; i < n; i++) {
    sum += (int64_t) rint (ldexp (distance_of (spec, cloud, points[i], axis), 62 - e));
    plain += (long double) distance_of (spec, cloud, points[i], axis);
  }
  mean = ldexp ((double) sum / (double) n, e - 62);
  test_expect (test, fabs (mean - (double) (plain / n)) <= 1e-14 * extent, "mean distance %g, plainly %g", mean,
      (double) (plain / n));
  return mean;
}

/* The first of n points of voxel m, with their decorations; how many are left out. */
static int64_t
put_points (const VoxelCase *c, const OracleCloud *cloud, const int64_t *points, int64_t n, int64_t m, const int32_t *xyz,
    uint8_t *values, uint32_t *count, Test *test)
{
  const RcVoxelSpec *spec = &c->spec;
  const int64_t size = (int64_t) rc_dtype_size (spec->dtype), kept = n < spec->max_points ? n : spec->max_points;
  const int64_t decorations = rc_voxel_decorations (spec), width = cloud->fields + decorations;
  double middles[6];

  *count = (uint32_t) kept;
  values += m * spec->max_points * width * size;
  for (int axis = 0; axis < 3 && decorations > 0; axis++) {
    middles[axis] = mean_distance (spec, cloud, points, kept, axis, test);
    middles[3 + axis] = (xyz[axis] + 0.5) * (double) (float) spec->voxel_size[axis];
  }
  for (int64_t i = 0; i < kept; i++) {
    for (int64_t f = 0; f < cloud->fields; f++)
      oracle_put (spec->dtype, values + (i * width + f) * size, cloud->values[points[i] * cloud->fields + f]);
    for (int64_t d = 0; d < decorations; d++)
      oracle_put (spec->dtype, values + (i * width + cloud->fields + d) * size,
          distance_of (spec, cloud, points[i], (int) (d % 3)) - middles[d]);
  }
  return n - kept;
}

static void
put_sparse (const VoxelCase *c, const OracleGrid *grid, const OracleCloud *cloud, int64_t item, int64_t value_bytes, Test *test)
{
  const int64_t n = grid->n_occupied < c->spec.max_voxels ? grid->n_occupied : c->spec.max_voxels;
  const int64_t size = (int64_t) rc_dtype_size (c->spec.dtype), *grid_size = c->spec.grid;
  int32_t *xyz = (int32_t *) ((uint8_t *) c->out.coordinates + item * c->out.coordinates_batch_stride);
  uint8_t *values = (uint8_t *) c->out.values + item * c->out.values_batch_stride;
  uint32_t *counts = (uint32_t *) ((uint8_t *) c->out.point_counts + item * c->out.point_counts_batch_stride);
  const int lists = rc_voxel_lists_points (c->spec.mode);
  const int64_t *points = grid->points;

  *(uint32_t *) ((uint8_t *) c->out.n_voxels + item * c->out.n_voxels_batch_stride) = (uint32_t) n;
  memset (xyz, 0, (size_t) c->spec.max_voxels * 12);
  if (lists)
    memset (counts, 0, (size_t) c->spec.max_voxels * 4);
  if (c->out.values != NULL)
    memset (values, 0, (size_t) value_bytes);
  for (int64_t m = 0; m < n; m++) {
    xyz[3 * m] = (int32_t) (grid->voxels[m] % grid_size[0]);
    xyz[3 * m + 1] = (int32_t) (grid->voxels[m] / grid_size[0] % grid_size[1]);
    xyz[3 * m + 2] = (int32_t) (grid->voxels[m] / grid_size[0] / grid_size[1]);
    if (lists) {
      const int64_t over = put_points (c, cloud, points, grid->counts[m], m, &xyz[3 * m], values, &counts[m], test);

      if (c->out.counters != NULL)
        c->out.counters->over_points += over;
      points += grid->counts[m];
    }
    for (int64_t k = 0; k < grid->channels && c->out.values != NULL && !lists; k++)
      put_value (&c->spec, values + (m * grid->channels + k) * size, grid->results[m * grid->channels + k]);
  }
}

static int64_t
rank_of (const OracleGrid *grid, int64_t voxel, int64_t max_voxels)
{
  int64_t low = 0, high = grid->n_occupied;

  while (high - low > 1)
    *(grid->voxels[(low + high) / 2] <= voxel ? &low : &high) = (low + high) / 2;
  return low < max_voxels ? low : RC_VOXEL_OVER_CAP;
}

static void
put_map (const VoxelCase *c, const OracleGrid *grid, int64_t n, int64_t item)
{
  int64_t *map = (int64_t *) ((uint8_t *) c->job.point_voxels + item * c->job.point_voxels_batch_stride);

  for (int64_t i = c->job.first_point; i < c->job.n_points; i++) {
    const int64_t voxel = i < n ? grid->point_voxels[i] : RC_VOXEL_OUTSIDE;

    map[i - c->job.first_point] = voxel >= 0 && c->spec.output == RC_VOXEL_RANK
        ? rank_of (grid, voxel, c->spec.max_voxels) : voxel;
  }
}

/* Of a mean the formula gives the bits; that the formula is a mean is another thing to check. */
static void
check_means (const RcVoxelSpec *spec, const OracleGrid *grid, Test *test)
{
  for (int64_t i = 0; i < grid->n_occupied * grid->channels; i++) {
    const double got = grid->results[i], plain = grid->plain_means[i];
    double magnitude = grid->magnitudes[i % grid->channels];

    if (spec->mode == RC_VOXEL_CENTROID)
      magnitude = (double) spec->grid[i % 3] * spec->voxel_size[i % 3] + fabs (spec->origin[i % 3]);
    else if (spec->feature_range > 0)
      magnitude = spec->feature_range;
    test_expect (test, got == plain || (isnan (got) && isnan (plain)) || fabs (got - plain) <= 1e-9 * magnitude,
        "mean %g, plainly %g", got, plain);
  }
}

void
voxel_case_ask_oracle (const VoxelCase *c, int64_t value_bytes, int64_t bitmap_bytes, Test *test)
{
  for (int64_t item = 0; item < c->spec.batch; item++) {
    int *chunk_of;
    OracleCloud cloud = load_item (c, item, &chunk_of);
    OracleGrid *grid = oracle_voxelize (&c->spec, &cloud, c->job.item_points ? c->job.item_points[item] : c->job.n_points);

    count_points (c, grid, &cloud, chunk_of);
    if (c->spec.mode == RC_VOXEL_MEAN || c->spec.mode == RC_VOXEL_CENTROID)
      check_means (&c->spec, grid, test);
    if (c->out.counters != NULL && c->spec.output != RC_VOXEL_INDEX) {
      c->out.counters->occupied += grid->n_occupied;
      if (c->spec.output >= RC_VOXEL_SPARSE && grid->n_occupied > c->spec.max_voxels)
        c->out.counters->over_cap += grid->n_occupied - c->spec.max_voxels;
    }
    if (rc_voxel_maps_points (c->spec.output))
      put_map (c, grid, cloud.n, item);
    else if (c->spec.output == RC_VOXEL_SPARSE)
      put_sparse (c, grid, &cloud, item, value_bytes, test);
    else
      put_grid (c, grid, item, value_bytes, bitmap_bytes);
    oracle_free (grid);
    free (cloud.values);
    free (chunk_of);
  }
}
