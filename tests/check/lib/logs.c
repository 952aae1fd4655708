/* robocache: what an element writes to the debug log
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/logs.h"

static void
add_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer user_data)
{
  Logs *logs = (Logs *) user_data;

  g_mutex_lock (&logs->lock);
  if (g_str_equal (gst_debug_category_get_name (category), logs->category))
    g_string_append_printf (logs->lines, "%s %s\n", gst_debug_level_get_name (level), gst_debug_message_get (message));
  g_mutex_unlock (&logs->lock);
}

Logs *
logs_begin (const gchar *category)
{
  Logs *logs = g_new0 (Logs, 1);

  g_mutex_init (&logs->lock);
  logs->lines = g_string_new (NULL);
  logs->category = category;
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_for_name (category, GST_LEVEL_LOG);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (add_log, logs, NULL);
  return logs;
}

void
logs_end (Logs *logs, const gchar *const *expected)
{
  gchar **lines;

  gst_debug_remove_log_function (add_log);
  gst_debug_add_log_function (gst_debug_log_default, NULL, NULL);
  gst_debug_unset_threshold_for_name (logs->category);
  lines = g_strsplit (logs->lines->str, "\n", -1);
  for (; *expected; expected++) {
    const gsize level = strcspn (*expected, " ") + 1;
    gchar **line = lines;

    while (*line && !(strncmp (*line, *expected, level) == 0 && strstr (*line + level, *expected + level)))
      line++;
    fail_unless (*line != NULL, "no \"%s\" in:\n%s", *expected, logs->lines->str);
  }
  g_strfreev (lines);
  g_string_free (logs->lines, TRUE);
  g_mutex_clear (&logs->lock);
  g_free (logs);
}
