/* robocache: segments of a recording, and events for all its streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session.h"

void
robocache_mcap_session_restart (RobocacheMcapSession *session, const GstSegment *segment, guint32 seqnum, gboolean is_flushed)
{
  GST_OBJECT_LOCK (session->element);
  session->segment = *segment;
  session->segment_seqnum = seqnum;
  GST_OBJECT_UNLOCK (session->element);
  for (guint i = 0; i < session->outputs->len; i++)
    robocache_ros_output_restart (g_ptr_array_index (session->outputs, i));
  GST_CAT_DEBUG_OBJECT (session->category, session->element, "%u streams continue at segment %" GST_SEGMENT_FORMAT ", %s", session->outputs->len,
      segment, is_flushed ? "after a flush" : "without a flush");
  robocache_mcap_session_leave_rows (session, is_flushed);
  gst_flow_combiner_reset (session->flows);
  g_array_set_size (session->sequences, 0);
  session->advanced_to = 0;
}

void
robocache_mcap_session_send (RobocacheMcapSession *session, GstEvent *event)
{
  const RobocacheRosOutputContext context = robocache_mcap_session_output_context (session);

  GST_CAT_DEBUG_OBJECT (session->category, session->element, "all streams get %" GST_PTR_FORMAT, event);
  robocache_mcap_session_push_rows (session);
  for (guint i = 0; i < session->outputs->len; i++) {
    RobocacheRosOutput *output = g_ptr_array_index (session->outputs, i);

    if (!output->pad)
      continue;
    robocache_ros_output_send_headers (output, &context);
    gst_pad_push_event (output->pad, gst_event_ref (event));
  }
  gst_event_unref (event);
}
