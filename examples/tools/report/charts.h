/* robocache: the charts of a report, and the plots in them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "report.h"

/* ---- a plot in SVG: its area, its axes, and marks in it ---- */

/* Colours are classes of the page's style sheet. */

typedef struct
{
  GString *out;
  gdouble left, top, width, height;     /* the area, in units of the picture */
  gdouble x0, x1, y0, y1;       /* values at the area's left and right, and at its bottom and top */
} ReportPlot;

/* Begins a picture. label: its description for screen readers; n: the amount of data that it shows. */
void report_svg_begin (GString * out, gdouble width, gdouble height, const gchar * label, guint64 n);
void report_svg_end (GString * out);

void report_svg_text (GString * out, const gchar * style, gdouble x, gdouble y, const gchar * text);
void report_svg_rect (GString * out, const gchar * style, gdouble x, gdouble y, gdouble width, gdouble height);

gdouble report_plot_x (const ReportPlot * plot, gdouble value);
gdouble report_plot_y (const ReportPlot * plot, gdouble value);

/* Extends y0 and y1 to round numbers; if they are equal, to both sides. */
void report_plot_round_y (ReportPlot * plot);

/* Draws lines at about n round values, with numbers left of the area. The numbers are values / unit. */
void report_plot_y_axis (const ReportPlot * plot, guint n, gdouble unit);
/* Draws lines at bottom and top, with their numbers. */
void report_plot_y_ends (const ReportPlot * plot);
/* Draws ticks below the area, at about n round values; unit_name follows the last number. is_labelled: with numbers. */
void report_plot_x_axis (const ReportPlot * plot, guint n, gdouble unit, const gchar * unit_name, gboolean is_labelled);

/* A path through points, with an interruption unless x increases by at most `reach`. */
typedef struct
{
  gdouble x, low, high;
} ReportPoint;

/* Draws the area between low and high of points, as a polygon with an outline. points: elements are ReportPoint. */
void report_plot_band (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble reach);
/* Draws the line through the low of each point. */
void report_plot_line (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble reach);
/* Draws a circle at the low of each point. */
void report_plot_dots (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble radius);

/* ---- the charts of a report ---- */

/* Each function appends a picture; without data it appends nothing and returns FALSE. */

/* The time span of all charts of a page, and the period of ticks. */
typedef struct
{
  gint64 begin_ns, end_ns;      /* end > begin */
  gint64 tick_period_ns;        /* 0: unknown */
} ReportSpan;

/* Status of the ticks of a stream; is_small: a strip without an axis */
gboolean report_chart_status (GString * out, const ReportStream * stream, const ReportSpan * span, gboolean is_small);
gboolean report_chart_rate (GString * out, const ReportStream * stream, const ReportSpan * span);

/* The distribution of durations, a third of the page wide. least_ns: the least half width of the range. */
gboolean report_chart_spread (GString * out, const gchar * label, const ReportSpread * spread, gboolean is_symmetric,
    gdouble least_ns);

/* A channel before and after alignment, for the whole session and for the excerpt. is_last: with the numbers of the time axis */
gboolean report_chart_signal (GString * out, const ReportStream * stream, guint channel, const ReportSpan * span, gboolean is_last);
gboolean report_chart_excerpt (GString * out, const ReportStream * stream, guint channel, const ReportSpan * span, gboolean is_last);

/* Delays of ticks. */
gboolean report_chart_delay (GString * out, const gchar * label, const ReportTimeline * delays, const ReportSpan * span);
