/* robocache: what waits for a client of one subscription
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "viewserver.h"

/* A message, which the subscriptions of all clients share. Constant once it is published. */
typedef struct
{
  gint n_references;
  gint64 log_ns;
  gint64 published_ns;          /* monotonic time, see g_get_monotonic_time */
  guint64 number;               /* number of the message in the server, so messages of several subscriptions have an order */
  gboolean is_key;
  gboolean is_own;              /* of a topic of the server's own, with the time of the system clock */
  gsize size;
  guint8 data[];
} RobocacheViewItem;

RobocacheViewItem *robocache_view_item_new (const RobocacheViewMessage * message);
void robocache_view_item_unref (RobocacheViewItem * item);

typedef struct
{
  guint32 id;                   /* id that the client chose */
  RobocacheViewKind kind;
  guint64 max_bytes;
  gint64 interval_ns;           /* time between messages that the client asks for; 0: all messages */
  gint64 next_ns;               /* earliest `published_ns` of the next message */
  GQueue items;                 /* RobocacheViewItem items */
  guint64 bytes;                /* sum of the sizes of items */
  gboolean awaits_key;
  guint64 dropped;              /* messages dropped since the start */
} RobocacheViewSubscription;

/* Makes an empty subscription of this kind. */
void robocache_view_subscription_init (RobocacheViewSubscription * subscription, guint32 id, RobocacheViewKind kind, guint64 max_bytes);

/* Adds an item, unless it is within the interval after another. Moves the items that are lost for it to `lost`: their references belong to the caller. Returns how many messages were lost,
 * the item included. One item always stays. */
guint robocache_view_subscription_push (RobocacheViewSubscription * subscription, RobocacheViewItem * item, GQueue * lost);
/* The oldest item; NULL: none. The reference belongs to the caller. */
RobocacheViewItem *robocache_view_subscription_pop (RobocacheViewSubscription * subscription);
void robocache_view_subscription_clear (RobocacheViewSubscription * subscription);
