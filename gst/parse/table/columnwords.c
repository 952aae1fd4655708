/* robocache: numbers that stand for the words of a column
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "columnwords.h"

#define MAX_WORDS 4096

/* word to number + 1 */
RobocacheColumnWords *
robocache_column_words_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

gboolean
robocache_column_words_number (RobocacheColumnWords *words, const gchar *word, gdouble *number)
{
  guint next = GPOINTER_TO_UINT (g_hash_table_lookup (words, word));

  if (next == 0) {
    next = g_hash_table_size (words) + 1;
    if (next > MAX_WORDS)
      return FALSE;
    g_hash_table_insert (words, g_strdup (word), GUINT_TO_POINTER (next));
  }
  *number = next - 1;
  return TRUE;
}

void
robocache_column_words_append (RobocacheColumnWords *words, GString *text)
{
  const gchar **by_number = g_new0 (const gchar *, g_hash_table_size (words));
  GHashTableIter iter;
  gpointer word, number;

  g_hash_table_iter_init (&iter, words);
  while (g_hash_table_iter_next (&iter, &word, &number))
    by_number[GPOINTER_TO_UINT (number) - 1] = word;
  for (guint i = 0; i < g_hash_table_size (words); i++)
    g_string_append_printf (text, "%s%s = %u", i > 0 ? ", " : "", by_number[i], i);
  g_free (by_number);
}
