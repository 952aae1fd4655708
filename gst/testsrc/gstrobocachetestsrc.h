/* robocache: simulates a robot's sensors
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstpushsrc.h>

#define GST_TYPE_ROBOCACHE_TEST_SRC (gst_robocache_test_src_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheTestSrc, gst_robocache_test_src, GST, ROBOCACHE_TEST_SRC, GstPushSrc)

GST_ELEMENT_REGISTER_DECLARE (robocachetestsrc);
