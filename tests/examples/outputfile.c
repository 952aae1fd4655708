/* robocache: a file is replaced when all was written, and otherwise stays as it was
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/checks.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "examples/outputfile.h"

typedef enum
{
  KEEP,
  DISCARD,
  FAIL,                         /* a write fails, and the file is to be kept */
  SIGNAL,
  SIGNAL_AFTER_CLOSE
} End;

static const struct
{
  const gchar *before;          /* content; NULL: there is no file */
  End end;
  int number;                   /* of the signal */
  const gchar *after;
} cases[] = {
  {NULL, KEEP, 0, "new"},
  {"old", KEEP, 0, "new"},
  {NULL, DISCARD, 0, NULL},
  {"old", DISCARD, 0, "old"},
  {NULL, FAIL, 0, NULL},
  {"old", FAIL, 0, "old"},
  {NULL, SIGNAL, SIGINT, NULL},
  {"old", SIGNAL, SIGINT, "old"},
  {"old", SIGNAL, SIGTERM, "old"},
  {"old", SIGNAL, SIGHUP, "old"},
  {"old", SIGNAL_AFTER_CLOSE, SIGTERM, "new"},
};

/* In a process of its own. Status 0: kept; 1: an error of the write; 2: discarded. */
static void
write_new (const gchar *path, End end, int number)
{
  OutputFile file;
  GError *error = NULL;
  gboolean kept;

  if (number)                   /* one that whoever started the test ignores stays ignored, as with nohup */
    signal (number, SIG_DFL);
  if (!output_file_open (&file, path, &error))
    _exit (3);
  if (end == FAIL)
    close (fileno (file.stream));
  fputs ("new", file.stream);
  fflush (file.stream);
  if (end == SIGNAL)
    raise (number);
  kept = output_file_close (&file, end != DISCARD, &error);
  if (end == SIGNAL_AFTER_CLOSE)
    raise (number);
  _exit (kept ? 0 : error ? 1 : 2);
}

static guint
count_files (const gchar *folder)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

GST_START_TEST (replaced_or_as_before)
{
  static const gint exits[] = { [KEEP] = 0, [DISCARD] = 2, [FAIL] = 1 };
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", NULL), *path = g_build_filename (folder, "file", NULL), *content = NULL;
  int status;
  pid_t child;

  if (cases[__i__].before)
    fail_unless (g_file_set_contents (path, cases[__i__].before, -1, NULL));
  child = fork ();
  if (child == 0)
    write_new (path, cases[__i__].end, cases[__i__].number);
  fail_unless (waitpid (child, &status, 0) == child);
  if (cases[__i__].number)
    fail_unless (WIFSIGNALED (status) && WTERMSIG (status) == cases[__i__].number, "status %d", status);
  else
    fail_unless (WIFEXITED (status) && WEXITSTATUS (status) == exits[cases[__i__].end], "status %d", status);
  g_file_get_contents (path, &content, NULL, NULL);
  fail_unless_equals_string (content, cases[__i__].after);
  fail_unless_equals_int (count_files (folder), cases[__i__].after ? 1 : 0);
  g_unlink (path);
  g_rmdir (folder);
  g_free (content);
  g_free (path);
  g_free (folder);
}

GST_END_TEST;

CHECK_MAIN (outputfile, NULL, NULL, EACH (cases, replaced_or_as_before));
