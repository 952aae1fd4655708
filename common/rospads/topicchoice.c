/* robocache: the choice of topics by names and globs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "topicchoice.h"

#include <string.h>

/* Events of a recorder are no stream. */
#define EVENTS_TOPIC "/robocache/events"

/* Most globs are names: a pattern is made of the others alone. */
static gboolean
is_match (const gchar *glob, gsize length, const gchar *topic)
{
  gboolean is;
  gchar *pattern;

  if (!memchr (glob, '*', length) && !memchr (glob, '?', length))
    return strncmp (glob, topic, length) == 0 && topic[length] == '\0';
  pattern = g_strndup (glob, length);
  is = g_pattern_match_simple (pattern, topic);
  g_free (pattern);
  return is;
}

gint
robocache_ros_topics_find (const gchar *topics, const gchar *topic)
{
  const gchar *next = topics ? topics : "";
  gboolean has_glob = FALSE;

  for (gint i = 0; *next; i++) {
    const gchar *glob = next, *end = next + strcspn (next, ",");
    gsize length;

    next = *end ? end + 1 : end;
    while (glob < end && g_ascii_isspace (*glob))
      glob++;
    while (end > glob && g_ascii_isspace (end[-1]))
      end--;
    length = (gsize) (end - glob);
    has_glob |= length > 0;
    if (length > 0 && is_match (glob, length, topic))
      return i;
  }
  return has_glob || g_str_equal (topic, EVENTS_TOPIC) ? -1 : 0;
}
