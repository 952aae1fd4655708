/* robocache: the points of a PCD file, as text and as compressed columns
 *
 * Both are converted to packed points with packed fields, in the machine's byte order: header->fields.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "pcdheader.h"

/* Converts the words of a line of ASCII (gchar *) to a point of header->fields.point_step bytes. FALSE and an error that names the value:
 * too few or too many words, or a word is not a number of its field's type. */
gboolean robocache_pcd_read_point (const RobocachePcdHeader * header, const GPtrArray * words, guint8 * point,
    GError ** error);
/* Reads a number of a type into the machine's order. FALSE: text is no number of that type. */
gboolean robocache_pcd_read_number (const gchar * text, RcDtype dtype, guint8 * to);
/* Makes an invalid point: NaN in each field of a float type, 0 in others. */
void robocache_pcd_invalid_point (const RobocachePcdHeader * header, guint8 * point);

/* The header of compressed points: two uint32, little endian. */
#define ROBOCACHE_PCD_SIZES 8

typedef struct
{
  guint32 compressed, uncompressed;     /* bytes */
} RobocachePcdSizes;

/* FALSE and an error: the sizes contradict the header or each other. */
gboolean robocache_pcd_read_sizes (const RobocachePcdHeader * header, const guint8 * bytes, RobocachePcdSizes * sizes,
    GError ** error);
/* Decompresses sizes->compressed bytes: LZF, one column after the other. Returns n_points points, to be freed with g_free. NULL and an
 * error: damaged, or GST_RESOURCE_ERROR: no memory. */
guint8 *robocache_pcd_decompress (const RobocachePcdHeader * header, const guint8 * bytes,
    const RobocachePcdSizes * sizes, GError ** error);
