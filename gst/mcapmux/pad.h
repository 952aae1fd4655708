/* robocache: a sink pad of the recorders: one stream, and what waits for its turn
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MUX_PAD_H
#define MUX_PAD_H

#include <gst/gst.h>

#include "gst/mcapmux/stream/stream.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_MCAP_PAD (gst_robocache_mcap_pad_get_type ())
#define GST_ROBOCACHE_MCAP_PAD(object) \
    (G_TYPE_CHECK_INSTANCE_CAST ((object), GST_TYPE_ROBOCACHE_MCAP_PAD, GstRobocacheMcapPad))
GType gst_robocache_mcap_pad_get_type (void);

/* A buffer, or an event in order with buffers. */
typedef struct
{
  GstMiniObject *object;
  MuxFormat *format;            /* of a CAPS event */
} MuxItem;

void mux_item_free (MuxItem * item);

typedef struct _GstRobocacheMcapPad GstRobocacheMcapPad;
typedef struct
{
  GstPadClass parent_class;
} GstRobocacheMcapPadClass;

struct _GstRobocacheMcapPad
{
  GstPad parent;
  guint number;                 /* constant: the n of sink_n, the order of equal times */

  /* object lock of the pad: properties */
  gchar *topic;                 /* NULL: "/" and the pad's name */
  gchar *frame_id;              /* NULL: "" */

  /* lock of the element */
  MuxStream stream;
  gboolean is_queried;          /* its source was asked whether it is live */
  gboolean is_live;
  gboolean is_flushing, is_eos, is_removed;
  gboolean has_origin;
  gint64 origin_ns;             /* of the stream's own clock */
  GQueue waiting;               /* of MuxItem: a source that is not live */
  gsize waiting_bytes;
  guint n_turns;                /* of those that wait: buffers, GAPs and EOS */
  gint64 known_until_ns;        /* no row comes before, as a GAP said; ROBOCACHE_ROS_NO_TIME: unknown */
  gint64 last_ns;               /* of the row before, for one without time; ROBOCACHE_ROS_NO_TIME: none */
  gboolean wants_key;           /* ask its source for a key frame */
  guint64 overflow;             /* rows dropped since that was last recorded */
  GQueue early;                 /* of MuxEarlyEvent */
};

/* An event before the time of the recording was known. */
typedef struct
{
  const gchar *kind;
  gint64 running_ns, duration_ns;
  gchar *text;
} MuxEarlyEvent;

void mux_early_event_free (MuxEarlyEvent * event);

/* Copies the properties to the stream, which is as new. Called with the lock of the element. */
void gst_robocache_mcap_pad_start (GstRobocacheMcapPad * pad, gboolean keep_buffers);
/* Drops what waits; how many rows, one for each buffer that was not opened. Called with the lock of the element. */
guint64 gst_robocache_mcap_pad_drop_waiting (GstRobocacheMcapPad * pad);

G_END_DECLS
#endif
