/* robocache: a report as one page of HTML: the overview, and what is of one stream
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "page.h"

#include <gst/gst.h>
#include <math.h>

#include "charts.h"
#include "common/page/pagestyle.h"
#include "common/page/pagetext.h"
#include "examples/tools/output.h"

typedef struct
{
  GString *out;
  const Report *report;
  ReportSpan span;
} Page;

static void
append_markup (Page *page, const gchar *markup)
{
  g_string_append (page->out, markup);
}

/* Appends the text, which is freed, as an element of a list of figures. */
static void
append_figure (Page *page, const gchar *name, gchar *value, gchar *remark)
{
  robocache_page_append (page->out, "<div><dt>%s</dt><dd>%s<small>%s</small></dd></div>\n", name, value, remark ? remark : "");
  g_free (value);
  g_free (remark);
}

static void
append_notes (Page *page, const GPtrArray *notes)
{
  if (notes->len == 0)
    return;
  append_markup (page, "<ul class=\"notes\">\n");
  for (guint i = 0; i < notes->len; i++)
    robocache_page_append (page->out, "<li>%s</li>\n", (const gchar *) g_ptr_array_index (notes, i));
  append_markup (page, "</ul>\n");
}

/* Instead of a chart */
static void
append_none (Page *page, const gchar *why)
{
  robocache_page_append (page->out, "<p class=\"none\">%s</p>\n", why);
}

/* ---- numbers of a stream ---- */

/* Rows a second, gaps included */
static gdouble
mean_rate (const ReportStream *stream)
{
  const gdouble seconds = ((gdouble) stream->last_ns - (gdouble) stream->first_ns) / 1e9;

  return stream->n_rows > 1 && seconds > 0.0 ? (gdouble) (stream->n_rows - stream->n_untimed - 1) / seconds : 0.0;
}

static gchar *
rate_text (const ReportStream *stream)
{
  gchar *number = robocache_number_text (mean_rate (stream)), *text = g_strconcat (number, "\342\200\257Hz", NULL);

  g_free (number);
  return mean_rate (stream) > 0.0 ? text : (g_free (text), g_strdup ("–"));
}

/* Half the width of the middle 98 %. */
static gdouble
size_of_jitter (const ReportStream *stream)
{
  return (report_spread_quantile (&stream->jitter, 0.99) - report_spread_quantile (&stream->jitter, 0.01)) / 2.0;
}

static gchar *
jitter_text (const ReportStream *stream)
{
  gchar *duration = robocache_duration_text (size_of_jitter (stream));
  gchar *text = g_strconcat ("±\342\200\257", duration, NULL);

  g_free (duration);
  return stream->jitter.n > 0 ? text : (g_free (text), g_strdup ("–"));
}

static gchar *
median_text (const ReportSpread *spread)
{
  return spread->n > 0 ? robocache_duration_text (report_spread_quantile (spread, 0.5)) : g_strdup ("–");
}

static gchar *
share_text (const ReportStream *stream, guint kind)
{
  return stream->status.n > 0 ? robocache_percent_text (report_timeline_count (&stream->status, kind), stream->status.n) : g_strdup ("–");
}

static gdouble
longest_gap (const ReportStream *stream)
{
  gdouble longest = 0.0;

  for (guint i = 0; i < stream->gaps->len; i++) {
    const ReportGap *gap = &g_array_index (stream->gaps, ReportGap, i);

    longest = MAX (longest, (gdouble) gap->end_ns - (gdouble) gap->begin_ns);
  }
  return longest;
}

/* ---- the overview ---- */

static void
append_cell (Page *page, gchar *text)
{
  robocache_page_append (page->out, "<td>%s</td>", text);
  g_free (text);
}

static void
append_overview_row (Page *page, guint i)
{
  const ReportStream *stream = g_ptr_array_index (page->report->streams, i);

  robocache_page_append (page->out, "<tr class=\"accent-%u\"><td><i></i><a href=\"#stream-%u\">%s</a></td>", i % ROBOCACHE_PAGE_N_ACCENTS, i,
      stream->name);
  append_cell (page, robocache_count_text (stream->n_rows));
  append_cell (page, rate_text (stream));
  append_cell (page, jitter_text (stream));
  append_cell (page, robocache_count_text (stream->n_gaps));
  append_cell (page, median_text (&stream->age));
  append_cell (page, share_text (stream, REPORT_ALIGNED));
  append_markup (page, "<td class=\"strip\">");
  if (!report_chart_status (page->out, stream, &page->span, TRUE))
    append_markup (page, "<span class=\"soft\">no ticks</span>");
  append_markup (page, "</td></tr>\n");
}

static void
append_overview (Page *page)
{
  append_markup (page, "<div class=\"wide\"><table>\n<tr><th>stream</th><th>rows</th><th>rate</th><th>jitter</th><th>gaps</th>"
      "<th>median age</th><th>aligned</th><th class=\"strip\">status over time</th></tr>\n");
  for (guint i = 0; i < page->report->streams->len; i++)
    append_overview_row (page, i);
  append_markup (page, "</table></div>\n<p class=\"soft\">Jitter: 98 % of the intervals between rows lie within this distance of the "
      "usual one. A gap is more than 2.5 times as long. Age: from the newest row at or before a tick to the tick.</p>\n");
}

/* ---- the session ---- */

/* What is wrong comes first. */
static void
append_verdict (Page *page)
{
  GPtrArray *faults = report_find_faults (page->report);

  if (faults->len > 0) {
    append_markup (page, "<ul class=\"verdict\">\n");
    for (guint i = 0; i < faults->len; i++)
      robocache_page_append (page->out, "<li>%s</li>\n", (const gchar *) g_ptr_array_index (faults, i));
    append_markup (page, "</ul>\n");
  } else if (page->report->n_ticks > 0) {
    append_markup (page, "<p class=\"verdict\">" ROBOCACHE_WORDS_ALL_WELL "</p>\n");
  } else {
    append_markup (page, "<p class=\"verdict\">No stream has a gap or a lost row.</p>\n");
  }
  g_ptr_array_unref (faults);
}

/* "sink_0.kinds=\"real\\*2\"" as a user writes it: sink_0.kinds=real*2. Free with g_free. */
static gchar *
setting_text (const gchar *setting)
{
  const gchar *text = strchr (setting, '=');
  GValue value = G_VALUE_INIT;
  gchar *plain = NULL;

  g_value_init (&value, G_TYPE_STRING);
  if (text && text[1] == '"' && gst_value_deserialize (&value, text + 1))
    plain = g_strdup_printf ("%.*s%s", (int) (text + 1 - setting), setting, g_value_get_string (&value));
  g_value_unset (&value);
  return plain ? plain : g_strdup (setting);
}

static void
append_settings (Page *page)
{
  const GPtrArray *settings = page->report->settings;

  if (settings->len == 0)
    return;
  append_markup (page, "<details><summary>Settings of robocachefuse at the start</summary>\n<p class=\"settings\">");
  for (guint i = 0; i < settings->len; i++) {
    gchar *text = setting_text (g_ptr_array_index (settings, i));

    robocache_page_append (page->out, "<code>%s</code>\n", text);
    g_free (text);
  }
  append_markup (page, "</p></details>\n");
}

/* 1973: clocks that begin at 0 are before */
#define FIRST_DATE_NS G_GINT64_CONSTANT (100000000000000000)

static gchar *
session_begin_text (const Page *page)
{
  const gint64 epoch = page->report->epoch_ns;
  GDateTime *date = epoch == REPORT_NO_TIME || epoch + page->span.begin_ns < FIRST_DATE_NS ? NULL
      : g_date_time_new_from_unix_utc ((epoch + page->span.begin_ns) / 1000000000);
  gchar *text = date ? g_date_time_format (date, "%Y-%m-%d %H:%M:%S UTC") : NULL;

  g_clear_pointer (&date, g_date_time_unref);
  return text;
}

static void
append_session_figures (Page *page)
{
  const Report *report = page->report;
  gchar *begin = session_begin_text (page);

  append_markup (page, "<dl>\n");
  if (begin)
    append_figure (page, "begins", begin, NULL);
  append_figure (page, "lasts", robocache_duration_text ((gdouble) page->span.end_ns - (gdouble) page->span.begin_ns), NULL);
  append_figure (page, "streams", robocache_count_text (report->streams->len), NULL);
  if (report->n_ticks > 0) {
    gchar *rate = robocache_number_text (page->span.tick_period_ns > 0 ? 1e9 / (gdouble) page->span.tick_period_ns : 0.0);
    gchar *dropped = robocache_count_text (report->n_dropped_ticks);

    append_figure (page, "ticks", robocache_count_text (report->n_ticks), report->n_dropped_ticks > 0 ? g_strconcat (dropped, " dropped",
            NULL) : NULL);
    append_figure (page, "tick rate", g_strconcat (rate, "\342\200\257Hz", NULL), NULL);
    g_free (rate);
    g_free (dropped);
  }
  append_markup (page, "</dl>\n");
}

/* ---- ticks ---- */

typedef struct
{
  const gchar *name;
  gdouble quantile;
} Quantile;

static const Quantile of_delays[] = { {"median", 0.5}, {"99\342\200\257%", 0.99}, {"longest", 1.0} };
static const Quantile of_deviations[] = { {"1\342\200\257%", 0.01}, {"median", 0.5}, {"99\342\200\257%", 0.99} };

static void
append_quantiles (Page *page, const ReportSpread *spread, const Quantile *quantiles)
{
  append_markup (page, "<figcaption>");
  for (guint i = 0; i < G_N_ELEMENTS (of_delays); i++) {
    gchar *text = robocache_duration_text (report_spread_quantile (spread, quantiles[i].quantile));

    robocache_page_append (page->out, "%s%s\302\240%s", i > 0 ? " · " : "", quantiles[i].name, text);
    g_free (text);
  }
  append_markup (page, "</figcaption>\n");
}

static void
append_delay (Page *page, const gchar *heading, const gchar *meaning, const ReportTimeline *delays, const ReportSpread *spread)
{
  if (delays->n == 0)
    return;
  robocache_page_append (page->out, "<figure><h3>%s <span>%s</span></h3>\n", heading, meaning);
  append_quantiles (page, spread, of_delays);
  report_chart_delay (page->out, heading, delays, &page->span);
  append_markup (page, "</figure>\n");
}

static void
append_ticks (Page *page)
{
  const Report *report = page->report;

  append_delay (page, ROBOCACHE_WORDS_LAG, ROBOCACHE_WORDS_LAG_MEANING, &report->lag, &report->lags);
  append_delay (page, "Lateness", report->lateness_meaning ? report->lateness_meaning : "", &report->lateness, &report->latenesses);
  if (report->n_ticks > 0 && report->lag.n == 0)
    append_none (page, report->lateness.n > 0 ? "The samples do not have their time of decision, so their lag is unknown."
        : "Not live: ticks have no lag.");
}

/* ---- a stream ---- */

static void
append_stream_figures (Page *page, const ReportStream *stream)
{
  gchar *longest = robocache_duration_text (longest_gap (stream)), *period = robocache_duration_text ((gdouble) stream->period_ns);

  append_markup (page, "<dl>\n");
  append_figure (page, "rows", robocache_count_text (stream->n_rows), NULL);
  append_figure (page, "rate", rate_text (stream), stream->period_ns > 0 ? g_strconcat ("a row every ", period, NULL) : NULL);
  append_figure (page, "jitter", jitter_text (stream), NULL);
  append_figure (page, "gaps", robocache_count_text (stream->n_gaps), stream->n_gaps > 0 ? g_strconcat ("longest ", longest, NULL) : NULL);
  if (stream->n_drawn > 0)
    append_figure (page, "NaN", robocache_percent_text (stream->n_nonfinite, MAX (stream->n_rows * stream->n_drawn, 1)), g_strdup (stream->n_nonfinite > 0
            ? "or infinite, of the values" : ""));
  if (stream->status.n > 0) {
    append_figure (page, "median age", median_text (&stream->age), NULL);
    append_figure (page, "aligned", share_text (stream, REPORT_ALIGNED), NULL);
    append_figure (page, "held", share_text (stream, REPORT_HELD), NULL);
    append_figure (page, "missing", share_text (stream, REPORT_MISSING), NULL);
  }
  append_markup (page, "</dl>\n");
  g_free (longest);
  g_free (period);
}

static void
append_status (Page *page, const ReportStream *stream)
{
  append_markup (page, "<figure><h3>" ROBOCACHE_WORDS_STATUS " <span>" ROBOCACHE_WORDS_STATUS_MEANING "</span></h3>\n");
  if (report_chart_status (page->out, stream, &page->span, FALSE))
    append_markup (page, "<div class=\"key\"><span><i class=\"aligned\"></i>aligned</span><span><i class=\"held\"></i>held</span>"
        "<span><i class=\"missing\"></i>missing</span></div>\n");
  else
    append_none (page, "The session has no ticks of this stream.");
  append_markup (page, "</figure>\n");
}

static void
append_rate (Page *page, const ReportStream *stream)
{
  append_markup (page, "<figure><h3>Rate <span>rows per second (Hz)</span></h3>\n");
  if (!report_chart_rate (page->out, stream, &page->span))
    append_none (page, "A rate needs two rows with times.");
  else if (stream->n_gaps > 0)
    append_markup (page, "<div class=\"key\"><span><i class=\"gap\"></i>gap</span></div>\n");
  append_markup (page, "</figure>\n");
}

static void
append_spread (Page *page, const gchar *heading, const gchar *meaning, const ReportSpread *spread, gboolean is_symmetric,
    gdouble least_ns, const gchar *why_none)
{
  robocache_page_append (page->out, "<figure><h3>%s <span>%s</span></h3>\n", heading, meaning);
  if (report_chart_spread (page->out, heading, spread, is_symmetric, least_ns))
    append_quantiles (page, spread, is_symmetric ? of_deviations : of_delays);
  else
    append_none (page, why_none);
  append_markup (page, "</figure>\n");
}

static void
append_spreads (Page *page, const ReportStream *stream)
{
  append_markup (page, "<div class=\"thirds\">\n");
  append_spread (page, "Jitter", "of intervals, % of rows", &stream->jitter, TRUE, (gdouble) stream->period_ns / 200.0,
      "Jitter needs two rows with times.");
  if (page->report->n_ticks > 0)
    append_spread (page, ROBOCACHE_WORDS_AGE, ROBOCACHE_WORDS_AGE_MEANING, &stream->age, FALSE, 0.0, "No tick has a row before it.");
  append_spread (page, "Lateness", "of arrival, % of rows", &stream->lateness, FALSE, 0.0,
      "The rows have no time of arrival of their own.");
  append_markup (page, "</div>\n");
}

static gboolean
has_signal (const ReportStream *stream, guint channel)
{
  return stream->before[channel].n > 0 || (stream->after && stream->after[channel].n > 0);
}

static void
append_channel (Page *page, const ReportStream *stream, guint channel, gboolean is_last)
{
  append_markup (page, "<div class=\"pair\"><div>\n");
  report_chart_signal (page->out, stream, channel, &page->span, is_last);
  append_markup (page, "</div><div>\n");
  report_chart_excerpt (page->out, stream, channel, &page->span, is_last);
  append_markup (page, "</div></div>\n");
}

static void
append_signal_heading (Page *page, const ReportStream *stream)
{
  append_markup (page, "<h3>" ROBOCACHE_WORDS_SIGNAL " <span>");
  if (stream->n_drawn < stream->n_channels)
    robocache_page_append (page->out, "the first %u of %u channels; ", stream->n_drawn, stream->n_channels);
  append_markup (page, "over the session, and an excerpt</span></h3>\n<div class=\"key\"><span><i class=\"rows\"></i>" ROBOCACHE_WORDS_BEFORE
      "</span>");
  if (stream->status.n > 0)
    append_markup (page, "<span><i class=\"aligned\"></i>" ROBOCACHE_WORDS_AFTER "</span>");
  append_markup (page, "</div>\n");
}

static void
append_signals (Page *page, const ReportStream *stream)
{
  gint last = (gint) stream->n_drawn - 1;

  while (last >= 0 && !has_signal (stream, (guint) last))
    last--;
  append_markup (page, "<figure>\n");
  if (last < 0) {
    append_markup (page, "<h3>" ROBOCACHE_WORDS_SIGNAL "</h3>\n");
    append_none (page, stream->n_channels > 0 ? "No channel has a finite value." : "This kind of data has no channels to draw.");
  } else {
    append_signal_heading (page, stream);
  }
  for (gint channel = 0; channel <= last; channel++)
    if (has_signal (stream, (guint) channel))
      append_channel (page, stream, (guint) channel, channel == last);
  append_markup (page, "</figure>\n");
}

static void
append_account (Page *page, const ReportStream *stream)
{
  gchar *total;

  if (!stream->total_label)
    return;
  total = robocache_count_text (stream->total);
  robocache_page_append (page->out, "<h3>Account of rows</h3>\n<p class=\"account\"><b>%s</b> %s =", total, stream->total_label);
  g_free (total);
  for (guint i = 0; i < stream->counts->len; i++) {
    const ReportCount *count = &g_array_index (stream->counts, ReportCount, i);
    gchar *n = robocache_count_text (count->n);

    robocache_page_append (page->out, "%s <b>%s</b> %s", i > 0 ? " +" : "", n, count->label);
    g_free (n);
  }
  if (report_stream_get_rest (stream) != 0) {
    gchar *rest = robocache_number_text ((gdouble) report_stream_get_rest (stream));

    robocache_page_append (page->out, " + <b class=\"warn\">%s</b> <span class=\"warn\">not accounted for</span>", rest);
    g_free (rest);
  }
  append_markup (page, "</p>\n");
}

static void
append_counted_notes (Page *page, const ReportStream *stream)
{
  GPtrArray *notes = g_ptr_array_new_with_free_func (g_free);
  gchar *decimation = report_stream_describe_decimation (stream);

  if (decimation)
    g_ptr_array_add (notes, decimation);
  if (stream->n_disordered > 0)
    g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " rows were older than a row before them.", stream->n_disordered));
  if (stream->n_untimed > 0)
    g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " rows have no time.", stream->n_untimed));
  if (stream->n_nonfinite > 0)
    g_ptr_array_add (notes, g_strdup_printf ("%" G_GUINT64_FORMAT " values of the channels drawn are not finite.", stream->n_nonfinite));
  if (stream->n_gaps > REPORT_MAX_GAPS)
    g_ptr_array_add (notes, g_strdup_printf ("The chart of the rate marks the %u longest gaps.", REPORT_MAX_GAPS));
  append_notes (page, notes);
  g_ptr_array_unref (notes);
}

static void
append_stream (Page *page, guint i)
{
  const ReportStream *stream = g_ptr_array_index (page->report->streams, i);

  robocache_page_append (page->out, "<section class=\"accent-%u\" id=\"stream-%u\">\n<h2><i></i>%s</h2>\n<p class=\"soft\">", i
      % ROBOCACHE_PAGE_N_ACCENTS, i, stream->name);
  robocache_page_append (page->out, "%s", stream->kind ? stream->kind : "no rows");
  if (stream->aligned_as)
    robocache_page_append (page->out, ", in samples as %s", stream->aligned_as);
  append_markup (page, "</p>\n");
  append_stream_figures (page, stream);
  if (page->report->n_ticks > 0)
    append_status (page, stream);
  append_rate (page, stream);
  append_spreads (page, stream);
  append_account (page, stream);
  append_notes (page, stream->notes);
  append_counted_notes (page, stream);
  append_signals (page, stream);
  append_markup (page, "</section>\n");
}

/* ---- the page ---- */

static void
append_head (Page *page)
{
  append_markup (page, "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n");
  robocache_page_append (page->out, "<title>%s: report</title>\n<style>\n", page->report->title);
  append_markup (page, robocache_page_style);
  append_markup (page, "</style>\n</head>\n<body>\n");
}

static GString *
make_page (const Report *report)
{
  Page page = {.out = g_string_new (NULL),.report = report };

  if (!report_get_extent (report, &page.span.begin_ns, &page.span.end_ns))
    page.span.begin_ns = page.span.end_ns = 0;
  page.span.end_ns = page.span.end_ns > page.span.begin_ns ? page.span.end_ns : page.span.begin_ns + 1;
  page.span.tick_period_ns = report_get_tick_period (report);
  append_head (&page);
  robocache_page_append (page.out, "<section class=\"first\">\n<h1>%s</h1>\n", report->title);
  append_verdict (&page);
  append_session_figures (&page);
  append_notes (&page, report->notes);
  append_settings (&page);
  append_overview (&page);
  append_ticks (&page);
  append_markup (&page, "</section>\n");
  for (guint i = 0; i < report->streams->len; i++)
    append_stream (&page, i);
  append_markup (&page, "</body>\n</html>\n");
  return page.out;
}

gchar *
report_path_of (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *slash = strrchr (path, '/');
  const gboolean has_extension = dot && dot > (slash ? slash + 1 : path) && !g_str_equal (dot, ".html");

  return g_strdup_printf ("%.*s.html", has_extension ? (int) (dot - path) : (int) strlen (path), path);
}

gboolean
report_write_page (const Report *report, const gchar *path, GError **error)
{
  OutputFile file;
  GString *page;

  if (!output_file_open (&file, path, error))
    return FALSE;
  page = make_page (report);
  fwrite (page->str, 1, page->len, file.stream);
  g_string_free (page, TRUE);
  return output_file_close (&file, TRUE, error);
}
