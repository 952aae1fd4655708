/* robocache: topics of robocachefoxglovesink about the pipeline
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_FOXGLOVE_STATUS_H
#define ROBOCACHE_FOXGLOVE_STATUS_H

#include <gst/gst.h>

#include "gst/foxglovesink/server/viewserver.h"

G_BEGIN_DECLS

typedef struct _RobocacheFoxgloveStatus RobocacheFoxgloveStatus;

/* Advertises the topics. sink: the element that has the server, and the property stats. */
RobocacheFoxgloveStatus *robocache_foxglove_status_new (GstElement * sink, const RobocacheViewServerFunctions * functions,
    RobocacheViewServer * server);
/* After the server has stopped. */
void robocache_foxglove_status_free (RobocacheFoxgloveStatus * status);

G_END_DECLS
#endif
