/* robocache: errors on the bus
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "errors.h"

/* Of the message, with its domain. */
static gint
code_of (const GError *error, GQuark *domain)
{
  if (error->domain == GST_RESOURCE_ERROR) {
    *domain = GST_RESOURCE_ERROR;
    return error->code;
  }
  if (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY)) {
    *domain = GST_RESOURCE_ERROR;
    return GST_RESOURCE_ERROR_NO_SPACE_LEFT;
  }
  if (error->domain != ROBOCACHE_ERROR || error->code == ROBOCACHE_ERROR_PROPERTY) {
    *domain = GST_LIBRARY_ERROR;
    return error->domain == ROBOCACHE_ERROR ? GST_LIBRARY_ERROR_SETTINGS : GST_LIBRARY_ERROR_FAILED;
  }
  if (error->code == ROBOCACHE_ERROR_DATA) {
    *domain = GST_STREAM_ERROR;
    return GST_STREAM_ERROR_FORMAT;
  }
  *domain = GST_CORE_ERROR;
  return GST_CORE_ERROR_NEGOTIATION;
}

void
robocache_post_error_at_from (const RobocacheCodePlace *place, GstElement *element, const gchar *of, const GError *error,
    GstClockTime position)
{
  GQuark domain;
  const gint code = code_of (error, &domain);
  gchar *where = GST_CLOCK_TIME_IS_VALID (position) ? g_strdup_printf ("at %" GST_TIME_FORMAT " of the stream",
      GST_TIME_ARGS (position)) : NULL;

  gst_element_message_full (element, GST_MESSAGE_ERROR, domain, code, of ? g_strdup_printf ("%s: %s", of, error->message)
      : g_strdup (error->message), where, place->file, place->function, place->line);
}

void
robocache_post_error_from (const RobocacheCodePlace *place, GstElement *element, const GError *error)
{
  gint64 position;

  robocache_post_error_at_from (place, element, NULL, error, gst_element_query_position (element, GST_FORMAT_TIME, &position)
      && position >= 0 ? (GstClockTime) position : GST_CLOCK_TIME_NONE);
}

void
robocache_post_error_once_from (const RobocacheCodePlace *place, GstElement *element, const GError *error, gchar **posted)
{
  if (g_strcmp0 (*posted, error->message) == 0)
    return;
  robocache_post_error_from (place, element, error);
  g_free (*posted);
  *posted = g_strdup (error->message);
}
