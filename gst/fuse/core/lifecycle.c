/* robocache: the life of robocachefuse's core: starts, settings, streams added and removed, the reference
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "core.h"

#include <string.h>

#include "common/element/errordomain.h"
#include "commonclock.h"
#include "control.h"
#include "seekranges.h"
#include "state.h"
#include "status.h"

/* Without a seek. */
static const FuseRange whole = {.length = ROBOCACHE_NO_TIME };

/* ---- life ---- */

FuseCore *
fuse_core_new (GPtrArray *released, const FuseLog *log)
{
  FuseCore *core = g_new0 (FuseCore, 1);

  core->released = g_ptr_array_ref (released);
  core->log = *log;
  core->streams = g_ptr_array_new ();
  core->composed = g_ptr_array_new ();
  core->next_composed = g_ptr_array_new ();
  core->keys = g_array_new (FALSE, FALSE, sizeof (FuseComposed));
  core->next_keys = g_array_new (FALSE, FALSE, sizeof (FuseComposed));
  core->origins = fuse_origins_new ();
  fuse_tick_clock_init (&core->clock, core->streams);
  fuse_journal_init (&core->journal);
  core->next_ranges = g_array_new (FALSE, FALSE, sizeof (FuseRange));
  fuse_core_set_range (core, &whole);
  core->total = core->deadline = core->now = ROBOCACHE_NO_TIME;
  fuse_core_reset_ticks (core);
  return core;
}

void
fuse_core_free (FuseCore *core)
{
  fuse_journal_clear (&core->journal);
  fuse_origins_free (core->origins);
  g_ptr_array_unref (core->streams);
  g_ptr_array_unref (core->composed);
  g_ptr_array_unref (core->next_composed);
  g_array_unref (core->keys);
  g_array_unref (core->next_keys);
  g_array_unref (core->next_ranges);
  g_ptr_array_unref (core->released);
  g_free (core->settings.reference);
  g_free (core);
}

/* The settings that may change while the core runs, except for the rate. */
static void
copy_settings (FuseCore *core, const FuseSettings *settings)
{
  core->settings.latency = MIN (settings->latency, G_MAXINT64);
  core->settings.min_upstream_latency = MIN (settings->min_upstream_latency, G_MAXINT64);
  core->settings.reports_losses = settings->reports_losses;
  core->settings.loss_interval = MIN (settings->loss_interval, G_MAXINT64);
}

static void
start_settings (FuseCore *core, const FuseSettings *settings)
{
  g_free (core->settings.reference);
  core->settings = *settings;
  core->settings.reference = g_strdup (settings->reference);
  copy_settings (core, settings);
  core->clock.grid = settings->rate;
  core->clock.reference = NULL;
  core->clock.live = core->clock.starts_without_rows = settings->force_live;
}

static void
reset_streams (FuseCore *core)
{
  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    fuse_stream_reset (stream);
    fuse_stream_apply_timestamps (stream);
  }
}

void
fuse_core_start (FuseCore *core, const FuseSettings *settings)
{
  start_settings (core, settings);
  FUSE_LOG (&core->log, INFO, NULL, "starts: rate %d/%d Hz, reference %s, window %u, latency %" G_GUINT64_FORMAT " ns%s", settings->rate.num,
      settings->rate.den, settings->reference ? settings->reference : "unset", settings->output.window, settings->latency,
      settings->force_live ? ", live without live sources" : "");
  core->is_started = TRUE;
  core->reference_lost = core->has_failed = core->is_accepted = core->is_playing = core->total_is_given = FALSE;
  core->n_expected = 0;
  core->reported = core->total = ROBOCACHE_NO_TIME;
  fuse_core_reset_ticks (core);
  core->window_is_stale = FALSE;
  fuse_journal_reset (&core->journal);
  core->journal_latency = G_MININT64;
  fuse_core_set_range (core, &whole);
  memset (&core->ticks, 0, sizeof (core->ticks));
  memset (&core->removed, 0, sizeof (core->removed));
  reset_streams (core);
  fuse_tick_clock_sync_period (&core->clock);
}

void
fuse_core_stop (FuseCore *core)
{
  core->is_started = FALSE;
  fuse_journal_reset (&core->journal);
}

/* Ticks continue at another rate; without a rate before or now, the change takes effect at the next start. */
static void
change_rate (FuseCore *core, RobocacheTickGrid rate)
{
  if (!core->is_started || rate.num <= 0 || core->clock.grid.num <= 0 || (rate.num == core->clock.grid.num && rate.den == core->clock.grid.den))
    return;
  FUSE_LOG (&core->log, INFO, NULL, "ticks continue at %d/%d Hz", rate.num, rate.den);
  fuse_tick_clock_set_grid (&core->clock, rate);
  fuse_journal_add (&core->journal, FUSE_JOURNAL_RATE, -1, 0, ROBOCACHE_NO_TIME);
  fuse_tick_clock_sync_period (&core->clock);
  core->discont = TRUE;
  core->awaited = ROBOCACHE_NO_TIME;
}

void
fuse_core_set_settings (FuseCore *core, const FuseSettings *settings)
{
  copy_settings (core, settings);
  change_rate (core, settings->rate);
  fuse_core_wake (core);
}

const FuseSettings *
fuse_core_settings (const FuseCore *core)
{
  return &core->settings;
}

void
fuse_core_set_failed (FuseCore *core, gboolean has_failed)
{
  core->has_failed = has_failed;
}

gboolean
fuse_core_has_failed (const FuseCore *core)
{
  return core->has_failed;
}

void
fuse_core_reset_ticks (FuseCore *core)
{
  fuse_tick_clock_reset (&core->clock);
  fuse_journal_add (&core->journal, FUSE_JOURNAL_ENDED, -1, 0, ROBOCACHE_NO_TIME);
  core->has_sent = core->segment_done = core->range_is_done = core->range_is_new = FALSE;
  core->range.begin = 0;
  g_array_set_size (core->next_ranges, 0);
  core->discont = core->window_is_stale = TRUE;
  core->hole.n = core->hole.n_since = core->lost_ticks = 0;
  core->last_gap = core->last_report = core->awaited = core->common_origin = core->seen.running_time = ROBOCACHE_NO_TIME;
  for (guint i = 0; i < core->streams->len; i++)
    fuse_core_stream (core, i)->start_is_checked = fuse_core_stream (core, i)->end_is_checked = FALSE;
}

/* ---- streams come and go ---- */

void
fuse_core_add_stream (FuseCore *core, FuseStream *stream)
{
  guint i = core->streams->len;

  stream->log = &core->log;
  stream->times.origins = core->origins;
  stream->released = g_ptr_array_ref (core->released);
  while (i > 0 && stream->order < fuse_core_stream (core, i - 1)->order)
    i--;
  g_ptr_array_insert (core->streams, (gint) i, stream);
  FUSE_LOG (&core->log, DEBUG, NULL, "%s is added, as stream %u of %u", stream->name, i, core->streams->len);
  fuse_tick_clock_sync_period (&core->clock);
  fuse_core_wake (core);
}

/* Its rows are counted among those of streams that were removed. */
static void
close_stream (FuseCore *core, FuseStream *stream)
{
  fuse_stream_discard (stream, ROBOCACHE_DROPPED_REMOVED);
  fuse_stream_add_statistics (stream, &core->removed);
  fuse_timestamps_reset (&stream->times);       /* its use of a shared origin ends */
  FUSE_LOG (&core->log, DEBUG, stream, "is removed: samples have no tensor of it from the next tick on");
  stream->is_removed = TRUE;
  g_ptr_array_remove (core->streams, stream);
  fuse_ranges_forget_void (core);
  core->is_accepted &= !g_ptr_array_remove (core->composed, stream);
  core->next_is_void |= g_ptr_array_remove (core->next_composed, stream);
}

static void
lose_reference (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  core->clock.reference = NULL;
  core->reference_lost = TRUE;
  fuse_note_add (notes, FUSE_NOTE_REFERENCE_LOST, NULL, g_strdup_printf ("the reference pad %s was released: ticks stop until %s",
          stream->name, stream->is_camera ? "this or another camera pad receives a frame" : "it is requested again"));
}

void
fuse_core_remove_stream (FuseCore *core, FuseStream *stream, GQueue *notes)
{
  if (core->clock.reference == stream)
    lose_reference (core, stream, notes);
  close_stream (core, stream);
  if (!fuse_core_has_epochs (core)) {     /* ticks restart with the next row */
    core->clock.ticking = FALSE;
    core->clock.earliest_start = ROBOCACHE_NO_TIME;
    core->discont = TRUE;
  }
  fuse_tick_clock_leave (&core->clock);
  fuse_core_share_origin (core);
  core->may_continue = TRUE;
  fuse_core_wake (core);
}

/* ---- streams that the first tick waits for ---- */

void
fuse_core_expect_streams (FuseCore *core, guint n)
{
  if (n != core->n_expected)
    FUSE_LOG (&core->log, DEBUG, NULL, "%u more streams are expected%s", n, core->clock.ticking ? "" : ": the first tick of recordings waits for them");
  core->n_expected = n;
  core->may_continue = TRUE;
  fuse_core_wake (core);
}

gboolean
fuse_core_awaits_new_streams (const FuseCore *core)
{
  return core->n_expected > 0 && fuse_core_awaits_streams (core);
}

gboolean
fuse_core_awaits_streams (const FuseCore *core)
{
  gboolean awaits = core->n_expected > 0;

  if (core->clock.live || core->clock.ticking || core->has_failed)
    return FALSE;
  for (guint i = 0; !awaits && i < core->streams->len; i++)
    awaits = fuse_core_stream (core, i)->is_declared && !fuse_core_stream (core, i)->eos;
  return awaits;
}

/* ---- the reference ---- */

static FuseStream *
find_reference (const FuseCore *core)
{
  const gchar *name = core->settings.reference;

  for (guint i = 0; i < core->streams->len; i++) {
    FuseStream *stream = fuse_core_stream (core, i);

    if (name ? g_str_equal (stream->name, name) : stream->is_camera)
      return stream;
  }
  return NULL;
}

/* "camera_0, proprio_0"; free with g_free. */
static gchar *
list_streams (const FuseCore *core)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < core->streams->len; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", fuse_core_stream (core, i)->name);
  return g_string_free (names, FALSE);
}

static void
fail_without_reference (const FuseCore *core, GError **error)
{
  gchar *names = list_streams (core);

  if (core->settings.reference)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY, "reference-pad=%s: expected one of the sink pads (%s)",
        core->settings.reference, names);
  else
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "no tick source: set rate (like rate=50/1) or reference-pad, "
        "or link a camera pad");
  g_free (names);
}

/* Chooses the stream whose rows are the ticks, if there is no rate. */
gboolean
fuse_core_choose_reference (FuseCore *core, GError **error)
{
  FuseTickClock *clock = &core->clock;
  FuseStream *stream;

  if (clock->reference || clock->grid.num > 0 || fuse_core_awaits_streams (core))
    return TRUE;
  stream = find_reference (core);
  if (stream) {
    FUSE_LOG (&core->log, INFO, stream, "ticks are the rows of this pad: %s", core->settings.reference ? "reference-pad names it"
        : "no rate is set, and it is the first camera");
    fuse_tick_clock_set_reference (clock, stream);
    fuse_tick_clock_sync_period (clock);
    return TRUE;
  }
  if (!core->reference_lost)
    fail_without_reference (core, error);
  return core->reference_lost;
}

/* ---- questions ---- */

gboolean
fuse_core_is_live (const FuseCore *core)
{
  return core->clock.live;
}

gboolean
fuse_core_is_playing (const FuseCore *core)
{
  return core->is_playing;
}

gint64
fuse_core_now (const FuseCore *core)
{
  return core->now;
}

gboolean
fuse_core_is_composing (const FuseCore *core)
{
  return core->is_composing;
}

const FuseTickStatistics *
fuse_core_tick_statistics (const FuseCore *core)
{
  return &core->ticks;
}

void
fuse_core_add_removed_statistics (const FuseCore *core, FuseStatistics *sum)
{
  fuse_statistics_add (sum, &core->removed);
}

void
fuse_core_add_statistics (const FuseCore *core, FuseStatistics *sum)
{
  fuse_core_add_removed_statistics (core, sum);
  for (guint i = 0; i < core->streams->len; i++)
    fuse_stream_add_statistics (fuse_core_stream (core, i), sum);
}
