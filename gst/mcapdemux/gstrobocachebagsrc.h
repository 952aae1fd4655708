/* robocache: reads a bag of ROS 2 to streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_ROBOCACHE_BAG_SRC (gst_robocache_bag_src_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheBagSrc, gst_robocache_bag_src, GST, ROBOCACHE_BAG_SRC, GstElement)
GST_ELEMENT_REGISTER_DECLARE (robocachebagsrc);
