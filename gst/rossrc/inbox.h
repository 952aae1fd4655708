/* robocache: what threads of Cyclone leave for the thread of robocacherossrc: messages in a bounded queue a topic, and publishers
 *
 * Threads of Cyclone never wait here: a full queue drops messages, and counts them. All queues together are bounded, too: if they are full, the
 * largest one drops.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/dds/plain/message.h"
#include "properties.h"

typedef struct _RobocacheRosInbox RobocacheRosInbox;

/* Counts of a topic's arrivals. */
typedef struct
{
  guint64 lost;                 /* missing sequence numbers */
  guint64 leaked;               /* dropped as the queue was full */
  guint64 too_large;            /* dropped as they are larger than max-message-bytes */
  guint64 queued;               /* messages that wait now */
} RobocacheRosArrivals;

/* The queue of one topic. */
typedef struct
{
  RobocacheRosInbox *inbox;
  gpointer topic;               /* the owner's topic, which this struct does not read */
  gboolean is_always_open;
  GQueue messages;              /* lock of the inbox: Entry items */
  guint64 bytes;                /* lock of the inbox */
  gboolean has_loss;            /* lock of the inbox: messages are missing before the next one */
  RobocacheRosArrivals arrivals;        /* lock of the inbox */
} RobocacheRosQueue;

/* Copies the limits of the settings. */
RobocacheRosInbox *robocache_ros_inbox_new (const RobocacheRosSrcSettings * settings);
/* No thread may leave anything now. */
void robocache_ros_inbox_free (RobocacheRosInbox * inbox);

/* Adds a queue, which the inbox owns. is_always_open: its messages are handed out in a pause, too. */
RobocacheRosQueue *robocache_ros_inbox_add (RobocacheRosInbox * inbox, gpointer topic, gboolean is_always_open);
/* A RobocacheDdsMessageFunc whose user data are the queue, and a RobocacheDdsEndpointFunc whose user data are the inbox. */
void robocache_ros_queue_put (gpointer queue, RobocacheDdsMessage * message);
void robocache_ros_inbox_put_endpoint (gpointer inbox, RobocacheDdsEndpoint * endpoint);

/* Messages of queues that are not always open are handed out only while is_open; endpoints always. */
void robocache_ros_inbox_set_open (RobocacheRosInbox * inbox, gboolean is_open);
/* Wakes the thread for good, and at once. */
void robocache_ros_inbox_stop (RobocacheRosInbox * inbox);
/* Messages that have arrived until now are handed out, and then the end. */
void robocache_ros_inbox_end (RobocacheRosInbox * inbox);

/* The next thing to handle, taken by the caller: an endpoint, the oldest message of all queues, or the end. */
typedef struct
{
  gboolean is_end;
  RobocacheDdsEndpoint *endpoint;
  RobocacheRosQueue *queue;
  RobocacheDdsMessage *message;
  gboolean has_loss;            /* messages are missing before it */
} RobocacheRosItem;

/* Waits until there is one, the inbox is woken, or g_get_monotonic_time reaches until_us. FALSE: there is none. */
gboolean robocache_ros_inbox_take (RobocacheRosInbox * inbox, gint64 until_us, RobocacheRosItem * item);

RobocacheRosArrivals robocache_ros_queue_arrivals (RobocacheRosQueue * queue);
/* Reads the times of arrival of the first message that waits. FALSE: no message waits. */
gboolean robocache_ros_queue_peek (RobocacheRosQueue * queue, gint64 * arrival_ns, gint64 * monotonic_ns);
/* Number of publishers that were dropped since the thread did not take them. */
guint64 robocache_ros_inbox_count_dropped (RobocacheRosInbox * inbox);
