/* robocache: checks of recordings in robocachefuse: the times of their first and last rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "spans.h"

#include "common/element/errors.h"
#include "gst/fuse/stream/debug.h"

#define MAX_DISTANCE (24 * 3600 * (gint64) GST_SECOND)
#define MAX_MISSING (3600 * (gint64) GST_SECOND)
#define MAX_HELD (366 * 24 * 3600 * (gint64) GST_SECOND)

#define WHAT_TO_SET "give all times one origin (start or time-origin of robocacheparse), set offset, or use allow-gaps"

static gboolean
is_on (const GstRobocacheFuse *fuse)
{
  return !fuse->clock.live && !fuse->started_allow_gaps;
}

static gint64
distance (gint64 a, gint64 b)
{
  const gint64 difference = rc_subtract_saturating (a, b);

  return difference < 0 ? rc_subtract_saturating (0, difference) : difference;
}

/* The pad whose first row is nearest to t. */
static GstRobocacheFusePad *
nearest_pad (GstRobocacheFuse *fuse, gint64 t)
{
  GstRobocacheFusePad *nearest = NULL;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);
    const gint64 first = fuse_stream_first_time (&pad->stream);

    if (first != ROBOCACHE_NO_TIME && (nearest == NULL || distance (first, t) < distance (fuse_stream_first_time (&nearest->stream), t)))
      nearest = pad;
  }
  return nearest;
}

gboolean
gst_robocache_fuse_check_first_rows (GstRobocacheFuse *fuse, gint64 tick, GError **error)
{
  for (guint i = 0; is_on (fuse) && i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i), *other;
    const gint64 first = fuse_stream_first_time (&pad->stream);

    if (pad->start_is_checked || first == ROBOCACHE_NO_TIME)
      continue;
    pad->start_is_checked = TRUE;
    other = nearest_pad (fuse, tick);
    if (other == pad || distance (first, tick) <= MAX_DISTANCE)
      continue;
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "the first row of %s is at %.3f s, and that of %s at %.3f s, more than a "
        "day apart: " WHAT_TO_SET, GST_OBJECT_NAME (pad), (gdouble) first / 1e9, GST_OBJECT_NAME (other),
        (gdouble) fuse_stream_first_time (&other->stream) / 1e9);
    return FALSE;
  }
  return TRUE;
}

gboolean
gst_robocache_fuse_check_gap (GstRobocacheFuse *fuse, gint64 tick, gint64 until, gboolean all_are_missing, GError **error)
{
  if (!is_on (fuse) || until == G_MAXINT64 || rc_subtract_saturating (until, tick) < (all_are_missing ? MAX_MISSING : MAX_HELD))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "no stream has a row between %.3f s and %.3f s: " WHAT_TO_SET,
      (gdouble) tick / 1e9, (gdouble) until / 1e9);
  return FALSE;
}

/* ---- streams that have no time in common ---- */

static void
collect_warning (GstRobocacheFuse *fuse, const GstRobocacheFusePad *ended, const GstRobocacheFusePad *later, GQueue *messages)
{
  GError *warning = g_error_new (GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "%s ends at %.3f s, before %s begins at %.3f s, so no tick has "
      "rows of both: " WHAT_TO_SET, GST_OBJECT_NAME (ended), (gdouble) fuse_stream_newest_row (&ended->stream) / 1e9,
      GST_OBJECT_NAME (later), (gdouble) fuse_stream_first_time (&later->stream) / 1e9);

  GST_WARNING_OBJECT (fuse, "%s", warning->message);
  g_queue_push_tail (messages, gst_message_new_warning (GST_OBJECT (fuse), warning, NULL));
  g_error_free (warning);
}

/* A stream that begins after t; NULL: there is none. */
static GstRobocacheFusePad *
find_later (GstRobocacheFuse *fuse, gint64 t)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    if (fuse_stream_first_time (&pad->stream) != ROBOCACHE_NO_TIME && fuse_stream_first_time (&pad->stream) > t)
      return pad;
  }
  return NULL;
}

void
gst_robocache_fuse_collect_separate_streams (GstRobocacheFuse *fuse, gint64 tick, GQueue *messages)
{
  for (guint i = 0; is_on (fuse) && i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);
    const gint64 end = fuse_stream_newest_row (&pad->stream);
    const GstRobocacheFusePad *later;

    if (pad->end_is_checked || !fuse_stream_is_over (&pad->stream) || end == ROBOCACHE_NO_TIME || end >= tick)
      continue;
    pad->end_is_checked = TRUE;
    later = find_later (fuse, end);
    if (later)
      collect_warning (fuse, pad, later, messages);
  }
}
