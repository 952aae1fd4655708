/* robocache: finds beginnings of PCD files in bytes that arrive in pieces
 *
 * Each piece is searched once, without a copy. Only the last bytes of earlier pieces are stored, if a file could begin with them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* The position of a beginning, and the first keyword of its header (pcdheader.h). */
typedef struct
{
  guint64 position;
  gint keyword;
} RobocachePcdBeginning;

typedef struct
{
  guint64 position;             /* position of the first byte that may still begin a file */
  GByteArray *held;             /* bytes from this position on */
  GArray *found;                /* RobocachePcdBeginning items before this position, in order */
  guint n_skipped;              /* number of skipped items of found */
  gboolean no_memory;           /* no memory was left for more items of found */
} RobocachePcdSearch;

void robocache_pcd_search_init (RobocachePcdSearch * search);
void robocache_pcd_search_clear (RobocachePcdSearch * search);
/* Drops all bytes. */
void robocache_pcd_search_restart (RobocachePcdSearch * search);

/* Searches the next n bytes. */
void robocache_pcd_search_push (RobocachePcdSearch * search, const guint8 * bytes, gsize n);
/* Notes that the next bytes do not continue the previous ones. */
void robocache_pcd_search_end (RobocachePcdSearch * search);

/* The first beginning that was found and not skipped; NULL: none. */
const RobocachePcdBeginning *robocache_pcd_search_next (const RobocachePcdSearch * search);
void robocache_pcd_search_skip (RobocachePcdSearch * search);
