/* robocache: the choice of columns that are channels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "timeguess.h"

/* Returns the columns that choice names, in its order: numbers ("3"), ranges ("1-6,9") and, if the file has a header, names ("q0,q1").
 * NULL or "": all n_columns except those of the times and arrival_column (-1: none). names is NULL or [n_columns]. The array of guint is never
 * empty. NULL and an error that lists the columns of the file: invalid choice. */
GArray *robocache_columns_choose (const gchar * choice, guint n_columns, gchar ** names, const RobocacheTimeSource * times,
    gint arrival_column, GError ** error);

/* Returns the columns that are not in others; others NULL: all columns. */
GArray *robocache_columns_without (const GArray * columns, const GArray * others);

/* The names of the columns as caps carry them, joined by commas: UTF-8, and with no comma inside a name. */
gchar *robocache_columns_join_names (const GArray * columns, gchar ** names);
