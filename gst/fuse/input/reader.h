/* robocache: converts buffers, segments and GAPs of an input of robocachefuse for its core
 *
 * A reader belongs to one stream. A reader uses no pad and no lock.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/rows/blender.h"
#include "common/rows/channelroles.h"
#include "common/tensors/tensorbuffer.h"
#include "common/time/rowtimes.h"
#include "format.h"
#include "gst/fuse/core/core.h"

typedef struct
{
  FuseFormat *format;           /* format of the newest caps; NULL: no caps have arrived or are expected */
  RobocacheRowTimes clock;      /* the segment, and the time at which a buffer without PTS continues */
  guint n_positions;            /* n_positions of the stream when the last buffer was read; if it has changed, rows do not continue */
  GQuark reference;             /* reference clock of reference_caps */
  GstCaps *reference_caps;
  gint64 *times;                /* times of the rows of the current buffer; NULL: not allocated for the format yet */
  RobocacheDeviceRow *device_rows;      /* rows of the current buffer on a device, or its frame */
  RobocacheTensorsMap map;      /* map of the current buffer */
  gboolean is_mapped;
} FuseReader;

void fuse_reader_init (FuseReader * reader);
void fuse_reader_clear (FuseReader * reader);
/* Resets the reader. */
void fuse_reader_reset (FuseReader * reader);

/* Each of these functions makes an event for the core. */

/* Takes the format over. roles: of its rows, parsed; the event gets their quaternions. */
void fuse_reader_take_format (FuseReader * reader, FuseFormat * format, gboolean is_declared, RobocacheChannelRoles * roles,
    FuseEvent * event);
void fuse_reader_take_segment (FuseReader * reader, const GstSegment * segment, FuseEvent * event);
void fuse_reader_take_gap (const FuseReader * reader, GstClockTime pts, GstClockTime duration, FuseEvent * event);

/* Reads the rows of a buffer, which are valid until fuse_reader_end. stream: that of the core, with the current timestamp settings.
 * base_time: that of the pipeline. FALSE and an error: the buffer differs from its caps. */
gboolean fuse_reader_begin (FuseReader * reader, const FuseStream * stream, GstBuffer * buffer, GstClockTime base_time, FuseRows * rows,
    GError ** error);
void fuse_reader_end (FuseReader * reader);

/* Waits for GPU work on the buffer that fuse_reader_begin would wait for. Called without a lock. */
void fuse_reader_wait_for_device (const FuseReader * reader, GstBuffer * buffer);

/* Convert times between GStreamer and the core: GST_CLOCK_TIME_NONE is ROBOCACHE_NO_TIME. */
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
