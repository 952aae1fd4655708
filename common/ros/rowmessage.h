/* robocache: rows whose channels are fields of a common ROS 2 message
 *
 * The names of the channels, and the role in their caps, determine the message:
 *
 *   sensor_msgs/Imu             qx, qy, qz, qw; gx, gy, gz or wx, wy, wz; ax, ay, az. Each quantity complete, at least two, or one
 *                               with role=imu
 *   geometry_msgs/WrenchStamped fx, fy, fz, tx, ty, tz
 *   geometry_msgs/PoseStamped   x, y, z or px, py, pz; qx, qy, qz, qw
 *   sensor_msgs/JointState      JOINT.position, JOINT.velocity, JOINT.effort; with role=proprio or joints also JOINT for its
 *                               position, dJOINT for its velocity, and tau0 for the effort of q0. Each quantity of all joints
 *
 * On request also:
 *
 *   geometry_msgs/TwistStamped  vx, vy, vz, wx, wy, wz
 *   std_msgs/Float64MultiArray  any channels, in their order
 *
 * Channels may also have the names of fields, like angular_velocity.x. Their order does not matter.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "messageencoders.h"

typedef enum
{
  ROBOCACHE_ROW_MESSAGE_NONE,   /* write robocache_msgs/Row */
  ROBOCACHE_ROW_MESSAGE_JOINTS,
  ROBOCACHE_ROW_MESSAGE_IMU,
  ROBOCACHE_ROW_MESSAGE_WRENCH,
  ROBOCACHE_ROW_MESSAGE_POSE,
  ROBOCACHE_ROW_MESSAGE_TWIST,  /* only on request */
  ROBOCACHE_ROW_MESSAGE_ARRAY   /* only on request */
} RobocacheRowMessageKind;

/* Quantities of a joint state. */
enum
{ ROBOCACHE_JOINT_POSITION, ROBOCACHE_JOINT_VELOCITY, ROBOCACHE_JOINT_EFFORT, ROBOCACHE_N_JOINT_QUANTITIES };

/* The fields of such a message as a list of numbers, and the position of each channel in this list. */
typedef struct
{
  RobocacheRowMessageKind kind;
  RcDtype dtype;                /* dtype of rows */
  guint n;                      /* number of channels */
  guint *places;                /* [n] position of each channel in numbers */
  guint n_numbers;              /* Imu: orientation x, y, z, w, angular velocity, acceleration; wrench: force, torque; pose: position,
                                 * orientation; twist: linear, angular; array: the channels; joints: positions, velocities, efforts, n_joints each, present or not */
  gdouble *numbers;             /* [n_numbers] scratch */
  gboolean has_quantity[3];     /* quantities in the order above */
  gchar **joints;               /* [n_joints], followed by NULL */
  guint n_joints;
} RobocacheRowMessage;

/* Finds the message for rows of n channels with these names and role (NULL: none). The kind is NONE if no message has all channels, or
 * float64 does not represent dtype exactly. Clear message afterwards. */
void robocache_row_message_init (RobocacheRowMessage * message, const gchar * const *names, guint n, const gchar * role,
    RcDtype dtype);
/* Like robocache_row_message_init, for one kind, except NONE. names NULL: the channels are the numbers of the message in their order;
 * JOINTS needs names. FALSE and an error that names the channels: they are not those of the message. */
gboolean robocache_row_message_init_as (RobocacheRowMessage * message, RobocacheRowMessageKind kind, const gchar * const *names, guint n,
    RcDtype dtype, GError ** error);
void robocache_row_message_clear (RobocacheRowMessage * message);
/* The type of the message, like "sensor_msgs/msg/Imu"; "robocache_msgs/msg/Row" for NONE. */
const gchar *robocache_row_message_type (const RobocacheRowMessage * message);

/* Writes one row in host byte order. Not for NONE. */
void robocache_row_message_write (RobocacheRowMessage * message, RobocacheCdrWriter * writer, const RobocacheRosHeader * header,
    gconstpointer row);
/* Makes the row from message->numbers, as the inverse of robocache_row_message_write. Not for NONE. */
void robocache_row_message_read (const RobocacheRowMessage * message, gpointer row);
