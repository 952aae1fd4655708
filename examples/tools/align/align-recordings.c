/* robocache: recordings in, one CSV or MCAP file of aligned rows out
 *
 * Each CSV file, and each topic of a bag, is one stream of a robocachefuse; all share one origin of time, the least time in any of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "align.h"
#include "examples/tools/output.h"
#include "examples/tools/program.h"
#include "examples/tools/recordings/bagclocks.h"
#include "examples/tools/recordings/recordings.h"
#include "examples/tools/report/page.h"
#include "examples/tools/report/session.h"
#include "examples/tools/statstable.h"

#define POLL (50 * GST_MSECOND)
/* Of a sample of other/tensors. */
#define MAX_TENSORS 16
#define PROGRESS_INTERVAL_US G_USEC_PER_SEC

typedef struct
{
  /* the command line */
  gchar *rate, *output, *report_path;   /* of the report: empty: none */
  RecordingsOptions options;
  RosOptions ros;
  gchar *duration;              /* of live topics; NULL: until SIGINT */
  gboolean has_status, overwrite;
  gchar **arguments;

  GPtrArray *recordings;
  RecordingsGrid grid;          /* live: its end is 0 without a duration */

  GstElement *pipeline, *fuse, *sink;
  LiveTopics *live;             /* NULL: recordings */
  gboolean has_live_end;        /* its end was asked for */
  gboolean is_mcap;             /* of the output */
  OutputFile file;
  AlignedCsv csv;
  ReportSession session;        /* zeroed: no report */
  FILE *talk;                   /* where people look, which is not where the CSV goes */
  GMutex lock;
  GCond ended;
  gboolean has_ended;           /* lock: EOS or an error is on the bus */
  gint64 begun_us;
  gboolean is_aligned;          /* a tick had an aligned row */
} Job;

/* Of SIGINT, which ends live topics, and completes the output. */
static volatile sig_atomic_t is_interrupted;

/* ---- the command line ---- */

static gboolean
parse_command_line (Job *job, gchar **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"rate", 'r', 0, G_OPTION_ARG_STRING, &job->rate, "ticks per second, like 100, 62.5 or 1000/3 (100)", "RATE"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &job->output, "write the rows to FILE once it is complete, as CSV, or MCAP if its name "
          "ends in .mcap; - is standard output (aligned.csv)", "FILE"},
    {"report", 0, 0, G_OPTION_ARG_FILENAME, &job->report_path, "write the report, an HTML page, to FILE; empty: no report (beside "
        "the output, with its name and .html)", "FILE"},
    {"overwrite", 0, 0, G_OPTION_ARG_NONE, &job->overwrite, "replace an output and a report that exist", NULL},
    {"status", 0, 0, G_OPTION_ARG_NONE, &job->has_status, "write two columns per stream: status (0 aligned, 1 held, 2 missing) "
          "and age_ns, the age of its row at the tick (on)", NULL},
    {"no-status", 0, G_OPTION_FLAG_REVERSE, G_OPTION_ARG_NONE, &job->has_status, "omit the columns status and age_ns", NULL},
    {"duration", 0, 0, G_OPTION_ARG_STRING, &job->duration, "with --ros: end after this time (Ctrl-C)", "TIME"},
    LIVE_VIEW_OPTION,
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE[,key=value...]... | --ros [TOPIC[,key=value...]...]"},
    {NULL}
  };
  GOptionContext *context = recordings_option_context_new (entries, &job->options, "Aligns recordings of sensors in time. "
      "Each CSV file is a stream, and so is each topic of a ROS bag\n(a folder, or a .mcap, .db3 or .bag file). The output has one "
      "row per tick.\nIts first column, tick_ns, is the tick in ns, counted from the origin_ns of the first line.\nWith --ros, live topics are watched, listed, and aligned until Ctrl-C.", "robocache align --rate 100 joints.csv imu.csv,time-unit=us,offset=-20ms");
  gboolean ok;

  ros_options_add (context, &job->ros);
  ok = recordings_parse_options (context, argv, error) && ros_options_check (&job->ros, error);
  if (ok && job->duration && !job->ros.is_live) {
    USAGE_FAULT (error, "--duration is an option of live topics: use --ros");
    ok = FALSE;
  }
  if (ok && !job->arguments && !job->ros.is_live) {
    USAGE_FAULT (error, "no recording is given; see --help");
    ok = FALSE;
  }
  return ok;
}

/* The end of the name chooses the format; CSV in a file that is named as another format would surprise its reader. */
static gboolean
check_output_format (const Job *job, GError **error)
{
  static const gchar *const others[] = { ".bag", ".db3", ".feather", ".h5", ".hdf5", ".json", ".mat", ".npy", ".npz", ".parquet", ".pkl", ".xlsx" };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (g_str_has_suffix (job->output, others[i])) {
      USAGE_FAULT (error, "--output %s: robocache align writes CSV, or MCAP if the name ends in .mcap", job->output);
      return FALSE;
    }
  return TRUE;
}

/* ---- surveys of the recordings ---- */

/* Surveys recording i, which may become *n. */
static gboolean
survey_recording (Job *job, guint i, guint *n, GError **error)
{
  Recording *recording = g_ptr_array_index (job->recordings, i);

  *n = 1;
  recording->may_split = TRUE;
  if (recording->is_bag)
    return TRUE;
  if (g_strcmp0 (recording->given[RECORDING_TIME_SOURCE], "log") == 0) {
    USAGE_FAULT (error, "%s: time-source=log: a CSV file has no log times, and time-column chooses its times", recording->path);
    return FALSE;
  }
  if (!recording_survey (recording, error))
    return FALSE;
  recording_describe_cells (recording, job->talk);
  return recordings_split (job->recordings, i, n, error);
}

static gboolean
survey_topics (Job *job, GError **error)
{
  gint64 duration = 0;

  if (job->duration && (!recording_parse_duration (job->duration, &duration) || duration <= 0)) {
    USAGE_FAULT (error, "--duration %s: expected a time above 0 with a unit, like 10s", job->duration);
    return FALSE;
  }
  job->grid.end = duration;
  return live_topics_survey (job->recordings, &job->ros, job->arguments, &job->options, job->talk, error);
}

static gboolean
survey (Job *job, GError **error)
{
  guint n;

  if (job->ros.is_live)
    return survey_topics (job, error);
  if (!bag_streams_survey (job->recordings, job->talk, error))
    return FALSE;
  for (guint i = 0; i < job->recordings->len; i += n) {
    if (!survey_recording (job, i, &n, error))
      return FALSE;
    for (guint k = i; k < i + n; k++)
      recording_describe (g_ptr_array_index (job->recordings, k), job->talk);
  }
  if (!recordings_find_grid (job->recordings, &job->options, &job->grid, error))
    return FALSE;
  fprintf (job->talk, "tick_ns counts from %" G_GINT64_FORMAT " ns on the recordings' clock; %.3f s at %d/%d Hz\n",
      job->grid.origin, (gdouble) (job->grid.end - job->grid.origin) / 1e9, job->grid.rate_num, job->grid.rate_den);
  return TRUE;
}

/* ---- the pipeline ---- */

#define ROWS "appsink name=aligned sync=false max-buffers=64"

/* A sample has a topic per stream in an MCAP file, as long as it can have a tensor per stream. */
static gchar *
launch_line (const Job *job)
{
  if (!job->is_mcap)
    return g_strdup ("robocachefuse name=fuse layout=concat ! " ROWS);
  return g_strdup_printf ("robocachefuse name=fuse layout=%s ! tee name=tee "
      "tee. ! queue ! robocachemcapsink name=record sync-interval=0 sink_0::topic=/aligned tee. ! queue ! " ROWS, job->recordings->len <= MAX_TENSORS ? "tensors" : "concat");
}

static gboolean
add_streams (Job *job, GError **error)
{
  if (job->ros.is_live) {
    job->live = live_topics_add (job->recordings, &job->ros, job->pipeline, job->fuse, error);
    return job->live != NULL;
  }
  for (guint i = 0; i < job->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (job->recordings, i);

    if (recording->is_bag ? !bag_streams_add (job->recordings, i, job->pipeline, job->fuse, job->grid.origin, error)
        : !recordings_add_stream (job->recordings, i, job->pipeline, job->fuse, job->grid.origin, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
make_pipeline (Job *job, GError **error)
{
  gchar *line = launch_line (job);

  job->pipeline = gst_parse_launch_full (line, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  g_free (line);
  if (!job->pipeline)
    return FALSE;
  job->fuse = gst_bin_get_by_name (GST_BIN (job->pipeline), "fuse");
  job->sink = gst_bin_get_by_name (GST_BIN (job->pipeline), "aligned");
  recordings_prepare_fuse (job->fuse, &job->options, &job->grid);
  return add_streams (job, error);
}

/* ---- the output ---- */

/* A recording stays what the sensor sent. */
static gboolean
check_output (const Job *job, GError **error)
{
  const OutputName outputs[] = { {"--output", job->output, TRUE, job->overwrite}, {"--report", job->report_path, FALSE, job->overwrite} };
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);
  gboolean ok;

  for (guint i = 0; !job->ros.is_live && i < job->recordings->len; i++)
    bag_streams_add_inputs (inputs, g_ptr_array_index (job->recordings, i));
  g_ptr_array_add (inputs, NULL);
  ok = output_check (outputs, G_N_ELEMENTS (outputs), (const gchar * const *) inputs->pdata, error);
  g_ptr_array_unref (inputs);
  return ok;
}

/* The element makes the file that replaces the output in the end. */
static gboolean
set_up_record (Job *job, GError **error)
{
  GstElement *record = gst_bin_get_by_name (GST_BIN (job->pipeline), "record");

  if (job->file.beside) {
    g_unlink (job->file.beside);
    g_object_set (record, "location", job->file.beside, NULL);
    if (!job->live)
      g_object_set (record, "time-origin", job->grid.origin, NULL);
  } else {
    FAULT (error, "--output %s is not a regular file, which MCAP needs", job->output);
  }
  gst_object_unref (record);
  return job->file.beside != NULL;
}

static gboolean
open_output (Job *job, GError **error)
{
  const gboolean to_file = !g_str_equal (job->output, "-");

  if (to_file && !output_file_open (&job->file, job->output, error))
    return FALSE;
  if (job->is_mcap && !set_up_record (job, error))
    return FALSE;
  job->csv = (AlignedCsv) { to_file ? job->file.stream : stdout, job->recordings, job->grid.origin, job->has_status };
  return TRUE;
}

/* Its origin is known with its first row. */
static void
begin_live (Job *job)
{
  job->csv.origin = job->grid.origin = live_topics_origin (job->live);
  if (!job->is_mcap)
    aligned_csv_write_header (&job->csv);
}

static gboolean
write_row (Job *job, GstSample *sample, guint64 n, GError **error)
{
  if (job->live && n == 0)
    begin_live (job);
  if (job->is_mcap)
    return aligned_csv_note_status (&job->csv, sample, &job->is_aligned, error);
  if (!aligned_csv_write_sample (&job->csv, sample, &job->is_aligned, error))
    return FALSE;
  if (!ferror (job->csv.file))
    return TRUE;
  FAULT (error, "%s: %s", job->output, g_strerror (errno));
  return FALSE;
}

/* A file's share is that of its time. */
static void
show_progress (Job *job, guint64 n, gint64 tick, gint64 *next_us)
{
  const gboolean over = stats_is_terminal (job->talk);
  const gint64 now_us = g_get_monotonic_time ();
  const gdouble done = CLAMP ((gdouble) tick / (gdouble) MAX (job->grid.end - job->grid.origin, 1), 1e-9, 1.0);

  if (now_us < *next_us)
    return;
  *next_us = now_us + (over ? PROGRESS_INTERVAL_US / 10 : PROGRESS_INTERVAL_US);
  fprintf (job->talk, "%s%" G_GUINT64_FORMAT " ticks, %.3f s (%.0f %%), %.0f s left%s", over ? "\r" : "", n,
      (gdouble) tick / 1e9, 100.0 * done, (gdouble) (now_us - job->begun_us) / 1e6 * (1.0 - done) / done,
      over ? "\033[K" : "\n");
  fflush (job->talk);
}

static void
show_live_progress (Job *job, guint64 n, gint64 tick, gint64 *next_us)
{
  const gboolean over = stats_is_terminal (job->talk);
  const gint64 now_us = g_get_monotonic_time ();

  if (now_us < *next_us)
    return;
  *next_us = now_us + PROGRESS_INTERVAL_US;
  fprintf (job->talk, "%s%" G_GUINT64_FORMAT " ticks, %.1f s%s", over ? "\r" : "", n, (gdouble) tick / 1e9, over ? "\033[K" : "\n");
  fflush (job->talk);
}

/* Ends live topics once, after SIGINT or their duration, which passes without ticks, too. */
static void
end_live (Job *job)
{
  const gint64 passed_us = g_get_monotonic_time () - job->begun_us;
  const gboolean is_over = is_interrupted || (job->duration && passed_us >= job->grid.end / (gint64) GST_USECOND);

  if (job->live && is_over && !job->has_live_end) {
    job->has_live_end = TRUE;
    live_topics_end (job->live);
  }
}

/* A file of nothing replaces no result. */
static gboolean
check_ticks (const Job *job, guint64 n, GError **error)
{
  if (n > 0 && job->is_aligned)
    return TRUE;
  if (n == 0)
    FAULT (error, "no tick at %d/%d Hz has a row of every required recording, so %s was not written: leave out required, or set a "
        "longer --max-gap or --hold-limit", job->grid.rate_num, job->grid.rate_den, job->output);
  else
    FAULT (error, "none of %" G_GUINT64_FORMAT " ticks has an aligned row, so %s was not written: set a longer --max-gap, "
        "like 500ms",
        n, job->output);
  return FALSE;
}

static gboolean
write_ticks (Job *job, GError **error)
{
  gint64 next_progress_us, tick;
  guint64 n = 0;
  gboolean ok = TRUE;
  gchar *output = printable (job->output);

  job->begun_us = g_get_monotonic_time ();
  next_progress_us = job->begun_us + PROGRESS_INTERVAL_US;
  while (ok && !gst_app_sink_is_eos (GST_APP_SINK (job->sink))) {
    GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (job->sink), POLL);

    if (sample) {
      ok = write_row (job, sample, n++, error);
      tick = (gint64) GST_BUFFER_PTS (gst_sample_get_buffer (sample));
      (job->live ? show_live_progress : show_progress) (job, n, tick, &next_progress_us);
      gst_sample_unref (sample);
    }
    end_live (job);
    ok = !messages_handle (job->pipeline, recordings_path_of_element, job->recordings) && ok;
  }
  /* an error that came with the end */
  ok = !messages_handle (job->pipeline, recordings_path_of_element, job->recordings) && ok;
  if (stats_is_terminal (job->talk))
    fprintf (job->talk, "\r\033[K");
  ok = ok && check_ticks (job, n, error);
  if (ok)
    fprintf (job->talk, "%" G_GUINT64_FORMAT " tick%s of %u channels written to %s\n\n", n, n == 1 ? "" : "s",
        recordings_n_channels (job->recordings), job->csv.file == stdout ? "standard output" : output);
  g_free (output);
  return ok;
}

static gboolean
close_output (Job *job, gboolean ok, GError **error)
{
  if (job->csv.file != stdout)
    return output_file_close (&job->file, ok, error);
  if (fflush (stdout) == 0 || !ok)
    return ok;
  FAULT (error, "%s: %s", job->output, g_strerror (errno));
  return FALSE;
}

/* ---- the report ---- */

/* Beside the output, if that is a file. */
static gchar *
default_report_path (const Job *job)
{
  if (!report_session_is_possible () || g_str_equal (job->output, "-") || (g_file_test (job->output, G_FILE_TEST_EXISTS)
          && !g_file_test (job->output, G_FILE_TEST_IS_REGULAR)))
    return g_strdup ("");
  return report_path_of (job->output);
}

/* Files, each once. */
static gchar *
title_of (const Job *job)
{
  GString *title = g_string_new (NULL);

  for (guint i = 0; i < job->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (job->recordings, i), *before = i > 0 ? g_ptr_array_index (job->recordings, i - 1) : NULL;
    gchar *name = g_path_get_basename (recording->path);

    if (!before || !recording->is_part || !before->is_part || !g_str_equal (before->path, recording->path))
      g_string_append_printf (title, "%s%s", i > 0 ? ", " : "", name);
    g_free (name);
  }
  return g_string_free (title, FALSE);
}

/* The clocks of a bag stand at its first stream. */
static void
describe_clocks (const Job *job, ReportStream *stream, guint i)
{
  const Recording *recording = g_ptr_array_index (job->recordings, i), *before = i > 0 ? g_ptr_array_index (job->recordings, i - 1) : NULL;
  gchar **lines = recording->is_bag && (!before || before->bag != recording->bag) ? bag_clocks_lines (recording) : NULL;

  for (guint k = 0; lines && lines[k]; k++)
    report_stream_add_note (stream, "Of its bag: %s.", lines[k]);
  g_strfreev (lines);
}

/* The report has the names of files, which are added to labels, the clocks of bags, and the arrivals that the survey read. */
static void
describe_stream (const Job *job, Report *report, guint i, GHashTable *labels)
{
  const Recording *recording = g_ptr_array_index (job->recordings, i);
  gchar *pad = g_strdup_printf ("sink_%u", i);
  ReportStream *stream = report_get_stream (report, pad);

  for (guint k = 0; k < recording->delays->len; k++)
    report_stream_add_lateness (stream, g_array_index (recording->delays, gint64, k));
  if (recording->n_malformed > 0)
    report_stream_add_note (stream, "%" G_GUINT64_FORMAT " malformed lines are left out.", recording->n_malformed);
  describe_clocks (job, stream, i);
  g_hash_table_insert (labels, pad, recording->label);
}

/* NULL and an error: the recording of the session cannot be read. */
static Report *
make_report (Job *job, GError **error)
{
  const ReportRobotChoice no_robot = { NULL, NULL };
  gchar *title = title_of (job);
  GHashTable *labels;
  Report *report = report_session_finish (&job->session, title, &no_robot, error);

  g_free (title);
  if (!report)
    return NULL;
  report->epoch_ns = job->grid.origin > 0 ? job->grid.origin : REPORT_NO_TIME;
  labels = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < job->recordings->len; i++)
    describe_stream (job, report, i, labels);
  report_rename_streams (report, labels);
  g_hash_table_unref (labels);
  return report;
}

static gboolean
write_report (Job *job, GError **error)
{
  Report *report = make_report (job, error);
  const gboolean ok = report && report_write_page (report, job->report_path, error);

  if (ok) {
    gchar *path = printable (job->report_path);

    fprintf (job->talk, "\nreport: %s\n", path);
    g_free (path);
  }
  g_clear_pointer (&report, report_free);
  return ok;
}

/* ---- all of it ---- */

static void
print_table (Job *job)
{
  StatsTableRow *rows = g_new0 (StatsTableRow, job->recordings->len);

  for (guint i = 0; i < job->recordings->len; i++) {
    rows[i].pad = g_strdup_printf ("sink_%u", i);
    rows[i].label = ((Recording *) g_ptr_array_index (job->recordings, i))->label;
  }
  stats_table_print (job->talk, job->fuse, rows, job->recordings->len);
  for (guint i = 0; i < job->recordings->len; i++)
    g_free (rows[i].pad);
  g_free (rows);
}

/* Notes the end of the pipeline: the file of robocachemcapsink is complete then. */
static GstBusSyncReply
note_end (GstBus *bus, GstMessage *message, gpointer user_data)
{
  Job *job = user_data;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS || GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_mutex_lock (&job->lock);
    job->has_ended = TRUE;
    g_cond_signal (&job->ended);
    g_mutex_unlock (&job->lock);
  }
  return GST_BUS_PASS;
}

static void
watch_end (Job *job)
{
  GstBus *bus = gst_element_get_bus (job->pipeline);

  gst_bus_set_sync_handler (bus, note_end, job, NULL);
  gst_object_unref (bus);
}

/* FALSE: there was an error, which was printed. */
static gboolean
wait_for_end (Job *job)
{
  g_mutex_lock (&job->lock);
  while (!job->has_ended)
    g_cond_wait (&job->ended, &job->lock);
  g_mutex_unlock (&job->lock);
  return !messages_handle (job->pipeline, recordings_path_of_element, job->recordings);
}

/* The next one does what it did before: it removes the unfinished output, and ends the program. */
static struct sigaction before_interrupt;

static void
note_interrupt (int number)
{
  is_interrupted = 1;
  sigaction (number, &before_interrupt, NULL);
}

static void
play (Job *job)
{
  if (!job->live) {
    if (!job->is_mcap)
      aligned_csv_write_header (&job->csv);
    gst_element_set_state (job->pipeline, GST_STATE_PLAYING);
    return;
  }
  sigaction (SIGINT, &(struct sigaction) {.sa_handler = note_interrupt }, &before_interrupt);
  if (before_interrupt.sa_handler == SIG_IGN)
    sigaction (SIGINT, &before_interrupt, NULL);
  fprintf (job->talk, "%u streams of %u channels at %d/%d Hz%s\n", job->recordings->len, recordings_n_channels (job->recordings),
      job->grid.rate_num, job->grid.rate_den, job->duration ? "" : "; Ctrl-C ends it");
  fflush (job->talk);
  live_topics_play (job->live, job->pipeline);
}

static gboolean
align (Job *job, GError **error)
{
  const gboolean has_report = *job->report_path != '\0';
  gboolean ok;

  if (!make_pipeline (job, error) || (has_report && !report_session_begin (&job->session, job->pipeline, job->fuse, error))
      || !live_view_add (job->pipeline, job->fuse, job->talk, error) || !open_output (job, error))
    return FALSE;
  watch_end (job);
  play (job);
  ok = write_ticks (job, error) && wait_for_end (job);
  ok = close_output (job, ok, error);
  if (!ok)
    return FALSE;
  print_table (job);
  return !has_report || write_report (job, error);
}

static void
job_clear (Job *job)
{
  if (job->pipeline)
    gst_element_set_state (job->pipeline, GST_STATE_NULL);
  g_clear_pointer (&job->live, live_topics_free);
  report_session_clear (&job->session);
  gst_clear_object (&job->fuse);
  gst_clear_object (&job->sink);
  gst_clear_object (&job->pipeline);
  g_mutex_clear (&job->lock);
  g_cond_clear (&job->ended);
  g_ptr_array_unref (job->recordings);
  recordings_options_clear (&job->options);
  ros_options_clear (&job->ros);
  g_free (job->duration);
  g_strfreev (job->arguments);
  g_free (job->rate);
  g_free (job->output);
  g_free (job->report_path);
}

int
main (int argc, char **argv)
{
  Job job = {.talk = stdout,.has_status = TRUE,.ros = ROS_OPTIONS_INIT };
  GError *error = NULL;
  gboolean ok;

  g_mutex_init (&job.lock);
  g_cond_init (&job.ended);
  job.recordings = recordings_new ();
  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argv, &error);
  if (!job.output)
    job.output = g_strdup ("aligned.csv");
  job.is_mcap = g_str_has_suffix (job.output, ".mcap");
  if (g_str_equal (job.output, "-"))
    job.talk = stderr;
  if (!job.report_path)
    job.report_path = default_report_path (&job);
  ok = ok && check_output_format (&job, &error) && recordings_parse_rate (job.rate ? job.rate : "100", &job.grid.rate_num, &job.grid.rate_den, &error)
      && (job.ros.is_live || recordings_take_arguments (job.recordings, job.arguments, &job.options, &error)) && check_output (&job, &error)
      && survey (&job, &error)
      && align (&job, &error);
  job_clear (&job);
  return program_end (ok, error);
}
