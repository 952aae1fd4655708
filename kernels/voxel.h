/* robocache: point clouds and depth images to voxel grids
 *
 * As `voxelize`, `sparse` and `unproject` in the definition of the arithmetic (docs/arithmetic.md). A grid is a job:
 *
 *   begin   clears the accumulators in the caller's scratch, where end has not left them clear
 *   range   once a chunk: finds the largest magnitude of each feature (only when rc_voxel_needs_range), and which
 *           voxels there will be; the same points as add, in whatever order
 *   add     once a chunk: adds its points
 *   remove  once a chunk that an earlier job added: takes its points out again (only when rc_voxel_accumulates)
 *   end     writes the output
 *
 * A chunk is a run of points of a cloud, a whole cloud, or rows of a depth image. All state is integers whose order of
 * addition does not matter, so a job gives the same bits however it is cut into chunks, in whatever order they come,
 * and on whichever backend; several clouds accumulate by being chunks of one job. Only what is said of single points
 * (outputs index and rank, mode first) is in their order of arrival: chunks in the order of the calls, points and pixels
 * in the order of memory. How a run of points is cut into chunks does not change it.
 *
 * A batch of B jobs runs in the same calls; each item gives the bits it gives alone.
 *
 * A window of clouds that slides is computed from what comes and what leaves: in a plan that keeps, a job goes on from the
 * accumulators of the last one. What was added is taken out exactly, since all of it are integers, so the bits are those
 * of a job that is made anew of all that is left. A greatest value cannot be subtracted: of max and min the clouds are held
 * in layers, one each, and what is the greatest of those that are left is looked up where a cloud that leaves had it. A job
 * adds first and removes then: what leaves a voxel as something else comes to it does not make it empty in between.
 *
 * The arithmetic, per point:
 *   the coordinates are rounded to float32; per axis d = (p - origin) / voxel_size in float32; the point is inside when
 *   all three coordinates are finite and 0 <= d < n on every axis, and its voxel is floor (d). The linear index is
 *   (z * ny + y) * nx + x, 64-bit, x fastest. Points with a NaN coordinate, then points with an infinite one, then
 *   finite points beyond the box are counted apart.
 * and per feature x of an inside point, which is first converted to float64 (exactly, but for 64-bit integers, which
 * are rounded to nearest even):
 *   mean      adds rint (x * 2^k) to an int64, k = 62 - e - ceil (log2 (max (N, 1))), where 2^e is the smallest
 *             power of two above every finite |x| of this feature among the inside points of the job (e = 0 when all
 *             are 0), or above feature_range when that is given; larger values are then clamped to it and counted.
 *             The mean is (double) sum / count * 2^-k. A NaN, or +inf with -inf, makes it NaN; else an infinity makes
 *             it that.
 *   centroid  the same on (double) p - origin per axis, with 2^e above n * voxel_size of that axis; then origin is
 *             added in double.
 *   max, min  of the values rounded to the output's dtype; a NaN wins and -0 < +0.
 * Mode first puts out the fields of points, x, y and z among them, each converted to float64 and then rounded to the
 * output's dtype: of each voxel the first max_points that came.
 * N is the number of points of the job as the caller states it in RcVoxelJob, inside the grid or not.
 * Results are rounded to the output's dtype once, to nearest even. An empty voxel is 0. A NaN is canonical
 * (arithmetic.h). Counts saturate in the output's dtype (65504 in float16).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_VOXEL_H
#define RC_VOXEL_H

#include "backend.h"
#include "dtype.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RC_VOXEL_MAX_AXIS (1 << 21)             /* voxels along an axis; 3 * 21 bits fit a linear index */
#define RC_VOXEL_MAX_FIELDS 4096                /* of one point */
#define RC_VOXEL_MAX_POINT_BYTES INT32_MAX
#define RC_VOXEL_MAX_POINTS INT64_C (0xffffffff)        /* of one job */
#define RC_VOXEL_MAX_FIRST (1 << 16)    /* points of a voxel in the output of mode first */

/* What outputs index and rank say of a point in place of a voxel. */
#define RC_VOXEL_OUTSIDE (-1)   /* finite, beyond the grid; also where no point came */
#define RC_VOXEL_NAN (-2)       /* a NaN coordinate */
#define RC_VOXEL_INFINITE (-3)  /* an infinite coordinate (in float32) and no NaN */
#define RC_VOXEL_OVER_CAP (-4)  /* rank: in a voxel beyond max_voxels */

typedef enum RcVoxelMode
{
  RC_VOXEL_OCCUPANCY,           /* 1 where there is a point */
  RC_VOXEL_COUNT,               /* points in the voxel */
  RC_VOXEL_MEAN,                /* of each feature */
  RC_VOXEL_CENTROID,            /* mean of x, y, z, in the coordinates of the input */
  RC_VOXEL_MAX,                 /* of each feature */
  RC_VOXEL_MIN,                 /* of each feature */
  RC_VOXEL_FIRST                /* the points themselves, the first ones of each voxel; sparse only */
} RcVoxelMode;

typedef enum RcVoxelOutput
{
  RC_VOXEL_DENSE,               /* [nz, ny, nx] of dtype; [nz, ny, nx, C] for mean, centroid (C = 3), max and min */
  RC_VOXEL_BITS,                /* occupancy only: [nz, ny, ceil (nx / 32)] uint32; bit b of word w is x = 32 w + b */
  RC_VOXEL_SPARSE,              /* the occupied voxels in increasing linear index; see RcVoxelOut */
  RC_VOXEL_INDEX,               /* occupancy only: of each point the linear index of its voxel; see RcVoxelJob */
  RC_VOXEL_RANK                 /* occupancy only: of each point the row of its voxel in RC_VOXEL_SPARSE */
} RcVoxelOutput;

/* Whether an output says of each point where it is, and nothing of voxels. */
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

/* Where a field of a point is; it need not be aligned. */
typedef struct RcVoxelField
{
  RcDtype dtype;
  int64_t offset;               /* bytes from the beginning of the point; ends within RC_VOXEL_MAX_POINT_BYTES */
} RcVoxelField;

/* Interleaved points; the first three fields are x, y, z. */
typedef struct RcVoxelPoints
{
  RcDtype dtype;                /* float16, float32 or float64: of every field; with a layout, of x, y and z */
  int64_t fields;               /* 3 … RC_VOXEL_MAX_FIELDS */
  int64_t first_feature;        /* mean, max, min: features are fields first_feature … first_feature + features - 1 */
  int64_t features;
  const RcVoxelField *layout;   /* [fields] of any dtype, x, y and z of one; the plan copies it. NULL: one field lies
                                 * after the other */
} RcVoxelPoints;

/* A depth image of little-endian uint16, 0 = no return. In float32: z = depth * scale, x = rx z, y = ry z. Of a pinhole
 * camera rx = (u - cx) / fx and ry = (v - cy) / fy, computed in double and rounded. A pixel without return, or without a
 * ray, is a NaN point. */
typedef struct RcVoxelDepth
{
  int64_t width, height;        /* pixels, each 1 … 65536 */
  double fx, fy, cx, cy;        /* pixels; fx and fy > 0 */
  double scale;                 /* metres a unit, > 0; used as float32 */
  const float *rays;            /* [height, width, 2] rx, ry of each pixel, where the lens distorts (rays.h); on the host,
                                 * and there as long as the plan. NULL: a pinhole camera */
} RcVoxelDepth;

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
  RcDtype dtype;                /* of values: uint8, uint32, float16 or float32; all but occupancy and count need a
                                 * float; ignored for bits, index and rank, and for sparse occupancy */
  int64_t max_voxels;           /* sparse, rank: voxels in the sparse output, 1 … 2^31 - 1 */
  double feature_range;         /* mean: fixes e and makes the range phase needless; 0: found in the data */
  int64_t batch;                /* jobs that run side by side, >= 1 */
  int64_t max_points;           /* first: points of a voxel in the output, 1 … RC_VOXEL_MAX_FIRST */
  int64_t accumulates;              /* clouds that jobs hold at once, at most, which would like to go on from one another; 0: they
                                 * would not. See rc_voxel_accumulates; max and min alone look at how many they are */
} RcVoxelSpec;

/* What one call adds to; the caller clears it. In the backend's memory (device memory for CUDA). */
typedef struct RcVoxelCounters
{
  int64_t points;               /* handed to add; the sum of the next four */
  int64_t inside;
  int64_t outside;              /* finite, beyond the grid */
  int64_t nan;                  /* with a NaN coordinate: pixels without return, too */
  int64_t infinite;             /* with an infinite coordinate (in float32) and no NaN */
  int64_t clamped;              /* feature values of inside points beyond feature_range */
  int64_t occupied;             /* voxels, from end; 0 for index, which knows no voxels */
  int64_t over_cap;             /* occupied voxels beyond max_voxels, absent from the sparse output, from end */
  int64_t over_points;          /* first: points beyond max_points of voxels in the output, from end */
} RcVoxelCounters;

/* What all calls of one job share, unchanged from begin to end. */
typedef struct RcVoxelJob
{
  int64_t n_points;             /* N: 0 … RC_VOXEL_MAX_POINTS; with item_points the largest of them */
  const int64_t *item_points;   /* [batch] N of each item, in the backend's memory; NULL: n_points each */
  void *scratch;                /* scratch_bytes + n_points * scratch_bytes_per_point, aligned to 256 */

  /* index and rank, whose output add begins to write: it is complete after end. Of each item the points from first_point
   * on in their order of arrival; those before it make voxels and are not said. A job that goes on numbers the points that
   * it adds from first_added on; those that are held already are not said. A GPU wants an address and a stride that are
   * multiples of 8. */
  int64_t *point_voxels;        /* [batch, n_points - first_point]; -1 past the last point of an item */
  int64_t point_voxels_batch_stride;    /* bytes; ignored when batch is 1 */
  int64_t first_point;          /* 0 … n_points */
  int64_t first_added;          /* rank, where the job goes on: 0 … first_point, and no item is added more than n_points -
                                 * first_added points; else 0 */
  int is_clean;                 /* dense and bits, and plans that keep: scratch is as the last end of this plan left it, which
                                 * takes out of the accumulators what the job put there, or knows what it left; so begin need
                                 * not clear them all. Ignored for other outputs. RC_INVALID_ARGUMENT when the last job of
                                 * the plan did not end, or ended in another scratch */

  /* plans that keep */
  int is_incremental;                  /* the accumulators hold the points of the last job, and this one adds and removes what
                                 * differs. N is that of all points which are then held. RC_INVALID_ARGUMENT where
                                 * rc_voxel_can_be_incremental says no */
  const double *ranges;         /* mean without feature_range: [batch, C] the greatest finite magnitude of each feature among
                                 * the inside points of each item's N, on the host, as rc_voxel_measure finds them for
                                 * chunks, read by begin alone; then there is no range phase. NULL: there is one, and no job goes
                                 * on from this */
} RcVoxelJob;

/* Points of every item of the batch. An item may get at most its N points in all chunks together. */
typedef struct RcVoxelChunk
{
  const void *data;             /* [batch, n] points, or [batch, n, width] depth; at any address and stride. Where add gets all
                                 * points of the job in one chunk, end may read them again, and until then they stay */
  int64_t n;                    /* points, or rows of the image; 0 is fine */
  int64_t stride;               /* bytes between points, at least to the end of the last field, or between rows */
  int64_t batch_stride;         /* bytes between items; ignored when batch is 1 */
  const int64_t *counts;        /* [batch] valid points (or rows) of each item, 0 … n, in the backend's memory; NULL: n
                                 * each. What the CPU refuses a GPU cannot see: an item whose count is not in 0 … n,
                                 * or whose points are more than its N, gets no point of the chunk; counters tell. Of
                                 * such an item range must have seen the chunks in the same order */
  int64_t first_row;            /* depth: the row of the image that row 0 of the chunk is */
  RcVoxelCounters *counters;    /* add: points … clamped of this chunk, all of them after end; NULL: not wanted */
  int64_t layer;                /* add, remove of a plan with layers: in which of them its points are, 0 … rc_voxel_layers - 1 */
} RcVoxelChunk;

/* Where end writes. What is not occupied is zero. Every byte of every output is written, but for a dense grid of which it
 * is known what it holds: of that, only what may differ, or all of it where that is cheaper. Batch strides are in bytes and ignored when batch is 1. A GPU
 * wants addresses and batch strides that are multiples of an element's size. */
typedef struct RcVoxelOut
{
  void *grid;                   /* dense and bits */
  int64_t grid_batch_stride;
  uint32_t *n_voxels;           /* sparse: M, the voxels in the output, at most max_voxels */
  int64_t n_voxels_batch_stride;
  int32_t *coordinates;         /* sparse: [max_voxels, 3] x, y, z */
  int64_t coordinates_batch_stride;
  void *values;                 /* sparse: [max_voxels, C] of dtype, [max_voxels] for count, [max_voxels, max_points, C]
                                 * for first; ignored for occupancy */
  int64_t values_batch_stride;
  RcVoxelCounters *counters;    /* occupied, over_cap, over_points; NULL: not wanted */

  /* dense: which voxels of the grid are occupied: bit b of word w is that of linear index 32 w + b. NULL: not wanted. With
   * is_known it is, on entry, what an end of a plan of the same grid, mode, dtype and number of features left there,
   * and nobody else has written to the grid since */
  uint32_t *occupied;           /* rc_voxel_bitmap_bytes of each item */
  int64_t occupied_batch_stride;
  int is_known;

  uint32_t *point_counts;       /* first: [max_voxels] points of each voxel in values, at most max_points */
  int64_t point_counts_batch_stride;
} RcVoxelOut;

typedef struct RcVoxelPlan RcVoxelPlan;

/* Validates spec, chooses and loads what runs it, and states its footprint. Enqueues nothing.
 * Errors: RC_INVALID_ARGUMENT with the field, its value and what was expected; RC_UNSUPPORTED when this backend has no
 * voxel grids. */
RcStatus rc_voxel_plan (RcBackend * backend, const RcVoxelSpec * spec, RcVoxelPlan ** plan, RcFootprint * footprint,
    RcError * error);
void rc_voxel_plan_free (RcVoxelPlan * plan);

/* Values of one voxel, for first of one of its points: 1 for occupancy and count, 3 for centroid, for first the number
 * of fields (3 of depth), else the number of features. */
int64_t rc_voxel_channels (const RcVoxelPlan * plan);
/* Bytes of one item's grid (dense, bits) or values (sparse; 0 for occupancy); 0 for index and rank. */
int64_t rc_voxel_value_bytes (const RcVoxelPlan * plan);
/* Bytes of one item's bitmap of occupied voxels; 0 for outputs other than dense, which have none. */
int64_t rc_voxel_bitmap_bytes (const RcVoxelPlan * plan);
/* Whether the result depends on a range phase over all chunks before the first add. Without, rc_voxel_range does
 * nothing. */
int rc_voxel_needs_range (const RcVoxelPlan * plan);

/* Whether jobs of the plan can go on from one another, as its spec would like: in all modes but first, where the accumulators
 * that this takes beside those of a plan that does not keep have RC_VOXEL_MAX_ACCUMULATED_BYTES at most. Output index, which is of
 * points alone, has none. In such a plan voxels have counts whatever the mode, or of max and min layers, and NaNs and
 * infinities are counted; outputs sparse and rank have accumulators too, of the whole grid, and none by the point. */
#define RC_VOXEL_MAX_ACCUMULATED_BYTES (INT64_C (1) << 29)
int rc_voxel_accumulates (const RcVoxelPlan * plan);
/* Clouds that jobs can hold at once, each in a layer of its own: RcVoxelSpec.accumulates of max and min that keep; 0: as many as may
 * be, without layers. What a layer holds leaves as a whole, in one chunk or more, before anything else is added, removed or
 * written. */
int64_t rc_voxel_layers (const RcVoxelPlan * plan);
/* Whether the job, as its begin would get it, may go on from the last one: that one ended, in the same scratch, and of
 * means all scales are the same: ceil (log2 (max (N, 1))) and 2^e. Means of jobs with item_points are always made anew. */
int rc_voxel_can_be_incremental (const RcVoxelPlan * plan, const RcVoxelJob * job);
/* Raises ranges [batch, C] to the greatest finite magnitude of each feature among the inside points of a chunk: for
 * RcVoxelJob.ranges, apart from any job. Of plans that keep and need a range. It waits for the stream, since ranges are in the
 * host's memory. */
RcStatus rc_voxel_measure (RcVoxelPlan * plan, const RcVoxelChunk * chunk, double *ranges, RcStream stream,
    RcError * error);

/* The phases. Each enqueues on stream, allocates nothing, queries nothing and waits for nothing. One plan is used by
 * one thread at a time, for one job at a time. Errors: RC_INVALID_ARGUMENT (a NULL pointer, a stride below the row's
 * size, more points than the job has, or added than ranged or the other way round, a phase out of order),
 * RC_DEVICE_FAILED. */
RcStatus rc_voxel_begin (RcVoxelPlan * plan, const RcVoxelJob * job, RcStream stream, RcError * error);
RcStatus rc_voxel_range (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
RcStatus rc_voxel_add (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
/* Of a chunk that jobs which this one goes on from added, all of it or none; how these were cut does not matter. Points,
 * counts and layer must be as they were then. Its counters are not looked at. Where a plan keeps, an error of add or remove that a
 * backend found ends the job, since nobody knows what is held then. */
RcStatus rc_voxel_remove (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);
RcStatus rc_voxel_end (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelOut * out, RcStream stream,
    RcError * error);

/* A job of one chunk: begin, range, add and end. An error ends the job. */
RcStatus rc_voxel_run (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, const RcVoxelOut * out,
    RcStream stream, RcError * error);

#ifdef __cplusplus
}
#endif
#endif
