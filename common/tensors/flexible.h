/* robocache: flexible tensors of NNStreamer, whose buffers describe themselves
 *
 * Caps are other/tensors, format=(string)flexible. Each tensor of a buffer has a header with its type and axes before it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FLEXIBLE_H
#define ROBOCACHE_FLEXIBLE_H

#include <gst/gst.h>

#include "tensorcaps.h"

G_BEGIN_DECLS

/* The size of the header before each tensor. */
#define ROBOCACHE_FLEXIBLE_HEADER_BYTES 128

gboolean robocache_caps_are_flexible (const GstCaps * caps);
/* Flexible caps in place of static ones, which keep their framerate and descriptive fields; and back. */
GstCaps *robocache_flexible_caps_from_static (const GstCaps * caps);
GstCaps *robocache_flexible_caps_to_static (const GstCaps * flexible, const RobocacheTensorsInfo * info);

/* Whether headers have all types and axes: NNStreamer has no bfloat16, and axes of 32 bits. */
gboolean robocache_flexible_describes (const RobocacheTensorsInfo * info);
/* Writes the header of such a tensor. */
void robocache_flexible_write_header (guint8 * header, const RobocacheTensorInfo * tensor);

/* The tensors of a buffer as a buffer of static tensors, which shares the memory, and in info their types and axes; the framerate
 * in info stays. NULL and a ROBOCACHE_ERROR_DATA that names what is wrong in a header. */
GstBuffer *robocache_flexible_strip (GstBuffer * buffer, RobocacheTensorsInfo * info, GError ** error);

G_END_DECLS
#endif
