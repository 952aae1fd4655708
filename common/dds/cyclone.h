/* robocache: the parts of Eclipse Cyclone DDS that are no public interface: raw types, raw messages, and sockets
 *
 * Names that differ between versions of Cyclone are in cyclone.c alone. Entities are dds_entity_t, as gint32.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "plain/message.h"

struct sock_fprog;
struct ddsi_sertype;

/* Makes a topic whose messages are bytes. *type is valid as long as the topic. Negative: the error of Cyclone. */
gint32 robocache_cyclone_topic_new (gint32 participant, const gchar * topic, const gchar * type_name, const struct ddsi_sertype **type);

/* Takes up to n messages of a reader that was made for such a topic. Returns their number. */
guint robocache_cyclone_take (gint32 reader, RobocacheDdsMessage ** messages, guint n);

/* Sequence numbers of a writer. */
typedef struct
{
  guint64 acknowledged;         /* last message that all reliable readers have acknowledged */
  guint64 gone;                 /* last message that is not kept any more: acknowledged, replaced or expired */
} RobocacheCycloneSent;

RobocacheCycloneSent robocache_cyclone_read_sent (gint32 writer, const struct ddsi_sertype *type);

/* The participant, of the domain of a topic, neither asks for types nor answers: the definitions of topics are not those of DDS. */
void robocache_cyclone_refuse_types (gint32 participant, const struct ddsi_sertype *type);

/* Endpoints that are made from now on, in the domain of a topic, are announced with their participant. */
void robocache_cyclone_announce_owners (const struct ddsi_sertype *type);

/* Attaches a packet filter to each socket of a topic's domain. FALSE and an error: the operating system refuses it, or a transport is not
 * UDP. */
gboolean robocache_cyclone_filter (const struct ddsi_sertype *type, const struct sock_fprog *filter, GError ** error);

/* Whether the process with a publisher is on another host, by the addresses that it announces. guid: 16 bytes. */
gboolean robocache_cyclone_is_remote (const struct ddsi_sertype *type, const guint8 * guid);
