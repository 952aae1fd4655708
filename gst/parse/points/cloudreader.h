/* robocache: reads clouds from the bytes of point cloud files
 *
 * Bytes are pushed in pieces of any size, and _end marks the end of a file: with a buffer, or with the stream. Clouds depend only on the
 * bytes between two ends, and their times on buffers. Only one thread at a time may use a reader.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "gst/parse/inputformat.h"

typedef struct
{
  RobocacheInputFormat format; /* a format of clouds */
  const gchar *layout, *channels;       /* for ROBOCACHE_INPUT_POINTS: a struct string, and the names of its numbers */
  guint64 points_per_cloud;     /* for formats without a header; 0: each file is a cloud */
  guint64 max_bytes;            /* maximum bytes of a cloud, and so of stored pieces of a cloud; 0: no limit */
} RobocacheCloudSpec;

typedef struct
{
  guint64 number;               /* number of the cloud in the stream, from 1, counting malformed clouds */
  GstBuffer *buffer;            /* owned by the caller; the bytes of the points */
  GstCaps *caps;                /* application/x-pointcloud without a framerate; owned by the reader, valid until the next call */
  guint64 n_points;
  GstClockTime pts;             /* PTS of the buffer in which it begins; none if another cloud begins there before it */
} RobocacheCloudRecord;

typedef struct _RobocacheCloudReader RobocacheCloudReader;

/* NULL and an error that names the setting: invalid spec. */
RobocacheCloudReader *robocache_cloud_reader_new (const RobocacheCloudSpec * spec, GError ** error);
void robocache_cloud_reader_free (RobocacheCloudReader * reader);

/* Sets the caps of the input, which describe points if the spec does not. FALSE and an error: malformed caps. */
gboolean robocache_cloud_reader_set_caps (RobocacheCloudReader * reader, const GstCaps * caps, GError ** error);

/* Takes an allocator of this plugin, or NULL. Clouds that lie in several buffers are copied to its memory. */
void robocache_cloud_reader_set_allocator (RobocacheCloudReader * reader, GstAllocator * allocator);
/* Takes the buffer. FALSE and an error: its bytes cannot be read. */
gboolean robocache_cloud_reader_push (RobocacheCloudReader * reader, GstBuffer * buffer, GError ** error);
/* Ends a file. After _next has returned ROBOCACHE_READ_MORE, the next piece is the beginning of another file. */
void robocache_cloud_reader_end (RobocacheCloudReader * reader);
/* Drops all bytes: the next piece is the beginning of the first file. */
void robocache_cloud_reader_restart (RobocacheCloudReader * reader);

/* ROBOCACHE_READ_RECORD: a cloud. ROBOCACHE_READ_HEADER: the header of a cloud. ROBOCACHE_READ_MALFORMED: a cloud, or a point of a cloud,
 * was skipped. ROBOCACHE_READ_REFUSED: settings lack something, or a cloud exceeds max_bytes or memory. */
RobocacheReadResult robocache_cloud_reader_next (RobocacheCloudReader * reader, RobocacheCloudRecord * cloud,
    GError ** error);

/* Number of well-formed points so far, in complete and incomplete clouds. */
guint64 robocache_cloud_reader_n_points (const RobocacheCloudReader * reader);
