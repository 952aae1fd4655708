/* robocache: the values of a JSON text, where they lie in it
 *
 * A value is checked as a whole before it is returned, so that its parts cannot be damaged. Beside JSON, NaN, Infinity and -Infinity are
 * numbers, as Python writes them. Source: RFC 8259.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_JSONTEXT_H
#define ROBOCACHE_JSONTEXT_H

#include <glib.h>

G_BEGIN_DECLS

/* A value in a text, without blanks around it. Size 0: no value. */
typedef struct
{
  const gchar *data;
  gsize size;
} RobocacheJsonValue;

/* Finds the only value of a text. FALSE: it is not JSON, or nests more than 64 levels. */
gboolean robocache_json_parse (const gchar * text, gsize size, RobocacheJsonValue * value);

/* The items of an array, or the members of an object, one after the other. Of another value there are none. */
typedef struct
{
  const gchar *at, *end;
  gboolean is_object;
} RobocacheJsonWalk;

void robocache_json_walk_init (RobocacheJsonWalk * walk, RobocacheJsonValue value);
/* FALSE: no more. key is a string with its quotes; of an array it has size 0. */
gboolean robocache_json_walk_next (RobocacheJsonWalk * walk, RobocacheJsonValue * key, RobocacheJsonValue * value);

/* Kinds of a value. */
gboolean robocache_json_is (RobocacheJsonValue value, const gchar * literal);
gboolean robocache_json_is_string (RobocacheJsonValue value);

/* Replaces the content of `to` by the text of a string. */
void robocache_json_get_string (RobocacheJsonValue value, GString * to);
gboolean robocache_json_string_equal (RobocacheJsonValue value, const gchar * text);
/* FALSE: it is not a number, or no integer of 64 bits. */
gboolean robocache_json_get_number (RobocacheJsonValue value, gdouble * number);
gboolean robocache_json_get_integer (RobocacheJsonValue value, gint64 * number);

/* Appends a text as a JSON string, with its quotes. The text is UTF-8. */
void robocache_json_append_string (GString * json, const gchar * text);

/* The member of an object; size 0: it has none. The last of equal keys counts. */
RobocacheJsonValue robocache_json_member (RobocacheJsonValue object, const gchar * key);

G_END_DECLS
#endif
