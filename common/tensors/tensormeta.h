/* robocache: tensors in the GstTensorMeta of buffers, of GStreamer 1.26 and later
 *
 * Samples get this meta for elements downstream. Inference elements of 1.28 add it to frames, and describe its tensors in the caps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "tensorcaps.h"

/* Whether the plugin was built with gstreamer-analytics-1.0. */
gboolean robocache_tensor_meta_is_available (void);

/* Adds the meta to a sample with one memory per tensor, in which header_bytes precede the tensor. The meta shares the memories. ids:
 * [info->n_tensors]. */
void robocache_tensor_meta_add (GstBuffer * sample, const RobocacheTensorsInfo * info, const GQuark * ids, gsize header_bytes);

/* Finds the tensor with this id in caps of frames, with the framerate of the caps. FALSE and a ROBOCACHE_ERROR_CAPS: the caps have no
 * such tensor, or its shape is not fixed or its type is unknown. */
gboolean robocache_tensor_meta_parse_caps (RobocacheTensorsInfo * info, const GstCaps * caps, const gchar * id, GError ** error);

/* Returns the tensor with this id of a frame, as a buffer with the frame's times, flags and reference timestamps; it shares the memory.
 * NULL and a ROBOCACHE_ERROR_DATA: the frame has no such tensor, or it differs from info. */
GstBuffer *robocache_tensor_meta_extract (GstBuffer * frame, const RobocacheTensorsInfo * info, GQuark id, GError ** error);
