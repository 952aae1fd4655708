/* robocache: files of a recorded session, which may be in folders
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sessionfile.h"

#ifdef HAVE_BAGS
#include "common/bags/bagmetadata.h"
#endif
#include "examples/tools/program.h"

#ifdef HAVE_BAGS
static void
add_copies (GPtrArray *paths, gchar **added)
{
  for (gchar **path = added; *path; path++)
    g_ptr_array_add (paths, g_strdup (*path));
}

/* FALSE and an error: the folder has other files than a recorder writes. */
static gboolean
add_folder (GPtrArray *paths, const gchar *folder, GError **error)
{
  RobocacheBagInfo info;
  gboolean is_ours;

  if (!robocache_bag_info_read (&info, folder, error)) {
    g_prefix_error (error, "%s cannot be replayed as a folder, name its files in their order: ", folder);
    return FALSE;
  }
  is_ours = g_str_equal (info.storage, "mcap") && !*info.compression_mode;
  if (is_ours)
    add_copies (paths, info.paths);
  else
    FAULT (error, "%s: files of %s%s%s, but a session is recorded in mcap", folder, info.storage, *info.compression_mode ? " compressed by "
        : "", info.compression_mode);
  robocache_bag_info_clear (&info);
  return is_ours;
}
#else
static gboolean
add_folder (GPtrArray *paths, const gchar *folder, GError **error)
{
  FAULT (error, "%s is a folder: name its files in their order, since this program was built without libyaml", folder);
  return FALSE;
}
#endif

gchar **
session_paths (gchar **recordings, GError **error)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  gboolean is_good = TRUE;

  for (gchar **recording = recordings; *recording && is_good; recording++) {
    if (g_file_test (*recording, G_FILE_TEST_IS_DIR))
      is_good = add_folder (paths, *recording, error);
    else
      g_ptr_array_add (paths, g_strdup (*recording));
  }
  g_ptr_array_add (paths, NULL);
  if (is_good)
    return (gchar **) g_ptr_array_free (paths, FALSE);
  g_ptr_array_unref (paths);
  return NULL;
}
