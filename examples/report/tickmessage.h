/* robocache: reads robocache_msgs/msg/Tick
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_TICKMESSAGE_H
#define REPORT_TICKMESSAGE_H

#include "common/ros/messageencoders.h"

G_BEGIN_DECLS

#define REPORT_TICK_TYPE "robocache_msgs/msg/Tick"

typedef struct
{
  gint64 stamp_ns, tick_ns, decided_ns; /* ROBOCACHE_ROS_NO_TIME: none */
  GArray *streams;              /* of RobocacheRosTickStream, of the newest row of the window; names lie in the message */
} ReportTick;

void report_tick_init (ReportTick * tick);
void report_tick_clear (ReportTick * tick);
/* FALSE and an error: the message is damaged. */
gboolean report_tick_read (ReportTick * tick, gconstpointer message, gsize size, GError ** error);

G_END_DECLS
#endif
