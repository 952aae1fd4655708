/* robocache: what more latency buys, on recordings that know when their rows arrived
 *
 * Each row is replayed at its time of arrival, stamped with its time of capture, into a live robocachefuse, once for each
 * latency; and all are aligned once without a deadline, which is what there is to get. A tick that a live run calls
 * aligned is compared with that, bit for bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text/timetext.h"
#include "fault.h"
#include "messages.h"
#include "recordings.h"
#include "replayclock.h"
#include "sampletensor.h"
#include "statstable.h"

#define POLL (50 * GST_MSECOND)
#define DEFAULT_LATENCIES "50ms,100ms,200ms,400ms,700ms"

enum
{
  ALIGNED,
  HELD,
  MISSING,
  N_STATUSES
};

/* How a stream, or all of them together, fared in a run. */
typedef struct
{
  guint64 ticks[N_STATUSES];
  guint64 n_differ;             /* called aligned, but not what is aligned without a deadline */
} Coverage;

typedef struct
{
  gint64 latency;               /* ns; -1: not live */
  GstClockTime in_all;          /* the greatest latency that robocachefuse reports */
  Coverage *streams, all;       /* [streams] */
  GstStructure *stats;
} Run;

/* One tick. */
typedef struct
{
  gint64 time;
  guint8 *status;               /* [streams] */
  gfloat *values;               /* [channels of all streams] */
} Tick;

typedef struct
{
  /* the command line */
  gchar *rate, *latencies;
  RecordingsOptions options;
  gchar **arguments;

  GPtrArray *recordings;
  RecordingsGrid grid;
  guint n_channels;
  GArray *runs;                 /* Run; the first is not live */
  GPtrArray *reference;         /* Tick, of the run that is not live, in order */
} Job;

static Recording *
recording_of (const Job *job, guint i)
{
  return g_ptr_array_index (job->recordings, i);
}

/* ---- the command line ---- */

static void
run_clear (Run *run)
{
  g_free (run->streams);
  g_clear_pointer (&run->stats, gst_structure_free);
}

static void
add_run (Job *job, gint64 latency)
{
  const Run run = {.latency = latency };

  g_array_append_val (job->runs, run);
}

static gboolean
parse_latencies (Job *job, GError **error)
{
  gchar **words = g_strsplit (job->latencies ? job->latencies : DEFAULT_LATENCIES, ",", -1);
  gint64 latency;
  gboolean ok = TRUE;

  add_run (job, -1);
  for (guint i = 0; ok && words[i]; i++) {
    ok = robocache_duration_from_text (words[i], &latency) && latency >= 0;
    if (ok)
      add_run (job, latency);
    else
      FAULT (error, "--latency %s: \"%s\" is no time in ns, or with a unit, of 0 or more; expected a list like %s",
          job->latencies, words[i], DEFAULT_LATENCIES);
  }
  g_strfreev (words);
  return ok;
}

static gboolean
parse_command_line (Job *job, gchar **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"rate", 'r', 0, G_OPTION_ARG_STRING, &job->rate, "ticks per second, like 100, 62.5 or 1000/3 (100)", "RATE"},
    {"latency", 'l', 0, G_OPTION_ARG_STRING, &job->latencies, "latencies of robocachefuse to try (" DEFAULT_LATENCIES ")",
        "TIME,..."},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE[,key=value...]..."},
    {NULL}
  };
  GOptionContext *context = recordings_option_context_new (entries, &job->options, "Replays recordings as their rows "
      "arrived, and tabulates how many ticks a live robocachefuse aligns\nwith each latency. Set arrival-column. "
      "The replay takes less time than the recording.");
  gboolean ok = recordings_parse_options (context, argv, error);

  if (ok && !job->arguments) {
    FAULT (error, "no recording is given; see --help");
    ok = FALSE;
  }
  return ok && recordings_parse_rate (job->rate ? job->rate : "100", &job->grid.rate_num, &job->grid.rate_den, error)
      && parse_latencies (job, error);
}

/* ---- what the recordings tell ---- */

static gint
compare_times (gconstpointer a, gconstpointer b)
{
  const gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

static void
describe_delays (const Recording *recording)
{
  const GArray *delays = recording->delays;
  const guint n = delays->len;

  printf ("%s: %u rows, arriving after capture by: median %.1f ms, 99 %% %.1f ms, worst %.1f ms\n", recording->path, n,
      (gdouble) g_array_index (delays, gint64, n / 2) / 1e6, (gdouble) g_array_index (delays, gint64,
          (guint) ((guint64) n * 99 / 100)) / 1e6, (gdouble) g_array_index (delays, gint64, n - 1) / 1e6);
}

static gboolean
survey (Job *job, GError **error)
{
  for (guint i = 0; i < job->recordings->len; i++) {
    Recording *recording = recording_of (job, i);

    if (!recording->given[RECORDING_ARRIVAL_COLUMN]) {
      FAULT (error, "%s: set arrival-column, the column with the time of arrival of each row, by name or number",
          recording->path);
      return FALSE;
    }
    if (!recording_survey (recording, error))
      return FALSE;
    g_array_sort (recording->delays, compare_times);
    describe_delays (recording);
  }
  job->n_channels = recordings_n_channels (job->recordings);
  return recordings_find_grid (job->recordings, &job->options, &job->grid, error);
}

/* ---- ticks ---- */

static Tick *
tick_new (const Job *job)
{
  Tick *tick = g_new (Tick, 1);

  tick->status = g_new (guint8, job->recordings->len);
  memset (tick->status, MISSING, job->recordings->len);
  tick->values = g_new0 (gfloat, job->n_channels);
  return tick;
}

static void
tick_free (Tick *tick)
{
  g_free (tick->status);
  g_free (tick->values);
  g_free (tick);
}

/* Where the channels of stream i are among all. */
static guint
first_channel (const Job *job, guint i)
{
  guint c = 0;

  while (i-- > 0)
    c += recording_of (job, i)->n_channels;
  return c;
}

static guint
stream_of_name (const gchar *name)
{
  return (guint) g_ascii_strtoull (name + strlen ("sink_"), NULL, 10);
}

static Tick *
tick_of_row (const Job *job, gchar **streams, const gint64 (*info)[4], const gfloat *row)
{
  Tick *tick = tick_new (job);

  for (guint s = 0; streams[s]; s++) {
    const guint i = stream_of_name (streams[s]), n = recording_of (job, i)->n_channels;

    tick->status[i] = (guint8) CLAMP (info[s][3], ALIGNED, MISSING);
    memcpy (tick->values + first_channel (job, i), row, n * sizeof (gfloat));
    row += n;
  }
  return tick;
}

/* A stream without a row so far is not in the sample. The meta lists the streams that are. */
static Tick *
tick_of_sample (const Job *job, GstSample *sample, GError **error)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (gst_sample_get_buffer (sample), "RobocacheSampleMeta");
  const GstStructure *fields = gst_custom_meta_get_structure (meta);
  gchar **streams = g_strsplit (gst_structure_get_string (fields, "streams"), ",", -1);
  SampleTensor row;
  Tick *tick = NULL;
  guint n = 0;

  for (guint s = 0; streams[s]; s++)
    n += recording_of (job, stream_of_name (streams[s]))->n_channels;
  if (sample_tensor_map_floats (&row, sample, 0, n, error)) {
    tick = tick_of_row (job, streams, g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (fields, "info")), NULL),
        sample_tensor_floats (&row));
    gst_structure_get_int64 (fields, "tick", &tick->time);
    sample_tensor_unmap (&row);
  }
  g_strfreev (streams);
  return tick;
}

static const Tick *
find_reference (const Job *job, gint64 time)
{
  guint begin = 0, end = job->reference->len;

  while (begin < end) {
    const guint middle = (begin + end) / 2;
    const Tick *tick = g_ptr_array_index (job->reference, middle);

    if (tick->time == time)
      return tick;
    if (tick->time < time)
      begin = middle + 1;
    else
      end = middle;
  }
  return NULL;
}

/* Whether stream i is what it is without a deadline. */
static gboolean
is_same (const Job *job, const Tick *tick, const Tick *reference, guint i)
{
  const guint c = first_channel (job, i);

  return reference && reference->status[i] == tick->status[i]
      && memcmp (reference->values + c, tick->values + c, recording_of (job, i)->n_channels * sizeof (gfloat)) == 0;
}

/* Counts a tick; frees it or, not live, keeps it. */
static void
handle_tick (Job *job, Run *run, Tick *tick)
{
  const gboolean live = run->latency >= 0;
  const Tick *reference = live ? find_reference (job, tick->time) : tick;
  guint8 worst = ALIGNED;
  gboolean differs = FALSE;

  for (guint i = 0; i < job->recordings->len; i++) {
    const guint8 status = tick->status[i];
    const gboolean wrong = status == ALIGNED && !is_same (job, tick, reference, i);

    run->streams[i].ticks[status]++;
    run->streams[i].n_differ += wrong;
    differs |= wrong;
    worst = MAX (worst, status);
  }
  run->all.ticks[worst]++;
  run->all.n_differ += differs;
  if (live)
    tick_free (tick);
  else
    g_ptr_array_add (job->reference, tick);
}

/* ---- the pipeline ---- */

/* FALSE at the end of all streams, and with an error. */
static gboolean
handle_samples (Job *job, Run *run, GstAppSink *sink, GstClockTime wait, GError **error)
{
  GstSample *sample;
  gboolean ok = TRUE;

  while (ok && (sample = gst_app_sink_try_pull_sample (sink, wait))) {
    Tick *tick = tick_of_sample (job, sample, error);

    ok = tick != NULL;
    if (ok)
      handle_tick (job, run, tick);
    gst_sample_unref (sample);
  }
  return ok && !gst_app_sink_is_eos (sink);
}

/* It may change, with what is known of the period of a stream that does not say its rate. */
static void
note_latency (Run *run, GstElement *fuse)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime latency = 0;

  if (gst_element_query (fuse, query))
    gst_query_parse_latency (query, NULL, &latency, NULL);
  run->in_all = MAX (run->in_all, latency);
  gst_query_unref (query);
}

/* Until the end of every stream, or an error. */
static gboolean
play (Job *job, Run *run, GstElement *pipeline, GstElement *fuse, GError **error)
{
  const gboolean live = run->latency >= 0;
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "aligned");
  ReplayClock replay;
  gboolean failed = FALSE;

  replay_clock_init (&replay, pipeline, fuse);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!failed && handle_samples (job, run, GST_APP_SINK (sink), live ? 0 : POLL, error)) {
    if (live) {
      replay_clock_step (&replay);
      note_latency (run, fuse);
    }
    failed = messages_handle (pipeline, recordings_path_of_element, job->recordings);
  }
  failed |= messages_handle (pipeline, recordings_path_of_element, job->recordings) || *error;
  if (!failed)
    g_object_get (fuse, "stats", &run->stats, NULL);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  replay_clock_clear (&replay);
  gst_object_unref (sink);
  return !failed;
}

static gboolean
do_run (Job *job, Run *run, GError **error)
{
  const gboolean live = run->latency >= 0;
  GstElement *pipeline, *fuse;
  gboolean ok = TRUE;

  /* async=false: the first sample would otherwise wait for a change of state that nobody's clock tells of */
  pipeline = gst_parse_launch_full ("robocachefuse name=fuse layout=concat type=float32 "
      "! appsink name=aligned sync=false async=false", NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!pipeline)
    return FALSE;
  run->streams = g_new0 (Coverage, job->recordings->len);
  fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  recordings_prepare_fuse (fuse, &job->options, &job->grid);
  if (live)
    g_object_set (fuse, "latency", run->latency, NULL);
  for (guint i = 0; ok && i < job->recordings->len; i++)
    ok = recordings_add_stream (job->recordings, i, live ? RECORDINGS_REPLAY : RECORDINGS_READ, pipeline, fuse,
        job->grid.origin, error);
  ok = ok && play (job, run, pipeline, fuse, error);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
  return ok;
}

/* ---- the table ---- */

static const struct
{
  const gchar *heading, *field;
} row_columns[] = {
  {"rows in", "rows-in"},
  {"used", "rows-used"},
  {"late", "rows-late"},
  {"duplicate", "rows-duplicate"},
  {"unused", "rows-superseded"},
  {"dropped", "rows-dropped"},
  {"kept", "rows-kept"},
};

static void
print_line (const gchar *latency, const gchar *label, const Coverage *coverage, const GstStructure *stats)
{
  printf ("| %s | %s", latency, label);
  for (guint i = 0; i < N_STATUSES; i++)
    printf (" | %" G_GUINT64_FORMAT, coverage->ticks[i]);
  printf (" | %" G_GUINT64_FORMAT, coverage->n_differ);
  for (guint i = 0; i < G_N_ELEMENTS (row_columns); i++)
    printf (" | %" G_GINT64_FORMAT, stats_get (stats, row_columns[i].field));
  printf (" |\n");
}

static void
print_run (const Job *job, const Run *run)
{
  gchar *latency = run->latency < 0 ? g_strdup ("no deadline | -") :
      g_strdup_printf ("%g ms | %.1f ms", (gdouble) run->latency / 1e6, (gdouble) run->in_all / 1e6);

  for (guint i = 0; i < job->recordings->len; i++) {
    gchar *pad = g_strdup_printf ("sink_%u", i);
    GstStructure *of_pad = NULL;

    if (gst_structure_get (run->stats, pad, GST_TYPE_STRUCTURE, &of_pad, NULL)) {
      print_line (latency, recording_of (job, i)->label, &run->streams[i], of_pad);
      gst_structure_free (of_pad);
    }
    g_free (pad);
  }
  if (job->recordings->len > 1)
    print_line (latency, "all", &run->all, run->stats);
  g_free (latency);
}

static void
print_table (const Job *job)
{
  printf ("\n| latency | in all | stream | aligned | held | missing | differ");
  for (guint i = 0; i < G_N_ELEMENTS (row_columns); i++)
    printf (" | %s", row_columns[i].heading);
  printf (" |\n|--:|--:|---");
  for (guint i = 0; i < N_STATUSES + 1 + G_N_ELEMENTS (row_columns); i++)
    printf ("|--:");
  printf ("|\n");
  for (guint i = 1; i < job->runs->len; i++)
    print_run (job, &g_array_index (job->runs, Run, i));
  print_run (job, &g_array_index (job->runs, Run, 0));
}

static gboolean
do_runs (Job *job, GError **error)
{
  for (guint i = 0; i < job->runs->len; i++) {
    if (!do_run (job, &g_array_index (job->runs, Run, i), error))
      return FALSE;
  }
  print_table (job);
  return TRUE;
}

static void
job_clear (Job *job)
{
  g_ptr_array_unref (job->recordings);
  g_ptr_array_unref (job->reference);
  g_array_unref (job->runs);
  recordings_options_clear (&job->options);
  g_strfreev (job->arguments);
  g_free (job->rate);
  g_free (job->latencies);
}

int
main (int argc, char **argv)
{
  Job job = { 0 };
  GError *error = NULL;
  gboolean ok;

  job.recordings = recordings_new ();
  job.reference = g_ptr_array_new_with_free_func ((GDestroyNotify) tick_free);
  job.runs = g_array_new (FALSE, FALSE, sizeof (Run));
  g_array_set_clear_func (job.runs, (GDestroyNotify) run_clear);
  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argv, &error)
      && recordings_take_arguments (job.recordings, job.arguments, &job.options, &error) && survey (&job, &error)
      && do_runs (&job, &error);
  if (error)
    fprintf (stderr, "error: %s\n", error->message);
  g_clear_error (&error);
  job_clear (&job);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
