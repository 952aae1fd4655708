/* robocache: beginnings of PCD files in bytes that arrive in pieces
 *
 * Each piece is searched once, in place. Of the pieces before it, only last bytes that could begin a file are stored.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PCDSEARCH_H
#define ROBOCACHE_PCDSEARCH_H

#include <glib.h>

G_BEGIN_DECLS

/* Where a file begins, and with which keyword of a header (pcdheader.h). */
typedef struct
{
  guint64 position;
  gint keyword;
} RobocachePcdBeginning;

typedef struct
{
  guint64 position;             /* of the first byte that may still begin a file */
  GByteArray *held;             /* bytes from there on */
  GArray *found;                /* RobocachePcdBeginning before it, in order */
  guint n_skipped;              /* of these */
  gboolean no_memory;           /* for more of these */
} RobocachePcdSearch;

void robocache_pcd_search_init (RobocachePcdSearch * search);
void robocache_pcd_search_clear (RobocachePcdSearch * search);
/* Drops all bytes. */
void robocache_pcd_search_restart (RobocachePcdSearch * search);

/* The next n bytes. */
void robocache_pcd_search_push (RobocachePcdSearch * search, const guint8 * bytes, gsize n);
/* The next bytes do not continue those before. */
void robocache_pcd_search_end (RobocachePcdSearch * search);

/* The first beginning that was found and not skipped; NULL: none. */
const RobocachePcdBeginning *robocache_pcd_search_next (const RobocachePcdSearch * search);
void robocache_pcd_search_skip (RobocachePcdSearch * search);

G_END_DECLS
#endif
