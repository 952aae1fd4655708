/* robocache: what a program writes is none of its inputs, no file twice, and no file that exists unless the user asks for it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "output.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "program.h"

/* Folders below a folder: more are no recording. */
#define MAX_DEPTH 8

/* A file that exists, or the place of one that does not: its folder, and its name there. */
typedef struct
{
  GStatBuf stat;                /* of the file, or of its folder */
  gchar *name;                  /* NULL: the file exists */
} Identity;

static gboolean
is_same_file (const GStatBuf *a, const GStatBuf *b)
{
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && !S_ISCHR (a->st_mode);
}

/* FALSE: nothing is to be written, or its folder does not exist. */
static gboolean
identify (Identity *identity, const OutputName *output)
{
  gchar *folder;
  gboolean is_known;

  identity->name = NULL;
  if (!output->path || *output->path == '\0')
    return FALSE;
  if (output->is_standard_output && g_str_equal (output->path, "-"))
    return fstat (STDOUT_FILENO, &identity->stat) == 0;
  if (g_stat (output->path, &identity->stat) == 0)
    return TRUE;
  folder = g_path_get_dirname (output->path);
  is_known = g_stat (folder, &identity->stat) == 0;
  g_free (folder);
  if (is_known)
    identity->name = g_path_get_basename (output->path);
  return is_known;
}

/* ---- inputs ---- */

static gboolean is_below (const gchar * folder, const GStatBuf * file, guint depth);

static gboolean
is_file_of (const gchar *path, const GStatBuf *file, guint depth)
{
  GStatBuf found;

  if (g_stat (path, &found) != 0)
    return FALSE;
  return is_same_file (&found, file) || (S_ISDIR (found.st_mode) && is_below (path, file, depth));
}

/* Links to folders are not followed: they may lead back. */
static gboolean
is_below (const gchar *folder, const GStatBuf *file, guint depth)
{
  GDir *dir = depth < MAX_DEPTH ? g_dir_open (folder, 0, NULL) : NULL;
  const gchar *name;
  gboolean is = FALSE;

  while (dir && !is && (name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);
    const gboolean leads_to_folder = g_file_test (path, G_FILE_TEST_IS_SYMLINK) && g_file_test (path, G_FILE_TEST_IS_DIR);

    is = !leads_to_folder && is_file_of (path, file, depth + 1);
    g_free (path);
  }
  g_clear_pointer (&dir, g_dir_close);
  return is;
}

/* A folder as the output is another error. */
static gboolean
check_inputs (const OutputName *output, const Identity *identity, const gchar *const *inputs, GError **error)
{
  for (guint i = 0; !identity->name && !S_ISDIR (identity->stat.st_mode) && inputs[i]; i++) {
    if (is_file_of (inputs[i], &identity->stat, 0)) {
      FAULT (error, "%s %s is one of the inputs; write to another file", output->option, output->path);
      return FALSE;
    }
  }
  return TRUE;
}

/* ---- other outputs ---- */

static gboolean
check_other (const OutputName *output, const Identity *identity, const OutputName *other_output, GError **error)
{
  Identity other;
  gboolean is_same;

  if (!identify (&other, other_output))
    return TRUE;
  is_same = g_strcmp0 (identity->name, other.name) == 0 && is_same_file (&identity->stat, &other.stat);
  g_free (other.name);
  if (is_same)
    FAULT (error, "%s %s and %s %s are the same file; write to two files", other_output->option, other_output->path, output->option,
        output->path);
  return !is_same;
}

/* Devices, pipes and standard output are written in place. */
static gboolean
check_existing (const OutputName *output, GError **error)
{
  const gboolean is_standard_output = output->is_standard_output && g_strcmp0 (output->path, "-") == 0;

  if (output->may_replace || !output->path || is_standard_output || !g_file_test (output->path, G_FILE_TEST_IS_REGULAR))
    return TRUE;
  FAULT (error, "%s %s exists; write to another file, or set --overwrite", output->option, output->path);
  return FALSE;
}

/* Whether it is none of the inputs, and none of the outputs before it. */
static gboolean
check_output (const OutputName *outputs, guint i, const gchar *const *inputs, GError **error)
{
  Identity identity;
  gboolean ok = TRUE;

  if (!identify (&identity, &outputs[i]))
    return TRUE;
  ok = check_inputs (&outputs[i], &identity, inputs, error);
  for (guint k = 0; ok && k < i; k++)
    ok = check_other (&outputs[i], &identity, &outputs[k], error);
  g_free (identity.name);
  return ok;
}

gboolean
output_check (const OutputName *outputs, guint n_outputs, const gchar *const *inputs, GError **error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < n_outputs; i++)
    ok = check_output (outputs, i, inputs, error);
  for (guint i = 0; ok && i < n_outputs; i++)
    ok = check_existing (&outputs[i], error);
  return ok;
}
