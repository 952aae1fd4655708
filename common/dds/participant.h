/* robocache: the participant of this process in a domain of DDS, shared by all that use the domain
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "plain/network.h"

typedef struct _RobocacheDdsParticipant RobocacheDdsParticipant;

/* Opens a domain, or joins the participant that this process has there. NULL and an error: the domain cannot be opened, other hosts cannot be
 * kept out, or the process has opened it with other settings. Any thread may call it. */
RobocacheDdsParticipant *robocache_dds_participant_open (const RobocacheDdsNetwork * network, GError ** error);
/* Call once for each open, after everything that was made with the participant. */
void robocache_dds_participant_close (RobocacheDdsParticipant * participant);

const RobocacheDdsNetwork *robocache_dds_participant_network (const RobocacheDdsParticipant * participant);
/* Whether the process with a publisher is on another host. guid: 16 bytes. */
gboolean robocache_dds_participant_is_remote (const RobocacheDdsParticipant * participant, const guint8 * guid);

/* For the parts of this folder: the entity of Cyclone, and an error from a result of Cyclone. */
gint32 robocache_dds_participant_entity (const RobocacheDdsParticipant * participant);
void robocache_dds_set_error (GError ** error, gint32 result, const gchar * what);
