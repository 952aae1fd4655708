/* robocache: PCD files to test with
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/check/gstcheck.h>
#include <lzf.h>

/* Points of x, y, z and intensity, float32. */
GByteArray *four_floats (guint n);

/* From points to columns, each of the given bytes. */
GByteArray *columns_of_points (const guint8 *points, guint n, const guint *sizes, guint n_columns);

/* Appends the sizes and the LZF of columns. */
void append_compressed (GByteArray *file, const guint8 *columns, guint n);

void append_text (GByteArray *file, const gchar *text);

/* A cloud of x, y, z, intensity: data is "ascii", "binary" or "binary_compressed". */
void append_pcd (GByteArray *file, guint n, const gchar *data);

/* A file of one such cloud. */
GByteArray *pcd_file (guint n, const gchar *data);
