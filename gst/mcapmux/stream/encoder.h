/* robocache: what makes messages of the buffers of a stream
 *
 * There is one kind of encoder for each kind of stream. A buffer is mapped by `begin`, its items (rows, or the buffer as a whole) are
 * written one by one, each as one message or more, and `end` releases it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_ENCODER_H
#define MUX_ENCODER_H

#include <gst/gst.h>

#include "common/ros/messageencoders.h"

G_BEGIN_DECLS

/* A channel of a stream: messages of one type. */
typedef struct
{
  const gchar *type;            /* "sensor_msgs/msg/Image" */
  gchar *suffix;                /* of the stream's topic, "" or "/tick" */
  const gchar *dtype;           /* of the values; NULL: none */
  gboolean has_duration;        /* its messages hold the duration of buffers */
} MuxChannelSpec;

typedef struct
{
  gboolean keep_buffers;        /* a block of rows stays one message */
} MuxEncoderSettings;

/* A mapped buffer. */
typedef struct
{
  guint64 n_items;
  const gint64 *times;          /* [n_items] exact times on the timeline of PTS, not aligned; NULL: evenly over the duration */
  gboolean is_key;              /* a file may begin with it */
} MuxItems;

/* Times of an item. */
typedef struct
{
  RobocacheRosHeader header;
  gint64 duration_ns;           /* of the item; -1: unknown */
} MuxItemTimes;

/* Takes a message of a channel, whose bytes are valid during the call. FALSE: no more are wanted. */
typedef gboolean (*MuxEmit) (gpointer user_data, guint channel, const RobocacheCdrWriter * message);

typedef struct _MuxEncoder MuxEncoder;

typedef struct
{
  /* FALSE and an error: the buffer is not what the caps say. */
  gboolean (*begin) (MuxEncoder * encoder, GstBuffer * buffer, MuxItems * items, GError ** error);
  /* Emits the messages of an item. */
  gboolean (*write) (MuxEncoder * encoder, guint64 item, const MuxItemTimes * times, MuxEmit emit, gpointer user_data);
  void (*end) (MuxEncoder * encoder);
  void (*free) (MuxEncoder * encoder);
} MuxEncoderClass;

struct _MuxEncoder
{
  const MuxEncoderClass *class;
  GArray *channels;             /* of MuxChannelSpec; with the first buffer at the latest */
  RobocacheCdrWriter writer;
};

/* Sets the parts that all encoders have. */
void mux_encoder_init (MuxEncoder * encoder, const MuxEncoderClass * class);
/* Frees these. */
void mux_encoder_clear (MuxEncoder * encoder);
/* Takes suffix. */
void mux_encoder_add_channel (MuxEncoder * encoder, const gchar * type, gchar * suffix, const gchar * dtype, gboolean has_duration);

G_END_DECLS
#endif
