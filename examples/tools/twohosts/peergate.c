/* robocache: limits on what a peer can make the receiver do
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include "examples/tools/program.h"
#include "examples/tools/sampletensor.h"

/* Payload types of gdp: a buffer, caps, and from 64 on events. */
#define GDP_BUFFER 1
#define GDP_CAPS 2
#define GDP_EVENT 64

/* RFC 3550: SR, the first of the types of RTCP packets, the last, and those with a chunk for each of several sources. */
#define RTCP_FIRST 200
#define RTCP_SDES 202
#define RTCP_BYE 203
#define RTCP_LAST 204

static const guint packet_types[] = { GDP_BUFFER, GDP_CAPS, GDP_EVENT + GST_EVENT_STREAM_START, GDP_EVENT + GST_EVENT_SEGMENT,
  GDP_EVENT + GST_EVENT_EOS
};

/* Big-endian numbers, at any address. */
static guint
read_16 (const guint8 *bytes)
{
  return (guint) bytes[0] << 8 | bytes[1];
}

static guint32
read_32 (const guint8 *bytes)
{
  return (guint32) read_16 (bytes) << 16 | read_16 (bytes + 2);
}

static void
refuse (PeerGate *gate, GError *error)
{
  gate->refused = TRUE;
  GST_ELEMENT_ERROR (gate->depay, STREAM, FAILED, ("%s", error->message), (NULL));
  g_error_free (error);
}

static GstPadProbeReturn
verdict (const PeerGate *gate)
{
  return gate->refused ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

static void
add_probe (PeerGate *gate, GstElement *element, const gchar *pad_name, GstPadProbeType type, GstPadProbeCallback callback)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);

  gst_pad_add_probe (pad, type, callback, gate, NULL);
  gst_object_unref (pad);
}

/* ---- behind a depayloader ---- */

/* Elements read these fields without a check. */
static gboolean
is_well_formed (GstEvent *event)
{
  const GstStructure *fields = gst_event_get_structure (event);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_STREAM_START:
      return fields && gst_structure_has_field_typed (fields, "stream-id", G_TYPE_STRING);
    case GST_EVENT_SEGMENT:
      return fields && gst_structure_has_field_typed (fields, "segment", GST_TYPE_SEGMENT);
    default:
      return TRUE;
  }
}

static GstPadProbeReturn
check_output (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PeerGate *gate = data;
  GstEvent *event = GST_IS_EVENT (info->data) ? GST_PAD_PROBE_INFO_EVENT (info) : NULL;
  GError *error = NULL;

  if (gate->refused || !event)
    return verdict (gate);
  if (!is_well_formed (event)) {
    FAULT (&error, "a malformed %s event; is the peer a sender of this example?", GST_EVENT_TYPE_NAME (event));
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (event, &caps);
    sample_caps_check_floats (caps, 0, gate->n_channels, &error);
  }
  if (error)
    refuse (gate, error);
  return verdict (gate);
}

static void
guard_output (PeerGate *gate, GstElement *depay, guint n_channels)
{
  *gate = (PeerGate) {.depay = depay,.n_channels = n_channels };
  add_probe (gate, depay, "src", GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_output);
}

/* ---- gdp ---- */

static void
read_gdp_header (PeerGate *gate)
{
  const guint type = read_16 (gate->header + 4);
  GError *error = NULL;
  guint i = 0;

  gate->n_header = 0;
  gate->n_payload = read_32 (gate->header + 6);
  while (i < G_N_ELEMENTS (packet_types) && packet_types[i] != type)
    i++;
  if (i == G_N_ELEMENTS (packet_types))
    FAULT (&error, "a packet of type %u, not a row, caps or an event of gdp; is the peer a sender of this example?", type);
  else if (gate->n_payload > PEER_GATE_MAX_GDP_BYTES)
    FAULT (&error, "a packet of %" G_GSIZE_FORMAT " bytes, expected at most %d", gate->n_payload, PEER_GATE_MAX_GDP_BYTES);
  if (error)
    refuse (gate, error);
}

static GstPadProbeReturn
check_gdp_bytes (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PeerGate *gate = data;
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  const gsize size = gst_buffer_get_size (buffer);
  gsize n;

  for (gsize offset = 0; !gate->refused && offset < size; offset += n) {
    if (gate->n_payload > 0) {
      n = MIN (gate->n_payload, size - offset);
      gate->n_payload -= n;
      continue;
    }
    n = gst_buffer_extract (buffer, offset, gate->header + gate->n_header, PEER_GATE_GDP_HEADER_BYTES - gate->n_header);
    gate->n_header += n;
    if (gate->n_header == PEER_GATE_GDP_HEADER_BYTES)
      read_gdp_header (gate);
  }
  return verdict (gate);
}

static GstPadProbeReturn
check_gdp_end (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  PeerGate *gate = data;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_EOS && !gate->refused
      && (gate->n_header > 0 || gate->n_payload > 0))
    GST_ELEMENT_WARNING (gate->depay, STREAM, DECODE, ("the connection ended within a packet, which is lost"), (NULL));
  return GST_PAD_PROBE_OK;
}

void
peer_gate_guard_gdp (PeerGate *gate, GstElement *depay, guint n_channels)
{
  guard_output (gate, depay, n_channels);
  add_probe (gate, depay, "sink", GST_PAD_PROBE_TYPE_BUFFER, check_gdp_bytes);
  add_probe (gate, depay, "sink", GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, check_gdp_end);
}

/* ---- RTP ---- */

/* rtpbin keeps a stream and threads for each sender that it sees. */
static gboolean
is_of_first_sender (PeerGate *gate, guint ssrc)
{
  g_atomic_int_compare_and_exchange ((gint *) & gate->ssrc, 0, (gint) ssrc);
  return (guint) g_atomic_int_get ((gint *) & gate->ssrc) == ssrc;
}

/* A whole row is in one packet: with the marker of the last fragment. */
static gboolean
is_rtp_of_sender (PeerGate *gate, const guint8 *data, gsize size)
{
  return size >= 12 && data[0] >> 6 == 2 && data[1] >> 7 == 1 && is_of_first_sender (gate, read_32 (data + 8));
}

/* A compound of packets, each with its length in words less one. */
static gboolean
is_rtcp_of_sender (PeerGate *gate, const guint8 *data, gsize size)
{
  while (size >= 8) {
    const gsize length = 4 * ((gsize) read_16 (data + 2) + 1);
    const gboolean has_chunks = data[1] == RTCP_SDES || data[1] == RTCP_BYE;

    if (data[0] >> 6 != 2 || data[1] < RTCP_FIRST || data[1] > RTCP_LAST || (has_chunks && (data[0] & 31) > 1)
        || length < 8 || length > size || !is_of_first_sender (gate, read_32 (data + 4)))
      return FALSE;
    data += length;
    size -= length;
  }
  return size == 0;
}

static GstPadProbeReturn
check_datagram (PeerGate *gate, GstBuffer *buffer, gboolean (*is_of_sender) (PeerGate *, const guint8 *, gsize))
{
  guint8 data[PEER_GATE_MAX_DATAGRAM_BYTES];
  const gsize size = gst_buffer_get_size (buffer);

  if (size <= sizeof (data) && is_of_sender (gate, data, gst_buffer_extract (buffer, 0, data, size)))
    return GST_PAD_PROBE_OK;
  g_atomic_int_inc (&gate->n_datagrams_refused);
  return GST_PAD_PROBE_DROP;
}

static GstPadProbeReturn
check_rtp (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return check_datagram (data, GST_PAD_PROBE_INFO_BUFFER (info), is_rtp_of_sender);
}

static GstPadProbeReturn
check_rtcp (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  return check_datagram (data, GST_PAD_PROBE_INFO_BUFFER (info), is_rtcp_of_sender);
}

void
peer_gate_guard_rtp (PeerGate *gate, GstElement *depay, GstElement *rtp_source, GstElement *rtcp_source, guint n_channels)
{
  guard_output (gate, depay, n_channels);
  add_probe (gate, rtp_source, "src", GST_PAD_PROBE_TYPE_BUFFER, check_rtp);
  add_probe (gate, rtcp_source, "src", GST_PAD_PROBE_TYPE_BUFFER, check_rtcp);
}
