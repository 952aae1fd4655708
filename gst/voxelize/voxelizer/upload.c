/* robocache: one cloud of a job: the place of its rows, and their way to the kernels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "upload.h"

/* Kernels read clouds in pinned memory up to this size in place. A copy takes longer to begin, but is faster for larger clouds. */
#define READ_IN_PLACE_BYTES (G_GUINT64_CONSTANT (2) << 20)

/* ---- rows: points, or lines of an image ---- */

typedef struct
{
  guint64 n;                    /* per item */
  guint64 bytes, stride;        /* of a row, and to the next one */
} Rows;

static Rows
rows_of (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  const gsize point = robocache_points_info_point_size (points);
  const GstVideoMeta *meta;

  if (points->kind != ROBOCACHE_POINTS_DEPTH)
    return (Rows) {(guint64) cloud->n_points, point, point};
  meta = gst_buffer_get_video_meta (cloud->buffer);
  return (Rows) {(guint64) GST_VIDEO_INFO_HEIGHT (&points->video),
    (guint64) GST_VIDEO_INFO_COMP_PSTRIDE (&points->video, 0) * (guint64) GST_VIDEO_INFO_WIDTH (&points->video),
    (guint64) (meta ? meta->stride[0] : GST_VIDEO_INFO_PLANE_STRIDE (&points->video, 0))
  };
}

/* Bytes spanned by n rows, padding between them included. */
static guint64
span_of (const Rows *rows, guint64 n)
{
  return n > 0 ? (n - 1) * rows->stride + rows->bytes : 0;
}

guint64
robocache_voxel_upload_row_stride (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  return rows_of (points, cloud).stride;
}

/* ---- memory ---- */

/* The single memory of a cloud, if a GPU copies from it directly; NULL for other clouds, which the CPU maps. */
static GstMemory *
memory_for_gpu (const RobocacheVoxelRun *run, const RobocacheCloud *cloud)
{
  GstMemory *memory = gst_buffer_n_memory (cloud->buffer) == 1 ? gst_buffer_peek_memory (cloud->buffer, 0) : NULL;

  /* images in system memory may have strides and offsets of their own */
  if (memory && run->points->kind == ROBOCACHE_POINTS_DEPTH && !robocache_is_gpu_memory (memory))
    return NULL;
  return memory && robocache_is_copied_by_gpu (memory) ? memory : NULL;
}

/* Whether kernels read a cloud in pinned memory in place. Only occupancy reads its points once. */
static gboolean
is_read_across_bus (const RobocacheVoxelShards *shards, const GstMemory *memory)
{
  return shards->spec.mode == RC_VOXEL_OCCUPANCY && !shards->accumulates && memory->size <= READ_IN_PLACE_BYTES;
}

/* Address at which kernels of the shard read a cloud's first item; NULL: they cannot, or a copy is faster. */
static const guint8 *
cloud_in_place (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard, const RobocacheCloud *cloud)
{
  GstMemory *memory = run->shards->reads_host ? NULL : memory_for_gpu (run, cloud);

  if (memory && !robocache_is_gpu_memory (memory))
    return is_read_across_bus (run->shards, memory) ? robocache_memory_data (memory) : NULL;
  return memory ? robocache_memory_reach (memory, 0, shard->engine) : NULL;
}

guint64
robocache_voxel_upload_bytes (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard,
    const RobocacheCloud *cloud, guint64 items)
{
  const Rows rows = rows_of (run->points, cloud);

  if (run->shards->reads_host || cloud_in_place (run, shard, cloud))
    return 0;
  return robocache_voxel_aligned (items * span_of (&rows, rows.n));
}

gboolean
robocache_voxel_upload_begin_read (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard,
    const RobocacheCloud *cloud, GError **error)
{
  return cloud_in_place (run, shard, cloud) == NULL
      || robocache_memory_begin_read (memory_for_gpu (run, cloud), shard->engine, error);
}

gboolean
robocache_voxel_upload_end_read (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard,
    const RobocacheCloud *cloud, GError **error)
{
  return cloud_in_place (run, shard, cloud) == NULL
      || robocache_memory_end_read (memory_for_gpu (run, cloud), shard->engine, error);
}

/* ---- phases ---- */

/* Whether the phase changes which points are in the grids. */
static gboolean
moves_points (RobocacheVoxelPhase phase)
{
  return phase != ROBOCACHE_VOXEL_PHASE_RANGE && phase != ROBOCACHE_VOXEL_PHASE_MEASURE;
}

static gboolean
enqueue (const RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RcVoxelChunk *chunk, GError **error)
{
  const RcStream stream = robocache_engine_stream (job->shard->engine);
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
  return robocache_engine_check_settings (status, &failure, ROBOCACHE_ERROR_DATA, error);
}

/* n rows per item at data. Clouds that accumulators contain together have consecutive numbers, so their layers differ. */
static RcVoxelChunk
describe_chunk (const RobocacheVoxelJob *job, const RobocacheCloud *cloud, const guint8 *data, gint64 n, gint64 stride,
    RcVoxelCounters *counters)
{
  const guint64 layers = (guint64) rc_voxel_layers (job->plan);

  return (RcVoxelChunk) {.data = data,.n = n,.stride = stride,.batch_stride = n * stride,.counters = counters,
    .layer = layers > 0 ? (gint64) (cloud->number % layers) : 0
  };
}

/* Enqueues an upload from the cloud's byte `offset` on. mapped: where the CPU reads it; NULL: a GPU copies it directly. */
static gboolean
upload (const RobocacheVoxelJob *job, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped, guint64 offset,
    guint64 bytes, guint8 *to, GError **error)
{
  RobocacheVoxelShard *shard = job->shard;

  if (mapped)
    return robocache_upload_bytes (&shard->staging, shard->engine, mapped->data + offset, bytes, to, error);
  return robocache_upload_memory (&shard->staging, shard->engine, memory_for_gpu (job->run, cloud), offset, bytes, to, error);
}

/* Takes a cloud of one item through the shard's block in pieces, in stream order. */
static gboolean
run_pieces (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    const RobocacheMappedCloud *mapped, RcVoxelCounters *counters, GError **error)
{
  const Rows rows = rows_of (job->run->points, cloud);
  const RobocacheScratch *block = &job->shard->clouds;
  const guint64 first = job->first * rows.n * rows.stride, at_once = MAX (block->bytes / rows.stride, 1);

  job->shard->uploaded_cloud = 0;
  for (guint64 row = 0; row < rows.n; row += at_once) {
    const guint64 n = MIN (at_once, rows.n - row);
    RcVoxelChunk chunk = describe_chunk (job, cloud, block->data, (gint64) n, (gint64) rows.stride, counters);

    chunk.first_row = job->run->points->kind == ROBOCACHE_POINTS_DEPTH ? (gint64) row : 0;
    if (!upload (job, cloud, mapped, first + row * rows.stride, span_of (&rows, n), block->data, error)
        || !enqueue (job, phase, &chunk, error))
      return FALSE;
    job->n_pieces += moves_points (phase);
  }
  return TRUE;
}

/* Uploads all items of the job, unless the cloud was uploaded already. */
static gboolean
upload_whole (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    const RobocacheMappedCloud *mapped, guint64 offset, GError **error)
{
  RobocacheVoxelShard *shard = job->shard;
  const Rows rows = rows_of (job->run->points, cloud);
  const guint64 item = rows.n * rows.stride;

  if (job->is_uploaded || rows.n == 0 || (offset == 0 && job->n == shard->n && shard->uploaded_cloud == cloud->number + 1))
    return TRUE;
  shard->uploaded_cloud = 0;
  if (!upload (job, cloud, mapped, job->first * item, (job->n - 1) * item + span_of (&rows, rows.n),
          (guint8 *) shard->clouds.data + offset, error))
    return FALSE;
  if (phase == ROBOCACHE_VOXEL_PHASE_MEASURE)
    shard->uploaded_cloud = cloud->number + 1;
  return TRUE;
}

static gboolean
run_uploaded (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    const RobocacheMappedCloud *mapped, guint64 offset, RcVoxelCounters *counters, GError **error)
{
  const Rows rows = rows_of (job->run->points, cloud);
  guint8 *to = rows.n > 0 ? (guint8 *) job->shard->clouds.data + offset : NULL;
  const RcVoxelChunk chunk = describe_chunk (job, cloud, to, (gint64) rows.n, (gint64) rows.stride, counters);

  if (job->shard->is_cut)
    return run_pieces (job, phase, cloud, mapped, counters, error);
  return upload_whole (job, phase, cloud, mapped, offset, error) && enqueue (job, phase, &chunk, error);
}

/* The items of the job in a cloud whose first item is at data. */
static gboolean
run_in_place (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud, const guint8 *data, gint64 n,
    gint64 stride, RcVoxelCounters *counters, GError **error)
{
  const RcVoxelChunk chunk = describe_chunk (job, cloud, n > 0 ? data + job->first * (guint64) (n * stride) : data, n,
      stride, counters);

  return enqueue (job, phase, &chunk, error);
}

static gboolean
run_mapped (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud, guint64 offset,
    RcVoxelCounters *counters, GError **error)
{
  RobocacheMappedCloud mapped;
  gboolean ok;

  if (!robocache_cloud_map (job->run->points, cloud->buffer, &mapped, error))
    return FALSE;
  ok = job->run->shards->reads_host
      ? run_in_place (job, phase, cloud, mapped.data, mapped.n, mapped.stride, counters, error)
      : run_uploaded (job, phase, cloud, &mapped, offset, counters, error);
  robocache_cloud_unmap (&mapped);
  return ok;
}

gboolean
robocache_voxel_upload_and_run (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, const RobocacheCloud *cloud,
    guint64 offset, RcVoxelCounters *counters, GError **error)
{
  const guint8 *data = cloud_in_place (job->run, job->shard, cloud);
  const Rows rows = rows_of (job->run->points, cloud);

  if (moves_points (phase))
    job->run->work->points_read += cloud->n_points * (gint64) job->n;
  if (data)
    return run_in_place (job, phase, cloud, data, (gint64) rows.n, (gint64) rows.stride, counters, error);
  if (!job->run->shards->reads_host && memory_for_gpu (job->run, cloud))
    return run_uploaded (job, phase, cloud, NULL, offset, counters, error);
  return run_mapped (job, phase, cloud, offset, counters, error);
}
