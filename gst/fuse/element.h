/* robocache: robocachefuse around its core: the state that its parts share, its lock and its failures
 *
 * The core makes all decisions; the other parts move buffers, events and time to and from the core.
 *
 * Lock order: flush_lock → lock → object locks of the element and its pads. No lock is held while an event, a query, a message or
 * a buffer leaves the element, except flush_lock, which is held while flush events leave it. Samples are composed with no lock held.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/backend/enginechoice.h"
#include "common/element/statsmessages.h"
#include "gst/fuse/pads/expectedpads.h"
#include "gst/fuse/pads/pad.h"
#include "gst/fuse/sample/composer.h"

#define GST_TYPE_ROBOCACHE_FUSE (gst_robocache_fuse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFuse, gst_robocache_fuse, GST, ROBOCACHE_FUSE, GstElement)

struct _GstRobocacheFuse
{
  GstElement parent;
  GstPad *src;                  /* constant */

  /* object lock: properties. Those that can be set up to READY are copied to the core at start. */
  FuseSettings settings;
  gchar *pads_text;             /* settings of pads; NULL: unset */
  GstClockTime busy_wait;
  RobocacheDevice *device;      /* constant */

  GRecMutex flush_lock;         /* held during a flush, a seek or a change of activation */
  guint32 last_seek;            /* flush_lock: number of the last accepted seek */

  GMutex lock;                  /* guards all below, and the streams of the pads */
  gint is_starving;             /* atomic; set with the lock: see checks/checks.h */
  GCond work;                   /* the task has work */
  GCond progress;               /* a source may continue */
  FuseCore *core;
  GPtrArray *pads;              /* GstRobocacheFusePad, in the order of their tensors */
  GPtrArray *leaving_pads;      /* GstRobocacheFusePad items that are no longer in pads, but still in the element, so their names are in use */
  GPtrArray *released;          /* GstMiniObject items: see gst_robocache_fuse_unlock; empty while the lock is free */
  gboolean is_started;          /* between start and stop */

  /* settings of pads: see padsettings.c */
  GPtrArray *pad_settings;      /* current settings; NULL: none */
  GPtrArray *next_pad_settings; /* settings for the next start, set while the element runs; NULL: none */
  GError *pad_settings_error;   /* error of the last settings; NULL: they are valid */
  FuseExpectedPads *expected_pads;      /* between start and stop: see firsttickwait.c */
  GstClockID watch_id;          /* id of the timer of the watch; NULL: no timer */
  gboolean watch_is_over;       /* the watch has ended since the element started */
  gboolean no_pad_is_reported, expected_pads_are_reported, unused_settings_are_reported;        /* reported since the start */

  /* the task: see task.c */
  gboolean flushing;            /* the task must pause: all pads are being flushed, or the source pad is inactive */
  GstClockID clock_id;          /* id of the wait of the task; NULL: it does not wait */
  gint wakeups;                 /* atomic: number of wake-ups of the task */
  GThread *task_thread;         /* atomic: thread of the last tick */
  RobocacheStatisticsTimer stats_timer; /* see reports.c */

  /* see negotiation.c; only the task uses the composer, and a change of state when the task has ended */
  FuseComposer *composer;
  GstBufferPool *peer_pool;     /* downstream's pool, which the composer uses; NULL: none */

  /* see downstream.c */
  GQueue events;                /* GstEvent items, to be pushed in order with samples */
  GstSegment segment;           /* the initial or the sought segment */
  GQueue sought;                /* segments that seeks without a flush request, which begin later */
  gint64 segment_from;          /* running time at which the pushed segment begins, since ticks went back; 0: the whole segment */
  gboolean stream_started, need_segment;
  guint32 flush_seqnum;         /* seqnum of the last flush or seek, for SEGMENT and SEGMENT_DONE; GST_SEQNUM_INVALID: none */
  guint32 segment_seqnum;       /* seqnum of the last SEGMENT of a pad, used before any flush */
  guint32 eos_seqnum;           /* seqnum of the last EOS of a pad, for our EOS; GST_SEQNUM_INVALID: none since the last flush */

  GstFlowReturn ended;          /* the answer to sources since the streams ended; GST_FLOW_OK: they have not ended */

  /* flushes of all pads: see flush.c */
  guint32 open_flush;           /* sequence number of the open flush; GST_SEQNUM_INVALID: none */
  gboolean flush_resets;        /* the flush restarts the ticks; FALSE after a failed seek */
  gboolean flush_has_reset;     /* the ticks have restarted */
};

#define FUSE_LOCK(fuse) g_mutex_lock (&(fuse)->lock)
#define FUSE_UNLOCK(fuse) gst_robocache_fuse_unlock (fuse)
/* Performs the requests of the core: wakes the task, and lets sources continue. Called with the lock. */
void gst_robocache_fuse_follow_core (GstRobocacheFuse * fuse);
/* Follows the core, releases the lock, and then the buffers and events in `released`: an application may use the element when one of them
 * is freed. A thread that waits with the lock must have released none. */
void gst_robocache_fuse_unlock (GstRobocacheFuse * fuse);
/* Like gst_robocache_fuse_unlock, for a thread that has flush_lock: moves buffers and events to released, to be freed when the thread has
 * no lock. */
void gst_robocache_fuse_unlock_to (GstRobocacheFuse * fuse, GPtrArray * released);
/* For unlock_to; free with g_ptr_array_unref. */
GPtrArray *gst_robocache_fuse_released_new (void);

/* Wakes the task. Called with the lock. */
void gst_robocache_fuse_wake (GstRobocacheFuse * fuse);

/* Returns the pads, each with a reference; free with g_ptr_array_unref. Called without the lock. */
GPtrArray *gst_robocache_fuse_ref_pads (GstRobocacheFuse * fuse);
GstRobocacheFusePad *gst_robocache_fuse_nth_pad (GstRobocacheFuse * fuse, guint i);
/* The pad of a stream of the core; NULL: it was removed. */
GstRobocacheFusePad *gst_robocache_fuse_pad_of_stream (GstRobocacheFuse * fuse, const FuseStream * stream);

/* Accepts buffers from sources again. Called with the lock. */
void gst_robocache_fuse_begin_streams (GstRobocacheFuse * fuse);
/* Ends all streams: from now on each source gets the answer flow, until its pad is flushed. FALSE: the streams had failed before, so the
 * error is known. Called with the lock. */
gboolean gst_robocache_fuse_end_streams (GstRobocacheFuse * fuse, GstFlowReturn flow);
/* Checks whether the failure remains, after a pad was flushed or removed. Called with the lock. */
void gst_robocache_fuse_look_for_failure (GstRobocacheFuse * fuse);
/* Posts error (taken), with the name of pad if the error belongs to one pad. Called without the lock. */
void gst_robocache_fuse_post_failure (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);
/* Ends all streams with flow, and posts error (taken) unless the streams had failed before. Called without the lock. */
void gst_robocache_fuse_fail (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow, GError * error);

/* Running time on the clock; GST_CLOCK_TIME_NONE without a clock. Called in PLAYING. */
GstClockTime gst_robocache_fuse_clock_now (GstRobocacheFuse * fuse);
/* Sets the current time in the core; notes receives the resulting reports. Called with the lock. */
void gst_robocache_fuse_set_time (GstRobocacheFuse * fuse, GQueue * notes);
