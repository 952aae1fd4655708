/* robocache: reads rows of a recording from bytes
 *
 * Bytes are pushed in pieces of any size: rows depend only on their concatenation. Only one thread at a time may use a reader.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "gst/parse/inputformat.h"
#include "gst/parse/table/timeguess.h"

/* Lines from which columns, times and units of a file are guessed. */
#define ROBOCACHE_LINES_AHEAD 200

/* Format of the records. The caller keeps the strings, which are not stored. */
typedef struct
{
  RobocacheInputFormat format;
  const gchar *delimiter;       /* CSV; NULL: auto */
  const gchar *layout;          /* binary */
  const gchar *channels;        /* names and ranges of columns; NULL or "": all except the time and arrival columns */
  RobocacheTimeChoice time;     /* settings that are missing are guessed (timeguess.h); the arrival column has the same unit */
  guint n_ahead;                /* CSV: lines that are read before the first row, and guessed from; 0: until a line is data */
} RobocacheRecordSpec;

typedef struct
{
  guint64 number;               /* number of the line, or of the binary record, from 1 */
  gint64 time_ns;               /* on the file's clock */
  gint64 arrival_ns;            /* on the file's clock; time_ns without an arrival column */
  const gfloat *values;         /* [n_channels], until the next call */
  guint n_empty;                /* values that are NaN, of CSV: their field is empty, NA or NaN */
} RobocacheRecord;

typedef struct _RobocacheRecordReader RobocacheRecordReader;

/* NULL and an error that names the setting: invalid spec. */
RobocacheRecordReader *robocache_record_reader_new (const RobocacheRecordSpec * spec, GError ** error);
void robocache_record_reader_free (RobocacheRecordReader * reader);

/* Takes the buffer. FALSE and an error: its bytes cannot be read. */
gboolean robocache_record_reader_push (RobocacheRecordReader * reader, GstBuffer * buffer, GError ** error);
/* After all bytes were pushed: the rest is the last record, complete or not. */
void robocache_record_reader_end (RobocacheRecordReader * reader);
/* Drops all bytes and columns: the next bytes are the beginning of a recording, which may have a header. */
void robocache_record_reader_restart (RobocacheRecordReader * reader);

RobocacheReadResult robocache_record_reader_next (RobocacheRecordReader * reader, RobocacheRecord * record,
    GError ** error);

/* Number of channels; 0 until the columns are known. */
guint robocache_record_reader_n_channels (const RobocacheRecordReader * reader);
/* The column of channel i in the file. */
guint robocache_record_reader_column (const RobocacheRecordReader * reader, guint i);
/* Reads so many lines before the first row from the next restart on; before the first byte. */
void robocache_record_reader_set_ahead (RobocacheRecordReader * reader, guint n_lines);
/* Columns (guint) that are no channels until the restart, unless these would be all; before the first record. */
void robocache_record_reader_leave_out (RobocacheRecordReader * reader, const GArray * columns);
/* "q0,q1"; NULL without a header. Valid until the next call of _next. */
const gchar *robocache_record_reader_channel_names (const RobocacheRecordReader * reader);
/* The source of the times, once the columns are known. Valid until the next call of _next. */
const RobocacheTimeSource *robocache_record_reader_time_source (const RobocacheRecordReader * reader);
/* Whether channel i is to be held: true and false, or words. */
gboolean robocache_record_reader_is_held (const RobocacheRecordReader * reader, guint i);
/* Names or numbers of columns that do not become channels because they have text, "frame_id, mode"; NULL: no such column. */
const gchar *robocache_record_reader_text_columns (const RobocacheRecordReader * reader);
/* Lines before the data that are neither blank, comments, nor the header. */
guint robocache_record_reader_n_skipped (const RobocacheRecordReader * reader);
/* The numbers given to words so far, "mode: idle = 0, move = 1; …"; NULL: no channel has words. Free with g_free. */
gchar *robocache_record_reader_describe_words (const RobocacheRecordReader * reader);
/* Number of changes of the values above. */
guint robocache_record_reader_version (const RobocacheRecordReader * reader);
/* Number of comment lines so far. */
guint64 robocache_record_reader_comments (const RobocacheRecordReader * reader);
/* Bytes that were read since the restart: of a record, its end. */
guint64 robocache_record_reader_position (const RobocacheRecordReader * reader);
