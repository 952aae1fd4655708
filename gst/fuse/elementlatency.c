/* robocache: the latency of robocachefuse, from its sources and its streams, and whether it is live
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "elementlatency.h"

#include "gst/fuse/stream/debug.h"
#include "settingsevent.h"

/* Called with the lock. */
static FuseSources
sources_of (GstRobocacheFuse *fuse)
{
  FuseSources sources;

  fuse_sources_init (&sources);
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);

    fuse_sources_add (&sources, GST_PAD (pad), pad->live, pad->source_min, pad->source_max);
  }
  return sources;
}

/* Called with the lock. */
static void
note_total (GstRobocacheFuse *fuse)
{
  const gint64 total = GST_CLOCK_TIME_IS_VALID (fuse->total_latency) ? (gint64) MIN (fuse->total_latency, G_MAXINT64) : -1;

  if (total != fuse->journal_latency)
    fuse_journal_add (&fuse->journal, FUSE_JOURNAL_LATENCY, -1, (guint64) total, GST_CLOCK_TIME_NONE);
  fuse->journal_latency = total;
}

/* Called with the lock. GST_CLOCK_TIME_NONE: not live. */
static void
set_total (GstRobocacheFuse *fuse, GstClockTime total)
{
  const gboolean live = GST_CLOCK_TIME_IS_VALID (total);

  fuse->total_latency = total;
  note_total (fuse);
  if (live != fuse->clock.live) {
    GST_INFO_OBJECT (fuse, "%s", live ? "live: ticks have deadlines" : "not live: ticks wait for every stream");
    fuse->clock.live = live;
    g_cond_broadcast (&fuse->progress);
  }
  gst_robocache_fuse_wake (fuse);
}

static gboolean
ask_source (GstPad *pad, GstClockTime *min, GstClockTime *max)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &live, min, max);
  gst_query_unref (query);
  return live;
}

gboolean
gst_robocache_fuse_has_live_source (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);
  GstClockTime min, max;
  gboolean live = fuse->force_live;

  for (guint i = 0; i < pads->len && !live; i++)
    live = ask_source (g_ptr_array_index (pads, i), &min, &max);
  g_ptr_array_unref (pads);
  return live;
}

/* Called with the lock. Sources that contradict each other leave the element as if not live. */
static void
update_total (GstRobocacheFuse *fuse)
{
  const FuseSources sources = sources_of (fuse);
  const gboolean live = fuse->force_live || (sources.live && fuse_sources_agree (&sources));
  GstClockTime min;

  if (fuse->is_replayed)
    return;
  GST_OBJECT_LOCK (fuse);
  min = MAX (sources.min, fuse->min_upstream_latency);
  GST_OBJECT_UNLOCK (fuse);
  set_total (fuse, live ? (GstClockTime) rc_add_saturating ((gint64) MIN (min, G_MAXINT64), (gint64) fuse->own_latency)
      : GST_CLOCK_TIME_NONE);
}

static void
query_source (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  const gboolean live = ask_source (GST_PAD (pad), &min, &max);
  gboolean changed;

  FUSE_LOCK (fuse);
  changed = !pad->source_known || pad->live != live || pad->source_min != min || pad->source_max != max;
  pad->source_known = TRUE;
  pad->live = live;
  pad->source_min = min;
  pad->source_max = max;
  if (changed)
    gst_robocache_fuse_note_settings (fuse);
  FUSE_UNLOCK (fuse);
}

void
gst_robocache_fuse_query_sources (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GPtrArray *pads;

  if (pad) {
    query_source (fuse, pad);
  } else {
    pads = gst_robocache_fuse_ref_pads (fuse);
    for (guint i = 0; i < pads->len; i++)
      query_source (fuse, g_ptr_array_index (pads, i));
    g_ptr_array_unref (pads);
  }
  FUSE_LOCK (fuse);
  update_total (fuse);
  FUSE_UNLOCK (fuse);
}

gboolean
gst_robocache_fuse_check_sources (GstRobocacheFuse *fuse, GError **error)
{
  FuseSources sources;
  gboolean agree;

  gst_robocache_fuse_query_sources (fuse, NULL);
  FUSE_LOCK (fuse);
  sources = sources_of (fuse);
  agree = fuse_sources_agree (&sources);
  if (!agree)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "live sources with contradictory latencies: the source of %s "
        "buffers at most %" GST_TIME_FORMAT ", but the source of %s needs %" GST_TIME_FORMAT ": put a queue behind the first "
        "one, or set max-latency=-1 if it is an appsrc", GST_OBJECT_NAME (sources.short_of_buffers),
        GST_TIME_ARGS (sources.max), GST_OBJECT_NAME (sources.demanding), GST_TIME_ARGS (sources.min));
  FUSE_UNLOCK (fuse);
  return agree;
}

/* ---- our part ---- */

/* Called with the lock. A declared stream adds nothing before it has data. */
static gint64
needed_latency (GstRobocacheFuse *fuse)
{
  const gint64 tick_period = fuse_tick_clock_period (&fuse->clock);
  gint64 needed = 0;

  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = gst_robocache_fuse_nth_pad (fuse, i);
    const FuseStreamSettings settings = gst_robocache_fuse_pad_get_settings (pad);

    if (!pad->stream.is_declared)
      needed = MAX (needed, fuse_latency_of_stream (&settings, fuse_stream_period (&pad->stream), tick_period));
  }
  return needed;
}

/* Called with the lock. */
static gint64
extra_latency (GstRobocacheFuse *fuse)
{
  GstClockTime extra;

  GST_OBJECT_LOCK (fuse);
  extra = fuse->latency;
  GST_OBJECT_UNLOCK (fuse);
  return (gint64) MIN (extra, G_MAXINT64);
}

/* Frames that live cameras may keep. Called with the lock. */
static void
update_frames (GstRobocacheFuse *fuse)
{
  for (guint i = 0; i < fuse->pads->len; i++) {
    FuseStream *stream = &gst_robocache_fuse_nth_pad (fuse, i)->stream;

    stream->max_frames = fuse_camera_frames (&stream->settings, stream->format.on_device, fuse_stream_period (stream),
        fuse->announced_period, GST_CLOCK_TIME_IS_VALID (fuse->total_latency) ? fuse->total_latency : 0);
  }
}

gboolean
gst_robocache_fuse_replay_latency (GstRobocacheFuse *fuse, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);
  gint64 total;

  if (!gst_structure_has_name (structure, FUSE_REPLAY_EVENT) || !gst_structure_get_int64 (structure, "latency", &total))
    return FALSE;
  FUSE_LOCK (fuse);
  fuse->is_replayed = TRUE;
  set_total (fuse, total < 0 ? GST_CLOCK_TIME_NONE : (GstClockTime) total);
  update_frames (fuse);
  FUSE_UNLOCK (fuse);
  return TRUE;
}

void
gst_robocache_fuse_update_latency (GstRobocacheFuse *fuse)
{
  GstClockTime own;
  gboolean changed;

  FUSE_LOCK (fuse);
  fuse->announced_need = needed_latency (fuse);
  own = (GstClockTime) rc_add_saturating (fuse->announced_need, extra_latency (fuse));
  changed = fuse->own_latency != own;
  fuse->own_latency = own;
  fuse->announced_period = fuse_tick_clock_period (&fuse->clock);
  update_total (fuse);
  changed |= GST_CLOCK_TIME_IS_VALID (fuse->announced_total) && fuse->announced_total != fuse->total_latency;
  fuse->announced_total = fuse->total_latency;
  update_frames (fuse);
  FUSE_UNLOCK (fuse);
  if (changed)
    gst_element_post_message (GST_ELEMENT (fuse), gst_message_new_latency (GST_OBJECT (fuse)));
}

gboolean
gst_robocache_fuse_latency_is_off (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const FuseEpoch *epoch = pad ? fuse_stream_epoch (&pad->stream) : NULL;

  if (fuse_tick_clock_period (&fuse->clock) != fuse->announced_period)
    return TRUE;
  if (epoch == NULL || epoch->format.rate_num > 0 || epoch->history.n_spacings == pad->spacings_seen
      || (epoch->history.n_spacings > 4 && epoch->history.n_spacings % ROBOCACHE_N_SPACINGS != 0))
    return FALSE;
  pad->spacings_seen = epoch->history.n_spacings;
  return ABS (needed_latency (fuse) - fuse->announced_need) > fuse->announced_need / 8;
}

gboolean
gst_robocache_fuse_answer_latency (GstRobocacheFuse *fuse, GstQuery *query)
{
  FuseSources sources;

  gst_robocache_fuse_query_sources (fuse, NULL);
  FUSE_LOCK (fuse);
  sources = sources_of (fuse);
  fuse->announced_total = fuse->total_latency;
  if (fuse->clock.live)
    gst_query_set_latency (query, TRUE, fuse->total_latency, GST_CLOCK_TIME_NONE);
  else
    gst_query_set_latency (query, FALSE, fuse->own_latency, GST_CLOCK_TIME_NONE);
  FUSE_UNLOCK (fuse);
  if (!fuse_sources_agree (&sources))
    GST_WARNING_OBJECT (fuse, "live sources with contradictory latencies: %" GST_TIME_FORMAT " needed, %" GST_TIME_FORMAT " "
        "at most", GST_TIME_ARGS (sources.min), GST_TIME_ARGS (sources.max));
  return fuse_sources_agree (&sources);
}
