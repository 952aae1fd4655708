/* robocache: how much later one sensor's clock says the same motion than another's
 *
 * The two recordings are aligned on common ticks by a robocachefuse; the delay is what shifts the one's motion onto the
 * other's. It is said as the `offset` that the second one's pad of robocachefuse should have.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/app/gstappsink.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/tools/recordings/recordings.h"
#include "motiondelay.h"
#include "program.h"
#include "sampletensor.h"

#define POLL (50 * GST_MSECOND)
#define MAX_LAGS 1000000
/* Exit status where two recordings give no offset. */
#define EXIT_NONE 3

typedef struct
{
  /* the command line */
  gchar *rate, *range, *smooth;
  gdouble least_correlation;
  gboolean norm;
  RecordingsOptions options;
  gchar **arguments;

  RecordingsGrid grid;
  gint64 range_ns;
  gdouble smooth_ticks;         /* 0: not given */
  GPtrArray *recordings;        /* two */
  GArray *values;               /* [ticks][channels of the one, then of the other], gdouble */
} Job;

static Recording *
recording_of (const Job *job, guint i)
{
  return g_ptr_array_index (job->recordings, i);
}

static guint
row_channels (const Job *job)
{
  return recording_of (job, 0)->n_channels + recording_of (job, 1)->n_channels;
}

static gdouble
tick_ns (const Job *job)
{
  return 1e9 * job->grid.rate_den / job->grid.rate_num;
}

/* ---- the command line ---- */

static gboolean
parse_durations (Job *job, GError **error)
{
  gint64 smooth_ns = 0;

  if (!recording_parse_duration (job->range ? job->range : "1s", &job->range_ns) || job->range_ns < tick_ns (job)
      || job->range_ns / tick_ns (job) > MAX_LAGS) {
    USAGE_FAULT (error, "--range %s: expected the longest delay to search, like 500ms, of 1 to %d ticks (a tick is %g ms)",
        job->range ? job->range : "1s", MAX_LAGS, tick_ns (job) / 1e6);
    return FALSE;
  }
  if (job->smooth) {
    if (!recording_parse_duration (job->smooth, &smooth_ns) || smooth_ns < tick_ns (job)
        || smooth_ns > job->range_ns + 10 * tick_ns (job)) {
      USAGE_FAULT (error, "--smooth %s: expected a time, like 30ms, from a tick (%g ms) to --range", job->smooth,
          tick_ns (job) / 1e6);
      return FALSE;
    }
    job->smooth_ticks = (gdouble) smooth_ns / tick_ns (job);
  }
  if (!(job->least_correlation > 0.0 && job->least_correlation <= 1.0)) {
    USAGE_FAULT (error, "--min-correlation %g: expected more than 0, and 1 at most", job->least_correlation);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_command_line (Job *job, gchar **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"rate", 'r', 0, G_OPTION_ARG_STRING, &job->rate, "ticks per second on which both are aligned (100)", "RATE"},
    {"range", 0, 0, G_OPTION_ARG_STRING, &job->range, "longest delay to search, in both directions (1s)", "TIME"},
    {"smooth", 0, 0, G_OPTION_ARG_STRING, &job->smooth, "average noise over this time (the best of 3 to 48 ticks)",
        "TIME"},
    {"norm", 0, 0, G_OPTION_ARG_NONE, &job->norm, "compare the norms of the rows, for sensors mounted differently", NULL},
    {"min-correlation", 0, 0, G_OPTION_ARG_DOUBLE, &job->least_correlation, "refuse a correlation below this (0.5)",
        "NUMBER"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL,
        "FILE[,key=value...] FILE[,key=value...]"},
    {NULL}
  };
  GOptionContext *context = recordings_option_context_new (entries, &job->options, "Finds the delay between two "
      "recordings of the same motion, and prints it as the offset of the second one.\nIt compares their channels in "
      "order; choose them with channels=.\nExit status 3: the recordings have no common motion.", "robocache offset imu.csv,channels=gx,gy,gz odometry.csv");
  gboolean ok = recordings_parse_options (context, argv, error);

  if (ok && (!job->arguments || g_strv_length (job->arguments) != 2)) {
    USAGE_FAULT (error, "expected two recordings (a file may be given twice, with other channels); see --help");
    ok = FALSE;
  }
  return ok && recordings_parse_rate (job->rate ? job->rate : "100", &job->grid.rate_num, &job->grid.rate_den, error)
      && parse_durations (job, error);
}

/* ---- alignment ---- */

static gboolean
survey (Job *job, GError **error)
{
  const Recording *first, *second;

  for (guint i = 0; i < 2; i++) {
    if (!recording_survey (recording_of (job, i), error))
      return FALSE;
  }
  first = recording_of (job, 0);
  second = recording_of (job, 1);
  if (first->n_channels == second->n_channels || job->norm)
    return recordings_find_grid (job->recordings, &job->options, &job->grid, error);
  FAULT (error, "%s has %u channels and %s has %u: choose with channels= equally many that see the same motion, or compare norms "
      "with --norm", first->path, first->n_channels, second->path, second->n_channels);
  return FALSE;
}

/* Appends the row of one tick; held and missing rows do not count as motion. */
static void
read_row (Job *job, const gfloat *row, const gint64 (*info)[4])
{
  guint c = 0;

  for (guint stream = 0; stream < 2; stream++) {
    for (guint of_stream = 0; of_stream < recording_of (job, stream)->n_channels; of_stream++, c++) {
      const gdouble value = info[stream][3] == 0 ? (gdouble) row[c] : NAN;

      g_array_append_val (job->values, value);
    }
  }
}

/* Ticks that were dropped, by `required`, leave a hole. */
static void
fill_up_to (Job *job, gint64 *next, gint64 tick)
{
  const gdouble none = NAN;

  for (; *next >= 0 && *next < tick; (*next)++) {
    for (guint c = 0; c < row_channels (job); c++)
      g_array_append_val (job->values, none);
  }
  *next = tick + 1;
}

static gboolean
handle_sample (Job *job, GstSample *sample, gint64 *next, GError **error)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer, "RobocacheSampleMeta");
  const GValue *info = gst_structure_get_value (gst_custom_meta_get_structure (meta), "info");
  SampleTensor row;

  if (!sample_tensor_map_floats (&row, sample, 0, row_channels (job), error))
    return FALSE;
  fill_up_to (job, next, (gint64) llround ((gdouble) GST_BUFFER_PTS (buffer) / tick_ns (job)));
  read_row (job, sample_tensor_floats (&row), g_bytes_get_data (g_value_get_boxed (info), NULL));
  sample_tensor_unmap (&row);
  return TRUE;
}

static gboolean
run_pipeline (Job *job, GstElement *pipeline, GstElement *fuse, GError **error)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "aligned");
  gint64 next = -1;
  gboolean ok = TRUE;

  recordings_prepare_fuse (fuse, &job->options, &job->grid);
  for (guint i = 0; ok && i < 2; i++)
    ok = recordings_add_stream (job->recordings, i, pipeline, fuse, job->grid.origin, error);
  if (ok)
    gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (ok && !gst_app_sink_is_eos (GST_APP_SINK (sink))) {
    GstSample *sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), POLL);

    if (sample) {
      ok = handle_sample (job, sample, &next, error);
      gst_sample_unref (sample);
    }
    ok = !messages_handle (pipeline, recordings_path_of_element, job->recordings) && ok;
  }
  /* an error that came with the end */
  ok = !messages_handle (pipeline, recordings_path_of_element, job->recordings) && ok;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (sink);
  return ok;
}

static gboolean
align (Job *job, GError **error)
{
  GstElement *pipeline, *fuse;
  gboolean ok;

  pipeline = gst_parse_launch_full ("robocachefuse name=fuse layout=concat type=float32 ! appsink name=aligned sync=false "
      "max-buffers=64", NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  if (!pipeline)
    return FALSE;
  fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  ok = run_pipeline (job, pipeline, fuse, error);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
  return ok;
}

/* ---- the delay ---- */

/* The channels of one recording, from channel `begin` of the rows on. */
static Motion
motion_of (const Job *job, guint begin, guint n_channels)
{
  const guint row = row_channels (job);
  const gsize n = job->values->len / row;
  const guint n_out = job->norm ? 1 : n_channels;
  Motion motion = { n_out, n, g_new0 (gdouble, n_out * n) };

  for (gsize i = 0; i < n; i++) {
    for (guint c = 0; c < n_channels; c++) {
      const gdouble value = g_array_index (job->values, gdouble, i * row + begin + c);

      if (job->norm)
        motion.values[i] = hypot (motion.values[i], value);
      else
        motion.values[c * n + i] = value;
    }
  }
  return motion;
}

static gint64
given_offset (const Job *job)
{
  const Recording *second = recording_of (job, 1);
  gint64 given = 0;

  if (second->given[RECORDING_OFFSET])
    recording_parse_duration (second->given[RECORDING_OFFSET], &given);
  return given;
}

static void
warn_of_opposite (const Job *job, const MotionDelay *found)
{
  const gint64 given = given_offset (job);

  if (-found->opposite_correlation > found->correlation)
    fprintf (stderr, "warning: an offset of %.0f ms gives a stronger negative correlation (%.4f): is one of them mounted the "
        "other way round?\n", ((gdouble) given - found->opposite * tick_ns (job)) / 1e6,
        found->opposite_correlation);
}

static void
say_fault (const Job *job, MotionDelayResult result, const MotionDelay *found, GError **error)
{
  const gchar *first = recording_of (job, 0)->path, *second = recording_of (job, 1)->path;
  const gchar *still = result == MOTION_DELAY_FIRST_IS_STILL ? first : second;

  switch (result) {
    case MOTION_DELAY_OK:
      break;
    case MOTION_DELAY_NO_OVERLAP:
      FAULT (error, "%s and %s have too few ticks at which both are aligned: do they overlap in time, and are their rows at "
          "most max-gap apart?", first, second);
      break;
    case MOTION_DELAY_FIRST_IS_STILL:
    case MOTION_DELAY_SECOND_IS_STILL:
      FAULT (error, "%s contains no motion: record while the robot moves, or choose other channels", still);
      break;
    case MOTION_DELAY_UNLIKE:
      FAULT (error, "the correlation of %s and %s is at most %.3f, expected %g or more, and more than unrelated motions reach by "
          "chance: choose channels that "
          "see the same motion, record longer, or set a longer --smooth against noise, or a longer --range", first, second,
          found->correlation, job->least_correlation);
      warn_of_opposite (job, found);
      break;
    case MOTION_DELAY_AT_EDGE:
      FAULT (error, "the maximum correlation, %.3f, is at the end of the range, with %s %g ms behind: set a longer --range",
      found->correlation, second, found->delay * tick_ns (job) / 1e6);
      break;
  }
}

static void
say_delay (const Job *job, const MotionDelay *found, gdouble smooth)
{
  const Recording *second = recording_of (job, 1);
  const gdouble delay_ns = found->delay * tick_ns (job);
  const gint64 given = given_offset (job);

  printf ("offset: %" G_GINT64_FORMAT " ns\n", given - (gint64) llround (delay_ns));
  printf ("uncertainty: %lld ns, %.3f of a tick (95 %%)\n", llround (found->uncertainty * tick_ns (job)),
      found->uncertainty);
  printf ("correlation: %.4f over %" G_GSIZE_FORMAT " ticks of %g ms, smoothed by %g ms\n", found->correlation,
      found->n_pairs, tick_ns (job) / 1e6, smooth * tick_ns (job) / 1e6);
  printf ("%s is %.3f ms %s %s%s; set this offset on its pad of robocachefuse\n", second->title, fabs (delay_ns) / 1e6,
      delay_ns < 0 ? "ahead of" : "behind", recording_of (job, 0)->title, given ? " with the offsets given" : "");
  if (!motion_delay_is_sure (found, smooth))
    fprintf (stderr, "warning: %" G_GSIZE_FORMAT " ticks are few for smoothing by %g ms: the error may exceed the uncertainty\n",
    found->n_pairs, smooth * tick_ns (job) / 1e6);
  if (found->rival_correlation > 0.0)
    fprintf (stderr, "warning: an offset of %.0f ms fits nearly as well (correlation %.4f), because the motion repeats: set a "
        "shorter --range, or record another motion\n", ((gdouble) given - found->rival * tick_ns (job)) / 1e6,
        found->rival_correlation);
  warn_of_opposite (job, found);
}

/* *has_none: the recordings were compared, and give no offset. */
static gboolean
find_delay (const Job *job, gboolean *has_none, GError **error)
{
  const guint n_first = recording_of (job, 0)->n_channels;
  Motion first = motion_of (job, 0, n_first), second = motion_of (job, n_first, recording_of (job, 1)->n_channels);
  gdouble smooth = job->smooth_ticks;
  MotionDelay found = { 0 };
  const MotionDelayResult result = motion_delay_find (&found, &first, &second, (guint) ((gdouble) job->range_ns / tick_ns (job)), &smooth,
      job->least_correlation);

  if (result == MOTION_DELAY_OK)
    say_delay (job, &found, smooth);
  else
    say_fault (job, result, &found, error);
  *has_none = result != MOTION_DELAY_OK;
  g_free (first.values);
  g_free (second.values);
  return result == MOTION_DELAY_OK;
}

static void
job_clear (Job *job)
{
  g_ptr_array_unref (job->recordings);
  g_array_unref (job->values);
  recordings_options_clear (&job->options);
  g_strfreev (job->arguments);
  g_free (job->rate);
  g_free (job->range);
  g_free (job->smooth);
}

int
main (int argc, char **argv)
{
  Job job = {.least_correlation = 0.5 };
  GError *error = NULL;
  gboolean ok, has_none = FALSE;
  int status;

  job.recordings = recordings_new ();
  job.values = g_array_new (FALSE, FALSE, sizeof (gdouble));
  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argv, &error)
      && recordings_take_arguments (job.recordings, job.arguments, &job.options, &error) && survey (&job, &error)
      && align (&job, &error) && find_delay (&job, &has_none, &error);
  job_clear (&job);
  status = program_end (ok, error);
  return has_none ? EXIT_NONE : status;
}
