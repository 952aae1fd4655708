/* robocache: reads a topic of ROS 2 as bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "participant.h"
#include "plain/message.h"
#include "qos.h"

/* Called for each message, on a thread of Cyclone, which must not wait. Takes the message. */
typedef void (*RobocacheDdsMessageFunc) (gpointer user_data, RobocacheDdsMessage * message);

typedef struct _RobocacheDdsReader RobocacheDdsReader;

/* NULL and an error: Cyclone refuses it. */
RobocacheDdsReader *robocache_dds_reader_new (RobocacheDdsParticipant * participant, const RobocacheDdsTopic * topic,
    RobocacheDdsMessageFunc func, gpointer user_data, GError ** error);
/* Like robocache_dds_reader_new, but replaces a reader of the same topic, which is freed. Each message is delivered once, and messages
 * that neither reader gets are counted as lost. NULL and an error: the previous reader stays. */
RobocacheDdsReader *robocache_dds_reader_replace (RobocacheDdsReader * previous, RobocacheDdsParticipant * participant,
    const RobocacheDdsTopic * topic, RobocacheDdsMessageFunc func, gpointer user_data, GError ** error);
/* After it returns, no call is in progress. */
void robocache_dds_reader_free (RobocacheDdsReader * reader);

/* Forgets the sequence numbers of a publisher that has gone. */
void robocache_dds_reader_forget (RobocacheDdsReader * reader, guint64 writer);

/* Number of publishers that the reader has now. */
guint robocache_dds_reader_count_writers (const RobocacheDdsReader * reader);
/* Number of messages that DDS dropped as they are larger than max_message_bytes of the network. */
guint64 robocache_dds_reader_count_oversize (const RobocacheDdsReader * reader);
