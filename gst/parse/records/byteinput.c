/* robocache: bytes that arrive in pieces, and lines cut from them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "byteinput.h"

#include <string.h>

#include "common/device/budget.h"
#include "common/device/mapping.h"

#define BLOCK (16 * ROBOCACHE_SMALL_PIECE)
#define SIZE_STEP ((gsize) 1 << 18)     /* bytes: allocators keep freed memories by size, and clouds vary in size */

void
robocache_byte_input_init (RobocacheByteInput *input)
{
  *input = (RobocacheByteInput) {.adapter = gst_adapter_new (),.block = g_byte_array_new (),.line = g_string_new (NULL),
    .limit = G_MAXUINT64
  };
}

void
robocache_byte_input_clear (RobocacheByteInput *input)
{
  robocache_byte_input_unmap (input);
  g_free (input->copy);
  gst_clear_object (&input->allocator);
  g_object_unref (input->adapter);
  g_byte_array_unref (input->block);
  g_string_free (input->line, TRUE);
}

void
robocache_byte_input_set_limit (RobocacheByteInput *input, guint64 position, gboolean is_end)
{
  if (position != input->limit)
    robocache_byte_input_unmap (input);
  input->limit = position;
  input->limit_is_end = is_end;
}

/* ---- pieces ---- */

/* Has the adapter hold all bytes. */
static void
finish_block (RobocacheByteInput *input)
{
  if (input->block->len == 0)
    return;
  gst_adapter_push (input->adapter, gst_buffer_new_memdup (input->block->data, input->block->len));
  g_byte_array_set_size (input->block, 0);
}

static void
append_to_block (RobocacheByteInput *input, const GstMapInfo *map)
{
  if (input->block->len + map->size > BLOCK)
    finish_block (input);
  g_byte_array_append (input->block, map->data, (guint) map->size);
}

/* No more than one piece: to map several would copy all of them. */
void
robocache_byte_input_map (RobocacheByteInput *input, gsize least)
{
  const gsize available = robocache_byte_input_available (input);

  if (input->n_bytes - input->cursor >= MIN (least, available))
    return;
  robocache_byte_input_unmap (input);
  finish_block (input);
  input->n_bytes = MIN (available, MAX (gst_adapter_available_fast (input->adapter), least));
  input->bytes = gst_adapter_map (input->adapter, input->n_bytes);
}

void
robocache_byte_input_unmap (RobocacheByteInput *input)
{
  if (input->bytes) {
    gst_adapter_unmap (input->adapter);
    gst_adapter_flush (input->adapter, input->cursor);
    input->position += input->cursor;
  }
  input->bytes = NULL;
  input->n_bytes = input->cursor = 0;
}

/* Maps each memory separately, since mapping several at once would copy all of them. */
static gboolean
check_readable (GstBuffer *buffer, GError **error)
{
  GstMapInfo map;

  for (guint i = 0; i < gst_buffer_n_memory (buffer); i++) {
    if (!robocache_map_buffer_range (buffer, i, 1, &map, GST_MAP_READ, error))
      return FALSE;
    gst_buffer_unmap (buffer, &map);
  }
  return TRUE;
}

/* By whoever watches, and by the block. */
static gboolean
read_piece (RobocacheByteInput *input, GstBuffer *buffer, gboolean joins, GError **error)
{
  GstMapInfo map;

  if (!robocache_map_buffer (buffer, &map, GST_MAP_READ, error))
    return FALSE;
  if (input->watch)
    input->watch (input->watcher, map.data, map.size);
  if (joins)
    append_to_block (input, &map);
  gst_buffer_unmap (buffer, &map);
  return TRUE;
}

gboolean
robocache_byte_input_push (RobocacheByteInput *input, GstBuffer *buffer, GError **error)
{
  const gsize size = gst_buffer_get_size (buffer);
  gboolean joins, ok;

  robocache_byte_input_unmap (input);
  if (size == 0) {              /* which maps to NULL */
    gst_buffer_unref (buffer);
    return TRUE;
  }
  joins = size < ROBOCACHE_SMALL_PIECE && robocache_byte_input_end (input) > input->position;
  ok = input->watch || joins ? read_piece (input, buffer, joins, error) : check_readable (buffer, error);
  if (!ok || joins) {
    gst_buffer_unref (buffer);
    return ok;
  }
  finish_block (input);
  gst_adapter_push (input->adapter, buffer);
  return TRUE;
}

void
robocache_byte_input_restart (RobocacheByteInput *input)
{
  robocache_byte_input_unmap (input);
  gst_adapter_clear (input->adapter);
  g_byte_array_set_size (input->block, 0);
  input->ended = input->limit_is_end = input->in_line = input->line_is_too_long = FALSE;
  input->position = input->line_number = 0;
  input->limit = G_MAXUINT64;
}

/* ---- lines ---- */

static void
strip_carriage_return (GString *line)
{
  if (line->len > 0 && line->str[line->len - 1] == '\r')
    g_string_truncate (line, line->len - 1);
}

static void
append_to_line (RobocacheByteInput *input, const guint8 *bytes, gsize n)
{
  if (!input->in_line) {
    g_string_truncate (input->line, 0);
    input->line_is_too_long = FALSE;
  }
  input->line_is_too_long |= input->line->len + n > ROBOCACHE_MAX_LINE;
  if (!input->line_is_too_long)
    g_string_append_len (input->line, (const gchar *) bytes, (gssize) n);
}

/* From one piece. TRUE: the line has its end there. */
static gboolean
read_part_of_line (RobocacheByteInput *input)
{
  const guint8 *start, *end;
  gsize left, length;

  robocache_byte_input_map (input, 1);
  start = input->bytes + input->cursor;
  left = input->n_bytes - input->cursor;
  end = memchr (start, '\n', left);
  length = end ? (gsize) (end - start) : left;
  append_to_line (input, start, length);
  input->cursor += length + (end != NULL);
  input->in_line = end == NULL;
  return end != NULL;
}

RobocacheLineResult
robocache_byte_input_read_line (RobocacheByteInput *input)
{
  gboolean has_end = FALSE;

  while (!has_end && robocache_byte_input_available (input) > 0)
    has_end = read_part_of_line (input);
  if (!has_end && !(input->in_line && robocache_byte_input_has_ended (input)))
    return ROBOCACHE_LINE_NONE;

  input->in_line = FALSE;
  input->line_is_cut = !has_end;
  input->line_number++;
  if (input->line_is_too_long)
    return ROBOCACHE_LINE_TOO_LONG;
  strip_carriage_return (input->line);
  return ROBOCACHE_LINE_WHOLE;
}

/* ---- runs of bytes ---- */

static gboolean
is_in_one_piece (RobocacheByteInput *input, gsize n)
{
  finish_block (input);
  return gst_adapter_available_fast (input->adapter) >= n;
}

static guint8 *
copy_pieces (RobocacheByteInput *input, gsize n, GError **error)
{
  guint8 *copy = robocache_try_malloc (n, "bytes of the input", error);

  if (copy)
    gst_adapter_copy (input->adapter, copy, 0, n);
  return copy;
}

/* A copy in memory of the allocator; NULL: no memory. */
static GstMemory *
copy_pieces_to_memory (RobocacheByteInput *input, gsize n)
{
  GstMemory *memory;
  GstMapInfo map;

  if (input->allocator == NULL || n > G_MAXSIZE - SIZE_STEP)
    return NULL;
  memory = gst_allocator_alloc (input->allocator, (n + SIZE_STEP - 1) / SIZE_STEP * SIZE_STEP, NULL);
  if (memory == NULL || !gst_memory_map (memory, &map, GST_MAP_WRITE)) {
    g_clear_pointer (&memory, gst_memory_unref);
    return NULL;
  }
  gst_adapter_copy (input->adapter, map.data, 0, n);
  gst_memory_unmap (memory, &map);
  gst_memory_resize (memory, 0, n);
  return memory;
}

GstBuffer *
robocache_byte_input_read_buffer (RobocacheByteInput *input, gsize n, GError **error)
{
  GstBuffer *buffer = NULL;
  GstMemory *memory;
  guint8 *copy;

  if (n == 0)
    return gst_buffer_new ();
  if (is_in_one_piece (input, n)) {
    input->position += n;
    return gst_adapter_take_buffer (input->adapter, n);
  }
  memory = copy_pieces_to_memory (input, n);
  if (memory) {
    buffer = gst_buffer_new ();
    gst_buffer_append_memory (buffer, memory);
  } else if ((copy = copy_pieces (input, n, error))) {
    buffer = gst_buffer_new_wrapped (copy, n);
  }
  robocache_byte_input_skip (input, n);
  return buffer;
}

const guint8 *
robocache_byte_input_peek (RobocacheByteInput *input, gsize n, GError **error)
{
  if (n == 0)
    return (const guint8 *) "";
  if (is_in_one_piece (input, n))
    return gst_adapter_map (input->adapter, n);
  g_free (input->copy);
  input->copy = copy_pieces (input, n, error);
  return input->copy;
}

void
robocache_byte_input_skip (RobocacheByteInput *input, gsize n)
{
  finish_block (input);
  g_clear_pointer (&input->copy, g_free);
  input->position += n;
  gst_adapter_flush (input->adapter, n);
}

gsize
robocache_byte_input_available (const RobocacheByteInput *input)
{
  const guint64 from = robocache_byte_input_position (input), to = MIN (robocache_byte_input_end (input), input->limit);

  return to > from ? (gsize) (to - from) : 0;
}

gboolean
robocache_byte_input_has_ended (const RobocacheByteInput *input)
{
  return input->limit_is_end || (input->ended && input->limit >= robocache_byte_input_end (input));
}

guint64
robocache_byte_input_position (const RobocacheByteInput *input)
{
  return input->position + input->cursor;
}

guint64
robocache_byte_input_end (const RobocacheByteInput *input)
{
  return input->position + gst_adapter_available (input->adapter) + input->block->len;
}

void
robocache_byte_input_make_valid (GError *error)
{
  gchar *valid = g_utf8_make_valid (error->message, -1);

  g_free (error->message);
  error->message = valid;
}
