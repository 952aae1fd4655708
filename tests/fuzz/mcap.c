/* robocache: a fuzzer of MCAP files
 *
 * The first byte chooses: the rest is a file, or makes records that are written as a file. As it arrives in pieces and by its index
 * the same messages must be read, unless something is damaged or the file's own summary was used. Pieces of an undamaged file are undamaged.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "common/mcap/read/reader.h"
#include "common/mcap/read/stream.h"
#include "common/mcap/writer.h"
#include "input.h"
#include "tests/check/mcap/memorysource.h"

/* What was read. The digest does not depend on the order. */
typedef struct
{
  guint64 n_messages, digest;
  gboolean is_damaged;
} Outcome;

static void
add_message (Outcome *outcome, const RobocacheMcapMessage *message)
{
  guint64 hash = message->channel_id * 31 + message->sequence * 1000003 + message->log_time * 7919 + message->publish_time;

  for (gsize i = 0; i < message->data.size; i++)
    hash = hash * 1099511628211u + message->data.data[i];
  outcome->n_messages++;
  outcome->digest += hash;
}

/* Takes all records that are there. */
static RobocacheMcapStreamResult
drain (RobocacheMcapStream *stream, Outcome *outcome)
{
  RobocacheMcapStreamRecord next;
  RobocacheMcapStreamResult result;

  while ((result = robocache_mcap_stream_next (stream, &next, NULL)) <= ROBOCACHE_MCAP_STREAM_DAMAGED
      && result != ROBOCACHE_MCAP_STREAM_MORE) {
    if (result == ROBOCACHE_MCAP_STREAM_DAMAGED)
      outcome->is_damaged = TRUE;
    else if (next.opcode == ROBOCACHE_MCAP_MESSAGE)
      add_message (outcome, &next.record.message);
  }
  outcome->is_damaged |= result == ROBOCACHE_MCAP_STREAM_FATAL;
  return result;
}

static Outcome
read_stream (const guint8 *bytes, gsize size, gsize piece)
{
  RobocacheMcapStream *stream = robocache_mcap_stream_new ();
  RobocacheMcapStreamResult result = ROBOCACHE_MCAP_STREAM_MORE;
  Outcome outcome = { 0 };

  for (gsize offset = 0; offset < size && result != ROBOCACHE_MCAP_STREAM_FATAL; offset += piece) {
    robocache_mcap_stream_push (stream, bytes + offset, MIN (piece, size - offset));
    result = drain (stream, &outcome);
    if (robocache_mcap_stream_get_offset (stream) > size)
      fuzz_fail ("more was read than pushed");
  }
  /* records behind one whose length is beyond the file */
  if (result == ROBOCACHE_MCAP_STREAM_MORE) {
    robocache_mcap_stream_end (stream);
    drain (stream, &outcome);
  }
  robocache_mcap_stream_free (stream);
  return outcome;
}

static void
read_entries (RobocacheMcapReader *reader)
{
  const RobocacheMcapFileIndex *index = robocache_mcap_reader_get_index (reader);

  for (guint i = 0; i < index->metadata->len; i++)
    g_clear_pointer (&(GHashTable *) {robocache_mcap_reader_get_metadata (reader, &g_array_index (index->metadata,
                RobocacheMcapEntry, i), NULL)}, g_hash_table_unref);
  for (guint i = 0; i < index->attachments->len; i++)
    g_clear_pointer (&(GBytes *) {robocache_mcap_reader_get_attachment (reader, &g_array_index (index->attachments,
                RobocacheMcapEntry, i), NULL)}, g_bytes_unref);
}

static gboolean
take_odd (gpointer user_data, const RobocacheMcapMessage *message)
{
  return message->data.size % 2 == 1;
}

/* Messages from a time on. */
static Outcome
read_messages (RobocacheMcapReader *reader, guint64 from)
{
  RobocacheMcapReadResult result;
  RobocacheMcapMessage message;
  Outcome outcome = { 0 };

  robocache_mcap_reader_seek (reader, from);
  while ((result = robocache_mcap_reader_next (reader, &message, NULL)) != ROBOCACHE_MCAP_READ_END) {
    if (result == ROBOCACHE_MCAP_READ_FAILED)
      fuzz_fail ("memory cannot be read");
    if (result == ROBOCACHE_MCAP_READ_DAMAGED) {
      outcome.is_damaged = TRUE;
    } else {
      if (message.log_time < from)
        fuzz_fail ("a message before the seek");
      add_message (&outcome, &message);
    }
  }
  return outcome;
}

/* *is_walked: no summary was used. */
static Outcome
read_by_index (const guint8 *bytes, gsize size, gboolean *is_walked)
{
  const RobocacheMcapBytes memory = { bytes, size };
  const RobocacheMcapSource source = source_of_memory (&memory);
  RobocacheMcapReader *reader = robocache_mcap_reader_new (&source, NULL);
  Outcome outcome = { .is_damaged = TRUE };
  guint64 found;

  *is_walked = FALSE;
  if (!reader)
    return outcome;
  *is_walked = robocache_mcap_reader_get_summary_fault (reader) != NULL;
  outcome = read_messages (reader, 0);
  outcome.is_damaged |= robocache_mcap_reader_get_index (reader)->n_faults > 0;
  read_messages (reader, 1000);
  robocache_mcap_reader_find_back (reader, 1, 500, take_odd, NULL, &found);
  read_entries (reader);
  robocache_mcap_reader_free (reader);
  return outcome;
}

/* ---- files of ours ---- */

static gboolean
append (gpointer user_data, const RobocacheMcapBytes *pieces, guint n_pieces, GError **error)
{
  for (guint i = 0; i < n_pieces; i++)
    if (pieces[i].size > 0)
      g_byte_array_append (user_data, pieces[i].data, (guint) pieces[i].size);
  return TRUE;
}

static void
add_definitions (RobocacheMcapChunk *chunk)
{
  robocache_mcap_chunk_add_schema (chunk, &(RobocacheMcapSchema) {.id = 1});
  for (guint i = 0; i < 4; i++)
    robocache_mcap_chunk_add_channel (chunk, &(RobocacheMcapChannel) {.id = (guint16) i, .schema_id = 1});
}

/* A file of what the input says. */
static GByteArray *
write_file (Input *input, Outcome *written)
{
  GByteArray *file = g_byte_array_new ();
  RobocacheMcapWriter *writer = robocache_mcap_writer_new (input_below (input, ROBOCACHE_MCAP_N_COMPRESSIONS), append, file);
  RobocacheMcapChunk *chunk = robocache_mcap_chunk_new (100);

  robocache_mcap_writer_begin (writer, "", "", NULL);
  add_definitions (chunk);
  while (!input_is_empty (input)) {
    const guint16 channel = (guint16) input_below (input, 4);
    const guint32 sequence = input_byte (input);
    const guint64 time = input_two_bytes (input);
    const gsize size = input_below (input, 40);
    /* they are read again as what follows */
    const RobocacheMcapBytes data = { input->bytes, MIN (input->n, size) };
    const RobocacheMcapMessage message = { channel, sequence, time, 5, data };

    robocache_mcap_chunk_add_message (chunk, &message, &data, 1);
    add_message (written, &message);
    if (input_one_in (input, 4)) {
      robocache_mcap_writer_add_chunk (writer, chunk, NULL);
      robocache_mcap_chunk_clear (chunk);
    }
    if (input_one_in (input, 16))
      robocache_mcap_writer_add_attachment (writer, &(RobocacheMcapAttachment) {.data = data}, NULL);
  }
  robocache_mcap_writer_add_chunk (writer, chunk, NULL);
  robocache_mcap_writer_finish (writer, NULL);
  robocache_mcap_chunk_free (chunk);
  robocache_mcap_writer_free (writer);
  return file;
}

static void
compare (const gchar *what, const Outcome *got, const Outcome *expected)
{
  if (got->n_messages != expected->n_messages || got->digest != expected->digest)
    fuzz_fail ("%s: %" G_GUINT64_FORMAT " messages and %" G_GUINT64_FORMAT " of others", what, got->n_messages,
        expected->n_messages);
}

static void
try_own (Input *input)
{
  Outcome written = { 0 }, read;
  GByteArray *file = write_file (input, &written);
  gboolean is_walked;

  read = read_stream (file->data, file->len, 100);
  compare ("stream", &read, &written);
  if (read.is_damaged)
    fuzz_fail ("a stream of ours is damaged");
  read = read_by_index (file->data, file->len, &is_walked);
  compare ("index", &read, &written);
  if (is_walked || read.is_damaged)
    fuzz_fail ("a file of ours is damaged");
  g_byte_array_unref (file);
}

static void
try_file (const guint8 *bytes, gsize size, gsize piece)
{
  const Outcome stream = read_stream (bytes, size, piece), whole = read_stream (bytes, size, MAX (size, 1));
  gboolean is_walked;
  const Outcome walked = read_by_index (bytes, size, &is_walked);

  /* a message is read once it is there, and only a later piece may show that its length is wrong: then the whole is damaged, too */
  if (stream.is_damaged && !whole.is_damaged)
    fuzz_fail ("pieces of an undamaged file are damaged");
  if (stream.is_damaged || whole.is_damaged)
    return;
  compare ("pieces", &stream, &whole);
  if (is_walked && !walked.is_damaged)
    compare ("walk", &walked, &stream);
}

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t n)
{
  Input input = { bytes, n };
  const guint8 choice = input_byte (&input);

  if (choice == 0)
    try_own (&input);
  else
    try_file (input.bytes, input.n, choice);
  return 0;
}
