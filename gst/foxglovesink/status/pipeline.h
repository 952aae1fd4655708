/* robocache: the pipeline of an element, and elements in it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* The outermost element around this one. Unref it. */
GstElement *robocache_pipeline_of (GstElement * element);
/* The elements of a factory in its pipeline, by name; free with g_ptr_array_unref. */
GPtrArray *robocache_pipeline_list (GstElement * element, const gchar * factory);
/* The first element of the factory upstream of a sink pad. Unref it; NULL: none. */
GstElement *robocache_pipeline_find_upstream (GstPad * pad, const gchar * factory);
