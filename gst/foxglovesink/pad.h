/* robocache: a sink pad of robocachefoxglovesink, with the settings of its topics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_ROBOCACHE_FOXGLOVE_SINK_PAD (gst_robocache_foxglove_sink_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFoxgloveSinkPad, gst_robocache_foxglove_sink_pad, GST, ROBOCACHE_FOXGLOVE_SINK_PAD, GstGhostPad)

/* The topic ("/" and the pad's name, if it is not set) and the frame id (may be NULL); free both with g_free. */
void gst_robocache_foxglove_sink_pad_get_settings (GstRobocacheFoxgloveSinkPad * pad, gchar ** topic, gchar ** frame_id);
