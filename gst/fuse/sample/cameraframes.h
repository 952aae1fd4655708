/* robocache: writes camera frames of robocachefuse to the memory of the sample
 *
 * Lines of a frame may be padded, and may be on the GPU; lines of a tensor are dense.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/video/video.h>

#include "common/device/scratch.h"
#include "common/transfers/staging.h"
#include "gst/fuse/core/stream/snapshot.h"
#include "kernels/align.h"

typedef struct
{
  RobocacheEngine *engine;
  RobocacheStaging staging;
  RobocacheScratch blended;     /* a bracket and its frames */
  GPtrArray *in_use;            /* GstBuffer items: frames on the GPU, kept until they are copied */
  RcEvent copied;
} FuseCameraFrames;

gboolean fuse_camera_frames_init (FuseCameraFrames * frames, RobocacheEngine * engine, GError ** error);
/* A zeroed struct may be cleared too. */
void fuse_camera_frames_clear (FuseCameraFrames * frames);

/* Called before and after the frames of one tick are used. fuse_camera_frames_begin releases those of the previous tick. */
gboolean fuse_camera_frames_begin (FuseCameraFrames * frames, GError ** error);
gboolean fuse_camera_frames_end (FuseCameraFrames * frames, GError ** error);

/* Whether the frame is one memory in system memory that contains only its lines of pixels. */
gboolean fuse_camera_frame_is_dense (const GstVideoInfo * video, gsize row_bytes, GstBuffer * frame);

/* Frame i of a camera's snapshot; no reference. */
static inline GstBuffer *
fuse_camera_frame_of (const FuseSnapshot *snapshot, guint64 i)
{
  return ((GstBuffer **) snapshot->rows)[i];
}

/* Enqueues the write of a snapshot's frame to memory of the engine, blended by plan if its bracket is a blend; a missing frame is 0.
 * scratch: that of the plan. */
gboolean fuse_camera_frames_write (FuseCameraFrames * frames, const GstVideoInfo * video, const FuseSnapshot * snapshot,
    RcAlignPlan * plan, gpointer scratch, gpointer to, GError ** error);
