/* robocache: what robocachefuse decides, as functions of rows, events and time
 *
 * A core is stepped: it knows no element, pad, lock, clock or thread. Its owner tells it what came and what time it is, and asks what is
 * to be done. One thread at a time calls it. Times are running times in ns; ROBOCACHE_NO_TIME where there is none.
 *
 *     fuse_core_set_time (core, &now, &notes);
 *     switch (fuse_core_decide (core, &departure, &notes, &error)) …
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_CORE_H
#define FUSE_CORE_H

#include "journal.h"
#include "settings.h"
#include "stream/notes.h"
#include "stream/stream.h"
#include "tickclock.h"

G_BEGIN_DECLS

typedef struct _FuseCore FuseCore;

/* The time as it was looked at. */
typedef struct
{
  gint64 running_time;          /* ROBOCACHE_NO_TIME: no clock runs */
  gint64 base_time;
  gconstpointer clock;          /* whose time it is: only compared */
  gint64 monotonic;             /* on a clock that is never set */
  gboolean is_flushing;         /* rows and ticks begin anew: jumps are not followed */
} FuseInstant;

/* ---- what comes ---- */

typedef enum
{
  FUSE_EVENT_STREAM_START,
  FUSE_EVENT_FORMAT,
  FUSE_EVENT_SAME_FORMAT,       /* caps that change nothing */
  FUSE_EVENT_SEGMENT,
  FUSE_EVENT_GAP,
  FUSE_EVENT_ORIGIN,
  FUSE_EVENT_SEGMENT_DONE,
  FUSE_EVENT_EOS,
  FUSE_EVENT_FLUSH,             /* rows before are void */
  FUSE_EVENT_DISCARD,           /* the same, where the stream was stopped and not flushed */
  FUSE_EVENT_SETTINGS,
  FUSE_EVENT_TIMESTAMPS,        /* settings about timestamps: they hold from the next tick on */
  FUSE_EVENT_SOURCE             /* fuse_core_update_sources after those of all streams */
} FuseEventKind;

typedef struct
{
  FuseEventKind kind;
  union
  {
    struct
    {
      FuseRowFormat *format;    /* taken over */
      gboolean has_same_rows;   /* as the format before it */
      gboolean is_declared;     /* it is expected, and no caps have come */
      gint32 *quaternions;      /* [n_quaternions] first channels; taken over */
      gint64 n_quaternions;
    };
    struct
    {
      gboolean continues;       /* the segment before it */
      gint64 start;             /* position at which it begins */
    } segment;
    struct
    {
      gint64 start, end;
    } gap;
    struct
    {
      gint64 time;              /* of running time 0 on the source's clock */
      gboolean is_first_row;    /* where it counts from its first row */
    } origin;
    FuseStreamSettings settings;
    FuseTimestampSettings timestamps;
    FuseSource source;
  };
} FuseEvent;

/* ---- what is to be done ---- */

typedef enum
{
  FUSE_WAIT,                    /* for rows or events, and until fuse_core_next_deadline */
  FUSE_COMPOSE,                 /* the streams of samples changed: make a composer of fuse_core_composed, call fuse_core_accept, ask again */
  FUSE_SEND,                    /* a sample of the snapshots */
  FUSE_DROP,                    /* one tick or several; where there are snapshots, the window shows them */
  FUSE_END,                     /* no tick follows */
  FUSE_FAIL                     /* and an error */
} FuseDecision;

/* What leaves with a decision. Of one core after another; a zeroed one is valid. */
typedef struct
{
  FuseTick tick;
  RobocacheTickGrid grid;       /* num 0: none */
  FuseSnapshot *snapshots;      /* [n_snapshots], one for each of fuse_core_composed */
  guint n_snapshots, capacity;
  gboolean has_rows;            /* the snapshots were read */
  gboolean window_is_stale;     /* the window's ticks are not those before this one */
  guint64 n_skipped;            /* dropped ticks after this one */
  gint64 gap_start, gap_end;    /* a GAP is due before the sample; start ROBOCACHE_NO_TIME: none */
  gint64 segment_from;          /* a new segment begins there, since ticks went back; ROBOCACHE_NO_TIME: none */
  gboolean is_overdue;          /* with FUSE_DROP: ticks were skipped, since their deadlines are long past or all streams have ended */
  gboolean segment_done;        /* with FUSE_END: a segment ends, and not the streams */
  /* live: the sample's part of the journal */
  gboolean has_journal;
  gint64 decided;               /* running time of the decision */
  guint64 journal_start;
  GArray *journal;              /* of FuseJournalEntry */
  GArray *taken;                /* of int64 [n_snapshots][3] */
} FuseDeparture;

/* Releases what the snapshots refer to; called without locks. */
void fuse_departure_release (FuseDeparture * departure, void (*unref_buffer) (gpointer buffer));
void fuse_departure_clear (FuseDeparture * departure);

/* ---- the core ---- */

/* released: takes buffers that are to be released without the owner's lock; a reference is kept. log: copied. */
FuseCore *fuse_core_new (GPtrArray * released, const FuseLog * log);
void fuse_core_free (FuseCore * core);
/* All is as new but the streams, whose settings stay. Settings are copied. */
void fuse_core_start (FuseCore * core, const FuseSettings * settings);
/* Until the next start, settings change nothing of ticks. */
void fuse_core_stop (FuseCore * core);
/* Those that hold at once. */
void fuse_core_set_settings (FuseCore * core, const FuseSettings * settings);
const FuseSettings *fuse_core_settings (const FuseCore * core);
/* The core looks at a stream from then on, which its owner keeps until it was removed. */
void fuse_core_add_stream (FuseCore * core, FuseStream * stream);
void fuse_core_remove_stream (FuseCore * core, FuseStream * stream, GQueue * notes);

/* Streams that may still come. Not live, the first tick waits for them, and for the caps of streams that are declared. */
void fuse_core_expect_streams (FuseCore * core, guint n);
/* Whether it does. Meanwhile rows of all streams may take FUSE_MAX_EARLY_MIB. */
gboolean fuse_core_awaits_streams (const FuseCore * core);
#define FUSE_MAX_EARLY_MIB 64

/* Rows of a buffer. FALSE and an error: they cannot be taken, and were counted as refused. */
gboolean fuse_core_insert (FuseCore * core, FuseStream * stream, const FuseRows * rows, GQueue * notes, GError ** error);
/* After the first rows: FALSE and an error where no rate was set, and there is no stream whose rows could be the ticks. */
gboolean fuse_core_choose_reference (FuseCore * core, GError ** error);
/* Rows that the owner refuses are counted. */
void fuse_core_refuse (FuseCore * core, FuseStream * stream);
void fuse_core_event (FuseCore * core, FuseStream * stream, const FuseEvent * event, GQueue * notes);
void fuse_core_set_time (FuseCore * core, const FuseInstant * now, GQueue * notes);
/* Live, ticks leave only while it plays. */
void fuse_core_play (FuseCore * core, gint64 base_time);
void fuse_core_pause (FuseCore * core, gint64 base_time);
/* The ticks begin anew. */
void fuse_core_reset_ticks (FuseCore * core);
/* After an error there are no ticks, but an end. */
void fuse_core_set_failed (FuseCore * core, gboolean has_failed);
/* After a seek to start: no tick is at end or after it (ROBOCACHE_NO_TIME: none is known); is_segment: SEGMENT_DONE is due there. */
void fuse_core_set_range (FuseCore * core, gint64 start, gint64 end, gboolean is_segment);

/* At most one decision; notes get what is due with it. The departure must have been released. */
FuseDecision fuse_core_decide (FuseCore * core, FuseDeparture * departure, GQueue * notes, GError ** error);
/* After FUSE_WAIT: running time to look again at; ROBOCACHE_NO_TIME: when something comes. */
gint64 fuse_core_next_deadline (const FuseCore * core);
/* The streams that the next sample is made of (FuseStream), and the rate of samples; num 0: unknown. The core's. */
const GPtrArray *fuse_core_composed (const FuseCore * core, RobocacheTickGrid * rate);
/* What was composed with the last FUSE_COMPOSE is in force. */
void fuse_core_accept (FuseCore * core);
/* After FUSE_SEND and FUSE_DROP: the sample was made, and leaves at the running time now; or it was not. TRUE: there is a hole before it. */
gboolean fuse_core_finish (FuseCore * core, const FuseDeparture * departure, gboolean has_sample, gint64 now);
/* Downstream has changed: composers are made anew. */
void fuse_core_renew (FuseCore * core);

/* Whether something came since the last call that a waiting owner must look at, and whether sources that wait may continue. */
gboolean fuse_core_take_wakeup (FuseCore * core);
gboolean fuse_core_take_progress (FuseCore * core);
/* Not live: a stream's source must wait, so that recordings of different rates stay together, and rows before the first tick fit into
 * memory. is_waiting: it does. */
gboolean fuse_core_is_ahead (const FuseCore * core, const FuseStream * stream, gboolean is_waiting);

/* Adds what is to be reported of lost rows and clocks; all: whatever the interval. */
void fuse_core_collect_notes (FuseCore * core, gboolean all, GQueue * notes);

/* ---- latency; see latency.h ---- */

/* Computes what ticks wait for. TRUE: it has changed since it was last told (fuse_core_tell_latency). */
gboolean fuse_core_update_latency (FuseCore * core);
/* What samples wait for; of a core that is not live, what it would need. *live may be NULL. */
gint64 fuse_core_tell_latency (FuseCore * core, gboolean * live);
/* A session is replayed: ticks wait for total ns, as they did (ROBOCACHE_NO_TIME: not live). Nothing else decides that until the start. */
void fuse_core_set_latency (FuseCore * core, gint64 total);
/* Sources have answered: whether the core is live, and how long ticks wait. */
void fuse_core_update_sources (FuseCore * core);
/* FALSE and an error with the remedy: latencies of live sources contradict each other. */
gboolean fuse_core_check_sources (const FuseCore * core, GError ** error);

/* ---- questions ---- */

const GPtrArray *fuse_core_streams (const FuseCore * core);     /* of FuseStream, in the order of samples */
gboolean fuse_core_has_failed (const FuseCore * core);
gboolean fuse_core_is_live (const FuseCore * core);
gboolean fuse_core_is_playing (const FuseCore * core);
/* Running time as it was last set; ROBOCACHE_NO_TIME where nothing waits for it. */
gint64 fuse_core_now (const FuseCore * core);
/* Whether snapshots of the last decision are in use. */
gboolean fuse_core_is_composing (const FuseCore * core);
/* Of the ticks; of all streams together; of those that were removed. The latter two are added to sum. */
const FuseTickStatistics *fuse_core_tick_statistics (const FuseCore * core);
void fuse_core_add_statistics (const FuseCore * core, FuseStatistics * sum);
void fuse_core_add_removed_statistics (const FuseCore * core, FuseStatistics * sum);
/* A position of samples in a stream whose times are shifted. */
gint64 fuse_core_position_in_stream (const FuseStream * stream, gint64 position);
/* The journal's number for settings that change now, and an entry for it; the first number has none. */
gint64 fuse_core_note_settings (FuseCore * core);
gboolean fuse_core_has_settings (const FuseCore * core);
/* Names of the journal's streams, joined by commas; the core's. */
const gchar *fuse_core_journal_names (FuseCore * core);

G_END_DECLS
#endif
