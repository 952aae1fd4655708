/* robocache: the elements of a pipeline that align
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FUSELIST_H
#define ROBOCACHE_FUSELIST_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The pipeline of an element. Unref it. */
GstElement *robocache_outermost_element (GstElement * element);
/* The elements robocachefuse of its pipeline, by name; free with g_ptr_array_unref. */
GPtrArray *robocache_fuse_list (GstElement * element);

G_END_DECLS
#endif
