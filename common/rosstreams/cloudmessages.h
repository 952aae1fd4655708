/* robocache: sensor_msgs/PointCloud2 as clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDMESSAGES_H
#define ROBOCACHE_CLOUDMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

#define ROBOCACHE_POINT_CLOUD_TYPE "sensor_msgs/PointCloud2"

/* NULL and an error: the definition of the type is another one. */
RobocacheStreamReader *robocache_cloud_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif
