/* robocache: numbers the words of a column
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A column has at most 4,096 different words, numbered from 0 in the order in which they come. */
typedef GHashTable RobocacheColumnWords;

/* Free with g_hash_table_unref. */
RobocacheColumnWords *robocache_column_words_new (void);

/* The number of word. FALSE: there are too many words. */
gboolean robocache_column_words_number (RobocacheColumnWords * words, const gchar * word, gdouble * number);

/* Appends "idle = 0, move = 1" to text, in the order of the numbers. */
void robocache_column_words_append (RobocacheColumnWords * words, GString * text);
