/* robocache: a reader of the messages of one topic, as samples of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_STREAMREADER_H
#define ROBOCACHE_STREAMREADER_H

#include <gst/gst.h>

#include "common/ros/messageencoders.h"
#include "messagefields.h"

G_BEGIN_DECLS

/* A buffer of a stream, without a time. */
typedef struct
{
  const gchar *key;             /* of the stream among those of the topic; the reader's, while it lives */
  gchar *frame_id;              /* a GRefString; "": none */
  gint64 stamp_ns;              /* ROBOCACHE_ROS_NO_TIME: none, or 0 */
  GstCaps *caps;                /* fixed; the same object until they change */
  GstBuffer *buffer;            /* its duration may be set; NULL: a bare row */
  gconstpointer row;            /* a bare row: the reader's, until its next message */
  gsize row_offset, row_bytes;
  gboolean has_row_times;       /* the last memory is int64: ns of each row after the stamp */
} RobocacheRosSample;

/* The channel of a recording that messages come from. */
typedef struct
{
  const gchar *topic;
  const gchar *type;            /* "sensor_msgs/Imu" */
  const RobocacheRosSchema *schema;     /* outlives the reader */
  const GstCaps *caps;          /* that its writer noted; NULL: none */
  gchar *fields;                /* globs for this topic; NULL: none */
  const gchar *joints;          /* "a,b;c": groups of joints; NULL or "": the messages determine them */
} RobocacheRosSource;

typedef struct _RobocacheStreamReader RobocacheStreamReader;

struct _RobocacheStreamReader
{
  /* Reads a message, from the reader of its encoding, and adds its samples. FALSE and an error: the message is lost. */
  gboolean (*read) (RobocacheStreamReader * reader, RobocacheCdrReader * message, GError ** error);
  void (*free) (RobocacheStreamReader * reader);

  gboolean has_several_streams; /* later messages may have more than the first */
  gboolean leaves_rows_bare;    /* rows are samples without a buffer */

  RobocacheMessageFields *header;       /* NULL: no field is a time */
  GArray *samples;              /* of RobocacheRosSample, of the last message */
  gint64 stamp_ns;              /* of the message */
  const gchar *frame_id;
  gchar *last_frame, *last_valid_frame; /* of the last sample; the second is a GRefString */
  GByteArray *rows;             /* bare rows of the message */
};

/* Finds the header in the schema; read and free are the caller's to set. */
void robocache_stream_reader_init (RobocacheStreamReader * reader, const RobocacheRosSource * source);
void robocache_stream_reader_clear (RobocacheStreamReader * reader);

/* Reads a whole message. The samples stay the reader's until its next message; their caps and buffers may be stolen by setting NULL. */
gboolean robocache_stream_reader_run (RobocacheStreamReader * reader, gconstpointer message, gsize size, GError ** error);

/* For subclasses: adds a sample with the stamp and frame of the message, or with its own. Takes the buffer. */
RobocacheRosSample *robocache_stream_reader_add (RobocacheStreamReader * reader, const gchar * key, GstCaps * caps, GstBuffer * buffer);
/* Adds the sample of a row. Returns where its bytes are to be written before the next sample is added. */
gpointer robocache_stream_reader_add_row (RobocacheStreamReader * reader, const gchar * key, GstCaps * caps, gsize size);
/* The stamp of a message that is made of these seconds. */
gint64 robocache_stamp_of (gint64 seconds, gint64 nanoseconds);

G_END_DECLS
#endif
