/* robocache: scenarios of robocachefuse, rows in and samples out, each a line of words
 *
 * Two players understand them: one steps the core by itself (player.c), the other feeds the element (tests/check/lib/fuse/fusescenario.h). Words
 * that only the element has are marked (E). No GStreamer is in this file.
 *
 * Times are in ms, or 2h, 1d. They and values may be sums like t+5 or 1d-10, where t is the time of the loop that the word is
 * in, or of the word itself.
 *
 * Pads are letters: "a" is proprio_0, "b" is proprio_1, and so on; "a=sink_0" has another name. Behind a comma each:
 *     PROPERTY=VALUE              a setting; durations in ns, or as 5ms
 *     caps:C                      [float64:]CHANNELS[:ROWS[:N]][NAME,NAME]<KIND,KIND>[@RATE], of which only the element has kinds,
 *                                 1+times with row times, or gray@RATE, which is 4x2 pixels. Without it one channel with no rate, or
 *                                 at 100 Hz if it is live
 *     live, live:N                its source is live, with a latency of N ms; holds-nothing: and with no room
 *     bare                        linked, and nothing is sent yet     absent      there is no such pad yet
 *     expects:C                   its expected caps                   unlinked    it has no source yet
 *     on-seek:ACT                 (E) what its source does, as in Feed
 *
 * In:
 *     a+T[:D][~R][=V,V][!FLOW]    a row at T (a block of duration D), of the value T or these; the pad answers FLOW, or any. T is
 *                                 - for no time, or FIRST..LAST/STEP. ab+T: to a, then to b. R is a reference timestamp (of the
 *                                 duration D): ntp:T, unix:T since TODAY of that clock, or raw:T. Of row:T is its row time
 *     a:stream, a:caps=C, a:segment:start=T,stop=T,base=T,…, a:start:… (these three), a:eos, a:gap:T,D
 *     a:origin=T, a:origin-set=T  its source counts from T on its clock: its first row, or what was set
 *     ab:flush                    one flush of these pads: of all that there are, or of one after the other
 *     a:live, a:live:N            its source is live from now on
 *     a:add, a:link, a:remove, a:PROPERTY=VALUE
 *     eos (of all pads), set:PROPERTY=VALUE, stop, play
 *     @T                          the clock is at T                   base:T      the base time
 *     deadline:T                  the core waits for T; the clock is let there
 *     jump:T                      the core waits for the clock, which is then at T
 *     pause:T                     pauses until the clock is at T, and running time stands still
 *     clock:T                     while it pauses the clock's provider leaves, and another clock that is at T takes its place
 *     waits, waits:T              the core waits for the clock, for that time
 *     yield                       other threads go on, if there are any
 *     idle                        (E) they do for 20 ms
 *     a:flush-start#N, a:flush-stop#N   (E) parts of flush N          a:flush-stop-keep#N  (E) that does not reset times
 *     a:title                     (E) tags of something else          a:activate, a:deactivate  (E)
 *     seek:START[..STOP][!]       (E) a flushing seek from downstream; ! is refused
 *     loop:START[..STOP][!]       (E) one of a segment, without a flush
 *     a:done                      (E) SEGMENT_DONE
 *     a:sought=START[..STOP]      (E) its source got a seek to there
 *     wall:T                      (E) the system clock is at T        awake       (E) it reads the clock again and again
 * Out:
 *     >T[:D][!?] a=V,V b=…        a sample at T (of duration D; ! with DISCONT, ? without) and its streams: V is aligned,
 *                                 held:V, missing, any, or none where it is not in the sample. One that is not named is aligned,
 *                                 and its value is T. One value stands for all channels
 *     >eos, >gap:T,D, >nogap      the end; the next GAP event; no other one
 *     >segment:T                  positions of the segment in force start at T
 *     begins:T,R                  (E) they do, at running time R
 *     done                        (E) the next SEGMENT_DONE is out, with the number of the last seek; earlier-done: with another one
 *     .                           no sample is out                    drop, renew  forget samples; after a flush, the EOS, too
 *     past:T                      forgets samples up to the one at T, which it waits for
 * Then:
 *     NAME=N, a.NAME>N, removed.NAME<N   a number of stats: of the element, a pad, the pads that are gone; ns, or as 5ms, 1h, 1d
 *     latency=N, live=N, now=N    as queried                          balance     all rows are accounted for, as at the end
 *     caps.FIELD=TEXT             of the samples: the core has num_tensors, streams, dimensions, types and framerate
 *     error:KIND:WORD|WORD        the one error, and words of its text: a word with blanks is quoted
 *     warning:WORD|WORD           the next one                        wait:TYPE, no:TYPE, drop:TYPE  messages
 *     qos:FIELD=N,…               (E) the next QoS message; see expect_qos
 *     for:FIRST..LAST/STEP { … }  the words between for each t
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* 2023-11-14, in ns: what unix:0 and ntp:0 are, and NTP counts from 1900. */
#define UNIX_TODAY G_GINT64_CONSTANT (1700000000000000000)
#define NTP_TODAY G_GINT64_CONSTANT (3908988800000000000)
#define MAX_PADS 6
#define MAX_VALUES 80
#define NONE G_MININT64         /* a time that is none */

typedef struct
{
  const gchar *name, *settings, *pads, *words;
} Scenario;

typedef struct Rig Rig;         /* the player's: the core or the element, and what is around it */
typedef struct Feed Feed;       /* the player's: a sink pad, and the source of its rows */
typedef struct Play Play;

typedef struct
{
  gchar *shape;                 /* CHANNELS[:ROWS], or gray */
  gchar *names, *kinds, *rate;  /* separated by commas, likewise; a fraction or a number; or NULL */
  guint channels, n_rows, element_size;
  gboolean has_times;
} PlayedCaps;

typedef struct
{
  gchar *name, *on_seek;
  PlayedCaps caps, expected;    /* expected.shape NULL: none */
  gboolean is_absent, is_unlinked, is_bare, is_live, holds_nothing;
  gdouble latency;
  Feed *feed;                   /* NULL: there is no such pad */
  gboolean has_caps;
} PlayedPad;

typedef enum
{
  PLAYED_NO_CLOCK,
  PLAYED_NTP,
  PLAYED_UNIX,
  PLAYED_RAW,
  PLAYED_ROW                    /* not a clock: the time of the row */
} PlayedClock;

/* A buffer. Times are in ns; NONE: it has none. */
typedef struct
{
  gint64 time, duration;
  PlayedClock clock;
  gint64 reference;             /* on that clock */
  gdouble values[MAX_VALUES];   /* [channels * n_rows] of the pad */
} PlayedRows;

/* start, stop, base and others in ns; format: a name, or NULL for TIME. */
typedef struct
{
  gint64 start, stop, base, offset, time, position;
  const gchar *format;
} PlayedSegment;

typedef struct
{
  const gchar *name;            /* of its pad */
  gint status;                  /* RcRowStatus */
  guint n;                      /* values, of which the first MAX_VALUES are in values */
  gdouble values[MAX_VALUES];
} PlayedStream;

typedef struct
{
  gint64 time, duration;
  gboolean is_discont;
  guint n_streams;
  PlayedStream streams[MAX_PADS];
} PlayedSample;

/* Functions that a player calls for words. pad NULL: the element. */
typedef struct
{
  void (*fail) (const gchar * text) G_GNUC_NORETURN;
  void (*add) (Play * play, PlayedPad * pad);
  void (*remove) (Play * play, PlayedPad * pad);
  void (*set) (Play * play, PlayedPad * pad, const gchar * setting);
  void (*start) (Play * play);
  const gchar *(*push) (Play * play, PlayedPad * pad, const PlayedRows * rows);         /* returns the name of a flow */
  void (*begin_stream) (Play * play, PlayedPad * pad);
  gboolean (*send_caps) (Play * play, PlayedPad * pad); /* those of the pad; FALSE: refused */
  void (*send_segment) (Play * play, PlayedPad * pad, const PlayedSegment * segment);
  void (*send_gap) (Play * play, PlayedPad * pad, gint64 start, gint64 duration);
  void (*send_origin) (Play * play, PlayedPad * pad, gint64 origin, gboolean is_first_row);
  void (*send_eos) (Play * play, PlayedPad * pad);
  void (*flush) (Play * play, const gchar * letters);
  void (*set_source) (Play * play, PlayedPad * pad);    /* whether it is live has changed */
  gboolean (*follow_of_pad) (Play * play, PlayedPad * pad, const gchar * what);         /* FALSE: no such word */
  gboolean (*follow) (Play * play, const gchar * word, const gchar * rest);             /* rest: behind the colon */
  void (*word_is_over) (Play * play);   /* or NULL */
  gboolean (*pull) (Play * play, PlayedSample * sample);        /* FALSE: the end */
  gboolean (*pull_gap) (Play * play, gint64 * start, gint64 * duration);
  gint64 (*get_segment_start) (Play * play);
  gint64 (*get_number) (Play * play, const gchar * name);
  gchar *(*get_caps_field) (Play * play, const gchar * field);  /* NULL: there is none; free with g_free */
} Player;

struct Play
{
  const Player *player;
  Rig *rig;
  PlayedPad pads[MAX_PADS];
  guint n_pads;
  gdouble t;                    /* of the loop; NaN outside */
  guint32 seqnums[4];
  guint32 last_seek;            /* its number */
  const gchar *word;            /* for messages */
};

/* A rig that is not started, with these pads; they send what comes before rows when it is. rig is the player's. */
Play *play_of_rig (const Player * player, Rig * rig, const gchar * pads);
void play_words (Play * play, const gchar * text);
/* A word behind "a:". */
void tell_pad (Play * play, PlayedPad * pad, const gchar * what);
/* All but the rig. */
void play_release (Play * play);

void play_fail (const Play * play, const gchar * format, ...) G_GNUC_NORETURN G_GNUC_PRINTF (2, 3);
#define play_expect(play, condition, ...) G_STMT_START { \
  if (!(condition)) \
    play_fail (play, __VA_ARGS__); \
} G_STMT_END

/* ---- parts of words ---- */

/* NaN is NONE. */
gint64 ns_of_ms (gdouble ms);
gint64 ns_at (const Play * play, const gchar * text);
/* A duration in ns, or like 5ms, as ns; of other texts a copy. Free with g_free. */
gchar *setting_in_ns (const gchar * text);
/* START or START..STOP, in ns; stop is NONE. */
void parse_range (const Play * play, const gchar * text, gint64 * start, gint64 * stop);
/* Ends the text at the mark, and returns the text after it; NULL: the text has no mark. */
gchar *cut_at (gchar * text, gchar mark);
/* A word that begins with the letters of pads and the mark. */
gboolean is_of_pads (const Play * play, const gchar * word, gchar mark);
/* The first of the words "WORD|WORD" that is not in text, for messages; NULL: all are. Free with g_free. */
gchar *missing_word (const gchar * text, const gchar * words);

/* Any int64, a time around now (ns), or now. */
gint64 random_time (GRand * rand, gint64 now);
