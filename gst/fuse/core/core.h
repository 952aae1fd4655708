/* robocache: the decisions of robocachefuse, as functions of rows, events and time
 *
 * A core is stepped by its owner, which passes it rows, events and the time, and asks for decisions. A core uses no element, pad, lock,
 * clock or thread. Only one thread at a time may call it. Times are running times in ns; ROBOCACHE_NO_TIME is an unknown time.
 *
 *     fuse_core_set_time (core, &now, &notes);
 *     switch (fuse_core_decide (core, &departure, &notes, &error)) …
 *
 * See control.h for commands of the owner, status.h for questions, ticklatency.h for latencies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "journal.h"
#include "settings.h"
#include "stream/notes.h"
#include "stream/stream.h"
#include "tickclock.h"

typedef struct _FuseCore FuseCore;

/* A reading of the pipeline's clock. */
typedef struct
{
  gint64 running_time;          /* ROBOCACHE_NO_TIME without a clock */
  gint64 base_time;
  gconstpointer clock;          /* identifies the clock; only compared */
  gint64 monotonic;             /* the same instant on a clock that is never set */
  gboolean is_flushing;         /* rows and ticks restart: ignore jumps */
} FuseInstant;

/* ---- inputs ---- */

typedef enum
{
  FUSE_EVENT_STREAM_START,
  FUSE_EVENT_FORMAT,
  FUSE_EVENT_SAME_FORMAT,       /* caps that describe the same rows */
  FUSE_EVENT_SEGMENT,
  FUSE_EVENT_GAP,
  FUSE_EVENT_ORIGIN,
  FUSE_EVENT_SEGMENT_DONE,
  FUSE_EVENT_SEEK,              /* a seek without a flush: another segment follows, however the current one ends */
  FUSE_EVENT_SEEK_FAILED,       /* the segment after such a seek does not follow */
  FUSE_EVENT_EOS,
  FUSE_EVENT_FLUSH,             /* discards earlier rows */
  FUSE_EVENT_DISCARD,           /* discards earlier rows of a stream that stops without a flush */
  FUSE_EVENT_SETTINGS,
  FUSE_EVENT_TIMESTAMPS,        /* timestamp settings, which take effect at the next tick */
  FUSE_EVENT_SOURCE             /* the source's answer, after fuse_core_start; after the last stream's answer, call fuse_core_update_sources */
} FuseEventKind;

typedef struct
{
  FuseEventKind kind;
  union
  {
    struct
    {
      FuseRowFormat *format;    /* transferred to the core */
      gboolean has_same_rows;   /* rows are those of the previous format */
      gboolean is_declared;     /* the format is from expected-caps; no caps have arrived */
      gint32 *quaternions;      /* [n_quaternions] first channels; transferred to the core */
      gint64 n_quaternions;
      gboolean has_holds, is_held;      /* some channels are held, or all */
      guint32 unfiltered;       /* see robocache_channel_roles_unfiltered */
    };
    struct
    {
      gboolean continues;       /* continues the previous segment */
      gint64 start;             /* first position of the segment */
      gint64 begin;             /* running time of start */
      guint32 number;           /* number of the seek that caused the segment; any other number if no seek did */
    } segment;
    guint32 seek;               /* number of the seek */
    struct
    {
      gint64 start, end;
    } gap;
    struct
    {
      gint64 time;              /* time of running time 0 on the source's clock */
      gboolean is_first_row;    /* the source chose the time of its first row */
    } origin;
    FuseStreamSettings settings;
    FuseTimestampSettings timestamps;
    FuseSource source;
  };
} FuseEvent;

/* ---- decisions ---- */

/* The part of the output that a seek requests. */
typedef struct
{
  guint32 number;               /* number of the seek; not 0 */
  gint64 start;                 /* position of samples */
  gint64 length;                /* duration in running time; ROBOCACHE_NO_TIME: unlimited */
  gboolean is_segment;          /* ends with SEGMENT_DONE instead of the end */
  gint64 begin;                 /* running time; ROBOCACHE_NO_TIME: no stream has begun it yet */
  gboolean follows_done;        /* set by the core: all streams that begin the range had SEGMENT_DONE before */
} FuseRange;

typedef enum
{
  FUSE_WAIT,                    /* until a row or an event arrives, and at most until fuse_core_next_deadline */
  FUSE_COMPOSE,                 /* the streams of samples changed: make a composer for fuse_core_composed, call fuse_core_accept, decide again */
  FUSE_SEND,                    /* compose the snapshots into a sample */
  FUSE_DROP,                    /* drop one or more ticks; snapshots, if any, enter the window */
  FUSE_END,                     /* the last tick is over */
  FUSE_FAIL                     /* stop with the error */
} FuseDecision;

/* The data of a decision. A zeroed struct is a valid empty departure. It may be reused, also with another core. */
typedef struct
{
  FuseTick tick;
  RobocacheTickGrid grid;       /* num 0: ticks are rows of the reference */
  FuseSnapshot *snapshots;      /* [n_snapshots], one per stream of fuse_core_composed */
  guint n_snapshots, capacity;
  gboolean has_rows;            /* the snapshots are filled */
  gboolean window_is_stale;     /* the window's last tick is not the one before this tick */
  guint64 n_skipped;            /* dropped ticks after this one */
  gint64 gap_start, gap_end;    /* GAP to send before the sample; start ROBOCACHE_NO_TIME: no GAP */
  gint64 segment_from;          /* start of a new segment, because ticks went back; ROBOCACHE_NO_TIME: no new segment */
  gboolean range_begins;        /* from this tick or the end on, samples belong to range, which is another one than before */
  FuseRange range;
  gboolean is_skipped;          /* FUSE_DROP: ticks without rows near them were skipped */
  gboolean segment_done;        /* FUSE_END: only the segment ends, and the streams continue */
  /* live: journal entries of the sample */
  gboolean has_journal;
  gint64 decided;               /* running time of the decision */
  guint64 journal_start;
  GArray *journal;              /* FuseJournalEntry items */
  GArray *taken;                /* int64 [n_snapshots][3] */
} FuseDeparture;

/* Releases the buffers of the snapshots. Called without locks. */
void fuse_departure_release (FuseDeparture * departure, void (*unref_buffer) (gpointer buffer));
void fuse_departure_clear (FuseDeparture * departure);

/* ---- the core ---- */

/* released: receives references to buffers, which the owner releases without its lock; the core keeps a reference to this array. log: copied. */
FuseCore *fuse_core_new (GPtrArray * released, const FuseLog * log);
void fuse_core_free (FuseCore * core);
/* Resets the core, except for its streams and their settings. Settings are copied. */
void fuse_core_start (FuseCore * core, const FuseSettings * settings);
/* After this, new settings do not affect ticks until the next start. */
void fuse_core_stop (FuseCore * core);
/* The caller owns the stream, and must keep it until fuse_core_remove_stream. */
void fuse_core_add_stream (FuseCore * core, FuseStream * stream);
void fuse_core_remove_stream (FuseCore * core, FuseStream * stream, GQueue * notes);

/* Inserts the rows of a buffer. FALSE and an error: the rows are unusable, and counted as refused. */
gboolean fuse_core_insert (FuseCore * core, FuseStream * stream, const FuseRows * rows, GQueue * notes, GError ** error);
void fuse_core_event (FuseCore * core, FuseStream * stream, const FuseEvent * event, GQueue * notes);
void fuse_core_set_time (FuseCore * core, const FuseInstant * now, GQueue * notes);

/* Decides at most one tick; notes receives its reports. Release the previous departure first. After FUSE_NOTE_LATENCY, update the
 * pipeline's latency and decide again. After FUSE_WAIT, wake-ups from before the call are handled, and may be cleared. */
FuseDecision fuse_core_decide (FuseCore * core, FuseDeparture * departure, GQueue * notes, GError ** error);
/* After FUSE_WAIT: running time at which to decide again; ROBOCACHE_NO_TIME: only after a row or an event. */
gint64 fuse_core_next_deadline (const FuseCore * core);
/* The streams of the next sample (FuseStream), and the rate of samples; num 0: unknown. The core owns the array. */
const GPtrArray *fuse_core_composed (const FuseCore * core, RobocacheTickGrid * rate);
/* The composer for the last FUSE_COMPOSE is in use. */
void fuse_core_accept (FuseCore * core);
/* After FUSE_SEND and FUSE_DROP. has_sample: a sample is sent, at running time now. TRUE: it is the first one after a hole (DISCONT). */
gboolean fuse_core_finish (FuseCore * core, const FuseDeparture * departure, gboolean has_sample, gint64 now);
