/* robocache: encoders, which make messages from the buffers of a stream
 *
 * Each kind of stream has its kind of encoder. `begin` maps a buffer. Its items (rows, or the whole buffer) are written one by one, each
 * as one or more messages. `end` releases the buffer.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/ros/rowmessage.h"

/* A channel of a stream: messages of one type. */
typedef struct
{
  const gchar *type;            /* "sensor_msgs/msg/Image" */
  gchar *suffix;                /* suffix of the stream's topic, "" or "/tick" */
  const gchar *dtype;           /* dtype of the values; NULL: none */
  gboolean has_duration;        /* messages of the channel contain the duration of buffers */
  gchar *kinds;                 /* kinds of the channel's values, if caps describe several tensors; NULL: unknown */
} RobocacheEncoderChannel;

typedef struct
{
  gboolean keep_buffers;        /* a block of rows becomes one message */
  gboolean has_message;         /* rows become messages of the kind below */
  RobocacheRowMessageKind message;
  gboolean is_command;          /* rows that would be robocache_msgs/Row become Float64MultiArray, which controllers read */
} RobocacheEncoderSettings;

/* A mapped buffer. */
typedef struct
{
  guint64 n_items;
  const gint64 *times;          /* [n_items] exact times on the timeline of PTS; the array may be unaligned; NULL: evenly spaced over the
                                 * duration */
  gboolean is_key;              /* a file may begin with these items */
} RobocacheEncoderItems;

/* Times of an item. */
typedef struct
{
  RobocacheRosHeader header;
  gint64 duration_ns;           /* duration of the item; -1: unknown */
} RobocacheEncoderTimes;

/* Takes a message of a channel, whose bytes are valid during the call. FALSE: stop. */
typedef gboolean (*RobocacheEncoderEmit) (gpointer user_data, guint channel, const RobocacheCdrWriter * message);

typedef struct _RobocacheEncoder RobocacheEncoder;

typedef struct
{
  /* FALSE and an error: the buffer differs from the caps. */
  gboolean (*begin) (RobocacheEncoder * encoder, GstBuffer * buffer, RobocacheEncoderItems * items, GError ** error);
  /* Emits the messages of an item. */
  gboolean (*write) (RobocacheEncoder * encoder, guint64 item, const RobocacheEncoderTimes * times, RobocacheEncoderEmit emit, gpointer user_data);
  void (*end) (RobocacheEncoder * encoder);
  void (*free) (RobocacheEncoder * encoder);
} RobocacheEncoderClass;

struct _RobocacheEncoder
{
  const RobocacheEncoderClass *class;
  GArray *channels;             /* RobocacheEncoderChannel items; set with the first buffer at the latest */
  RobocacheCdrWriter writer;
  const gboolean *skipped;      /* [channels] set by the owner: skips these messages of an item with several; NULL: skips none */
};

/* Initializes the common part of encoders. */
void robocache_encoder_init (RobocacheEncoder * encoder, const RobocacheEncoderClass * class);
/* Frees an encoder of any kind. */
void robocache_encoder_free (RobocacheEncoder * encoder);
/* Frees the common part. */
void robocache_encoder_clear (RobocacheEncoder * encoder);
/* Adds a channel; takes suffix. */
void robocache_encoder_add_channel (RobocacheEncoder * encoder, const gchar * type, gchar * suffix, const gchar * dtype, gboolean has_duration);
