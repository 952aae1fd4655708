/* robocache: what the fuzzers share: an element with feeds on its sink pads, and a judge of what leaves it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gst/fuse/gstrobocachefuse.h"
#include "gst/parse/gstrobocacheparse.h"
#include "gst/resample/gstrobocacheresample.h"
#include "gst/voxelize/gstrobocachevoxelize.h"
#ifdef HAVE_VOXELVIEW
#include "gst/voxelview/gstrobocachevoxelview.h"
#endif

#ifdef HAVE_MCAP
GST_ELEMENT_REGISTER_DECLARE (robocachemcapdemux);
#endif
GST_ELEMENT_REGISTER_DECLARE (robocacheparse);
GST_ELEMENT_REGISTER_DECLARE (robocachetestsrc);
GST_ELEMENT_REGISTER_DECLARE (robocachevoxelize);

void
fuzz_fail (const gchar *format, ...)
{
  va_list args;

  fputs ("broken promise: ", stderr);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  abort ();
}

/* Warnings are what core says of sources that do not keep its rules. */
static void
judge_log (const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data)
{
  if (level & (G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_ERROR))
    fuzz_fail ("%s: %s", domain, message);
}

void
bench_begin (int *argc, char ***argv)
{
  /* no plugin of anybody else, and no file of ours */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  g_setenv ("GST_PLUGIN_PATH_1_0", "", TRUE);
  gst_init (argc, argv);
  g_log_set_default_handler (judge_log, NULL);
  GST_ELEMENT_REGISTER (robocachefuse, NULL);
  GST_ELEMENT_REGISTER (robocacheparse, NULL);
  GST_ELEMENT_REGISTER (robocacheresample, NULL);
  GST_ELEMENT_REGISTER (robocachetestsrc, NULL);
  GST_ELEMENT_REGISTER (robocachevoxelize, NULL);
#ifdef HAVE_MCAP
  GST_ELEMENT_REGISTER (robocachemcapdemux, NULL);
#endif
#ifdef HAVE_VOXELVIEW
  GST_ELEMENT_REGISTER (robocachevoxelview, NULL);
#endif
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  bench_begin (NULL, NULL);
  return 0;
}

/* ---- what leaves ---- */

static guint64
digest_bytes (guint64 digest, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    digest = (digest ^ bytes[i]) * G_GUINT64_CONSTANT (1099511628211);
  return digest;
}

static void
judge_tensors (Bench *bench, GstBuffer *buffer)
{
  const RobocacheTensorsInfo *info = &bench->info;

  if (gst_buffer_n_memory (buffer) != info->n_tensors)
    fuzz_fail ("%u memories, but caps say %u tensors", gst_buffer_n_memory (buffer), info->n_tensors);
  for (guint i = 0; i < info->n_tensors; i++) {
    GstMemory *memory = gst_buffer_peek_memory (buffer, i);
    GstMapInfo map;

    if (memory->size != robocache_tensor_info_size (&info->tensors[i]))
      fuzz_fail ("tensor %u has %" G_GSIZE_FORMAT " bytes, but caps say %" G_GSIZE_FORMAT, i, memory->size,
          robocache_tensor_info_size (&info->tensors[i]));
    if (!gst_memory_map (memory, &map, GST_MAP_READ))
      fuzz_fail ("tensor %u cannot be mapped", i);
    bench->digest = digest_bytes (bench->digest, map.data, map.size);
    gst_memory_unmap (memory, &map);
  }
}

/* As many bytes as there are. */
static void
judge_bytes (Bench *bench, GstBuffer *buffer)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    fuzz_fail ("a buffer cannot be mapped");
  bench->digest = digest_bytes (bench->digest, map.data, map.size);
  gst_buffer_unmap (buffer, &map);
}

static void
judge_tick (Bench *bench, GstClockTime pts)
{
  const gint64 tick = (gint64) gst_segment_to_running_time (&bench->segment, GST_FORMAT_TIME, pts);
  /* where PTS goes slower than running time, two ticks may have one */
  const gboolean may_repeat = ABS (bench->segment.rate) < 1.0;

  if (!GST_CLOCK_TIME_IS_VALID (pts) || tick < bench->last_tick || (tick == bench->last_tick && !may_repeat))
    fuzz_fail ("a tick at %" G_GINT64_FORMAT " (PTS %" G_GUINT64_FORMAT " from %" G_GUINT64_FORMAT " to %"
        G_GUINT64_FORMAT ") after one at %" G_GINT64_FORMAT, tick, pts, bench->segment.start,
        bench->segment.stop, bench->last_tick);
  bench->last_tick = tick;
}

static GstFlowReturn
take_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Bench *bench = gst_pad_get_element_private (pad);
  const GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (!bench->caps_seen || !bench->segment_seen)
    fuzz_fail ("a buffer before its %s", bench->caps_seen ? "segment" : "caps");
  if (g_atomic_int_get (&bench->n_errors) > 0 && !g_atomic_int_get (&bench->may_drain) && !bench->is_shared)
    fuzz_fail ("a buffer after an error: %s", bench->error);
  if (g_atomic_int_get (&bench->ticks_increase))
    judge_tick (bench, pts);
  if (bench->of_pictures && gst_buffer_get_size (buffer) != GST_VIDEO_INFO_SIZE (&bench->video))
    fuzz_fail ("%" G_GSIZE_FORMAT " bytes are no picture of %" G_GSIZE_FORMAT, gst_buffer_get_size (buffer),
        GST_VIDEO_INFO_SIZE (&bench->video));
  (bench->of_points || bench->of_pictures ? judge_bytes : judge_tensors) (bench, buffer);
  bench->digest = digest_bytes (bench->digest, &pts, sizeof (pts));
  bench->n_buffers++;
  gst_buffer_unref (buffer);
  return bench->n_buffers >= bench->max_buffers ? GST_FLOW_EOS : (GstFlowReturn) g_atomic_int_get ((gint *) &bench->answer);
}

static gboolean
take_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Bench *bench = gst_pad_get_element_private (pad);
  GstCaps *caps;

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_CAPS:
      gst_event_parse_caps (event, &caps);
      bench->of_pictures = gst_structure_has_name (gst_caps_get_structure (caps, 0), "video/x-raw");
      bench->of_points = !bench->of_pictures
          && !gst_structure_has_name (gst_caps_get_structure (caps, 0), ROBOCACHE_TENSORS_MEDIA_TYPE);
      if (!bench->of_points && !(bench->of_pictures ? gst_video_info_from_caps (&bench->video, caps)
              : robocache_tensors_info_from_caps (&bench->info, caps, NULL)))
        fuzz_fail ("caps that we would refuse ourselves: %s", gst_caps_to_string (caps));
      bench->caps_seen = TRUE;
      break;
    case GST_EVENT_SEGMENT:
      gst_event_copy_segment (event, &bench->segment);
      bench->segment_seen = TRUE;
      if (bench->ticks_go_back)
        bench->last_tick = -1;
      break;
    case GST_EVENT_FLUSH_STOP:
      bench->segment_seen = FALSE;
      bench->last_tick = -1;
      break;
    default:
      break;
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
answer_caps (GstQuery *query, GstCaps *accepted)
{
  GstCaps *filter, *caps;

  gst_query_parse_caps (query, &filter);
  caps = filter ? gst_caps_intersect (accepted, filter) : gst_caps_ref (accepted);
  gst_query_set_caps_result (query, caps);
  gst_caps_unref (caps);
  return TRUE;
}

static gboolean
answer_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Bench *bench = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS || bench->accepted == NULL)
    return gst_pad_query_default (pad, parent, query);
  return answer_caps (query, bench->accepted);
}

static GstBusSyncReply
take_message (GstBus *bus, GstMessage *message, gpointer data)
{
  Bench *bench = data;
  GError *error;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    g_atomic_int_set (&bench->has_failed, TRUE);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !bench->is_shared) {
    gst_message_parse_error (message, &error, NULL);
    g_strlcpy (bench->error, error->message, sizeof (bench->error));
    g_error_free (error);
    if (g_atomic_int_add (&bench->n_errors, 1) > 0)
      fuzz_fail ("a second error: %s", bench->error);
  }
  gst_message_unref (message);
  return GST_BUS_DROP;
}

void
bench_pardon (Bench *bench)
{
  g_atomic_int_set (&bench->n_errors, 0);
  g_atomic_int_set (&bench->may_drain, FALSE);
}

static guint64
stat_of (const GstStructure *stats, const gchar *name)
{
  guint64 n;

  if (!gst_structure_get_uint64 (stats, name, &n) && !gst_structure_get_int64 (stats, name, (gint64 *) &n))
    fuzz_fail ("stats have no %s: %s", name, gst_structure_to_string (stats));
  return n;
}

guint64
bench_stat (gpointer object, const gchar *name)
{
  GstStructure *stats;
  guint64 n;

  g_object_get (object, "stats", &stats, NULL);
  n = stat_of (stats, name);
  gst_structure_free (stats);
  return n;
}

void
bench_check_sum (gpointer object, const gchar *total, const gchar *const *parts)
{
  GstStructure *stats;
  guint64 sum = 0;

  g_object_get (object, "stats", &stats, NULL);
  for (guint i = 0; parts[i]; i++)
    sum += stat_of (stats, parts[i]);
  if (sum != stat_of (stats, total))
    fuzz_fail ("%s: the parts of %s from %s on add up to %" G_GUINT64_FORMAT ": %s", GST_OBJECT_NAME (object), total, parts[0],
        sum, gst_structure_to_string (stats));
  gst_structure_free (stats);
}

/* ---- life ---- */

void
bench_init (Bench *bench, const gchar *factory)
{
  GstPad *src;

  memset (bench, 0, sizeof (*bench));
  bench->element = gst_object_ref_sink (gst_element_factory_make (factory, NULL));
  bench->bus = gst_bus_new ();
  gst_bus_set_sync_handler (bench->bus, take_message, bench, NULL);
  gst_element_set_bus (bench->element, bench->bus);
  bench->feeds = g_ptr_array_new ();
  bench->gone = g_ptr_array_new_with_free_func (g_free);
  bench->step_ns = 10 * GST_MSECOND;
  bench->max_steps = MAX_STEPS;
  bench->last_tick = -1;
  bench->answer = GST_FLOW_OK;
  bench->max_buffers = 10 * MAX_STEPS;

  bench->sink = gst_pad_new (NULL, GST_PAD_SINK);
  gst_pad_set_element_private (bench->sink, bench);
  gst_pad_set_chain_function (bench->sink, take_buffer);
  gst_pad_set_event_function (bench->sink, take_event);
  gst_pad_set_query_function (bench->sink, answer_query);
  gst_pad_set_active (bench->sink, TRUE);
  src = gst_element_get_static_pad (bench->element, "src");
  gst_pad_link (src, bench->sink);
  gst_object_unref (src);
}

void
bench_clear (Bench *bench)
{
  bench_set_state (bench, GST_STATE_NULL);
  while (bench->feeds->len > 0)
    bench_remove_feed (bench, g_ptr_array_index (bench->feeds, 0));
  g_ptr_array_unref (bench->feeds);
  g_ptr_array_unref (bench->gone);
  gst_pad_set_active (bench->sink, FALSE);
  gst_element_set_bus (bench->element, NULL);
  if (GST_OBJECT_REFCOUNT_VALUE (bench->element) != 1)
    fuzz_fail ("%d references to the element are left", GST_OBJECT_REFCOUNT_VALUE (bench->element));
  gst_object_unref (bench->element);
  gst_object_unref (bench->sink);
  gst_bus_set_sync_handler (bench->bus, NULL, NULL, NULL);
  gst_object_unref (bench->bus);
  gst_clear_caps (&bench->accepted);
}

/* As in a pipeline: downstream goes to READY before the element does. */
gboolean
bench_set_state (Bench *bench, GstState state)
{
  gboolean ok;

  bench_pardon (bench);
  if (state <= GST_STATE_READY)
    gst_pad_set_active (bench->sink, FALSE);
  ok = gst_element_set_state (bench->element, state) != GST_STATE_CHANGE_FAILURE;
  if (!ok)
    gst_element_set_state (bench->element, GST_STATE_NULL);
  if (state <= GST_STATE_READY) {
    GST_PAD_STREAM_LOCK (bench->sink);
    bench->segment_seen = bench->caps_seen = FALSE;
    bench->last_tick = -1;
    GST_PAD_STREAM_UNLOCK (bench->sink);
    gst_pad_set_active (bench->sink, TRUE);
  }
  return ok;
}

/* ---- feeds ---- */

static gboolean
feed_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Feed *feed = gst_pad_get_element_private (pad);
  GstSegment segment;
  GstSeekFlags flags;
  GstFormat format;

  if (GST_EVENT_TYPE (event) == GST_EVENT_SEEK) {
    gst_event_parse_seek (event, NULL, &format, &flags, NULL, NULL, NULL, NULL);
    if (flags & GST_SEEK_FLAG_FLUSH) {
      feed_flush (feed, TRUE);
      gst_segment_init (&segment, format);
      if (!feed->bench->is_shared)
        feed_send (feed, gst_event_new_segment (&segment));
    }
    if (!feed->bench->is_shared)
      feed->time = 0;
  }
  gst_event_unref (event);
  return TRUE;
}

static gboolean
feed_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Feed *feed = gst_pad_get_element_private (pad);
  GstFormat format;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_LATENCY:
      gst_query_set_latency (query, feed->live, feed->min_latency, feed->max_latency);
      return TRUE;
    case GST_QUERY_CAPS:
      /* by itself the pad would say its caps, without a lock against their change */
      return feed->bench->is_shared ? answer_caps (query, GST_CAPS_ANY) : gst_pad_query_default (pad, parent, query);
    case GST_QUERY_SEEKING:
      gst_query_parse_seeking (query, &format, NULL, NULL, NULL);
      gst_query_set_seeking (query, format, TRUE, 0, -1);
      return TRUE;
    default:
      return gst_pad_query_default (pad, parent, query);
  }
}

Feed *
feed_new (Bench *bench, GstPad *peer, gboolean requested)
{
  Feed *feed = g_new0 (Feed, 1);

  feed->bench = bench;
  feed->peer = peer;
  feed->requested = requested;
  feed->kinds = bench->kinds;
  feed->max_latency = GST_CLOCK_TIME_NONE;
  g_mutex_init (&feed->flush);
  feed->pad = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (feed->pad, feed);
  gst_pad_set_query_function (feed->pad, feed_query);
  gst_pad_set_event_function (feed->pad, feed_event);
  return feed;
}

void
feed_link (Feed *feed)
{
  gst_pad_set_active (feed->pad, TRUE);
  if (gst_pad_link (feed->pad, feed->peer) != GST_PAD_LINK_OK)
    fuzz_fail ("a pad that cannot be linked");
  g_ptr_array_add (feed->bench->feeds, feed);
}

Feed *
bench_add_feed (Bench *bench, GstPad *peer, gboolean requested)
{
  Feed *feed = feed_new (bench, peer, requested);

  feed_link (feed);
  return feed;
}

void
feed_unlink (Feed *feed)
{
  g_ptr_array_remove (feed->bench->feeds, feed);
  gst_pad_unlink (feed->pad, feed->peer);
  if (feed->requested)
    gst_element_release_request_pad (feed->bench->element, feed->peer);
  gst_pad_set_active (feed->pad, FALSE);
}

void
bench_remove_feed (Bench *bench, Feed *feed)
{
  if (g_ptr_array_find (bench->feeds, feed, NULL))
    feed_unlink (feed);
  gst_object_unref (feed->peer);
  gst_object_unref (feed->pad);
  gst_clear_caps (&feed->caps);
  g_ptr_array_add (bench->gone, feed);
}

Feed *
bench_feed (Bench *bench, guint i)
{
  return bench->feeds->len > 0 ? g_ptr_array_index (bench->feeds, i % bench->feeds->len) : NULL;
}

gboolean
feed_send (Feed *feed, GstEvent *event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS || GST_EVENT_TYPE (event) == GST_EVENT_GAP)
    g_atomic_int_set (&feed->bench->may_drain, TRUE);
  return gst_pad_push_event (feed->pad, event);
}

void
feed_push (Feed *feed, GstBuffer *buffer)
{
  if (feed->over) {
    gst_buffer_unref (buffer);
    return;
  }
  feed->flow = gst_pad_push (feed->pad, buffer);
  feed->over = feed->flow != GST_FLOW_OK;
  feed->n_pushed++;
  feed->n_accepted += !feed->over;
}

void
feed_flush (Feed *feed, gboolean reset_time)
{
  g_mutex_lock (&feed->flush);
  feed_send (feed, gst_event_new_flush_start ());
  GST_PAD_STREAM_LOCK (feed->pad);
  feed_send (feed, gst_event_new_flush_stop (reset_time));
  bench_pardon (feed->bench);
  feed->over = FALSE;
  feed->is_flushed = TRUE;
  GST_PAD_STREAM_UNLOCK (feed->pad);
  g_mutex_unlock (&feed->flush);
}
