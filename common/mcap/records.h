/* robocache: records of MCAP files
 *
 * One table describes the fields of all records, for reading and for writing. Numbers are little endian.
 * Source: the MCAP format specification, mcap.dev/spec.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#define ROBOCACHE_MCAP_MAGIC "\x89MCAP0\r\n"
#define ROBOCACHE_MCAP_MAGIC_SIZE 8
/* Bytes before the content of a record: its opcode, and the size of its content. */
#define ROBOCACHE_MCAP_HEAD_SIZE 9
/* Bytes of a Message record before its data. */
#define ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE (ROBOCACHE_MCAP_HEAD_SIZE + 22)
/* Bytes of a Footer record. */
#define ROBOCACHE_MCAP_FOOTER_SIZE (ROBOCACHE_MCAP_HEAD_SIZE + 20)
/* Bytes of an entry of a Message Index record: a log time and an offset. */
#define ROBOCACHE_MCAP_INDEX_ENTRY_SIZE (2 * sizeof (guint64))

typedef enum
{
  ROBOCACHE_MCAP_HEADER = 0x01,
  ROBOCACHE_MCAP_FOOTER,
  ROBOCACHE_MCAP_SCHEMA,
  ROBOCACHE_MCAP_CHANNEL,
  ROBOCACHE_MCAP_MESSAGE,
  ROBOCACHE_MCAP_CHUNK,
  ROBOCACHE_MCAP_MESSAGE_INDEX,
  ROBOCACHE_MCAP_CHUNK_INDEX,
  ROBOCACHE_MCAP_ATTACHMENT,
  ROBOCACHE_MCAP_ATTACHMENT_INDEX,
  ROBOCACHE_MCAP_STATISTICS,
  ROBOCACHE_MCAP_METADATA,
  ROBOCACHE_MCAP_METADATA_INDEX,
  ROBOCACHE_MCAP_SUMMARY_OFFSET,
  ROBOCACHE_MCAP_DATA_END,
  ROBOCACHE_MCAP_N_OPCODES      /* opcode 0, and opcodes from this one on, are unknown or private */
} RobocacheMcapOpcode;

/* Bytes that the struct does not own. Texts do not end with NUL. */
typedef struct
{
  const guint8 *data;
  gsize size;
} RobocacheMcapBytes;

/* Texts, maps and data of a record that was read point into its content. Times are ns. */
typedef struct
{
  RobocacheMcapBytes profile, library;
} RobocacheMcapHeader;

typedef struct
{
  guint64 summary_start, summary_offset_start;
  guint32 summary_crc;
} RobocacheMcapFooter;

typedef struct
{
  guint16 id;
  RobocacheMcapBytes name, encoding, data;
} RobocacheMcapSchema;

typedef struct
{
  guint16 id, schema_id;
  RobocacheMcapBytes topic, message_encoding, metadata;
} RobocacheMcapChannel;

typedef struct
{
  guint16 channel_id;
  guint32 sequence;
  guint64 log_time, publish_time;
  RobocacheMcapBytes data;
} RobocacheMcapMessage;

typedef struct
{
  guint64 start_time, end_time, uncompressed_size;
  guint32 uncompressed_crc;
  RobocacheMcapBytes compression, records;
} RobocacheMcapChunkRecord;

typedef struct
{
  guint16 channel_id;
  RobocacheMcapBytes entries;
} RobocacheMcapMessageIndex;

typedef struct
{
  guint64 start_time, end_time, offset, size;
  RobocacheMcapBytes index_offsets;
  guint64 index_size;
  RobocacheMcapBytes compression;
  guint64 compressed_size, uncompressed_size;
} RobocacheMcapChunkIndex;

typedef struct
{
  guint64 log_time, create_time;
  RobocacheMcapBytes name, media_type, data;
  guint32 crc;
} RobocacheMcapAttachment;

typedef struct
{
  guint64 offset, size, log_time, create_time, data_size;
  RobocacheMcapBytes name, media_type;
} RobocacheMcapAttachmentIndex;

typedef struct
{
  guint64 n_messages;
  guint16 n_schemas;
  guint32 n_channels, n_attachments, n_metadata, n_chunks;
  guint64 start_time, end_time;
  RobocacheMcapBytes channel_counts;
} RobocacheMcapStatistics;

typedef struct
{
  RobocacheMcapBytes name, metadata;
} RobocacheMcapMetadata;

typedef struct
{
  guint64 offset, size;
  RobocacheMcapBytes name;
} RobocacheMcapMetadataIndex;

typedef struct
{
  guint8 group;
  guint64 offset, size;
} RobocacheMcapSummaryOffset;

typedef struct
{
  guint32 crc;
} RobocacheMcapDataEnd;

typedef union
{
  RobocacheMcapHeader header;
  RobocacheMcapFooter footer;
  RobocacheMcapSchema schema;
  RobocacheMcapChannel channel;
  RobocacheMcapMessage message;
  RobocacheMcapChunkRecord chunk;
  RobocacheMcapMessageIndex message_index;
  RobocacheMcapChunkIndex chunk_index;
  RobocacheMcapAttachment attachment;
  RobocacheMcapAttachmentIndex attachment_index;
  RobocacheMcapStatistics statistics;
  RobocacheMcapMetadata metadata;
  RobocacheMcapMetadataIndex metadata_index;
  RobocacheMcapSummaryOffset summary_offset;
  RobocacheMcapDataEnd data_end;
} RobocacheMcapRecord;

/* The name of an opcode, like "Chunk index"; NULL: unknown or private. */
const gchar *robocache_mcap_opcode_name (guint8 opcode);

/* ---- reading ---- */

guint16 robocache_mcap_get_uint16 (const guint8 * bytes);
guint32 robocache_mcap_get_uint32 (const guint8 * bytes);
guint64 robocache_mcap_get_uint64 (const guint8 * bytes);

/* Reads the content of a record with a known opcode. Missing fields are an error that names record and field; bytes after the fields are
 * ignored, as the format allows. */
gboolean robocache_mcap_record_read (RobocacheMcapRecord * record, guint8 opcode, RobocacheMcapBytes content, GError ** error);

/* Number of bytes of the fields of a record, computed from the sizes that are stored in the content. content: its first bytes. *is_whole FALSE:
 * these bytes do not contain all sizes, and the result is the number of bytes that are needed for the next size. The data of a Message have no
 * stored size, and count as 0. */
guint64 robocache_mcap_record_extent (guint8 opcode, RobocacheMcapBytes content, gboolean * is_whole);

/* Returns the next record of a sequence, and advances the sequence. FALSE: at the end, or the remaining bytes are not a complete record;
 * they stay in `sequence`. */
gboolean robocache_mcap_next_record (RobocacheMcapBytes * sequence, guint8 * opcode, RobocacheMcapBytes * content);

/* Return the next entry of a map of texts, or of numbers by channel. FALSE: at the end, or the remaining bytes are not a complete entry;
 * they stay in `map`. */
gboolean robocache_mcap_next_text (RobocacheMcapBytes * map, RobocacheMcapBytes * key, RobocacheMcapBytes * value);
gboolean robocache_mcap_next_number (RobocacheMcapBytes * map, guint16 * channel_id, guint64 * value);

/* A copy that ends with NUL, converted to valid UTF-8 without NUL inside; free with g_free. */
gchar *robocache_mcap_text_dup (RobocacheMcapBytes text);
/* A map of texts; free with g_hash_table_unref. */
GHashTable *robocache_mcap_text_map (RobocacheMcapBytes map);
/* Returns a text of a map; robocache_mcap_append_sealed wrote it, or it has no CRC. *is_damaged: the CRC is present, but the
 * text is missing or does not match the CRC. NULL: missing or damaged. */
const gchar *robocache_mcap_get_sealed (GHashTable * map, const gchar * key, gboolean * is_damaged);
gboolean robocache_mcap_text_equal (RobocacheMcapBytes text, const gchar * string);

/* ---- writing ---- */

RobocacheMcapBytes robocache_mcap_text (const gchar * string);  /* NULL is "" */

/* Appends a record; its opcode selects the union member. */
void robocache_mcap_append_record (GByteArray * to, guint8 opcode, gconstpointer record);
/* Like robocache_mcap_append_record, but of the last field only its size is appended, not its bytes. */
void robocache_mcap_append_record_head (GByteArray * to, guint8 opcode, gconstpointer record);
/* Like robocache_mcap_append_record_head, for a Message with `size` bytes of data; message->data is not read. */
void robocache_mcap_append_message_head (GByteArray * to, const RobocacheMcapMessage * message, gsize size);

void robocache_mcap_append_text (GByteArray * map, const gchar * key, const gchar * value);
/* Appends an entry followed by the CRC of its text as KEY-crc32, because records outside chunks have no CRC. */
void robocache_mcap_append_sealed (GByteArray * map, const gchar * key, const gchar * value);
void robocache_mcap_append_number (GByteArray * map, guint16 channel_id, guint64 value);
void robocache_mcap_append_entry (GByteArray * entries, guint64 log_time, guint64 offset);
