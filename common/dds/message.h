/* robocache: a message of a DDS topic as the bytes on the wire
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_DDS_MESSAGE_H
#define ROBOCACHE_DDS_MESSAGE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  const guint8 *data;           /* CDR, with the four bytes that name the encoding */
  gsize size;
  guint64 writer;               /* the publisher, as the endpoint of discovery names it */
  guint64 sequence;             /* number that the publisher gave the message; 0: unknown */
  guint64 lost;                 /* messages of this publisher that are missing before this one */
  gint64 source_ns, arrival_ns; /* system clock of the publisher at its write, and of this host; source 0: unknown */
  gint64 monotonic_ns;          /* monotonic clock of this host at the arrival */
  gpointer bytes;               /* owner of data */
} RobocacheDdsMessage;

void robocache_dds_message_free (RobocacheDdsMessage * message);

G_END_DECLS
#endif
