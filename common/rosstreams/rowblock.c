/* robocache: rows of one stream, collected into one buffer with the time of each
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowblock.h"

#include <string.h>

#include "rowcaps.h"

#define MAX_RESERVED_BYTES 65536

struct _RobocacheRowBlock
{
  GstCaps *caps;                /* of one row */
  RobocacheTensorInfo row;
  gsize row_bytes;
  guint max_rows;
  GByteArray *rows;             /* NULL: the block is empty */
  GArray *times;                /* of guint64; likewise */
  guint64 newest;
};

static gboolean
describe_row (const GstCaps *caps, RobocacheTensorInfo *row)
{
  RobocacheTensorsInfo info;

  if (!gst_structure_has_name (gst_caps_get_structure (caps, 0), ROBOCACHE_TENSORS_MEDIA_TYPE)
      || !robocache_tensors_info_from_caps (&info, caps, NULL) || info.n_tensors != 1 || info.tensors[0].rank != 1)
    return FALSE;
  *row = info.tensors[0];
  return gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
}

RobocacheRowBlock *
robocache_row_block_new (const GstCaps *caps, guint max_rows)
{
  RobocacheTensorInfo row;
  RobocacheRowBlock *block;

  if (!describe_row (caps, &row) || robocache_tensor_info_size (&row) > G_MAXINT / max_rows)
    return NULL;
  block = g_new0 (RobocacheRowBlock, 1);
  block->caps = gst_caps_copy (caps);
  block->row = row;
  block->row_bytes = robocache_tensor_info_size (&row);
  block->max_rows = max_rows;
  return block;
}

void
robocache_row_block_free (RobocacheRowBlock *block)
{
  if (!block)
    return;
  robocache_row_block_discard (block);
  gst_caps_unref (block->caps);
  g_free (block);
}

/* ---- rows ---- */

gboolean
robocache_row_block_holds (const RobocacheRosSample *sample)
{
  return !sample->buffer || (gst_buffer_n_memory (sample->buffer) == 1 && !GST_BUFFER_DURATION_IS_VALID (sample->buffer));
}

/* Most blocks become full. */
static void
begin (RobocacheRowBlock *block)
{
  block->rows = g_byte_array_sized_new ((guint) MIN (block->max_rows * block->row_bytes, MAX_RESERVED_BYTES));
  block->times = g_array_sized_new (FALSE, FALSE, sizeof (guint64), (guint) MIN (block->max_rows, MAX_RESERVED_BYTES / sizeof (guint64)));
  block->newest = 0;
}

static void
append_row (RobocacheRowBlock *block, const RobocacheRosSample *sample)
{
  const guint offset = block->rows->len;

  g_byte_array_set_size (block->rows, (guint) (offset + block->row_bytes));
  if (sample->buffer)
    gst_buffer_extract (sample->buffer, 0, block->rows->data + offset, block->row_bytes);
  else
    memcpy (block->rows->data + offset, sample->row, block->row_bytes);
}

void
robocache_row_block_add (RobocacheRowBlock *block, const RobocacheRosSample *sample, guint64 pts)
{
  if (!block->rows)
    begin (block);
  append_row (block, sample);
  g_array_append_val (block->times, pts);
  block->newest = MAX (block->newest, pts);
}

guint
robocache_row_block_count (const RobocacheRowBlock *block)
{
  return block->times ? block->times->len : 0;
}

gboolean
robocache_row_block_is_full (const RobocacheRowBlock *block)
{
  return robocache_row_block_count (block) == block->max_rows;
}

void
robocache_row_block_discard (RobocacheRowBlock *block)
{
  g_clear_pointer (&block->rows, g_byte_array_unref);
  g_clear_pointer (&block->times, g_array_unref);
}

/* ---- blocks ---- */

GstCaps *
robocache_row_block_caps (const RobocacheRowBlock *block, guint n)
{
  return robocache_row_caps_of_block (block->caps, &block->row, n > 0 ? n : block->max_rows);
}

static void
append_memory (GstBuffer *buffer, gpointer data, gsize size)
{
  gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, data, size, 0, size, data, g_free));
}

GstBuffer *
robocache_row_block_take (RobocacheRowBlock *block)
{
  const guint64 first = g_array_index (block->times, guint64, 0);
  const gsize n = block->times->len;
  GstBuffer *buffer = gst_buffer_new ();

  GST_BUFFER_PTS (buffer) = first;
  GST_BUFFER_DURATION (buffer) = block->newest - first;
  append_memory (buffer, g_byte_array_free (g_steal_pointer (&block->rows), FALSE), n * block->row_bytes);
  append_memory (buffer, g_array_free (g_steal_pointer (&block->times), FALSE), n * sizeof (guint64));
  return buffer;
}
