/* robocache: the voxelizer, what its files share
 *
 * A voxelizer has a lane for each engine. A run looks at clouds of the window, makes room on each lane, and takes it through
 * its share of the items in jobs; in a job a phase goes over the clouds one by one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VOXELIZERPRIVATE_H
#define ROBOCACHE_VOXELIZERPRIVATE_H

#include "cloudranges.h"
#include "voxelizer.h"

G_BEGIN_DECLS

typedef struct
{
  RcVoxelPlan *plan;
  RcFootprint footprint;
  guint64 items;                /* its batch */
} RobocacheVoxelPlan;

/* One engine and its share of the items. */
typedef struct
{
  RobocacheEngine *engine;
  guint64 first, n;
  guint64 items;                /* at once; 0: not yet known */
  RobocacheVoxelPlan plans[2];  /* of so many, and of the rest of them */
  RobocacheStaging staging;
  RobocacheScratch scratch;
  RobocacheScratch clouds;      /* what is not in place */
  RobocacheScratch outputs;
  gboolean is_cut;              /* clouds has room for a piece of a cloud only */
  const RcVoxelPlan *clean;     /* whose last job left scratch clean; NULL: none */

  RcEvent done;                 /* its work on the output */
  RcEvent gathered;             /* of the first engine's device: what was in outputs was fetched */
} RobocacheVoxelLane;

struct _RobocacheVoxelizer
{
  guint64 number;               /* that no other has: grids that it wrote are known by it */
  RcVoxelSpec spec;
  RcVoxelField *layout;         /* of the spec */
  gboolean reads_host;
  guint64 bitmap_bytes;         /* of the voxels of an item's grid; 0: none */
  guint n_lanes;                /* none has no items */
  RobocacheVoxelLane *lanes;

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
} RobocacheVoxelRun;

/* The items first … first + n - 1 of a run, on a lane. */
typedef struct
{
  const RobocacheVoxelRun *run;
  RobocacheVoxelLane *lane;
  RcVoxelPlan *plan;
  RcVoxelJob job;
  RcVoxelOut out;
  guint64 first, n;
  RcVoxelCounters *counters;
  gdouble *measured;            /* [n, channels] where ranges go that are measured */
  gboolean is_brought;          /* all clouds are where the kernels read */
  guint n_pieces;               /* that clouds were cut into */
} RobocacheVoxelJob;

/* What is done with a cloud. */
typedef enum
{
  ROBOCACHE_VOXEL_PHASE_RUN,    /* all at once, of a job of one chunk */
  ROBOCACHE_VOXEL_PHASE_RANGE,
  ROBOCACHE_VOXEL_PHASE_ADD,
  ROBOCACHE_VOXEL_PHASE_REMOVE,
  ROBOCACHE_VOXEL_PHASE_MEASURE /* before a job */
} RobocacheVoxelPhase;

/* Of what lies in a block, as the block itself is. */
static inline guint64
robocache_voxelizer_aligned (guint64 bytes)
{
  return (bytes + ROBOCACHE_ALIGNMENT - 1) / ROBOCACHE_ALIGNMENT * ROBOCACHE_ALIGNMENT;
}

/* ---- an engine and its share of the items (voxelizerlane.c) ---- */

/* With a plan for all of its share. */
RcStatus robocache_voxelizer_init_lane (RobocacheVoxelizer * voxelizer, RobocacheVoxelLane * lane,
    RobocacheEngine * engine, RcError * failure);
/* All but the reference to its engine: events of other lanes may be of the first one's. A zeroed one may be cleared too. */
void robocache_voxelizer_clear_lane (RobocacheVoxelizer * voxelizer, RobocacheVoxelLane * lane);
/* Whether it may do to keep less, or to take less at once. */
static inline gboolean
robocache_voxelizer_is_no_space (const GError *error)
{
  return g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
}

/* For the work of all lanes: the first engine may still fetch from another's memory. */
void robocache_voxelizer_wait_for_all (RobocacheVoxelizer * voxelizer);

/* One of the lane's plans, for so many items; does nothing when it is already. */
RcStatus robocache_voxelizer_make_plan (RobocacheVoxelizer * voxelizer, RobocacheVoxelLane * lane,
    RobocacheVoxelPlan * plan, guint64 items, RcError * failure);
/* What a job of the lane begins with: all but what each one has for itself. */
RcVoxelJob robocache_voxelizer_describe_job (const RobocacheVoxelRun * run, const RobocacheVoxelLane * lane);
/* Whether a phase is enqueued; what it says of its arguments is ROBOCACHE_ERROR_DATA. */
gboolean robocache_voxelizer_check_phase (RcStatus status, const RcError * failure, GError ** error);

/* Whether the plans of all lanes can keep accumulators. */
gboolean robocache_voxelizer_all_keep (const RobocacheVoxelizer * voxelizer);
/* Plans become those that keep nothing, which take less room. */
void robocache_voxelizer_stop_keeping (RobocacheVoxelizer * voxelizer, const gchar * reason);

/* ---- which clouds a run looks at (voxelizerwindow.c) ---- */

/* Those to add, then those to take out. */
guint robocache_voxelizer_n_touched (const RobocacheVoxelRun * run);
const RobocacheCloud *robocache_voxelizer_touched (const RobocacheVoxelRun * run, guint i);
/* Of an item, of all clouds to add. */
gint64 robocache_voxelizer_points_added (const RobocacheVoxelRun * run);

/* Whether accumulators of such clouds are. Sparse outputs and ranks read all of the bitmap, which is more than a sort where a
 * few points are in a large grid. Clouds to come are taken to be as those that came. */
gboolean robocache_voxelizer_is_worth_keeping (const RobocacheVoxelRun * run);
/* Measures ranges of features, where grids depend on them, so that it is known before a job begins whether it may go on.
 * Where there is no room to, nothing is kept any more. */
gboolean robocache_voxelizer_know_ranges (RobocacheVoxelRun * run, GError ** error);
/* From now on nothing is held, until hold_clouds says so. */
void robocache_voxelizer_choose_clouds (RobocacheVoxelRun * run);
/* All clouds of the window, whatever was chosen. */
void robocache_voxelizer_start_anew (RobocacheVoxelRun * run);
/* The run is done: accumulators hold the window. */
void robocache_voxelizer_hold_clouds (const RobocacheVoxelRun * run);

/* ---- room (voxelizerroom.c) ---- */

/* On every lane; where there is none to keep accumulators, nothing is kept any more. Where a lane must grow, the run
 * starts anew. FALSE and an error: there is no room for one item and a piece of a cloud, or a device failed. */
gboolean robocache_voxelizer_find_room (RobocacheVoxelRun * run, GError ** error);
/* On a lane, for all its items of a cloud that is measured before that, whole or in pieces. */
gboolean robocache_voxelizer_find_room_to_measure (const RobocacheVoxelRun * run, RobocacheVoxelLane * lane,
    const RobocacheCloud * cloud, GError ** error);
/* For another of the lane's plans: a smaller batch may want more in all. */
gboolean robocache_voxelizer_reserve_scratch (const RobocacheVoxelRun * run, RobocacheVoxelLane * lane,
    const RobocacheVoxelPlan * plan, GError ** error);

/* ---- one cloud (voxelizercloud.c) ---- */

/* Bytes from one point to the next, or from one line of an image. */
guint64 robocache_voxelizer_row_stride (const RobocachePointsInfo * points, const RobocacheCloud * cloud);
/* That so many items of it take of the lane's block; 0: they are read where they are. */
guint64 robocache_voxelizer_bytes_of_cloud (const RobocacheVoxelRun * run, const RobocacheVoxelLane * lane,
    const RobocacheCloud * cloud, guint64 items);
/* Before and after a lane's work on it, where it is in place: begin is TRUE before. */
gboolean robocache_voxelizer_bracket_cloud (const RobocacheVoxelRun * run, const RobocacheVoxelLane * lane,
    const RobocacheCloud * cloud, gboolean begin, GError ** error);
/* at: where it is, or will be, in the lane's block, if it is not in place. */
gboolean robocache_voxelizer_run_cloud (RobocacheVoxelJob * job, RobocacheVoxelPhase phase, const RobocacheCloud * cloud,
    guint64 at, RcVoxelCounters * counters, GError ** error);
/* Raises values, [items, channels], to the ranges of its features. data: the run. */
gboolean robocache_voxelizer_measure_cloud (gpointer data, const RobocacheCloud * cloud, gdouble * values,
    GError ** error);

/* ---- outputs (voxelizeroutput.c) ---- */

/* That so many items take of the lane's block, of the outputs that are not in place. */
guint64 robocache_voxelizer_bytes_of_outputs (const RobocacheVoxelLane * lane, const RobocacheVoxelPlace * place,
    guint64 items);
/* The bitmap of a grid that all lanes write where it is. */
void robocache_voxelizer_take_bitmap (RobocacheVoxelRun * run);
/* Where the lane writes; parts[] of what it then delivers. */
RcVoxelOut robocache_voxelizer_set_outputs (const RobocacheVoxelJob * job,
    guint8 * parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS]);
/* Of the map from points to voxels: the points of the newest cloud, which came last. */
void robocache_voxelizer_set_map (RobocacheVoxelJob * job, guint8 * map);
/* Enqueues what brings the parts that are not in place to where they are wanted. */
gboolean robocache_voxelizer_deliver (const RobocacheVoxelJob * job,
    guint8 * const parts[ROBOCACHE_VOXELIZER_MAX_OUTPUTS], GError ** error);

G_END_DECLS
#endif
