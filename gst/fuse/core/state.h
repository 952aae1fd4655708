/* robocache: the state of the core of robocachefuse, for the files of this folder alone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_STATE_H
#define FUSE_STATE_H

#include "core.h"

G_BEGIN_DECLS

/* Dropped ticks that are in no GAP so far. */
typedef struct
{
  guint64 n;
  gint64 first, end;            /* of the first of them, and where the last one ends */
} FuseHole;

/* What a composer was made for. */
typedef struct
{
  guint64 id;
  guint serial;                 /* of its format */
  RcInterpolation interpolation;
} FuseComposed;

struct _FuseCore
{
  FuseSettings settings;        /* those in force */
  FuseLog log;
  GPtrArray *released;
  GPtrArray *streams;           /* of FuseStream, in their order, no references */
  guint n_expected;             /* streams that may still come */
  FuseOrigins *origins;
  gint64 common_origin;         /* the earliest one of streams that are shifted: see commonclock.h */
  gboolean reference_lost;      /* the reference was removed */
  gboolean must_wake, may_continue;     /* since they were taken */
  gboolean has_failed;          /* no tick follows */

  /* time */
  gboolean is_started, is_playing;
  FuseInstant seen;             /* live, while it plays; running_time ROBOCACHE_NO_TIME: it was not looked at */
  gboolean has_paused;          /* since then */
  gint64 now;                   /* ROBOCACHE_NO_TIME: nothing waits for it */

  /* ticks */
  FuseTickClock clock;
  gint64 range_start, range_end;
  gboolean range_is_segment;
  gboolean is_waiting;          /* nothing was due when it was asked last */
  gint64 deadline;              /* then: running time to look again at */
  gint64 awaited;               /* then: the tick that is waited for; ROBOCACHE_NO_TIME: none is known */
  guint n_unready;              /* streams that it waits for */

  /* samples */
  GPtrArray *composed, *next_composed;  /* of FuseStream, no references */
  GArray *keys, *next_keys;     /* of FuseComposed, one for each */
  RobocacheTickGrid rate, next_rate;
  gboolean is_accepted;         /* there is a composer for composed */
  gboolean next_is_void;        /* a stream of next_composed was removed */
  gboolean is_composing;        /* snapshots are in use */
  gboolean window_is_stale;     /* the window's ticks are not those before the next one */
  gboolean has_sent, discont;   /* a sample; the next one has a hole before it */
  gboolean segment_done;        /* was decided, and no segment has begun since */
  FuseHole hole;
  gint64 last_gap;              /* live: tick at which the last GAP left; ROBOCACHE_NO_TIME: none in this hole */

  /* latency */
  gint64 total;                 /* live: how long a tick may wait; ROBOCACHE_NO_TIME otherwise */
  gboolean total_is_given;      /* and not computed */
  gint64 needed;                /* what the streams need */
  gint64 own;                   /* that and the property, as it was computed */
  gint64 told;                  /* total as it was last told; ROBOCACHE_NO_TIME: it was not, or not live */
  gint64 period;                /* of the ticks, that it was computed with */

  FuseJournal journal;
  gint64 journal_latency;       /* total as the journal has it; G_MININT64: it has none */

  FuseTickStatistics ticks;
  FuseStatistics removed;       /* of streams that are gone */
  guint64 lost_ticks;           /* that no note has reported */
  gint64 first_lost;            /* the first of them */
  gint64 last_report;           /* tick of the last report; ROBOCACHE_NO_TIME: none */
};

/* Something came that a waiting owner must look at. */
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

/* Whether any stream can answer ticks. */
static inline gboolean
fuse_core_has_epochs (const FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    if (fuse_stream_epoch (fuse_core_stream (core, i)))
      return TRUE;
  }
  return FALSE;
}

/* Live, before the first tick: ticks whose deadline has passed are skipped, so that they do not come in a burst. TRUE: it is known now from
 * when on there are ticks. */
gboolean fuse_core_begin_ticks (FuseCore * core);
/* Counts n dropped ticks from tick on, and adds a note about them when one is due. */
void fuse_lose_ticks (FuseCore * core, const FuseTick * tick, guint64 n, GQueue * notes);

G_END_DECLS
#endif
