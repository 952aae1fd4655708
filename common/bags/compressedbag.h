/* robocache: files and messages of bags that are compressed by zstd
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/mcap/buffer.h"
#include "common/mcap/read/fileindex.h"

/* Whether bytes begin like a frame of zstd. A message in CDR never does, since its first byte is 0. */
gboolean robocache_is_zstd (RobocacheMcapBytes bytes);

/* The context of the library, and the last message. Only one thread at a time may use it. */
typedef struct _RobocacheZstdMessage RobocacheZstdMessage;
/* max_bytes 0: a limit by the compressed size (robocache_mcap_max_unpacked). */
RobocacheZstdMessage *robocache_zstd_message_new (guint64 max_bytes);
void robocache_zstd_message_free (RobocacheZstdMessage * message);
/* Decompresses a message of a recording, which may be uncompressed. It replaces the previous one; memory grows with the decompressed size.
 * FALSE and an error, which uses the message's name in definitions: damaged, larger than max_bytes, or no memory. */
gboolean robocache_zstd_message_unpack (RobocacheZstdMessage * context, const RobocacheMcapDefinitions * definitions,
    RobocacheMcapMessage * message, GError ** error);

/* Whether a message may be converted to CDR, which has it in memory once more: without max_bytes (0), 15 MiB and n_bytes of the file is the limit.
 * FALSE and an error that names it: larger. A message in CDR always may. */
gboolean robocache_check_converted_size (const RobocacheMcapDefinitions * definitions, const RobocacheMcapMessage * message,
    guint64 max_bytes, guint64 n_bytes, GError ** error);

/* Decompresses a file to another file, from their positions on. Stops when *is_stopped, which is atomic, is set. FALSE and an error that
 * names the file: damaged, truncated, stopped, or no space. */
gboolean robocache_zstd_decompress_file (int from, int to, const gchar * name, const gint * is_stopped, GError ** error);
