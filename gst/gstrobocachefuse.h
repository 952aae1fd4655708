/* robocache: robocachefuse, many streams in, one aligned sample a tick out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_H
#define GST_ROBOCACHE_FUSE_H

#include <gst/base/gstaggregator.h>

#include "common/device.h"
#include "common/stats.h"
#include "common/tickgrid.h"
#include "gstrobocachefusepad.h"
#include "gstrobocachefusesample.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FUSE (gst_robocache_fuse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFuse, gst_robocache_fuse, GST, ROBOCACHE_FUSE, GstAggregator)

/* Lock order: the base class's SRC lock → lock → object locks → the base class's PAD lock. The lock is never held while
 * an event, a query, a message or a buffer leaves the element. */
struct _GstRobocacheFuse
{
  GstAggregator parent;

  /* object lock */
  RobocacheTickGrid grid;       /* num 0: unset */
  gchar *reference_name;        /* NULL: unset */
  GstRobocacheFuseOutput output;
  RobocacheDevice device;

  GPtrArray *src_tokens;        /* only used by the src thread */

  GMutex lock;                  /* guards all below, and the rows of the pads */
  GCond progress;               /* a tick was handed out, or became known, or a pad must not wait any more */
  GstPadChainFunction base_chain;
  GstPadActivateModeFunction base_activate_mode;
  GPtrArray *pads;              /* GstRobocacheFusePad, in the order of their tensors */
  gboolean live;
  GstClockTime announced_latency;       /* what the pads need, as told to the base class */
  guint spacings_seen;
  GstFlowReturn flow;           /* what downstream said last */

  /* ticks */
  gboolean ticking;             /* the first tick has been handed out or dropped */
  GstRobocacheFusePad *reference;       /* whose rows are the ticks; NULL with a rate */
  gboolean reference_lost;      /* it was removed */
  gint64 next_index;            /* of the grid, once ticking */
  gboolean tick_known;          /* whether the next tick was known when tokens were last looked at */
  gint64 last_tick;             /* ROBOCACHE_NO_TIME before the first */
  gint64 deadline_tick;         /* the tick that the base class is waiting for */

  /* the sample */
  gboolean composition_changed; /* pads, caps or properties: the output's caps are made anew at the next tick */
  GstRobocacheFuseComposer *composer;
  gboolean sent_buffer;
  gboolean discont;

  guint64 ticks_out, ticks_dropped;
  RobocacheHistogram lag;       /* running time at which a tick left, less the tick */
  RobocacheHistogram lateness;  /* lag beyond the latency */
  RobocacheStatsTimer stats_timer;
};

GST_ELEMENT_REGISTER_DECLARE (robocachefuse)

/* For the pads. Called without the lock. */
void gst_robocache_fuse_update_latency (GstRobocacheFuse * fuse);
void gst_robocache_fuse_flush_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
GstStructure *gst_robocache_fuse_stats_of_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

G_END_DECLS
#endif
