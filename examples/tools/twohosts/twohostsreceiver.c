/* robocache: the host that fuses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include <gst/app/gstappsink.h>
#include <stdio.h>

#include "examples/tools/program.h"
#include "examples/tools/sampletensor.h"
#include "examples/tools/statstable.h"

#define POLL (50 * GST_MSECOND)

/* How much longer than the latency the receiver waits for the last of the rows. */
#define LAST_WORDS GST_SECOND

/* For packets in the wrong order; the time it takes is part of the latency of the pads. */
#define REORDER_MS 20

/* The stream of one sensor. */
typedef struct
{
  const TwoHostsSensor *sensor;
  GstClockTime base_time;
  AlignmentError error;
  PeerGate gate;

  /* RTP, in its streaming thread */
  GstClockTime captured;        /* of the packet at hand, on the shared clock; GST_CLOCK_TIME_NONE: not known yet */
  guint64 n_without_time;       /* rows dropped, before the first report */
  GstElement *jitterbuffer;
} Stream;

typedef struct
{
  GstElement *pipeline, *fuse, *sink;
  Stream streams[TWO_HOSTS_N_SENSORS];
  guint64 n_samples;
} Receiver;

/* ---- the pipeline ---- */

/* clocksync reports that rows are live, which tcpserversrc does not, and passes rows at once if their time has come. */
static void
describe_tcp (GString *text, const TwoHosts *hosts)
{
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++)
    g_string_append_printf (text, "tcpserversrc name=listen_%u host=%s port=%d ! gdpdepay name=depay_%u ! clocksync ! fuse.%s ",
        i, hosts->listen, two_hosts_tcp_port (hosts->port, i), i, two_hosts_sensors[i].pad);
}

/* rtpbin gives each packet a GstReferenceTimestampMeta with its time of capture, once it has had a report. */
static void
describe_rtp (GString *text, const TwoHosts *hosts)
{
  g_string_append_printf (text, "rtpbin name=rtp latency=%d add-reference-timestamp-meta=true ntp-time-source=clock-time ",
      REORDER_MS);
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    g_string_append_printf (text, "udpsrc name=listen_%u address=%s port=%d caps=\"" TWO_HOSTS_RTP_CAPS "\" "
        "! rtp.recv_rtp_sink_%u ", i, hosts->listen, two_hosts_rtp_port (hosts->port, i), i);
    g_string_append_printf (text, "udpsrc name=reports_%u address=%s port=%d ! rtp.recv_rtcp_sink_%u ", i, hosts->listen,
        two_hosts_rtcp_port (hosts->port, i), i);
    g_string_append_printf (text, "rtpgstdepay name=depay_%u ! fuse.%s ", i, two_hosts_sensors[i].pad);
  }
}

/* FALSE: rtpbin does not report times of capture. */
static gboolean
has_capture_times (void)
{
  GstElement *rtp = gst_element_factory_make ("rtpbin", NULL);
  const gboolean has = !rtp || g_object_class_find_property (G_OBJECT_GET_CLASS (rtp), "add-reference-timestamp-meta");

  gst_clear_object (&rtp);
  return has;
}

/* The element "stem_session". Not owned: the pipeline keeps it. */
static GstElement *
element_of (const Receiver *receiver, const gchar *stem, guint session)
{
  gchar *name = g_strdup_printf ("%s_%u", stem, session);
  GstElement *element = gst_bin_get_by_name (GST_BIN (receiver->pipeline), name);

  gst_object_unref (element);
  g_free (name);
  return element;
}

static void
guard_peers (Receiver *receiver, const TwoHosts *hosts)
{
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    PeerGate *gate = &receiver->streams[i].gate;
    GstElement *depay = element_of (receiver, "depay", i);
    const guint n = two_hosts_sensors[i].channels;

    if (hosts->rtp)
      peer_gate_guard_rtp (gate, depay, element_of (receiver, "listen", i), element_of (receiver, "reports", i), n);
    else
      peer_gate_guard_gdp (gate, depay, n);
  }
}

/* ---- RTP: the time of capture ---- */

/* A row fits into one packet. What the packet brings with it the payload loses, so it is noted before and set after. */
static GstPadProbeReturn
note_capture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  static GstStaticCaps ntp = GST_STATIC_CAPS ("timestamp/x-ntp");
  Stream *stream = data;
  GstCaps *caps = gst_static_caps_get (&ntp);
  const GstReferenceTimestampMeta *meta = gst_buffer_get_reference_timestamp_meta (GST_PAD_PROBE_INFO_BUFFER (info), caps);

  stream->captured = meta ? meta->timestamp : GST_CLOCK_TIME_NONE;
  gst_caps_unref (caps);
  return GST_PAD_PROBE_OK;
}

static GstPadProbeReturn
set_capture (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Stream *stream = data;
  GstBuffer *buffer;

  if (!GST_CLOCK_TIME_IS_VALID (stream->captured) || stream->captured < stream->base_time) {
    stream->n_without_time++;
    return GST_PAD_PROBE_DROP;
  }
  buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GST_BUFFER_PTS (buffer) = stream->captured - stream->base_time;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* "recv_rtp_src_SESSION_SSRC_PT" */
static void
link_stream (GstElement *rtp, GstPad *pad, gpointer data)
{
  Receiver *receiver = data;
  guint session;

  if (sscanf (GST_PAD_NAME (pad), "recv_rtp_src_%u_", &session) == 1 && session < TWO_HOSTS_N_SENSORS) {
    GstPad *sink = gst_element_get_static_pad (element_of (receiver, "depay", session), "sink");

    if (!gst_pad_is_linked (sink))
      gst_pad_link (pad, sink);
    gst_object_unref (sink);
  }
}

static void
keep_jitterbuffer (GstElement *rtp, GstElement *jitterbuffer, guint session, guint ssrc, gpointer data)
{
  Receiver *receiver = data;

  if (session < TWO_HOSTS_N_SENSORS)
    gst_object_replace ((GstObject **) & receiver->streams[session].jitterbuffer, GST_OBJECT (jitterbuffer));
}

/* Packets that never came, or came too late; they became no rows, so robocachefuse does not count them. */
static gint64
packets_lost (const Stream *stream)
{
  GstStructure *stats;
  gint64 lost;

  if (!stream->jitterbuffer)
    return 0;
  g_object_get (stream->jitterbuffer, "stats", &stats, NULL);
  lost = stats_get (stats, "num-lost");
  gst_structure_free (stats);
  return lost;
}

static void
add_probe (GstElement *element, const gchar *pad_name, GstPadProbeCallback callback, Stream *stream)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, stream, NULL);
  gst_object_unref (pad);
}

static void
prepare_rtp (Receiver *receiver, gboolean arrival_times)
{
  GstElement *rtp = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "rtp");

  g_signal_connect (rtp, "pad-added", G_CALLBACK (link_stream), receiver);
  g_signal_connect (rtp, "new-jitterbuffer", G_CALLBACK (keep_jitterbuffer), receiver);
  gst_object_unref (rtp);
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS && !arrival_times; i++) {
    GstElement *depay = element_of (receiver, "depay", i);

    add_probe (depay, "sink", note_capture, &receiver->streams[i]);
    add_probe (depay, "src", set_capture, &receiver->streams[i]);
  }
}

/* ---- samples ---- */

/* Adds tensor s of a sample to the errors of its stream, if it is aligned. */
static gboolean
measure_tensor (Stream *stream, GstSample *sample, guint s, const gint64 info[4], GError **error)
{
  SampleTensor tensor;

  if (info[3] != 0)
    return TRUE;
  if (!sample_tensor_map_floats (&tensor, sample, s, stream->sensor->channels, error))
    return FALSE;
  alignment_error_add (&stream->error, info[0], sample_tensor_floats (&tensor));
  sample_tensor_unmap (&tensor);
  return TRUE;
}

/* The tensors of a sample are in the order of the streams in its meta. */
static gboolean
measure_sample (Receiver *receiver, GstSample *sample, GError **error)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (gst_sample_get_buffer (sample), "RobocacheSampleMeta");
  const GstStructure *fields = gst_custom_meta_get_structure (meta);
  const gint64 (*info)[4] = g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (fields, "info")), NULL);
  gchar **names = g_strsplit (gst_structure_get_string (fields, "streams"), ",", -1);
  gboolean ok = TRUE;

  for (guint s = 0; ok && names[s]; s++) {
    for (guint i = 0; ok && i < TWO_HOSTS_N_SENSORS; i++) {
      if (g_str_equal (names[s], two_hosts_sensors[i].pad))
        ok = measure_tensor (&receiver->streams[i], sample, s, info[s], error);
    }
  }
  g_strfreev (names);
  return ok;
}

static gboolean
handle_samples (Receiver *receiver)
{
  GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (receiver->sink), POLL);
  GError *error = NULL;

  for (; sample; sample = error ? NULL : gst_app_sink_try_pull_sample (GST_APP_SINK (receiver->sink), 0)) {
    measure_sample (receiver, sample, &error);
    receiver->n_samples++;
    gst_sample_unref (sample);
  }
  if (!error)
    return TRUE;
  printable_report ("error", error->message);
  g_error_free (error);
  return FALSE;
}

/* ---- all of it ---- */

static gboolean
make_pipeline (Receiver *receiver, const TwoHosts *hosts)
{
  GError *error = NULL;
  GString *text;

  if (hosts->rtp && !has_capture_times ()) {
    fputs ("error: --transport rtp: rtpbin needs GStreamer 1.22 for times of capture; use --transport tcp\n", stderr);
    return FALSE;
  }
  text = g_string_new (NULL);
  g_string_append_printf (text, "robocachefuse name=fuse rate=%d/1 latency=%" G_GINT64_FORMAT " ", TWO_HOSTS_TICKS_HZ,
      hosts->latency);
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++)
    g_string_append_printf (text, "%s::interpolation=cubic ", two_hosts_sensors[i].pad);
  g_string_append (text, "! appsink name=samples sync=false async=false ");
  if (hosts->rtp)
    describe_rtp (text, hosts);
  else
    describe_tcp (text, hosts);
  receiver->pipeline = messages_launch (text->str);
  g_string_free (text, TRUE);
  if (!receiver->pipeline)
    return FALSE;
  receiver->fuse = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "fuse");
  receiver->sink = gst_bin_get_by_name (GST_BIN (receiver->pipeline), "samples");
  guard_peers (receiver, hosts);
  if (hosts->rtp)
    prepare_rtp (receiver, hosts->arrival_times);
  if (live_view_add (receiver->pipeline, receiver->fuse, stdout, &error))
    return TRUE;
  printable_report ("error", error->message);
  g_error_free (error);
  return FALSE;
}

static void
print_summary (Receiver *receiver, const TwoHosts *hosts)
{
  StatsTableRow rows[TWO_HOSTS_N_SENSORS];

  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++)
    rows[i] = (StatsTableRow) {(gchar *) two_hosts_sensors[i].pad, (gchar *) two_hosts_sensors[i].label};
  printf ("%s: %" G_GUINT64_FORMAT " samples\n", hosts->rtp ? "RTP" : "gdp over TCP", receiver->n_samples);
  stats_table_print (stdout, receiver->fuse, rows, G_N_ELEMENTS (rows));
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    const Stream *stream = &receiver->streams[i];

    if (hosts->rtp)
      printf ("%s: %" G_GINT64_FORMAT " packets lost; %" G_GUINT64_FORMAT " rows that came before the sender's first report "
          "dropped; %d datagrams refused\n", rows[i].label, packets_lost (stream), stream->n_without_time,
          g_atomic_int_get (&stream->gate.n_datagrams_refused));
    alignment_error_print (stdout, &receiver->streams[i].error, rows[i].label);
  }
}

/* The elements of a stream are called by its sensor: "depay_0", and "proprio_0" where robocachefuse names its pad. */
static const gchar *
label_of_element (const gchar *name, gpointer unused)
{
  guint session;

  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    if (g_str_equal (name, two_hosts_sensors[i].pad))
      return two_hosts_sensors[i].label;
  }
  return sscanf (name, "%*[a-z]_%u", &session) == 1 && session < TWO_HOSTS_N_SENSORS ? two_hosts_sensors[session].label : NULL;
}

static gboolean
run (Receiver *receiver, const TwoHosts *hosts, GstClock *clock)
{
  const GstClockTime end = (GstClockTime) (hosts->base_time + hosts->seconds * (gint64) GST_SECOND + hosts->latency)
      + LAST_WORDS;
  gboolean failed;

  shared_clock_use (clock, receiver->pipeline, (GstClockTime) hosts->base_time);
  failed = gst_element_set_state (receiver->pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE;
  if (!failed)
    printf ("receiver: ready\n");
  do {
    failed |= !handle_samples (receiver);
    failed = messages_handle (receiver->pipeline, label_of_element, NULL) || failed;
  } while (!failed && !gst_app_sink_is_eos (GST_APP_SINK (receiver->sink)) && gst_clock_get_time (clock) < end);
  failed = failed || !handle_samples (receiver);
  if (!failed && receiver->n_samples == 0)
    fprintf (stderr, "error: no sample: no rows were received in time. Is the sender running, with the same --base-time?\n");
  if (!failed)
    print_summary (receiver, hosts);
  gst_element_set_state (receiver->pipeline, GST_STATE_NULL);
  return !failed;
}

gboolean
two_hosts_receive (const TwoHosts *hosts, GstClock *clock)
{
  Receiver receiver = { 0 };
  gboolean ok = make_pipeline (&receiver, hosts);

  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    Stream *stream = &receiver.streams[i];

    stream->sensor = &two_hosts_sensors[i];
    stream->base_time = (GstClockTime) hosts->base_time;
    stream->captured = GST_CLOCK_TIME_NONE;
    alignment_error_init (&stream->error, stream->sensor->kind, stream->sensor->channels);
  }
  ok = ok && run (&receiver, hosts, clock);
  for (guint i = 0; i < TWO_HOSTS_N_SENSORS; i++) {
    alignment_error_clear (&receiver.streams[i].error);
    gst_clear_object (&receiver.streams[i].jitterbuffer);
  }
  gst_clear_object (&receiver.fuse);
  gst_clear_object (&receiver.sink);
  gst_clear_object (&receiver.pipeline);
  return ok && receiver.n_samples > 0;
}
