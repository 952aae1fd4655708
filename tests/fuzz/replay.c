/* robocache: runs the inputs of a fuzzer's corpus, each of which must do no harm
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>

#include "input.h"

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return g_strcmp0 (*(const gchar * const *) a, *(const gchar * const *) b);
}

static GPtrArray *
list_files (const gchar *folder)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while (dir && (name = g_dir_read_name (dir)))
    g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  if (dir)
    g_dir_close (dir);
  g_ptr_array_sort (paths, compare_names);
  return paths;
}

/* A failure ends the process, and the last line says which input it was. */
static void
replay (const gchar *path)
{
  gchar *bytes, *name = g_path_get_basename (path);
  GError *error = NULL;
  gsize n;

  printf ("%s\n", name);
  fflush (stdout);
  if (!g_file_get_contents (path, &bytes, &n, &error)) {
    printf ("FAIL fuzz: %s\n", error->message);
    exit (EXIT_FAILURE);
  }
  LLVMFuzzerTestOneInput ((const uint8_t *) bytes, n);
  printf ("PASS fuzz_%s\n", name);
  g_free (bytes);
  g_free (name);
}

int
main (int argc, char **argv)
{
  LLVMFuzzerInitialize (&argc, &argv);
  for (int i = 1; i < argc; i++) {
    GPtrArray *paths = g_file_test (argv[i], G_FILE_TEST_IS_DIR) ? list_files (argv[i]) : NULL;

    if (paths == NULL)
      replay (argv[i]);
    for (guint k = 0; paths && k < paths->len; k++)
      replay (g_ptr_array_index (paths, k));
    g_clear_pointer (&paths, g_ptr_array_unref);
  }
  return EXIT_SUCCESS;
}
