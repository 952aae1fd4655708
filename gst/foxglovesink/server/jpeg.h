/* robocache: JPEG for viewers
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "viewserver.h"

/* See RobocacheViewServerFunctions. */
GBytes *robocache_view_jpeg_new (const RobocacheViewPicture * picture, guint quality);
