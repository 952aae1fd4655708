/* robocache: writes MCAP files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "writer.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"

/* Records of the summary, in the order of their groups. */
typedef enum
{
  SCHEMAS,
  CHANNELS,
  STATISTICS,
  CHUNK_INDEXES,
  ATTACHMENT_INDEXES,
  METADATA_INDEXES,
  N_GROUPS
} Group;

static const guint8 group_opcodes[N_GROUPS] = { ROBOCACHE_MCAP_SCHEMA, ROBOCACHE_MCAP_CHANNEL, ROBOCACHE_MCAP_STATISTICS,
  ROBOCACHE_MCAP_CHUNK_INDEX, ROBOCACHE_MCAP_ATTACHMENT_INDEX, ROBOCACHE_MCAP_METADATA_INDEX
};

struct _RobocacheMcapWriter
{
  RobocacheMcapWrite write;
  gpointer user_data;
  gboolean has_failed;
  guint64 size;                 /* written so far */
  gulong crc;                   /* of all that */

  RobocacheMcapCompression compression;
  RobocacheMcapCodec *codec;
  GByteArray *packed, *head, *tail, *offsets;   /* memory for a chunk, kept from one to the next */

  GByteArray *groups[N_GROUPS];
  GByteArray *is_known[2];      /* by id: schemas, channels */
  GArray *channel_counts;       /* by id, of guint64: messages */
  RobocacheMcapStatistics statistics;
};

RobocacheMcapWriter *
robocache_mcap_writer_new (RobocacheMcapCompression compression, RobocacheMcapWrite write, gpointer user_data)
{
  RobocacheMcapWriter *writer = g_new0 (RobocacheMcapWriter, 1);

  writer->write = write;
  writer->user_data = user_data;
  writer->crc = crc32 (0, NULL, 0);
  writer->compression = compression;
  writer->codec = robocache_mcap_codec_new ();
  writer->packed = g_byte_array_new ();
  writer->head = g_byte_array_new ();
  writer->tail = g_byte_array_new ();
  writer->offsets = g_byte_array_new ();
  for (guint i = 0; i < N_GROUPS; i++)
    writer->groups[i] = g_byte_array_new ();
  for (guint i = 0; i < G_N_ELEMENTS (writer->is_known); i++)
    writer->is_known[i] = g_byte_array_new ();
  writer->channel_counts = g_array_new (FALSE, TRUE, sizeof (guint64));
  return writer;
}

void
robocache_mcap_writer_free (RobocacheMcapWriter *writer)
{
  robocache_mcap_codec_free (writer->codec);
  g_byte_array_unref (writer->packed);
  g_byte_array_unref (writer->head);
  g_byte_array_unref (writer->tail);
  g_byte_array_unref (writer->offsets);
  for (guint i = 0; i < N_GROUPS; i++)
    g_byte_array_unref (writer->groups[i]);
  for (guint i = 0; i < G_N_ELEMENTS (writer->is_known); i++)
    g_byte_array_unref (writer->is_known[i]);
  g_array_unref (writer->channel_counts);
  g_free (writer);
}

/* ---- output ---- */

static RobocacheMcapBytes
bytes_of (const GByteArray *array)
{
  return (RobocacheMcapBytes) {array->data, array->len};
}

/* zlib reads NULL as the beginning of a CRC. */
static gulong
crc_of (gulong crc, RobocacheMcapBytes bytes)
{
  return bytes.size > 0 ? crc32_z (crc, bytes.data, bytes.size) : crc;
}

/* crcs: NULL, or of each piece the CRC, 0 where it is not known. */
static gboolean
emit (RobocacheMcapWriter *writer, const RobocacheMcapBytes *pieces, guint n_pieces, const gulong *crcs, GError **error)
{
  if (writer->has_failed) {
    g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "writing failed before");
    return FALSE;
  }
  for (guint i = 0; i < n_pieces; i++) {
    writer->crc = crcs && crcs[i] != 0 ? crc32_combine (writer->crc, crcs[i], (z_off_t) pieces[i].size)
        : crc_of (writer->crc, pieces[i]);
    writer->size += pieces[i].size;
  }
  writer->has_failed = !writer->write (writer->user_data, pieces, n_pieces, error);
  return !writer->has_failed;
}

static gboolean
emit_array (RobocacheMcapWriter *writer, const GByteArray *array, GError **error)
{
  const RobocacheMcapBytes bytes = bytes_of (array);

  return emit (writer, &bytes, 1, NULL, error);
}

gboolean
robocache_mcap_writer_begin (RobocacheMcapWriter *writer, const gchar *profile, const gchar *library, GError **error)
{
  const RobocacheMcapHeader header = { robocache_mcap_text (profile), robocache_mcap_text (library) };

  g_byte_array_set_size (writer->head, 0);
  g_byte_array_append (writer->head, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
  robocache_mcap_append_record (writer->head, ROBOCACHE_MCAP_HEADER, &header);
  return emit_array (writer, writer->head, error);
}

/* ---- chunks ---- */

/* Whether a definition is the first of its id. */
static gboolean
is_new (RobocacheMcapWriter *writer, Group group, guint16 id)
{
  GByteArray *is_known = writer->is_known[group];
  const guint n = is_known->len;

  if (id >= n) {
    g_byte_array_set_size (is_known, id + 1);
    memset (is_known->data + n, 0, is_known->len - n);
  }
  if (is_known->data[id])
    return FALSE;
  is_known->data[id] = TRUE;
  return TRUE;
}

/* Keeps definitions for the summary. */
static void
keep_definitions (RobocacheMcapWriter *writer, RobocacheMcapBytes definitions)
{
  const guint8 *start = definitions.data;
  RobocacheMcapBytes content;
  guint8 opcode;

  for (; robocache_mcap_next_record (&definitions, &opcode, &content); start = definitions.data) {
    const Group group = opcode == ROBOCACHE_MCAP_SCHEMA ? SCHEMAS : CHANNELS;

    if (!is_new (writer, group, robocache_mcap_get_uint16 (content.data)))
      continue;
    g_byte_array_append (writer->groups[group], start, (guint) (definitions.data - start));
    if (group == SCHEMAS)
      writer->statistics.n_schemas++;
    else
      writer->statistics.n_channels++;
  }
}

static void
count_messages (RobocacheMcapWriter *writer, guint16 channel_id, guint64 n)
{
  if (channel_id >= writer->channel_counts->len)
    g_array_set_size (writer->channel_counts, channel_id + 1);
  g_array_index (writer->channel_counts, guint64, channel_id) += n;
}

/* The message indexes of a chunk into the tail, and their offsets in the file, where the first is at `start`. */
static void
append_indexes (RobocacheMcapWriter *writer, const RobocacheMcapChunk *chunk, guint64 start)
{
  g_byte_array_set_size (writer->tail, 0);
  g_byte_array_set_size (writer->offsets, 0);
  for (guint i = 0; i < chunk->indexes->len; i++) {
    const GByteArray *entries = chunk->indexes->pdata[i];
    RobocacheMcapMessageIndex index;

    if (!entries || entries->len == 0)
      continue;
    index = (RobocacheMcapMessageIndex) {(guint16) i, bytes_of (entries)};
    robocache_mcap_append_number (writer->offsets, (guint16) i, start + writer->tail->len);
    robocache_mcap_append_record (writer->tail, ROBOCACHE_MCAP_MESSAGE_INDEX, &index);
    count_messages (writer, (guint16) i, entries->len / ROBOCACHE_MCAP_INDEX_ENTRY_SIZE);
  }
}

static void
count_chunk (RobocacheMcapWriter *writer, const RobocacheMcapChunk *chunk)
{
  RobocacheMcapStatistics *statistics = &writer->statistics;

  statistics->n_chunks++;
  if (chunk->n_messages == 0)
    return;
  statistics->start_time = statistics->n_messages ? MIN (statistics->start_time, chunk->start_time) : chunk->start_time;
  statistics->end_time = MAX (statistics->end_time, chunk->end_time);
  statistics->n_messages += chunk->n_messages;
}

static void
append_chunk_index (RobocacheMcapWriter *writer, const RobocacheMcapChunkRecord *chunk)
{
  const RobocacheMcapChunkIndex index = {
    .start_time = chunk->start_time,
    .end_time = chunk->end_time,
    .offset = writer->size,
    .size = writer->head->len + chunk->records.size,
    .index_offsets = bytes_of (writer->offsets),
    .index_size = writer->tail->len,
    .compression = chunk->compression,
    .compressed_size = chunk->records.size,
    .uncompressed_size = chunk->uncompressed_size,
  };

  robocache_mcap_append_record (writer->groups[CHUNK_INDEXES], ROBOCACHE_MCAP_CHUNK_INDEX, &index);
}

gboolean
robocache_mcap_writer_add_chunk (RobocacheMcapWriter *writer, const RobocacheMcapChunk *chunk, GError **error)
{
  const RobocacheMcapBytes records = bytes_of (chunk->records);
  const gulong crc = crc_of (crc32 (0, NULL, 0), records);
  const gboolean is_packed = writer->compression != ROBOCACHE_MCAP_UNCOMPRESSED;
  /* the CRC of what lies in the file as it is, is known */
  const gulong crcs[] = { 0, is_packed ? 0 : crc, 0 };
  RobocacheMcapChunkRecord record = {
    chunk->start_time, chunk->end_time, records.size, (guint32) crc,
    robocache_mcap_text (robocache_mcap_compression_name (writer->compression)), records
  };

  if (records.size == 0)
    return TRUE;
  if (is_packed) {
    if (!robocache_mcap_compress (writer->codec, writer->compression, records, writer->packed, error))
      return FALSE;
    record.records = bytes_of (writer->packed);
  }
  g_byte_array_set_size (writer->head, 0);
  robocache_mcap_append_record_head (writer->head, ROBOCACHE_MCAP_CHUNK, &record);
  append_indexes (writer, chunk, writer->size + writer->head->len + record.records.size);
  keep_definitions (writer, bytes_of (chunk->definitions));
  append_chunk_index (writer, &record);
  count_chunk (writer, chunk);
  return emit (writer, (RobocacheMcapBytes[]) {bytes_of (writer->head), record.records, bytes_of (writer->tail)}, 3, crcs, error);
}

/* ---- other records ---- */

/* Sets the last field of the record in the head, which is a CRC of the content before it. */
static void
set_attachment_crc (GByteArray *head)
{
  const guint start = ROBOCACHE_MCAP_HEAD_SIZE, end = (guint) (head->len - sizeof (guint32));
  const guint32 crc = GUINT32_TO_LE ((guint32) crc32_z (crc32 (0, NULL, 0), head->data + start, end - start));

  memcpy (head->data + end, &crc, sizeof crc);
}

gboolean
robocache_mcap_writer_add_attachment (RobocacheMcapWriter *writer, const RobocacheMcapAttachment *attachment, GError **error)
{
  RobocacheMcapAttachmentIndex index = {
    .offset = writer->size,
    .log_time = attachment->log_time,
    .create_time = attachment->create_time,
    .data_size = attachment->data.size,
    .name = attachment->name,
    .media_type = attachment->media_type,
  };

  if (attachment->data.size > ROBOCACHE_MCAP_MAX_CHUNK_SIZE) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the attachment has %" G_GSIZE_FORMAT " bytes, more than %"
        G_GSIZE_FORMAT, attachment->data.size, ROBOCACHE_MCAP_MAX_CHUNK_SIZE);
    return FALSE;
  }
  g_byte_array_set_size (writer->head, 0);
  robocache_mcap_append_record (writer->head, ROBOCACHE_MCAP_ATTACHMENT, attachment);
  set_attachment_crc (writer->head);
  index.size = writer->head->len;
  robocache_mcap_append_record (writer->groups[ATTACHMENT_INDEXES], ROBOCACHE_MCAP_ATTACHMENT_INDEX, &index);
  writer->statistics.n_attachments++;
  return emit_array (writer, writer->head, error);
}

gboolean
robocache_mcap_writer_add_metadata (RobocacheMcapWriter *writer, const RobocacheMcapMetadata *metadata, GError **error)
{
  RobocacheMcapMetadataIndex index = { .offset = writer->size, .name = metadata->name };

  g_byte_array_set_size (writer->head, 0);
  robocache_mcap_append_record (writer->head, ROBOCACHE_MCAP_METADATA, metadata);
  index.size = writer->head->len;
  robocache_mcap_append_record (writer->groups[METADATA_INDEXES], ROBOCACHE_MCAP_METADATA_INDEX, &index);
  writer->statistics.n_metadata++;
  return emit_array (writer, writer->head, error);
}

/* ---- summary ---- */

static void
append_statistics (RobocacheMcapWriter *writer)
{
  g_byte_array_set_size (writer->offsets, 0);
  for (guint i = 0; i < writer->channel_counts->len; i++) {
    const guint64 n = g_array_index (writer->channel_counts, guint64, i);

    if (n > 0)
      robocache_mcap_append_number (writer->offsets, (guint16) i, n);
  }
  writer->statistics.channel_counts = bytes_of (writer->offsets);
  robocache_mcap_append_record (writer->groups[STATISTICS], ROBOCACHE_MCAP_STATISTICS, &writer->statistics);
}

/* Writes all groups from `start` on, followed by the offset of each group. Returns the position of these offsets. */
static guint64
append_groups (RobocacheMcapWriter *writer, GByteArray *to, guint64 start)
{
  RobocacheMcapSummaryOffset offsets[N_GROUPS];
  guint64 offsets_start;

  for (guint i = 0; i < N_GROUPS; i++) {
    offsets[i] = (RobocacheMcapSummaryOffset) {group_opcodes[i], start + to->len, writer->groups[i]->len};
    g_byte_array_append (to, writer->groups[i]->data, writer->groups[i]->len);
  }
  offsets_start = start + to->len;
  for (guint i = 0; i < N_GROUPS; i++)
    if (offsets[i].size > 0)
      robocache_mcap_append_record (to, ROBOCACHE_MCAP_SUMMARY_OFFSET, &offsets[i]);
  return offsets_start;
}

/* The CRC covers the summary and the footer before it. */
static void
append_footer (GByteArray *to, guint64 summary_start, guint64 summary_offset_start)
{
  RobocacheMcapFooter footer = { summary_start, summary_offset_start, 0 };
  guint32 crc;

  robocache_mcap_append_record (to, ROBOCACHE_MCAP_FOOTER, &footer);
  crc = GUINT32_TO_LE ((guint32) crc32_z (crc32 (0, NULL, 0), to->data, to->len - sizeof crc));
  memcpy (to->data + to->len - sizeof crc, &crc, sizeof crc);
  g_byte_array_append (to, (const guint8 *) ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE);
}

gboolean
robocache_mcap_writer_finish (RobocacheMcapWriter *writer, GError **error)
{
  const RobocacheMcapDataEnd data_end = { (guint32) writer->crc };
  GByteArray *summary = writer->tail;
  guint64 start, offsets_start;

  g_byte_array_set_size (writer->head, 0);
  robocache_mcap_append_record (writer->head, ROBOCACHE_MCAP_DATA_END, &data_end);
  if (!emit_array (writer, writer->head, error))
    return FALSE;
  start = writer->size;
  append_statistics (writer);
  g_byte_array_set_size (summary, 0);
  offsets_start = append_groups (writer, summary, start);
  append_footer (summary, start, offsets_start);
  return emit_array (writer, summary, error);
}
