/* robocache: a file that is written whole or not at all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "outputfile.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "fault.h"

/* The file to remove when a signal ends the program. */
static const gchar *volatile unfinished;

static void
remove_unfinished (int number)
{
  if (unfinished)
    unlink (unfinished);
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

/* A link is followed, so that it stays a link. */
static void
open_beside (OutputFile *file)
{
  gchar *resolved = realpath (file->path, NULL), *folder;
  gint descriptor;

  file->target = g_strdup (resolved ? resolved : file->path);
  free (resolved);
  folder = g_path_get_dirname (file->target);
  file->beside = g_build_filename (folder, ".robocache-XXXXXX", NULL);
  g_free (folder);
  descriptor = g_mkstemp_full (file->beside, O_WRONLY, 0666);
  if (descriptor < 0)
    return;
  unfinished = file->beside;
  watch_signals ();
  file->stream = fdopen (descriptor, "w");
}

static void
clear (OutputFile *file)
{
  unfinished = NULL;
  g_free (file->path);
  g_free (file->target);
  g_free (file->beside);
  *file = (OutputFile) { 0 };
}

gboolean
output_file_open (OutputFile *file, const gchar *path, GError **error)
{
  GStatBuf present;
  const gboolean is_there = g_stat (path, &present) == 0;

  *file = (OutputFile) {.path = g_strdup (path) };
  if (is_there && !S_ISREG (present.st_mode))
    file->stream = g_fopen (path, "w");
  else if (!is_there || g_access (path, W_OK) == 0)
    open_beside (file);
  if (file->stream)
    return TRUE;
  FAULT (error, "%s: %s", path, g_strerror (errno));
  if (file->beside)
    g_unlink (file->beside);
  clear (file);
  return FALSE;
}

gboolean
output_file_close (OutputFile *file, gboolean keep, GError **error)
{
  gboolean ok = keep && !ferror (file->stream);

  ok = fclose (file->stream) == 0 && ok;
  if (ok && file->beside)
    ok = g_rename (file->beside, file->target) == 0;
  if (keep && !ok)
    FAULT (error, "%s: %s", file->path, g_strerror (errno));
  if (!ok && file->beside)
    g_unlink (file->beside);
  clear (file);
  return ok;
}
