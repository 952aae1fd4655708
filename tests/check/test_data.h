/* robocache: where the recordings to test with are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TEST_DATA_H
#define TEST_DATA_H

#include <glib.h>
#include <stdio.h>

/* The path of a recording, in ROBOCACHE_TEST_DATA or where the build was told; NULL after a line that says SKIP when it is
 * not there. */
static inline gchar *
test_data_path (const gchar *test, const gchar *file)
{
  const gchar *folder = g_getenv ("ROBOCACHE_TEST_DATA");
  gchar *path = g_build_filename (folder ? folder : ROBOCACHE_TEST_DATA_DEFAULT, file, NULL);

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return path;
  printf ("SKIP %s: there is no %s\n", test, path);
  fflush (stdout);
  g_free (path);
  return NULL;
}

#endif
