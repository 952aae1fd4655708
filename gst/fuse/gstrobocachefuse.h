/* robocache: robocachefuse, many streams in, one aligned sample a tick out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_FUSE_H
#define GST_ROBOCACHE_FUSE_H

#include <gst/base/gstaggregator.h>

#include "common/backend/enginechoice.h"
#include "common/element/statistics.h"
#include "common/time/tickgrid.h"
#include "pad.h"
#include "composer.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FUSE (gst_robocache_fuse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFuse, gst_robocache_fuse, GST, ROBOCACHE_FUSE, GstAggregator)

/* Lock order: flushes → the base class's SRC lock → lock → object locks → the base class's PAD lock. The lock is never held
 * while an event, a query, a message or a buffer leaves the element. */
struct _GstRobocacheFuse
{
  GstAggregator parent;

  RobocacheTickGrid grid;       /* num 0: unset. Written with the lock and the object lock, so read with either */

  /* object lock */
  gchar *reference_name;        /* NULL: unset */
  GstRobocacheFuseOutput output;
  gboolean qos_messages;
  GstClockTime busy_wait;
  RobocacheDevice device;

  GRecMutex flushes;            /* held while the base class stops its src thread, or sets it off again */
  GThread *seeking;             /* atomic: who holds it for a seek */
  GThread *src_thread;          /* atomic: who made the last tick */
  gboolean stopping;            /* with flushes */
  guint32 last_seek;            /* with flushes: the number of the last one that was taken */

  gint events_in;               /* atomic: that the base class has been given */
  gint looks;                   /* atomic: times at which the next tick may have become complete */

  /* only used by the src thread */
  GPtrArray *src_tokens;
  guint events_at_turn;         /* those when the base class last called it */
  gboolean may_stay_awake;      /* no other came since the time before, so the base class has seen them all */

  GMutex lock;                  /* guards all below, and the rows of the pads */
  GCond progress;               /* a tick was handed out, or became known, or a pad must not wait any more */
  gboolean src_is_awake;        /* the src thread looks for the next tick itself: pads need no tokens */
  GPtrArray *pads;              /* GstRobocacheFusePad, in the order of their tensors */
  gboolean live;
  GstClockTime announced_latency;       /* what the pads need, as told to the base class */
  gint64 announced_period;      /* of the ticks, that it was computed with */
  GstClockTime total_latency;   /* live: how long a tick may wait, all in all; GST_CLOCK_TIME_NONE otherwise */
  gboolean failed;              /* an error ended the streams of some pad: no tick follows until it is flushed or gone */

  /* ticks */
  gboolean ticking;             /* the first tick has been handed out or dropped */
  GstRobocacheFusePad *reference;       /* whose rows are the ticks; NULL with a rate */
  gboolean reference_lost;      /* it was removed */
  gint64 next_index;            /* of the grid, once ticking */
  gboolean tick_known;          /* whether the next tick was known when tokens were last looked at */
  gint64 last_tick;             /* ROBOCACHE_NO_TIME before the first */
  gint64 deadline_tick;         /* the tick that the base class is waiting for */
  gint64 earliest_start;        /* live: no tick before this, whose deadline had passed when data began; ROBOCACHE_NO_TIME:
                                 * no data yet */

  /* the sample */
  gboolean composition_changed; /* pads, caps or properties: the output's caps are made anew at the next tick */
  GstRobocacheFuseComposer *composer;
  const GstRobocacheFusePad *last_flushed;      /* not a reference: only compared */
  guint32 flush_seqnum;         /* of its FLUSH_STOP; GST_SEQNUM_INVALID: none came, the element stops */
  guint32 open_flush;           /* that has begun and not ended, by its number */
  gboolean src_has_ended;       /* for the open flush: it ends when no pad is awaited any more */
  gboolean sent_buffer;
  gboolean discont;

  guint64 ticks_out, ticks_dropped;
  GstRobocacheFuseAccount removed;      /* of pads that are gone */
  RobocacheHistogram lag;       /* running time at which a tick left, less the tick */
  RobocacheHistogram lateness;  /* lag beyond the latency */
  RobocacheStatisticsTimer stats_timer;
};

#define FUSE_LOCK(fuse) g_mutex_lock (&(fuse)->lock)
#define FUSE_UNLOCK(fuse) g_mutex_unlock (&(fuse)->lock)

GST_ELEMENT_REGISTER_DECLARE (robocachefuse)

/* ---- ticks and tokens (gstrobocachefuseticks.c); called with the lock, but for those that say otherwise ---- */

RobocacheTickGrid gst_robocache_fuse_grid (GstRobocacheFuse * fuse);
/* Of the grid, or the reference pad's nominal one; 0 when there is none. Never measured, so that what is handed out does not
 * depend on how many rows have come. */
gint64 gst_robocache_fuse_tick_period (GstRobocacheFuse * fuse);
/* Tells the pads the period, which a mean is taken over. */
void gst_robocache_fuse_sync_period (GstRobocacheFuse * fuse);
/* Chooses the pad whose rows are the ticks, where there is no rate. FALSE and an error when nothing can give ticks. */
gboolean gst_robocache_fuse_choose_reference (GstRobocacheFuse * fuse, GError ** error);
/* Whether the next tick is known, and its running time. */
gboolean gst_robocache_fuse_next_tick (GstRobocacheFuse * fuse, gint64 * tick);
/* Whether no tick will follow. */
gboolean gst_robocache_fuse_ticks_are_over (GstRobocacheFuse * fuse);
/* Data comes at the running time now: ticks whose deadline has passed are none, so that they do not come in a burst. */
void gst_robocache_fuse_note_start (GstRobocacheFuse * fuse, GstClockTime now);
/* Live: whether a tick has become known before the one whose deadline the base class waits for. */
gboolean gst_robocache_fuse_tick_moved_back (GstRobocacheFuse * fuse);
/* Whether every stream has what it needs for tick. */
gboolean gst_robocache_fuse_tick_is_complete (GstRobocacheFuse * fuse, gint64 tick);
/* Lets go of rows that came between two ticks and that no tick needs: a camera's pool may be small. */
void gst_robocache_fuse_let_go_of_rows (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Whether the pad's source must wait, so that recordings of different rates stay together. */
gboolean gst_robocache_fuse_is_too_far_ahead (GstRobocacheFuse * fuse, const GstRobocacheFusePad * pad);

/* The src thread takes tokens back that are not true any more, and chooses the pads that are ready for the next tick and have
 * none; which are given theirs by the second, without the lock. */
void gst_robocache_fuse_choose_src_tokens (GstRobocacheFuse * fuse);
void gst_robocache_fuse_push_src_tokens (GstRobocacheFuse * fuse);
/* Called without the lock, after token_out was set. */
GstFlowReturn gst_robocache_fuse_push_token (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Of a pad that is flushing, and stays so meanwhile: returns when none is on its way to it that others than its source have
 * chosen. Called without the lock. */
void gst_robocache_fuse_await_tokens (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* After something that may have changed what any pad is ready for. Called without the lock. */
void gst_robocache_fuse_refresh_tokens (GstRobocacheFuse * fuse);

/* ---- waiting without sleep (gstrobocachefusewait.c); called by the src thread without the lock ---- */

/* The base class has called it. */
void gst_robocache_fuse_begin_turn (GstRobocacheFuse * fuse);
/* After a tick: waits for the next one without sleep, for as long as busy-wait says. TRUE: it is complete, and to be made
 * now. FALSE: pads are to be given their tokens, and it is the base class's turn. */
gboolean gst_robocache_fuse_stay_awake (GstRobocacheFuse * fuse);

/* ---- what comes in (gstrobocachefuseintake.c); called without the lock ---- */

GstFlowReturn gst_robocache_fuse_chain (GstPad * pad, GstObject * parent, GstBuffer * buffer);
GstFlowReturn gst_robocache_fuse_sink_event_pre_queue (GstAggregator * agg, GstAggregatorPad * pad, GstEvent * event);
gboolean gst_robocache_fuse_sink_query_pre_queue (GstAggregator * agg, GstAggregatorPad * pad, GstQuery * query);
/* A pad that is flushing never waits. */
void gst_robocache_fuse_set_flushing (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, gboolean flushing);

/* ---- what it takes and makes (gstrobocachefusenegotiate.c) ---- */

/* Of a sink pad; called without the lock. */
GstCaps *gst_robocache_fuse_sink_caps (GstRobocacheFuse * fuse, GstPad * pad);
/* Whether any pad has rows to answer ticks with. Called with the lock. */
gboolean gst_robocache_fuse_has_streams (GstRobocacheFuse * fuse);
/* Makes a composer for the streams as they are, unless there are none any more, and downstream agree to its caps. Called with the lock, which is released while
 * downstream is asked. */
gboolean gst_robocache_fuse_change_composition (GstRobocacheFuse * fuse, GError ** error);
gboolean gst_robocache_fuse_negotiate (GstAggregator * agg);

/* ---- who is live, and how long a tick may wait (gstrobocachefuselatency.c); called without the lock ---- */

/* Whether the pad's source is live, and whether any is; asks the base class, which asks upstream when it has to. */
void gst_robocache_fuse_update_live (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
gboolean gst_robocache_fuse_src_query (GstAggregator * agg, GstQuery * query);
/* Live sources whose latencies contradict each other leave the base class without any, and it goes on as if not live. Then
 * waiting for the others could be for ever: FALSE and an error that says what to change. */
gboolean gst_robocache_fuse_check_sources (GstRobocacheFuse * fuse, GError ** error);
/* Tells the base class what the pads need, and the cameras how many frames may be with us. */
void gst_robocache_fuse_update_latency (GstRobocacheFuse * fuse);
/* A measured period wavers: the latency follows when it is off by more than an eighth. Called with the lock. */
gboolean gst_robocache_fuse_measured_latency_is_off (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Whether the reference pad, or its rate, is another one than the latency was computed with. Called with the lock. */
gboolean gst_robocache_fuse_tick_period_is_new (GstRobocacheFuse * fuse);

/* ---- what it tells of itself (gstrobocachefusestats.c); called with the lock, but for the last ---- */

GstStructure *gst_robocache_fuse_make_stats (GstRobocacheFuse * fuse);
/* The pad goes: its rows are counted among those of removed pads. */
void gst_robocache_fuse_close_account (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Adds a message about rows that the pad lost since this was last called, if there are any. */
void gst_robocache_fuse_collect_qos (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GQueue * messages);
/* The same for what became known of a sensor's clock. */
void gst_robocache_fuse_collect_clock_event (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GQueue * messages);
/* Adds one about a tick that was dropped, lag after its time. */
void gst_robocache_fuse_collect_qos_of_tick (GstRobocacheFuse * fuse, gint64 tick, GstClockTime duration, gint64 lag,
    GQueue * messages);
/* Empties messages. Called without the lock. */
void gst_robocache_fuse_post_messages (GstRobocacheFuse * fuse, GQueue * messages);

/* ---- seeks and flushes (gstrobocachefuseseek.c); called without the lock ---- */

gboolean gst_robocache_fuse_src_event (GstAggregator * agg, GstEvent * event);
gboolean gst_robocache_fuse_send_event (GstElement * element, GstEvent * event);
/* A FLUSH_START or FLUSH_STOP of a sink pad, event (taken). */
GstFlowReturn gst_robocache_fuse_take_flush (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstEvent * event);
/* Of the src pad. */
GstIterator *gst_robocache_fuse_iterate_internal_links (GstPad * src, GstObject * parent);
/* A src thread that ends marks all pads with EOS when it has sent it downstream, which may be after the first of them was
 * flushed (GStreamer 1.22): that one would refuse tokens for good. Its rows are those of after the flush, and stay. */
void gst_robocache_fuse_revive_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, guint32 seqnum);
/* pad is new, or deactivated, or gone: no flush waits for it, and one that waited for it alone ends. Its rows of before such a
 * flush are dropped. */
void gst_robocache_fuse_excuse_from_flush (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
/* Before the element stops, and when it has: between them no flush and no seek begins, and one that has begun is ended. */
void gst_robocache_fuse_stop_flushes (GstRobocacheFuse * fuse);
void gst_robocache_fuse_allow_flushes (GstRobocacheFuse * fuse);

/* ---- shared by all of the above ---- */

/* The ticks begin anew. Called with the lock. */
void gst_robocache_fuse_reset_ticks (GstRobocacheFuse * fuse);

/* Ends all streams: from now on each source is answered flow, until its pad is flushed. FALSE: they had already failed, so
 * the error is known. Called with the lock. */
gboolean gst_robocache_fuse_end_streams (GstRobocacheFuse * fuse, GstFlowReturn flow);
/* Posts error (taken), in the name of pad where it is one pad's. Called without the lock. */
void gst_robocache_fuse_post_failure (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);

/* ---- for the pads; called without the lock ---- */

void gst_robocache_fuse_flush_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);
GstStructure *gst_robocache_fuse_stats_of_pad (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

G_END_DECLS
#endif
