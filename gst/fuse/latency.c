/* robocache: robocachefuse, who is live, and how long a tick may wait
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gstrobocachefuse.h"

GST_DEBUG_CATEGORY_EXTERN (gst_robocache_fuse_debug);
#define GST_CAT_DEFAULT gst_robocache_fuse_debug

/* Frames of a camera that are with us beside those that wait for their tick: the two around it and two on their way. */
#define CAMERA_FRAMES_AROUND 4
#define MAX_CAMERA_FRAMES 64
#define USUAL_FRAME_PERIOD (GST_SECOND / 30)

/* ---- who is live ---- */

/* Called without the lock. Whether the pad's source is live, and its latency. */
static gboolean
query_source (GstPad *pad, GstClockTime *min, GstClockTime *max)
{
  GstQuery *query = gst_query_new_latency ();
  gboolean live = FALSE;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &live, min, max);
  gst_query_unref (query);
  return live;
}

/* The base class remembers what it was told when there was no live source yet; a query makes it ask anew. */
static GstClockTime
ask_latency (GstRobocacheFuse *fuse, gboolean live)
{
  GstAggregator *agg = GST_AGGREGATOR (fuse);
  GstAggregatorClass *base_class = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (agg));
  const GstClockTime latency = gst_aggregator_get_latency (agg);
  GstQuery *query;

  if (!live || GST_CLOCK_TIME_IS_VALID (latency))
    return latency;
  query = gst_query_new_latency ();
  base_class->src_query (agg, query);
  gst_query_unref (query);
  return gst_aggregator_get_latency (agg);
}

void
gst_robocache_fuse_update_live (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GstClockTime min, max;
  const gboolean pad_live = query_source (GST_PAD (pad), &min, &max);
  const GstClockTime latency = ask_latency (fuse, pad_live);
  const gboolean live = GST_CLOCK_TIME_IS_VALID (latency);

  FUSE_LOCK (fuse);
  pad->live = pad_live;
  fuse->total_latency = latency;
  if (live != fuse->live) {
    GST_INFO_OBJECT (fuse, "%s", live ? "live: ticks have deadlines" : "not live: ticks wait for every stream");
    fuse->live = live;
    g_cond_broadcast (&fuse->progress);
  }
  FUSE_UNLOCK (fuse);
}

/* With a reference each, for calls without the lock. */
static GPtrArray *
pads_of (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = g_ptr_array_new_with_free_func (gst_object_unref);

  FUSE_LOCK (fuse);
  for (guint i = 0; i < fuse->pads->len; i++)
    g_ptr_array_add (pads, gst_object_ref (g_ptr_array_index (fuse->pads, i)));
  FUSE_UNLOCK (fuse);
  return pads;
}

/* Sources start after the elements behind them. Caps that came at once found none of them live, and that would hold until
 * the first tick, for which not live every stream is waited for; but the pipeline asks again once all have started. */
gboolean
gst_robocache_fuse_src_query (GstAggregator *agg, GstQuery *query)
{
  GstRobocacheFuse *fuse = GST_ROBOCACHE_FUSE (agg);
  GstAggregatorClass *base_class = g_type_class_peek_parent (GST_AGGREGATOR_GET_CLASS (agg));
  gboolean live, changed;

  if (!base_class->src_query (agg, query))
    return FALSE;
  if (GST_QUERY_TYPE (query) != GST_QUERY_LATENCY)
    return TRUE;
  gst_query_parse_latency (query, &live, NULL, NULL);
  FUSE_LOCK (fuse);
  changed = live != fuse->live;
  FUSE_UNLOCK (fuse);
  if (changed) {
    GPtrArray *pads = pads_of (fuse);

    for (guint i = 0; i < pads->len; i++)
      gst_robocache_fuse_update_live (fuse, g_ptr_array_index (pads, i));
    g_ptr_array_unref (pads);
    gst_robocache_fuse_refresh_tokens (fuse);
  }
  return TRUE;
}

gboolean
gst_robocache_fuse_check_sources (GstRobocacheFuse *fuse, GError **error)
{
  GstClockTime greatest_min = 0, least_max = GST_CLOCK_TIME_NONE;
  GstPad *demanding = NULL, *short_of_buffers = NULL;
  GPtrArray *pads = pads_of (fuse);

  for (guint i = 0; i < pads->len; i++) {
    GstPad *pad = g_ptr_array_index (pads, i);
    GstClockTime min, max;

    if (!query_source (pad, &min, &max))
      continue;
    if (min >= greatest_min) {
      greatest_min = min;
      demanding = pad;
    }
    if (max < least_max) {
      least_max = max;
      short_of_buffers = pad;
    }
  }
  if (greatest_min > least_max)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "the sources are live, but the one of %s cannot hold "
        "back data for more than %" GST_TIME_FORMAT ", and the one of %s needs %" GST_TIME_FORMAT ": put a queue behind the "
        "first (or set max-latency=-1, if it is an appsrc)", GST_OBJECT_NAME (short_of_buffers), GST_TIME_ARGS (least_max),
        GST_OBJECT_NAME (demanding), GST_TIME_ARGS (greatest_min));
  g_ptr_array_free (pads, TRUE);
  return greatest_min <= least_max;
}

/* ---- how long a tick may wait ---- */

/* Called with the lock. What the pads need. */
static GstClockTime
needed_latency (GstRobocacheFuse *fuse)
{
  const gint64 period = gst_robocache_fuse_tick_period (fuse);
  GstClockTime latency = 0;

  for (guint i = 0; i < fuse->pads->len; i++)
    latency = MAX (latency, gst_robocache_fuse_pad_latency (g_ptr_array_index (fuse->pads, i), period));
  return latency;
}

/* Called with the lock. A tick waits for `latency`; meanwhile frames come, and a mean needs those of a whole tick. */
static guint
camera_frames (GstRobocacheFuse *fuse, const GstRobocacheFusePad *pad, GstClockTime latency)
{
  const gint64 measured = gst_robocache_fuse_pad_period (pad);
  const GstClockTime period = measured > 0 ? (GstClockTime) measured : USUAL_FRAME_PERIOD;
  GstClockTime span = latency;

  if (pad->active.search.interpolation == RC_MEAN)      /* frames on the GPU are kept until the next tick */
    span += (pad->format.on_device ? 2 : 1) * gst_robocache_fuse_tick_period (fuse);
  return (guint) MIN (span / period + CAMERA_FRAMES_AROUND, MAX_CAMERA_FRAMES);
}

void
gst_robocache_fuse_update_latency (GstRobocacheFuse *fuse)
{
  GstClockTime latency, total;

  FUSE_LOCK (fuse);
  latency = needed_latency (fuse);
  fuse->announced_latency = latency;
  fuse->announced_period = gst_robocache_fuse_tick_period (fuse);
  FUSE_UNLOCK (fuse);
  /* posts a LATENCY message when it changed */
  gst_aggregator_set_latency (GST_AGGREGATOR (fuse), latency, GST_CLOCK_TIME_NONE);

  total = gst_aggregator_get_latency (GST_AGGREGATOR (fuse));
  FUSE_LOCK (fuse);
  fuse->total_latency = total;
  for (guint i = 0; i < fuse->pads->len; i++) {
    GstRobocacheFusePad *pad = g_ptr_array_index (fuse->pads, i);

    pad->camera_frames = camera_frames (fuse, pad, GST_CLOCK_TIME_IS_VALID (total) ? total : 0);
  }
  FUSE_UNLOCK (fuse);
  g_atomic_int_inc (&fuse->looks);
}

gboolean
gst_robocache_fuse_measured_latency_is_off (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  const GstRobocacheFuseEpoch *epoch = gst_robocache_fuse_pad_epoch (pad);
  GstClockTime latency;

  if (epoch->format.rate_num > 0 || epoch->history.n_spacings == pad->spacings_seen
      || (epoch->history.n_spacings > 4 && epoch->history.n_spacings % ROBOCACHE_N_SPACINGS != 0))
    return FALSE;
  pad->spacings_seen = epoch->history.n_spacings;
  latency = needed_latency (fuse);
  return ABS (GST_CLOCK_DIFF (fuse->announced_latency, latency)) > (GstClockTimeDiff) (fuse->announced_latency / 8);
}

gboolean
gst_robocache_fuse_tick_period_is_new (GstRobocacheFuse *fuse)
{
  return fuse->reference && gst_robocache_fuse_tick_period (fuse) != fuse->announced_period;
}
