/* robocache: bags of ROS 1, as the index and the blocks of an MCAP file
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ros1bag.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"

#define MAGIC ROBOCACHE_ROS1_MAGIC "2.0\n"
#define MAGIC_SIZE (sizeof (MAGIC) - 1)
/* A longer header of a record is damaged; that of a connection has the definition of its messages, and is in data. */
#define MAX_HEADER_SIZE (1 << 16)
/* Data that are read as a whole: connections, and the times of chunks. */
#define MAX_DATA_SIZE (16 << 20)
#define MAX_FAULTS 16
/* Bytes of an unpacked chunk that are kept for the next one. */
#define MAX_IDLE_SIZE ((gsize) 4 << 20)
#define SIZE_BYTES sizeof (guint32)

enum
{ OP_MESSAGE = 0x02, OP_BAG = 0x03, OP_INDEX = 0x04, OP_CHUNK = 0x05, OP_CHUNK_INFO = 0x06, OP_CONNECTION = 0x07 };

/* The channel of a connection has its id; the schema has the next one, as 0 is none. */
#define MAX_CONNECTION (G_MAXUINT16 - 1)

struct _RobocacheRos1Bag
{
  const RobocacheMcapSource *source;
  RobocacheMcapCodec *codec;
  RobocacheMcapBuffer chunk;    /* decompressed */
  RobocacheMcapBuffer header, data;     /* of a record of the file */
  GByteArray *head;             /* of a message */

  /* while the chunks of a bag without an index are read */
  RobocacheMcapFileIndex *scanned;      /* NULL: it is not */
  guint64 start_time, end_time, n_messages;
};

RobocacheRos1Bag *
robocache_ros1_bag_new (const RobocacheMcapSource *source)
{
  RobocacheRos1Bag *bag = g_new0 (RobocacheRos1Bag, 1);

  bag->source = source;
  bag->codec = robocache_mcap_codec_new ();
  bag->head = g_byte_array_new ();
  return bag;
}

void
robocache_ros1_bag_free (RobocacheRos1Bag *bag)
{
  robocache_mcap_codec_free (bag->codec);
  robocache_mcap_buffer_clear (&bag->chunk);
  robocache_mcap_buffer_clear (&bag->header);
  robocache_mcap_buffer_clear (&bag->data);
  g_byte_array_unref (bag->head);
  g_free (bag);
}

static gboolean
fail (GError **error, const gchar *what)
{
  g_set_error_literal (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, what);
  return FALSE;
}

/* ---- records ---- */

typedef struct
{
  guint8 op;
  RobocacheMcapBytes header, data;
} Record;

/* The bytes behind a size, which it fits. FALSE: they are not all there. */
static gboolean
next_sized (RobocacheMcapBytes *left, RobocacheMcapBytes *bytes)
{
  const guint32 size = left->size >= SIZE_BYTES ? robocache_mcap_get_uint32 (left->data) : 0;

  if (left->size < SIZE_BYTES || size > left->size - SIZE_BYTES)
    return FALSE;
  *bytes = (RobocacheMcapBytes) {left->data + SIZE_BYTES, size};
  left->data += SIZE_BYTES + size;
  left->size -= SIZE_BYTES + size;
  return TRUE;
}

/* The value of a field of a header, NAME=VALUE. FALSE: it has none. */
static gboolean
find_field (RobocacheMcapBytes header, const gchar *name, RobocacheMcapBytes *value)
{
  const gsize length = strlen (name);
  RobocacheMcapBytes field;

  while (next_sized (&header, &field)) {
    if (field.size > length && field.data[length] == '=' && memcmp (field.data, name, length) == 0) {
      *value = (RobocacheMcapBytes) {field.data + length + 1, field.size - length - 1};
      return TRUE;
    }
  }
  return FALSE;
}

/* A little-endian number of 1, 4 or 8 bytes in a header. FALSE: it is absent, or has another size. */
static gboolean
find_number (RobocacheMcapBytes header, const gchar *name, gsize size, guint64 *number)
{
  RobocacheMcapBytes value;

  if (!find_field (header, name, &value) || value.size != size)
    return FALSE;
  *number = size == 1 ? value.data[0] : size == 4 ? robocache_mcap_get_uint32 (value.data) : robocache_mcap_get_uint64 (value.data);
  return TRUE;
}

static guint64
time_of_bytes (const guint8 *bytes)
{
  return robocache_mcap_get_uint32 (bytes) * G_GUINT64_CONSTANT (1000000000) + robocache_mcap_get_uint32 (bytes + 4);
}

static gboolean
find_time (RobocacheMcapBytes header, const gchar *name, guint64 *time)
{
  RobocacheMcapBytes value;

  if (!find_field (header, name, &value) || value.size != 8)
    return FALSE;
  *time = time_of_bytes (value.data);
  return TRUE;
}

static gboolean
next_record (RobocacheMcapBytes *left, Record *record)
{
  guint64 op;

  if (!next_sized (left, &record->header) || !find_number (record->header, "op", 1, &op) || !next_sized (left, &record->data))
    return FALSE;
  record->op = (guint8) op;
  return TRUE;
}

/* ---- the file ---- */

/* A record of the file; its data are read where they are small. */
typedef struct
{
  Record record;
  guint64 offset, size;         /* of all of it */
} Place;

typedef enum
{ WALK_RECORD, WALK_CUT, WALK_FAILED } WalkResult;

/* Reads bytes behind a size at an offset. */
static WalkResult
read_sized (RobocacheRos1Bag *bag, guint64 offset, gsize max, RobocacheMcapBuffer *to, guint64 *size, GError **error)
{
  const RobocacheMcapSource *source = bag->source;
  guint8 bytes[SIZE_BYTES];

  if (offset > source->size || source->size - offset < SIZE_BYTES)
    return WALK_CUT;
  if (!source->read (source->user_data, offset, SIZE_BYTES, bytes, error))
    return WALK_FAILED;
  *size = robocache_mcap_get_uint32 (bytes);
  if (*size > source->size - offset - SIZE_BYTES)
    return WALK_CUT;
  to->size = 0;
  if (*size > max)
    return WALK_RECORD;
  if (!robocache_mcap_buffer_resize (to, (gsize) *size, error)
      || (*size > 0 && !source->read (source->user_data, offset + SIZE_BYTES, (gsize) *size, to->data, error)))
    return WALK_FAILED;
  return WALK_RECORD;
}

/* The record at an offset. CUT: no whole record begins there. */
static WalkResult
read_record (RobocacheRos1Bag *bag, guint64 offset, Place *place, GError **error)
{
  guint64 header_size, data_size, op;
  WalkResult result = read_sized (bag, offset, MAX_HEADER_SIZE, &bag->header, &header_size, error);
  gboolean has_data;

  if (result != WALK_RECORD)
    return result;
  place->record.header = (RobocacheMcapBytes) {bag->header.data, bag->header.size};
  if (!find_number (place->record.header, "op", 1, &op))
    return WALK_CUT;
  has_data = op == OP_CONNECTION || op == OP_CHUNK_INFO;
  result = read_sized (bag, offset + SIZE_BYTES + header_size, has_data ? MAX_DATA_SIZE : 0, &bag->data, &data_size, error);
  place->record.op = (guint8) op;
  place->record.data = (RobocacheMcapBytes) {bag->data.data, bag->data.size};
  place->offset = offset;
  place->size = 2 * SIZE_BYTES + header_size + data_size;
  return result;
}

/* ---- connections ---- */

/* The first of equal ids counts. FALSE and an error: it cannot be one of ours. */
static gboolean
add_connection (RobocacheMcapFileIndex *index, const Record *record, GError **error)
{
  RobocacheMcapSchema schema = {.encoding = robocache_mcap_text ("ros1msg") };
  RobocacheMcapChannel channel = {.message_encoding = robocache_mcap_text ("ros1") };
  guint64 id;

  if (!find_number (record->header, "conn", 4, &id) || !find_field (record->header, "topic", &channel.topic)
      || !find_field (record->data, "type", &schema.name))
    return fail (error, "a connection lacks its number, topic or type");
  if (id > MAX_CONNECTION)
    return fail (error, "more than 65534 connections");
  find_field (record->data, "message_definition", &schema.data);
  channel.id = (guint16) id;
  channel.schema_id = schema.id = (guint16) (id + 1);
  robocache_mcap_definitions_add_new (index->definitions, ROBOCACHE_MCAP_SCHEMA, &schema);
  robocache_mcap_definitions_add_new (index->definitions, ROBOCACHE_MCAP_CHANNEL, &channel);
  return TRUE;
}

/* ---- chunks ---- */

static gboolean
append_message (RobocacheRos1Bag *bag, const Record *record, RobocacheMcapBuffer *records, GError **error)
{
  RobocacheMcapMessage message = { 0 };
  guint64 id, time;

  if (!find_number (record->header, "conn", 4, &id) || id > MAX_CONNECTION || !find_time (record->header, "time", &time))
    return fail (error, "a message lacks its connection or time");
  message.channel_id = (guint16) id;
  message.log_time = message.publish_time = time;
  bag->start_time = bag->n_messages > 0 ? MIN (bag->start_time, time) : time;
  bag->end_time = bag->n_messages > 0 ? MAX (bag->end_time, time) : time;
  bag->n_messages++;
  g_byte_array_set_size (bag->head, 0);
  robocache_mcap_append_message_head (bag->head, &message, record->data.size);
  return robocache_mcap_buffer_append (records, bag->head->data, bag->head->len, error)
      && robocache_mcap_buffer_append (records, record->data.data, record->data.size, error);
}

static gboolean
append_messages (RobocacheRos1Bag *bag, RobocacheMcapBytes left, RobocacheMcapBuffer *records, GError **error)
{
  Record record;

  records->size = 0;
  while (next_record (&left, &record)) {
    if (record.op == OP_MESSAGE && !append_message (bag, &record, records, error))
      return FALSE;
    if (record.op == OP_CONNECTION && bag->scanned && !add_connection (bag->scanned, &record, error))
      return FALSE;
  }
  return left.size == 0 || fail (error, "its last record is truncated");
}

/* The records of a chunk, in bag->chunk or in the chunk itself. */
static gboolean
decompress (RobocacheRos1Bag *bag, const Record *chunk, RobocacheMcapBytes *records, GError **error)
{
  static const struct
  {
    const gchar *name;
    RobocacheMcapCompression compression;
  } names[] = { {"bz2", ROBOCACHE_MCAP_BZIP2}, {"lz4", ROBOCACHE_MCAP_LZ4} };
  const guint64 most = robocache_mcap_max_unpacked (bag->source->max_bytes, bag->source->size);
  /* its records are a second copy */
  const guint64 limit = bag->source->max_bytes ? most : most - most / 8;
  RobocacheMcapBytes name;
  guint64 size;

  if (!find_field (chunk->header, "compression", &name) || !find_number (chunk->header, "size", 4, &size))
    return fail (error, "the chunk lacks its compression or size");
  *records = chunk->data;
  if (robocache_mcap_text_equal (name, "none"))
    return TRUE;
  if (size > limit) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the chunk announces %" G_GUINT64_FORMAT " bytes, more than %"
        G_GUINT64_FORMAT " (max-message-bytes)", size, limit);
    return FALSE;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    if (!robocache_mcap_text_equal (name, names[i].name))
      continue;
    if (!robocache_mcap_decompress (bag->codec, names[i].compression, chunk->data, size, &bag->chunk, error))
      return FALSE;
    *records = (RobocacheMcapBytes) {bag->chunk.data, bag->chunk.size};
    return TRUE;
  }
  return fail (error, "unknown compression of a chunk: expected none, bz2 or lz4");
}

gboolean
robocache_ros1_bag_unpack (gpointer user_data, RobocacheMcapBytes block, RobocacheMcapBuffer *records, GError **error)
{
  RobocacheRos1Bag *bag = user_data;
  RobocacheMcapBytes content;
  gboolean ok;
  Record chunk;

  records->size = 0;
  bag->n_messages = 0;
  if (!next_record (&block, &chunk) || chunk.op != OP_CHUNK)
    return fail (error, "it is not a chunk");
  if (chunk.data.size == 0)
    chunk.data = block;
  ok = decompress (bag, &chunk, &content, error) && append_messages (bag, content, records, error);
  if (bag->chunk.capacity > MAX_IDLE_SIZE)
    robocache_mcap_buffer_clear (&bag->chunk);
  return ok;
}

/* ---- an index of the file ---- */

/* A chunk with its times, and the connections of its messages. FALSE: the index is damaged. */
static gboolean
add_chunk_info (RobocacheRos1Bag *bag, RobocacheMcapFileIndex *index, const Record *record, GError **error)
{
  RobocacheMcapBlock block = {.is_chunk = TRUE };
  RobocacheMcapBytes left = record->data;
  Place place;

  if (!find_number (record->header, "chunk_pos", 8, &block.offset) || !find_time (record->header, "start_time", &block.start_time)
      || !find_time (record->header, "end_time", &block.end_time))
    return FALSE;
  robocache_mcap_file_index_add_block (index, &block);
  for (; left.size >= 2 * SIZE_BYTES; left.data += 2 * SIZE_BYTES, left.size -= 2 * SIZE_BYTES)
    robocache_mcap_file_index_add_channel (index, (guint16) MIN (robocache_mcap_get_uint32 (left.data), G_MAXUINT16));
  /* takes the place of this record */
  if (read_record (bag, block.offset, &place, error) != WALK_RECORD || place.record.op != OP_CHUNK)
    return FALSE;
  g_array_index (index->blocks, RobocacheMcapBlock, index->blocks->len - 1).size = place.size;
  return TRUE;
}

/* FALSE, with an error where the source failed: the bag has no index that can be used. */
static gboolean
read_index (RobocacheRos1Bag *bag, RobocacheMcapFileIndex *index, const Place *head, GError **error)
{
  guint64 offset, n_connections, n_chunks, n_left;
  Place place;

  if (!find_number (head->record.header, "index_pos", 8, &offset) || !find_number (head->record.header, "conn_count", 4, &n_connections)
      || !find_number (head->record.header, "chunk_count", 4, &n_chunks) || offset < head->size)
    return FALSE;
  for (n_left = n_connections + n_chunks; n_left > 0; n_left--) {
    if (read_record (bag, offset, &place, error) != WALK_RECORD)
      return FALSE;
    offset += place.size;
    if (place.record.op == OP_CONNECTION ? !add_connection (index, &place.record, NULL)
        : place.record.op != OP_CHUNK_INFO || !add_chunk_info (bag, index, &place.record, error))
      return FALSE;
  }
  index->has_summary = TRUE;
  return TRUE;
}

static void
note_fault (RobocacheMcapFileIndex *index, const Place *place, GError *error)
{
  if (index->n_faults++ < MAX_FAULTS)
    g_ptr_array_add (index->faults, g_strdup_printf ("chunk at byte %" G_GUINT64_FORMAT ": %s", place->offset, error->message));
  g_error_free (error);
}

/* FALSE and an error: the source cannot be read. */
static gboolean
scan_chunk (RobocacheRos1Bag *bag, RobocacheMcapFileIndex *index, const Place *place, RobocacheMcapBuffer *records, GError **error)
{
  RobocacheMcapBlock block = {.offset = place->offset,.size = place->size,.is_chunk = TRUE };
  RobocacheMcapBuffer bytes = { 0 };
  GError *fault = NULL;
  gboolean ok;

  if (place->size > robocache_mcap_source_max_bytes (bag->source)) {
    g_set_error (&fault, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "it has %" G_GUINT64_FORMAT " bytes, more than %" G_GUINT64_FORMAT " (max-message-bytes)",
        place->size, robocache_mcap_source_max_bytes (bag->source));
    note_fault (index, place, fault);
    return TRUE;
  }
  ok = robocache_mcap_buffer_resize (&bytes, (gsize) place->size, error)
      && bag->source->read (bag->source->user_data, place->offset, bytes.size, bytes.data, error);
  if (ok) {
    robocache_ros1_bag_unpack (bag, (RobocacheMcapBytes) {bytes.data, bytes.size}, records, &fault);
    block.start_time = bag->start_time;
    block.end_time = bag->end_time;
    /* a damaged one is read again, to its fault, and reported then */
    if (bag->n_messages > 0)
      robocache_mcap_file_index_add_block (index, &block);
    else if (fault)
      note_fault (index, place, g_steal_pointer (&fault));
    g_clear_error (&fault);
  }
  robocache_mcap_buffer_clear (&bytes);
  return ok;
}

/* Reads all chunks, to the last one that is whole. */
static gboolean
scan (RobocacheRos1Bag *bag, RobocacheMcapFileIndex *index, guint64 offset, GError **error)
{
  RobocacheMcapBuffer records = { 0 };
  WalkResult result = WALK_RECORD;
  gboolean ok = TRUE;
  Place place;

  bag->scanned = index;
  while (ok && offset < bag->source->size && (result = read_record (bag, offset, &place, error)) == WALK_RECORD) {
    /* a recorder that was stopped had not written the size of its last chunk, whose records follow to the end */
    if (place.record.op == OP_CHUNK && place.size == 2 * SIZE_BYTES + place.record.header.size)
      place.size = bag->source->size - offset;
    offset += place.size;
    if (place.record.op == OP_CHUNK)
      ok = scan_chunk (bag, index, &place, &records, error);
    else if (place.record.op == OP_CONNECTION)
      add_connection (index, &place.record, NULL);
  }
  bag->scanned = NULL;
  /* a recorder that ends writes the index, so something is missing in any case */
  index->is_cut = TRUE;
  index->whole_size = offset;
  robocache_mcap_buffer_clear (&records);
  return ok && result != WALK_FAILED;
}

/* Reads the first record. */
static gboolean
read_head (RobocacheRos1Bag *bag, Place *head, GError **error)
{
  guint8 magic[MAGIC_SIZE];

  if (bag->source->size < MAGIC_SIZE)
    return fail (error, "the bag of ROS 1 ends before its first record");
  if (!bag->source->read (bag->source->user_data, 0, MAGIC_SIZE, magic, error))
    return FALSE;
  if (memcmp (magic, MAGIC, MAGIC_SIZE) != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a bag of ROS 1 of version %.3s, expected 2.0: convert it with "
        "\"rosbag migrate\"", magic + sizeof (ROBOCACHE_ROS1_MAGIC) - 1);
    return FALSE;
  }
  switch (read_record (bag, MAGIC_SIZE, head, error)) {
    case WALK_RECORD:
      return head->record.op == OP_BAG || fail (error, "the bag of ROS 1 does not begin with its header");
    case WALK_CUT:
      return fail (error, "the bag of ROS 1 ends before its first record");
    default:
      return FALSE;
  }
}

RobocacheMcapFileIndex *
robocache_ros1_bag_read_index (RobocacheRos1Bag *bag, GError **error)
{
  RobocacheMcapFileIndex *index = robocache_mcap_file_index_new ();
  GError *fault = NULL;
  gboolean ok = FALSE;
  Place head;

  if (read_head (bag, &head, error)) {
    const guint64 first = MAGIC_SIZE + head.size;

    ok = read_index (bag, index, &head, &fault);
    if (!ok && !fault) {
      robocache_mcap_file_index_free (index);
      index = robocache_mcap_file_index_new ();
      ok = scan (bag, index, first, &fault);
    }
  }
  if (fault)
    g_propagate_error (error, fault);
  if (ok)
    robocache_mcap_file_index_sort (index);
  else
    g_clear_pointer (&index, robocache_mcap_file_index_free);
  return index;
}
