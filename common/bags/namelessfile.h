/* robocache: SQLite databases in files without a name
 *
 * SQLite opens files by their names. A file that was unlinked is read through its descriptor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The URI for sqlite3_open_v2, for reading only; free with g_free. The caller keeps the descriptor, and must keep it open as long as the
 * database. */
gchar *robocache_nameless_file_uri (int fd);
