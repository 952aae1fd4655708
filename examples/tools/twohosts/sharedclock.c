/* robocache: one clock for the pipelines of several hosts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include <gst/net/net.h>

#include "examples/tools/program.h"

#define SYNC_TIMEOUT (20 * GST_SECOND)
#define PTP_DOMAIN 0

static const gchar *const kind_names[] = { "net", "ptp", "system" };

gboolean
shared_clock_kind_by_name (const gchar *name, SharedClockKind *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kind_names); i++) {
    if (g_str_equal (name, kind_names[i])) {
      *kind = i;
      return TRUE;
    }
  }
  return FALSE;
}

GstClock *
shared_clock_own (void)
{
  return GST_CLOCK (gst_object_ref_sink (g_object_new (GST_TYPE_SYSTEM_CLOCK, "clock-type", GST_CLOCK_TYPE_REALTIME, NULL)));
}

gint64
shared_clock_ahead (GstClock *shared, GstClock *own)
{
  const GstClockTime before = gst_clock_get_time (own), now = gst_clock_get_time (shared);
  const GstClockTime after = gst_clock_get_time (own);

  return GST_CLOCK_DIFF (before + (after - before) / 2, now);
}

static gboolean
wait_for_agreement (GstClock *clock, const gchar *what, const gchar *whose, GError **error)
{
  if (clock && gst_clock_wait_for_sync (clock, SYNC_TIMEOUT))
    return TRUE;
  FAULT (error, "%s %s: no agreement within %d s; is it reachable?", what, whose, (gint) (SYNC_TIMEOUT / GST_SECOND));
  return FALSE;
}

static gboolean
open_net (SharedClock *shared, const gchar *provider, const gchar *listen, gint port, GError **error)
{
  if (provider) {
    shared->clock = gst_net_client_clock_new ("shared", provider, port, 0);
    return wait_for_agreement (shared->clock, "the clock of", provider, error);
  }
  shared->clock = shared_clock_own ();
  /* gst_net_time_provider_new of GStreamer 1.20 logs a critical if it cannot make the provider */
  shared->provider = g_initable_new (GST_TYPE_NET_TIME_PROVIDER, NULL, NULL, "clock", shared->clock, "address", listen, "port", port,
      NULL);
  if (shared->provider)
    gst_object_ref_sink (shared->provider);
  else
    FAULT (error, "the clock cannot be served at %s, UDP port %d; is the address this host's, and is the port free?", listen,
        port);
  return shared->provider != NULL;
}

static gboolean
open_ptp (SharedClock *shared, GError **error)
{
  if (!gst_ptp_is_supported () || !gst_ptp_init (GST_PTP_CLOCK_ID_NONE, NULL)) {
    FAULT (error, "PTP cannot be used: GStreamer's gst-ptp-helper needs the right to open ports 319 and 320");
    return FALSE;
  }
  shared->clock = gst_ptp_clock_new ("shared", PTP_DOMAIN);
  return wait_for_agreement (shared->clock, "PTP", "domain 0", error);
}

gboolean
shared_clock_open (SharedClock *shared, SharedClockKind kind, const gchar *provider, const gchar *listen, gint port,
    GError **error)
{
  *shared = (SharedClock) { 0 };
  switch (kind) {
    case SHARED_CLOCK_NET:
      return open_net (shared, provider, listen, port, error);
    case SHARED_CLOCK_PTP:
      return open_ptp (shared, error);
    case SHARED_CLOCK_SYSTEM:
      break;
  }
  shared->clock = shared_clock_own ();
  return TRUE;
}

void
shared_clock_clear (SharedClock *shared)
{
  gst_clear_object (&shared->provider);
  gst_clear_object (&shared->clock);
}

void
shared_clock_use (GstClock *clock, GstElement *pipeline, GstClockTime base_time)
{
  gst_pipeline_use_clock (GST_PIPELINE (pipeline), clock);
  gst_element_set_start_time (pipeline, GST_CLOCK_TIME_NONE);   /* or PLAYING would set a base time of its own */
  gst_element_set_base_time (pipeline, base_time);
}
