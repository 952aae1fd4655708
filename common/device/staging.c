/* robocache: pinned memory from which a device copies while the CPU fills the next piece
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "staging.h"

#include <string.h>

#include "mapping.h"

#define PIECE_BYTES (G_GUINT64_CONSTANT (256) << 10)    /* of an upload, copied while the CPU fills the next */
#define MIN_BYTES 4096          /* of a slot of an upload */

gpointer
robocache_staging_next (RobocacheStaging *staging, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  RcBackend *backend = robocache_engine_backend (engine);
  typeof (&staging->slots[0]) slot;
  RcError failure;

  if (staging->engine != engine) {
    robocache_staging_clear (staging);
    staging->engine = robocache_engine_ref (engine);
  }
  staging->current = (staging->current + 1) % ROBOCACHE_STAGING_SLOTS;
  slot = &staging->slots[staging->current];
  if (slot->copied == NULL
      && !robocache_engine_check (rc_event_new (backend, &slot->copied, &failure), &failure, error))
    return NULL;
  if (!robocache_engine_check (rc_event_synchronize (backend, slot->copied, &failure), &failure, error))
    return NULL;
  if (slot->bytes < bytes) {
    robocache_engine_free (engine, RC_MEMORY_PINNED, slot->data, slot->bytes);
    slot->data = robocache_engine_alloc (engine, RC_MEMORY_PINNED, bytes, error);
    slot->bytes = slot->data ? bytes : 0;
  }
  return slot->data;
}

gboolean
robocache_staging_copy (RobocacheStaging *staging, gpointer to, guint64 bytes, GError **error)
{
  RcBackend *backend = robocache_engine_backend (staging->engine);
  const RcStream stream = robocache_engine_stream (staging->engine);
  const RcMemoryCopy copy = {.to = to,.from = staging->slots[staging->current].data,.row_bytes = bytes,.rows = 1 };
  RcStatus status;
  RcError failure;

  status = rc_memory_copy (backend, &copy, stream, &failure);
  if (status == RC_OK)
    status = rc_event_record (backend, staging->slots[staging->current].copied, stream, &failure);
  return robocache_engine_check (status, &failure, error);
}

/* Of a slot for so many bytes: few sizes, so that slots settle soon. */
static guint64
slot_bytes (guint64 bytes)
{
  guint64 size = MIN_BYTES;

  while (size < bytes)
    size *= 2;
  return size;
}

gboolean
robocache_staging_upload_bytes (RobocacheStaging *staging, RobocacheEngine *engine, gconstpointer from, gsize bytes,
    gpointer to, GError **error)
{
  for (gsize at = 0; at < bytes; at += PIECE_BYTES) {
    const gsize n = MIN (bytes - at, PIECE_BYTES);
    gpointer slot = robocache_staging_next (staging, engine, slot_bytes (n), error);

    if (slot == NULL)
      return FALSE;
    memcpy (slot, (const guint8 *) from + at, n);
    if (!robocache_staging_copy (staging, (guint8 *) to + at, n, error))
      return FALSE;
  }
  return TRUE;
}

gboolean
robocache_staging_upload (RobocacheStaging *staging, RobocacheEngine *engine, GstMemory *memory, gsize offset,
    gsize bytes, gpointer to, GError **error)
{
  GstMapInfo map;
  gboolean ok;

  if (robocache_is_copied_by_gpu (memory))
    return robocache_memory_copy_out (memory, offset, bytes, to, engine, error);
  if (!robocache_map_memory (memory, &map, GST_MAP_READ, error))
    return FALSE;
  ok = robocache_staging_upload_bytes (staging, engine, map.data + offset, bytes, to, error);
  gst_memory_unmap (memory, &map);
  return ok;
}

void
robocache_staging_clear (RobocacheStaging *staging)
{
  if (staging->engine == NULL)
    return;
  robocache_engine_synchronize (staging->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_STAGING_SLOTS; i++) {
    robocache_engine_free (staging->engine, RC_MEMORY_PINNED, staging->slots[i].data, staging->slots[i].bytes);
    rc_event_free (robocache_engine_backend (staging->engine), staging->slots[i].copied);
  }
  robocache_engine_unref (staging->engine);
  *staging = (RobocacheStaging) { NULL };
}
