/* robocache: definitions of messages in folders of .msg files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "msgfolders.h"

#include <string.h>

#include "definitions.h"

/* Folders in folders that are searched: links may lead in circles. */
#define MAX_DEPTH 8
/* A larger file is no definition. */
#define MAX_FILE_SIZE (1 << 20)

struct _RobocacheMsgFolders
{
  GHashTable *texts;            /* by name, "my_msgs/Force" */
};

/* "my_msgs/Force" of ".../my_msgs/msg/Force.msg"; takes nothing. */
static gchar *
name_of_file (const gchar *path)
{
  gchar **parts = g_strsplit (path, G_DIR_SEPARATOR_S, -1);
  const guint n = g_strv_length (parts);
  const guint package = n >= 3 && g_str_equal (parts[n - 2], "msg") ? n - 3 : n - 2;
  gchar *name = NULL;

  if (n >= 2)
    name = g_strdup_printf ("%s/%.*s", parts[package], (int) (strlen (parts[n - 1]) - strlen (".msg")), parts[n - 1]);
  g_strfreev (parts);
  return name;
}

static gboolean
read_file (RobocacheMsgFolders *folders, const gchar *path, GError **error)
{
  gchar *name = name_of_file (path), *text = NULL;
  gsize size;

  if (!name || g_hash_table_contains (folders->texts, name)) {
    g_free (name);
    return TRUE;
  }
  /* a FIFO would block for ever */
  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: not a regular file", path);
    g_free (name);
    return FALSE;
  }
  if (!g_file_get_contents (path, &text, &size, error)) {
    g_free (name);
    return FALSE;
  }
  if (size > MAX_FILE_SIZE || strlen (text) != size || !g_utf8_validate (text, (gssize) size, NULL)) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: not a message definition: expected UTF-8 text", path);
    g_free (text);
    g_free (name);
    return FALSE;
  }
  g_hash_table_insert (folders->texts, name, text);
  return TRUE;
}

static gboolean read_folder (RobocacheMsgFolders * folders, const gchar * path, guint depth, GError ** error);

static gboolean
read_entry (RobocacheMsgFolders *folders, const gchar *path, guint depth, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return depth + 1 >= MAX_DEPTH || read_folder (folders, path, depth + 1, error);
  return !g_str_has_suffix (path, ".msg") || read_file (folders, path, error);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar * const *) a, *(const gchar * const *) b);
}

/* In order of names, so that every run reads the same. */
static GPtrArray *
list_names (GDir *dir)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    if (*name != '.')
      g_ptr_array_add (names, g_strdup (name));
  }
  g_ptr_array_sort (names, compare_names);
  return names;
}

static gboolean
read_folder (RobocacheMsgFolders *folders, const gchar *path, guint depth, GError **error)
{
  /* one inside the user's that may not be read is left out */
  GDir *dir = g_dir_open (path, 0, depth > 0 ? NULL : error);
  gboolean ok = TRUE;
  GPtrArray *names;

  if (!dir)
    return depth > 0;
  names = list_names (dir);
  g_dir_close (dir);
  for (guint i = 0; i < names->len && ok; i++) {
    gchar *entry = g_build_filename (path, names->pdata[i], NULL);

    ok = read_entry (folders, entry, depth, error);
    g_free (entry);
  }
  g_ptr_array_unref (names);
  return ok;
}

/* One that the user names. */
static gboolean
read_first_folder (RobocacheMsgFolders *folders, const gchar *path, GError **error)
{
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    return read_folder (folders, path, 0, error);
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOTDIR, "%s is not a folder", path);
  return FALSE;
}

RobocacheMsgFolders *
robocache_msg_folders_new (const gchar *paths, GError **error)
{
  RobocacheMsgFolders *folders = g_new0 (RobocacheMsgFolders, 1);
  gchar **list = g_strsplit (paths ? paths : "", G_SEARCHPATH_SEPARATOR_S, -1);
  gboolean ok = TRUE;

  folders->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  for (guint i = 0; list[i] && ok; i++) {
    /* the name of the package may be that of the folder we are in */
    gchar *path = *list[i] ? g_canonicalize_filename (list[i], NULL) : NULL;

    ok = !path || read_first_folder (folders, path, error);
    g_free (path);
  }
  g_strfreev (list);
  if (!ok)
    g_clear_pointer (&folders, robocache_msg_folders_free);
  return folders;
}

void
robocache_msg_folders_free (RobocacheMsgFolders *folders)
{
  g_hash_table_unref (folders->texts);
  g_free (folders);
}

static const gchar *
find (gpointer user_data, const gchar *name)
{
  const gchar *text = g_hash_table_lookup (((const RobocacheMsgFolders *) user_data)->texts, name);

  return text ? text : robocache_ros_definition (name);
}

gchar *
robocache_msg_folders_schema_text (const RobocacheMsgFolders *folders, const gchar *name)
{
  return robocache_ros_schema_text_from (name, find, (gpointer) folders);
}
