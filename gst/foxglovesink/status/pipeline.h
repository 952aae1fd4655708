/* robocache: the pipeline of an element, and elements in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PIPELINE_H
#define ROBOCACHE_PIPELINE_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The outermost element around this one. Unref it. */
GstElement *robocache_pipeline_of (GstElement * element);
/* The elements of a factory in its pipeline, by name; free with g_ptr_array_unref. */
GPtrArray *robocache_pipeline_list (GstElement * element, const gchar * factory);

G_END_DECLS
#endif
