/* robocache: reads an MCAP recording of ROS 2 messages to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_ROBOCACHE_MCAP_DEMUX (gst_robocache_mcap_demux_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheMcapDemux, gst_robocache_mcap_demux, GST, ROBOCACHE_MCAP_DEMUX, GstElement)

GST_ELEMENT_REGISTER_DECLARE (robocachemcapdemux);

/* Registers application/x-mcap with type finding, and tags of streams. */
gboolean gst_robocache_mcap_register_types (GstPlugin * plugin);
