/* robocache: robocachekinematics computes poses from joints, and joints from poses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#define GST_TYPE_ROBOCACHE_KINEMATICS (gst_robocache_kinematics_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheKinematics, gst_robocache_kinematics, GST, ROBOCACHE_KINEMATICS, GstBaseTransform)
GST_ELEMENT_REGISTER_DECLARE (robocachekinematics);
