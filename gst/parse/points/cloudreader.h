/* robocache: bytes of point cloud files in, clouds out
 *
 * Bytes are pushed in pieces of any size, and _end marks the end of a file: with a buffer, or with the stream. Clouds depend on
 * the bytes between two ends alone, and their times on buffers. One thread at a time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOUDREADER_H
#define ROBOCACHE_CLOUDREADER_H

#include <gst/gst.h>

#include "gst/parse/inputformat.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheInputFormat format; /* one of clouds */
  const gchar *layout, *channels;       /* of ROBOCACHE_INPUT_POINTS: a struct string, and names of its numbers */
  guint64 points_per_cloud;     /* of formats without a header; 0: a cloud is a file */
  guint64 max_bytes;            /* of a cloud, and so of what waits for the rest of one; 0: no limit */
} RobocacheCloudSpec;

typedef struct
{
  guint64 number;               /* of the cloud, from 1; malformed ones count */
  GstBuffer *buffer;            /* the caller's; the bytes of its points */
  GstCaps *caps;                /* application/x-pointcloud without a framerate; the reader's, until the next call */
  guint64 n_points;
  GstClockTime pts;             /* of the buffer that it begins in; none when another cloud begins there before it */
} RobocacheCloudRecord;

typedef struct _RobocacheCloudReader RobocacheCloudReader;

/* NULL and an error that names the setting when the spec makes no sense. */
RobocacheCloudReader *robocache_cloud_reader_new (const RobocacheCloudSpec * spec, GError ** error);
void robocache_cloud_reader_free (RobocacheCloudReader * reader);

/* Caps of the input, which describe points when the spec does not. FALSE and an error when they are malformed. */
gboolean robocache_cloud_reader_set_caps (RobocacheCloudReader * reader, const GstCaps * caps, GError ** error);

/* Takes an allocator of the plugin's, or NULL: clouds that lie in several buffers are copied to its memory. */
void robocache_cloud_reader_set_allocator (RobocacheCloudReader * reader, GstAllocator * allocator);
/* Takes the buffer. FALSE and an error when its bytes cannot be read. */
gboolean robocache_cloud_reader_push (RobocacheCloudReader * reader, GstBuffer * buffer, GError ** error);
/* Ends a file. The next piece, after _next has returned ROBOCACHE_READ_MORE, is the beginning of another one. */
void robocache_cloud_reader_end (RobocacheCloudReader * reader);
/* Drops all bytes: the next piece is the beginning of the first file. */
void robocache_cloud_reader_restart (RobocacheCloudReader * reader);

/* ROBOCACHE_READ_RECORD: a cloud. ROBOCACHE_READ_HEADER: the header of a cloud. ROBOCACHE_READ_MALFORMED: a cloud, or
 * a point of one, was skipped. ROBOCACHE_READ_REFUSED: settings lack something, or a cloud exceeds max_bytes or memory. */
RobocacheReadResult robocache_cloud_reader_next (RobocacheCloudReader * reader, RobocacheCloudRecord * cloud,
    GError ** error);

/* Number of well-formed points so far, in clouds that are complete or not. */
guint64 robocache_cloud_reader_n_points (const RobocacheCloudReader * reader);

G_END_DECLS
#endif
