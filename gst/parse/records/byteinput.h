/* robocache: bytes that arrive in pieces, and lines cut from them
 *
 * Pieces are read as one run of bytes: results depend only on their concatenation.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstadapter.h>
#include <gst/gst.h>

/* Maximum bytes of a line. A longer line is not stored, so a file without line ends needs no memory. */
#define ROBOCACHE_MAX_LINE (1 << 20)

/* Receives the bytes of each piece when it is pushed, without a copy. */
typedef void (*RobocacheByteWatch) (gpointer watcher, const guint8 * bytes, gsize n);

/* Bytes. A smaller piece after unread bytes is copied into a block with others, since each GstBuffer needs some hundred bytes. */
#define ROBOCACHE_SMALL_PIECE 1024

typedef struct
{
  GstAdapter *adapter;
  GByteArray *block;            /* small pieces, which follow the bytes of the adapter */
  const guint8 *bytes;          /* the first bytes of the adapter, at most up to the limit, while mapped */
  gsize n_bytes, cursor;
  guint8 *copy;                 /* copy of peeked bytes that lie in several pieces; or NULL */
  gboolean ended;               /* all bytes were pushed */
  guint64 limit;                /* position of the end of readable bytes; G_MAXUINT64: all */
  gboolean limit_is_end;        /* the limit is also the end of the input */
  guint64 position;             /* position of the adapter's first byte, since the last restart */
  guint64 line_number;          /* number of the last line that was read, from 1 */
  GString *line;                /* the last line that was read, or the beginning of the next one */
  gboolean in_line;             /* the end of line was not pushed yet */
  gboolean line_is_too_long;
  gboolean line_is_cut;         /* the line ended with the input, without a line end */
  RobocacheByteWatch watch;     /* the owner's, or NULL */
  gpointer watcher;
  GstAllocator *allocator;      /* an allocator of this plugin for copies in buffers; NULL: system memory */
} RobocacheByteInput;

typedef enum
{
  ROBOCACHE_LINE_NONE,          /* the end of the line was not pushed yet */
  ROBOCACHE_LINE_WHOLE,         /* in input->line, without its end, LF or CRLF */
  ROBOCACHE_LINE_TOO_LONG
} RobocacheLineResult;

void robocache_byte_input_init (RobocacheByteInput * input);
void robocache_byte_input_clear (RobocacheByteInput * input);

/* Takes the buffer. FALSE and an error: its bytes cannot be read. */
gboolean robocache_byte_input_push (RobocacheByteInput * input, GstBuffer * buffer, GError ** error);
/* Drops all bytes: the next piece is the beginning of an input. */
void robocache_byte_input_restart (RobocacheByteInput * input);

/* Sets a limit, an unread position: bytes from there on cannot be read until the limit changes. */
void robocache_byte_input_set_limit (RobocacheByteInput * input, guint64 position, gboolean is_end);

/* Sets bytes and n_bytes. cursor is the number of bytes read; at least `least` bytes follow it, or all readable bytes if there are fewer. */
void robocache_byte_input_map (RobocacheByteInput * input, gsize least);
/* Releases the bytes that were read. */
void robocache_byte_input_unmap (RobocacheByteInput * input);

/* Maps input and reads the next line into a buffer that the caller may change. Reads each byte once, for any pieces. */
RobocacheLineResult robocache_byte_input_read_line (RobocacheByteInput * input);

/* Reads the next n bytes, which must be available, from unmapped input: as part of a pushed buffer if they lie in one. NULL and an error:
 * no memory for a copy; the bytes are skipped. */
GstBuffer *robocache_byte_input_read_buffer (RobocacheByteInput * input, gsize n, GError ** error);
/* Returns the next n bytes without reading them, directly or as a copy; valid until they are skipped. NULL and an error: no memory. */
const guint8 *robocache_byte_input_peek (RobocacheByteInput * input, gsize n, GError ** error);
/* Skips n available bytes of unmapped input. */
void robocache_byte_input_skip (RobocacheByteInput * input, gsize n);

/* Number of readable bytes that were not read yet. */
gsize robocache_byte_input_available (const RobocacheByteInput * input);
/* Whether no more readable bytes follow. */
gboolean robocache_byte_input_has_ended (const RobocacheByteInput * input);
/* Position of the next byte, since the last restart. */
guint64 robocache_byte_input_position (const RobocacheByteInput * input);
/* Position of the byte that is pushed next. */
guint64 robocache_byte_input_end (const RobocacheByteInput * input);

/* Errors quote the input, which can be anything, but messages on a bus are UTF-8. */
void robocache_byte_input_make_valid (GError * error);
