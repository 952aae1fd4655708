/* robocache: settings that viewers may change
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FOXGLOVE_PARAMETERS_H
#define ROBOCACHE_FOXGLOVE_PARAMETERS_H

#include <gst/gst.h>

#include "server/viewserver.h"

G_BEGIN_DECLS

/* latency of each robocachefuse in the pipeline of the sink, and offset and max-gap of its pads, like "fuse.camera_0.offset". */
GPtrArray *robocache_foxglove_parameters_list (GstElement * sink);
/* Sets one, and posts an INFO message. NULL: done; else the reason. */
gchar *robocache_foxglove_parameters_set (GstElement * sink, const gchar * name, const gchar * json);

G_END_DECLS
#endif
