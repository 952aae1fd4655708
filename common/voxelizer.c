/* robocache: voxel grids of the clouds of a window: where they are or where there is room, whole or in pieces, on one
 * engine or split over several
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelizer.h"

#include <string.h>

#include "cloudranges.h"
#include "memorylimit.h"
#include "tensorcaps.h"

#define ALIGNMENT 256           /* of what lies in a block */
#define LEAST_PIECE_BYTES 4096  /* of points, when a cloud is cut */
#define MOST_VOXELS_A_POINT 1024        /* of a grid whose bitmap is read for a sparse output, rather than its points sorted */

G_STATIC_ASSERT (sizeof (RcVoxelCounters) == ROBOCACHE_VOXELIZER_N_COUNTERS * sizeof (gint64));

typedef struct
{
  RcVoxelPlan *plan;
  RcFootprint footprint;
  guint64 items;                /* its batch */
} Plan;

/* One engine and its share of the items. */
typedef struct
{
  RobocacheEngine *engine;
  guint64 first, n;
  guint64 items;                /* at once; 0: not yet known */
  Plan plans[2];                /* of so many, and of the rest of them */
  RobocacheStaging staging;
  RobocacheScratch scratch;
  RobocacheScratch clouds;      /* what is not in place */
  RobocacheScratch outputs;
  gboolean is_cut;              /* clouds has room for a piece of a cloud only */
  const RcVoxelPlan *clean;     /* whose last job left scratch clean; NULL: none */

  RcEvent done;                 /* its work on the output */
  RcEvent gathered;             /* of the first engine's device: what was in outputs was fetched */
} Lane;

struct _RobocacheVoxelizer
{
  guint64 number;               /* that no other has: grids that it wrote are known by it */
  RcVoxelSpec spec;
  RcVoxelField *layout;         /* of the spec */
  gboolean reads_host;
  guint64 bitmap_bytes;         /* of the voxels of an item's grid; 0: none */
  guint n_lanes;                /* none has no items */
  Lane *lanes;

  /* accumulators that are kept */
  gboolean keeps;               /* all plans do, and there is room */
  guint64 held_first, held_end; /* numbers of the clouds in them; as many as none: nothing is */
  RobocacheCloudRanges ranges;  /* of the features of clouds of the window, where grids depend on them */
};

/* What a run is about. */
typedef struct
{
  RobocacheVoxelizer *voxelizer;
  const RobocachePointsInfo *points;
  const RobocacheCloudWindow *window;
  const RobocacheVoxelPlace *place;
  RobocacheVoxelWork *work;
  gint64 n_points;              /* of an item, in the window */
  const gdouble *ranges;        /* [items, channels] of the window; NULL: they are not known beforehand */
  gboolean goes_on;             /* from what accumulators hold */
  guint64 add_first, add_end;   /* numbers of the clouds to add, and to take out */
  guint64 remove_first, remove_end;
  guint8 *occupied;             /* bitmaps of the grid's items; NULL: every byte of it is written */
  gboolean is_known;            /* they say what the grid holds */
} Run;

/* The items first … first + n - 1 of a run, on a lane. */
typedef struct
{
  const Run *run;
  Lane *lane;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  guint64 first, n;
  RcVoxelCounters *counters;
  gboolean is_brought;          /* all clouds are where the kernels read */
  guint n_pieces;               /* that clouds were cut into */
} Job;

/* ---- plans ---- */

static void
clear_plan (Lane *lane, Plan *plan)
{
  if (lane->clean == plan->plan)
    lane->clean = NULL;
  g_clear_pointer (&plan->plan, rc_voxel_plan_free);
  plan->items = 0;
}

/* The first engine may still fetch from another's memory. */
static void
wait_for_all (RobocacheVoxelizer *voxelizer)
{
  for (guint i = 0; i < voxelizer->n_lanes; i++) {
    if (voxelizer->lanes[i].engine)
      robocache_engine_synchronize (voxelizer->lanes[i].engine, NULL);
  }
}

static RcStatus
make_plan (RobocacheVoxelizer *voxelizer, Lane *lane, Plan *plan, guint64 items, RcError *failure)
{
  RcVoxelSpec spec = voxelizer->spec;
  RcStatus status;

  if (plan->items == items)
    return RC_OK;
  wait_for_all (voxelizer);
  clear_plan (lane, plan);
  spec.batch = (gint64) items;
  status = rc_voxel_plan (robocache_engine_backend (lane->engine), &spec, &plan->plan, &plan->footprint, failure);
  plan->items = status == RC_OK ? items : 0;
  return status;
}

static RcStatus
init_lane (RobocacheVoxelizer *voxelizer, Lane *lane, RobocacheEngine *engine, RcError *failure)
{
  RcStatus status;

  lane->engine = robocache_engine_ref (engine);
  status = make_plan (voxelizer, lane, &lane->plans[0], lane->n, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (engine), &lane->done, failure);
  if (status == RC_OK)
    status = rc_event_new (robocache_engine_backend (voxelizer->lanes[0].engine), &lane->gathered, failure);
  return status;
}

/* Ranges are measured by the CPU alone, where clouds are. */
static gboolean
all_keep (const RobocacheVoxelizer *voxelizer)
{
  gboolean keep = TRUE;

  for (guint i = 0; i < voxelizer->n_lanes && keep; i++) {
    const RcVoxelPlan *plan = voxelizer->lanes[i].plans[0].plan;

    keep = rc_voxel_keeps (plan) && (voxelizer->reads_host || !rc_voxel_needs_range (plan));
  }
  return keep;
}

/* Plans become those that keep nothing, which take less room. */
static void
stop_keeping (RobocacheVoxelizer *voxelizer, const gchar *reason)
{
  GST_INFO ("windows of clouds are made anew: %s", reason);
  wait_for_all (voxelizer);
  voxelizer->keeps = voxelizer->spec.keeps = FALSE;
  for (guint i = 0; i < voxelizer->n_lanes; i++) {
    Lane *lane = &voxelizer->lanes[i];

    if (lane->plans[0].plan && !rc_voxel_keeps (lane->plans[0].plan))
      continue;
    clear_plan (lane, &lane->plans[0]);
    robocache_scratch_clear (&lane->scratch);
    lane->items = 0;
  }
}

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
  voxelizer->lanes = g_new0 (Lane, voxelizer->n_lanes);
  *status = RC_OK;
  for (guint i = 0; i < voxelizer->n_lanes && *status == RC_OK; i++) {
    voxelizer->lanes[i].first = batch * i / voxelizer->n_lanes;
    voxelizer->lanes[i].n = batch * (i + 1) / voxelizer->n_lanes - voxelizer->lanes[i].first;
    *status = init_lane (voxelizer, &voxelizer->lanes[i], engines[i], &failure);
  }
  if (robocache_engine_check (*status, &failure, error)) {
    voxelizer->bitmap_bytes = (guint64) rc_voxel_bitmap_bytes (voxelizer->lanes[0].plans[0].plan);
    voxelizer->keeps = spec->keeps && all_keep (voxelizer);
    if (spec->keeps && !voxelizer->keeps)
      stop_keeping (voxelizer, "the mode, the size of the grid or the device is not one that keeps accumulators");
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
  wait_for_all (voxelizer);
  for (guint i = 0; i < voxelizer->n_lanes; i++) {
    Lane *lane = &voxelizer->lanes[i];

    if (lane->engine == NULL)
      continue;
    clear_plan (lane, &lane->plans[0]);
    clear_plan (lane, &lane->plans[1]);
    robocache_staging_clear (&lane->staging);
    robocache_scratch_clear (&lane->scratch);
    robocache_scratch_clear (&lane->clouds);
    robocache_scratch_clear (&lane->outputs);
    rc_event_free (robocache_engine_backend (lane->engine), lane->done);
    rc_event_free (robocache_engine_backend (voxelizer->lanes[0].engine), lane->gathered);
  }
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

/* ---- clouds ---- */

/* Bytes of a point, or of a line of an image. */
static guint64
row_bytes (const RobocachePointsInfo *points)
{
  if (points->kind == ROBOCACHE_POINTS_DEPTH)
    return 2 * (guint64) GST_VIDEO_INFO_WIDTH (&points->video);
  return robocache_points_info_point_size (points);
}

/* Bytes from one to the next. */
static guint64
row_stride (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  const GstVideoMeta *meta;

  if (points->kind != ROBOCACHE_POINTS_DEPTH)
    return row_bytes (points);
  meta = gst_buffer_get_video_meta (cloud->buffer);
  return (guint64) (meta ? meta->stride[0] : GST_VIDEO_INFO_PLANE_STRIDE (&points->video, 0));
}

static guint64
n_rows (const RobocachePointsInfo *points, const RobocacheCloud *cloud)
{
  return points->kind == ROBOCACHE_POINTS_DEPTH ? (guint64) GST_VIDEO_INFO_HEIGHT (&points->video)
      : (guint64) cloud->n_points;
}

/* Of an item, from its first byte to its last one. */
static guint64
cloud_bytes (const RobocachePointsInfo *points, const RobocacheCloud *cloud, guint64 rows)
{
  return rows > 0 ? (rows - 1) * row_stride (points, cloud) + row_bytes (points) : 0;
}

/* The one memory of a cloud in device memory; NULL for others, which the CPU reads. */
static GstMemory *
device_memory (const RobocacheCloud *cloud)
{
  GstMemory *memory = gst_buffer_n_memory (cloud->buffer) == 1 ? gst_buffer_peek_memory (cloud->buffer, 0) : NULL;

  return memory && robocache_is_gpu_memory (memory) ? memory : NULL;
}

/* Where kernels of the lane find a cloud's first item; NULL: they do not. */
static const guint8 *
cloud_in_place (const Lane *lane, const RobocacheCloud *cloud)
{
  GstMemory *memory = device_memory (cloud);

  return memory ? robocache_engine_reach (lane->engine, memory, 0) : NULL;
}

static guint64
aligned (guint64 bytes)
{
  return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- which clouds a run looks at: those to add, then those to take out ---- */

static guint
n_touched (const Run *run)
{
  return (guint) (run->add_end - run->add_first + run->remove_end - run->remove_first);
}

static const RobocacheCloud *
touched (const Run *run, guint i)
{
  const guint64 n_added = run->add_end - run->add_first;

  return robocache_cloud_window_find (run->window, i < n_added ? run->add_first + i : run->remove_first + i - n_added);
}

static gint64
points_between (const Run *run, guint64 first, guint64 end)
{
  gint64 n = 0;

  for (guint64 number = first; number < end; number++)
    n += robocache_cloud_window_find (run->window, number)->n_points;
  return n;
}

/* All of the window. */
static void
start_anew (Run *run)
{
  run->goes_on = FALSE;
  run->add_end = run->window->n_pushed;
  run->add_first = run->add_end - robocache_cloud_window_length (run->window);
  run->remove_first = run->remove_end = 0;
}

static RcVoxelJob
describe_job (const Run *run, const Lane *lane)
{
  const guint64 channels = (guint64) rc_voxel_channels (lane->plans[0].plan);

  return (RcVoxelJob) {.n_points = run->n_points,.scratch = lane->scratch.data,.goes_on = run->goes_on,
    .ranges = run->ranges ? run->ranges + lane->first * channels : NULL
  };
}

/* Whether what is held of the clouds is worth more than it costs to take the rest out. */
static gboolean
may_go_on (const Run *run)
{
  const RobocacheVoxelizer *voxelizer = run->voxelizer;
  const guint64 first = voxelizer->held_first, end = voxelizer->held_end;
  gboolean ok = voxelizer->keeps && first < end && end < run->add_end && robocache_cloud_window_find (run->window, first)
      && points_between (run, first, run->add_end) <= RC_VOXEL_MAX_POINTS
      && points_between (run, end, run->add_end) + points_between (run, first, run->add_first) < run->n_points;

  for (guint i = 0; i < voxelizer->n_lanes && ok; i++) {
    const Lane *lane = &voxelizer->lanes[i];
    const RcVoxelJob job = describe_job (run, lane);

    ok = lane->items == lane->n && rc_voxel_can_go_on (lane->plans[0].plan, &job);
  }
  return ok;
}

/* A sparse output reads all of the bitmap, which is more than a sort where a few points are in a large grid. Clouds to come
 * are taken to be as those that came. */
static gboolean
is_worth_keeping (const Run *run)
{
  const RcVoxelSpec *spec = &run->voxelizer->spec;
  const gdouble voxels = (gdouble) spec->grid[0] * (gdouble) spec->grid[1] * (gdouble) spec->grid[2];
  const gdouble points = (gdouble) run->n_points * run->window->most / robocache_cloud_window_length (run->window);

  return spec->output != RC_VOXEL_SPARSE || points == 0 || voxels <= MOST_VOXELS_A_POINT * points;
}

/* Clouds that were forgotten before they were taken out, as after a flush, leave nothing behind: not even what somebody wrote to
 * them meanwhile. */
static void
forget_held (RobocacheVoxelizer *voxelizer)
{
  for (guint i = 0; i < voxelizer->n_lanes; i++)
    voxelizer->lanes[i].clean = NULL;
}

static void
choose_clouds (Run *run)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;

  start_anew (run);
  if (voxelizer->held_first < voxelizer->held_end
      && robocache_cloud_window_find (run->window, voxelizer->held_first) == NULL)
    forget_held (voxelizer);
  if (!may_go_on (run))
    return;
  run->goes_on = TRUE;
  run->remove_first = voxelizer->held_first;
  run->remove_end = run->add_first;
  run->add_first = voxelizer->held_end;
}

/* Bytes of so many items of all clouds that must be brought. */
static guint64
bytes_to_bring (const Run *run, const Lane *lane, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < n_touched (run) && !run->voxelizer->reads_host; i++) {
    const RobocacheCloud *cloud = touched (run, i);

    if (cloud_in_place (lane, cloud) == NULL)
      bytes += aligned (items * cloud_bytes (run->points, cloud, n_rows (run->points, cloud)));
  }
  return bytes;
}

/* Of a piece of any of the clouds. */
static guint64
least_piece_bytes (const Run *run)
{
  guint64 bytes = LEAST_PIECE_BYTES;

  for (guint i = 0; i < n_touched (run); i++)
    bytes = MAX (bytes, row_stride (run->points, touched (run, i)));
  return bytes;
}

/* ---- outputs ---- */

/* NULL: kernels of the lane do not write there. */
static guint8 *
output_in_place (const Lane *lane, const RobocacheVoxelPlace *place, guint output)
{
  if (place->mapped[output])
    return robocache_engine_is_gpu (lane->engine) ? NULL : place->mapped[output];
  return robocache_engine_reach (lane->engine, place->memories[output], 0);
}

static guint64
bytes_of_outputs (const Lane *lane, const RobocacheVoxelPlace *place, guint64 items)
{
  guint64 bytes = 0;

  for (guint i = 0; i < place->n_outputs; i++) {
    if (output_in_place (lane, place, i) == NULL)
      bytes += aligned (items * place->item_bytes[i]);
  }
  return bytes;
}

/* The bitmap of a grid that all lanes write where it is. */
static void
take_bitmap (Run *run)
{
  const RobocacheVoxelizer *voxelizer = run->voxelizer;
  gboolean in_place = voxelizer->bitmap_bytes > 0 && run->place->mapped[0] == NULL;

  for (guint i = 0; i < voxelizer->n_lanes && in_place; i++)
    in_place = output_in_place (&voxelizer->lanes[i], run->place, 0) != NULL;
  if (in_place)
    run->occupied = robocache_memory_take_notes (run->place->memories[0], voxelizer->number,
        voxelizer->bitmap_bytes * (guint64) voxelizer->spec.batch, &run->is_known);
}

/* ---- room ---- */

static guint64
bytes_of_scratch (const Plan *plan, gint64 n_points)
{
  return robocache_bytes_add (plan->footprint.scratch_bytes, robocache_bytes_multiply ((guint64) n_points,
          plan->footprint.scratch_bytes_per_point));
}

/* What a steady stream needs it has: nothing is asked for, or allocated. */
static gboolean
has_room (const Run *run, Lane *lane, gint64 n_points)
{
  return lane->items > 0 && lane->plans[0].items == lane->items
      && bytes_of_scratch (&lane->plans[0], n_points) <= lane->scratch.bytes
      && bytes_of_outputs (lane, run->place, lane->items) <= lane->outputs.bytes
      && (lane->is_cut ? least_piece_bytes (run) : bytes_to_bring (run, lane, lane->items)) <= lane->clouds.bytes;
}

/* What may be used, of what is free and what the lane has; outputs in device memory need some of it too. */
static guint64
room_of (const Run *run, const Lane *lane)
{
  const guint64 held = lane->scratch.bytes + lane->clouds.bytes + lane->outputs.bytes;
  guint64 room = robocache_engine_room (lane->engine) + held, outputs = 0;

  for (guint i = 0; i < run->place->n_outputs && bytes_of_outputs (lane, run->place, 1) == 0; i++)
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

static gboolean
is_no_space (const GError *error)
{
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

/* For a piece of a cloud as large as there is room for. Free memory may be in pieces too: then less is tried. */
static gboolean
reserve_piece (const Run *run, Lane *lane, guint64 most, guint64 room, GError **error)
{
  const guint64 least = least_piece_bytes (run);
  guint64 bytes = MAX (MIN (most, room), least);
  GError *failure = NULL;

  while (!robocache_scratch_reserve (&lane->clouds, lane->engine, bytes, &failure)) {
    if (bytes == least || !is_no_space (failure)) {
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
release_if_tight (Lane *lane, guint64 needed)
{
  if (needed <= robocache_engine_room (lane->engine))
    return;
  robocache_scratch_clear (&lane->scratch);
  robocache_scratch_clear (&lane->outputs);
  robocache_scratch_clear (&lane->clouds);
}

static gboolean
allocate (const Run *run, Lane *lane, gint64 n_points, guint64 room, GError **error)
{
  const guint64 clouds = bytes_to_bring (run, lane, lane->items);

  release_if_tight (lane, bytes_of_scratch (&lane->plans[0], n_points) + bytes_of_outputs (lane, run->place,
      lane->items)
      + clouds);
  if (!grow (&lane->scratch, lane->engine, bytes_of_scratch (&lane->plans[0], n_points), &room, error)
      || !grow (&lane->outputs, lane->engine, bytes_of_outputs (lane, run->place, lane->items), &room, error))
    return FALSE;
  lane->is_cut = lane->items == 1 && clouds > room;
  return lane->is_cut ? reserve_piece (run, lane, clouds, room, error) : grow (&lane->clouds, lane->engine, clouds,
      &room, error);
}

/* For so many items at once, unless it is known that they do not fit; of a single one the clouds need not. What is kept takes
 * no room that is set aside for outputs. */
static gboolean
try_items (const Run *run, Lane *lane, guint64 items, gint64 n_points, guint64 room, GError **error)
{
  guint64 needed;
  RcStatus status;
  RcError failure;

  status = make_plan (run->voxelizer, lane, &lane->plans[0], items, &failure);
  if (status != RC_OK)
    return robocache_engine_check (status, &failure, error);
  lane->items = items;
  needed = robocache_bytes_add (bytes_of_scratch (&lane->plans[0], n_points), bytes_of_outputs (lane, run->place,
      items));
  if ((items > 1 && robocache_bytes_add (needed, bytes_to_bring (run, lane, items)) > room)
      || (run->voxelizer->keeps && needed > room)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "no room for %" G_GUINT64_FORMAT " items", items);
    return FALSE;
  }
  return allocate (run, lane, n_points, room, error);
}

/* As many items at once as fit; where accumulators are kept, all of them or none. */
static gboolean
make_room (const Run *run, Lane *lane, gint64 n_points, GError **error)
{
  const guint64 room = room_of (run, lane);
  guint64 items = lane->n;
  GError *failure = NULL;

  wait_for_all (run->voxelizer);
  lane->clean = NULL;
  while (!try_items (run, lane, items, n_points, room, &failure)) {
    if (items == 1 || run->voxelizer->keeps || !is_no_space (failure)) {
      lane->items = 0;
      g_propagate_error (error, failure);
      return FALSE;
    }
    g_clear_error (&failure);
    items = (items + 1) / 2;
  }
  return TRUE;
}

/* A lane that makes room loses what it holds. */
static gboolean
find_room_as_planned (Run *run, GError **error)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;
  gboolean ok = TRUE;

  for (guint i = 0; i < voxelizer->n_lanes && run->goes_on; i++) {
    if (!has_room (run, &voxelizer->lanes[i], run->n_points))
      start_anew (run);
  }
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = has_room (run, &voxelizer->lanes[i], run->n_points)
        || make_room (run, &voxelizer->lanes[i], run->n_points, error);
  return ok;
}

static gboolean
find_room (Run *run, GError **error)
{
  GError *failure = NULL;
  gboolean ok = find_room_as_planned (run, &failure);

  if (!ok && run->voxelizer->keeps && is_no_space (failure)) {
    g_clear_error (&failure);
    stop_keeping (run->voxelizer, "there is no room to keep accumulators");
    run->ranges = NULL;
    ok = find_room_as_planned (run, &failure);
  }
  if (!ok)
    g_propagate_error (error, failure);
  return ok;
}

/* ---- one cloud ---- */

static gboolean
check_phase (RcStatus status, const RcError *failure, GError **error)
{
  if (status != RC_INVALID_ARGUMENT)
    return robocache_engine_check (status, failure, error);
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, failure->message);
  return FALSE;
}

/* rc_voxel_range, rc_voxel_add or rc_voxel_remove */
typedef RcStatus (*Phase) (RcVoxelPlan * plan, const RcVoxelJob * job, const RcVoxelChunk * chunk, RcStream stream,
    RcError * error);

static gboolean
run_chunk (const Job *job, Phase phase, const RcVoxelChunk *chunk, GError **error)
{
  RcError failure;

  return check_phase (phase (job->plan, &job->job, chunk, robocache_engine_stream (job->lane->engine), &failure),
      &failure, error);
}

static RcVoxelChunk
whole_cloud (const Job *job, const RobocacheCloud *cloud, const guint8 *data, RcVoxelCounters *counters)
{
  const RobocachePointsInfo *points = job->run->points;
  const gint64 n = (gint64) n_rows (points, cloud), stride = (gint64) row_stride (points, cloud);

  return (RcVoxelChunk) {.data = data,.n = n,.stride = stride,.batch_stride = n * stride,.counters = counters };
}

/* From offset of a cloud, to a block of the lane. mapped: where the CPU reads it; NULL: it is in device memory. */
static gboolean
bring (const Job *job, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped, guint64 offset, guint64 bytes,
    guint8 *to, GError **error)
{
  if (mapped)
    return robocache_staging_upload_bytes (&job->lane->staging, job->lane->engine, mapped->data + offset, bytes, to,
        error);
  return robocache_staging_upload (&job->lane->staging, job->lane->engine, device_memory (cloud), offset, bytes, to,
      error);
}

/* A cloud that does not fit, in as many pieces as it needs; of one item. The stream keeps them apart. */
static gboolean
run_pieces (Job *job, Phase phase, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped,
    RcVoxelCounters *counters, GError **error)
{
  const RobocachePointsInfo *points = job->run->points;
  const guint64 rows = n_rows (points, cloud), stride = row_stride (points, cloud), first = job->first * rows * stride;
  const guint64 at_once = MAX (job->lane->clouds.bytes / stride, 1);

  for (guint64 row = 0; row < rows; row += at_once) {
    RcVoxelChunk chunk = whole_cloud (job, cloud, job->lane->clouds.data, counters);

    chunk.n = (gint64) MIN (at_once, rows - row);
    chunk.first_row = points->kind == ROBOCACHE_POINTS_DEPTH ? (gint64) row : 0;
    if (!bring (job, cloud, mapped, first + row * stride, cloud_bytes (points, cloud, (guint64) chunk.n),
            job->lane->clouds.data, error) || !run_chunk (job, phase, &chunk, error))
      return FALSE;
    job->n_pieces += phase != rc_voxel_range;
  }
  return TRUE;
}

/* Of a cloud that is not in place. at: where it is, or will be, in the lane's block. */
static gboolean
run_brought (Job *job, Phase phase, const RobocacheCloud *cloud, const RobocacheMappedCloud *mapped, guint64 at,
    RcVoxelCounters *counters, GError **error)
{
  const RobocachePointsInfo *points = job->run->points;
  const guint64 rows = n_rows (points, cloud), item = rows * row_stride (points, cloud);
  guint8 *to = (guint8 *) job->lane->clouds.data + at;
  const RcVoxelChunk chunk = whole_cloud (job, cloud, rows > 0 ? to : NULL, counters);

  if (job->lane->is_cut)
    return run_pieces (job, phase, cloud, mapped, counters, error);
  if (!job->is_brought && rows > 0
      && !bring (job, cloud, mapped, job->first * item, (job->n - 1) * item + cloud_bytes (points, cloud, rows), to,
      error))
    return FALSE;
  return run_chunk (job, phase, &chunk, error);
}

/* Where the CPU reads it, from an item on. */
static RcVoxelChunk
mapped_cloud (const RobocacheMappedCloud *mapped, guint64 first, RcVoxelCounters *counters)
{
  RcVoxelChunk chunk = {.data = mapped->data,.n = mapped->n,.stride = mapped->stride,
    .batch_stride = mapped->n * mapped->stride,.counters = counters
  };

  if (mapped->n > 0)
    chunk.data = mapped->data + first * (guint64) chunk.batch_stride;
  return chunk;
}

/* Of a cloud that the CPU maps, for its own engine or to bring it. */
static gboolean
run_mapped (Job *job, Phase phase, const RobocacheCloud *cloud, guint64 at, RcVoxelCounters *counters, GError **error)
{
  RobocacheMappedCloud mapped;
  RcVoxelChunk chunk;
  gboolean ok;

  if (!robocache_cloud_map (job->run->points, cloud->buffer, &mapped, error))
    return FALSE;
  if (job->run->voxelizer->reads_host) {
    chunk = mapped_cloud (&mapped, job->first, counters);
    ok = run_chunk (job, phase, &chunk, error);
  } else {
    ok = run_brought (job, phase, cloud, &mapped, at, counters, error);
  }
  robocache_cloud_unmap (&mapped);
  return ok;
}

static gboolean
run_cloud (Job *job, Phase phase, const RobocacheCloud *cloud, guint64 at, RcVoxelCounters *counters, GError **error)
{
  const gboolean reads_host = job->run->voxelizer->reads_host;
  const guint8 *data = reads_host ? NULL : cloud_in_place (job->lane, cloud);
  RcVoxelChunk chunk;

  if (phase != rc_voxel_range)
    job->run->work->points_read += cloud->n_points * (gint64) job->n;
  if (data) {
    chunk = whole_cloud (job, cloud, data, counters);
    chunk.data = data + job->first * (guint64) chunk.batch_stride;
    return run_chunk (job, phase, &chunk, error);
  }
  if (!reads_host && device_memory (cloud))
    return run_brought (job, phase, cloud, NULL, at, counters, error);
  return run_mapped (job, phase, cloud, at, counters, error);
}

/* Of the touched clouds first … end - 1. Counters get the newest cloud only. */
static gboolean
run_phase (Job *job, Phase phase, guint first, guint end, RcVoxelCounters *counters, GError **error)
{
  const Run *run = job->run;
  guint64 at = 0;
  gboolean ok = TRUE;

  for (guint i = 0; i < end && ok; i++) {
    const RobocacheCloud *cloud = touched (run, i);

    if (i >= first)
      ok = run_cloud (job, phase, cloud, at, cloud->number + 1 == run->add_end ? counters : NULL, error);
    if (!run->voxelizer->reads_host && cloud_in_place (job->lane, cloud) == NULL)
      at += aligned (job->n * cloud_bytes (run->points, cloud, n_rows (run->points, cloud)));
  }
  return ok;
}

/* What differs from what the accumulators hold: first what comes, and then what leaves. */
static gboolean
run_clouds (Job *job, GError **error)
{
  const guint n_added = (guint) (job->run->add_end - job->run->add_first), n = n_touched (job->run);

  if (rc_voxel_needs_range (job->plan) && job->run->ranges == NULL) {
    if (!run_phase (job, rc_voxel_range, 0, n_added, NULL, error))
      return FALSE;
    job->is_brought = TRUE;
  }
  return run_phase (job, rc_voxel_add, 0, n_added, job->counters, error)
      && run_phase (job, rc_voxel_remove, n_added, n, NULL, error);
}

/* ---- one job ---- */

static void
set_bitmap (const Job *job, RcVoxelOut *out)
{
  const guint64 bytes = job->run->voxelizer->bitmap_bytes;

  if (job->run->occupied == NULL)
    return;
  out->occupied = (guint32 *) (job->run->occupied + job->first * bytes);
  out->occupied_batch_stride = (gint64) bytes;
  out->is_known = job->run->is_known;
}

/* Where the lane writes; at[] of what it then hands over. */
static RcVoxelOut
set_outputs (const Job *job, guint8 *parts[ROBOCACHE_VOXELIZER_MOST_OUTPUTS])
{
  const RobocacheVoxelPlace *place = job->run->place;
  const RcVoxelOutput output = job->run->voxelizer->spec.output;
  RcVoxelOut out = {.counters = job->counters };
  guint64 at = 0;

  for (guint i = 0; i < place->n_outputs; i++) {
    guint8 *in_place = output_in_place (job->lane, place, i);

    parts[i] = in_place ? in_place + job->first * place->item_bytes[i] : (guint8 *) job->lane->outputs.data + at;
    at += in_place ? 0 : aligned (job->n * place->item_bytes[i]);
  }
  if (rc_voxel_maps_points (output))
    return out;
  if (output != RC_VOXEL_SPARSE) {
    out.grid = parts[0];
    out.grid_batch_stride = (gint64) place->item_bytes[0];
    set_bitmap (job, &out);
    return out;
  }
  out.n_voxels = (guint32 *) parts[0];
  out.n_voxels_batch_stride = (gint64) place->item_bytes[0];
  out.coordinates = (gint32 *) parts[1];
  out.coordinates_batch_stride = (gint64) place->item_bytes[1];
  out.values = place->n_outputs > 2 ? parts[2] : NULL;
  out.values_batch_stride = place->n_outputs > 2 ? (gint64) place->item_bytes[2] : 0;
  out.point_counts = place->n_outputs > 3 ? (guint32 *) parts[3] : NULL;
  out.point_counts_batch_stride = place->n_outputs > 3 ? (gint64) place->item_bytes[3] : 0;
  return out;
}

/* Of the map from points to voxels: the points of the newest cloud, which came last. */
static void
set_map (Job *job, guint8 *map)
{
  const RobocacheCloudWindow *window = job->run->window;
  const guint n = robocache_cloud_window_length (window);

  if (!rc_voxel_maps_points (job->run->voxelizer->spec.output))
    return;
  job->job.point_voxels = (gint64 *) map;
  job->job.point_voxels_batch_stride = (gint64) job->run->place->item_bytes[0];
  job->job.first_point = job->job.n_points - robocache_cloud_window_nth (window, n - 1)->n_points;
}

/* What a lane wrote in its own memory, by itself. */
static RcStatus
hand_over (const Job *job, const guint8 *from, guint8 *to, guint64 bytes, RcError *failure)
{
  RobocacheEngine *engine = job->lane->engine;
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1 };

  return rc_memory_copy (robocache_engine_backend (engine), &copy, robocache_engine_stream (engine), failure);
}

/* The same, by the first engine, on whose device the output is. */
static RcStatus
gather (const Job *job, const guint8 *from, guint8 *to, guint64 bytes, RcError *failure)
{
  Lane *lane = job->lane;
  RobocacheEngine *first = job->run->voxelizer->lanes[0].engine;
  RcBackend *backend = robocache_engine_backend (lane->engine), *first_backend = robocache_engine_backend (first);
  const RcStream stream = robocache_engine_stream (first);
  RcStatus status = rc_event_record (backend, lane->done, robocache_engine_stream (lane->engine), failure);

  if (status == RC_OK)
    status = rc_event_wait (first_backend, lane->done, stream, failure);
  if (status == RC_OK)
    status = rc_memory_copy_between (first_backend, to, backend, from, bytes, stream, failure);
  if (status == RC_OK)
    status = rc_event_record (first_backend, lane->gathered, stream, failure);
  if (status == RC_OK)
    status = rc_event_wait (backend, lane->gathered, robocache_engine_stream (lane->engine), failure);
  return status;
}

static gboolean
deliver (const Job *job, guint8 *const parts[ROBOCACHE_VOXELIZER_MOST_OUTPUTS], GError **error)
{
  const RobocacheVoxelPlace *place = job->run->place;
  RcStatus status = RC_OK;
  RcError failure;

  for (guint i = 0; i < place->n_outputs && status == RC_OK; i++) {
    const guint64 bytes = job->n * place->item_bytes[i], offset = job->first * place->item_bytes[i];
    guint8 *to = place->mapped[i] ? place->mapped[i] : robocache_memory_data (place->memories[i]);

    if (output_in_place (job->lane, place, i))
      continue;
    if (place->mapped[i] == NULL && robocache_is_gpu_memory (place->memories[i]))
      status = gather (job, parts[i], to + offset, bytes, &failure);
    else
      status = hand_over (job, parts[i], to + offset, bytes, &failure);
  }
  return robocache_engine_check (status, &failure, error);
}

static gboolean
run_job (Job *job, GError **error)
{
  const RcStream stream = robocache_engine_stream (job->lane->engine);
  guint8 *parts[ROBOCACHE_VOXELIZER_MOST_OUTPUTS] = { NULL };
  const RcVoxelOut out = set_outputs (job, parts);
  RcError failure;

  set_map (job, parts[0]);
  if (!check_phase (rc_voxel_begin (job->plan, &job->job, stream, &failure), &failure, error))
    return FALSE;
  return run_clouds (job, error)
      && check_phase (rc_voxel_end (job->plan, &job->job, &out, stream, &failure), &failure, error)
      && deliver (job, parts, error);
}

/* ---- ranges of features, of kernels that read where the CPU does ---- */

static gboolean
measure_cloud (gpointer data, const RobocacheCloud *cloud, gdouble *values, GError **error)
{
  const Run *run = data;
  RobocacheMappedCloud mapped;
  gboolean ok = TRUE;

  if (!robocache_cloud_map (run->points, cloud->buffer, &mapped, error))
    return FALSE;
  for (guint i = 0; i < run->voxelizer->n_lanes && ok; i++) {
    const Lane *lane = &run->voxelizer->lanes[i];
    RcVoxelPlan *plan = lane->plans[0].plan;
    const RcVoxelChunk chunk = mapped_cloud (&mapped, lane->first, NULL);
    RcError failure;

    ok = check_phase (rc_voxel_measure (plan, &chunk, values + lane->first * (guint64) rc_voxel_channels (plan), &failure),
        &failure, error);
  }
  robocache_cloud_unmap (&mapped);
  return ok;
}

/* So that it is known before a job begins whether it may go on. */
static gboolean
know_ranges (Run *run, GError **error)
{
  RobocacheVoxelizer *voxelizer = run->voxelizer;
  const RcVoxelPlan *plan = voxelizer->lanes[0].plans[0].plan;

  if (!voxelizer->keeps || !rc_voxel_needs_range (plan))
    return TRUE;
  run->ranges = robocache_cloud_ranges_update (&voxelizer->ranges, run->window,
      (guint) (voxelizer->spec.batch * rc_voxel_channels (plan)), measure_cloud, run, error);
  return run->ranges != NULL;
}

/* ---- a run ---- */

/* Before and after a lane's work on memories in place: begin is TRUE before. */
static gboolean
bracket_clouds (const Run *run, Lane *lane, gboolean begin, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < n_touched (run) && !run->voxelizer->reads_host && ok; i++) {
    const RobocacheCloud *cloud = touched (run, i);

    if (cloud_in_place (lane, cloud) == NULL)
      continue;
    ok = begin ? robocache_memory_begin_read (device_memory (cloud), lane->engine, error)
        : robocache_memory_end_read (device_memory (cloud), lane->engine, error);
  }
  return ok;
}

static gboolean
begin (const Run *run, Lane *lane, GError **error)
{
  gboolean ok = bracket_clouds (run, lane, TRUE, error);

  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i] || robocache_memory_begin_write (run->place->memories[i], lane->engine, error);
  return ok;
}

static gboolean
run_lane (const Run *run, Lane *lane, gpointer counters, GError **error)
{
  const guint64 last = lane->first + lane->n;
  guint n_pieces = 0, n_jobs = 0;
  RcStatus status;
  RcError failure;

  for (guint64 first = lane->first; first < last; first += lane->items, n_jobs++) {
    const guint64 n = MIN (lane->items, last - first);
    Plan *plan = &lane->plans[n < lane->items];
    Job job = {.run = run,.lane = lane,.first = first,.n = n,.counters = counters };

    status = make_plan (run->voxelizer, lane, plan, n, &failure);
    if (status != RC_OK)
      return robocache_engine_check (status, &failure, error);
    /* a smaller batch may want more in all: it is not the same plan */
    if (bytes_of_scratch (plan, run->n_points) > lane->scratch.bytes) {
      lane->clean = NULL;
      if (!robocache_scratch_reserve (&lane->scratch, lane->engine, bytes_of_scratch (plan, run->n_points), error))
        return FALSE;
    }
    job.plan = plan->plan;
    job.job = describe_job (run, lane);
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

/* The first engine's stream goes on when the lane has written. */
static gboolean
end (const Run *run, Lane *lane, GError **error)
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
end_outputs (const Run *run, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < run->place->n_outputs && ok; i++)
    ok = run->place->mapped[i]
        || robocache_memory_end_write (run->place->memories[i], run->voxelizer->lanes[0].engine, error);
  return ok;
}

gboolean
robocache_voxelizer_run (RobocacheVoxelizer *voxelizer, const RobocachePointsInfo *points,
    const RobocacheCloudWindow *window, const RobocacheVoxelPlace *place, RobocacheTally *tally, RobocacheVoxelWork *work,
    GError **error)
{
  Run run = { voxelizer, points, window, place, work, robocache_cloud_window_points (window) };
  gboolean ok;

  *work = (RobocacheVoxelWork) { 0 };
  if (voxelizer->keeps && !is_worth_keeping (&run))
    stop_keeping (voxelizer, "their points are too few for the grid");
  ok = know_ranges (&run, error);
  choose_clouds (&run);
  voxelizer->held_end = voxelizer->held_first;  /* until the run is done */
  ok = ok && find_room (&run, error);
  if (ok)
    take_bitmap (&run);
  /* all begin before one has written: they write side by side */
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = begin (&run, &voxelizer->lanes[i], error);
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = run_lane (&run, &voxelizer->lanes[i], robocache_tally_counters (tally, i), error);
  for (guint i = 0; i < voxelizer->n_lanes && ok; i++)
    ok = end (&run, &voxelizer->lanes[i], error);
  if (ok && end_outputs (&run, error)) {
    if (run.occupied)
      robocache_memory_leave_notes (place->memories[0], voxelizer->number);
    voxelizer->held_end = window->n_pushed;
    voxelizer->held_first = window->n_pushed - robocache_cloud_window_length (window);
    return TRUE;
  }
  wait_for_all (voxelizer);     /* nobody else would know what it still uses */
  return FALSE;
}
