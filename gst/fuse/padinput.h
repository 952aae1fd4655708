/* robocache: input of the sink pads of robocachefuse: rows, events and queries
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_PADINPUT_H
#define FUSE_PADINPUT_H

#include <gst/gst.h>

G_BEGIN_DECLS

GstFlowReturn gst_robocache_fuse_sink_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
gboolean gst_robocache_fuse_sink_event (GstPad * pad, GstObject * parent, GstEvent * event);
gboolean gst_robocache_fuse_sink_query (GstPad * pad, GstObject * parent, GstQuery * query);

G_END_DECLS
#endif
