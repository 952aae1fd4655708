/* robocache: a stream that is recorded: its format, its times, its channels and what was counted
 *
 * The streaming thread opens a buffer without a lock, and writes its items with what guards the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_STREAM_H
#define MUX_STREAM_H

#include "bufferflags.h"
#include "common/time/rowtimes.h"
#include "encoder.h"
#include "events.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 buffers, rows;        /* taken in */
  guint64 messages, bytes;      /* written */
  guint64 gaps, events;
  guint64 dropped_overflow;     /* rows: too much waited to be written */
  guint64 dropped_outside_segment, dropped_time;        /* rows that have no running time, or one that messages cannot hold */
  guint64 dropped_flush;
  gint64 first_ns, last_ns;     /* running times of rows written; ROBOCACHE_ROS_NO_TIME: none */
} MuxStreamStatistics;

/* The format that caps describe. Caps are checked when they arrive, before rows that wait are written. */
typedef struct _MuxFormat MuxFormat;

typedef struct
{
  gchar *name;                  /* of the pad */
  gchar *topic, *frame_id;
  MuxEncoderSettings settings;

  MuxFormat *format;            /* NULL: none yet */
  GstCaps *caps;
  MuxEncoder *encoder;          /* NULL: with the first buffer */
  gboolean is_video;            /* a file begins with a key frame of it */
  gboolean has_channels;
  GArray *channels;             /* of guint, of the recording */
  RobocacheRowTimes clock;
  MuxBufferNotes notes;
  MuxStreamStatistics statistics;

  /* fragments */
  gboolean in_next;             /* its messages go into the next file */

  /* the open buffer */
  GstBuffer *buffer;            /* NULL: none */
  MuxItems items;
  RobocacheBufferTimes times;
  gboolean has_time;
  guint64 position;             /* the next item */
  gchar *change;                /* what it says beside its data; NULL: nothing new */
} MuxStream;

void mux_stream_init (MuxStream * stream);
void mux_stream_clear (MuxStream * stream);
/* As new, with its settings. */
void mux_stream_reset (MuxStream * stream);

MuxFormat *mux_format_new (const GstCaps * caps, GError ** error);
void mux_format_free (MuxFormat * format);

/* The next buffer has this format, which is taken. */
void mux_stream_set_format (MuxStream * stream, MuxFormat * format);
void mux_stream_set_segment (MuxStream * stream, const GstSegment * segment);

/* Opens a buffer, which stays the caller's until mux_stream_close. FALSE and an error: it is not what the caps say. */
gboolean mux_stream_open (MuxStream * stream, GstBuffer * buffer, GError ** error);
void mux_stream_close (MuxStream * stream);
/* Whether the open buffer has items left. */
gboolean mux_stream_has_item (const MuxStream * stream);

typedef enum
{
  MUX_ITEM_TIMED,
  MUX_ITEM_UNTIMED,             /* its buffer has no time, and none before it to go on from */
  MUX_ITEM_OUTSIDE              /* of the segment */
} MuxItemTiming;

/* The running time of the next item. */
MuxItemTiming mux_stream_get_time (const MuxStream * stream, gint64 * running_ns);
/* Items of the open buffer that are outside the segment. */
guint64 mux_stream_count_outside (const MuxStream * stream);
/* Leaves the next item, and what is left of the buffer, unwritten and counts it. */
void mux_stream_skip (MuxStream * stream, guint64 * counter);
/* Writes the next item. has_time: the stamp is one of capture. FALSE and an error: it cannot be written. */
gboolean mux_stream_write (MuxStream * stream, MuxRecording * recording, MuxEvents * events, const MuxTimes * times,
    gboolean has_time, GError ** error);

/* Messages of its first channel so far. */
guint32 mux_stream_get_sequence (const MuxStream * stream, const MuxRecording * recording);

G_END_DECLS
#endif
