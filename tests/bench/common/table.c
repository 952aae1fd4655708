/* robocache: a table, shown as Markdown and written as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/common/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
fail (const char *what)
{
  fprintf (stderr, "%s: cannot be written\n", what);
  exit (1);
}

void
table_open (Table *table, const char *path, const char *columns)
{
  const char *c;
  int i;

  *table = (Table) { NULL, 1, 0 };
  printf ("| ");
  for (c = columns; *c != '\0'; c++) {
    table->n_columns += *c == ',';
    fputs (*c == ',' ? " | " : (char[]) { *c, '\0' }, stdout);
  }
  printf (" |\n|");
  for (i = 0; i < table->n_columns; i++)
    printf ("---|");
  printf ("\n");
  if (path == NULL)
    return;
  table->csv = fopen (path, "w");
  if (table->csv == NULL || fprintf (table->csv, "%s\n", columns) < 0)
    fail (path);
}

void
table_end (Table *table)
{
  if (table->csv != NULL && fclose (table->csv) != 0)
    fail ("a table");
}

void
table_text (Table *table, const char *text)
{
  const int is_last = ++table->column == table->n_columns;
  const char *quote = strchr (text, ',') != NULL ? "\"" : "";

  printf ("| %s %s", text, is_last ? "|\n" : "");
  fflush (stdout);
  if (table->csv != NULL)
    fprintf (table->csv, "%s%s%s%s", quote, text, quote, is_last ? "\n" : ",");
  if (is_last)
    table->column = 0;
}

void
table_number (Table *table, double x, int decimals)
{
  char text[64];

  snprintf (text, sizeof (text), "%.*f", decimals, x);
  table_text (table, isnan (x) ? "" : text);
}

void
table_spread (Table *table, const BenchSpread *spread, int decimals)
{
  table_number (table, spread->median, decimals);
  table_number (table, spread->p5, decimals);
  table_number (table, spread->p95, decimals);
  table_number (table, spread->deviation, decimals);
}

void
table_small (Table *table, double x)
{
  char text[64];

  snprintf (text, sizeof (text), "%.3g", x);
  table_text (table, isnan (x) ? "" : text);
}
