/* robocache: files of a recorded session, which may be in folders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_SESSIONPATHS_H
#define ROBOCACHE_EXAMPLES_SESSIONPATHS_H

#include <glib.h>

G_BEGIN_DECLS

/* Paths with those of folders' files instead of the folders. Free with g_strfreev; NULL and an error: a folder is no recording. */
gchar **session_paths (gchar ** recordings, GError ** error);

G_END_DECLS
#endif
