/* robocache: an advertised topic, and the subscriptions to it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "subscription.h"

struct _RobocacheViewChannel
{
  guint id;                     /* never used again */
  RobocacheViewTopic topic;     /* the topic; the channel owns its strings */
  GPtrArray *readers;           /* RobocacheViewReader; the server's lock */
  gint n_readers;               /* atomic */
  gboolean was_due;             /* the server's thread */
};

/* A subscription of a client, which owns it. The server's lock guards it. */
typedef struct
{
  RobocacheViewChannel *channel;        /* NULL: removed */
  guint client;                 /* number */
  RobocacheViewSubscription waiting;
} RobocacheViewReader;

RobocacheViewChannel *robocache_view_channel_new (guint id, const RobocacheViewTopic * topic);
/* Whether a client subscribes to it. From any thread. */
gboolean robocache_view_channel_is_wanted (const RobocacheViewChannel * channel);
/* Frees the channel. Its readers stay, but lose their channel and their waiting messages. */
void robocache_view_channel_free (RobocacheViewChannel * channel);

RobocacheViewReader *robocache_view_reader_new (RobocacheViewChannel * channel, guint client, guint32 id, guint64 max_bytes);
void robocache_view_reader_free (RobocacheViewReader * reader);
