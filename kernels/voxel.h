/* robocache: point clouds and depth images to voxel grids
 *
 * docs/explanation/voxels.md defines the results in words.
 * A job makes a grid:
 *
 *   begin   clears the accumulators in the caller's scratch, unless the last end has cleared them
 *   range   once per chunk, only if rc_voxel_needs_range: finds the largest magnitude of each feature and the occupied
 *           voxels; gets the same points as add, in any order
 *   add     once per chunk: adds its points
 *   remove  once per chunk that an earlier job added, only if rc_voxel_accumulates: subtracts its points
 *   end     writes the output
 *
 * A chunk is a run of points of a cloud, a whole cloud, or lines of a depth image. All state is integers, whose sums do
 * not depend on the order. So the bits depend neither on how a job is cut into chunks, nor on their order, nor on the backend.
 * To accumulate several clouds, pass them as chunks of one job. Outputs per point (index and rank, mode first) are in the order of
 * arrival: chunks in the order of the calls, points and pixels in the order of memory.
 *
 * A batch of B jobs runs in the same calls; each item gives the same bits as alone.
 *
 * A sliding window of clouds is computed incrementally: in a plan that accumulates, a job continues from the accumulators of the
 * last job, adds new clouds and subtracts old clouds. Integers subtract exactly, so the bits are those of a job over all clouds
 * in the window. A maximum cannot be subtracted: for max and min each cloud has its own layer, and if the removed cloud had the maximum,
 * the new maximum is found in the other layers. A job adds clouds before it removes clouds, so a voxel that has points before and after the job is never empty
 * in between.
 *
 * The arithmetic, per point:
 *   the coordinates are rounded to float32; per axis d = (p - origin) / voxel_size in float32; the point is inside when
 *   all three coordinates are finite and 0 <= d < n on every axis, and its voxel is floor (d). The linear index is
 *   (z * ny + y) * nx + x, 64-bit, x fastest. Points with a NaN coordinate, other points with an infinite coordinate, and
 *   finite points beyond the box are counted separately.
 * and per feature x of an inside point, which is first converted to float64 (exactly, except for 64-bit integers, which are rounded to
 * nearest even):
 *   mean      adds rint (x * 2^k) to an int64, k = 62 - e - ceil (log2 (max (N, 1))), where 2^e is the smallest
 *             power of two above every finite |x| of this feature among the inside points of the job (e = 0 when all
 *             are 0), or above feature_range if it is set; larger values are then clamped to it and counted.
 *             The mean is (double) sum / count * 2^-k. A NaN, or +inf with -inf, makes it NaN; otherwise an infinity makes it infinite,
 *             with the same sign.
 *   centroid  the mean of (double) p - origin per axis, with 2^e above n * voxel_size of that axis; then origin is added in double.
 *   max, min  the maximum or minimum of the values rounded to the output's dtype; a NaN wins and -0 < +0.
 * Mode first outputs the fields of points, including x, y and z, each converted to float64 and then rounded to the output's dtype, for
 * the first max_points points of each voxel.
 * Mode pillars adds to the fields of these points, with d = (double) p - origin per axis,
 *   d - mean of d      the mean is over the voxel's points in the output, computed as in centroid, with N = max_points
 *   d - (i + 1/2) * voxel_size     i: the voxel's x, y, z
 * for x, y and z each; the last z only if centre_z is set.
 * N is the number of points of the job, inside the grid or not, which the caller sets in RcVoxelJob.
 * Results are rounded to the output's dtype once, to nearest even. An empty voxel is 0. A NaN is canonical
 * (arithmetic.h). Counts saturate in the output's dtype (65504 in float16).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "backend.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_VOXEL_MAX_AXIS (1 << 21)             /* voxels along an axis; 3 * 21 bits fit a linear index */
#define RC_VOXEL_MAX_FIELDS 4096                /* fields of one point */
#define RC_VOXEL_MAX_POINT_BYTES INT32_MAX
#define RC_VOXEL_MAX_POINTS INT64_C (0xffffffff)        /* points of one job */
#define RC_VOXEL_MAX_FIRST (1 << 16)    /* points of a voxel in the output of modes first and pillars */

/* Values of outputs index and rank for points that have no voxel, or none in the sparse output. */
#define RC_VOXEL_OUTSIDE (-1)   /* a finite point beyond the grid; also the values after the last point */
#define RC_VOXEL_NAN (-2)       /* a NaN coordinate */
#define RC_VOXEL_INFINITE (-3)  /* an infinite coordinate (in float32) and no NaN */
#define RC_VOXEL_OVER_CAP (-4)  /* rank: a point in a voxel beyond max_voxels */

typedef enum RcVoxelMode
{
  RC_VOXEL_OCCUPANCY,           /* 1 if the voxel has a point */
  RC_VOXEL_COUNT,               /* points in the voxel */
  RC_VOXEL_MEAN,                /* mean of each feature */
  RC_VOXEL_CENTROID,            /* mean of x, y, z, in the coordinates of the input */
  RC_VOXEL_MAX,                 /* maximum of each feature */
  RC_VOXEL_MIN,                 /* minimum of each feature */
  RC_VOXEL_FIRST,               /* the first points of each voxel; sparse only */
  RC_VOXEL_PILLARS              /* the same points, with offsets from their mean and from the voxel's centre */
} RcVoxelMode;

/* Whether voxels have lists of points instead of values. */
static inline int
rc_voxel_lists_points (RcVoxelMode mode)
{
  return mode == RC_VOXEL_FIRST || mode == RC_VOXEL_PILLARS;
}

typedef enum RcVoxelOutput
{
  RC_VOXEL_DENSE,               /* [nz, ny, nx] of dtype; [nz, ny, nx, C] for mean, centroid (C = 3), max and min */
  RC_VOXEL_BITS,                /* occupancy only: [nz, ny, ceil (nx / 32)] uint32; bit b of word w is x = 32 w + b */
  RC_VOXEL_SPARSE,              /* the occupied voxels in increasing linear index; see RcVoxelOut */
  RC_VOXEL_INDEX,               /* occupancy only: for each point the linear index of its voxel; see RcVoxelJob */
  RC_VOXEL_RANK                 /* occupancy only: for each point the row of its voxel in RC_VOXEL_SPARSE */
} RcVoxelOutput;

/* Whether an output has one value per point instead of values per voxel. */
static inline int
rc_voxel_maps_points (RcVoxelOutput output)
{
  return output == RC_VOXEL_INDEX || output == RC_VOXEL_RANK;
}

typedef enum RcVoxelSource
{
  RC_VOXEL_POINTS,
  RC_VOXEL_DEPTH
} RcVoxelSource;

/* The place of a field within a point; it need not be aligned. */
typedef struct RcVoxelField
{
  RcDtype dtype;
  int64_t offset;               /* bytes from the beginning of the point; the field ends within RC_VOXEL_MAX_POINT_BYTES */
} RcVoxelField;

/* Interleaved points; the first three fields are x, y, z. */
typedef struct RcVoxelPoints
{
  RcDtype dtype;                /* float16, float32 or float64: dtype of every field; with a layout only of x, y and z */
  int64_t fields;               /* 3 … RC_VOXEL_MAX_FIELDS */
  int64_t first_feature;        /* mean, max, min: features are fields first_feature … first_feature + features - 1 */
  int64_t features;
  const RcVoxelField *layout;   /* [fields] of any dtype, but x, y and z have one dtype; the plan copies it. NULL: the fields are adjacent */
} RcVoxelPoints;

/* A depth image of little-endian uint16, where 0 means no return, or of float32, where a value that is not finite, or not above 0, means no return.
 * In float32: z = depth * scale, x = rx z, y = ry z. For a pinhole camera rx = (u - cx) / fx and ry = (v - cy) / fy, computed in double and
 * rounded. A pixel without return, or without a ray, is a NaN point. */
typedef struct RcVoxelDepth
{
  int64_t width, height;        /* pixels, each 1 … 65536 */
  double fx, fy, cx, cy;        /* pixels; fx and fy > 0 */
  double scale;                 /* metres per unit, > 0; used as float32 */
  const float *rays;            /* [height, width, 2] rx, ry of each pixel, for a lens that distorts (rays.h); in host memory,
                                 * and valid as long as the plan. NULL: a pinhole camera */
  int is_float;                 /* pixels are float32 */
} RcVoxelDepth;

/* Bytes of a pixel. */
static inline int64_t
rc_voxel_pixel_bytes (const RcVoxelDepth *depth)
{
  return depth->is_float ? 4 : 2;
}

typedef struct RcVoxelSpec
{
  RcVoxelSource source;
  RcVoxelPoints points;         /* for RC_VOXEL_POINTS */
  RcVoxelDepth depth;           /* for RC_VOXEL_DEPTH; has no features */
  double origin[3];             /* x, y, z of the corner of voxel (0, 0, 0), metres; used as float32 */
  double voxel_size[3];         /* > 0, metres; used as float32 */
  int64_t grid[3];              /* nx, ny, nz, each 1 … RC_VOXEL_MAX_AXIS */
  RcVoxelMode mode;
  RcVoxelOutput output;
  RcDtype dtype;                /* dtype of values: uint8, uint32, float16 or float32; all modes except occupancy and count need a float;
                                 * ignored for bits, index and rank, and for sparse occupancy */
  int64_t max_voxels;           /* sparse, rank: voxels in the sparse output, 1 … 2^31 - 1 */
  double feature_range;         /* mean: fixes e, so that no range phase is needed; 0: the range phase finds e */
  int64_t batch;                /* jobs that run together, >= 1 */
  int64_t max_points;           /* first, pillars: points of a voxel in the output, 1 … RC_VOXEL_MAX_FIRST */
  int centre_z;                 /* pillars: the offset from the voxel's centre has z */
  int64_t accumulates;          /* maximum clouds of a sliding window, plus one while a cloud is replaced; 0: jobs are not incremental. See
                                 * rc_voxel_accumulates; the number is only used for max and min */
} RcVoxelSpec;

/* Pillars: values of a point in the output in addition to its fields. */
static inline int64_t
rc_voxel_decorations (const RcVoxelSpec *spec)
{
  return spec->mode != RC_VOXEL_PILLARS ? 0 : spec->centre_z ? 6 : 5;
}

/* Counters to which each call adds; the caller clears them. They are in the backend's memory (device memory for CUDA). */
typedef struct RcVoxelCounters
{
  int64_t points;               /* points passed to add; the sum of the next four counters */
  int64_t inside;
  int64_t outside;              /* finite points beyond the grid */
  int64_t nan;                  /* points with a NaN coordinate, and pixels without depth */
  int64_t infinite;             /* points with an infinite coordinate (in float32) and no NaN */
  int64_t clamped;              /* feature values of inside points beyond feature_range */
  int64_t occupied;             /* occupied voxels, set by rc_voxel_end; 0 for RC_VOXEL_INDEX */
  int64_t over_cap;             /* occupied voxels that max_voxels leaves out of the sparse output; set at the end */
  int64_t over_points;          /* first, pillars: points that max_points leaves out of voxels of the output; set at the end */
} RcVoxelCounters;

/* The arguments that all calls of one job share, unchanged from begin to end. */
typedef struct RcVoxelJob
{
  int64_t n_points;             /* N: 0 … RC_VOXEL_MAX_POINTS; with item_points the largest of these */
  const int64_t *item_points;   /* [batch] N of each item, in the backend's memory; NULL: n_points for each */
  void *scratch;                /* scratch_bytes + n_points * scratch_bytes_per_point, aligned to 256 */

  /* Outputs index and rank: add writes a part of them, end completes them. They have one value for each point of an item from first_point
   * on, in the order of arrival; earlier points occupy voxels but have no value. An incremental job numbers the points that
   * it adds from first_added on; points of earlier jobs have no value. On a GPU the address and the stride are multiples of
   * 8. */
  int64_t *point_voxels;        /* [batch, n_points - first_point]; -1 past the last point of an item */
  int64_t point_voxels_batch_stride;    /* bytes; ignored when batch is 1 */
  int64_t first_point;          /* 0 … n_points */
  int64_t first_added;          /* rank, incremental: 0 … first_point; each item gets at most n_points - first_added points; otherwise 0
                                 * */
  int is_clean;                 /* dense and bits, and plans that accumulate: scratch is unchanged since the last end of this plan. Since
                                 * end clears the accumulators or the plan knows their content, begin need not clear all of them. Ignored
                                 * for other outputs. RC_INVALID_ARGUMENT when the last job of the plan
                                 * did not end, or ended in another scratch */

  /* for plans that accumulate */
  int is_incremental;           /* the accumulators hold the points of the last job; this job adds and removes the difference. N counts
                                 * all points that are held afterwards. RC_INVALID_ARGUMENT when
                                 * rc_voxel_can_be_incremental returns 0 */
  const double *ranges;         /* mean without feature_range: [batch, C] the greatest finite magnitude of each feature among the inside
                                 * points of each item, on the host, from rc_voxel_measure; only begin reads it, and the job has no range
                                 * phase. NULL: the job has a range phase, and the next job is not incremental */
} RcVoxelJob;

/* Points of every item of the batch. All chunks together may have at most N points of an item. */
typedef struct RcVoxelChunk
{
  const void *data;             /* [batch, n] points, or [batch, n, width] depth, at any address and stride. If one chunk has all points
                                 * of the job, they must stay unchanged until end, which may read them again */
  int64_t n;                    /* points, or lines of the image; may be 0 */
  int64_t stride;               /* bytes between points, at least up to the end of the last field, or bytes between lines */
  int64_t batch_stride;         /* bytes between items; ignored when batch is 1 */
  const int64_t *counts;        /* [batch] valid points (or lines) of each item, 0 … n, in the backend's memory; NULL: n for each. The CPU
                                 * refuses other counts; a GPU cannot check them, so an item whose count is not
                                 * in 0 … n, or whose points exceed its N, gets no point of the chunk, which the counters show. For such
                                 * an item range and add must get the chunks in the same order */
  int64_t first_row;            /* depth: line of the image with which the chunk begins */
  RcVoxelCounters *counters;    /* add: the counters `points` to `clamped` of this chunk; complete only after end; NULL: not wanted */
  int64_t layer;                /* add, remove in a plan with layers: the layer of its points, 0 … rc_voxel_layers - 1 */
} RcVoxelChunk;

/* The output of end. Voxels that are not occupied are zero. end writes every byte of every output; if the content of a dense grid is known
 * (is_known), it may write only bytes that may differ. Batch strides are in bytes, and ignored if batch is 1. On a GPU, addresses and
 * batch strides are multiples of the size of an element. */
typedef struct RcVoxelOut
{
  void *grid;                   /* dense and bits */
  int64_t grid_batch_stride;
  uint32_t *n_voxels;           /* sparse: M, the number of voxels in the output, at most max_voxels */
  int64_t n_voxels_batch_stride;
  int32_t *coordinates;         /* sparse: [max_voxels, 3] x, y, z */
  int64_t coordinates_batch_stride;
  void *values;                 /* sparse: [max_voxels, C] of dtype, [max_voxels] for count, [max_voxels, max_points, C]
                                 * for first, C + 5 or 6 for pillars; ignored for occupancy */
  int64_t values_batch_stride;
  RcVoxelCounters *counters;    /* occupied, over_cap, over_points; NULL: not wanted */

  /* dense: a bitmap of occupied voxels of the grid; bit b of word w is linear index 32 w + b. NULL: not wanted. With is_known, on entry it
   * must have the content from the end of a plan with the same grid, mode, dtype and number of features, and the grid must not have been
   * written since */
  uint32_t *occupied;           /* rc_voxel_bitmap_bytes for each item */
  int64_t occupied_batch_stride;
  int is_known;

  uint32_t *point_counts;       /* first, pillars: [max_voxels] points of each voxel in values, at most max_points */
  int64_t point_counts_batch_stride;
} RcVoxelOut;

typedef struct RcVoxelPlan RcVoxelPlan;

/* Validates spec, selects and loads the code that runs it, and sets *footprint. Enqueues nothing.
 * Errors: RC_INVALID_ARGUMENT with the field, its value and what was expected; RC_UNSUPPORTED when this backend does not support voxel
 * grids. */
RcStatus rc_voxel_plan (RcBackend * backend, const RcVoxelSpec * spec, RcVoxelPlan ** plan, RcFootprint * footprint,
    RcError * error);
/* Runs of the plan must have ended. */
void rc_voxel_plan_free (RcVoxelPlan * plan);

/* Values per voxel: 1 for occupancy and count, 3 for centroid, otherwise the number of features. For first and pillars the number of
 * fields per point (3 for depth). */
int64_t rc_voxel_channels (const RcVoxelPlan * plan);
/* Bytes of one item's grid (dense, bits) or values (sparse; 0 for occupancy); 0 for index and rank. */
int64_t rc_voxel_value_bytes (const RcVoxelPlan * plan);
/* Bytes of one item's bitmap of occupied voxels; 0 for outputs other than dense. */
int64_t rc_voxel_bitmap_bytes (const RcVoxelPlan * plan);
/* Whether end takes less time if the content of the grid is known (RcVoxelOut.is_known). If not, the caller need not keep bitmaps of grids. */
int rc_voxel_profits_from_known (const RcVoxelPlan * plan);
/* Whether the job needs a range phase over all chunks before the first add. If not, rc_voxel_range does nothing. */
int rc_voxel_needs_range (const RcVoxelPlan * plan);

/* Whether jobs of the plan can be incremental. They can if the spec sets accumulates, in all modes except first and pillars, for all outputs
 * except index, and if the additional accumulators need at most RC_VOXEL_MAX_ACCUMULATED_BYTES. Such a plan counts the points of each
 * voxel in
 * every mode (max and min: has layers), and counts NaNs and infinities; for outputs sparse and rank it has accumulators for the whole
 * grid instead of arrays with an entry per point. */
#define RC_VOXEL_MAX_ACCUMULATED_BYTES (INT64_C (1) << 29)
int rc_voxel_accumulates (const RcVoxelPlan * plan);
/* Maximum number of clouds that jobs can hold at once, each in its own layer: RcVoxelSpec.accumulates for max and min; 0: no layers, and no
 * limit. The points of a layer are removed together, in one or more chunks, before other points are added or removed and before a grid is
 * written. */
int64_t rc_voxel_layers (const RcVoxelPlan * plan);
/* Whether a job may be incremental when it is passed to begin: the last job ended in the same scratch, and for means, all scales are the
 * same: ceil (log2 (max (N, 1))) and 2^e. For means, jobs with item_points are never incremental. */
int rc_voxel_can_be_incremental (const RcVoxelPlan * plan, const RcVoxelJob * job);
/* Raises ranges [batch, C] to the greatest finite magnitude of each feature among the inside points of a chunk, for
 * RcVoxelJob.ranges; it does not depend on a job. For plans that accumulate and need a range. Waits for the stream, since ranges are
 * in host memory. Errors: RC_INVALID_ARGUMENT, RC_DEVICE_FAILED, RC_CALL_FAILED. */
RcStatus rc_voxel_measure (RcVoxelPlan * plan, const RcVoxelChunk * chunk, double *ranges, RcStream stream,
    RcError * error);

/* The phases. Each enqueues on stream, allocates nothing, queries nothing and waits for nothing. One plan is used by
 * one thread at a time, for one job at a time. Errors: RC_INVALID_ARGUMENT (a NULL pointer, a stride below the row's size, more points
 * than the job has, different numbers of points in range and add, a phase out of order),
 * RC_DEVICE_FAILED, RC_CALL_FAILED. */
RcStatus rc_voxel_begin (RcVoxelPlan * plan, const RcVoxelJob * job, RcStream stream, RcError * error);
RcStatus rc_voxel_range (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
RcStatus rc_voxel_add (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
/* Subtracts a chunk that an earlier job added, possibly in other chunks. Points, counts and layer must be the same as then; counters are
 * ignored. In a plan that accumulates, an error of add or remove from the backend ends the job, since the
 * content of the accumulators is then unknown. */
RcStatus rc_voxel_remove (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
RcStatus rc_voxel_end (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelOut * out, RcStream stream,
    RcError * error);

/* Runs a job of one chunk: begin, range, add and end. An error ends the job. */
RcStatus rc_voxel_run (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, const RcVoxelOut * out,
    RcStream stream, RcError * error);

#ifdef __cplusplus
}
#endif
