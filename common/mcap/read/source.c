/* robocache: bytes of a file at any place, and its records one after the other
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "source.h"

#include <string.h>

#define MIN_READ_AHEAD ((gsize) 4 << 10)
#define MAX_READ_AHEAD ((gsize) 256 << 10)

static gboolean
read_memory (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  const RobocacheMcapBytes *bytes = user_data;

  if (size > 0)
    memcpy (to, bytes->data + offset, size);
  return TRUE;
}

RobocacheMcapSource
robocache_mcap_source_of_memory (const RobocacheMcapBytes *bytes)
{
  return (RobocacheMcapSource) {bytes->size, read_memory, (gpointer) bytes};
}

void
robocache_mcap_walk_init (RobocacheMcapWalk *walk, const RobocacheMcapSource *source, guint64 offset, guint64 end)
{
  *walk = (RobocacheMcapWalk) {source, offset, MIN (end, source->size), g_byte_array_new (), 0, MIN_READ_AHEAD};
}

void
robocache_mcap_walk_clear (RobocacheMcapWalk *walk)
{
  g_byte_array_unref (walk->window);
}

/* Where the bytes lie in the window; NULL: not there. */
static const guint8 *
find_in_window (const RobocacheMcapWalk *walk, guint64 offset, gsize size)
{
  const guint64 skipped = offset - walk->window_offset;

  if (offset < walk->window_offset || skipped > walk->window->len || walk->window->len - skipped < size)
    return NULL;
  return walk->window->data + skipped;
}

/* Bytes within the range. NULL and an error where they cannot be read. */
static const guint8 *
get_bytes (RobocacheMcapWalk *walk, guint64 offset, gsize size, GError **error)
{
  const guint8 *found = find_in_window (walk, offset, size);
  const gboolean continues = offset >= walk->window_offset && offset <= walk->window_offset + walk->window->len;
  gsize n;

  if (found)
    return found;
  walk->read_ahead = continues ? MIN (2 * walk->read_ahead, MAX_READ_AHEAD) : MIN_READ_AHEAD;
  n = (gsize) MIN (MAX (size, walk->read_ahead), walk->end - offset);
  g_byte_array_set_size (walk->window, (guint) n);
  walk->window_offset = offset;
  if (walk->source->read (walk->source->user_data, offset, n, walk->window->data, error))
    return walk->window->data;
  g_byte_array_set_size (walk->window, 0);
  return NULL;
}

gboolean
robocache_mcap_walk_next (RobocacheMcapWalk *walk, RobocacheMcapPlace *place, GError **error)
{
  const guint8 *head;
  guint64 left;

  if (walk->offset > walk->end || walk->end - walk->offset < ROBOCACHE_MCAP_HEAD_SIZE)
    return FALSE;
  head = get_bytes (walk, walk->offset, ROBOCACHE_MCAP_HEAD_SIZE, error);
  if (!head)
    return FALSE;
  *place = (RobocacheMcapPlace) {head[0], walk->offset, robocache_mcap_get_uint64 (head + 1)};
  left = walk->end - walk->offset - ROBOCACHE_MCAP_HEAD_SIZE;
  if (place->size > left)
    return FALSE;
  walk->offset += ROBOCACHE_MCAP_HEAD_SIZE + place->size;
  return TRUE;
}

gboolean
robocache_mcap_walk_peek (RobocacheMcapWalk *walk, const RobocacheMcapPlace *place, gsize max, RobocacheMcapBytes *bytes,
    GError **error)
{
  bytes->size = (gsize) MIN (place->size, max);
  bytes->data = get_bytes (walk, place->offset + ROBOCACHE_MCAP_HEAD_SIZE, bytes->size, error);
  return bytes->data != NULL;
}
