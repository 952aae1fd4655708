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
}

void
robocache_clock_jump_restart (RobocacheClockJump *jump)
{
  jump->shift = 0;
  begin_position (jump);
}

static gint64
minus (gint64 a, gint64 b)
{
  return b == G_MININT64 ? G_MAXINT64 : rc_add_saturating (a, -b);
}

static gint64
usual_lead (const RobocacheClockJump *jump)
{
  return MAX (jump->lead, jump->previous_lead);
}

static gboolean
is_near (gint64 lead)
{
  return lead >= -ROBOCACHE_CLOCK_JUMP_BOUND && lead <= ROBOCACHE_CLOCK_JUMP_BOUND;
}

/* After silence a row is as far ahead of the rows before it as the clock is. Rows ahead of a clock that stands still, or that
 * were always ahead, are not a jump either. */
static gboolean
continues (const RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 time)
{
  const gint64 lead = minus (time, now), bound = ROBOCACHE_CLOCK_JUMP_BOUND;

  if (jump->newest == NO_TIME)
    return is_near (lead);
  if (time < minus (jump->newest, MAX (bound, reorder_window)))
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
  jump->lead = MAX (jump->lead, minus (time, now));
  jump->newest = MAX (jump->newest, time);
  jump->suspect_since = NO_TIME;
}

/* Whether the row is where the last outliers were, in step with the clock. */
static gboolean
is_with_suspects (const RobocacheClockJump *jump, gint64 lead)
{
  const gint64 change = minus (lead, jump->suspect_first_lead);

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
  return now - jump->suspect_since >= ROBOCACHE_CLOCK_JUMP_CONFIRM;
}

/* Times that were far from the clock from the beginning are taken as they are. */
static RobocacheRowPlace
leap (RobocacheClockJump *jump)
{
  const gboolean from_the_beginning = jump->newest == NO_TIME;
  const gint64 shift = from_the_beginning || is_near (jump->suspect_lead) ? 0
      : minus (usual_lead (jump), jump->suspect_lead);

  if (!from_the_beginning) {
    jump->size = minus (rc_add_saturating (jump->suspect_lead, jump->shift), usual_lead (jump));
    jump->n_jumps++;
  }
  jump->shift = shift;
  begin_position (jump);
  return from_the_beginning ? ROBOCACHE_ROW_PLACED : ROBOCACHE_ROW_AFTER_JUMP;
}

RobocacheRowPlace
robocache_clock_jump_place (RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 *time)
{
  gint64 shifted = rc_add_saturating (*time, jump->shift);
  RobocacheRowPlace place = ROBOCACHE_ROW_PLACED;

  if (is_with_suspects (jump, minus (*time, now)) || !continues (jump, now, reorder_window, shifted)) {
    if (!is_confirmed (jump, now, minus (*time, now)))
      return ROBOCACHE_ROW_OUTLIER;
    place = leap (jump);
    shifted = rc_add_saturating (*time, jump->shift);
  }
  note_row (jump, now, shifted);
  *time = shifted;
  return place;
}

gboolean
robocache_clock_jump_fits (const RobocacheClockJump *jump, gint64 now, gint64 reorder_window, gint64 time)
{
  return continues (jump, now, reorder_window, rc_add_saturating (time, jump->shift));
}

void
robocache_clock_jump_warn (RobocacheClockJump *jump, GstElement *element, GstPad *pad)
{
  if (jump->warned)
    return;
  jump->warned = TRUE;
  GST_ELEMENT_WARNING (element, STREAM, FORMAT, ("%s%sthe sensor's clock jumped by %+.3f s against the pipeline's; its "
          "times are shifted by %+.3f s from now on (stats: clock-jumps, clock-shift)", pad ? GST_OBJECT_NAME (pad) : "",
          pad ? ": " : "", (gdouble) jump->size / 1e9, (gdouble) jump->shift / 1e9), (NULL));
}

GstClockTime
robocache_running_time_now (GstElement *element)
{
  GstClockTime base_time, now;
  GstClock *clock = NULL;

  GST_OBJECT_LOCK (element);
  base_time = element->base_time;
  if (GST_STATE (element) == GST_STATE_PLAYING && element->clock)
    clock = gst_object_ref (element->clock);
  GST_OBJECT_UNLOCK (element);
  if (clock == NULL)
    return GST_CLOCK_TIME_NONE;
  now = gst_clock_get_time (clock);
  gst_object_unref (clock);
  return now > base_time ? now - base_time : 0;
}
