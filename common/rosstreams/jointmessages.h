/* robocache: sensor_msgs/JointState as rows of joints, by their names
 *
 * Publishers of one topic send different joints, in any order. Each group of joints is a stream, whose columns are its joints whatever
 * the order in a message. Without a choice of groups, each set of joints that comes in one message is a group.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_JOINTMESSAGES_H
#define ROBOCACHE_JOINTMESSAGES_H

#include "streamreader.h"

G_BEGIN_DECLS

#define ROBOCACHE_JOINT_STATE_TYPE "sensor_msgs/JointState"

/* NULL and an error: the definition of the type is another one, or the choice of joints names one twice in a group. */
RobocacheStreamReader *robocache_joint_messages_new (const RobocacheRosSource * source, GError ** error);

G_END_DECLS
#endif
