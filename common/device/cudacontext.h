/* robocache: the context in which elements of gstreamer-cuda and robocache share a device
 *
 * It is the primary context, which the CUDA runtime, PyTorch and TensorRT also use. A device that works in several contexts switches between
 * them, which takes longer than the copy of a frame (docs/explanation/measurements.md#robocachefuse). So our elements offer the primary context.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Returns a new reference to a device's GstCudaContext, which is one object per process. It keeps the primary context until its last
 * reference is released. NULL and GST_LIBRARY_ERROR_FAILED or GST_RESOURCE_ERROR_NOT_FOUND: gstreamer-cuda or the device cannot be used.
 * */
GstObject *robocache_cuda_context_get (gint device, GError ** error);

/* Whether a query requests a GstCudaContext. */
gboolean robocache_cuda_context_is_queried (GstQuery * query);
/* Answers such a query. FALSE, with the reason in the log: no context. */
gboolean robocache_cuda_context_answer (gint device, GstElement * element, GstQuery * query);
/* Posts HAVE_CONTEXT with the context, for the time that the pipeline is in PAUSED or PLAYING, unless the element already has such a context. */
void robocache_cuda_context_announce (gint device, GstElement * element);
