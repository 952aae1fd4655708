/* robocache: rows of a live sensor whose clock jumps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "clockjump.h"

#include "kernels/interpolation.h"

#define NO_TIME G_MININT64
/* The least delay of a sensor is sought among so many rows, twice. */
#define WINDOW 64

void
robocache_clock_jump_init (RobocacheClockJump *jump)
{
  jump->n_jumps = 0;
  jump->size = 0;
  jump->warned = FALSE;
  robocache_clock_jump_restart (jump);
}

static void
begin_position (RobocacheClockJump *jump)
{
  jump->newest = jump->lead = jump->previous_lead = NO_TIME;
  jump->n_in_window = 0;
  jump->suspect_since = NO_TIME;
  jump->moved = 0;
}

void
robocache_clock_jump_restart (RobocacheClockJump *jump)
{
  jump->shift = 0;
  begin_position (jump);
}

void
robocache_clock_jump_follow (RobocacheClockJump *jump, gint64 moved)
{
  if (jump->newest != NO_TIME)
    jump->newest = MAX (rc_add_saturating (jump->newest, moved), NO_TIME + 1);
  jump->suspect_since = NO_TIME;
}

static gint64
usual_lead (const RobocacheClockJump *jump)
{
  return MAX (jump->lead, jump->previous_lead);
}

void
robocache_clock_jump_expect (RobocacheClockJump *jump, gint64 now, gint64 moved)
{
  if (jump->newest == NO_TIME)
    return;
  if (jump->moved == 0)
    jump->lead_before = usual_lead (jump);
  jump->moved = rc_add_saturating (jump->moved, moved);
  jump->moved_since = now;
  jump->suspect_since = NO_TIME;
}

static gboolean
is_near (gint64 lead)
{
  return lead >= -ROBOCACHE_CLOCK_JUMP_BOUND && lead <= ROBOCACHE_CLOCK_JUMP_BOUND;
}

/* Rows were ahead of the clock by more than a second, and this one is at it: no disorder, but a clock that was put right. */
static gboolean
is_put_right (const RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 time)
{
  const gint64 lead = rc_subtract_saturating (time, now);

  return lead >= -ROBOCACHE_CLOCK_JUMP_NEAR && lead <= ROBOCACHE_CLOCK_JUMP_NEAR
      && rc_subtract_saturating (jump->newest, now) > ROBOCACHE_CLOCK_JUMP_NEAR
      && time < rc_subtract_saturating (jump->newest, MAX (ROBOCACHE_CLOCK_JUMP_NEAR, reorder_window));
}

/* After silence a row is as far ahead of the rows before it as the clock is. Rows ahead of a clock that stands still, or that
 * were always ahead, are not a jump either. */
static gboolean
continues (const RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 time)
{
  const gint64 lead = rc_subtract_saturating (time, now), bound = ROBOCACHE_CLOCK_JUMP_BOUND;

  if (jump->newest == NO_TIME)
    return is_near (lead);
  if (is_put_right (jump, now, reorder_window, time))
    return FALSE;
  if (time < rc_subtract_saturating (jump->newest, MAX (bound, reorder_window)))
    return FALSE;
  return time <= rc_add_saturating (jump->newest, bound) || lead <= rc_add_saturating (usual_lead (jump), bound);
}

static void
note_row (RobocacheClockJump *jump, gint64 now, gint64 time)
{
  if (jump->n_in_window++ == WINDOW) {
    jump->previous_lead = jump->lead;
    jump->lead = NO_TIME;
    jump->n_in_window = 1;
  }
  jump->lead = MAX (jump->lead, rc_subtract_saturating (time, now));
  jump->newest = MAX (jump->newest, time);
  jump->suspect_since = NO_TIME;
}

/* Whether the row is at the distance that a sensor has if it has not followed running time. */
static gboolean
has_stayed (const RobocacheClockJump *jump, gint64 lead)
{
  const gint64 off = rc_subtract_saturating (lead, rc_subtract_saturating (jump->lead_before, jump->moved));

  return jump->moved != 0 && off >= -ROBOCACHE_CLOCK_JUMP_TOLERANCE && off <= ROBOCACHE_CLOCK_JUMP_TOLERANCE;
}

/* Rows that were on their way when running time moved are as far off, for as long as they are. */
static gint64
time_to_confirm (const RobocacheClockJump *jump)
{
  return ROBOCACHE_CLOCK_JUMP_CONFIRM + (jump->moved != 0 && is_near (jump->lead_before) ? MAX (-jump->lead_before, 0) : 0);
}

/* Whether the row is where the last outliers were, in step with the clock. */
static gboolean
is_with_suspects (const RobocacheClockJump *jump, gint64 lead)
{
  const gint64 change = rc_subtract_saturating (lead, jump->suspect_first_lead);

  return jump->suspect_since != NO_TIME && change >= -ROBOCACHE_CLOCK_JUMP_TOLERANCE
      && change <= ROBOCACHE_CLOCK_JUMP_TOLERANCE;
}

/* Whether the row is one of many at that distance from the clock, for long enough. */
static gboolean
is_confirmed (RobocacheClockJump *jump, gint64 now, gint64 lead)
{
  if (!is_with_suspects (jump, lead)) {
    jump->suspect_since = now;
    jump->suspect_first_lead = jump->suspect_lead = lead;
    return FALSE;
  }
  jump->suspect_lead = MAX (jump->suspect_lead, lead);
  return now - jump->suspect_since >= time_to_confirm (jump);
}

static gboolean
fits_unshifted (const RobocacheClockJump *jump, gboolean has_stayed, gint64 shift)
{
  if (has_stayed)
    return shift >= -ROBOCACHE_CLOCK_JUMP_TOLERANCE && shift <= ROBOCACHE_CLOCK_JUMP_TOLERANCE;
  return is_near (jump->suspect_lead);
}

/* Times that were far from the clock from the beginning are taken as they are. */
static RobocacheRowPlace
leap (RobocacheClockJump *jump, gboolean has_stayed)
{
  const gboolean from_the_beginning = jump->newest == NO_TIME;
  const gint64 usual = has_stayed ? jump->lead_before : usual_lead (jump);
  const gint64 shift = rc_subtract_saturating (usual, jump->suspect_lead);

  if (!from_the_beginning) {
    jump->size = rc_subtract_saturating (rc_add_saturating (jump->suspect_lead, jump->shift), usual);
    jump->n_jumps++;
    jump->warned &= !has_stayed;
  }
  jump->shift = from_the_beginning || fits_unshifted (jump, has_stayed, shift) ? 0 : shift;
  begin_position (jump);
  return from_the_beginning ? ROBOCACHE_ROW_PLACED : ROBOCACHE_ROW_AFTER_JUMP;
}

RobocacheRowPlace
robocache_clock_jump_place (RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 *time)
{
  const gint64 lead = rc_subtract_saturating (*time, now), shifted = rc_add_saturating (*time, jump->shift);
  const gboolean stayed = has_stayed (jump, rc_subtract_saturating (shifted, now));
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (stayed || is_with_suspects (jump, lead) || !continues (jump, now, reorder_window, shifted)) {
    if (is_confirmed (jump, now, lead)) {
      place = leap (jump, stayed);
    } else if (stayed && jump->moved > 0) {     /* late, and perhaps of use */
      *time = shifted;
      return ROBOCACHE_ROW_PLACED;
    } else {
      return ROBOCACHE_ROW_OUTLIER;
    }
  } else if (jump->moved != 0 && now - jump->moved_since >= time_to_confirm (jump)) {
    jump->moved = 0;
  }
  *time = rc_add_saturating (*time, jump->shift);
  note_row (jump, now, *time);
  return place;
}

gboolean
robocache_clock_jump_fits (const RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 time)
{
  return continues (jump, now, reorder_window, rc_add_saturating (time, jump->shift));
}

gchar *
robocache_clock_jump_take_warning (RobocacheClockJump *jump)
{
  if (jump->warned)
    return NULL;
  jump->warned = TRUE;
  return g_strdup_printf ("the sensor's clock jumped by %+.3f s against the pipeline's: its times are shifted by %+.3f s from now on (stats: "
      "clock-jumps, clock-shift)", (gdouble) jump->size / 1e9, (gdouble) jump->shift / 1e9);
}
