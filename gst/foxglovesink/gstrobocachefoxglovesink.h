/* robocache: streams to live viewers, Foxglove and Lichtblick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/livesinks/sinkbin.h"

#define GST_TYPE_ROBOCACHE_FOXGLOVE_SINK (gst_robocache_foxglove_sink_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFoxgloveSink, gst_robocache_foxglove_sink, GST, ROBOCACHE_FOXGLOVE_SINK, GstRobocacheSinkBin)
GST_ELEMENT_REGISTER_DECLARE (robocachefoxglovesink);
