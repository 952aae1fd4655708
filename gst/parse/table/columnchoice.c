/* robocache: the choice of columns that are channels
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "columnchoice.h"

#include "common/tensors/tensorcaps.h"

/* "3" or "1-6"; FALSE: it is a name. */
static gboolean
parse_range (const gchar *token, guint64 *first, guint64 *last)
{
  gchar *end;

  if (!g_ascii_isdigit (*token))
    return FALSE;
  *first = *last = g_ascii_strtoull (token, &end, 10);
  if (*end == '-' && g_ascii_isdigit (end[1]))
    *last = g_ascii_strtoull (end + 1, &end, 10);
  return *end == '\0';
}

static gboolean
append_range (GArray *columns, const gchar *token, guint64 first, guint64 last, guint n_columns, GError **error)
{
  if (first > last || last >= n_columns) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "channels: \"%s\": expected columns 0-%u; the file has %u columns",
        token, n_columns - 1, n_columns);
    return FALSE;
  }
  for (guint c = (guint) first; c <= last; c++)
    g_array_append_val (columns, c);
  return TRUE;
}

static gboolean
append_name (GArray *columns, const gchar *token, guint n_columns, gchar **names, GError **error)
{
  gchar *all;

  for (guint c = 0; names && c < n_columns; c++) {
    if (g_str_equal (names[c], token)) {
      g_array_append_val (columns, c);
      return TRUE;
    }
  }
  if (!names) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "channels: \"%s\" is not a number or range, and the file has no header with names: set numbers like \"1-6,9\"",
        token);
    return FALSE;
  }
  all = g_strjoinv (",", names);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "channels: the file has no column \"%s\"; it has %s",
      token, all);
  g_free (all);
  return FALSE;
}

static void
append_others (GArray *columns, guint n_columns, const RobocacheTimeSource *times, gint arrival_column)
{
  for (guint c = 0; c < n_columns; c++) {
    if (c != times->column && (gint64) c != times->second && (gint64) c != arrival_column)
      g_array_append_val (columns, c);
  }
}

GArray *
robocache_columns_choose (const gchar *choice, guint n_columns, gchar **names, const RobocacheTimeSource *times, gint arrival_column,
    GError **error)
{
  GArray *columns = g_array_new (FALSE, FALSE, sizeof (guint));
  gchar **tokens = g_strsplit (choice ? choice : "", ",", -1);
  gboolean chosen = TRUE;

  if (!tokens[0])
    append_others (columns, n_columns, times, arrival_column);
  for (guint i = 0; tokens[i] && chosen; i++) {
    const gchar *token = g_strstrip (tokens[i]);
    guint64 first, last;

    chosen = parse_range (token, &first, &last) ? append_range (columns, token, first, last, n_columns, error) :
        append_name (columns, token, n_columns, names, error);
  }
  g_strfreev (tokens);
  if (chosen && columns->len == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "the file has no column of data: column %2$u of its %1$u is the time; set delimiter, or format if the file is not CSV",
        n_columns, times->column);
    chosen = FALSE;
  }
  if (!chosen)
    g_clear_pointer (&columns, g_array_unref);
  return columns;
}

GArray *
robocache_columns_without (const GArray *columns, const GArray *others)
{
  GArray *kept = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTable *excluded = g_hash_table_new (NULL, NULL);

  for (guint i = 0; others && i < others->len; i++)
    g_hash_table_add (excluded, GUINT_TO_POINTER (g_array_index (others, guint, i)));
  for (guint i = 0; i < columns->len; i++) {
    const guint column = g_array_index (columns, guint, i);

    if (!g_hash_table_contains (excluded, GUINT_TO_POINTER (column)))
      g_array_append_val (kept, column);
  }
  g_hash_table_unref (excluded);
  return kept;
}

gchar *
robocache_columns_join_names (const GArray *columns, gchar **names)
{
  GString *joined = g_string_new (NULL);

  for (guint i = 0; i < columns->len; i++) {
    gchar *name = g_utf8_make_valid (names[g_array_index (columns, guint, i)], -1);

    g_string_append_printf (joined, i ? ",%s" : "%s", g_strdelimit (name, ",", '_'));
    g_free (name);
  }
  return g_string_free (joined, FALSE);
}
