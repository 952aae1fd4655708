/* robocache: what a pipeline says on its bus, as lines for a person
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "messages.h"

#include <stdio.h>

gboolean
message_report (GstMessage *message)
{
  const gboolean is_error = GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
  GError *error = NULL;

  if (is_error)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  if (error)
    fprintf (stderr, "%s: %s: %s\n", is_error ? "error" : "warning", GST_MESSAGE_SRC_NAME (message), error->message);
  g_clear_error (&error);
  return is_error;
}

gboolean
messages_report_all (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  gboolean failed = FALSE;
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    if (!failed)
      failed = message_report (message);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_LATENCY)
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
    fprintf (stderr, "error: %s\n", error->message);
    g_clear_error (&error);
    gst_clear_object (&pipeline);
  }
  return pipeline;
}
