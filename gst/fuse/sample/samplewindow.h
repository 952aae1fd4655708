/* robocache: the window of robocachefuse: rows and info of the last ticks, which samples show oldest first
 *
 * The rows of each tensor are a ring in memory of the engine. A window of one tick has only info.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/device/engine.h"
#include "common/tensors/tensorcaps.h"
#include "kernels/dtype.h"

#define FUSE_INFO_FIELDS 4      /* tick, before, after, status */

/* The position of a stream's rows in the tensors. */
typedef struct
{
  guint64 id;                   /* id of the stream */
  RcDtype dtype;
  guint tensor;
  gsize offset;                 /* bytes before them in a row of their tensor */
  gsize row_bytes;
} FuseWindowStream;

typedef struct
{
  RobocacheEngine *engine;
  guint n_ticks;
  FuseWindowStream *streams;    /* [n_streams] */
  guint n_streams;
  gsize row_bytes[ROBOCACHE_MAX_TENSORS];       /* bytes of a tick in each tensor */
  guint8 *rows[ROBOCACHE_MAX_TENSORS];  /* engine memory: a ring of [n_ticks][row_bytes]; NULL for a window of one tick */
  guint n_tensors;
  guint newest;                 /* slot of the last tick in the ring */
  gint64 *info;                 /* [n_ticks][n_streams][FUSE_INFO_FIELDS], oldest first */
} FuseWindow;

/* Allocates n_ticks for the tensors' row_bytes, with undefined content until fuse_window_forget. Takes over streams, also on failure; the
 * engine must exist until fuse_window_clear. FALSE and an error: no memory. */
gboolean fuse_window_init (FuseWindow * window, RobocacheEngine * engine, guint n_ticks, FuseWindowStream * streams,
    guint n_streams, const gsize * row_bytes, guint n_tensors, GError ** error);
/* The engine must be idle. A zeroed window is valid here. */
void fuse_window_clear (FuseWindow * window);

/* Makes all rows missing. FALSE and an error of the engine: the rows are undefined. */
gboolean fuse_window_forget (FuseWindow * window, GError ** error);
/* Copies rows and info of streams that are equal in both windows, if these have the same number of ticks. FALSE and an error of the
 * engine: the rows are undefined. */
gboolean fuse_window_adopt (FuseWindow * window, const FuseWindow * from, GError ** error);
/* Makes the oldest slot the newest. */
void fuse_window_shift (FuseWindow * window);

/* Slot 0 is the oldest. */
gint64 *fuse_window_info (const FuseWindow * window, guint slot, guint stream);
gsize fuse_window_info_bytes (const FuseWindow * window);
/* The newest row of a tensor; only for windows of more than one tick. */
guint8 *fuse_window_newest_row (const FuseWindow * window, guint tensor);
/* Copies all rows of a tensor to memory of the engine, oldest first. */
gboolean fuse_window_copy (const FuseWindow * window, guint tensor, guint8 * to, GError ** error);
