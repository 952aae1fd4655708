/* robocache: definitions of messages that are built in
 *
 * They are those of ROS 2 Humble, as its recordings may hold none; those of messages that we write are the same in later versions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "definitions.h"

#include <string.h>

#include "packages/packages.h"

/* Types that use each other this deep are no message. */
#define MAX_DEPTH 64

const RobocacheRosDefinition *const robocache_ros_packages[] = {
  robocache_ros_ackermann_msgs, robocache_ros_actionlib_msgs, robocache_ros_control_msgs, robocache_ros_core, robocache_ros_diagnostic_msgs,
  robocache_ros_geographic_msgs, robocache_ros_geometry_msgs, robocache_ros_moveit_msgs, robocache_ros_nav_msgs, robocache_ros_ours,
  robocache_ros_sensor_msgs, robocache_ros_shape_msgs, robocache_ros_std_msgs, robocache_ros_stereo_msgs, robocache_ros_trajectory_msgs,
  robocache_ros_turtlesim, robocache_ros_visualization_msgs, NULL
};

gchar *
robocache_ros_short_name (const gchar *name)
{
  static const gchar *const folders[] = { "msg", "srv", "action", NULL };
  gchar **parts = g_strsplit (name, "/", -1), *short_name;

  if (g_strv_length (parts) == 3 && g_strv_contains (folders, parts[1]))
    short_name = g_strjoin ("/", parts[0], parts[2], NULL);
  else
    short_name = g_strdup (name);
  g_strfreev (parts);
  return short_name;
}

const gchar *
robocache_ros_definition (const gchar *name)
{
  for (guint i = 0; robocache_ros_packages[i]; i++) {
    for (const RobocacheRosDefinition * definition = robocache_ros_packages[i]; definition->name; definition++) {
      if (g_str_equal (name, definition->name))
        return definition->text;
    }
  }
  return NULL;
}

/* ---- complete texts ---- */

/* A text that is made, with the types that are in it. */
typedef struct
{
  GString *text;
  GHashTable *types;
  RobocacheRosFind find;
  gpointer user_data;
} SchemaText;

/* The type that a line of a definition begins with, "geometry_msgs/Point" of "geometry_msgs/msg/Point[3] p". */
static gchar *
type_of_line (const gchar *line)
{
  gchar *word, *name;

  line += strspn (line, " \t");
  word = g_strndup (line, strcspn (line, " \t\r\n[<#="));
  name = robocache_ros_short_name (word);
  g_free (word);
  return name;
}

/* Full name of a type that a definition of `user` names: in full, of the same package, or the Header of ROS 1. */
static gchar *
full_name (SchemaText *made, const gchar *user, const gchar *name, const gchar **text)
{
  gchar *full = strchr (name, '/') ? g_strdup (name) : g_strdup_printf ("%.*s/%s", (int) strcspn (user, "/"), user, name);

  *text = made->find (made->user_data, full);
  if (!*text && g_str_equal (name, "Header")) {
    g_free (full);
    full = g_strdup ("std_msgs/Header");
    *text = made->find (made->user_data, full);
  }
  return full;
}

static void
append_definition (GString *text, const gchar *name, const gchar *definition)
{
  if (text->len > 0 && text->str[text->len - 1] != '\n')
    g_string_append_c (text, '\n');
  for (guint i = 0; i < 80; i++)
    g_string_append_c (text, '=');
  g_string_append_printf (text, "\nMSG: %s\n%s", name, definition);
}

static void append_used_types (SchemaText * made, const gchar * user, const gchar * definition, guint depth);

/* Appends the type of a line, unless it was appended or is unknown: it is then a number, or the parser reports it. */
static void
append_type_of_line (SchemaText *made, const gchar *user, const gchar *line, guint depth)
{
  const gchar *definition = NULL;
  gchar *type = type_of_line (line), *full = *type ? full_name (made, user, type, &definition) : NULL;

  if (definition && !g_hash_table_contains (made->types, full)) {
    g_hash_table_add (made->types, g_strdup (full));
    append_definition (made->text, full, definition);
    append_used_types (made, full, definition, depth + 1);
  }
  g_free (full);
  g_free (type);
}

/* Appends the types that a definition uses, and theirs, in the order of their first use. */
static void
append_used_types (SchemaText *made, const gchar *user, const gchar *definition, guint depth)
{
  for (const gchar * line = definition; line && *line && depth < MAX_DEPTH;) {
    append_type_of_line (made, user, line, depth);
    line = strchr (line, '\n');
    line = line ? line + 1 : NULL;
  }
}

gchar *
robocache_ros_schema_text_from (const gchar *name, RobocacheRosFind find, gpointer user_data)
{
  gchar *short_name = robocache_ros_short_name (name);
  const gchar *definition = find (user_data, short_name);
  SchemaText made = {.find = find,.user_data = user_data };

  if (definition) {
    made.text = g_string_new (definition);
    made.types = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    append_used_types (&made, short_name, definition, 0);
    g_hash_table_unref (made.types);
  }
  g_free (short_name);
  return made.text ? g_string_free (made.text, FALSE) : NULL;
}

static const gchar *
find_built_in (gpointer user_data, const gchar *name)
{
  return robocache_ros_definition (name);
}

gchar *
robocache_ros_schema_text (const gchar *name)
{
  return robocache_ros_schema_text_from (name, find_built_in, NULL);
}
