/* robocache: compresses and decompresses chunks by libzstd, liblz4 and libbz2, and checks MCAP chunks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "buffer.h"
#include "records.h"

typedef enum
{
  ROBOCACHE_MCAP_UNCOMPRESSED,
  ROBOCACHE_MCAP_ZSTD,
  ROBOCACHE_MCAP_LZ4,           /* frames of LZ4 */
  ROBOCACHE_MCAP_N_COMPRESSIONS,
  ROBOCACHE_MCAP_BZIP2 = ROBOCACHE_MCAP_N_COMPRESSIONS  /* in bags of ROS 1; only for reading */
} RobocacheMcapCompression;

/* The name of a compression in files: "", "zstd" or "lz4". */
const gchar *robocache_mcap_compression_name (RobocacheMcapCompression compression);
/* FALSE and an error that quotes the name: unknown compression. */
gboolean robocache_mcap_compression_find (RobocacheMcapBytes name, RobocacheMcapCompression * compression, GError ** error);

/* Contexts of the libraries, made at their first use. Only one thread at a time may use a codec. */
typedef struct _RobocacheMcapCodec RobocacheMcapCodec;
RobocacheMcapCodec *robocache_mcap_codec_new (void);
void robocache_mcap_codec_free (RobocacheMcapCodec * codec);

/* Replaces the content of `to`. The same input gives the same bytes, with the same version of the library. */
gboolean robocache_mcap_compress (RobocacheMcapCodec * codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    GByteArray * to, GError ** error);
/* Replaces the content of `to`. The memory that is used grows with the actual size of the data, not with `size`. FALSE and an error: damaged, not
 * `size` bytes, or no memory. */
gboolean robocache_mcap_decompress (RobocacheMcapCodec * codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    guint64 size, RobocacheMcapBuffer * to, GError ** error);

/* Decompresses a chunk into memory if needed, and checks size and CRC. records point into memory, or into the chunk itself. FALSE and an
 * error: damaged, larger than max_bytes, or no memory. */
gboolean robocache_mcap_unpack (RobocacheMcapCodec * codec, const RobocacheMcapChunkRecord * chunk, guint64 max_bytes,
    RobocacheMcapBuffer * memory, RobocacheMcapBytes * records, GError ** error);
