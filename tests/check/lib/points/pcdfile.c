/* robocache: PCD files to test with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/pcdfile.h"

GByteArray *
four_floats (guint n)
{
  GByteArray *points = g_byte_array_new ();

  for (guint i = 0; i < n; i++) {
    const gfloat point[] = { 0.5f * (gfloat) i, -0.25f * (gfloat) i, 1.0f + (gfloat) (i % 7), (gfloat) i };

    g_byte_array_append (points, (const guint8 *) point, sizeof point);
  }
  return points;
}

GByteArray *
columns_of_points (const guint8 *points, guint n, const guint *sizes, guint n_columns)
{
  GByteArray *columns = g_byte_array_new ();
  guint step = 0, offset = 0;

  for (guint c = 0; c < n_columns; c++)
    step += sizes[c];
  for (guint c = 0; c < n_columns; offset += sizes[c++])
    for (guint i = 0; i < n; i++)
      g_byte_array_append (columns, points + i * step + offset, sizes[c]);
  return columns;
}

void
append_compressed (GByteArray *file, const guint8 *columns, guint n)
{
  guint room = n + n / 8 + 64, length;
  guint8 *lzf = g_malloc (room), sizes[8];

  length = lzf_compress (columns, n, lzf, room);
  fail_unless (length > 0);
  GST_WRITE_UINT32_LE (sizes, length);
  GST_WRITE_UINT32_LE (sizes + 4, n);
  g_byte_array_append (file, sizes, sizeof sizes);
  g_byte_array_append (file, lzf, length);
  g_free (lzf);
}

void
append_text (GByteArray *file, const gchar *text)
{
  g_byte_array_append (file, (const guint8 *) text, (guint) strlen (text));
}

void
append_pcd (GByteArray *file, guint n, const gchar *data)
{
  static const guint sizes[] = { 4, 4, 4, 4 };
  GByteArray *points = four_floats (n);
  gchar *header = g_strdup_printf ("# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z intensity\n"
      "SIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH %u\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS %u\nDATA %s\n", n,
      n, data);

  append_text (file, header);
  if (g_str_equal (data, "binary")) {
    g_byte_array_append (file, points->data, points->len);
  } else if (g_str_equal (data, "binary_compressed")) {
    GByteArray *columns = columns_of_points (points->data, n, sizes, G_N_ELEMENTS (sizes));

    append_compressed (file, columns->data, columns->len);
    g_byte_array_unref (columns);
  } else {
    const gfloat *p = (const gfloat *) points->data;

    for (guint i = 0; i < n; i++, p += 4) {
      gchar *line = g_strdup_printf ("%.9g %.9g %.9g %.9g\n", p[0], p[1], p[2], p[3]);

      append_text (file, line);
      g_free (line);
    }
  }
  g_free (header);
  g_byte_array_unref (points);
}

GByteArray *
pcd_file (guint n, const gchar *data)
{
  GByteArray *file = g_byte_array_new ();

  append_pcd (file, n, data);
  return file;
}
