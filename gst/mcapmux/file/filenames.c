/* robocache: names of the files of a recording
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "filenames.h"

#include <string.h>

#define MAX_WIDTH 20

typedef enum
{
  PLACE_NONE,                   /* of a character that stands for itself */
  PLACE_PERCENT,
  PLACE_NUMBER,
  PLACE_TIME,
  PLACE_UNKNOWN
} Place;

/* The place at the beginning of a text, its length, and how wide the number is ("%05d"). */
static Place
parse_place (const gchar *text, gsize *length, guint *width)
{
  gsize n = 1;

  *length = 1;
  *width = 0;
  if (text[0] != '%')
    return PLACE_NONE;
  for (; g_ascii_isdigit (text[n]) && *width <= MAX_WIDTH; n++)
    *width = *width * 10 + (guint) (text[n] - '0');
  *length = n + 1;
  if (text[n] == 'd' && *width <= MAX_WIDTH)
    return PLACE_NUMBER;
  if (n == 1 && text[n] == '%')
    return PLACE_PERCENT;
  return n == 1 && text[n] == 't' ? PLACE_TIME : PLACE_UNKNOWN;
}

/* Counts a location's places. FALSE: it is a plain name. */
static gboolean
count_places (const gchar *location, guint *n_numbers)
{
  guint width;
  gsize n;

  *n_numbers = 0;
  for (const gchar *text = location; *text; text += n) {
    const Place place = parse_place (text, &n, &width);

    if (place == PLACE_UNKNOWN)
      return FALSE;
    *n_numbers += place == PLACE_NUMBER;
  }
  return *n_numbers <= 1;
}

gboolean
mux_location_has_number (const gchar *location)
{
  guint n_numbers;

  return count_places (location, &n_numbers) && n_numbers == 1;
}

gchar *
mux_location_expand (const gchar *location, guint number, const gchar *time)
{
  GString *path = g_string_new (NULL);
  guint width, n_numbers;
  gsize n;

  if (!count_places (location, &n_numbers))
    return g_string_free (g_string_assign (path, location), FALSE);
  for (; *location; location += n) {
    switch (parse_place (location, &n, &width)) {
      case PLACE_NUMBER:
        g_string_append_printf (path, "%0*u", (gint) width, number);
        break;
      case PLACE_TIME:
        g_string_append (path, time);
        break;
      default:
        g_string_append_c (path, *location);
        break;
    }
  }
  return g_string_free (path, FALSE);
}

gchar *
mux_location_time (void)
{
  GDateTime *now = g_date_time_new_now_utc ();
  gchar *text = g_date_time_format (now, "%Y%m%dT%H%M%SZ");

  g_date_time_unref (now);
  return text;
}

/* ---- numbers in use ---- */

/* What is before and behind the number, up to the end of its part of the path. */
static void
split_at_number (const gchar *location, const gchar *time, gchar **before, gchar **behind)
{
  const gchar *place = location;
  gchar *head;
  guint width;
  gsize n;

  while (parse_place (place, &n, &width) != PLACE_NUMBER)
    place += n;
  head = g_strndup (location, (gsize) (place - location));
  *before = mux_location_expand (head, 0, time);
  *behind = mux_location_expand (place + n, 0, time);
  if (strchr (*behind, '/'))
    *strchr (*behind, '/') = '\0';
  g_free (head);
}

/* The number of a name between two texts. FALSE: it is another name. */
static gboolean
number_of (const gchar *name, const gchar *before, const gchar *behind, guint *number)
{
  const gsize n = strlen (before);
  gchar *end;
  guint64 value;

  if (!g_str_has_prefix (name, before) || !g_ascii_isdigit (name[n]))
    return FALSE;
  value = g_ascii_strtoull (name + n, &end, 10);
  *number = (guint) value;
  return value < G_MAXUINT && strcmp (end, behind) == 0;
}

guint
mux_location_next_number (const gchar *location, const gchar *time)
{
  gchar *before, *behind, *folder;
  const gchar *name, *stem;
  guint next = 0, number;
  GDir *dir;

  split_at_number (location, time, &before, &behind);
  stem = strrchr (before, '/') ? strrchr (before, '/') + 1 : before;
  folder = stem > before ? g_strndup (before, (gsize) (stem - before)) : g_strdup (".");
  dir = g_dir_open (folder, 0, NULL);
  while (dir && (name = g_dir_read_name (dir)))
    if (number_of (name, stem, behind, &number))
      next = MAX (next, number + 1);
  g_clear_pointer (&dir, g_dir_close);
  g_free (folder);
  g_free (before);
  g_free (behind);
  return next;
}

gchar *
mux_location_continued (const gchar *location, guint number)
{
  const gchar *name = strrchr (location, '/') ? strrchr (location, '/') + 1 : location, *dot = strrchr (name, '.');
  const gsize stem = dot && dot > name ? (gsize) (dot - location) : strlen (location);

  return g_strdup_printf ("%.*s-%u%s", (gint) stem, location, number, location + stem);
}

/* ---- bags ---- */

gchar *
mux_bag_file_name (const gchar *folder, guint number)
{
  gchar *base = g_path_get_basename (folder), *name = g_strdup_printf ("%s_%u.mcap", base, number);

  g_free (base);
  return name;
}

gboolean
mux_bag_has_name (const gchar *folder, const gchar *name)
{
  gchar *base = g_path_get_basename (folder), *before = g_strconcat (base, "_", NULL);
  guint number;
  const gboolean has = number_of (name, before, ".mcap", &number);

  g_free (before);
  g_free (base);
  return has;
}
