/* robocache: fields of a message, read by name and checked against their schema
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/fieldlocator.h"

/* Requirements on a field. */
typedef enum
{
  ROBOCACHE_FIELD_NUMBER,
  ROBOCACHE_FIELD_NUMBERS,      /* an array or a sequence */
  ROBOCACHE_FIELD_BYTES,        /* numbers of one byte */
  ROBOCACHE_FIELD_STRING,
  ROBOCACHE_FIELD_STRINGS,
  ROBOCACHE_FIELD_MESSAGES      /* a sequence of another type */
} RobocacheFieldShape;

typedef struct
{
  const gchar *path;            /* "header.stamp.sec" */
  RobocacheFieldShape shape;
  gboolean is_optional;
} RobocacheFieldSpec;

typedef struct _RobocacheMessageFields RobocacheMessageFields;

/* Finds the fields of specs in type number `index` of the schema, which must outlive the result. NULL and a ROBOCACHE_ERROR_CAPS: a required field is missing in
 * the definition, or has another shape. An optional field with another shape counts as missing. */
RobocacheMessageFields *robocache_message_fields_new (const RobocacheRosSchema * schema, guint index,
    const RobocacheFieldSpec * specs, guint n, GError ** error);
void robocache_message_fields_free (RobocacheMessageFields * fields);
gboolean robocache_message_fields_has (const RobocacheMessageFields * fields, guint field);
/* Index of the type of a ROBOCACHE_FIELD_MESSAGES field. */
guint robocache_message_fields_type (const RobocacheMessageFields * fields, guint field);

/* Finds the fields of a message, which begins at the reader's position. to_the_end: leaves the reader after the message; otherwise after
 * the last field. FALSE: a fault of the reader. The functions below read this message, whose memory must remain valid. */
gboolean robocache_message_fields_find (RobocacheMessageFields * fields, RobocacheCdrReader * reader, gboolean to_the_end);

/* Return the value of a field; missing fields are 0 or empty. Integers beyond int64 saturate. */
gint64 robocache_message_fields_integer (const RobocacheMessageFields * fields, guint field);
gdouble robocache_message_fields_number (const RobocacheMessageFields * fields, guint field);
const gchar *robocache_message_fields_string (const RobocacheMessageFields * fields, guint field);
guint32 robocache_message_fields_count (const RobocacheMessageFields * fields, guint field);
/* Item i of a field of numbers. */
gdouble robocache_message_fields_item (const RobocacheMessageFields * fields, guint field, guint32 i);
/* Copies items of a field of numbers; missing items are NaN. */
void robocache_message_fields_pick (const RobocacheMessageFields * fields, guint field, const guint32 * items, guint n, gdouble * to);
const guint8 *robocache_message_fields_bytes (const RobocacheMessageFields * fields, guint field);
/* A reader at the first item of a field. */
RobocacheCdrReader robocache_message_fields_reader (const RobocacheMessageFields * fields, guint field);
RobocacheRosKind robocache_message_fields_kind (const RobocacheMessageFields * fields, guint field);
