/* robocache: the charts of a report over the time of the session, and of how durations are spread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "charts.h"

#include <math.h>

#include "common/page/pagetext.h"

/* In units of pictures, which are pixels of a wide window. */
#define PAGE_WIDTH 960.0
#define LEFT 56.0
#define RIGHT 12.0
#define AXIS_HEIGHT 22.0

#define STATUS_HEIGHT 22.0
#define SMALL_WIDTH 240.0
#define SMALL_HEIGHT 14.0
#define RATE_HEIGHT 90.0
#define DELAY_HEIGHT 110.0

#define SPREAD_WIDTH 304.0
#define SPREAD_HEIGHT 100.0
#define SPREAD_LEFT 34.0
#define N_BARS 40

#define MAX_BARS_OF_RATE 160
#define ROWS_A_BAR 10

/* ---- time ---- */

/* ns after the session's beginning */
static gdouble
after_begin (const ReportSpan *span, gint64 time_ns)
{
  return (gdouble) time_ns - (gdouble) span->begin_ns;
}

static ReportPlot
plot_of_session (GString *out, const ReportSpan *span, gdouble left, gdouble top, gdouble width, gdouble height)
{
  return (ReportPlot) {
    .out = out,.left = left,.top = top,.width = width,.height = height,.x0 = 0.0,.x1 = after_begin (span, span->end_ns),.y0 = 0.0,
    .y1 = 1.0
  };
}

static ReportPlot
wide_plot (GString *out, const ReportSpan *span, gdouble height)
{
  return plot_of_session (out, span, LEFT, 6.0, PAGE_WIDTH - LEFT - RIGHT, height);
}

static void
add_time_axis (const ReportPlot *plot, guint n, gboolean is_labelled)
{
  const gchar *unit_name;
  const gdouble unit = robocache_unit_of_duration (plot->x1, &unit_name);

  report_plot_x_axis (plot, n, unit, unit_name, is_labelled);
}

static gdouble
column_begin (const ReportTimeline *timeline, guint i, const ReportSpan *span)
{
  return ((gdouble) timeline->first + i) * (gdouble) timeline->width_ns - (gdouble) span->begin_ns;
}

/* ---- status ---- */

static const gchar *const status_styles[REPORT_N_KINDS] = { "aligned", "held", "missing" };

/* A stretch of columns that look the same. */
typedef struct
{
  gdouble begin, end;           /* ns after the session's beginning */
  gdouble shares[REPORT_N_KINDS];
} Stretch;

static void
draw_stretch (const ReportPlot *plot, const Stretch *stretch)
{
  const gdouble left = MAX (report_plot_x (plot, stretch->begin), plot->left);
  const gdouble right = MIN (report_plot_x (plot, stretch->end), plot->left + plot->width);
  gdouble bottom = plot->top + plot->height;

  for (guint kind = 0; kind < REPORT_N_KINDS; kind++) {
    const gdouble height = stretch->shares[kind] * plot->height;

    bottom -= height;
    if (height > 0.0)
      report_svg_rect (plot->out, status_styles[kind], left, bottom, MAX (right - left, 0.75), height);
  }
}

static Stretch
stretch_of_column (const ReportTimeline *status, guint i, const ReportSpan *span)
{
  const ReportColumn *column = &status->columns[i];
  const guint64 n = report_column_n (column);
  Stretch stretch = {.begin = column_begin (status, i, span) };

  stretch.end = stretch.begin + (gdouble) status->width_ns;
  for (guint kind = 0; kind < REPORT_N_KINDS; kind++)
    stretch.shares[kind] = n > 0 ? (gdouble) column->n[kind] / (gdouble) n : 0.0;
  return stretch;
}

static gboolean
look_same (const Stretch *a, const Stretch *b)
{
  gdouble difference = 0.0;

  for (guint kind = 0; kind < REPORT_N_KINDS; kind++)
    difference += fabs (a->shares[kind] - b->shares[kind]);
  return difference < 1e-6;
}

static void
draw_status (const ReportPlot *plot, const ReportTimeline *status, const ReportSpan *span)
{
  Stretch stretch = stretch_of_column (status, 0, span);

  for (guint i = 1; i < status->n_columns; i++) {
    const Stretch next = stretch_of_column (status, i, span);

    if (look_same (&stretch, &next)) {
      stretch.end = next.end;
    } else {
      draw_stretch (plot, &stretch);
      stretch = next;
    }
  }
  draw_stretch (plot, &stretch);
}

gboolean
report_chart_status (GString *out, const ReportStream *stream, const ReportSpan *span, gboolean is_small)
{
  const gdouble width = is_small ? SMALL_WIDTH : PAGE_WIDTH, height = is_small ? SMALL_HEIGHT : 6.0 + STATUS_HEIGHT + AXIS_HEIGHT;
  const ReportPlot plot = is_small ? plot_of_session (out, span, 0.0, 0.0, width, height) : wide_plot (out, span, STATUS_HEIGHT);
  ReportTimeline status;

  if (stream->status.n == 0)
    return FALSE;
  /* ticks are farther apart than narrow columns are wide */
  status = report_timeline_coarsen (&stream->status, is_small ? 240 : 600, span->tick_period_ns);
  report_svg_begin (out, width, height, "Status of the ticks over time", status.n);
  draw_status (&plot, &status, span);
  if (!is_small)
    add_time_axis (&plot, 8, TRUE);
  report_svg_end (out);
  report_timeline_clear (&status);
  return TRUE;
}

/* ---- rate ---- */

/* Rows a second in a column; its ends are those of the stream where it begins or ends within. FALSE: too short to say. */
static gboolean
rate_of_column (const ReportStream *stream, const ReportTimeline *rows, guint i, const ReportSpan *span, gdouble *begin, gdouble *end,
    gdouble *rate)
{
  const gdouble width = (gdouble) rows->width_ns;
  const gdouble last = after_begin (span, stream->last_ns) + (gdouble) stream->period_ns;

  *begin = MAX (column_begin (rows, i, span), after_begin (span, stream->first_ns));
  *end = MIN (column_begin (rows, i, span) + width, last);
  if (*end - *begin < width / 3.0 && rows->n_columns > 2)
    return FALSE;
  *rate = *end > *begin ? (gdouble) report_column_n (&rows->columns[i]) * 1e9 / (*end - *begin) : 0.0;
  return *end > *begin;
}

/* Each column is a step: two points. */
static GArray *
list_rates (const ReportStream *stream, const ReportTimeline *rows, const ReportSpan *span)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (ReportPoint));

  for (guint i = 0; i < rows->n_columns; i++) {
    ReportPoint point = { 0 };
    gdouble begin, end;

    if (!rate_of_column (stream, rows, i, span, &begin, &end, &point.high))
      continue;
    point.x = begin;
    g_array_append_val (points, point);
    point.x = end;
    g_array_append_val (points, point);
  }
  return points;
}

static void
draw_gaps (const ReportPlot *plot, const ReportStream *stream, const ReportSpan *span)
{
  for (guint i = 0; i < stream->gaps->len; i++) {
    const ReportGap *gap = &g_array_index (stream->gaps, ReportGap, i);
    const gdouble left = report_plot_x (plot, after_begin (span, gap->begin_ns));
    const gdouble right = report_plot_x (plot, after_begin (span, gap->end_ns));

    report_svg_rect (plot->out, "gap", left, plot->top, MAX (right - left, 1.5), plot->height);
  }
}

static void
draw_rates (ReportPlot *plot, const ReportStream *stream, const GArray *points, const ReportSpan *span)
{
  GArray *tops = g_array_new (FALSE, FALSE, sizeof (ReportPoint));

  for (guint i = 0; i < points->len; i++) {
    const ReportPoint *point = &g_array_index (points, ReportPoint, i);
    const ReportPoint top = { point->x, point->high, point->high };

    g_array_append_val (tops, top);
    plot->y1 = i == 0 ? point->high : MAX (plot->y1, point->high);
  }
  plot->y1 *= 1.1;
  report_plot_round_y (plot);
  report_plot_y_axis (plot, 4, 1.0);
  draw_gaps (plot, stream, span);
  report_plot_band (plot, "area", points, INFINITY);
  report_plot_line (plot, "line", tops, INFINITY);
  g_array_unref (tops);
}

gboolean
report_chart_rate (GString *out, const ReportStream *stream, const ReportSpan *span)
{
  ReportTimeline rows = report_timeline_coarsen (&stream->rows, MAX_BARS_OF_RATE, MIN (stream->period_ns, G_MAXINT64 / ROWS_A_BAR)
      * ROWS_A_BAR);
  ReportPlot plot = wide_plot (out, span, RATE_HEIGHT);
  GArray *points = list_rates (stream, &rows, span);
  const gboolean has_data = points->len > 0;

  if (has_data) {
    report_svg_begin (out, PAGE_WIDTH, 6.0 + RATE_HEIGHT + AXIS_HEIGHT, "Rows per second over time", rows.n);
    draw_rates (&plot, stream, points, span);
    add_time_axis (&plot, 8, TRUE);
    report_svg_end (out);
  }
  g_array_unref (points);
  report_timeline_clear (&rows);
  return has_data;
}

/* ---- spreads ---- */

static void
choose_range (ReportPlot *plot, const ReportSpread *spread, gboolean is_symmetric, gdouble least_ns)
{
  const gdouble low = report_spread_quantile (spread, 0.01), high = report_spread_quantile (spread, 0.99);
  const gdouble size = MAX (MAX (fabs (low), fabs (high)) * 1.2, MAX (least_ns, 1000.0));

  plot->x1 = is_symmetric || high > 0.0 ? size : 0.1 * size;
  plot->x0 = is_symmetric ? -size : low < 0.0 ? low * 1.2 : 0.0;
}

static void
draw_bars (ReportPlot *plot, const ReportSpread *spread)
{
  gdouble parts[N_BARS], most = 0.0;

  report_spread_divide (spread, plot->x0, plot->x1, parts, N_BARS);
  for (guint i = 0; i < N_BARS; i++)
    most = MAX (most, parts[i] * 100.0 / (gdouble) spread->n);
  plot->y1 = most;
  report_plot_round_y (plot);
  report_plot_y_axis (plot, 4, 1.0);
  for (guint i = 0; i < N_BARS; i++) {
    const gdouble y = report_plot_y (plot, parts[i] * 100.0 / (gdouble) spread->n), width = plot->width / N_BARS;

    if (parts[i] > 0.0)
      report_svg_rect (plot->out, "bar", plot->left + i * width + 0.5, y, width - 1.0, plot->top + plot->height - y);
  }
}

gboolean
report_chart_spread (GString *out, const gchar *label, const ReportSpread *spread, gboolean is_symmetric, gdouble least_ns)
{
  ReportPlot plot = {
    .out = out,.left = SPREAD_LEFT,.top = 6.0,.width = SPREAD_WIDTH - SPREAD_LEFT - 6.0,.height = SPREAD_HEIGHT
  };
  const gchar *unit_name;
  gdouble unit;

  if (spread->n == 0)
    return FALSE;
  choose_range (&plot, spread, is_symmetric, least_ns);
  unit = robocache_unit_of_duration (MAX (fabs (plot.x0), fabs (plot.x1)), &unit_name);
  report_svg_begin (out, SPREAD_WIDTH, 6.0 + SPREAD_HEIGHT + AXIS_HEIGHT, label, spread->n);
  draw_bars (&plot, spread);
  report_plot_x_axis (&plot, 5, unit, unit_name, TRUE);
  report_svg_end (out);
  return TRUE;
}

/* ---- delays ---- */

static void
list_delays (GArray *band, GArray *means, const ReportTimeline *delays, const ReportSpan *span, ReportPlot *plot)
{
  for (guint i = 0; i < delays->n_columns; i++) {
    const ReportColumn *column = &delays->columns[i];
    const gdouble x = column_begin (delays, i, span) + (gdouble) delays->width_ns / 2.0;
    const gdouble mean = column->sum / (gdouble) MAX (report_column_n (column), 1);
    const ReportPoint range = { x, column->min, column->max }, middle = { x, mean, mean };

    if (report_column_n (column) == 0)
      continue;
    g_array_append_val (band, range);
    g_array_append_val (means, middle);
    plot->y1 = MAX (plot->y1, column->max);
    plot->y0 = MIN (plot->y0, column->min);
  }
}

gboolean
report_chart_delay (GString *out, const gchar *label, const ReportTimeline *delays, const ReportSpan *span)
{
  GArray *band = g_array_new (FALSE, FALSE, sizeof (ReportPoint)), *means = g_array_new (FALSE, FALSE, sizeof (ReportPoint));
  ReportTimeline coarse = report_timeline_coarsen (delays, 500, span->tick_period_ns);
  ReportPlot plot = wide_plot (out, span, DELAY_HEIGHT);
  const gchar *unit_name;
  gdouble unit;

  plot.y1 = 0.0;
  list_delays (band, means, &coarse, span, &plot);
  plot.y1 = MAX (plot.y1, 1e5);
  unit = robocache_unit_of_duration (plot.y1, &unit_name);
  plot.y0 /= unit;
  plot.y1 /= unit;
  report_plot_round_y (&plot);
  plot.y0 *= unit;
  plot.y1 *= unit;
  if (coarse.n > 0) {
    report_svg_begin (out, PAGE_WIDTH, 6.0 + DELAY_HEIGHT + AXIS_HEIGHT, label, coarse.n);
    report_plot_y_axis (&plot, 5, unit);
    report_plot_band (&plot, "area", band, INFINITY);
    report_plot_line (&plot, "line", means, INFINITY);
    report_svg_text (out, "unit", LEFT + 4.0, 17.0, unit_name);
    add_time_axis (&plot, 8, TRUE);
    report_svg_end (out);
  }
  g_array_unref (band);
  g_array_unref (means);
  report_timeline_clear (&coarse);
  return delays->n > 0;
}
