/* robocache: buffers, segments and GAPs of an input of robocachefuse, as its core takes them
 *
 * A reader belongs to one stream. It knows no pad and no lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_READER_H
#define FUSE_READER_H

#include "common/rows/blender.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/rowtimes.h"
#include "format.h"
#include "gst/fuse/core/core.h"

G_BEGIN_DECLS

typedef struct
{
  FuseFormat *format;           /* of the newest caps; NULL: none have come, nor are any expected */
  RobocacheRowTimes clock;      /* segment, and where a buffer without PTS continues */
  guint n_positions;            /* of the stream when the last buffer was read: at another one none continues */
  GQuark reference;             /* the reference clock that reference_caps are of */
  GstCaps *reference_caps;
  gint64 *times;                /* of the rows of the buffer that is read; NULL: to be allocated for the format */
  RobocacheDeviceRow *device_rows;      /* the same of rows on a device, and of a frame */
  RobocacheTensorsMap map;      /* of that buffer */
  gboolean is_mapped;
} FuseReader;

void fuse_reader_init (FuseReader * reader);
void fuse_reader_clear (FuseReader * reader);
/* As new. */
void fuse_reader_reset (FuseReader * reader);

/* Each makes the event for the core of what came. */

/* Takes the format over. quaternions: a channel list or NULL; an invalid one counts as none. */
void fuse_reader_take_format (FuseReader * reader, FuseFormat * format, gboolean is_declared, const gchar * quaternions, FuseEvent * event);
void fuse_reader_take_segment (FuseReader * reader, const GstSegment * segment, FuseEvent * event);
void fuse_reader_take_gap (const FuseReader * reader, GstClockTime pts, GstClockTime duration, FuseEvent * event);

/* The rows of a buffer, until fuse_reader_end. stream: the core's, which tells the timestamps in force. base_time: of the pipeline. FALSE
 * and an error when the buffer differs from its caps. */
gboolean fuse_reader_begin (FuseReader * reader, const FuseStream * stream, GstBuffer * buffer, GstClockTime base_time, FuseRows * rows,
    GError ** error);
void fuse_reader_end (FuseReader * reader);

/* Waits for GPU work on the buffer that fuse_reader_begin would wait for. Called without a lock. */
void fuse_reader_wait_for_device (const FuseReader * reader, GstBuffer * buffer);

/* Times between GStreamer and the core: GST_CLOCK_TIME_NONE is ROBOCACHE_NO_TIME. */
static inline gint64
fuse_time_of_clock (GstClockTime time)
{
  return GST_CLOCK_TIME_IS_VALID (time) ? (gint64) MIN (time, G_MAXINT64) : ROBOCACHE_NO_TIME;
}

static inline GstClockTime
fuse_clock_time_of (gint64 time)
{
  return time < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) time;
}

G_END_DECLS
#endif
