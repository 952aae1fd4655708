/* robocache: robocachefuse around its core: the state that its parts share, its lock and its failures
 *
 * What is decided is the core's; the parts here move buffers, events and time to it and away from it.
 *
 * Lock order: flush_lock → lock → object locks of the element and its pads. No lock is held while an event, a query, a message or
 * a buffer leaves the element, but for flush_lock around flush events. Samples are composed with no lock held.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_ELEMENT_H
#define FUSE_ELEMENT_H

#include "common/backend/enginechoice.h"
#include "common/element/statistics.h"
#include "gst/fuse/pads/expectedpads.h"
#include "gst/fuse/pads/pad.h"
#include "gst/fuse/sample/composer.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FUSE (gst_robocache_fuse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFuse, gst_robocache_fuse, GST, ROBOCACHE_FUSE, GstElement)

struct _GstRobocacheFuse
{
  GstElement parent;
  GstPad *src;                  /* constant */

  /* object lock: properties. Those that hold from READY on are copied to the core at start. */
  FuseSettings settings;
  gchar *pads_text;             /* settings of pads; NULL: unset */
  GstClockTime busy_wait;
  RobocacheDevice *device;      /* constant */

  GRecMutex flush_lock;         /* one flush, seek or change of activation at a time */
  guint32 last_seek;            /* flush_lock: number of the last one that was accepted */

  GMutex lock;                  /* guards all below, and the streams of the pads */
  GCond work;                   /* the task has something to look at */
  GCond progress;               /* a source may continue */
  FuseCore *core;
  GPtrArray *pads;              /* GstRobocacheFusePad, in the order of their tensors */
  GPtrArray *released;          /* of GstMiniObject: see gst_robocache_fuse_unlock; empty while the lock is free */
  gboolean is_started;          /* between start and stop */

  /* settings of pads: see padsettings.c */
  GPtrArray *pad_settings;      /* those in force; NULL: none */
  GPtrArray *next_pad_settings; /* set while the element runs; NULL: none */
  GError *pad_settings_error;   /* of those that were set last; NULL: they are good */
  FuseExpectedPads *expected_pads;      /* between start and stop: see firsttick.c */
  GstClockID watch_id;          /* of the clock that looks at what never came; NULL: it does not */
  gboolean watch_is_over;       /* it has looked since the element started */
  gboolean no_pad_is_reported, expected_pads_are_reported, unused_settings_are_reported;        /* since then */

  /* the task: see task.c */
  gboolean flushing;            /* it must pause: a flush of all pads, or the source pad is not active */
  GstClockID clock_id;          /* of the time that it waits for; NULL: none */
  gint wakeups;                 /* atomic: how often it was woken */
  GThread *task_thread;         /* atomic: of the last tick */
  RobocacheStatisticsTimer stats_timer; /* see reports.c */

  /* see negotiation.c; the composer is used by the task alone, and by a change of state when that has ended */
  FuseComposer *composer;
  GstBufferPool *peer_pool;     /* downstream's, that the composer uses; NULL: none */

  /* see downstream.c */
  GQueue events;                /* of GstEvent: to push in order with samples */
  GstSegment segment;           /* as it began or was sought */
  gint64 segment_from;          /* running time from which on the segment is pushed, since ticks went back; 0: all of it */
  gboolean stream_started, need_segment;
  guint32 seqnum;               /* of the last flush, which events after it carry; GST_SEQNUM_INVALID: none */

  GstFlowReturn ended;          /* what sources are answered since the streams ended; GST_FLOW_OK: they have not */

  /* flushes of all pads: see flush.c */
  guint32 open_flush;           /* the number of the one that is open; GST_SEQNUM_INVALID: none is */
  gboolean flush_resets;        /* the ticks begin anew; FALSE after a seek that failed */
};

#define FUSE_LOCK(fuse) g_mutex_lock (&(fuse)->lock)
#define FUSE_UNLOCK(fuse) gst_robocache_fuse_unlock (fuse)
/* Does what the core asks for: wakes the task, and lets sources continue. Called with the lock. */
void gst_robocache_fuse_follow_core (GstRobocacheFuse * fuse);
/* Follows the core, lets go of the lock, and then of buffers and events that this thread has released with it: an application may look at
 * the element when one of them goes. A thread that waits with the lock must have released none. */
void gst_robocache_fuse_unlock (GstRobocacheFuse * fuse);
/* The same for a thread that has flush_lock: they are moved to released, to go when it has no lock. */
void gst_robocache_fuse_unlock_to (GstRobocacheFuse * fuse, GPtrArray * released);
/* For unlock_to; free with g_ptr_array_unref. */
GPtrArray *gst_robocache_fuse_released_new (void);

/* Wakes the task. Called with the lock. */
void gst_robocache_fuse_wake (GstRobocacheFuse * fuse);

/* The pads, each with a reference; free with g_ptr_array_unref. Called without the lock. */
GPtrArray *gst_robocache_fuse_ref_pads (GstRobocacheFuse * fuse);
GstRobocacheFusePad *gst_robocache_fuse_nth_pad (GstRobocacheFuse * fuse, guint i);
/* The pad of a stream of the core; NULL: it is gone. */
GstRobocacheFusePad *gst_robocache_fuse_pad_of_stream (GstRobocacheFuse * fuse, const FuseStream * stream);

/* Sources are answered anew. Called with the lock. */
void gst_robocache_fuse_begin_streams (GstRobocacheFuse * fuse);
/* Ends all streams: from now on each source is answered flow, until its pad is flushed. FALSE: they had failed before, so the
 * error is known. Called with the lock. */
gboolean gst_robocache_fuse_end_streams (GstRobocacheFuse * fuse, GstFlowReturn flow);
/* A pad is well again, or gone. Called with the lock. */
void gst_robocache_fuse_look_for_failure (GstRobocacheFuse * fuse);
/* Posts error (taken), in the name of pad where it is one pad's. Called without the lock. */
void gst_robocache_fuse_post_failure (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);
/* Ends all streams with flow, and posts error (taken) unless they had failed before. Called without the lock. */
void gst_robocache_fuse_fail (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow, GError * error);

/* Running time on the clock; GST_CLOCK_TIME_NONE without a clock. Called in PLAYING. */
GstClockTime gst_robocache_fuse_clock_now (GstRobocacheFuse * fuse);
/* Tells the core what time it is; notes get what follows. Called with the lock. */
void gst_robocache_fuse_set_time (GstRobocacheFuse * fuse, GQueue * notes);

G_END_DECLS
#endif
