/* robocache: files and messages of bags that are compressed by zstd
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BAG_ZSTD_H
#define ROBOCACHE_BAG_ZSTD_H

#include "common/mcap/read/definitions.h"

G_BEGIN_DECLS

/* Whether bytes begin as a frame does. No message in CDR does: its first byte is 0. */
gboolean robocache_is_zstd (RobocacheMcapBytes bytes);

/* The context of the library, and the last message. Not for two threads at once. */
typedef struct _RobocacheZstdMessage RobocacheZstdMessage;
RobocacheZstdMessage *robocache_zstd_message_new (void);
void robocache_zstd_message_free (RobocacheZstdMessage * message);
/* Decompresses a message, in place of the one before; its memory grows with what comes out. FALSE and an error: damaged, or larger
 * than 1 GiB. */
gboolean robocache_zstd_message_read (RobocacheZstdMessage * message, RobocacheMcapBytes bytes, RobocacheMcapBytes * content,
    GError ** error);

/* The same for a message of a recording that may be compressed; definitions name it in the error. */
gboolean robocache_zstd_message_unpack (RobocacheZstdMessage * context, const RobocacheMcapDefinitions * definitions,
    RobocacheMcapMessage * message, GError ** error);

/* Decompresses a file to another one, from their positions on. *is_stopped, atomic, ends it. FALSE and an error that names the file:
 * damaged, cut, stopped, or no space. */
gboolean robocache_zstd_decompress_file (int from, int to, const gchar * name, const gint * is_stopped, GError ** error);

G_END_DECLS
#endif
