/* robocache: the values of a JSON text, where they lie in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "jsontext.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MAX_DEPTH 64
/* A longer number is damaged. */
#define MAX_NUMBER_SIZE 1024

static const struct
{
  const gchar *text;
  gdouble number;
} literal_numbers[] = { {"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY} };

/* ---- skipping: each returns the end of what begins at `at`; NULL: it is damaged ---- */

static const gchar *
skip_blanks (const gchar *at, const gchar *end)
{
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
    at++;
  return at;
}

static const gchar *
skip_escape (const gchar *at, const gchar *end)
{
  if (at == end)
    return NULL;
  if (*at != 'u')
    return strchr ("\"\\/bfnrt", *at) && *at ? at + 1 : NULL;
  for (guint i = 1; i <= 4; i++)
    if (end - at <= (gssize) i || !g_ascii_isxdigit (at[i]))
      return NULL;
  return at + 5;
}

static const gchar *
skip_string (const gchar *at, const gchar *end)
{
  for (at++; at && at < end && *at != '"';) {
    if ((guchar) *at < 0x20)
      return NULL;
    at = *at == '\\' ? skip_escape (at + 1, end) : at + 1;
  }
  return at && at < end ? at + 1 : NULL;
}

static const gchar *
skip_digits (const gchar *at, const gchar *end)
{
  const gchar *begin = at;

  while (at < end && g_ascii_isdigit (*at))
    at++;
  return at > begin ? at : NULL;
}

static const gchar *
skip_number (const gchar *at, const gchar *end)
{
  if (at < end && *at == '-')
    at++;
  at = at < end && *at == '0' ? at + 1 : skip_digits (at, end);
  if (at && at < end && *at == '.')
    at = skip_digits (at + 1, end);
  if (at && at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-'))
      at++;
    at = skip_digits (at, end);
  }
  return at;
}

static const gchar *
skip_literal (const gchar *at, const gchar *end, const gchar *literal)
{
  const gsize size = strlen (literal);

  return (gsize) (end - at) >= size && memcmp (at, literal, size) == 0 ? at + size : NULL;
}

static const gchar *
skip_word (const gchar *at, const gchar *end)
{
  static const gchar *const words[] = { "true", "false", "null", "NaN", "Infinity", "-Infinity" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++) {
    const gchar *after = skip_literal (at, end, words[i]);

    if (after)
      return after;
  }
  return skip_number (at, end);
}

static const gchar *skip_value (const gchar * at, const gchar * end, guint depth);

/* Behind "key": and its value, or a value. */
static const gchar *
skip_item (const gchar *at, const gchar *end, gboolean is_object, guint depth)
{
  if (is_object) {
    at = at < end && *at == '"' ? skip_string (at, end) : NULL;
    at = at ? skip_blanks (at, end) : NULL;
    if (!at || at == end || *at != ':')
      return NULL;
    at = skip_blanks (at + 1, end);
  }
  at = skip_value (at, end, depth);
  return at ? skip_blanks (at, end) : NULL;
}

static const gchar *
skip_items (const gchar *at, const gchar *end, guint depth)
{
  const gboolean is_object = *at == '{';
  const gchar close = is_object ? '}' : ']';

  at = skip_blanks (at + 1, end);
  if (at < end && *at == close)
    return at + 1;
  for (;;) {
    at = skip_item (at, end, is_object, depth);
    if (!at || at == end || (*at != ',' && *at != close))
      return NULL;
    if (*at++ == close)
      return at;
    at = skip_blanks (at, end);
  }
}

static const gchar *
skip_value (const gchar *at, const gchar *end, guint depth)
{
  if (at == end || depth > MAX_DEPTH)
    return NULL;
  if (*at == '{' || *at == '[')
    return skip_items (at, end, depth + 1);
  return *at == '"' ? skip_string (at, end) : skip_word (at, end);
}

gboolean
robocache_json_parse (const gchar *text, gsize size, RobocacheJsonValue *value)
{
  const gchar *end = size > 0 ? text + size : text, *begin = skip_blanks (text, end), *after = skip_value (begin, end, 0);

  if (!after || skip_blanks (after, end) != end)
    return FALSE;
  *value = (RobocacheJsonValue) {begin, (gsize) (after - begin)};
  return TRUE;
}

/* ---- parts ---- */

void
robocache_json_walk_init (RobocacheJsonWalk *walk, RobocacheJsonValue value)
{
  const gboolean has_items = value.size >= 2 && (*value.data == '{' || *value.data == '[');

  walk->is_object = has_items && *value.data == '{';
  walk->at = has_items ? value.data + 1 : value.data;
  walk->end = has_items ? value.data + value.size - 1 : value.data;
}

/* The value at `at`, which was checked. */
static RobocacheJsonValue
value_at (const gchar *at, const gchar *end)
{
  const gchar *after = skip_value (at, end, 0);

  return (RobocacheJsonValue) {at, after ? (gsize) (after - at) : 0};
}

gboolean
robocache_json_walk_next (RobocacheJsonWalk *walk, RobocacheJsonValue *key, RobocacheJsonValue *value)
{
  const gchar *at = skip_blanks (walk->at, walk->end);

  *key = (RobocacheJsonValue) {NULL, 0};
  if (at < walk->end && *at == ',')
    at = skip_blanks (at + 1, walk->end);
  if (at >= walk->end)
    return FALSE;
  if (walk->is_object) {
    *key = value_at (at, walk->end);
    at = skip_blanks (at + key->size, walk->end);
    if (key->size == 0 || at >= walk->end)
      return FALSE;
    at = skip_blanks (at + 1, walk->end);
  }
  *value = value_at (at, walk->end);
  walk->at = at + value->size;
  return value->size > 0;
}

RobocacheJsonValue
robocache_json_member (RobocacheJsonValue object, const gchar *key)
{
  RobocacheJsonValue found = { NULL, 0 }, name, value;
  RobocacheJsonWalk walk;

  robocache_json_walk_init (&walk, object);
  while (walk.is_object && robocache_json_walk_next (&walk, &name, &value))
    if (robocache_json_string_equal (name, key))
      found = value;
  return found;
}

/* ---- values ---- */

gboolean
robocache_json_is (RobocacheJsonValue value, const gchar *literal)
{
  return value.size == strlen (literal) && memcmp (value.data, literal, value.size) == 0;
}

gboolean
robocache_json_is_string (RobocacheJsonValue value)
{
  return value.size >= 2 && *value.data == '"';
}

static gunichar
code_of (const gchar *digits)
{
  gunichar code = 0;

  for (guint i = 0; i < 4; i++)
    code = code * 16 + (gunichar) g_ascii_xdigit_value (digits[i]);
  return code;
}

/* Appends the character of an escape behind \u, whose second half may follow; returns its end. */
static const gchar *
append_unicode (GString *to, const gchar *at, const gchar *end)
{
  gunichar code = code_of (at);

  at += 4;
  if (code >= 0xd800 && code < 0xdc00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
    const gunichar low = code_of (at + 2);

    if (low >= 0xdc00 && low < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      at += 6;
    }
  }
  g_string_append_unichar (to, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
  return at;
}

void
robocache_json_get_string (RobocacheJsonValue value, GString *to)
{
  static const gchar names[] = "bfnrt", characters[] = "\b\f\n\r\t";
  const gchar *at = value.data + 1, *end = value.data + value.size - 1;

  g_string_truncate (to, 0);
  while (robocache_json_is_string (value) && at < end) {
    const gchar *name;

    if (*at != '\\') {
      g_string_append_c (to, *at++);
    } else if (at[1] == 'u') {
      at = append_unicode (to, at + 2, end);
    } else {
      name = strchr (names, at[1]);
      g_string_append_c (to, name ? characters[name - names] : at[1]);
      at += 2;
    }
  }
}

gboolean
robocache_json_string_equal (RobocacheJsonValue value, const gchar *text)
{
  const gsize size = strlen (text);
  gboolean is_equal;
  GString *string;

  if (!robocache_json_is_string (value))
    return FALSE;
  if (!memchr (value.data, '\\', value.size))
    return value.size - 2 == size && memcmp (value.data + 1, text, size) == 0;
  string = g_string_new (NULL);
  robocache_json_get_string (value, string);
  is_equal = g_str_equal (string->str, text) && string->len == size;
  g_string_free (string, TRUE);
  return is_equal;
}

/* The text of a number with NUL; FALSE: it is another value. */
static gboolean
copy_number (RobocacheJsonValue value, gchar text[MAX_NUMBER_SIZE])
{
  if (value.size == 0 || value.size >= MAX_NUMBER_SIZE || (*value.data != '-' && !g_ascii_isdigit (*value.data)))
    return FALSE;
  memcpy (text, value.data, value.size);
  text[value.size] = '\0';
  return TRUE;
}

gboolean
robocache_json_get_number (RobocacheJsonValue value, gdouble *number)
{
  gchar text[MAX_NUMBER_SIZE];

  for (guint i = 0; i < G_N_ELEMENTS (literal_numbers); i++) {
    if (!robocache_json_is (value, literal_numbers[i].text))
      continue;
    *number = literal_numbers[i].number;
    return TRUE;
  }
  if (!copy_number (value, text))
    return FALSE;
  *number = g_ascii_strtod (text, NULL);
  return TRUE;
}

/* 2.0 is an integer, too. */
gboolean
robocache_json_get_integer (RobocacheJsonValue value, gint64 *number)
{
  gchar text[MAX_NUMBER_SIZE];
  gdouble real;

  /* -Infinity ends in a letter */
  if (!copy_number (value, text) || !g_ascii_isdigit (text[strlen (text) - 1]))
    return FALSE;
  if (!strpbrk (text, ".eE")) {
    errno = 0;
    *number = g_ascii_strtoll (text, NULL, 10);
    return errno == 0;
  }
  real = g_ascii_strtod (text, NULL);
  *number = fabs (real) < 9007199254740992.0 ? (gint64) real : 0;
  return fabs (real) < 9007199254740992.0 && (gdouble) *number == real;
}

void
robocache_json_append_string (GString *json, const gchar *text)
{
  g_string_append_c (json, '"');
  for (; *text; text++) {
    const guchar c = (guchar) * text;

    if (c == '"' || c == '\\')
      g_string_append_printf (json, "\\%c", c);
    else if (c == '\n')
      g_string_append (json, "\\n");
    else if (c < 0x20)
      g_string_append_printf (json, "\\u%04x", c);
    else
      g_string_append_c (json, (gchar) c);
  }
  g_string_append_c (json, '"');
}
