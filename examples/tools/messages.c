/* robocache: what a pipeline says on its bus, as lines for a person
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "program.h"

#include <stdio.h>
#include <string.h>

/* A message about a pad begins with names, "fuse: sink_1: channels …". Advances past the first name that has a label, and returns the
 * label; NULL when no name has one. */
static const gchar *
skip_names (const gchar **text, MessageLabel label, gpointer data)
{
  const gchar *rest = *text, *known = NULL;
  gsize length;

  while ((length = strspn (rest, "abcdefghijklmnopqrstuvwxyz0123456789_")) > 0
      && g_str_has_prefix (rest + length, ": ")) {
    gchar *name = g_strndup (rest, length);

    rest += length + strlen (": ");
    known = label (name, data);
    g_free (name);
    if (known) {
      *text = rest;
      return known;
    }
  }
  return NULL;
}

/* An error or warning as one printable line with its source; NULL for other messages. Free with g_free. */
static gchar *
message_to_line (GstMessage *message, MessageLabel label, gpointer data)
{
  const gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  const gchar *who = GST_MESSAGE_SRC_NAME (message), *known = NULL, *text;
  GError *error;
  gchar *line, *raw;

  if (is_error)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    return NULL;

  text = error->message;
  if (label)
    known = skip_names (&text, label, data);
  if (label && !known)
    known = label (who, data);
  raw = g_strdup_printf ("%s: %s: %s", is_error ? "error" : "warning", known ? known : who, text);
  line = printable (raw);
  g_free (raw);
  g_error_free (error);
  return line;
}

gboolean
messages_handle (GstElement *pipeline, MessageLabel label, gpointer data)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean failed = FALSE;
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    gchar *line = failed ? NULL : message_to_line (message, label, data);

    if (line)
      fprintf (stderr, "%s\n", line);
    g_free (line);
    failed |= GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY && GST_IS_BIN (pipeline))
      gst_bin_recalculate_latency (GST_BIN (pipeline));
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  return failed;
}

GstElement *
messages_launch (const gchar *description)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch_full (description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

  if (error) {
    const gboolean is_ours = g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_NO_SUCH_ELEMENT)
        && strstr (error->message, "\"robocache");

    gchar *text = g_strconcat (error->message, is_ours ? "; is GST_PLUGIN_PATH_1_0 set? (. examples/env.sh)" : "", NULL);

    printable_report ("error", text);
    g_free (text);
    g_clear_error (&error);
    gst_clear_object (&pipeline);
  }
  return pipeline;
}
