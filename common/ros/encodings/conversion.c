/* robocache: a message of another encoding, and the message in CDR that it becomes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "conversion.h"

#include <string.h>

#include "common/element/errors.h"

void
robocache_conversion_write_integer (RobocacheConversion *conversion, RobocacheRosKind kind, guint64 number)
{
  const guint bytes = robocache_ros_kind_bytes (kind);

  robocache_cdr_write_array (conversion->writer, (const guint8 *) &number + (G_BYTE_ORDER == G_BIG_ENDIAN ? sizeof (number) - bytes : 0),
      bytes, 1);
}

void
robocache_conversion_write_text (RobocacheConversion *conversion, const guint8 *text, gsize size)
{
  if (size >= G_MAXUINT32)
    conversion->writer->has_failed = TRUE;
  robocache_cdr_write_uint32 (conversion->writer, (guint32) size + 1);
  robocache_cdr_write_array (conversion->writer, text, 1, size);
  robocache_cdr_write_uint8 (conversion->writer, '\0');
}

gboolean
robocache_conversion_check (const RobocacheConversion *conversion, GError **error)
{
  if (conversion->writer->size <= conversion->max_bytes && !conversion->writer->has_failed)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a message of %" G_GSIZE_FORMAT " bytes exceeds %" G_GSIZE_FORMAT " "
      "bytes once it is CDR", conversion->size, conversion->max_bytes);
  return FALSE;
}

static gboolean
write_default_message (RobocacheConversion *conversion, guint index, GError **error)
{
  const RobocacheRosType *type = robocache_ros_schema_type (conversion->schema, index);
  gboolean ok = robocache_conversion_check (conversion, error);

  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (conversion->writer, 0);
  for (guint i = 0; ok && i < type->fields->len; i++)
    ok = robocache_conversion_write_default (conversion, &g_array_index (type->fields, RobocacheRosField, i), error);
  return ok;
}

gboolean
robocache_conversion_write_default (RobocacheConversion *conversion, const RobocacheRosField *field, GError **error)
{
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    robocache_cdr_write_uint32 (conversion->writer, 0);
  else if (field->kind == ROBOCACHE_ROS_MESSAGE)
    return write_default_message (conversion, field->message, error);
  else if (field->kind == ROBOCACHE_ROS_STRING)
    robocache_cdr_write_string (conversion->writer, NULL);
  else
    robocache_conversion_write_integer (conversion, field->kind, field->initial);
  return TRUE;
}

gsize
robocache_conversion_begin_items (RobocacheConversion *conversion)
{
  robocache_cdr_write_uint32 (conversion->writer, 0);
  return conversion->writer->size - sizeof (guint32);
}

void
robocache_conversion_end_items (RobocacheConversion *conversion, gsize place, guint32 count)
{
  const guint32 little = GUINT32_TO_LE (count);

  if (!conversion->writer->has_failed)
    memcpy (conversion->writer->data + place, &little, sizeof (little));
}
