/* robocache: frames of a camera that are made before they are pushed, in host memory or on a GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* n frames of LINE_FRAME_BYTES; the first 8 bytes of each are its number, an int64. */
GPtrArray *frames_in_host_memory (guint n);

/* The same, with these caps, in memory:CUDAMemory of the first GPU: in the context that element offers, or if that is NULL in one of their
 * own. NULL: not available, which a SKIP line with this name reports. */
GPtrArray *frames_on_device (guint n, const gchar * caps, GstElement * element, const gchar * name);
