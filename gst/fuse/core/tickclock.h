/* robocache: the next tick of robocachefuse: on an exact grid, or of the rows of a reference stream
 *
 * A plain structure over streams. Times are running times in ns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FUSE_TICKCLOCK_H
#define FUSE_TICKCLOCK_H

#include "common/time/tickgrid.h"
#include "stream/stream.h"

G_BEGIN_DECLS

typedef struct
{
  RobocacheTickGrid grid;       /* num 0: ticks are the rows of the reference */
  FuseStream *reference;        /* not owned; NULL with a grid, or where none was chosen */
  GPtrArray *streams;           /* of FuseStream, not owned: shared with the core */
  gboolean live;

  gboolean ticking;             /* the first tick has been handed out or dropped */
  gint64 next_index;            /* of the grid, once ticking */
  gint64 last_tick;             /* no tick is at it or before; ROBOCACHE_NO_TIME before the first */
  gint64 last_row;              /* the same in the reference's time, without its offset */
  gint64 last_out;              /* the last one that was handed out or dropped: ticks may go back; ROBOCACHE_NO_TIME before the first */
  gint64 earliest_start;        /* live: no tick before this; ROBOCACHE_NO_TIME: no data yet */
  gboolean starts_without_rows; /* the first tick is at earliest_start, whether or not rows have come */
} FuseTickClock;

/* A tick. */
typedef struct
{
  gint64 time;
  gint64 index;                 /* of the grid; undefined without one */
  gint64 duration;              /* until the tick after it; ROBOCACHE_NO_TIME: unknown */
} FuseTick;

void fuse_tick_clock_init (FuseTickClock * clock, GPtrArray * streams);
/* The ticks begin anew. */
void fuse_tick_clock_reset (FuseTickClock * clock);
/* Ticks continue on another grid, after the last one. */
void fuse_tick_clock_set_grid (FuseTickClock * clock, RobocacheTickGrid grid);

/* The period of the grid, or the nominal one of the reference (ns); 0: unknown. Never measured, so that the output does not depend
 * on how many rows have come. */
gint64 fuse_tick_clock_period (const FuseTickClock * clock);
/* Gives the period to the streams, whose mean is taken over it. */
void fuse_tick_clock_sync_period (FuseTickClock * clock);

/* The next instant, whether or not it is certain to become a tick. FALSE: none is known. */
gboolean fuse_tick_clock_candidate (FuseTickClock * clock, gint64 * time);
/* The next tick, once it is certain. Not live, no row to come can make an earlier one. */
gboolean fuse_tick_clock_next (FuseTickClock * clock, FuseTick * tick);
/* No row follows that could make a tick. */
gboolean fuse_tick_clock_streams_are_over (const FuseTickClock * clock);
/* No tick follows. */
gboolean fuse_tick_clock_is_over (FuseTickClock * clock);
/* An instant that no later tick comes before. FALSE: unknown. */
gboolean fuse_tick_clock_lower_bound (FuseTickClock * clock, gint64 * time);

/* The tick was handed out or dropped. */
void fuse_tick_clock_advance (FuseTickClock * clock, const FuseTick * tick);
/* The instant after a tick that was just advanced over: rows before it may be pruned. */
gint64 fuse_tick_clock_after (const FuseTickClock * clock, gint64 time);
/* Ticks go on from an instant on, which may be before the last tick. */
void fuse_tick_clock_move (FuseTickClock * clock, gint64 to);
/* The streams are at the tick: the next one is no earlier. */
void fuse_tick_clock_enter (FuseTickClock * clock, gint64 time);
/* Not live, streams have moved before the first tick was made: it may be any. */
void fuse_tick_clock_leave (FuseTickClock * clock);
/* NULL: none. */
void fuse_tick_clock_set_reference (FuseTickClock * clock, FuseStream * reference);
/* The reference's offset has changed: its ticks move with it. */
void fuse_tick_clock_follow_offset (FuseTickClock * clock);
/* Skips the ticks of the grid after the last one and before time, by arithmetic; returns their number. 0 without a grid. */
guint64 fuse_tick_clock_skip (FuseTickClock * clock, gint64 time);

G_END_DECLS
#endif
