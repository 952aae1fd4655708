/* robocache: input of the sink pads of robocachefuse: rows, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

GstFlowReturn gst_robocache_fuse_sink_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
gboolean gst_robocache_fuse_sink_event (GstPad * pad, GstObject * parent, GstEvent * event);
gboolean gst_robocache_fuse_sink_query (GstPad * pad, GstObject * parent, GstQuery * query);
