/* robocache: LAS files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pointfile.h"

#include <math.h>
#include <string.h>

#include "common/device/budget.h"
#include "common/element/errors.h"

/* Offsets in the header. */
enum
{
  MINOR_VERSION = 25,
  POINT_DATA = 96,
  POINT_FORMAT = 104,
  POINT_LENGTH = 105,
  N_POINTS = 107,
  SCALES = 131,
  OFFSETS = 155,
  N_POINTS_1_4 = 247,
  HEADER = 227,
  HEADER_1_4 = 375
};

#define N_FORMATS 11
#define FIRST_FORMAT_OF_1_4 6

/* A field of points, by the offset of its bytes in records of format 0, of format 6, and of those with more. */
typedef struct
{
  const gchar *name;
  RcDtype dtype;
  gint offset;                  /* in the record */
  guint shift, mask;            /* of a part of a byte; mask 0: all of it */
} LasField;

static const LasField fields_of_0[] = {
  {"intensity", RC_UINT16, 12}, {"return_number", RC_UINT8, 14, 0, 7}, {"number_of_returns", RC_UINT8, 14, 3, 7}, {"classification", RC_UINT8, 15, 0, 31},
  {"scan_angle_rank", RC_INT8, 16}, {"user_data", RC_UINT8, 17}, {"point_source_id", RC_UINT16, 18}
};
static const LasField fields_of_6[] = {
  {"intensity", RC_UINT16, 12}, {"return_number", RC_UINT8, 14, 0, 15}, {"number_of_returns", RC_UINT8, 14, 4, 15}, {"classification", RC_UINT8, 16},
  {"scan_angle", RC_INT16, 18}, {"user_data", RC_UINT8, 17}, {"point_source_id", RC_UINT16, 20}
};

/* Bytes of a record, and offsets of more fields; 0: it has none. */
static const struct
{
  guint size, gps_time, red, nir;
} formats[N_FORMATS] = {
  {20, 0, 0, 0}, {28, 20, 0, 0}, {26, 0, 20, 0}, {34, 20, 28, 0}, {57, 20, 0, 0}, {63, 20, 28, 0}, {30, 22, 0, 0}, {36, 22, 30, 0}, {38, 22, 30, 36},
  {59, 22, 0, 0}, {67, 22, 30, 36}
};

/* The layout of a file. */
typedef struct
{
  const guint8 *records;
  gsize record_bytes;
  guint64 n_points;
  gdouble scales[3], offsets[3];
  GArray *fields;               /* LasField */
} Las;

static guint64
read_integer (const guint8 *bytes, gsize size)
{
  guint64 value = 0;

  for (gsize i = size; i > 0; i--)
    value = value << 8 | bytes[i - 1];
  return value;
}

static gdouble
read_double (const guint8 *bytes)
{
  const guint64 bits = read_integer (bytes, 8);
  gdouble value;

  memcpy (&value, &bits, sizeof (value));
  return value;
}

static gboolean
refuse (GError **error, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  if (error)
    *error = g_error_new_valist (ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, format, args);
  va_end (args);
  return FALSE;
}

static gboolean
check_header (const guint8 *bytes, gsize n, GError **error)
{
  if (n < 4 || memcmp (bytes, "LASF", 4) != 0)
    return refuse (error, "the file does not begin with LASF, expected a LAS file");
  if (n < HEADER)
    return refuse (error, "the file has %" G_GSIZE_FORMAT " bytes, expected a LAS header of at least %d", n, HEADER);
  if (bytes[MINOR_VERSION - 1] != 1 || bytes[MINOR_VERSION] > 4)
    return refuse (error, "LAS version %u.%u, expected 1.0 to 1.4", bytes[MINOR_VERSION - 1], bytes[MINOR_VERSION]);
  if (bytes[POINT_FORMAT] & 0xc0)
    return refuse (error, "the points are compressed (LAZ): decompress the file with \"laszip -i FILE.laz -o FILE.las\" or \"pdal translate\"");
  if (bytes[POINT_FORMAT] >= N_FORMATS)
    return refuse (error, "point format %u, expected 0 to %d", bytes[POINT_FORMAT], N_FORMATS - 1);
  return TRUE;
}

static gboolean
read_header (Las *las, const guint8 *bytes, gsize n, GError **error)
{
  const guint minor = bytes[MINOR_VERSION], format = bytes[POINT_FORMAT];
  const guint64 begin = read_integer (bytes + POINT_DATA, 4);

  las->record_bytes = read_integer (bytes + POINT_LENGTH, 2);
  las->n_points = read_integer (bytes + N_POINTS, 4);
  if (minor == 4 && n >= HEADER_1_4)
    las->n_points = MAX (las->n_points, read_integer (bytes + N_POINTS_1_4, 8));
  if (las->record_bytes < formats[format].size)
    return refuse (error, "a point has %" G_GSIZE_FORMAT " bytes, expected at least %u for point format %u", las->record_bytes, formats[format].size,
        format);
  if (begin < HEADER || begin > n || las->n_points > (n - begin) / las->record_bytes)
    return refuse (error, "%" G_GUINT64_FORMAT " points of %" G_GSIZE_FORMAT " bytes begin at byte %" G_GUINT64_FORMAT ", but the "
        "file has only %" G_GSIZE_FORMAT " bytes", las->n_points, las->record_bytes, begin, n);
  for (guint i = 0; i < 3; i++) {
    las->scales[i] = read_double (bytes + SCALES + 8 * i);
    las->offsets[i] = read_double (bytes + OFFSETS + 8 * i);
    if (!isfinite (las->scales[i]) || !isfinite (las->offsets[i]))
      return refuse (error, "the scale or offset of %c is not a finite number", "xyz"[i]);
  }
  las->records = bytes + begin;
  return TRUE;
}

static void
append_field (RobocachePointFile *file, Las *las, const LasField *field)
{
  g_array_append_vals (las->fields, field, 1);
  robocache_point_fields_append (&file->fields, field->name, field->dtype);
}

static void
choose_fields (RobocachePointFile *file, Las *las, guint format)
{
  const LasField *basic = format < FIRST_FORMAT_OF_1_4 ? fields_of_0 : fields_of_6;
  static const gchar *const colours[] = { "red", "green", "blue" };

  robocache_point_fields_init (&file->fields);
  for (guint i = 0; i < 3; i++)
    robocache_point_fields_append (&file->fields, (const gchar *[]) { "x", "y", "z" }[i], RC_FLOAT64);
  for (guint i = 0; i < G_N_ELEMENTS (fields_of_0); i++)
    append_field (file, las, &basic[i]);
  if (formats[format].gps_time)
    append_field (file, las, &(LasField) {"gps_time", RC_FLOAT64, (gint) formats[format].gps_time});
  for (guint i = 0; i < 3 && formats[format].red; i++)
    append_field (file, las, &(LasField) {colours[i], RC_UINT16, (gint) (formats[format].red + 2 * i)});
  if (formats[format].nir)
    append_field (file, las, &(LasField) {"nir", RC_UINT16, (gint) formats[format].nir});
}

/* Values in the machine's order. */
static guint8 *
store_field (guint8 *to, const LasField *field, const guint8 *record)
{
  const gsize size = rc_dtype_size (field->dtype);
  guint64 value = read_integer (record + field->offset, size);

  if (field->mask)
    value = value >> field->shift & field->mask;
  for (gsize i = 0; i < size; i++)
    to[i] = (guint8) (value >> 8 * (G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : size - 1 - i));
  return to + size;
}

static void
store_points (const RobocachePointFile *file, const Las *las)
{
  const guint8 *record = las->records;
  guint8 *to = file->points;

  for (guint64 k = 0; k < las->n_points; k++, record += las->record_bytes) {
    for (guint i = 0; i < 3; i++, to += sizeof (gdouble)) {
      const gdouble value = (gint32) read_integer (record + 4 * i, 4) * las->scales[i] + las->offsets[i];

      memcpy (to, &value, sizeof (value));
    }
    for (guint i = 0; i < las->fields->len; i++)
      to = store_field (to, &g_array_index (las->fields, LasField, i), record);
  }
}

gboolean
robocache_las_decode (RobocachePointFile *file, const guint8 *bytes, gsize n, GError **error)
{
  Las las = { 0 };
  gboolean ok;

  if (!check_header (bytes, n, error) || !read_header (&las, bytes, n, error))
    return FALSE;
  las.fields = g_array_new (FALSE, FALSE, sizeof (LasField));
  choose_fields (file, &las, bytes[POINT_FORMAT]);
  file->n_points = las.n_points;
  if (las.n_points > 0)
    file->points = robocache_try_malloc (las.n_points * file->fields.point_step, "points", error);
  ok = las.n_points == 0 || file->points;
  if (ok)
    store_points (file, &las);
  g_array_unref (las.fields);
  return ok;
}
