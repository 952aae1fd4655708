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
#include "recording.h"
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
take_option_for_all (const gchar *name, const gchar *value, gpointer data, GError **error)
{
  Job *job = data;
  const RecordingOption option = recording_option_by_name (name + strspn (name, "-"));

  g_free (job->for_all[option]);
  job->for_all[option] = g_strdup (value ? value : "true");
  return TRUE;
}

static void
add_options_for_all (GOptionGroup *group)
{
  for (guint i = 0; i < RECORDING_N_OPTIONS; i++) {
    const RecordingOptionInfo *info = &recording_options[i];
    const GOptionEntry entries[] = {
      {info->name, 0, info->placeholder ? 0 : G_OPTION_FLAG_NO_ARG, G_OPTION_ARG_CALLBACK,
          (gpointer) take_option_for_all, info->help, info->placeholder},
      {NULL}
    };

    if (info->for_all)
      g_option_group_add_entries (group, entries);
  }
}

static gchar *
describe_options_of_a_file (void)
{
  GString *text = g_string_new ("What holds for one file follows its name:\n"
      "  FILE,key=value,...    as in imu.csv,time-column=stamp_ns,channels=gx,gy,gz,max-gap=50ms\n");

  for (guint i = 0; i < RECORDING_N_OPTIONS; i++)
    g_string_append_printf (text, "    %-18s %s\n", recording_options[i].name, recording_options[i].help);
  g_string_append (text, "Times are in ns, or have a unit (20ms). Lists are like 0,3-6.");
  return g_string_free (text, FALSE);
}

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
  GOptionContext *context = g_option_context_new (NULL);
  GOptionGroup *group = g_option_group_new ("align", "", "", job, NULL);
  gchar *description = describe_options_of_a_file ();
  gboolean ok;

  g_option_group_add_entries (group, entries);
  add_options_for_all (group);
  g_option_context_set_main_group (context, group);
  g_option_context_set_summary (context, "Aligns recordings of sensors in time: each file is a stream, the CSV that comes "
      "out has one row\na tick. Its first column is the tick in ns since the earliest row of all.");
  g_option_context_set_description (context, description);
  ok = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  g_free (description);
  if (ok && !job->arguments) {
    FAULT (error, "no recording is given; see --help");
    ok = FALSE;
  }
  return ok;
}

/* "100", "1000/3", "62.5" */
static gboolean
parse_rate (Job *job, GError **error)
{
  const gchar *text = job->rate ? job->rate : "100";
  const gchar *slash = strchr (text, '/');
  gchar *number = slash ? g_strndup (text, (gsize) (slash - text)) : g_strdup (text);
  gint64 millionths = 0;
  guint64 den = 1;
  gboolean ok;

  /* ms → ns is times 10^6 */
  ok = robocache_time_from_text (number, ROBOCACHE_TIME_UNIT_MS, &millionths) == ROBOCACHE_TIME_OK && millionths > 0
      && (!slash || g_ascii_string_to_unsigned (slash + 1, 10, 1, G_MAXINT / 1000000, &den, NULL));
  if (ok) {
    const gint64 divisor = gst_util_greatest_common_divisor_int64 (millionths, (gint64) den * 1000000);

    ok = millionths / divisor <= G_MAXINT;
    job->rate_num = (gint) (millionths / divisor);
    job->rate_den = (gint) ((gint64) den * 1000000 / divisor);
  }
  if (!ok)
    FAULT (error, "--rate %s: expected a number of ticks a second above 0, or a fraction, like 100, 62.5 or 1000/3", text);
  g_free (number);
  return ok;
}

/* Two files of one name are told apart by a number. */
static void
make_labels_unique (Job *job)
{
  for (guint i = 0; i < job->recordings->len; i++) {
    Recording *recording = g_ptr_array_index (job->recordings, i);
    gchar *stem = g_strdup (recording->label);

    for (guint j = 0, n = 2; j < i; j++) {
      if (!g_str_equal (((Recording *) g_ptr_array_index (job->recordings, j))->label, recording->label))
        continue;
      g_free (recording->label);
      recording->label = g_strdup_printf ("%s_%u", stem, n++);
      j = G_MAXUINT;            /* from the beginning: that name may be taken too */
    }
    g_free (stem);
  }
}

static gboolean
make_recordings (Job *job, GError **error)
{
  for (guint i = 0; job->arguments[i]; i++) {
    Recording *recording = recording_new (job->arguments[i], error);

    if (!recording)
      return FALSE;
    for (guint option = 0; option < RECORDING_N_OPTIONS; option++) {
      if (!recording->given[option])
        recording->given[option] = g_strdup (job->for_all[option]);
    }
    g_ptr_array_add (job->recordings, recording);
  }
  make_labels_unique (job);
  return TRUE;
}

/* ---- what the recordings tell ---- */

static void
describe_recording (Job *job, const Recording *recording)
{
  fprintf (job->talk, "%s: %" G_GUINT64_FORMAT " rows of %u channels", recording->path, recording->n_rows,
      recording->n_channels);
  if (recording->step_s > 0.0)
    fprintf (job->talk, ", about %.4g Hz", 1.0 / recording->step_s);
  fprintf (job->talk, "; time in %s", time_unit_name (recording->time_unit));
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

/* Running time 0 is the earliest row, as it is and as its offset makes it: neither may be before it. */
static gboolean
find_origin (Job *job, GError **error)
{
  job->origin = G_MAXINT64;
  job->end = G_MININT64;
  for (guint i = 0; i < job->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (job->recordings, i);
    gint64 offset = 0;

    if (recording->given[RECORDING_OFFSET] && !recording_parse_duration (recording->given[RECORDING_OFFSET], &offset)) {
      FAULT (error, "%s: offset=%s: expected a time in ns, or with a unit, like -20ms", recording->path,
          recording->given[RECORDING_OFFSET]);
      return FALSE;
    }
    job->origin = MIN (job->origin, recording->least_time + MIN (offset, 0));
    job->end = MAX (job->end, recording->greatest_time + MAX (offset, 0));
  }
  return TRUE;
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
  if (!find_origin (job, error))
    return FALSE;
  fprintf (job->talk, "tick_ns counts from %" G_GINT64_FORMAT " ns on the recordings' clock; %.3f s at %d/%d Hz\n",
      job->origin, (gdouble) (job->end - job->origin) / 1e9, job->rate_num, job->rate_den);
  return TRUE;
}

/* ---- the pipeline ---- */

/* What a property takes, for people. */
static gchar *
describe_expected (GParamSpec *pspec)
{
  GString *text = g_string_new ("expected ");
  GEnumClass *choices;

  if (!G_IS_PARAM_SPEC_ENUM (pspec)) {
    g_string_append (text, G_IS_PARAM_SPEC_BOOLEAN (pspec) ? "true or false" : "a number");
    return g_string_free (text, FALSE);
  }
  choices = G_PARAM_SPEC_ENUM (pspec)->enum_class;
  for (guint i = 0; i < choices->n_values; i++)
    g_string_append_printf (text, i ? ", %s" : "%s", choices->values[i].value_nick);
  return g_string_free (text, FALSE);
}

/* Sets a property as the user wrote it. */
static gboolean
set_from_text (gpointer object, const Recording *recording, RecordingOption option, const gchar *text, GError **error)
{
  const RecordingOptionInfo *info = &recording_options[option];
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), info->name);
  GValue value = G_VALUE_INIT;
  gboolean ok = TRUE;
  gint64 ns;

  g_value_init (&value, pspec->value_type);
  if (info->is_duration) {
    ok = recording_parse_duration (text, &ns);
    g_value_set_int64 (&value, ok ? ns : 0);
    ok = ok && !g_param_value_validate (pspec, &value);
  } else if (G_VALUE_HOLDS_STRING (&value)) {
    g_value_set_string (&value, text);
  } else {
    ok = gst_value_deserialize (&value, text);
  }
  if (ok) {
    g_object_set_property (object, info->name, &value);
  } else {
    gchar *expected = info->is_duration ? g_strdup ("expected a time in ns, or with a unit, like 20ms") :
        describe_expected (pspec);

    FAULT (error, "%s: %s=%s: %s", recording->path, info->name, text, expected);
    g_free (expected);
  }
  g_value_unset (&value);
  return ok;
}

static gboolean
set_pad_options (GstPad *pad, const Recording *recording, GError **error)
{
  if (recording->disorder > 0)
    g_object_set (pad, "reorder-window", recording->disorder, NULL);
  if (recording->quaternions)
    g_object_set (pad, "quaternions", recording->quaternions, NULL);
  for (guint option = RECORDING_INTERPOLATION; option < RECORDING_N_OPTIONS; option++) {
    if (recording->given[option] && !set_from_text (pad, recording, option, recording->given[option], error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
add_recording (Job *job, guint i, GError **error)
{
  const Recording *recording = g_ptr_array_index (job->recordings, i);
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  GstElement *parse = gst_element_factory_make ("robocacheparse", recording->label);
  gchar *name = g_strdup_printf ("sink_%u", i);
  GstPad *pad = gst_element_request_pad_simple (job->fuse, name), *from = gst_element_get_static_pad (parse, "src");
  gboolean ok;

  g_object_set (source, "location", recording->path, NULL);
  g_object_set (parse, "time-column", recording->time_column, "time-unit", (gint) recording->time_unit, "time-origin",
      job->origin, "max-errors", -1, NULL);
  for (guint option = 0; option <= RECORDING_DELIMITER; option++) {
    if (recording->given[option])
      g_object_set (parse, recording_options[option].name, recording->given[option], NULL);
  }
  gst_bin_add_many (GST_BIN (job->pipeline), source, parse, NULL);
  gst_element_link (source, parse);
  ok = gst_pad_link (from, pad) == GST_PAD_LINK_OK && set_pad_options (pad, recording, error);
  gst_object_unref (from);
  gst_object_unref (pad);
  g_free (name);
  return ok;
}

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
    if (!add_recording (job, i, error))
      return FALSE;
  }
  return TRUE;
}

/* What the user calls a pad, and the parser before it: their file. */
static const gchar *
path_of_element (const gchar *name, gpointer data)
{
  Job *job = data;

  for (guint i = 0; i < job->recordings->len; i++) {
    const Recording *recording = g_ptr_array_index (job->recordings, i);
    gchar *pad = g_strdup_printf ("sink_%u", i);
    const gboolean is_this = g_str_equal (name, pad) || g_str_equal (name, recording->label);

    g_free (pad);
    if (is_this)
      return recording->path;
  }
  return NULL;
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
write_row (Job *job, GstBuffer *buffer, GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    FAULT (error, "a sample cannot be read");
    return FALSE;
  }
  ok = map.size == job->n_channels * sizeof (gfloat);
  if (ok) {
    fprintf (job->csv, "%" G_GUINT64_FORMAT, GST_BUFFER_PTS (buffer));
    for (guint c = 0; c < job->n_channels; c++)
      write_value (job->csv, ((const gfloat *) map.data)[c]);
    fputc ('\n', job->csv);
  } else {
    FAULT (error, "a sample has %" G_GSIZE_FORMAT " bytes, expected %u float32 values: did a file change meanwhile?",
        map.size, job->n_channels);
  }
  gst_buffer_unmap (buffer, &map);
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
      GstBuffer *buffer = gst_sample_get_buffer (sample);

      ok = write_row (job, buffer, error);
      show_progress (job, ++n, (gint64) GST_BUFFER_PTS (buffer), &next_progress_us);
      gst_sample_unref (sample);
    }
    ok = !messages_handle (job->pipeline, path_of_element, job) && ok;
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

  job.recordings = g_ptr_array_new_with_free_func ((GDestroyNotify) recording_free);
  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argc, argv, &error);
  if (!job.output)
    job.output = g_strdup ("aligned.csv");
  if (g_str_equal (job.output, "-"))
    job.talk = stderr;
  ok = ok && parse_rate (&job, &error) && make_recordings (&job, &error) && survey (&job, &error) && align (&job, &error);
  if (error)
    fprintf (stderr, "error: %s\n", error->message);
  g_clear_error (&error);
  job_clear (&job);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
