/* robocache: camera frames of robocachefuse, in the memory of the sample
 *
 * A frame's lines may be padded, and may be on the GPU; a tensor's lines are dense.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_CAMERAFRAMES_H
#define FUSE_CAMERAFRAMES_H

#include <gst/video/video.h>

#include "common/device/scratch.h"
#include "common/transfers/staging.h"
#include "gst/fuse/core/stream/snapshot.h"
#include "kernels/align.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheEngine *engine;
  RobocacheStaging staging;
  RobocacheScratch blended;     /* a bracket, and the frames that it names */
  GPtrArray *in_use;            /* of GstBuffer: frames on the GPU that are being copied, and kept until that is done */
  RcEvent copied;
} FuseCameraFrames;

gboolean fuse_camera_frames_init (FuseCameraFrames * frames, RobocacheEngine * engine, GError ** error);
/* A zeroed one may be cleared too. */
void fuse_camera_frames_clear (FuseCameraFrames * frames);

/* Around the frames of one tick: begin releases those of the tick before. */
gboolean fuse_camera_frames_begin (FuseCameraFrames * frames, GError ** error);
gboolean fuse_camera_frames_end (FuseCameraFrames * frames, GError ** error);

/* Whether the frame's one memory holds its lines of pixels and nothing else, in system memory. */
gboolean fuse_camera_frame_is_dense (const GstVideoInfo * video, gsize row_bytes, GstBuffer * frame);

/* Frame i of a camera's snapshot; no reference. */
static inline GstBuffer *
fuse_camera_frame_of (const FuseSnapshot *snapshot, guint64 i)
{
  return ((GstBuffer **) snapshot->rows)[i];
}

/* Enqueues the frame of a snapshot, blended by plan if its bracket is a blend, to memory of the engine; a missing one is 0.
 * scratch is the plan's. */
gboolean fuse_camera_frames_write (FuseCameraFrames * frames, const GstVideoInfo * video, const FuseSnapshot * snapshot,
    RcAlignPlan * plan, gpointer scratch, gpointer to, GError ** error);

G_END_DECLS
#endif
