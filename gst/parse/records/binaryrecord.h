/* robocache: records of fixed size, described as in Python's struct module
 *
 *   byte order  < little, > or ! big, = the machine's, all with standard sizes and no padding;
 *               @ or none: the machine's, with the compiler's sizes and alignment
 *   types       b B h H i I l L q Q integers, e f d floats of 16, 32 and 64 bits, ? a byte that is 0 or not, x a byte
 *               that is skipped; a number before one repeats it, blanks do not matter
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "common/text/timetext.h"

#define ROBOCACHE_RECORD_MAX_SIZE (1 << 20)     /* bytes of a record */

typedef struct
{
  gchar type;                   /* type with its standard size: 'l' of 8 bytes is 'q' */
  gsize offset;                 /* bytes from the beginning of the record */
} RobocacheRecordField;

typedef struct
{
  RobocacheRecordField *fields; /* without padding */
  guint n_fields;
  gsize size;                   /* bytes of a record */
  gboolean swap;                /* the byte order differs from the machine's */
} RobocacheRecordFormat;

/* FALSE and an error that names the character: string is not a layout, or the record is empty or exceeds the limit. */
gboolean robocache_record_format_parse (RobocacheRecordFormat * format, const gchar * string, GError ** error);
void robocache_record_format_clear (RobocacheRecordFormat * format);

/* Reads a field of a record as a float, rounded once from its type. */
gfloat robocache_record_format_read_float (const RobocacheRecordFormat * format, guint field, const guint8 * record);
/* Reads a field of a record as an exact time. FALSE and an error: the field is no time, or beyond int64 nanoseconds. */
gboolean robocache_record_format_read_time (const RobocacheRecordFormat * format, guint field, const guint8 * record,
    RobocacheTimeUnit unit, gint64 * time_ns, GError ** error);
/* Adds the part of a second in a field to a time. FALSE and an error: the field is no part of a second, or the sum is beyond int64. */
gboolean robocache_record_format_add_part (const RobocacheRecordFormat * format, guint field, const guint8 * record,
    RobocacheTimeUnit unit, gint64 * time_ns, GError ** error);
