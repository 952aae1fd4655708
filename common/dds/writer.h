/* robocache: writes a topic of ROS 2 as bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "participant.h"
#include "qos.h"

typedef struct _RobocacheDdsWriter RobocacheDdsWriter;

/* lifespan_ns: readers drop older messages; 0: none. NULL and an error: Cyclone refuses the writer. */
RobocacheDdsWriter *robocache_dds_writer_new (RobocacheDdsParticipant * participant, const RobocacheDdsTopic * topic, gint64 lifespan_ns,
    GError ** error);
void robocache_dds_writer_free (RobocacheDdsWriter * writer);

/* Sends a message: CDR with the four bytes that name the encoding. One thread at a time. Never waits: of messages that a
 * reliable reader has not acknowledged, the last `depth` are kept. FALSE and an error: the message is not sent, as it is shorter than four
 * bytes or too large. */
gboolean robocache_dds_writer_write (RobocacheDdsWriter * writer, gconstpointer data, gsize size, gint64 source_ns, GError ** error);

/* Number of readers that the writer has now. */
guint robocache_dds_writer_count_readers (const RobocacheDdsWriter * writer);
/* Number of messages that were replaced or expired while a reliable reader acknowledged nothing for half a second: it lost them, unless they wait
 * at its socket. Counted with the next message. Called by the thread that writes. */
guint64 robocache_dds_writer_count_lost (const RobocacheDdsWriter * writer);

/* For the parts of this folder: the entity of Cyclone. */
gint32 robocache_dds_writer_entity (const RobocacheDdsWriter * writer);
