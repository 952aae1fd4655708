/* robocache: robocacheresample resamples one stream with any timing onto an exact grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasetransform.h>

#define GST_TYPE_ROBOCACHE_RESAMPLE (gst_robocache_resample_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheResample, gst_robocache_resample, GST, ROBOCACHE_RESAMPLE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocacheresample)
