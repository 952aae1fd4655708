/* robocache: records of MCAP files
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "records.h"

#include <string.h>
#include <zlib.h>

#include "common/element/errors.h"

/* ---- formats ---- */

typedef enum
{
  END,
  U8,
  U16,
  U32,
  U64,
  BYTES32,                      /* behind their size, of 4 bytes */
  BYTES64,
  REST                          /* to the end of the record */
} FieldKind;

/* Bytes of each kind that every record has. */
static const guint8 kind_sizes[] = { 0, 1, 2, 4, 8, 4, 8, 0 };

typedef struct
{
  const gchar *name;
  FieldKind kind;
  gsize offset;                 /* in the struct */
} Field;

#define MAX_FIELDS 9
#define SEAL_SUFFIX "-crc32"
/* The fields of a Message before its data. */
#define MESSAGE_FIELDS_SIZE 22

typedef struct
{
  const gchar *name;
  Field fields[MAX_FIELDS + 1];
} Format;

#define FIELD(type, kind, field) {#field, kind, G_STRUCT_OFFSET (RobocacheMcap##type, field)}

static const Format formats[ROBOCACHE_MCAP_N_OPCODES] = {
  [ROBOCACHE_MCAP_HEADER] = {"Header", {
          FIELD (Header, BYTES32, profile),
          FIELD (Header, BYTES32, library),
      }},
  [ROBOCACHE_MCAP_FOOTER] = {"Footer", {
          FIELD (Footer, U64, summary_start),
          FIELD (Footer, U64, summary_offset_start),
          FIELD (Footer, U32, summary_crc),
      }},
  [ROBOCACHE_MCAP_SCHEMA] = {"Schema", {
          FIELD (Schema, U16, id),
          FIELD (Schema, BYTES32, name),
          FIELD (Schema, BYTES32, encoding),
          FIELD (Schema, BYTES32, data),
      }},
  [ROBOCACHE_MCAP_CHANNEL] = {"Channel", {
          FIELD (Channel, U16, id),
          FIELD (Channel, U16, schema_id),
          FIELD (Channel, BYTES32, topic),
          FIELD (Channel, BYTES32, message_encoding),
          FIELD (Channel, BYTES32, metadata),
      }},
  [ROBOCACHE_MCAP_MESSAGE] = {"Message", {
          FIELD (Message, U16, channel_id),
          FIELD (Message, U32, sequence),
          FIELD (Message, U64, log_time),
          FIELD (Message, U64, publish_time),
          FIELD (Message, REST, data),
      }},
  [ROBOCACHE_MCAP_CHUNK] = {"Chunk", {
          FIELD (ChunkRecord, U64, start_time),
          FIELD (ChunkRecord, U64, end_time),
          FIELD (ChunkRecord, U64, uncompressed_size),
          FIELD (ChunkRecord, U32, uncompressed_crc),
          FIELD (ChunkRecord, BYTES32, compression),
          FIELD (ChunkRecord, BYTES64, records),
      }},
  [ROBOCACHE_MCAP_MESSAGE_INDEX] = {"Message Index", {
          FIELD (MessageIndex, U16, channel_id),
          FIELD (MessageIndex, BYTES32, entries),
      }},
  [ROBOCACHE_MCAP_CHUNK_INDEX] = {"Chunk Index", {
          FIELD (ChunkIndex, U64, start_time),
          FIELD (ChunkIndex, U64, end_time),
          FIELD (ChunkIndex, U64, offset),
          FIELD (ChunkIndex, U64, size),
          FIELD (ChunkIndex, BYTES32, index_offsets),
          FIELD (ChunkIndex, U64, index_size),
          FIELD (ChunkIndex, BYTES32, compression),
          FIELD (ChunkIndex, U64, compressed_size),
          FIELD (ChunkIndex, U64, uncompressed_size),
      }},
  [ROBOCACHE_MCAP_ATTACHMENT] = {"Attachment", {
          FIELD (Attachment, U64, log_time),
          FIELD (Attachment, U64, create_time),
          FIELD (Attachment, BYTES32, name),
          FIELD (Attachment, BYTES32, media_type),
          FIELD (Attachment, BYTES64, data),
          FIELD (Attachment, U32, crc),
      }},
  [ROBOCACHE_MCAP_ATTACHMENT_INDEX] = {"Attachment Index", {
          FIELD (AttachmentIndex, U64, offset),
          FIELD (AttachmentIndex, U64, size),
          FIELD (AttachmentIndex, U64, log_time),
          FIELD (AttachmentIndex, U64, create_time),
          FIELD (AttachmentIndex, U64, data_size),
          FIELD (AttachmentIndex, BYTES32, name),
          FIELD (AttachmentIndex, BYTES32, media_type),
      }},
  [ROBOCACHE_MCAP_STATISTICS] = {"Statistics", {
          FIELD (Statistics, U64, n_messages),
          FIELD (Statistics, U16, n_schemas),
          FIELD (Statistics, U32, n_channels),
          FIELD (Statistics, U32, n_attachments),
          FIELD (Statistics, U32, n_metadata),
          FIELD (Statistics, U32, n_chunks),
          FIELD (Statistics, U64, start_time),
          FIELD (Statistics, U64, end_time),
          FIELD (Statistics, BYTES32, channel_counts),
      }},
  [ROBOCACHE_MCAP_METADATA] = {"Metadata", {
          FIELD (Metadata, BYTES32, name),
          FIELD (Metadata, BYTES32, metadata),
      }},
  [ROBOCACHE_MCAP_METADATA_INDEX] = {"Metadata Index", {
          FIELD (MetadataIndex, U64, offset),
          FIELD (MetadataIndex, U64, size),
          FIELD (MetadataIndex, BYTES32, name),
      }},
  [ROBOCACHE_MCAP_SUMMARY_OFFSET] = {"Summary Offset", {
          FIELD (SummaryOffset, U8, group),
          FIELD (SummaryOffset, U64, offset),
          FIELD (SummaryOffset, U64, size),
      }},
  [ROBOCACHE_MCAP_DATA_END] = {"Data End", {
          FIELD (DataEnd, U32, crc),
      }},
};

const gchar *
robocache_mcap_opcode_name (guint8 opcode)
{
  return opcode < ROBOCACHE_MCAP_N_OPCODES ? formats[opcode].name : NULL;
}

/* ---- reading ---- */

guint16
robocache_mcap_get_uint16 (const guint8 *bytes)
{
  guint16 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT16_FROM_LE (value);
}

guint32
robocache_mcap_get_uint32 (const guint8 *bytes)
{
  guint32 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT32_FROM_LE (value);
}

guint64
robocache_mcap_get_uint64 (const guint8 *bytes)
{
  guint64 value;

  memcpy (&value, bytes, sizeof value);
  return GUINT64_FROM_LE (value);
}

static RobocacheMcapBytes
split (RobocacheMcapBytes *bytes, gsize size)
{
  const RobocacheMcapBytes first = { bytes->data, size };

  bytes->data += size;
  bytes->size -= size;
  return first;
}

/* FALSE: bytes hold less. */
static gboolean
read_bytes (RobocacheMcapBytes *bytes, guint64 size, RobocacheMcapBytes *value)
{
  if (size > bytes->size)
    return FALSE;
  *value = split (bytes, (gsize) size);
  return TRUE;
}

/* FALSE: bytes hold less. */
static gboolean
read_field (RobocacheMcapBytes *bytes, FieldKind kind, gpointer value)
{
  const guint8 *data;

  if (bytes->size < kind_sizes[kind])
    return FALSE;
  data = split (bytes, kind_sizes[kind]).data;
  switch (kind) {
    case U8:
      *(guint8 *) value = *data;
      return TRUE;
    case U16:
      *(guint16 *) value = robocache_mcap_get_uint16 (data);
      return TRUE;
    case U32:
      *(guint32 *) value = robocache_mcap_get_uint32 (data);
      return TRUE;
    case U64:
      *(guint64 *) value = robocache_mcap_get_uint64 (data);
      return TRUE;
    case BYTES32:
      return read_bytes (bytes, robocache_mcap_get_uint32 (data), value);
    case BYTES64:
      return read_bytes (bytes, robocache_mcap_get_uint64 (data), value);
    default:
      return read_bytes (bytes, bytes->size, value);
  }
}

/* Nearly all records are messages: at once, not field by field. FALSE: it is cut. */
static gboolean
read_message (RobocacheMcapMessage *message, RobocacheMcapBytes content)
{
  const guint8 *fields;

  if (content.size < MESSAGE_FIELDS_SIZE)
    return FALSE;
  fields = split (&content, MESSAGE_FIELDS_SIZE).data;
  *message = (RobocacheMcapMessage) {robocache_mcap_get_uint16 (fields), robocache_mcap_get_uint32 (fields + 2),
        robocache_mcap_get_uint64 (fields + 6), robocache_mcap_get_uint64 (fields + 14), content};
  return TRUE;
}

gboolean
robocache_mcap_record_read (RobocacheMcapRecord *record, guint8 opcode, RobocacheMcapBytes content, GError **error)
{
  const Format *format = &formats[opcode];

  if (opcode == ROBOCACHE_MCAP_MESSAGE && read_message (&record->message, content))
    return TRUE;
  for (const Field *field = format->fields; field->kind != END; field++)
    if (!read_field (&content, field->kind, (guint8 *) record + field->offset)) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the %s record ends before or in its field %s", format->name,
          field->name);
      return FALSE;
    }
  return TRUE;
}

/* The size that a field has in front of its bytes; 0: it has none. */
static guint64
announced_size (FieldKind kind, const guint8 *data)
{
  if (kind == BYTES32)
    return robocache_mcap_get_uint32 (data);
  return kind == BYTES64 ? robocache_mcap_get_uint64 (data) : 0;
}

guint64
robocache_mcap_record_extent (guint8 opcode, RobocacheMcapBytes content, gboolean *is_whole)
{
  guint64 extent = 0, announced;

  *is_whole = TRUE;
  for (const Field *field = formats[opcode].fields; field->kind != END; field++) {
    const gsize size = kind_sizes[field->kind];

    if (extent > content.size || content.size - extent < size) {
      *is_whole = FALSE;
      return extent > G_MAXUINT64 - size ? G_MAXUINT64 : extent + size;
    }
    announced = announced_size (field->kind, content.data + extent);
    extent += size;
    extent = announced > G_MAXUINT64 - extent ? G_MAXUINT64 : extent + announced;
  }
  return extent;
}

gboolean
robocache_mcap_next_record (RobocacheMcapBytes *sequence, guint8 *opcode, RobocacheMcapBytes *content)
{
  guint64 size;

  if (sequence->size < ROBOCACHE_MCAP_HEAD_SIZE)
    return FALSE;
  size = robocache_mcap_get_uint64 (sequence->data + 1);
  if (size > sequence->size - ROBOCACHE_MCAP_HEAD_SIZE)
    return FALSE;
  *opcode = *split (sequence, ROBOCACHE_MCAP_HEAD_SIZE).data;
  *content = split (sequence, (gsize) size);
  return TRUE;
}

gboolean
robocache_mcap_next_text (RobocacheMcapBytes *map, RobocacheMcapBytes *key, RobocacheMcapBytes *value)
{
  RobocacheMcapBytes left = *map;

  if (!read_field (&left, BYTES32, key) || !read_field (&left, BYTES32, value))
    return FALSE;
  *map = left;
  return TRUE;
}

gboolean
robocache_mcap_next_number (RobocacheMcapBytes *map, guint16 *channel_id, guint64 *value)
{
  RobocacheMcapBytes left = *map;

  if (!read_field (&left, U16, channel_id) || !read_field (&left, U64, value))
    return FALSE;
  *map = left;
  return TRUE;
}

gchar *
robocache_mcap_text_dup (RobocacheMcapBytes text)
{
  return text.size > 0 ? g_utf8_make_valid ((const gchar *) text.data, (gssize) text.size) : g_strdup ("");
}

GHashTable *
robocache_mcap_text_map (RobocacheMcapBytes map)
{
  GHashTable *texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  RobocacheMcapBytes key, value;

  while (robocache_mcap_next_text (&map, &key, &value))
    g_hash_table_insert (texts, robocache_mcap_text_dup (key), robocache_mcap_text_dup (value));
  return texts;
}

/* Free with g_free. */
static gchar *
seal_of (const gchar *value)
{
  return g_strdup_printf ("%08lx", crc32_z (crc32 (0, NULL, 0), (const guint8 *) value, strlen (value)));
}

const gchar *
robocache_mcap_get_sealed (GHashTable *map, const gchar *key, gboolean *is_damaged)
{
  gchar *seal_key = g_strconcat (key, SEAL_SUFFIX, NULL);
  const gchar *value = g_hash_table_lookup (map, key), *seal = g_hash_table_lookup (map, seal_key);
  gchar *expected = value ? seal_of (value) : NULL;

  *is_damaged = seal && g_strcmp0 (seal, expected) != 0;
  g_free (expected);
  g_free (seal_key);
  return *is_damaged ? NULL : value;
}

gboolean
robocache_mcap_text_equal (RobocacheMcapBytes text, const gchar *string)
{
  return text.size == strlen (string) && memcmp (text.data, string, text.size) == 0;
}

/* ---- writing ---- */

RobocacheMcapBytes
robocache_mcap_text (const gchar *string)
{
  return (RobocacheMcapBytes) {(const guint8 *) (string ? string : ""), string ? strlen (string) : 0};
}

static void
append_uint16 (GByteArray *to, guint16 value)
{
  value = GUINT16_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &value, sizeof value);
}

static void
append_uint32 (GByteArray *to, guint32 value)
{
  value = GUINT32_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &value, sizeof value);
}

static void
append_uint64 (GByteArray *to, guint64 value)
{
  value = GUINT64_TO_LE (value);
  g_byte_array_append (to, (const guint8 *) &value, sizeof value);
}

/* A field; of bytes the size alone. */
static void
append_field (GByteArray *to, FieldKind kind, gconstpointer value)
{
  switch (kind) {
    case U8:
      g_byte_array_append (to, value, 1);
      break;
    case U16:
      append_uint16 (to, *(const guint16 *) value);
      break;
    case U32:
      append_uint32 (to, *(const guint32 *) value);
      break;
    case U64:
      append_uint64 (to, *(const guint64 *) value);
      break;
    case BYTES32:
      append_uint32 (to, (guint32) ((const RobocacheMcapBytes *) value)->size);
      break;
    case BYTES64:
      append_uint64 (to, ((const RobocacheMcapBytes *) value)->size);
      break;
    default:
      break;
  }
}

static void
append_bytes (GByteArray *to, RobocacheMcapBytes bytes)
{
  if (bytes.size > 0)
    g_byte_array_append (to, bytes.data, (guint) bytes.size);
}

static guint64
content_size (const Format *format, gconstpointer record)
{
  guint64 size = 0;

  for (const Field *field = format->fields; field->kind != END; field++) {
    size += kind_sizes[field->kind];
    if (field->kind >= BYTES32)
      size += ((const RobocacheMcapBytes *) ((const guint8 *) record + field->offset))->size;
  }
  return size;
}

static void
append_record (GByteArray *to, guint8 opcode, gconstpointer record, gboolean with_last)
{
  const Format *format = &formats[opcode];

  g_byte_array_append (to, &opcode, 1);
  append_uint64 (to, content_size (format, record));
  for (const Field *field = format->fields; field->kind != END; field++) {
    const gconstpointer value = (const guint8 *) record + field->offset;

    append_field (to, field->kind, value);
    if (field->kind >= BYTES32 && (with_last || field[1].kind != END))
      append_bytes (to, *(const RobocacheMcapBytes *) value);
  }
}

void
robocache_mcap_append_record (GByteArray *to, guint8 opcode, gconstpointer record)
{
  append_record (to, opcode, record, TRUE);
}

void
robocache_mcap_append_record_head (GByteArray *to, guint8 opcode, gconstpointer record)
{
  append_record (to, opcode, record, FALSE);
}

/* In one piece, since a recording is mostly these. */
void
robocache_mcap_append_message_head (GByteArray *to, const RobocacheMcapMessage *message, gsize size)
{
  struct __attribute__((packed))
  {
    guint8 opcode;
    guint64 size;
    guint16 channel_id;
    guint32 sequence;
    guint64 log_time, publish_time;
  } head;

  G_STATIC_ASSERT (sizeof head == ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE);
  head.opcode = ROBOCACHE_MCAP_MESSAGE;
  head.size = GUINT64_TO_LE (sizeof head - ROBOCACHE_MCAP_HEAD_SIZE + size);
  head.channel_id = GUINT16_TO_LE (message->channel_id);
  head.sequence = GUINT32_TO_LE (message->sequence);
  head.log_time = GUINT64_TO_LE (message->log_time);
  head.publish_time = GUINT64_TO_LE (message->publish_time);
  g_byte_array_append (to, (const guint8 *) &head, sizeof head);
}

void
robocache_mcap_append_text (GByteArray *map, const gchar *key, const gchar *value)
{
  const RobocacheMcapBytes texts[] = { robocache_mcap_text (key), robocache_mcap_text (value) };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    append_field (map, BYTES32, &texts[i]);
    append_bytes (map, texts[i]);
  }
}

void
robocache_mcap_append_sealed (GByteArray *map, const gchar *key, const gchar *value)
{
  gchar *seal_key = g_strconcat (key, SEAL_SUFFIX, NULL), *seal = seal_of (value);

  robocache_mcap_append_text (map, key, value);
  robocache_mcap_append_text (map, seal_key, seal);
  g_free (seal_key);
  g_free (seal);
}

void
robocache_mcap_append_number (GByteArray *map, guint16 channel_id, guint64 value)
{
  append_uint16 (map, channel_id);
  append_uint64 (map, value);
}

void
robocache_mcap_append_entry (GByteArray *entries, guint64 log_time, guint64 offset)
{
  append_uint64 (entries, log_time);
  append_uint64 (entries, offset);
}
