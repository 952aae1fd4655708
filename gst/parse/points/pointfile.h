/* robocache: point files that are decoded as a whole, PLY and LAS
 *
 * Both become packed points in the machine's byte order. No number of points is trusted before the file has bytes for them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/points/pointfields.h"

typedef struct
{
  RobocachePointFields fields;
  guint8 *points;               /* [n_points][fields.point_step]; NULL: no points */
  guint64 n_points;
} RobocachePointFile;

void robocache_point_file_clear (RobocachePointFile * file);

/* Decode all n bytes of a file. FALSE and an error: malformed (ROBOCACHE_ERROR), or no memory (GST_RESOURCE_ERROR). Zero file before, and clear it in any
 * case.
 *
 * PLY, ascii and both binary ones (paulbourke.net/dataformats/ply): the properties of the element vertex, which must not be lists. Other elements are
 * skipped. */
gboolean robocache_ply_decode (RobocachePointFile * file, const guint8 * bytes, gsize n, GError ** error);

/* LAS 1.0 to 1.4, point formats 0 to 10 (ASPRS, LAS specification 1.4 R15): x, y and z as float64 in the file's unit, scaled and with its
 * offset, then intensity, return_number, number_of_returns, classification, scan_angle_rank (int8, degrees) or from format 6 on scan_angle
 * (int16, of 0.006 degrees), user_data, point_source_id, and where the format has them gps_time, red, green, blue and nir. Flags, waveforms
 * and extra bytes are left out. LAZ is an error that names the programs that decompress it. */
gboolean robocache_las_decode (RobocachePointFile * file, const guint8 * bytes, gsize n, GError ** error);
