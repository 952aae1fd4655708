/* robocache: caps of rows that were messages
 *
 *   other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float64, dimensions=(string)10, framerate=(fraction)0/1,
 *     channels=(string)"qx,qy,qz,qw,…", role=(string)imu, quaternions=(string)"0"
 *
 * quaternions is what the properties of that name take.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_ROWCAPS_H
#define ROBOCACHE_ROWCAPS_H

#include "common/tensors/tensorcaps.h"

G_BEGIN_DECLS

/* Rows of n named channels. A comma in a name becomes _; names of more than 1024 channels are left out. role and quaternions may be
 * NULL; where quaternions is, each run of channels qx, qy, qz, qw is one. */
GstCaps *robocache_row_caps_new (const gchar * const *names, guint n, RcDtype dtype, const gchar * role, const gchar * quaternions);

/* Caps of other/tensors that a writer noted, as those of one row a buffer: one tensor, of the first axis alone. NULL: they are no rows
 * of n channels (0: any number). */
GstCaps *robocache_row_caps_of_one_row (const GstCaps * caps, guint n, RobocacheTensorInfo * row);
/* Caps of one row a buffer, `row`, as those of n rows a buffer, with an int64 time for each as a second tensor. */
GstCaps *robocache_row_caps_of_block (const GstCaps * caps, const RobocacheTensorInfo * row, guint n);
/* The names of channels in caps, as many as `n`; NULL: others, or none. Free with g_strfreev. */
gchar **robocache_row_caps_names (const GstCaps * caps, guint64 n);
/* role in caps; NULL: none. */
const gchar *robocache_row_caps_role (const GstCaps * caps);

G_END_DECLS
#endif
