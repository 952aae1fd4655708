/* robocache: from the accumulators of a voxel grid to its output
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "feature.h"
#include "item.h"
#include "words.h"

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

/* ---- dense: what changes of a grid, a run of words of its bitmap at a time ---- */

/* Of changed words; bit 0 of the first of them is voxel `first`. */
typedef void (*WriteWords) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, RcCpuVoxelWords * words,
    int64_t first, char *grid);

/* A last word of less than 32 voxels. */
static void
write_rest (const RcVoxelPlan *plan, uint32_t bits, int64_t first, char *grid)
{
  for (int64_t v = first; v < plan->voxels; v++)
    write_count[plan->spec.dtype] (grid, v, bits >> (v - first) & 1);
}

static void
write_occupancy (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcCpuVoxelWords *words, int64_t first, char *grid)
{
  const RcCpuKernels *kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  const int64_t size = (int64_t) rc_dtype_size (plan->spec.dtype), last = words->n_changed - 1;
  uint32_t one = 0;

  write_count[plan->spec.dtype] (&one, 0, 1);
  if (last >= 0 && first + 32 * words->changed[last] + 32 > plan->voxels) {
    write_rest (plan, words->is[words->changed[last]], first + 32 * words->changed[last], grid);
    words->n_changed--;
  }
  kernels->voxel_expand (grid + first * size, words, one, size);
}

/* Occupied voxel v as voxel m of the output; its accumulators are clear on return, unless the plan keeps. */
typedef void (*WriteVoxel) (const RcVoxelPlan * plan, const RcCpuVoxelItem * item, int64_t v, void *values, int64_t m);

/* Sizes that are usual take no call. */
static inline void
clear_voxel (char *at, int64_t bytes)
{
  if (bytes == 4)
    memset (at, 0, 4);
  else if (bytes == 1)
    at[0] = 0;
  else
    memset (at, 0, (size_t) bytes);
}

/* Inlined, with a write that is known. */
static inline void
write_words (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcCpuVoxelWords *words, int64_t first,
    char *grid, WriteVoxel write)
{
  const int64_t bytes = plan->channels * (int64_t) rc_dtype_size (plan->spec.dtype);

  for (int64_t i = 0; i < words->n_changed; i++) {
    const uint32_t was = words->was[words->changed[i]], is = words->is[words->changed[i]];
    const int64_t voxel = first + 32 * words->changed[i];

    for (uint32_t gone = was & ~is; gone; gone &= gone - 1)
      clear_voxel (grid + (voxel + __builtin_ctz (gone)) * bytes, bytes);
    for (uint32_t bits = is; bits; bits &= bits - 1)
      write (plan, item, voxel + __builtin_ctz (bits), grid, voxel + __builtin_ctz (bits));
  }
}

static inline void
write_voxel_count (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t v, void *values, int64_t m)
{
  write_count[plan->spec.dtype] (values, m, item->counts[v]);
  if (!plan->accumulates)
    item->counts[v] = 0;
}

static void
write_counts (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcCpuVoxelWords *words, int64_t first, char *grid)
{
  write_words (plan, item, words, first, grid, write_voxel_count);
}

static inline void
write_voxel_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t v, void *values, int64_t m)
{
  const RcCpuStoreValue write = rc_cpu_store_value[plan->spec.dtype];
  const int64_t n = plan->channels;

  for (int64_t c = 0, i = v * n; c < n; c++, i++) {
    const int64_t shift = i % 8 * RC_VOXEL_NONFINITE_BITS;
    const uint32_t nonfinite_flags = plan->accumulates ? rc_voxel_flags_of_counts (item->nonfinite_counts + 3 * i)
        : item->nonfinite_flags[i / 8] >> shift & 7;

    write (values, m * n + c, rc_voxel_mean (&item->scales[c], item->sums[i], item->counts[v], nonfinite_flags));
    if (plan->accumulates)
      continue;
    item->sums[i] = 0;
    if (nonfinite_flags)
      item->nonfinite_flags[i / 8] &= ~(UINT32_C (7) << shift);
  }
  if (!plan->accumulates)
    item->counts[v] = 0;
}

static void
write_means (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcCpuVoxelWords *words, int64_t first, char *grid)
{
  write_words (plan, item, words, first, grid, write_voxel_mean);
}

static inline void
write_voxel_centroid (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t v, void *values, int64_t m)
{
  const RcCpuStoreValue write = rc_cpu_store_value[plan->spec.dtype];

  for (int axis = 0; axis < 3; axis++) {
    int64_t *sum = &item->sums[v * 3 + axis];

    write (values, m * 3 + axis, (double) plan->box.origin[axis]
        + rc_voxel_mean (&item->scales[axis], *sum, item->counts[v], 0));
    if (!plan->accumulates)
      *sum = 0;
  }
  if (!plan->accumulates)
    item->counts[v] = 0;
}

static void
write_centroids (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcCpuVoxelWords *words, int64_t first, char *grid)
{
  write_words (plan, item, words, first, grid, write_voxel_centroid);
}

static inline void
write_voxel_extreme (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, int64_t v, void *values, int64_t m)
{
  const RcCpuStoreValue write = rc_cpu_store_value[plan->spec.dtype];
  const int64_t n = plan->channels;

  for (int64_t c = 0; c < n; c++) {
    write (values, m * n + c, (double) rc_voxel_value_of_key (item->keys[v * n + c], plan->flip));
    if (!plan->accumulates)
      item->keys[v * n + c] = 0;
  }
}

static void
write_extremes (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, RcCpuVoxelWords *words, int64_t first, char *grid)
{
  write_words (plan, item, words, first, grid, write_voxel_extreme);
}

/* A grid of which nothing is known is made one of which all is known: it is cleared. */
void
rc_cpu_voxel_write_dense (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcVoxelOut *out,
    RcVoxelCounters *counters)
{
  static const WriteWords writers[] = {
    [RC_VOXEL_OCCUPANCY] = write_occupancy,
    [RC_VOXEL_COUNT] = write_counts,
    [RC_VOXEL_MEAN] = write_means,
    [RC_VOXEL_CENTROID] = write_centroids,
    [RC_VOXEL_MAX] = write_extremes,
    [RC_VOXEL_MIN] = write_extremes,
  };
  const RcCpuKernels *kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  RcCpuVoxelWords words;

  if (!out->is_known) {
    memset (out->grid, 0, (size_t) rc_voxel_value_bytes (plan));
    if (out->occupied)
      memset (out->occupied, 0, (size_t) rc_voxel_bitmap_bytes (plan));
  }
  for (int64_t w = 0; w < plan->bit_words; w += RC_CPU_VOXEL_WORDS) {
    const int64_t left = plan->bit_words - w;

    kernels->voxel_update_words (&words, item->bits + w, out->occupied ? out->occupied + w : NULL,
        left < RC_CPU_VOXEL_WORDS ? left : RC_CPU_VOXEL_WORDS, plan->spec.mode != RC_VOXEL_OCCUPANCY, plan->accumulates);
    counters->occupied += words.occupied;
    writers[plan->spec.mode] (plan, item, &words, 32 * w, out->grid);
  }
}

/* ---- bits: the bitmap itself ---- */

void
rc_cpu_voxel_write_bits (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcVoxelOut *out,
    RcVoxelCounters *counters)
{
  const RcCpuKernels *kernels = ((const RcCpuBackend *) plan->backend)->kernels;
  const size_t bytes = (size_t) rc_voxel_value_bytes (plan);

  counters->occupied += kernels->voxel_count_bits (item->bits, plan->bit_words);
  memcpy (out->grid, item->bits, bytes);
  if (!plan->accumulates)
    memset (item->bits, 0, bytes);
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

static void
sparse_mean (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const uint32_t *order, int64_t n, void *values,
    int64_t m)
{
  for (int64_t c = 0; c < plan->channels; c++) {
    uint64_t sum = 0;
    uint32_t nonfinite_flags = 0;

    for (int64_t i = 0; i < n; i++) {
      const double x = rc_cpu_voxel_stored (plan, item, order[i], c);
      const uint32_t special = rc_voxel_nonfinite_flags (x);

      if (special)
        nonfinite_flags |= special;
      else
        sum += (uint64_t) rc_voxel_fixed (&item->scales[c], rc_cpu_voxel_clamp (plan, x));
    }
    rc_cpu_store_value[plan->spec.dtype] (values, m * plan->channels + c,
        rc_voxel_mean (&item->scales[c], (int64_t) sum, (uint32_t) n, nonfinite_flags));
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
    rc_cpu_store_value[plan->spec.dtype] (values, m * 3 + axis,
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
    rc_cpu_store_value[plan->spec.dtype] (values, m * plan->channels + c,
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

/* Counts the voxels in the output, and the omitted ones. */
static void
finish_sparse (const RcVoxelPlan *plan, const RcVoxelOut *out, int64_t occupied, RcVoxelCounters *counters)
{
  const int64_t cap = plan->spec.max_voxels;

  *out->n_voxels = (uint32_t) (occupied < cap ? occupied : cap);
  rc_cpu_voxel_count_occupied (plan, occupied, counters);
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
  const int lists_points = rc_voxel_lists_points (plan->spec.mode);
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
  if (rc_voxel_has_values (&plan->spec) && !lists_points)
    memset (out->values, 0, (size_t) rc_voxel_value_bytes (plan));
  for (int64_t first = 0, next; first < n; first = next) {
    for (next = first + 1; next < n && voxels[next] == voxels[first]; next++);
    if (ordered)
      prefetch_points (plan, item, order, first, next, n);
    if (occupied < cap) {
      write_coordinates (plan, out->coordinates + 3 * occupied, voxels[first]);
      if (lists_points)
        rc_cpu_voxel_write_first (plan, item, order + first, next - first, out, occupied, counters);
      else
        writers[plan->spec.mode] (plan, item, order + first, next - first, out->values, occupied);
    }
    occupied++;
  }
  for (int64_t m = occupied; lists_points && m < cap; m++)
    rc_cpu_voxel_write_first (plan, item, NULL, 0, out, m, counters);
  finish_sparse (plan, out, occupied, counters);
}

/* ---- accumulators that are kept ---- */

/* Bits are in the order of voxels. */
void
rc_cpu_voxel_write_window_sparse (const RcVoxelPlan *plan, const RcCpuVoxelItem *item, const RcVoxelOut *out,
    RcVoxelCounters *counters)
{
  static const WriteVoxel writers[] = {
    [RC_VOXEL_COUNT] = write_voxel_count,
    [RC_VOXEL_MEAN] = write_voxel_mean,
    [RC_VOXEL_CENTROID] = write_voxel_centroid,
    [RC_VOXEL_MAX] = write_voxel_extreme,
    [RC_VOXEL_MIN] = write_voxel_extreme,
  };
  const WriteVoxel write = rc_voxel_has_values (&plan->spec) ? writers[plan->spec.mode] : NULL;
  const int64_t cap = plan->spec.max_voxels;
  int64_t occupied = 0;

  memset (out->coordinates, 0, (size_t) cap * 3 * sizeof (int32_t));
  if (write)
    memset (out->values, 0, (size_t) rc_voxel_value_bytes (plan));
  for (int64_t w = 0; w < plan->bit_words; w++) {
    for (uint32_t bits = item->bits[w]; bits; bits &= bits - 1, occupied++) {
      const int64_t voxel = 32 * w + __builtin_ctz (bits);

      if (occupied >= cap)
        continue;
      write_coordinates (plan, out->coordinates + 3 * occupied, (uint64_t) voxel);
      if (write)
        write (plan, item, voxel, out->values, occupied);
    }
  }
  finish_sparse (plan, out, occupied, counters);
}

/* Every accumulator that is not 0 is of a voxel that has its bit. */
void
rc_cpu_voxel_clear_accumulated (const RcVoxelPlan *plan, const RcCpuVoxelItem *item)
{
  const int64_t n = rc_voxel_is_mean (plan) ? plan->channels : 0, specials = plan->spec.mode == RC_VOXEL_MEAN ? 3 * n : 0;
  const int64_t extremes = plan->layers > 0 ? plan->channels : 0, layers = extremes * plan->layers;

  for (int64_t w = 0; w < plan->bit_words; w++) {
    for (uint32_t bits = item->bits[w]; bits; bits &= bits - 1) {
      const int64_t voxel = 32 * w + __builtin_ctz (bits);

      if (extremes == 0)
        item->counts[voxel] = 0;
      memset (item->keys + voxel * extremes, 0, (size_t) extremes * sizeof (uint32_t));
      memset (item->layers + voxel * layers, 0, (size_t) layers * sizeof (uint32_t));
      memset (item->sums + voxel * n, 0, (size_t) n * sizeof (int64_t));
      memset (item->nonfinite_counts + voxel * specials, 0, (size_t) specials * sizeof (uint32_t));
    }
    item->bits[w] = 0;
  }
}
