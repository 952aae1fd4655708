/* robocache: streams to live viewers, Foxglove and Lichtblick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FOXGLOVE_SINK_H
#define GST_ROBOCACHE_FOXGLOVE_SINK_H

#include "common/livesinks/sinkbin.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FOXGLOVE_SINK (gst_robocache_foxglove_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFoxgloveSink, gst_robocache_foxglove_sink, GST, ROBOCACHE_FOXGLOVE_SINK, GstRobocacheSinkBin)
GST_ELEMENT_REGISTER_DECLARE (robocachefoxglovesink);

G_END_DECLS
#endif
