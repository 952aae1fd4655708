/* robocache: voxel grids of the clouds of a window: where they are or where there is room, whole or in pieces, on one
 * engine or split over several
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

G_STATIC_ASSERT (sizeof (RcVoxelCounters) == ROBOCACHE_VOXELIZER_N_COUNTERS * sizeof (gint64));

RobocacheVoxelizer *
robocache_voxelizer_new (RobocacheEngine *const *engines, guint n_engines, gboolean reads_host, const RcVoxelSpec *spec,
    RcStatus *status, GError **error)
{
  static guint64 last_number = 0;
  RobocacheVoxelizer *voxelizer = g_new0 (RobocacheVoxelizer, 1);
  const guint64 batch = (guint64) spec->batch;
  RcError failure;

  voxelizer->number = __atomic_add_fetch (&last_number, 1, __ATOMIC_RELAXED);
  voxelizer->spec = *spec;
  if (spec->points.layout)
    voxelizer->layout = g_memdup2 (spec->points.layout, (gsize) spec->points.fields * sizeof (RcVoxelField));
  voxelizer->spec.points.layout = voxelizer->layout;
  voxelizer->reads_host = reads_host;
  voxelizer->n_lanes = (guint) MIN (n_engines, batch);
  voxelizer->lanes = g_new0 (RobocacheVoxelLane, voxelizer->n_lanes);
  *status = RC_OK;
  for (guint i = 0; i < voxelizer->n_lanes && *status == RC_OK; i++) {
    voxelizer->lanes[i].first = batch * i / voxelizer->n_lanes;
    voxelizer->lanes[i].n = batch * (i + 1) / voxelizer->n_lanes - voxelizer->lanes[i].first;
    *status = robocache_voxelizer_init_lane (voxelizer, &voxelizer->lanes[i], engines[i], &failure);
  }
  if (*status == RC_NO_SPACE && spec->keeps) {
    RcVoxelSpec alone = *spec;

    GST_INFO ("windows of clouds are made anew: %s", failure.message);
    alone.keeps = 0;
    robocache_voxelizer_free (voxelizer);
    return robocache_voxelizer_new (engines, n_engines, reads_host, &alone, status, error);
  }
  if (robocache_engine_check (*status, &failure, error)) {
    voxelizer->bitmap_bytes = (guint64) rc_voxel_bitmap_bytes (voxelizer->lanes[0].plans[0].plan);
    voxelizer->keeps = spec->keeps && robocache_voxelizer_all_keep (voxelizer);
    if (spec->keeps && !voxelizer->keeps)
      robocache_voxelizer_stop_keeping (voxelizer,
          "the mode, the size of the grid or the device is not one that keeps accumulators");
    return voxelizer;
  }
  robocache_voxelizer_free (voxelizer);
  return NULL;
}

void
robocache_voxelizer_free (RobocacheVoxelizer *voxelizer)
{
  if (voxelizer == NULL)
    return;
  robocache_voxelizer_wait_for_all (voxelizer);
  for (guint i = 0; i < voxelizer->n_lanes; i++)
    robocache_voxelizer_clear_lane (voxelizer, &voxelizer->lanes[i]);
  for (guint i = 0; i < voxelizer->n_lanes; i++)
    g_clear_pointer (&voxelizer->lanes[i].engine, robocache_engine_unref);
  robocache_cloud_ranges_clear (&voxelizer->ranges);
  g_free (voxelizer->lanes);
  g_free (voxelizer->layout);
  g_free (voxelizer);
}

RobocacheEngine *
robocache_voxelizer_engine (const RobocacheVoxelizer *voxelizer)
{
  return voxelizer->lanes[0].engine;
}

/* ---- one job ---- */

/* Of the touched clouds first … end - 1. Counters get the newest cloud only. */
static gboolean
run_phase (RobocacheVoxelJob *job, RobocacheVoxelPhase phase, guint first, guint end, RcVoxelCounters *counters,
    GError **error)
{
  const RobocacheVoxelRun *run = job->run;
  guint64 at = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < end && ok; i++) {
    const RobocacheCloud *cloud = robocache_voxelizer_touched (run, i);

    if (i >= first)
      ok = robocache_voxelizer_run_cloud (job, phase, cloud, at, cloud->number + 1 == run->add_end ? counters : NULL,
          error);
    at += robocache_voxelizer_bytes_of_cloud (run, job->lane, cloud, job->n);
  }
  return ok;
}

/* What differs from what the accumulators hold: first what comes, and then what leaves. */
static gboolean
run_clouds (RobocacheVoxelJob *job, GError **error)
{
  const guint n_added = (guint) (job->run->add_end - job->run->add_first), n = robocache_voxelizer_n_touched (job->run);

  if (rc_voxel_needs_range (job->plan) && job->run->ranges == NULL) {
    if (!run_phase (job, ROBOCACHE_VOXEL_PHASE_RANGE, 0, n_added, NULL, error))
      return FALSE;
    job->is_brought = TRUE;
  }
  return run_phase (job, ROBOCACHE_VOXEL_PHASE_ADD, 0, n_added, job->counters, error)
      && run_phase (job, ROBOCACHE_VOXEL_PHASE_REMOVE, n_added, n, NULL, error);
}

/* A cloud that kernels read as one chunk, and nothing beside it. */
static gboolean
is_one_chunk (const RobocacheVoxelJob *job)
{
  return robocache_voxelizer_n_touched (job->run) == 1 && job->run->add_end == job->run->add_first + 1
      && !job->lane->is_cut;
}

static gboolean
run_phases (RobocacheVoxelJob *job, GError **error)
{
  const RcStream stream = robocache_engine_stream (job->lane->engine);
  RcError failure;

  return robocache_voxelizer_check_phase (rc_voxel_begin (job->plan, &job->job, stream, &failure), &failure, error)
      && run_clouds (job, error)
      && robocache_voxelizer_check_phase (rc_voxel_end (job->plan, &job->job, &job->out, stream, &failure), &failure, error);
}

static gboolean
run_job (RobocacheVoxelJob *job, GError **error)
{
  guint8 *parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS] = { NULL };

  job->out = robocache_voxelizer_set_outputs (job, parts);
  robocache_voxelizer_set_map (job, parts[0]);
  return (is_one_chunk (job) ? run_phase (job, ROBOCACHE_VOXEL_PHASE_RUN, 0, 1, job->counters, error)
      : run_phases (job, error))
      && robocache_voxelizer_deliver (job, parts, error);
}

static gboolean
run_lane (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, gpointer counters, GError **error)
{
  const guint64 last = lane->first + lane->n;
  guint n_pieces = 0, n_jobs = 0;
  RcStatus status;
  RcError failure;

  for (guint64 first = lane->first; first < last; first += lane->items, n_jobs++) {
    const guint64 n = MIN (lane->items, last - first);
    RobocacheVoxelPlan *plan = &lane->plans[n < lane->items];
    RobocacheVoxelJob job = {.run = run,.lane = lane,.first = first,.n = n,.counters = counters };

    status = robocache_voxelizer_make_plan (run->voxelizer, lane, plan, n, &failure);
    if (status != RC_OK)
      return robocache_engine_check (status, &failure, error);
    if (!robocache_voxelizer_reserve_scratch (run, lane, plan, error))
      return FALSE;
    job.plan = plan->plan;
    job.job = robocache_voxelizer_describe_job (run, lane);
    job.job.is_clean = lane->clean == plan->plan;
    lane->clean = NULL;
    if (!run_job (&job, error))
      return FALSE;
    lane->clean = plan->plan;
    n_pieces += job.n_pieces;
  }
  if (n_jobs > 1 || n_pieces > 1)
    run->work->n_chunks += MAX (n_jobs, n_pieces);
  return TRUE;
}

/* ---- a run ---- */

/* Before and after a lane's work on memories in place: begin is TRUE before. */
static gboolean
bracket_clouds (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, gboolean begin, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < robocache_voxelizer_n_touched (run) && ok; i++)
    ok = robocache_voxelizer_bracket_cloud (run, lane, robocache_voxelizer_touched (run, i), begin, error);
  return ok;
}

static gboolean
begin (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, GError **error)
{
  gboolean ok = bracket_clouds (run, lane, TRUE, error);

  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i] || robocache_memory_begin_write (run->place->memories[i], lane->engine, error);
  return ok;
}

/* The first engine's stream goes on when the lane has written. */
static gboolean
end (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, GError **error)
{
  RobocacheEngine *first = run->voxelizer->lanes[0].engine;
  RcStatus status = RC_OK;
  RcError failure;

  if (lane->engine != first) {
    status = rc_event_record (robocache_engine_backend (lane->engine), lane->done,
        robocache_engine_stream (lane->engine), &failure);
    if (status == RC_OK)
      status = rc_event_wait (robocache_engine_backend (first), lane->done, robocache_engine_stream (first), &failure);
  }
  return robocache_engine_check (status, &failure, error) && bracket_clouds (run, lane, FALSE, error);
}

static gboolean
end_outputs (const RobocacheVoxelRun *run, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i]
        || robocache_memory_end_write (run->place->memories[i], run->voxelizer->lanes[0].engine, error);
  return ok;
}

gboolean
robocache_voxelizer_run (RobocacheVoxelizer *voxelizer, const RobocachePointsInfo *points,
    const RobocacheCloudWindow *window, const RobocacheVoxelPlace *place, RobocacheReadback *readback, RobocacheVoxelWork *work,
    GError **error)
{
  RobocacheVoxelRun run = { voxelizer, points, window, place, work, robocache_cloud_window_points (window) };
  gboolean ok;

  *work = (RobocacheVoxelWork) { 0 };
  if (voxelizer->keeps && !robocache_voxelizer_is_worth_keeping (&run))
    robocache_voxelizer_stop_keeping (voxelizer, "their points are too few for the grid");
  robocache_voxelizer_start_anew (&run);
  ok = robocache_voxelizer_know_ranges (&run, error);
  robocache_voxelizer_choose_clouds (&run);
  ok = ok && robocache_voxelizer_find_room (&run, error);
  if (ok)
    robocache_voxelizer_take_bitmap (&run);
  /* all begin before one has written: they write side by side */
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = begin (&run, &voxelizer->lanes[i], error);
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = run_lane (&run, &voxelizer->lanes[i], robocache_readback_counters (readback, i), error);
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = end (&run, &voxelizer->lanes[i], error);
  if (ok && end_outputs (&run, error)) {
    if (run.occupied)
      robocache_memory_leave_notes (place->memories[0], voxelizer->number);
    robocache_voxelizer_hold_clouds (&run);
    return TRUE;
  }
  robocache_voxelizer_wait_for_all (voxelizer);  /* nobody else would know what it still uses */
  return FALSE;
}
