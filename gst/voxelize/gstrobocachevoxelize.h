/* robocache: robocachevoxelize, points to a voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELIZE_H
#define GST_ROBOCACHE_VOXELIZE_H

#include <gst/base/gstbasetransform.h>

#include "voxelizer/cloudwindow.h"
#include "common/device/device.h"
#include "common/element/stats.h"
#include "common/device/readback.h"
#include "voxelcaps.h"
#include "voxelizer/voxelizer.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_VOXELIZE (gst_robocache_voxelize_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelize, gst_robocache_voxelize, GST, ROBOCACHE_VOXELIZE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelize)

/* A grid that was negotiated: what set_caps takes over from fixate_caps. */
typedef struct
{
  RobocachePointsInfo points;
  RobocacheTensorsInfo tensors;
  RcVoxelSpec spec;
  guint accumulate;
  RobocacheJob job;
  RobocacheVoxelizer *voxelizer;        /* NULL: none */
} GstRobocacheVoxelizeConfiguration;

typedef struct
{
  guint64 buffers;
  RcVoxelCounters total;        /* points … clamped: of the clouds, each counted once; over_cap and over_points: of the
                                 * outputs; occupied is unused */
  gint64 points_read;           /* to add them to grids, or to take them out */
  gint64 occupied_voxels;       /* of the last buffer's grids */
  guint64 buffers_over_cap;
  GstClockTime last_pts;        /* of the last buffer that was counted */
  gint64 untold_over_cap;       /* occupied voxels of a buffer that had more than max-voxels; 0: none to warn about */
} GstRobocacheVoxelizeStatistics;

struct _GstRobocacheVoxelize
{
  GstBaseTransform parent;

  /* with the object lock */
  RobocacheDevice device;
  RobocacheVoxelSettings settings;
  gchar *grid;                  /* as it was set */
  gchar *wrong_origin, *wrong_voxel_size;       /* what is wrong with the last value; NULL: nothing */
  guint accumulate;
  gboolean settings_changed;    /* since the last negotiation */
  GstRobocacheVoxelizeStatistics statistics;
  RobocacheReadback readback;         /* of buffers that were handed out and may not be done */
  RobocacheStatsTimer stats_timer;

  /* with the stream lock */
  GstRobocacheVoxelizeConfiguration current, next;
  GstCaps *in_caps;
  RobocacheCloudWindow window;
  GstBufferPool *map_pool;      /* of maps of clouds, active; NULL: none yet */
  guint64 map_pool_points;      /* that a buffer of it has room for */
  gboolean warned_over_cap;
  gboolean tried_caps;          /* the last negotiation came as far as caps of ours: what failed was posted */
  gboolean failed;              /* an error of a device was posted: nothing is handed out any more */
  gchar *spacing_warning;       /* posted for the settings of now; NULL: none */
  gchar *refusal;               /* what the last negotiation failed with, already posted; NULL: it did not fail */
};

/* ---- properties (gstrobocachevoxelizesettings.c) ---- */

void gst_robocache_voxelize_install_properties (GObjectClass * klass);
void gst_robocache_voxelize_init_settings (GstRobocacheVoxelize * voxelize);
void gst_robocache_voxelize_clear_settings (GstRobocacheVoxelize * voxelize);
/* The settings of now, or an error that says which property is malformed. */
gboolean gst_robocache_voxelize_take_settings (GstRobocacheVoxelize * voxelize, RobocacheVoxelSettings * settings,
    guint * accumulate, GError ** error);

/* ---- negotiation (gstrobocachevoxelizenegotiate.c) ---- */

void gst_robocache_voxelize_install_negotiation (GstBaseTransformClass * klass);
/* What the output is, and what to change where there is no room for it. */
gchar *gst_robocache_voxelize_describe_output (const RcVoxelSpec * spec, const gchar ** advice);
void gst_robocache_voxelize_configuration_clear (GstRobocacheVoxelizeConfiguration * configuration);
/* Posts that downstream takes none of the caps on offer, which the base class says in its log only. */
void gst_robocache_voxelize_negotiation_failed (GstRobocacheVoxelize * voxelize);
/* What was negotiated is what computes from now on. */
gboolean gst_robocache_voxelize_install_next (GstRobocacheVoxelize * voxelize);
/* Computes the current grid on the CPU, since a GPU has no room; FALSE where that cannot be. */
gboolean gst_robocache_voxelize_fall_back (GstRobocacheVoxelize * voxelize, const GError * reason);

/* ---- maps of clouds (gstrobocachevoxelizemap.c) ---- */

void gst_robocache_voxelize_install_map_pool (GstBaseTransformClass * klass);
/* Other caps, another allocator, or the end. */
void gst_robocache_voxelize_clear_map_pool (GstRobocacheVoxelize * voxelize);

/* ---- the life of a buffer (gstrobocachevoxelize.c) ---- */

/* Posts an error; what a device says ends the stream, and is said once. */
void gst_robocache_voxelize_fail (GstRobocacheVoxelize * voxelize, const GError * error);
/* With the object lock held: counts what was handed out, but for the last so many buffers, and waits for it. FALSE
 * and an error when a device failed. */
gboolean gst_robocache_voxelize_count (GstRobocacheVoxelize * voxelize, guint but_last, GError ** error);
/* With the object lock held. */
GstStructure *gst_robocache_voxelize_make_stats (GstRobocacheVoxelize * voxelize);

G_END_DECLS
#endif
