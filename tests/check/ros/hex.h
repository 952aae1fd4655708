/* robocache: bytes written as hexadecimal digits
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef HEX_H
#define HEX_H

#include <glib.h>

/* "00 01, ff" → bytes; anything but digits separates nothing. Free with g_byte_array_unref. */
static inline GByteArray *
bytes_of_hex (const gchar *hex)
{
  GByteArray *bytes = g_byte_array_new ();
  gint high = -1;

  for (; *hex; hex++) {
    const gint digit = g_ascii_xdigit_value (*hex);
    guint8 byte;

    if (digit < 0)
      continue;
    if (high < 0) {
      high = digit;
      continue;
    }
    byte = (guint8) (high << 4 | digit);
    g_byte_array_append (bytes, &byte, 1);
    high = -1;
  }
  return bytes;
}

/* Free with g_free. */
static inline gchar *
hex_of_bytes (const guint8 *bytes, gsize n)
{
  GString *hex = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (hex, "%02x", bytes[i]);
  return g_string_free (hex, FALSE);
}

#endif
