/* robocache: flexible tensors of NNStreamer, whose buffers contain their types and axes
 *
 * Caps are other/tensors, format=(string)flexible. A header with type and axes precedes each tensor of a buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "tensorcaps.h"

/* The size of the header before each tensor. */
#define ROBOCACHE_FLEXIBLE_HEADER_BYTES 128

gboolean robocache_caps_are_flexible (const GstCaps * caps);
/* Convert static caps to flexible caps with the same framerate and descriptive fields, and back. */
GstCaps *robocache_flexible_caps_from_static (const GstCaps * caps);
GstCaps *robocache_flexible_caps_to_static (const GstCaps * flexible, const RobocacheTensorsInfo * info);

/* Whether headers can represent all types and axes: NNStreamer has no bfloat16, and axes have 32 bits. */
gboolean robocache_flexible_describes (const RobocacheTensorsInfo * info);
/* Writes the header of such a tensor. */
void robocache_flexible_write_header (guint8 * header, const RobocacheTensorInfo * tensor);

/* Returns the tensors of a buffer as a buffer of static tensors, which shares the memory, and sets their types and axes in info; the
 * framerate in info is kept. NULL and a ROBOCACHE_ERROR_DATA that names the fault in a header. */
GstBuffer *robocache_flexible_strip (GstBuffer * buffer, RobocacheTensorsInfo * info, GError ** error);
