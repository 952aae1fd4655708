/* robocache: the points of a PCD file, as text and as compressed columns
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "pcddata.h"

#include <errno.h>
#include <lzf.h>
#include <math.h>
#include <string.h>

#include "common/device/budget.h"
#include "gst/parse/table/csvrecord.h"
#include "common/tensors/tensorcaps.h"

#define COLUMN(header, i) (&g_array_index ((header)->columns, RobocachePcdColumn, i))

/* ---- numbers ---- */

/* Integers of up to 8 bytes in the machine's order. */
static void
store_integer (guint8 *to, guint64 value, gsize size)
{
  for (gsize i = 0; i < size; i++)
    to[i] = (guint8) (value >> 8 * (G_BYTE_ORDER == G_LITTLE_ENDIAN ? i : size - 1 - i));
}

static void
store_float (guint8 *to, gdouble value, RcDtype dtype)
{
  const gfloat rounded = isnan (value) ? NAN : (gfloat) value;

  value = isnan (value) ? NAN : value;
  if (dtype == RC_FLOAT32)
    memcpy (to, &rounded, sizeof rounded);
  else
    memcpy (to, &value, sizeof value);
}

/* From here on a double does not hold every integer. */
#define EXACT_INTEGERS 0x1p53

/* An integer that is written with decimals, as NumPy and Open3D write it: 2.0, 1e+02. */
static gboolean
read_integer_with_decimals (const gchar *text, gdouble least, gdouble end, gdouble *value)
{
  return robocache_csv_number (text, value) && *value >= least && *value < end && fabs (*value) <= EXACT_INTEGERS && *value == floor (*value);
}

gboolean
robocache_pcd_read_number (const gchar *text, RcDtype dtype, guint8 *to)
{
  const gsize size = rc_dtype_size (dtype);
  const guint64 max = G_MAXUINT64 >> (64 - 8 * size);
  guint64 magnitude;
  gdouble value;
  gint64 number;

  switch (dtype) {
    case RC_FLOAT32:
    case RC_FLOAT64:
      if (!robocache_csv_number (text, &value))
        return FALSE;
      store_float (to, value, dtype);
      return TRUE;
    case RC_UINT8:
    case RC_UINT16:
    case RC_UINT32:
    case RC_UINT64:
      if (!g_ascii_string_to_unsigned (text, 10, 0, max, &magnitude, NULL)) {
        if (!read_integer_with_decimals (text, 0.0, ldexp (1.0, (int) (8 * size)), &value))
          return FALSE;
        magnitude = (guint64) value;
      }
      store_integer (to, magnitude, size);
      return TRUE;
    default:
      number = (gint64) (max >> 1);
      if (!g_ascii_string_to_signed (text, 10, -number - 1, number, &number, NULL)) {
        if (!read_integer_with_decimals (text, -ldexp (1.0, (int) (8 * size - 1)), ldexp (1.0, (int) (8 * size - 1)), &value))
          return FALSE;
        number = (gint64) value;
      }
      store_integer (to, (guint64) number, size);
      return TRUE;
  }
}

/* ---- ASCII ---- */

gboolean
robocache_pcd_read_point (const RobocachePcdHeader *header, const GPtrArray *words, guint8 *point, GError **error)
{
  guint word = 0;

  if (words->len != header->n_elements) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "has %u column%s, expected %u", words->len,
        words->len == 1 ? "" : "s", header->n_elements);
    return FALSE;
  }
  for (guint i = 0; i < header->columns->len; i++) {
    const RobocachePcdColumn *column = COLUMN (header, i);

    if (column->skipped) {
      word += column->count;
      continue;
    }
    for (guint j = 0; j < column->count; j++, word++, point += rc_dtype_size (column->dtype)) {
      const gchar *text = g_ptr_array_index (words, word);

      if (!robocache_pcd_read_number (text, column->dtype, point)) {
        g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "column %u: \"%.60s\" is not a valid %s", word, text,
            rc_dtype_name (column->dtype));
        return FALSE;
      }
    }
  }
  return TRUE;
}

void
robocache_pcd_invalid_point (const RobocachePcdHeader *header, guint8 *point)
{
  memset (point, 0, header->fields.point_step);
  for (guint i = 0; i < header->fields.fields->len; i++) {
    const RobocachePointField *field = &g_array_index (header->fields.fields, RobocachePointField, i);

    if (rc_dtype_is_float (field->dtype))
      store_float (point + field->offset, NAN, field->dtype);
  }
}

/* ---- compressed ---- */

/* LZF's longest match: 264 bytes from 3. */
#define MAX_EXPANSION 88

static guint64
packed_size (const RobocachePcdHeader *header)
{
  return header->n_points * header->fields.point_step;
}

static guint64
stored_size (const RobocachePcdHeader *header)
{
  return header->n_points * header->stored_step;
}

gboolean
robocache_pcd_read_sizes (const RobocachePcdHeader *header, const guint8 *bytes, RobocachePcdSizes *sizes,
    GError **error)
{
  guint32 stored[2];            /* aligned, which bytes need not be */

  memcpy (stored, bytes, sizeof stored);
  sizes->compressed = GUINT32_FROM_LE (stored[0]);
  sizes->uncompressed = GUINT32_FROM_LE (stored[1]);
  if (sizes->uncompressed != stored_size (header) && sizes->uncompressed != packed_size (header)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the points have %u bytes when uncompressed, expected %"
        G_GUINT64_FORMAT " for POINTS %" G_GUINT64_FORMAT " of %" G_GSIZE_FORMAT " bytes each", sizes->uncompressed,
        stored_size (header), header->n_points, header->stored_step);
    return FALSE;
  }
  if (sizes->uncompressed > (guint64) sizes->compressed * MAX_EXPANSION) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%u compressed bytes cannot hold %u bytes: LZF expands one byte to "
        "at most %d bytes", sizes->compressed, sizes->uncompressed, MAX_EXPANSION);
    return FALSE;
  }
  return TRUE;
}

/* From one column after the other to one point after the other. Whoever wrote the file may have left padding out. */
static void
interleave (const RobocachePcdHeader *header, const guint8 *from, gboolean with_padding, guint8 *points)
{
  const gsize step = header->fields.point_step;
  gsize offset = 0;

  for (guint i = 0; i < header->columns->len; i++) {
    const gsize size = COLUMN (header, i)->count * rc_dtype_size (COLUMN (header, i)->dtype);

    if (COLUMN (header, i)->skipped) {
      from += with_padding ? size * header->n_points : 0;
      continue;
    }
    for (guint64 point = 0; point < header->n_points; point++, from += size)
      memcpy (points + point * step + offset, from, size);
    offset += size;
  }
}

/* n: bytes that came out, 0 where there was no end of it. */
static void
set_wrong_size (const RobocachePcdSizes *sizes, guint n, gboolean too_many, GError **error)
{
  gchar *makes = n > 0 ? g_strdup_printf ("expand to %u", n) : g_strdup (too_many ? "expand to more" : "are damaged");

  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%u compressed bytes %s: expected %u uncompressed bytes",
      sizes->compressed, makes, sizes->uncompressed);
  g_free (makes);
}

guint8 *
robocache_pcd_decompress (const RobocachePcdHeader *header, const guint8 *bytes, const RobocachePcdSizes *sizes,
    GError **error)
{
  guint8 *columns = robocache_try_malloc (sizes->uncompressed, "uncompressed columns", error), *points = NULL;
  guint n = 0;

  if (!columns)
    return NULL;
  errno = 0;
  if (sizes->uncompressed > 0)
    n = lzf_decompress (bytes, sizes->compressed, columns, sizes->uncompressed);
  if (n != sizes->uncompressed)
    set_wrong_size (sizes, n, errno == E2BIG, error);
  else if ((points = robocache_try_malloc (packed_size (header), "uncompressed points", error)))
    interleave (header, columns, sizes->uncompressed == stored_size (header), points);
  g_free (columns);
  return points;
}
