/* robocache: the parts of robocachefuse's output that seeks ask for: where each begins and ends
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "seekranges.h"

#include "control.h"

static FuseRange *
next_range (const FuseCore *core, guint i)
{
  return &g_array_index (core->next_ranges, FuseRange, i);
}

static void
forget_first (FuseCore *core, guint n)
{
  if (n > 0)
    g_array_remove_range (core->next_ranges, 0, n);
}

/* ---- ranges that seeks ask for ---- */

void
fuse_core_set_range (FuseCore *core, const FuseRange *range)
{
  core->range = *range;
  core->range_is_done = core->range_is_new = FALSE;
  g_array_set_size (core->next_ranges, 0);
}

void
fuse_core_add_range (FuseCore *core, const FuseRange *range)
{
  FuseRange next = *range;

  next.begin = ROBOCACHE_NO_TIME;
  next.follows_done = TRUE;
  g_array_append_val (core->next_ranges, next);
  core->awaited = ROBOCACHE_NO_TIME;
}

/* ---- where streams begin them ---- */

/* The range that a SEGMENT of the stream begins: that of its number, or else the last one. NULL: it awaits no segment, or a segment of
 * the current range. */
static FuseRange *
range_of_segment (const FuseCore *core, const FuseStream *stream, guint32 number)
{
  const guint n = core->next_ranges->len;

  if (stream->awaited_segment == 0 || number == core->range.number)
    return NULL;
  for (guint i = 0; i < n; i++) {
    if (next_range (core, i)->number == number)
      return next_range (core, i);
  }
  return n > 0 ? next_range (core, n - 1) : NULL;
}

gint64
fuse_ranges_start (const FuseCore *core, const FuseStream *stream, guint32 number)
{
  const FuseRange *range = range_of_segment (core, stream, number);

  return range ? range->start : core->range.start;
}

void
fuse_ranges_begin_stream (FuseCore *core, FuseStream *stream, gint64 begin, guint32 number)
{
  FuseRange *range = range_of_segment (core, stream, number);

  if (range) {
    range->begin = range->begin == ROBOCACHE_NO_TIME ? begin : MIN (range->begin, begin);
    range->follows_done &= stream->was_done;
    FUSE_LOG (&core->log, DEBUG, stream, "begins the segment of seek %u at running time %" FUSE_TIME_FORMAT, range->number, FUSE_TIME_ARGS (begin));
  }
  /* another one follows one of a seek before the last one */
  if (core->next_ranges->len == 0 || range == next_range (core, core->next_ranges->len - 1))
    stream->awaited_segment = 0;
}

void
fuse_ranges_forget_void (FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    if (((const FuseStream *) g_ptr_array_index (core->streams, i))->awaited_segment != 0)
      return;
  }
  for (guint i = core->next_ranges->len; i > 0; i--) {
    if (next_range (core, i - 1)->begin == ROBOCACHE_NO_TIME)
      g_array_remove_index (core->next_ranges, i - 1);
  }
}

/* ---- ticks ---- */

/* The number of ranges after the current one that have begun at tick. */
static guint
n_begun (const FuseCore *core, gint64 tick)
{
  guint n = core->next_ranges->len;

  while (n > 0 && (next_range (core, n - 1)->begin == ROBOCACHE_NO_TIME || next_range (core, n - 1)->begin > tick))
    n--;
  return n;
}

static const FuseRange *
range_at (const FuseCore *core, gint64 tick)
{
  const guint n = n_begun (core, tick);

  return n > 0 ? next_range (core, n - 1) : &core->range;
}

FuseTickPlace
fuse_ranges_place (const FuseCore *core, gint64 tick)
{
  const FuseRange *range = range_at (core, tick);

  if (range->length == ROBOCACHE_NO_TIME || tick < rc_add_saturating (range->begin, range->length))
    return FUSE_TICK_IN_RANGE;
  return n_begun (core, tick) < core->next_ranges->len ? FUSE_TICK_BEFORE_RANGE : FUSE_TICK_BEYOND_RANGE;
}

gint64
fuse_ranges_next_begin (const FuseCore *core, gint64 tick)
{
  gint64 begin = ROBOCACHE_NO_TIME;

  for (guint i = n_begun (core, tick); i < core->next_ranges->len; i++) {
    const FuseRange *range = next_range (core, i);

    if (range->begin != ROBOCACHE_NO_TIME)
      begin = begin == ROBOCACHE_NO_TIME ? range->begin : MIN (begin, range->begin);
  }
  return begin;
}

gboolean
fuse_ranges_owe_done (const FuseCore *core, gint64 tick)
{
  const FuseRange *range = range_at (core, tick);

  return range != &core->range && range->follows_done && !core->range_is_done;
}

void
fuse_ranges_enter (FuseCore *core, gint64 tick, FuseDeparture *departure)
{
  const guint n = n_begun (core, tick);

  if (n > 0) {
    core->range = *next_range (core, n - 1);
    core->range_is_done = FALSE;
    core->range_is_new = core->discont = core->window_is_stale = TRUE;
    core->hole.n = 0;
    core->last_gap = ROBOCACHE_NO_TIME;
    forget_first (core, n);
  }
  departure->range_begins = core->range_is_new;
  departure->range = core->range;
  core->range_is_new = FALSE;
}
