/* robocache: what kernels count, brought to the host in the order of the work
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readback.h"

#include <string.h>

struct _RobocacheReadbackShard
{
  RobocacheEngine *engine;
  gint64 *device;               /* of the job that is enqueued; the stream keeps jobs apart */
  gint64 *host;                 /* pinned: [slots][n_counters] */
  RcEvent copied[ROBOCACHE_READBACK_SLOTS];
};

static guint64
counter_bytes (const RobocacheReadback *readback)
{
  return readback->n_counters * sizeof (gint64);
}

static gboolean
init_shard (RobocacheReadback *readback, RobocacheReadbackShard *shard, RobocacheEngine *engine, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  shard->engine = robocache_engine_ref (engine);
  shard->device = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, counter_bytes (readback), error);
  if (shard->device == NULL)
    return FALSE;
  shard->host = robocache_engine_alloc (engine, RC_MEMORY_PINNED, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback), error);
  if (shard->host == NULL)
    return FALSE;
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS && status == RC_OK; i++)
    status = rc_event_new (robocache_engine_backend (engine), &shard->copied[i], &failure);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_readback_init (RobocacheReadback *readback, RobocacheEngine *const *engines, guint n_engines, guint n_counters,
    GError **error)
{
  gboolean ok = TRUE;

  robocache_readback_clear (readback);
  readback->shards = g_new0 (RobocacheReadbackShard, n_engines);
  readback->n_shards = n_engines;
  readback->n_counters = n_counters;
  for (guint i = 0; i < n_engines && ok; i++)
    ok = init_shard (readback, &readback->shards[i], engines[i], error);
  if (!ok)
    robocache_readback_clear (readback);
  return ok;
}

static void
clear_shard (RobocacheReadback *readback, RobocacheReadbackShard *shard)
{
  if (shard->engine == NULL)
    return;
  robocache_engine_synchronize (shard->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS; i++)
    rc_event_free (robocache_engine_backend (shard->engine), shard->copied[i]);
  robocache_engine_free (shard->engine, RC_MEMORY_PINNED, shard->host, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback));
  robocache_engine_free (shard->engine, RC_MEMORY_DEVICE, shard->device, counter_bytes (readback));
  robocache_engine_unref (shard->engine);
}

void
robocache_readback_clear (RobocacheReadback *readback)
{
  for (guint i = 0; i < readback->n_shards; i++)
    clear_shard (readback, &readback->shards[i]);
  g_free (readback->shards);
  *readback = (RobocacheReadback) { 0 };
}

gboolean
robocache_readback_begin (RobocacheReadback *readback, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (readback->n < ROBOCACHE_READBACK_SLOTS, FALSE);
  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++) {
    RobocacheReadbackShard *shard = &readback->shards[i];

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
fetch (RobocacheReadback *readback, RobocacheReadbackShard *shard, guint slot, RcError *failure)
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
  const guint slot = (readback->oldest + readback->n) % ROBOCACHE_READBACK_SLOTS;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++)
    status = fetch (readback, &readback->shards[i], slot, &failure);
  if (!robocache_engine_check (status, &failure, error))
    return FALSE;
  readback->pts[slot] = pts;
  readback->n++;
  return TRUE;
}

guint
robocache_readback_pending (const RobocacheReadback *readback)
{
  return readback->n;
}

gboolean
robocache_readback_take (RobocacheReadback *readback, gint64 *counters, GstClockTime *pts, GError **error)
{
  const guint slot = readback->oldest;
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (readback->n > 0, FALSE);
  memset (counters, 0, counter_bytes (readback));
  for (guint i = 0; i < readback->n_shards && status == RC_OK; i++) {
    const RobocacheReadbackShard *shard = &readback->shards[i];

    status = rc_event_synchronize (robocache_engine_backend (shard->engine), shard->copied[slot], &failure);
    for (guint k = 0; k < readback->n_counters && status == RC_OK; k++)
      counters[k] += shard->host[slot * readback->n_counters + k];
  }
  *pts = readback->pts[slot];
  readback->oldest = (slot + 1) % ROBOCACHE_READBACK_SLOTS;
  readback->n--;
  return robocache_engine_check (status, &failure, error);
}
