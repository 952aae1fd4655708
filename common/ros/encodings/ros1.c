/* robocache: messages of ROS 1 as CDR
 *
 * Source: wiki.ros.org/msg, "Binary encoding": fields in order, little endian, without alignment. Sequences and strings follow their count
 * (uint32); strings have no NUL.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/element/errors.h"
#include "common/ros/fieldlocator.h"
#include "encodings.h"

static void convert_message (RobocacheConversion * conversion, RobocacheCdrReader * reader, guint index);

static void
convert_numbers (RobocacheConversion *conversion, RobocacheCdrReader *reader, RobocacheRosKind kind, guint32 count)
{
  const guint bytes = robocache_ros_kind_bytes (kind);
  const guint8 *numbers = robocache_cdr_read_array (reader, bytes, count);

  if (!numbers)
    return;
  if (!reader->is_swapped)
    robocache_cdr_write_array (conversion->writer, numbers, bytes, count);
  for (guint32 i = 0; reader->is_swapped && i < count; i++) {
    guint64 number;

    robocache_cdr_copy_numbers (reader, &number, numbers + (gsize) i * bytes, bytes, 1);
    robocache_cdr_write_array (conversion->writer, &number, bytes, 1);
  }
}

static void
convert_string (RobocacheConversion *conversion, RobocacheCdrReader *reader)
{
  const guint32 length = robocache_cdr_read_count (reader, 1, G_MAXUINT32 - 1);
  const guint8 *text = robocache_cdr_read_array (reader, 1, length);

  if (text)
    robocache_conversion_write_text (conversion, text, length);
}

static void
convert_field (RobocacheConversion *conversion, RobocacheCdrReader *reader, const RobocacheRosField *field)
{
  const guint32 count = robocache_ros_read_count (conversion->schema, field, reader);

  if (reader->fault)
    return;
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    robocache_cdr_write_uint32 (conversion->writer, count);
  if (robocache_ros_kind_bytes (field->kind) > 0) {
    convert_numbers (conversion, reader, field->kind, count);
    return;
  }
  for (guint32 i = 0; i < count && !reader->fault; i++) {
    if (field->kind == ROBOCACHE_ROS_MESSAGE)
      convert_message (conversion, reader, field->message);
    else
      convert_string (conversion, reader);
  }
}

static void
convert_message (RobocacheConversion *conversion, RobocacheCdrReader *reader, guint index)
{
  const RobocacheRosType *type = robocache_ros_schema_type (conversion->schema, index);

  /* messages without fields take no byte in ROS 1, so counts of them are not bounded by the message */
  if (!robocache_conversion_check (conversion, NULL))
    robocache_cdr_reader_fail (reader, "the message becomes too long in CDR");
  /* ROS 2 puts a byte into a message that has no field */
  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (conversion->writer, 0);
  for (guint i = 0; i < type->fields->len && !reader->fault; i++)
    convert_field (conversion, reader, &g_array_index (type->fields, RobocacheRosField, i));
}

gboolean
robocache_ros1_convert (RobocacheConversion *conversion, GError **error)
{
  RobocacheCdrReader reader;

  robocache_cdr_reader_init_packed (&reader, conversion->message, conversion->size);
  convert_message (conversion, &reader, 0);
  if (!robocache_cdr_reader_check (&reader, error))
    return FALSE;
  if (reader.offset == reader.size)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the message has %" G_GSIZE_FORMAT " bytes, but by its definition of %s it ends "
      "after %" G_GSIZE_FORMAT, reader.size, robocache_ros_schema_type (conversion->schema, 0)->name, reader.offset);
  return FALSE;
}
