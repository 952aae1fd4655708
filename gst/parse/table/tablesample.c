/* robocache: the first rows of a table, and what is in their fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tablesample.h"

#include <string.h>

#include "csvrecord.h"
#include "timedate.h"

/* More rows prove no more. */
#define MAX_COUNTED 200

static gboolean
is_number (const gchar *text, gchar delimiter)
{
  gdouble unused;
  gchar copy[64];

  if (robocache_csv_number (text, &unused))
    return TRUE;
  return delimiter != ',' && g_strlcpy (copy, text, sizeof (copy)) < sizeof (copy) && robocache_csv_replace_comma (copy);
}

RobocacheCell
robocache_cell_of (const gchar *text, gchar delimiter)
{
  gdouble truth;
  gint64 unused;

  if (robocache_csv_is_missing (text))
    return ROBOCACHE_CELL_MISSING;
  if (is_number (text, delimiter))
    return ROBOCACHE_CELL_NUMBER;
  if (robocache_csv_truth (text, &truth))
    return ROBOCACHE_CELL_TRUTH;
  if (!g_ascii_isdigit (*text))
    return ROBOCACHE_CELL_TEXT;
  if (robocache_time_from_date (text, &unused) != ROBOCACHE_TIME_NOT_A_NUMBER)
    return ROBOCACHE_CELL_DATE;
  if (robocache_time_from_clock (text, &unused) == ROBOCACHE_TIME_OK)
    return ROBOCACHE_CELL_CLOCK;
  return robocache_days_from_text (text, &unused) ? ROBOCACHE_CELL_DAY : ROBOCACHE_CELL_TEXT;
}

static void
clear_row (gpointer data)
{
  RobocacheSampleRow *row = data;

  g_free (row->text);
  g_ptr_array_unref (row->fields);
}

void
robocache_sample_init (RobocacheSample *sample)
{
  *sample = (RobocacheSample) {.rows = g_array_new (FALSE, FALSE, sizeof (RobocacheSampleRow)) };
  g_array_set_clear_func (sample->rows, clear_row);
}

void
robocache_sample_clear (RobocacheSample *sample)
{
  g_array_unref (sample->rows);
  g_free (sample->facts);
}

gboolean
robocache_sample_append (RobocacheSample *sample, const gchar *text, gsize length, gchar delimiter, guint line)
{
  RobocacheSampleRow row = { g_strndup (text, length), g_ptr_array_new (), line };

  if (robocache_csv_split (row.text, strlen (row.text), delimiter, row.fields, NULL)) {
    g_array_append_val (sample->rows, row);
    return TRUE;
  }
  clear_row (&row);
  return FALSE;
}

const gchar *
robocache_sample_field (const RobocacheSample *sample, guint i, guint column)
{
  const RobocacheSampleRow *row = &g_array_index (sample->rows, RobocacheSampleRow, sample->first + i);

  return column < row->fields->len ? g_ptr_array_index (row->fields, column) : "";
}

void
robocache_sample_count (RobocacheSample *sample, guint first, guint n_columns, gchar delimiter)
{
  g_free (sample->facts);
  sample->facts = g_new0 (RobocacheColumnFacts, MAX (n_columns, 1));
  sample->first = first;
  sample->n_columns = n_columns;
  for (guint i = 0; i < MIN (robocache_sample_n_data (sample), MAX_COUNTED); i++) {
    /* a line of one field is no row of several columns */
    if (n_columns > 1 && g_array_index (sample->rows, RobocacheSampleRow, first + i).fields->len == 1)
      continue;
    for (guint c = 0; c < n_columns; c++) {
      const gchar *text = robocache_sample_field (sample, i, c);
      const RobocacheCell cell = robocache_cell_of (text, delimiter);

      sample->facts[c].n[cell]++;
      sample->facts[c].n_numbers_with_point += cell == ROBOCACHE_CELL_NUMBER && strchr (text, '.');
      sample->facts[c].n_numbers_with_comma += cell == ROBOCACHE_CELL_NUMBER && strchr (text, ',');
    }
  }
}

static guint
n_present (const RobocacheColumnFacts *facts)
{
  guint n = 0;

  for (guint i = ROBOCACHE_CELL_MISSING + 1; i < ROBOCACHE_N_CELLS; i++)
    n += facts->n[i];
  return n;
}

static guint
n_values (const RobocacheColumnFacts *facts)
{
  return n_present (facts) - facts->n[ROBOCACHE_CELL_TEXT];
}

gboolean
robocache_facts_are (const RobocacheColumnFacts *facts, RobocacheCell cell)
{
  return facts->n[cell] > 0 && facts->n[cell] == n_present (facts);
}

gboolean
robocache_facts_are_text (const RobocacheColumnFacts *facts)
{
  return facts->n[ROBOCACHE_CELL_TEXT] > n_values (facts);
}
