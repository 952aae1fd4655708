/* robocache: the debug category of robocachefuse
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#undef GST_CAT_DEFAULT
#define GST_CAT_DEFAULT gst_robocache_fuse_debug
