/* robocache: writes MCAP files
 *
 * The writer makes a file from filled chunks, in order. A function of the caller writes the bytes to memory, a disk or a
 * pipeline. The same input gives the same bytes. After an error of this function, the writer writes nothing more.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "chunk.h"
#include "compression.h"

/* Writes pieces, one after another; they are valid only during the call. */
typedef gboolean (*RobocacheMcapWrite) (gpointer user_data, const RobocacheMcapBytes * pieces, guint n_pieces, GError ** error);

typedef struct _RobocacheMcapWriter RobocacheMcapWriter;

RobocacheMcapWriter *robocache_mcap_writer_new (RobocacheMcapCompression compression, RobocacheMcapWrite write, gpointer user_data);
void robocache_mcap_writer_free (RobocacheMcapWriter * writer);

/* Writes the beginning of a file; call it once per writer. */
gboolean robocache_mcap_writer_begin (RobocacheMcapWriter * writer, const gchar * profile, const gchar * library, GError ** error);
/* Writes a chunk with its message indexes, unless it is empty. The caller keeps the chunk, which is unchanged. */
gboolean robocache_mcap_writer_add_chunk (RobocacheMcapWriter * writer, const RobocacheMcapChunk * chunk, GError ** error);
/* Writes an attachment, and computes its CRC. */
gboolean robocache_mcap_writer_add_attachment (RobocacheMcapWriter * writer, const RobocacheMcapAttachment * attachment,
    GError ** error);
/* Writes metadata, a map made by robocache_mcap_append_text. */
gboolean robocache_mcap_writer_add_metadata (RobocacheMcapWriter * writer, const RobocacheMcapMetadata * metadata, GError ** error);
/* Writes the summary: definitions, indexes, statistics. This must be the last call. */
gboolean robocache_mcap_writer_finish (RobocacheMcapWriter * writer, GError ** error);
