/* robocache: streams of robocachefuse whose sources announce the origins of their times, on one clock
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "commonclock.h"

#include "common/time/originevent.h"
#include "gst/fuse/stream/debug.h"

static gboolean
is_shifted (const GstRobocacheFusePad *pad)
{
  return pad->stream.origin_is_first_row && !pad->live;
}

/* Of the streams that are shifted; NULL: there is none. */
static GstRobocacheFusePad *
earliest_pad (GstRobocacheFuse *fuse)
{
  GstRobocacheFusePad *earliest = NULL;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (is_shifted (pad) && (earliest == NULL || pad->stream.origin < earliest->stream.origin))
      earliest = pad;
  }
  return earliest;
}

void
gst_robocache_fuse_share_origin (GstRobocacheFuse *fuse)
{
  const GstRobocacheFusePad *earliest = earliest_pad (fuse);
  gboolean changed = FALSE;

  if (earliest == NULL)
    return;
  if (!fuse->clock.ticking || fuse->common_origin == ROBOCACHE_NO_TIME)
    fuse->common_origin = earliest->stream.origin;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);
    const gint64 shift = is_shifted (pad) ? rc_subtract_saturating (pad->stream.origin, fuse->common_origin) : 0;

    changed |= shift != pad->stream.origin_shift;
    pad->stream.origin_shift = shift;
  }
  if (!changed)
    return;
  fuse->n_moves++;
  fuse->awaited = ROBOCACHE_NO_TIME;
  g_cond_broadcast (&fuse->progress);
  gst_robocache_fuse_wake (fuse);
}

/* ---- what cannot be followed ---- */

/* Another pad whose origin differs, where one of both is not shifted; NULL: there is none. */
static GstRobocacheFusePad *
find_contradiction (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *other = gst_robocache_fuse_nth_pad (fuse, i);
    const FuseStream *a = &pad->stream, *b = &other->stream;

    if (other != pad && b->has_origin && a->origin != b->origin && (a->origin_is_first_row || b->origin_is_first_row)
        && !(is_shifted (pad) && is_shifted (other)))
      return other;
  }
  return NULL;
}

static gchar *
describe_contradiction (const GstRobocacheFusePad *pad, const GstRobocacheFusePad *other)
{
  const FuseStream *a = &pad->stream, *b = &other->stream;
  const gboolean a_is_earlier = a->origin < b->origin;

  return g_strdup_printf ("running time 0 of %s is %.3f s after that of %s, and the streams are not shifted, since %s: set time-origin=%"
      G_GINT64_FORMAT " on the robocacheparse of both, or start=own where their clocks have nothing in common", a_is_earlier
      ? GST_OBJECT_NAME (other) : GST_OBJECT_NAME (pad), ABS ((gdouble) a->origin - (gdouble) b->origin) / 1e9, a_is_earlier
      ? GST_OBJECT_NAME (pad) : GST_OBJECT_NAME (other), pad->live || other->live ? "a source is live" : "one origin is set by hand",
      MIN (a->origin, b->origin));
}

static gboolean
has_rows (const FuseStream *stream)
{
  return fuse_stream_last_time (stream) != ROBOCACHE_NO_TIME;
}

/* What to warn of; NULL: nothing. Called with the lock. */
static gchar *
take_origin (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, gint64 origin, gboolean is_first_row)
{
  FuseStream *stream = &pad->stream;
  const GstRobocacheFusePad *other;

  if (stream->has_origin && stream->origin == origin && stream->origin_is_first_row == is_first_row)
    return NULL;
  if (has_rows (stream))
    return g_strdup_printf ("%s: the origin of times is %" G_GINT64_FORMAT " now, but its rows before have another: they stay where they "
        "are, and so do those that come", GST_OBJECT_NAME (pad), origin);
  stream->has_origin = TRUE;
  stream->origin = origin;
  stream->origin_is_first_row = is_first_row;
  gst_robocache_fuse_share_origin (fuse);
  GST_INFO_OBJECT (pad, "running time 0 is %" G_GINT64_FORMAT " of the source's clock%s: shifted by %" G_GINT64_FORMAT " ns", origin,
      is_first_row ? ", the first row" : "", stream->origin_shift);
  other = find_contradiction (fuse, pad);
  return other ? describe_contradiction (pad, other) : NULL;
}

void
gst_robocache_fuse_note_origin (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *event)
{
  gboolean is_first_row;
  gchar *warning = NULL;
  gint64 origin;

  if (!robocache_origin_event_parse (event, &origin, &is_first_row))
    return;
  FUSE_LOCK (fuse);
  if (!pad->removed)
    warning = take_origin (fuse, pad, origin, is_first_row);
  gst_robocache_fuse_note_taken (fuse, pad, FUSE_JOURNAL_EVENT, 0, GST_CLOCK_TIME_NONE);
  FUSE_UNLOCK (fuse);
  if (warning)
    GST_ELEMENT_WARNING (fuse, STREAM, FORMAT, ("%s", warning), (NULL));
  g_free (warning);
}

/* ---- seeks ---- */

/* A position of the element in a stream that is shifted. */
static gint64
position_of_stream (const FuseStream *stream, gint64 position)
{
  return MAX (rc_subtract_saturating (position, stream->origin_shift), 0);
}

GstEvent *
gst_robocache_fuse_seek_of_pad (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, GstEvent *seek)
{
  GstSeekType start_type, stop_type;
  gint64 start, stop;
  GstSeekFlags flags;
  GstFormat format;
  GstEvent *moved;
  gboolean moves;
  gdouble rate;

  gst_event_parse_seek (seek, &rate, &format, &flags, &start_type, &start, &stop_type, &stop);
  FUSE_LOCK (fuse);
  moves = pad->stream.origin_shift != 0;
  if (start_type == GST_SEEK_TYPE_SET)
    start = position_of_stream (&pad->stream, start);
  if (stop_type == GST_SEEK_TYPE_SET && stop >= 0)
    stop = position_of_stream (&pad->stream, stop);
  FUSE_UNLOCK (fuse);
  if (!moves)
    return gst_event_ref (seek);
  moved = gst_event_new_seek (rate, format, flags, start_type, start, stop_type, stop);
  gst_event_set_seqnum (moved, gst_event_get_seqnum (seek));
  return moved;
}

void
gst_robocache_fuse_note_start_of_segment (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const GstSegment *segment)
{
  FuseStream *stream = &pad->stream;
  const gint64 start = (gint64) MIN (fuse->segment.start, G_MAXINT64);

  stream->sought_by = stream->origin_shift != 0 && (gint64) segment->start == position_of_stream (stream, start)
      ? start - (gint64) segment->start : 0;
}
