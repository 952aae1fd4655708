/* robocache: recordings in, one CSV of aligned rows out
 *
 * Each file is one stream of a robocachefuse; all share one origin of time, the least time in any of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <gst/app/gstappsink.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "messages.h"
#include "recordings.h"
#include "sampletensor.h"
#include "statstable.h"
#include "timeguess.h"

#define POLL (50 * GST_MSECOND)
#define PROGRESS_INTERVAL_US G_USEC_PER_SEC

typedef struct
{
  /* the command line */
  gchar *rate, *output;
  gchar *for_all[RECORDING_N_OPTIONS];
  gchar **arguments;

  gint rate_num, rate_den;
  GPtrArray *recordings;
  gint64 origin, end;           /* ns on the recordings' clock */
  guint n_channels;

  GstElement *pipeline, *fuse, *sink;
  FILE *csv, *talk;             /* talk: where people look, which is not where the CSV goes */
} Job;

/* ---- the command line ---- */

static gboolean
parse_command_line (Job *job, int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"rate", 'r', 0, G_OPTION_ARG_STRING, &job->rate, "ticks a second, a number or a fraction (100)", "RATE"},
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &job->output, "where the CSV goes; - is standard output (aligned.csv)",
        "FILE"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE[,key=value...]..."},
    {NULL}
  };
  GOptionContext *context = recordings_option_context_new (entries, job->for_all, "Aligns recordings of sensors in time: "
      "each file is a stream, the CSV that comes out has one row\na tick. Its first column is the tick in ns since the "
      "earliest row of all.");
  gboolean ok = g_option_context_parse (context, &argc, &argv, error);

  g_option_context_free (context);
  if (ok && !job->arguments) {
    FAULT (error, "no recording is given; see --help");
    ok = FALSE;
  }
  return ok;
}

/* ---- what the recordings tell ---- */

static void
describe_recording (Job *job, const Recording *recording)
{
  fprintf (job->talk, "%s: %" G_GUINT64_FORMAT " rows of %u channels", recording->path, recording->n_rows,
      recording->n_channels);
  if (recording->step_s > 0.0)
    fprintf (job->talk, ", about %.4g Hz", 1.0 / recording->step_s);
  fprintf (job->talk, "; time in %s", robocache_time_unit_name (recording->time_unit));
  if (recording->time_unit_reason)
    fprintf (job->talk, " (%s)", recording->time_unit_reason);
  if (recording->quaternions && !recording->given[RECORDING_QUATERNIONS])
    fprintf (job->talk, "; quaternions at channel %s, by slerp (guessed %s)", recording->quaternions,
        recording->quaternions_reason);
  if (recording->disorder > 0 && !recording->given[RECORDING_REORDER_WINDOW])
    fprintf (job->talk, "; up to %g ms out of order", (gdouble) recording->disorder / 1e6);
  if (recording->n_malformed > 0)
    fprintf (job->talk, "; %" G_GUINT64_FORMAT " malformed lines are left out", recording->n_malformed);
  fputc ('\n', job->talk);
  if (recording->rounded->len > 0)
    fprintf (job->talk, "  note: float32 keeps seven digits, and these have longer numbers: %s\n",
        recording->rounded->str);
}

static gboolean
survey (Job *job, GError **error)
{
  for (guint i = 0; i < job->recordings->len; i++) {
    Recording *recording = g_ptr_array_index (job->recordings, i);

    if (!recording_survey (recording, error))
      return FALSE;
    describe_recording (job, recording);
    job->n_channels += recording->n_channels;
  }
  if (!recordings_find_span (job->recordings, &job->origin, &job->end, error))
    return FALSE;
  fprintf (job->talk, "tick_ns counts from %" G_GINT64_FORMAT " ns on the recordings' clock; %.3f s at %d/%d Hz\n",
      job->origin, (gdouble) (job->end - job->origin) / 1e9, job->rate_num, job->rate_den);
  return TRUE;
}

/* ---- the pipeline ---- */

static gboolean
make_pipeline (Job *job, GError **error)
{
  job->pipeline = gst_parse_launch_full ("robocachefuse name=fuse layout=concat ! appsink name=aligned sync=false "
      "max-buffers=64", NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!job->pipeline)
    return FALSE;
  job->fuse = gst_bin_get_by_name (GST_BIN (job->pipeline), "fuse");
  job->sink = gst_bin_get_by_name (GST_BIN (job->pipeline), "aligned");
  g_object_set (job->fuse, "rate", job->rate_num, job->rate_den, NULL);
  for (guint i = 0; i < job->recordings->len; i++) {
    if (!recordings_add_stream (job->recordings, i, RECORDINGS_READ, job->pipeline, job->fuse, job->origin, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- the CSV ---- */

/* Aligning a file onto itself would empty it before it is read. */
static gboolean
check_output (const Job *job, GError **error)
{
  GStatBuf output, input;

  if (g_stat (job->output, &output) != 0)
    return TRUE;
  for (guint i = 0; i < job->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (job->recordings, i);

    if (g_stat (recording->path, &input) == 0 && input.st_dev == output.st_dev && input.st_ino == output.st_ino) {
      FAULT (error, "--output %s is one of the recordings; write to another file", job->output);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
open_output (Job *job, GError **error)
{
  if (g_str_equal (job->output, "-"))
    return TRUE;
  if (!check_output (job, error))
    return FALSE;
  job->csv = g_fopen (job->output, "w");
  if (job->csv)
    return TRUE;
  FAULT (error, "%s: %s", job->output, g_strerror (errno));
  return FALSE;
}

static void
write_name (FILE *csv, const gchar *name)
{
  fputc (',', csv);
  if (!strpbrk (name, ",\"\n")) {
    fputs (name, csv);
    return;
  }
  fputc ('"', csv);
  for (; *name; name++)
    fprintf (csv, *name == '"' ? "\"\"" : "%c", *name);
  fputc ('"', csv);
}

/* A name that two recordings have is written with the recording's in front. */
static void
write_header (Job *job)
{
  GHashTable *uses = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  fputs ("tick_ns", job->csv);
  for (gint pass = 0; pass < 2; pass++) {
    for (guint i = 0; i < job->recordings->len; i++) {
      const Recording *recording = g_ptr_array_index (job->recordings, i);

      for (guint c = 0; c < recording->n_channels; c++) {
        gchar *name = recording_channel_name (recording, c, FALSE);
        const guint n = GPOINTER_TO_UINT (g_hash_table_lookup (uses, name));

        if (pass == 0) {
          g_hash_table_insert (uses, name, GUINT_TO_POINTER (n + 1));
          continue;
        }
        if (n > 1) {
          g_free (name);
          name = recording_channel_name (recording, c, TRUE);
        }
        write_name (job->csv, name);
        g_free (name);
      }
    }
  }
  fputc ('\n', job->csv);
  g_hash_table_unref (uses);
}

static void
write_value (FILE *csv, gfloat value)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE] = "nan";

  if (!isnan (value))
    g_ascii_formatd (text, sizeof (text), "%.9g", value);
  fprintf (csv, ",%s", text);
}

static gboolean
write_row (Job *job, GstSample *sample, GError **error)
{
  SampleTensor row;
  gboolean ok;

  if (!sample_tensor_map (&row, sample, 0)) {
    FAULT (error, "a sample cannot be read");
    return FALSE;
  }
  ok = row.size == job->n_channels * sizeof (gfloat);
  if (ok) {
    fprintf (job->csv, "%" G_GUINT64_FORMAT, GST_BUFFER_PTS (gst_sample_get_buffer (sample)));
    for (guint c = 0; c < job->n_channels; c++)
      write_value (job->csv, ((const gfloat *) (gconstpointer) row.data)[c]);
    fputc ('\n', job->csv);
  } else {
    FAULT (error, "a sample has %" G_GSIZE_FORMAT " bytes, expected %u float32 values: did a file change meanwhile?",
        row.size, job->n_channels);
  }
  sample_tensor_unmap (&row);
  if (ok && ferror (job->csv)) {
    FAULT (error, "%s: %s", job->output, g_strerror (errno));
    ok = FALSE;
  }
  return ok;
}

static void
show_progress (Job *job, guint64 n, gint64 tick, gint64 *next_us)
{
  const gboolean over = stats_is_terminal (job->talk);

  if (g_get_monotonic_time () < *next_us)
    return;
  *next_us = g_get_monotonic_time () + (over ? PROGRESS_INTERVAL_US / 10 : PROGRESS_INTERVAL_US);
  fprintf (job->talk, "%s%" G_GUINT64_FORMAT " ticks, %.3f s (%.0f %%)%s", over ? "\r" : "", n, (gdouble) tick / 1e9,
      100.0 * (gdouble) tick / (gdouble) MAX (job->end - job->origin, 1), over ? "\033[K" : "\n");
  fflush (job->talk);
}

static gboolean
write_ticks (Job *job, GError **error)
{
  gint64 next_progress_us = g_get_monotonic_time () + PROGRESS_INTERVAL_US;
  guint64 n = 0;
  gboolean ok = TRUE;

  while (ok && !gst_app_sink_is_eos (GST_APP_SINK (job->sink))) {
    GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (job->sink), POLL);

    if (sample) {
      ok = write_row (job, sample, error);
      show_progress (job, ++n, (gint64) GST_BUFFER_PTS (gst_sample_get_buffer (sample)), &next_progress_us);
      gst_sample_unref (sample);
    }
    ok = !messages_handle (job->pipeline, recordings_path_of_element, job->recordings) && ok;
  }
  if (stats_is_terminal (job->talk))
    fprintf (job->talk, "\r\033[K");
  if (ok && n == 0)
    fprintf (stderr, "warning: no tick of %d/%d Hz falls between the first row and the last\n", job->rate_num,
        job->rate_den);
  if (ok)
    fprintf (job->talk, "%" G_GUINT64_FORMAT " ticks of %u channels written to %s\n\n", n, job->n_channels,
        job->csv == stdout ? "standard output" : job->output);
  return ok;
}

static gboolean
close_output (Job *job, GError **error)
{
  const gboolean failed = job->csv == stdout ? fflush (job->csv) != 0 : fclose (job->csv) != 0;

  if (failed && error && !*error)
    FAULT (error, "%s: %s", job->output, g_strerror (errno));
  return !failed;
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

static gboolean
align (Job *job, GError **error)
{
  gboolean ok;

  if (!make_pipeline (job, error) || !open_output (job, error))
    return FALSE;
  write_header (job);
  gst_element_set_state (job->pipeline, GST_STATE_PLAYING);
  ok = write_ticks (job, error);
  ok = close_output (job, error) && ok;
  if (ok)
    print_table (job);
  return ok;
}

static void
job_clear (Job *job)
{
  if (job->pipeline)
    gst_element_set_state (job->pipeline, GST_STATE_NULL);
  gst_clear_object (&job->fuse);
  gst_clear_object (&job->sink);
  gst_clear_object (&job->pipeline);
  g_ptr_array_unref (job->recordings);
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    g_free (job->for_all[i]);
  g_strfreev (job->arguments);
  g_free (job->rate);
  g_free (job->output);
}

int
main (int argc, char **argv)
{
  Job job = {.csv = stdout,.talk = stdout };
  GError *error = NULL;
  gboolean ok;

  job.recordings = recordings_new ();
  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argc, argv, &error);
  if (!job.output)
    job.output = g_strdup ("aligned.csv");
  if (g_str_equal (job.output, "-"))
    job.talk = stderr;
  ok = ok && recordings_parse_rate (job.rate ? job.rate : "100", &job.rate_num, &job.rate_den, &error)
      && recordings_take_arguments (job.recordings, job.arguments, job.for_all, &error) && survey (&job, &error)
      && align (&job, &error);
  if (error)
    fprintf (stderr, "error: %s\n", error->message);
  g_clear_error (&error);
  job_clear (&job);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
