/* robocache: voxel grids of the clouds of a window: in place or through blocks of memory, whole or in pieces, on one engine or
 * split over several
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizer.h"

#include "budget.h"
#include "measure.h"
#include "output.h"
#include "upload.h"

G_STATIC_ASSERT (sizeof (RcVoxelCounters) == ROBOCACHE_VOXELIZER_N_COUNTERS * sizeof (gint64));

struct _RobocacheVoxelizer
{
  RobocacheVoxelShards shards;
  RobocacheVoxelHeld held;      /* by the accumulators */
  RobocacheCloudRanges ranges;
};

RobocacheVoxelizer *
robocache_voxelizer_new (RobocacheEngine *const *engines, guint n_engines, gboolean reads_host, const RcVoxelSpec *spec,
    RcStatus *status, GError **error)
{
  RobocacheVoxelizer *voxelizer = g_new0 (RobocacheVoxelizer, 1);
  RcVoxelSpec each = *spec;
  RcError failure;

  *status = robocache_voxel_shards_init (&voxelizer->shards, engines, n_engines, reads_host, &each, &failure);
  if (*status == RC_NO_SPACE && spec->accumulates) {
    robocache_voxel_shards_clear (&voxelizer->shards);
    each.accumulates = 0;
    *status = robocache_voxel_shards_init (&voxelizer->shards, engines, n_engines, reads_host, &each, &failure);
  }
  if (robocache_engine_check (*status, &failure, error))
    return voxelizer;
  robocache_voxelizer_free (voxelizer);
  return NULL;
}

void
robocache_voxelizer_free (RobocacheVoxelizer *voxelizer)
{
  if (voxelizer == NULL)
    return;
  robocache_voxel_shards_clear (&voxelizer->shards);
  robocache_cloud_ranges_clear (&voxelizer->ranges);
  g_free (voxelizer);
}

RobocacheEngine *
robocache_voxelizer_engine (const RobocacheVoxelizer *voxelizer)
{
  return voxelizer->shards.shards[0].engine;
}

/* ---- one job ---- */

/* Takes the touched clouds first … end - 1 through a phase. Only the newest cloud is counted. */
static gboolean
run_phase (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, guint first, guint end, RcVoxelCounters *counters,
    GError **error)
{
  const RobocacheVoxelRun *run = job->run;
  guint64 offset = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < end && ok; i++) {
    const RobocacheCloud *cloud = robocache_voxel_run_touched (run, i);

    if (i >= first)
      ok = robocache_voxel_upload_and_run (job, phase, cloud, offset, cloud->number + 1 == run->add_end ? counters : NULL,
          error);
    offset += robocache_voxel_upload_bytes (run, job->shard, cloud, job->n);
  }
  return ok;
}

static gboolean
add_and_remove (RobocacheVoxelJob *job, GError **error)
{
  const guint n_added = (guint) (job->run->add_end - job->run->add_first), n = robocache_voxel_run_n_touched (job->run);

  if (rc_voxel_needs_range (job->plan) && job->run->ranges == NULL) {
    if (!run_phase (job, ROBOCACHE_VOXEL_PHASE_RANGE, 0, n_added, NULL, error))
      return FALSE;
    job->is_uploaded = TRUE;
  }
  return run_phase (job, ROBOCACHE_VOXEL_PHASE_ADD, 0, n_added, job->counters, error)
      && run_phase (job, ROBOCACHE_VOXEL_PHASE_REMOVE, n_added, n, NULL, error);
}

/* Whether kernels read all of the job as one chunk. */
static gboolean
is_one_chunk (const RobocacheVoxelJob *job)
{
  return robocache_voxel_run_n_touched (job->run) == 1 && job->run->add_end == job->run->add_first + 1
      && !job->shard->is_cut;
}

static gboolean
run_all_phases (RobocacheVoxelJob *job, GError **error)
{
  const RcStream stream = robocache_engine_stream (job->shard->engine);
  RcError failure;

  if (is_one_chunk (job))
    return run_phase (job, ROBOCACHE_VOXEL_PHASE_RUN, 0, 1, job->counters, error);
  return robocache_engine_check_settings (rc_voxel_begin (job->plan, &job->job, stream, &failure), &failure,
          ROBOCACHE_ERROR_DATA, error)
      && add_and_remove (job, error)
      && robocache_engine_check_settings (rc_voxel_end (job->plan, &job->job, &job->out, stream, &failure), &failure,
          ROBOCACHE_ERROR_DATA, error);
}

/* Items first … first + n - 1. */
static gboolean
run_job (RobocacheVoxelJob *job, GError **error)
{
  RobocacheVoxelShard *shard = job->shard;
  RobocacheVoxelPlan *plan = &shard->plans[job->n < shard->items];
  guint8 *parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS];
  RcError failure;
  const RcStatus status = robocache_voxel_shard_make_plan (job->run->shards, shard, plan, job->n, &failure);

  if (status != RC_OK)
    return robocache_engine_check (status, &failure, error);
  if (!robocache_voxel_budget_reserve_scratch (job->run, shard, plan, error))
    return FALSE;
  job->plan = plan->plan;
  job->job = robocache_voxel_run_describe_job (job->run, shard);
  job->job.is_clean = shard->clean == plan->plan;
  shard->clean = NULL;
  robocache_voxel_output_place (job, parts);
  if (!run_all_phases (job, error) || !robocache_voxel_output_deliver (job, parts, error))
    return FALSE;
  shard->clean = plan->plan;
  return TRUE;
}

/* ---- one shard ---- */

static gboolean
begin_shard (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < robocache_voxel_run_n_touched (run) && ok; i++)
    ok = robocache_voxel_upload_begin_read (run, shard, robocache_voxel_run_touched (run, i), error);
  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i] || robocache_memory_begin_write (run->place->memories[i], shard->engine, error);
  return ok;
}

static gboolean
run_shard (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, gpointer counters, GError **error)
{
  const guint64 end = shard->first + shard->n;
  guint n_pieces = 0, n_jobs = 0;

  for (guint64 first = shard->first; first < end; first += shard->items, n_jobs++) {
    RobocacheVoxelJob job = {.run = run,.shard = shard,.first = first,.n = MIN (shard->items, end - first),
      .counters = counters
    };

    if (!run_job (&job, error))
      return FALSE;
    n_pieces += job.n_pieces;
  }
  if (n_jobs > 1 || n_pieces > 1)
    run->work->n_chunks += MAX (n_jobs, n_pieces);
  return TRUE;
}

/* The first engine's stream waits until the shard has written. */
static gboolean
end_shard (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, GError **error)
{
  RobocacheEngine *first = run->shards->shards[0].engine;
  RcStatus status = RC_OK;
  RcError failure;
  gboolean ok;

  if (shard->engine != first) {
    status = rc_event_record (robocache_engine_backend (shard->engine), shard->done,
        robocache_engine_stream (shard->engine), &failure);
    if (status == RC_OK)
      status = rc_event_wait (robocache_engine_backend (first), shard->done, robocache_engine_stream (first), &failure);
  }
  ok = robocache_engine_check (status, &failure, error);
  for (guint i = 0; i < robocache_voxel_run_n_touched (run) && ok; i++)
    ok = robocache_voxel_upload_end_read (run, shard, robocache_voxel_run_touched (run, i), error);
  return ok;
}

static gboolean
end_outputs (const RobocacheVoxelRun *run, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i]
        || robocache_memory_end_write (run->place->memories[i], run->shards->shards[0].engine, error);
  return ok;
}

/* ---- all shards ---- */

/* All begin before one writes: they write side by side. */
static gboolean
run_shards (const RobocacheVoxelRun *run, RobocacheReadback *readback, GError **error)
{
  RobocacheVoxelShard *shards = run->shards->shards;
  const guint n = run->shards->n;
  gboolean ok = TRUE;

  for (guint i = 0; i < n && ok; i++)
    ok = begin_shard (run, &shards[i], error);
  for (guint i = 0; i < n && ok; i++)
    ok = run_shard (run, &shards[i], robocache_readback_counters (readback, i), error);
  for (guint i = 0; i < n && ok; i++)
    ok = end_shard (run, &shards[i], error);
  return ok && end_outputs (run, error);
}

static gboolean
prepare (RobocacheVoxelizer *voxelizer, RobocacheVoxelRun *run, GError **error)
{
  gboolean ok;

  if (run->shards->accumulates && !robocache_voxel_run_is_worth_accumulating (run))
    robocache_voxel_shards_stop_accumulating (run->shards, "clouds have too few points for the grid");
  ok = robocache_voxel_measure_ranges (run, &voxelizer->ranges, error);
  robocache_voxel_run_choose_clouds (run, &voxelizer->held);
  voxelizer->held = (RobocacheVoxelHeld) { 0 };  /* until the run is done */
  if (!ok || !robocache_voxel_budget_reserve (run, error))
    return FALSE;
  robocache_voxel_output_find_bitmap (run);
  return TRUE;
}

gboolean
robocache_voxelizer_run (RobocacheVoxelizer *voxelizer, const RobocachePointsInfo *points,
    const RobocacheCloudWindow *window, const RobocacheVoxelPlace *place, RobocacheReadback *readback,
    RobocacheVoxelWork *work, GError **error)
{
  RobocacheVoxelRun run = robocache_voxel_run_init (&voxelizer->shards, points, window, place, work);

  if (!prepare (voxelizer, &run, error) || !run_shards (&run, readback, error)) {
    robocache_voxel_shards_synchronize (&voxelizer->shards);     /* nothing else knows which memory the work still uses */
    return FALSE;
  }
  work->recomputes = voxelizer->shards.recomputes;
  robocache_voxel_output_stamp (&run);
  voxelizer->held = (RobocacheVoxelHeld) {window->n_pushed - robocache_cloud_window_length (window), window->n_pushed};
  return TRUE;
}
