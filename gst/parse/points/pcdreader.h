/* robocache: PCD files, one after another
 *
 * A file ends after the points of its header, or where the next one begins: a file that was cut short does not damage the next one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_PCDREADER_H
#define ROBOCACHE_PCDREADER_H

#include "gst/parse/records/byteinput.h"
#include "pcddata.h"
#include "pcdheader.h"
#include "pcdsearch.h"
#include "gst/parse/records/recordreader.h"

G_BEGIN_DECLS

typedef enum
{
  ROBOCACHE_PCD_STATE_HEADER,
  ROBOCACHE_PCD_STATE_SPLIT,    /* lines that were read are of the next file's header */
  ROBOCACHE_PCD_STATE_ASCII,
  ROBOCACHE_PCD_STATE_BINARY,
  ROBOCACHE_PCD_STATE_SIZES,
  ROBOCACHE_PCD_STATE_COMPRESSED,
  ROBOCACHE_PCD_STATE_LOST      /* the rest of the file is malformed */
} RobocachePcdState;

/* A comment of a header, with which the next file may begin: then its lines make no sense with those before it. */
typedef struct
{
  RobocachePcdBeginning beginning;
  guint64 n_lines;              /* of the header before it */
  gboolean cuts_line;           /* it begins in the line behind these */
} RobocachePcdSeam;

typedef struct
{
  RobocacheByteInput *input;    /* the owner's */
  RobocachePcdSearch search;    /* for the files after the one that is being read */
  RobocachePcdState state;
  RobocachePcdHeader header;
  GArray *seams;                /* RobocachePcdSeam, of the header */
  guint64 split_position;       /* where the next file begins, in ROBOCACHE_PCD_STATE_SPLIT */
  RobocachePcdSizes sizes;
  GstCaps *caps;                /* of the header, once it is whole */
  gboolean first_line_is_cut;   /* of the header: its first bytes were taken for points */
  guint64 cloud_end;            /* position behind the cloud that was read last */
  GPtrArray *words;             /* of a line */
  guint64 max_bytes;            /* of a cloud */
  guint8 *points;               /* of ASCII, so far */
  gsize n_bytes, capacity;      /* of these */
  guint64 n_lines;              /* of points, so far, malformed ones included */
  guint64 n_good;               /* points that were read well, in all */
} RobocachePcdReader;

void robocache_pcd_reader_init (RobocachePcdReader * reader, RobocacheByteInput * input, guint64 max_bytes);
void robocache_pcd_reader_clear (RobocachePcdReader * reader);
void robocache_pcd_reader_restart (RobocachePcdReader * reader);

/* Searches all pieces that are pushed into the input for beginnings of files. */
void robocache_pcd_reader_watch (RobocachePcdReader * reader);
/* The next bytes do not continue those before. */
void robocache_pcd_reader_end (RobocachePcdReader * reader);

/* Whether no cloud has begun before the next byte. */
gboolean robocache_pcd_reader_is_between_clouds (const RobocachePcdReader * reader);

/* Position behind the last cloud, complete or malformed. */
guint64 robocache_pcd_reader_position (const RobocachePcdReader * reader);

/* ROBOCACHE_READ_RECORD: *points are those of a cloud. ROBOCACHE_READ_REFUSED: a cloud exceeds max_bytes, or memory. Errors do
 * not name the cloud. */
RobocacheReadResult robocache_pcd_reader_next (RobocachePcdReader * reader, GstBuffer ** points, guint64 * n_points,
    GError ** error);

G_END_DECLS
#endif
