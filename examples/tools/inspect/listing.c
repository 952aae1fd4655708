/* robocache: the streams of a file or of a robot, as a table for people and as JSON for programs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/text/timetext.h"
#include "inspection.h"

/* ---- cells ---- */

static gchar *
signed_duration (gint64 ns)
{
  gchar *size = robocache_duration_to_text (ns < 0 ? -MAX (ns, -G_MAXINT64) : ns);
  gchar *text = g_strdup_printf ("%s%s", ns < 0 ? "-" : "+", size);

  g_free (size);
  return text;
}

static gchar *
cell_of_rate (const InspectedStream *stream)
{
  return stream->period > 0 ? g_strdup_printf ("%.4g Hz", 1e9 / (gdouble) stream->period) : g_strdup ("-");
}

static gchar *
cell_of_jitter (const InspectedStream *stream)
{
  if (stream->period == 0)
    return g_strdup ("-");
  return stream->spacings.jitter == 0 ? g_strdup ("0") : robocache_duration_to_text (stream->spacings.jitter);
}

static gchar *
cell_of_span (const InspectedStream *stream)
{
  return stream->has_times ? g_strdup_printf ("%.3f s", ((gdouble) stream->last - (gdouble) stream->first) / 1e9) : g_strdup ("-");
}

static gchar *
cell_of_gaps (const InspectedStream *stream)
{
  gchar *longest, *text;

  if (stream->spacings.n_gaps == 0)
    return g_strdup (stream->period > 0 ? "none" : "-");
  longest = robocache_duration_to_text (stream->spacings.longest);
  text = g_strdup_printf ("%" G_GUINT64_FORMAT ", up to %s", stream->spacings.n_gaps, longest);
  g_free (longest);
  return text;
}

static gchar *
cell_of_clock (const InspectedStream *stream)
{
  const BagClock *clock = &stream->clock;
  gchar *shift, *uncertainty, *text;

  if (!stream->has_clock)
    return g_strdup ("-");
  if (clock->is_timeline)
    return g_strdup_printf ("%u: the timeline", clock->number);
  shift = signed_duration (clock->shift);
  uncertainty = robocache_duration_to_text (MAX (clock->uncertainty, 0));
  text = g_strdup_printf ("%u: %s ± %s", clock->number, shift, uncertainty);
  g_free (shift);
  g_free (uncertainty);
  return text;
}

static gchar *
cell_of_start (const InspectedStream *stream, gint64 begin)
{
  return stream->has_times ? g_strdup_printf ("%+.3f s", ((gdouble) stream->first - (gdouble) begin) / 1e9) : g_strdup ("-");
}

/* ---- the table ---- */

enum
{ NAME, TYPE, KIND, SHAPE, RATE, JITTER, COUNT, START, SPAN, GAPS, CLOCK, N_COLUMNS };

static const gchar *const headings[N_COLUMNS] = {
  "stream", "type", "kind", "channels", "rate", "jitter", "count", "from", "span", "gaps", "clock"
};

static void
fill_cells (gchar **cells, const InspectedStream *stream, gint64 begin)
{
  cells[NAME] = g_strdup (stream->name);
  cells[TYPE] = g_strdup (*stream->type ? stream->type : "-");
  cells[KIND] = g_strdup (stream->kind);
  cells[SHAPE] = g_strdup (stream->shape);
  cells[RATE] = cell_of_rate (stream);
  cells[JITTER] = cell_of_jitter (stream);
  cells[COUNT] = g_strdup_printf ("%" G_GUINT64_FORMAT, stream->n);
  cells[START] = cell_of_start (stream, begin);
  cells[SPAN] = cell_of_span (stream);
  cells[GAPS] = cell_of_gaps (stream);
  cells[CLOCK] = cell_of_clock (stream);
}

/* rows: N_COLUMNS texts each. Spaces follow all cells but the last one. */
static void
print_rows (FILE *out, const GPtrArray *rows)
{
  glong widths[N_COLUMNS] = { 0 };

  for (guint i = 0; i < rows->len; i++)
    for (guint c = 0; c < N_COLUMNS; c++)
      widths[c] = MAX (widths[c], g_utf8_strlen (((gchar **) g_ptr_array_index (rows, i))[c], -1));
  for (guint i = 0; i < rows->len; i++) {
    gchar **cells = g_ptr_array_index (rows, i);

    for (guint c = 0; c < N_COLUMNS; c++)
      fprintf (out, "%s%*s", cells[c], c + 1 < N_COLUMNS ? (int) (widths[c] - g_utf8_strlen (cells[c], -1)) + 2 : 0, "");
    fputc ('\n', out);
  }
}

static void
print_streams (const Inspection *inspection, FILE *out, gint64 begin)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  g_ptr_array_add (rows, g_strdupv ((gchar **) (const gchar *[]) { headings[0], headings[1], headings[2], headings[3], headings[4], headings[5],
          headings[6], headings[7], headings[8], headings[9], headings[10], NULL }));
  for (guint i = 0; i < inspection->streams->len; i++) {
    gchar **cells = g_new0 (gchar *, N_COLUMNS + 1);

    fill_cells (cells, g_ptr_array_index (inspection->streams, i), begin);
    g_ptr_array_add (rows, cells);
  }
  print_rows (out, rows);
  g_ptr_array_unref (rows);
}

/* Kinds of channels, losses, order: what few streams have. */
static void
print_details (const InspectedStream *stream, FILE *out)
{
  if (stream->kinds && (strstr (stream->kinds, "hold") || strstr (stream->kinds, "angle") || strstr (stream->kinds, "quaternion")
          || strstr (stream->kinds, "velocity")))
    fprintf (out, "%s: kinds %s\n", stream->name, stream->kinds);
  if (stream->n_lost > 0)
    fprintf (out, "%s: %" G_GUINT64_FORMAT " messages lost\n", stream->name, stream->n_lost);
  if (stream->n_malformed > 0)
    fprintf (out, "%s: %" G_GUINT64_FORMAT " malformed\n", stream->name, stream->n_malformed);
  if (stream->disorder > 0)
    fprintf (out, "%s: up to %g ms out of order\n", stream->name, (gdouble) stream->disorder / 1e6);
}

static gint64
begin_of (const Inspection *inspection)
{
  gint64 begin = G_MAXINT64;

  for (guint i = 0; i < inspection->streams->len; i++) {
    const InspectedStream *stream = g_ptr_array_index (inspection->streams, i);

    if (stream->has_times)
      begin = MIN (begin, stream->first);
  }
  return begin;
}

/* " from 2023-11-14T22:13:20Z", or " from 0 s" where times are not those of a calendar. */
static void
print_begin (FILE *out, gint64 begin)
{
  /* since 2001, as counters and simulations begin at 0 */
  const gboolean is_date = begin >= G_GINT64_CONSTANT (1000000000) * 1000000000;
  GDateTime *date = is_date ? g_date_time_new_from_unix_utc (begin / 1000000000) : NULL;
  gchar *text = date ? g_date_time_format (date, "%Y-%m-%dT%H:%M:%SZ") : recording_time_text (begin);

  fprintf (out, ", from %s", text);
  g_free (text);
  g_clear_pointer (&date, g_date_time_unref);
}

void
inspection_print (const Inspection *inspection, FILE *out)
{
  const gint64 begin = begin_of (inspection);

  fprintf (out, "%s: %s, %u stream%s", inspection->name, inspection->kind, inspection->streams->len, inspection->streams->len == 1 ? "" : "s");
  if (begin < G_MAXINT64)
    print_begin (out, begin);
  fputc ('\n', out);
  if (inspection->streams->len > 0)
    print_streams (inspection, out, begin);
  for (guint i = 0; i < inspection->streams->len; i++)
    print_details (g_ptr_array_index (inspection->streams, i), out);
  for (guint i = 0; i < inspection->refused->len; i++)
    fprintf (out, "refused: %s\n", (const gchar *) g_ptr_array_index (inspection->refused, i));
  for (guint i = 0; i < inspection->notes->len; i++)
    fprintf (out, "note: %s\n", (const gchar *) g_ptr_array_index (inspection->notes, i));
}

/* ---- JSON ---- */

/* Text is printable, so it is UTF-8 without control characters. */
static void
print_string (FILE *out, const gchar *text)
{
  fputc ('"', out);
  for (; *text; text++)
    fprintf (out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
  fputc ('"', out);
}

static void
print_key (FILE *out, const gchar *key)
{
  fprintf (out, ", \"%s\": ", key);
}

/* text NULL: null. */
static void
print_text (FILE *out, const gchar *key, const gchar *text)
{
  print_key (out, key);
  if (text)
    print_string (out, text);
  else
    fputs ("null", out);
}

static void
print_integer (FILE *out, const gchar *key, gint64 number)
{
  print_key (out, key);
  fprintf (out, "%" G_GINT64_FORMAT, number);
}

static void
print_texts (FILE *out, const gchar *key, gchar **texts, guint n)
{
  print_key (out, key);
  fputc ('[', out);
  for (guint i = 0; i < n; i++) {
    if (i > 0)
      fputs (", ", out);
    print_string (out, texts[i]);
  }
  fputc (']', out);
}

static void
print_clock (FILE *out, const InspectedStream *stream)
{
  const BagClock *clock = &stream->clock;

  print_key (out, "clock");
  if (!stream->has_clock) {
    fputs ("null", out);
    return;
  }
  fprintf (out, "{\"number\": %u, \"is_timeline\": %s, \"is_recorder\": %s, \"shift_ns\": %" G_GINT64_FORMAT ", \"uncertainty_ns\": %" G_GINT64_FORMAT
      ", \"drift_ppm\": ", clock->number, clock->is_timeline ? "true" : "false", clock->is_recorder ? "true" : "false", clock->shift,
      clock->uncertainty);
  fprintf (out, "%.6g}", clock->drift);
}

static void
print_times (FILE *out, const InspectedStream *stream)
{
  if (stream->has_times) {
    print_integer (out, "first_ns", stream->first);
    print_integer (out, "last_ns", stream->last);
  }
  if (stream->period == 0)
    return;
  print_integer (out, "period_ns", stream->period);
  print_integer (out, "jitter_ns", stream->spacings.jitter);
  print_integer (out, "gaps", (gint64) stream->spacings.n_gaps);
  if (stream->spacings.n_gaps == 0)
    return;
  print_integer (out, "longest_gap_ns", stream->spacings.longest);
  print_integer (out, "longest_gap_begin_ns", stream->spacings.longest_begin);
}

static void
print_stream (FILE *out, const InspectedStream *stream)
{
  fputs ("{\"stream\": ", out);
  print_string (out, stream->name);
  print_text (out, "type", stream->type);
  print_text (out, "kind", stream->kind);
  print_integer (out, "n_channels", stream->n_channels);
  print_texts (out, "channels", stream->names, stream->names ? g_strv_length (stream->names) : 0);
  print_text (out, "kinds", stream->kinds);
  print_text (out, "shape", stream->shape);
  print_integer (out, "count", (gint64) stream->n);
  print_times (out, stream);
  print_integer (out, "disorder_ns", stream->disorder);
  print_integer (out, "malformed", (gint64) stream->n_malformed);
  print_integer (out, "lost", (gint64) stream->n_lost);
  print_clock (out, stream);
  print_text (out, "not_a_row", stream->fault);
  fputc ('}', out);
}

void
inspection_print_json (const Inspection *inspection, const gchar *error, FILE *out)
{
  fputs ("{\"name\": ", out);
  print_string (out, inspection->name);
  print_text (out, "kind", inspection->kind);
  fputs (", \"streams\": [", out);
  for (guint i = 0; i < inspection->streams->len; i++) {
    fputs (i > 0 ? ",\n  " : "\n  ", out);
    print_stream (out, g_ptr_array_index (inspection->streams, i));
  }
  fputc (']', out);
  print_texts (out, "refused", (gchar **) inspection->refused->pdata, inspection->refused->len);
  print_texts (out, "notes", (gchar **) inspection->notes->pdata, inspection->notes->len);
  print_text (out, "error", error);
  fputc ('}', out);
}

void
inspection_print_json_error (const gchar *name, const gchar *error, FILE *out)
{
  fputs ("{\"name\": ", out);
  print_string (out, name);
  print_text (out, "error", error);
  fputc ('}', out);
}
