/* robocache: what kernels count, brought to the host in the order of the work
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readback.h"

#include <string.h>

struct _RobocacheTallyLane
{
  RobocacheEngine *engine;
  gint64 *device;               /* of the job that is enqueued; the stream keeps jobs apart */
  gint64 *host;                 /* pinned: [slots][n_counters] */
  RcEvent copied[ROBOCACHE_TALLY_SLOTS];
};

static guint64
counter_bytes (const RobocacheTally *tally)
{
  return tally->n_counters * sizeof (gint64);
}

static gboolean
init_lane (RobocacheTally *tally, RobocacheTallyLane *lane, RobocacheEngine *engine, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  lane->engine = robocache_engine_ref (engine);
  lane->device = robocache_engine_alloc (engine, RC_MEMORY_DEVICE, counter_bytes (tally), error);
  if (lane->device == NULL)
    return FALSE;
  lane->host = robocache_engine_alloc (engine, RC_MEMORY_PINNED, ROBOCACHE_TALLY_SLOTS * counter_bytes (tally), error);
  if (lane->host == NULL)
    return FALSE;
  for (guint i = 0; i < ROBOCACHE_TALLY_SLOTS && status == RC_OK; i++)
    status = rc_event_new (robocache_engine_backend (engine), &lane->copied[i], &failure);
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_tally_init (RobocacheTally *tally, RobocacheEngine *const *engines, guint n_engines, guint n_counters,
    GError **error)
{
  gboolean ok = TRUE;

  robocache_tally_clear (tally);
  tally->lanes = g_new0 (RobocacheTallyLane, n_engines);
  tally->n_lanes = n_engines;
  tally->n_counters = n_counters;
  for (guint i = 0; i < n_engines && ok; i++)
    ok = init_lane (tally, &tally->lanes[i], engines[i], error);
  if (!ok)
    robocache_tally_clear (tally);
  return ok;
}

static void
clear_lane (RobocacheTally *tally, RobocacheTallyLane *lane)
{
  if (lane->engine == NULL)
    return;
  robocache_engine_synchronize (lane->engine, NULL);
  for (guint i = 0; i < ROBOCACHE_TALLY_SLOTS; i++)
    rc_event_free (robocache_engine_backend (lane->engine), lane->copied[i]);
  robocache_engine_free (lane->engine, RC_MEMORY_PINNED, lane->host, ROBOCACHE_TALLY_SLOTS * counter_bytes (tally));
  robocache_engine_free (lane->engine, RC_MEMORY_DEVICE, lane->device, counter_bytes (tally));
  robocache_engine_unref (lane->engine);
}

void
robocache_tally_clear (RobocacheTally *tally)
{
  for (guint i = 0; i < tally->n_lanes; i++)
    clear_lane (tally, &tally->lanes[i]);
  g_free (tally->lanes);
  *tally = (RobocacheTally) { 0 };
}

gboolean
robocache_tally_begin (RobocacheTally *tally, GError **error)
{
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (tally->n < ROBOCACHE_TALLY_SLOTS, FALSE);
  for (guint i = 0; i < tally->n_lanes && status == RC_OK; i++) {
    RobocacheTallyLane *lane = &tally->lanes[i];

    status = rc_memory_clear (robocache_engine_backend (lane->engine), lane->device, counter_bytes (tally),
        robocache_engine_stream (lane->engine), &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

gpointer
robocache_tally_counters (const RobocacheTally *tally, guint lane)
{
  return tally->lanes[lane].device;
}

static RcStatus
fetch (RobocacheTally *tally, RobocacheTallyLane *lane, guint slot, RcError *failure)
{
  RcBackend *backend = robocache_engine_backend (lane->engine);
  const RcStream stream = robocache_engine_stream (lane->engine);
  const RcMemoryCopy copy = {.to = lane->host + slot * tally->n_counters,.from = lane->device,
    .row_bytes = counter_bytes (tally),.rows = 1
  };
  const RcStatus status = rc_memory_copy (backend, &copy, stream, failure);

  return status == RC_OK ? rc_event_record (backend, lane->copied[slot], stream, failure) : status;
}

gboolean
robocache_tally_end (RobocacheTally *tally, GstClockTime pts, GError **error)
{
  const guint slot = (tally->oldest + tally->n) % ROBOCACHE_TALLY_SLOTS;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < tally->n_lanes && status == RC_OK; i++)
    status = fetch (tally, &tally->lanes[i], slot, &failure);
  if (!robocache_engine_check (status, &failure, error))
    return FALSE;
  tally->pts[slot] = pts;
  tally->n++;
  return TRUE;
}

guint
robocache_tally_pending (const RobocacheTally *tally)
{
  return tally->n;
}

gboolean
robocache_tally_take (RobocacheTally *tally, gint64 *counters, GstClockTime *pts, GError **error)
{
  const guint slot = tally->oldest;
  RcStatus status = RC_OK;
  RcError failure;

  g_return_val_if_fail (tally->n > 0, FALSE);
  memset (counters, 0, counter_bytes (tally));
  for (guint i = 0; i < tally->n_lanes && status == RC_OK; i++) {
    const RobocacheTallyLane *lane = &tally->lanes[i];

    status = rc_event_synchronize (robocache_engine_backend (lane->engine), lane->copied[slot], &failure);
    for (guint k = 0; k < tally->n_counters && status == RC_OK; k++)
      counters[k] += lane->host[slot * tally->n_counters + k];
  }
  *pts = tally->pts[slot];
  tally->oldest = (slot + 1) % ROBOCACHE_TALLY_SLOTS;
  tally->n--;
  return robocache_engine_check (status, &failure, error);
}
