/* robocache: a file that survives crashes: written without a buffer, and synchronized to the disk by a thread of its own
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_DISKFILE_H
#define MUX_DISKFILE_H

#include "common/mcap/records.h"

G_BEGIN_DECLS

typedef struct _MuxDiskFile MuxDiskFile;

/* Creates it, or empties the one that is there. sync_interval_ns 0: it is never synchronized. NULL and an error (GST_RESOURCE_ERROR). */
MuxDiskFile *mux_disk_file_open (const gchar * path, guint64 sync_interval_ns, GError ** error);

/* Appends pieces. Where they do not fit on the disk the file ends before them, and is whole. FALSE and an error. */
gboolean mux_disk_file_write (MuxDiskFile * file, const RobocacheMcapBytes * pieces, guint n_pieces, GError ** error);
guint64 mux_disk_file_get_size (const MuxDiskFile * file);
/* How often it was synchronized. */
guint mux_disk_file_get_syncs (MuxDiskFile * file);

/* Synchronizes it once more and closes it. FALSE and an error: the disk failed. file is freed in any case. */
gboolean mux_disk_file_close (MuxDiskFile * file, GError ** error);

G_END_DECLS
#endif
