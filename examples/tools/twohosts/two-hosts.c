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

#include "common/text/timetext.h"
#include "examples/tools/program.h"
#include "examples/tools/recordings/recording.h"

const TwoHostsSensor two_hosts_sensors[TWO_HOSTS_N_SENSORS] = {
  {"proprio_0", "joints", "proprio", ROBOCACHE_TEST_PROPRIO, 7, 100},
  {"force_0", "force", "force", ROBOCACHE_TEST_FORCE, 6, 250},
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
  gchar *transport, *clock, *receiver, *listen, *base_time, *latency, *delay;
  gchar **role;
  SharedClockKind clock_kind;
  TwoHosts hosts;
} CommandLine;

static gboolean
parse_duration (const gchar *option, const gchar *text, gint64 *ns, GError **error)
{
  if (!text || (recording_parse_duration (text, ns) && *ns >= 0))
    return TRUE;
  USAGE_FAULT (error, "--%s %s: expected a time with a unit, like 20ms", option, text);
  return FALSE;
}

/* It becomes part of a pipeline's description. */
static gboolean
is_host (const gchar *text)
{
  return *text && text[strspn (text, "-.:%_" G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS)] == '\0';
}

static gboolean
check_addresses (const CommandLine *line, gboolean is_sender, GError **error)
{
  if (is_sender != (line->receiver != NULL))
    USAGE_FAULT (error, "--receiver: expected the address of the fusing host, for the sender only");
  else if (line->receiver && !is_host (line->receiver))
    USAGE_FAULT (error, "--receiver %s: expected the name or the IP address of the fusing host", line->receiver);
  else if (line->listen && is_sender)
    USAGE_FAULT (error, "--listen: expected for the receiver only");
  else if (line->listen && !(is_host (line->listen) && g_hostname_is_ip_address (line->listen)))
    USAGE_FAULT (error, "--listen %s: expected an IP address of this host, like 10.0.0.2", line->listen);
  else
    return TRUE;
  return FALSE;
}

static gboolean
check (CommandLine *line, GError **error)
{
  TwoHosts *hosts = &line->hosts;
  const gchar *role = line->role && line->role[0] && !line->role[1] ? line->role[0] : "";
  const gboolean is_sender = g_str_equal (role, "sender");

  if (!is_sender && !g_str_equal (role, "receiver"))
    USAGE_FAULT (error, "expected one argument, sender or receiver; see --help");
  else if (is_sender && live_view_is_asked ())
    USAGE_FAULT (error, "--view is an option of the receiver, which fuses the sensors");
  else if (!check_addresses (line, is_sender, error))
    return FALSE;
  else if (!line->transport || (!g_str_equal (line->transport, "tcp") && !g_str_equal (line->transport, "rtp")))
    USAGE_FAULT (error, "--transport %s: expected tcp or rtp", line->transport ? line->transport : "");
  else if (!shared_clock_kind_by_name (line->clock ? line->clock : "net", &line->clock_kind))
    USAGE_FAULT (error, "--clock %s: expected net, ptp or system", line->clock);
  else if (!line->base_time || robocache_time_from_text (line->base_time, ROBOCACHE_TIME_UNIT_S, &hosts->base_time)
      != ROBOCACHE_TIME_OK || hosts->base_time <= 0)
    USAGE_FAULT (error, "--base-time %s: expected seconds on the shared clock, the same on both hosts",
        line->base_time ? line->base_time : "");
  else if (hosts->seconds < 1 || hosts->seconds > 86400 || hosts->port < 1024 || hosts->port > 65500)
    USAGE_FAULT (error, "--seconds %d, --port %d: expected 1 to 86400 and 1024 to 65500", hosts->seconds, hosts->port);
  else if (!(hosts->loss >= 0.0 && hosts->loss < 1.0))
    USAGE_FAULT (error, "--loss %g: expected 0 to less than 1", hosts->loss);
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
    {"transport", 't', 0, G_OPTION_ARG_STRING, &line->transport, "transport of the rows: tcp (gdp) or rtp", "NAME"},
    {"receiver", 'r', 0, G_OPTION_ARG_STRING, &line->receiver, "sender: address of the receiver", "ADDRESS"},
    {"listen", 0, 0, G_OPTION_ARG_STRING, &line->listen, "receiver: IP address to bind to (127.0.0.1); any host that reaches "
          "it can send rows", "ADDRESS"},
    {"clock", 'c', 0, G_OPTION_ARG_STRING, &line->clock, "shared clock: net, the receiver's (default), ptp, or system, each host's own",
        "NAME"},
    {"base-time", 'b', 0, G_OPTION_ARG_STRING, &line->base_time, "time on the shared clock at which the sensors begin, in "
          "seconds: Unix time, or TAI with ptp", "S"},
    {"seconds", 's', 0, G_OPTION_ARG_INT, &hosts->seconds, "duration of the run in seconds (10)", "N"},
    {"port", 'p', 0, G_OPTION_ARG_INT, &hosts->port, "first of six consecutive ports (5600)", "N"},
    {"latency", 'l', 0, G_OPTION_ARG_STRING, &line->latency, "latency of robocachefuse, like 400ms (400ms)", "TIME"},
    {"arrival-times", 0, 0, G_OPTION_ARG_NONE, &hosts->arrival_times, "receiver: stamp rows of RTP at their arrival, for "
          "comparison", NULL},
    {"delay", 0, 0, G_OPTION_ARG_STRING, &line->delay, "sender: simulated delay of the network, like 20ms (0)", "TIME"},
    {"loss", 0, 0, G_OPTION_ARG_DOUBLE, &hosts->loss, "sender: simulated loss, a fraction of the RTP packets (0)", "PART"},
    {"own-clock", 0, 0, G_OPTION_ARG_NONE, &hosts->own_clock, "sender: stamp rows with this machine's own clock, to "
          "measure the error of the shared one; for both ends on one machine", NULL},
    LIVE_VIEW_OPTION,
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &line->role, NULL, "sender|receiver"},
    {NULL}
  };
  GOptionContext *context = program_option_context_new ("Sends joints and forces from one host, fuses them on another, and "
      "measures the alignment error.", "robocache two-hosts receiver --transport tcp --base-time \"$(date +%s)\"");
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  ok = g_option_context_parse (context, &argc, &argv, error) && check (line, error);
  g_option_context_free (context);
  hosts->rtp = ok && g_str_equal (line->transport, "rtp");
  hosts->receiver = line->receiver;
  hosts->listen = line->listen ? line->listen : "127.0.0.1";
  return ok;
}

static void
command_line_clear (CommandLine *line)
{
  g_free (line->transport);
  g_free (line->clock);
  g_free (line->receiver);
  g_free (line->listen);
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
      && shared_clock_open (&shared, line.clock_kind, line.hosts.receiver, line.hosts.listen, line.hosts.port, &error);
  if (ok)
    ok = line.hosts.receiver ? two_hosts_send (&line.hosts, shared.clock) : two_hosts_receive (&line.hosts, shared.clock);
  shared_clock_clear (&shared);
  command_line_clear (&line);
  return program_end (ok, error);
}
