/* robocache: the sample that robocachefuse hands out: which tensors it has, and one of them filled
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_SAMPLE_H
#define GST_ROBOCACHE_FUSE_SAMPLE_H

#include "common/backend/enginechoice.h"
#include "pad.h"
#include "kernels/align.h"

G_BEGIN_DECLS

/* Custom meta of every sample: "tick" (int64), "streams" (string, names of the pads in the order of the rows of info), and
 * "info" (GBytes): int64 [window][streams][4] of tick, time of the row at or before it, time of the row after it, and
 * RcRowStatus; running times, G_MININT64 where there is none. */
#define GST_ROBOCACHE_SAMPLE_META "RobocacheSampleMeta"

typedef enum
{
  GST_ROBOCACHE_FUSE_LAYOUT_TENSORS,
  GST_ROBOCACHE_FUSE_LAYOUT_CONCAT
} GstRobocacheFuseLayout;

typedef enum
{
  GST_ROBOCACHE_FUSE_INFO_NONE,
  GST_ROBOCACHE_FUSE_INFO_TENSOR
} GstRobocacheFuseInfo;

typedef struct
{
  guint window;
  GstRobocacheFuseLayout layout;
  GstRobocacheFuseInfo info;
  RcDtype dtype;                /* or ROBOCACHE_DTYPE_AUTO */
} GstRobocacheFuseOutput;

/* Everything that caps and properties fix of the output. Used under the fuse lock. */
typedef struct _GstRobocacheFuseComposer GstRobocacheFuseComposer;

/* pads: those with a tensor in the output, in order, each with an epoch. on_device: whether the sample is in device memory.
 * Chooses the device's engine. NULL and an error that tells what to change. */
GstRobocacheFuseComposer *gst_robocache_fuse_composer_new (GPtrArray * pads, const GstRobocacheFuseOutput * output,
    gboolean on_device, RobocacheDevice * device, GstElement * element, gint rate_num, gint rate_den, GError ** error);
void gst_robocache_fuse_composer_free (GstRobocacheFuseComposer * composer);

GstCaps *gst_robocache_fuse_composer_caps (const GstRobocacheFuseComposer * composer);
/* Whether it shows more than one tick. */
gboolean gst_robocache_fuse_composer_has_window (const GstRobocacheFuseComposer * composer);
/* The engine whose work must be waited for before a sample is handed out, with a reference; NULL: none. */
RobocacheEngine *gst_robocache_fuse_composer_unfinished (const GstRobocacheFuseComposer * composer);

/* Rows of earlier ticks that the window still shows move over from the composer that made them, for streams whose rows
 * are alike in both. */
void gst_robocache_fuse_composer_adopt_window (GstRobocacheFuseComposer * composer, GstRobocacheFuseComposer * from);
void gst_robocache_fuse_composer_forget_window (GstRobocacheFuseComposer * composer);

/* The sample at tick, without timestamps; NULL and no error when a required stream is missing, so that the tick must be
 * dropped; NULL and an error when the arithmetic failed. Counts what each stream got. */
GstBuffer *gst_robocache_fuse_composer_sample (GstRobocacheFuseComposer * composer, gint64 tick, GError ** error);

G_END_DECLS
#endif
