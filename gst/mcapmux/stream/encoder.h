/* robocache: encoders, which make messages from the buffers of a stream
 *
 * Each kind of stream has its kind of encoder. `begin` maps a buffer. Its items (rows, or the whole buffer) are written one by one, each
 * as one or more messages. `end` releases the buffer.
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
  gchar *suffix;                /* suffix of the stream's topic, "" or "/tick" */
  const gchar *dtype;           /* dtype of the values; NULL: none */
  gboolean has_duration;        /* its messages contain the duration of buffers */
  gchar *kinds;                 /* of its values, where caps describe several tensors; NULL: none */
} MuxChannelSpec;

typedef struct
{
  gboolean keep_buffers;        /* a block of rows becomes one message */
} MuxEncoderSettings;

/* A mapped buffer. */
typedef struct
{
  guint64 n_items;
  const gint64 *times;          /* [n_items] exact times on the timeline of PTS; the array may be unaligned; NULL: evenly spaced over the
                                 * duration */
  gboolean is_key;              /* a file may begin with these items */
} MuxItems;

/* Times of an item. */
typedef struct
{
  RobocacheRosHeader header;
  gint64 duration_ns;           /* duration of the item; -1: unknown */
} MuxItemTimes;

/* Takes a message of a channel, whose bytes are valid during the call. FALSE: stop. */
typedef gboolean (*MuxEmit) (gpointer user_data, guint channel, const RobocacheCdrWriter * message);

typedef struct _MuxEncoder MuxEncoder;

typedef struct
{
  /* FALSE and an error: the buffer differs from the caps. */
  gboolean (*begin) (MuxEncoder * encoder, GstBuffer * buffer, MuxItems * items, GError ** error);
  /* Emits the messages of an item. */
  gboolean (*write) (MuxEncoder * encoder, guint64 item, const MuxItemTimes * times, MuxEmit emit, gpointer user_data);
  void (*end) (MuxEncoder * encoder);
  void (*free) (MuxEncoder * encoder);
} MuxEncoderClass;

struct _MuxEncoder
{
  const MuxEncoderClass *class;
  GArray *channels;             /* MuxChannelSpec items; set with the first buffer at the latest */
  RobocacheCdrWriter writer;
};

/* Initializes the common part of encoders. */
void mux_encoder_init (MuxEncoder * encoder, const MuxEncoderClass * class);
/* Frees the common part. */
void mux_encoder_clear (MuxEncoder * encoder);
/* Adds a channel; takes suffix. */
void mux_encoder_add_channel (MuxEncoder * encoder, const gchar * type, gchar * suffix, const gchar * dtype, gboolean has_duration);

G_END_DECLS
#endif
