/* robocache: a table, shown as Markdown and written as CSV
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "table.h"

#include <string.h>

#include "../kernels_timing.h"

void
table_begin (Table *table, const char *folder, const char *name, const char *columns)
{
  const char *c;
  char path[4096];
  int i;

  *table = (Table) { NULL, 1, 0 };
  printf ("\n%s\n\n| ", name);
  for (c = columns; *c != '\0'; c++) {
    table->n_columns += *c == ',';
    fputs (*c == ',' ? " | " : (char[]) { *c, '\0' }, stdout);
  }
  printf (" |\n|");
  for (i = 0; i < table->n_columns; i++)
    printf ("---|");
  printf ("\n");
  if (folder == NULL)
    return;
  snprintf (path, sizeof (path), "%s/%s.csv", folder, name);
  table->csv = fopen (path, "w");
  if (table->csv == NULL || fprintf (table->csv, "%s\n", columns) < 0)
    bench_fail (path, "cannot be written");
}

void
table_end (Table *table)
{
  if (table->csv != NULL && fclose (table->csv) != 0)
    bench_fail ("a table", "cannot be written");
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
  table_text (table, text);
}

void
table_small (Table *table, double x)
{
  char text[64];

  snprintf (text, sizeof (text), "%.3g", x);
  table_text (table, text);
}
