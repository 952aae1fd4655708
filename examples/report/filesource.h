/* robocache: a file as a source of an MCAP reader
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef REPORT_FILESOURCE_H
#define REPORT_FILESOURCE_H

#include "common/mcap/read/source.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheMcapSource source;
  gint descriptor;
} ReportFileSource;

/* FALSE and an error: it is no file that can be read. */
gboolean report_file_source_open (ReportFileSource * file, const gchar * path, GError ** error);
void report_file_source_close (ReportFileSource * file);

G_END_DECLS
#endif
