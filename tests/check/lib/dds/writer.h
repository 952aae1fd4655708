/* robocache: writes a topic of ROS 2 as bytes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DDS_WRITER_H
#define ROBOCACHE_DDS_WRITER_H

#include "common/dds/reader.h"

G_BEGIN_DECLS

typedef struct _RobocacheDdsWriter RobocacheDdsWriter;

/* NULL and an error: Cyclone refuses it. */
RobocacheDdsWriter *robocache_dds_writer_new (RobocacheDdsParticipant * participant, const RobocacheDdsTopic * topic, GError ** error);
void robocache_dds_writer_free (RobocacheDdsWriter * writer);

/* Sends a message: CDR with the four bytes that name the encoding. One thread at a time. FALSE and an error: the message is not sent, as it is
 * shorter than four bytes, or a reliable reader did not keep up for 100 ms. */
gboolean robocache_dds_writer_write (RobocacheDdsWriter * writer, gconstpointer data, gsize size, gint64 source_ns, GError ** error);

/* Number of readers that the writer has now. */
guint robocache_dds_writer_count_readers (const RobocacheDdsWriter * writer);

G_END_DECLS
#endif
