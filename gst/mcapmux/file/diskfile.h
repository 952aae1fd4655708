/* robocache: a file that survives crashes: written without a buffer, and synchronized to the disk by its own thread
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/records.h"

typedef struct _MuxDiskFile MuxDiskFile;

/* Makes a file from a descriptor (taken) at the beginning of an empty file. sync_interval_ns 0: never synchronize. Errors are
 * GST_RESOURCE_ERROR. */
MuxDiskFile *mux_disk_file_new (int descriptor, const gchar * path, guint64 sync_interval_ns);

/* Appends pieces. If they do not fit on the disk, the file ends before them, and is still valid. FALSE and an error: failed. */
gboolean mux_disk_file_write (MuxDiskFile * file, const RobocacheMcapBytes * pieces, guint n_pieces, GError ** error);

/* Synchronizes the file once more and closes it. FALSE and an error: the disk failed. file is freed in any case. */
gboolean mux_disk_file_close (MuxDiskFile * file, GError ** error);
