/* robocache: the log category of an element, for code that several elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The category named like the factory of object, an element or one of its pads; of an object without one, GStreamer's default category. It is
 * searched by name: for statements that are not written for each row. */
GstDebugCategory *robocache_category_of (gpointer object);
