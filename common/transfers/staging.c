/* robocache: pinned memory that a device copies, or reads in place, while the CPU fills the next slot
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "staging.h"

static void
set_engine (RobocacheStaging *staging, RobocacheEngine *engine)
{
  if (staging->engine == engine)
    return;
  robocache_staging_clear (staging);
  staging->engine = robocache_engine_ref (engine);
}

gpointer
robocache_staging_next (RobocacheStaging *staging, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  RcBackend *backend = robocache_engine_backend (engine);
  typeof (&staging->slots[0]) slot;
  RcError failure;

  set_engine (staging, engine);
  staging->current = (staging->current + 1) % ROBOCACHE_STAGING_SLOTS;
  slot = &staging->slots[staging->current];
  if (slot->read == NULL
      && !robocache_engine_check (rc_event_new (backend, &slot->read, &failure), &failure, error))
    return NULL;
  if (!robocache_engine_check (rc_event_synchronize (backend, slot->read, &failure), &failure, error))
    return NULL;
  if (slot->bytes < bytes) {
    robocache_engine_free (engine, RC_MEMORY_PINNED, slot->data, slot->bytes);
    slot->data = robocache_engine_alloc (engine, RC_MEMORY_PINNED, bytes, error);
    slot->bytes = slot->data ? bytes : 0;
  }
  return slot->data;
}

/* Records that work enqueued so far reads the slot. */
static RcStatus
mark_read (RobocacheStaging *staging, RcError *failure)
{
  return rc_event_record (robocache_engine_backend (staging->engine), staging->slots[staging->current].read,
      robocache_engine_stream (staging->engine), failure);
}

gboolean
robocache_staging_copy (RobocacheStaging *staging, gpointer to, guint64 bytes, GError **error)
{
  RcError failure;
  RcStatus status = robocache_engine_copy (staging->engine, to, staging->slots[staging->current].data, bytes, &failure);

  if (status == RC_OK)
    status = mark_read (staging, &failure);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_staging_mark_read (RobocacheStaging *staging, GError **error)
{
  RcError failure;

  return robocache_engine_check (mark_read (staging, &failure), &failure, error);
}

void
robocache_staging_clear (RobocacheStaging *staging)
{
  if (staging->engine == NULL)
    return;
  robocache_engine_synchronize (staging->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_STAGING_SLOTS; i++) {
    robocache_engine_free (staging->engine, RC_MEMORY_PINNED, staging->slots[i].data, staging->slots[i].bytes);
    rc_event_free (robocache_engine_backend (staging->engine), staging->slots[i].read);
  }
  robocache_engine_unref (staging->engine);
  *staging = (RobocacheStaging) { NULL };
}
