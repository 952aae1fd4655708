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

/* A recording stays what was recorded. */
static gboolean
check_output (const gchar *recording, const gchar *output, const gchar *urdf, GError **error)
{
  const OutputName name = { "--output", output, FALSE };
  const gchar *const inputs[] = { recording, urdf, NULL };

  return output_check (&name, 1, inputs, error);
}

static gboolean
write_report (const gchar *recording, const gchar *output, const ReportRobotChoice *choice, GError **error)
{
  Report *report = check_output (recording, output, choice->urdf, error) ? report_of_recording (recording, choice, error) : NULL;
  gboolean ok;

  if (!report)
    return FALSE;
  ok = report_write_page (report, output, error);
  if (ok) {
    gchar *name = printable (recording), *page = printable (output);

    printf ("%s: %u stream%s, %" G_GUINT64_FORMAT " ticks\nreport: %s\n", name, report->streams->len,
        report->streams->len == 1 ? "" : "s", report->n_ticks, page);
    g_free (name);
    g_free (page);
  }
  report_free (report);
  return ok;
}

/* Parses the command line. FALSE after an error. */
static gboolean
parse (int argc, char **argv, gchar **output, gchar **urdf, gchar **tool, gchar ***files, GError **error)
{
  const GOptionEntry entries[] = {
    {"output", 'o', 0, G_OPTION_ARG_FILENAME, output, "write the page to FILE (report.html)", "FILE"},
    {"urdf", 'u', 0, G_OPTION_ARG_FILENAME, urdf, "show the path of this robot's tool (the URDF attached to the recording)", "FILE"},
    {"tool", 't', 0, G_OPTION_ARG_STRING, tool, "link that is the tool (the robot's only end)", "LINK"},
    {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, files, NULL, "RECORDING.mcap"},
    {NULL}
  };
  GOptionContext *context = g_option_context_new (NULL);
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  g_option_context_set_summary (context, "Shows a recording as a page of HTML: rates, gaps, jitter, ages and signals of its streams, "
      "and the\nlag of its ticks.");
  ok = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  if (ok && (!*files || (*files)[1])) {
    FAULT (error, "expected one recording; see --help");
    ok = FALSE;
  }
  return ok;
}

int
main (int argc, char **argv)
{
  gchar *output = NULL, *urdf = NULL, *tool = NULL, **files = NULL;
  GError *error = NULL;
  gboolean ok = parse (argc, argv, &output, &urdf, &tool, &files, &error);
  const ReportRobotChoice choice = { urdf, tool };

  ok = ok && write_report (files[0], output ? output : "report.html", &choice, &error);

  if (error)
    printable_report ("error", error->message);
  g_clear_error (&error);
  g_strfreev (files);
  g_free (output);
  g_free (urdf);
  g_free (tool);
  return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
