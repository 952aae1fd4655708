/* robocache: the index of an MCAP file from its summary
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fileindex.h"

#include <string.h>
#include <zlib.h>

/* A summary, or a record of it, above this is not read. */
#define MAX_RECORD_SIZE ((guint64) 256 << 20)
#define PIECE_SIZE ((gsize) 256 << 10)

typedef struct
{
  const RobocacheMcapSource *source;
  RobocacheMcapFileIndex *index;
  const gchar *reason;          /* why it is unusable; NULL: it is not */
  RobocacheMcapFooter footer;
  guint64 end;                  /* where the footer starts */
  gboolean has_statistics;
  guint64 n_messages, n_chunks; /* of the statistics */
} Summary;

static gboolean
unusable (Summary *summary, const gchar *reason)
{
  summary->reason = reason;
  return FALSE;
}

/* ---- footer and CRC ---- */

/* FALSE: unusable, or an error. */
static gboolean
read_footer (Summary *summary, GError **error)
{
  guint8 bytes[ROBOCACHE_MCAP_FOOTER_SIZE + ROBOCACHE_MCAP_MAGIC_SIZE];
  RobocacheMcapBytes sequence = { bytes, ROBOCACHE_MCAP_FOOTER_SIZE }, content;
  RobocacheMcapRecord record;
  guint8 opcode;

  if (summary->source->size < sizeof bytes + ROBOCACHE_MCAP_MAGIC_SIZE)
    return unusable (summary, "the file is too short");
  summary->end = summary->source->size - sizeof bytes;
  if (!summary->source->read (summary->source->user_data, summary->end, sizeof bytes, bytes, error))
    return FALSE;
  if (memcmp (bytes + ROBOCACHE_MCAP_FOOTER_SIZE, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE) != 0)
    return unusable (summary, "the file does not end with the magic bytes");
  if (!robocache_mcap_next_record (&sequence, &opcode, &content) || opcode != ROBOCACHE_MCAP_FOOTER
      || !robocache_mcap_record_read (&record, opcode, content, NULL))
    return unusable (summary, "the file has no footer at its end");
  summary->footer = record.footer;
  if (record.footer.summary_start == 0)
    return unusable (summary, "the file has no summary");
  if (record.footer.summary_start > summary->end)
    return unusable (summary, "the summary starts after its end");
  return TRUE;
}

/* The CRC covers the summary, and the footer up to the CRC. */
static gboolean
check_crc (Summary *summary, GError **error)
{
  const guint64 end = summary->end + ROBOCACHE_MCAP_FOOTER_SIZE - sizeof (guint32);
  guint8 *piece;
  gulong crc = crc32 (0, NULL, 0);
  gsize n;

  if (summary->footer.summary_crc == 0)
    return TRUE;
  piece = g_malloc (PIECE_SIZE);
  for (guint64 offset = summary->footer.summary_start; offset < end; offset += n) {
    n = (gsize) MIN (PIECE_SIZE, end - offset);
    if (!summary->source->read (summary->source->user_data, offset, n, piece, error)) {
      g_free (piece);
      return FALSE;
    }
    crc = crc32_z (crc, piece, n);
  }
  g_free (piece);
  return crc == summary->footer.summary_crc || unusable (summary, "the CRC of the summary differs");
}

/* ---- records ---- */

static gboolean
add_chunk (Summary *summary, const RobocacheMcapChunkIndex *chunk)
{
  const RobocacheMcapBlock block = {
    .offset = chunk->offset,
    .size = chunk->size,
    .start_time = chunk->start_time,
    .end_time = chunk->end_time,
    .is_chunk = TRUE,
  };
  RobocacheMcapBytes offsets = chunk->index_offsets;
  guint64 offset;
  guint16 id;

  if (chunk->offset > summary->end || chunk->size > summary->end - chunk->offset)
    return unusable (summary, "a chunk index points outside the file");
  robocache_mcap_file_index_add_block (summary->index, &block);
  while (robocache_mcap_next_number (&offsets, &id, &offset))
    robocache_mcap_file_index_add_channel (summary->index, id);
  return TRUE;
}

static gboolean
add_entry (Summary *summary, GArray *entries, guint64 offset, guint64 size, RobocacheMcapBytes name)
{
  const RobocacheMcapEntry entry = { offset, size, robocache_mcap_text_dup (name) };

  g_array_append_val (entries, entry);
  return (offset <= summary->end && size <= summary->end - offset) || unusable (summary, "an index points outside the file");
}

static gboolean
add_record (Summary *summary, guint8 opcode, RobocacheMcapBytes content)
{
  RobocacheMcapRecord record;

  if (!robocache_mcap_opcode_name (opcode))
    return TRUE;
  if (!robocache_mcap_record_read (&record, opcode, content, NULL))
    return unusable (summary, "a record of the summary is damaged");
  switch (opcode) {
    case ROBOCACHE_MCAP_CHUNK_INDEX:
      return add_chunk (summary, &record.chunk_index);
    case ROBOCACHE_MCAP_METADATA_INDEX:
      return add_entry (summary, summary->index->metadata, record.metadata_index.offset, record.metadata_index.size,
          record.metadata_index.name);
    case ROBOCACHE_MCAP_ATTACHMENT_INDEX:
      return add_entry (summary, summary->index->attachments, record.attachment_index.offset, record.attachment_index.size,
          record.attachment_index.name);
    case ROBOCACHE_MCAP_STATISTICS:
      summary->has_statistics = TRUE;
      summary->n_messages = record.statistics.n_messages;
      summary->n_chunks = record.statistics.n_chunks;
      return TRUE;
    default:
      return robocache_mcap_definitions_add (summary->index->definitions, opcode, content, NULL);
  }
}

static gboolean
read_records (Summary *summary, GError **error)
{
  RobocacheMcapPlace place;
  RobocacheMcapWalk walk;
  gboolean is_good = TRUE;
  GError *failure = NULL;

  robocache_mcap_walk_init (&walk, summary->source, summary->footer.summary_start, summary->end);
  while (is_good && robocache_mcap_walk_next (&walk, &place, &failure)) {
    RobocacheMcapBytes content;

    if (place.size > MAX_RECORD_SIZE)
      is_good = unusable (summary, "a record of the summary is too large");
    else
      is_good = robocache_mcap_walk_peek (&walk, &place, (gsize) place.size, &content, &failure)
          && add_record (summary, place.opcode, content);
  }
  if (is_good && !failure && walk.offset != summary->end)
    is_good = unusable (summary, "the last record of the summary is cut");
  robocache_mcap_walk_clear (&walk);
  if (!failure)
    return is_good;
  g_propagate_error (error, failure);
  return FALSE;
}

/* ---- whether it has what a reader needs ---- */

static gboolean
check_channels (Summary *summary)
{
  const GArray *channels = summary->index->channels;

  for (guint i = 0; i < channels->len; i++)
    if (!robocache_mcap_definitions_channel (summary->index->definitions, g_array_index (channels, guint16, i)))
      return unusable (summary, "the summary lacks channels");
  if (summary->index->blocks->len > 0 && !robocache_mcap_definitions_next_channel (summary->index->definitions, 0))
    return unusable (summary, "the summary lacks channels");
  return TRUE;
}

static gboolean
check_chunks (Summary *summary)
{
  const guint n = summary->index->blocks->len;

  if (n == 0 && !(summary->has_statistics && summary->n_messages == 0))
    return unusable (summary, "the summary has no chunk index");
  if (summary->has_statistics && summary->n_chunks != n)
    return unusable (summary, "the summary lacks some chunk indexes");
  return TRUE;
}

/* The header is the first record of the file. */
static gboolean
read_header (Summary *summary, GError **error)
{
  RobocacheMcapBytes content;
  RobocacheMcapPlace place;
  RobocacheMcapWalk walk;
  RobocacheMcapRecord record;
  GError *failure = NULL;

  robocache_mcap_walk_init (&walk, summary->source, ROBOCACHE_MCAP_MAGIC_SIZE, summary->end);
  if (robocache_mcap_walk_next (&walk, &place, &failure) && place.opcode == ROBOCACHE_MCAP_HEADER && place.size < MAX_RECORD_SIZE
      && robocache_mcap_walk_peek (&walk, &place, (gsize) place.size, &content, &failure)
      && robocache_mcap_record_read (&record, place.opcode, content, NULL)) {
    summary->index->profile = robocache_mcap_text_dup (record.header.profile);
    summary->index->library = robocache_mcap_text_dup (record.header.library);
  }
  robocache_mcap_walk_clear (&walk);
  if (failure)
    g_propagate_error (error, failure);
  return !failure;
}

RobocacheMcapSummaryResult
robocache_mcap_summary_read (const RobocacheMcapSource *source, RobocacheMcapFileIndex *index, const gchar **reason, GError **error)
{
  Summary summary = { source, index };

  *reason = NULL;
  if (read_footer (&summary, error) && check_crc (&summary, error) && read_records (&summary, error) && check_channels (&summary)
      && check_chunks (&summary) && read_header (&summary, error)) {
    index->has_summary = TRUE;
    index->summary_start = summary.footer.summary_start;
    index->summary_end = summary.end;
    index->whole_size = source->size;
    robocache_mcap_file_index_sort (index);
    return ROBOCACHE_MCAP_SUMMARY_READ;
  }
  if (!summary.reason)
    return ROBOCACHE_MCAP_SUMMARY_FAILED;
  *reason = summary.reason;
  return ROBOCACHE_MCAP_SUMMARY_UNUSABLE;
}
