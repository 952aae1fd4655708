/* robocache: memory that an element works in: of its engine, and pinned memory on the way there
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "scratch.h"

gboolean
robocache_scratch_reserve (RobocacheScratch *scratch, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  if (scratch->engine == engine && bytes <= scratch->bytes)
    return TRUE;
  robocache_scratch_clear (scratch);
  if (bytes == 0)
    return TRUE;
  if (!robocache_engine_check_room (engine, bytes, "the scratch of this job", "send less at once", error))
    return FALSE;
  scratch->data = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, bytes, error);
  if (scratch->data == NULL)
    return FALSE;
  scratch->engine = robocache_engine_ref (engine);
  scratch->bytes = bytes;
  return TRUE;
}

void
robocache_scratch_clear (RobocacheScratch *scratch)
{
  if (scratch->data == NULL)
    return;
  robocache_engine_synchronize (scratch->engine, NULL);
  robocache_engine_free (scratch->engine, RC_MEMORY_DEVICE, scratch->data, scratch->bytes);
  robocache_engine_unref (scratch->engine);
  *scratch = (RobocacheScratch) { NULL };
}

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
