/* robocache: counters of kernels, brought to the host in the order of the work
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readback.h"

#include <string.h>

typedef struct
{
  RobocacheEngine *engine;
  gint64 *device;               /* of the job that is enqueued; the stream keeps jobs apart */
  gint64 *host;                 /* pinned: [slots][n_counters] */
  RcEvent copied[ROBOCACHE_READBACK_SLOTS];
} Shard;

struct _RobocacheReadback
{
  guint n_shards, n_counters;
  Shard *shards;                /* one for each engine */
  guint n_ended, n_taken;       /* jobs until now; atomic */
  GstClockTime pts[ROBOCACHE_READBACK_SLOTS];
};

static guint64
counter_bytes (const RobocacheReadback *readback)
{
  return readback->n_counters * sizeof (gint64);
}

/* ---- life ---- */

static gboolean
init_shard (RobocacheReadback *readback, Shard *shard, RobocacheEngine *engine, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  shard->engine = robocache_engine_ref (engine);
  shard->device = robocache_engine_alloc (engine, RC_MEMORY_SCRATCH, counter_bytes (readback), error);
  if (shard->device == NULL)
    return FALSE;
  shard->host = robocache_engine_alloc (engine, RC_MEMORY_PINNED, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback), error);
  if (shard->host == NULL)
    return FALSE;
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS && status == RC_OK; i++)
    status = rc_event_new (robocache_engine_backend (engine), &shard->copied[i], &failure);
  return robocache_engine_check (status, &failure, error);
}

static void
clear_shard (RobocacheReadback *readback, Shard *shard)
{
  if (shard->engine == NULL)
    return;
  robocache_engine_synchronize (shard->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS; i++)
    rc_event_free (robocache_engine_backend (shard->engine), shard->copied[i]);
  robocache_engine_free (shard->engine, RC_MEMORY_PINNED, shard->host, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback));
  robocache_engine_free (shard->engine, RC_MEMORY_SCRATCH, shard->device, counter_bytes (readback));
  robocache_engine_unref (shard->engine);
}

void
robocache_readback_free (RobocacheReadback *readback)
{
  if (readback == NULL)
    return;
  for (guint i = 0; i < readback->n_shards; i++)
    clear_shard (readback, &readback->shards[i]);
  g_free (readback->shards);
  g_free (readback);
}

RobocacheReadback *
robocache_readback_new (RobocacheEngine *const *engines, guint n_engines, guint n_counters, GError **error)
{
  RobocacheReadback *readback = g_new0 (RobocacheReadback, 1);

  readback->shards = g_new0 (Shard, n_engines);
  readback->n_shards = n_engines;
  readback->n_counters = n_counters;
  for (guint i = 0; i < n_engines; i++) {
    if (!init_shard (readback, &readback->shards[i], engines[i], error)) {
      robocache_readback_free (readback);
      return NULL;
    }
  }
  return readback;
}

/* ---- jobs ---- */

gboolean
robocache_readback_begin (RobocacheReadback *readback, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (robocache_readback_pending (readback) < ROBOCACHE_READBACK_SLOTS, FALSE);
  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++) {
    Shard *shard = &readback->shards[i];

    status = rc_memory_clear (robocache_engine_backend (shard->engine), shard->device, counter_bytes (readback),
        robocache_engine_stream (shard->engine), &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

gpointer
robocache_readback_counters (const RobocacheReadback *readback, guint shard)
{
  return readback->shards[shard].device;
}

static RcStatus
fetch (RobocacheReadback *readback, Shard *shard, guint slot, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (shard->engine);
  const RcStream stream = robocache_engine_stream (shard->engine);
  const RcMemoryCopy copy = {.to = shard->host + slot * readback->n_counters,.from = shard->device,
    .row_bytes = counter_bytes (readback),.rows = 1
  };
  const RcStatus status = rc_memory_copy (backend, &copy, stream, failure);

  return status == RC_OK ? rc_event_record (backend, shard->copied[slot], stream, failure) : status;
}

gboolean
robocache_readback_end (RobocacheReadback *readback, GstClockTime pts, GError **error)
{
  const guint slot = readback->n_ended % ROBOCACHE_READBACK_SLOTS;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++)
    status = fetch (readback, &readback->shards[i], slot, &failure);
  if (!robocache_engine_check (status, &failure, error))
    return FALSE;
  readback->pts[slot] = pts;
  __atomic_store_n (&readback->n_ended, readback->n_ended + 1, __ATOMIC_RELEASE);
  return TRUE;
}

gboolean
robocache_readback_wait (RobocacheReadback *readback, guint but_last, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;
  guint slot;

  if (readback == NULL || robocache_readback_pending (readback) <= but_last)
    return TRUE;
  slot = (readback->n_ended - but_last - 1) % ROBOCACHE_READBACK_SLOTS;
  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++)
    status = rc_event_synchronize (robocache_engine_backend (readback->shards[i].engine), readback->shards[i].copied[slot],
        &failure);
  return robocache_engine_check (status, &failure, error);
}

/* ---- results ---- */

guint
robocache_readback_pending (const RobocacheReadback *readback)
{
  return __atomic_load_n (&readback->n_ended, __ATOMIC_ACQUIRE) - __atomic_load_n (&readback->n_taken, __ATOMIC_ACQUIRE);
}

static RcStatus
find_done (const RobocacheReadback *readback, guint slot, gboolean *is_done, RcError *failure)
{
  RcStatus status = RC_OK;

  *is_done = TRUE;
  for (guint i = 0; i < readback->n_shards && *is_done && status == RC_OK; i++)
    status = rc_event_query (robocache_engine_backend (readback->shards[i].engine), readback->shards[i].copied[slot], is_done,
        failure);
  return status;
}

static void
add_up (const RobocacheReadback *readback, guint slot, gint64 *counters)
{
  memset (counters, 0, counter_bytes (readback));
  for (guint i = 0; i < readback->n_shards; i++) {
    for (guint k = 0; k < readback->n_counters; k++)
      counters[k] += readback->shards[i].host[slot * readback->n_counters + k];
  }
}

gboolean
robocache_readback_take (RobocacheReadback *readback, gint64 *counters, GstClockTime *pts, GError **error)
{
  gboolean is_done;
  RcStatus status;
  RcError failure;
  guint slot;

  if (readback == NULL || robocache_readback_pending (readback) == 0)
    return FALSE;
  slot = readback->n_taken % ROBOCACHE_READBACK_SLOTS;
  status = find_done (readback, slot, &is_done, &failure);
  if (status == RC_OK && !is_done)
    return FALSE;
  if (status == RC_OK) {
    add_up (readback, slot, counters);
    *pts = readback->pts[slot];
  }
  __atomic_store_n (&readback->n_taken, readback->n_taken + 1, __ATOMIC_RELEASE);
  return robocache_engine_check (status, &failure, error);
}
