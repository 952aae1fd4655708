/* robocache: writes MCAP files
 *
 * Chunks that were filled go in; a file comes out in order, through a function of the caller, which may write to memory, a disk or a
 * pipeline. The same input makes the same bytes. After an error of that function nothing more is written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_WRITER_H
#define ROBOCACHE_MCAP_WRITER_H

#include "chunk.h"
#include "compression.h"

G_BEGIN_DECLS

/* Writes pieces, one behind the other, which are valid during the call alone. */
typedef gboolean (*RobocacheMcapWrite) (gpointer user_data, const RobocacheMcapBytes * pieces, guint n_pieces, GError ** error);

typedef struct _RobocacheMcapWriter RobocacheMcapWriter;

RobocacheMcapWriter *robocache_mcap_writer_new (RobocacheMcapCompression compression, RobocacheMcapWrite write, gpointer user_data);
void robocache_mcap_writer_free (RobocacheMcapWriter * writer);

/* Writes the beginning of a file. Once a writer. */
gboolean robocache_mcap_writer_begin (RobocacheMcapWriter * writer, const gchar * profile, const gchar * library, GError ** error);
/* Writes a chunk with its message indexes, unless it is empty. It stays the caller's, unchanged. */
gboolean robocache_mcap_writer_add_chunk (RobocacheMcapWriter * writer, const RobocacheMcapChunk * chunk, GError ** error);
/* The CRC is computed. */
gboolean robocache_mcap_writer_add_attachment (RobocacheMcapWriter * writer, const RobocacheMcapAttachment * attachment,
    GError ** error);
/* metadata are a map, of robocache_mcap_append_text. */
gboolean robocache_mcap_writer_add_metadata (RobocacheMcapWriter * writer, const RobocacheMcapMetadata * metadata, GError ** error);
/* Writes the summary: definitions, indexes, statistics. Nothing may follow. */
gboolean robocache_mcap_writer_finish (RobocacheMcapWriter * writer, GError ** error);

/* Bytes written so far. */
guint64 robocache_mcap_writer_get_size (const RobocacheMcapWriter * writer);

G_END_DECLS
#endif
