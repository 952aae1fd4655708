/* robocache: how long the ticks of robocachefuse wait for rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ticklatency.h"

#include "common/element/errordomain.h"
#include "state.h"

/* Frames in addition to those that wait for their tick: the two around the tick, and two in transit. */
#define CAMERA_FRAMES_AROUND 4
#define MAX_CAMERA_FRAMES 64
#define USUAL_FRAME_PERIOD (ROBOCACHE_SECOND / 30)
/* A greater negative offset is one between clocks, not a delay. */
#define MAX_DELAY ROBOCACHE_CLOCK_JUMP_BOUND

gint64
fuse_deadline (gint64 tick, gint64 latency)
{
  return rc_add_saturating (MAX (tick, 0), latency);
}

gint64
fuse_earliest_in_time (gint64 now, gint64 latency)
{
  return rc_subtract_saturating (now, latency);
}

/* Latency of a stream (ns): the rows that its interpolation waits for, the reorder window, and a negative offset of up to 10 s. A greater
 * offset is one between clocks. */
static gint64
latency_of_stream (const FuseStream *stream, gint64 tick_period)
{
  const FuseStreamSettings *settings = &stream->settings;
  const RcSearch *search = fuse_stream_search (stream, fuse_stream_newest_epoch (stream));
  gint64 latency = robocache_interpolation_latency (search, fuse_stream_period (stream), tick_period);

  latency = rc_add_saturating (latency, settings->reorder_window);
  return settings->offset < 0 && settings->offset >= -MAX_DELAY ? rc_subtract_saturating (latency, settings->offset) : latency;
}

/* Frames of a live camera that may be held while a tick waits for latency ns: those that arrive meanwhile, and those that a tick
 * averages. */
static guint
max_frames_of (const FuseStreamSettings *settings, gboolean on_device, gint64 row_period, gint64 tick_period, gint64 latency)
{
  const gint64 period = row_period > 0 ? row_period : USUAL_FRAME_PERIOD;
  gint64 span = latency;

  if (settings->search.interpolation == RC_MEAN)        /* frames on the GPU are kept until the next tick */
    span = rc_add_saturating (span, on_device ? rc_add_saturating (tick_period, tick_period) : tick_period);
  return (guint) MIN (span / period + CAMERA_FRAMES_AROUND, MAX_CAMERA_FRAMES);
}

/* ---- sources ---- */

/* Answers of all live sources. */
typedef struct
{
  gboolean live;                /* any source is live */
  gint64 min, max;              /* max G_MAXINT64: unlimited */
  const FuseStream *demanding;  /* its source needs the most latency */
  const FuseStream *short_of_buffers;   /* its source can hold back the least */
} Sources;

static void
add_source (Sources *sources, const FuseStream *stream)
{
  const gint64 max = stream->source.max == ROBOCACHE_NO_TIME ? G_MAXINT64 : stream->source.max;

  sources->live = TRUE;
  if (stream->source.min >= sources->min) {
    sources->min = stream->source.min;
    sources->demanding = stream;
  }
  if (max < sources->max) {
    sources->max = max;
    sources->short_of_buffers = stream;
  }
}

static Sources
sources_of (const FuseCore *core)
{
  Sources sources = {.max = G_MAXINT64 };

  for (guint i = 0; i < core->streams->len; i++) {
    const FuseStream *stream = fuse_core_stream (core, i);

    if (stream->source.live)
      add_source (&sources, stream);
  }
  return sources;
}

gboolean
fuse_core_check_sources (const FuseCore *core, GError **error)
{
  const Sources sources = sources_of (core);

  if (sources.min <= sources.max)
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "latencies of live sources contradict each other: the source of %1$s can "
      "hold at most %2$.9f s of data, but the source of %3$s has a latency of %4$.9f s: put a queue after the source of %1$s, or, if it is an "
      "appsrc, set its max-latency=-1", sources.short_of_buffers->name, FUSE_SECONDS (sources.max), sources.demanding->name, FUSE_SECONDS (sources.min));
  return FALSE;
}

/* ---- the latency ---- */

static void
note_total (FuseCore *core)
{
  const gint64 total = core->total == ROBOCACHE_NO_TIME ? -1 : core->total;

  if (total != core->journal_latency)
    fuse_journal_add (&core->journal, FUSE_JOURNAL_LATENCY, -1, (guint64) total, ROBOCACHE_NO_TIME);
  core->journal_latency = total;
}

static void
set_total (FuseCore *core, gint64 total)
{
  const gboolean live = total != ROBOCACHE_NO_TIME;

  core->total = total;
  note_total (core);
  if (live != core->clock.live) {
    FUSE_LOG (&core->log, INFO, NULL, "%s", live ? "live: ticks have deadlines" : "not live: ticks wait for all streams");
    core->clock.live = live;
    core->may_continue = TRUE;
  }
  fuse_core_wake (core);
}

/* Contradictory sources make the core not live. */
void
fuse_core_update_sources (FuseCore *core)
{
  const Sources sources = sources_of (core);
  const gboolean live = core->settings.force_live || (sources.live && sources.min <= sources.max);

  if (core->total_is_given)
    return;
  set_total (core, live ? rc_add_saturating (MAX (sources.min, (gint64) core->settings.min_upstream_latency), core->own) : ROBOCACHE_NO_TIME);
}

/* Declared streams without data do not count. Notes what each stream needs. */
static gint64
needed_latency (FuseCore *core)
{
  const gint64 tick_period = fuse_tick_clock_period (&core->clock);
  gint64 needed = 0;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    stream->needed = stream->is_declared ? 0 : latency_of_stream (stream, tick_period);
    needed = MAX (needed, stream->needed);
  }
  return needed;
}

/* Whether a stream moves the latency by an eighth. The others are asked only where it was the one that needed the most: with thousands of
 * streams, each of them at each row takes long. */
static gboolean
moves_latency (FuseCore *core, FuseStream *stream)
{
  const gint64 tolerance = core->needed / 8;
  const gint64 needed = stream->is_declared ? 0 : latency_of_stream (stream, core->period);

  if (needed >= core->needed - tolerance)
    return needed > core->needed + tolerance;
  return stream->needed >= core->needed - tolerance && core->needed - needed_latency (core) > tolerance;
}

static void
log_latency (const FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    FUSE_LOG (&core->log, INFO, stream, "ticks wait up to %" G_GINT64_FORMAT " ns for its rows, which are %" G_GINT64_FORMAT
        " ns apart; latency of its source: %" G_GINT64_FORMAT " ns", stream->needed, fuse_stream_period (stream), stream->source.min);
  }
  FUSE_LOG (&core->log, INFO, NULL, "ticks wait up to %" G_GINT64_FORMAT " ns: %" G_GINT64_FORMAT " for rows, latency=%" G_GUINT64_FORMAT
      ", the rest for live sources", core->total == ROBOCACHE_NO_TIME ? core->own : core->total, core->needed, core->settings.latency);
}

/* Limits the frames that live cameras keep. */
static void
update_frames (FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    stream->max_frames = max_frames_of (&stream->settings, stream->format && stream->format->on_device, fuse_stream_period (stream),
        core->period, MAX (core->total, 0));
  }
}

gboolean
fuse_core_update_latency (FuseCore *core)
{
  gboolean changed;
  gint64 own;

  core->needed = needed_latency (core);
  own = rc_add_saturating (core->needed, (gint64) core->settings.latency);
  changed = core->own != own;
  core->own = own;
  core->period = fuse_tick_clock_period (&core->clock);
  fuse_core_update_sources (core);
  if (changed)
    log_latency (core);
  changed |= core->reported != ROBOCACHE_NO_TIME && core->reported != core->total;
  core->reported = core->total;
  update_frames (core);
  return changed;
}

gint64
fuse_core_report_latency (FuseCore *core, gboolean *live)
{
  core->reported = core->total;
  if (live)
    *live = core->clock.live;
  return core->clock.live ? core->total : core->own;
}

void
fuse_core_set_latency (FuseCore *core, gint64 total)
{
  FUSE_LOG (&core->log, INFO, NULL, "ticks wait up to %" G_GINT64_FORMAT " ns, as the owner asks for", total);
  core->total_is_given = TRUE;
  set_total (core, total);
  update_frames (core);
}

gboolean
fuse_latency_is_off (FuseCore *core, FuseStream *stream)
{
  const FuseEpoch *epoch = stream ? fuse_stream_epoch (stream) : NULL;

  if (fuse_tick_clock_period (&core->clock) != core->period)
    return TRUE;
  if (epoch == NULL || epoch->format->rate_num > 0 || epoch->history.n_spacings == stream->spacings_seen
      || (epoch->history.n_spacings > 4 && epoch->history.n_spacings % ROBOCACHE_N_SPACINGS != 0))
    return FALSE;
  stream->spacings_seen = epoch->history.n_spacings;
  return moves_latency (core, stream);
}
