/* robocache: the buffers of robocachefuse's samples, with their meta
 *
 * The memories of a sample are its tensors, some of which may be frames that are passed on. They change with each sample, while the
 * buffer and its ROBOCACHE_SAMPLE_META are reused, so a steady stream allocates only small objects of GLib and GStreamer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/tensors/stackpool.h"

#define GST_TYPE_ROBOCACHE_FUSE_POOL (gst_robocache_fuse_pool_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFusePool, gst_robocache_fuse_pool, GST, ROBOCACHE_FUSE_POOL, GstRobocacheStackPool)

/* Makes an active pool of buffers whose meta names these streams and has info_bytes of info. */
GstBufferPool *fuse_sample_pool_new (const gchar * streams, gsize info_bytes);
/* Acquires a buffer without memory, with its meta set. info: info_bytes. */
GstBuffer *fuse_sample_pool_acquire (GstBufferPool * pool, gint64 tick, gconstpointer info);
