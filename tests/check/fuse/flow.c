/* robocache: robocachefuse, flushes and seeks that threads, probes or a pipeline take part in
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

/* A flush, the end of the pad, and the end of the element free a source that waits for the others, or for their caps. */
GST_START_TEST (test_end_frees_a_waiting_source)
{
  Play *play = play_new ("rate=100/1", __i__ == 2 ? "a b,bare" : "a b");
  GThread *source = start_source (play, 'a', 10);

  if (__i__ == 0)
    play_words (play, "a:flush-start#1");
  else if (__i__ == 1)
    gst_element_release_request_pad (play->rig->fuse, play->pads[0].feed->sink);
  else
    gst_element_set_state (play->rig->fuse, GST_STATE_NULL);
  g_thread_join (source);
  play_free (play);
}

GST_END_TEST;

/* ---- flushing seeks in a pipeline ---- */

static guint n_samples;         /* guarded by being read after EOS only */

static void
count_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  n_samples++;
}

GST_START_TEST (test_flushing_seeks)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 ! fakesink name=sink signal-handoffs=true "
      SENSOR (100) "fuse.proprio_0 robocachetestsrc kind=force rate=250/1 num-buffers=250 ! fuse.force_0", &fuse);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);

  g_signal_connect (sink, "handoff", G_CALLBACK (count_sample), NULL);
  n_samples = 0;
  run_to_eos (pipeline);
  fail_unless_equals_int (n_samples, 50);
  for (gint i = 0; i < 10; i++) {
    GstMessage *message;

    n_samples = 0;
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, 0));
    message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (message != NULL, "the pipeline hangs after seek %d", i);
    fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
    gst_message_unref (message);
    fail_unless_equals_int (n_samples, 50);
  }
  gst_object_unref (bus);
  gst_object_unref (sink);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

/* Seeks one after another, each into the flow of the one before. */
GST_START_TEST (test_seeks_while_flowing)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=500/1 ! fakesink " SENSOR (2000)
      "fuse.proprio_0 robocachetestsrc kind=force rate=1000/1 num-buffers=20000 ! fuse.force_0", &fuse);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  for (gint i = 0; i < 100; i++)
    fail_unless (gst_element_seek_simple (pipeline, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, (i % 7) * GST_SECOND));
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

/* ---- loops in a pipeline ---- */

#define N_LOOPS 3

/* Running times and bytes of all samples, in their order. */
static void
collect_sample (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer bytes)
{
  GstEvent *event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  guint64 times[2];
  GstMapInfo map;

  gst_event_parse_segment (event, &segment);
  times[0] = GST_BUFFER_PTS (buffer);
  times[1] = gst_segment_to_running_time (segment, GST_FORMAT_TIME, times[0]);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  g_byte_array_append (bytes, (const guint8 *) (gpointer) times, sizeof (times));
  g_byte_array_append (bytes, map.data, (guint) map.size);
  gst_buffer_unmap (buffer, &map);
  gst_event_unref (event);
}

static guint32
seek_segment (GstElement *pipeline, GstSeekFlags flags)
{
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, MS (200), GST_SEEK_TYPE_SET, MS (505));
  const guint32 seqnum = gst_event_get_seqnum (seek);

  fail_unless (gst_element_send_event (pipeline, seek));
  return seqnum;
}

/* Rows at 100 Hz and 83 Hz, of which 300 ms are played again and again. */
static GByteArray *
play_loops (void)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 layout=concat ! fakesink name=sink signal-handoffs=true "
      SENSOR (100) "queue ! fuse.proprio_0 robocachetestsrc kind=force rate=83/1 num-buffers=83 ! fuse.force_0", &fuse);
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  GstBus *bus = gst_element_get_bus (pipeline);
  GByteArray *bytes = g_byte_array_new ();
  GstMessage *message;
  guint32 seqnum;

  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  g_signal_connect (sink, "handoff", G_CALLBACK (collect_sample), bytes);
  seqnum = seek_segment (pipeline, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_SEGMENT);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  for (guint loop = 1; loop <= N_LOOPS; loop++) {
    message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_SEGMENT_DONE | GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_SEGMENT_DONE, "no SEGMENT_DONE");
    fail_unless_equals_int (gst_message_get_seqnum (message), seqnum);
    gst_message_unref (message);
    seqnum = seek_segment (pipeline, loop < N_LOOPS ? GST_SEEK_FLAG_SEGMENT : GST_SEEK_FLAG_NONE);
  }
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (gst_message_get_seqnum (message), seqnum);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_object_unref (sink);
  end_pipeline (pipeline, fuse);
  return bytes;
}

/* As audiomixer's and compositor's are looped, with the same samples whatever threads do. */
GST_START_TEST (test_loops)
{
  GByteArray *before = NULL, *bytes;
  const guint64 *times;
  guint n, size;

  for (guint run = 0; run < 10; run++) {
    bytes = play_loops ();
    fail_unless (before == NULL || (before->len == bytes->len && memcmp (before->data, bytes->data, bytes->len) == 0), "run %u differs", run);
    g_clear_pointer (&before, g_byte_array_unref);
    before = bytes;
  }
  size = 2 * sizeof (guint64) + 8 * sizeof (gfloat);
  n = before->len / size;
  fail_unless_equals_int (before->len % size, 0);
  for (guint i = 0; i < n; i++) {
    times = (const guint64 *) (gconstpointer) (before->data + i * size);
    fail_unless (times[0] >= (guint64) MS (200) && times[0] < (guint64) MS (505), "a sample at %g ms", (gdouble) times[0] / 1e6);
    fail_unless_equals_uint64 (times[1], i * (guint64) MS (20));
  }
  fail_unless_equals_int (n, (N_LOOPS + 1) * 305 / 20);
  g_byte_array_unref (before);
}

GST_END_TEST;

/* ---- seeks that make no sense, or not all of it ---- */

static const struct
{
  GstFormat format;
  gdouble rate;
  GstSeekFlags flags;
  gint64 start, stop;
} refused[] = {
  {GST_FORMAT_BYTES, 1, GST_SEEK_FLAG_FLUSH, 0, -1},
  {GST_FORMAT_TIME, -1, GST_SEEK_FLAG_FLUSH, 0, -1},
  {GST_FORMAT_TIME, 1, GST_SEEK_FLAG_FLUSH, 30, 20},
};

static GstEvent *
refused_seek (gint i)
{
  /* no start behind its stop can be written down: the stop is that of the seek before */
  const GstSeekType stop_type = refused[i].stop >= 0 && refused[i].start > refused[i].stop ? GST_SEEK_TYPE_NONE
      : GST_SEEK_TYPE_SET;

  return gst_event_new_seek (refused[i].rate, refused[i].format, refused[i].flags, GST_SEEK_TYPE_SET,
      MS (refused[i].start), stop_type, -1);
}

/* Sources are at different positions. */
GST_START_TEST (test_seek_without_start_and_flush)
{
  Play *play = play_new ("rate=100/1", "a,on-seek:take");

  fail_if (gst_pad_push_event (play->rig->out->sinkpad, gst_event_new_seek (2, GST_FORMAT_TIME, GST_SEEK_FLAG_NONE, GST_SEEK_TYPE_NONE, -1,
              GST_SEEK_TYPE_NONE, -1)));
  play_words (play, "a+0..30/10 a:eos >0..30/10 >eos");
  play_free (play);
}

GST_END_TEST;

/* Of a running element, and of one that is not yet. */
GST_START_TEST (test_refused_seeks)
{
  Play *play = play_new ("rate=100/1", "a");
  GstElement *fuse = play->rig->fuse;

  play_words (play, "seek:0..20");
  fail_if (gst_pad_push_event (play->rig->out->sinkpad, refused_seek (__i__)));
  gst_element_set_state (fuse, GST_STATE_READY);
  gst_element_send_event (fuse, seek_to (0, MS (20)));
  fail_if (gst_element_send_event (fuse, refused_seek (__i__)));
  play_free (play);
}

GST_END_TEST;

/* ---- a flush from elsewhere, while the src thread ends for a seek ---- */

typedef struct
{
  Feed *feed;
  GThread *thread;
  GMutex lock;
  GCond flushed;
  gboolean is_flushed;
} OtherFlush;

static gpointer
end_flush (gpointer data)
{
  OtherFlush *other = data;

  feed_event (other->feed, gst_event_new_flush_stop (TRUE));
  g_mutex_lock (&other->lock);
  other->is_flushed = TRUE;
  g_cond_signal (&other->flushed);
  g_mutex_unlock (&other->lock);
  return NULL;
}

/* Its end gets all the time it wants, if it does not wait for us. */
static GstPadProbeReturn
let_another_flush (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  OtherFlush *other = data;
  const gint64 end = g_get_monotonic_time () + G_USEC_PER_SEC / 5;

  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) != GST_EVENT_FLUSH_START || other->thread)
    return GST_PAD_PROBE_OK;
  feed_event (other->feed, gst_event_new_flush_start ());
  other->thread = g_thread_new ("flush", end_flush, other);
  g_mutex_lock (&other->lock);
  while (!other->is_flushed && g_cond_wait_until (&other->flushed, &other->lock, end));
  g_mutex_unlock (&other->lock);
  while (GST_PAD_IS_FLUSHING (other->feed->pad))        /* such a pad refuses the seek */
    g_thread_yield ();
  return GST_PAD_PROBE_OK;
}

/* The src thread was set off again by that one's end, and the seek waited for it for ever. */
GST_START_TEST (test_seek_within_another_flush)
{
  Play *play = play_new ("rate=100/1", "a,on-seek:take");
  OtherFlush other = { play->pads[0].feed };

  g_mutex_init (&other.lock);
  g_cond_init (&other.flushed);
  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, let_another_flush, &other, NULL);
  play_words (play, "seek:0");
  fail_unless (other.thread != NULL);
  g_thread_join (other.thread);
  play_words (play, "a:segment a+0..30/10 a:eos >0..30/10 >eos");
  play_free (play);
  g_cond_clear (&other.flushed);
  g_mutex_clear (&other.lock);
}

GST_END_TEST;

static GstPadActivateModeFunction activate_mode;
static Feed *flushed_feed;

/* GStreamer has made the pad active, and the element does not know it yet. */
static gboolean
flush_and_activate (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  if (active)
    feed_event (flushed_feed, gst_event_new_flush_start ());
  return activate_mode (pad, parent, mode, active);
}

/* The flush was forgotten, and the pad behind the element stayed flushing. */
GST_START_TEST (test_flush_while_the_source_pad_is_activated)
{
  Play *play = play_new ("rate=100/1", "a");
  GstPad *src = gst_element_get_static_pad (play->rig->fuse, "src");

  flushed_feed = play->pads[0].feed;
  activate_mode = GST_PAD_ACTIVATEMODEFUNC (src);
  gst_pad_set_activatemode_function (src, flush_and_activate);
  gst_pad_set_active (src, FALSE);
  gst_pad_set_active (src, TRUE);
  fail_unless (GST_PAD_IS_FLUSHING (src));
  feed_event (flushed_feed, gst_event_new_flush_stop (TRUE));
  fail_if (GST_PAD_IS_FLUSHING (src));
  play_words (play, "a:segment a+0..30/10 a:eos >0..30/10 >eos");
  gst_object_unref (src);
  play_free (play);
}

GST_END_TEST;

static GstPadProbeReturn
seek_from_within (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint *n_refused = data;

  *n_refused += !gst_pad_push_event (pad, seek_to (0, -1));
  return GST_PAD_PROBE_OK;
}

/* It would wait for itself. */
GST_START_TEST (test_seek_from_the_thread_of_samples)
{
  Play *play = play_new ("rate=100/1", "a,on-seek:flush");
  gint n_refused = 0;

  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, seek_from_within, &n_refused, NULL);
  play_words (play, "a+0..50/10 a:eos >0..50/10 >eos");
  fail_unless_equals_int (n_refused, 6);
  play_free (play);
}

GST_END_TEST;

/* A GAP that says nothing new makes the element look for the next tick. */
static GstPadProbeReturn
let_it_look (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  feed_event (data, gst_event_new_gap (MS (300), 0));
  return GST_PAD_PROBE_REMOVE;
}

/* The first tick ends its segment, and the next one begins long before it. While downstream is asked about the caps of
 * that tick, the ticks have not begun, and could seem to begin there. */
GST_START_TEST (test_ticks_go_forwards_whatever_comes_while_caps_are_agreed_on)
{
  Play *play = play_new ("rate=100/1", "a");

  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, let_it_look, play->pads[0].feed, NULL);
  play_words (play, "a+105=1 a:segment:stop=1000 a+10=2 a+300=3 a:eos >110..300/10 a=any >eos");
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefuseflow, NULL, NULL, TIMES (3, test_end_frees_a_waiting_source), ONCE (test_flushing_seeks), ONCE (test_seeks_while_flowing),
  ONCE (test_loops), EACH (refused, test_refused_seeks), ONCE (test_seek_without_start_and_flush), ONCE (test_seek_within_another_flush),
  ONCE (test_flush_while_the_source_pad_is_activated), ONCE (test_seek_from_the_thread_of_samples),
  ONCE (test_ticks_go_forwards_whatever_comes_while_caps_are_agreed_on))
