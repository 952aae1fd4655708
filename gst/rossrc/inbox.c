/* robocache: what threads of Cyclone leave for the thread of robocacherossrc: messages in a bounded queue a topic, and publishers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inbox.h"

/* Publishers that wait; of those that have gone twice as many. */
#define MAX_ENDPOINTS 10000

typedef struct
{
  RobocacheDdsMessage *message;
  guint64 number;               /* order of arrival in the inbox */
  gboolean has_loss;
} Entry;

struct _RobocacheRosInbox
{
  guint max_messages;
  guint64 max_bytes, max_total_bytes, max_message_bytes;
  gboolean drops_oldest;

  GMutex lock;
  GCond changed;
  GPtrArray *queues;            /* RobocacheRosQueue */
  guint64 total_bytes;          /* of all queues */
  GQueue endpoints;             /* RobocacheDdsEndpoint */
  guint64 n_dropped_endpoints;
  guint64 n_arrived, end;       /* end: number of the first message that is not handed out */
  gboolean is_open, was_open, is_stopped, is_woken;
};

/* ---- life ---- */

static void
entry_free (Entry *entry)
{
  robocache_dds_message_free (entry->message);
  g_free (entry);
}

static void
queue_free (RobocacheRosQueue *queue)
{
  g_queue_clear_full (&queue->messages, (GDestroyNotify) entry_free);
  g_free (queue);
}

RobocacheRosInbox *
robocache_ros_inbox_new (const RobocacheRosSrcSettings *settings)
{
  RobocacheRosInbox *inbox = g_new0 (RobocacheRosInbox, 1);

  inbox->max_messages = settings->max_queue_messages;
  inbox->max_bytes = settings->max_queue_bytes;
  inbox->max_total_bytes = settings->max_total_bytes;
  inbox->end = G_MAXUINT64;
  inbox->max_message_bytes = settings->max_message_bytes;
  inbox->drops_oldest = settings->leaky == ROBOCACHE_ROS_LEAKY_DOWNSTREAM;
  g_mutex_init (&inbox->lock);
  g_cond_init (&inbox->changed);
  g_queue_init (&inbox->endpoints);
  inbox->queues = g_ptr_array_new_with_free_func ((GDestroyNotify) queue_free);
  return inbox;
}

void
robocache_ros_inbox_free (RobocacheRosInbox *inbox)
{
  g_ptr_array_unref (inbox->queues);
  g_queue_clear_full (&inbox->endpoints, (GDestroyNotify) robocache_dds_endpoint_free);
  g_cond_clear (&inbox->changed);
  g_mutex_clear (&inbox->lock);
  g_free (inbox);
}

RobocacheRosQueue *
robocache_ros_inbox_add (RobocacheRosInbox *inbox, gpointer topic, gboolean is_always_open)
{
  RobocacheRosQueue *queue = g_new0 (RobocacheRosQueue, 1);

  queue->inbox = inbox;
  queue->topic = topic;
  queue->is_always_open = is_always_open;
  g_queue_init (&queue->messages);
  g_mutex_lock (&inbox->lock);
  g_ptr_array_add (inbox->queues, queue);
  g_mutex_unlock (&inbox->lock);
  return queue;
}

/* ---- threads of Cyclone ---- */

/* Functions from here to robocache_ros_queue_put are called with the lock. */

static gboolean
is_full (const RobocacheRosQueue *queue, gsize bytes)
{
  const guint n = g_queue_get_length ((GQueue *) &queue->messages);

  return n > 0 && (n >= queue->inbox->max_messages || queue->bytes + bytes > queue->inbox->max_bytes);
}

static void
note_removed (RobocacheRosQueue *queue, const Entry *entry)
{
  queue->bytes -= entry->message->size;
  queue->inbox->total_bytes -= entry->message->size;
}

static Entry *
pop (RobocacheRosQueue *queue)
{
  Entry *entry = g_queue_pop_head (&queue->messages);

  note_removed (queue, entry);
  return entry;
}

static void
drop_oldest (RobocacheRosQueue *queue, GQueue *dropped)
{
  Entry *next;

  queue->arrivals.leaked++;
  g_queue_push_tail (dropped, pop (queue));
  next = g_queue_peek_head (&queue->messages);
  if (next)
    next->has_loss = TRUE;
  else
    queue->has_loss = TRUE;
}

static void
drop_newest (RobocacheRosQueue *queue, GQueue *dropped)
{
  Entry *entry = g_queue_pop_tail (&queue->messages);

  note_removed (queue, entry);
  queue->arrivals.leaked++;
  queue->has_loss = TRUE;
  g_queue_push_tail (dropped, entry);
}

/* A flood of one topic costs messages of that topic. */
static void
limit_total (RobocacheRosInbox *inbox, GQueue *dropped)
{
  while (inbox->total_bytes > inbox->max_total_bytes) {
    RobocacheRosQueue *largest = g_ptr_array_index (inbox->queues, 0);

    for (guint i = 1; i < inbox->queues->len; i++) {
      RobocacheRosQueue *queue = g_ptr_array_index (inbox->queues, i);

      if (queue->bytes > largest->bytes)
        largest = queue;
    }
    if (largest->bytes == inbox->total_bytes && g_queue_get_length (&largest->messages) == 1)
      return;
    if (inbox->drops_oldest)
      drop_oldest (largest, dropped);
    else
      drop_newest (largest, dropped);
  }
}

/* Puts an entry, and moves what has no place to the list of dropped ones. */
static void
put_locked (RobocacheRosQueue *queue, Entry *entry, GQueue *dropped)
{
  const gsize bytes = entry->message->size;

  queue->arrivals.lost += entry->message->lost;
  queue->has_loss |= entry->message->lost > 0;
  if (bytes > queue->inbox->max_message_bytes) {
    queue->arrivals.too_large++;
    queue->has_loss = TRUE;
    g_queue_push_tail (dropped, entry);
    return;
  }
  while (queue->inbox->drops_oldest && is_full (queue, bytes))
    drop_oldest (queue, dropped);
  if (is_full (queue, bytes)) {
    queue->arrivals.leaked++;
    queue->has_loss = TRUE;
    g_queue_push_tail (dropped, entry);
    return;
  }
  entry->has_loss = queue->has_loss;
  queue->has_loss = FALSE;
  queue->bytes += bytes;
  queue->inbox->total_bytes += bytes;
  g_queue_push_tail (&queue->messages, entry);
  limit_total (queue->inbox, dropped);
}

void
robocache_ros_queue_put (gpointer user_data, RobocacheDdsMessage *message)
{
  RobocacheRosQueue *queue = user_data;
  RobocacheRosInbox *inbox = queue->inbox;
  Entry *entry = g_new0 (Entry, 1);
  GQueue dropped = G_QUEUE_INIT;

  entry->message = message;
  g_mutex_lock (&inbox->lock);
  entry->number = inbox->n_arrived++;
  put_locked (queue, entry, &dropped);
  g_cond_signal (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
  g_queue_clear_full (&dropped, (GDestroyNotify) entry_free);
}

void
robocache_ros_inbox_put_endpoint (gpointer user_data, RobocacheDdsEndpoint *endpoint)
{
  RobocacheRosInbox *inbox = user_data;

  g_mutex_lock (&inbox->lock);
  if (g_queue_get_length (&inbox->endpoints) < (endpoint->topic ? MAX_ENDPOINTS : 2 * MAX_ENDPOINTS))
    g_queue_push_tail (&inbox->endpoints, g_steal_pointer (&endpoint));
  else
    inbox->n_dropped_endpoints++;
  g_cond_signal (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
  if (endpoint)
    robocache_dds_endpoint_free (endpoint);
}

/* ---- the state of the element ---- */

void
robocache_ros_inbox_set_open (RobocacheRosInbox *inbox, gboolean is_open)
{
  g_mutex_lock (&inbox->lock);
  inbox->is_open = is_open;
  inbox->was_open |= is_open;
  inbox->is_woken = TRUE;
  g_cond_signal (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
}

void
robocache_ros_inbox_stop (RobocacheRosInbox *inbox)
{
  g_mutex_lock (&inbox->lock);
  inbox->is_stopped = TRUE;
  g_cond_signal (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
}

void
robocache_ros_inbox_end (RobocacheRosInbox *inbox)
{
  g_mutex_lock (&inbox->lock);
  inbox->end = MIN (inbox->end, inbox->n_arrived);
  g_cond_signal (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
}

/* ---- the thread of the element ---- */

/* The queue whose first message arrived first; NULL: all that are open are empty. */
static RobocacheRosQueue *
find_oldest (const RobocacheRosInbox *inbox, gboolean is_open)
{
  RobocacheRosQueue *oldest = NULL;
  guint64 number = G_MAXUINT64;

  for (guint i = 0; i < inbox->queues->len; i++) {
    RobocacheRosQueue *queue = g_ptr_array_index (inbox->queues, i);
    const Entry *entry = g_queue_peek_head (&queue->messages);

    if (entry && (is_open || queue->is_always_open) && entry->number < MIN (number, inbox->end)) {
      oldest = queue;
      number = entry->number;
    }
  }
  return oldest;
}

/* Called with the lock. */
static gboolean
take_locked (RobocacheRosInbox *inbox, RobocacheRosItem *item)
{
  const gboolean is_ending = inbox->end < G_MAXUINT64;
  Entry *entry;

  *item = (RobocacheRosItem) { 0 };
  item->endpoint = g_queue_pop_head (&inbox->endpoints);
  if (item->endpoint)
    return TRUE;
  item->queue = find_oldest (inbox, inbox->is_open || (is_ending && inbox->was_open));
  item->is_end = is_ending && !item->queue;
  if (!item->queue)
    return item->is_end;
  entry = pop (item->queue);
  item->message = entry->message;
  item->has_loss = entry->has_loss;
  g_free (entry);
  return TRUE;
}

gboolean
robocache_ros_inbox_take (RobocacheRosInbox *inbox, gint64 until_us, RobocacheRosItem *item)
{
  gboolean has_item = FALSE;

  g_mutex_lock (&inbox->lock);
  while (!inbox->is_stopped && !inbox->is_woken && !(has_item = take_locked (inbox, item))) {
    if (!g_cond_wait_until (&inbox->changed, &inbox->lock, until_us))
      break;
  }
  inbox->is_woken = FALSE;
  g_mutex_unlock (&inbox->lock);
  return has_item;
}

RobocacheRosArrivals
robocache_ros_queue_arrivals (RobocacheRosQueue *queue)
{
  RobocacheRosArrivals arrivals;

  g_mutex_lock (&queue->inbox->lock);
  arrivals = queue->arrivals;
  arrivals.queued = g_queue_get_length (&queue->messages);
  g_mutex_unlock (&queue->inbox->lock);
  return arrivals;
}

gboolean
robocache_ros_queue_peek (RobocacheRosQueue *queue, gint64 *arrival_ns, gint64 *monotonic_ns)
{
  const Entry *entry;

  g_mutex_lock (&queue->inbox->lock);
  entry = g_queue_peek_head (&queue->messages);
  if (entry) {
    *arrival_ns = entry->message->arrival_ns;
    *monotonic_ns = entry->message->monotonic_ns;
  }
  g_mutex_unlock (&queue->inbox->lock);
  return entry != NULL;
}

guint64
robocache_ros_inbox_count_dropped (RobocacheRosInbox *inbox)
{
  guint64 n;

  g_mutex_lock (&inbox->lock);
  n = inbox->n_dropped_endpoints;
  g_mutex_unlock (&inbox->lock);
  return n;
}
