/* robocache: robocacheresample resamples one stream with any timing onto an exact grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_RESAMPLE_H
#define GST_ROBOCACHE_RESAMPLE_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_RESAMPLE (gst_robocache_resample_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheResample, gst_robocache_resample, GST, ROBOCACHE_RESAMPLE, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocacheresample)

G_END_DECLS
#endif
