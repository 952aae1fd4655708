/* robocache: sensor_msgs/LaserScan as clouds in the scanner's frame
 *
 * A ray that returned nothing within the scanner's limits is a point of NaN, so that rays keep their places.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_LASERMESSAGES_H
#define ROBOCACHE_LASERMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

#define ROBOCACHE_LASER_SCAN_TYPE "sensor_msgs/LaserScan"

/* NULL and an error: the definition of the type is another one. */
RobocacheStreamReader *robocache_laser_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif
