/* robocache: code that both ends of the two-hosts example share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>
#include <stdio.h>

#include "gst/testsrc/testsignal.h"

/* ---- one clock for the pipelines of several hosts ---- */

typedef enum
{
  SHARED_CLOCK_NET,             /* the clock of the fusion host, read over UDP */
  SHARED_CLOCK_PTP,             /* IEEE 1588, for network cards that support it */
  SHARED_CLOCK_SYSTEM           /* each host's own clock, synchronised by chrony or ptp4l */
} SharedClockKind;

/* Finds the kind for "net", "ptp" or "system". */
gboolean shared_clock_kind_by_name (const gchar * name, SharedClockKind * kind);

/* The clock and, on the host that provides it, the provider. Clear with shared_clock_clear. */
typedef struct
{
  GstClock *clock;
  GstObject *provider;
} SharedClock;

/* provider: NULL on the host that provides the clock, otherwise that host's address. listen: the address to which the provider binds.
 * Waits until the clocks agree. FALSE and an error when they do not agree. */
gboolean shared_clock_open (SharedClock * shared, SharedClockKind kind, const gchar * provider, const gchar * listen, gint port,
    GError ** error);
void shared_clock_clear (SharedClock * shared);

/* This host's own time of day. */
GstClock *shared_clock_own (void);

/* The current difference, shared clock minus this host's own clock (ns). */
gint64 shared_clock_ahead (GstClock * shared, GstClock * own);

/* Sets the clock of a pipeline in state NULL, with running time 0 at base_time. Pipelines with the same clock and base_time have the same
 * running time. */
void shared_clock_use (GstClock * clock, GstElement * pipeline, GstClockTime base_time);

/* ---- errors of the alignment, for sensors with known signals ---- */

typedef struct
{
  RobocacheTestKind kind;
  guint n_channels;
  GArray *errors;               /* gdouble ns: for each row so far, by how much its values are later than its time */
} AlignmentError;

void alignment_error_init (AlignmentError * error, RobocacheTestKind kind, guint n_channels);
void alignment_error_clear (AlignmentError * error);

/* Adds a row of robocachetestsrc's signals, which should be the signals at time (ns since the source began). */
void alignment_error_add (AlignmentError * error, gint64 time, const gfloat * row);

/* Writes a line with the quantiles of the errors. */
void alignment_error_print (FILE * out, AlignmentError * error, const gchar * label);

/* ---- limits on the data from a peer ---- */

/* Depayloaders keep the bytes of a packet until it is complete, up to 4 GiB, and forward caps and events that the peer wrote. Probes
 * before and after a depayloader refuse everything except the rows of one sensor. */

/* Greatest size of a peer's packet: far more than a row or its caps need. */
#define PEER_GATE_MAX_GDP_BYTES 4096
#define PEER_GATE_MAX_DATAGRAM_BYTES 1500

#define PEER_GATE_GDP_HEADER_BYTES 62

typedef struct
{
  GstElement *depay;            /* posts errors; not owned */
  guint n_channels;             /* channels of float32 rows */
  gboolean refused;             /* set after an error, so that nothing more passes; only for the streaming thread of depay */

  /* gdp: position in the byte stream. Streaming thread */
  guint8 header[PEER_GATE_GDP_HEADER_BYTES];
  gsize n_header, n_payload;    /* header bytes read; payload bytes to come */

  /* RTP: two threads, atomic */
  guint ssrc;                   /* SSRC of the first sender; 0: none yet */
  gint n_datagrams_refused;
} PeerGate;

/* Guards gdpdepay. Oversized packets, packets of another type, other caps and malformed events are errors, before their bytes are kept. A
 * stream that ends within a packet is a warning. */
void peer_gate_guard_gdp (PeerGate * gate, GstElement * depay, guint n_channels);

/* Guards rtpgstdepay, and rtpbin with probes on the pads of the two udpsrc. Other caps are an error. Datagrams that are oversized,
 * incomplete or from another sender than the first are dropped and counted. */
void peer_gate_guard_rtp (PeerGate * gate, GstElement * depay, GstElement * rtp_source, GstElement * rtcp_source,
    guint n_channels);

/* ---- settings that both ends of the two-hosts example share ---- */

#define TWO_HOSTS_N_SENSORS 2
#define TWO_HOSTS_TICKS_HZ 50

/* The caps of RTP packets from rtpgstpay, which contain the caps of rows. */
#define TWO_HOSTS_RTP_CAPS "application/x-rtp,media=(string)application,clock-rate=(int)90000," \
    "encoding-name=(string)X-GST,payload=(int)96"

typedef struct
{
  const gchar *pad;             /* pad of robocachefuse */
  const gchar *label;           /* name in texts for people */
  const gchar *nick;            /* nick of robocachetestsrc's kind */
  RobocacheTestKind kind;
  guint channels;
  gint rate_hz;
} TwoHostsSensor;

extern const TwoHostsSensor two_hosts_sensors[TWO_HOSTS_N_SENSORS];

/* Ports: the clock has `port`, and the sensors have the next ports; with RTP each sensor has two, for packets and reports. */
gint two_hosts_tcp_port (gint port, guint sensor);
gint two_hosts_rtp_port (gint port, guint sensor);
gint two_hosts_rtcp_port (gint port, guint sensor);

typedef struct
{
  gboolean rtp;                 /* FALSE: gdp over TCP */
  const gchar *receiver;        /* address of the host that fuses; an option of the sender */
  const gchar *listen;          /* IP address to which the receiver binds */
  gint port;
  gint64 base_time;             /* ns on the shared clock */
  gint seconds;                 /* how long the sensors run */

  gint64 latency;               /* latency of robocachefuse (ns) */
  gint64 delay;                 /* delay of a simulated network (ns) */
  gdouble loss;                 /* part of RTP packets that the simulated network loses */
  gboolean arrival_times;       /* for comparison: by RTP, rows are stamped as they arrive */
  gboolean own_clock;           /* sensors sample the world by this host's own clock */
} TwoHosts;

/* Each function runs one end, on the clock, until the sensors have ended. FALSE after writing an error. */
gboolean two_hosts_send (const TwoHosts * hosts, GstClock * clock);
gboolean two_hosts_receive (const TwoHosts * hosts, GstClock * clock);
