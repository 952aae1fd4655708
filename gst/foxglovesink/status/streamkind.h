/* robocache: a word for what a stream has
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STREAMKIND_H
#define ROBOCACHE_STREAMKIND_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The fields name, kind (camera, video, points, samples, rows, or the role of rows, like proprio) and nominal-rate (Hz, 0: none) of the
 * stream of a sink pad. */
GstStructure *robocache_stream_kind_describe (GstPad * pad);

G_END_DECLS
#endif
