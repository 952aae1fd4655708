/* robocache: a clock that stands where it was set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stepclock.h"

struct _StepClock
{
  GstClock parent;
  GFunc note_wait;              /* constant */
  gpointer user_data;
  GMutex lock;                  /* guards what follows, and the status of entries that are waited for */
  GCond changed;
  GstClockTime time;
};

G_DEFINE_TYPE (StepClock, step_clock, GST_TYPE_CLOCK)

static GstClockTime
get_internal_time (GstClock *clock)
{
  StepClock *self = STEP_CLOCK (clock);
  GstClockTime time;

  g_mutex_lock (&self->lock);
  time = self->time;
  g_mutex_unlock (&self->lock);
  return time;
}

static gboolean
is_pending (StepClock *self, const GstClockEntry *entry)
{
  return GST_CLOCK_ENTRY_STATUS (entry) != GST_CLOCK_UNSCHEDULED && self->time < GST_CLOCK_ENTRY_TIME (entry);
}

static GstClockReturn
wait_for_entry (GstClock *clock, GstClockEntry *entry, GstClockTimeDiff *jitter)
{
  StepClock *self = STEP_CLOCK (clock);
  GstClockReturn result;
  gboolean must_wait;

  g_mutex_lock (&self->lock);
  must_wait = is_pending (self, entry);
  g_mutex_unlock (&self->lock);
  if (must_wait)
    self->note_wait (self, self->user_data);
  g_mutex_lock (&self->lock);
  while (is_pending (self, entry))
    g_cond_wait (&self->changed, &self->lock);
  if (jitter)
    *jitter = GST_CLOCK_DIFF (GST_CLOCK_ENTRY_TIME (entry), self->time);
  result = GST_CLOCK_ENTRY_STATUS (entry) == GST_CLOCK_UNSCHEDULED ? GST_CLOCK_UNSCHEDULED : GST_CLOCK_OK;
  g_mutex_unlock (&self->lock);
  return result;
}

static void
unschedule (GstClock *clock, GstClockEntry *entry)
{
  StepClock *self = STEP_CLOCK (clock);

  g_mutex_lock (&self->lock);
  GST_CLOCK_ENTRY_STATUS (entry) = GST_CLOCK_UNSCHEDULED;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}

static void
finalize (GObject *object)
{
  StepClock *self = STEP_CLOCK (object);

  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (step_clock_parent_class)->finalize (object);
}

static void
step_clock_class_init (StepClockClass *klass)
{
  GstClockClass *clock_class = GST_CLOCK_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = finalize;
  clock_class->get_internal_time = get_internal_time;
  clock_class->wait = wait_for_entry;
  clock_class->unschedule = unschedule;
}

static void
step_clock_init (StepClock *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
}

StepClock *
step_clock_new (GFunc note_wait, gpointer user_data)
{
  StepClock *self = gst_object_ref_sink (g_object_new (STEP_TYPE_CLOCK, NULL));

  self->note_wait = note_wait;
  self->user_data = user_data;
  return self;
}

void
step_clock_set_time (StepClock *self, GstClockTime time)
{
  g_mutex_lock (&self->lock);
  self->time = MAX (self->time, time);
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
}
