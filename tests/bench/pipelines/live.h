/* robocache: a live robocachefuse with a thread a sensor, and when each row went in and each sample came out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_LIVE_H
#define BENCH_LIVE_H

#include "tests/bench/pipelines/line.h"

G_BEGIN_DECLS

#define LIVE_TICK_NS (GST_SECOND / 100)
#define LIVE_MAX_TENSORS MAX_LINE_STREAMS
#define LIVE_COMPARED 64        /* bytes of a tensor: rows of 14 and 6 floats, and the time in a frame */

typedef struct
{
  const gchar *name;
  const gchar *backend;
  gboolean on_device;           /* the sample */
  gboolean camera;
  gboolean is_awake;            /* it waits without sleep */
  gdouble p50_us, p99_us;       /* wanted, when the sample is complete; 0: nothing is */
} LiveWork;

/* What came out at one tick. Times are ns of the clock. */
typedef struct
{
  gint64 decided, woken, made;  /* stages, as the element logs them */
  gint64 pushed, complete;
  guint n_tensors;              /* 0: nothing came out */
  gboolean is_whole;            /* all streams had the rows around the tick: it was not made at its deadline, before they came */
  guint8 bytes[LIVE_MAX_TENSORS][LIVE_COMPARED];
} LiveSample;

typedef struct
{
  const LiveWork *work;
  LineSpec spec;
  guint n_ticks;
  GArray *given[MAX_LINE_STREAMS];      /* when each row was pushed */
  LiveSample *samples;          /* [n_ticks] */
} LiveRun;

/* Runs the work for so many ticks; not live: on the CPU, as fast as it goes, for what is right. */
void live_run_open (LiveRun * run, const LiveWork * work, guint ticks, gboolean live);
void live_run_close (LiveRun * run);

/* When the row was pushed that completes a tick; next[]: of each stream the first row that is not before the tick before. */
gint64 live_completed_at (const LiveRun * run, guint tick, guint64 * next);

/* Once, before any run. */
void live_init (void);

G_END_DECLS
#endif
