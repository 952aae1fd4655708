/* robocache: rows of a recording that are collected in blocks until these are full, old or followed by something else
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

/* Log time for which rows are collected, so that slow streams do not delay others. */
#define MAX_COLLECTING (GST_SECOND)

GstFlowReturn
robocache_mcap_session_push_rows_of (RobocacheMcapSession *session, RobocacheRosOutput *output)
{
  RobocacheMcapTopic *topic;

  if (!robocache_ros_output_has_rows (output))
    return GST_FLOW_OK;
  topic = output->block_topic;
  GST_OBJECT_LOCK (session->element);
  topic->counts.buffers++;
  GST_OBJECT_UNLOCK (session->element);
  return gst_flow_combiner_update_pad_flow (session->flows, output->pad, robocache_ros_output_push_rows (output));
}

static gboolean
is_old (const RobocacheRosOutput *output, guint64 log_time)
{
  return log_time > output->block_log_time && log_time - output->block_log_time > MAX_COLLECTING;
}

/* Pushes rows that were collected for too long, or all. */
static GstFlowReturn
push_old_rows (RobocacheMcapSession *session, guint64 log_time, gboolean all)
{
  GstFlowReturn ret = GST_FLOW_OK;

  session->oldest_row = G_MAXUINT64;
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (ret == GST_FLOW_OK && (all || is_old (output, log_time)))
      ret = robocache_mcap_session_push_rows_of (session, output);
    if (robocache_ros_output_has_rows (output))
      session->oldest_row = MIN (session->oldest_row, output->block_log_time);
  }
  return ret;
}

GstFlowReturn
robocache_mcap_session_push_due_rows (RobocacheMcapSession *session, guint64 log_time)
{
  const gboolean has_other_rows = session->has_other_rows;

  session->has_other_rows = FALSE;
  if (has_other_rows || (log_time > session->oldest_row && log_time - session->oldest_row > MAX_COLLECTING))
    return push_old_rows (session, log_time, has_other_rows);
  return GST_FLOW_OK;
}

GstFlowReturn
robocache_mcap_session_collect_row (RobocacheMcapSession *session, RobocacheMcapTopic *topic, RobocacheRosOutput *output,
    const RobocacheRosSample *sample, const RobocacheMcapMessage *message, guint64 since_origin)
{
  const RobocacheRosOutputContext context = robocache_mcap_session_output_context (session);

  if (!robocache_ros_output_has_rows (output)) {
    output->block_topic = topic;
    output->block_log_time = message->log_time;
    session->oldest_row = MIN (session->oldest_row, message->log_time);
  }
  robocache_ros_output_collect (output, &context, sample, since_origin);
  robocache_mcap_session_note_position (session, since_origin);
  return robocache_row_block_is_full (output->block) ? robocache_mcap_session_push_rows_of (session, output) : GST_FLOW_OK;
}

void
robocache_mcap_session_push_rows (RobocacheMcapSession *session)
{
  push_old_rows (session, 0, TRUE);
}

void
robocache_mcap_session_leave_rows (RobocacheMcapSession *session, gboolean is_flushed)
{
  for (guint i = 0; i < session->outputs->len && is_flushed; i++)
    robocache_ros_output_discard_rows (g_ptr_array_index (session->outputs, i));
  session->has_other_rows = !is_flushed;
  session->oldest_row = G_MAXUINT64;
}
