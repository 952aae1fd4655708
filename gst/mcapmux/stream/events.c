/* robocache: the topic of events
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "events.h"

#include "common/ros/messageencoders.h"
#include "gst/mcapmux/file/channels.h"

void
mux_events_clear (MuxEvents *events)
{
  robocache_cdr_writer_clear (&events->writer);
  events->has_channel = FALSE;
}

static gboolean
open_channel (MuxEvents *events, MuxRecording *recording)
{
  GByteArray *metadata = mux_channel_metadata_new ();
  gint id;

  if (!events->has_channel) {
    id = mux_recording_add_channel (recording, MUX_EVENTS_TOPIC, "robocache_msgs/msg/Event", metadata);
    events->channel = (guint) id;
    events->has_channel = id >= 0;
  }
  g_byte_array_unref (metadata);
  return events->has_channel;
}

void
mux_events_write (MuxEvents *events, MuxRecording *recording, const MuxTimes *times, const MuxEvent *event)
{
  const RobocacheRosHeader header = { times->stamp_ns, "" };

  if (!open_channel (events, recording))
    return;
  robocache_ros_write_event (&events->writer, &header, event->kind, event->topic, event->sequence, event->duration_ns, event->text);
  mux_recording_add_message (recording, mux_recording_has_next (recording), events->channel, times->log_ns,
      (guint64) times->stamp_ns, events->writer.data, events->writer.size, NULL);
}
