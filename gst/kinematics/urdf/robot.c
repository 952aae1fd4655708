/* robocache: robocachekinematics, a robot as its URDF describes it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "robot.h"

#include "common/element/errors.h"

void
robocache_robot_joint_clear (RobocacheRobotJoint *joint)
{
  g_free (joint->name);
  g_free (joint->link);
  g_free (joint->parent);
  g_free (joint->mimics);
}

void
robocache_robot_free (RobocacheRobot *robot)
{
  if (robot == NULL)
    return;
  g_free (robot->name);
  g_free (robot->root);
  g_array_unref (robot->joints);
  g_hash_table_unref (robot->links);
  g_hash_table_unref (robot->joint_numbers);
  g_free (robot);
}

static gint
find (GHashTable *numbers, const gchar *name)
{
  gpointer number;

  return g_hash_table_lookup_extended (numbers, name, NULL, &number) ? GPOINTER_TO_INT (number) : ROBOCACHE_ROBOT_NONE;
}

gint
robocache_robot_find_link (const RobocacheRobot *robot, const gchar *name)
{
  return find (robot->links, name);
}

gint
robocache_robot_find_joint (const RobocacheRobot *robot, const gchar *name)
{
  return find (robot->joint_numbers, name);
}

/* ---- names ---- */

static gboolean G_GNUC_PRINTF (2, 3)
refuse (GError **error, const gchar *format, ...)
{
  va_list args;

  va_start (args, format);
  g_clear_error (error);
  if (error)
    *error = g_error_new_valist (ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, format, args);
  va_end (args);
  return FALSE;
}

/* What a file has, by name. */
typedef struct
{
  GArray *joints;
  GPtrArray *links;
  GHashTable *by_link;          /* link to the joint that moves it */
  GHashTable *children;         /* link to a GSList of joints that follow it, the last one first */
  GHashTable *known;            /* links */
} Names;

static RobocacheRobotJoint *
joint_at (GArray *joints, guint i)
{
  return &g_array_index (joints, RobocacheRobotJoint, i);
}

static gboolean
name_links (Names *names, GError **error)
{
  for (guint i = 0; i < names->links->len; i++) {
    if (!g_hash_table_add (names->known, names->links->pdata[i]))
      return refuse (error, "two links are named \"%s\"", (const gchar *) names->links->pdata[i]);
  }
  return names->links->len > 0 || refuse (error, "the robot has no link");
}

static gboolean
name_joint (Names *names, RobocacheRobotJoint *joint, GError **error)
{
  RobocacheRobotJoint *other = g_hash_table_lookup (names->by_link, joint->link);
  const gchar *unknown = !g_hash_table_contains (names->known, joint->link) ? joint->link
      : !g_hash_table_contains (names->known, joint->parent) ? joint->parent : NULL;

  if (unknown)
    return refuse (error, "line %u: joint \"%s\" connects link \"%s\", which the robot does not have", joint->line, joint->name,
        unknown);
  if (other)
    return refuse (error, "line %u: joints \"%s\" and \"%s\" both move link \"%s\": expected a tree", joint->line, other->name,
        joint->name, joint->link);
  g_hash_table_insert (names->by_link, joint->link, joint);
  g_hash_table_insert (names->children, joint->parent,
      g_slist_prepend (g_hash_table_lookup (names->children, joint->parent), joint));
  return TRUE;
}

static gboolean
name_joints (Names *names, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < names->joints->len && ok; i++)
    ok = name_joint (names, joint_at (names->joints, i), error);
  return ok;
}

static const gchar *
find_root (const Names *names, GError **error)
{
  const gchar *root = NULL;

  for (guint i = 0; i < names->links->len; i++) {
    const gchar *link = names->links->pdata[i];

    if (g_hash_table_contains (names->by_link, link))
      continue;
    if (root) {
      refuse (error, "no joint moves links \"%s\" and \"%s\": expected one root link", root, link);
      return NULL;
    }
    root = link;
  }
  if (root == NULL)
    refuse (error, "a joint moves every link, so the joints form a cycle: expected one root link");
  return root;
}

/* ---- order ---- */

static void
add_joint (RobocacheRobot *robot, RobocacheRobotJoint *joint, gint parent)
{
  const gint number = (gint) robot->joints->len;

  joint->spec.parent = parent;
  g_array_append_vals (robot->joints, joint, 1);
  joint = joint_at (robot->joints, (guint) number);
  g_hash_table_insert (robot->links, joint->link, GINT_TO_POINTER (number));
}

/* The joints behind a link, from the last of a list on. */
static void
add_children (RobocacheRobot *robot, GSList *children, gint parent)
{
  if (children == NULL)
    return;
  add_children (robot, children->next, parent);
  add_joint (robot, children->data, parent);
}

/* Joints in order of distance from the root. Their names move to the robot. */
static void
add_joints (RobocacheRobot *robot, const Names *names)
{
  g_hash_table_insert (robot->links, robot->root, GINT_TO_POINTER (ROBOCACHE_ROBOT_ROOT));
  add_children (robot, g_hash_table_lookup (names->children, robot->root), ROBOCACHE_ROBOT_ROOT);
  for (guint i = 0; i < robot->joints->len; i++)
    add_children (robot, g_hash_table_lookup (names->children, joint_at (robot->joints, i)->link), (gint) i);
}

static gboolean
check_reach (const RobocacheRobot *robot, const Names *names, GError **error)
{
  for (guint i = 0; i < names->joints->len; i++) {
    const RobocacheRobotJoint *joint = joint_at (names->joints, i);

    if (!g_hash_table_contains (robot->links, joint->link))
      return refuse (error, "line %u: joint \"%s\" is part of a cycle: expected a tree", joint->line, joint->name);
  }
  return TRUE;
}

/* ---- joints ---- */

static gboolean
number_joints (RobocacheRobot *robot, GError **error)
{
  for (guint i = 0; i < robot->joints->len; i++) {
    RobocacheRobotJoint *joint = joint_at (robot->joints, i);

    if (!g_hash_table_insert (robot->joint_numbers, joint->name, GINT_TO_POINTER (i)))
      return refuse (error, "line %u: two joints are named \"%s\"", joint->line, joint->name);
  }
  return TRUE;
}

static void
find_mimicked (RobocacheRobot *robot, RobocacheRobotJoint *joint)
{
  const gint mimicked = joint->mimics ? robocache_robot_find_joint (robot, joint->mimics) : -1;

  joint->mimics_nothing = mimicked == ROBOCACHE_ROBOT_NONE || (mimicked >= 0 && robocache_robot_joint (robot, mimicked)->spec.kind == RC_JOINT_FIXED);
  joint->spec.mimics = joint->mimics_nothing ? -1 : mimicked;
}

/* A joint whose position follows from no other, through those that it mimics. */
static gboolean
hangs_on_nothing (const RobocacheRobot *robot, const RobocacheRobotJoint *joint)
{
  guint n = 0;

  while (!joint->mimics_nothing && joint->spec.mimics >= 0 && n++ < robot->joints->len)
    joint = robocache_robot_joint (robot, joint->spec.mimics);
  return joint->mimics_nothing || n > robot->joints->len;
}

/* They do not move: the links behind them are no part of any model. */
static void
find_all_mimicked (RobocacheRobot *robot)
{
  gboolean *hangs = g_new (gboolean, robot->joints->len + 1);

  for (guint i = 0; i < robot->joints->len; i++)
    find_mimicked (robot, joint_at (robot->joints, i));
  for (guint i = 0; i < robot->joints->len; i++)
    hangs[i] = hangs_on_nothing (robot, joint_at (robot->joints, i));
  for (guint i = 0; i < robot->joints->len; i++) {
    RobocacheRobotJoint *joint = joint_at (robot->joints, i);

    if (!hangs[i])
      continue;
    joint->mimics_nothing = TRUE;
    joint->spec.mimics = -1;
    joint->spec.kind = RC_JOINT_FIXED;
  }
  g_free (hangs);
}

/* ---- robots ---- */

static void
free_list (gpointer list)
{
  g_slist_free (list);
}

static void
clear_joint (gpointer joint)
{
  robocache_robot_joint_clear (joint);
}

static RobocacheRobot *
new_empty (gchar *name, const gchar *root)
{
  RobocacheRobot *robot = g_new0 (RobocacheRobot, 1);

  robot->name = name;
  robot->root = g_strdup (root);
  robot->joints = g_array_new (FALSE, TRUE, sizeof (RobocacheRobotJoint));
  robot->links = g_hash_table_new (g_str_hash, g_str_equal);
  robot->joint_numbers = g_hash_table_new (g_str_hash, g_str_equal);
  return robot;
}

/* The robot owns the names of joints once all joints are part of it. */
static RobocacheRobot *
build (gchar *name, Names *names, GError **error)
{
  const gchar *root = name_links (names, error) && name_joints (names, error) ? find_root (names, error) : NULL;
  RobocacheRobot *robot;

  if (root == NULL) {
    g_free (name);
    return NULL;
  }
  robot = new_empty (name, root);
  add_joints (robot, names);
  if (check_reach (robot, names, error)) {
    g_array_set_clear_func (robot->joints, clear_joint);
    g_array_set_clear_func (names->joints, NULL);
    if (number_joints (robot, error)) {
      find_all_mimicked (robot);
      return robot;
    }
  }
  robocache_robot_free (robot);
  return NULL;
}

RobocacheRobot *
robocache_robot_new (gchar *name, GArray *joints, GPtrArray *links, GError **error)
{
  Names names = { joints, links, g_hash_table_new (g_str_hash, g_str_equal),
    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, NULL), g_hash_table_new (g_str_hash, g_str_equal)
  };
  RobocacheRobot *robot;
  GHashTableIter lists;
  gpointer list;

  g_array_set_clear_func (joints, clear_joint);
  robot = build (name, &names, error);
  g_hash_table_iter_init (&lists, names.children);
  while (g_hash_table_iter_next (&lists, NULL, &list))
    free_list (list);
  g_hash_table_unref (names.by_link);
  g_hash_table_unref (names.children);
  g_hash_table_unref (names.known);
  g_array_unref (joints);
  g_ptr_array_unref (links);
  return robot;
}
