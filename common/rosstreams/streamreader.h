/* robocache: reads the messages of one topic as samples of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/messagecheck.h"
#include "common/ros/messageencoders.h"
#include "messagefields.h"

/* A buffer of a stream, without a time. */
typedef struct
{
  const gchar *key;             /* key of the stream within the topic; owned by the reader */
  gchar *frame_id;              /* a GRefString; "": none */
  gint64 stamp_ns;              /* ROBOCACHE_ROS_NO_TIME: none, or 0 */
  GstCaps *caps;                /* fixed caps; the object changes only when the caps change */
  GstBuffer *buffer;            /* may have a duration; NULL: only row is set */
  gconstpointer row;            /* a row without a buffer; owned by the reader, valid until its next message */
  gsize row_offset, row_bytes;
  gboolean has_row_times;       /* the last memory has an int64 for each row: ns after the stamp */
} RobocacheRosSample;

/* The channel of a recording that contains the messages. */
typedef struct
{
  const gchar *topic;
  const gchar *type;            /* "sensor_msgs/Imu" */
  const RobocacheRosSchema *schema;     /* outlives the reader */
  const GstCaps *caps;          /* caps that its writer recorded; NULL: none */
  const gchar *kinds;           /* recorded for one tensor of a sample, since the caps describe all tensors; NULL: not recorded */
  gchar *fields;                /* globs for this topic; NULL: none */
  const gchar *joints;          /* "a,b;c": groups of joints; NULL or "": the messages determine them */
} RobocacheRosSource;

typedef struct _RobocacheStreamReader RobocacheStreamReader;

struct _RobocacheStreamReader
{
  /* Reads a message from a CDR reader, and adds its samples. FALSE and an error: the message is lost. */
  gboolean (*read) (RobocacheStreamReader * reader, RobocacheCdrReader * message, GError ** error);
  void (*free) (RobocacheStreamReader * reader);

  gboolean has_several_streams; /* later messages may have more streams than the first */
  gboolean leaves_rows_bare;    /* rows are samples without a buffer */
  GPtrArray *notes;             /* texts for the user, each once: choices that the reader made for messages so far */

  RobocacheMessageFields *header;       /* NULL: no field is a time */
  RobocacheMessageCheck *check;
  GArray *samples;              /* RobocacheRosSample items of the last message */
  gint64 stamp_ns;              /* stamp of the last message */
  const gchar *frame_id;
  gchar *last_frame, *last_valid_frame; /* frame of the last sample; the second is a GRefString */
  GByteArray *rows;             /* rows of the message without buffers */
};

/* Finds the header in the schema; the caller sets read and free. */
void robocache_stream_reader_init (RobocacheStreamReader * reader, const RobocacheRosSource * source);
void robocache_stream_reader_clear (RobocacheStreamReader * reader);

/* Reads a whole message. The reader owns the samples until its next message; the caller may take their caps and buffers by setting them to
 * NULL. */
gboolean robocache_stream_reader_run (RobocacheStreamReader * reader, gconstpointer message, gsize size, GError ** error);

/* For subclasses: adds a note, unless it is there, or too many are; takes it. */
void robocache_stream_reader_note (RobocacheStreamReader * reader, gchar * note);

/* Reads the stamp of a message alone; 0 where it has none. FALSE: the message is damaged before it. */
gboolean robocache_stream_reader_read_stamp (RobocacheStreamReader * reader, gconstpointer message, gsize size, gint64 * stamp_ns);

/* For subclasses: add a sample with the message's stamp and frame, or with the given stamp and frame. Takes the buffer. */
RobocacheRosSample *robocache_stream_reader_add (RobocacheStreamReader * reader, const gchar * key, GstCaps * caps, GstBuffer * buffer);
/* Adds the sample of a row. Returns the memory for its bytes, to be written before the next sample is added. */
gpointer robocache_stream_reader_add_row (RobocacheStreamReader * reader, const gchar * key, GstCaps * caps, gsize size);
/* Allocates bytes of a sample whose size the message determines; free with g_free. NULL and an error: no memory. */
gpointer robocache_sample_alloc (gsize size, GError ** error);
GstBuffer *robocache_sample_copy (gconstpointer bytes, gsize size, GError ** error);
/* The stamp (ns) of these seconds and nanoseconds. */
gint64 robocache_stamp_of (gint64 seconds, gint64 nanoseconds);
