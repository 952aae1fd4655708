/* robocache: caps of rows that are read from messages
 *
 *   other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float64, dimensions=(string)10, framerate=(fraction)0/1,
 *     channels=(string)"qx,qy,qz,qw,…", role=(string)imu, kinds=(string)"quaternion,real*6", quaternions=(string)"0"
 *
 * quaternions has the format of the property `quaternions`, for readers older than kinds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/channels/channelkinds.h"
#include "common/tensors/tensorcaps.h"

/* Rows of n named channels. A comma in a name becomes _; names of more than 1024 channels are left out. role and kinds may be NULL; if
 * kinds is NULL, kinds follow from the names. */
GstCaps *robocache_row_caps_new (const gchar * const *names, guint n, RcDtype dtype, const gchar * role, const RobocacheKinds * kinds);

/* Converts recorded other/tensors caps to those of one row per buffer: one tensor with only the first axis. NULL: they are not rows of n
 * channels (0: any number). */
GstCaps *robocache_row_caps_of_one_row (const GstCaps * caps, guint n, RobocacheTensorInfo * row);
/* Converts caps of one row (`row`) per buffer to those of n rows per buffer, with a second tensor of int64 times. */
GstCaps *robocache_row_caps_of_block (const GstCaps * caps, const RobocacheTensorInfo * row, guint n);
/* The names of n channels in caps; NULL: the caps have no names, or names of more or fewer channels. Free with g_strfreev. */
gchar **robocache_row_caps_names (const GstCaps * caps, guint64 n);
/* The role in caps; NULL: none. */
const gchar *robocache_row_caps_role (const GstCaps * caps);
