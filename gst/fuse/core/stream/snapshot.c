/* robocache: the rows of one stream at one tick, referenced or copied, so that a sample is made of them without a lock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "snapshot.h"

#include <string.h>

#include "common/element/errordomain.h"

/* Allocates memory for the rows of an empty snapshot. FALSE and an error: no memory. */
static gboolean
reserve (FuseSnapshot *snapshot, gsize bytes, GError **error)
{
  if (bytes <= snapshot->capacity)
    return TRUE;
  g_free (snapshot->rows);
  snapshot->rows = g_try_malloc (bytes);
  snapshot->capacity = snapshot->rows ? bytes : 0;
  if (snapshot->rows == NULL)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory for the rows of a tick: %" G_GSIZE_FORMAT " bytes", bytes);
  return snapshot->rows != NULL;
}

static void
copy_rows (FuseSnapshot *snapshot, const RobocacheHistory *history, const RcBracket *bracket, const gint64 *rows)
{
  const gsize bytes = snapshot->format->kept_bytes;

  if (rc_bracket_is_sum (bracket)) {
    memcpy (snapshot->rows, robocache_history_row (history, robocache_bracket_first (bracket)), snapshot->n_rows * bytes);
    return;
  }
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    memcpy (snapshot->rows + i * bytes, robocache_history_row (history, rows[i]), bytes);
}

/* Where times lie behind rows of so many bytes. */
static gsize
offset_of_times (gsize bytes)
{
  return (bytes + sizeof (gint64) - 1) / sizeof (gint64) * sizeof (gint64);
}

static void
copy_times (FuseSnapshot *snapshot, const RobocacheHistory *history, const RcBracket *bracket, gsize offset)
{
  gint64 *times = (gint64 *) (gpointer) (snapshot->rows + offset);

  memcpy (times, robocache_history_times (history) + robocache_bracket_first (bracket), snapshot->n_rows * sizeof (gint64));
  snapshot->times = times;
}

gboolean
fuse_snapshot_read (FuseSnapshot *snapshot, FuseRowFormat *format, const RobocacheHistory *history, const RobocacheAlignment *alignment,
    GError **error)
{
  const RcBracket *bracket = &alignment->bracket;
  gint64 rows[4];
  const guint64 n_rows = robocache_bracket_rows (bracket, rows);
  const gsize at_times = offset_of_times (n_rows * format->kept_bytes);
  const gboolean has_times = bracket->blend == RC_BLEND_LOWPASS;

  snapshot->bracket = robocache_bracket_of_gathered (bracket);
  snapshot->before = alignment->before;
  snapshot->after = alignment->after;
  snapshot->times = NULL;
  if (n_rows == 0)
    return TRUE;
  if (!reserve (snapshot, at_times + (has_times ? n_rows * sizeof (gint64) : 0), error))
    return FALSE;
  snapshot->n_rows = n_rows;
  snapshot->format = fuse_row_format_ref (format);
  copy_rows (snapshot, history, bracket, rows);
  if (has_times)
    copy_times (snapshot, history, bracket, at_times);
  for (guint64 i = 0; format->ref_buffer && i < n_rows; i++)
    format->ref_buffer (*(gpointer *) (snapshot->rows + i * format->kept_bytes));
  return TRUE;
}

void
fuse_snapshot_release (FuseSnapshot *snapshot, void (*unref_buffer) (gpointer buffer))
{
  for (guint64 i = 0; i < snapshot->n_rows && snapshot->format->ref_buffer; i++)
    unref_buffer (*(gpointer *) (snapshot->rows + i * snapshot->format->kept_bytes));
  g_clear_pointer (&snapshot->format, fuse_row_format_unref);
  snapshot->n_rows = 0;
}

void
fuse_snapshot_clear (FuseSnapshot *snapshot)
{
  g_clear_pointer (&snapshot->rows, g_free);
  snapshot->capacity = 0;
}
