/* robocache: a recording in, a page that shows its streams out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/gst.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/tools/output.h"
#include "examples/tools/program.h"
#include "page.h"
#include "recordingreport.h"

typedef struct
{
  gchar *output, *urdf, *tool, **files;
  gboolean overwrite;
} CommandLine;

/* A recording stays what was recorded. */
static gboolean
check_output (const CommandLine *line, GError **error)
{
  const OutputName name = { "--output", line->output, FALSE, line->overwrite };
  const gchar *const inputs[] = { line->files[0], line->urdf, NULL };

  return output_check (&name, 1, inputs, error);
}

static gboolean
write_report (const CommandLine *line, GError **error)
{
  const ReportRobotChoice choice = { line->urdf, line->tool };
  Report *report = check_output (line, error) ? report_of_recording (line->files[0], &choice, error) : NULL;
  gboolean ok;

  if (!report)
    return FALSE;
  ok = report_write_page (report, line->output, error);
  if (ok) {
    gchar *name = printable (line->files[0]), *page = printable (line->output);

    printf ("%s: %u stream%s, %" G_GUINT64_FORMAT " ticks\nreport: %s\n", name, report->streams->len,
        report->streams->len == 1 ? "" : "s", report->n_ticks, page);
    g_free (name);
    g_free (page);
  }
  report_free (report);
  return ok;
}

/* In this folder, with the name of the recording. */
static gchar *
default_output (const gchar *recording)
{
  gchar *name = g_path_get_basename (recording), *path = report_path_of (name);

  g_free (name);
  return path;
}

/* Parses the command line. FALSE after an error. */
static gboolean
parse (int argc, char **argv, CommandLine *line, GError **error)
{
  const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, &line->output, "write the page to FILE (in this folder, with the recording's name and .html)", "FILE"},
    {"overwrite", 0, 0, G_OPTION_ARG_NONE, &line->overwrite, "replace a page that exists", NULL},
    {"urdf", 'u', 0, G_OPTION_ARG_FILENAME, &line->urdf, "show the path of this robot's tool (the URDF attached to the recording)", "FILE"},
    {"tool", 't', 0, G_OPTION_ARG_STRING, &line->tool, "link that is the tool (the robot's only end link)", "LINK"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &line->files, NULL, "RECORDING.mcap"},
    {NULL}
  };
  GOptionContext *context = program_option_context_new ("Shows a recording as a page of HTML: rates, gaps, jitter, ages and signals of its streams, "
      "and the\nlag of its ticks.", "robocache report run.mcap");
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  if (ok && (!line->files || line->files[1])) {
    USAGE_FAULT (error, "expected one recording; see --help");
    ok = FALSE;
  }
  if (ok && !line->output)
    line->output = default_output (line->files[0]);
  return ok;
}

int
main (int argc, char **argv)
{
  CommandLine line = { NULL };
  GError *error = NULL;
  const gboolean ok = parse (argc, argv, &line, &error) && write_report (&line, &error);

  g_strfreev (line.files);
  g_free (line.output);
  g_free (line.urdf);
  g_free (line.tool);
  return program_end (ok, error);
}
