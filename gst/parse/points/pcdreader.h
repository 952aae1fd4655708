/* robocache: reads PCD files, one after another
 *
 * A file ends after the points of its header, or where the next file begins: a truncated file does not damage the next one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "gst/parse/records/byteinput.h"
#include "pcddata.h"
#include "pcdheader.h"
#include "pcdsearch.h"
#include "gst/parse/records/recordreader.h"

typedef enum
{
  ROBOCACHE_PCD_STATE_HEADER,
  ROBOCACHE_PCD_STATE_SPLIT,    /* lines that were read belong to the next file's header */
  ROBOCACHE_PCD_STATE_ASCII,
  ROBOCACHE_PCD_STATE_BINARY,
  ROBOCACHE_PCD_STATE_SIZES,
  ROBOCACHE_PCD_STATE_COMPRESSED,
  ROBOCACHE_PCD_STATE_LOST      /* the rest of the file is malformed */
} RobocachePcdState;

/* A comment in a header at which the next file may begin. The file begins there if the lines after the comment contradict the lines before it. */
typedef struct
{
  RobocachePcdBeginning beginning;
  guint64 n_lines;              /* number of lines of the header before the comment */
  gboolean cuts_line;           /* the comment begins within the line after these lines */
} RobocachePcdSeam;

typedef struct
{
  RobocacheByteInput *input;    /* owned by the caller */
  RobocachePcdSearch search;    /* search for the files after the current one */
  RobocachePcdState state;
  RobocachePcdHeader header;
  GArray *seams;                /* RobocachePcdSeam items: comments in the header at which the next file may begin */
  guint64 split_position;       /* position of the next file, in ROBOCACHE_PCD_STATE_SPLIT */
  RobocachePcdSizes sizes;
  GstCaps *caps;                /* caps of the header, once it is complete */
  gboolean first_line_is_cut;   /* the first bytes of the header were mistaken for points */
  guint64 cloud_end;            /* position after the last cloud */
  gboolean may_be_padded;       /* only zero bytes have followed a binary cloud */
  GPtrArray *words;             /* words of a line */
  guint64 max_bytes;            /* maximum bytes of a cloud */
  guint8 *points;               /* bytes of the points of an ASCII cloud so far */
  gsize n_bytes, capacity;      /* used and allocated bytes of points */
  guint64 n_lines;              /* number of lines of points so far, malformed ones included */
  guint64 n_good;               /* total number of well-formed points */
} RobocachePcdReader;

void robocache_pcd_reader_init (RobocachePcdReader * reader, RobocacheByteInput * input, guint64 max_bytes);
void robocache_pcd_reader_clear (RobocachePcdReader * reader);
void robocache_pcd_reader_restart (RobocachePcdReader * reader);

/* Makes the reader search all pieces that are pushed into the input for beginnings of files. */
void robocache_pcd_reader_watch (RobocachePcdReader * reader);
/* Notes that the next bytes do not continue the previous ones. */
void robocache_pcd_reader_end (RobocachePcdReader * reader);

/* Whether no cloud has begun before the next byte. */
gboolean robocache_pcd_reader_is_between_clouds (const RobocachePcdReader * reader);

/* Position after the last cloud, complete or malformed. */
guint64 robocache_pcd_reader_position (const RobocachePcdReader * reader);

/* ROBOCACHE_READ_RECORD: *points are those of a cloud. ROBOCACHE_READ_REFUSED: a cloud exceeds max_bytes, or there is no memory for it.
 * Errors do
 * not name the cloud. */
RobocacheReadResult robocache_pcd_reader_next (RobocachePcdReader * reader, GstBuffer ** points, guint64 * n_points,
    GError ** error);
