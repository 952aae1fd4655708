/* robocache: a clock that stands still until it is moved to the next time that a thread waits for
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "manualclock.h"

struct _ManualClock
{
  GstClock parent;
  /* under the object lock */
  GstClockTime now;
  GList *entries;               /* GstClockEntry, the earliest first; owned by the threads that wait */
  GCond changed;                /* an entry came, or its status changed */
};

G_DEFINE_TYPE (ManualClock, manual_clock, GST_TYPE_CLOCK)

static GstClockTime
get_internal_time (GstClock *base)
{
  ManualClock *self = EXAMPLES_MANUAL_CLOCK (base);
  GstClockTime now;

  GST_OBJECT_LOCK (self);
  now = self->now;
  GST_OBJECT_UNLOCK (self);
  return now;
}

static gboolean
is_busy (const GstClockEntry *entry)
{
  return GST_CLOCK_ENTRY_STATUS (entry) == GST_CLOCK_BUSY;
}

/* Called with the lock. */
static void
set_status (ManualClock *self, GstClockEntry *entry, GstClockReturn status)
{
  GST_CLOCK_ENTRY_STATUS (entry) = status;
  g_cond_broadcast (&self->changed);
}

/* Called with the lock. */
static void
wait_until_released (ManualClock *self, GstClockEntry *entry)
{
  self->entries = g_list_insert_sorted (self->entries, entry, gst_clock_id_compare_func);
  set_status (self, entry, GST_CLOCK_BUSY);
  while (is_busy (entry))
    g_cond_wait (&self->changed, GST_OBJECT_GET_LOCK (self));
  self->entries = g_list_remove (self->entries, entry);
}

static GstClockReturn
wait_for_entry (GstClock *base, GstClockEntry *entry, GstClockTimeDiff *jitter)
{
  ManualClock *self = EXAMPLES_MANUAL_CLOCK (base);
  GstClockReturn status;

  GST_OBJECT_LOCK (self);
  if (jitter)
    *jitter = GST_CLOCK_DIFF (GST_CLOCK_ENTRY_TIME (entry), self->now);
  if (GST_CLOCK_ENTRY_STATUS (entry) != GST_CLOCK_UNSCHEDULED)
    wait_until_released (self, entry);
  status = GST_CLOCK_ENTRY_STATUS (entry);
  GST_OBJECT_UNLOCK (self);
  return status;
}

static void
unschedule (GstClock *base, GstClockEntry *entry)
{
  ManualClock *self = EXAMPLES_MANUAL_CLOCK (base);

  GST_OBJECT_LOCK (self);
  set_status (self, entry, GST_CLOCK_UNSCHEDULED);
  GST_OBJECT_UNLOCK (self);
}

/* Called with the lock. Entries that were released stay in the list until their threads run. */
static GstClockEntry *
next_busy (const ManualClock *self)
{
  for (GList *l = self->entries; l; l = l->next)
    if (is_busy (l->data))
      return l->data;
  return NULL;
}

static guint
count_busy (const ManualClock *self)
{
  guint n = 0;

  for (GList *l = self->entries; l; l = l->next)
    n += is_busy (l->data);
  return n;
}

void
manual_clock_await_threads (ManualClock *self, guint n, gint64 timeout_us)
{
  const gint64 end = g_get_monotonic_time () + timeout_us;

  GST_OBJECT_LOCK (self);
  while (count_busy (self) < n && g_cond_wait_until (&self->changed, GST_OBJECT_GET_LOCK (self), end));
  GST_OBJECT_UNLOCK (self);
}

gboolean
manual_clock_release_next (ManualClock *self)
{
  GstClockEntry *entry;

  GST_OBJECT_LOCK (self);
  entry = next_busy (self);
  if (entry) {
    self->now = MAX (self->now, GST_CLOCK_ENTRY_TIME (entry));
    set_status (self, entry, GST_CLOCK_OK);
  }
  GST_OBJECT_UNLOCK (self);
  return entry != NULL;
}

ManualClock *
manual_clock_new (void)
{
  return gst_object_ref_sink (g_object_new (EXAMPLES_TYPE_MANUAL_CLOCK, NULL));
}

static void
finalize (GObject *object)
{
  g_cond_clear (&EXAMPLES_MANUAL_CLOCK (object)->changed);
  G_OBJECT_CLASS (manual_clock_parent_class)->finalize (object);
}

static void
manual_clock_class_init (ManualClockClass *klass)
{
  GstClockClass *clock_class = GST_CLOCK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  clock_class->get_internal_time = get_internal_time;
  clock_class->wait = wait_for_entry;
  clock_class->unschedule = unschedule;
}

static void
manual_clock_init (ManualClock *self)
{
  g_cond_init (&self->changed);
}
