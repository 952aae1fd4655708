/* robocache: messages written from text: "((1 500 'base') ['a' 'b'] [0.5 1] 7)", fields in the order of their definition
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MESSAGETEXT_H
#define MESSAGETEXT_H

#include <string.h>

#include "common/ros/cdr.h"
#include "common/ros/schema.h"

static inline void write_message_text (RobocacheCdrWriter * writer, const RobocacheRosSchema * schema, guint index,
    const gchar ** text);

/* Moves behind blanks and `mark`, which must follow. */
static inline void
expect_mark (const gchar **text, gchar mark)
{
  *text += strspn (*text, " ");
  if (**text != mark)
    g_error ("expected %c at \"%s\"", mark, *text);
  (*text)++;
}

static inline void
write_number_text (RobocacheCdrWriter *writer, RobocacheRosKind kind, const gchar **text)
{
  const guint bytes = robocache_ros_kind_bytes (kind);
  gchar *end;
  const gdouble real = g_ascii_strtod (*text, &end);
  const gfloat single = (gfloat) real;
  const gint64 integer = **text == '-' ? g_ascii_strtoll (*text, NULL, 10) : (gint64) g_ascii_strtoull (*text, NULL, 10);
  guint8 copy[8];

  if (end == *text)
    g_error ("expected a number at \"%s\"", *text);
  *text = end;
  if (kind == ROBOCACHE_ROS_FLOAT64)
    memcpy (copy, &real, bytes);
  else if (kind == ROBOCACHE_ROS_FLOAT32)
    memcpy (copy, &single, bytes);
  else
    memcpy (copy, (const guint8 *) &integer + (G_BYTE_ORDER == G_BIG_ENDIAN ? 8 - bytes : 0), bytes);
  robocache_cdr_write_array (writer, copy, bytes, 1);
}

static inline void
write_item_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const RobocacheRosField *field, const gchar **text)
{
  *text += strspn (*text, " ");
  if (field->kind == ROBOCACHE_ROS_MESSAGE) {
    write_message_text (writer, schema, field->message, text);
  } else if (field->kind == ROBOCACHE_ROS_STRING) {
    gchar *string;

    expect_mark (text, '\'');
    string = g_strndup (*text, strcspn (*text, "'"));
    *text += strlen (string);
    expect_mark (text, '\'');
    robocache_cdr_write_string (writer, string);
    g_free (string);
  } else {
    write_number_text (writer, field->kind, text);
  }
}

/* Items up to the bracket, whose count is written in front of them, once it is known. */
static inline void
write_items_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const RobocacheRosField *field, const gchar **text)
{
  guint32 n = 0;
  gsize count_at;

  expect_mark (text, '[');
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE)
    robocache_cdr_write_uint32 (writer, 0);
  count_at = writer->size - sizeof (n);
  for (; (*text)[strspn (*text, " ")] != ']'; n++)
    write_item_text (writer, schema, field, text);
  expect_mark (text, ']');
  if (field->repeat == ROBOCACHE_ROS_SEQUENCE) {
    n = GUINT32_TO_LE (n);
    memcpy (writer->data + count_at, &n, sizeof (n));
  }
}

static inline void
write_message_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, guint index, const gchar **text)
{
  const RobocacheRosType *type = robocache_ros_schema_type (schema, index);

  expect_mark (text, '(');
  if (type->fields->len == 0)
    robocache_cdr_write_uint8 (writer, 0);
  for (guint i = 0; i < type->fields->len; i++) {
    const RobocacheRosField *field = &g_array_index (type->fields, RobocacheRosField, i);

    if (field->repeat == ROBOCACHE_ROS_SINGLE)
      write_item_text (writer, schema, field, text);
    else
      write_items_text (writer, schema, field, text);
  }
  expect_mark (text, ')');
}

/* A whole message. */
static inline void
write_text (RobocacheCdrWriter *writer, const RobocacheRosSchema *schema, const gchar *text)
{
  robocache_cdr_writer_begin (writer);
  write_message_text (writer, schema, 0, &text);
}

#endif
