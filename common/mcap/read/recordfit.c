/* robocache: whether the head of a record fits its content, the file and the records behind it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordfit.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/mcap/compression.h"

/* Maximum size of records other than messages, chunks and attachments. */
#define MAX_OTHER_SIZE ((guint64) 64 << 20)
/* Maximum size of the fields before the records of a chunk. */
#define MAX_CHUNK_FIELDS ((guint64) 64 << 10)
#define MESSAGE_FIELDS (ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE - ROBOCACHE_MCAP_HEAD_SIZE)
/* Bytes that are read first, which usually contain the sizes of fields. */
#define FIRST_PEEK 64
#define SEARCH_BYTES ((gsize) 64 << 10)
/* Maximum number of consecutive unknown records. */
#define MAX_DEPTH 8
#define INDEX_FIELDS 6
/* Bytes of a Chunk record before the name of its compression: two times, a size, a checksum and the length of the name. */
#define CHUNK_FIELDS (3 * sizeof (guint64) + 2 * sizeof (guint32))
#define MAX_COMPRESSION_NAME 16

/* ---- bytes ---- */

/* RECORD: `size` bytes are available. */
static RobocacheMcapFit
peek (const RobocacheMcapView *view, guint64 offset, gsize size, RobocacheMcapBytes *bytes, GError **error)
{
  if (!view->peek (view->user_data, offset, size, bytes, error))
    return ROBOCACHE_MCAP_FIT_FAILED;
  if (bytes->size >= size)
    return ROBOCACHE_MCAP_FIT_RECORD;
  return view->end == G_MAXUINT64 ? ROBOCACHE_MCAP_FIT_MORE : ROBOCACHE_MCAP_FIT_END;
}

static guint64
end_of (const RobocacheMcapPlace *place, guint64 size)
{
  const guint64 start = place->offset + ROBOCACHE_MCAP_HEAD_SIZE;

  return size > G_MAXUINT64 - 1 - start ? G_MAXUINT64 - 1 : start + size;
}

static guint64
max_size (const RobocacheMcapView *view, guint8 opcode)
{
  switch (opcode) {
    case ROBOCACHE_MCAP_MESSAGE:
      return view->max_bytes + MESSAGE_FIELDS;
    case ROBOCACHE_MCAP_CHUNK:
      return view->max_bytes + MAX_CHUNK_FIELDS;
    case ROBOCACHE_MCAP_ATTACHMENT:
      return G_MAXINT64;
    default:
      return MAX_OTHER_SIZE;
  }
}

/* ---- one head ---- */

/* A head, checked against the file, the limits and the sizes of its fields. */
typedef struct
{
  RobocacheMcapPlace place;
  gboolean is_known;            /* its opcode */
  gboolean is_in_file, is_in_limit;     /* its length */
  guint64 extent;               /* bytes of its fields; of a message those before its data */
} Head;

static gboolean
reads_whole (const Head *head)
{
  if (!head->is_known || !head->is_in_file || !head->is_in_limit)
    return FALSE;
  return head->place.opcode == ROBOCACHE_MCAP_MESSAGE ? head->place.size >= head->extent : head->place.size == head->extent;
}

/* RECORD: the bytes of the fields of a record of that opcode are known. */
static RobocacheMcapFit
measure (const RobocacheMcapView *view, const RobocacheMcapPlace *place, guint8 opcode, guint64 *extent, GError **error)
{
  guint64 needed = FIRST_PEEK;

  for (;;) {
    const gsize size = (gsize) MIN (needed, MIN (place->size, MAX_OTHER_SIZE));
    RobocacheMcapBytes content = { NULL, 0 };
    const RobocacheMcapFit fit = size == 0 ? ROBOCACHE_MCAP_FIT_RECORD
        : peek (view, place->offset + ROBOCACHE_MCAP_HEAD_SIZE, size, &content, error);
    gboolean is_whole;

    if (fit == ROBOCACHE_MCAP_FIT_FAILED)
      return fit;
    *extent = robocache_mcap_record_extent (opcode, content, &is_whole);
    if (is_whole || *extent > place->size || *extent > MAX_OTHER_SIZE || fit == ROBOCACHE_MCAP_FIT_END)
      return ROBOCACHE_MCAP_FIT_RECORD;
    if (fit != ROBOCACHE_MCAP_FIT_RECORD)
      return fit;
    needed = *extent;
  }
}

/* RECORD: the head was read. END: less than a head is left. */
static RobocacheMcapFit
read_place (const RobocacheMcapView *view, guint64 offset, Head *head, GError **error)
{
  RobocacheMcapBytes bytes;
  const RobocacheMcapFit fit = peek (view, offset, ROBOCACHE_MCAP_HEAD_SIZE, &bytes, error);

  if (fit != ROBOCACHE_MCAP_FIT_RECORD)
    return fit;
  head->place = (RobocacheMcapPlace) { bytes.data[0], offset, robocache_mcap_get_uint64 (bytes.data + 1) };
  head->is_known = robocache_mcap_opcode_name (head->place.opcode) != NULL;
  head->is_in_file = head->place.size <= G_MAXINT64 && end_of (&head->place, head->place.size) <= view->end;
  head->is_in_limit = head->place.size <= max_size (view, head->place.opcode);
  head->extent = head->place.size;
  return fit;
}

/* The same with the sizes of its fields. */
static RobocacheMcapFit
read_head (const RobocacheMcapView *view, guint64 offset, Head *head, GError **error)
{
  const RobocacheMcapFit fit = read_place (view, offset, head, error);

  return fit == ROBOCACHE_MCAP_FIT_RECORD && head->is_known
      ? measure (view, &head->place, head->place.opcode, &head->extent, error) : fit;
}

/* ---- the bytes after a record ---- */

static gboolean
is_closing_magic (const RobocacheMcapView *view, guint64 offset, RobocacheMcapFit *fit, GError **error)
{
  RobocacheMcapBytes bytes;

  *fit = peek (view, offset, ROBOCACHE_MCAP_MAGIC_SIZE, &bytes, error);
  return *fit == ROBOCACHE_MCAP_FIT_RECORD && memcmp (bytes.data, ROBOCACHE_MCAP_MAGIC, ROBOCACHE_MCAP_MAGIC_SIZE) == 0;
}

/* Whether a record begins at an offset, or the file ends there: RECORD. DAMAGED: neither. */
static RobocacheMcapFit
begins (const RobocacheMcapView *view, guint64 offset, guint depth, GError **error)
{
  RobocacheMcapFit fit;
  Head head;

  if (offset >= view->end)
    return offset == view->end ? ROBOCACHE_MCAP_FIT_RECORD : ROBOCACHE_MCAP_FIT_DAMAGED;
  if (is_closing_magic (view, offset, &fit, error))
    return ROBOCACHE_MCAP_FIT_RECORD;
  if (fit == ROBOCACHE_MCAP_FIT_FAILED)
    return fit;
  fit = read_head (view, offset, &head, error);
  if (fit == ROBOCACHE_MCAP_FIT_END)
    return ROBOCACHE_MCAP_FIT_DAMAGED;
  if (fit != ROBOCACHE_MCAP_FIT_RECORD || reads_whole (&head))
    return fit;
  /* a record of another version or maker; cut ones are known by their fields alone */
  if (!head.is_known && head.place.opcode != 0 && head.is_in_file && head.is_in_limit && depth < MAX_DEPTH)
    return begins (view, end_of (&head.place, head.place.size), depth + 1, error);
  return head.is_known && head.place.opcode != ROBOCACHE_MCAP_MESSAGE && !head.is_in_file && head.extent == head.place.size
      ? ROBOCACHE_MCAP_FIT_RECORD : ROBOCACHE_MCAP_FIT_DAMAGED;
}

/* ---- damaged opcodes ---- */

static gboolean
has_known_compression (const RobocacheMcapView *view, const RobocacheMcapPlace *place)
{
  RobocacheMcapCompression compression;
  RobocacheMcapBytes bytes, name;

  if (peek (view, place->offset + ROBOCACHE_MCAP_HEAD_SIZE, CHUNK_FIELDS, &bytes, NULL) != ROBOCACHE_MCAP_FIT_RECORD)
    return FALSE;
  name.size = robocache_mcap_get_uint32 (bytes.data + CHUNK_FIELDS - sizeof (guint32));
  if (name.size > MAX_COMPRESSION_NAME
      || peek (view, place->offset + ROBOCACHE_MCAP_HEAD_SIZE, CHUNK_FIELDS + name.size, &bytes, NULL) != ROBOCACHE_MCAP_FIT_RECORD)
    return FALSE;
  name.data = bytes.data + CHUNK_FIELDS;
  return robocache_mcap_compression_find (name, &compression, NULL);
}

/* Whether the content is exactly a record of this opcode. Only opcodes that sizes make certain are asked for. */
static RobocacheMcapFit
is_content_of (const RobocacheMcapView *view, const RobocacheMcapPlace *place, guint8 opcode, gboolean *is, GError **error)
{
  guint64 extent = 0;
  const RobocacheMcapFit fit = place->size > max_size (view, opcode) ? ROBOCACHE_MCAP_FIT_RECORD
      : measure (view, place, opcode, &extent, error);

  *is = fit == ROBOCACHE_MCAP_FIT_RECORD && extent == place->size;
  if (*is && opcode == ROBOCACHE_MCAP_CHUNK)
    *is = has_known_compression (view, place);
  if (*is && opcode == ROBOCACHE_MCAP_MESSAGE_INDEX)
    *is = (place->size - INDEX_FIELDS) % ROBOCACHE_MCAP_INDEX_ENTRY_SIZE == 0;
  return fit;
}

/* The opcode that matches the content, or the record's own opcode if none does. RECORD: the opcode is known. */
static RobocacheMcapFit
find_opcode (const RobocacheMcapView *view, const Head *head, guint8 *opcode, GError **error)
{
  static const guint8 sure[] = { ROBOCACHE_MCAP_CHUNK, ROBOCACHE_MCAP_MESSAGE_INDEX, ROBOCACHE_MCAP_ATTACHMENT, ROBOCACHE_MCAP_METADATA,
    ROBOCACHE_MCAP_SCHEMA, ROBOCACHE_MCAP_CHANNEL
  };
  /* the content of a Message can be anything, but after chunks a record that looks like an index is not a Message */
  const guint n = head->place.opcode == ROBOCACHE_MCAP_MESSAGE ? (view->has_chunks ? 2 : 0) : G_N_ELEMENTS (sure);

  *opcode = head->place.opcode;
  for (guint i = 0; i < n && head->is_in_file && head->place.size > INDEX_FIELDS; i++) {
    gboolean is;
    const RobocacheMcapFit fit = is_content_of (view, &head->place, sure[i], &is, error);

    if (fit == ROBOCACHE_MCAP_FIT_FAILED || fit == ROBOCACHE_MCAP_FIT_MORE)
      return fit;
    if (is)
      *opcode = sure[i];
    if (is)
      break;
  }
  return ROBOCACHE_MCAP_FIT_RECORD;
}

/* ---- damaged lengths ---- */

static const gchar *
name_of (const Head *head)
{
  return head->is_known ? robocache_mcap_opcode_name (head->place.opcode) : "unknown";
}

static RobocacheMcapFit
length_fault (const RobocacheMcapView *view, const Head *head, RobocacheMcapFit fit, GError **error)
{
  const guint64 limit = max_size (view, head->place.opcode);

  if (!head->is_in_limit)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the %s record has %" G_GUINT64_FORMAT " bytes, more than %"
        G_GUINT64_FORMAT, name_of (head), head->place.size, limit);
  else if (!head->is_in_file)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the %s record has %" G_GUINT64_FORMAT " bytes, which end after the end of the file",
        name_of (head), head->place.size);
  else if (head->is_known && head->place.opcode != ROBOCACHE_MCAP_MESSAGE)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the %s record has %" G_GUINT64_FORMAT " bytes, but its fields %"
        G_GUINT64_FORMAT, name_of (head), head->place.size, head->extent);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "no record begins after the %" G_GUINT64_FORMAT " bytes of the %s record",
        head->place.size, name_of (head));
  return fit;
}

/* An end that the length or the fields give, and whether a record begins there. Ends above the limit are not waited for. */
static RobocacheMcapFit
begins_behind (const RobocacheMcapView *view, const Head *head, guint64 size, GError **error)
{
  const guint64 end = end_of (&head->place, size);

  if (end > view->end || (view->end == G_MAXUINT64 && size > max_size (view, head->place.opcode)))
    return ROBOCACHE_MCAP_FIT_DAMAGED;
  return begins (view, end, 0, error);
}

/* The record ends where its fields do, which are a whole one. */
static RobocacheMcapFit
end_with_fields (const RobocacheMcapView *view, Head *head, GError **error)
{
  length_fault (view, head, ROBOCACHE_MCAP_FIT_RECORD, error);
  head->place.size = head->extent;
  return ROBOCACHE_MCAP_FIT_RECORD;
}

/* The record ends where its length says. Fields after the known ones belong to a later version of the format. */
static RobocacheMcapFit
end_with_length (const RobocacheMcapView *view, const Head *head, GError **error)
{
  if (head->is_in_limit && (!head->is_known || head->extent < head->place.size))
    return ROBOCACHE_MCAP_FIT_RECORD;
  return length_fault (view, head, ROBOCACHE_MCAP_FIT_SKIP, error);
}

/* Length and fields differ: the nearer end counts, unless no record begins there. */
static RobocacheMcapFit
choose_end (const RobocacheMcapView *view, Head *head, GError **error)
{
  const gboolean has_extent = head->is_known && head->place.opcode != ROBOCACHE_MCAP_MESSAGE && head->extent != head->place.size
      && head->extent <= max_size (view, head->place.opcode);
  const gboolean is_extent_first = has_extent && head->extent < head->place.size;

  for (guint i = 0; i < 2; i++) {
    const gboolean is_extent = is_extent_first == (i == 0);
    RobocacheMcapFit fit;

    if (is_extent && !has_extent)
      continue;
    fit = begins_behind (view, head, is_extent ? head->extent : head->place.size, error);
    if (fit == ROBOCACHE_MCAP_FIT_RECORD)
      return is_extent ? end_with_fields (view, head, error) : end_with_length (view, head, error);
    if (fit != ROBOCACHE_MCAP_FIT_DAMAGED)
      return fit;
  }
  return length_fault (view, head, ROBOCACHE_MCAP_FIT_DAMAGED, error);
}

/* Outside chunks the length of a message is stored only once. It is wrong if no record begins after the message, but one within it. */
static RobocacheMcapFit
check_message (const RobocacheMcapView *view, const Head *head, GError **error)
{
  const guint64 end = end_of (&head->place, head->place.size);
  guint64 next = head->place.offset + ROBOCACHE_MCAP_MESSAGE_HEAD_SIZE;
  RobocacheMcapFit fit = begins (view, end, 0, error);

  if (fit == ROBOCACHE_MCAP_FIT_DAMAGED && next < end) {
    fit = robocache_mcap_find_fit (view, &next, error);
    if (fit == ROBOCACHE_MCAP_FIT_RECORD && next < end)
      return length_fault (view, head, ROBOCACHE_MCAP_FIT_DAMAGED, error);
  }
  return fit == ROBOCACHE_MCAP_FIT_FAILED ? fit : ROBOCACHE_MCAP_FIT_RECORD;
}

RobocacheMcapFit
robocache_mcap_fit (const RobocacheMcapView *view, guint64 offset, RobocacheMcapPlace *place, GError **error)
{
  RobocacheMcapFit fit;
  guint8 opcode;
  Head head;

  fit = read_head (view, offset, &head, error);
  if (fit == ROBOCACHE_MCAP_FIT_RECORD && (!reads_whole (&head) || head.place.opcode == ROBOCACHE_MCAP_MESSAGE)) {
    fit = find_opcode (view, &head, &opcode, error);
    if (fit == ROBOCACHE_MCAP_FIT_RECORD && opcode != head.place.opcode) {
      g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "its opcode is 0x%02x, but it is a %s record", head.place.opcode,
          robocache_mcap_opcode_name (opcode));
      head.place.opcode = opcode;
    } else if (fit == ROBOCACHE_MCAP_FIT_RECORD) {
      fit = reads_whole (&head) ? check_message (view, &head, error) : choose_end (view, &head, error);
    }
  }
  *place = head.place;
  return fit;
}

/* ---- search ---- */

/* Opcodes of records that are sought. */
static gboolean
is_sought (const RobocacheMcapView *view, guint8 opcode)
{
  switch (opcode) {
    case ROBOCACHE_MCAP_CHUNK:
    case ROBOCACHE_MCAP_MESSAGE_INDEX:
    case ROBOCACHE_MCAP_ATTACHMENT:
    case ROBOCACHE_MCAP_METADATA:
    case ROBOCACHE_MCAP_DATA_END:
    case ROBOCACHE_MCAP_FOOTER:
      return TRUE;
    case ROBOCACHE_MCAP_SCHEMA:
    case ROBOCACHE_MCAP_CHANNEL:
    case ROBOCACHE_MCAP_MESSAGE:
      return !view->has_chunks;
    default:
      return FALSE;
  }
}

/* RECORD: a record that fits, and that is followed by one. */
static RobocacheMcapFit
judge_candidate (const RobocacheMcapView *view, guint64 offset, GError **error)
{
  RobocacheMcapFit fit;
  gboolean is;
  Head head;

  fit = read_place (view, offset, &head, error);
  if (fit != ROBOCACHE_MCAP_FIT_RECORD)
    return fit;
  if (!head.is_in_file || !head.is_in_limit)
    return ROBOCACHE_MCAP_FIT_DAMAGED;
  fit = measure (view, &head.place, head.place.opcode, &head.extent, error);
  if (fit != ROBOCACHE_MCAP_FIT_RECORD)
    return fit;
  if (!reads_whole (&head))
    return ROBOCACHE_MCAP_FIT_DAMAGED;
  if (head.place.opcode == ROBOCACHE_MCAP_CHUNK || head.place.opcode == ROBOCACHE_MCAP_MESSAGE_INDEX) {
    fit = is_content_of (view, &head.place, head.place.opcode, &is, error);
    return fit != ROBOCACHE_MCAP_FIT_RECORD || is ? fit : ROBOCACHE_MCAP_FIT_DAMAGED;
  }
  return begins (view, end_of (&head.place, head.place.size), 0, error);
}

RobocacheMcapFit
robocache_mcap_find_fit (const RobocacheMcapView *view, guint64 *offset, GError **error)
{
  for (;;) {
    RobocacheMcapBytes bytes;
    RobocacheMcapFit fit = peek (view, *offset, SEARCH_BYTES, &bytes, error);
    guint64 at = *offset, end;

    if (fit == ROBOCACHE_MCAP_FIT_FAILED)
      return fit;
    end = at + bytes.size;
    if (bytes.size == 0)
      return fit;
    while (at < end) {
      /* a look ahead may have moved the bytes */
      if (!view->peek (view->user_data, at, (gsize) (end - at), &bytes, error))
        return ROBOCACHE_MCAP_FIT_FAILED;
      while (bytes.size > 0 && !is_sought (view, bytes.data[0])) {
        bytes.data++;
        bytes.size--;
        at++;
      }
      *offset = at;
      if (bytes.size == 0)
        break;
      fit = judge_candidate (view, at, error);
      if (fit == ROBOCACHE_MCAP_FIT_RECORD || fit == ROBOCACHE_MCAP_FIT_MORE || fit == ROBOCACHE_MCAP_FIT_FAILED)
        return fit;
      *offset = ++at;
    }
  }
}
