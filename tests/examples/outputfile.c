/* robocache: a file is replaced when all was written, and otherwise stays as it was; nothing is left beside it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/checks.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "examples/tools/output.h"

typedef enum
{
  KEEP,
  DISCARD,
  FAIL,                         /* a write fails, and the file is to be kept */
  FAIL_SYNC,                    /* the disk fails while it takes the file */
  FAIL_RENAME,
  SIGNAL,
  SIGNAL_AFTER_CLOSE
} End;

static const struct
{
  const gchar *before;          /* content; NULL: there is no file */
  End end;
  int number;                   /* of the signal, or of the fault */
  const gchar *after;
} cases[] = {
  {NULL, KEEP, 0, "new"},
  {"old", KEEP, 0, "new"},
  {NULL, DISCARD, 0, NULL},
  {"old", DISCARD, 0, "old"},
  {NULL, FAIL, 0, NULL},
  {"old", FAIL, 0, "old"},
  {NULL, FAIL_SYNC, EIO, NULL},
  {"old", FAIL_SYNC, EIO, "old"},
  {"old", FAIL_SYNC, ENOSPC, "old"},
  {"old", FAIL_SYNC, EINVAL, "new"},
  {NULL, FAIL_RENAME, EIO, NULL},
  {"old", FAIL_RENAME, EIO, "old"},
  {"old", FAIL_RENAME, ENOSPC, "old"},
  {NULL, SIGNAL, SIGINT, NULL},
  {"old", SIGNAL, SIGINT, "old"},
  {"old", SIGNAL, SIGTERM, "old"},
  {"old", SIGNAL, SIGHUP, "old"},
  {"old", SIGNAL_AFTER_CLOSE, SIGTERM, "new"},
};

/* In place of the C library's: GLib's calls come here, too. 0: all is well. */
static int sync_fault, rename_fault;

int
fsync (int descriptor)
{
  errno = sync_fault;
  return sync_fault ? -1 : 0;
}

int
rename (const char *from, const char *to)
{
  errno = rename_fault;
  return rename_fault ? -1 : renameat (AT_FDCWD, from, AT_FDCWD, to);
}

/* In a process of its own. Status 0: kept; 1: an error of the write; 2: discarded. */
static void
write_new (const gchar *path, End end, int number)
{
  OutputFile file;
  GError *error = NULL;
  gboolean kept;

  sync_fault = end == FAIL_SYNC ? number : 0;
  rename_fault = end == FAIL_RENAME ? number : 0;
  if (end >= SIGNAL)                   /* one that whoever started the test ignores stays ignored, as with nohup */
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
  if (error && number && !strstr (error->message, g_strerror (number)))
    _exit (4);
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
  const gint exits[] = { [KEEP] = 0,[DISCARD] = 2,[FAIL] = 1,[FAIL_SYNC] = cases[__i__].number == EINVAL ? 0 : 1,[FAIL_RENAME] = 1 };
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", NULL), *path = g_build_filename (folder, "file", NULL), *content = NULL;
  int status;
  pid_t child;

  if (cases[__i__].before)
    fail_unless (g_file_set_contents (path, cases[__i__].before, -1, NULL));
  child = fork ();
  if (child == 0)
    write_new (path, cases[__i__].end, cases[__i__].number);
  fail_unless (waitpid (child, &status, 0) == child);
  if (cases[__i__].end >= SIGNAL)
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

static pid_t
start (const gchar *path, End end, int number)
{
  const pid_t child = fork ();

  if (child == 0)
    write_new (path, end, number);
  return child;
}

/* What a killed program leaves is removed by the next one, but not what one that lives is writing, nor a link. */
GST_START_TEST (left_is_removed)
{
  gchar *folder = g_dir_make_tmp ("robocache-XXXXXX", NULL), *path = g_build_filename (folder, "file", NULL);
  gchar *other = g_build_filename (folder, "other", NULL), *link = g_build_filename (folder, ".robocache-linked", NULL);
  int status;
  const pid_t stopped = start (other, SIGNAL, SIGSTOP);

  fail_unless (waitpid (stopped, &status, WUNTRACED) == stopped && WIFSTOPPED (status));
  fail_unless (waitpid (start (path, SIGNAL, SIGKILL), &status, 0) > 0 && WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);
  fail_unless_equals_int (count_files (folder), 2);
  fail_unless (symlink (folder, link) == 0);
  fail_unless (waitpid (start (path, KEEP, 0), &status, 0) > 0 && status == 0);
  fail_unless_equals_int (count_files (folder), 3);
  kill (stopped, SIGCONT);
  fail_unless (waitpid (stopped, &status, 0) == stopped && WIFEXITED (status) && WEXITSTATUS (status) == 0, "status %d", status);
  fail_unless (g_file_test (other, G_FILE_TEST_IS_REGULAR) && g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  fail_unless_equals_int (count_files (folder), 3);
  g_unlink (path);
  g_unlink (other);
  g_unlink (link);
  g_rmdir (folder);
  g_free (link);
  g_free (other);
  g_free (path);
  g_free (folder);
}

GST_END_TEST;

CHECK_MAIN (outputfile, NULL, NULL, EACH (cases, replaced_or_as_before), ONCE (left_is_removed));
