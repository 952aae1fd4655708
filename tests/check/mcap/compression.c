/* robocache: compression of MCAP chunks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"
#include "tests/check/lib/checks.h"

/* Bytes with a pattern that compresses, of random ones, or zeros. */
typedef enum
{ PATTERN, RANDOM, ZEROS, N_KINDS } Kind;

static GByteArray *
make_input (Kind kind, gsize size)
{
  GByteArray *array = g_byte_array_new ();
  GRand *random = g_rand_new_with_seed (7);

  g_byte_array_set_size (array, (guint) size);
  for (gsize i = 0; i < size; i++)
    array->data[i] = kind == ZEROS ? 0 : kind == PATTERN ? (guint8) (i / 7 % 50) : (guint8) g_rand_int (random);
  g_rand_free (random);
  return array;
}

static const gsize sizes[] = { 0, 1, 100, 65536, 3 << 20, 9 << 20 };

static RobocacheMcapBytes
bytes_of (const GByteArray *array)
{
  return (RobocacheMcapBytes) {array->data, array->len};
}

GST_START_TEST (test_round_trip)
{
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *packed = g_byte_array_new (), *again = g_byte_array_new ();
  RobocacheMcapBuffer out = { 0 };

  for (guint kind = 0; kind < N_KINDS; kind++)
    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++) {
      GByteArray *input = make_input (kind, sizes[i]);

      fail_unless (robocache_mcap_compress (codec, __i__, bytes_of (input), packed, NULL));
      fail_unless (robocache_mcap_compress (codec, __i__, bytes_of (input), again, NULL));
      fail_unless (packed->len == again->len && memcmp (packed->data, again->data, packed->len) == 0);
      if (__i__ != ROBOCACHE_MCAP_UNCOMPRESSED && kind != RANDOM && input->len > 1000)
        fail_unless (packed->len < input->len / 5, "%u of %u bytes", packed->len, input->len);
      fail_unless (robocache_mcap_decompress (codec, __i__, bytes_of (packed), input->len, &out, NULL));
      fail_unless (out.size == input->len && (out.size == 0 || memcmp (out.data, input->data, out.size) == 0));
      g_byte_array_unref (input);
    }
  g_byte_array_unref (packed);
  g_byte_array_unref (again);
  robocache_mcap_buffer_clear (&out);
  robocache_mcap_codec_free (codec);
}

GST_END_TEST;

/* Announced sizes that are not the true one, data that are cut or damaged: an error, and the codec works on. */
GST_START_TEST (test_damaged)
{
  static const guint64 announced[] = { 0, 1, 99999, 100001, G_MAXINT, G_MAXUINT32, (guint64) 1 << 40, G_MAXUINT64 };
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *input = make_input (PATTERN, 100000), *packed = g_byte_array_new ();
  RobocacheMcapBuffer out = { 0 };
  const gboolean is_packed = __i__ != ROBOCACHE_MCAP_UNCOMPRESSED;

  fail_unless (robocache_mcap_compress (codec, __i__, bytes_of (input), packed, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (announced); i++) {
    GError *error = NULL;

    fail_if (robocache_mcap_decompress (codec, __i__, bytes_of (packed), announced[i], &out, &error));
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA));
    g_clear_error (&error);
  }
  for (guint size = 0; size < packed->len; size += is_packed ? 1 : 1000)
    fail_if (robocache_mcap_decompress (codec, __i__, (RobocacheMcapBytes) {packed->data, size}, input->len, &out, NULL));
  /* its magic number */
  packed->data[0] ^= 0x10;
  fail_unless_equals_int (robocache_mcap_decompress (codec, __i__, bytes_of (packed), input->len, &out, NULL), !is_packed);
  packed->data[0] ^= 0x10;
  fail_unless (robocache_mcap_decompress (codec, __i__, bytes_of (packed), input->len, &out, NULL));
  g_byte_array_unref (input);
  g_byte_array_unref (packed);
  robocache_mcap_buffer_clear (&out);
  robocache_mcap_codec_free (codec);
}

GST_END_TEST;

/* The output's memory follows what comes out. */
GST_START_TEST (test_memory)
{
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *input = make_input (PATTERN, 1000), *packed = g_byte_array_new ();
  RobocacheMcapBuffer out = { 0 };

  fail_unless (robocache_mcap_compress (codec, __i__, bytes_of (input), packed, NULL));
  fail_if (robocache_mcap_decompress (codec, __i__, bytes_of (packed), G_MAXINT - 1, &out, NULL));
  fail_unless (out.size <= 8 << 20, "%" G_GSIZE_FORMAT " bytes", out.size);
  g_byte_array_unref (input);
  g_byte_array_unref (packed);
  robocache_mcap_buffer_clear (&out);
  robocache_mcap_codec_free (codec);
}

GST_END_TEST;

/* Frames that lie one behind the other are one stream. */
GST_START_TEST (test_two_frames)
{
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *input = make_input (RANDOM, 1000), *packed = g_byte_array_new (), *both = g_byte_array_new ();
  RobocacheMcapBuffer out = { 0 };

  fail_unless (robocache_mcap_compress (codec, __i__, bytes_of (input), packed, NULL));
  g_byte_array_append (both, packed->data, packed->len);
  g_byte_array_append (both, packed->data, packed->len);
  fail_unless (robocache_mcap_decompress (codec, __i__, bytes_of (both), 2000, &out, NULL));
  fail_unless (memcmp (out.data, input->data, 1000) == 0 && memcmp (out.data + 1000, input->data, 1000) == 0);
  g_byte_array_unref (input);
  g_byte_array_unref (packed);
  g_byte_array_unref (both);
  robocache_mcap_buffer_clear (&out);
  robocache_mcap_codec_free (codec);
}

GST_END_TEST;

GST_START_TEST (test_names)
{
  RobocacheMcapCompression compression;
  GError *error = NULL;

  for (guint i = 0; i < ROBOCACHE_MCAP_N_COMPRESSIONS; i++) {
    fail_unless (robocache_mcap_compression_find (robocache_mcap_text (robocache_mcap_compression_name (i)), &compression, NULL));
    fail_unless_equals_int (compression, i);
  }
  fail_if (robocache_mcap_compression_find (robocache_mcap_text ("bz2"), &compression, &error));
  fail_unless (strstr (error->message, "\"bz2\"") != NULL);
  g_clear_error (&error);
}

GST_END_TEST;

CHECK_MAIN (compression, NULL, NULL, TIMES (ROBOCACHE_MCAP_N_COMPRESSIONS, test_round_trip),
    TIMES (ROBOCACHE_MCAP_N_COMPRESSIONS, test_damaged), TIMES (ROBOCACHE_MCAP_N_COMPRESSIONS, test_memory),
    TIMES (ROBOCACHE_MCAP_N_COMPRESSIONS, test_two_frames), ONCE (test_names))
