/* robocache: limits on what a peer can make the receiver do
 *
 * Depayloaders keep the bytes of a packet until it is whole, up to 4 GiB of them, and pass on caps and events that the peer
 * wrote. Probes before and behind a depayloader refuse everything but the rows of one sensor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_PEERGATE_H
#define ROBOCACHE_EXAMPLES_PEERGATE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Greatest packet of a peer: far more than a row or its caps take. */
#define PEER_GATE_MAX_GDP_BYTES 4096
#define PEER_GATE_MAX_DATAGRAM_BYTES 1500

#define PEER_GATE_GDP_HEADER_BYTES 62

typedef struct
{
  GstElement *depay;            /* posts errors; not owned */
  guint n_channels;             /* of float32 rows */
  gboolean refused;             /* after an error; nothing more passes. Streaming thread of depay */

  /* gdp: position in the byte stream. Streaming thread */
  guint8 header[PEER_GATE_GDP_HEADER_BYTES];
  gsize n_header, n_payload;    /* header bytes read; payload bytes to come */

  /* RTP: two threads, atomic */
  guint ssrc;                   /* the first sender's; 0: none yet */
  gint n_datagrams_refused;
} PeerGate;

/* Guards gdpdepay. An oversized packet, one of another type, other caps and malformed events are errors before their
 * bytes are kept. A stream that ends within a packet is a warning. */
void peer_gate_guard_gdp (PeerGate * gate, GstElement * depay, guint n_channels);

/* Guards rtpgstdepay, and rtpbin by the pads of the two udpsrc. Other caps are an error. Datagrams that are oversized,
 * incomplete or from another sender than the first are dropped and counted. */
void peer_gate_guard_rtp (PeerGate * gate, GstElement * depay, GstElement * rtp_source, GstElement * rtcp_source,
    guint n_channels);

G_END_DECLS
#endif
