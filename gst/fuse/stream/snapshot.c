/* robocache: the rows of one stream at one tick, referenced or copied, so that a sample is made of them without a lock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "snapshot.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/rows/blender.h"

/* A history keeps a GstBuffer pointer of a frame, and of a row on the device a struct that begins with one. */
static void
add_reference (gpointer row)
{
  gst_buffer_ref (*(GstBuffer **) row);
}

/* Memory for rows of which none is there. FALSE and an error: none. */
static gboolean
reserve (FuseSnapshot *snapshot, gsize bytes, GError **error)
{
  if (bytes <= snapshot->capacity)
    return TRUE;
  g_free (snapshot->rows);
  snapshot->rows = robocache_try_malloc (bytes, "the rows of a tick", error);
  snapshot->capacity = snapshot->rows ? bytes : 0;
  return snapshot->rows != NULL;
}

gboolean
fuse_snapshot_read (FuseSnapshot *snapshot, const FuseFormat *format, const RobocacheHistory *history,
    const RobocacheAlignment *alignment, GError **error)
{
  const RcBracket *bracket = &alignment->bracket;
  gint64 rows[4];
  guint64 n_rows;

  fuse_snapshot_release (snapshot);
  snapshot->kept_bytes = fuse_format_kept_bytes (format);
  snapshot->keeps_buffers = fuse_format_keeps_buffers (format);
  n_rows = robocache_bracket_rows (bracket, rows);
  snapshot->bracket = robocache_bracket_of_gathered (bracket);
  snapshot->before = alignment->before;
  snapshot->after = alignment->after;
  if (!reserve (snapshot, n_rows * snapshot->kept_bytes, error))
    return FALSE;
  snapshot->n_rows = n_rows;
  if (bracket->blend == RC_BLEND_MEAN) {
    memcpy (snapshot->rows, robocache_history_row (history, bracket->row), snapshot->n_rows * snapshot->kept_bytes);
  } else {
    for (guint64 i = 0; i < snapshot->n_rows; i++)
      memcpy (snapshot->rows + i * snapshot->kept_bytes, robocache_history_row (history, rows[i]), snapshot->kept_bytes);
  }
  for (guint64 i = 0; snapshot->keeps_buffers && i < snapshot->n_rows; i++)
    add_reference (snapshot->rows + i * snapshot->kept_bytes);
  return TRUE;
}

void
fuse_snapshot_release (FuseSnapshot *snapshot)
{
  for (guint64 i = 0; snapshot->keeps_buffers && i < snapshot->n_rows; i++)
    gst_buffer_unref (*(GstBuffer **) (snapshot->rows + i * snapshot->kept_bytes));
  snapshot->n_rows = 0;
}

void
fuse_snapshot_clear (FuseSnapshot *snapshot)
{
  fuse_snapshot_release (snapshot);
  g_clear_pointer (&snapshot->rows, g_free);
  snapshot->capacity = 0;
}

GstBuffer *
fuse_snapshot_frame (const FuseSnapshot *snapshot, guint64 i)
{
  return ((GstBuffer **) snapshot->rows)[i];
}
