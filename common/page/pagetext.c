/* robocache: text of a page: escaped, and numbers with their units
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pagetext.h"

#include <math.h>
#include <string.h>

/* U+202F, which does not end a line */
#define NARROW_SPACE "\342\200\257"

/* ---- markup ---- */

static void
append_character (GString *out, gunichar c)
{
  static const struct
  {
    gunichar c;
    const gchar *entity;
  } entities[] = { {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"} };

  for (guint i = 0; i < G_N_ELEMENTS (entities); i++) {
    if (entities[i].c == c) {
      g_string_append (out, entities[i].entity);
      return;
    }
  }
  /* what XML 1.0 has no characters for: section 2.2 */
  g_string_append_unichar (out, (c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0) || (c & 0xfffe) == 0xfffe
      ? 0xfffd : c);
}

/* Appends any text as XML: invalid UTF-8 and control characters become U+FFFD. */
static void
append_escaped (GString *out, const gchar *text)
{
  gchar *valid = g_utf8_make_valid (text, -1);

  for (const gchar *at = valid; *at; at = g_utf8_next_char (at))
    append_character (out, g_utf8_get_char (at));
  g_free (valid);
}

/* Formats are cut at each %s: the parts in between are markup with numbers. */
void
robocache_page_append (GString *out, const gchar *format, ...)
{
  va_list arguments;
  const gchar *next;

  va_start (arguments, format);
  for (; (next = strchr (format, '%')); format = next + 2) {
    g_string_append_len (out, format, next - format);
    if (next[1] == 's')
      append_escaped (out, va_arg (arguments, const gchar *));
    else if (next[1] == 'u')
      g_string_append_printf (out, "%u", va_arg (arguments, guint));
    else
      g_string_append_c (out, next[1]);
  }
  g_string_append (out, format);
  va_end (arguments);
}

/* ---- numbers ---- */

gchar *
robocache_count_text (guint64 n)
{
  gchar *digits = g_strdup_printf ("%" G_GUINT64_FORMAT, n);
  const gsize length = strlen (digits);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < length; i++) {
    if (i > 0 && (length - i) % 3 == 0 && length > 4)
      g_string_append (text, NARROW_SPACE);
    g_string_append_c (text, digits[i]);
  }
  g_free (digits);
  return g_string_free (text, FALSE);
}

/* A minus sign as long as a plus. */
static gchar *
with_minus (const gchar *number)
{
  return *number == '-' ? g_strconcat ("\342\210\222", number + 1, NULL) : g_strdup (number);
}

gchar *
robocache_number_text (gdouble number)
{
  const gdouble size = fabs (number);
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (size >= 100.0 && size < 1e6)
    g_ascii_formatd (text, sizeof (text), "%.0f", number);
  else
    g_ascii_formatd (text, sizeof (text), "%.3g", number == 0.0 ? 0.0 : number);
  return with_minus (text);
}

gdouble
robocache_unit_of_duration (gdouble ns, const gchar **name)
{
  static const struct
  {
    gdouble from, unit;
    const gchar *name;
  } units[] = { {3.0 * 3600e9, 3600e9, "h"}, {180e9, 60e9, "min"}, {1e9, 1e9, "s"}, {1e6, 1e6, "ms"}, {1e3, 1e3, "µs"},
    {0.0, 1.0, "ns"} };
  guint i = 0;

  while (fabs (ns) < units[i].from)
    i++;
  *name = units[i].name;
  return units[i].unit;
}

gchar *
robocache_duration_text (gdouble ns)
{
  const gchar *unit;
  const gdouble scale = robocache_unit_of_duration (ns, &unit);
  gchar *number = robocache_number_text (ns / scale), *text = g_strconcat (number, NARROW_SPACE, ns == 0.0 ? "ms" : unit, NULL);

  g_free (number);
  return text;
}

/* 100 % are all, and 0 % none. */
gchar *
robocache_percent_text (guint64 n, guint64 of)
{
  const gdouble percent = of > 0 ? 100.0 * (gdouble) n / (gdouble) of : 0.0;
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  if (n > 0 && percent < 0.1)
    return g_strdup ("< 0.1" NARROW_SPACE "%");
  if (n < of && percent > 99.9)
    return g_strdup ("> 99.9" NARROW_SPACE "%");
  g_ascii_formatd (text, sizeof (text), n == 0 || n == of ? "%.0f" : "%.1f", percent);
  return g_strconcat (text, NARROW_SPACE, "%", NULL);
}
