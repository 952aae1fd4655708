/* robocache: messages and publishers of DDS as data, which need no library of DDS
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A message of a topic, as the bytes on the wire. */
typedef struct
{
  const guint8 *data;           /* CDR, with the four bytes that name the encoding */
  gsize size;
  guint64 writer;               /* the publisher, as the endpoint of discovery names it */
  guint64 sequence;             /* number that the publisher gave the message; 0: unknown */
  guint64 lost;                 /* messages of this publisher that are missing before this one */
  gint64 source_ns, arrival_ns; /* the publisher's system clock when it wrote the message (0: unknown), and this host's system clock at the arrival */
  gint64 monotonic_ns;          /* monotonic clock of this host at the arrival */
  gpointer bytes;               /* owner of data; NULL: nothing to release */
  void (*release) (gpointer bytes);
} RobocacheDdsMessage;

void robocache_dds_message_free (RobocacheDdsMessage * message);

#define ROBOCACHE_DDS_GUID_BYTES 16

/* A publisher. */
typedef struct
{
  guint64 id;                   /* id of the publisher, equal to that in RobocacheDdsMessage */
  guint8 guid[ROBOCACHE_DDS_GUID_BYTES];        /* name of the publisher in the domain */
  gchar *topic;                 /* "/joint_states"; NULL: the publisher has gone */
  gchar *type;                  /* "sensor_msgs/msg/JointState"; "": a type that is not of ROS 2 */
  gchar *type_hash;             /* "RIHS01_…"; NULL: none */
  gboolean is_reliable, is_transient_local;
} RobocacheDdsEndpoint;

void robocache_dds_endpoint_free (RobocacheDdsEndpoint * endpoint);
