/* robocache: the content of a voxel plan, for the backends
 *
 * voxel_spec.c validates specs, voxel_job.c validates arguments, and voxel_layout.c lays out the scratch; a backend implements the
 * functions below, whose arguments are valid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "voxel.h"
#include "voxel_arithmetic.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The head of an item's scratch. */
typedef struct RcVoxelItem
{
  int64_t n_points;             /* N of the item */
  int64_t n_added;              /* points that this job has added, plus first_added: the number of the next point */
  int64_t n_held;               /* plans that accumulate: points in the accumulators, from this job and earlier ones */
  int64_t n_keys;               /* sparse, rank in other plans: number of inside points so far */
} RcVoxelItem;

/* Byte offsets in an item's fixed scratch, which begins with RcVoxelItem; every one is a multiple of 64. Arrays that a mode does not need
 * have no bytes. begin clears the part before `bits`, unless the job is incremental or the backend
 * does not need this. The other part has the accumulators, which end clears unless the plan accumulates. A plan that accumulates has dense
 * accumulators for outputs sparse and rank, too. */
typedef struct RcVoxelLayout
{
  uint64_t range;               /* uint64 [C]: bits of the greatest finite |x| as float64 */
  uint64_t scales;              /* RcVoxelScale [C] */
  uint64_t bits;                /* dense, bits: uint32 [bit_words]: occupied voxels; all other voxels are 0 in the arrays below */
  uint64_t counts;              /* dense count, mean, centroid, and plans that accumulate without layers: uint32 [voxels],
                                 * for bits [32 bit_words] */
  uint64_t sums;                /* dense mean, centroid: int64 [voxels, C] */
  uint64_t nonfinite_flags;     /* dense mean: RC_VOXEL_NONFINITE_… of voxels * C features, 8 in a uint32 */
  uint64_t nonfinite_counts;    /* in a plan that accumulates, instead of nonfinite_flags: uint32 [voxels, C, 3], the numbers of points with
                                 * each RC_VOXEL_NONFINITE_…, in that order */
  uint64_t keys;                /* dense max, min: uint32 [voxels, C]; 0: no point */
  uint64_t layers;              /* plans that accumulate max, min: uint32 [voxels, layers, C], the keys of each cloud; the keys of a voxel
                                 * are adjacent, since they are read together */
  uint64_t item_bytes;

  /* sparse and rank: arrays with N entries each, after the fixed scratch of all items; the widest array first */
  uint64_t payload_bytes;       /* stored bytes per point: mean and pillars [C] of stored_dtype, centroid float32 [3], max and min uint32
                                 * [C] keys, first [C] of the output's dtype; rounded up to 4 */
  uint64_t point_bytes;         /* two keys (uint64), the payload, and if points have an order two numbers (uint32); rounded up to 8 */

  /* additional bytes for a backend, set by its prepare */
  uint64_t backend_bytes;       /* bytes per job, after the fixed scratch of all items; a multiple of 64 */
  uint64_t backend_point_bytes; /* bytes for each of the N points of each item, in addition to point_bytes */
} RcVoxelLayout;

typedef struct RcVoxelOps
{
  /* May set backend_state, and the backend's part of the layout. release is called only if prepare succeeds. */
  RcStatus (*prepare) (RcVoxelPlan * plan, RcError * error);
  void (*release) (RcVoxelPlan * plan);
  RcStatus (*begin) (RcVoxelPlan * plan, const RcVoxelJob * job, RcStream stream, RcError * error);
  RcStatus (*range) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
      RcError * error);
  RcStatus (*add) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
      RcError * error);
  RcStatus (*remove) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
      RcError * error);         /* remove and measure NULL: no plan accumulates */
  RcStatus (*end) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelOut * out, RcStream stream,
      RcError * error);
  RcStatus (*measure) (RcVoxelPlan * plan, const RcVoxelChunk * chunk, double *ranges, RcStream stream,
      RcError * error);
} RcVoxelOps;

typedef enum RcVoxelPhase
{
  RC_VOXEL_IDLE,
  RC_VOXEL_BEGUN,
  RC_VOXEL_ADDING
} RcVoxelPhase;

struct RcVoxelPlan
{
  RcBackend *backend;
  const RcVoxelOps *ops;        /* functions of the backend */
  void *backend_state;          /* from prepare to release */
  RcVoxelSpec spec;
  RcVoxelField *fields;         /* fields of a point, with or without a layout in the spec; NULL for depth */
  const RcVoxelField *features; /* the features among the fields; all fields for first and pillars */
  int64_t unit_bytes;           /* bytes of a point up to the end of its last field, or of a line of the image */
  int is_packed;                /* x, y, z and the used features are adjacent from byte 0 on, with the same dtype */
  RcDtype stored_dtype;           /* sparse mean, pillars: float32 if it represents every feature exactly, otherwise float64 */
  RcVoxelBox box;
  int64_t channels;             /* values per voxel; modes first and pillars: fields per point */
  int64_t decorations;          /* rc_voxel_decorations */
  int64_t voxels;               /* voxels of the grid; INT64_MAX for the largest grid, which has 2^63 and is never dense */
  int64_t bit_words;            /* uint32 words of an item's bitmap, by linear index, or for output bits in rows of whole words; 0 for
                                 * sparse and rank without accumulation */
  int centroid_exponent[3];     /* 2^e above the grid's extent */
  int key_bits;                 /* sparse, rank: significant bits of a linear index */
  uint32_t flip;                /* flip of max and min keys */
  int accumulates;              /* jobs can be incremental */
  int64_t layers;               /* max, min in a plan that accumulates: maximum clouds at once; otherwise 0 */
  RcVoxelLayout layout;

  RcVoxelPhase phase;
  int64_t ranged, added;        /* points in the chunks of this job so far; added includes the points before first_added */
  int has_counts;               /* a chunk of this job has counts */
  const void *ended_scratch;    /* scratch in which the last job ended; NULL: none has ended */

  /* for plans that accumulate */
  int64_t held;                 /* points of the chunks in the accumulators, or fewer if the chunks have counts */
  int held_has_counts;
  int knows_ranges;             /* the ranges of this job are known, so it has no range phase */
  int log2_points;              /* means: ceil (log2 (N)) in the scales of the accumulators; -1: it differs between items */
  int *exponents;               /* [batch, C] the exponents e of these scales; NULL: the spec fixes them */
  int64_t *held_in;             /* [layers] number of held points in each layer; NULL: no layers */
  int64_t leaving;              /* the layer from which only some points have been removed; -1: none */
};

/* Checks a spec for all backends. */
RcStatus rc_voxel_check_spec (const RcVoxelSpec * spec, RcError * error);

/* Lays out the part of the plan's scratch that all backends share. */
RcStatus rc_voxel_lay_out (RcVoxelPlan * plan, RcError * error);

/* voxel_accumulate.c: makes the plan accumulate if its spec asks for it and it is possible; checks an incremental job; stores the scales
 * of a job for later incremental jobs. */
RcStatus rc_voxel_lay_out_accumulated (RcVoxelPlan * plan, RcError * error);
RcStatus rc_voxel_check_incremental (const RcVoxelPlan * plan, const RcVoxelJob * job, RcError * error);
void rc_voxel_store_scales (RcVoxelPlan * plan, const RcVoxelJob * job);

/* voxel_layers.c: counts the points of each layer; all functions do nothing in a plan without layers. make and empty set all counts to 0.
 * check_layer: whether the points of a chunk (negative: removed points) may be added or removed; count_layer: counts them afterwards.
 * check_leaving: whether no layer is only partly removed. */
RcStatus rc_voxel_make_layers (RcVoxelPlan * plan, RcError * error);
void rc_voxel_empty_layers (RcVoxelPlan * plan);
RcStatus rc_voxel_check_layer (const RcVoxelPlan * plan, const RcVoxelChunk * chunk, int64_t points, RcError * error);
void rc_voxel_count_layer (RcVoxelPlan * plan, const RcVoxelChunk * chunk, int64_t points);
RcStatus rc_voxel_check_leaving (const RcVoxelPlan * plan, RcError * error);

/* The bytes and the values of the rays of a pinhole camera: x of each column, then y of each row. */
size_t rc_pinhole_rays_bytes (const RcVoxelDepth * depth);
void rc_pinhole_rays (const RcVoxelDepth * depth, float *rays);

/* Names for messages about a valid spec. */
const char *rc_voxel_mode_name (RcVoxelMode mode);
const char *rc_voxel_output_name (RcVoxelOutput output);

/* Whether the accumulators are sums, counts and scales, as for a mean. */
static inline int
rc_voxel_is_mean (const RcVoxelPlan *plan)
{
  return plan->spec.mode == RC_VOXEL_MEAN || plan->spec.mode == RC_VOXEL_CENTROID;
}

static inline int
rc_voxel_needs_features (RcVoxelMode mode)
{
  return mode == RC_VOXEL_MEAN || mode == RC_VOXEL_MAX || mode == RC_VOXEL_MIN;
}

/* Whether the output has a place for every voxel of the grid. */
static inline int
rc_voxel_is_grid (RcVoxelOutput output)
{
  return output == RC_VOXEL_DENSE || output == RC_VOXEL_BITS;
}

/* Whether voxels of the output have values of the spec's dtype. */
static inline int
rc_voxel_has_values (const RcVoxelSpec *spec)
{
  return spec->output == RC_VOXEL_DENSE || (spec->output == RC_VOXEL_SPARSE && spec->mode != RC_VOXEL_OCCUPANCY);
}

/* Maximum points of a voxel in the output; 1 if voxels have values instead of points. */
static inline int64_t
rc_voxel_points_each (const RcVoxelSpec *spec)
{
  return rc_voxel_lists_points (spec->mode) ? spec->max_points : 1;
}

/* Whether there are accumulators for every voxel of the grid. */
static inline int
rc_voxel_has_accumulators (const RcVoxelPlan *plan)
{
  return rc_voxel_is_grid (plan->spec.output) || plan->accumulates;
}

/* Whether points are stored with the keys of their voxels, and sorted by them. */
static inline int
rc_voxel_sorts (const RcVoxelPlan *plan)
{
  return !rc_voxel_has_accumulators (plan) && plan->spec.output != RC_VOXEL_INDEX;
}

/* Whether the sort moves the number of each point along with its key. */
static inline int
rc_voxel_is_ordered (const RcVoxelPlan *plan)
{
  return plan->layout.payload_bytes > 0 || plan->spec.output == RC_VOXEL_RANK;
}

static inline int
rc_voxel_is_extreme (const RcVoxelPlan *plan)
{
  return plan->spec.mode == RC_VOXEL_MAX || plan->spec.mode == RC_VOXEL_MIN;
}

#ifdef __cplusplus
}
#endif
