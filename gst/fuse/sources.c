/* robocache: the sources of robocachefuse: whether they are live, and the latency that follows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "sources.h"

#include "debug.h"
#include "gst/fuse/core/ticklatency.h"
#include "settingsevent.h"

static FuseSource
ask_source (GstPad *pad)
{
  GstClockTime min = 0, max = GST_CLOCK_TIME_NONE;
  GstQuery *query = gst_query_new_latency ();
  FuseSource source = {.is_known = TRUE };

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_latency (query, &source.live, &min, &max);
  gst_query_unref (query);
  source.min = fuse_time_of_clock (min);
  source.max = fuse_time_of_clock (max);
  return source;
}

gboolean
gst_robocache_fuse_has_live_source (GstRobocacheFuse *fuse)
{
  GPtrArray *pads = gst_robocache_fuse_ref_pads (fuse);
  gboolean live = fuse->settings.force_live;

  for (guint i = 0; i < pads->len && !live; i++)
    live = ask_source (g_ptr_array_index (pads, i)).live;
  g_ptr_array_unref (pads);
  return live;
}

static gboolean
is_same (const FuseSource *a, const FuseSource *b)
{
  return a->is_known == b->is_known && a->live == b->live && a->min == b->min && a->max == b->max;
}

/* Called with the lock. */
static void
store_source (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad, const FuseSource *source)
{
  const FuseEvent event = {.kind = FUSE_EVENT_SOURCE,.source = *source };
  const gboolean changed = !is_same (&pad->stream->source, source);

  if (changed)
    GST_INFO_OBJECT (pad, "the source is %s, latency %" GST_STIME_FORMAT " to %" GST_STIME_FORMAT, source->live ? "live" : "not live",
        GST_STIME_ARGS (source->min), GST_STIME_ARGS (source->max));
  fuse_core_event (fuse->core, pad->stream, &event, NULL);
  if (changed)
    gst_robocache_fuse_note_settings (fuse);
}

/* All sources answer before an answer is used, since together they determine whether the element is live. */
static void
query_pads (GstRobocacheFuse *fuse, GstRobocacheFusePad **pads, guint n)
{
  FuseSource *sources = g_new (FuseSource, n);

  for (guint i = 0; i < n; i++)
    sources[i] = ask_source (GST_PAD (pads[i]));
  FUSE_LOCK (fuse);
  for (guint i = 0; i < n; i++)
    store_source (fuse, pads[i], &sources[i]);
  fuse_core_update_sources (fuse->core);
  FUSE_UNLOCK (fuse);
  g_free (sources);
}

void
gst_robocache_fuse_query_sources (GstRobocacheFuse *fuse, GstRobocacheFusePad *pad)
{
  GPtrArray *pads;

  if (pad) {
    query_pads (fuse, &pad, 1);
    return;
  }
  pads = gst_robocache_fuse_ref_pads (fuse);
  query_pads (fuse, (GstRobocacheFusePad **) pads->pdata, pads->len);
  g_ptr_array_unref (pads);
}

gboolean
gst_robocache_fuse_check_sources (GstRobocacheFuse *fuse, GError **error)
{
  gboolean agree;

  gst_robocache_fuse_query_sources (fuse, NULL);
  FUSE_LOCK (fuse);
  agree = fuse_core_check_sources (fuse->core, error);
  FUSE_UNLOCK (fuse);
  return agree;
}

void
gst_robocache_fuse_update_latency (GstRobocacheFuse *fuse)
{
  gboolean changed;

  FUSE_LOCK (fuse);
  changed = fuse_core_update_latency (fuse->core);
  FUSE_UNLOCK (fuse);
  if (changed)
    GST_DEBUG_OBJECT (fuse, "the latency changed: posts LATENCY, so that the pipeline asks for it");
  if (changed)
    gst_element_post_message (GST_ELEMENT (fuse), gst_message_new_latency (GST_OBJECT (fuse)));
}

gboolean
gst_robocache_fuse_answer_latency (GstRobocacheFuse *fuse, GstQuery *query)
{
  GError *error = NULL;
  gboolean live, agree;
  gint64 latency;

  gst_robocache_fuse_query_sources (fuse, NULL);
  FUSE_LOCK (fuse);
  latency = fuse_core_report_latency (fuse->core, &live);
  agree = fuse_core_check_sources (fuse->core, &error);
  FUSE_UNLOCK (fuse);
  gst_query_set_latency (query, live, (GstClockTime) latency, GST_CLOCK_TIME_NONE);
  GST_DEBUG_OBJECT (fuse, "answers latency %" GST_STIME_FORMAT ", %s", GST_STIME_ARGS (latency), live ? "live" : "not live");
  if (!agree)
    GST_WARNING_OBJECT (fuse, "%s", error->message);
  g_clear_error (&error);
  return agree;
}
