/* robocache: parses bytes of a recording or a serial port to a stream of rows, and files of points to clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_ROBOCACHE_PARSE (gst_robocache_parse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheParse, gst_robocache_parse, GST, ROBOCACHE_PARSE, GstElement)

GST_ELEMENT_REGISTER_DECLARE (robocacheparse);
