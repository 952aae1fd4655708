/* robocache: bytes whose number an input decides: an allocation that fails is an error
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "buffer.h"

#include <string.h>

#include "common/element/errors.h"

void
robocache_mcap_buffer_clear (RobocacheMcapBuffer *buffer)
{
  g_free (buffer->data);
  *buffer = (RobocacheMcapBuffer) { 0 };
}

/* Grows by a half at least, where there is memory for that. */
static gboolean
reserve (RobocacheMcapBuffer *buffer, gsize size, GError **error)
{
  gsize capacity = MAX (size, buffer->capacity + buffer->capacity / 2);
  guint8 *data = g_try_realloc (buffer->data, capacity);

  if (!data) {
    capacity = size;
    data = g_try_realloc (buffer->data, capacity);
  }
  if (!data) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "no memory for %" G_GSIZE_FORMAT " bytes", size);
    return FALSE;
  }
  buffer->data = data;
  buffer->capacity = capacity;
  return TRUE;
}

gboolean
robocache_mcap_buffer_resize (RobocacheMcapBuffer *buffer, gsize size, GError **error)
{
  if (size > buffer->capacity && !reserve (buffer, size, error))
    return FALSE;
  buffer->size = size;
  return TRUE;
}

gboolean
robocache_mcap_buffer_append (RobocacheMcapBuffer *buffer, const guint8 *bytes, gsize size, GError **error)
{
  const gsize before = buffer->size;

  if (size > G_MAXSSIZE - before || !robocache_mcap_buffer_resize (buffer, before + size, error))
    return FALSE;
  if (size > 0)
    memcpy (buffer->data + before, bytes, size);
  return TRUE;
}
