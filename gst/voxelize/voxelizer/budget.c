/* robocache: the voxelizer, room: how many items a lane takes at once, and of one item how many points
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizerprivate.h"

#include "common/device/budget.h"

#define MIN_PIECE_BYTES 4096  /* of points, when a cloud is cut */

/* ---- what a job takes ---- */

/* Bytes of so many items of all clouds that must be brought. */
static guint64
bytes_to_bring (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < robocache_voxelizer_n_touched (run); i++)
    bytes += robocache_voxelizer_bytes_of_cloud (run, lane, robocache_voxelizer_touched (run, i), items);
  return bytes;
}

/* Of a piece of any of the clouds. */
static guint64
least_piece_bytes (const RobocacheVoxelRun *run)
{
  guint64 bytes = MIN_PIECE_BYTES;

  for (guint i = 0; i < robocache_voxelizer_n_touched (run); i++)
    bytes = MAX (bytes, robocache_voxelizer_row_stride (run->points, robocache_voxelizer_touched (run, i)));
  return bytes;
}

static guint64
bytes_of_scratch (const RobocacheVoxelPlan *plan, gint64 n_points)
{
  return robocache_bytes_add (plan->footprint.scratch_bytes, robocache_bytes_multiply ((guint64) n_points,
          plan->footprint.scratch_bytes_per_point));
}

/* ---- room for it ---- */

/* For accumulators, and what else a job has of its own. */
static gboolean
has_scratch (const RobocacheVoxelLane *lane, gint64 n_points)
{
  return lane->items > 0 && lane->plans[0].items == lane->items
      && bytes_of_scratch (&lane->plans[0], n_points) <= lane->scratch.bytes;
}

/* What a steady stream needs it has: nothing is asked for, or allocated. */
static gboolean
has_room (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane, gint64 n_points)
{
  return has_scratch (lane, n_points)
      && robocache_voxelizer_bytes_of_outputs (lane, run->place, lane->items) <= lane->outputs.bytes
      && (lane->is_cut ? least_piece_bytes (run) : bytes_to_bring (run, lane, lane->items)) <= lane->clouds.bytes;
}

/* What may be used, of what is free and what the lane has; outputs in device memory need some of it too. */
static guint64
room_of (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane)
{
  const guint64 held = lane->scratch.bytes + lane->clouds.bytes + lane->outputs.bytes;
  guint64 room = robocache_engine_room (lane->engine) + held, outputs = 0;

  for (guint i = 0; i < run->place->n_outputs && robocache_voxelizer_bytes_of_outputs (lane, run->place, 1) == 0; i++)
    outputs += 2 * (guint64) run->voxelizer->spec.batch * (run->place->item_bytes[i] + run->voxelizer->bitmap_bytes);
  return room - MIN (room, outputs);
}

/* Grows a block, by half at least where there is room for it: clouds are not all of one size. */
static gboolean
grow (RobocacheScratch *scratch, RobocacheEngine *engine, guint64 bytes, guint64 *room, GError **error)
{
  const guint64 half_more = scratch->bytes + scratch->bytes / 2;
  gboolean ok = scratch->engine == engine && bytes <= scratch->bytes;

  if (!ok && bytes < half_more && half_more <= *room)
    ok = robocache_scratch_reserve (scratch, engine, half_more, NULL);
  ok = ok || robocache_scratch_reserve (scratch, engine, bytes, error);
  *room -= MIN (*room, scratch->bytes);
  return ok;
}

/* For a piece of a cloud as large as there is room for. Free memory may be in pieces too: then less is tried. */
static gboolean
reserve_piece (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, guint64 most, guint64 room, GError **error)
{
  const guint64 least = least_piece_bytes (run);
  guint64 bytes = MAX (MIN (most, room), least);
  GError *failure = NULL;

  while (!robocache_scratch_reserve (&lane->clouds, lane->engine, bytes, &failure)) {
    if (bytes == least || !robocache_voxelizer_is_no_space (failure)) {
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    bytes = MAX (bytes / 2, least);
  }
  return TRUE;
}

/* Where all is wanted that there is, blocks are not grown one beside the other. */
static void
release_if_tight (RobocacheVoxelLane *lane, guint64 needed)
{
  if (needed <= robocache_engine_room (lane->engine))
    return;
  robocache_scratch_clear (&lane->scratch);
  robocache_scratch_clear (&lane->outputs);
  robocache_scratch_clear (&lane->clouds);
}

static gboolean
allocate (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, gint64 n_points, guint64 room, GError **error)
{
  const guint64 scratch = bytes_of_scratch (&lane->plans[0], n_points);
  const guint64 outputs = robocache_voxelizer_bytes_of_outputs (lane, run->place, lane->items);
  const guint64 clouds = bytes_to_bring (run, lane, lane->items);

  release_if_tight (lane, scratch + outputs + clouds);
  if (!grow (&lane->scratch, lane->engine, scratch, &room, error)
      || !grow (&lane->outputs, lane->engine, outputs, &room, error))
    return FALSE;
  lane->is_cut = lane->items == 1 && clouds > room;
  return lane->is_cut ? reserve_piece (run, lane, clouds, room, error) : grow (&lane->clouds, lane->engine, clouds,
      &room, error);
}

/* For so many items at once, unless it is known that they do not fit; of a single one the clouds need not. What is kept takes
 * no room that is set aside for outputs. */
static gboolean
try_items (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, guint64 items, gint64 n_points, guint64 room,
    GError **error)
{
  guint64 needed;
  RcStatus status;
  RcError failure;

  status = robocache_voxelizer_make_plan (run->voxelizer, lane, &lane->plans[0], items, &failure);
  if (status != RC_OK)
    return robocache_engine_check (status, &failure, error);
  lane->items = items;
  needed = robocache_bytes_add (bytes_of_scratch (&lane->plans[0], n_points),
      robocache_voxelizer_bytes_of_outputs (lane, run->place, items));
  if ((items > 1 && robocache_bytes_add (needed, bytes_to_bring (run, lane, items)) > room)
      || (run->voxelizer->keeps && needed > room)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "no room for %" G_GUINT64_FORMAT " items", items);
    return FALSE;
  }
  return allocate (run, lane, n_points, room, error);
}

/* Where a single item does not fit: all that it needs at once, for the error to name, so that whoever makes that much room has no
 * other error. failure stays where there is as much, in pieces. */
static void
name_what_is_needed (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, gint64 n_points, GError **failure)
{
  const guint64 clouds = MIN (bytes_to_bring (run, lane, 1), least_piece_bytes (run));
  const guint64 needed = robocache_bytes_add (bytes_of_scratch (&lane->plans[0], n_points),
      robocache_voxelizer_bytes_of_outputs (lane, run->place, 1) + clouds);
  gchar *what = g_strdup_printf ("a voxel grid of %" G_GINT64_FORMAT " points", n_points);
  GError *total = NULL;

  robocache_scratch_clear (&lane->scratch);
  robocache_scratch_clear (&lane->outputs);
  robocache_scratch_clear (&lane->clouds);
  if (!robocache_engine_check_room (lane->engine, needed, what, "raise max-device-memory, take a smaller grid or smaller "
          "clouds, or set backend=auto", &total)) {
    g_error_free (*failure);
    *failure = total;
  }
  g_free (what);
}

/* As many items at once as fit; where accumulators are kept, all of them or none. */
static gboolean
make_room (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane, gint64 n_points, GError **error)
{
  const guint64 room = room_of (run, lane);
  guint64 items = lane->n;
  GError *failure = NULL;

  robocache_voxelizer_wait_for_all (run->voxelizer);
  lane->clean = NULL;
  while (!try_items (run, lane, items, n_points, room, &failure)) {
    if (items == 1 || run->voxelizer->keeps || !robocache_voxelizer_is_no_space (failure)) {
      if (items == 1 && !run->voxelizer->keeps && robocache_voxelizer_is_no_space (failure))
        name_what_is_needed (run, lane, n_points, &failure);
      lane->items = 0;
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    items = (items + 1) / 2;
  }
  return TRUE;
}

/* What there is beside so much that stays. */
static guint64
room_beside (const RobocacheVoxelRun *run, const RobocacheVoxelLane *lane, guint64 bytes)
{
  const guint64 room = room_of (run, lane);

  return room - MIN (room, bytes);
}

/* For a run that goes on and takes more than those before it, beside what is held: when the first cloud leaves, say. Where
 * there is no room for all of its clouds, they are cut from now on. */
static gboolean
grow_beside_scratch (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane)
{
  const guint64 outputs = robocache_voxelizer_bytes_of_outputs (lane, run->place, lane->items);
  const guint64 clouds = bytes_to_bring (run, lane, lane->items);
  guint64 room = room_beside (run, lane, lane->scratch.bytes);

  if (lane->is_cut || !has_scratch (lane, run->n_points) || outputs > room)
    return FALSE;
  if (clouds > room - outputs) {
    lane->is_cut = lane->items == 1 && outputs <= lane->outputs.bytes && least_piece_bytes (run) <= lane->clouds.bytes;
    return lane->is_cut;
  }
  robocache_voxelizer_wait_for_all (run->voxelizer);
  return grow (&lane->outputs, lane->engine, outputs, &room, NULL)
      && grow (&lane->clouds, lane->engine, clouds, &room, NULL);
}

gboolean
robocache_voxelizer_find_room_to_measure (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane,
    const RobocacheCloud *cloud, GError **error)
{
  const guint64 bytes = robocache_voxelizer_bytes_of_cloud (run, lane, cloud, lane->n);
  guint64 room;

  if (bytes <= lane->clouds.bytes || (lane->is_cut && least_piece_bytes (run) <= lane->clouds.bytes))
    return TRUE;
  room = room_beside (run, lane, lane->scratch.bytes + lane->outputs.bytes);
  robocache_voxelizer_wait_for_all (run->voxelizer);
  lane->is_cut = lane->n == 1 && bytes > room;
  return lane->is_cut ? reserve_piece (run, lane, bytes, room, error) : grow (&lane->clouds, lane->engine, bytes, &room,
      error);
}

/* A lane that makes room for more scratch loses what it holds. */
static gboolean
find_room_as_planned (RobocacheVoxelRun *run, GError **error)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;
  gboolean ok = TRUE;

  for (guint i = 0; i < voxelizer->n_lanes && run->goes_on; i++) {
    if (!has_room (run, &voxelizer->lanes[i], run->n_points) && !grow_beside_scratch (run, &voxelizer->lanes[i]))
      robocache_voxelizer_start_anew (run);
  }
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = has_room (run, &voxelizer->lanes[i], run->n_points)
        || make_room (run, &voxelizer->lanes[i], run->n_points, error);
  return ok;
}

gboolean
robocache_voxelizer_find_room (RobocacheVoxelRun *run, GError **error)
{
  GError *failure = NULL;
  gboolean ok = find_room_as_planned (run, &failure);

  if (!ok && run->voxelizer->keeps && robocache_voxelizer_is_no_space (failure)) {
    g_clear_error (&failure);
    robocache_voxelizer_stop_keeping (run->voxelizer, "there is no room to keep accumulators");
    run->ranges = NULL;
    ok = find_room_as_planned (run, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  return ok;
}

gboolean
robocache_voxelizer_reserve_scratch (const RobocacheVoxelRun *run, RobocacheVoxelLane *lane,
    const RobocacheVoxelPlan *plan, GError **error)
{
  const guint64 bytes = bytes_of_scratch (plan, run->n_points);

  if (bytes <= lane->scratch.bytes)
    return TRUE;
  lane->clean = NULL;
  return robocache_scratch_reserve (&lane->scratch, lane->engine, bytes, error);
}
