/* robocache: the next tick of robocachefuse: on an exact grid, or at the rows of a reference stream
 *
 * A plain structure over streams. Times are running times in ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/tickgrid.h"
#include "stream/stream.h"

typedef struct
{
  RobocacheTickGrid grid;       /* num 0: ticks are the rows of the reference */
  FuseStream *reference;        /* not owned; NULL: with a grid, or not chosen */
  GPtrArray *streams;           /* FuseStream items; not owned: shared with the core */
  guint waits_for;              /* index in streams of a stream that the first tick may still wait for */
  gboolean live;

  gboolean ticking;             /* the first tick was returned or dropped */
  gint64 next_index;            /* index of the next tick on the grid, once ticking */
  gint64 last_tick;             /* all later ticks are after this time; ROBOCACHE_NO_TIME before the first */
  gint64 last_row;              /* last_tick in the reference's time, without its offset */
  gint64 last_out;              /* the last tick that was returned or dropped, since ticks may go back; ROBOCACHE_NO_TIME before the first */
  gint64 earliest_start;        /* live: no tick before this; ROBOCACHE_NO_TIME: no data yet */
  gboolean starts_without_rows; /* the first tick is at earliest_start, with or without rows */
} FuseTickClock;

/* A tick. */
typedef struct
{
  gint64 time;
  gint64 index;                 /* index on the grid; undefined without a grid */
  gint64 duration;              /* time until the next tick; ROBOCACHE_NO_TIME: unknown */
} FuseTick;

void fuse_tick_clock_init (FuseTickClock * clock, GPtrArray * streams);
/* Restarts the ticks. */
void fuse_tick_clock_reset (FuseTickClock * clock);
/* Continues on another grid, after the last tick. */
void fuse_tick_clock_set_grid (FuseTickClock * clock, RobocacheTickGrid grid);

/* The period of the grid, or the nominal period of the reference (ns); 0: unknown. It is never measured, so that the output does not
 * depend on the number of rows that have arrived. */
gint64 fuse_tick_clock_period (const FuseTickClock * clock);
/* Sets the period in the streams, which average over it. */
void fuse_tick_clock_sync_period (FuseTickClock * clock);

/* The next instant, even if it is not certain to become a tick. FALSE: unknown. */
gboolean fuse_tick_clock_candidate (FuseTickClock * clock, gint64 * time);
/* The next tick, once it is certain: not live, no later row can make an earlier tick. */
gboolean fuse_tick_clock_next (FuseTickClock * clock, FuseTick * tick);
/* Whether no row follows that could make a tick. */
gboolean fuse_tick_clock_streams_are_over (const FuseTickClock * clock);
/* Whether no tick follows. */
gboolean fuse_tick_clock_is_over (FuseTickClock * clock);
/* A lower bound of all later ticks. FALSE: unknown. */
gboolean fuse_tick_clock_lower_bound (FuseTickClock * clock, gint64 * time);

/* Advances past a tick that was returned or dropped. */
void fuse_tick_clock_advance (FuseTickClock * clock, const FuseTick * tick);
/* The earliest time of the next tick, after a tick at time: rows before it may be pruned. */
gint64 fuse_tick_clock_after (const FuseTickClock * clock, gint64 time);
/* Continues ticks from an instant, which may be before the last tick. */
void fuse_tick_clock_move (FuseTickClock * clock, gint64 to);
/* Notes that the streams have moved to the tick, so the next tick is not earlier. */
void fuse_tick_clock_enter (FuseTickClock * clock, gint64 time);
/* Notes that, not live, streams have moved before the first tick was made, so that the first tick may be at any time. */
void fuse_tick_clock_leave (FuseTickClock * clock);
/* reference NULL: no reference. */
void fuse_tick_clock_set_reference (FuseTickClock * clock, FuseStream * reference);
/* Moves the ticks after a change of the reference's offset. */
void fuse_tick_clock_follow_offset (FuseTickClock * clock);
/* Skips the ticks of the grid after the last one and before time, by arithmetic; returns their number. 0 without a grid. */
guint64 fuse_tick_clock_skip (FuseTickClock * clock, gint64 time);
