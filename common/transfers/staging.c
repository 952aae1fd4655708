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

/* Makes the next slot current; if the device has not read it, adds a new slot, up to the maximum. */
static gboolean
choose_slot (RobocacheStaging *staging, GError **error)
{
  RobocacheEngine *engine = staging->engine;
  RcBackend *backend = robocache_engine_backend (engine);
  const guint n = staging->n_slots, next = n > 0 ? (staging->current + 1) % n : 0;
  int is_read = FALSE;
  RcError failure;

  if (n > 0
      && !robocache_engine_check (rc_event_query (backend, staging->slots[next].read, &is_read, &failure), &failure, error))
    return FALSE;
  if (!is_read && n < ROBOCACHE_STAGING_SLOTS) {
    if (!robocache_engine_check (rc_event_new (backend, &staging->slots[n].read, &failure), &failure, error))
      return FALSE;
    staging->current = staging->n_slots++;
    return TRUE;
  }
  staging->current = next;
  return is_read
      || robocache_engine_check (rc_event_synchronize (backend, staging->slots[next].read, &failure), &failure, error);
}

gpointer
robocache_staging_next (RobocacheStaging *staging, RobocacheEngine *engine, guint64 bytes, GError **error)
{
  typeof (&staging->slots[0]) slot;

  set_engine (staging, engine);
  if (!choose_slot (staging, error))
    return NULL;
  slot = &staging->slots[staging->current];
  staging->max_bytes = MAX (staging->max_bytes, bytes);
  if (slot->bytes < bytes) {    /* as large as any before, so slots seldom grow */
    robocache_engine_free (engine, RC_MEMORY_PINNED, slot->data, slot->bytes);
    slot->data = robocache_engine_alloc (engine, RC_MEMORY_PINNED, staging->max_bytes, error);
    slot->bytes = slot->data ? staging->max_bytes : 0;
  }
  return slot->data;
}

/* Records that work enqueued so far reads the slot, or waits for it. */
static RcStatus
mark_read (RobocacheStaging *staging, RcError *failure)
{
  RcStatus status = rc_event_record (robocache_engine_backend (staging->engine), staging->slots[staging->current].read,
      robocache_engine_stream (staging->engine), failure);

  if (status != RC_OK)
    robocache_engine_synchronize (staging->engine, NULL);
  return status;
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
  for (guint i = 0; i < staging->n_slots; i++) {
    robocache_engine_free (staging->engine, RC_MEMORY_PINNED, staging->slots[i].data, staging->slots[i].bytes);
    rc_event_free (robocache_engine_backend (staging->engine), staging->slots[i].read);
  }
  robocache_engine_unref (staging->engine);
  *staging = (RobocacheStaging) { NULL };
}
