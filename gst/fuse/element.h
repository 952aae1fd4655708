/* robocache: the state that the parts of robocachefuse share, its lock and its failures
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
#include "gst/fuse/sample/composer.h"
#include "gst/fuse/stream/journal.h"
#include "gst/fuse/stream/latency.h"
#include "gst/fuse/pads/pad.h"
#include "gst/fuse/stream/tickclock.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_FUSE (gst_robocache_fuse_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheFuse, gst_robocache_fuse, GST, ROBOCACHE_FUSE, GstElement)

/* Dropped ticks without a GAP event downstream so far. */
typedef struct
{
  guint64 n;
  gint64 first, end;            /* running times: of the first of them, and where the last one ends */
} FuseHole;

/* The time when it was looked at. */
typedef struct
{
  GstClockTime running_time;    /* GST_CLOCK_TIME_NONE: it was not yet */
  GstClockTime base_time;
  gpointer clock;               /* the pipeline's; no reference */
  gint64 monotonic;             /* ns of a clock that is never set */
  gboolean has_paused;          /* since then */
} FuseTimeSeen;

struct _GstRobocacheFuse
{
  GstElement parent;
  GstPad *src;
  gboolean force_live;          /* constant */

  /* object lock: properties. Those that hold from READY on are copied to started_… at start. */
  gint rate[2];
  gchar *reference_name;        /* NULL: unset */
  gchar *pads_text;             /* settings of pads; NULL: unset */
  gboolean allow_gaps;
  FuseOutput output;
  GstClockTime latency, min_upstream_latency;
  gboolean qos_messages;
  guint64 qos_interval;
  GstClockTime busy_wait;
  RobocacheDevice device;

  GRecMutex flush_lock;         /* one flush, seek or change of activation at a time */
  guint32 last_seek;            /* flush_lock: number of the last one that was accepted */

  GMutex lock;                  /* guards all below, and the streams of the pads */
  GCond work;                   /* the task has something to look at */
  GCond progress;               /* a source may continue */
  GPtrArray *pads;              /* GstRobocacheFusePad, in the order of their tensors */
  GPtrArray *streams;           /* their FuseStream, likewise */
  FuseOrigins *origins;
  gint64 common_origin;         /* the earliest one of streams that are shifted: see commonclock.h */
  GPtrArray *released;          /* of GstMiniObject: see gst_robocache_fuse_unlock; empty while the lock is free */
  FuseTickClock clock;
  FuseOutput started_output;
  gchar *started_reference;     /* NULL: unset */
  gboolean started_allow_gaps;
  gboolean is_started;          /* between start and stop */
  gboolean rate_changed;
  gboolean reference_lost;      /* the reference pad was removed */
  gboolean failed;              /* an error ended the streams of some pad: no tick follows until it is flushed or gone */

  /* settings of pads: see padsettings.c */
  GPtrArray *pad_settings;      /* those in force; NULL: none */
  GPtrArray *next_pad_settings; /* set while the element runs; NULL: none */
  GError *pad_settings_error;   /* of those that were set last; NULL: they are good */
  GstClockID watch_id;          /* of the clock that looks at what never came; NULL: it does not */
  gboolean watch_is_over;       /* it has looked since the element started */
  gboolean no_pad_is_reported;  /* since then */

  /* the task */
  gboolean flushing;            /* it must pause: a flush of all pads, or the source pad is not active */
  gboolean playing;
  gboolean waits;               /* it looks for work, or sleeps until there is some */
  gboolean sleeps;              /* on work */
  GstClockID clock_id;          /* of the deadline that it waits for; NULL: none */
  gint64 awaited;               /* the tick that it waits for; ROBOCACHE_NO_TIME: none is known */
  guint n_unready;              /* streams that this tick waits for */
  FuseTimeSeen seen;            /* live */
  GstClockTime went_back;       /* by how much it has gone back since the last warning; 0: it has not */
  guint n_moves;                /* of the ticks to another time: a tick that was found before is none any more */
  gint wakeups;                 /* atomic: how often the task was woken */
  GThread *task_thread;         /* atomic: of the last tick */
  GQueue events;                /* of GstEvent: to push in order with samples */

  /* latency */
  gint64 announced_need;        /* what the pads need (ns) */
  GstClockTime own_latency;     /* that and the property, as it was announced */
  GstClockTime announced_total; /* total_latency when it was last announced */
  gint64 announced_period;      /* of the ticks, that it was computed with */
  GstClockTime total_latency;   /* live: how long a tick may wait; GST_CLOCK_TIME_NONE otherwise */
  gboolean is_replayed;         /* total_latency is what a replay says, which sends rows as they were taken in */

  /* output; the composer is used by the task alone, and by a change of state when that has ended */
  gboolean composition_changed; /* pads, caps or properties: the output's caps are made anew at the next tick */
  FuseComposer *composer;
  FuseSnapshot *snapshots;      /* [n_composed] */
  GPtrArray *composed;          /* of GstRobocacheFusePad: those in the samples */
  gboolean composing;           /* snapshots hold references */
  gboolean window_is_stale;     /* the window's ticks are not those before the next one */
  GstSegment segment;           /* as it began or was sought */
  gint64 segment_from;          /* running time from which on the segment is pushed, since ticks went back; 0: all of it */
  gboolean stream_started, need_segment, sent_buffer, discont, segment_done_sent;
  GstFlowReturn ended;          /* what sources are answered since the streams ended; GST_FLOW_OK: they have not */
  GstBufferPool *peer_pool;     /* downstream's, that the composer uses; NULL: none */
  guint32 seqnum;               /* of the last flush, which events after it carry; GST_SEQNUM_INVALID: none */
  FuseHole hole;
  gint64 last_gap;              /* live: tick at which the last GAP left; ROBOCACHE_NO_TIME: none in this hole */

  /* for recordings: see journal.h */
  FuseJournal journal;
  gint64 journal_latency;       /* total_latency as the journal has it; G_MININT64: it has none */
  GstClockTime decided;         /* running time that the task looked at when it found the tick; GST_CLOCK_TIME_NONE: no clock */
  GArray *departing;            /* of FuseJournalEntry, and of int64 [composed][3]: of the sample that is being made */
  GArray *departing_taken;

  /* a flush of all pads */
  guint32 open_flush;           /* its number; GST_SEQNUM_INVALID: none is open */
  gboolean flush_resets;        /* the ticks begin anew; FALSE after a seek that failed */

  FuseTickStatistics ticks;
  FuseStatistics removed;       /* of pads that are gone */
  RobocacheStatisticsTimer stats_timer;
  guint64 qos_dropped;          /* ticks that no QoS message has reported */
  gint64 qos_first;             /* the first of them */
  gint64 qos_last;              /* tick of the last message; ROBOCACHE_NO_TIME: none */
};

#define FUSE_LOCK(fuse) g_mutex_lock (&(fuse)->lock)
#define FUSE_UNLOCK(fuse) gst_robocache_fuse_unlock (fuse)
/* Lets go of the lock, and then of buffers and events that this thread has released with it: an application may look at the element
 * when one of them goes. A thread that waits with the lock must have released none. */
void gst_robocache_fuse_unlock (GstRobocacheFuse * fuse);
/* The same for a thread that has flush_lock: they are moved to released, to go when it has no lock. */
void gst_robocache_fuse_unlock_to (GstRobocacheFuse * fuse, GPtrArray * released);
/* For unlock_to; free with g_ptr_array_unref. */
GPtrArray *gst_robocache_fuse_released_new (void);

/* Events that wait are not pushed any more. Called with the lock. */
void gst_robocache_fuse_release_events (GstRobocacheFuse * fuse);

/* Wakes the task. Called with the lock. */
void gst_robocache_fuse_wake (GstRobocacheFuse * fuse);

/* The pads, each with a reference; free with g_ptr_array_unref. Called without the lock. */
GPtrArray *gst_robocache_fuse_ref_pads (GstRobocacheFuse * fuse);
GstRobocacheFusePad *gst_robocache_fuse_nth_pad (GstRobocacheFuse * fuse, guint i);

/* Ends all streams: from now on each source is answered flow, until its pad is flushed. FALSE: they had failed before, so the
 * error is known. Called with the lock. */
gboolean gst_robocache_fuse_end_streams (GstRobocacheFuse * fuse, GstFlowReturn flow);
/* A pad is well again, or gone. Called with the lock. */
void gst_robocache_fuse_look_for_failure (GstRobocacheFuse * fuse);
/* Posts error (taken), in the name of pad where it is one pad's. Called without the lock. */
void gst_robocache_fuse_post_failure (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GError * error);
/* Ends all streams with flow, and posts error (taken) unless they had failed before. Called without the lock. */
void gst_robocache_fuse_fail (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, GstFlowReturn flow, GError * error);

/* Notes what a pad took in. n_rows: of ROWS. Called with the lock. */
void gst_robocache_fuse_note_taken (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad, FuseJournalKind kind, guint64 n_rows,
    GstClockTime now);

/* The ticks begin anew. Called with the lock. */
void gst_robocache_fuse_reset_ticks (GstRobocacheFuse * fuse);
/* Drops the rows of a pad. Called with the lock. */
void gst_robocache_fuse_flush_stream (GstRobocacheFuse * fuse, GstRobocacheFusePad * pad);

/* Whether the pad's source must wait, so that recordings of different rates stay together. Called with the lock. */
gboolean gst_robocache_fuse_is_ahead (GstRobocacheFuse * fuse, const GstRobocacheFusePad * pad);

/* The time now: running time, or GST_CLOCK_TIME_NONE without a clock, and what it comes from. Called in PLAYING. */
FuseTimeSeen gst_robocache_fuse_see_time (GstRobocacheFuse * fuse);
/* Running time on the clock; GST_CLOCK_TIME_NONE without a clock. Called in PLAYING. */
GstClockTime gst_robocache_fuse_clock_now (GstRobocacheFuse * fuse);
/* Running time at which rows and deadlines are, when live; otherwise GST_CLOCK_TIME_NONE. Called with the lock. */
GstClockTime gst_robocache_fuse_live_now (GstRobocacheFuse * fuse);

G_END_DECLS
#endif
