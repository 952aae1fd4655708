/* robocache: the rows of one stream at one tick, referenced or copied, so that a sample is made of them without a lock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_SNAPSHOT_H
#define FUSE_SNAPSHOT_H

#include "common/rows/history.h"
#include "rowformat.h"

G_BEGIN_DECLS

/* A zeroed one is empty. Its memory is used again from tick to tick. */
typedef struct
{
  RcBracket bracket;            /* row indices count from the first of rows */
  gint64 before, after;         /* times of the rows around the tick, as RobocacheAlignment; offset included */
  guint64 n_rows;
  guint8 *rows;                 /* [n_rows] of what a history of the format keeps of a row */
  gsize capacity;               /* bytes of rows */
  FuseRowFormat *format;        /* a reference, while there are rows */
} FuseSnapshot;

/* Copies the rows that alignment names out of history, or takes references of frames and of rows on the device. FALSE and an
 * error: there is no memory, and the snapshot is empty. */
gboolean fuse_snapshot_read (FuseSnapshot * snapshot, FuseRowFormat * format, const RobocacheHistory * history,
    const RobocacheAlignment * alignment, GError ** error);
/* Releases the references of buffers by unref_buffer. Called without locks of the owner. */
void fuse_snapshot_release (FuseSnapshot * snapshot, void (*unref_buffer) (gpointer buffer));
/* Frees the memory of a snapshot that was released. */
void fuse_snapshot_clear (FuseSnapshot * snapshot);

G_END_DECLS
#endif
