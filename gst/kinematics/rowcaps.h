/* robocache: robocachekinematics, caps of rows in and out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/tensors/tensorcaps.h"

/* Parses caps whose first tensor has the rows, of a floating-point type, with channels on the first axis. FALSE and an error: invalid. */
gboolean robocache_kinematics_parse_caps (RobocacheTensorsInfo * info, const GstCaps * caps, GError ** error);

/* Sets out to info, but with rows of n channels of a type. */
void robocache_kinematics_describe_output (const RobocacheTensorsInfo * info, guint64 n, RcDtype dtype, RobocacheTensorsInfo * out);

/* Fixed caps of output like `in`, with these names and kinds of channels (NULL: none). keeps_roles: the input's channels come first, so
 * other fields that describe them stay. */
GstCaps *robocache_kinematics_output_caps (const GstCaps * in, const RobocacheTensorsInfo * out, const gchar * names,
    const gchar * kinds, gboolean keeps_roles);

/* Caps of the other pad that are compatible with the caps of a pad. */
GstCaps *robocache_kinematics_transform_caps (GstPadDirection direction, const GstCaps * caps, GstCaps * filter);
