/* robocache: the context in which elements of gstreamer-cuda and ours share a device
 *
 * It is the primary one, which the CUDA runtime, PyTorch and TensorRT use, too. A device that works in several contexts switches between
 * them, which takes longer than the copy of a frame (docs/performance.md#robocachefuse). So our elements offer theirs to others.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CUDACONTEXT_H
#define ROBOCACHE_CUDACONTEXT_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* A device's GstCudaContext: one object in a process. It keeps the primary context until its last reference goes. A new reference. NULL and
 * GST_LIBRARY_ERROR_FAILED, or GST_RESOURCE_ERROR_NOT_FOUND, where gstreamer-cuda or the device cannot be used. */
GstObject *robocache_cuda_context_get (gint device, GError ** error);

/* Whether a query asks for a GstCudaContext. */
gboolean robocache_cuda_context_is_queried (GstQuery * query);
/* Answers such a query. FALSE, and the reason in the log, where there is none. */
gboolean robocache_cuda_context_answer (gint device, GstElement * element, GstQuery * query);
/* Posts HAVE_CONTEXT with it, for as long as the pipeline is in PAUSED or PLAYING, unless the element already holds such a context. */
void robocache_cuda_context_announce (gint device, GstElement * element);

G_END_DECLS
#endif
