/* robocache: robocachekinematics, URDF files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "robot.h"

#define ROBOCACHE_URDF_MAX_BYTES (64 << 20)

/* Reads links, joints, origins, axes, limits and mimicry of a URDF; meshes and all other elements are ignored. NULL and an error that
 * names the file and the line: the file cannot be read, is not XML or not URDF, has a document type (so no entity is ever expanded), is
 * xacro, or does not describe a tree. */
RobocacheRobot *robocache_urdf_read (const gchar * path, GError ** error);
/* Like robocache_urdf_read, for bytes in memory; errors use name as the file name. */
RobocacheRobot *robocache_urdf_parse (const gchar * name, const gchar * bytes, gsize n, GError ** error);
