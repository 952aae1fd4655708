/* robocache: the buffers of robocachefuse's samples, with their meta
 *
 * A sample's memories are its tensors, some of which may be frames handed on: they come and go with each sample, while the
 * buffer and its GST_ROBOCACHE_SAMPLE_META stay, so that a steady stream allocates nothing but small objects of
 * GLib and GStreamer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_POOL_H
#define GST_ROBOCACHE_FUSE_POOL_H

#include "common/tensors/stackpool.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FUSE_POOL (gst_robocache_fuse_pool_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFusePool, gst_robocache_fuse_pool, GST, ROBOCACHE_FUSE_POOL, RobocacheStackPool)

/* An active pool of buffers whose meta names these streams and has info_bytes of info. */
GstBufferPool *fuse_sample_pool_new (const gchar * streams, gsize info_bytes);
/* A buffer without memory, its meta set. info: info_bytes. */
GstBuffer *fuse_sample_pool_acquire (GstBufferPool * pool, gint64 tick, gconstpointer info);

G_END_DECLS
#endif
