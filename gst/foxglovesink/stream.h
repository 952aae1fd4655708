/* robocache: the stream of a pad of robocachefoxglovesink: its messages go to the channels of a server
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/livesinks/streamsink.h"
#include "derived.h"

#define GST_TYPE_ROBOCACHE_FOXGLOVE_STREAM (gst_robocache_foxglove_stream_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFoxgloveStream, gst_robocache_foxglove_stream, GST, ROBOCACHE_FOXGLOVE_STREAM, GstRobocacheStreamSink)

/* A stay of the element above READY, constant while it lasts. */
typedef struct
{
  const RobocacheViewServerFunctions *functions;
  RobocacheViewServer *server;
  gboolean sync;                /* rows that are not live wait until they are due */
  RobocacheDerivedSettings derived;
  GMutex lock;                  /* guards the channel below */
  RobocacheViewChannel *tf;     /* channel for the poses of all streams, until the server stops; NULL: no poses yet */
} RobocacheFoxgloveSession;

/* While the stream is in READY: it publishes into the session from now on. Takes topic. */
void gst_robocache_foxglove_stream_start (GstRobocacheFoxgloveStream * stream, RobocacheFoxgloveSession * session, gchar * topic,
    const gchar * frame_id);
/* While no data flow: its topics end. */
void gst_robocache_foxglove_stream_stop (GstRobocacheFoxgloveStream * stream);
