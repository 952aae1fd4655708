/* robocache: compression of MCAP chunks, through libzstd and liblz4
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_MCAP_COMPRESSION_H
#define ROBOCACHE_MCAP_COMPRESSION_H

#include "records.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_MCAP_UNCOMPRESSED,
  ROBOCACHE_MCAP_ZSTD,
  ROBOCACHE_MCAP_LZ4,           /* frames */
  ROBOCACHE_MCAP_N_COMPRESSIONS
} RobocacheMcapCompression;

/* "", "zstd" or "lz4", as files have them. */
const gchar *robocache_mcap_compression_name (RobocacheMcapCompression compression);
/* FALSE and an error that quotes the name: none that we know. */
gboolean robocache_mcap_compression_find (RobocacheMcapBytes name, RobocacheMcapCompression * compression, GError ** error);

/* Contexts of the libraries, made when first used. Not for two threads at once. */
typedef struct _RobocacheMcapCodec RobocacheMcapCodec;
RobocacheMcapCodec *robocache_mcap_codec_new (void);
void robocache_mcap_codec_free (RobocacheMcapCodec * codec);

/* Replaces what is in `to`. The same bytes for the same input and version of the library. */
gboolean robocache_mcap_compress (RobocacheMcapCodec * codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    GByteArray * to, GError ** error);
/* Replaces what is in `to`, which grows with what comes out and not with what was announced. FALSE and an error: damaged, or not
 * `size` bytes. */
gboolean robocache_mcap_decompress (RobocacheMcapCodec * codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    guint64 size, GByteArray * to, GError ** error);

G_END_DECLS
#endif
