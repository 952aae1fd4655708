/* robocache: the voxelizer, outputs: where kernels write them, and how they come to where they are wanted
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

/* ---- where kernels write ---- */

/* NULL: kernels of the lane do not write there. */
static guint8 *
output_in_place (const RobocacheVoxelLane *lane, const RobocacheVoxelPlace *place, guint output)
{
  if (place->mapped[output])
    return robocache_engine_is_gpu (lane->engine) ? NULL : place->mapped[output];
  return robocache_engine_reach (lane->engine, place->memories[output], 0);
}

guint64
robocache_voxelizer_bytes_of_outputs (const RobocacheVoxelLane *lane, const RobocacheVoxelPlace *place, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < place->n_outputs; i++) {
    if (output_in_place (lane, place, i) == NULL)
      bytes += robocache_voxelizer_aligned (items * place->item_bytes[i]);
  }
  return bytes;
}

void
robocache_voxelizer_take_bitmap (RobocacheVoxelRun *run)
{
  const RobocacheVoxelizer *voxelizer = run->voxelizer;
  gboolean in_place = voxelizer->bitmap_bytes > 0 && run->place->mapped[0] == NULL;

  for (guint i = 0; i < voxelizer->n_lanes && in_place; i++)
    in_place = output_in_place (&voxelizer->lanes[i], run->place, 0) != NULL;
  if (in_place)
    run->occupied = robocache_memory_take_notes (run->place->memories[0], voxelizer->number,
        voxelizer->bitmap_bytes * (guint64) voxelizer->spec.batch, &run->is_known);
}

static void
set_bitmap (const RobocacheVoxelJob *job, RcVoxelOut *out)
{
  const guint64 bytes = job->run->voxelizer->bitmap_bytes;

  if (job->run->occupied == NULL)
    return;
  out->occupied = (guint32 *) (job->run->occupied + job->first * bytes);
  out->occupied_batch_stride = (gint64) bytes;
  out->is_known = job->run->is_known;
}

RcVoxelOut
robocache_voxelizer_set_outputs (const RobocacheVoxelJob *job, guint8 *parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS])
{
  const RobocacheVoxelPlace *place = job->run->place;
  const RcVoxelOutput output = job->run->voxelizer->spec.output;
  RcVoxelOut out = {.counters = job->counters };
  guint64 at = 0;

  for (guint i = 0; i < place->n_outputs; i++) {
    guint8 *in_place = output_in_place (job->lane, place, i);

    parts[i] = in_place ? in_place + job->first * place->item_bytes[i] : (guint8 *) job->lane->outputs.data + at;
    at += in_place ? 0 : robocache_voxelizer_aligned (job->n * place->item_bytes[i]);
  }
  if (rc_voxel_maps_points (output))
    return out;
  if (output != RC_VOXEL_SPARSE) {
    out.grid = parts[0];
    out.grid_batch_stride = (gint64) place->item_bytes[0];
    set_bitmap (job, &out);
    return out;
  }
  out.n_voxels = (guint32 *) parts[0];
  out.n_voxels_batch_stride = (gint64) place->item_bytes[0];
  out.coordinates = (gint32 *) parts[1];
  out.coordinates_batch_stride = (gint64) place->item_bytes[1];
  out.values = place->n_outputs > 2 ? parts[2] : NULL;
  out.values_batch_stride = place->n_outputs > 2 ? (gint64) place->item_bytes[2] : 0;
  out.point_counts = place->n_outputs > 3 ? (guint32 *) parts[3] : NULL;
  out.point_counts_batch_stride = place->n_outputs > 3 ? (gint64) place->item_bytes[3] : 0;
  return out;
}

void
robocache_voxelizer_set_map (RobocacheVoxelJob *job, guint8 *map)
{
  const RobocacheCloudWindow *window = job->run->window;
  const guint n = robocache_cloud_window_length (window);

  if (!rc_voxel_maps_points (job->run->voxelizer->spec.output))
    return;
  job->job.point_voxels = (gint64 *) map;
  job->job.point_voxels_batch_stride = (gint64) job->run->place->item_bytes[0];
  job->job.first_point = job->job.n_points - robocache_cloud_window_nth (window, n - 1)->n_points;
  job->job.first_added = job->job.n_points - robocache_voxelizer_points_added (job->run);
}

/* ---- from there to where they are wanted ---- */

gboolean
robocache_voxelizer_deliver (const RobocacheVoxelJob *job, guint8 *const parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS],
    GError **error)
{
  const RobocacheVoxelPlace *place = job->run->place;
  RobocacheVoxelLane *lane = job->lane;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < place->n_outputs && status == RC_OK; i++) {
    const guint64 bytes = job->n * place->item_bytes[i], offset = job->first * place->item_bytes[i];
    guint8 *to = place->mapped[i] ? place->mapped[i] : robocache_memory_data (place->memories[i]);

    if (output_in_place (lane, place, i))
      continue;
    if (place->mapped[i] == NULL && robocache_is_gpu_memory (place->memories[i]))
      status = robocache_engine_fetch (job->run->voxelizer->lanes[0].engine, to + offset, lane->engine, parts[i], bytes,
          lane->done, lane->gathered, &failure);
    else
      status = robocache_engine_copy (lane->engine, to + offset, parts[i], bytes, &failure);
  }
  return robocache_engine_check (status, &failure, error);
}
