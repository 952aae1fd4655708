/* robocache: the shape of a table: its delimiter, its header, and where its data begin
 *
 * Lines before the data are a preamble: comments, titles, settings, and at most one header. The header is the last line before the data with
 * as many fields as the data, and no comment where another line has as many. A line of units behind it ("s,m,m") belongs to it, and lines of other
 * words ("--,--,--") between it and the data are left out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tablesample.h"

/* A line without its end. */
typedef struct
{
  gchar *text;
  gsize length;
  guint64 number, end;          /* number of the line, from 1; position after the line */
  gboolean is_too_long, is_cut; /* is_cut: the input ends within it */
} RobocacheTableLine;

typedef struct
{
  gchar delimiter;
  gboolean has_decimal_comma;
  guint n_columns;              /* 0: no line is data */
  gchar **names;                /* NULL-terminated, [n_columns]; NULL: no header */
  gchar **units;                /* NULL-terminated, [n_columns]; NULL: no line of units */
  guint header, units_line;     /* indices of the line of names, and of that of units, where they are there */
  guint data;                   /* index of the first line behind the header, or of the first line with data */
  RobocacheSample sample;       /* first lines of the data */
} RobocacheTableShape;

/* Finds the shape of a table that begins with n lines. delimiter '\0': any. Zero shape before; clear it in any case. FALSE: no line is
 * data. */
gboolean robocache_table_shape_find (RobocacheTableShape * shape, const RobocacheTableLine * lines, guint n, gchar delimiter);
/* Like robocache_table_shape_find, for a table whose lines are all known, or whose first lines are many and have no data: the header is the
 * first line of names. FALSE: all lines are blank or comments. */
gboolean robocache_table_shape_find_header (RobocacheTableShape * shape, const RobocacheTableLine * lines, guint n, gchar delimiter);
/* Lines before the data that are neither blank, comments, nor the header. */
guint robocache_table_shape_n_skipped (const RobocacheTableShape * shape, const RobocacheTableLine * lines);
void robocache_table_shape_clear (RobocacheTableShape * shape);

/* The mark of a comment, # or % or //, at the beginning of a line: the number of bytes before its text; 0: it is no comment. */
gsize robocache_table_comment_mark (const gchar * text);
