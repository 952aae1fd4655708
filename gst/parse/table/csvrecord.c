/* robocache: one line of a CSV file, cut into fields
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csvrecord.h"

#include <string.h>

#include "common/tensors/tensorcaps.h"

gboolean
robocache_csv_delimiter_parse (const gchar *string, gchar *delimiter, GError **error)
{
  static const struct
  {
    const gchar *name;
    gchar delimiter;
  } names[] = { {"auto", '\0'}, {"tab", '\t'}, {"\\t", '\t'}, {"space", ' '} };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (g_strcmp0 (string, names[i].name) == 0) {
      *delimiter = names[i].delimiter;
      return TRUE;
    }
  }
  if (string && string[0] != '\0' && string[1] == '\0' && (g_ascii_isprint (string[0]) || string[0] == '\t')
      && !g_ascii_isalnum (string[0]) && !strchr ("+-.\"#_", string[0])) {
    *delimiter = string[0];
    return TRUE;
  }
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "delimiter=\"%s\" cannot separate fields: set one character "
      "that is in no number or name, like \",\" or \";\", or tab, space or auto", string ? string : "");
  return FALSE;
}

static gboolean
is_blank (gchar c)
{
  return c == ' ' || c == '\t';
}

/* A blank that is no delimiter. */
static gboolean
is_padding (gchar c, gchar delimiter)
{
  return is_blank (c) && c != delimiter;
}

static gboolean
is_delimiter (gchar c, gchar delimiter)
{
  return c == delimiter || (delimiter == ' ' && c == '\t');
}

static gchar *
skip_padding (gchar *cursor, gchar *end, gchar delimiter)
{
  while (cursor < end && (delimiter == ' ' ? is_blank (*cursor) : is_padding (*cursor, delimiter)))
    cursor++;
  return cursor;
}

/* Unescapes a quoted field whose opening quote is before cursor; returns what follows its closing quote, or NULL. */
static gchar *
read_quoted (gchar *cursor, gchar *end, gchar **field)
{
  gchar *out = cursor;

  *field = cursor;
  for (; cursor < end; cursor++) {
    if (*cursor == '"') {
      if (cursor + 1 == end || cursor[1] != '"') {
        *out = '\0';
        return cursor + 1;
      }
      cursor++;
    }
    *out++ = *cursor;
  }
  return NULL;
}

/* Returns the delimiter after the field, or end. The field is terminated by the caller. */
static gchar *
read_plain (gchar *cursor, gchar *end, gchar delimiter, gchar **field, gchar **field_end)
{
  /* equal to the delimiter where that is no blank */
  const gchar other = delimiter == ' ' ? '\t' : delimiter;

  *field = cursor;
  while (cursor < end && *cursor != delimiter && *cursor != other)
    cursor++;
  *field_end = cursor;
  while (*field_end > *field && is_blank ((*field_end)[-1]))
    (*field_end)--;
  return cursor;
}

gboolean
robocache_csv_split (gchar *line, gsize length, gchar delimiter, GPtrArray *fields, GError **error)
{
  gchar *end = line + length, *cursor = skip_padding (line, end, delimiter);

  g_ptr_array_set_size (fields, 0);
  if (delimiter == ' ')
    while (end > cursor && is_blank (end[-1]))
      end--;
  for (;;) {
    gchar *field, *field_end = NULL;

    cursor = skip_padding (cursor, end, delimiter);
    if (cursor < end && *cursor == '"') {
      cursor = read_quoted (cursor + 1, end, &field);
      if (cursor)
        cursor = delimiter == ' ' ? cursor : skip_padding (cursor, end, delimiter);
      if (!cursor || (cursor < end && !is_delimiter (*cursor, delimiter))) {
        g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
            cursor ? "column %u has text after its closing quote" :
            "column %u opens a quote that the line does not close",
            fields->len);
        return FALSE;
      }
    } else {
      cursor = read_plain (cursor, end, delimiter, &field, &field_end);
    }
    g_ptr_array_add (fields, field);
    if (cursor == end) {
      if (field_end)
        *field_end = '\0';
      return TRUE;
    }
    if (field_end)
      *field_end = '\0';
    cursor++;
  }
}

/* Decimals of few digits: an integer that a double holds, divided by a power of ten that it holds, is rounded once, as strtod rounds (Clinger, How to
 * read floating point numbers accurately, 1990). FALSE: text may be another number. */
static gboolean
read_short_decimal (const gchar *text, gdouble *value)
{
  static const gdouble powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
  const gboolean is_negative = *text == '-';
  const gchar *at = text + is_negative, *point = NULL, *first = at;
  guint64 digits = 0;

  for (; g_ascii_isdigit (*at) || (*at == '.' && !point); at++) {
    if (*at == '.')
      point = at;
    else
      digits = digits * 10 + (guint64) (*at - '0');
    if (at - first > 15)
      return FALSE;
  }
  if (*at != '\0' || at - first == (point != NULL))
    return FALSE;
  *value = (gdouble) digits / powers[point ? at - point - 1 : 0];
  *value = is_negative ? -*value : *value;
  return TRUE;
}

gboolean
robocache_csv_number (const gchar *text, gdouble *value)
{
  gchar *end;

  if (read_short_decimal (text, value))
    return TRUE;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0';
}

gboolean
robocache_csv_replace_comma (gchar *text)
{
  gchar *at = text + (*text == '-' || *text == '+'), *comma;

  at += strspn (at, "0123456789");
  comma = at;
  if (*at++ != ',' || !g_ascii_isdigit (*at))
    return FALSE;
  at += strspn (at, "0123456789");
  if (*at == 'e' || *at == 'E') {
    at += 1 + (at[1] == '-' || at[1] == '+');
    at += strspn (at, "0123456789");
  }
  if (*at != '\0')
    return FALSE;
  *comma = '.';
  return TRUE;
}

gboolean
robocache_csv_truth (const gchar *text, gdouble *value)
{
  *value = g_ascii_strcasecmp (text, "true") == 0;
  return *value > 0.0 || g_ascii_strcasecmp (text, "false") == 0;
}

gboolean
robocache_csv_is_missing (const gchar *text)
{
  static const gchar *const words[] = { "na", "n/a", "#n/a", "#na", "<na>", "null", "none", "nan", "-nan" };

  /* most fields are numbers */
  if (g_ascii_isdigit (*text) || *text == '.' || (*text == '-' && !g_ascii_isalpha (text[1])))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    if (g_ascii_strcasecmp (text, words[i]) == 0)
      return TRUE;
  }
  return *text == '\0';
}
