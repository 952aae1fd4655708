/* robocache: a recorded stream: its format, times, channels and counts
 *
 * The streaming thread opens a buffer without a lock, and writes its items with the lock of the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bufferflags.h"
#include "common/time/rowtimes.h"
#include "common/rosstreams/encoders/encoders.h"
#include "events.h"

/* The name of dropped_malformed in stats. */
#define MUX_STATISTIC_MALFORMED "rows-dropped-malformed"

typedef struct
{
  guint64 buffers, rows;        /* received */
  guint64 messages, bytes;      /* written */
  guint64 gaps, events;
  guint64 dropped_overflow;     /* rows dropped while the queue was full */
  guint64 dropped_outside_segment, dropped_time;        /* rows without a running time, or with one that messages cannot represent */
  guint64 dropped_flush;
  guint64 dropped_malformed;    /* malformed buffers */
  gint64 first_ns, last_ns;     /* running times of rows written; ROBOCACHE_ROS_NO_TIME: none */
} MuxStreamStatistics;

typedef struct
{
  gchar *name;                  /* name of the pad */
  gchar *topic, *frame_id;
  RobocacheEncoderSettings settings;

  RobocacheEncoderFormat *format;            /* NULL: none yet */
  GstCaps *caps;
  RobocacheEncoder *encoder;          /* NULL: before the first buffer */
  gboolean is_video;            /* a file begins with a key frame of this stream */
  gboolean has_channels;
  GArray *channels;             /* ids of its channels in the recording (guint) */
  RobocacheRowTimes clock;
  MuxBufferNotes notes;
  MuxStreamStatistics statistics;

  /* fragments */
  gboolean in_next;             /* messages of the stream are written to the next file */

  /* the open buffer */
  GstBuffer *buffer;            /* NULL: none */
  RobocacheEncoderItems items;
  RobocacheBufferTimes times;
  gboolean has_time;
  guint64 position;             /* the next item */
  gchar *change;                /* text about properties that changed with this buffer; NULL: unchanged */
} MuxStream;

void mux_stream_init (MuxStream * stream);
void mux_stream_clear (MuxStream * stream);
/* Resets the stream, except for its settings. No buffer may be open. */
void mux_stream_reset (MuxStream * stream);

/* Sets the format (taken) of the next buffer. */
void mux_stream_set_format (MuxStream * stream, RobocacheEncoderFormat * format);
void mux_stream_set_segment (MuxStream * stream, const GstSegment * segment);

/* Opens a buffer. FALSE and an error: the buffer differs from the caps. */
gboolean mux_stream_open (MuxStream * stream, GstBuffer * buffer, GError ** error);
/* Ends the open buffer and returns it, or NULL. Releasing its last reference may run code of its owner, so no lock may be held then. */
GstBuffer *mux_stream_close (MuxStream * stream);
/* Whether the open buffer has items left. */
gboolean mux_stream_has_item (const MuxStream * stream);

typedef enum
{
  MUX_ITEM_TIMED,
  MUX_ITEM_UNTIMED,             /* the buffer has no time, and there is no previous buffer to continue from */
  MUX_ITEM_OUTSIDE              /* outside the segment */
} MuxItemTiming;

/* The running time of the next item. */
MuxItemTiming mux_stream_get_time (const MuxStream * stream, gint64 * running_ns);
/* Items of the open buffer that are outside the segment. */
guint64 mux_stream_count_outside (const MuxStream * stream);
/* Skips the next item of the open buffer, and adds 1 to counter. */
void mux_stream_skip (MuxStream * stream, guint64 * counter);
/* Writes the next item. has_time: the stamp is one of capture. FALSE and an error: it cannot be written. */
gboolean mux_stream_write (MuxStream * stream, MuxRecording * recording, MuxEvents * events, const MuxTimes * times,
    gboolean has_time, GError ** error);

/* Number of messages of its first channel so far. */
guint32 mux_stream_get_sequence (const MuxStream * stream, const MuxRecording * recording);
