/* robocache: text of recordings and messages for a terminal, which must not obey it
 *
 * robocache/printable.py is the same in Python.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "program.h"

#include <string.h>

static void
append_byte (GString *out, guint8 byte)
{
  g_string_append_printf (out, "\\x%02x", byte);
}

/* Beside control characters these move text about, or end a line. */
static gboolean
is_escaped (gunichar c)
{
  const GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR
      || type == G_UNICODE_PARAGRAPH_SEPARATOR;
}

static void
append_character (GString *out, gunichar c)
{
  if (!is_escaped (c))
    g_string_append_unichar (out, c);
  else if (c == '\n')
    g_string_append (out, "\\n");
  else if (c == '\t')
    g_string_append (out, "\\t");
  else if (c < 0x100)
    append_byte (out, (guint8) c);
  else
    g_string_append_printf (out, "\\u%04x", c);
}

gchar *
printable (const gchar *text)
{
  GString *out = g_string_new (NULL);

  while (*text) {
    const gunichar c = g_utf8_get_char_validated (text, -1);

    if (c == (gunichar) -1 || c == (gunichar) -2) {
      append_byte (out, (guint8) *text++);
    } else {
      append_character (out, c);
      text = g_utf8_next_char (text);
    }
  }
  return g_string_free (out, FALSE);
}

void
printable_report (const gchar *kind, const gchar *message)
{
  gchar *text = printable (message);

  fprintf (stderr, "%s: %s\n", kind, text);
  g_free (text);
}
