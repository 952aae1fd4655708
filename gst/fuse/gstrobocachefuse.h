/* robocache: robocachefuse, many streams in, one aligned sample a tick out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_H
#define GST_ROBOCACHE_FUSE_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (robocachefuse)

G_END_DECLS
#endif
