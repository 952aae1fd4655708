/* robocache: camera frames of robocachefuse, brought to where a sample is made
 *
 * A frame's lines may be padded, and may be on the GPU; a tensor's are one after another.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_FRAMES_H
#define GST_ROBOCACHE_FUSE_FRAMES_H

#include "common/device/scratch.h"
#include "common/device/staging.h"
#include "pad.h"
#include "kernels/align.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheEngine *engine;
  RobocacheStaging staging;
  RobocacheScratch blended;     /* a bracket, and the frames that it names */
  GPtrArray *in_use;            /* of GstBuffer: frames on the GPU that are being copied, and kept until that is done */
  RcEvent copied;
} GstRobocacheFuseFrames;

gboolean gst_robocache_fuse_frames_init (GstRobocacheFuseFrames * frames, RobocacheEngine * engine, GError ** error);
/* A zeroed one may be cleared too. */
void gst_robocache_fuse_frames_clear (GstRobocacheFuseFrames * frames);

/* Around the frames of one tick: lets go of those of the tick before. */
gboolean gst_robocache_fuse_frames_begin (GstRobocacheFuseFrames * frames, GError ** error);
gboolean gst_robocache_fuse_frames_end (GstRobocacheFuseFrames * frames, GError ** error);

/* Whether the frame's one memory holds nothing but its rows of pixels, one after another, in system memory. */
gboolean gst_robocache_fuse_frame_is_dense (const GstVideoInfo * video, gsize row_bytes, GstBuffer * frame);

/* Enqueues the frame that a bracket of an epoch says, blended by plan where it is, to memory of the engine; a missing one is
 * 0. scratch is the plan's. */
gboolean gst_robocache_fuse_frames_write (GstRobocacheFuseFrames * frames, const GstRobocacheFuseEpoch * epoch,
    const RcBracket * bracket, RcAlignPlan * plan, gpointer scratch, gpointer to, GError ** error);

G_END_DECLS
#endif
