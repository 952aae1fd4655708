/* robocache: the voxelizer, one cloud: its rows, where they are, and how they reach the kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

/* ---- where it is ---- */

/* Bytes of a point, or of a line of an image. */
static guint64
row_bytes (const RobocachePointsInfo *points)
{
  if (points->kind == ROBOCACHE_POINTS_DEPTH)
    return 2 * (guint64) GST_VIDEO_INFO_WIDTH (&points->video);
  return robocache_points_info_point_size (points);
}

guint64
robocache_voxelizer_row_stride (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  const GstVideoMeta *meta;

  if (points->kind != ROBOCACHE_POINTS_DEPTH)
    return row_bytes (points);
  meta = gst_buffer_get_video_meta (cloud->buffer);
  return (guint64) (meta ? meta->stride[0] : GST_VIDEO_INFO_PLANE_STRIDE (&points->video, 0));
}

static guint64
n_rows (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  return points->kind == ROBOCACHE_POINTS_DEPTH ? (guint64) GST_VIDEO_INFO_HEIGHT (&points->video)
      : (guint64) cloud->n_points;
}

/* Of an item, from its first byte to its last one. */
static guint64
cloud_bytes (const RobocachePointsInfo *points, const RobocacheCloud *cloud, guint64 rows)
{
  return rows > 0 ? (rows - 1) * robocache_voxelizer_row_stride (points, cloud) + row_bytes (points) : 0;
}

/* The one memory of a cloud in device memory; NULL for others, which the CPU reads. */
static GstMemory *
device_memory (const RobocacheCloud *cloud)
{
  GstMemory *memory = gst_buffer_n_memory (cloud->buffer) == 1 ? gst_buffer_peek_memory (cloud->buffer, 0) : NULL;

  return memory && robocache_is_gpu_memory (memory) ? memory : NULL;
}

/* Where kernels of the lane find a cloud's first item; NULL: they do not. */
static const guint8 *
cloud_in_place (const RobocacheVoxelLane *lane, const RobocacheCloud *cloud)
{
  GstMemory *memory = device_memory (cloud);

  return memory ? robocache_engine_reach (lane->engine, memory, 0) : NULL;
}

guint64
robocache_voxelizer_bytes_of_cloud (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane,
    const RobocacheCloud *cloud, guint64 items)
{
  if (run->voxelizer->reads_host || cloud_in_place (lane, cloud))
    return 0;
  return robocache_voxelizer_aligned (items * cloud_bytes (run->points, cloud, n_rows (run->points, cloud)));
}

gboolean
robocache_voxelizer_bracket_cloud (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane,
    const RobocacheCloud *cloud, gboolean begin, GError **error)
{
  if (run->voxelizer->reads_host || cloud_in_place (lane, cloud) == NULL)
    return TRUE;
  return begin ? robocache_memory_begin_read (device_memory (cloud), lane->engine, error)
      : robocache_memory_end_read (device_memory (cloud), lane->engine, error);
}

/* ---- a phase of it ---- */

/* Whether its points become part of grids, or leave them; others only look. */
static gboolean
moves_points (RobocacheVoxelPhase phase)
{
  return phase != ROBOCACHE_VOXEL_PHASE_RANGE && phase != ROBOCACHE_VOXEL_PHASE_MEASURE;
}

static gboolean
run_chunk (const RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RcVoxelChunk *chunk, GError **error)
{
  const RcStream stream = robocache_engine_stream (job->lane->engine);
  RcStatus status = RC_OK;
  RcError failure;

  switch (phase) {
    case ROBOCACHE_VOXEL_PHASE_RUN:
      status = rc_voxel_run (job->plan, &job->job, chunk, &job->out, stream, &failure);
      break;
    case ROBOCACHE_VOXEL_PHASE_RANGE:
      status = rc_voxel_range (job->plan, &job->job, chunk, stream, &failure);
      break;
    case ROBOCACHE_VOXEL_PHASE_ADD:
      status = rc_voxel_add (job->plan, &job->job, chunk, stream, &failure);
      break;
    case ROBOCACHE_VOXEL_PHASE_REMOVE:
      status = rc_voxel_remove (job->plan, &job->job, chunk, stream, &failure);
      break;
    case ROBOCACHE_VOXEL_PHASE_MEASURE:
      status = rc_voxel_measure (job->plan, chunk, job->measured, stream, &failure);
      break;
  }
  return robocache_voxelizer_check_phase (status, &failure, error);
}

/* Clouds that are held at once have numbers one after the other. */
static gint64
layer_of (const RobocacheVoxelJob *job, const RobocacheCloud *cloud)
{
  const guint64 layers = (guint64) rc_voxel_layers (job->plan);

  return layers > 0 ? (gint64) (cloud->number % layers) : 0;
}

static RcVoxelChunk
whole_cloud (const RobocacheVoxelJob *job, const RobocacheCloud *cloud, const guint8 *data, RcVoxelCounters *counters)
{
  const RobocachePointsInfo *points = job->run->points;
  const gint64 n = (gint64) n_rows (points, cloud), stride = (gint64) robocache_voxelizer_row_stride (points, cloud);

  return (RcVoxelChunk) {.data = data,.n = n,.stride = stride,.batch_stride = n * stride,.counters = counters,
    .layer = layer_of (job, cloud)
  };
}

/* From offset of a cloud, to a block of the lane. mapped: where the CPU reads it; NULL: it is in device memory. */
static gboolean
bring (const RobocacheVoxelJob *job, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped, guint64 offset,
    guint64 bytes, guint8 *to, GError **error)
{
  if (mapped)
    return robocache_staging_upload_bytes (&job->lane->staging, job->lane->engine, mapped->data + offset, bytes, to,
        error);
  return robocache_staging_upload (&job->lane->staging, job->lane->engine, device_memory (cloud), offset, bytes, to,
      error);
}

/* A cloud that does not fit, in as many pieces as it needs; of one item. The stream keeps them apart. */
static gboolean
run_pieces (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    const RobocacheMappedCloud *mapped, RcVoxelCounters *counters, GError **error)
{
  const RobocachePointsInfo *points = job->run->points;
  const guint64 rows = n_rows (points, cloud), stride = robocache_voxelizer_row_stride (points, cloud);
  const guint64 first = job->first * rows * stride;
  const guint64 at_once = MAX (job->lane->clouds.bytes / stride, 1);

  for (guint64 row = 0; row < rows; row += at_once) {
    RcVoxelChunk chunk = whole_cloud (job, cloud, job->lane->clouds.data, counters);

    chunk.n = (gint64) MIN (at_once, rows - row);
    chunk.first_row = points->kind == ROBOCACHE_POINTS_DEPTH ? (gint64) row : 0;
    if (!bring (job, cloud, mapped, first + row * stride, cloud_bytes (points, cloud, (guint64) chunk.n),
            job->lane->clouds.data, error) || !run_chunk (job, phase, &chunk, error))
      return FALSE;
    job->n_pieces += moves_points (phase);
  }
  return TRUE;
}

/* Of a cloud that is not in place. at: where it is, or will be, in the lane's block. */
static gboolean
run_brought (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    const RobocacheMappedCloud *mapped, guint64 at, RcVoxelCounters *counters, GError **error)
{
  const RobocachePointsInfo *points = job->run->points;
  const guint64 rows = n_rows (points, cloud), item = rows * robocache_voxelizer_row_stride (points, cloud);
  guint8 *to = (guint8 *) job->lane->clouds.data + at;
  const RcVoxelChunk chunk = whole_cloud (job, cloud, rows > 0 ? to : NULL, counters);

  if (job->lane->is_cut)
    return run_pieces (job, phase, cloud, mapped, counters, error);
  if (!job->is_brought && rows > 0
      && !bring (job, cloud, mapped, job->first * item, (job->n - 1) * item + cloud_bytes (points, cloud, rows), to,
      error))
    return FALSE;
  return run_chunk (job, phase, &chunk, error);
}

/* Where the CPU reads it, the items of the job. */
static RcVoxelChunk
mapped_cloud (const RobocacheVoxelJob *job, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped,
    RcVoxelCounters *counters)
{
  RcVoxelChunk chunk = {.data = mapped->data,.n = mapped->n,.stride = mapped->stride,
    .batch_stride = mapped->n * mapped->stride,.counters = counters,.layer = layer_of (job, cloud)
  };

  if (mapped->n > 0)
    chunk.data = mapped->data + job->first * (guint64) chunk.batch_stride;
  return chunk;
}

/* Of a cloud that the CPU maps, for its own engine or to bring it. */
static gboolean
run_mapped (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud, guint64 at,
    RcVoxelCounters *counters, GError **error)
{
  RobocacheMappedCloud mapped;
  RcVoxelChunk chunk;
  gboolean ok;

  if (!robocache_cloud_map (job->run->points, cloud->buffer, &mapped, error))
    return FALSE;
  if (job->run->voxelizer->reads_host) {
    chunk = mapped_cloud (job, cloud, &mapped, counters);
    ok = run_chunk (job, phase, &chunk, error);
  } else {
    ok = run_brought (job, phase, cloud, &mapped, at, counters, error);
  }
  robocache_cloud_unmap (&mapped);
  return ok;
}

gboolean
robocache_voxelizer_run_cloud (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    guint64 at, RcVoxelCounters *counters, GError **error)
{
  const gboolean reads_host = job->run->voxelizer->reads_host;
  const guint8 *data = reads_host ? NULL : cloud_in_place (job->lane, cloud);
  RcVoxelChunk chunk;

  if (moves_points (phase))
    job->run->work->points_read += cloud->n_points * (gint64) job->n;
  if (data) {
    chunk = whole_cloud (job, cloud, data, counters);
    chunk.data = data + job->first * (guint64) chunk.batch_stride;
    return run_chunk (job, phase, &chunk, error);
  }
  if (!reads_host && device_memory (cloud))
    return run_brought (job, phase, cloud, NULL, at, counters, error);
  return run_mapped (job, phase, cloud, at, counters, error);
}

/* By a lane, of its items. */
static gboolean
measure_share (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, const RobocacheCloud *cloud, gdouble *values,
    GError **error)
{
  RcVoxelPlan *plan = lane->plans[0].plan;
  RobocacheVoxelJob job = {.run = run,.lane = lane,.plan = plan,.first = lane->first,.n = lane->n,
    .measured = values + lane->first * (guint64) rc_voxel_channels (plan)
  };

  return robocache_voxelizer_find_room_to_measure (run, lane, cloud, error)
      && robocache_voxelizer_bracket_cloud (run, lane, cloud, TRUE, error)
      && robocache_voxelizer_run_cloud (&job, ROBOCACHE_VOXEL_PHASE_MEASURE, cloud, 0, NULL, error)
      && robocache_voxelizer_bracket_cloud (run, lane, cloud, FALSE, error);
}

gboolean
robocache_voxelizer_measure_cloud (gpointer data, const RobocacheCloud *cloud, gdouble *values, GError **error)
{
  const RobocacheVoxelRun *run = data;
  gboolean ok = TRUE;

  for (guint i = 0; i < run->voxelizer->n_lanes && ok; i++)
    ok = measure_share (run, &run->voxelizer->lanes[i], cloud, values, error);
  return ok;
}
