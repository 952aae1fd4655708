/* robocache: what a report says of one stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "stream.h"

#include <math.h>

#include "common/time/numberorder.h"

/* Intervals that determine the period. */
#define N_FIRST_INTERVALS 64

/* Intervals longer than this many periods are gaps. */
#define GAP_PERIODS 2.5

static void
clear_count (gpointer count)
{
  g_free (((ReportCount *) count)->label);
}

ReportStream *
report_stream_new (const gchar *name, gint64 session_begin_ns)
{
  ReportStream *stream = g_new0 (ReportStream, 1);

  stream->name = g_strdup (name);
  stream->first_ns = stream->last_ns = REPORT_NO_TIME;
  stream->first_intervals = g_array_new (FALSE, FALSE, sizeof (gint64));
  stream->gaps = g_array_new (FALSE, FALSE, sizeof (ReportGap));
  stream->counts = g_array_new (FALSE, FALSE, sizeof (ReportCount));
  g_array_set_clear_func (stream->counts, clear_count);
  stream->notes = g_ptr_array_new_with_free_func (g_free);
  report_excerpt_init (&stream->excerpt, session_begin_ns, 0);
  return stream;
}

static void
free_timelines (ReportTimeline *timelines, guint n)
{
  for (guint i = 0; timelines && i < n; i++)
    report_timeline_clear (&timelines[i]);
  g_free (timelines);
}

void
report_stream_free (ReportStream *stream)
{
  free_timelines (stream->before, stream->n_drawn);
  free_timelines (stream->after, stream->n_drawn);
  report_timeline_clear (&stream->rows);
  report_timeline_clear (&stream->status);
  report_spread_clear (&stream->jitter);
  report_spread_clear (&stream->lateness);
  report_spread_clear (&stream->age);
  report_excerpt_clear (&stream->excerpt);
  robocache_decimation_check_end (&stream->decimation);
  g_array_unref (stream->first_intervals);
  g_array_unref (stream->gaps);
  g_array_unref (stream->counts);
  g_ptr_array_unref (stream->notes);
  g_strfreev (stream->channel_names);
  g_free (stream->name);
  g_free (stream->aligned_as);
  g_free (stream->kind);
  g_free (stream->total_label);
  g_free (stream);
}

void
report_stream_set_channels (ReportStream *stream, const gchar *dtype, guint n_channels, const gchar *const *names)
{
  if (stream->n_channels > 0 || n_channels == 0)
    return;
  g_free (stream->kind);
  stream->kind = g_strdup_printf ("%u channel%s of %s", n_channels, n_channels == 1 ? "" : "s", dtype);
  stream->n_channels = n_channels;
  stream->n_drawn = n_channels <= REPORT_MAX_CHANNELS ? n_channels : REPORT_MANY_CHANNELS;
  stream->channel_names = names ? g_strdupv ((gchar **) names) : NULL;
  stream->before = g_new0 (ReportTimeline, stream->n_drawn);
  stream->after = g_new0 (ReportTimeline, stream->n_drawn);
  stream->excerpt.n_channels = stream->n_drawn;
  robocache_decimation_check_begin (&stream->decimation, RC_FLOAT64, stream->n_drawn, stream->unfiltered);
}

gchar *
report_stream_channel_name (const ReportStream *stream, guint channel)
{
  const gchar *name = stream->channel_names ? stream->channel_names[channel] : NULL;

  return name && *name ? g_strdup (name) : g_strdup_printf ("channel %u", channel);
}

/* ---- rows ---- */

/* Keeps the longest ones. */
static void
add_gap (ReportStream *stream, gint64 begin_ns, gint64 end_ns)
{
  const ReportGap gap = { begin_ns, end_ns };
  guint shortest = 0;

  stream->n_gaps++;
  if (stream->gaps->len < REPORT_MAX_GAPS) {
    g_array_append_val (stream->gaps, gap);
    return;
  }
  for (guint i = 1; i < stream->gaps->len; i++) {
    const ReportGap *other = &g_array_index (stream->gaps, ReportGap, i), *least = &g_array_index (stream->gaps, ReportGap, shortest);

    if (other->end_ns - other->begin_ns < least->end_ns - least->begin_ns)
      shortest = i;
  }
  if (end_ns - begin_ns > g_array_index (stream->gaps, ReportGap, shortest).end_ns - g_array_index (stream->gaps, ReportGap,
          shortest).begin_ns)
    g_array_index (stream->gaps, ReportGap, shortest) = gap;
}

static void
count_interval (ReportStream *stream, gint64 begin_ns, gint64 interval_ns)
{
  if (stream->period_ns > 0 && (gdouble) interval_ns > GAP_PERIODS * (gdouble) stream->period_ns)
    add_gap (stream, begin_ns, begin_ns + interval_ns);
  else
    report_spread_add (&stream->jitter, interval_ns - stream->period_ns);
}

/* The first intervals wait until their median is known. */
static void
find_period (ReportStream *stream)
{
  GArray *intervals = stream->first_intervals, *sorted;
  gint64 begin_ns = stream->last_ns;

  if (intervals->len == 0 || stream->period_ns > 0)
    return;
  sorted = g_array_append_vals (g_array_new (FALSE, FALSE, sizeof (gint64)), intervals->data, intervals->len);
  g_array_sort (sorted, robocache_compare_integers);
  stream->period_ns = g_array_index (sorted, gint64, sorted->len / 2);
  g_array_unref (sorted);
  for (guint i = intervals->len; i-- > 0;) {
    const gint64 interval_ns = g_array_index (intervals, gint64, i);

    begin_ns -= interval_ns;
    count_interval (stream, begin_ns, interval_ns);
  }
  g_array_set_size (intervals, 0);
}

static void
add_interval (ReportStream *stream, gint64 begin_ns, gint64 end_ns)
{
  gint64 interval_ns;

  if (__builtin_sub_overflow (end_ns, begin_ns, &interval_ns))
    return;
  if (stream->period_ns > 0) {
    count_interval (stream, begin_ns, interval_ns);
    return;
  }
  g_array_append_val (stream->first_intervals, interval_ns);
}

static void
add_time (ReportStream *stream, gint64 time_ns)
{
  const gint64 last_ns = stream->last_ns;

  report_timeline_add (&stream->rows, time_ns, 0, 0.0);
  stream->first_ns = stream->first_ns == REPORT_NO_TIME ? time_ns : MIN (stream->first_ns, time_ns);
  stream->last_ns = MAX (last_ns, time_ns);
  if (last_ns == REPORT_NO_TIME)
    return;
  if (time_ns < last_ns)
    stream->n_disordered++;
  else
    add_interval (stream, last_ns, time_ns);
  if (stream->first_intervals->len >= N_FIRST_INTERVALS)
    find_period (stream);
}

static void
add_values (ReportTimeline *timelines, guint n, gint64 time_ns, const gdouble *values, guint64 *n_nonfinite)
{
  for (guint c = 0; c < n; c++) {
    if (isfinite (values[c]))
      report_timeline_add (&timelines[c], time_ns, 0, values[c]);
    else
      ++*n_nonfinite;
  }
}

void
report_stream_add_row (ReportStream *stream, gint64 time_ns, const gdouble *values)
{
  stream->n_rows++;
  if (time_ns == REPORT_NO_TIME) {
    stream->n_untimed++;
    return;
  }
  add_time (stream, time_ns);
  if (!values)
    return;
  add_values (stream->before, stream->n_drawn, time_ns, values, &stream->n_nonfinite);
  report_excerpt_add (&stream->excerpt, FALSE, time_ns, values);
  robocache_decimation_check_add (&stream->decimation, time_ns, values);
}

void
report_stream_forget_times (ReportStream *stream)
{
  const gint64 begin_ns = stream->excerpt.begin_ns;

  for (guint c = 0; stream->before && c < stream->n_drawn; c++)
    report_timeline_clear (&stream->before[c]);
  report_timeline_clear (&stream->rows);
  report_spread_clear (&stream->jitter);
  report_spread_clear (&stream->lateness);
  report_excerpt_clear (&stream->excerpt);
  report_excerpt_init (&stream->excerpt, begin_ns, stream->n_drawn);
  robocache_decimation_check_begin (&stream->decimation, RC_FLOAT64, stream->n_drawn, stream->unfiltered);
  g_array_set_size (stream->first_intervals, 0);
  g_array_set_size (stream->gaps, 0);
  stream->first_ns = stream->last_ns = REPORT_NO_TIME;
  stream->period_ns = 0;
  stream->n_gaps = stream->n_disordered = 0;
  stream->has_arrivals = FALSE;
}

void
report_stream_add_lateness (ReportStream *stream, gint64 lateness_ns)
{
  stream->has_arrivals = TRUE;
  report_spread_add (&stream->lateness, lateness_ns);
}

/* ---- ticks ---- */

void
report_stream_add_aligned (ReportStream *stream, gint64 tick_ns, const gdouble *values)
{
  guint64 n_missing = 0;

  if (!values)
    return;
  add_values (stream->after, stream->n_drawn, tick_ns, values, &n_missing);
  report_excerpt_add (&stream->excerpt, TRUE, tick_ns, values);
}

void
report_stream_add_tick (ReportStream *stream, gint64 tick_ns, guint status, gint64 age_ns, const gdouble *values)
{
  report_timeline_add (&stream->status, tick_ns, MIN (status, REPORT_MISSING), 0.0);
  stream->first_tick_ns = stream->n_ticks++ == 0 ? tick_ns : stream->first_tick_ns;
  stream->last_tick_ns = tick_ns;
  if (age_ns != REPORT_NO_TIME && status < REPORT_MISSING)
    report_spread_add (&stream->age, age_ns);
  report_stream_add_aligned (stream, tick_ns, status < REPORT_MISSING ? values : NULL);
}

void
report_stream_finish (ReportStream *stream)
{
  find_period (stream);
}

void
report_stream_take_ticks (ReportStream *stream, ReportStream *other)
{
  report_timeline_clear (&stream->status);
  stream->status = other->status;
  other->status = (ReportTimeline) { 0 };
  stream->n_ticks = other->n_ticks;
  stream->first_tick_ns = other->first_tick_ns;
  stream->last_tick_ns = other->last_tick_ns;
  report_spread_clear (&stream->age);
  stream->age = other->age;
  other->age = (ReportSpread) { 0 };
  if (stream->n_drawn != other->n_drawn)
    return;
  report_excerpt_take_ticks (&stream->excerpt, &other->excerpt);
  free_timelines (stream->after, stream->n_drawn);
  stream->after = g_steal_pointer (&other->after);
}

/* ---- rows beside ticks ---- */

/* "63 % of fx, 12 % of fz"; empty: no share is too large. */
static gchar *
list_shares (const ReportStream *stream, const gdouble *shares)
{
  GString *list = g_string_new (NULL);

  for (guint c = 0; c < stream->decimation.n_channels; c++) {
    gchar *name;

    if (shares[c] <= ROBOCACHE_DECIMATION_SHARE)
      continue;
    name = report_stream_channel_name (stream, c);
    g_string_append_printf (list, "%s%.0f %% of %s", list->len > 0 ? ", " : "", MIN (100 * shares[c], 100), name);
    g_free (name);
  }
  return g_string_free (list, FALSE);
}

gchar *
report_stream_describe_decimation (const ReportStream *stream)
{
  const RcSearch search = {.lobes = RC_DEFAULT_LOBES,.period_ns = stream->n_ticks > 1
        ? (stream->last_tick_ns - stream->first_tick_ns) / (gint64) (stream->n_ticks - 1) : 0 };
  gdouble shares[ROBOCACHE_DECIMATION_CHANNELS];
  gchar *list, *ahead, *text = NULL;

  if (!robocache_decimation_check_measure (&stream->decimation, search.period_ns, shares))
    return NULL;
  list = list_shares (stream, shares);
  ahead = robocache_lowpass_ahead_text (&search);
  if (*list)
    text = g_strdup_printf ("Variance above %.4g Hz, half of the rate of ticks: %s. It is aliased unless interpolation is lowpass, "
        "which looks %s "
        "ahead of each tick, or mean, which looks half a tick ahead.", 5e8 / (gdouble) search.period_ns, list, ahead);
  g_free (ahead);
  g_free (list);
  return text;
}

/* ---- the account ---- */

void
report_stream_set_total (ReportStream *stream, const gchar *label, guint64 total)
{
  g_free (stream->total_label);
  stream->total_label = g_strdup (label);
  stream->total = total;
  g_array_set_size (stream->counts, 0);
}

void
report_stream_add_count (ReportStream *stream, const gchar *label, guint64 n, gboolean always)
{
  const ReportCount count = { n > 0 || always ? g_strdup (label) : NULL, n };

  if (count.label)
    g_array_append_val (stream->counts, count);
}

gint64
report_stream_get_rest (const ReportStream *stream)
{
  guint64 sum = 0;

  for (guint i = 0; i < stream->counts->len; i++)
    sum += g_array_index (stream->counts, ReportCount, i).n;
  return (gint64) (stream->total - sum);
}

void
report_stream_add_note (ReportStream *stream, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (stream->notes, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}
