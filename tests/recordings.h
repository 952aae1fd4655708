/* robocache: recordings that tests read, which may be absent
 *
 * They lie in $ROBOCACHE_TEST_DATA, by default in the folder the build was told. A test that lacks one says so on
 * stdout, where the test runner counts it, and passes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Path of a recording, or NULL after saying that test is skipped. Lives until the next call. */
static inline const char *
recording_path (const char *test, const char *name)
{
  static char path[4096];
  const char *folder = getenv ("ROBOCACHE_TEST_DATA");

  snprintf (path, sizeof (path), "%s/%s", folder && *folder ? folder : ROBOCACHE_TEST_DATA_DEFAULT, name);
  if (access (path, R_OK) == 0)
    return path;
  printf ("SKIP %s: %s is not there (set ROBOCACHE_TEST_DATA)\n", test, path);
  fflush (stdout);
  return NULL;
}
