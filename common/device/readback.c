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
init_lane (RobocacheReadback *readback, RobocacheReadbackShard *lane, RobocacheEngine *engine, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  lane->engine = robocache_engine_ref (engine);
  lane->device = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, counter_bytes (readback), error);
  if (lane->device == NULL)
    return FALSE;
  lane->host = robocache_engine_alloc (engine, RC_MEMORY_PINNED, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback), error);
  if (lane->host == NULL)
    return FALSE;
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS && status == RC_OK; i++)
    status = rc_event_new (robocache_engine_backend (engine), &lane->copied[i], &failure);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_readback_init (RobocacheReadback *readback, RobocacheEngine *const *engines, guint n_engines, guint n_counters,
    GError **error)
{
  gboolean ok = TRUE;

  robocache_readback_clear (readback);
  readback->lanes = g_new0 (RobocacheReadbackShard, n_engines);
  readback->n_lanes = n_engines;
  readback->n_counters = n_counters;
  for (guint i = 0; i < n_engines && ok; i++)
    ok = init_lane (readback, &readback->lanes[i], engines[i], error);
  if (!ok)
    robocache_readback_clear (readback);
  return ok;
}

static void
clear_lane (RobocacheReadback *readback, RobocacheReadbackShard *lane)
{
  if (lane->engine == NULL)
    return;
  robocache_engine_synchronize (lane->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_READBACK_SLOTS; i++)
    rc_event_free (robocache_engine_backend (lane->engine), lane->copied[i]);
  robocache_engine_free (lane->engine, RC_MEMORY_PINNED, lane->host, ROBOCACHE_READBACK_SLOTS * counter_bytes (readback));
  robocache_engine_free (lane->engine, RC_MEMORY_DEVICE, lane->device, counter_bytes (readback));
  robocache_engine_unref (lane->engine);
}

void
robocache_readback_clear (RobocacheReadback *readback)
{
  for (guint i = 0; i < readback->n_lanes; i++)
    clear_lane (readback, &readback->lanes[i]);
  g_free (readback->lanes);
  *readback = (RobocacheReadback) { 0 };
}

gboolean
robocache_readback_begin (RobocacheReadback *readback, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (readback->n < ROBOCACHE_READBACK_SLOTS, FALSE);
  for (guint i = 0; i < readback->n_lanes && status == RC_OK; i++) {
    RobocacheReadbackShard *lane = &readback->lanes[i];

    status = rc_memory_clear (robocache_engine_backend (lane->engine), lane->device, counter_bytes (readback),
        robocache_engine_stream (lane->engine), &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

gpointer
robocache_readback_counters (const RobocacheReadback *readback, guint lane)
{
  return readback->lanes[lane].device;
}

static RcStatus
fetch (RobocacheReadback *readback, RobocacheReadbackShard *lane, guint slot, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (lane->engine);
  const RcStream stream = robocache_engine_stream (lane->engine);
  const RcMemoryCopy copy = {.to = lane->host + slot * readback->n_counters,.from = lane->device,
    .row_bytes = counter_bytes (readback),.rows = 1
  };
  const RcStatus status = rc_memory_copy (backend, &copy, stream, failure);

  return status == RC_OK ? rc_event_record (backend, lane->copied[slot], stream, failure) : status;
}

gboolean
robocache_readback_end (RobocacheReadback *readback, GstClockTime pts, GError **error)
{
  const guint slot = (readback->oldest + readback->n) % ROBOCACHE_READBACK_SLOTS;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < readback->n_lanes && status == RC_OK; i++)
    status = fetch (readback, &readback->lanes[i], slot, &failure);
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
  for (guint i = 0; i < readback->n_lanes && status == RC_OK; i++) {
    const RobocacheReadbackShard *lane = &readback->lanes[i];

    status = rc_event_synchronize (robocache_engine_backend (lane->engine), lane->copied[slot], &failure);
    for (guint k = 0; k < readback->n_counters && status == RC_OK; k++)
      counters[k] += lane->host[slot * readback->n_counters + k];
  }
  *pts = readback->pts[slot];
  readback->oldest = (slot + 1) % ROBOCACHE_READBACK_SLOTS;
  readback->n--;
  return robocache_engine_check (status, &failure, error);
}
