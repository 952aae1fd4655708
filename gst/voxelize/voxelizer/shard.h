/* robocache: the engines that share a batch of grids, and their plans
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/scratch.h"
#include "common/transfers/upload.h"
#include "kernels/voxel.h"

typedef struct
{
  RcVoxelPlan *plan;
  RcFootprint footprint;
  guint64 items;                /* batch of the plan; 0: no plan */
} RobocacheVoxelPlan;

/* One engine and its share of the items. A zeroed struct may be cleared. */
typedef struct
{
  RobocacheEngine *engine;
  guint64 first, n;             /* range of items */
  guint64 items;                /* items per job; 0: not chosen yet */
  RobocacheVoxelPlan plans[2];  /* plans for `items` items, and for the remainder */
  RobocacheStaging staging;
  RobocacheScratch scratch;
  RobocacheScratch clouds;      /* copies of clouds that kernels cannot read directly */
  guint64 uploaded_cloud;       /* 1 + number of the cloud that was uploaded for a measurement, and is still at the beginning of `clouds`;
                                 * or 0 */
  RobocacheScratch outputs;     /* outputs that kernels cannot write directly */
  gboolean is_cut;              /* `clouds` contains only a piece of one cloud */
  const RcVoxelPlan *clean;     /* plan whose last job left `scratch` clean; NULL: none */

  RcEvent done;                 /* the shard wrote its output */
  RcEvent gathered;             /* event of the first engine's device: `outputs` was fetched */
} RobocacheVoxelShard;

typedef struct
{
  guint64 writer;               /* unique number, for occupancy stamps on the grids that these shards wrote */
  RcVoxelSpec spec;
  RcVoxelField *layout;         /* copy that spec refers to */
  guint64 bitmap_bytes;         /* bytes of an item's bitmap of occupied voxels; 0: no bitmap */
  gboolean reads_host;          /* kernels read system memory */
  gboolean accumulates;         /* all plans accumulate incrementally, and fit the memory budget */
  const gchar *recomputes;      /* see RobocacheVoxelWork */
  guint n;                      /* each has at least one item */
  RobocacheVoxelShard *shards;
} RobocacheVoxelShards;

/* Splits spec->batch items over the engines and makes a plan on each. Clear shards also after an error. */
RcStatus robocache_voxel_shards_init (RobocacheVoxelShards * shards, RobocacheEngine * const *engines, guint n_engines,
    gboolean reads_host, const RcVoxelSpec * spec, RcError * failure);
void robocache_voxel_shards_clear (RobocacheVoxelShards * shards);
/* Waits for all engines: the first may still fetch from the memory of another. */
void robocache_voxel_shards_synchronize (const RobocacheVoxelShards * shards);
/* Replaces all plans by plans that accumulate nothing, which need less memory. reason: static. */
void robocache_voxel_shards_stop_accumulating (RobocacheVoxelShards * shards, const gchar * reason);
/* Makes one of the shard's plans for `items` items; returns at once if the plan already has this number. */
RcStatus robocache_voxel_shard_make_plan (const RobocacheVoxelShards * shards, RobocacheVoxelShard * shard,
    RobocacheVoxelPlan * plan, guint64 items, RcError * failure);

static inline gboolean
robocache_voxel_is_no_space (const GError *error)
{
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

/* Bytes of a part of a block, rounded up so that the next part has the alignment of the block. */
static inline guint64
robocache_voxel_aligned (guint64 bytes)
{
  return (bytes + ROBOCACHE_ALIGNMENT - 1) / ROBOCACHE_ALIGNMENT * ROBOCACHE_ALIGNMENT;
}
