/* robocache: fields of a message, read by name and checked against their schema
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "messagefields.h"

#include <math.h>
#include <string.h>

#include "common/element/errors.h"
#include "common/ros/rownumbers.h"
#include "kernels/arithmetic.h"

struct _RobocacheMessageFields
{
  RobocacheFieldLocator *locator;
  const RobocacheRosField **fields;     /* [n]; NULL: missing */
  RobocacheRosPlace *places;    /* [n] */
  guint n;
  RobocacheCdrReader message;   /* the last one */
};

static gboolean
has_shape (const RobocacheRosField *field, RobocacheFieldShape shape)
{
  const guint bytes = robocache_ros_kind_bytes (field->kind);

  switch (shape) {
    case ROBOCACHE_FIELD_NUMBER:
      return bytes > 0 && field->repeat == ROBOCACHE_ROS_SINGLE;
    case ROBOCACHE_FIELD_NUMBERS:
      return bytes > 0 && field->repeat != ROBOCACHE_ROS_SINGLE;
    case ROBOCACHE_FIELD_BYTES:
      return bytes == 1 && field->repeat != ROBOCACHE_ROS_SINGLE;
    case ROBOCACHE_FIELD_STRING:
      return field->kind == ROBOCACHE_ROS_STRING && field->repeat == ROBOCACHE_ROS_SINGLE;
    case ROBOCACHE_FIELD_STRINGS:
      return field->kind == ROBOCACHE_ROS_STRING && field->repeat != ROBOCACHE_ROS_SINGLE;
    case ROBOCACHE_FIELD_MESSAGES:
      return field->kind == ROBOCACHE_ROS_MESSAGE && field->repeat != ROBOCACHE_ROS_SINGLE;
  }
  g_return_val_if_reached (FALSE);
}

RobocacheMessageFields *
robocache_message_fields_new (const RobocacheRosSchema *schema, guint index, const RobocacheFieldSpec *specs, guint n, GError **error)
{
  RobocacheMessageFields *fields = g_new0 (RobocacheMessageFields, 1);
  const gchar **paths = g_new (const gchar *, n);

  for (guint i = 0; i < n; i++)
    paths[i] = specs[i].path;
  fields->locator = robocache_field_locator_new (schema, index, paths, n);
  fields->fields = g_new0 (const RobocacheRosField *, n);
  fields->places = g_new0 (RobocacheRosPlace, n);
  fields->n = n;
  g_free (paths);
  for (guint i = 0; i < n; i++) {
    const RobocacheRosField *field = robocache_field_locator_field (fields->locator, i);

    if (field && has_shape (field, specs[i].shape)) {
      fields->fields[i] = field;
    } else if (!specs[i].is_optional) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "its definition of %s has %s field %s",
          robocache_ros_schema_type (schema, index)->name, field ? "another type for the" : "no", specs[i].path);
      robocache_message_fields_free (fields);
      return NULL;
    }
  }
  return fields;
}

void
robocache_message_fields_free (RobocacheMessageFields *fields)
{
  if (!fields)
    return;
  robocache_field_locator_free (fields->locator);
  g_free (fields->fields);
  g_free (fields->places);
  g_free (fields);
}

gboolean
robocache_message_fields_has (const RobocacheMessageFields *fields, guint field)
{
  return fields->fields[field] != NULL;
}

guint
robocache_message_fields_type (const RobocacheMessageFields *fields, guint field)
{
  return fields->fields[field]->message;
}

gboolean
robocache_message_fields_find (RobocacheMessageFields *fields, RobocacheCdrReader *reader, gboolean to_the_end)
{
  fields->message = *reader;
  return robocache_field_locator_run (fields->locator, reader, to_the_end, fields->places);
}

RobocacheCdrReader
robocache_message_fields_reader (const RobocacheMessageFields *fields, guint field)
{
  RobocacheCdrReader reader = fields->message;

  reader.offset = fields->places[field].offset;
  return reader;
}

/* The numbers of a field; NULL: it has no numbers. */
static const guint8 *
numbers_of (const RobocacheMessageFields *fields, guint field)
{
  /* not all of the reader: this runs for each number */
  RobocacheCdrReader reader = {.body = fields->message.body,.size = fields->message.size,.offset = fields->places[field].offset };

  if (!fields->fields[field])
    return NULL;
  return robocache_cdr_read_array (&reader, robocache_ros_kind_bytes (fields->fields[field]->kind), fields->places[field].count);
}

gdouble
robocache_message_fields_item (const RobocacheMessageFields *fields, guint field, guint32 i)
{
  gdouble number = 0.0;

  if (i < robocache_message_fields_count (fields, field))
    robocache_message_fields_pick (fields, field, &i, 1, &number);
  return number;
}

void
robocache_message_fields_pick (const RobocacheMessageFields *fields, guint field, const guint32 *items, guint n, gdouble *to)
{
  const guint8 *numbers = numbers_of (fields, field);
  const guint32 count = numbers ? fields->places[field].count : 0;
  const RobocacheRosKind kind = numbers ? fields->fields[field]->kind : ROBOCACHE_ROS_FLOAT64;
  const gsize bytes = robocache_ros_kind_bytes (kind);

  const gboolean is_plain = kind == ROBOCACHE_ROS_FLOAT64 && !fields->message.is_swapped;

  for (guint i = 0; i < n; i++) {
    if (items[i] < count && is_plain)
      memcpy (&to[i], numbers + items[i] * bytes, sizeof (to[i]));
    else if (items[i] < count)
      robocache_row_number_convert (&fields->message, numbers + items[i] * bytes, kind, RC_FLOAT64, &to[i]);
    else
      to[i] = NAN;
  }
}

gdouble
robocache_message_fields_number (const RobocacheMessageFields *fields, guint field)
{
  return robocache_message_fields_item (fields, field, 0);
}

gint64
robocache_message_fields_integer (const RobocacheMessageFields *fields, guint field)
{
  const guint8 *numbers = numbers_of (fields, field);
  const RobocacheRosKind kind = numbers ? fields->fields[field]->kind : ROBOCACHE_ROS_INT64;
  gint64 number = 0;

  if (kind == ROBOCACHE_ROS_FLOAT32 || kind == ROBOCACHE_ROS_FLOAT64)
    return rc_int64_from_float64 (robocache_message_fields_number (fields, field));
  if (numbers)
    robocache_row_number_convert (&fields->message, numbers, kind, kind == ROBOCACHE_ROS_UINT64 ? RC_UINT64 : RC_INT64, &number);
  return kind == ROBOCACHE_ROS_UINT64 && number < 0 ? G_MAXINT64 : number;
}

const gchar *
robocache_message_fields_string (const RobocacheMessageFields *fields, guint field)
{
  RobocacheCdrReader reader = robocache_message_fields_reader (fields, field);
  guint32 length;

  return fields->fields[field] ? robocache_cdr_read_string (&reader, &length) : "";
}

guint32
robocache_message_fields_count (const RobocacheMessageFields *fields, guint field)
{
  return fields->fields[field] ? fields->places[field].count : 0;
}

const guint8 *
robocache_message_fields_bytes (const RobocacheMessageFields *fields, guint field)
{
  return numbers_of (fields, field);
}

RobocacheRosKind
robocache_message_fields_kind (const RobocacheMessageFields *fields, guint field)
{
  return fields->fields[field]->kind;
}
