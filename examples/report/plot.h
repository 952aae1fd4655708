/* robocache: a plot in SVG: its area, its axes, and marks in it
 *
 * Colours are classes of the page's style sheet.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  GString *out;
  gdouble left, top, width, height;     /* the area, in units of the picture */
  gdouble x0, x1, y0, y1;       /* values at its left and right, and at its bottom and top */
} ReportPlot;

/* Opens a picture. label: what it shows, for those who hear it; n: data that it shows. */
void report_svg_begin (GString * out, gdouble width, gdouble height, const gchar * label, guint64 n);
void report_svg_end (GString * out);

/* Appends " name=\"number\"". */
void report_svg_number (GString * out, const gchar * name, gdouble number);
void report_svg_text (GString * out, const gchar * style, gdouble x, gdouble y, const gchar * text);
void report_svg_rect (GString * out, const gchar * style, gdouble x, gdouble y, gdouble width, gdouble height);

gdouble report_plot_x (const ReportPlot * plot, gdouble value);
gdouble report_plot_y (const ReportPlot * plot, gdouble value);

/* Widens y0 and y1 to round numbers, or around a single one. */
void report_plot_round_y (ReportPlot * plot);

/* Lines at about n round values, with numbers left of the area. Numbers are values / unit. */
void report_plot_y_axis (const ReportPlot * plot, guint n, gdouble unit);
/* Lines at bottom and top, with their numbers. */
void report_plot_y_ends (const ReportPlot * plot);
/* Ticks below the area, at about n round values; unit_name follows the last number. is_labelled: with numbers. */
void report_plot_x_axis (const ReportPlot * plot, guint n, gdouble unit, const gchar * unit_name, gboolean is_labelled);

/* A path through points; it is lifted where x does not increase by at most `reach`. */
typedef struct
{
  gdouble x, low, high;
} ReportPoint;

/* The area between low and high of points, as a polygon with a line around. points: of ReportPoint. */
void report_plot_band (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble reach);
/* The line through low. */
void report_plot_line (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble reach);
/* A circle at each low. */
void report_plot_dots (const ReportPlot * plot, const gchar * style, const GArray * points, gdouble radius);

G_END_DECLS
#endif
