/* robocache: the positions of the fields of a point
 *
 * As in caps of application/x-pointcloud:
 *
 *   fields=(string)"x,y,z,intensity,ring"                       names; x, y, z anywhere among them, else the first three
 *   type=(string)float32                                        of every field; or
 *   types=(string)"float32,float32,float32,float32,uint16"      of each
 *   offsets=(string)"0,4,8,16,20"                               bytes from the beginning of a point; without, one field
 *                                                               lies after the other
 *   point-step=(int)32                                          bytes from one point to the next; without, to the end
 *                                                               of the last field
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "kernels/voxel.h"

typedef struct
{
  RcDtype dtype;                /* dtype of x, y and z; of every field without a table */
  guint n_fields;               /* x, y, z included */
  RcVoxelField *fields;         /* [n_fields] x, y, z, then the others in the order of the caps; NULL: packed in this order */
  gsize point_bytes;            /* bytes from one point to the next */
} RobocachePointLayout;

/* The layout of packed fields of one dtype. */
RobocachePointLayout robocache_point_layout_packed (RcDtype dtype, guint n_fields);

/* FALSE and an error that names the field of the caps, its value and the expected value. */
gboolean robocache_point_layout_parse (RobocachePointLayout * layout, const GstStructure * structure, GError ** error);
void robocache_point_layout_clear (RobocachePointLayout * layout);

/* FALSE and an error: coordinates cannot have this dtype; name is its name. */
gboolean robocache_point_check_dtype (RcDtype dtype, const gchar * name, GError ** error);

/* Sets ROBOCACHE_ERROR_CAPS, and returns FALSE for use in a return statement. */
gboolean robocache_caps_error (GError ** error, const gchar * format, ...) G_GNUC_PRINTF (2, 3);
