/* robocache: the records of an MCAP chunk that is read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_UNPACK_H
#define ROBOCACHE_MCAP_UNPACK_H

#include "common/mcap/compression.h"

G_BEGIN_DECLS

/* Decompresses into memory, where that is needed, and checks size and CRC. records lie there, or in the chunk itself. FALSE and an
 * error: damaged, or larger than ROBOCACHE_MCAP_MAX_CHUNK_SIZE. */
gboolean robocache_mcap_unpack (RobocacheMcapCodec * codec, const RobocacheMcapChunkRecord * chunk, GByteArray * memory,
    RobocacheMcapBytes * records, GError ** error);

G_END_DECLS
#endif
