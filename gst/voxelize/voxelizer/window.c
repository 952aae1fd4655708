/* robocache: the voxelizer, which clouds a run adds to what accumulators hold, and which it takes out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

#define MAX_VOXELS_A_POINT 1024        /* of a grid whose bitmap is read in order, rather than its points sorted */

/* ---- which clouds a run looks at: those to add, then those to take out ---- */

guint
robocache_voxelizer_n_touched (const RobocacheVoxelRun *run)
{
  return (guint) (run->add_end - run->add_first + run->remove_end - run->remove_first);
}

const RobocacheCloud *
robocache_voxelizer_touched (const RobocacheVoxelRun *run, guint i)
{
  const guint64 n_added = run->add_end - run->add_first;

  return robocache_cloud_window_find (run->window, i < n_added ? run->add_first + i : run->remove_first + i - n_added);
}

static gint64
points_between (const RobocacheVoxelRun *run, guint64 first, guint64 end)
{
  gint64 n = 0;

  for (guint64 number = first; number < end; number++)
    n += robocache_cloud_window_find (run->window, number)->n_points;
  return n;
}

gint64
robocache_voxelizer_points_added (const RobocacheVoxelRun *run)
{
  return points_between (run, run->add_first, run->add_end);
}

void
robocache_voxelizer_start_anew (RobocacheVoxelRun *run)
{
  run->goes_on = FALSE;
  run->add_end = run->window->n_pushed;
  run->add_first = run->add_end - robocache_cloud_window_length (run->window);
  run->remove_first = run->remove_end = 0;
}

/* ---- what accumulators hold ---- */

/* Whether the clouds that are held have layers, where there are any, and those to come, too. */
static gboolean
has_layers_for (const RobocacheVoxelRun *run, guint64 n_clouds)
{
  const gint64 layers = rc_voxel_layers (run->voxelizer->lanes[0].plans[0].plan);

  return layers == 0 || n_clouds <= (guint64) layers;
}

/* Whether what is held of the clouds is worth more than it costs to take the rest out. */
static gboolean
may_go_on (const RobocacheVoxelRun *run)
{
  const RobocacheVoxelizer *voxelizer = run->voxelizer;
  const guint64 first = voxelizer->held_first, end = voxelizer->held_end;
  gboolean ok = voxelizer->keeps && first < end && end < run->add_end && robocache_cloud_window_find (run->window, first)
      && has_layers_for (run, run->add_end - first)
      && points_between (run, first, run->add_end) <= RC_VOXEL_MAX_POINTS
      && points_between (run, end, run->add_end) + points_between (run, first, run->add_first) < run->n_points;

  for (guint i = 0; i < voxelizer->n_lanes && ok; i++) {
    const RobocacheVoxelLane *lane = &voxelizer->lanes[i];
    const RcVoxelJob job = robocache_voxelizer_describe_job (run, lane);

    ok = lane->items == lane->n && rc_voxel_can_go_on (lane->plans[0].plan, &job);
  }
  return ok;
}

gboolean
robocache_voxelizer_is_worth_keeping (const RobocacheVoxelRun *run)
{
  const RcVoxelSpec *spec = &run->voxelizer->spec;
  const gdouble voxels = (gdouble) spec->grid[0] * (gdouble) spec->grid[1] * (gdouble) spec->grid[2];
  const gdouble points = (gdouble) run->n_points * run->window->most / robocache_cloud_window_length (run->window);

  if (spec->output != RC_VOXEL_SPARSE && spec->output != RC_VOXEL_RANK)
    return TRUE;
  return points == 0 || voxels <= MAX_VOXELS_A_POINT * points;
}

/* Clouds that were forgotten before they were taken out, as after a flush, leave nothing behind: not even what
 * somebody wrote to them meanwhile. */
static void
forget_held (RobocacheVoxelizer *voxelizer)
{
  for (guint i = 0; i < voxelizer->n_lanes; i++)
    voxelizer->lanes[i].clean = NULL;
}

void
robocache_voxelizer_choose_clouds (RobocacheVoxelRun *run)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;

  robocache_voxelizer_start_anew (run);
  if (voxelizer->held_first < voxelizer->held_end
      && robocache_cloud_window_find (run->window, voxelizer->held_first) == NULL)
    forget_held (voxelizer);
  if (may_go_on (run)) {
    run->goes_on = TRUE;
    run->remove_first = voxelizer->held_first;
    run->remove_end = run->add_first;
    run->add_first = voxelizer->held_end;
  }
  voxelizer->held_end = voxelizer->held_first;  /* until the run is done */
}

void
robocache_voxelizer_hold_clouds (const RobocacheVoxelRun *run)
{
  run->voxelizer->held_end = run->window->n_pushed;
  run->voxelizer->held_first = run->window->n_pushed - robocache_cloud_window_length (run->window);
}

/* ---- ranges of features ---- */

gboolean
robocache_voxelizer_know_ranges (RobocacheVoxelRun *run, GError **error)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;
  const RcVoxelPlan *plan = voxelizer->lanes[0].plans[0].plan;
  GError *failure = NULL;

  if (!voxelizer->keeps || !rc_voxel_needs_range (plan))
    return TRUE;
  run->ranges = robocache_cloud_ranges_update (&voxelizer->ranges, run->window,
      (guint) (voxelizer->spec.batch * rc_voxel_channels (plan)), robocache_voxelizer_measure_cloud, run, &failure);
  if (run->ranges)
    return TRUE;
  if (robocache_voxelizer_is_no_space (failure)) {
    g_error_free (failure);
    robocache_voxelizer_stop_keeping (voxelizer, "there is no room to measure clouds");
    return TRUE;
  }
  g_propagate_error (error, failure);
  return FALSE;
}
