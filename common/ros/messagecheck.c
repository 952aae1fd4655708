/* robocache: messages that can be read, but not rightly: longer than their definition, or without a time in their stamp
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "messagecheck.h"

#include "common/element/errors.h"
#include "fieldlocator.h"

/* To a multiple of 4 bytes. */
#define MAX_PADDING 3

enum
{ SECONDS, NANOSECONDS, N_STAMP_FIELDS };

struct _RobocacheMessageCheck
{
  const RobocacheRosSchema *schema;
  RobocacheFieldLocator *locator;       /* of the stamp; also finds the end */
  gboolean has_stamp;           /* the type has one */
  guint64 n, n_too_long, n_without_stamp;
  GError *first;                /* of those that are too long; NULL: none */
};

static gboolean
is_integer (const RobocacheFieldLocator *locator, guint path)
{
  const RobocacheRosField *field = robocache_field_locator_field (locator, path);

  return field && field->repeat == ROBOCACHE_ROS_SINGLE && robocache_ros_kind_bytes (field->kind) == sizeof (guint32);
}

RobocacheMessageCheck *
robocache_message_check_new (const RobocacheRosSchema *schema)
{
  static const gchar *const paths[N_STAMP_FIELDS] = { "header.stamp.sec", "header.stamp.nanosec" };
  RobocacheMessageCheck *check = g_new0 (RobocacheMessageCheck, 1);

  check->schema = schema;
  check->locator = robocache_field_locator_new (schema, 0, paths, N_STAMP_FIELDS);
  check->has_stamp = is_integer (check->locator, SECONDS) && is_integer (check->locator, NANOSECONDS);
  return check;
}

void
robocache_message_check_free (RobocacheMessageCheck *check)
{
  if (!check)
    return;
  robocache_field_locator_free (check->locator);
  g_clear_error (&check->first);
  g_free (check);
}

gboolean
robocache_message_check_length (RobocacheMessageCheck *check, gconstpointer message, gsize size, GError **error)
{
  RobocacheRosPlace places[N_STAMP_FIELDS];
  RobocacheCdrReader reader;

  robocache_cdr_reader_init (&reader, message, size);
  if (!robocache_field_locator_run (check->locator, &reader, TRUE, places) || reader.size - reader.offset <= MAX_PADDING)
    return TRUE;                /* a fault is another error */
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the message has %" G_GSIZE_FORMAT " bytes, but by its definition of %s it ends "
      "after %" G_GSIZE_FORMAT ": it was written with another version of the definition", size,
      robocache_ros_schema_type (check->schema, 0)->name, size - (reader.size - reader.offset));
  return FALSE;
}

static gboolean
has_stamp (const RobocacheMessageCheck *check, gconstpointer message, gsize size)
{
  RobocacheRosPlace places[N_STAMP_FIELDS];
  RobocacheCdrReader reader;
  guint32 stamp[N_STAMP_FIELDS];

  robocache_cdr_reader_init (&reader, message, size);
  if (!robocache_field_locator_run (check->locator, &reader, TRUE, places))
    return TRUE;                /* a fault is another error */
  for (guint i = 0; i < N_STAMP_FIELDS; i++) {
    reader.offset = places[i].offset;
    stamp[i] = robocache_cdr_read_uint32 (&reader);
  }
  return stamp[SECONDS] != 0 || stamp[NANOSECONDS] != 0;
}

void
robocache_message_check_count (RobocacheMessageCheck *check, gconstpointer message, gsize size)
{
  check->n++;
  check->n_too_long += !robocache_message_check_length (check, message, size, check->first ? NULL : &check->first);
  check->n_without_stamp += check->has_stamp && !has_stamp (check, message, size);
}

gchar *
robocache_message_check_describe (const RobocacheMessageCheck *check, const gchar *topic)
{
  GString *text;

  if (check->n_too_long == 0 && check->n_without_stamp == 0)
    return NULL;
  text = g_string_new (NULL);
  g_string_append_printf (text, "%s: ", topic);
  if (check->n_too_long > 0)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " messages are longer than their definition; the "
        "first: %s",
        check->n_too_long, check->n, check->first->message);
  if (check->n_without_stamp > 0)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " stamps are 0, so their times are log times",
        check->n_too_long > 0 ? "; " : "", check->n_without_stamp, check->n);
  return g_string_free (text, FALSE);
}
