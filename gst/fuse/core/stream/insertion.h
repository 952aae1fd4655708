/* robocache: rows of a buffer into a stream of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_INSERTION_H
#define FUSE_INSERTION_H

#include "notes.h"

G_BEGIN_DECLS

/* The result of an insertion, beside notes. */
typedef struct
{
  guint64 n_outside;            /* rows that are outside the segment */
  gboolean jumped;              /* the sensor's clock has */
} FuseInsertion;

/* Inserts rows. From a live sensor a bounded number is kept, and rows are expected near the running time now, where that is known. FALSE
 * and an error: they cannot be taken. */
gboolean fuse_stream_insert (FuseStream * stream, const FuseRows * rows, gboolean live, gint64 now, FuseInsertion * insertion,
    GQueue * notes, GError ** error);

G_END_DECLS
#endif
