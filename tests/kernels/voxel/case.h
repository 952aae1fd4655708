/* robocache: a random voxel grid, made on every backend
 *
 * A case is a function of its seed and its wish: clouds or depth images in chunks, each with its own stride, alignment and
 * counts, in different orders for range and add. All of its memory is regions of one arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/voxel.h"
#include "tests/kernels/suite.h"

#define CASE_CHUNKS 12
#define CASE_FIELDS 96          /* of a point that has a layout */
#define ANY (-1)

/* Where points lie. */
typedef enum
{
  SPREAD,                       /* anywhere, on faces of voxels, outside, NaN and infinite */
  ONE_VOXEL,
  FEW_VOXELS,
  ALL_OUTSIDE,
  N_SPREADS
} Spread;

typedef struct
{
  int source, input;            /* RcVoxelSource, RcDtype of points; or ANY, as all of these */
  int mode, output, dtype;
  int64_t batch, points;        /* of an item in all chunks */
  int64_t axis;                 /* voxels along each axis */
  int64_t features;
  int spread;
  int layout;                   /* fields of any type anywhere, or a ray a pixel: 1, 0 or ANY */
  int plain;                    /* one dense, aligned chunk, without a layout */
  int64_t max_points;           /* 0: any */
} VoxelWish;

typedef struct
{
  uint64_t seed, random;
  Spread spread;
  RcVoxelSpec spec;
  RcVoxelField layout[CASE_FIELDS];
  float *rays;                  /* of depth; NULL: none */
  RcVoxelJob job;               /* host addresses, as all of these; no scratch */
  RcVoxelChunk chunks[CASE_CHUNKS];
  int n_chunks;
  int range_order[CASE_CHUNKS], add_order[CASE_CHUNKS];
  int halves;                   /* add gets each chunk without counts in two */
  RcVoxelOut out;
} VoxelCase;

/* Clears the arena and fills it with the case; 0 on failure, which test then has. Call voxel_case_clear in any case. */
int voxel_case_make (VoxelCase * c, const VoxelWish * wish, uint64_t seed, const Suite * suite, Test * test);
void voxel_case_clear (VoxelCase * c);
/* Other points in place of those in the chunks, with another spread. */
void voxel_case_replace_points (VoxelCase * c);
/* Outputs and counters of a spec, job and chunks that the caller has set; 0 on failure, which test then has. */
int voxel_case_take_outputs (VoxelCase * c, const Suite * suite, int plain, Test * test);

/* The case in words. Valid until the next call in this thread. */
const char *voxel_case_text (const VoxelCase * c);

/* A field of a point: of the layout, or packed. */
RcVoxelField voxel_case_field (const VoxelCase * c, int64_t i);
/* Bytes of a point, or of a row of the image. */
int64_t voxel_case_unit_bytes (const VoxelCase * c);

/* ---- running ---- */

/* The case at a place. */
typedef struct
{
  const Place *place;
  RcVoxelJob job;
  RcVoxelChunk chunks[CASE_CHUNKS];
  RcVoxelOut out;
  RcVoxelPlan *plan;
  Scratch scratch;
} PlacedVoxels;

/* Places of the suite that a case runs on: all, and the reference where the oracle says what is expected. */
typedef struct
{
  PlacedVoxels placed[MAX_PLACES];
  int n;
  int has_oracle;
} PlacedCase;

/* Copies the case to a place and makes a plan there. Returns whether that succeeded; call voxels_leave in any case. */
int voxels_place (const VoxelCase * c, Arena * arena, const Place * place, PlacedVoxels * placed, Test * test);
/* The addresses of a case that the caller has changed since. */
void voxels_find (const VoxelCase * c, Arena * arena, PlacedVoxels * placed);
/* All phases, in the orders of the case; may be captured. Returns whether all were enqueued. */
int voxels_enqueue (const VoxelCase * c, const PlacedVoxels * placed, Test * test);
/* A job that begins and does not end. */
void voxels_give_up (const VoxelCase * c, const PlacedVoxels * placed, Test * test);
void voxels_leave (PlacedVoxels * placed, Test * test);

/* The same on all places, between which the caller may change the case's points. voxel_case_upload copies the arena there. */
int voxel_case_place (const VoxelCase * c, Suite * suite, PlacedCase * all, Test * test);
int voxel_case_upload (const VoxelCase * c, Suite * suite, const PlacedCase * all, Test * test);
void voxel_case_run (const VoxelCase * c, Suite * suite, const PlacedCase * all, Test * test);
void voxel_case_leave (PlacedCase * all, Test * test);
/* All of these, once. */
void voxel_case_check (const VoxelCase * c, Suite * suite, Test * test);

/* Writes to the arena what is expected: by the oracle, or by the reference. */
void voxel_case_expect (const VoxelCase * c, const Suite * suite, int has_oracle, Test * test);
/* Whether the oracle is fast enough for the case. */
int voxel_case_has_oracle (const VoxelCase * c);
/* Computes the oracle's outputs of all items into the case. */
void voxel_case_ask_oracle (const VoxelCase * c, int64_t value_bytes, int64_t bitmap_bytes, Test * test);

/* Sections of other files. */
void check_written_voxels (Suite * suite);
void check_kept_voxels (Suite * suite);
void check_voxel_plans (Suite * suite);
void check_voxel_errors (Suite * suite);

extern const char *const voxel_modes[], *const voxel_outputs[];
