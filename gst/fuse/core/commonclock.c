/* robocache: streams of robocachefuse whose sources announce the origins of their times, on one clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "commonclock.h"

static gboolean
is_shifted (const FuseStream *stream)
{
  return stream->origin_is_first_row && !stream->source.live;
}

/* The shifted stream with the earliest origin; NULL: no stream is shifted. */
static FuseStream *
earliest_stream (const FuseCore *core)
{
  FuseStream *earliest = NULL;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (is_shifted (stream) && (earliest == NULL || stream->origin < earliest->origin))
      earliest = stream;
  }
  return earliest;
}

void
fuse_core_share_origin (FuseCore *core)
{
  const FuseStream *earliest = earliest_stream (core);
  gboolean changed = FALSE;

  if (earliest == NULL)
    return;
  if (!core->clock.ticking || core->common_origin == ROBOCACHE_NO_TIME)
    core->common_origin = earliest->origin;
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);
    const gint64 shift = is_shifted (stream) ? rc_subtract_saturating (stream->origin, core->common_origin) : 0;

    changed |= shift != stream->origin_shift;
    stream->origin_shift = shift;
  }
  if (!changed)
    return;
  fuse_tick_clock_leave (&core->clock);
  core->awaited = ROBOCACHE_NO_TIME;
  core->may_continue = TRUE;
  fuse_core_wake (core);
}

/* ---- what cannot be followed ---- */

/* Another stream with a different origin, if one of the two is not shifted; NULL: no such stream. */
static FuseStream *
find_contradiction (const FuseCore *core, const FuseStream *a)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *b = fuse_core_stream (core, i);

    if (a != b && b->has_origin && a->origin != b->origin && (a->origin_is_first_row || b->origin_is_first_row)
        && !(is_shifted (a) && is_shifted (b)))
      return b;
  }
  return NULL;
}

static gchar *
describe_contradiction (const FuseStream *a, const FuseStream *b)
{
  const FuseStream *earlier = a->origin < b->origin ? a : b, *later = earlier == a ? b : a;

  return g_strdup_printf ("running time 0 of %s is %.3f s after that of %s, and the streams are not shifted, because %s: set "
      "time-origin=%"
      G_GINT64_FORMAT " on both robocacheparse elements, or start=own if their clocks are unrelated", later->name,
      (gdouble) later->origin / 1e9 - (gdouble) earlier->origin / 1e9, earlier->name,
      a->source.live || b->source.live ? "a source is live" : "one time-origin is set by hand", earlier->origin);
}

static gboolean
has_rows (const FuseStream *stream)
{
  return fuse_stream_last_time (stream) != ROBOCACHE_NO_TIME;
}

void
fuse_core_set_origin (FuseCore *core, FuseStream *stream, gint64 origin, gboolean is_first_row, GQueue *notes)
{
  const FuseStream *other;

  if (stream->has_origin && stream->origin == origin && stream->origin_is_first_row == is_first_row)
    return;
  if (has_rows (stream)) {
    fuse_note_add (notes, FUSE_NOTE_FORMAT, NULL, g_strdup_printf ("%s: the origin of times changed to %" G_GINT64_FORMAT " after "
        "the first rows: neither earlier nor later rows are shifted", stream->name, origin));
    return;
  }
  stream->has_origin = TRUE;
  stream->origin = origin;
  stream->origin_is_first_row = is_first_row;
  fuse_core_share_origin (core);
  FUSE_LOG (&core->log, INFO, stream, "running time 0 is %" G_GINT64_FORMAT " of the source's clock%s: shifted by %" G_GINT64_FORMAT
      " ns", origin, is_first_row ? ", the first row" : "", stream->origin_shift);
  other = find_contradiction (core, stream);
  if (other)
    fuse_note_add (notes, FUSE_NOTE_FORMAT, NULL, describe_contradiction (stream, other));
}

/* ---- seeks ---- */

void
fuse_note_start_of_segment (FuseStream *stream, gint64 start, gint64 start_of_samples)
{
  stream->sought_by = stream->origin_shift != 0 && start == fuse_stream_position (stream, start_of_samples) ? start_of_samples - start : 0;
}
