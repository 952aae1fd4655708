/* robocache: what more latency buys, on recordings that know when their rows arrived
 *
 * The core of a live robocachefuse is stepped from arrival to arrival and to the deadlines between, once for each latency. One more run
 * aligns all rows without a deadline: no latency aligns more. A tick that a live run calls aligned is compared with that, bit for bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/time/numberorder.h"
#include "examples/tools/recordings/recordings.h"
#include "gst/fuse/core/ticklatency.h"
#include "program.h"
#include "sampletensor.h"
#include "statstable.h"
#include "steppedcore.h"

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
  guint64 n_differ;             /* aligned, but with other values than without a deadline */
} Coverage;

typedef struct
{
  gint64 latency;               /* ns; -1: not live */
  gint64 in_all;                /* ns: the greatest latency that robocachefuse reports */
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
    ok = recording_parse_duration (words[i], &latency) && latency >= 0;
    if (ok)
      add_run (job, latency);
    else
      USAGE_FAULT (error, "--latency %s: \"%s\" is not a time of 0 or more with a unit; expected a list like %s",
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
      "The replay takes less time than the recording.", "robocache coverage --rate 50 --arrival-column arrival_ms --latency 20ms,60ms bundles.csv");
  gboolean ok = recordings_parse_options (context, argv, error);

  if (ok && !job->arguments) {
    USAGE_FAULT (error, "no recording is given; see --help");
    ok = FALSE;
  }
  return ok && recordings_parse_rate (job->rate ? job->rate : "100", &job->grid.rate_num, &job->grid.rate_den, error)
      && parse_latencies (job, error);
}

/* ---- surveys of the recordings ---- */

static void
describe_delays (const Recording *recording)
{
  const GArray *delays = recording->delays;
  const guint n = delays->len;

  printf ("%s: %u rows, arriving after capture by: median %.1f ms, 99 %% %.1f ms, worst %.1f ms\n", recording->title, n,
      (gdouble) g_array_index (delays, gint64, n / 2) / 1e6, (gdouble) g_array_index (delays, gint64,
          (guint) ((guint64) n * 99 / 100)) / 1e6, (gdouble) g_array_index (delays, gint64, n - 1) / 1e6);
}

static void
warn_of_rows (const Recording *recording)
{
  gchar *text;

  if (recording->first_fault) {
    text = g_strdup_printf ("%s: omits %" G_GUINT64_FORMAT " malformed records, the first: %s", recording->path, recording->n_malformed,
        recording->first_fault);
    printable_report ("warning", text);
    g_free (text);
  }
  if (recording->doubt) {
    text = g_strdup_printf ("%s: %s", recording->path, recording->doubt);
    printable_report ("warning", text);
    g_free (text);
  }
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
    recording->keeps_rows = TRUE;
    if (!recording_survey (recording, error))
      return FALSE;
    warn_of_rows (recording);
    g_array_sort (recording->delays, robocache_compare_integers);
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

/* Whether stream i has the same status and values as without a deadline. */
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

/* ---- streams ---- */

/* A run that is stepped. */
typedef struct
{
  Job *job;
  Run *run;
  SteppedCore core;
  guint *n_arrived;             /* [recordings] rows */
  gint64 now;                   /* running time */
  gboolean is_over;
} Replay;

static gint64
running_time (const Replay *replay, gint64 time)
{
  return rc_subtract_saturating (time, replay->job->grid.origin);
}

/* Pads have the numbers of their recordings. */
static GstRobocacheFusePad *
pad_of (const Replay *replay, guint i)
{
  return gst_robocache_fuse_nth_pad (replay->core.fuse, i);
}

static gboolean
add_pad (Replay *replay, guint i, GError **error)
{
  GstPad *pad = gst_element_request_pad_simple (GST_ELEMENT (replay->core.fuse), "sink_%u");
  const gboolean ok = recordings_set_pad_options (pad, recording_of (replay->job, i), replay->run->latency >= 0, error);

  gst_object_unref (pad);
  return ok;
}

static GstCaps *
make_caps (const Recording *recording)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  const guint64 dims[] = { recording->n_channels };
  gchar *names = recording->names ? g_strjoinv (",", recording->names) : NULL;
  GstCaps *caps;

  robocache_tensor_info_set (&info.tensors[0], RC_FLOAT32, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  if (names)
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, names, NULL);
  if (recording->kinds)
    gst_caps_set_simple (caps, "kinds", G_TYPE_STRING, recording->kinds, NULL);
  g_free (names);
  return caps;
}

/* Nobody knows how long after its capture a row arrives, so a source reports no latency. */
static gboolean
begin_stream (Replay *replay, guint i, GError **error)
{
  const FuseEvent source = {
    .kind = FUSE_EVENT_SOURCE,.source = {.is_known = TRUE,.live = replay->run->latency >= 0,.max = ROBOCACHE_NO_TIME}
  };
  GstCaps *caps = make_caps (recording_of (replay->job, i));
  GstSegment segment;
  gboolean ok;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  stepped_core_send (&replay->core, pad_of (replay, i), &source);
  ok = stepped_core_send_caps (&replay->core, pad_of (replay, i), caps, error);
  stepped_core_send_segment (&replay->core, pad_of (replay, i), &segment);
  gst_caps_unref (caps);
  return ok;
}

/* The next row of stream i; NULL: all have arrived. */
static const RecordedRow *
next_row (const Replay *replay, guint i)
{
  const GArray *rows = recording_of (replay->job, i)->rows;

  return replay->n_arrived[i] < rows->len ? &g_array_index (rows, RecordedRow, replay->n_arrived[i]) : NULL;
}

static GstBuffer *
make_buffer (const Replay *replay, guint i)
{
  const Recording *recording = recording_of (replay->job, i);
  const gsize bytes = recording->n_channels * sizeof (gfloat);
  GstBuffer *buffer = gst_buffer_new_memdup (recording->values->data + replay->n_arrived[i] * bytes, bytes);

  GST_BUFFER_PTS (buffer) = fuse_clock_time_of (running_time (replay, next_row (replay, i)->captured));
  return buffer;
}

/* A stream ends with its last row. */
static gboolean
insert_row (Replay *replay, guint i, GError **error)
{
  const FuseEvent eos = {.kind = FUSE_EVENT_EOS };
  const gboolean ok = stepped_core_insert (&replay->core, pad_of (replay, i), make_buffer (replay, i), error);

  replay->n_arrived[i]++;
  if (!next_row (replay, i))
    stepped_core_send (&replay->core, pad_of (replay, i), &eos);
  return ok;
}

/* ---- one run ---- */

static gboolean
take_sample (Replay *replay, GstSample *sample, GError **error)
{
  Tick *tick = tick_of_sample (replay->job, sample, error);

  gst_sample_unref (sample);
  if (tick)
    handle_tick (replay->job, replay->run, tick);
  return tick != NULL;
}

/* Makes all due decisions. The latency may change with the measured period of a stream without a framerate. */
static gboolean
decide (Replay *replay, GError **error)
{
  FuseDecision decision;
  gboolean ok = TRUE;

  do {
    GstSample *sample = NULL;

    decision = stepped_core_decide (&replay->core, &sample, error);
    if (sample)
      ok = take_sample (replay, sample, error);
  } while (ok && (decision == FUSE_SEND || decision == FUSE_DROP));
  replay->is_over = decision == FUSE_END;
  replay->run->in_all = MAX (replay->run->in_all, fuse_core_report_latency (replay->core.fuse->core, NULL));
  return ok && decision != FUSE_FAIL;
}

static void
go_to (Replay *replay, gint64 now)
{
  replay->now = MAX (replay->now, now);
  stepped_core_set_time (&replay->core, replay->now);
}

/* Lets the ticks leave whose deadlines come until a running time: a row that arrives at a deadline is late. */
static gboolean
pass_deadlines (Replay *replay, gint64 until, GError **error)
{
  gint64 deadline;

  while (!replay->is_over && (deadline = fuse_core_next_deadline (replay->core.fuse->core)) != ROBOCACHE_NO_TIME && deadline <= until) {
    go_to (replay, deadline);
    if (!decide (replay, error))
      return FALSE;
  }
  return TRUE;
}

/* The stream whose next row arrives first, and when; -1: all rows have arrived. */
static gint
next_arrival (const Replay *replay, gint64 *arrived)
{
  gint first = -1;

  for (guint i = 0; i < replay->job->recordings->len; i++) {
    const RecordedRow *row = next_row (replay, i);

    if (!row || (first >= 0 && row->arrived >= *arrived))
      continue;
    first = (gint) i;
    *arrived = row->arrived;
  }
  return first;
}

/* A row arrives no earlier than those before it in its file. */
static gboolean
insert_rows (Replay *replay, GError **error)
{
  gint64 arrived;
  gint i;

  while ((i = next_arrival (replay, &arrived)) >= 0) {
    arrived = running_time (replay, arrived);
    if (!pass_deadlines (replay, arrived, error))
      return FALSE;
    go_to (replay, arrived);
    if (!insert_row (replay, (guint) i, error) || !decide (replay, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
play (Replay *replay, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < replay->job->recordings->len; i++)
    ok = begin_stream (replay, i, error);
  stepped_core_play (&replay->core, 0);
  return ok && insert_rows (replay, error) && pass_deadlines (replay, G_MAXINT64, error);
}

static gboolean
prepare (Replay *replay, GError **error)
{
  const Job *job = replay->job;
  GstElement *fuse = GST_ELEMENT (replay->core.fuse);
  gboolean ok = TRUE;

  g_object_set (fuse, "layout", FUSE_LAYOUT_CONCAT, "type", RC_FLOAT32, NULL);
  recordings_prepare_fuse (fuse, &job->options, &job->grid);
  if (replay->run->latency >= 0)
    g_object_set (fuse, "latency", replay->run->latency, NULL);
  for (guint i = 0; ok && i < job->recordings->len; i++)
    ok = add_pad (replay, i, error);
  return ok && stepped_core_start (&replay->core, error);
}

/* Writes reports of robocachefuse with the names of the recordings instead of its pads. */
static gboolean
play_and_report (Replay *replay)
{
  GstElement *fuse = GST_ELEMENT (replay->core.fuse);
  GstBus *bus = gst_bus_new ();
  GError *failure = NULL;
  gboolean ok;

  gst_element_set_bus (fuse, bus);
  ok = play (replay, &failure);
  if (failure)
    gst_robocache_fuse_post_failure (replay->core.fuse, NULL, failure);
  messages_handle (fuse, recordings_path_of_element, replay->job->recordings);
  gst_element_set_bus (fuse, NULL);
  gst_object_unref (bus);
  return ok;
}

static gboolean
do_run (Job *job, Run *run, GError **error)
{
  Replay replay = {.job = job,.run = run,.n_arrived = g_new0 (guint, job->recordings->len) };
  gboolean ok;

  run->streams = g_new0 (Coverage, job->recordings->len);
  stepped_core_init (&replay.core, FALSE);
  ok = prepare (&replay, error) && play_and_report (&replay);
  g_object_get (replay.core.fuse, "stats", &run->stats, NULL);
  stepped_core_clear (&replay.core);
  g_free (replay.n_arrived);
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
  stepped_core_init_gst ();
  ok = parse_command_line (&job, argv, &error)
      && recordings_take_arguments (job.recordings, job.arguments, &job.options, &error) && survey (&job, &error)
      && do_runs (&job, &error);
  job_clear (&job);
  return program_end (ok, error);
}
