/* robocache: makes samples of robocachefuse from snapshots of its streams
 *
 * A composer has everything about the output that caps and properties fix: tensors, plans, memory and the window. It uses no pad and
 * needs no lock, since only one thread uses it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "composition.h"

typedef struct _FuseComposer FuseComposer;

/* Copies the composition, and chooses the engine of the device. memory: that of the samples. NULL and an error with the remedy. */
FuseComposer *fuse_composer_new (const FuseComposition * composition, RobocacheCapsMemory memory, RobocacheDevice * device,
    GstElement * element, GError ** error);
void fuse_composer_free (FuseComposer * composer);

/* The caps of the samples; a reference. */
GstCaps *fuse_composer_caps (const FuseComposer * composer);
/* Makes flexible tensors from now on, for a peer that does not accept static tensors. FALSE: the tensors cannot have a header, or are in
 * device memory. */
gboolean fuse_composer_make_flexible (FuseComposer * composer);
/* Whether samples show more than one tick. */
gboolean fuse_composer_has_window (const FuseComposer * composer);

/* Bytes of a sample, if a pool with one memory per buffer can provide it; 0: it cannot. */
gsize fuse_composer_sample_bytes (const FuseComposer * composer);
/* Makes samples in memory of downstream if the engine can write to it. pool and allocator may be NULL. */
void fuse_composer_use_peer_memory (FuseComposer * composer, GstBufferPool * pool, GstAllocator * allocator,
    const GstAllocationParams * params);

/* Takes over the rows of earlier ticks in the window from another composer, for streams with equal rows in both. FALSE and an error: the
 * device failed. */
gboolean fuse_composer_adopt_window (FuseComposer * composer, FuseComposer * from, GError ** error);
/* Makes all rows of earlier ticks missing. FALSE and an error: the device failed. */
gboolean fuse_composer_forget_window (FuseComposer * composer, GError ** error);

/* Makes the sample at tick, without timestamps, from one snapshot per input. sample NULL: the tick is dropped, and only the window moves.
 * If the result is not GST_FLOW_OK and no error is set, downstream's pool is flushing. */
GstFlowReturn fuse_composer_compose (FuseComposer * composer, gint64 tick, const FuseSnapshot * snapshots,
    GstBuffer ** sample, GError ** error);
