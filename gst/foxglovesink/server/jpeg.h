/* robocache: JPEG for viewers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_VIEW_JPEG_H
#define ROBOCACHE_VIEW_JPEG_H

#include "viewserver.h"

G_BEGIN_DECLS

/* See RobocacheViewServerFunctions. */
GBytes *robocache_view_jpeg_new (const RobocacheViewPicture * picture, guint quality);

G_END_DECLS
#endif
