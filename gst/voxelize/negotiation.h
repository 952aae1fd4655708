/* robocache: robocachevoxelize, negotiation: the grid, its caps, and its engine
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "voxelcaps.h"
#include "voxelizer/voxelizer.h"

/* A zeroed struct is a valid empty configuration. */
typedef struct
{
  RobocachePointsInfo points;
  RobocacheTensorsInfo tensors;
  RcVoxelSpec spec;
  guint accumulate;             /* clouds of a grid */
  gboolean newest_first;        /* the newest of them is added first */
  guint64 max_cloud_bytes;
  RobocacheJob job;
  RobocacheVoxelizer *voxelizer;        /* NULL: nothing was negotiated */
  const gchar *recomputes;      /* as the log has it: see RobocacheVoxelWork */
} RobocacheVoxelizeConfiguration;

/* In the functions below, device is the element's device. */

/* Caps that the sink pad accepts. */
GstCaps *robocache_voxelize_input_caps (RobocacheDevice * device, GstElement * element);
/* Caps that the source pad may produce, not fixed. in_caps: those of the sink pad, or NULL. */
GstCaps *robocache_voxelize_output_caps (RobocacheDevice * device, GstElement * element, const GstCaps * in_caps);
/* The error that downstream accepts none of the output caps. */
GError *robocache_voxelize_refused (RobocacheDevice * device, GstElement * element, GstCaps * peer);

/* Fills a configuration and returns its caps, or NULL and an error. peer: caps that downstream accepts; NULL: not linked.
 * last_rays: those of the previous configuration, or NULL. */
GstCaps *robocache_voxelize_configure (RobocacheVoxelizeConfiguration * configuration, RobocacheDevice * device,
    GstElement * element, const RobocacheVoxelSettings * settings, GstCaps * in_caps, GstCaps * peer,
    RobocacheCameraRays * last_rays, GError ** error);
/* Replaces the voxelizer by a voxelizer on the CPU, if the job failed on a GPU for a reason that does not affect the CPU. */
gboolean robocache_voxelize_fall_back (RobocacheVoxelizeConfiguration * configuration, RobocacheDevice * device,
    GstElement * element, const GError * reason);
/* Logs how the work of a buffer differs from that of the previous one. */
void robocache_voxelize_log_work (RobocacheVoxelizeConfiguration * configuration, GstElement * element, const RobocacheVoxelWork * work);
void robocache_voxelize_configuration_clear (RobocacheVoxelizeConfiguration * configuration);

/* Checks the size of a buffer whose number of points is not in caps. FALSE and an error that names the property to set: too large. */
gboolean robocache_voxelize_check_buffer (const RobocacheVoxelizeConfiguration * configuration, gsize bytes, GError ** error);

/* A description of the output; *advice: the remedy if the output exceeds the memory. Free with g_free. */
gchar *robocache_voxelize_describe_output (const RcVoxelSpec * spec, const gchar ** advice);
