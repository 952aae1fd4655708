/* robocache: what the two ends of the two-hosts example agree on
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_TWOHOSTS_H
#define ROBOCACHE_EXAMPLES_TWOHOSTS_H

#include <gst/gst.h>

#include "gst/testsrc/testsignal.h"
#include "sharedclock.h"

G_BEGIN_DECLS

#define TWO_HOSTS_N_SENSORS 2
#define TWO_HOSTS_TICKS_HZ 50

/* How an RTP packet is to be understood: rtpgstpay's, with the caps of rows inside. */
#define TWO_HOSTS_RTP_CAPS "application/x-rtp,media=(string)application,clock-rate=(int)90000," \
    "encoding-name=(string)X-GST,payload=(int)96"

typedef struct
{
  const gchar *pad;             /* of robocachefuse */
  const gchar *label;           /* in what people read */
  const gchar *nick;            /* of robocachetestsrc's kind */
  RobocacheTestKind kind;
  guint channels;
  gint rate_hz;
} TwoHostsSensor;

extern const TwoHostsSensor two_hosts_sensors[TWO_HOSTS_N_SENSORS];

/* Ports: the clock's is `port`; by TCP the sensors' are the next ones; by RTP each has two, packets and reports. */
gint two_hosts_tcp_port (gint port, guint sensor);
gint two_hosts_rtp_port (gint port, guint sensor);
gint two_hosts_rtcp_port (gint port, guint sensor);

typedef struct
{
  gboolean rtp;                 /* or else gdp over TCP */
  const gchar *receiver;        /* address of the host that fuses; the sender's option */
  const gchar *listen;          /* IP address that the receiver binds to */
  gint port;
  gint64 base_time;             /* ns on the shared clock */
  gint seconds;                 /* how long the sensors run */

  gint64 latency;               /* of robocachefuse (ns) */
  gint64 delay;                 /* of a simulated network (ns) */
  gdouble loss;                 /* of its RTP packets */
  gboolean arrival_times;       /* for comparison: by RTP, rows are stamped as they arrive */
  gboolean own_clock;           /* sensors sample the world by this host's own clock */
} TwoHosts;

/* Each runs one end, on the clock, until the sensors are through. FALSE after writing what went wrong. */
gboolean two_hosts_send (const TwoHosts * hosts, GstClock * clock);
gboolean two_hosts_receive (const TwoHosts * hosts, GstClock * clock);

G_END_DECLS
#endif
