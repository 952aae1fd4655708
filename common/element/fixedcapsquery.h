/* robocache: default queries of a source pad with fixed caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

/* Like gst_pad_query_default, for a source pad with fixed caps: safe if another thread queries caps while the streaming thread changes them. */
gboolean robocache_fixed_caps_query (GstPad * pad, GstObject * parent, GstQuery * query);
