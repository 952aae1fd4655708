/* robocache: figures of repeated measurements, and a table of them, shown as Markdown and written as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/common/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int
compare_doubles (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

BenchSpread
bench_spread (double *values, int n)
{
  double mean = 0, squares = 0;

  qsort (values, (size_t) n, sizeof (*values), compare_doubles);
  for (int i = 0; i < n; i++)
    mean += values[i] / n;
  for (int i = 0; i < n; i++)
    squares += (values[i] - mean) * (values[i] - mean) / n;
  return (BenchSpread) {
  .median = values[n / 2],.p5 = values[n / 20],.p95 = values[n - 1 - n / 20],.deviation = sqrt (squares)};
}

/* ---- tables ---- */

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

  *table = (Table) { NULL, 1, 0 };
  printf ("| ");
  for (c = columns; *c != '\0'; c++) {
    table->n_columns += *c == ',';
    fputs (*c == ',' ? " | " : (char[]) { *c, '\0' }, stdout);
  }
  printf (" |\n|");
  for (int i = 0; i < table->n_columns; i++)
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

static void
put_cell (Table *table, const char *text)
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
table_put (Table *table, const char *format, ...)
{
  char cells[1024], *rest = cells;
  va_list args;

  va_start (args, format);
  vsnprintf (cells, sizeof (cells), format, args);
  va_end (args);
  while (rest != NULL) {
    const char *cell = strsep (&rest, "|");

    put_cell (table, strcmp (cell, "nan") == 0 || strcmp (cell, "-nan") == 0 ? "" : cell);
  }
}
