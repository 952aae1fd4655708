/* robocache: default queries of a source pad with fixed caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FIXEDCAPSQUERY_H
#define ROBOCACHE_FIXEDCAPSQUERY_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* Like gst_pad_query_default, for a source pad with fixed caps: safe if another thread queries caps while the streaming thread changes them. */
gboolean robocache_fixed_caps_query (GstPad * pad, GstObject * parent, GstQuery * query);

G_END_DECLS
#endif
