/* robocache: the state of a core of robocachefuse, private to this folder
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "core.h"

/* Dropped ticks that are not covered by a GAP yet. */
typedef struct
{
  guint64 n;
  gint64 first, end;            /* time of the first one, end of the last one */
  guint64 n_since;              /* dropped ticks since the last sample, also those that GAPs cover */
} FuseHole;

/* The properties of a stream that a composer depends on. */
typedef struct
{
  guint64 id;
  guint serial;                 /* serial of its format */
  RcInterpolation interpolation;
} FuseComposed;

struct _FuseCore
{
  FuseSettings settings;        /* current settings */
  FuseLog log;
  GPtrArray *released;
  GPtrArray *streams;           /* FuseStream items in their order, without references */
  guint n_expected;             /* number of streams that may still be added */
  FuseOrigins *origins;
  gint64 common_origin;         /* the earliest origin of shifted streams: see commonclock.h */
  gboolean reference_lost;      /* the reference was removed */
  gboolean must_wake, may_continue;     /* requests to the owner, until it clears them */
  gboolean has_failed;          /* an error has ended the ticks */

  /* time */
  gboolean is_started, is_playing;
  FuseInstant seen;             /* live and playing: the last reading; running_time ROBOCACHE_NO_TIME: none yet */
  gboolean has_paused;          /* paused since the last reading */
  gint64 now;                   /* ROBOCACHE_NO_TIME: no tick depends on time */

  /* ticks */
  FuseTickClock clock;
  FuseRange range;              /* current range: see seekranges.h */
  GArray *next_ranges;          /* FuseRange items, in the order of their seeks */
  gboolean range_is_done;       /* SEGMENT_DONE of the current range was decided */
  gboolean range_is_new;        /* no departure has reported the range yet */
  gboolean is_waiting;          /* the last decision was FUSE_WAIT; the next three fields are valid */
  gint64 deadline;              /* running time of the next decision */
  gint64 awaited;               /* the awaited tick; ROBOCACHE_NO_TIME: unknown */
  guint n_unready;              /* streams that the awaited tick waits for */

  /* samples */
  GPtrArray *composed, *next_composed;  /* FuseStream items without references */
  GArray *keys, *next_keys;     /* FuseComposed items, one per stream */
  RobocacheTickGrid rate, next_rate;
  gboolean is_accepted;         /* a composer for composed exists */
  gboolean next_is_void;        /* a stream of next_composed was removed */
  gboolean is_composing;        /* the owner uses the snapshots */
  gboolean window_is_stale;     /* the window's last tick is not the one before the next tick */
  gboolean has_sent;            /* a sample was sent */
  gboolean discont;             /* the next sample follows a hole */
  gboolean segment_done;        /* SEGMENT_DONE was decided, and no segment has begun since */
  FuseHole hole;
  gint64 last_gap;              /* live: tick of the last GAP in this hole; ROBOCACHE_NO_TIME: none yet */

  /* latency */
  gint64 total;                 /* live: how long a tick may wait; ROBOCACHE_NO_TIME otherwise */
  gboolean total_is_given;      /* total was set by fuse_core_set_latency, not computed */
  gint64 needed;                /* latency that the streams need */
  gint64 own;                   /* needed plus the property latency */
  gint64 reported;              /* the last reported total; ROBOCACHE_NO_TIME: not reported, or not live */
  gint64 period;                /* period of the ticks when needed was computed */

  FuseJournal journal;
  gint64 journal_latency;       /* the last total in the journal; G_MININT64: none */

  FuseTickStatistics ticks;
  FuseStatistics removed;       /* statistics of removed streams */
  guint64 lost_ticks;           /* number of lost ticks that were not reported yet */
  gint64 first_lost;            /* time of the first lost tick */
  gint64 last_report;           /* tick of the last report; ROBOCACHE_NO_TIME: none */
};

/* A waiting owner must ask for a decision. */
static inline void
fuse_core_wake (FuseCore *core)
{
  core->must_wake = TRUE;
}

static inline FuseStream *
fuse_core_stream (const FuseCore *core, guint i)
{
  return g_ptr_array_index (core->streams, i);
}

/* Whether any stream can provide rows for ticks. */
static inline gboolean
fuse_core_has_epochs (const FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    if (fuse_stream_epoch (fuse_core_stream (core, i)))
      return TRUE;
  }
  return FALSE;
}

/* The number of a tick that is not decided yet: that of its instant on the grid, or of the ticks of the reference so far. */
static inline gint64
fuse_core_tick_number (const FuseCore *core, const FuseTick *tick)
{
  return core->clock.grid.num > 0 ? tick->index : (gint64) (core->ticks.n_out + core->ticks.n_dropped);
}

/* Such a tick in log lines. */
#define FUSE_TICK_FORMAT "tick %" G_GINT64_FORMAT " at %" FUSE_TIME_FORMAT
#define FUSE_TICK_ARGS(core, tick) fuse_core_tick_number (core, tick), FUSE_TIME_ARGS ((tick)->time)

/* Live, before the first tick: skips ticks whose deadline has passed, so that they do not leave in a burst. TRUE: the time of the first
 * tick is known. */
gboolean fuse_core_begin_ticks (FuseCore * core);
/* Whether a report of lost rows of stream is due now. */
gboolean fuse_core_losses_are_due (const FuseCore * core, const FuseStream * stream);
/* Counts n dropped ticks from tick on, and adds a report of them when one is due. */
void fuse_lose_ticks (FuseCore * core, const FuseTick * tick, guint64 n, GQueue * notes);
