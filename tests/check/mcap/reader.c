/* robocache: MCAP files that lie about themselves, read under a memory limit
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/read/reader.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "tests/check/lib/checks.h"
#include "tests/check/mcap/memorysource.h"
#include "tests/check/lib/memorylimit.h"

#define MEMORY ((guint64) 64 << 20)

/* ---- files ---- */

static GByteArray *
new_file (void)
{
  GByteArray *file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_HEADER, &(RobocacheMcapHeader) {{NULL, 0}, {NULL, 0}});
  return file;
}

static void
append_message (GByteArray *file, guint16 channel, guint64 time)
{
  const RobocacheMcapMessage message = { channel, 0, time, time, {(const guint8 *) "abcd", 4} };

  robocache_mcap_append_record (file, ROBOCACHE_MCAP_MESSAGE, &message);
}

/* A record whose head announces `size` bytes, and which has few. */
static void
append_liar (GByteArray *file, guint8 opcode, guint64 size)
{
  const guint64 announced = GUINT64_TO_LE (size);

  g_byte_array_append (file, &opcode, 1);
  g_byte_array_append (file, (const guint8 *) &announced, sizeof announced);
  g_byte_array_append (file, (const guint8 *) "few bytes", 9);
}

/* A chunk of `size` bytes when unpacked, as it says. */
static void
append_chunk (GByteArray *file, const gchar *compression, const guint8 *packed, gsize n, guint64 size)
{
  const RobocacheMcapChunkRecord chunk = { 5, 5, size, 0, robocache_mcap_text (compression), {packed, n} };

  robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHUNK, &chunk);
}

static void
append_footer (GByteArray *file, guint64 summary_start)
{
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_FOOTER, &(RobocacheMcapFooter) {summary_start});
  g_byte_array_append (file, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
}

/* ---- what they lie about: each has a message at time 1 before ---- */

static void
huge_message (GByteArray *file)
{
  append_liar (file, ROBOCACHE_MCAP_MESSAGE, (guint64) 1 << 29);
}

static void
endless_message (GByteArray *file)
{
  append_liar (file, ROBOCACHE_MCAP_MESSAGE, G_MAXUINT64);
}

static void
endless_chunk (GByteArray *file)
{
  append_liar (file, ROBOCACHE_MCAP_CHUNK, G_MAXINT64);
}

static void
huge_unknown (GByteArray *file)
{
  append_liar (file, 0x77, (guint64) 1 << 40);
}

static void
huge_attachment (GByteArray *file)
{
  append_liar (file, ROBOCACHE_MCAP_ATTACHMENT, (guint64) 1 << 33);
}

/* The same with a message behind it. */
static void
before_a_message (GByteArray *file, void (*append) (GByteArray *file))
{
  append (file);
  append_message (file, 1, 2);
}

static void
huge_message_inside (GByteArray *file)
{
  before_a_message (file, huge_message);
}

static void
endless_message_inside (GByteArray *file)
{
  before_a_message (file, endless_message);
}

static void
endless_chunk_inside (GByteArray *file)
{
  append_chunk (file, "", (const guint8 *) "", 0, 0);
  append_liar (file, ROBOCACHE_MCAP_CHUNK, G_MAXINT64);
  /* in a file with chunks no message is sought outside them */
  append_message (file, 1, 2);
  append_chunk (file, "", (const guint8 *) "", 0, 0);
  append_message (file, 1, 3);
}

static void
huge_unknown_inside (GByteArray *file)
{
  before_a_message (file, huge_unknown);
}

/* A length that swallows what is behind it, and ends there. */
static void
swallowing_message (GByteArray *file)
{
  const guint start = file->len;

  append_message (file, 1, 2);
  append_message (file, 1, 3);
  file->data[start + 1] += 20;
  append_message (file, 1, 4);
}

static void
swallowing_chunk (GByteArray *file)
{
  const guint start = file->len;

  append_chunk (file, "", (const guint8 *) "\5\x16\0\0\0\0\0\0\0" "\1\0" "\0\0\0\0" "\5\0\0\0\0\0\0\0" "\5\0\0\0\0\0\0", 31, 31);
  append_chunk (file, "", (const guint8 *) "", 0, 0);
  file->data[start + 1] += 40;
}

static void
short_channel (GByteArray *file)
{
  append_liar (file, ROBOCACHE_MCAP_CHANNEL, 9);
  append_message (file, 1, 2);
}

/* A frame of zstd that is cut. */
static void
promising_zstd (GByteArray *file)
{
  append_chunk (file, "zstd", (const guint8 *) "\x28\xb5\x2f\xfd\xa4\0\0\0\x30\x01\0", 11, (guint64) 800 << 20);
  append_message (file, 1, 2);
}

/* Some kB that are 100 MB. */
static void
zstd_of_zeros (GByteArray *file)
{
  const gsize size = 100 << 20;
  guint8 *zeros = g_malloc0 (size);
  RobocacheMcapCodec *codec = robocache_mcap_codec_new ();
  GByteArray *packed = g_byte_array_new ();

  fail_unless (robocache_mcap_compress (codec, ROBOCACHE_MCAP_ZSTD, (RobocacheMcapBytes) {zeros, size}, packed, NULL));
  append_chunk (file, "zstd", packed->data, packed->len, size);
  append_message (file, 1, 2);
  g_byte_array_unref (packed);
  robocache_mcap_codec_free (codec);
  g_free (zeros);
}

static void
promising_lz4 (GByteArray *file)
{
  append_chunk (file, "lz4", (const guint8 *) "\x04\x22\x4d\x18\x60\x40\x82", 7, (guint64) 800 << 20);
  append_message (file, 1, 2);
}

static void
chunk_above_limit (GByteArray *file)
{
  append_chunk (file, "zstd", (const guint8 *) "x", 1, (guint64) 1 << 50);
  append_message (file, 1, 2);
}

static void
strange_compression (GByteArray *file)
{
  append_chunk (file, "bzip2", (const guint8 *) "x", 1, 1);
  append_message (file, 1, 2);
}

static void
cut_in_chunk (GByteArray *file)
{
  append_chunk (file, "", (const guint8 *) "\5\xff\xff\xff\xff\xff\xff\xff\x7f", 9, 9);
  append_message (file, 1, 2);
}

static void
short_message (GByteArray *file)
{
  append_chunk (file, "", (const guint8 *) "\5\1\0\0\0\0\0\0\0x", 10, 10);
  append_message (file, 1, 2);
}

static void
summary_is_the_file (GByteArray *file)
{
  append_footer (file, 1);
}

static void
summary_behind_the_end (GByteArray *file)
{
  append_footer (file, G_MAXUINT64);
}

/* A chunk index that leads anywhere. */
static void
lying_index (GByteArray *file)
{
  const RobocacheMcapChunkIndex index = { 0, G_MAXUINT64, 8, (guint64) 1 << 60 };
  const guint64 start = file->len;

  robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHANNEL, &(RobocacheMcapChannel) {1});
  robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHUNK_INDEX, &index);
  append_footer (file, start);
}

/* Chunk indexes that lead to what is no chunk. */
static void
index_of_no_chunk (GByteArray *file)
{
  const guint64 start = file->len;

  robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHANNEL, &(RobocacheMcapChannel) {1});
  for (guint64 i = 0; i < 1000; i++)
    robocache_mcap_append_record (file, ROBOCACHE_MCAP_CHUNK_INDEX, &(RobocacheMcapChunkIndex) {0, G_MAXUINT64, i, 50});
  append_footer (file, start);
}

static const struct
{
  const gchar *name;
  void (*append) (GByteArray *file);
  guint n_by_index, n_by_stream;        /* messages */
  guint n_damages;              /* by index, those of the walk included */
} liars[] = {
#define LIAR(name, ...) {#name, name, __VA_ARGS__}
  LIAR (huge_message, 1, 1, 0), LIAR (endless_message, 1, 1, 0), LIAR (endless_chunk, 1, 1, 0), LIAR (huge_unknown, 1, 1, 0),
  LIAR (huge_message_inside, 2, 2, 1), LIAR (endless_message_inside, 2, 2, 1), LIAR (endless_chunk_inside, 2, 2, 1),
  LIAR (huge_unknown_inside, 2, 2, 1), LIAR (swallowing_message, 3, 3, 1), LIAR (swallowing_chunk, 2, 2, 1),
  LIAR (huge_attachment, 1, 1, 0), LIAR (short_channel, 2, 2, 1), LIAR (promising_zstd, 2, 2, 1), LIAR (promising_lz4, 2, 2, 1),
  LIAR (zstd_of_zeros, 2, 2, 1),
  LIAR (chunk_above_limit, 2, 2, 1), LIAR (strange_compression, 2, 2, 1), LIAR (cut_in_chunk, 2, 2, 1),
  LIAR (short_message, 2, 2, 1), LIAR (summary_is_the_file, 1, 1, 0), LIAR (summary_behind_the_end, 1, 1, 0),
  LIAR (lying_index, 1, 1, 0), LIAR (index_of_no_chunk, 0, 1, 1000),
};

static GByteArray *
new_liar (guint i)
{
  GByteArray *file = new_file ();

  append_message (file, 1, 1);
  liars[i].append (file);
  return file;
}

static rlim_t
limit (void)
{
  return has_memory_limit () ? limit_memory (MEMORY) : 0;
}

static void
unlimit (rlim_t before)
{
  if (has_memory_limit ())
    restore_memory (before);
}

GST_START_TEST (test_liar_by_index)
{
  GByteArray *file = new_liar (__i__);
  const RobocacheMcapBytes bytes = { file->data, file->len };
  const RobocacheMcapSource source = source_of_memory (&bytes);
  const rlim_t before = limit ();
  RobocacheMcapReader *reader = robocache_mcap_reader_new (&source, NULL);
  RobocacheMcapReadResult result;
  guint n_messages = 0, n_damages = 0;
  RobocacheMcapMessage message;
  GError *error = NULL;

  fail_unless (reader != NULL);
  while ((result = robocache_mcap_reader_next (reader, &message, &error)) != ROBOCACHE_MCAP_READ_END) {
    fail_unless (result != ROBOCACHE_MCAP_READ_FAILED);
    n_messages += result == ROBOCACHE_MCAP_READ_MESSAGE;
    n_damages += result == ROBOCACHE_MCAP_READ_DAMAGED;
    fail_unless_equals_int (result == ROBOCACHE_MCAP_READ_DAMAGED, error != NULL);
    g_clear_error (&error);
  }
  n_damages += robocache_mcap_reader_get_index (reader)->n_faults;
  robocache_mcap_reader_free (reader);
  unlimit (before);
  fail_unless_equals_int (n_messages, liars[__i__].n_by_index);
  fail_unless_equals_int (n_damages, liars[__i__].n_damages);
  g_byte_array_unref (file);
}

GST_END_TEST;

GST_START_TEST (test_liar_by_stream)
{
  GByteArray *file = new_liar (__i__);
  const rlim_t before = limit ();
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapStreamRecord next;
  guint n_messages = 0;

  /* once more at the end */
  for (guint i = 0; i < file->len + 10; i += 10) {
    RobocacheMcapStreamResult result;

    if (i < file->len)
      robocache_mcap_stream_push (stream, file->data + i, MIN (10, file->len - i));
    else
      robocache_mcap_stream_end (stream);
    while ((result = robocache_mcap_stream_next (stream, &next, NULL)) == ROBOCACHE_MCAP_STREAM_RECORD
        || result == ROBOCACHE_MCAP_STREAM_DAMAGED)
      n_messages += result == ROBOCACHE_MCAP_STREAM_RECORD && next.opcode == ROBOCACHE_MCAP_MESSAGE;
    fail_unless (result != ROBOCACHE_MCAP_STREAM_FATAL);
  }
  robocache_mcap_stream_free (stream);
  unlimit (before);
  fail_unless_equals_int (n_messages, liars[__i__].n_by_stream);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- overlapping chunks, merged ---- */

static gboolean
append_pieces (gpointer user_data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    if (pieces[i].size > 0)
      g_byte_array_append (user_data, pieces[i].data, (guint) pieces[i].size);
  return TRUE;
}

/* Chunks of ten messages, whose times are those of other chunks, too. */
GST_START_TEST (test_overlap)
{
  static const guint strides[] = { 1, 3, 7, 1000 };
  const guint n_chunks = 50, stride = strides[__i__];
  GByteArray *file = g_byte_array_new ();
  RobocacheMcapWriter *writer = robocache_mcap_writer_new (ROBOCACHE_MCAP_LZ4, append_pieces, file);
  RobocacheMcapChunk *chunk = robocache_mcap_chunk_new (1000);
  RobocacheMcapBytes bytes;
  RobocacheMcapSource source;
  RobocacheMcapReader *reader;

  robocache_mcap_writer_begin (writer, "", "", NULL);
  robocache_mcap_chunk_add_channel (chunk, &(RobocacheMcapChannel) {1});
  for (guint c = 0; c < n_chunks; c++) {
    for (guint i = 0; i < 10; i++)
      robocache_mcap_chunk_add_message (chunk, &(RobocacheMcapMessage) {.channel_id = 1, .sequence = c * 10 + i,
          .log_time = 10 * c + i * stride}, NULL, 0);
    robocache_mcap_writer_add_chunk (writer, chunk, NULL);
    robocache_mcap_chunk_clear (chunk);
  }
  robocache_mcap_writer_finish (writer, NULL);
  bytes = (RobocacheMcapBytes) {file->data, file->len};
  source = source_of_memory (&bytes);
  reader = robocache_mcap_reader_new (&source, NULL);
  for (guint64 from = 0; from < 600; from += 29) {
    guint n = 0, expected = 0;
    RobocacheMcapMessage message;
    guint64 time = from;
    guint32 sequence = 0;

    for (guint k = 0; k < n_chunks * 10; k++)
      expected += 10 * (k / 10) + k % 10 * stride >= from;
    robocache_mcap_reader_seek (reader, from);
    for (; robocache_mcap_reader_next (reader, &message, NULL) == ROBOCACHE_MCAP_READ_MESSAGE; n++) {
      fail_unless (message.log_time > time || (message.log_time == time && (n == 0 || message.sequence > sequence)));
      time = message.log_time;
      sequence = message.sequence;
    }
    fail_unless_equals_int (n, expected);
  }
  robocache_mcap_reader_free (reader);
  robocache_mcap_chunk_free (chunk);
  robocache_mcap_writer_free (writer);
  g_byte_array_unref (file);
}

GST_END_TEST;

/* ---- a source that fails ---- */

static gboolean
fail_now (gpointer user_data, guint64 offset, gsize size, guint8 *to, GError **error)
{
  const RobocacheMcapBytes *bytes = user_data;

  if (offset + size > bytes->size / 2) {
    g_set_error_literal (error, G_FILE_ERROR, G_FILE_ERROR_IO, "no more");
    return FALSE;
  }
  memcpy (to, bytes->data + offset, size);
  return TRUE;
}

GST_START_TEST (test_source_fails)
{
  GByteArray *file = new_file ();
  RobocacheMcapSource source = { .read = fail_now };
  RobocacheMcapBytes bytes;
  GError *error = NULL;

  for (guint i = 0; i < 1000; i++)
    append_message (file, 1, i);
  bytes = (RobocacheMcapBytes) {file->data, file->len};
  source.size = bytes.size;
  source.user_data = &bytes;
  fail_unless (robocache_mcap_reader_new (&source, &error) == NULL);
  fail_unless (g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_IO));
  g_clear_error (&error);
  g_byte_array_unref (file);
}

GST_END_TEST;

CHECK_MAIN (reader, NULL, NULL, EACH (liars, test_liar_by_index), EACH (liars, test_liar_by_stream), TIMES (4, test_overlap),
    ONCE (test_source_fails))
