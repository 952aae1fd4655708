/* robocache: default queries of a source pad with fixed caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_SOURCEQUERY_H
#define ROBOCACHE_SOURCEQUERY_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Like gst_pad_query_default, for a source pad with fixed caps: safe if another thread queries caps while the streaming thread changes them. */
gboolean robocache_source_query_default (GstPad * pad, GstObject * parent, GstQuery * query);

G_END_DECLS
#endif
