/* robocache: caps and key frames of encoded video
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Caps of "h264", "h265" (Annex B, one access unit per buffer), "vp9" or "av1"; NULL: another format. */
GstCaps *robocache_video_caps_new (const gchar * format);
/* Whether decoding can begin at the access unit of such a format: an IDR picture of H.264, an IRAP picture of H.265. TRUE for other
 * formats, whose frames are not parsed. */
gboolean robocache_is_key_frame (const gchar * format, const guint8 * data, gsize size);
