/* robocache: sensors on one host, fusion on another
 *
 * Two pipelines with the same clock and the same base time have the same running time, so a row's time of capture means
 * the same on both hosts, if it arrives with the row. By TCP, gdppay sends buffers with their timestamps. By RTP, packets have
 * timestamps of their own, and the sender's reports say what they are on the shared clock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "twohosts.h"

#include <stdio.h>
#include <stdlib.h>

#include "fault.h"
#include "recording.h"

const TwoHostsSensor two_hosts_sensors[TWO_HOSTS_N_SENSORS] = {
  {"proprio_0", "proprio", ROBOCACHE_TEST_PROPRIO, 7, 100},
  {"force_0", "force", ROBOCACHE_TEST_FORCE, 6, 250},
};

gint
two_hosts_tcp_port (gint port, guint sensor)
{
  return port + 1 + (gint) sensor;
}

gint
two_hosts_rtp_port (gint port, guint sensor)
{
  return port + 1 + 2 * (gint) sensor;
}

gint
two_hosts_rtcp_port (gint port, guint sensor)
{
  return two_hosts_rtp_port (port, sensor) + 1;
}

typedef struct
{
  gchar *transport, *clock, *receiver, *base_time, *latency, *delay;
  gchar **role;
  SharedClockKind clock_kind;
  TwoHosts hosts;
} CommandLine;

static gboolean
parse_duration (const gchar *option, const gchar *text, gint64 *ns, GError **error)
{
  if (!text || (recording_parse_duration (text, ns) && *ns >= 0))
    return TRUE;
  FAULT (error, "--%s %s: expected a time in ns, or with a unit, like 20ms", option, text);
  return FALSE;
}

static gboolean
check (CommandLine *line, GError **error)
{
  TwoHosts *hosts = &line->hosts;
  const gchar *role = line->role && line->role[0] && !line->role[1] ? line->role[0] : "";

  if (!g_str_equal (role, "sender") && !g_str_equal (role, "receiver"))
    FAULT (error, "expected one argument, sender or receiver; see --help");
  else if (g_str_equal (role, "sender") != (line->receiver != NULL))
    FAULT (error, "--receiver: expected the address of the fusing host, for the sender only");
  else if (!line->transport || (!g_str_equal (line->transport, "tcp") && !g_str_equal (line->transport, "rtp")))
    FAULT (error, "--transport %s: expected tcp or rtp", line->transport ? line->transport : "");
  else if (!shared_clock_kind_by_name (line->clock ? line->clock : "net", &line->clock_kind))
    FAULT (error, "--clock %s: expected net, ptp or system", line->clock);
  else if (!line->base_time || robocache_time_from_text (line->base_time, ROBOCACHE_TIME_UNIT_S, &hosts->base_time)
      != ROBOCACHE_TIME_OK || hosts->base_time <= 0)
    FAULT (error, "--base-time %s: expected seconds on the shared clock, the same on both hosts",
        line->base_time ? line->base_time : "");
  else if (hosts->seconds < 1 || hosts->seconds > 86400 || hosts->port < 1024 || hosts->port > 65500)
    FAULT (error, "--seconds %d, --port %d: expected 1 to 86400 and 1024 to 65500", hosts->seconds, hosts->port);
  else if (!(hosts->loss >= 0.0 && hosts->loss < 1.0))
    FAULT (error, "--loss %g: expected 0 to less than 1", hosts->loss);
  else
    return parse_duration ("latency", line->latency, &hosts->latency, error)
        && parse_duration ("delay", line->delay, &hosts->delay, error);
  return FALSE;
}

static gboolean
parse_command_line (CommandLine *line, int argc, char **argv, GError **error)
{
  TwoHosts *hosts = &line->hosts;
  const GOptionEntry entries[] = {
    {"transport", 't', 0, G_OPTION_ARG_STRING, &line->transport, "tcp (gdp) or rtp", "NAME"},
    {"receiver", 'r', 0, G_OPTION_ARG_STRING, &line->receiver, "address of the receiver, for the sender", "ADDRESS"},
    {"clock", 'c', 0, G_OPTION_ARG_STRING, &line->clock, "net: the receiver's (default); ptp; system: each host's own",
        "NAME"},
    {"base-time", 'b', 0, G_OPTION_ARG_STRING, &line->base_time, "when the sensors begin, in seconds on the shared clock: "
          "Unix time, and with ptp TAI", "S"},
    {"seconds", 's', 0, G_OPTION_ARG_INT, &hosts->seconds, "how long they run (10)", "N"},
    {"port", 'p', 0, G_OPTION_ARG_INT, &hosts->port, "the first of six ports (5600)", "N"},
    {"latency", 'l', 0, G_OPTION_ARG_STRING, &line->latency, "of robocachefuse (400ms)", "TIME"},
    {"arrival-times", 0, 0, G_OPTION_ARG_NONE, &hosts->arrival_times, "receiver: by RTP, stamps rows as they arrive, as "
          "rtpgstdepay alone does, for comparison", NULL},
    {"delay", 0, 0, G_OPTION_ARG_STRING, &line->delay, "sender: as long as a network would take (0)", "TIME"},
    {"loss", 0, 0, G_OPTION_ARG_DOUBLE, &hosts->loss, "sender: this part of RTP packets gets lost (0)", "PART"},
    {"own-clock", 0, 0, G_OPTION_ARG_NONE, &hosts->own_clock, "sender: rows are of this machine's own time, so that the "
          "clocks' error shows; for both ends on one machine", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &line->role, NULL, "sender|receiver"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  gboolean ok;

  g_option_context_set_summary (context, "Joints and forces of one host, fused on another, and by how much they are "
      "beside their ticks.");
  g_option_context_add_main_entries (context, entries, NULL);
  ok = g_option_context_parse (context, &argc, &argv, error) && check (line, error);
  g_option_context_free (context);
  hosts->rtp = ok && g_str_equal (line->transport, "rtp");
  hosts->receiver = line->receiver;
  return ok;
}

static void
command_line_clear (CommandLine *line)
{
  g_free (line->transport);
  g_free (line->clock);
  g_free (line->receiver);
  g_free (line->base_time);
  g_free (line->latency);
  g_free (line->delay);
  g_strfreev (line->role);
}

int
main (int argc, char **argv)
{
  CommandLine line = {.hosts = {.port = 5600,.seconds = 10,.latency = 400 * GST_MSECOND } };
  SharedClock shared = { 0 };
  GError *error = NULL;
  gboolean ok;

  setvbuf (stdout, NULL, _IOLBF, 0);
  gst_init (NULL, NULL);
  ok = parse_command_line (&line, argc, argv, &error)
      && shared_clock_open (&shared, line.clock_kind, line.hosts.receiver, line.hosts.port, &error);
  if (error)
    fprintf (stderr, "error: %s\n", error->message);
  if (ok)
    ok = line.hosts.receiver ? two_hosts_send (&line.hosts, shared.clock) : two_hosts_receive (&line.hosts, shared.clock);
  g_clear_error (&error);
  shared_clock_clear (&shared);
  command_line_clear (&line);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
