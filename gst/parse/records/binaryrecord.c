/* robocache: records of fixed size, described as Python's struct module does
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "binaryrecord.h"

#include <math.h>
#include <string.h>

#include "common/tensors/tensorcaps.h"
#include "common/time/nanoseconds.h"

/* Sizes of each character, standard and native, and the type of the native size. */
static const struct
{
  gchar type;
  gchar native_type;
  gsize size, native_size;
  gsize native_alignment;
} types[] = {
  {'x', 'x', 1, 1, 1},
  {'?', '?', 1, sizeof (_Bool), _Alignof (_Bool)},
  {'b', 'b', 1, 1, 1},
  {'B', 'B', 1, 1, 1},
  {'h', 'h', 2, sizeof (short), _Alignof (short)},
  {'H', 'H', 2, sizeof (short), _Alignof (short)},
  {'i', 'i', 4, sizeof (int), _Alignof (int)},
  {'I', 'I', 4, sizeof (int), _Alignof (int)},
  {'l', sizeof (long) == 8 ? 'q' : 'i', 4, sizeof (long), _Alignof (long)},
  {'L', sizeof (long) == 8 ? 'Q' : 'I', 4, sizeof (long), _Alignof (long)},
  {'q', 'q', 8, sizeof (long long), _Alignof (long long)},
  {'Q', 'Q', 8, sizeof (long long), _Alignof (long long)},
  {'e', 'e', 2, 2, 2},
  {'f', 'f', 4, sizeof (float), _Alignof (float)},
  {'d', 'd', 8, sizeof (double), _Alignof (double)},
};

G_STATIC_ASSERT (sizeof (short) == 2 && sizeof (int) == 4 && sizeof (long long) == 8);
G_STATIC_ASSERT (sizeof (float) == 4 && sizeof (double) == 8 && sizeof (_Bool) == 1);

static gint
find_type (gchar c)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    if (types[i].type == c)
      return (gint) i;
  }
  return -1;
}

/* Reads the byte order, if there is one; native means native sizes and alignment. */
static const gchar *
parse_order (const gchar *cursor, gboolean *native, gboolean *swap)
{
  const gboolean little = G_BYTE_ORDER == G_LITTLE_ENDIAN;

  *native = *cursor != '<' && *cursor != '>' && *cursor != '!' && *cursor != '=';
  *swap = (*cursor == '<' && !little) || ((*cursor == '>' || *cursor == '!') && little);
  return *cursor != '\0' && strchr ("<>!=@", *cursor) ? cursor + 1 : cursor;
}

static gboolean
append_fields (GArray *fields, gsize *size, gint type, guint64 count, gboolean native)
{
  const gsize step = native ? types[type].native_size : types[type].size;

  if (native)                   /* as in Python, "0q" aligns and adds nothing */
    *size = (*size + types[type].native_alignment - 1) / types[type].native_alignment * types[type].native_alignment;
  if (count > (ROBOCACHE_RECORD_MAX_SIZE - *size) / step)
    return FALSE;
  for (guint64 i = 0; i < count; i++, *size += step) {
    RobocacheRecordField field = { types[type].type, *size };

    if (native)
      field.type = types[type].native_type;
    else if (field.type == 'l' || field.type == 'L')
      field.type = field.type == 'l' ? 'i' : 'I';
    if (field.type != 'x')
      g_array_append_val (fields, field);
  }
  return TRUE;
}

gboolean
robocache_record_format_parse (RobocacheRecordFormat *format, const gchar *string, GError **error)
{
  GArray *fields = g_array_new (FALSE, FALSE, sizeof (RobocacheRecordField));
  gboolean native, swap;
  gsize size = 0;
  const gchar *cursor;

  string = string ? string : "";
  cursor = parse_order (string, &native, &swap);
  for (; *cursor; cursor++) {
    const gboolean counted = g_ascii_isdigit (*cursor);
    gchar *after = (gchar *) cursor;
    const guint64 count = counted ? g_ascii_strtoull (cursor, &after, 10) : 1;
    gint type;

    cursor = after;
    if (!counted && g_ascii_isspace (*cursor))
      continue;
    type = find_type (*cursor);
    if (type < 0) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
          *cursor ? "layout=\"%s\": character %u, '%c', is not a type; types are b B h H i I l L q Q e f d ? and x" :
          "layout=\"%s\" ends at character %u, after the count '%c' without a type",
          string, (guint) (cursor - string) + (*cursor != '\0'), *cursor ? *cursor : cursor[-1]);
      goto failed;
    }
    if (!append_fields (fields, &size, type, count, native)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "layout=\"%s\" is longer than %d bytes", string,
          ROBOCACHE_RECORD_MAX_SIZE);
      goto failed;
    }
  }
  if (fields->len == 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "layout=\"%s\" contains no number: set one like \"<q6f\"", string);
    goto failed;
  }
  format->n_fields = fields->len;
  format->fields = (RobocacheRecordField *) (gpointer) g_array_free (fields, FALSE);
  format->size = size;
  format->swap = swap;
  return TRUE;

failed:
  g_array_free (fields, TRUE);
  return FALSE;
}

void
robocache_record_format_clear (RobocacheRecordFormat *format)
{
  g_clear_pointer (&format->fields, g_free);
  format->n_fields = 0;
}

/* The bits of a field, zero-extended. */
static guint64
read_bits (const RobocacheRecordFormat *format, const RobocacheRecordField *field, const guint8 *record, gsize size)
{
  guint64 bits = 0;

  for (gsize i = 0; i < size; i++) {
    const gboolean little = (G_BYTE_ORDER == G_LITTLE_ENDIAN) != format->swap;

    bits |= (guint64) record[field->offset + i] << 8 * (little ? i : size - 1 - i);
  }
  return bits;
}

static gdouble
half_to_double (guint16 half)
{
  const gint exponent = half >> 10 & 0x1f;
  const gdouble mantissa = half & 0x3ff;
  gdouble value;

  if (exponent == 0x1f)
    value = mantissa == 0.0 ? HUGE_VAL : NAN;
  else
    value = exponent == 0 ? ldexp (mantissa, -24) : ldexp (mantissa + 1024.0, exponent - 25);
  return half & 0x8000 ? -value : value;
}

/* Any number that a field can hold. */
typedef struct
{
  enum
  { SIGNED, UNSIGNED, FLOATING } kind;
  gint64 i;
  guint64 u;
  gdouble d;
} Number;

static Number
read_number (const RobocacheRecordFormat *format, guint index, const guint8 *record)
{
  const RobocacheRecordField *field = &format->fields[index];
  const gsize size = types[find_type (field->type)].size;
  const guint64 bits = read_bits (format, field, record, size);
  Number n = { UNSIGNED, 0, bits, 0.0 };
  guint32 bits32 = (guint32) bits;
  gfloat f;

  switch (field->type) {
    case '?':
      n.u = bits != 0;
      return n;
    case 'e':
      n.kind = FLOATING;
      n.d = half_to_double ((guint16) bits);
      return n;
    case 'f':
      n.kind = FLOATING;
      memcpy (&f, &bits32, sizeof f);
      n.d = f;
      return n;
    case 'd':
      n.kind = FLOATING;
      memcpy (&n.d, &bits, sizeof n.d);
      return n;
    default:
      if (g_ascii_isupper (field->type))
        return n;
      n.kind = SIGNED;
      n.i = (gint64) (bits << (64 - 8 * size)) >> (64 - 8 * size);
      return n;
  }
}

gfloat
robocache_record_format_read_float (const RobocacheRecordFormat *format, guint field, const guint8 *record)
{
  const Number n = read_number (format, field, record);

  if (n.kind == FLOATING)
    return isnan (n.d) ? NAN : (gfloat) n.d;
  return n.kind == SIGNED ? (gfloat) n.i : (gfloat) n.u;
}

static RobocacheTimeStatus
convert_time (Number n, RobocacheTimeUnit unit, gint64 *time_ns)
{
  if (n.kind == FLOATING)
    return robocache_time_from_double (n.d, unit, time_ns);
  return n.kind == SIGNED ? robocache_time_from_int64 (n.i, unit, time_ns) : robocache_time_from_uint64 (n.u, unit, time_ns);
}

gboolean
robocache_record_format_read_time (const RobocacheRecordFormat *format, guint field, const guint8 *record, RobocacheTimeUnit unit,
    gint64 *time_ns, GError **error)
{
  if (convert_time (read_number (format, field, record), unit, time_ns) == ROBOCACHE_TIME_OK)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA,
      "column %u is not a time within int64 nanoseconds; are layout and time-unit right?", field);
  return FALSE;
}

gboolean
robocache_record_format_add_part (const RobocacheRecordFormat *format, guint field, const guint8 *record, RobocacheTimeUnit unit,
    gint64 *time_ns, GError **error)
{
  gint64 part;

  if (!robocache_record_format_read_time (format, field, record, unit, &part, error))
    return FALSE;
  if (part < 0 || part >= ROBOCACHE_SECOND)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "column %u has %" G_GINT64_FORMAT " ns, expected a part of a second", field, part);
  else if (!__builtin_add_overflow (*time_ns, part, time_ns))
    return TRUE;
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "its time is beyond int64 nanoseconds");
  return FALSE;
}
