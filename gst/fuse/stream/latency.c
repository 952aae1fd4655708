/* robocache: the time that a tick of robocachefuse may wait, as pure functions
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "latency.h"

/* Frames beside those that wait for their tick: the two around it, and two on their way. */
#define CAMERA_FRAMES_AROUND 4
#define MAX_CAMERA_FRAMES 64
#define USUAL_FRAME_PERIOD (GST_SECOND / 30)
/* A row that an offset makes older by more has another clock, and did not wait so long. */
#define MAX_DELAY ROBOCACHE_CLOCK_JUMP_BOUND

GstClockTime
fuse_deadline (gint64 tick, GstClockTime latency)
{
  return (GstClockTime) rc_add_saturating (MAX (tick, 0), (gint64) MIN (latency, G_MAXINT64));
}

gint64
fuse_earliest_in_time (GstClockTime now, GstClockTime latency)
{
  return rc_subtract_saturating ((gint64) now, (gint64) MIN (latency, G_MAXINT64));
}

gint64
fuse_latency_of_stream (const FuseStreamSettings *settings, gint64 row_period, gint64 tick_period)
{
  gint64 latency = robocache_interpolation_latency (settings->search.interpolation, row_period, tick_period);

  latency = rc_add_saturating (latency, settings->reorder_window);
  return settings->offset < 0 && settings->offset >= -MAX_DELAY ? rc_subtract_saturating (latency, settings->offset) : latency;
}

guint
fuse_camera_frames (const FuseStreamSettings *settings, gboolean on_device, gint64 row_period, gint64 tick_period,
    GstClockTime latency)
{
  const GstClockTime period = row_period > 0 ? (GstClockTime) row_period : USUAL_FRAME_PERIOD;
  GstClockTime span = latency;

  if (settings->search.interpolation == RC_MEAN)        /* frames on the GPU are kept until the next tick */
    span += (on_device ? 2 : 1) * (GstClockTime) tick_period;
  return (guint) MIN (span / period + CAMERA_FRAMES_AROUND, MAX_CAMERA_FRAMES);
}

void
fuse_sources_init (FuseSources *sources)
{
  *sources = (FuseSources) {.max = GST_CLOCK_TIME_NONE };
}

void
fuse_sources_add (FuseSources *sources, GstPad *pad, gboolean live, GstClockTime min, GstClockTime max)
{
  if (!live)
    return;
  sources->live = TRUE;
  if (min >= sources->min) {
    sources->min = min;
    sources->demanding = pad;
  }
  if (max < sources->max) {
    sources->max = max;
    sources->short_of_buffers = pad;
  }
}

gboolean
fuse_sources_agree (const FuseSources *sources)
{
  return sources->min <= sources->max;
}
