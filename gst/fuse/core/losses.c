/* robocache: reports of robocachefuse about lost rows, lost ticks and sensors' clocks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

#include "status.h"

/* ---- rows ---- */

/* Intervals are in running time; not live, in the times of rows. */
static gint64
report_time (const FuseCore *core, const FuseStream *stream)
{
  return core->now != ROBOCACHE_NO_TIME ? core->now : fuse_stream_last_time (stream);
}

gboolean
fuse_core_losses_are_due (const FuseCore *core, const FuseStream *stream)
{
  return core->settings.reports_losses
      && robocache_losses_are_due (&stream->losses, report_time (core, stream), (gint64) core->settings.loss_interval);
}

static gboolean
take_loss (const FuseCore *core, FuseStream *stream, gboolean all, RobocacheLoss *loss)
{
  if (all || !core->settings.reports_losses)
    return robocache_losses_flush (&stream->losses, loss);      /* losses that are not reported now never are */
  return robocache_losses_take (&stream->losses, report_time (core, stream), (gint64) core->settings.loss_interval, loss);
}

static void
collect_losses (FuseCore *core, FuseStream *stream, gboolean all, GQueue *notes)
{
  FuseStatistics *statistics;
  RobocacheLoss loss;
  FuseNote *note;

  if (stream->losses.pending.n == 0 || !take_loss (core, stream, all, &loss) || !core->settings.reports_losses)
    return;
  statistics = g_new0 (FuseStatistics, 1);
  fuse_stream_add_statistics (stream, statistics);
  FUSE_LOG (&core->log, DEBUG, stream, "%" G_GUINT64_FORMAT " rows were lost, the first at %" FUSE_TIME_FORMAT ", %" G_GINT64_FORMAT " ns late",
      loss.n, FUSE_TIME_ARGS (loss.time), loss.lateness);
  note = fuse_note_add (notes, FUSE_NOTE_LOST_ROWS, stream, NULL);
  note->loss = loss;
  note->rows = statistics->rows;
  g_free (statistics);
}

static void
collect_clock_event (FuseStream *stream, GQueue *notes)
{
  const RobocacheClockEvent event = stream->times.track ? robocache_clock_track_take_event (stream->times.track) : ROBOCACHE_CLOCK_NO_EVENT;
  FuseNote *note;

  if (event == ROBOCACHE_CLOCK_NO_EVENT)
    return;
  note = fuse_note_add (notes, FUSE_NOTE_CLOCK, stream, NULL);
  note->clock_event = event;
  robocache_clock_track_get (stream->times.track, &note->clock);
}

/* ---- ticks ---- */

static void
report_ticks (FuseCore *core, gint64 duration, gint64 lag, GQueue *notes)
{
  FuseNote *note = fuse_note_add (notes, FUSE_NOTE_LOST_TICKS, NULL, NULL);

  note->loss = (RobocacheLoss) { core->lost_ticks, core->first_lost, lag };
  note->duration = duration;
  note->ticks_out = core->ticks.n_out;
  note->ticks_dropped = core->ticks.n_dropped;
  core->lost_ticks = 0;
}

void
fuse_lose_ticks (FuseCore *core, const FuseTick *tick, guint64 n, GQueue *notes)
{
  core->ticks.n_dropped += n;
  if (!core->settings.reports_losses)
    return;
  if (core->lost_ticks == 0)
    core->first_lost = tick->time;
  core->lost_ticks += n;
  if (core->last_report != ROBOCACHE_NO_TIME && rc_add_saturating (tick->time, -core->last_report) < (gint64) core->settings.loss_interval)
    return;
  core->last_report = tick->time;
  report_ticks (core, tick->duration, core->now == ROBOCACHE_NO_TIME ? 0 : rc_subtract_saturating (core->now, tick->time), notes);
}

void
fuse_core_collect_notes (FuseCore *core, gboolean all, GQueue *notes)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    collect_losses (core, stream, all, notes);
    collect_clock_event (stream, notes);
  }
  if (core->settings.reports_losses && all && core->lost_ticks > 0)
    report_ticks (core, ROBOCACHE_NO_TIME, 0, notes);
}
