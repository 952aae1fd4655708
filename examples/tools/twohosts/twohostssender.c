/* robocache: the host with the sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include <stdio.h>

#include "examples/tools/program.h"

#define POLL (50 * GST_MSECOND)

/* Where RTP timestamps are on the shared clock is known from the first report on; by default that takes seconds. */
#define REPORT_INTERVAL (200 * GST_MSECOND)

/* What is left to send when the sensors have ended. */
#define LAST_WORDS GST_SECOND

/* The clocks that a sensor's rows are stamped by. */
typedef struct
{
  GstClock *shared, *own;
  gint64 beside;                /* streaming thread of the sensor until it has ended: the most that shared was beside own */
} Clocks;

/* ---- the pipeline ---- */

static void
describe_sensor (GString *text, const TwoHosts *hosts, guint i)
{
  const TwoHostsSensor *sensor = &two_hosts_sensors[i];

  g_string_append_printf (text, "robocachetestsrc name=%s kind=%s channels=%u rate=%d/1 is-live=true num-buffers=%d ! ",
      sensor->pad, sensor->nick, sensor->channels, sensor->rate_hz, sensor->rate_hz * hosts->seconds);
}

/* The network as it may be. Without a delay the queue only keeps a slow network from holding up the sensor. */
static void
describe_network (GString *text, const TwoHosts *hosts)
{
  gchar loss[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "queue max-size-buffers=0 max-size-bytes=0 max-size-time=0 min-threshold-time=%"
      G_GINT64_FORMAT " ! ", hosts->delay);
  if (hosts->rtp)
    g_string_append_printf (text, "identity drop-probability=%s ! ", g_ascii_dtostr (loss, sizeof (loss), hosts->loss));
}

static void
describe_tcp (GString *text, const TwoHosts *hosts)
{
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    describe_sensor (text, hosts, i);
    describe_network (text, hosts);
    g_string_append_printf (text, "gdppay ! tcpclientsink host=%s port=%d sync=false async=false ", hosts->receiver,
        two_hosts_tcp_port (hosts->port, i));
  }
}

/* Reports are to speak of the time of capture, on the pipeline's clock. */
static void
describe_rtp (GString *text, const TwoHosts *hosts)
{
  g_string_append (text, "rtpbin name=rtp ntp-time-source=clock-time rtcp-sync-send-time=false ");
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    describe_sensor (text, hosts, i);
    g_string_append_printf (text, "rtpgstpay pt=96 config-interval=1 ! rtp.send_rtp_sink_%u rtp.send_rtp_src_%u ! ", i, i);
    describe_network (text, hosts);
    g_string_append_printf (text, "udpsink host=%s port=%d sync=false async=false ", hosts->receiver,
        two_hosts_rtp_port (hosts->port, i));
    g_string_append_printf (text, "rtp.send_rtcp_src_%u ! udpsink host=%s port=%d sync=false async=false ", i,
        hosts->receiver, two_hosts_rtcp_port (hosts->port, i));
  }
}

static void
report_often (GstElement *pipeline)
{
  GstElement *rtp = gst_bin_get_by_name (GST_BIN (pipeline), "rtp");

  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    GObject *session = NULL;

    g_signal_emit_by_name (rtp, "get-internal-session", i, &session);
    g_object_set (session, "rtcp-min-interval", (guint64) REPORT_INTERVAL, NULL);
    g_object_unref (session);
  }
  gst_object_unref (rtp);
}

/* ---- a sensor of the world ---- */

/* robocachetestsrc computes values for the row's timestamp on any clock, so an error of the clock would not be visible. A sensor does not
 * use the shared clock: its row belongs to the actual time, here on this host's own clock, and its stamp is the time of the shared clock
 * at that moment. */
static GstPadProbeReturn
stamp_row (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Clocks *clocks = data;
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  const gint64 ahead = shared_clock_ahead (clocks->shared, clocks->own);

  clocks->beside = MAX (clocks->beside, ABS (ahead));
  GST_BUFFER_PTS (buffer) = (GstClockTime) MAX ((gint64) GST_BUFFER_PTS (buffer) + ahead, 0);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

static void
stamp_rows (GstElement *pipeline, GstClock *shared, GstClock *own, Clocks clocks[TWO_HOSTS_N_SENSORS])
{
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    GstElement *sensor = gst_bin_get_by_name (GST_BIN (pipeline), two_hosts_sensors[i].pad);
    GstPad *pad = gst_element_get_static_pad (sensor, "src");

    clocks[i] = (Clocks) {shared, own, 0};
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, stamp_row, &clocks[i], NULL);
    gst_object_unref (pad);
    gst_object_unref (sensor);
  }
}

/* When the sensors have ended. */
static void
print_clocks (const Clocks clocks[TWO_HOSTS_N_SENSORS])
{
  gint64 beside = 0;

  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++)
    beside = MAX (beside, clocks[i].beside);
  printf ("sender: at the capture of rows, the shared clock differed from this machine's by at most %.3f ms\n",
      (gdouble) beside / 1e6);
}

/* ---- all of it ---- */

static GstElement *
make_pipeline (const TwoHosts *hosts)
{
  GString *text = g_string_new (NULL);
  GstElement *pipeline;

  if (hosts->rtp)
    describe_rtp (text, hosts);
  else
    describe_tcp (text, hosts);
  pipeline = messages_launch (text->str);
  g_string_free (text, TRUE);
  if (pipeline && hosts->rtp)
    report_often (pipeline);
  return pipeline;
}

static gboolean
is_over (GstElement *pipeline, GstClock *clock, GstClockTime end)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *eos = gst_bus_timed_pop_filtered (bus, POLL, GST_MESSAGE_EOS);
  const gboolean over = eos || gst_clock_get_time (clock) > end;

  g_clear_pointer (&eos, gst_message_unref);
  gst_object_unref (bus);
  return over;
}

gboolean
two_hosts_send (const TwoHosts *hosts, GstClock *clock)
{
  const GstClockTime end = (GstClockTime) (hosts->base_time + hosts->seconds * (gint64) GST_SECOND + hosts->delay)
      + LAST_WORDS;
  GstElement *pipeline = make_pipeline (hosts);
  GstClock *own = shared_clock_own ();
  Clocks clocks[TWO_HOSTS_N_SENSORS];
  gboolean failed = pipeline == NULL;

  if (pipeline) {
    if (hosts->own_clock)
      stamp_rows (pipeline, clock, own, clocks);
    shared_clock_use (clock, pipeline, (GstClockTime) hosts->base_time);
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
    do {
      failed = messages_handle (pipeline, NULL, NULL);
    } while (!failed && !is_over (pipeline, clock, end));
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    if (hosts->own_clock && !failed)
      print_clocks (clocks);
  }
  gst_object_unref (own);
  return !failed;
}
