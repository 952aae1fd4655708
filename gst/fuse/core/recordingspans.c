/* robocache: checks of recordings in robocachefuse: the times of their first and last rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recordingspans.h"

#include "common/element/errordomain.h"

#define MAX_DISTANCE (24 * 3600 * ROBOCACHE_SECOND)
#define MAX_MISSING (3600 * ROBOCACHE_SECOND)
#define MAX_HELD (366 * 24 * 3600 * ROBOCACHE_SECOND)

#define WHAT_TO_SET "give all times one origin (start or time-origin of robocacheparse), set offset, or use allow-gaps"

static gboolean
is_on (const FuseCore *core)
{
  return !core->clock.live && !core->settings.allow_gaps;
}

static gint64
distance (gint64 a, gint64 b)
{
  const gint64 difference = rc_subtract_saturating (a, b);

  return difference < 0 ? rc_subtract_saturating (0, difference) : difference;
}

/* The stream whose first row is nearest to t. */
static FuseStream *
nearest_stream (const FuseCore *core, gint64 t)
{
  FuseStream *nearest = NULL;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);
    const gint64 first = fuse_stream_begin (stream);

    if (first != ROBOCACHE_NO_TIME && (nearest == NULL || distance (first, t) < distance (fuse_stream_begin (nearest), t)))
      nearest = stream;
  }
  return nearest;
}

gboolean
fuse_check_first_rows (const FuseCore *core, gint64 tick, GError **error)
{
  for (guint i = 0; is_on (core) && i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i), *other;
    const gint64 first = fuse_stream_begin (stream);

    if (stream->start_is_checked || first == ROBOCACHE_NO_TIME)
      continue;
    stream->start_is_checked = TRUE;
    FUSE_LOG (&core->log, INFO, stream, "its first row is at %" FUSE_TIME_FORMAT ", the tick at %" FUSE_TIME_FORMAT, FUSE_TIME_ARGS (first),
        FUSE_TIME_ARGS (tick));
    other = nearest_stream (core, tick);
    if (other == stream || distance (first, tick) <= MAX_DISTANCE)
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the first row of %s is at %.3f s, and that of %s at %.3f s, more than a "
        "day apart: " WHAT_TO_SET, stream->name, (gdouble) first / 1e9, other->name,
        (gdouble) fuse_stream_begin (other) / 1e9);
    return FALSE;
  }
  return TRUE;
}

gboolean
fuse_check_gap (const FuseCore *core, gint64 tick, gint64 until, gboolean all_are_missing, GError **error)
{
  if (!is_on (core) || until == G_MAXINT64 || rc_subtract_saturating (until, tick) < (all_are_missing ? MAX_MISSING : MAX_HELD))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "no stream has a row between %.3f s and %.3f s: " WHAT_TO_SET,
      (gdouble) tick / 1e9, (gdouble) until / 1e9);
  return FALSE;
}

/* ---- streams that have no time in common ---- */

static void
collect_warning (const FuseStream *ended, const FuseStream *later, GQueue *notes)
{
  fuse_note_add (notes, FUSE_NOTE_FORMAT, NULL, g_strdup_printf ("%s ends at %.3f s, before %s begins at %.3f s, so no tick has rows of both: "
          WHAT_TO_SET, ended->name, (gdouble) fuse_stream_newest_row (ended) / 1e9, later->name,
          (gdouble) fuse_stream_first_time (later) / 1e9));
}

/* A stream that begins after t; NULL: no such stream. */
static FuseStream *
find_later (const FuseCore *core, gint64 t)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (fuse_stream_first_time (stream) != ROBOCACHE_NO_TIME && fuse_stream_first_time (stream) > t)
      return stream;
  }
  return NULL;
}

void
fuse_collect_separate_streams (const FuseCore *core, gint64 tick, GQueue *notes)
{
  for (guint i = 0; is_on (core) && i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);
    const gint64 end = fuse_stream_newest_row (stream);
    const FuseStream *later;

    if (stream->end_is_checked || !fuse_stream_is_over (stream) || end == ROBOCACHE_NO_TIME || end >= tick)
      continue;
    stream->end_is_checked = TRUE;
    later = find_later (core, end);
    if (later)
      collect_warning (stream, later, notes);
  }
}
