/* robocache: the index of an MCAP file from a walk over its records
 *
 * For files without summary, that were cut, or hold messages outside chunks. Only heads are read, where chunks have message indexes
 * behind them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_FILESCAN_H
#define ROBOCACHE_MCAP_FILESCAN_H

#include "fileindex.h"

G_BEGIN_DECLS

/* Fills an empty index. A file that is cut ends with its last whole record. FALSE and an error: no MCAP file, or the source cannot be
 * read. */
gboolean robocache_mcap_file_scan (const RobocacheMcapSource * source, RobocacheMcapFileIndex * index, GError ** error);

G_END_DECLS
#endif
