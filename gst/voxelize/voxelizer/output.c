/* robocache: outputs of a job: the place where kernels write them, and their way to the destination
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include "common/device/occupancystamp.h"

/* ---- where kernels write ---- */

/* NULL: kernels of the shard cannot write there. */
static guint8 *
output_in_place (const RobocacheVoxelShard *shard, const RobocacheVoxelPlace *place, guint output)
{
  if (place->mapped[output])
    return robocache_engine_is_gpu (shard->engine) ? NULL : place->mapped[output];
  return robocache_memory_reach (place->memories[output], 0, shard->engine);
}

guint64
robocache_voxel_output_bytes (const RobocacheVoxelShard *shard, const RobocacheVoxelPlace *place, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < place->n_outputs; i++) {
    if (output_in_place (shard, place, i) == NULL)
      bytes += robocache_voxel_aligned (items * place->item_bytes[i]);
  }
  return bytes;
}

void
robocache_voxel_output_find_bitmap (RobocacheVoxelRun *run)
{
  const RobocacheVoxelShards *shards = run->shards;
  gboolean in_place = shards->bitmap_bytes > 0 && run->place->mapped[0] == NULL;

  for (guint i = 0; i < shards->n && in_place; i++)
    in_place = output_in_place (&shards->shards[i], run->place, 0) != NULL;
  if (in_place)
    run->occupied = robocache_memory_begin_stamp (run->place->memories[0], shards->writer,
        shards->bitmap_bytes * (guint64) shards->spec.batch, &run->is_known);
}

void
robocache_voxel_output_stamp (const RobocacheVoxelRun *run)
{
  if (run->occupied)
    robocache_memory_end_stamp (run->place->memories[0], run->shards->writer);
}

static RcVoxelOut
describe_grid (const RobocacheVoxelJob *job, guint8 *grid)
{
  const guint64 bitmap_bytes = job->run->shards->bitmap_bytes;
  RcVoxelOut out = {.counters = job->counters,.grid = grid,
    .grid_batch_stride = (gint64) job->run->place->item_bytes[0]
  };

  if (job->run->occupied) {
    out.occupied = (guint32 *) (job->run->occupied + job->first * bitmap_bytes);
    out.occupied_batch_stride = (gint64) bitmap_bytes;
    out.is_known = job->run->is_known;
  }
  return out;
}

static RcVoxelOut
describe_sparse (const RobocacheVoxelJob *job, guint8 *const parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS])
{
  const guint64 *strides = job->run->place->item_bytes;

  return (RcVoxelOut) {.counters = job->counters,
    .n_voxels = (guint32 *) parts[0],.n_voxels_batch_stride = (gint64) strides[0],
    .coordinates = (gint32 *) parts[1],.coordinates_batch_stride = (gint64) strides[1],
    .values = parts[2],.values_batch_stride = (gint64) strides[2],
    .point_counts = (guint32 *) parts[3],.point_counts_batch_stride = (gint64) strides[3]
  };
}

/* Maps list the points of the newest cloud, which is added last. */
static void
place_map (RobocacheVoxelJob *job, guint8 *map)
{
  const RobocacheCloudWindow *window = job->run->window;
  const guint n = robocache_cloud_window_length (window);

  job->job.point_voxels = (gint64 *) map;
  job->job.point_voxels_batch_stride = (gint64) job->run->place->item_bytes[0];
  job->job.first_point = job->job.n_points - robocache_cloud_window_nth (window, n - 1)->n_points;
  job->job.first_added = job->job.n_points - robocache_voxel_run_points_added (job->run);
}

void
robocache_voxel_output_place (RobocacheVoxelJob *job, guint8 *parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS])
{
  const RobocacheVoxelPlace *place = job->run->place;
  const RcVoxelOutput output = job->run->shards->spec.output;
  guint64 offset = 0;

  for (guint i = 0; i < ROBOCACHE_VOXELIZER_MAX_OUTPUTS; i++)
    parts[i] = NULL;
  for (guint i = 0; i < place->n_outputs; i++) {
    guint8 *in_place = output_in_place (job->shard, place, i);

    parts[i] = in_place ? in_place + job->first * place->item_bytes[i] : (guint8 *) job->shard->outputs.data + offset;
    offset += in_place ? 0 : robocache_voxel_aligned (job->n * place->item_bytes[i]);
  }
  job->out = rc_voxel_maps_points (output) ? (RcVoxelOut) {.counters = job->counters}
  : output == RC_VOXEL_SPARSE ? describe_sparse (job, parts) : describe_grid (job, parts[0]);
  if (rc_voxel_maps_points (output))
    place_map (job, parts[0]);
}

/* ---- from there to the destination ---- */

gboolean
robocache_voxel_output_deliver (const RobocacheVoxelJob *job, guint8 *const parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS],
    GError **error)
{
  const RobocacheVoxelPlace *place = job->run->place;
  RobocacheVoxelShard *shard = job->shard;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < place->n_outputs && status == RC_OK; i++) {
    const guint64 bytes = job->n * place->item_bytes[i], offset = job->first * place->item_bytes[i];
    guint8 *to = place->mapped[i] ? place->mapped[i] : robocache_memory_data (place->memories[i]);

    if (output_in_place (shard, place, i))
      continue;
    if (place->mapped[i] == NULL && robocache_is_gpu_memory (place->memories[i]))
      status = robocache_engine_fetch (job->run->shards->shards[0].engine, to + offset, shard->engine, parts[i], bytes,
          shard->done, shard->gathered, &failure);
    else
      status = robocache_engine_copy (shard->engine, to + offset, parts[i], bytes, &failure);
  }
  return robocache_engine_check (status, &failure, error);
}
