/* robocache: robocacheresample on recorded episodes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

#include "common/tensors/tensorbuffer.h"

#include <string.h>

/* ---- counters ---- */

void
gst_robocache_resample_count_batches (GstRobocacheResample *resample, guint but_last)
{
  GError *error = NULL;

  GST_OBJECT_LOCK (resample);
  gst_robocache_resample_take_readback (resample, but_last, &error);
  GST_OBJECT_UNLOCK (resample);
  if (error)
    gst_robocache_resample_fail (resample, error);
  g_clear_error (&error);
}

static void
post_stats_of_batch (GstRobocacheResample *resample, GstBuffer *buffer)
{
  const GstSegment *segment = &resample->clock.segment;

  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    gst_robocache_resample_post_stats_when_due (resample, gst_segment_to_running_time (segment, GST_FORMAT_TIME,
            GST_BUFFER_PTS (buffer)));
}

/* ---- a batch ---- */

static gboolean
on_gpu (const GstRobocacheResample *resample)
{
  return robocache_engine_is_gpu (resample->device.active);
}

/* A GPU takes the tensors from where they are; the CPU has them mapped. */
static gboolean
find_tensors (GstRobocacheResample *resample, GstBuffer *buffer, RobocacheTensorsMap *map,
    RobocacheEpisodesPlace *place, GError **error)
{
  const RobocacheTensorsInfo *in = &resample->format.in;

  memset (place, 0, sizeof (*place));
  if (on_gpu (resample)) {
    if (!robocache_tensors_check (buffer, in, error))
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
run (GstRobocacheResample *resample, const RobocacheEpisodesPlace *place, GstClockTime pts, GError **error)
{
  guint n_chunks;
  gboolean ok;

  GST_OBJECT_LOCK (resample);
  ok = robocache_readback_begin (&resample->readback, error);
  GST_OBJECT_UNLOCK (resample);
  if (!ok || !robocache_episodes_run (resample->episodes, place, &resample->readback, &n_chunks, error))
    return FALSE;
  GST_OBJECT_LOCK (resample);
  resample->device.n_chunks += n_chunks;
  ok = robocache_readback_end (&resample->readback, pts, error);
  GST_OBJECT_UNLOCK (resample);
  return ok && (resample->out_on_device || robocache_engine_synchronize (resample->device.active, error));
}

/* The output; NULL and an error when there is no room, or the device failed. */
static GstMemory *
resample_batch (GstRobocacheResample *resample, RobocacheEpisodesPlace *place, GstClockTime pts, GError **error)
{
  GstAllocator *allocator = robocache_device_allocator (&resample->device, resample->out_on_device);
  GstMemory *out = robocache_allocator_alloc (allocator, robocache_tensor_info_size (&resample->format.out), error);

  if (out == NULL)
    return NULL;
  place->memories[ROBOCACHE_EPISODES_OUT] = out;
  if (run (resample, place, pts, error))
    return out;
  robocache_engine_synchronize (resample->device.active, NULL);
  gst_memory_unref (out);
  return NULL;
}

/* *error: the buffer is not what caps say. */
static GstMemory *
resample_buffer (GstRobocacheResample *resample, GstBuffer *buffer, GError **failure, GError **error)
{
  RobocacheEpisodesPlace place;
  RobocacheTensorsMap map;
  GstMemory *out;
  gboolean mapped = !on_gpu (resample);

  if (!find_tensors (resample, buffer, &map, &place, error))
    return NULL;
  out = resample_batch (resample, &place, GST_BUFFER_PTS (buffer), failure);
  if (mapped)
    robocache_tensors_unmap (&map);
  return out;
}

gboolean
gst_robocache_resample_take_batch (GstRobocacheResample *resample, GstBuffer *buffer, GstFlowReturn *flow,
    GError **error)
{
  GError *failure = NULL;
  GstMemory *out = resample_buffer (resample, buffer, &failure, error);

  if (failure && gst_robocache_resample_fall_back (resample, failure)) {
    g_clear_error (&failure);
    out = resample_buffer (resample, buffer, &failure, error);
  }
  *flow = GST_FLOW_ERROR;
  if (failure)
    gst_robocache_resample_fail (resample, failure);
  g_clear_error (&failure);
  if (out == NULL)
    return resample->failed;
  gst_robocache_resample_count_batches (resample, resample->out_on_device ? 1 : 0);
  if (resample->failed) {
    gst_memory_unref (out);
    return TRUE;
  }
  post_stats_of_batch (resample, buffer);
  resample->batch_out = gst_buffer_new ();
  gst_buffer_append_memory (resample->batch_out, out);
  gst_buffer_copy_into (resample->batch_out, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  *flow = GST_FLOW_OK;
  return TRUE;
}
