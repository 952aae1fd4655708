/* robocache: a file that is written whole or not at all
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_EXAMPLES_OUTPUTFILE_H
#define ROBOCACHE_EXAMPLES_OUTPUTFILE_H

#include <glib.h>
#include <stdio.h>

G_BEGIN_DECLS

/* A file beside the one at path, until it is kept. Devices and pipes are written in place. One at a time. */
typedef struct
{
  FILE *stream;
  gchar *path;
  gchar *target, *beside;       /* NULL: written in place */
} OutputFile;

/* FALSE and an error when the file cannot be written. SIGINT, SIGTERM and SIGHUP remove the file beside. */
gboolean output_file_open (OutputFile * file, const gchar * path, GError ** error);

/* Closes the file. It replaces the one at path when keep is set and all was written; otherwise that one is as it was. FALSE and,
 * when keep is set, an error for a write that failed. */
gboolean output_file_close (OutputFile * file, gboolean keep, GError ** error);

G_END_DECLS
#endif
