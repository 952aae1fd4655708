/* robocache: what is wrong in a session, in words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "report.h"

#include "common/page/pagestyle.h"
#include "common/page/pagetext.h"

/* Intervals that are named, and shares of ticks and values below which nothing is said. */
#define MAX_INTERVALS 3
#define HELD_SHARE 0.05

/* ---- times ---- */

typedef struct
{
  gint64 begin_ns;              /* of the session */
  guint decimals;               /* of seconds: more where the session is short */
} Clock;

static Clock
clock_of (const Report *report)
{
  gint64 begin_ns, end_ns;

  if (!report_get_extent (report, &begin_ns, &end_ns))
    return (Clock) { 0 };
  return (Clock) { begin_ns, end_ns - begin_ns >= 10 * G_GINT64_CONSTANT (1000000000) ? 1 : 2 };
}

static gchar *
seconds_text (const Clock *clock, gint64 time_ns)
{
  return g_strdup_printf ("%.*f", (int) clock->decimals, ((gdouble) time_ns - (gdouble) clock->begin_ns) / 1e9);
}

/* ---- intervals of ticks without a row ---- */

typedef struct
{
  gint64 begin_ns, end_ns;
} Interval;

static gint
compare_lengths (gconstpointer a, gconstpointer b)
{
  const Interval *first = a, *second = b;
  const gint64 longer = (second->end_ns - second->begin_ns) - (first->end_ns - first->begin_ns);

  return longer > 0 ? 1 : longer < 0 ? -1 : 0;
}

static gint
compare_begins (gconstpointer a, gconstpointer b)
{
  const Interval *first = a, *second = b;

  return first->begin_ns < second->begin_ns ? -1 : first->begin_ns > second->begin_ns;
}

/* Runs of columns with a missing tick. Columns without ticks do not end a run. Free with g_array_unref. */
static GArray *
find_missing (const ReportTimeline *status)
{
  GArray *intervals = g_array_new (FALSE, FALSE, sizeof (Interval));
  gboolean is_open = FALSE;

  for (guint i = 0; i < status->n_columns; i++) {
    const ReportColumn *column = &status->columns[i];
    const gint64 begin_ns = (status->first + i) * status->width_ns;
    const Interval interval = { begin_ns, begin_ns + status->width_ns };

    if (column->n[REPORT_MISSING] == 0) {
      is_open &= report_column_n (column) == 0;
      continue;
    }
    if (!is_open)
      g_array_append_val (intervals, interval);
    g_array_index (intervals, Interval, intervals->len - 1).end_ns = interval.end_ns;
    is_open = TRUE;
  }
  return intervals;
}

/* "from 8.2 to 9.2 s and from 12.0 to 12.4 s, and 3 times more" */
static gchar *
describe_intervals (const Clock *clock, GArray *intervals)
{
  const guint n = MIN (intervals->len, MAX_INTERVALS), n_more = intervals->len - n;
  GString *text = g_string_new (NULL);

  g_array_sort (intervals, compare_lengths);
  g_array_set_size (intervals, n);
  g_array_sort (intervals, compare_begins);
  for (guint i = 0; i < n; i++) {
    const Interval *interval = &g_array_index (intervals, Interval, i);
    gchar *from = seconds_text (clock, interval->begin_ns), *to = seconds_text (clock, interval->end_ns);

    g_string_append_printf (text, "%sfrom %s to %s s", i == 0 ? "" : n_more == 0 && i == n - 1 ? " and " : ", ", from, to);
    g_free (from);
    g_free (to);
  }
  if (n_more > 0)
    g_string_append_printf (text, ", and %u time%s more", n_more, n_more == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

/* ---- findings of a stream ---- */

G_GNUC_PRINTF (2, 3)
static void
add (GPtrArray *findings, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (findings, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

static void
add_missing (const Clock *clock, const ReportStream *stream, GPtrArray *findings)
{
  const guint64 n = report_timeline_count (&stream->status, REPORT_MISSING);
  gchar *share = robocache_percent_text (n, MAX (stream->status.n, 1));

  if (n > 0 && n == stream->status.n)
    add (findings, ROBOCACHE_WORDS_MISSING_ALWAYS, stream->name);
  else if (n > 0) {
    GArray *intervals = find_missing (&stream->status);
    gchar *when = describe_intervals (clock, intervals);

    add (findings, "%s is missing %s: in %s of the ticks", stream->name, when, share);
    g_free (when);
    g_array_unref (intervals);
  }
  g_free (share);
}

static void
add_held (const ReportStream *stream, GPtrArray *findings)
{
  const guint64 n = report_timeline_count (&stream->status, REPORT_HELD);
  gchar *share = robocache_percent_text (n, MAX (stream->status.n, 1));

  if ((gdouble) n > HELD_SHARE * (gdouble) stream->status.n)
    add (findings, ROBOCACHE_WORDS_HELD, stream->name, share);
  g_free (share);
}

static void
add_gaps (const Clock *clock, const ReportStream *stream, GPtrArray *findings)
{
  const ReportGap *longest = NULL;
  gchar *from, *duration;

  for (guint i = 0; i < stream->gaps->len; i++) {
    const ReportGap *gap = &g_array_index (stream->gaps, ReportGap, i);

    if (!longest || gap->end_ns - gap->begin_ns > longest->end_ns - longest->begin_ns)
      longest = gap;
  }
  if (!longest)
    return;
  from = seconds_text (clock, longest->begin_ns);
  duration = robocache_duration_text ((gdouble) longest->end_ns - (gdouble) longest->begin_ns);
  add (findings, "%s has %" G_GUINT64_FORMAT " gap%s in its rows, the longest of %s from %s s", stream->name, stream->n_gaps,
      stream->n_gaps == 1 ? "" : "s", duration, from);
  g_free (duration);
  g_free (from);
}

/* What the settings of the stream's pad say of a filter: " unless …" where they are unknown; NULL: the ticks are filtered. */
static const gchar *
describe_filter (const Report *report, const ReportStream *stream)
{
  static const gchar *const filters[] = { "lowpass", "mean" };
  const gchar *const pad = stream->aligned_as ? stream->aligned_as : stream->name;

  for (guint i = 0; i < report->settings->len; i++) {
    for (guint k = 0; k < G_N_ELEMENTS (filters); k++) {
      gchar *setting = g_strdup_printf ("%s.interpolation=%s", pad, filters[k]);
      const gboolean is_set = g_str_equal (setting, g_ptr_array_index (report->settings, i));

      g_free (setting);
      if (is_set)
        return NULL;
    }
  }
  return report->settings->len > 0 ? "" : ", unless it was aligned by lowpass or mean";
}

/* The channel with most of its variance above half of the rate of ticks. */
static void
add_folding (const Report *report, const ReportStream *stream, GPtrArray *findings)
{
  const gchar *unless = describe_filter (report, stream);
  const gint64 period_ns = stream->n_ticks > 1 ? (stream->last_tick_ns - stream->first_tick_ns) / (gint64) (stream->n_ticks - 1) : 0;
  gdouble shares[ROBOCACHE_DECIMATION_CHANNELS];
  guint most = 0;
  gchar *name;

  if (!unless || !robocache_decimation_check_measure (&stream->decimation, period_ns, shares))
    return;
  for (guint c = 1; c < stream->decimation.n_channels; c++)
    most = shares[c] > shares[most] ? c : most;
  if (shares[most] <= ROBOCACHE_DECIMATION_SHARE)
    return;
  name = report_stream_channel_name (stream, most);
  add (findings, "%s is aliased%s: %.0f %% of the variance of %s is above half of the tick rate", stream->name, unless, 100.0 * shares[most], name);
  g_free (name);
}

static void
add_rows (const ReportStream *stream, GPtrArray *findings)
{
  const gint64 rest = report_stream_get_rest (stream);
  const guint64 n_values = stream->n_rows * MAX (stream->n_drawn, 1);
  gchar *share = robocache_percent_text (stream->n_nonfinite, MAX (n_values, 1));

  if (stream->n_nonfinite > 0)
    add (findings, "%s has NaN or infinity in %s of its values", stream->name, share);
  if (stream->n_disordered > 0)
    add (findings, "%s has %" G_GUINT64_FORMAT " row%s that are older than the row before", stream->name, stream->n_disordered,
        stream->n_disordered == 1 ? "" : "s");
  if (stream->n_untimed > 0)
    add (findings, "%s has %" G_GUINT64_FORMAT " row%s without a time", stream->name, stream->n_untimed, stream->n_untimed == 1 ? "" : "s");
  if (stream->total_label && rest != 0)
    add (findings, "%" G_GINT64_FORMAT " rows of %s are not accounted for", rest, stream->name);
  g_free (share);
}

static void
add_stream (const Report *report, const Clock *clock, const ReportStream *stream, GPtrArray *findings)
{
  if (stream->n_rows == 0 && stream->status.n == 0) {
    add (findings, ROBOCACHE_WORDS_NO_ROW, stream->name);
    return;
  }
  add_missing (clock, stream, findings);
  add_held (stream, findings);
  add_gaps (clock, stream, findings);
  add_folding (report, stream, findings);
  add_rows (stream, findings);
}

/* ---- the verdict ---- */

GPtrArray *
report_find_faults (const Report *report)
{
  GPtrArray *findings = g_ptr_array_new_with_free_func (g_free);
  const Clock clock = clock_of (report);

  if (report->n_dropped_ticks > 0)
    add (findings, "%" G_GUINT64_FORMAT " ticks were dropped", report->n_dropped_ticks);
  for (guint i = 0; i < report->streams->len; i++)
    add_stream (report, &clock, g_ptr_array_index (report->streams, i), findings);
  return findings;
}
