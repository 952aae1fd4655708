/* robocache: what a report says of a session: its streams and its ticks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report.h"

#include <string.h>

static void
free_stream (gpointer stream)
{
  report_stream_free (stream);
}

Report *
report_new (const gchar *title, gint64 begin_ns)
{
  Report *report = g_new0 (Report, 1);

  report->title = g_strdup (title);
  report->begin_ns = begin_ns;
  report->epoch_ns = report->first_tick_ns = report->last_tick_ns = REPORT_NO_TIME;
  report->streams = g_ptr_array_new_with_free_func (free_stream);
  report->streams_by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  report->notes = g_ptr_array_new_with_free_func (g_free);
  report->settings = g_ptr_array_new_with_free_func (g_free);
  return report;
}

void
report_free (Report *report)
{
  g_free (report->title);
  g_hash_table_unref (report->streams_by_name);
  g_ptr_array_unref (report->streams);
  g_ptr_array_unref (report->notes);
  g_ptr_array_unref (report->settings);
  report_timeline_clear (&report->lag);
  report_timeline_clear (&report->lateness);
  report_spread_clear (&report->lags);
  report_spread_clear (&report->latenesses);
  g_free (report);
}

ReportStream *
report_get_stream (Report *report, const gchar *name)
{
  ReportStream *stream = g_hash_table_lookup (report->streams_by_name, name);

  if (stream)
    return stream;
  stream = report_stream_new (name, report->begin_ns);
  g_ptr_array_add (report->streams, stream);
  g_hash_table_insert (report->streams_by_name, g_strdup (name), stream);
  return stream;
}

void
report_rename_streams (Report *report, GHashTable *names)
{
  for (guint i = 0; i < report->settings->len; i++) {
    gchar *setting = g_ptr_array_index (report->settings, i), *stream = g_strndup (setting, strcspn (setting, "."));
    const gchar *name = g_hash_table_lookup (names, stream);

    if (name) {
      report->settings->pdata[i] = g_strconcat (name, setting + strlen (stream), NULL);
      g_free (setting);
    }
    g_free (stream);
  }
  for (guint i = 0; i < report->streams->len; i++) {
    ReportStream *stream = g_ptr_array_index (report->streams, i);
    const gchar *name = g_hash_table_lookup (names, stream->name);

    if (name) {
      g_free (stream->name);
      stream->name = g_strdup (name);
    }
  }
}

static gboolean
is_stream (gpointer name, gpointer stream, gpointer removed)
{
  return stream == removed;
}

void
report_remove_stream (Report *report, ReportStream *stream)
{
  g_hash_table_foreach_remove (report->streams_by_name, is_stream, stream);
  g_ptr_array_remove (report->streams, stream);
}

void
report_add_note (Report *report, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (report->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static void
add_delay (ReportTimeline *timeline, ReportSpread *spread, gint64 tick_ns, gint64 delay_ns)
{
  if (delay_ns == REPORT_NO_TIME)
    return;
  report_timeline_add (timeline, tick_ns, 0, (gdouble) delay_ns);
  report_spread_add (spread, delay_ns);
}

void
report_add_tick (Report *report, gint64 tick_ns, gint64 lag_ns, gint64 lateness_ns)
{
  report->first_tick_ns = report->n_ticks == 0 ? tick_ns : MIN (report->first_tick_ns, tick_ns);
  report->last_tick_ns = report->n_ticks == 0 ? tick_ns : MAX (report->last_tick_ns, tick_ns);
  report->n_ticks++;
  add_delay (&report->lag, &report->lags, tick_ns, lag_ns);
  add_delay (&report->lateness, &report->latenesses, tick_ns, lateness_ns);
}

static void
extend (gint64 *begin_ns, gint64 *end_ns, gint64 first_ns, gint64 last_ns)
{
  if (first_ns == REPORT_NO_TIME)
    return;
  *begin_ns = MIN (*begin_ns, first_ns);
  *end_ns = MAX (*end_ns, last_ns);
}

gboolean
report_get_extent (const Report *report, gint64 *begin_ns, gint64 *end_ns)
{
  *begin_ns = G_MAXINT64;
  *end_ns = G_MININT64;
  extend (begin_ns, end_ns, report->first_tick_ns, report->last_tick_ns);
  for (guint i = 0; i < report->streams->len; i++) {
    const ReportStream *stream = g_ptr_array_index (report->streams, i);

    extend (begin_ns, end_ns, stream->first_ns, stream->last_ns);
  }
  return *begin_ns <= *end_ns;
}

gint64
report_get_tick_period (const Report *report)
{
  return report->n_ticks < 2 ? 0 : (gint64) (((gdouble) report->last_tick_ns - (gdouble) report->first_tick_ns)
      / (gdouble) (report->n_ticks - 1));
}
