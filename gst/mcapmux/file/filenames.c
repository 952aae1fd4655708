/* robocache: names of the files of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "filenames.h"

#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 20

/* Bytes of a number's place at the beginning of a text ("%05d"), and how wide it is; 0: there is none. */
static gsize
parse_place (const gchar *text, guint *width)
{
  gsize n = 1;

  *width = 0;
  if (text[0] != '%')
    return 0;
  for (; g_ascii_isdigit (text[n]) && *width <= MAX_WIDTH; n++)
    *width = *width * 10 + (guint) (text[n] - '0');
  return text[n] == 'd' && *width <= MAX_WIDTH ? n + 1 : 0;
}

gboolean
mux_location_has_number (const gchar *location)
{
  guint n_numbers = 0, width;

  for (const gchar *text = location; (text = strchr (text, '%'));) {
    const gsize n = parse_place (text, &width);

    if (n == 0 && text[1] != '%')
      return FALSE;
    n_numbers += n > 0;
    text += n > 0 ? n : 2;
  }
  return n_numbers == 1;
}

gchar *
mux_location_with_number (const gchar *location, guint number)
{
  GString *path = g_string_new (NULL);
  guint width;

  while (*location) {
    const gsize n = parse_place (location, &width);

    if (n > 0)
      g_string_append_printf (path, "%0*u", (gint) width, number);
    else
      g_string_append_c (path, *location);
    location += n > 0 ? n : location[0] == '%' && location[1] == '%' ? 2 : 1;
  }
  return g_string_free (path, FALSE);
}

gchar *
mux_bag_file_name (const gchar *folder, guint number)
{
  gchar *base = g_path_get_basename (folder), *name = g_strdup_printf ("%s_%u.mcap", base, number);

  g_free (base);
  return name;
}
