/* robocache: compressed depth images of ROS: RVL, and PNG of 16 bits
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "depthpictures.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"

static gboolean
fail (GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, what);
  return FALSE;
}

/* Takes the size of an image in `size` bytes of data. FALSE and an error: it has no pixels, or too many. */
static gboolean
set_size (RobocacheDepthPicture *picture, guint32 width, guint32 height, gsize size, GError **error)
{
  const guint64 most = ROBOCACHE_MAX_DEPTH_PIXELS (size);

  picture->width = width;
  picture->height = height;
  if (width > 0 && height > 0 && (guint64) width * height <= most)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a depth image of %u x %u pixels, expected 1 to %" G_GUINT64_FORMAT " pixels "
      "in %" G_GSIZE_FORMAT " bytes", width, height, most, size);
  return FALSE;
}

static guint32
little_word (const guint8 *bytes)
{
  return bytes[0] | (guint32) bytes[1] << 8 | (guint32) bytes[2] << 16 | (guint32) bytes[3] << 24;
}

static guint32
big_word (const guint8 *bytes)
{
  return GUINT32_SWAP_LE_BE (little_word (bytes));
}

/* ---- RVL ---- */

/* Four bits at a time, from the highest of each little-endian word. */
typedef struct
{
  const guint8 *at, *end;
  guint32 word;
  guint n_nibbles;              /* left in the word */
} Nibbles;

/* A number in groups of three bits, the lowest first; the fourth bit says that one more follows. FALSE: at the end. */
static gboolean
read_number (Nibbles *nibbles, guint32 *number)
{
  *number = 0;
  for (guint shift = 0;; shift += 3) {
    guint32 nibble;

    if (nibbles->n_nibbles == 0) {
      if (nibbles->end - nibbles->at < 4)
        return FALSE;
      nibbles->word = little_word (nibbles->at);
      nibbles->at += 4;
      nibbles->n_nibbles = 8;
    }
    nibble = nibbles->word >> 28;
    nibbles->word <<= 4;
    nibbles->n_nibbles--;
    if (shift < 32)
      *number |= (nibble & 7) << shift;
    if (!(nibble & 8))
      return TRUE;
  }
}

/* Pairs of runs: of zeros, and of differences from the pixel before. */
static gboolean
read_runs (Nibbles *nibbles, guint16 *pixels, gsize n)
{
  guint32 previous = 0;

  while (n > 0) {
    guint32 zeros, others, difference;

    if (!read_number (nibbles, &zeros) || zeros > n)
      return FALSE;
    memset (pixels, 0, zeros * sizeof (*pixels));
    pixels += zeros;
    n -= zeros;
    if (!read_number (nibbles, &others) || others > n || zeros + (guint64) others == 0)
      return FALSE;
    for (n -= others; others > 0; others--) {
      if (!read_number (nibbles, &difference))
        return FALSE;
      previous += (difference >> 1) ^ (0 - (difference & 1));
      *pixels++ = (guint16) previous;
    }
  }
  return TRUE;
}

gboolean
robocache_rvl_read (const guint8 *bytes, gsize size, RobocacheDepthPicture *picture, GError **error)
{
  Nibbles nibbles = {.at = bytes + 8,.end = bytes + size };

  picture->pixels = NULL;
  if (size < 8)
    return fail (error, "RVL: the image ends before its size");
  if (!set_size (picture, little_word (bytes), little_word (bytes + 4), size, error))
    return FALSE;
  picture->pixels = g_try_new (guint16, (gsize) picture->width * picture->height);
  if (!picture->pixels)
    return fail (error, "RVL: no memory");
  if (read_runs (&nibbles, picture->pixels, (gsize) picture->width * picture->height))
    return TRUE;
  g_clear_pointer (&picture->pixels, g_free);
  return fail (error, "RVL: the image is truncated or damaged");
}

/* ---- PNG ---- */

#define PNG_MAGIC "\x89PNG\r\n\x1a\n"
#define PNG_MAGIC_SIZE 8
/* Bytes of a 16-bit pixel. */
#define PIXEL_BYTES 2

typedef struct
{
  RobocacheDepthPicture *picture;
  gsize file_bytes;
  z_stream stream;
  guint8 *lines;                /* [height][1 + 2 width]: a filter, and the bytes of the pixels */
  gsize size;
} Png;

/* The header; FALSE and an error: it is of another kind. */
static gboolean
begin_png (Png *png, const guint8 *head, gsize size, GError **error)
{
  if (size < 13 || head[8] != 16 || head[9] != 0 || head[10] != 0 || head[11] != 0 || head[12] != 0)
    return fail (error, "PNG: expected one channel of 16 bits, not interlaced");
  if (png->lines)
    return fail (error, "PNG: the image has two headers");
  if (!set_size (png->picture, big_word (head), big_word (head + 4), png->file_bytes, error))
    return FALSE;
  png->size = (gsize) png->picture->height * (1 + PIXEL_BYTES * (gsize) png->picture->width);
  png->lines = g_try_malloc (png->size);
  if (!png->lines)
    return fail (error, "PNG: no memory");
  png->stream.next_out = png->lines;
  png->stream.avail_out = (uInt) png->size;
  return inflateInit (&png->stream) == Z_OK || fail (error, "PNG: no memory");
}

static guint8
paeth (gint a, gint b, gint c)
{
  const gint p = a + b - c, from_a = ABS (p - a), from_b = ABS (p - b), from_c = ABS (p - c);

  return (guint8) (from_a <= from_b && from_a <= from_c ? a : from_b <= from_c ? b : c);
}

/* Undoes the filter of a line; above: the line before it, or zeros. FALSE: no filter has that number. */
static gboolean
unfilter (guint8 filter, guint8 *line, const guint8 *above, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const guint8 a = i >= PIXEL_BYTES ? line[i - PIXEL_BYTES] : 0, b = above[i], c = i >= PIXEL_BYTES ? above[i - PIXEL_BYTES] : 0;
    const guint8 predictions[] = { 0, a, b, (guint8) ((a + b) / 2), paeth (a, b, c) };

    if (filter >= G_N_ELEMENTS (predictions))
      return FALSE;
    line[i] = (guint8) (line[i] + predictions[filter]);
  }
  return TRUE;
}

/* FALSE and an error: a line has an unknown filter. */
static gboolean
unfilter_lines (const Png *png, GError **error)
{
  const gsize n = PIXEL_BYTES * (gsize) png->picture->width;
  guint8 *zeros = g_malloc0 (n);
  const guint8 *above = zeros;
  gboolean ok = TRUE;

  for (guint32 y = 0; ok && y < png->picture->height; y++) {
    guint8 *line = png->lines + y * (n + 1);

    ok = unfilter (line[0], line + 1, above, n);
    above = line + 1;
  }
  g_free (zeros);
  return ok || fail (error, "PNG: a line has an unknown filter");
}

/* Makes pixels of the lines in their own memory: no pixel is behind its bytes. */
static void
take_pixels (Png *png)
{
  const gsize width = png->picture->width;

  png->picture->pixels = (guint16 *) g_steal_pointer (&png->lines);
  for (gsize i = 0; i < width * png->picture->height; i++) {
    const guint8 *bytes = (const guint8 *) png->picture->pixels + i / width + 1 + PIXEL_BYTES * i;
    const guint16 pixel = (guint16) (bytes[0] << 8 | bytes[1]);

    memcpy (png->picture->pixels + i, &pixel, sizeof (pixel));
  }
}

/* FALSE and an error: the data cannot be decompressed. */
static gboolean
add_data (Png *png, const guint8 *data, gsize size, GError **error)
{
  int result;

  if (!png->lines)
    return fail (error, "PNG: the image has no header");
  png->stream.next_in = (Bytef *) data;
  png->stream.avail_in = (uInt) size;
  result = size > 0 ? inflate (&png->stream, Z_NO_FLUSH) : Z_OK;
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR || fail (error, "PNG: the data are damaged");
}

static gboolean
read_chunks (Png *png, const guint8 *bytes, gsize size, GError **error)
{
  if (size < PNG_MAGIC_SIZE || memcmp (bytes, PNG_MAGIC, PNG_MAGIC_SIZE) != 0)
    return fail (error, "the image is not PNG");
  for (bytes += PNG_MAGIC_SIZE, size -= PNG_MAGIC_SIZE; size >= 12;) {
    const gsize length = big_word (bytes);

    if (length > size - 12)
      break;
    if (crc32 (crc32 (0, NULL, 0), bytes + 4, (uInt) length + 4) != big_word (bytes + 8 + length))
      return fail (error, "PNG: a chunk is damaged: its CRC differs");
    if ((memcmp (bytes + 4, "IHDR", 4) == 0 && !begin_png (png, bytes + 8, length, error))
        || (memcmp (bytes + 4, "IDAT", 4) == 0 && !add_data (png, bytes + 8, length, error)))
      return FALSE;
    bytes += 12 + length;
    size -= 12 + length;
  }
  return (png->lines && png->stream.avail_out == 0) || fail (error, "PNG: the image is truncated");
}

gboolean
robocache_depth_png_read (const guint8 *bytes, gsize size, RobocacheDepthPicture *picture, GError **error)
{
  Png png = {.picture = picture,.file_bytes = size };
  gboolean ok;

  picture->pixels = NULL;
  ok = read_chunks (&png, bytes, size, error) && unfilter_lines (&png, error);
  if (png.lines)
    inflateEnd (&png.stream);
  if (ok)
    take_pixels (&png);
  g_free (png.lines);
  return ok;
}
