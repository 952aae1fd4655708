/* robocache: CDR, the encoding of ROS 2 messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cdr.h"

#include <string.h>

#include "common/element/errors.h"

/* Bytes before the body: two of the encoding, two of options. */
#define HEADER_BYTES 4

enum
{ CDR_BIG_ENDIAN, CDR_LITTLE_ENDIAN };

void
robocache_cdr_swap_numbers (guint8 *to, const guint8 *from, guint bytes, gsize n)
{
  for (gsize i = 0; i < n; i++, to += bytes, from += bytes) {
    for (guint k = 0; k < bytes; k++)
      to[k] = from[bytes - 1 - k];
  }
}

/* ---- reading ---- */

void
robocache_cdr_reader_init (RobocacheCdrReader *reader, gconstpointer message, gsize size)
{
  const guint8 *bytes = message;

  *reader = (RobocacheCdrReader) { 0 };
  if (size < HEADER_BYTES) {
    robocache_cdr_reader_fail (reader, "the message ends before its four bytes of encoding");
    return;
  }
  if (bytes[0] != 0 || bytes[1] > CDR_LITTLE_ENDIAN) {
    robocache_cdr_reader_fail (reader, "the encoding is not plain CDR (00 00 or 00 01)");
    return;
  }
  reader->is_swapped = (bytes[1] == CDR_LITTLE_ENDIAN) != (G_BYTE_ORDER == G_LITTLE_ENDIAN);
  reader->body = bytes + HEADER_BYTES;
  reader->size = size - HEADER_BYTES;
}

void
robocache_cdr_reader_init_packed (RobocacheCdrReader *reader, gconstpointer message, gsize size)
{
  *reader = (RobocacheCdrReader) {.body = message,.size = size,.is_packed = TRUE,.is_swapped = G_BYTE_ORDER != G_LITTLE_ENDIAN };
}

gboolean
robocache_cdr_reader_check (const RobocacheCdrReader *reader, GError **error)
{
  if (!reader->fault)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "at byte %" G_GSIZE_FORMAT " of the message: %s",
      reader->fault_offset, reader->fault);
  return FALSE;
}

void
robocache_cdr_reader_fail (RobocacheCdrReader *reader, const gchar *fault)
{
  if (reader->fault)
    return;
  reader->fault = fault;
  reader->fault_offset = reader->is_packed ? reader->offset : reader->body ? reader->offset + HEADER_BYTES : 0;
  reader->offset = reader->size;
}

void
robocache_cdr_read_number (RobocacheCdrReader *reader, guint bytes, gpointer value)
{
  const guint8 *at = robocache_cdr_read_array (reader, bytes, 1);

  if (at)
    robocache_cdr_copy_numbers (reader, value, at, bytes, 1);
  else
    memset (value, 0, bytes);
}

#define DEFINE_READ(name, type) \
type \
robocache_cdr_read_##name (RobocacheCdrReader *reader) \
{ \
  type value; \
 \
  robocache_cdr_read_number (reader, sizeof (value), &value); \
  return value; \
}

/* *INDENT-OFF* */
DEFINE_READ (uint8, guint8)
DEFINE_READ (int32, gint32)
DEFINE_READ (uint32, guint32)
/* *INDENT-ON* */

guint32
robocache_cdr_read_count (RobocacheCdrReader *reader, gsize min_bytes, guint32 max)
{
  const guint32 count = robocache_cdr_read_uint32 (reader);

  if (reader->fault)
    return 0;
  if (count <= (reader->size - reader->offset) / MAX (min_bytes, 1) && (max == 0 || count <= max))
    return count;
  reader->offset -= sizeof (count);
  robocache_cdr_reader_fail (reader, max > 0 && count > max ? "a sequence or string is longer than its type allows"
      : "a sequence or string has more items than the message can hold");
  return 0;
}

const gchar *
robocache_cdr_read_string (RobocacheCdrReader *reader, guint32 *length)
{
  const guint32 count = robocache_cdr_read_count (reader, 1, 0);
  const gchar *string = (const gchar *) robocache_cdr_read_array (reader, 1, count);

  *length = 0;
  /* some writers leave the NUL of an empty string out */
  if (string == NULL || count == 0)
    return "";
  if (string[count - 1] != '\0') {
    reader->offset -= count;
    robocache_cdr_reader_fail (reader, "a string does not end with NUL");
    return "";
  }
  *length = count - 1;
  return string;
}

/* The usual string: in host order, with its NUL. FALSE: it is another one. */
static gboolean
skip_usual_string (RobocacheCdrReader *reader)
{
  const gsize at = (reader->offset + sizeof (guint32) - 1) & ~(sizeof (guint32) - 1);
  const guint8 *string;
  guint32 count;

  if (reader->is_swapped || at > reader->size || reader->size - at < sizeof (count))
    return FALSE;
  memcpy (&count, reader->body + at, sizeof (count));
  string = reader->body + at + sizeof (count);
  if (count == 0 || count > reader->size - at - sizeof (count) || string[count - 1] != '\0')
    return FALSE;
  reader->offset = at + sizeof (count) + count;
  return TRUE;
}

void
robocache_cdr_skip_strings (RobocacheCdrReader *reader, gsize n)
{
  guint32 length;

  for (gsize i = 0; i < n && !reader->fault; i++) {
    if (!skip_usual_string (reader))
      robocache_cdr_read_string (reader, &length);
  }
}

/* ---- writing ---- */

void
robocache_cdr_writer_begin (RobocacheCdrWriter *writer)
{
  static const guint8 header[HEADER_BYTES] = { 0, CDR_LITTLE_ENDIAN, 0, 0 };

  writer->size = 0;
  writer->has_failed = FALSE;
  robocache_cdr_write_array (writer, header, 1, sizeof (header));
}

void
robocache_cdr_writer_clear (RobocacheCdrWriter *writer)
{
  g_free (writer->data);
  *writer = (RobocacheCdrWriter) { 0 };
}

/* Bytes at the end for n numbers and the padding before them, which is zeroed; NULL: no memory. */
static guint8 *
extend (RobocacheCdrWriter *writer, guint bytes, gsize n)
{
  const gsize padding = n > 0 ? (HEADER_BYTES - writer->size) & (bytes - 1) : 0;
  const gsize start = writer->size + padding;
  gsize capacity;
  guint8 *data;

  if (writer->has_failed || n > (G_MAXSSIZE - start) / bytes) {
    writer->has_failed = TRUE;
    return NULL;
  }
  if (start + n * bytes > writer->capacity) {
    capacity = MAX (start + n * bytes, MIN (writer->capacity * 2, G_MAXSSIZE));
    data = g_try_realloc (writer->data, capacity);
    if (data == NULL) {
      writer->has_failed = TRUE;
      return NULL;
    }
    writer->data = data;
    writer->capacity = capacity;
  }
  if (padding > 0)
    memset (writer->data + writer->size, 0, padding);
  writer->size = start + n * bytes;
  return writer->data + start;
}

void
robocache_cdr_write_array (RobocacheCdrWriter *writer, gconstpointer numbers, guint bytes, gsize n)
{
  guint8 *to = extend (writer, bytes, n);

  if (to == NULL || n == 0)
    return;
  if (G_BYTE_ORDER == G_LITTLE_ENDIAN || bytes == 1)
    memcpy (to, numbers, n * bytes);
  else
    robocache_cdr_swap_numbers (to, numbers, bytes, n);
}

#define DEFINE_WRITE(name, type) \
void \
robocache_cdr_write_##name (RobocacheCdrWriter *writer, type value) \
{ \
  robocache_cdr_write_array (writer, &value, sizeof (value), 1); \
}

/* *INDENT-OFF* */
DEFINE_WRITE (uint8, guint8)
DEFINE_WRITE (int32, gint32)
DEFINE_WRITE (uint32, guint32)
DEFINE_WRITE (int64, gint64)
DEFINE_WRITE (uint64, guint64)
/* *INDENT-ON* */

void
robocache_cdr_write_sequence (RobocacheCdrWriter *writer, gconstpointer numbers, guint bytes, gsize n)
{
  if (n > G_MAXUINT32)
    writer->has_failed = TRUE;
  robocache_cdr_write_uint32 (writer, (guint32) n);
  robocache_cdr_write_array (writer, numbers, bytes, n);
}

void
robocache_cdr_write_string (RobocacheCdrWriter *writer, const gchar *string)
{
  robocache_cdr_write_sequence (writer, string ? string : "", 1, (string ? strlen (string) : 0) + 1);
}

void
robocache_cdr_write_strings (RobocacheCdrWriter *writer, const gchar *const *strings, gsize n)
{
  if (n > G_MAXUINT32)
    writer->has_failed = TRUE;
  robocache_cdr_write_uint32 (writer, (guint32) n);
  for (gsize i = 0; i < n; i++)
    robocache_cdr_write_string (writer, strings[i]);
}
