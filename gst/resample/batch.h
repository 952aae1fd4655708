/* robocache: robocacheresample, batches of recorded episodes
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"
#include "statistics.h"

/* Resamples a buffer of three tensors. NULL and an error: ROBOCACHE_ERROR_DATA if the buffer differs from its caps, otherwise the device
 * failed. */
GstBuffer *gst_robocache_resample_batch_run (GstRobocacheResampleEngine * engine,
    GstRobocacheResampleStatistics * statistics, GstBuffer * buffer, GError ** error);

/* Counts the completed batches; never waits for a device. Called with the element's object lock held. FALSE and an error: a device
 * failed. */
gboolean gst_robocache_resample_batch_count (GstRobocacheResampleEngine * engine,
    GstRobocacheResampleStatistics * statistics, GError ** error);
/* Waits for all batches except the last `but_last`, and counts them. Called by the streaming thread, without locks. */
gboolean gst_robocache_resample_batch_wait (GstRobocacheResampleEngine * engine,
    GstRobocacheResampleStatistics * statistics, guint but_last, GError ** error);
