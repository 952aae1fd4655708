/* robocache: CDR, the encoding of ROS 2 messages
 *
 * XCDR version 1, "plain": four bytes that name the encoding, then the fields, each aligned to its own size (at most 8), relative to the
 * fifth byte. Source: OMG Common Object Request Broker Architecture 3.3, part 2, 9.3, and OMG DDS-XTypes 1.3, 7.4.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <string.h>

/* ---- reading ---- */

/* Reads either byte order. After a fault every read is 0 or empty, so that callers check once, at the end. */
typedef struct
{
  const guint8 *body;           /* bytes after the first four */
  gsize size, offset;           /* size of the body, and position in it */
  gboolean is_swapped;          /* numbers are not in host byte order */
  gboolean is_packed;           /* numbers are not aligned, and no bytes precede the body: ROS 1 */
  const gchar *fault;           /* NULL: none so far */
  gsize fault_offset;           /* offset in the message, the four bytes included */
} RobocacheCdrReader;

/* The caller keeps the message, which must outlive the reader. An encoding other than plain CDR is a fault. */
void robocache_cdr_reader_init (RobocacheCdrReader * reader, gconstpointer message, gsize size);
/* Like robocache_cdr_reader_init, for a message of ROS 1: little endian, without alignment and without bytes of encoding. Its strings
 * have no NUL, so robocache_cdr_read_string cannot read them. */
void robocache_cdr_reader_init_packed (RobocacheCdrReader * reader, gconstpointer message, gsize size);
/* FALSE and a ROBOCACHE_ERROR_DATA that names fault and offset: a fault occurred. */
gboolean robocache_cdr_reader_check (const RobocacheCdrReader * reader, GError ** error);
/* Sets a fault, unless one is set; `fault` is a constant. */
void robocache_cdr_reader_fail (RobocacheCdrReader * reader, const gchar * fault);

/* Reads one number of 1, 2, 4 or 8 bytes into value, in host order. */
void robocache_cdr_read_number (RobocacheCdrReader * reader, guint bytes, gpointer value);
guint8 robocache_cdr_read_uint8 (RobocacheCdrReader * reader);
gint32 robocache_cdr_read_int32 (RobocacheCdrReader * reader);
guint32 robocache_cdr_read_uint32 (RobocacheCdrReader * reader);

/* Reads the count of a sequence whose items have at least min_bytes each. A count that exceeds the message or max (0: no limit) is a
 * fault. */
guint32 robocache_cdr_read_count (RobocacheCdrReader * reader, gsize min_bytes, guint32 max);
/* Returns n numbers in the message, possibly unaligned and not in host order. NULL after a fault. */
static inline const guint8 *robocache_cdr_read_array (RobocacheCdrReader * reader, guint bytes, gsize n);
/* Returns a string in the message, which ends with NUL; length excludes the NUL. "" after a fault. */
const gchar *robocache_cdr_read_string (RobocacheCdrReader * reader, guint32 * length);

/* Skips n strings, with the same faults as reading them. */
void robocache_cdr_skip_strings (RobocacheCdrReader * reader, gsize n);

/* Copies n numbers of an array to host order. */
static inline void robocache_cdr_copy_numbers (const RobocacheCdrReader * reader, gpointer to, const guint8 * array, guint bytes, gsize n);
void robocache_cdr_swap_numbers (guint8 * to, const guint8 * from, guint bytes, gsize n);

/* These functions are inline, as several of them are called for each field of each message. */

static inline const guint8 *
robocache_cdr_read_array (RobocacheCdrReader *reader, guint bytes, gsize n)
{
  /* an empty array has no padding */
  const gsize offset = n > 0 && !reader->is_packed ? (reader->offset + bytes - 1) & ~(gsize) (bytes - 1) : reader->offset;

  if (G_UNLIKELY (reader->fault))
    return NULL;
  /* no division, which would take longer than the rest; n * bytes cannot overflow if n is not larger than the message */
  if (G_UNLIKELY (offset > reader->size || n > reader->size || n * bytes > reader->size - offset)) {
    robocache_cdr_reader_fail (reader, "the message ends within a field");
    return NULL;
  }
  reader->offset = offset + n * bytes;
  return reader->body + offset;
}

static inline void
robocache_cdr_copy_numbers (const RobocacheCdrReader *reader, gpointer to, const guint8 *array, guint bytes, gsize n)
{
  if (reader->is_swapped && bytes > 1)
    robocache_cdr_swap_numbers ((guint8 *) to, array, bytes, n);
  else if (n == 1 && bytes == sizeof (guint32))
    memcpy (to, array, sizeof (guint32));
  else if (n == 1 && bytes == sizeof (guint64))
    memcpy (to, array, sizeof (guint64));
  else if (n > 0)
    memcpy (to, array, n * bytes);
}

/* ---- writing ---- */

/* Writes little endian. If memory is short, has_failed is set, and the rest is not written. A zeroed struct is an empty writer. */
typedef struct
{
  guint8 *data;
  gsize size, capacity;
  gboolean has_failed;
} RobocacheCdrWriter;

/* Begins the next message, in the memory of the previous one. */
void robocache_cdr_writer_begin (RobocacheCdrWriter * writer);
void robocache_cdr_writer_clear (RobocacheCdrWriter * writer);

void robocache_cdr_write_uint8 (RobocacheCdrWriter * writer, guint8 value);
void robocache_cdr_write_int32 (RobocacheCdrWriter * writer, gint32 value);
void robocache_cdr_write_uint32 (RobocacheCdrWriter * writer, guint32 value);
void robocache_cdr_write_int64 (RobocacheCdrWriter * writer, gint64 value);
void robocache_cdr_write_uint64 (RobocacheCdrWriter * writer, guint64 value);
/* Writes a string; NULL is "". */
void robocache_cdr_write_string (RobocacheCdrWriter * writer, const gchar * string);
/* Writes n numbers of an array of fixed length. */
void robocache_cdr_write_array (RobocacheCdrWriter * writer, gconstpointer numbers, guint bytes, gsize n);
/* Writes a count and n numbers; n above 2^32 - 1 is a failure. */
void robocache_cdr_write_sequence (RobocacheCdrWriter * writer, gconstpointer numbers, guint bytes, gsize n);
void robocache_cdr_write_strings (RobocacheCdrWriter * writer, const gchar * const *strings, gsize n);
