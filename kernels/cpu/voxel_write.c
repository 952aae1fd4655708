/* robocache: from the accumulators of a voxel grid to its output
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxel_feature.h"
#include "voxel_item.h"

#define POINTS_AHEAD 16

/* ---- one element of each dtype ---- */

static void
count_to_uint8 (void *out, int64_t i, uint32_t count)
{
  ((uint8_t *) out)[i] = rc_voxel_count_uint8 (count);
}

static void
count_to_uint32 (void *out, int64_t i, uint32_t count)
{
  ((uint32_t *) out)[i] = count;
}

static void
count_to_float16 (void *out, int64_t i, uint32_t count)
{
  ((uint16_t *) out)[i] = rc_voxel_count_float16 (count);
}

static void
count_to_float32 (void *out, int64_t i, uint32_t count)
{
  ((float *) out)[i] = (float) count;
}

typedef void (*WriteCount) (void *out, int64_t i, uint32_t count);

static const WriteCount write_count[RC_N_DTYPES] = {
  [RC_UINT8] = count_to_uint8,
  [RC_UINT32] = count_to_uint32,
  [RC_FLOAT16] = count_to_float16,
  [RC_FLOAT32] = count_to_float32,
};

static void
value_to_float16 (void *out, int64_t i, double x)
{
  ((uint16_t *) out)[i] = rc_float16_from_float64 (x);
}

static void
value_to_float32 (void *out, int64_t i, double x)
{
  ((float *) out)[i] = rc_float32_from_float64 (x);
}

typedef void (*WriteValue) (void *out, int64_t i, double x);

static const WriteValue write_value[RC_N_DTYPES] = {
  [RC_FLOAT16] = value_to_float16,
  [RC_FLOAT32] = value_to_float32,
};

/* ---- dense: the output is zero already, and only occupied voxels are written ---- */

/* Writes `one` where a bit is set, and returns how many are. */
#define OCCUPANCY_OF(Type, suffix) \
  static int64_t \
  occupancy_##suffix (const RcVoxelPlan *plan, const uint32_t *words, Type *grid, Type one) \
  { \
    const int64_t nx = plan->spec.grid[0], rows = plan->spec.grid[1] * plan->spec.grid[2]; \
    int64_t occupied = 0; \
    \
    for (int64_t row = 0; row < rows; row++, grid += nx, words += plan->row_words) { \
      for (int64_t w = 0; w < plan->row_words; w++) { \
        for (uint32_t bits = words[w]; bits; bits &= bits - 1, occupied++) \
          grid[w * 32 + __builtin_ctz (bits)] = one; \
      } \
    } \
    return occupied; \
  }

OCCUPANCY_OF (uint8_t, 8)
OCCUPANCY_OF (uint16_t, 16)
OCCUPANCY_OF (uint32_t, 32)

static void
dense_occupancy (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  uint32_t one = 0;

  write_count[plan->spec.dtype] (&one, 0, 1);
  switch (rc_dtype_size (plan->spec.dtype)) {
    case 1:
      counters->occupied += occupancy_8 (plan, item->bits, grid, (uint8_t) one);
      break;
    case 2:
      counters->occupied += occupancy_16 (plan, item->bits, grid, (uint16_t) one);
      break;
    default:
      counters->occupied += occupancy_32 (plan, item->bits, grid, one);
      break;
  }
}

/* Without a call for each word, which __builtin_popcount is where the oldest processors count, too. */
static uint32_t
bits_set (uint32_t word)
{
  word -= word >> 1 & 0x55555555u;
  word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0Fu;
  return word * 0x01010101u >> 24;
}

static void
dense_bits (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  const int64_t words = plan->row_words * plan->spec.grid[1] * plan->spec.grid[2];

  memcpy (grid, item->bits, (size_t) words * sizeof (uint32_t));
  for (int64_t w = 0; w < words; w++)
    counters->occupied += bits_set (item->bits[w]);
}

static void
dense_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  const WriteCount write = write_count[plan->spec.dtype];

  for (int64_t v = 0; v < plan->voxels; v++) {
    if (item->counts[v] == 0)
      continue;
    counters->occupied++;
    write (grid, v, item->counts[v]);
  }
}

static void
dense_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  const WriteValue write = write_value[plan->spec.dtype];
  const int64_t n = plan->channels;

  for (int64_t v = 0; v < plan->voxels; v++) {
    if (item->counts[v] == 0)
      continue;
    counters->occupied++;
    for (int64_t c = 0; c < n; c++) {
      const int64_t i = v * n + c;
      const uint32_t saw = item->saw[i / 8] >> (i % 8 * RC_VOXEL_SAW_BITS);

      write (grid, i, rc_voxel_mean (&item->scales[c], item->sums[i], item->counts[v], saw & 7));
    }
  }
}

static void
dense_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  const WriteValue write = write_value[plan->spec.dtype];

  for (int64_t v = 0; v < plan->voxels; v++) {
    if (item->counts[v] == 0)
      continue;
    counters->occupied++;
    for (int axis = 0; axis < 3; axis++)
      write (grid, v * 3 + axis, (double) plan->box.origin[axis]
          + rc_voxel_mean (&item->scales[axis], item->sums[v * 3 + axis], item->counts[v], 0));
  }
}

static void
dense_extreme (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  const WriteValue write = write_value[plan->spec.dtype];
  const int64_t n = plan->channels;

  for (int64_t v = 0; v < plan->voxels; v++) {
    if (item->keys[v * n] == 0)
      continue;
    counters->occupied++;
    for (int64_t c = 0; c < n; c++)
      write (grid, v * n + c, (double) rc_voxel_value_of_key (item->keys[v * n + c], plan->flip));
  }
}

void
rc_cpu_voxel_write_dense (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, void *grid, RcVoxelCounters *counters)
{
  static void (*const writers[]) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, void *grid,
      RcVoxelCounters * counters) = {
    [RC_VOXEL_OCCUPANCY] = dense_occupancy,
    [RC_VOXEL_COUNT] = dense_count,
    [RC_VOXEL_MEAN] = dense_mean,
    [RC_VOXEL_CENTROID] = dense_centroid,
    [RC_VOXEL_MAX] = dense_extreme,
    [RC_VOXEL_MIN] = dense_extreme,
  };

  if (plan->spec.output == RC_VOXEL_BITS) {
    dense_bits (plan, item, grid, counters);
    return;
  }
  memset (grid, 0, (size_t) rc_voxel_value_bytes (plan));
  writers[plan->spec.mode] (plan, item, grid, counters);
}

/* ---- sparse: voxel m of the output from the points order[0 … n) ---- */

static void
sparse_nothing (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
}

static void
sparse_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
  write_count[plan->spec.dtype] (values, m, (uint32_t) n);
}

static double
kept_feature (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, uint32_t point, int64_t channel)
{
  const char *kept = item->payload + point * plan->layout.payload_bytes;

  if (plan->kept_dtype == RC_FLOAT64)
    return ((const double *) kept)[channel];
  return ((const float *) kept)[channel];
}

static void
sparse_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
  for (int64_t c = 0; c < plan->channels; c++) {
    uint64_t sum = 0;
    uint32_t saw = 0;

    for (int64_t i = 0; i < n; i++) {
      const double x = kept_feature (plan, item, order[i], c);
      const uint32_t special = rc_voxel_saw (x);

      if (special)
        saw |= special;
      else
        sum += (uint64_t) rc_voxel_fixed (&item->scales[c], rc_cpu_voxel_clamp (plan, x));
    }
    write_value[plan->spec.dtype] (values, m * plan->channels + c,
        rc_voxel_mean (&item->scales[c], (int64_t) sum, (uint32_t) n, saw));
  }
}

static void
sparse_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
  const float *kept = (const float *) item->payload;

  for (int axis = 0; axis < 3; axis++) {
    const double origin = (double) plan->box.origin[axis];
    uint64_t sum = 0;

    for (int64_t i = 0; i < n; i++)
      sum += (uint64_t) rc_voxel_fixed (&item->scales[axis], (double) kept[(int64_t) order[i] * 3 + axis] - origin);
    write_value[plan->spec.dtype] (values, m * 3 + axis,
        origin + rc_voxel_mean (&item->scales[axis], (int64_t) sum, (uint32_t) n, 0));
  }
}

static void
sparse_extreme (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
  const uint32_t *kept = (const uint32_t *) item->payload;

  for (int64_t c = 0; c < plan->channels; c++) {
    uint32_t greatest = 0;

    for (int64_t i = 0; i < n; i++) {
      const uint32_t key = kept[order[i] * plan->channels + c];

      greatest = key > greatest ? key : greatest;
    }
    write_value[plan->spec.dtype] (values, m * plan->channels + c,
        (double) rc_voxel_value_of_key (greatest, plan->flip));
  }
}

static void
write_coordinates (const RcVoxelPlan *plan, int32_t *out, uint64_t voxel)
{
  const uint64_t nx = (uint64_t) plan->spec.grid[0], ny = (uint64_t) plan->spec.grid[1];

  out[0] = (int32_t) (voxel % nx);
  out[1] = (int32_t) (voxel / nx % ny);
  out[2] = (int32_t) (voxel / nx / ny);
}

/* Points lie in order of arrival and are read in order of voxels: those that are due soon are asked for. */
static void
prefetch_points (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t first, int64_t next,
    int64_t n)
{
  const int64_t last = next + POINTS_AHEAD < n ? next + POINTS_AHEAD : n;

  for (int64_t i = first + POINTS_AHEAD; i < last; i++)
    __builtin_prefetch (item->payload + order[i] * plan->layout.payload_bytes);
}

void
rc_cpu_voxel_write_sparse (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcVoxelOut *out,
    RcVoxelCounters *counters)
{
  static void (*const writers[]) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, const uint32_t * order,
      int64_t n, void *values, int64_t m) = {
    [RC_VOXEL_OCCUPANCY] = sparse_nothing,
    [RC_VOXEL_COUNT] = sparse_count,
    [RC_VOXEL_MEAN] = sparse_mean,
    [RC_VOXEL_CENTROID] = sparse_centroid,
    [RC_VOXEL_MAX] = sparse_extreme,
    [RC_VOXEL_MIN] = sparse_extreme,
  };
  const int64_t n = item->head->n_keys, cap = plan->spec.max_voxels;
  const int ordered = rc_voxel_is_ordered (plan);
  const uint64_t *voxels;
  const uint32_t *order;
  int64_t occupied = 0;
  int sorted;

  for (int64_t i = 0; ordered && i < n; i++)
    item->order[0][i] = (uint32_t) i;
  sorted = rc_cpu_voxel_sort (item->voxels, ordered ? item->order : NULL, n, plan->key_bits);
  voxels = item->voxels[sorted];
  order = item->order[sorted];

  memset (out->coordinates, 0, (size_t) cap * 3 * sizeof (int32_t));
  if (plan->spec.mode != RC_VOXEL_OCCUPANCY)
    memset (out->values, 0, (size_t) rc_voxel_value_bytes (plan));
  for (int64_t first = 0, next; first < n; first = next) {
    for (next = first + 1; next < n && voxels[next] == voxels[first]; next++);
    if (ordered)
      prefetch_points (plan, item, order, first, next, n);
    if (occupied < cap) {
      write_coordinates (plan, out->coordinates + 3 * occupied, voxels[first]);
      writers[plan->spec.mode] (plan, item, order + first, next - first, out->values, occupied);
    }
    occupied++;
  }
  *out->n_voxels = (uint32_t) (occupied < cap ? occupied : cap);
  counters->occupied += occupied;
  counters->over_cap += occupied > cap ? occupied - cap : 0;
}
