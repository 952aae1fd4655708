/* robocache: the first rows of a table, and the types of their fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Kinds of fields. */
typedef enum
{
  ROBOCACHE_CELL_MISSING,
  ROBOCACHE_CELL_NUMBER,
  ROBOCACHE_CELL_TRUTH,         /* true or false */
  ROBOCACHE_CELL_DATE,          /* an ISO date with a time */
  ROBOCACHE_CELL_DAY,
  ROBOCACHE_CELL_CLOCK,         /* a time of day */
  ROBOCACHE_CELL_TEXT,
  ROBOCACHE_N_CELLS
} RobocacheCell;

/* Numbers may have a decimal comma, unless that is the delimiter. */
RobocacheCell robocache_cell_of (const gchar * text, gchar delimiter);

typedef struct
{
  gchar *text;                  /* text of a line, cut into fields */
  GPtrArray *fields;            /* gchar * */
  guint line;                   /* index of the line */
} RobocacheSampleRow;

/* Fields of a column by kind. */
typedef struct
{
  guint n[ROBOCACHE_N_CELLS];
  guint n_numbers_with_point, n_numbers_with_comma;
} RobocacheColumnFacts;

typedef struct
{
  GArray *rows;                 /* RobocacheSampleRow */
  guint first;                  /* the first row of data; rows->len: no row is data */
  guint n_columns;
  RobocacheColumnFacts *facts;  /* [n_columns], of rows of data */
} RobocacheSample;

void robocache_sample_init (RobocacheSample * sample);
void robocache_sample_clear (RobocacheSample * sample);

/* Splits a line and appends its row. FALSE: its quotes are malformed. */
gboolean robocache_sample_append (RobocacheSample * sample, const gchar * text, gsize length, gchar delimiter, guint line);

/* Number of rows from `from` on. */
static inline guint
robocache_sample_n_data (const RobocacheSample *sample)
{
  return sample->rows->len - sample->first;
}

/* The field of a column in row i of those that are data; "" where the row is short. */
const gchar *robocache_sample_field (const RobocacheSample * sample, guint i, guint column);

/* Counts fields of n_columns columns in the rows from `first` on. */
void robocache_sample_count (RobocacheSample * sample, guint first, guint n_columns, gchar delimiter);

/* Whether all fields that have a value are of one kind, and there is one. */
gboolean robocache_facts_are (const RobocacheColumnFacts * facts, RobocacheCell cell);
/* Whether more fields are text than values. */
gboolean robocache_facts_are_text (const RobocacheColumnFacts * facts);
