/* robocache: a sink pad of the recorders: one stream, and its queue
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gst/gst.h>

#include "common/element/inputfaults.h"
#include "common/tensors/flexibleinput.h"
#include "gst/mcapmux/stream/stream.h"

#define GST_TYPE_ROBOCACHE_MCAP_PAD (gst_robocache_mcap_pad_get_type ())
#define GST_ROBOCACHE_MCAP_PAD(object) \
    (G_TYPE_CHECK_INSTANCE_CAST ((object), GST_TYPE_ROBOCACHE_MCAP_PAD, GstRobocacheMcapPad))
GType gst_robocache_mcap_pad_get_type (void);

/* A buffer, or an event in order with buffers. */
typedef struct
{
  GstMiniObject *object;
  RobocacheEncoderFormat *format;            /* format of a CAPS event */
} MuxItem;

/* Frees an item; its object is moved to released. */
void mux_item_free (MuxItem * item, GQueue * released);

typedef struct _GstRobocacheMcapPad GstRobocacheMcapPad;
struct _MuxRecorder;
typedef struct
{
  GstPadClass parent_class;
} GstRobocacheMcapPadClass;

struct _GstRobocacheMcapPad
{
  GstPad parent;
  struct _MuxRecorder *recorder;        /* constant: that of its element, which outlives the pad's functions */
  guint number;                 /* constant: the n of sink_n, the order of equal times */

  /* object lock of the pad: properties */
  gchar *topic;                 /* NULL: "/" and the pad's name */
  gchar *frame_id;              /* NULL: "" */

  RobocacheFlexibleInput flexible;      /* stream lock of the pad */

  /* guarded by the lock of the element */
  MuxStream stream;
  gboolean is_queried;          /* the pad's source was asked whether it is live */
  gboolean is_live;
  gboolean is_flushing, is_eos, is_removed;
  RobocachePadFaults faults;    /* since the recording started */
  gboolean has_origin;
  gint64 origin_ns;             /* origin on the stream's own clock */
  GQueue waiting;               /* MuxItem items of a source that is not live */
  gsize waiting_bytes;
  guint n_turns;                /* number of waiting buffers, GAPs and EOS */
  gint64 known_until_ns;        /* end of the last GAP, before which no row comes; ROBOCACHE_ROS_NO_TIME: unknown */
  gint64 last_ns;               /* time of the previous row, for rows without time; ROBOCACHE_ROS_NO_TIME: none */
  gboolean wants_key;           /* a key frame must be requested from its source */
  guint64 overflow;             /* rows dropped since the last recorded overflow event */
  GQueue early;                 /* MuxEarlyEvent items */
};

/* An event before the time of the recording was known. */
typedef struct
{
  const gchar *kind;
  gint64 running_ns, duration_ns;
  gchar *text;
} MuxEarlyEvent;

void mux_early_event_free (MuxEarlyEvent * event);

/* Resets the stream, copies the properties to it, and clears the queue. Called with the lock of the element. */
void gst_robocache_mcap_pad_start (GstRobocacheMcapPad * pad, gboolean keep_buffers);
/* The stream begins: copies properties that were set since. Called with the lock of the element. */
void gst_robocache_mcap_pad_begin (GstRobocacheMcapPad * pad);
/* Closes the open buffer, which is moved to released. Returns the number of its rows that were not written. */
guint64 gst_robocache_mcap_pad_close (GstRobocacheMcapPad * pad, GQueue * released);
/* Drops the queue. Called with the lock of the element. */
void gst_robocache_mcap_pad_drop_waiting (GstRobocacheMcapPad * pad, GQueue * released);
