/* robocache: robocacheresample, the engine for a format, and its plans
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "common/transfers/readback.h"
#include "common/rows/blender.h"
#include "common/rows/channelroles.h"
#include "common/rows/episodes.h"
#include "format.h"

typedef struct
{
  GstElement *element;          /* source of messages about the device; no reference */
  RobocacheDevice *device;      /* the element's device */

  /* valid from open to close */
  gboolean is_open;
  GstRobocacheResampleFormat format;
  RobocacheChannelRoles roles;  /* spec points to their lists */
  RcAlignStreamSpec spec;
  RcAlignPlan *plan;            /* plan for a stream */
  RobocacheBlender blender;
  RobocacheEpisodes *episodes;  /* for batches */
  RobocacheReadback *readback;  /* counters of batches; guarded by the element's object lock */
} GstRobocacheResampleEngine;

/* Chooses an engine for the format and makes plans. FALSE: nothing is open, and the error names the wrong property, or the missing feature
 * of the device. */
gboolean gst_robocache_resample_engine_open (GstRobocacheResampleEngine * engine,
    const GstRobocacheResampleFormat * format, const GstRobocacheResampleSettings * settings,
    const RobocacheChannelRoles * roles, GError ** error);
void gst_robocache_resample_engine_close (GstRobocacheResampleEngine * engine);

gboolean gst_robocache_resample_engine_is_gpu (const GstRobocacheResampleEngine * engine);
/* Whether rows of a stream stay in device memory until their tick. */
gboolean gst_robocache_resample_engine_keeps_device_rows (const GstRobocacheResampleEngine * engine);

/* With `auto`, opens the CPU's engine instead if the GPU has no memory. FALSE: no fallback. */
gboolean gst_robocache_resample_engine_fall_back (GstRobocacheResampleEngine * engine, const GError * error);

/* Enqueues the row of a tick. out: in memory of the engine. FALSE and an error: the device failed. */
gboolean gst_robocache_resample_engine_blend (GstRobocacheResampleEngine * engine, const RobocacheHistory * history,
    const RobocacheAlignment * alignment, gpointer out, GError ** error);
