/* robocache: queries that a source pad with fixed caps leaves to the core
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SOURCEQUERY_H
#define ROBOCACHE_SOURCEQUERY_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* gst_pad_query_default, for a source pad with fixed caps: any thread may ask for caps while the streaming thread changes them. */
gboolean robocache_source_query_default (GstPad * pad, GstObject * parent, GstQuery * query);

G_END_DECLS
#endif
