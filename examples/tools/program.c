/* robocache: what programs share that play a pipeline and show its samples
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "program.h"

#include <gst/app/gstappsink.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

int
program_end (gboolean ok, GError *error)
{
  const gboolean is_usage = error && error->domain == G_OPTION_ERROR;

  if (error)
    printable_report ("error", error->message);
  g_clear_error (&error);
  return ok ? EXIT_SUCCESS : is_usage ? EXIT_USAGE : EXIT_FAILURE;
}

GOptionContext *
program_option_context_new (const gchar *summary, const gchar *example)
{
  GOptionContext *context = g_option_context_new (NULL);
  gchar *text = example ? g_strdup_printf ("%s\n\nExample:\n  %s", summary, example) : g_strdup (summary);

  setlocale (LC_CTYPE, "");     /* numbers keep their decimal points */
  g_option_context_set_summary (context, text);
  g_free (text);
  return context;
}

gboolean
program_parse_options (int argc, char **argv, const GOptionEntry *entries, const gchar *summary, const gchar *example)
{
  GOptionContext *context = program_option_context_new (summary, example);
  GError *error = NULL;
  gboolean ok;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  ok = g_option_context_parse (context, &argc, &argv, &error);
  g_option_context_free (context);
  if (!ok)
    printable_report ("error", error->message);
  else if (argc > 1) {
    gchar *text = printable (argv[1]);

    fprintf (stderr, "error: unexpected argument \"%s\"\n", text);
    g_free (text);
  }
  g_clear_error (&error);
  return ok && argc == 1;
}

gboolean
program_play (GstElement *pipeline, ProgramSample handle_sample, ProgramIdle idle, gpointer data)
{
  GstElement *appsink = gst_bin_get_by_name (GST_BIN (pipeline), "samples");
  GstAppSink *sink = GST_APP_SINK (appsink);
  gboolean ok = TRUE, goes_on = TRUE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (ok && goes_on) {
    GstSample *sample = gst_app_sink_try_pull_sample (sink, 50 * GST_MSECOND);

    goes_on = sample ? handle_sample (sample, data) : !gst_app_sink_is_eos (sink);
    goes_on = goes_on && (!idle || idle (data));
    g_clear_pointer (&sample, gst_sample_unref);
    ok = !messages_handle (pipeline, NULL, NULL);
  }
  gst_object_unref (appsink);
  return ok;
}
