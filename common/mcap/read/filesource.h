/* robocache: bytes of a file on disk
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_FILESOURCE_H
#define ROBOCACHE_MCAP_FILESOURCE_H

#include "source.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheMcapSource source;   /* its user_data is this */
  int fd;
  gchar *name;                  /* in errors */
  gint *is_stopped;             /* atomic: reading fails from then on; NULL: never */
} RobocacheMcapFileSource;

/* Takes an open file, in any case. NULL and an error: its size cannot be known. */
RobocacheMcapFileSource *robocache_mcap_file_source_new (int fd, const gchar * name, gint * is_stopped, GError ** error);
void robocache_mcap_file_source_free (RobocacheMcapFileSource * file);

/* Opens a file to read. -1 and an error that names it. */
int robocache_open_to_read (const gchar * path, GError ** error);

G_END_DECLS
#endif
