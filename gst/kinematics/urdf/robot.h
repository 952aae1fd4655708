/* robocache: robocachekinematics, a robot as its URDF describes it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_URDF_ROBOT_H
#define ROBOCACHE_URDF_ROBOT_H

#include <glib.h>

#include "kernels/kinematics/kinematics.h"

G_BEGIN_DECLS

#define ROBOCACHE_ROBOT_ROOT (-1)
#define ROBOCACHE_ROBOT_NONE (-2)

typedef struct
{
  gchar *name;
  gchar *link;                  /* that it moves */
  gchar *parent, *mimics;       /* names of the link before it, and of a joint or NULL */
  gboolean is_free;             /* floating or planar: of no model, and fixed in spec */
  guint line;
  RcJointSpec spec;
} RobocacheRobotJoint;

/* Joints come after those of the links before them. */
typedef struct
{
  gchar *name, *root;           /* of the robot, and of its root link */
  GArray *joints;               /* RobocacheRobotJoint */
  GHashTable *links;            /* name to number of the joint that moves it, or ROBOCACHE_ROBOT_ROOT */
  GHashTable *joint_numbers;    /* name to number */
} RobocacheRobot;

void robocache_robot_free (RobocacheRobot * robot);

static inline const RobocacheRobotJoint *
robocache_robot_joint (const RobocacheRobot * robot, gint i)
{
  return &g_array_index (robot->joints, RobocacheRobotJoint, i);
}

/* The joint that moves a link, ROBOCACHE_ROBOT_ROOT, or ROBOCACHE_ROBOT_NONE: there is no such link. */
gint robocache_robot_find_link (const RobocacheRobot * robot, const gchar * name);
/* ROBOCACHE_ROBOT_NONE: there is no such joint. */
gint robocache_robot_find_joint (const RobocacheRobot * robot, const gchar * name);

/* The robot of joints and links (gchar *) as a file names them, which it takes. NULL and an error where they are no tree, a limit is
 * reversed, or a joint mimics none that moves. */
RobocacheRobot *robocache_robot_new (gchar * name, GArray * joints, GPtrArray * links, GError ** error);
void robocache_robot_joint_clear (RobocacheRobotJoint * joint);

G_END_DECLS
#endif
