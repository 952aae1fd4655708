/* robocache: rows of a live sensor whose clock jumps
 *
 * A row far from the rows before it and from the pipeline's clock is an outlier, and dropped: one wild timestamp costs one
 * row. After a second of such rows, in step with the clock, the sensor's clock has jumped. From then on its times are
 * shifted so that its least delay is what it was before, or not at all if they fit the pipeline's clock unshifted. A backlog
 * that is sent after a stall is not a jump: its rows continue those before it, or arrive faster than the clock advances.
 *
 * Rows that were ahead of the clock and are within a second of it again are such a jump even where it is less than 10 s.
 *
 * For live streams only: output of other streams depends on their input alone.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CLOCKJUMP_H
#define ROBOCACHE_CLOCKJUMP_H

#include "common/time/nanoseconds.h"

G_BEGIN_DECLS

/* Maximum distance of a row from the clock and from the rows before it (ns). */
#define ROBOCACHE_CLOCK_JUMP_BOUND (10 * ROBOCACHE_SECOND)
/* Maximum distance of a row in step with the clock (ns). */
#define ROBOCACHE_CLOCK_JUMP_NEAR (1 * ROBOCACHE_SECOND)
/* Time that rows must stay away before a jump is assumed, and their steadiness (ns). */
#define ROBOCACHE_CLOCK_JUMP_CONFIRM (1 * ROBOCACHE_SECOND)
#define ROBOCACHE_CLOCK_JUMP_TOLERANCE (500 * ROBOCACHE_MSECOND)

typedef struct
{
  gint64 shift;                 /* ns, added to every time */
  gint64 newest;                /* greatest time since the last jump, shifted; G_MININT64 before the first */
  gint64 lead, previous_lead;   /* greatest time less arrival of the rows of this and the previous window */
  guint n_in_window;
  gint64 suspect_since;         /* arrival of the first row that is elsewhere; G_MININT64: none is */
  gint64 suspect_first_lead, suspect_lead;      /* unshifted time less arrival: of that row, and the greatest since */
  gint64 moved;                 /* how far running time has moved, which the sensor may not have followed; 0: it has, or none */
  gint64 moved_since, lead_before;      /* running time afterwards; usual lead before it */
  gint64 size;                  /* of the last jump */
  guint64 n_jumps;
  gboolean warned;
} RobocacheClockJump;

void robocache_clock_jump_init (RobocacheClockJump * jump);
/* Starts at a new stream position. Keeps only the number of jumps. */
void robocache_clock_jump_restart (RobocacheClockJump * jump);

/* Running time has moved, and a sensor that follows it has moved with it. */
void robocache_clock_jump_follow (RobocacheClockJump * jump, gint64 moved);
/* Running time has moved to now, other than by the time that has passed. Where rows are as far off for a second, the sensor has not
 * followed, and its times are shifted by that, however little it is. Meanwhile rows ahead of running time are outliers. */
void robocache_clock_jump_expect (RobocacheClockJump * jump, gint64 now, gint64 moved);

typedef enum
{
  ROBOCACHE_ROW_PLACED,         /* time is shifted */
  ROBOCACHE_ROW_OUTLIER,        /* the row must be dropped */
  ROBOCACHE_ROW_AFTER_JUMP      /* time is shifted; nothing may be blended with the rows before */
} RobocacheRowPlace;

/* Places a row of running time *time that arrives at the running time now, and shifts *time. A row that is at most
 * reorder_window older than the newest is never an outlier. */
RobocacheRowPlace robocache_clock_jump_place (RobocacheClockJump * jump, gint64 now, gint64 reorder_window,
    gint64 * time);

/* Whether a row with this running time would be placed without a jump. Changes nothing. */
gboolean robocache_clock_jump_fits (const RobocacheClockJump * jump, gint64 now, gint64 reorder_window, gint64 time);

/* A warning of the first jump; free with g_free. NULL: it was taken. */
gchar *robocache_clock_jump_take_warning (RobocacheClockJump * jump);

G_END_DECLS
#endif
