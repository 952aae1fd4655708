/* robocache: recorded episodes resampled where they are or where there is room, whole, in chunks, or split over several
 * engines
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "episodes.h"

#include <string.h>

#define ALIGNMENT 256           /* of a part in a block */
#define OUT ROBOCACHE_EPISODES_OUT
#define N_PARTS ROBOCACHE_EPISODES_N_PARTS

/* One engine and its share of the episodes. */
typedef struct
{
  RobocacheEngine *engine;
  RcAlignPlan *plan;
  RobocacheScratch plan_scratch;
  RobocacheStaging staging;
  guint64 first, n;

  RobocacheScratch block;       /* of the parts that are not in place, one after another */
  gboolean is_staged[N_PARTS];  /* those that it has room for */
  guint64 chunk;                /* episodes that it has room for */

  RcEvent done;                 /* its work on the output */
  RcEvent gathered;             /* of the first engine's device: what the block had for the output was fetched */
} Lane;

struct _RobocacheEpisodes
{
  RobocacheEpisodesShape shape;
  guint64 part_bytes[N_PARTS];  /* of one episode */
  guint n_lanes;                /* none has no episodes */
  Lane *lanes;
};

guint64
robocache_episodes_part_bytes (const RcAlignStreamSpec *spec, const RobocacheEpisodesShape *shape,
    RobocacheEpisodesPart part)
{
  const guint64 channels = (guint64) spec->channels;
  const guint64 bytes[N_PARTS] = {
    [ROBOCACHE_EPISODES_ROWS] = shape->rows * channels * rc_dtype_size (spec->in),
    [ROBOCACHE_EPISODES_TIMES] = shape->rows * sizeof (gint64),
    [ROBOCACHE_EPISODES_TARGETS] = shape->ticks * sizeof (gint64),
    [ROBOCACHE_EPISODES_OUT] = shape->ticks * channels * rc_dtype_size (spec->out),
  };

  return bytes[part];
}

/* ---- plans ---- */

static gboolean
init_lane (RobocacheEpisodes *episodes, Lane *lane, RobocacheEngine *engine, const RcAlignSpec *spec, RcStatus *status,
    GError **error)
{
  RcBackend *backend = robocache_engine_backend (engine);
  RcFootprint footprint = { 0 };
  RcError failure;

  lane->engine = robocache_engine_ref (engine);
  *status = rc_align_plan (backend, spec, &lane->plan, &footprint, &failure);
  if (*status == RC_OK)
    *status = rc_event_new (backend, &lane->done, &failure);
  if (*status == RC_OK)
    *status = rc_event_new (robocache_engine_backend (episodes->lanes[0].engine), &lane->gathered, &failure);
  return robocache_engine_check (*status, &failure, error)
      && robocache_scratch_reserve (&lane->plan_scratch, engine, footprint.scratch_bytes, error);
}

RobocacheEpisodes *
robocache_episodes_new (RobocacheEngine *const *engines, guint n_engines, const RcAlignStreamSpec *spec,
    const RobocacheEpisodesShape *shape, RcStatus *status, GError **error)
{
  const RcAlignSpec plan_spec = { spec, 1 };
  RobocacheEpisodes *episodes = g_new0 (RobocacheEpisodes, 1);
  gboolean ok = TRUE;

  n_engines = (guint) MIN (n_engines, shape->batch);
  episodes->shape = *shape;
  for (guint part = 0; part < N_PARTS; part++)
    episodes->part_bytes[part] = robocache_episodes_part_bytes (spec, shape, part);
  episodes->lanes = g_new0 (Lane, n_engines);
  episodes->n_lanes = n_engines;
  *status = RC_OK;
  for (guint i = 0; i < n_engines && ok; i++) {
    ok = init_lane (episodes, &episodes->lanes[i], engines[i], &plan_spec, status, error);
    episodes->lanes[i].first = shape->batch * i / n_engines;
    episodes->lanes[i].n = shape->batch * (i + 1) / n_engines - episodes->lanes[i].first;
  }
  if (ok)
    return episodes;
  robocache_episodes_free (episodes);
  return NULL;
}

/* The first engine may still fetch from another's block. */
static void
wait_for_all (RobocacheEpisodes *episodes)
{
  for (guint i = 0; i < episodes->n_lanes; i++) {
    if (episodes->lanes[i].engine)
      robocache_engine_synchronize (episodes->lanes[i].engine, NULL);
  }
}

void
robocache_episodes_free (RobocacheEpisodes *episodes)
{
  if (episodes == NULL)
    return;
  wait_for_all (episodes);
  for (guint i = episodes->n_lanes; i-- > 0;) {
    Lane *lane = &episodes->lanes[i];

    if (lane->engine == NULL)
      continue;
    rc_align_plan_free (lane->plan);
    robocache_scratch_clear (&lane->plan_scratch);
    robocache_scratch_clear (&lane->block);
    robocache_staging_clear (&lane->staging);
    rc_event_free (robocache_engine_backend (lane->engine), lane->done);
    rc_event_free (robocache_engine_backend (episodes->lanes[0].engine), lane->gathered);
  }
  for (guint i = 0; i < episodes->n_lanes; i++)
    g_clear_pointer (&episodes->lanes[i].engine, robocache_engine_unref);
  g_free (episodes->lanes);
  g_free (episodes);
}

/* ---- where parts are ---- */

/* NULL: the engine cannot use the part there. Lists of times are aligned, or they are not what kernels read. */
static guint8 *
in_place (const Lane *lane, const RobocacheEpisodesPlace *place, RobocacheEpisodesPart part)
{
  guint8 *data = place->mapped[part];

  if (data == NULL || robocache_engine_is_gpu (lane->engine))
    data = robocache_memory_reach (place->memories[part], place->offsets[part], lane->engine);
  if ((part == ROBOCACHE_EPISODES_TIMES || part == ROBOCACHE_EPISODES_TARGETS)
      && (guintptr) data % sizeof (gint64) != 0)
    return NULL;
  return data;
}

static guint64
aligned (guint64 bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Bytes of a block for n episodes; with at, where the parts are. */
static guint64
lay_out (const RobocacheEpisodes *episodes, const gboolean *is_staged, guint64 n, guint64 *at)
{
  guint64 bytes = 0;

  for (guint part = 0; part < N_PARTS; part++) {
    if (at)
      at[part] = bytes;
    if (is_staged[part])
      bytes += aligned (n * episodes->part_bytes[part]);
  }
  return bytes;
}

/* As many of n episodes as there is room for, at least one. Where outputs are device memory too, they need half of
 * it. */
static guint64
episodes_that_fit (const RobocacheEpisodes *episodes, const Lane *lane, const gboolean *is_staged)
{
  guint64 room = robocache_engine_budget (lane->engine) + lane->block.bytes, one = 0;

  if (!is_staged[OUT])
    room /= 2;
  if (lay_out (episodes, is_staged, lane->n, NULL) <= room)
    return lane->n;
  for (guint part = 0; part < N_PARTS; part++)
    one += is_staged[part] ? episodes->part_bytes[part] : 0;
  return CLAMP ((room - MIN (room, N_PARTS * ALIGNMENT)) / one, 1, lane->n);
}

/* A block for as many episodes as fit. Free memory may be in pieces: then less is tried. */
static gboolean
reserve (RobocacheEpisodes *episodes, Lane *lane, const gboolean *is_staged, GError **error)
{
  guint64 n = episodes_that_fit (episodes, lane, is_staged);
  GError *failure = NULL;

  wait_for_all (episodes);
  lane->chunk = 0;
  while (!robocache_scratch_reserve (&lane->block, lane->engine, lay_out (episodes, is_staged, n, NULL), &failure)) {
    if (n == 1 || !g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    n = (n + 1) / 2;
  }
  memcpy (lane->is_staged, is_staged, sizeof (lane->is_staged));
  lane->chunk = n;
  return TRUE;
}

/* Steady streams have all their buffers in the same kinds of memory, so the block stays. */
static gboolean
prepare (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, GError **error)
{
  gboolean is_staged[N_PARTS];

  for (guint part = 0; part < N_PARTS; part++)
    is_staged[part] = in_place (lane, place, part) == NULL;
  if (lane->chunk > 0 && memcmp (is_staged, lane->is_staged, sizeof (is_staged)) == 0)
    return TRUE;
  return reserve (episodes, lane, is_staged, error);
}

/* ---- one chunk ---- */

/* Episodes first … first + n - 1 of an input, to where the lane's kernels read. */
static gboolean
bring (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, RobocacheEpisodesPart part,
    guint64 first, guint64 n, guint8 *to, GError **error)
{
  const guint64 bytes = episodes->part_bytes[part];

  if (place->mapped[part])
    return robocache_staging_upload_bytes (&lane->staging, lane->engine, (guint8 *) place->mapped[part] + first * bytes,
        n * bytes, to, error);
  return robocache_staging_upload (&lane->staging, lane->engine, place->memories[part], place->offsets[part]
      + first * bytes, n * bytes, to, error);
}

static gboolean
bring_all (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, guint64 first, guint64 n,
    guint8 *parts[N_PARTS], GError **error)
{
  guint64 at[N_PARTS];

  lay_out (episodes, lane->is_staged, lane->chunk, at);
  for (guint part = 0; part < N_PARTS; part++) {
    if (!lane->is_staged[part]) {
      parts[part] = in_place (lane, place, part) + first * episodes->part_bytes[part];
      continue;
    }
    parts[part] = (guint8 *) lane->block.data + at[part];
    if (part != OUT && !bring (episodes, lane, place, part, first, n, parts[part], error))
      return FALSE;
  }
  return TRUE;
}

static RcStatus
align (const RobocacheEpisodes *episodes, Lane *lane, guint8 *const parts[N_PARTS], guint64 n, gpointer counters,
    RcError *failure)
{
  const guint64 *bytes = episodes->part_bytes;
  const RobocacheEpisodesShape *shape = &episodes->shape;
  const RcAlignStreamArgs stream = {
    .rows = parts[ROBOCACHE_EPISODES_ROWS],
    .n_rows = (gint64) shape->rows,
    .row_stride = (gint64) (bytes[ROBOCACHE_EPISODES_ROWS] / shape->rows),
    .batch_stride = (gint64) bytes[ROBOCACHE_EPISODES_ROWS],
    .times = (const gint64 *) parts[ROBOCACHE_EPISODES_TIMES],
    .times_batch_stride = (gint64) bytes[ROBOCACHE_EPISODES_TIMES],
    .out = parts[OUT],
    .out_row_stride = (gint64) (bytes[OUT] / shape->ticks),
    .out_batch_stride = (gint64) bytes[OUT],
    .counters = counters,
  };
  const RcAlignArgs args = {
    .streams = &stream,
    .batch = (gint64) n,
    .ticks = (gint64) shape->ticks,
    .tick_times = (const gint64 *) parts[ROBOCACHE_EPISODES_TARGETS],
    .tick_times_batch_stride = (gint64) bytes[ROBOCACHE_EPISODES_TARGETS],
    .scratch = lane->plan_scratch.data,
  };

  return rc_align_run (lane->plan, &args, robocache_engine_stream (lane->engine), failure);
}

/* The output of a chunk from the block: by the first engine where the output is on its device, else by the lane itself. */
static RcStatus
deliver (RobocacheEpisodes *episodes, Lane *lane, GstMemory *out, const guint8 *from, guint8 *to, guint64 n, RcError *failure)
{
  const guint64 bytes = n * episodes->part_bytes[OUT];

  if (robocache_is_gpu_memory (out))
    return robocache_engine_fetch (episodes->lanes[0].engine, to, lane->engine, from, bytes, lane->done, lane->gathered,
        failure);
  return robocache_engine_copy (lane->engine, to, from, bytes, failure);
}

static gboolean
run_chunk (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, guint64 first, guint64 n,
    gpointer counters, GError **error)
{
  GstMemory *out = place->memories[OUT];
  guint8 *parts[N_PARTS], *to;
  RcStatus status;
  RcError failure;

  if (!bring_all (episodes, lane, place, first, n, parts, error))
    return FALSE;
  status = align (episodes, lane, parts, n, counters, &failure);
  if (status == RC_OK && lane->is_staged[OUT]) {
    to = (guint8 *) robocache_memory_data (out) + place->offsets[OUT] + first * episodes->part_bytes[OUT];
    status = deliver (episodes, lane, out, parts[OUT], to, n, &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

/* ---- a batch ---- */

/* Before a lane's work: it may read what is in place, and write the output. */
static gboolean
begin (Lane *lane, const RobocacheEpisodesPlace *place, GError **error)
{
  for (guint part = 0; part < OUT; part++) {
    if (!lane->is_staged[part] && place->mapped[part] == NULL
        && !robocache_memory_begin_read (place->memories[part], lane->engine, error))
      return FALSE;
  }
  return robocache_memory_begin_write (place->memories[OUT], lane->engine, error);
}

static gboolean
run_lane (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, gpointer counters,
    guint *n_chunks, GError **error)
{
  const guint64 end = lane->first + lane->n;

  for (guint64 first = lane->first; first < end; first += lane->chunk) {
    if (!run_chunk (episodes, lane, place, first, MIN (lane->chunk, end - first), counters, error))
      return FALSE;
  }
  if (lane->chunk < lane->n)
    *n_chunks += (guint) ((lane->n + lane->chunk - 1) / lane->chunk);
  return TRUE;
}

/* After it: the first engine's stream goes on when the lane has written. */
static gboolean
end (RobocacheEpisodes *episodes, Lane *lane, const RobocacheEpisodesPlace *place, GError **error)
{
  RobocacheEngine *first = episodes->lanes[0].engine;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint part = 0; part < OUT; part++) {
    if (!lane->is_staged[part] && place->mapped[part] == NULL
        && !robocache_memory_end_read (place->memories[part], lane->engine, error))
      return FALSE;
  }
  if (lane->engine != first) {
    status = rc_event_record (robocache_engine_backend (lane->engine), lane->done,
        robocache_engine_stream (lane->engine), &failure);
    if (status == RC_OK)
      status = rc_event_wait (robocache_engine_backend (first), lane->done, robocache_engine_stream (first), &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_episodes_run (RobocacheEpisodes *episodes, const RobocacheEpisodesPlace *place, RobocacheReadback *readback,
    guint *n_chunks, GError **error)
{
  gboolean ok = TRUE;

  *n_chunks = 0;
  for (guint i = 0; i < episodes->n_lanes && ok; i++)
    ok = prepare (episodes, &episodes->lanes[i], place, error);
  /* all begin before one has written: they write side by side */
  for (guint i = 0; i < episodes->n_lanes && ok; i++)
    ok = begin (&episodes->lanes[i], place, error);
  for (guint i = 0; i < episodes->n_lanes && ok; i++)
    ok = run_lane (episodes, &episodes->lanes[i], place, robocache_readback_counters (readback, i), n_chunks, error);
  for (guint i = 0; i < episodes->n_lanes && ok; i++)
    ok = end (episodes, &episodes->lanes[i], place, error);
  if (ok && robocache_memory_end_write (place->memories[OUT], episodes->lanes[0].engine, error))
    return TRUE;
  wait_for_all (episodes);      /* nobody else would know what it still uses */
  return FALSE;
}
