/* robocache: what is in a file, or on a robot: streams, kinds, rates, clocks and gaps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>

#include "examples/tools/program.h"
#include "examples/tools/recordings/recordings.h"
#include "inspection.h"

typedef struct
{
  RecordingsOptions options;
  RosOptions ros;
  gboolean is_json;
  gchar **arguments;
  guint n_printed;
} Job;

/* ---- the command line ---- */

static gboolean
parse_command_line (Job *job, gchar **argv, GError **error)
{
  const GOptionEntry entries[] = {
    {"json", 0, 0, G_OPTION_ARG_NONE, &job->is_json, "print JSON: an array with an object for each file; times in ns", NULL},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &job->arguments, NULL, "FILE[,key=value...]... | --ros [TOPIC...]"},
    {NULL}
  };
  GOptionContext *context;

  job->options.only_surveys = TRUE;
  context = recordings_option_context_new (entries, &job->options, "Shows what is in files: bags of ROS 1 and 2, CSV files, point clouds, training "
      "sets of LeRobot; or with --ros, which\ntopics a robot publishes. A row of the table is a stream. jitter: 99 % of the spacings of its rows differ by at\n"
      "most this from the median; gaps: spacings above max-gap. clock: the number of the clock that stamps it, and what is\n"
      "added to its times to put them on the timeline of all streams.", "robocache inspect run.mcap joints.csv");
  ros_options_add (context, &job->ros);
  if (!recordings_parse_options (context, argv, error) || !ros_options_check (&job->ros, error))
    return FALSE;
  if (job->arguments || job->ros.is_live)
    return TRUE;
  USAGE_FAULT (error, "no file is given; see --help");
  return FALSE;
}

/* ---- output ---- */

static void
begin_object (Job *job)
{
  if (job->is_json)
    fputs (job->n_printed == 0 ? "[" : ",\n", stdout);
  else if (job->n_printed > 0)
    fputc ('\n', stdout);
  job->n_printed++;
}

/* Takes both; one may be NULL. */
static gboolean
print (Job *job, const gchar *name, Inspection *inspection, GError *error)
{
  gchar *shown = printable (name), *fault = error ? printable (error->message) : NULL;
  const gboolean ok = error == NULL;

  if (fault)
    printable_report ("error", error->message);
  if (inspection || job->is_json)
    begin_object (job);
  if (inspection && job->is_json)
    inspection_print_json (inspection, fault, stdout);
  else if (inspection)
    inspection_print (inspection, stdout);
  else if (job->is_json)
    inspection_print_json_error (shown, fault, stdout);
  fflush (stdout);
  g_free (shown);
  g_free (fault);
  g_clear_error (&error);
  g_clear_pointer (&inspection, inspection_free);
  return ok;
}

static gboolean
inspect_file (Job *job, gchar *argument)
{
  GPtrArray *recordings = recordings_new ();
  GError *error = NULL;
  Inspection *inspection = NULL;

  if (recordings_take_arguments (recordings, (gchar *[]) { argument, NULL }, &job->options, &error))
    inspection = inspection_new_of_file (g_ptr_array_steal_index (recordings, 0), &error);
  g_ptr_array_unref (recordings);
  return print (job, argument, inspection, error);
}

static gboolean
inspect_topics (Job *job)
{
  gchar *topics = job->arguments ? g_strjoinv (",", job->arguments) : g_strdup ("");
  GError *error = NULL;
  Inspection *inspection = inspection_new_of_topics (&job->ros, topics, &error);

  g_free (topics);
  return print (job, "ROS 2", inspection, error);
}

/* All files, also after one that cannot be read. */
static gboolean
inspect (Job *job)
{
  gboolean ok = TRUE;

  if (job->ros.is_live)
    return inspect_topics (job);
  for (guint i = 0; job->arguments[i]; i++)
    ok = inspect_file (job, job->arguments[i]) && ok;
  return ok;
}

int
main (int argc, char **argv)
{
  Job job = {.ros = ROS_OPTIONS_INIT };
  GError *error = NULL;
  gboolean ok;

  gst_init (NULL, NULL);
  ok = parse_command_line (&job, argv, &error) && inspect (&job);
  if (job.is_json && job.n_printed > 0)
    puts ("]");
  recordings_options_clear (&job.options);
  ros_options_clear (&job.ros);
  g_strfreev (job.arguments);
  return program_end (ok, error);
}
