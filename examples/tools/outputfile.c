/* robocache: a file that is written whole or not at all
 *
 * It is FOLDER/.robocache-XXXXXX/output until it is complete. A lock on the file beside it, .robocache-XXXXXX/lock, tells other programs,
 * also on other hosts, that its writer lives. pipeline.sh does the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "program.h"

#define PREFIX ".robocache-"
#define OUTPUT "output"
#define LOCK "lock"
/* Others may take a new folder for one that was left. */
#define MAX_TRIES 10

/* What to remove when a signal ends the program: the output, its lock, their folder. */
static const gchar *volatile unfinished[3];

static void
remove_all (const gchar *output, const gchar *lock, const gchar *folder)
{
  unlink (output);
  unlink (lock);
  rmdir (folder);
}

static void
remove_unfinished (int number)
{
  if (unfinished[0])
    remove_all (unfinished[0], unfinished[1], unfinished[2]);
  signal (number, SIG_DFL);
  raise (number);
}

static void
watch_signals (void)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
    if (signal (numbers[i], remove_unfinished) == SIG_IGN)
      signal (numbers[i], SIG_IGN);
  }
}

/* ---- what others left ---- */

/* Removes the folder of a writer that has ended. */
static void
remove_left (const gchar *folder)
{
  gchar *output = g_build_filename (folder, OUTPUT, NULL), *lock = g_build_filename (folder, LOCK, NULL);
  const int descriptor = open (lock, O_RDWR | O_NOFOLLOW | O_CLOEXEC);

  if (descriptor >= 0 && flock (descriptor, LOCK_EX | LOCK_NB) == 0)
    remove_all (output, lock, folder);
  if (descriptor >= 0)
    close (descriptor);
  g_free (output);
  g_free (lock);
}

static void
remove_all_left (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    if (g_str_has_prefix (name, PREFIX) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      remove_left (path);
    g_free (path);
  }
  g_clear_pointer (&dir, g_dir_close);
}

/* ---- the file beside ---- */

static void
name_files (OutputFile *file, const gchar *folder)
{
  file->folder = g_build_filename (folder, PREFIX "XXXXXX", NULL);
  file->lock = file->beside = NULL;
  file->lock_descriptor = -1;
  if (!g_mkdtemp (file->folder)) {
    g_clear_pointer (&file->folder, g_free);
    return;
  }
  file->lock = g_build_filename (file->folder, LOCK, NULL);
  file->beside = g_build_filename (file->folder, OUTPUT, NULL);
}

/* FALSE: the folder was taken for one that was left, and is gone. Without locks in the file system nothing is removed. */
static gboolean
lock_folder (OutputFile *file)
{
  GStatBuf status;

  file->lock_descriptor = open (file->lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file->lock_descriptor < 0 || (flock (file->lock_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
    return FALSE;
  return fstat (file->lock_descriptor, &status) == 0 && status.st_nlink > 0;
}

static void
drop_folder (OutputFile *file)
{
  const int fault = errno;

  if (file->folder)
    remove_all (file->beside, file->lock, file->folder);
  if (file->lock_descriptor >= 0)
    close (file->lock_descriptor);
  g_clear_pointer (&file->folder, g_free);
  g_clear_pointer (&file->lock, g_free);
  g_clear_pointer (&file->beside, g_free);
  file->lock_descriptor = -1;
  errno = fault;
}

static gboolean
make_folder (OutputFile *file, const gchar *folder)
{
  for (guint i = 0; i < MAX_TRIES; i++) {
    name_files (file, folder);
    if (!file->folder)
      return FALSE;
    if (lock_folder (file))
      return TRUE;
    drop_folder (file);
  }
  return FALSE;
}

/* A link is followed, so that it stays a link. */
static void
open_beside (OutputFile *file)
{
  gchar *resolved = realpath (file->path, NULL), *folder;

  file->target = g_strdup (resolved ? resolved : file->path);
  free (resolved);
  folder = g_path_get_dirname (file->target);
  remove_all_left (folder);
  if (make_folder (file, folder)) {
    unfinished[1] = file->lock;
    unfinished[2] = file->folder;
    unfinished[0] = file->beside;
    watch_signals ();
    file->stream = g_fopen (file->beside, "w");
  }
  g_free (folder);
}

/* ---- the whole file ---- */

static void
clear (OutputFile *file)
{
  unfinished[0] = NULL;
  drop_folder (file);
  g_free (file->path);
  g_free (file->target);
  *file = (OutputFile) {.lock_descriptor = -1 };
}

gboolean
output_file_open (OutputFile *file, const gchar *path, GError **error)
{
  GStatBuf present;
  const gboolean is_there = g_stat (path, &present) == 0;

  *file = (OutputFile) {.path = g_strdup (path),.lock_descriptor = -1 };
  if (is_there && !S_ISREG (present.st_mode))
    file->stream = g_fopen (path, "w");
  else if (!is_there || g_access (path, W_OK) == 0)
    open_beside (file);
  if (file->stream)
    return TRUE;
  FAULT (error, "%s: %s", path, g_strerror (errno));
  clear (file);
  return FALSE;
}

/* What is renamed is on the disk: a crash leaves the old file or the new one. By its name, as an element may have made it. Some file
 * systems cannot tell. */
static gboolean
sync_beside (const OutputFile *file)
{
  const int descriptor = open (file->beside, O_RDONLY | O_CLOEXEC);
  gboolean ok = descriptor >= 0 && (fsync (descriptor) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP);
  const int fault = errno;

  if (descriptor >= 0)
    close (descriptor);
  errno = fault;
  return ok;
}

static gboolean
replace_target (const OutputFile *file)
{
  return !file->beside || (sync_beside (file) && g_rename (file->beside, file->target) == 0);
}

gboolean
output_file_close (OutputFile *file, gboolean keep, GError **error)
{
  gboolean ok = keep && !ferror (file->stream) && fflush (file->stream) == 0;
  int fault = errno;

  if (fclose (file->stream) != 0 || (ok && !replace_target (file))) {
    fault = ok ? errno : fault;
    ok = FALSE;
  }
  if (keep && !ok)
    FAULT (error, "%s: %s", file->path, g_strerror (fault ? fault : EIO));
  clear (file);
  return ok;
}
