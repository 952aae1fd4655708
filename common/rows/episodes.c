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
} Shard;

struct _RobocacheEpisodes
{
  RobocacheEpisodesShape shape;
  guint64 part_bytes[N_PARTS];  /* of one episode */
  guint n_shards;                /* none has no episodes */
  Shard *shards;
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
init_shard (RobocacheEpisodes *episodes, Shard *shard, RobocacheEngine *engine, const RcAlignSpec *spec, RcStatus *status,
    GError **error)
{
  RcBackend *backend = robocache_engine_backend (engine);
  RcFootprint footprint = { 0 };
  RcError failure;

  shard->engine = robocache_engine_ref (engine);
  *status = rc_align_plan (backend, spec, &shard->plan, &footprint, &failure);
  if (*status == RC_OK)
    *status = rc_event_new (backend, &shard->done, &failure);
  if (*status == RC_OK)
    *status = rc_event_new (robocache_engine_backend (episodes->shards[0].engine), &shard->gathered, &failure);
  return robocache_engine_check_settings (*status, &failure, ROBOCACHE_ERROR_PROPERTY, error)
      && robocache_scratch_reserve (&shard->plan_scratch, engine, footprint.scratch_bytes, error);
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
  episodes->shards = g_new0 (Shard, n_engines);
  episodes->n_shards = n_engines;
  *status = RC_OK;
  for (guint i = 0; i < n_engines && ok; i++) {
    ok = init_shard (episodes, &episodes->shards[i], engines[i], &plan_spec, status, error);
    episodes->shards[i].first = shape->batch * i / n_engines;
    episodes->shards[i].n = shape->batch * (i + 1) / n_engines - episodes->shards[i].first;
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
  for (guint i = 0; i < episodes->n_shards; i++) {
    if (episodes->shards[i].engine)
      robocache_engine_synchronize (episodes->shards[i].engine, NULL);
  }
}

void
robocache_episodes_free (RobocacheEpisodes *episodes)
{
  if (episodes == NULL)
    return;
  wait_for_all (episodes);
  for (guint i = episodes->n_shards; i-- > 0;) {
    Shard *shard = &episodes->shards[i];

    if (shard->engine == NULL)
      continue;
    rc_align_plan_free (shard->plan);
    robocache_scratch_clear (&shard->plan_scratch);
    robocache_scratch_clear (&shard->block);
    robocache_staging_clear (&shard->staging);
    rc_event_free (robocache_engine_backend (shard->engine), shard->done);
    rc_event_free (robocache_engine_backend (episodes->shards[0].engine), shard->gathered);
  }
  for (guint i = 0; i < episodes->n_shards; i++)
    g_clear_pointer (&episodes->shards[i].engine, robocache_engine_unref);
  g_free (episodes->shards);
  g_free (episodes);
}

/* ---- where parts are ---- */

/* NULL: the engine cannot use the part there. Lists of times are aligned, or they are not what kernels read. */
static guint8 *
in_place (const Shard *shard, const RobocacheEpisodesPlace *place, RobocacheEpisodesPart part)
{
  guint8 *data = place->mapped[part];

  if (data == NULL || robocache_engine_is_gpu (shard->engine))
    data = robocache_memory_reach (place->memories[part], place->offsets[part], shard->engine);
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
episodes_that_fit (const RobocacheEpisodes *episodes, const Shard *shard, const gboolean *is_staged)
{
  guint64 room = robocache_engine_budget (shard->engine) + shard->block.bytes, one = 0;

  if (!is_staged[OUT])
    room /= 2;
  if (lay_out (episodes, is_staged, shard->n, NULL) <= room)
    return shard->n;
  for (guint part = 0; part < N_PARTS; part++)
    one += is_staged[part] ? episodes->part_bytes[part] : 0;
  return CLAMP ((room - MIN (room, N_PARTS * ALIGNMENT)) / one, 1, shard->n);
}

/* A block for as many episodes as fit. Free memory may be in pieces: then less is tried. */
static gboolean
reserve (RobocacheEpisodes *episodes, Shard *shard, const gboolean *is_staged, GError **error)
{
  guint64 n = episodes_that_fit (episodes, shard, is_staged);
  GError *failure = NULL;

  wait_for_all (episodes);
  shard->chunk = 0;
  while (!robocache_scratch_reserve (&shard->block, shard->engine, lay_out (episodes, is_staged, n, NULL), &failure)) {
    if (n == 1 || !g_error_matches (failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT)) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    n = (n + 1) / 2;
  }
  memcpy (shard->is_staged, is_staged, sizeof (shard->is_staged));
  shard->chunk = n;
  return TRUE;
}

/* Steady streams have all their buffers in the same kinds of memory, so the block stays. */
static gboolean
prepare (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, GError **error)
{
  gboolean is_staged[N_PARTS];

  for (guint part = 0; part < N_PARTS; part++)
    is_staged[part] = in_place (shard, place, part) == NULL;
  if (shard->chunk > 0 && memcmp (is_staged, shard->is_staged, sizeof (is_staged)) == 0)
    return TRUE;
  return reserve (episodes, shard, is_staged, error);
}

/* ---- one chunk ---- */

/* Episodes first … first + n - 1 of an input, to where the shard's kernels read. */
static gboolean
bring (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, RobocacheEpisodesPart part,
    guint64 first, guint64 n, guint8 *to, GError **error)
{
  const guint64 bytes = episodes->part_bytes[part];

  if (place->mapped[part])
    return robocache_upload_bytes (&shard->staging, shard->engine, (guint8 *) place->mapped[part] + first * bytes,
        n * bytes, to, error);
  return robocache_upload_memory (&shard->staging, shard->engine, place->memories[part], place->offsets[part]
      + first * bytes, n * bytes, to, error);
}

static gboolean
bring_all (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, guint64 first, guint64 n,
    guint8 *parts[N_PARTS], GError **error)
{
  guint64 at[N_PARTS];

  lay_out (episodes, shard->is_staged, shard->chunk, at);
  for (guint part = 0; part < N_PARTS; part++) {
    if (!shard->is_staged[part]) {
      parts[part] = in_place (shard, place, part) + first * episodes->part_bytes[part];
      continue;
    }
    parts[part] = (guint8 *) shard->block.data + at[part];
    if (part != OUT && !bring (episodes, shard, place, part, first, n, parts[part], error))
      return FALSE;
  }
  return TRUE;
}

static RcStatus
align (const RobocacheEpisodes *episodes, Shard *shard, guint8 *const parts[N_PARTS], guint64 n, gpointer counters,
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
    .scratch = shard->plan_scratch.data,
  };

  return rc_align_run (shard->plan, &args, robocache_engine_stream (shard->engine), failure);
}

/* The output of a chunk from the block: by the first engine where the output is on its device, else by the shard itself. */
static RcStatus
deliver (RobocacheEpisodes *episodes, Shard *shard, GstMemory *out, const guint8 *from, guint8 *to, guint64 n, RcError *failure)
{
  const guint64 bytes = n * episodes->part_bytes[OUT];

  if (robocache_is_gpu_memory (out))
    return robocache_engine_fetch (episodes->shards[0].engine, to, shard->engine, from, bytes, shard->done, shard->gathered,
        failure);
  return robocache_engine_copy (shard->engine, to, from, bytes, failure);
}

static gboolean
run_chunk (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, guint64 first, guint64 n,
    gpointer counters, GError **error)
{
  GstMemory *out = place->memories[OUT];
  guint8 *parts[N_PARTS], *to;
  RcStatus status;
  RcError failure;

  if (!bring_all (episodes, shard, place, first, n, parts, error))
    return FALSE;
  status = align (episodes, shard, parts, n, counters, &failure);
  if (status == RC_OK && shard->is_staged[OUT]) {
    to = (guint8 *) robocache_memory_data (out) + place->offsets[OUT] + first * episodes->part_bytes[OUT];
    status = deliver (episodes, shard, out, parts[OUT], to, n, &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

/* ---- a batch ---- */

/* Before a shard's work: lets it read the parts in place, and write the output. */
static gboolean
begin_shard (Shard *shard, const RobocacheEpisodesPlace *place, GError **error)
{
  for (guint part = 0; part < OUT; part++) {
    if (!shard->is_staged[part] && place->mapped[part] == NULL
        && !robocache_memory_begin_read (place->memories[part], shard->engine, error))
      return FALSE;
  }
  return robocache_memory_begin_write (place->memories[OUT], shard->engine, error);
}

static gboolean
run_shard (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, gpointer counters,
    guint *n_chunks, GError **error)
{
  const guint64 end = shard->first + shard->n;

  for (guint64 first = shard->first; first < end; first += shard->chunk) {
    if (!run_chunk (episodes, shard, place, first, MIN (shard->chunk, end - first), counters, error))
      return FALSE;
  }
  if (shard->chunk < shard->n)
    *n_chunks += (guint) ((shard->n + shard->chunk - 1) / shard->chunk);
  return TRUE;
}

/* After it: the first engine's stream waits until the shard has written. */
static gboolean
end_shard (RobocacheEpisodes *episodes, Shard *shard, const RobocacheEpisodesPlace *place, GError **error)
{
  RobocacheEngine *first = episodes->shards[0].engine;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint part = 0; part < OUT; part++) {
    if (!shard->is_staged[part] && place->mapped[part] == NULL
        && !robocache_memory_end_read (place->memories[part], shard->engine, error))
      return FALSE;
  }
  if (shard->engine != first) {
    status = rc_event_record (robocache_engine_backend (shard->engine), shard->done,
        robocache_engine_stream (shard->engine), &failure);
    if (status == RC_OK)
      status = rc_event_wait (robocache_engine_backend (first), shard->done, robocache_engine_stream (first), &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

gboolean
robocache_episodes_run (RobocacheEpisodes *episodes, const RobocacheEpisodesPlace *place, RobocacheReadback *readback,
    guint *n_chunks, GError **error)
{
  gboolean ok = TRUE;

  *n_chunks = 0;
  for (guint i = 0; i < episodes->n_shards && ok; i++)
    ok = prepare (episodes, &episodes->shards[i], place, error);
  /* all begin before one has written: they write side by side */
  for (guint i = 0; i < episodes->n_shards && ok; i++)
    ok = begin_shard (&episodes->shards[i], place, error);
  for (guint i = 0; i < episodes->n_shards && ok; i++)
    ok = run_shard (episodes, &episodes->shards[i], place, robocache_readback_counters (readback, i), n_chunks, error);
  for (guint i = 0; i < episodes->n_shards && ok; i++)
    ok = end_shard (episodes, &episodes->shards[i], place, error);
  if (ok && robocache_memory_end_write (place->memories[OUT], episodes->shards[0].engine, error))
    return TRUE;
  wait_for_all (episodes);      /* nothing else knows which memory the work still uses */
  return FALSE;
}
