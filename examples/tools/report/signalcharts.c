/* robocache: the charts of a report that show a channel before and after alignment
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "charts.h"
#include "common/page/pagetext.h"

#define LEFT 56.0
#define RIGHT 8.0
/* above: the name of the channel */
#define TOP 15.0
#define AXIS_HEIGHT 22.0
#define SESSION_WIDTH 600.0
#define EXCERPT_WIDTH 352.0
#define MAX_COLUMNS 540

/* Where a line is lifted: at a distance of more periods than this. */
#define REACH_PERIODS 2.5

/* Maximum number of ticks, or rows, in an excerpt, so that they can be distinguished. */
#define TICKS_SHOWN 20.0
#define ROWS_SHOWN 10.0
#define ROWS_SHOWN_ALONE 100.0

/* All channels of a stream fit on a printed page. */
static gdouble
height_of_channel (const ReportStream *stream)
{
  static const struct
  {
    guint n;
    gdouble height;
  } heights[] = { {2, 140.0}, {4, 100.0}, {6, 64.0}, {8, 46.0}, {12, 28.0}, {G_MAXUINT, 17.0} };
  guint i = 0;

  while (stream->n_drawn > heights[i].n)
    i++;
  return heights[i].height;
}

static void
extend_y (ReportPlot *plot, gdouble low, gdouble high)
{
  plot->y0 = MIN (plot->y0, low);
  plot->y1 = MAX (plot->y1, high);
}

static ReportPlot
empty_plot (GString *out, gdouble width, gdouble height)
{
  return (ReportPlot) {
    .out = out,.left = LEFT,.top = TOP,.width = width - LEFT - RIGHT,.height = height,.y0 = INFINITY,.y1 = -INFINITY
  };
}

static void
begin_picture (const ReportPlot *plot, const ReportStream *stream, guint channel, const gchar *where, guint64 n, gboolean is_last)
{
  gchar *name = report_stream_channel_name (stream, channel), *label = g_strconcat (name, where, NULL);

  report_svg_begin (plot->out, plot->left + plot->width + RIGHT, TOP + plot->height + (is_last ? AXIS_HEIGHT : 3.0), label, n);
  g_free (label);
  g_free (name);
}

static void
finish_picture (const ReportPlot *plot, guint n_ticks, gboolean is_last)
{
  const gchar *unit_name;
  const gdouble unit = robocache_unit_of_duration (MAX (fabs (plot->x0), fabs (plot->x1)), &unit_name);

  report_plot_x_axis (plot, n_ticks, unit, unit_name, is_last);
  report_svg_end (plot->out);
}

static void
add_name (const ReportPlot *plot, const ReportStream *stream, guint channel)
{
  gchar *name = report_stream_channel_name (stream, channel);

  report_svg_text (plot->out, "name", plot->left, plot->top - 4.0, name);
  g_free (name);
}

/* Low plots have room for the numbers at their ends alone. */
static void
add_y_axis (const ReportPlot *plot)
{
  if (plot->height < 60.0)
    report_plot_y_ends (plot);
  else
    report_plot_y_axis (plot, plot->height > 90.0 ? 5 : 4, 1.0);
}

/* ---- the session ---- */

static GArray *
list_columns (const ReportTimeline *timeline, const ReportSpan *span, ReportPlot *plot)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (ReportPoint));

  for (guint i = 0; i < timeline->n_columns; i++) {
    const ReportColumn *column = &timeline->columns[i];
    const ReportPoint point = {
      ((gdouble) timeline->first + i + 0.5) * (gdouble) timeline->width_ns - (gdouble) span->begin_ns, column->min, column->max
    };

    if (report_column_n (column) == 0)
      continue;
    g_array_append_val (points, point);
    extend_y (plot, column->min, column->max);
  }
  return points;
}

static gdouble
reach_of (const ReportTimeline *timeline, gint64 period_ns)
{
  return REACH_PERIODS * MAX ((gdouble) timeline->width_ns, (gdouble) period_ns);
}

gboolean
report_chart_signal (GString *out, const ReportStream *stream, guint channel, const ReportSpan *span, gboolean is_last)
{
  ReportTimeline before = report_timeline_coarsen (&stream->before[channel], MAX_COLUMNS, 0);
  ReportTimeline after = stream->after ? report_timeline_coarsen (&stream->after[channel], MAX_COLUMNS, 0) : (ReportTimeline) { 0 };
  ReportPlot plot = empty_plot (out, SESSION_WIDTH, height_of_channel (stream));
  GArray *rows = list_columns (&before, span, &plot), *ticks = list_columns (&after, span, &plot);
  const gboolean has_data = before.n + after.n > 0;

  plot.x1 = (gdouble) span->end_ns - (gdouble) span->begin_ns;
  if (has_data) {
    report_plot_round_y (&plot);
    begin_picture (&plot, stream, channel, " over the session", before.n + after.n, is_last);
    add_y_axis (&plot);
    report_plot_band (&plot, "before", rows, reach_of (&before, stream->period_ns));
    report_plot_band (&plot, "after", ticks, reach_of (&after, span->tick_period_ns));
    add_name (&plot, stream, channel);
    finish_picture (&plot, 6, is_last);
  }
  g_array_unref (rows);
  g_array_unref (ticks);
  report_timeline_clear (&before);
  report_timeline_clear (&after);
  return has_data;
}

/* ---- the excerpt ---- */

static GArray *
list_points (const ReportPoints *from, guint channel, guint n_channels, const ReportSpan *span, ReportPlot *plot)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (ReportPoint));

  for (guint i = 0; from->times && i < from->times->len; i++) {
    const gdouble value = g_array_index (from->values, gdouble, i * n_channels + channel);
    const ReportPoint point = { (gdouble) g_array_index (from->times, gint64, i) - (gdouble) span->begin_ns, value, value };

    if (!isfinite (value) || point.x < plot->x0 || point.x > plot->x1)
      continue;
    g_array_append_val (points, point);
    extend_y (plot, value, value);
  }
  return points;
}

static gdouble
first_time (const ReportPoints *points, gdouble none)
{
  return points->times && points->times->len > 0 ? (gdouble) g_array_index (points->times, gint64, 0) : none;
}

/* Where rows and ticks begin, and as long as they can be told apart. */
static void
choose_stretch (const ReportStream *stream, const ReportSecond *second, const ReportSpan *span, ReportPlot *plot)
{
  const gdouble n_rows = second->ticks.times ? ROWS_SHOWN : ROWS_SHOWN_ALONE;
  const gdouble length = MAX (TICKS_SHOWN * (gdouble) span->tick_period_ns, n_rows * (gdouble) stream->period_ns);
  const gdouble rows = first_time (&second->rows, -INFINITY), ticks = first_time (&second->ticks, -INFINITY);

  plot->x0 = MAX (rows, ticks) - (gdouble) span->begin_ns;
  plot->x1 = plot->x0 + (length > 0.0 ? MIN (length, 1e9) : 1e9);
}

static void
draw_excerpt (ReportPlot *plot, const ReportStream *stream, guint channel, const GArray *rows, const GArray *ticks, gboolean is_last)
{
  report_plot_round_y (plot);
  begin_picture (plot, stream, channel, " in the excerpt", rows->len + ticks->len, is_last);
  add_y_axis (plot);
  report_plot_line (plot, "row-line", rows, REACH_PERIODS * MAX ((gdouble) stream->period_ns, 1.0));
  report_plot_dots (plot, "row-dot", rows, rows->len > 150 ? 1.2 : 2.2);
  report_plot_dots (plot, "tick-dot", ticks, plot->height > 40.0 ? 3.2 : 2.4);
  finish_picture (plot, 4, is_last);
}

gboolean
report_chart_excerpt (GString *out, const ReportStream *stream, guint channel, const ReportSpan *span, gboolean is_last)
{
  const ReportSecond *second = report_excerpt_choose (&stream->excerpt);
  ReportPlot plot = empty_plot (out, EXCERPT_WIDTH, height_of_channel (stream));
  GArray *rows, *ticks;
  gboolean has_data;

  if (!second)
    return FALSE;
  choose_stretch (stream, second, span, &plot);
  rows = list_points (&second->rows, channel, stream->n_drawn, span, &plot);
  ticks = list_points (&second->ticks, channel, stream->n_drawn, span, &plot);
  has_data = rows->len + ticks->len > 0;
  if (has_data)
    draw_excerpt (&plot, stream, channel, rows, ticks, is_last);
  g_array_unref (rows);
  g_array_unref (ticks);
  return has_data;
}
