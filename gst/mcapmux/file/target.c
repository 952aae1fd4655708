/* robocache: where a recording goes on a disk, and that no recording of before is lost
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/element/errordomain.h"
#include "filenames.h"

#define METADATA "metadata.yaml"

struct _MuxTarget
{
  gchar *location;
  gboolean is_bag, overwrite;
  guint n_recordings;           /* at that location so far */

  gchar *path;                  /* of an open recording: its file, its folder, or for files with numbers the time in their names */
  guint first_number;
  int folder;                   /* descriptor, locked; -1: none */
};

MuxTarget *
mux_target_new (void)
{
  MuxTarget *target = g_new0 (MuxTarget, 1);

  target->folder = -1;
  return target;
}

void
mux_target_stop (MuxTarget *target)
{
  if (target->folder >= 0)
    close (target->folder);
  target->folder = -1;
  g_clear_pointer (&target->path, g_free);
}

void
mux_target_free (MuxTarget *target)
{
  mux_target_stop (target);
  g_free (target->location);
  g_free (target);
}

/* ---- errors ---- */

static gboolean
fail_system (GError **error, const gchar *what, const gchar *path, gint number)
{
  g_set_error (error, GST_RESOURCE_ERROR, number == ENOSPC || number == EDQUOT ? GST_RESOURCE_ERROR_NO_SPACE_LEFT
      : GST_RESOURCE_ERROR_OPEN_WRITE, "cannot %s %s: %s", what, path, g_strerror (number));
  return FALSE;
}

static gboolean
fail_exists (GError **error, const gchar *path)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "%s exists: choose another location, put a number (%%03d) or the "
      "time (%%t) into it, or set overwrite=true", path);
  return FALSE;
}

static gboolean
fail_setting (GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, what);
  return FALSE;
}

/* ---- what exists ---- */

/* Whether a folder is empty, or absent. */
static gboolean
is_empty_folder (const gchar *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const gboolean is_empty = !dir || !g_dir_read_name (dir);

  g_clear_pointer (&dir, g_dir_close);
  return is_empty;
}

/* Whether a file can be made in the folder of a path. */
static gboolean
check_folder_of (const gchar *path, GError **error)
{
  gchar *folder = g_path_get_dirname (path);
  const gint result = access (folder, W_OK | X_OK) == 0 ? 0 : errno;

  g_free (folder);
  return result == 0 || fail_system (error, "create", path, result);
}

static gboolean
check_file (const MuxTarget *target, const gchar *path, GError **error)
{
  GStatBuf status;

  if (g_stat (path, &status) != 0)
    return check_folder_of (path, error);
  if (S_ISDIR (status.st_mode))
    return fail_system (error, "create", path, EISDIR);
  if (S_ISREG (status.st_mode) && status.st_size > 0 && !target->overwrite)
    return fail_exists (error, path);
  return access (path, W_OK) == 0 || fail_system (error, "create", path, errno);
}

/* A folder is made with its parents, the first of which exists. */
static gboolean
check_bag (const MuxTarget *target, const gchar *path, GError **error)
{
  gchar *parent = g_strdup (path);
  gint result;

  if (g_file_test (path, G_FILE_TEST_IS_DIR) && !is_empty_folder (path) && !target->overwrite) {
    g_free (parent);
    return fail_exists (error, path);
  }
  while (!g_file_test (parent, G_FILE_TEST_EXISTS)) {
    gchar *next = g_path_get_dirname (parent);

    g_free (parent);
    parent = next;
  }
  result = !g_file_test (parent, G_FILE_TEST_IS_DIR) ? ENOTDIR : access (parent, W_OK | X_OK) == 0 ? 0 : errno;
  g_free (parent);
  return result == 0 || fail_system (error, "make the folder", path, result);
}

static gboolean
check_path (const MuxTarget *target, const gchar *path, GError **error)
{
  return target->is_bag ? check_bag (target, path, error) : check_file (target, path, error);
}

gboolean
mux_target_start (MuxTarget *target, const MuxTargetSettings *settings, GError **error)
{
  gchar *time, *path;
  gboolean is_good;

  if (!settings->location || !*settings->location)
    return fail_setting (error, "location is not set: set location to the file or folder to write");
  if (!settings->is_bag && settings->is_split && !mux_location_has_number (settings->location))
    return fail_setting (error, "fragment-duration needs the number of a fragment in location, like location=run-%05d.mcap");
  if (g_strcmp0 (settings->location, target->location) != 0) {
    g_free (target->location);
    target->location = g_strdup (settings->location);
    target->n_recordings = 0;
  }
  target->is_bag = settings->is_bag;
  target->overwrite = settings->overwrite;
  if (mux_location_has_number (target->location) || target->n_recordings > 0)
    return TRUE;
  time = mux_location_time ();
  path = mux_location_expand (target->location, 0, time);
  is_good = check_path (target, path, error);
  g_free (path);
  g_free (time);
  return is_good;
}

/* ---- names ---- */

/* The path of another recording at the same location. */
static gchar *
find_continued (const MuxTarget *target, const gchar *path)
{
  gchar *continued = NULL;

  for (guint i = target->n_recordings + 1; !continued || g_file_test (continued, G_FILE_TEST_EXISTS); i++) {
    g_free (continued);
    continued = mux_location_continued (path, i);
  }
  return continued;
}

static void
choose_path (MuxTarget *target)
{
  gchar *time = mux_location_time (), *path;

  if (mux_location_has_number (target->location)) {
    target->first_number = mux_location_next_number (target->location, time);
    path = target->is_bag ? mux_location_expand (target->location, target->first_number, time) : g_strdup (time);
  } else {
    path = mux_location_expand (target->location, 0, time);
    if (target->n_recordings > 0 && g_file_test (path, G_FILE_TEST_EXISTS)) {
      gchar *continued = find_continued (target, path);

      g_free (path);
      path = continued;
    }
  }
  g_free (time);
  g_free (target->path);
  target->path = path;
}

gchar *
mux_target_get_path (const MuxTarget *target, guint file)
{
  gchar *name, *path;

  if (!target->is_bag)
    return mux_location_has_number (target->location) ? mux_location_expand (target->location, target->first_number + file, target->path)
        : g_strdup (target->path);
  name = mux_bag_file_name (target->path, file);
  path = g_build_filename (target->path, name, NULL);
  g_free (name);
  return path;
}

const gchar *
mux_target_get_folder (const MuxTarget *target)
{
  return target->is_bag ? target->path : NULL;
}

/* ---- locks ---- */

/* FALSE and an error: another recorder has it. Some file systems have no locks. */
static gboolean
lock (int descriptor, const gchar *path, GError **error)
{
  if (flock (descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE;
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY, "%s is being written by another recorder", path);
  return FALSE;
}

/* ---- folders ---- */

/* Removes a bag's metadata first: at no time do they describe files that are gone. */
static gboolean
remove_bag (const gchar *folder, GError **error)
{
  gchar *path = g_build_filename (folder, METADATA, NULL);
  gboolean is_good = g_unlink (path) == 0 || errno == ENOENT || fail_system (error, "remove", path, errno);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (is_good && dir && (name = g_dir_read_name (dir))) {
    g_free (path);
    path = g_build_filename (folder, name, NULL);
    if (mux_bag_has_name (folder, name))
      is_good = g_unlink (path) == 0 || fail_system (error, "remove", path, errno);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_free (path);
  return is_good;
}

static gboolean
open_folder (MuxTarget *target, GError **error)
{
  if (g_mkdir_with_parents (target->path, 0777) != 0)
    return fail_system (error, "make the folder", target->path, errno);
  target->folder = open (target->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (target->folder < 0)
    return fail_system (error, "open the folder", target->path, errno);
  if (!lock (target->folder, target->path, error))
    return FALSE;
  if (is_empty_folder (target->path))
    return TRUE;
  return target->overwrite ? remove_bag (target->path, error) : fail_exists (error, target->path);
}

gboolean
mux_target_open (MuxTarget *target, GError **error)
{
  choose_path (target);
  return !target->is_bag || open_folder (target, error);
}

/* ---- files ---- */

/* Locks a file, and empties it if that loses nothing, or may. */
static gboolean
claim_file (const MuxTarget *target, int descriptor, const gchar *path, GError **error)
{
  struct stat status;

  if (fstat (descriptor, &status) != 0)
    return fail_system (error, "create", path, errno);
  /* a device, or a pipe */
  if (!S_ISREG (status.st_mode))
    return TRUE;
  /* its size counts once no other recorder writes it */
  if (!lock (descriptor, path, error))
    return FALSE;
  if (fstat (descriptor, &status) != 0)
    return fail_system (error, "create", path, errno);
  if (status.st_size == 0)
    return TRUE;
  if (!target->overwrite || target->is_bag || mux_location_has_number (target->location))
    return fail_exists (error, path);
  return ftruncate (descriptor, 0) == 0 || fail_system (error, "overwrite", path, errno);
}

int
mux_target_create_file (MuxTarget *target, guint file, GError **error)
{
  gchar *path = mux_target_get_path (target, file);
  int descriptor = open (path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

  if (descriptor < 0) {
    fail_system (error, "create", path, errno);
  } else if (!claim_file (target, descriptor, path, error)) {
    close (descriptor);
    descriptor = -1;
  }
  target->n_recordings += file == 0 && descriptor >= 0;
  g_free (path);
  return descriptor;
}
