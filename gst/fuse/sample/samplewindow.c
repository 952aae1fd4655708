/* robocache: the window of robocachefuse: rows and info of the last ticks, which samples show oldest first
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "samplewindow.h"

#include <string.h>

#include "common/rows/history.h"
#include "kernels/arithmetic.h"

gboolean
fuse_window_init (FuseWindow *window, RobocacheEngine *engine, guint n_ticks, FuseWindowStream *streams, guint n_streams,
    const gsize *row_bytes, guint n_tensors, GError **error)
{
  *window = (FuseWindow) {.engine = engine,.n_ticks = n_ticks,.streams = streams,.n_streams = n_streams,.n_tensors = n_tensors };
  memcpy (window->row_bytes, row_bytes, n_tensors * sizeof (*row_bytes));
  window->info = g_malloc0 (fuse_window_info_bytes (window));
  for (guint i = 0; n_ticks > 1 && i < n_tensors; i++) {
    window->rows[i] = robocache_engine_alloc (engine, RC_MEMORY_SCRATCH, n_ticks * row_bytes[i], error);
    if (window->rows[i] == NULL)
      return FALSE;
  }
  return TRUE;
}

void
fuse_window_clear (FuseWindow *window)
{
  for (guint i = 0; i < window->n_tensors; i++) {
    if (window->rows[i])
      robocache_engine_free (window->engine, RC_MEMORY_SCRATCH, window->rows[i], window->n_ticks * window->row_bytes[i]);
  }
  g_free (window->streams);
  g_free (window->info);
  memset (window, 0, sizeof (*window));
}

gint64 *
fuse_window_info (const FuseWindow *window, guint slot, guint stream)
{
  return window->info + ((gsize) slot * window->n_streams + stream) * FUSE_INFO_FIELDS;
}

gsize
fuse_window_info_bytes (const FuseWindow *window)
{
  return (gsize) window->n_ticks * window->n_streams * FUSE_INFO_FIELDS * sizeof (gint64);
}

guint8 *
fuse_window_newest_row (const FuseWindow *window, guint tensor)
{
  return window->rows[tensor] + window->newest * window->row_bytes[tensor];
}

/* slot 0 is the oldest; the ring begins after the newest. */
static guint8 *
row_of (const FuseWindow *window, const FuseWindowStream *stream, guint slot)
{
  const guint place = (window->newest + 1 + slot) % window->n_ticks;

  return window->rows[stream->tensor] + place * window->row_bytes[stream->tensor] + stream->offset;
}

static gboolean
copy_bytes (RobocacheEngine *engine, gpointer to, gconstpointer from, gsize bytes, GError **error)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };
  RcError failure;

  return robocache_engine_check (rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine),
          &failure), &failure, error);
}

/* Waits for copies of which the last one was enqueued, or failed. */
static gboolean
finish (RobocacheEngine *engine, gboolean ok, GError **error)
{
  if (ok)
    return robocache_engine_synchronize (engine, error);
  robocache_engine_wait_after_failure (engine, error);
  return FALSE;
}

/* A row of NaN, or of 0 for integers. */
static void
write_missing (guint8 *row, RcDtype dtype, guint64 n)
{
  static const guint16 float16_nan = RC_NAN_FLOAT16, bfloat16_nan = RC_NAN_BFLOAT16;
  static const guint32 float32_nan = RC_NAN32_BITS;
  static const guint64 float64_nan = RC_NAN64_BITS;
  const void *const nans[RC_N_DTYPES] = {
    [RC_FLOAT16] = &float16_nan,
    [RC_BFLOAT16] = &bfloat16_nan,
    [RC_FLOAT32] = &float32_nan,
    [RC_FLOAT64] = &float64_nan,
  };
  const gsize size = rc_dtype_size (dtype);

  if (nans[dtype] == NULL) {
    memset (row, 0, n * size);
    return;
  }
  for (guint64 i = 0; i < n; i++)
    memcpy (row + i * size, nans[dtype], size);
}

/* Piece by piece, since caps may say any size of a row. */
static gboolean
forget_rows (FuseWindow *window, const FuseWindowStream *stream, GError **error)
{
  guint8 missing[16384];
  gboolean ok = TRUE;

  write_missing (missing, stream->dtype, sizeof (missing) / rc_dtype_size (stream->dtype));
  for (guint slot = 0; ok && slot < window->n_ticks; slot++) {
    guint8 *row = row_of (window, stream, slot);

    for (gsize at = 0; ok && at < stream->row_bytes; at += sizeof (missing))
      ok = copy_bytes (window->engine, row + at, missing, MIN (sizeof (missing), stream->row_bytes - at), error);
  }
  return finish (window->engine, ok, error);
}

gboolean
fuse_window_forget (FuseWindow *window, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < window->n_streams; i++) {
    for (guint slot = 0; slot < window->n_ticks; slot++) {
      gint64 *info = fuse_window_info (window, slot, i);

      info[0] = info[1] = info[2] = ROBOCACHE_NO_TIME;
      info[3] = RC_MISSING;
    }
    ok = window->n_ticks == 1 || forget_rows (window, &window->streams[i], error);
  }
  return ok;
}

static gboolean
adopt_stream (FuseWindow *window, guint to, const FuseWindow *from, guint stream, RobocacheEngine *copier, GError **error)
{
  const FuseWindowStream *ours = &window->streams[to], *theirs = &from->streams[stream];
  gboolean ok = TRUE;

  for (guint slot = 0; ok && slot < window->n_ticks; slot++) {
    ok = copy_bytes (copier, row_of (window, ours, slot), row_of (from, theirs, slot), ours->row_bytes, error);
    memcpy (fuse_window_info (window, slot, to), fuse_window_info (from, slot, stream), FUSE_INFO_FIELDS * sizeof (gint64));
  }
  return ok;
}

static gboolean
is_alike (const FuseWindowStream *a, const FuseWindowStream *b)
{
  return a->id == b->id && a->dtype == b->dtype && a->row_bytes == b->row_bytes;
}

gboolean
fuse_window_adopt (FuseWindow *window, const FuseWindow *from, GError **error)
{
  RobocacheEngine *copier = robocache_engine_is_gpu (from->engine) ? from->engine : window->engine;
  gboolean ok;

  if (window->n_ticks == 1 || from->n_ticks != window->n_ticks)
    return TRUE;
  ok = robocache_engine_synchronize (from->engine, error);
  for (guint i = 0; i < window->n_streams; i++) {
    for (guint j = 0; ok && j < from->n_streams; j++) {
      if (is_alike (&window->streams[i], &from->streams[j]))
        ok = adopt_stream (window, i, from, j, copier, error);
    }
  }
  return finish (copier, ok, error);
}

void
fuse_window_shift (FuseWindow *window)
{
  const gsize older = window->n_ticks - 1;

  window->newest = (window->newest + 1) % window->n_ticks;
  memmove (window->info, fuse_window_info (window, 1, 0), older * window->n_streams * FUSE_INFO_FIELDS * sizeof (gint64));
}

gboolean
fuse_window_copy (const FuseWindow *window, guint tensor, guint8 *to, GError **error)
{
  const guint oldest = (window->newest + 1) % window->n_ticks;
  const gsize row_bytes = window->row_bytes[tensor];
  const gsize first = (window->n_ticks - oldest) * row_bytes, rest = oldest * row_bytes;

  return copy_bytes (window->engine, to, window->rows[tensor] + rest, first, error)
      && (rest == 0 || copy_bytes (window->engine, to + first, window->rows[tensor], rest, error));
}
