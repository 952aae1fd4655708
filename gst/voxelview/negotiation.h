/* robocache: robocachevoxelview, caps of grids and of pictures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Caps of the other pad with the given template (taken), at the framerates of caps, since each grid becomes a picture. set_caps refuses
 * malformed framerates. */
GstCaps *robocache_view_transform_caps (GstCaps * template, const GstCaps * caps, GstCaps * filter);
/* Fixes video caps (taken): to the framerate of the grids, and to 640x480 or the nearest allowed size. */
GstCaps *robocache_view_fixate_video (GstCaps * video, const GstCaps * grids);
