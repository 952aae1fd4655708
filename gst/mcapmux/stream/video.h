/* robocache: messages of video: H.264 and H.265, one access unit a buffer
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_VIDEO_H
#define MUX_VIDEO_H

#include "encoder.h"

G_BEGIN_DECLS

/* Makes the encoder of video/x-h264 and video/x-h265. A key frame without parameter sets gets the last ones. */
MuxEncoder *mux_video_new (const GstCaps * caps);

G_END_DECLS
#endif
