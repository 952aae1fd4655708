/* robocache: names of ROS 2 topics and types in DDS
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rosnames.h"

#include <string.h>

#include "common/element/errordomain.h"

#define TOPIC_PREFIX "rt"
/* Prefixes of services. No topic of ROS 2 begins with them, since its name begins with a slash. */
#define REQUEST_PREFIX "rq/"
#define REPLY_PREFIX "rr/"
#define TYPE_INFIX "::dds_::"
#define HASH_KEY "typehash="

gchar *
robocache_dds_topic_name (const gchar *ros_topic)
{
  if (g_str_has_prefix (ros_topic, REQUEST_PREFIX) || g_str_has_prefix (ros_topic, REPLY_PREFIX)
      || g_str_equal (ros_topic, ROBOCACHE_DDS_NODES_TOPIC))
    return g_strdup (ros_topic);
  return g_strconcat (TOPIC_PREFIX, *ros_topic == '/' ? "" : "/", ros_topic, NULL);
}

/* Names of other letters are of no ROS topic, and patterns of GLib abort on text that is not UTF-8. */
static gboolean
is_ros_name (const gchar *name)
{
  while (g_ascii_isalnum (*name) || *name == '_' || *name == '/')
    name++;
  return *name == '\0';
}

gchar *
robocache_dds_topic_of (const gchar *dds_topic)
{
  return is_ros_name (dds_topic) && g_str_has_prefix (dds_topic, TOPIC_PREFIX "/") ? g_strdup (dds_topic + strlen (TOPIC_PREFIX)) : NULL;
}

/* A part of a name: letters, digits and _, with no digit first. */
static gboolean
is_token (const gchar *token)
{
  if (*token == '\0' || g_ascii_isdigit (*token))
    return FALSE;
  while (g_ascii_isalnum (*token) || *token == '_')
    token++;
  return *token == '\0';
}

/* "/a/b" */
static gboolean
is_full_name (const gchar *name)
{
  gchar **tokens = g_strsplit (name, "/", -1);
  gboolean is = *name == '/' && tokens[1] != NULL;

  for (guint i = 1; is && tokens[i]; i++)
    is = is_token (tokens[i]);
  g_strfreev (tokens);
  return is;
}

gchar *
robocache_dds_full_topic (const gchar *name, const gchar *namespace, const gchar *node, GError **error)
{
  const gchar *prefix = g_str_equal (namespace, "/") ? "" : namespace;
  gchar *full;

  if (*name == '/')
    full = g_strdup (name);
  else if (g_str_has_prefix (name, "~/"))
    full = g_strconcat (prefix, "/", node, name + 1, NULL);
  else
    full = g_strconcat (prefix, "/", name, NULL);
  if (is_full_name (full))
    return full;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
      "topic=%s is not a name of ROS 2: expected letters, digits and _ between slashes, with no digit after a slash", name);
  g_free (full);
  return NULL;
}

gboolean
robocache_dds_check_node (const gchar *namespace, const gchar *name, GError **error)
{
  if (!g_str_equal (namespace, "/") && !is_full_name (namespace))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "namespace=%s is not a namespace of ROS 2, like / or /left/arm", namespace);
  else if (!is_token (name))
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "node-name=%s is not a name of ROS 2: expected letters, digits and _, with no digit first", name);
  else
    return TRUE;
  return FALSE;
}

gchar *
robocache_dds_type_name (const gchar *ros_type)
{
  gchar **parts = g_strsplit (ros_type, "/", -1);
  const guint n = g_strv_length (parts);
  gchar *name = NULL;

  if (n == 3)
    name = g_strconcat (parts[0], "::", parts[1], TYPE_INFIX, parts[2], "_", NULL);
  else if (n == 2)
    name = g_strconcat (parts[0], "::msg" TYPE_INFIX, parts[1], "_", NULL);
  g_strfreev (parts);
  return name ? name : g_strdup (ros_type);
}

gchar *
robocache_dds_type_of (const gchar *dds_type)
{
  const gchar *infix = strstr (dds_type, TYPE_INFIX), *colons = strstr (dds_type, "::");
  gsize length;

  if (!infix || colons == infix || !g_str_is_ascii (dds_type))
    return NULL;
  length = strlen (infix + strlen (TYPE_INFIX));
  if (length < 2 || dds_type[strlen (dds_type) - 1] != '_')
    return NULL;
  return g_strdup_printf ("%.*s/%.*s/%.*s", (gint) (colons - dds_type), dds_type, (gint) (infix - colons - 2), colons + 2, (gint) length - 1,
      infix + strlen (TYPE_INFIX));
}

gchar *
robocache_dds_type_hash_of (gconstpointer user_data, gsize size)
{
  gchar *raw = g_strndup (user_data ? user_data : "", size), *text = g_utf8_make_valid (raw, -1);
  gchar **parts = g_strsplit (text, ";", -1), *hash = NULL;

  for (guint i = 0; parts[i] && !hash; i++) {
    if (g_str_has_prefix (parts[i], HASH_KEY))
      hash = g_strdup (parts[i] + strlen (HASH_KEY));
  }
  g_strfreev (parts);
  g_free (raw);
  g_free (text);
  return hash;
}
