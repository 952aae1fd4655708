/* robocache: an element's scenario as a line of words: buffers and events in, buffers, events, messages and counts out
 *
 * Times are in ms. A word with a blank in it has 'quotes'. In:
 *
 *     +INPUT   a buffer, as the test's reader of INPUT makes it      &INPUT   the same from another thread, until join
 *     flow:NAME   what the buffer before returned, where that is not ok
 *     start (STREAM_START and CAPS)   stream (STREAM_START)   caps[:CAPS]   seg:START,BASE,OFFSET,RATE[,STOP]
 *     bytes (a segment in bytes)   gap:T,D   segdone:T   eos   flush   tag   reconfigure   drain (a query)   seek:T
 *     seek:T,STOP (a segment)   no-seek:T (refused)   downstream:CAPS   upstream-latency:T   live:0 (upstream is not)
 *     set:PROPERTY=VALUE
 *     state:NAME[=RETURN]   time:T (the clock)   base:T (base time)   crank:N   clock:T (another one, at T; -: none)
 *     from:T (the clock is at T, and times from here on are counted from there)
 *
 * Out:
 *
 *     >T[/D][=V,V...][!?]   a buffer at T (-: without a time), of duration D and values V (any: not compared; ~ for =: nearly);
 *                           ! with DISCONT, ? without      >T#N   a buffer of N bytes      .   no buffer
 *     >NAME   the next event of that type      >>NAME,NAME   the next events (none: no more)      >gap:T,D   >nogap
 *     >caps:FIELD=VALUE   >caps=CAPS   >seg:START,BASE,RATE      error:CODE:WORDS, warning:CODE:WORDS   the next such message
 *     qos:T,DURATION,JITTER,PROCESSED,DROPPED   the next QoS message      stats-message:FIELD=VALUE   the next message of stats
 *     wait:T   the element waits for T, with no buffer out
 *     NAME=N   the answer to a query, messages since last asked (message_counts), buffers since the start, a property, or a
 *              field of stats (none: there is none)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/check/lib/elementharness.h"

typedef struct Scenario Scenario;

struct Scenario
{
  GstHarness *h;
  const gchar *name, *word;     /* what a failure names */
  const gchar *caps;
  GstBuffer *(*input) (Scenario *, const gchar *);
  gboolean (*extra) (Scenario *, const gchar *);        /* asked before each word: whether it was one of the test's own */
  gboolean value_is_time;       /* a buffer out has its time as value where none is given */
  gboolean is_live;             /* QoS messages have it */
  gboolean is_source;           /* its buffers and events come from a thread */
  gint64 origin;
  GstFlowReturn flow;           /* of the last buffer */
  GThread *thread;
  GstBuffer *buffer;            /* of the thread */
};

static inline void G_GNUC_PRINTF (3, 4)
expect_in (const Scenario *s, gboolean holds, const gchar *format, ...)
{
  va_list args;

  if (holds)
    return;
  va_start (args, format);
  ck_abort_msg ("\"%s\" at %s: %s", s->name, s->word, g_strdup_vprintf (format, args));
}

void expect_int_in (const Scenario *s, gint64 got, gint64 expected);

/* ---- what words are made of ---- */

/* Reads the time that text begins with, and moves text to its end. */
GstClockTime read_time (const Scenario *s, const gchar **text);

GstClockTime time_of (const Scenario *s, const gchar *text);

/* ---- buffers ---- */

/* Expects the next buffer. Mapping it computes its values, which stats count. */
void expect_buffer (Scenario *s, const gchar *text);

/* ---- words ---- */

void follow_word (Scenario *s, const gchar *word);

void scenario_run (Scenario *s, const gchar *line);
