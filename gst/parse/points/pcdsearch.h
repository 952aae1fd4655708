/* robocache: where PCD files begin in bytes that come in pieces
 *
 * Each piece is looked at once, where it lies, when it comes. Of those before it only the last bytes are kept that could
 * begin a file.
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
  guint64 position;             /* of the first byte of which it is not known whether a file begins there */
  GByteArray *held;             /* those that have come from there on */
  GArray *found;                /* RobocachePcdBeginning before it, in order */
  guint n_taken;                /* of these */
} RobocachePcdSearch;

void robocache_pcd_search_init (RobocachePcdSearch * search);
void robocache_pcd_search_clear (RobocachePcdSearch * search);
/* Forgets all bytes. */
void robocache_pcd_search_restart (RobocachePcdSearch * search);

/* The next n bytes. */
void robocache_pcd_search_push (RobocachePcdSearch * search, const guint8 * bytes, gsize n);
/* No more bytes come that go on with those before. */
void robocache_pcd_search_end (RobocachePcdSearch * search);

/* The first beginning that was found and not taken; NULL: none. */
const RobocachePcdBeginning *robocache_pcd_search_next (const RobocachePcdSearch * search);
void robocache_pcd_search_take (RobocachePcdSearch * search);

G_END_DECLS
#endif
