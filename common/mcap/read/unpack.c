/* robocache: the records of an MCAP chunk that is read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "unpack.h"

#include <zlib.h>

#include "common/mcap/chunk.h"
#include "common/element/errors.h"

static gboolean
check_size (const RobocacheMcapChunkRecord *chunk, GError **error)
{
  if (chunk->uncompressed_size <= ROBOCACHE_MCAP_MAX_CHUNK_SIZE)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the chunk announces %" G_GUINT64_FORMAT " bytes, more than %"
      G_GSIZE_FORMAT, chunk->uncompressed_size, ROBOCACHE_MCAP_MAX_CHUNK_SIZE);
  return FALSE;
}

/* A CRC of 0 is none. */
static gboolean
check_crc (const RobocacheMcapChunkRecord *chunk, RobocacheMcapBytes records, GError **error)
{
  guint32 crc;

  if (chunk->uncompressed_crc == 0)
    return TRUE;
  crc = (guint32) crc32 (0, NULL, 0);
  if (records.size > 0)
    crc = (guint32) crc32_z (crc, records.data, records.size);
  if (crc == chunk->uncompressed_crc)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the chunk is damaged: its CRC is 0x%08x, expected 0x%08x", crc,
      chunk->uncompressed_crc);
  return FALSE;
}

static gboolean
get_records (RobocacheMcapCodec *codec, const RobocacheMcapChunkRecord *chunk, GByteArray *memory, RobocacheMcapBytes *records,
    GError **error)
{
  RobocacheMcapCompression compression;

  if (!robocache_mcap_compression_find (chunk->compression, &compression, error))
    return FALSE;
  if (compression == ROBOCACHE_MCAP_UNCOMPRESSED) {
    *records = chunk->records;
    return TRUE;
  }
  if (!robocache_mcap_decompress (codec, compression, chunk->records, chunk->uncompressed_size, memory, error))
    return FALSE;
  *records = (RobocacheMcapBytes) {memory->data, memory->len};
  return TRUE;
}

gboolean
robocache_mcap_unpack (RobocacheMcapCodec *codec, const RobocacheMcapChunkRecord *chunk, GByteArray *memory,
    RobocacheMcapBytes *records, GError **error)
{
  return check_size (chunk, error) && get_records (codec, chunk, memory, records, error) && check_crc (chunk, *records, error);
}
