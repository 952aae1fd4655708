/* robocache: robocachekinematics, a robot described by a URDF
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "kernels/kinematics/kinematics.h"

#define ROBOCACHE_ROBOT_ROOT (-1)
#define ROBOCACHE_ROBOT_NONE (-2)

typedef struct
{
  gchar *name;
  gchar *link;                  /* the link that the joint moves */
  gchar *parent, *mimics;       /* names of the parent link, and of the mimicked joint or NULL */
  gboolean is_free;             /* floating or planar: not part of any model, and fixed in spec */
  gboolean mimics_nothing;      /* the mimicked joint does not exist or does not move: not part of any model, and fixed in spec */
  guint line;
  RcJointSpec spec;
} RobocacheRobotJoint;

/* The joints are in an order in which each follows the joint that moves its parent link. */
typedef struct
{
  gchar *name, *root;           /* names of the robot and of its root link */
  GArray *joints;               /* RobocacheRobotJoint */
  GHashTable *links;            /* link name → number of the joint that moves it, or ROBOCACHE_ROBOT_ROOT */
  GHashTable *joint_numbers;    /* joint name → number */
} RobocacheRobot;

void robocache_robot_free (RobocacheRobot * robot);

static inline const RobocacheRobotJoint *
robocache_robot_joint (const RobocacheRobot * robot, gint i)
{
  return &g_array_index (robot->joints, RobocacheRobotJoint, i);
}

/* The joint that moves a link; ROBOCACHE_ROBOT_ROOT: the root link; ROBOCACHE_ROBOT_NONE: no such link. */
gint robocache_robot_find_link (const RobocacheRobot * robot, const gchar * name);
/* The joint with a name; ROBOCACHE_ROBOT_NONE: no such joint. */
gint robocache_robot_find_joint (const RobocacheRobot * robot, const gchar * name);

/* Makes the robot of joints and links (gchar *) that a file lists; takes all arguments. NULL and an error: they are not a tree, or a limit
 * is reversed. */
RobocacheRobot *robocache_robot_new (gchar * name, GArray * joints, GPtrArray * links, GError ** error);
void robocache_robot_joint_clear (RobocacheRobotJoint * joint);
