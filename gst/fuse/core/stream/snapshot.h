/* robocache: the rows of one stream at one tick, referenced or copied, so that a sample can be made without a lock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/history.h"
#include "rowformat.h"

/* A zeroed struct is an empty snapshot. Its memory is reused from tick to tick. */
typedef struct
{
  RcBracket bracket;            /* row indices count from the first of rows */
  gint64 before, after;         /* times of the rows around the tick, as RobocacheAlignment; offset included */
  guint64 n_rows;
  guint8 *rows;                 /* [n_rows] rows, as a history of the format keeps them */
  const gint64 *times;          /* [n_rows] times, stored after the rows; only for a lowpass */
  gsize capacity;               /* capacity of rows in bytes */
  FuseRowFormat *format;        /* a reference, if the snapshot has rows */
} FuseSnapshot;

/* Copies the rows of alignment from history, or takes references to frames and to rows on the device. FALSE and an error: no memory; the
 * snapshot is empty. */
gboolean fuse_snapshot_read (FuseSnapshot * snapshot, FuseRowFormat * format, const RobocacheHistory * history,
    const RobocacheAlignment * alignment, GError ** error);
/* Releases the references of buffers by unref_buffer. Called without locks of the owner. */
void fuse_snapshot_release (FuseSnapshot * snapshot, void (*unref_buffer) (gpointer buffer));
/* Frees the memory of a snapshot that was released. */
void fuse_snapshot_clear (FuseSnapshot * snapshot);
