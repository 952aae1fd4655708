/* robocache: bytes that come in pieces, and lines cut from them
 *
 * Pieces are pushed as they come and seen as one run of bytes. What is read depends on their concatenation alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_BYTEINPUT_H
#define ROBOCACHE_BYTEINPUT_H

#include <gst/base/gstadapter.h>
#include <gst/gst.h>

G_BEGIN_DECLS

/* Bytes; a longer line is not kept, so a file without line ends needs no memory. */
#define ROBOCACHE_MAX_LINE (1 << 20)

/* Sees the bytes of each piece as it comes, where they lie. */
typedef void (*RobocacheByteWatch) (gpointer watcher, const guint8 * bytes, gsize n);

/* Bytes; a smaller piece that comes behind bytes that wait is copied into a block with others, since a GstBuffer takes some
 * hundred bytes of its own. */
#define ROBOCACHE_SMALL_PIECE 1024

typedef struct
{
  GstAdapter *adapter;
  GByteArray *block;            /* small pieces behind what the adapter holds */
  const guint8 *bytes;          /* what the adapter holds up to the limit, while mapped */
  gsize n_bytes, cursor;
  gboolean ended;               /* no more bytes will come */
  guint64 limit;                /* position that is read up to; G_MAXUINT64: as far as bytes are there */
  gboolean limit_is_end;        /* as if none came from there on */
  guint64 position;             /* of the adapter's first byte, since the last restart */
  guint64 line_number;          /* of the line that was taken last, from 1 */
  GString *line;                /* that was taken last, or what has come of the next one */
  gboolean in_line;             /* its end has not come */
  gboolean line_is_too_long;
  gboolean line_is_cut;         /* it ended with the input, without a line end */
  RobocacheByteWatch watch;     /* the owner's, or NULL */
  gpointer watcher;
} RobocacheByteInput;

typedef enum
{
  ROBOCACHE_LINE_NONE,          /* its end has not come */
  ROBOCACHE_LINE_WHOLE,         /* in input->line, without its end, LF or CRLF */
  ROBOCACHE_LINE_TOO_LONG
} RobocacheLineResult;

void robocache_byte_input_init (RobocacheByteInput * input);
void robocache_byte_input_clear (RobocacheByteInput * input);

/* Takes the buffer. FALSE and an error when its bytes cannot be read. */
gboolean robocache_byte_input_push (RobocacheByteInput * input, GstBuffer * buffer, GError ** error);
/* Forgets all bytes; what comes next is a beginning. */
void robocache_byte_input_restart (RobocacheByteInput * input);

/* Bytes from a position on, which must not have been read, are left alone until the limit moves on. */
void robocache_byte_input_set_limit (RobocacheByteInput * input, guint64 position, gboolean is_end);

/* Makes bytes and n_bytes all that is there up to the limit; cursor is how much of it was read. */
void robocache_byte_input_map (RobocacheByteInput * input);
/* Lets go of what was read. */
void robocache_byte_input_unmap (RobocacheByteInput * input);

/* Takes the next line of mapped input: a copy, that may be cut in place. Bytes of a line are read as they come, so each is
 * looked at once, whatever the pieces. */
RobocacheLineResult robocache_byte_input_take_line (RobocacheByteInput * input);

/* The next n bytes, which must be there, of input that is not mapped: a part of a pushed buffer where they lie in one. */
GstBuffer *robocache_byte_input_take_buffer (RobocacheByteInput * input, gsize n);
/* Those, where they lie or in one copy; valid until they are skipped. */
const guint8 *robocache_byte_input_peek (RobocacheByteInput * input, gsize n);
/* Drops n bytes that are there, of input that is not mapped. */
void robocache_byte_input_skip (RobocacheByteInput * input, gsize n);

/* How many bytes are there up to the limit and not read. */
gsize robocache_byte_input_available (const RobocacheByteInput * input);
/* Whether no more of them will come. */
gboolean robocache_byte_input_has_ended (const RobocacheByteInput * input);
/* Of the next byte, since the last restart. */
guint64 robocache_byte_input_position (const RobocacheByteInput * input);
/* Of the byte that is pushed next. */
guint64 robocache_byte_input_end (const RobocacheByteInput * input);

/* Errors quote the input, which can be anything, but messages on a bus are UTF-8. */
void robocache_byte_input_make_valid (GError * error);

G_END_DECLS
#endif
