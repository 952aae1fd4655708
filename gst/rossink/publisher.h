/* robocache: the topics of a stream, one for each channel of its encoder
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/dds/functions.h"
#include "common/rosstreams/encoders/encoder.h"
#include "properties.h"

/* A stay of the element in a domain, constant while it lasts. */
typedef struct
{
  RobocacheRosSinkSettings settings;
  RobocacheDdsParticipant *participant;
  RobocacheDdsNode *node;
} RobocacheRosSinkSession;

/* NULL and an error: a setting is wrong, or the domain cannot be opened. */
RobocacheRosSinkSession *robocache_ros_sink_session_new (const RobocacheRosSinkSettings * settings, GError ** error);
void robocache_ros_sink_session_free (RobocacheRosSinkSession * session);

/* A topic that is published. */
typedef struct
{
  const RobocacheRosSinkSession *session;
  gchar *topic;
  const gchar *type;
  gint64 lifespan_ns;           /* 0: none */
  guint depth;
  RobocacheDdsWriter *writer;
} RobocacheRosPublisher;

/* Settings with which the topics of a stream are published. */
typedef struct
{
  const gchar *topic;           /* as the property has it */
  gboolean is_reliable, is_transient_local;
  guint depth;
  gint64 lifespan_ns;           /* 0: none */
} RobocacheRosOffer;

/* Returns the publishers of the encoder's channels, in their order. Those of old (taken, may be NULL) with the same topic, type,
 * lifespan and depth go on. NULL and an error: a topic cannot be published. */
GPtrArray *robocache_ros_publishers_open (const RobocacheRosSinkSession * session, const RobocacheRosOffer * offer,
    const RobocacheEncoder * encoder, GPtrArray * old, GError ** error);

/* FALSE and an error: the message is not sent. */
gboolean robocache_ros_publisher_write (RobocacheRosPublisher * publisher, const RobocacheCdrWriter * message, GError ** error);
