/* robocache: the memory budget of a run: items per job, and points per piece of a cloud
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "budget.h"

#include "common/device/budget.h"
#include "output.h"
#include "upload.h"

#define MIN_PIECE_BYTES 4096  /* of a cloud that is cut */

/* ---- what a job needs ---- */

/* Bytes of `items` items of all clouds that must be uploaded. */
static guint64
upload_bytes (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < robocache_voxel_run_n_touched (run); i++)
    bytes += robocache_voxel_upload_bytes (run, shard, robocache_voxel_run_touched (run, i), items);
  return bytes;
}

/* Bytes of the smallest piece into which any of the clouds may be cut. */
static guint64
min_piece_bytes (const RobocacheVoxelRun *run)
{
  guint64 bytes = MIN_PIECE_BYTES;

  for (guint i = 0; i < robocache_voxel_run_n_touched (run); i++)
    bytes = MAX (bytes, robocache_voxel_upload_row_stride (run->points, robocache_voxel_run_touched (run, i)));
  return bytes;
}

static guint64
scratch_bytes (const RobocacheVoxelPlan *plan, gint64 n_points)
{
  return robocache_bytes_add (plan->footprint.scratch_bytes, robocache_bytes_multiply ((guint64) n_points,
          plan->footprint.scratch_bytes_per_point));
}

/* ---- what a shard has ---- */

/* Accumulators are in the scratch. */
static gboolean
has_scratch (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard)
{
  return shard->items > 0 && shard->plans[0].items == shard->items
      && scratch_bytes (&shard->plans[0], run->n_points) <= shard->scratch.bytes;
}

/* Always, in a steady stream: then nothing is allocated. */
static gboolean
has_all (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard)
{
  return has_scratch (run, shard)
      && robocache_voxel_output_bytes (shard, run->place, shard->items) <= shard->outputs.bytes
      && (shard->is_cut ? min_piece_bytes (run) : upload_bytes (run, shard, shard->items)) <= shard->clouds.bytes;
}

/* Free bytes plus those that the shard has, less those that outputs in device memory need. */
static guint64
budget_of (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard)
{
  const guint64 held = shard->scratch.bytes + shard->clouds.bytes + shard->outputs.bytes;
  const guint64 batch = (guint64) run->shards->spec.batch, bitmap = run->shards->bitmap_bytes;
  guint64 budget = robocache_engine_budget (shard->engine) + held, outputs = 0;

  for (guint i = 0; i < run->place->n_outputs && robocache_voxel_output_bytes (shard, run->place, 1) == 0; i++)
    outputs += 2 * batch * (run->place->item_bytes[i] + bitmap);
  return budget - MIN (budget, outputs);
}

/* What remains of it beside so many bytes that stay. */
static guint64
budget_beside (const RobocacheVoxelRun *run, const RobocacheVoxelShard *shard, guint64 bytes)
{
  const guint64 budget = budget_of (run, shard);

  return budget - MIN (budget, bytes);
}

/* ---- allocation ---- */

static void
clear_blocks (RobocacheVoxelShard *shard)
{
  robocache_scratch_clear (&shard->scratch);
  robocache_scratch_clear (&shard->outputs);
  robocache_scratch_clear (&shard->clouds);
  shard->uploaded_cloud = 0;
}

/* Grows a block, by at least half where the budget allows: clouds differ in size. */
static gboolean
grow (RobocacheScratch *scratch, RobocacheEngine *engine, guint64 bytes, guint64 *budget, GError **error)
{
  const guint64 half_more = scratch->bytes + scratch->bytes / 2;
  gboolean ok = scratch->engine == engine && bytes <= scratch->bytes;

  if (!ok && bytes < half_more && half_more <= *budget)
    ok = robocache_scratch_reserve (scratch, engine, half_more, NULL);
  ok = ok || robocache_scratch_reserve (scratch, engine, bytes, error);
  *budget -= MIN (*budget, scratch->bytes);
  return ok;
}

/* For the largest piece of a cloud that the budget allows. Tries less when the free memory is fragmented. */
static gboolean
reserve_piece (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, guint64 max, guint64 budget, GError **error)
{
  const guint64 min = min_piece_bytes (run);
  guint64 bytes = MAX (MIN (max, budget), min);
  GError *failure = NULL;

  while (!robocache_scratch_reserve (&shard->clouds, shard->engine, bytes, &failure)) {
    if (bytes == min || !robocache_voxel_is_no_space (failure)) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    bytes = MAX (bytes / 2, min);
  }
  return TRUE;
}

/* One item's clouds are cut when they exceed the budget. */
static gboolean
reserve_clouds (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, guint64 bytes, guint64 items, guint64 budget,
    GError **error)
{
  shard->uploaded_cloud = 0;    /* a block that grows loses its content */
  shard->is_cut = items == 1 && bytes > budget;
  return shard->is_cut ? reserve_piece (run, shard, bytes, budget, error)
      : grow (&shard->clouds, shard->engine, bytes, &budget, error);
}

static gboolean
allocate (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, guint64 budget, GError **error)
{
  const guint64 scratch = scratch_bytes (&shard->plans[0], run->n_points);
  const guint64 outputs = robocache_voxel_output_bytes (shard, run->place, shard->items);
  const guint64 clouds = upload_bytes (run, shard, shard->items);

  /* a block that grows needs memory beside its old one */
  if (scratch + outputs + clouds > robocache_engine_budget (shard->engine))
    clear_blocks (shard);
  return grow (&shard->scratch, shard->engine, scratch, &budget, error)
      && grow (&shard->outputs, shard->engine, outputs, &budget, error)
      && reserve_clouds (run, shard, clouds, shard->items, budget, error);
}

/* ---- items per job ---- */

/* One item's clouds may exceed the budget, since they can be cut. Accumulators that stay leave room for outputs. */
static gboolean
try_items (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, guint64 items, guint64 budget, GError **error)
{
  guint64 needed;
  RcStatus status;
  RcError failure;

  status = robocache_voxel_shard_make_plan (run->shards, shard, &shard->plans[0], items, &failure);
  if (status != RC_OK)
    return robocache_engine_check (status, &failure, error);
  shard->items = items;
  needed = robocache_bytes_add (scratch_bytes (&shard->plans[0], run->n_points),
      robocache_voxel_output_bytes (shard, run->place, items));
  if ((items > 1 && robocache_bytes_add (needed, upload_bytes (run, shard, items)) > budget)
      || (run->shards->accumulates && needed > budget)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "%" G_GUINT64_FORMAT " items exceed the memory budget", items);
    return FALSE;
  }
  return allocate (run, shard, budget, error);
}

/* Replaces failure by an error that names all bytes that one item needs, so that raising the budget by them suffices. Keeps it
 * when as many are free, in fragments. */
static void
name_bytes_needed (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, GError **failure)
{
  const guint64 clouds = MIN (upload_bytes (run, shard, 1), min_piece_bytes (run));
  const guint64 needed = robocache_bytes_add (scratch_bytes (&shard->plans[0], run->n_points),
      robocache_voxel_output_bytes (shard, run->place, 1) + clouds);
  gchar *what = g_strdup_printf ("a voxel grid of %" G_GINT64_FORMAT " points", run->n_points);
  GError *total = NULL;

  clear_blocks (shard);
  if (!robocache_engine_check_budget (shard->engine, needed, what, "raise max-device-memory, set a smaller grid, send smaller "
      "clouds, or set backend=auto", &total)) {
    g_error_free (*failure);
    *failure = total;
  }
  g_free (what);
}

/* As many items per job as fit; accumulators that stay need all of them. */
static gboolean
reserve_anew (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard, GError **error)
{
  const guint64 budget = budget_of (run, shard);
  guint64 items = shard->n;
  GError *failure = NULL;

  robocache_voxel_shards_synchronize (run->shards);
  shard->clean = NULL;
  while (!try_items (run, shard, items, budget, &failure)) {
    const gboolean is_no_space = robocache_voxel_is_no_space (failure);

    if (items == 1 || run->shards->accumulates || !is_no_space) {
      if (items == 1 && !run->shards->accumulates && is_no_space)
        name_bytes_needed (run, shard, &failure);
      shard->items = 0;
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    items = (items + 1) / 2;
  }
  return TRUE;
}

/* For an incremental run that needs more than the runs before it, as when the first cloud leaves the window: keeps the
 * accumulators, and cuts clouds from now on where they do not fit beside them. */
static gboolean
reserve_beside_accumulators (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard)
{
  const guint64 outputs = robocache_voxel_output_bytes (shard, run->place, shard->items);
  const guint64 clouds = upload_bytes (run, shard, shard->items);
  guint64 budget = budget_beside (run, shard, shard->scratch.bytes);

  if (shard->is_cut || !has_scratch (run, shard) || outputs > budget)
    return FALSE;
  if (clouds > budget - outputs) {
    shard->is_cut = shard->items == 1 && outputs <= shard->outputs.bytes && min_piece_bytes (run) <= shard->clouds.bytes;
    return shard->is_cut;
  }
  robocache_voxel_shards_synchronize (run->shards);
  shard->uploaded_cloud = 0;
  return grow (&shard->outputs, shard->engine, outputs, &budget, NULL)
      && grow (&shard->clouds, shard->engine, clouds, &budget, NULL);
}

/* ---- runs ---- */

static gboolean
reserve_shards (RobocacheVoxelRun *run, GError **error)
{
  RobocacheVoxelShards *shards = run->shards;
  gboolean ok = TRUE;

  for (guint i = 0; i < shards->n && run->is_incremental; i++) {
    if (!has_all (run, &shards->shards[i]) && !reserve_beside_accumulators (run, &shards->shards[i]))
      robocache_voxel_run_restart (run);
  }
  for (guint i = 0; i < shards->n && ok; i++)
    ok = has_all (run, &shards->shards[i]) || reserve_anew (run, &shards->shards[i], error);
  return ok;
}

gboolean
robocache_voxel_budget_reserve (RobocacheVoxelRun *run, GError **error)
{
  GError *failure = NULL;

  if (reserve_shards (run, &failure))
    return TRUE;
  if (!run->shards->accumulates || !robocache_voxel_is_no_space (failure)) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  g_error_free (failure);
  robocache_voxel_shards_stop_accumulating (run->shards, "accumulators exceed the memory budget");
  run->ranges = NULL;
  return reserve_shards (run, error);
}

gboolean
robocache_voxel_budget_reserve_cloud (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard,
    const RobocacheCloud *cloud, GError **error)
{
  const guint64 bytes = robocache_voxel_upload_bytes (run, shard, cloud, shard->n);

  if (bytes <= shard->clouds.bytes || (shard->is_cut && min_piece_bytes (run) <= shard->clouds.bytes))
    return TRUE;
  robocache_voxel_shards_synchronize (run->shards);
  return reserve_clouds (run, shard, bytes, shard->n,
      budget_beside (run, shard, shard->scratch.bytes + shard->outputs.bytes), error);
}

gboolean
robocache_voxel_budget_reserve_scratch (const RobocacheVoxelRun *run, RobocacheVoxelShard *shard,
    const RobocacheVoxelPlan *plan, GError **error)
{
  const guint64 bytes = scratch_bytes (plan, run->n_points);

  if (bytes <= shard->scratch.bytes)
    return TRUE;
  shard->clean = NULL;
  return robocache_scratch_reserve (&shard->scratch, shard->engine, bytes, error);
}
