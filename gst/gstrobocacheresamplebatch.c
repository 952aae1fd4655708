/* robocache: robocacheresample on recorded episodes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocacheresample.h"

static void
count_batch (GstRobocacheResample *resample, const RcAlignCounters *counters)
{
  GST_OBJECT_LOCK (resample);
  resample->batch_counters.disordered_episodes += counters->disordered_episodes;
  resample->ticks_out += counters->aligned + counters->held + counters->missing;
  resample->ticks_held += counters->held;
  resample->ticks_nan += counters->missing;
  GST_OBJECT_UNLOCK (resample);
}

static void
post_stats_of_batch (GstRobocacheResample *resample, GstBuffer *buffer)
{
  const GstSegment *segment = &resample->clock.segment;

  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    gst_robocache_resample_post_stats_when_due (resample, gst_segment_to_running_time (segment, GST_FORMAT_TIME,
            GST_BUFFER_PTS (buffer)));
}

GstFlowReturn
gst_robocache_resample_take_batch (GstRobocacheResample *resample, GstBuffer *buffer, const RobocacheTensorsMap *map)
{
  const RobocacheTensorInfo *rows = &resample->format.in.tensors[GST_ROBOCACHE_BATCH_ROWS];
  const gint64 channels = robocache_tensor_info_dim (rows, 0), n_rows = robocache_tensor_info_dim (rows, 1);
  const gint64 batch = robocache_tensor_info_dim (rows, 2);
  const gint64 ticks = robocache_tensor_info_dim (&resample->format.in.tensors[GST_ROBOCACHE_BATCH_TARGETS], 0);
  GstBuffer *out = gst_buffer_new_allocate (NULL, robocache_tensor_info_size (&resample->format.out), NULL);
  RcAlignCounters counters = { 0 };
  RcAlignStreamArgs stream = {
    .rows = map->data[GST_ROBOCACHE_BATCH_ROWS],
    .n_rows = n_rows,
    .row_stride = channels * rc_dtype_size (rows->dtype),
    .batch_stride = n_rows * channels * rc_dtype_size (rows->dtype),
    .times = map->data[GST_ROBOCACHE_BATCH_TIMES],
    .times_batch_stride = n_rows * sizeof (gint64),
    .out_row_stride = channels * rc_dtype_size (resample->format.out.dtype),
    .out_batch_stride = ticks * channels * rc_dtype_size (resample->format.out.dtype),
    .counters = &counters,
  };
  const RcAlignArgs args = {
    .streams = &stream,
    .batch = batch,
    .ticks = ticks,
    .tick_times = map->data[GST_ROBOCACHE_BATCH_TARGETS],
    .tick_times_batch_stride = ticks * sizeof (gint64),
    .scratch = resample->scratch.data,
  };
  GstFlowReturn flow;
  GstMapInfo to;

  gst_buffer_map (out, &to, GST_MAP_WRITE);
  stream.out = to.data;
  flow = gst_robocache_resample_run_plan (resample, &args);
  gst_buffer_unmap (out, &to);
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref (out);
    return flow;
  }
  count_batch (resample, &counters);
  post_stats_of_batch (resample, buffer);
  gst_buffer_copy_into (out, buffer, GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS, 0, -1);
  resample->batch_out = out;
  return GST_FLOW_OK;
}
