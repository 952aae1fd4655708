/* robocache: compression of chunks, through libzstd, liblz4 and libbz2, and checks of MCAP chunks that are read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "compression.h"

#include <bzlib.h>
#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "common/element/errors.h"

/* The fastest level that is not negative: a robot compresses while it drives. */
#define ZSTD_LEVEL 1
/* Maximum memory that is allocated before the first byte comes out, for any announced size. */
#define MAX_FIRST_ROOM (4 << 20)

struct _RobocacheMcapCodec
{
  ZSTD_CCtx *zstd_compressor;
  ZSTD_DCtx *zstd_decompressor;
  LZ4F_dctx *lz4_decompressor;
  bz_stream bzip2_decompressor; /* state NULL: not begun */
};

static const gchar *const names[ROBOCACHE_MCAP_N_COMPRESSIONS] = { "", "zstd", "lz4" };

const gchar *
robocache_mcap_compression_name (RobocacheMcapCompression compression)
{
  return names[compression];
}

gboolean
robocache_mcap_compression_find (RobocacheMcapBytes name, RobocacheMcapCompression *compression, GError **error)
{
  gchar *text;

  for (guint i = 0; i < ROBOCACHE_MCAP_N_COMPRESSIONS; i++)
    if (robocache_mcap_text_equal (name, names[i])) {
      *compression = i;
      return TRUE;
    }
  name.size = MIN (name.size, 32);
  text = robocache_mcap_text_dup (name);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "unknown compression \"%s\": expected zstd, lz4 or none", text);
  g_free (text);
  return FALSE;
}

RobocacheMcapCodec *
robocache_mcap_codec_new (void)
{
  return g_new0 (RobocacheMcapCodec, 1);
}

void
robocache_mcap_codec_free (RobocacheMcapCodec *codec)
{
  ZSTD_freeCCtx (codec->zstd_compressor);
  ZSTD_freeDCtx (codec->zstd_decompressor);
  LZ4F_freeDecompressionContext (codec->lz4_decompressor);
  BZ2_bzDecompressEnd (&codec->bzip2_decompressor);
  g_free (codec);
}

static gboolean
fail (GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, what);
  return FALSE;
}

/* Makes room for all that may come out. FALSE: too much for one array. */
static gboolean
make_room (GByteArray *to, guint64 bound, GError **error)
{
  gpointer probe;

  if (bound > G_MAXINT)
    return fail (error, "the chunk is too large to compress");
  /* GLib ends the process where there is no memory, and rounds up */
  probe = bound > to->len ? g_try_malloc (2 * (gsize) bound) : to;
  if (!probe) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_MEMORY, "no memory to compress a chunk to %" G_GUINT64_FORMAT " bytes", bound);
    return FALSE;
  }
  if (probe != to)
    g_free (probe);
  g_byte_array_set_size (to, (guint) bound);
  return TRUE;
}

/* ---- zstd ---- */

static gboolean
compress_zstd (RobocacheMcapCodec *codec, RobocacheMcapBytes bytes, GByteArray *to, GError **error)
{
  gsize size;

  if (!codec->zstd_compressor)
    codec->zstd_compressor = ZSTD_createCCtx ();
  if (!make_room (to, ZSTD_compressBound (bytes.size), error))
    return FALSE;
  size = ZSTD_compressCCtx (codec->zstd_compressor, to->data, to->len, bytes.data, bytes.size, ZSTD_LEVEL);
  if (ZSTD_isError (size))
    return fail (error, ZSTD_getErrorName (size));
  g_byte_array_set_size (to, (guint) size);
  return TRUE;
}

/* All frames at once: a stream would have as much memory again for its window. Memory that no byte comes into is not used. */
static gboolean
decompress_zstd (RobocacheMcapCodec *codec, RobocacheMcapBytes bytes, guint64 size, RobocacheMcapBuffer *to, gsize *done, GError **error)
{
  if (!codec->zstd_decompressor)
    codec->zstd_decompressor = ZSTD_createDCtx ();
  if (!robocache_mcap_buffer_resize (to, (gsize) MAX (size, 1), error))
    return FALSE;
  *done = ZSTD_decompressDCtx (codec->zstd_decompressor, to->data, (gsize) size, bytes.data, bytes.size);
  if (!ZSTD_isError (*done))
    return TRUE;
  switch (ZSTD_getErrorCode (*done)) {
    case ZSTD_error_dstSize_tooSmall:
      return fail (error, "the chunk holds more than it announces");
    case ZSTD_error_srcSize_wrong:
      return fail (error, "the compressed data are truncated");
    default:
      return fail (error, ZSTD_getErrorName (*done));
  }
}

/* ---- LZ4 frames ---- */

static gboolean
compress_lz4 (RobocacheMcapCodec *codec, RobocacheMcapBytes bytes, GByteArray *to, GError **error)
{
  LZ4F_preferences_t preferences = LZ4F_INIT_PREFERENCES;
  gsize size;

  preferences.frameInfo.blockSizeID = LZ4F_max1MB;
  preferences.frameInfo.contentSize = bytes.size;
  if (!make_room (to, LZ4F_compressFrameBound (bytes.size, &preferences), error))
    return FALSE;
  size = LZ4F_compressFrame (to->data, to->len, bytes.data, bytes.size, &preferences);
  if (LZ4F_isError (size))
    return fail (error, LZ4F_getErrorName (size));
  g_byte_array_set_size (to, (guint) size);
  return TRUE;
}

static gboolean
decompress_lz4 (RobocacheMcapCodec *codec, RobocacheMcapBytes *bytes, RobocacheMcapBuffer *to, gsize *done, gboolean *is_complete,
    GError **error)
{
  gsize out = to->size - *done, in = bytes->size;
  const gsize left = LZ4F_decompress (codec->lz4_decompressor, to->data + *done, &out, bytes->data, &in, NULL);

  if (LZ4F_isError (left))
    return fail (error, LZ4F_getErrorName (left));
  bytes->data += in;
  bytes->size -= in;
  *done += out;
  *is_complete = left == 0;
  return TRUE;
}

/* ---- streams of bzip2 ---- */

static gboolean
decompress_bzip2 (RobocacheMcapCodec *codec, RobocacheMcapBytes *bytes, RobocacheMcapBuffer *to, gsize *done, gboolean *is_complete,
    GError **error)
{
  bz_stream *stream = &codec->bzip2_decompressor;
  const guint in = (guint) MIN (bytes->size, G_MAXINT), out = (guint) MIN (to->size - *done, G_MAXINT);
  int result;

  stream->next_in = (char *) bytes->data;
  stream->avail_in = in;
  stream->next_out = (char *) to->data + *done;
  stream->avail_out = out;
  /* one that has ended is followed by another one */
  result = stream->state || BZ2_bzDecompressInit (stream, 0, 0) == BZ_OK ? BZ2_bzDecompress (stream) : BZ_MEM_ERROR;
  bytes->data += in - stream->avail_in;
  bytes->size -= in - stream->avail_in;
  *done += out - stream->avail_out;
  *is_complete = result == BZ_STREAM_END;
  if (result != BZ_OK)
    BZ2_bzDecompressEnd (stream);
  return result == BZ_OK || result == BZ_STREAM_END || fail (error, result == BZ_MEM_ERROR ? "no memory for bzip2" : "the data are "
      "not bzip2 data");
}

/* ---- any ---- */

gboolean
robocache_mcap_compress (RobocacheMcapCodec *codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    GByteArray *to, GError **error)
{
  if (compression == ROBOCACHE_MCAP_ZSTD)
    return compress_zstd (codec, bytes, to, error);
  if (compression == ROBOCACHE_MCAP_LZ4)
    return compress_lz4 (codec, bytes, to, error);
  if (!make_room (to, 0, error) || !make_room (to, bytes.size, error))
    return FALSE;
  g_byte_array_set_size (to, 0);
  g_byte_array_append (to, bytes.data, (guint) bytes.size);
  return TRUE;
}

typedef gboolean (*Decompress) (RobocacheMcapCodec * codec, RobocacheMcapBytes * bytes, RobocacheMcapBuffer * to, gsize * done,
    gboolean * is_complete, GError ** error);

/* The function of a compression, ready for a new frame. */
static Decompress
begin_decompression (RobocacheMcapCodec *codec, RobocacheMcapCompression compression)
{
  if (compression == ROBOCACHE_MCAP_BZIP2) {
    BZ2_bzDecompressEnd (&codec->bzip2_decompressor);
    return decompress_bzip2;
  }
  if (!codec->lz4_decompressor)
    LZ4F_createDecompressionContext (&codec->lz4_decompressor, LZ4F_VERSION);
  LZ4F_resetDecompressionContext (codec->lz4_decompressor);
  return decompress_lz4;
}

/* Decompresses consecutive frames until the input ends. The output has one byte more than announced, to detect content that is too long. */
static gboolean
decompress_frames (RobocacheMcapCodec *codec, Decompress decompress, RobocacheMcapBytes bytes, guint64 size, RobocacheMcapBuffer *to,
    gsize *done, GError **error)
{
  gboolean is_complete = bytes.size == 0;

  if (!robocache_mcap_buffer_resize (to, (gsize) MIN (size + 1, MAX_FIRST_ROOM), error))
    return FALSE;
  while (bytes.size > 0 || (!is_complete && *done == to->size)) {
    const gsize in_before = bytes.size, done_before = *done;

    if (*done == to->size && to->size <= size
        && !robocache_mcap_buffer_resize (to, (gsize) MIN (size + 1, 2 * (guint64) to->size), error))
      return FALSE;
    if (!decompress (codec, &bytes, to, done, &is_complete, error))
      return FALSE;
    if (*done > size)
      return fail (error, "the chunk holds more than it announces");
    if (bytes.size == in_before && *done == done_before)
      break;
  }
  return is_complete || fail (error, "the compressed data are truncated");
}

gboolean
robocache_mcap_decompress (RobocacheMcapCodec *codec, RobocacheMcapCompression compression, RobocacheMcapBytes bytes,
    guint64 size, RobocacheMcapBuffer *to, GError **error)
{
  gsize done = 0;

  if (size >= G_MAXINT)
    return fail (error, "the chunk announces too many bytes");
  to->size = 0;
  if (compression == ROBOCACHE_MCAP_UNCOMPRESSED) {
    done = bytes.size;
    if (done == size && !robocache_mcap_buffer_append (to, bytes.data, done, error))
      return FALSE;
  } else if (compression == ROBOCACHE_MCAP_ZSTD) {
    if (!decompress_zstd (codec, bytes, size, to, &done, error))
      return FALSE;
  } else if (!decompress_frames (codec, begin_decompression (codec, compression), bytes, size, to, &done, error)) {
    return FALSE;
  }
  to->size = MIN (done, to->size);
  return done == size || fail (error, "the chunk holds less than it announces");
}

/* ---- chunks that are read ---- */

static gboolean
check_size (const RobocacheMcapChunkRecord *chunk, guint64 max_bytes, GError **error)
{
  if (chunk->uncompressed_size <= max_bytes)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the chunk announces %" G_GUINT64_FORMAT " bytes, more than %"
      G_GUINT64_FORMAT " (max-message-bytes)", chunk->uncompressed_size, max_bytes);
  return FALSE;
}

/* A CRC of 0 means that there is no CRC. */
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
get_records (RobocacheMcapCodec *codec, const RobocacheMcapChunkRecord *chunk, RobocacheMcapBuffer *memory,
    RobocacheMcapBytes *records, GError **error)
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
  *records = (RobocacheMcapBytes) {memory->data, memory->size};
  return TRUE;
}

gboolean
robocache_mcap_unpack (RobocacheMcapCodec *codec, const RobocacheMcapChunkRecord *chunk, guint64 max_bytes,
    RobocacheMcapBuffer *memory, RobocacheMcapBytes *records, GError **error)
{
  return check_size (chunk, max_bytes, error) && get_records (codec, chunk, memory, records, error) && check_crc (chunk, *records, error);
}
