/* robocache: what live viewers cost a pipeline, and how late they get its rows
 *
 *   bench-view [--turns N] [--csv FILE] [--smoke]
 *
 * The pipeline fuses a camera (640x480, 30 Hz) with two streams of 1 kHz. Two processes run it at the same time: one without a sink for viewers, one
 * with. A turn is a second without a viewer, in which the CPU times of both are compared, and a second with a viewer of both streams,
 * which is this process. Latency is from the arrival of a row at the sink, which is the time of its message, to its receipt from the
 * socket. The status is 1 if a median exceeds its limit, except with --csv. --smoke makes one turn without limits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/common/table.h"
#include "tests/check/view/viewclient.h"

#define MAX_TURNS 999
#define TURN_US G_USEC_PER_SEC
#define WARM_UP_US (300 * G_TIME_SPAN_MILLISECOND)
#define ROWS_PER_S 2000
#define SUBSCRIPTIONS 2

/* a tee for each stream, since the pipeline is the same with and without viewers */
#define STREAM(name, pad, source, sink) source " ! tee name=" name " ! " pad " " name ". ! " sink " "
#define PIPELINE(a, b, c) "robocachefuse name=fuse rate=100/1 latency=5000000 ! fakesink sync=false async=false " \
    STREAM ("a", "fuse.proprio_0", "robocachetestsrc kind=proprio rate=1000/1 is-live=true", a) \
    STREAM ("b", "fuse.force_0", "robocachetestsrc kind=force rate=1000/1 is-live=true", b) \
    STREAM ("c", "fuse.camera_0", "videotestsrc is-live=true ! video/x-raw,format=RGB,width=640,height=480,framerate=30/1", c)
#define NOWHERE "fakesink sync=false async=false"

/* A process with the pipeline. */
typedef struct
{
  pid_t pid;
  gint to, from;                /* pipes */
  guint port;                   /* 0: it has no sink for viewers */
} Process;

typedef enum
{ SHARE, CPU_A_ROW, LATENCY_P50, LATENCY_P99, N_FIGURES } FigureId;

static const struct
{
  const gchar *work, *unit;
  gdouble at_most;              /* INFINITY: no limit */
} figures[N_FIGURES] = {
  [SHARE] = {"a sink without viewers: CPU beside that of the pipeline", "%", 1},
  [CPU_A_ROW] = {"a viewer of 2 x 1 kHz: CPU a row", "us", 2},
  [LATENCY_P50] = {"the same: arrival to socket, p50", "ms", INFINITY},
  [LATENCY_P99] = {"the same: arrival to socket, p99", "ms", 5},
};

static gint n_turns = 20;
static gboolean smoke;
static gchar *csv;

static const GOptionEntry options[] = {
  {"turns", 0, 0, G_OPTION_ARG_INT, &n_turns, "Turns (20)", "N"},
  {"csv", 0, 0, G_OPTION_ARG_FILENAME, &csv, "Write the table to this file", "FILE"},
  {"smoke", 0, 0, G_OPTION_ARG_NONE, &smoke, "One turn", NULL},
  {NULL}
};

static void G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN
fail (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fputs ("bench-view: ", stderr);
  vfprintf (stderr, format, arguments);
  fputc ('\n', stderr);
  va_end (arguments);
  exit (1);
}

/* ---- the process of the pipeline ---- */

static gdouble
cpu_us (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (gdouble) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 + (gdouble) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static guint
port_of (GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "view");
  GstStructure *stats;
  guint port = 0;

  if (!sink)
    return 0;
  g_object_get (sink, "stats", &stats, NULL);
  gst_structure_get_uint (stats, "port", &port);
  gst_structure_free (stats);
  gst_object_unref (sink);
  return port;
}

static void
put (gint fd, gconstpointer data, gsize size)
{
  if (write (fd, data, size) != (gssize) size)
    fail ("a pipe is closed");
}

/* FALSE: the end. */
static gboolean
get (gint fd, gpointer data, gsize size)
{
  return read (fd, data, size) == (gssize) size;
}

/* Sends its port, and its CPU time each time that it gets a byte. */
static void G_GNUC_NORETURN
run_pipeline (gboolean has_sink, gint in, gint out)
{
  GError *error = NULL;
  GstElement *pipeline;
  guint port;
  gchar byte;

  gst_init (NULL, NULL);
  pipeline = gst_parse_launch (has_sink ? "robocachefoxglovesink name=view port=0 image-rate=0 " PIPELINE ("view.sink_0", "view.sink_1", "view.sink_2")
      : PIPELINE (NOWHERE, NOWHERE, NOWHERE), &error);
  if (!pipeline || error)
    fail ("%s", error->message);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE)
    fail ("the pipeline does not start");
  port = port_of (pipeline);
  put (out, &port, sizeof port);
  while (get (in, &byte, 1)) {
    const gdouble cpu = cpu_us ();

    put (out, &cpu, sizeof cpu);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  exit (0);
}

static void
start_process (Process *process, gboolean has_sink)
{
  gint to[2], from[2];

  if (pipe (to) != 0 || pipe (from) != 0 || (process->pid = fork ()) < 0)
    fail ("no process");
  if (process->pid == 0) {
    close (to[1]);
    run_pipeline (has_sink, to[0], from[1]);
  }
  close (to[0]);
  close (from[1]);
  process->to = to[1];
  process->from = from[0];
  if (!get (process->from, &process->port, sizeof process->port))
    fail ("the pipeline does not start");
}

static gdouble
cpu_of (const Process *process)
{
  gdouble cpu;

  put (process->to, "", 1);
  if (!get (process->from, &cpu, sizeof cpu))
    fail ("the pipeline ends early");
  return cpu;
}

static void
end_process (Process *process)
{
  gint status;

  close (process->to);
  if (waitpid (process->pid, &status, 0) != process->pid || status != 0)
    fail ("the pipeline's process ends with status %d", status);
  close (process->from);
}

/* ---- the viewer ---- */

/* The id of the channel of a topic in an advertisement; 0: none. */
static guint
find_channel (const gchar *text, const gchar *topic)
{
  gchar *wanted = g_strdup_printf (",\"topic\":\"%s\"", topic);
  const gchar *found = strstr (text, wanted);

  g_free (wanted);
  while (found && found > text && g_ascii_isdigit (found[-1]))
    found--;
  return found ? (guint) strtoul (found, NULL, 10) : 0;
}

static void
subscribe (ViewClient *client)
{
  guint n = 0;

  while (n < SUBSCRIPTIONS) {
    gchar *text = view_client_receive_text (client);

    for (guint i = 0; i < SUBSCRIPTIONS; i++) {
      gchar *topic = g_strdup_printf ("/sink_%u", i);
      const guint channel = find_channel (text, topic);
      gchar *wish = g_strdup_printf ("{\"op\":\"subscribe\",\"subscriptions\":[{\"id\":%u,\"channelId\":%u}]}", i, channel);

      if (channel > 0) {
        view_client_send_text (client, wish);
        n++;
      }
      g_free (wish);
      g_free (topic);
    }
    g_free (text);
  }
}

/* Appends latencies in ms until the time. */
static void
receive_rows (ViewClient *client, gint64 end_us, GArray *latencies)
{
  guint opcode;

  while (g_get_monotonic_time () < end_us) {
    GBytes *message = view_client_receive (client, &opcode);
    const gint64 now_us = g_get_real_time ();
    const guint8 *bytes;
    gdouble ms;

    if (!message)
      fail ("the connection is closed");
    bytes = g_bytes_get_data (message, NULL);
    if (opcode == VIEW_BINARY && bytes[0] == 1) {
      ms = (gdouble) now_us * 1e-3 - (gdouble) GST_READ_UINT64_LE (bytes + 5) * 1e-6;
      g_array_append_val (latencies, ms);
    }
    g_bytes_unref (message);
  }
}

static gint
compare_values (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return (x > y) - (x < y);
}

/* Returns the CPU time of the process beside a viewer. */
static gdouble
measure_viewer (const Process *process, gdouble *latency_p50, gdouble *latency_p99)
{
  GArray *latencies = g_array_new (FALSE, FALSE, sizeof (gdouble));
  ViewClient client;
  gdouble cpu;

  view_client_connect (&client, process->port);
  subscribe (&client);
  receive_rows (&client, g_get_monotonic_time () + WARM_UP_US, latencies);
  g_array_set_size (latencies, 0);
  cpu = cpu_of (process);
  receive_rows (&client, g_get_monotonic_time () + TURN_US, latencies);
  cpu = cpu_of (process) - cpu;
  view_client_close (&client);
  if (latencies->len < (smoke ? 1 : ROWS_PER_S / 2))
    fail ("%u rows of %d were received", latencies->len, ROWS_PER_S);
  g_array_sort (latencies, compare_values);
  *latency_p50 = g_array_index (latencies, gdouble, latencies->len / 2);
  *latency_p99 = g_array_index (latencies, gdouble, latencies->len * 99 / 100);
  g_array_unref (latencies);
  return cpu;
}

/* ---- turns ---- */

static void
measure (gdouble values[N_FIGURES][MAX_TURNS])
{
  Process without, with;

  start_process (&without, FALSE);
  start_process (&with, TRUE);
  g_usleep (G_USEC_PER_SEC);
  for (gint i = 0; i < n_turns; i++) {
    gdouble beside, alone, viewed;

    g_usleep (WARM_UP_US);
    beside = cpu_of (&without);
    alone = cpu_of (&with);
    g_usleep (TURN_US);
    beside = cpu_of (&without) - beside;
    alone = cpu_of (&with) - alone;
    viewed = measure_viewer (&with, &values[LATENCY_P50][i], &values[LATENCY_P99][i]);
    values[SHARE][i] = (alone - beside) / beside * 100;
    values[CPU_A_ROW][i] = (viewed - alone) / ((gdouble) TURN_US * ROWS_PER_S / G_USEC_PER_SEC);
  }
  end_process (&with);
  end_process (&without);
}

static gboolean
report (gdouble values[N_FIGURES][MAX_TURNS])
{
  gboolean is_kept = TRUE;
  Table table;

  table_open (&table, csv, "work,unit,median,least,greatest,wanted,met,checked");
  for (guint f = 0; f < N_FIGURES; f++) {
    const gdouble median = bench_spread (values[f], n_turns).median;
    const gboolean is_met = median <= figures[f].at_most;

    table_put (&table, "%s|%s|%.3g|%.3g|%.3g|%.3g|%s|yes", figures[f].work, figures[f].unit, median, values[f][0], values[f][n_turns - 1],
        isfinite (figures[f].at_most) ? figures[f].at_most : NAN, isinf (figures[f].at_most) ? "" : is_met ? "yes" : "no");
    is_kept &= is_met;
  }
  table_end (&table);
  return is_kept;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  static gdouble values[N_FIGURES][MAX_TURNS];
  GError *error = NULL;
  gboolean is_kept;

  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    fail ("%s", error->message);
  g_option_context_free (context);
  if (smoke)
    n_turns = 1;
  if (n_turns < 1 || n_turns > MAX_TURNS)
    fail ("--turns is %d, expected 1 to %d", n_turns, MAX_TURNS);
  measure (values);
  is_kept = report (values);
  if (smoke)
    printf ("PASS bench-view\n");
  return is_kept || smoke || csv ? 0 : 1;
}
