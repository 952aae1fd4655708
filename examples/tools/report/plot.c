/* robocache: a plot in SVG: its area, its axes, and marks in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "charts.h"

#include <math.h>
#include <string.h>

#include "common/page/pagetext.h"

/* Numbers of a picture need no more digits. */
static void
append_number (GString *out, gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];
  gsize length;

  g_ascii_formatd (text, sizeof (text), "%.2f", isfinite (number) ? number : 0.0);
  for (length = strlen (text); text[length - 1] == '0'; length--)
    continue;
  length -= text[length - 1] == '.';
  g_string_append_len (out, text, (gssize) length);
}

static void
append_point (GString *out, gchar command, gdouble x, gdouble y)
{
  g_string_append_c (out, command);
  append_number (out, x);
  g_string_append_c (out, ' ');
  append_number (out, y);
}

/* ---- pictures ---- */

/* Appends " name=\"number\"". */
static void
append_attribute (GString *out, const gchar *name, gdouble number)
{
  g_string_append_printf (out, " %s=\"", name);
  append_number (out, number);
  g_string_append_c (out, '"');
}

void
report_svg_begin (GString *out, gdouble width, gdouble height, const gchar *label, guint64 n)
{
  robocache_page_append (out, "<svg role=\"img\" aria-label=\"%s\" viewBox=\"0 0 ", label);
  append_number (out, width);
  g_string_append_c (out, ' ');
  append_number (out, height);
  g_string_append_printf (out, "\" data-n=\"%" G_GUINT64_FORMAT "\">\n", n);
}

void
report_svg_end (GString *out)
{
  g_string_append (out, "</svg>\n");
}

void
report_svg_text (GString *out, const gchar *style, gdouble x, gdouble y, const gchar *text)
{
  robocache_page_append (out, "<text class=\"%s\"", style);
  append_attribute (out, "x", x);
  append_attribute (out, "y", y);
  robocache_page_append (out, ">%s</text>\n", text);
}

void
report_svg_rect (GString *out, const gchar *style, gdouble x, gdouble y, gdouble width, gdouble height)
{
  robocache_page_append (out, "<rect class=\"%s\"", style);
  append_attribute (out, "x", x);
  append_attribute (out, "y", y);
  append_attribute (out, "width", MAX (width, 0.0));
  append_attribute (out, "height", MAX (height, 0.0));
  g_string_append (out, "/>\n");
}

static void
append_line (GString *out, const gchar *style, gdouble x1, gdouble y1, gdouble x2, gdouble y2)
{
  robocache_page_append (out, "<line class=\"%s\"", style);
  append_attribute (out, "x1", x1);
  append_attribute (out, "y1", y1);
  append_attribute (out, "x2", x2);
  append_attribute (out, "y2", y2);
  g_string_append (out, "/>\n");
}

/* ---- axes ---- */

/* Values half as large and differences of those cannot overflow. */
static gdouble
share_of (gdouble value, gdouble from, gdouble to)
{
  const gdouble span = to / 2.0 - from / 2.0;

  return span > 0.0 ? (value / 2.0 - from / 2.0) / span : 0.5;
}

gdouble
report_plot_x (const ReportPlot *plot, gdouble value)
{
  return plot->left + plot->width * share_of (value, plot->x0, plot->x1);
}

gdouble
report_plot_y (const ReportPlot *plot, gdouble value)
{
  return plot->top + plot->height * (1.0 - share_of (value, plot->y0, plot->y1));
}

/* 1, 2 or 5 times a power of ten, of which about n fit into the span. */
static gdouble
find_step (gdouble span, guint n)
{
  static const gdouble factors[] = { 1.0, 2.0, 5.0, 10.0 };
  const gdouble least = span / n, power = pow (10.0, floor (log10 (least)));
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (factors) && factors[i] * power < least * 0.999)
    i++;
  return factors[i] * power;
}

void
report_plot_round_y (ReportPlot *plot)
{
  gdouble least = fabs (plot->y0) * 1e-3, step;

  least = least > 0.0 && isnormal (least) ? least : 1.0;
  if (!(plot->y1 / 2.0 - plot->y0 / 2.0 > 1e-9 * least)) {
    plot->y0 -= least;
    plot->y1 += least;
  }
  step = find_step (plot->y1 / 2.0 - plot->y0 / 2.0, 3);
  plot->y0 = MAX (floor (plot->y0 / step) * step, -G_MAXDOUBLE);
  plot->y1 = MIN (ceil (plot->y1 / step) * step, G_MAXDOUBLE);
}

/* A number with as many digits as the step needs. */
static gchar *
text_of_tick (gdouble value, gdouble step)
{
  const gint decimals = (gint) CLAMP (ceil (-log10 (step) - 1e-9), 0.0, 9.0);
  gchar format[8], text[G_ASCII_DTOSTR_BUF_SIZE];

  if (fabs (value) >= 1e6 || (step < 1e-6))
    return robocache_number_text (value);
  g_snprintf (format, sizeof (format), "%%.%df", decimals);
  g_ascii_formatd (text, sizeof (text), format, fabs (value) < step * 1e-6 ? 0.0 : value);
  return *text == '-' ? g_strconcat ("\342\210\222", text + 1, NULL) : g_strdup (text);
}

/* The number of steps of the first tick, and how many ticks there are: a bound against steps that are lost in a double. */
typedef struct
{
  gdouble step, first;
  guint n;
} Ticks;

static Ticks
find_ticks (gdouble from, gdouble to, guint n)
{
  Ticks ticks = { 0 };

  if (!(to - from > 0.0) || !isfinite (to - from))
    return ticks;
  ticks.step = find_step (to - from, n);
  ticks.first = ceil (from / ticks.step - 1e-6);
  ticks.n = (guint) CLAMP (floor (to / ticks.step + 1e-6) - ticks.first + 1.0, 0.0, 2.0 * n + 2.0);
  return ticks;
}

void
report_plot_y_axis (const ReportPlot *plot, guint n, gdouble unit)
{
  const Ticks ticks = find_ticks (plot->y0 / unit, plot->y1 / unit, n);

  for (guint i = 0; i < ticks.n; i++) {
    const gdouble value = (ticks.first + i) * ticks.step, y = report_plot_y (plot, value * unit);
    gchar *text = text_of_tick (value, ticks.step);

    append_line (plot->out, "grid", plot->left, y, plot->left + plot->width, y);
    report_svg_text (plot->out, "y", plot->left - 6.0, y + 4.0, text);
    g_free (text);
  }
}

void
report_plot_y_ends (const ReportPlot *plot)
{
  const gdouble ends[] = { plot->y0, plot->y1 };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++) {
    const gdouble y = report_plot_y (plot, ends[i]);
    gchar *text = robocache_number_text (ends[i]);

    append_line (plot->out, "grid", plot->left, y, plot->left + plot->width, y);
    report_svg_text (plot->out, "y small", plot->left - 6.0, y + (i == 0 ? 1.5 : 6.0), text);
    g_free (text);
  }
}

static void
label_x_tick (const ReportPlot *plot, gdouble x, const gchar *number, const gchar *unit_name)
{
  gchar *text = unit_name ? g_strconcat (number, "\342\200\257", unit_name, NULL) : g_strdup (number);
  const gchar *style = x > plot->left + plot->width - 12.0 ? "end" : x < plot->left + 4.0 ? "start" : "x";

  report_svg_text (plot->out, style, x, plot->top + plot->height + 17.0, text);
  g_free (text);
}

void
report_plot_x_axis (const ReportPlot *plot, guint n, gdouble unit, const gchar *unit_name, gboolean is_labelled)
{
  const Ticks ticks = find_ticks (plot->x0 / unit, plot->x1 / unit, n);
  const gdouble bottom = plot->top + plot->height;

  append_line (plot->out, "axis", plot->left, bottom, plot->left + plot->width, bottom);
  for (guint i = 0; is_labelled && i < ticks.n; i++) {
    const gdouble value = (ticks.first + i) * ticks.step, x = report_plot_x (plot, value * unit);
    gchar *text = text_of_tick (value, ticks.step);

    append_line (plot->out, "axis", x, bottom, x, bottom + 4.0);
    label_x_tick (plot, x, text, i + 1 == ticks.n ? unit_name : NULL);
    g_free (text);
  }
}

/* ---- marks ---- */

static const ReportPoint *
nth (const GArray *points, guint i)
{
  return &g_array_index (points, ReportPoint, i);
}

/* The end of the run of points that begins with one. */
static guint
end_of_run (const GArray *points, guint begin, gdouble reach)
{
  guint end = begin + 1;

  while (end < points->len && nth (points, end)->x - nth (points, end - 1)->x <= reach)
    end++;
  return end;
}

static void
append_path (GString *out, const gchar *style, const GString *path)
{
  if (path->len > 0)
    robocache_page_append (out, "<path class=\"%s\" d=\"%s\"/>\n", style, path->str);
}

/* A point alone is a short line, so that it can be seen. */
static void
append_run (const ReportPlot *plot, GString *path, const GArray *points, guint begin, guint end)
{
  for (guint i = begin; i < end; i++)
    append_point (path, i == begin ? 'M' : 'L', report_plot_x (plot, nth (points, i)->x), report_plot_y (plot, nth (points, i)->low));
  if (end == begin + 1)
    g_string_append (path, "h.5");
}

void
report_plot_line (const ReportPlot *plot, const gchar *style, const GArray *points, gdouble reach)
{
  GString *path = g_string_new (NULL);

  for (guint begin = 0, end; begin < points->len; begin = end) {
    end = end_of_run (points, begin, reach);
    append_run (plot, path, points, begin, end);
  }
  append_path (plot->out, style, path);
  g_string_free (path, TRUE);
}

void
report_plot_band (const ReportPlot *plot, const gchar *style, const GArray *points, gdouble reach)
{
  GString *path = g_string_new (NULL);

  for (guint begin = 0, end; begin < points->len; begin = end) {
    end = end_of_run (points, begin, reach);
    append_run (plot, path, points, begin, end);
    for (guint i = end; i-- > begin;)
      append_point (path, 'L', report_plot_x (plot, nth (points, i)->x), report_plot_y (plot, nth (points, i)->high));
    g_string_append_c (path, 'Z');
  }
  append_path (plot->out, style, path);
  g_string_free (path, TRUE);
}

void
report_plot_dots (const ReportPlot *plot, const gchar *style, const GArray *points, gdouble radius)
{
  for (guint i = 0; i < points->len; i++) {
    robocache_page_append (plot->out, "<circle class=\"%s\"", style);
    append_attribute (plot->out, "cx", report_plot_x (plot, nth (points, i)->x));
    append_attribute (plot->out, "cy", report_plot_y (plot, nth (points, i)->low));
    append_attribute (plot->out, "r", radius);
    g_string_append (plot->out, "/>\n");
  }
}
