/* robocache: handles rows of a live sensor whose clock jumps
 *
 * A row far from the rows before it and from the pipeline's clock is an outlier, and dropped, so one wrong timestamp costs one row. After
 * a second of such rows at the rate of the clock, the sensor's clock has jumped. From then on, its times are shifted so that its smallest
 * delay is the same as before. They are not shifted if they fit the pipeline's clock without a shift. A backlog that is sent after a stall is
 * not a jump: its rows continue the earlier rows, or arrive faster than the clock advances.
 *
 * If rows were ahead of the clock, and are within a second of it again, this is also a jump, even if it is less than 10 s.
 *
 * This is for live streams only: the output of other streams depends only on their input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/time/nanoseconds.h"

/* Maximum distance of a row from the clock and from the rows before it (ns). */
#define ROBOCACHE_CLOCK_JUMP_BOUND (10 * ROBOCACHE_SECOND)
/* Maximum distance between a row and the clock at which the row still fits the clock (ns). */
#define ROBOCACHE_CLOCK_JUMP_NEAR (1 * ROBOCACHE_SECOND)
/* Time for which rows must keep their distance before a jump is assumed, and the tolerance of this distance (ns). */
#define ROBOCACHE_CLOCK_JUMP_CONFIRM (1 * ROBOCACHE_SECOND)
#define ROBOCACHE_CLOCK_JUMP_TOLERANCE (500 * ROBOCACHE_MSECOND)

typedef struct
{
  gint64 shift;                 /* ns that are added to every time */
  gint64 newest;                /* greatest time since the last jump, shifted; G_MININT64 before the first */
  gint64 lead, previous_lead;   /* greatest (time - arrival) of the rows of this and the previous window */
  guint n_in_window;
  gint64 suspect_since;         /* arrival of the first distant row; G_MININT64: none */
  gint64 suspect_first_lead, suspect_lead;      /* unshifted (time - arrival) of this row, and the greatest since */
  gint64 moved;                 /* jump of running time that the sensor may not have followed; 0: it has followed, or no jump */
  gint64 moved_since, lead_before;      /* running time after the jump; usual lead before it */
  gint64 size;                  /* size of the last jump */
  guint64 n_jumps;
  gboolean warned;
} RobocacheClockJump;

void robocache_clock_jump_init (RobocacheClockJump * jump);
/* Starts at a new stream position. Keeps only the number of jumps. */
void robocache_clock_jump_restart (RobocacheClockJump * jump);

/* Handles a jump of running time that the sensor has followed. */
void robocache_clock_jump_follow (RobocacheClockJump * jump, gint64 moved);
/* Handles a jump of running time to now. If rows are off by this distance for a second, the sensor has not followed, and its times are
 * shifted by the distance, even if it is small. Until then, rows ahead of running time are outliers. */
void robocache_clock_jump_expect (RobocacheClockJump * jump, gint64 now, gint64 moved);

typedef enum
{
  ROBOCACHE_ROW_PLACED,         /* time is shifted */
  ROBOCACHE_ROW_OUTLIER,        /* the row must be dropped */
  ROBOCACHE_ROW_AFTER_JUMP      /* time is shifted; do not blend this row with earlier rows */
} RobocacheRowPlace;

/* Places a row of running time *time that arrives at the running time now, and shifts *time. A row that is at most
 * reorder_window older than the newest is never an outlier. */
RobocacheRowPlace robocache_clock_jump_place (RobocacheClockJump * jump, gint64 now, gint64 reorder_window,
    gint64 * time);

/* Whether a row with this running time would be placed without a jump. Does not change the state. */
gboolean robocache_clock_jump_fits (const RobocacheClockJump * jump, gint64 now, gint64 reorder_window, gint64 time);

/* Returns the warning about the first jump; free with g_free. NULL: none, or already returned. */
gchar *robocache_clock_jump_take_warning (RobocacheClockJump * jump);
