/* robocache: the rows of one stream at one tick, referenced or copied, so that a sample is made of them without a lock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "snapshot.h"

#include <string.h>

#include "common/element/errordomain.h"

/* Memory for rows of which none is there. FALSE and an error: none. */
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

  if (bracket->blend == RC_BLEND_MEAN) {
    memcpy (snapshot->rows, robocache_history_row (history, bracket->row), snapshot->n_rows * bytes);
    return;
  }
  for (guint64 i = 0; i < snapshot->n_rows; i++)
    memcpy (snapshot->rows + i * bytes, robocache_history_row (history, rows[i]), bytes);
}

gboolean
fuse_snapshot_read (FuseSnapshot *snapshot, FuseRowFormat *format, const RobocacheHistory *history, const RobocacheAlignment *alignment,
    GError **error)
{
  const RcBracket *bracket = &alignment->bracket;
  gint64 rows[4];
  const guint64 n_rows = robocache_bracket_rows (bracket, rows);

  snapshot->bracket = robocache_bracket_of_gathered (bracket);
  snapshot->before = alignment->before;
  snapshot->after = alignment->after;
  if (n_rows == 0)
    return TRUE;
  if (!reserve (snapshot, n_rows * format->kept_bytes, error))
    return FALSE;
  snapshot->n_rows = n_rows;
  snapshot->format = fuse_row_format_ref (format);
  copy_rows (snapshot, history, bracket, rows);
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
