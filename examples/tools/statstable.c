/* robocache: the statistics of a robocachefuse as a table a person can read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "statstable.h"

#include <string.h>
#include <unistd.h>

typedef struct
{
  const gchar *heading;
  const gchar *field;           /* of the pad's stats */
  gboolean is_duration;
} Column;

/* Every row that came in is in exactly one of used, late, duplicate, unused, dropped and, before the end, kept. */
static const Column columns[] = {
  {"rows in", "rows-in", FALSE},
  {"used", "rows-used", FALSE},
  {"late", "rows-late", FALSE},
  {"duplicate", "rows-duplicate", FALSE},
  {"unused", "rows-superseded", FALSE},
  {"kept", "rows-kept", FALSE},
  {"aligned", "ticks-aligned", FALSE},
  {"held", "ticks-held", FALSE},
  {"missing", "ticks-missing", FALSE},
  {"median age", "age-p50", TRUE},
  {"99 % age", "age-p99", TRUE},
};

#define COLUMN_WIDTH 11

gint64
stats_get (const GstStructure *stats, const gchar *field)
{
  guint64 count;
  gint64 number;

  if (gst_structure_get_int64 (stats, field, &number))
    return number;
  return gst_structure_get_uint64 (stats, field, &count) ? (gint64) count : 0;
}

gboolean
stats_is_terminal (FILE *out)
{
  return isatty (fileno (out));
}

static gdouble
in_ms (gint64 ns)
{
  return (gdouble) ns / 1e6;
}

static void
print_cell (FILE *out, const GstStructure *stats, const Column *column)
{
  const gint64 value = stats_get (stats, column->field);
  gchar *text = NULL;

  if (!column->is_duration)
    text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  else if (stats_get (stats, "ticks-aligned") + stats_get (stats, "ticks-held") > 0)
    text = g_strdup_printf ("%.2f ms", in_ms (value));
  fprintf (out, "%*s", COLUMN_WIDTH, text ? text : "-");
  g_free (text);
}

#define DROPPED "rows-dropped-"

static gboolean
print_reason (GQuark field, const GValue *value, gpointer out)
{
  const gchar *name = g_quark_to_string (field);

  if (g_str_has_prefix (name, DROPPED) && g_value_get_uint64 (value) > 0)
    fprintf (out, " %s %" G_GUINT64_FORMAT, name + strlen (DROPPED), g_value_get_uint64 (value));
  return TRUE;
}

/* What should not happen, and is easily overlooked as one more column of zeros. */
static void
print_dropped (FILE *out, const GstStructure *stats, const gchar *label)
{
  const gint64 n = stats_get (stats, "rows-dropped");

  if (n == 0)
    return;
  fprintf (out, "%s: %" G_GINT64_FORMAT " rows were dropped:", label, n);
  gst_structure_foreach (stats, print_reason, out);
  fputc ('\n', out);
}

static void
print_ticks (FILE *out, const GstStructure *stats)
{
  gboolean live = FALSE;

  fprintf (out, "ticks: %" G_GINT64_FORMAT " out, %" G_GINT64_FORMAT " dropped", stats_get (stats, "ticks-out"),
      stats_get (stats, "ticks-dropped"));
  gst_structure_get_boolean (stats, "live", &live);
  if (live) {
    fprintf (out, "; late by: median %.2f ms, 99 %% %.2f ms, worst %.2f ms", in_ms (stats_get (stats, "lateness-p50")),
        in_ms (stats_get (stats, "lateness-p99")), in_ms (stats_get (stats, "lateness-max")));
    fprintf (out, "\nfrom tick to output: median %.2f ms, 99 %% %.2f ms, worst %.2f ms (late: beyond the latency)",
        in_ms (stats_get (stats, "lag-p50")), in_ms (stats_get (stats, "lag-p99")), in_ms (stats_get (stats, "lag-max")));
  }
  fputc ('\n', out);
}

static void
print_words (FILE *out)
{
  static const struct
  {
    const gchar *words, *meaning;
  } lines[] = {
    {"rows in", "Rows of the stream. Each is used by a tick, or late, duplicate, unused or kept:"},
    {"late", "arrived after its tick, or further out of order than reorder-window"},
    {"duplicate", "has the time of another row, which replaces it"},
    {"unused", "lies between two ticks that need other rows"},
    {"kept", "waits for its tick"},
    {"aligned", "Ticks whose values are computed from rows around the tick"},
    {"held", "Ticks that repeat the last row, for at most hold-limit"},
    {"missing", "Ticks without a row near enough; values are NaN"},
    {"age", "Time from the row used to the tick; with rows on both sides, from the row before"},
  };

  fputc ('\n', out);
  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    fprintf (out, "%-11s%s\n", lines[i].words, lines[i].meaning);
}

void
stats_table_print (FILE *out, GstElement *fuse, const StatsTableRow *rows, guint n_rows)
{
  GstStructure *stats, *of_pad;
  int width = (int) strlen ("stream");

  for (guint i = 0; i < n_rows; i++)
    width = MAX (width, (int) g_utf8_strlen (rows[i].label, -1));
  g_object_get (fuse, "stats", &stats, NULL);

  fprintf (out, "%-*s", width, "stream");
  for (guint c = 0; c < G_N_ELEMENTS (columns); c++)
    fprintf (out, "%*s", COLUMN_WIDTH, columns[c].heading);
  fputc ('\n', out);
  for (guint i = 0; i < n_rows; i++) {
    if (!gst_structure_get (stats, rows[i].pad, GST_TYPE_STRUCTURE, &of_pad, NULL))
      continue;
    fprintf (out, "%s%*s", rows[i].label, width - (int) g_utf8_strlen (rows[i].label, -1), "");
    for (guint c = 0; c < G_N_ELEMENTS (columns); c++)
      print_cell (out, of_pad, &columns[c]);
    fputc ('\n', out);
    print_dropped (out, of_pad, rows[i].label);
    gst_structure_free (of_pad);
  }
  print_ticks (out, stats);
  print_words (out);
  gst_structure_free (stats);
}
