/* robocache: what waits for a client of one subscription
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "subscription.h"

#include <string.h>

/* ---- items ---- */

RobocacheViewItem *
robocache_view_item_new (const RobocacheViewMessage *message)
{
  RobocacheViewItem *item = g_malloc (sizeof *item + message->size);

  item->n_references = 1;
  item->log_ns = message->log_ns;
  item->published_ns = g_get_monotonic_time () * 1000;
  item->number = 0;
  item->is_key = message->is_key;
  item->is_own = FALSE;
  item->size = message->size;
  memcpy (item->data, message->data, message->size);
  return item;
}

static RobocacheViewItem *
item_ref (RobocacheViewItem *item)
{
  g_atomic_int_inc (&item->n_references);
  return item;
}

void
robocache_view_item_unref (RobocacheViewItem *item)
{
  if (g_atomic_int_dec_and_test (&item->n_references))
    g_free (item);
}

/* ---- subscriptions ---- */

void
robocache_view_subscription_init (RobocacheViewSubscription *subscription, guint32 id, RobocacheViewKind kind, guint64 max_bytes)
{
  *subscription = (RobocacheViewSubscription) {.id = id,.kind = kind,.max_bytes = max_bytes,.awaits_key = kind == ROBOCACHE_VIEW_VIDEO };
  g_queue_init (&subscription->items);
}

RobocacheViewItem *
robocache_view_subscription_pop (RobocacheViewSubscription *subscription)
{
  RobocacheViewItem *item = g_queue_pop_head (&subscription->items);

  if (item)
    subscription->bytes -= item->size;
  return item;
}

/* Whether the oldest item has to leave for one of size bytes. */
static gboolean
is_full (const RobocacheViewSubscription *subscription, gsize size)
{
  if (subscription->items.length == 0)
    return FALSE;
  return subscription->kind == ROBOCACHE_VIEW_NEWEST || subscription->kind == ROBOCACHE_VIEW_CONNECTION
      || subscription->bytes + size > subscription->max_bytes;
}

/* Frames after a lost one show nothing right until a key frame. */
static void
drop_frames (RobocacheViewSubscription *subscription, GQueue *lost)
{
  while (subscription->items.length > 0)
    g_queue_push_tail (lost, robocache_view_subscription_pop (subscription));
  subscription->awaits_key = TRUE;
}

/* On a grid, so that rows that come at this interval are not left out for their jitter; after a silence, from the item on. A video needs
 * each of its frames, and has no interval. */
static gint64
next_time (const RobocacheViewSubscription *subscription, gint64 published_ns)
{
  const gint64 interval_ns = subscription->interval_ns;

  return (published_ns - subscription->next_ns < interval_ns ? subscription->next_ns : published_ns) + interval_ns;
}

guint
robocache_view_subscription_push (RobocacheViewSubscription *subscription, RobocacheViewItem *item, GQueue *lost)
{
  const guint n_before = lost->length;
  gboolean is_lost;
  guint n;

  if (item->published_ns < subscription->next_ns)
    return 0;
  if (subscription->interval_ns > 0 && subscription->kind != ROBOCACHE_VIEW_VIDEO)
    subscription->next_ns = next_time (subscription, item->published_ns);
  while (is_full (subscription, item->size)) {
    if (subscription->kind == ROBOCACHE_VIEW_VIDEO)
      drop_frames (subscription, lost);
    else
      g_queue_push_tail (lost, robocache_view_subscription_pop (subscription));
  }
  is_lost = subscription->awaits_key && !item->is_key;
  if (!is_lost) {
    subscription->awaits_key = FALSE;
    subscription->bytes += item->size;
    g_queue_push_tail (&subscription->items, item_ref (item));
  }
  n = lost->length - n_before + is_lost;
  subscription->dropped += n;
  return n;
}

void
robocache_view_subscription_clear (RobocacheViewSubscription *subscription)
{
  g_queue_clear_full (&subscription->items, (GDestroyNotify) robocache_view_item_unref);
  subscription->bytes = 0;
}
