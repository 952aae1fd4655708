/* robocache: the core of a robocachefuse, stepped by a program: no clock, thread or other element takes part
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "steppedcore.h"

#include "gst/fuse/core/control.h"
#include "gst/fuse/core/status.h"
#include "gst/fuse/gstrobocachefuse.h"
#include "gst/fuse/negotiation.h"
#include "gst/fuse/sources.h"
#include "gst/fuse/task.h"
#include "program.h"

/* ---- life ---- */

void
stepped_core_init_gst (void)
{
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  gst_init (NULL, NULL);
}

void
stepped_core_init (SteppedCore *self, gboolean force_live)
{
  *self = (SteppedCore) {.reports = FUSE_REPORTS_INIT };
  self->fuse = gst_object_ref_sink (g_object_new (GST_TYPE_ROBOCACHE_FUSE, "name", "fuse", "force-live", force_live, NULL));
}

void
stepped_core_clear (SteppedCore *self)
{
  if (!self->fuse)
    return;
  fuse_departure_release (&self->departure, fuse_buffer_unref);
  fuse_departure_clear (&self->departure);
  gst_clear_caps (&self->caps);
  gst_robocache_fuse_stop (self->fuse);
  gst_clear_object (&self->fuse);
}

static void
take_error (GstBus *bus, GError **error)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *failure = NULL;

  if (message)
    gst_message_parse_error (message, &failure, NULL);
  FAULT (error, "robocachefuse: %s", failure ? failure->message : "it does not start");
  g_clear_error (&failure);
  gst_clear_message (&message);
}

gboolean
stepped_core_start (SteppedCore *self, GError **error)
{
  GstBus *bus = gst_bus_new ();
  gboolean ok;

  gst_element_set_bus (GST_ELEMENT (self->fuse), bus);
  ok = gst_robocache_fuse_start (self->fuse);
  if (!ok)
    take_error (bus, error);
  gst_element_set_bus (GST_ELEMENT (self->fuse), NULL);
  gst_object_unref (bus);
  return ok;
}

GstRobocacheFusePad *
stepped_core_pad (const SteppedCore *self, const gchar *name)
{
  for (guint i = 0; i < self->fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (self->fuse, i);

    if (g_str_equal (GST_OBJECT_NAME (pad), name))
      return pad;
  }
  return NULL;
}

/* ---- inputs ---- */

/* Releases the lock, then the buffers that the core has released, and reports its notes. TRUE: the latency was recalculated. */
static gboolean
leave (SteppedCore *self)
{
  gboolean latency_is_off;

  gst_robocache_fuse_collect_reports (self->fuse, &self->reports);
  latency_is_off = self->reports.latency_is_off;
  FUSE_UNLOCK (self->fuse);
  gst_robocache_fuse_post_reports (self->fuse, &self->reports);
  return latency_is_off;
}

void
stepped_core_play (SteppedCore *self, gint64 base_time)
{
  self->base_time = base_time;
  fuse_core_play (self->fuse->core, base_time);
}

void
stepped_core_pause (SteppedCore *self)
{
  fuse_core_pause (self->fuse->core, self->base_time);
}

void
stepped_core_set_time (SteppedCore *self, gint64 running_time)
{
  const FuseInstant now = {
    .running_time = running_time,.base_time = self->base_time,.clock = self,.monotonic = rc_add_saturating (running_time, self->base_time)
  };

  FUSE_LOCK (self->fuse);
  fuse_core_set_time (self->fuse->core, &now, &self->reports.notes);
  leave (self);
}

void
stepped_core_send (SteppedCore *self, GstRobocacheFusePad *pad, const FuseEvent *event)
{
  FUSE_LOCK (self->fuse);
  fuse_core_event (self->fuse->core, pad->stream, event, &self->reports.notes);
  leave (self);
}

gboolean
stepped_core_send_caps (SteppedCore *self, GstRobocacheFusePad *pad, const GstCaps *caps, GError **error)
{
  FuseFormat *format = gst_robocache_fuse_pad_parse_caps (pad, caps, error);
  FuseEvent event;

  if (!format || !gst_robocache_fuse_pad_set_format (pad, format, &event, error))
    return FALSE;
  stepped_core_send (self, pad, &event);
  gst_robocache_fuse_update_latency (self->fuse);
  return TRUE;
}

void
stepped_core_send_segment (SteppedCore *self, GstRobocacheFusePad *pad, const GstSegment *segment)
{
  FuseEvent event;

  fuse_reader_take_segment (&pad->reader, segment, &event);
  stepped_core_send (self, pad, &event);
}

void
stepped_core_send_gap (SteppedCore *self, GstRobocacheFusePad *pad, GstClockTime pts, GstClockTime duration)
{
  FuseEvent event;

  fuse_reader_take_gap (&pad->reader, pts, duration, &event);
  stepped_core_send (self, pad, &event);
}

static gboolean
insert_rows (SteppedCore *self, GstRobocacheFusePad *pad, GstBuffer *buffer, GError **error)
{
  FuseCore *core = self->fuse->core;
  FuseRows rows;
  gboolean ok;

  ok = fuse_reader_begin (&pad->reader, pad->stream, buffer, (GstClockTime) self->base_time, &rows, error)
      && fuse_core_insert (core, pad->stream, &rows, &self->reports.notes, error) && fuse_core_choose_reference (core, error);
  fuse_reader_end (&pad->reader);
  return ok;
}

gboolean
stepped_core_insert (SteppedCore *self, GstRobocacheFusePad *pad, GstBuffer *buffer, GError **error)
{
  gboolean ok = pad->reader.format && !pad->stream->is_declared && pad->reader.clock.segment.format == GST_FORMAT_TIME;

  if (ok) {
    FUSE_LOCK (self->fuse);
    ok = insert_rows (self, pad, buffer, error);
    leave (self);
  } else {
    FAULT (error, "%s: rows before caps or a segment", GST_OBJECT_NAME (pad));
  }
  gst_buffer_unref (buffer);
  return ok;
}

/* ---- decisions ---- */

/* With another latency a tick may be due that was not. */
static FuseDecision
ask (SteppedCore *self, GError **error)
{
  FuseDecision decision;

  do {
    FUSE_LOCK (self->fuse);
    decision = fuse_core_decide (self->fuse->core, &self->departure, &self->reports.notes, error);
  } while (leave (self) && decision == FUSE_WAIT);
  return decision;
}

static gboolean
renew_composer (SteppedCore *self, GError **error)
{
  GstRobocacheFuse *fuse = self->fuse;
  FuseComposition composition;
  gboolean ok;

  gst_robocache_fuse_describe_composition (fuse, &composition);
  ok = gst_robocache_fuse_replace_composer (fuse, &composition, ROBOCACHE_SYSTEM_MEMORY, error);
  fuse_composition_clear (&composition);
  gst_clear_caps (&self->caps);
  if (!ok)
    return FALSE;
  self->caps = fuse_composer_caps (fuse->composer);
  fuse_core_accept (fuse->core);
  return TRUE;
}

/* Releases the snapshots. */
static void
finish (SteppedCore *self, gboolean has_sample)
{
  FuseCore *core = self->fuse->core;

  fuse_departure_release (&self->departure, fuse_buffer_unref);
  FUSE_LOCK (self->fuse);
  fuse_core_finish (core, &self->departure, has_sample, fuse_core_now (core));
  leave (self);
}

/* sample: the caller's; NULL: the tick is dropped. FALSE and an error. */
static gboolean
compose (SteppedCore *self, GstSample **sample, GError **error)
{
  GstBuffer *buffer = NULL;
  const GstFlowReturn flow = gst_robocache_fuse_compose (self->fuse, &self->departure, sample ? &buffer : NULL, error);

  finish (self, buffer != NULL);
  if (buffer)
    *sample = gst_sample_new (buffer, self->caps, NULL, NULL);
  gst_clear_buffer (&buffer);
  return flow == GST_FLOW_OK;
}

FuseDecision
stepped_core_decide (SteppedCore *self, GstSample **sample, GError **error)
{
  FuseDecision decision = self->seen != FUSE_WAIT ? self->seen : ask (self, error);

  self->seen = FUSE_WAIT;
  while (decision == FUSE_COMPOSE && renew_composer (self, error))
    decision = ask (self, error);
  switch (decision) {
    case FUSE_COMPOSE:
      return FUSE_FAIL;
    case FUSE_SEND:
      return compose (self, sample, error) ? FUSE_SEND : FUSE_FAIL;
    case FUSE_DROP:
      return compose (self, NULL, error) ? FUSE_DROP : FUSE_FAIL;
    case FUSE_FAIL:
      finish (self, FALSE);
      return FUSE_FAIL;
    default:
      return decision;
  }
}

gboolean
stepped_core_look (SteppedCore *self, GError **error)
{
  if (self->seen == FUSE_WAIT)
    self->seen = ask (self, error);
  if (self->seen == FUSE_COMPOSE)       /* is asked for again, once the rows before the decision are in */
    self->seen = FUSE_WAIT;
  return self->seen != FUSE_WAIT;
}
