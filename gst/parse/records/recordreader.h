/* robocache: bytes in, rows of a recording out
 *
 * Bytes are pushed in pieces of any size: rows depend on their concatenation alone. One thread at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_RECORDREADER_H
#define ROBOCACHE_RECORDREADER_H

#include <gst/gst.h>

#include "gst/parse/inputformat.h"
#include "timeguess.h"

G_BEGIN_DECLS

/* Format of the records. Strings stay the caller's and are not stored. */
typedef struct
{
  RobocacheInputFormat format;
  const gchar *delimiter;       /* CSV */
  const gchar *layout;          /* binary */
  const gchar *channels;        /* names and ranges of columns; NULL or "": all but the time and arrival columns */
  gint time_column;             /* -1: guessed, as the unit is with AUTO: timeguess.h */
  gint arrival_column;          /* -1: none */
  RobocacheTimeUnit time_unit;  /* of both */
} RobocacheRecordSpec;

typedef struct
{
  guint64 number;               /* of the line, or of the binary record, from 1 */
  gint64 time_ns;               /* on the file's clock */
  gint64 arrival_ns;            /* the same; time_ns without an arrival column */
  const gfloat *values;         /* [n_channels], until the next call */
  guint n_empty;                /* values that are NaN because their field is empty */
} RobocacheRecord;

typedef struct _RobocacheRecordReader RobocacheRecordReader;

/* NULL and an error that names the setting when the spec makes no sense. */
RobocacheRecordReader *robocache_record_reader_new (const RobocacheRecordSpec * spec, GError ** error);
void robocache_record_reader_free (RobocacheRecordReader * reader);

/* Takes the buffer. FALSE and an error when its bytes cannot be read. */
gboolean robocache_record_reader_push (RobocacheRecordReader * reader, GstBuffer * buffer, GError ** error);
/* All bytes were pushed: the rest is the last record, complete or not. */
void robocache_record_reader_end (RobocacheRecordReader * reader);
/* Drops all bytes and columns: the next bytes are the beginning of a recording, which may have a header. */
void robocache_record_reader_restart (RobocacheRecordReader * reader);

RobocacheReadResult robocache_record_reader_next (RobocacheRecordReader * reader, RobocacheRecord * record,
    GError ** error);

/* 0 until the columns are known. */
guint robocache_record_reader_n_channels (const RobocacheRecordReader * reader);
/* "q0,q1"; NULL without a header. Valid until the next call of _next. */
const gchar *robocache_record_reader_channel_names (const RobocacheRecordReader * reader);
/* Where the times are, once the columns are known. Valid until the next call of _next. */
const RobocacheTimeSource *robocache_record_reader_time_source (const RobocacheRecordReader * reader);
/* Number of changes of the three above. */
guint robocache_record_reader_version (const RobocacheRecordReader * reader);
/* Comment lines so far. */
guint64 robocache_record_reader_comments (const RobocacheRecordReader * reader);

G_END_DECLS
#endif
