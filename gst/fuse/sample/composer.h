/* robocache: makes samples of robocachefuse from snapshots of its streams
 *
 * A composer is everything that caps and properties fix of the output: tensors, plans, memory and the window. It knows no
 * pad and needs no lock: one thread uses it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_COMPOSER_H
#define FUSE_COMPOSER_H

#include "common/backend/enginechoice.h"
#include "common/rows/channelroles.h"
#include "kernels/align.h"
#include "gst/fuse/core/settings.h"
#include "gst/fuse/core/stream/snapshot.h"
#include "gst/fuse/input/format.h"

G_BEGIN_DECLS

/* A stream whose rows are in the samples. */
typedef struct
{
  guint64 id;                   /* of the stream */
  gchar *name;                  /* of its pad */
  FuseFormat *format;
  RobocacheChannelRoles roles;
  RcSearch search;
} FuseInput;

/* The inputs and settings of samples. */
typedef struct
{
  FuseOutput output;
  FuseInput *inputs;            /* in the order of their tensors; cameras are left out of concat */
  guint n_inputs;
  gint rate_num, rate_den;      /* of the samples */
} FuseComposition;

void fuse_composition_clear (FuseComposition * composition);

typedef struct _FuseComposer FuseComposer;

/* Copies the composition, and chooses the device's engine. memory: of the samples. NULL and an error that has the
 * remedy. */
FuseComposer *fuse_composer_new (const FuseComposition * composition, RobocacheCapsMemory memory, RobocacheDevice * device,
    GstElement * element, GError ** error);
void fuse_composer_free (FuseComposer * composer);

/* The caps of the samples; a reference. */
GstCaps *fuse_composer_caps (const FuseComposer * composer);
/* Makes flexible tensors from now on, for a peer that accepts no static ones. FALSE: they have no header, or are in device memory. */
gboolean fuse_composer_make_flexible (FuseComposer * composer);
/* Whether samples show more than one tick. */
gboolean fuse_composer_has_window (const FuseComposer * composer);

/* Bytes of a sample that a pool of one memory a buffer can serve; 0: none can. */
gsize fuse_composer_sample_bytes (const FuseComposer * composer);
/* Makes samples in memory of downstream's, where the engine can write to it. pool and allocator may be NULL. */
void fuse_composer_use_peer_memory (FuseComposer * composer, GstBufferPool * pool, GstAllocator * allocator,
    const GstAllocationParams * params);

/* Rows of earlier ticks that the window still shows move over from the composer that made them, for streams whose rows
 * are alike in both. FALSE and an error of the device. */
gboolean fuse_composer_adopt_window (FuseComposer * composer, FuseComposer * from, GError ** error);
/* All of them are missing. FALSE and an error of the device. */
gboolean fuse_composer_forget_window (FuseComposer * composer, GError ** error);

/* Makes the sample at tick, without timestamps, of one snapshot an input. sample NULL: the tick is dropped, and only the
 * window is moved. Not GST_FLOW_OK and no error: downstream's pool is flushing. */
GstFlowReturn fuse_composer_compose (FuseComposer * composer, gint64 tick, const FuseSnapshot * snapshots,
    GstBuffer ** sample, GError ** error);

G_END_DECLS
#endif
