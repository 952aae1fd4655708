/* robocache: robocacheresample on recorded episodes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "batch.h"

#include "common/tensors/tensorbuffer.h"

#include <string.h>

gboolean
gst_robocache_resample_batch_count (GstRobocacheResampleEngine *engine, GstRobocacheResampleStatistics *statistics,
    GError **error)
{
  union
  {
    gint64 all[ROBOCACHE_EPISODES_N_COUNTERS];
    RcAlignCounters named;
  } counters;
  GError *failure = NULL;
  GstClockTime pts;

  while (robocache_readback_take (engine->readback, counters.all, &pts, &failure))
    gst_robocache_resample_statistics_add_batch (statistics, &counters.named, pts);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

gboolean
gst_robocache_resample_batch_wait (GstRobocacheResampleEngine *engine, GstRobocacheResampleStatistics *statistics,
    guint but_last, GError **error)
{
  gboolean ok;

  if (!robocache_readback_wait (engine->readback, but_last, error))
    return FALSE;
  GST_OBJECT_LOCK (engine->element);
  ok = gst_robocache_resample_batch_count (engine, statistics, error);
  GST_OBJECT_UNLOCK (engine->element);
  return ok;
}

/* A GPU reads the tensors where they are; for the CPU they are mapped. */
static gboolean
find_tensors (GstRobocacheResampleEngine *engine, GstBuffer *buffer, RobocacheTensorsMap *map,
    RobocacheEpisodesPlace *place, GError **error)
{
  const RobocacheTensorsInfo *in = &engine->format.in;

  memset (place, 0, sizeof (*place));
  if (gst_robocache_resample_engine_is_gpu (engine)) {
    if (!robocache_tensors_check_memories (buffer, in, error))
      return FALSE;
    for (guint i = 0; i < in->n_tensors; i++)
      place->memories[i] = robocache_tensors_peek_memory (buffer, in, i, &place->offsets[i]);
    return TRUE;
  }
  if (!robocache_tensors_map (map, buffer, in, GST_MAP_READ, error))
    return FALSE;
  for (guint i = 0; i < in->n_tensors; i++)
    place->mapped[i] = map->data[i];
  return TRUE;
}

static gboolean
enqueue (GstRobocacheResampleEngine *engine, const RobocacheEpisodesPlace *place, GstClockTime pts, GError **error)
{
  guint n_chunks;

  if (!robocache_readback_begin (engine->readback, error)
      || !robocache_episodes_run (engine->episodes, place, engine->readback, &n_chunks, error)
      || !robocache_readback_end (engine->readback, pts, error))
    return FALSE;
  GST_OBJECT_LOCK (engine->element);
  engine->device->n_chunks += n_chunks;
  GST_OBJECT_UNLOCK (engine->element);
  return engine->format.out_memory != ROBOCACHE_SYSTEM_MEMORY || robocache_engine_synchronize (engine->device->active, error);
}

static GstMemory *
resample_tensors (GstRobocacheResampleEngine *engine, RobocacheEpisodesPlace *place, GstClockTime pts, GError **error)
{
  GstAllocator *allocator = robocache_device_allocator (engine->device, engine->format.out_memory);
  GstMemory *out = robocache_allocator_alloc (allocator, engine->format.out_bytes, error);

  if (out == NULL)
    return NULL;
  place->memories[ROBOCACHE_EPISODES_OUT] = out;
  if (enqueue (engine, place, pts, error))
    return out;
  robocache_engine_wait_after_failure (engine->device->active, error);
  gst_memory_unref (out);
  return NULL;
}

static GstMemory *
resample_buffer (GstRobocacheResampleEngine *engine, GstBuffer *buffer, GError **error)
{
  const gboolean is_mapped = !gst_robocache_resample_engine_is_gpu (engine);
  RobocacheEpisodesPlace place;
  RobocacheTensorsMap map;
  GstMemory *out;

  if (!find_tensors (engine, buffer, &map, &place, error))
    return NULL;
  out = resample_tensors (engine, &place, GST_BUFFER_PTS (buffer), error);
  if (is_mapped)
    robocache_tensors_unmap (&map);
  return out;
}

GstBuffer *
gst_robocache_resample_batch_run (GstRobocacheResampleEngine *engine, GstRobocacheResampleStatistics *statistics,
    GstBuffer *buffer, GError **error)
{
  GError *failure = NULL;
  GstMemory *out = resample_buffer (engine, buffer, &failure);
  GstBuffer *resampled;

  if (out == NULL && failure->domain != ROBOCACHE_ERROR) {
    gst_robocache_resample_batch_wait (engine, statistics, 0, NULL);
    if (robocache_device_try_again (engine->device, engine->element, failure)) {
      g_clear_error (&failure);
      out = resample_buffer (engine, buffer, &failure);
    }
    if (out == NULL && gst_robocache_resample_engine_fall_back (engine, failure)) {
      g_clear_error (&failure);
      out = resample_buffer (engine, buffer, &failure);
    }
  }
  if (out == NULL) {
    g_propagate_error (error, failure);
    return NULL;
  }
  if (!gst_robocache_resample_batch_wait (engine, statistics, engine->format.out_memory != ROBOCACHE_SYSTEM_MEMORY ? 1 : 0, error)) {
    gst_memory_unref (out);
    return NULL;
  }
  resampled = gst_buffer_new ();
  gst_buffer_append_memory (resampled, out);
  if (!robocache_device_move_output (engine->device, engine->element, resampled, error)) {
    gst_buffer_unref (resampled);
    return NULL;
  }
  gst_buffer_copy_into (resampled, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  return resampled;
}
