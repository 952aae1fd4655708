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

gboolean robocache_caps_are_flexible (const GstCaps * caps);

/* The tensors of a buffer as a buffer of static tensors, which shares the memory, and in info their types and axes; the framerate
 * in info stays. NULL and a ROBOCACHE_ERROR_DATA that names what is wrong in a header. */
GstBuffer *robocache_flexible_strip (GstBuffer * buffer, RobocacheTensorsInfo * info, GError ** error);

G_END_DECLS
#endif
