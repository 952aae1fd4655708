/* robocache: the sink of one stream of an element that publishes messages
 *
 * GstBaseSink has the states, the clock, the end and flushes. Each buffer is encoded and published in the streaming thread of its pad, which
 * nothing else waits for. Subclasses publish: see the class.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/base/gstbasesink.h>

#include "common/element/inputfaults.h"
#include "common/rosstreams/encoders/encoders.h"
#include "common/tensors/flexibleinput.h"
#include "common/time/rowtimes.h"

#define GST_TYPE_ROBOCACHE_STREAM_SINK (gst_robocache_stream_sink_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstRobocacheStreamSink, gst_robocache_stream_sink, GST, ROBOCACHE_STREAM_SINK, GstBaseSink)

/* Times of a message, UTC in ns. */
typedef struct
{
  gint64 stamp_ns;              /* capture */
  gint64 log_ns;                /* arrival; of a stream that is not live, the stamp, unless the arrival came with the buffer */
  gboolean is_key;              /* see RobocacheEncoderItems */
} RobocacheStreamTimes;

/* All functions run in the streaming thread. One that returns FALSE sets the error, which the stream posts. */
struct _GstRobocacheStreamSinkClass
{
  GstBaseSinkClass parent_class;

  /* New caps, before they are used: checks the settings against them. May be NULL. */
  gboolean (*check_format) (GstRobocacheStreamSink * stream, const RobocacheEncoderFormat * format, GError ** error);
  /* Settings of an encoder. May be NULL: the defaults. */
  void (*get_encoder_settings) (GstRobocacheStreamSink * stream, RobocacheEncoderSettings * settings);
  /* Called with the first buffer after new caps, even in PAUSED: opens the encoder's channels, which all later messages use. */
  gboolean (*open) (GstRobocacheStreamSink * stream, const RobocacheEncoder * encoder, GError ** error);
  /* Whether somebody reads the messages of a channel; others are not encoded. May be NULL: yes. */
  gboolean (*is_wanted) (GstRobocacheStreamSink * stream, guint channel);
  /* Whether a row is published now. May be NULL: yes. */
  gboolean (*accepts_row) (GstRobocacheStreamSink * stream, gint64 running_ns);
  gboolean (*write) (GstRobocacheStreamSink * stream, guint channel, const RobocacheStreamTimes * times, const RobocacheCdrWriter * message,
      GError ** error);
};

/* The owner of a stream. Constant while the stream exists. */
typedef struct
{
  GstElement *element;          /* element that gets the stream's reports, and outlives the stream; no reference */
  gchar *pad_name;              /* name of the stream's pad in the element */
  GstDebugCategory *category;   /* the element's log category */
} RobocacheStreamOwner;

/* A stream of the subclass type. */
GstRobocacheStreamSink *gst_robocache_stream_sink_new (GType type, GstElement * element, const gchar * pad_name, GstDebugCategory * category);
const RobocacheStreamOwner *gst_robocache_stream_sink_get_owner (GstRobocacheStreamSink * stream);

/* While the stream is in READY: starts again from nothing. frame_id is copied; NULL: none. */
void gst_robocache_stream_sink_start (GstRobocacheStreamSink * stream, const gchar * frame_id);
/* While no data flow. The statistics stay. */
void gst_robocache_stream_sink_stop (GstRobocacheStreamSink * stream);

/* UTC at running time 0; called before data flow in PLAYING. */
void gst_robocache_stream_sink_set_origin (GstRobocacheStreamSink * stream, gint64 origin_ns);

/* The state change that a thread makes now; 0: none. */
GstStateChange gst_robocache_stream_sink_get_transition (GstRobocacheStreamSink * stream);

/* Whether upstream was live at the last caps. For the streaming thread. */
gboolean gst_robocache_stream_sink_is_live (GstRobocacheStreamSink * stream);

/* Counts since the start. */
GstStructure *gst_robocache_stream_sink_statistics (GstRobocacheStreamSink * stream);
