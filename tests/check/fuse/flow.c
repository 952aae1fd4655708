/* robocache: robocachefuse, ends of streams, flushes and seeks
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

/* ---- ends ---- */

GST_START_TEST (test_eos_without_data)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE);

  feed_new_bare (rig, "proprio_1", FALSE);      /* not even caps */
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_event (g_ptr_array_index (rig->feeds, 1), gst_event_new_stream_start ("x"));
  all_eos (rig);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 0);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

/* As a file does that is linked without a parser: a segment that is refused, and the end. */
GST_START_TEST (test_eos_without_segment)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE);
  GstSegment bytes;

  rig_play (rig);
  feed_event (a, gst_event_new_stream_start ("x"));
  feed_caps (a, ONE_CHANNEL);
  if (__i__) {
    gst_segment_init (&bytes, GST_FORMAT_BYTES);
    feed_event (a, gst_event_new_segment (&bytes));
    assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "proprio_0", "bytes", NULL);
  }
  feed_eos (a);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_eos_on_one_pad)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (a, "hold-limit", "10000000", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_one (a, 0, 1);
  feed_eos (a);
  feed_ramp (b, 0, 50, 10);
  expect_two (rig, 0, 1, ALIGNED, 0, ALIGNED);
  expect_two (rig, MS (10), 1, HELD, 10, ALIGNED);
  expect_two (rig, MS (20), NAN, MISSING, 20, ALIGNED);
  feed_eos (b);
  for (gint i = 3; i <= 5; i++)
    expect_two (rig, MS (10 * i), NAN, MISSING, 10 * i, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A stream may begin anew after its end, as long as another goes on. */
GST_START_TEST (test_stream_start_after_eos)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  feed_set (a, "hold-limit", "0", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_one (a, 0, 1);
  feed_eos (a);
  feed_ramp (b, 0, 20, 10);
  expect_two (rig, 0, 1, ALIGNED, 0, ALIGNED);
  feed_start (a, ONE_CHANNEL);
  feed_one (a, MS (40), 4);
  feed_ramp (b, 30, 40, 10);
  all_eos (rig);
  for (gint i = 1; i <= 3; i++)
    expect_two (rig, MS (10 * i), NAN, MISSING, 10 * i, ALIGNED);
  expect_two (rig, MS (40), 4, ALIGNED, 40, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- flushes ---- */

static void
feed_flush (Feed *feed, guint32 seqnum)
{
  GstEvent *start = gst_event_new_flush_start (), *stop = gst_event_new_flush_stop (TRUE);

  gst_event_set_seqnum (start, seqnum);
  gst_event_set_seqnum (stop, seqnum);
  feed_event (feed, start);
  feed_event (feed, stop);
}

GST_START_TEST (test_flush_of_one_pad)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 20, 10);
  feed_ramp (b, 0, 20, 10);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  feed_flush (a, gst_util_seqnum_next ());
  feed_segment (a);
  feed_one (a, MS (20), 77);
  feed_one (b, MS (30), 30);
  all_eos (rig);
  expect_two (rig, MS (10), NAN, MISSING, 10, ALIGNED);
  expect_two (rig, MS (20), 77, ALIGNED, 20, ALIGNED);
  expect_two (rig, MS (30), 77, HELD, 30, ALIGNED);
  assert_eos (rig);
  fail_unless (count_of (a->sink, "rows-dropped") > 0);
  assert_rows_balance (a);
  rig_free (rig);
}

GST_END_TEST;

static void
flush_all (Rig *rig)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  GstEvent *event;

  for (gint stop = 0; stop < 2; stop++) {
    for (guint i = 0; i < rig->feeds->len; i++) {
      event = stop ? gst_event_new_flush_stop (TRUE) : gst_event_new_flush_start ();
      gst_event_set_seqnum (event, seqnum);
      feed_event (g_ptr_array_index (rig->feeds, i), event);
    }
  }
}

/* Those of before a flush: its beginning has waited for the src thread. */
static void
drop_samples (Rig *rig)
{
  GstBuffer *sample;

  while ((sample = gst_harness_try_pull (rig->out)))
    gst_buffer_unref (sample);
}

static void
run_two_ticks (Rig *rig)
{
  Feed *a = g_ptr_array_index (rig->feeds, 0), *b = g_ptr_array_index (rig->feeds, 1);
  GstBuffer *sample;

  feed_ramp (a, 0, 20, 10);
  feed_ramp (b, 10, 20, 10);
  feed_eos (a);
  feed_eos (b);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), 0);
  fail_unless (GST_BUFFER_IS_DISCONT (sample));
  fail_unless_equals_int64 (status_of (sample, 1), MISSING);    /* nothing of before is left */
  gst_buffer_unref (sample);
  expect_two (rig, MS (10), 10, ALIGNED, 10, ALIGNED);
  expect_two (rig, MS (20), 20, ALIGNED, 20, ALIGNED);
}

/* As a flushing seek does: with EOS behind it, in the middle, and before any row. */
GST_START_TEST (test_flush_of_all_pads)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  for (gint i = 0; i < 10; i++) {
    run_two_ticks (rig);
    assert_eos (rig);
    flush_all (rig);
    rig_renew_output (rig);
    feed_segment (a);
    feed_segment (b);
    feed_ramp (a, 500, 540, 10);
    feed_one (b, MS (500), 5);
    flush_all (rig);
    drop_samples (rig);
    feed_segment (a);
    feed_segment (b);
  }
  assert_rows_balance (a);
  assert_rows_balance (b);
  rig_free (rig);
}

GST_END_TEST;

/* After EOS sources are flushed one after the other, and the first may push before the last is flushed. */
GST_START_TEST (test_rows_between_the_flushes_of_a_seek)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  const guint32 seqnum = gst_util_seqnum_next ();

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  run_two_ticks (rig);
  assert_eos (rig);
  rig_renew_output (rig);
  feed_flush (a, seqnum);
  feed_segment (a);
  feed_ramp (a, 0, 20, 10);
  feed_flush (b, seqnum);
  feed_segment (b);
  feed_ramp (b, 0, 20, 10);
  all_eos (rig);
  for (gint i = 0; i <= 2; i++)
    expect_two (rig, MS (10 * i), 10 * i, ALIGNED, 10 * i, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A flush frees a source that waits for the others. */
GST_START_TEST (test_flush_frees_a_waiting_source)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GThread *thread;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  thread = g_thread_new ("source", push_until_refused, a);
  while (count_of (a->sink, "rows-in") < 10)
    g_thread_yield ();
  feed_event (a, gst_event_new_flush_start ());
  g_thread_join (thread);
  rig_free (rig);
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
  {GST_FORMAT_TIME, 1, GST_SEEK_FLAG_NONE, 0, -1},      /* downstream would not be told of the new segment */
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

/* Of a running element, and of one that is not yet. */
GST_START_TEST (test_refused_seeks)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);

  fail_unless (gst_pad_push_event (rig->out->sinkpad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, MS (20))));
  fail_if (gst_pad_push_event (rig->out->sinkpad, refused_seek (__i__)));
  gst_element_set_state (rig->fuse, GST_STATE_READY);
  gst_element_send_event (rig->fuse, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_SET, MS (20)));
  fail_if (gst_element_send_event (rig->fuse, refused_seek (__i__)));
  rig_free (rig);
}

GST_END_TEST;

static gboolean
seek_by_flushing (GstPad *pad, GstObject *parent, GstEvent *event)
{
  Feed *feed = gst_pad_get_element_private (pad);
  const gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;

  gst_event_unref (event);
  if (is_seek) {
    feed_event (feed, gst_event_new_flush_start ());
    feed_event (feed, gst_event_new_flush_stop (TRUE));
    feed_segment (feed);
  }
  return is_seek;
}

static gboolean
seek_by_starting_a_flush (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;
  GstEvent *flush = gst_event_new_flush_start ();

  gst_event_set_seqnum (flush, gst_event_get_seqnum (event));
  gst_event_unref (event);
  if (is_seek)
    feed_event (gst_pad_get_element_private (pad), flush);
  else
    gst_event_unref (flush);
  return is_seek;
}

/* The source knows nothing of a stop. Before, ticks behind it left without a time. */
GST_START_TEST (test_ticks_end_where_the_seek_says)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);

  gst_pad_set_event_function (a->pad, seek_by_flushing);
  fail_unless (gst_pad_push_event (rig->out->sinkpad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, MS (25))));
  for (gint t = 0; t <= 50; t += 10) {
    const gfloat value = (gfloat) t;

    feed_row (a, MS (t), &value, 1);
  }
  feed_eos (a);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
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
  return GST_PAD_PROBE_OK;
}

static gboolean
take_seek (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const gboolean is_seek = GST_EVENT_TYPE (event) == GST_EVENT_SEEK;

  gst_event_unref (event);
  return is_seek;
}

/* The src thread was set off again by that one's end, and the seek waited for it for ever. */
GST_START_TEST (test_seek_within_another_flush)
{
  OtherFlush other = { NULL };
  Rig *rig = rig_with_one ("100/1", &other.feed);

  g_mutex_init (&other.lock);
  g_cond_init (&other.flushed);
  gst_pad_set_event_function (other.feed->pad, take_seek);
  gst_pad_add_probe (rig->out->sinkpad, GST_PAD_PROBE_TYPE_EVENT_FLUSH, let_another_flush, &other, NULL);
  fail_unless (gst_pad_push_event (rig->out->sinkpad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  fail_unless (other.thread != NULL);
  g_thread_join (other.thread);
  feed_segment (other.feed);
  feed_ramp (other.feed, 0, 30, 10);
  feed_eos (other.feed);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
  g_cond_clear (&other.flushed);
  g_mutex_clear (&other.lock);
}

GST_END_TEST;

/* ---- flushes of several pads ---- */

static GstEvent *
numbered (GstEvent *event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  return event;
}

static void
begin_flush (Feed *feed, guint32 seqnum)
{
  feed_event (feed, numbered (gst_event_new_flush_start (), seqnum));
}

static void
end_flush_of (Feed *feed, guint32 seqnum)
{
  feed_event (feed, numbered (gst_event_new_flush_stop (TRUE), seqnum));
  feed_segment (feed);
}

static Rig *
rig_at (Feed *feeds[2], gint last_ms)
{
  Rig *rig = rig_with_one ("100/1", &feeds[0]);

  feeds[1] = feed_new_bare (rig, "proprio_1", FALSE);
  feed_start (feeds[1], ONE_CHANNEL);
  feed_ramp (feeds[0], 0, last_ms, 10);
  feed_ramp (feeds[1], 0, last_ms, 10);
  for (gint t = 0; t + 10 < last_ms; t += 10)
    gst_buffer_unref (pull (rig));
  return rig;
}

/* Rows that come to a pad before another is flushed are those of after the seek, however many there are. */
GST_START_TEST (test_many_rows_between_the_flushes_of_a_seek)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  Feed *feeds[2];
  Rig *rig = rig_at (feeds, 190);

  begin_flush (feeds[0], seqnum);
  begin_flush (feeds[1], seqnum);
  end_flush_of (feeds[0], seqnum);
  feed_ramp (feeds[0], 0, 100, 10);
  end_flush_of (feeds[1], seqnum);
  feed_ramp (feeds[1], 0, 100, 10);
  for (gint t = 0; t < 90; t += 10)
    expect_two (rig, MS (t), (gfloat) t, ALIGNED, (gfloat) t, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* A pad that is flushed once more before the flush of all has ended, and one that goes within it. */
GST_START_TEST (test_flush_that_loses_a_pad)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  Feed *feeds[2];
  Rig *rig = rig_at (feeds, 50);

  begin_flush (feeds[0], seqnum);
  begin_flush (feeds[1], seqnum);
  end_flush_of (feeds[0], seqnum);
  if (__i__) {
    feed_remove (feeds[1]);
  } else {
    begin_flush (feeds[0], gst_util_seqnum_next ());
    end_flush_of (feeds[0], gst_util_seqnum_next ());
    end_flush_of (feeds[1], seqnum);
    feed_ramp (feeds[1], 0, 50, 10);
  }
  feed_ramp (feeds[0], 0, 50, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

/* The only pad goes within its flush, and another comes. */
GST_START_TEST (test_flush_that_loses_its_only_pad)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);

  feed_ramp (a, 0, 30, 10);
  expect (rig, 0, 0, ALIGNED);
  begin_flush (a, gst_util_seqnum_next ());
  feed_remove (a);
  drop_samples (rig);
  a = feed_new_bare (rig, "proprio_1", FALSE);
  feed_start (a, ONE_CHANNEL);
  feed_ramp (a, 0, 50, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

static void
expect_three (Rig *rig, gint64 tick)
{
  GstBuffer *sample = pull (rig);

  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), tick);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int64 (status_of (sample, i), ALIGNED);
    assert_value (value_of (sample, i, 0), (gfloat) (tick / GST_MSECOND));
  }
  gst_buffer_unref (sample);
}

/* A pad comes within a flush of all, and from upstream only the end of its own: before the others are flushed, or when the
 * flush has ended without it. Ticks wait for its first rows anyway, and of those that came to the others nothing is lost. */
GST_START_TEST (test_flush_of_which_a_new_pad_sees_the_end)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  Feed *feeds[2], *late;
  Rig *rig = rig_at (feeds, 50);

  begin_flush (feeds[0], seqnum);
  begin_flush (feeds[1], seqnum);
  drop_samples (rig);
  late = feed_new_bare (rig, "proprio_2", FALSE);
  if (__i__ == 0)
    feed_event (late, numbered (gst_event_new_flush_stop (TRUE), seqnum));
  end_flush_of (feeds[0], seqnum);
  end_flush_of (feeds[1], seqnum);
  feed_ramp (feeds[0], 0, 50, 10);
  feed_ramp (feeds[1], 0, 50, 10);
  if (__i__ == 1)
    feed_event (late, numbered (gst_event_new_flush_stop (TRUE), seqnum));
  feed_start (late, ONE_CHANNEL);
  feed_ramp (late, 0, 50, 10);
  for (gint t = 0; t < 40; t += 10)
    expect_three (rig, MS (t));
  assert_all_rows_balance (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A pad is deactivated within a flush, and comes back: no tick after the flush, which ends without it, is answered with its
 * rows of before. */
GST_START_TEST (test_flush_of_a_pad_that_is_activated_anew)
{
  const guint32 seqnum = gst_util_seqnum_next ();
  Feed *feeds[2];
  Rig *rig = rig_at (feeds, 50);

  begin_flush (feeds[0], seqnum);
  begin_flush (feeds[1], seqnum);
  drop_samples (rig);
  fail_unless_equals_uint64 (count_of (feeds[1]->sink, "rows-dropped-flush"), 0);
  gst_pad_set_active (feeds[1]->sink, FALSE);
  fail_unless (count_of (feeds[1]->sink, "rows-dropped-flush") > 0);
  gst_pad_set_active (feeds[1]->sink, TRUE);
  end_flush_of (feeds[0], seqnum);
  feed_ramp (feeds[0], 0, 50, 10);
  end_flush_of (feeds[1], seqnum);
  for (gint t = 0; t <= 50; t += 10)
    feed_one (feeds[1], MS (t), (gfloat) (t + 100));
  for (gint t = 0; t < 40; t += 10)
    expect_two (rig, MS (t), (gfloat) t, ALIGNED, (gfloat) (t + 100), ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

static gboolean
refuse_seek (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return FALSE;
}

static gboolean
can_seek (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_seeking (query, GST_FORMAT_TIME, TRUE, 0, -1);
  return TRUE;
}

/* A source that promised it could, and a seek with no source at all: nothing changes. */
GST_START_TEST (test_seek_that_fails)
{
  Feed *a = NULL;
  Rig *rig = __i__ ? rig_with_one ("100/1", &a) : rig_new ("rate", "100/1", NULL);
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);

  if (a) {
    gst_pad_set_event_function (a->pad, refuse_seek);
    gst_pad_set_query_function (a->pad, can_seek);
    feed_ramp (a, 0, 20, 10);   /* no tick is on its way when the seek flushes */
    expect (rig, 0, 0, ALIGNED);
  } else {
    rig_play (rig);
  }
  fail_if (gst_pad_push_event (rig->out->sinkpad, seek));
  if (a == NULL) {
    a = feed_new_bare (rig, "proprio_0", FALSE);
    feed_start (a, ONE_CHANNEL);
    feed_ramp (a, 10, 20, 10);
  }
  feed_ramp (a, 30, 60, 10);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  rig_free (rig);
}

GST_END_TEST;

static GstPadProbeReturn
seek_from_within (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  gint *n_refused = data;

  *n_refused += !gst_pad_push_event (pad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
          GST_SEEK_TYPE_NONE, 0));
  return GST_PAD_PROBE_OK;
}

/* It would wait for itself. */
GST_START_TEST (test_seek_from_the_thread_of_samples)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);
  gint n_refused = 0;

  gst_pad_set_event_function (a->pad, seek_by_flushing);
  gst_pad_add_probe (rig->out->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, seek_from_within, &n_refused, NULL);
  feed_ramp (a, 0, 50, 10);
  feed_eos (a);
  for (gint t = 0; t <= 50; t += 10)
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_int (n_refused, 6);
  rig_free (rig);
}

GST_END_TEST;

static gboolean
cannot_seek (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) != GST_QUERY_SEEKING)
    return gst_pad_query_default (pad, parent, query);
  gst_query_set_seeking (query, GST_FORMAT_TIME, FALSE, 0, -1);
  return TRUE;
}

/* A seek that a source cannot follow does no harm. */
GST_START_TEST (test_seek_of_a_source_that_cannot)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);

  gst_pad_set_query_function (a->pad, cannot_seek);
  feed_ramp (a, 0, 20, 10);
  fail_if (gst_pad_push_event (rig->out->sinkpad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
              GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  feed_ramp (a, 30, 40, 10);
  feed_eos (a);
  for (gint t = 0; t <= 40; t += 10)
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* To NULL between the beginning and the end of a flush, by upstream or by a seek: nothing of it is left afterwards. */
GST_START_TEST (test_restart_within_a_flush)
{
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);

  feed_one (a, 0, 1);
  if (__i__) {
    gst_pad_set_event_function (a->pad, seek_by_starting_a_flush);
    fail_unless (gst_pad_push_event (rig->out->sinkpad, gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH,
                GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET, MS (25))));
  } else {
    feed_event (a, gst_event_new_flush_start ());
  }
  rig_stop (rig);
  gst_pad_set_active (a->pad, FALSE);
  gst_pad_set_active (a->pad, TRUE);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_ramp (a, 0, 30, 10);
  feed_eos (a);
  for (gint t = 0; t <= 30; t += 10)
    expect (rig, MS (t), (gfloat) t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- errors ---- */

/* Rows that wait for their tick when a stream fails stay where they are, and EOS is the end. */
GST_START_TEST (test_no_sample_after_an_error)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *good = feed_new_bare (rig, "proprio_0", FALSE), *bad = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (good, ONE_CHANNEL);
  feed_start (bad, ONE_CHANNEL);
  feed_ramp (good, 0, 50, 10);
  feed_caps (bad, F32 ("0"));
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "proprio_1", "0", NULL);
  all_eos (rig);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 0);
  assert_rows_balance (good);
  rig_free (rig);
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
  Feed *a;
  Rig *rig = rig_with_one ("100/1", &a);
  GstSegment segment;

  gst_pad_add_probe (rig->out->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, let_it_look, a, NULL);
  feed_one (a, MS (105), 1);
  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.stop = GST_SECOND;
  feed_event (a, gst_event_new_segment (&segment));
  feed_one (a, MS (10), 2);
  feed_one (a, MS (300), 3);
  feed_eos (a);
  for (gint t = 110; t <= 300; t += 10) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (t));
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuseflow_suite (void)
{
  Suite *s = suite_create ("robocachefuseflow");
  TCase *tc = add_case (s, "ends and flushes");

  tcase_add_test (tc, test_eos_without_data);
  tcase_add_loop_test (tc, test_eos_without_segment, 0, 2);
  tcase_add_test (tc, test_eos_on_one_pad);
  tcase_add_test (tc, test_stream_start_after_eos);
  tcase_add_test (tc, test_flush_of_one_pad);
  tcase_add_test (tc, test_flush_of_all_pads);
  tcase_add_test (tc, test_rows_between_the_flushes_of_a_seek);
  tcase_add_test (tc, test_flush_frees_a_waiting_source);
  tcase_add_test (tc, test_flushing_seeks);
  tcase_add_test (tc, test_seeks_while_flowing);
  tcase_add_loop_test (tc, test_refused_seeks, 0, G_N_ELEMENTS (refused));
  tcase_add_test (tc, test_ticks_end_where_the_seek_says);
  tcase_add_test (tc, test_seek_within_another_flush);
  tcase_add_test (tc, test_many_rows_between_the_flushes_of_a_seek);
  tcase_add_loop_test (tc, test_flush_that_loses_a_pad, 0, 2);
  tcase_add_test (tc, test_flush_that_loses_its_only_pad);
  tcase_add_test (tc, test_flush_of_a_pad_that_is_activated_anew);
  tcase_add_loop_test (tc, test_flush_of_which_a_new_pad_sees_the_end, 0, 2);
  tcase_add_loop_test (tc, test_seek_that_fails, 0, 2);
  tcase_add_test (tc, test_seek_from_the_thread_of_samples);
  tcase_add_test (tc, test_seek_of_a_source_that_cannot);
  tcase_add_loop_test (tc, test_restart_within_a_flush, 0, 2);
  tcase_add_test (tc, test_no_sample_after_an_error);
  tcase_add_test (tc, test_ticks_go_forwards_whatever_comes_while_caps_are_agreed_on);
  return s;
}

GST_CHECK_MAIN (robocachefuseflow);
