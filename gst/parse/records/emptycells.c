/* robocache: which columns of a recording have no value in which records
 *
 * Columns that lack values in the same records have the same pattern: a hash of the numbers of these records, beside their count.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "emptycells.h"

#include <math.h>

/* Columns that a text names. */
#define MAX_NAMED 8

typedef struct _RobocacheEmptyColumn
{
  guint column;                 /* of the file */
  gchar *name;
  guint64 n_empty;
  guint64 pattern;
} Column;

void
robocache_empty_cells_clear (RobocacheEmptyCells *cells)
{
  for (guint i = 0; i < cells->n_channels; i++)
    g_free (cells->channels[i].name);
  g_free (cells->channels);
  *cells = (RobocacheEmptyCells) { 0 };
}

static gboolean
has_columns_of (const RobocacheEmptyCells *cells, const RobocacheRecordReader *reader)
{
  gboolean has = cells->n_channels == robocache_record_reader_n_channels (reader);

  for (guint i = 0; has && i < cells->n_channels; i++)
    has = cells->channels[i].column == robocache_record_reader_column (reader, i);
  return has;
}

static void
take_columns (RobocacheEmptyCells *cells, const RobocacheRecordReader *reader)
{
  const gchar *list = robocache_record_reader_channel_names (reader);
  /* "" is one channel without a name, of which g_strsplit makes none */
  gchar **names = list && *list ? g_strsplit (list, ",", -1) : NULL;

  robocache_empty_cells_clear (cells);
  cells->n_channels = robocache_record_reader_n_channels (reader);
  cells->channels = g_new0 (Column, cells->n_channels);
  for (guint i = 0; i < cells->n_channels; i++) {
    Column *channel = &cells->channels[i];

    channel->column = robocache_record_reader_column (reader, i);
    channel->name = names && *names[i] ? g_strdup (names[i]) : g_strdup_printf ("column %u", channel->column);
  }
  g_strfreev (names);
}

/* The finalizer of SplitMix64 (Vigna). */
static guint64
mix (guint64 bits)
{
  bits = (bits ^ bits >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  bits = (bits ^ bits >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return bits ^ bits >> 31;
}

void
robocache_empty_cells_add (RobocacheEmptyCells *cells, const RobocacheRecordReader *reader, const RobocacheRecord *record)
{
  guint n_empty = 0;

  if (!has_columns_of (cells, reader))
    take_columns (cells, reader);
  cells->n_records++;
  if (record->n_empty == 0)
    return;
  for (guint i = 0; i < cells->n_channels; i++) {
    Column *channel = &cells->channels[i];

    if (!isnan (record->values[i]))
      continue;
    n_empty++;
    channel->n_empty++;
    channel->pattern = mix (channel->pattern + cells->n_records);
  }
  cells->n_incomplete++;
  cells->n_discarded += cells->n_channels - n_empty;
}

static gboolean
is_without_value (const RobocacheEmptyCells *cells, guint i)
{
  return cells->channels[i].n_empty == cells->n_records;
}

gboolean
robocache_empty_cells_all_seen (const RobocacheEmptyCells *cells)
{
  gboolean all = cells->n_records > 0;

  for (guint i = 0; all && i < cells->n_channels; i++)
    all = !is_without_value (cells, i);
  return all;
}

GArray *
robocache_empty_cells_without_value (const RobocacheEmptyCells *cells)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < cells->n_channels; i++) {
    if (is_without_value (cells, i))
      g_array_append_val (columns, cells->channels[i].column);
  }
  if (columns->len == cells->n_channels)
    g_array_set_size (columns, 0);
  return columns;
}

/* Those of a condition, "a, b and 5 others"; NULL: none. how: appends what is said of one. */
static gchar *
list_columns (const RobocacheEmptyCells *cells, gboolean (*is_listed) (const RobocacheEmptyCells * cells, guint i), void (*how) (GString * text,
        const RobocacheEmptyCells * cells, guint i))
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < cells->n_channels; i++) {
    if (!is_listed (cells, i) || n++ >= MAX_NAMED)
      continue;
    g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "", cells->channels[i].name);
    if (how)
      how (text, cells, i);
  }
  if (n > MAX_NAMED)
    g_string_append_printf (text, " and %u other column%s", n - MAX_NAMED, n == MAX_NAMED + 1 ? "" : "s");
  return g_string_free (text, n == 0);
}

gchar *
robocache_empty_cells_names_without_value (const RobocacheEmptyCells *cells)
{
  return list_columns (cells, is_without_value, NULL);
}

static gboolean
lacks_values (const RobocacheEmptyCells *cells, guint i)
{
  return cells->channels[i].n_empty > 0 && !is_without_value (cells, i);
}

static void
append_count (GString *text, const RobocacheEmptyCells *cells, guint i)
{
  const guint64 n = cells->channels[i].n_empty;

  g_string_append_printf (text, " (%" G_GUINT64_FORMAT ", %.3g %%)", n, 100.0 * (gdouble) n / (gdouble) cells->n_records);
}

gchar *
robocache_empty_cells_describe (const RobocacheEmptyCells *cells)
{
  return list_columns (cells, lacks_values, append_count);
}

/* ---- groups ---- */

static gboolean
are_alike (const Column *a, const Column *b)
{
  return a->n_empty == b->n_empty && a->pattern == b->pattern;
}

static gboolean
begins_group (const RobocacheEmptyCells *cells, guint i)
{
  gboolean begins = !is_without_value (cells, i);

  for (guint k = 0; begins && k < i; k++)
    begins = !are_alike (&cells->channels[k], &cells->channels[i]);
  return begins;
}

/* "1-3,5" of the columns that are like the first one. */
static gchar *
list_group (const RobocacheEmptyCells *cells, guint first)
{
  GString *list = g_string_new (NULL);

  for (guint i = first; i < cells->n_channels; i++) {
    guint last = i;

    if (!are_alike (&cells->channels[first], &cells->channels[i]))
      continue;
    while (last + 1 < cells->n_channels && cells->channels[last + 1].column == cells->channels[last].column + 1
        && are_alike (&cells->channels[first], &cells->channels[last + 1]))
      last++;
    g_string_append_printf (list, last > i ? "%s%u-%u" : "%s%u", list->len > 0 ? "," : "", cells->channels[i].column,
        cells->channels[last].column);
    i = last;
  }
  return g_string_free (list, FALSE);
}

gchar **
robocache_empty_cells_groups (const RobocacheEmptyCells *cells)
{
  GPtrArray *groups = g_ptr_array_new ();

  for (guint i = 0; i < cells->n_channels; i++) {
    if (begins_group (cells, i))
      g_ptr_array_add (groups, list_group (cells, i));
  }
  g_ptr_array_add (groups, NULL);
  return (gchar **) g_ptr_array_free (groups, FALSE);
}
