/* robocache: robocachefuse, its pads: names, coming and going, ends and flushes, and cameras
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

/* ---- names ---- */

static const gchar *good_names[] = { "camera_0", "proprio_7", "force_4294967295", "sink_12" };
static const gchar *bad_names[] = { "camera_x", "proprio_", "force_-1", "sink_4294967296", "lidar_0", "proprio_1x" };

GST_START_TEST (test_name_is_honoured)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, good_names[__i__]);

  fail_unless (pad != NULL);
  fail_unless_equals_string (GST_OBJECT_NAME (pad), good_names[__i__]);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_name_is_refused)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  fail_unless (gst_element_request_pad_simple (fuse, bad_names[__i__]) == NULL);
  gst_object_unref (fuse);
}

GST_END_TEST;

/* Core refuses a name that is taken with a critical of its own; asked through the template it is ours to say no. */
GST_START_TEST (test_unnamed_pads_are_numbered)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  static const struct
  {
    const gchar *asked, *got;
  } pads[] = {
    {"proprio_%u", "proprio_0"},
    {"proprio_2", "proprio_2"},
    {"proprio_%u", "proprio_1"},
    {"proprio_%u", "proprio_3"},
    {"camera_%u", "camera_0"},
    {"sink_%u", "sink_0"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    GstPad *pad = gst_element_request_pad_simple (fuse, pads[i].asked);

    fail_unless (pad != NULL);
    fail_unless_equals_string (GST_OBJECT_NAME (pad), pads[i].got);
    gst_object_unref (pad);
  }
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_name_of_a_released_pad_is_free)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  for (gint i = 0; i < 3; i++) {
    GstPad *pad = gst_element_request_pad_simple (fuse, "force_%u");

    fail_unless_equals_string (GST_OBJECT_NAME (pad), "force_0");
    gst_element_release_request_pad (fuse, pad);
    gst_object_unref (pad);
  }
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_children)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstChildProxy *proxy = GST_CHILD_PROXY (fuse);
  GstPad *pad = gst_element_request_pad_simple (fuse, "force_1");
  GObject *child;
  gint64 offset = 0;

  fail_unless_equals_int (gst_child_proxy_get_children_count (proxy), 1);
  child = gst_child_proxy_get_child_by_name (proxy, "force_1");
  fail_unless (child == G_OBJECT (pad));
  g_object_unref (child);
  fail_unless (gst_child_proxy_get_child_by_index (proxy, 1) == NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (fuse), "force_1::offset", (gint64) - 5, NULL);
  g_object_get (pad, "offset", &offset, NULL);
  fail_unless_equals_int64 (offset, -5);
  gst_element_release_request_pad (fuse, pad);
  gst_object_unref (pad);
  fail_unless_equals_int (gst_child_proxy_get_children_count (proxy), 0);
  gst_object_unref (fuse);
}

GST_END_TEST;

/* ---- launch lines ---- */

static GstElement *
launch (const gchar *line, GstElement **fuse)
{
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (pipeline != NULL && error == NULL, "%s", error ? error->message : "no pipeline");
  *fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  return pipeline;
}

static void
run_to_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  fail_unless_equals_int (GST_MESSAGE_TYPE (message), GST_MESSAGE_EOS);
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
end_pipeline (GstElement *pipeline, GstElement *fuse)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (fuse);
  gst_object_unref (pipeline);
}

static void
assert_pad (GstElement *fuse, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (fuse, name);

  fail_unless (pad != NULL, "there is no pad %s", name);
  gst_object_unref (pad);
}

#define SENSOR(n) "robocachetestsrc kind=proprio channels=2 rate=100/1 num-buffers=" #n " ! "

GST_START_TEST (test_launch_without_pad_names)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 ! fakesink " SENSOR (20) "fuse. " SENSOR (20)
      "fuse.", &fuse);

  assert_pad (fuse, "sink_0");
  assert_pad (fuse, "sink_1");
  run_to_eos (pipeline);
  fail_unless_equals_uint64 (count_of (fuse, "ticks-out"), 10);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_in_line)
{
  GstElement *fuse, *pipeline = launch (SENSOR (20) "robocachefuse name=fuse rate=50/1 ! fakesink", &fuse);

  assert_pad (fuse, "sink_0");
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_property_before_its_pad)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 proprio_1::offset=7000000 "
      "proprio_1::interpolation=cubic proprio_1::angles=0-1 ! fakesink " SENSOR (20) "fuse.proprio_1", &fuse);
  GstPad *pad = gst_element_get_static_pad (fuse, "proprio_1");
  gchar *angles = NULL;
  gint64 offset = 0;

  fail_unless (pad != NULL);
  g_object_get (pad, "offset", &offset, "angles", &angles, NULL);
  fail_unless_equals_int64 (offset, 7000000);
  fail_unless_equals_string (angles, "0-1");
  g_free (angles);
  gst_object_unref (pad);
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_with_a_camera)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse ! fakesink "
      "videotestsrc num-buffers=10 ! video/x-raw,format=RGB,width=32,height=8,framerate=25/1 ! fuse.camera_0 " SENSOR (40)
      "fuse.proprio_0", &fuse);

  run_to_eos (pipeline);
  fail_unless_equals_uint64 (count_of (fuse, "ticks-out"), 10);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

/* ---- pads that come and go ---- */

GST_START_TEST (test_pad_is_removed)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 20, 10);
  feed_ramp (b, 0, 20, 10);
  expect_two (rig, 0, 0, ALIGNED, 0, ALIGNED);
  feed_remove (b);              /* and the next tick waits for it no more */
  feed_one (a, MS (30), 30);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10));
  fail_unless_equals_int (gst_buffer_n_memory (sample), 1);
  assert_output_field (rig, "streams", "proprio_0");
  gst_buffer_unref (sample);
  feed_eos (a);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_pad_is_added)
{
  Feed *a, *b;
  Rig *rig = rig_with_one ("100/1", &a);

  feed_ramp (a, 0, 20, 10);
  expect (rig, 0, 0, ALIGNED);
  b = feed_new_bare (rig, "camera_0", FALSE);
  feed_remove (b);
  b = feed_new_bare (rig, "proprio_1", FALSE);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (b, 10, 30, 10);
  feed_one (a, MS (30), 30);
  all_eos (rig);
  for (gint i = 1; i <= 3; i++)
    expect_two (rig, MS (10 * i), 10 * i, ALIGNED, 10 * i, ALIGNED);
  assert_eos (rig);
  assert_output_field (rig, "streams", "proprio_0,proprio_1");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_last_pad_is_removed)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_ramp (feed, 0, 20, 10);
  expect (rig, 0, 0, ALIGNED);
  feed_remove (feed);           /* with no pads left the element waits */
  feed = feed_new_bare (rig, "proprio_0", FALSE);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 20, 30, 10);
  feed_eos (feed);
  expect (rig, MS (10), NAN, MISSING);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* A source that waits for the others is let go when its pad is. */
static gpointer
push_until_refused (gpointer data)
{
  const gfloat zero = 0;
  gint64 n = 0;

  while (feed_row (data, MS (10 * n), &zero, 1) == GST_FLOW_OK)
    n++;
  return NULL;
}

GST_START_TEST (test_removing_a_pad_frees_its_source)
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
  gst_element_release_request_pad (rig->fuse, a->sink);
  g_thread_join (thread);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_stopping_frees_a_waiting_source)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE);
  GThread *thread;

  feed_new_bare (rig, "proprio_1", FALSE);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  thread = g_thread_new ("source", push_until_refused, a);
  while (count_of (a->sink, "rows-in") < 10)
    g_thread_yield ();
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  g_thread_join (thread);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_reference_pad_is_removed)
{
  Rig *rig = rig_new ("reference-pad", "sink_0", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *reference = feed_new_bare (rig, "sink_0", FALSE);

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (reference, ONE_CHANNEL);
  feed_ramp (a, 0, 30, 10);
  feed_ramp (reference, 5, 25, 10);
  expect_two (rig, MS (5), 5, ALIGNED, 5, ALIGNED);
  feed_remove (reference);
  feed_one (a, MS (40), 40);    /* it is the end of the ticks, not an error */
  feed_eos (a);
  assert_eos (rig);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

/* ---- where ticks come from ---- */

GST_START_TEST (test_reference_pad)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *reference = feed_new_bare (rig, "proprio_0", FALSE), *other = feed_new_bare (rig, "proprio_1", FALSE);
  static const gint times[] = { 3, 7, 18, 29 };

  feed_set (reference, "offset", "1000000", NULL);
  rig_play (rig);
  feed_start (reference, ONE_CHANNEL);
  feed_start (other, ONE_CHANNEL);
  feed_ramp (other, 0, 40, 10);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    feed_one (reference, MS (times[i]), i);
    feed_one (reference, MS (times[i]), i);     /* a duplicate makes no tick, nor does a late row */
    feed_one (reference, MS (times[i] - 1), 99);
  }
  all_eos (rig);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++)
    expect_two (rig, MS (times[i] + 1), i, ALIGNED, times[i] + 1, ALIGNED);
  assert_eos (rig);
  assert_output_field (rig, "framerate", "0/1");
  assert_rows_balance (reference);
  rig_free (rig);
}

GST_END_TEST;

/* The end of the reference pad is the end, though others go on. */
GST_START_TEST (test_eos_of_the_reference_pad)
{
  Rig *rig = rig_new ("reference-pad", "proprio_0", NULL);
  Feed *reference = feed_new_bare (rig, "proprio_0", FALSE), *other = feed_new_bare (rig, "proprio_1", FALSE);
  const gfloat zero = 0;
  GstFlowReturn flow = GST_FLOW_OK;

  rig_play (rig);
  feed_start (reference, ONE_CHANNEL);
  feed_start (other, ONE_CHANNEL);
  feed_one (reference, 0, 1);
  feed_eos (reference);
  feed_ramp (other, 0, 20, 10);
  expect_two (rig, 0, 1, ALIGNED, 0, ALIGNED);
  assert_eos (rig);
  for (gint i = 3; i < 10000 && flow == GST_FLOW_OK; i++)
    flow = feed_row (other, MS (10 * i), &zero, 1);
  fail_unless_equals_int (flow, GST_FLOW_EOS);
  rig_free (rig);
}

GST_END_TEST;

#define GRAY(rate) "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)2, framerate=(fraction)" rate

static void
feed_frame (Feed *feed, gint64 pts, guint8 value)
{
  guint8 pixels[8];

  memset (pixels, value, sizeof (pixels));
  fail_unless_equals_int (feed_bytes (feed, pts, pixels, sizeof (pixels)), GST_FLOW_OK);
}

static guint8
pixel_of (GstBuffer *sample, guint tensor, guint i)
{
  GstMapInfo map;
  guint8 value;

  fail_unless (gst_memory_map (gst_buffer_peek_memory (sample, tensor), &map, GST_MAP_READ));
  fail_unless (i < map.size);
  value = map.data[i];
  gst_memory_unmap (gst_buffer_peek_memory (sample, tensor), &map);
  return value;
}

GST_START_TEST (test_lowest_camera_is_the_default_reference)
{
  Rig *rig = rig_new (NULL);
  Feed *high = feed_new_bare (rig, "camera_3", FALSE), *low = feed_new_bare (rig, "camera_1", FALSE);

  rig_play (rig);
  feed_start (high, GRAY ("10/1"));
  feed_start (low, GRAY ("40/1"));
  feed_frame (high, 0, 1);
  feed_frame (high, MS (100), 2);
  for (gint i = 0; i < 4; i++)
    feed_frame (low, MS (25 * i), 10 + i);
  all_eos (rig);
  for (gint i = 0; i < 4; i++) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (25 * i));
    fail_unless_equals_int64 (GST_BUFFER_DURATION (sample), MS (25));
    fail_unless_equals_int (pixel_of (sample, 0, 0), 10 + i);
    fail_unless_equals_int (pixel_of (sample, 1, 7), i <= 2 ? 1 : 2);   /* 50 ms is as near to both: the earlier */
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  assert_output_field (rig, "framerate", "40/1");
  assert_output_field (rig, "dimensions", "1:4:2,1:4:2");
  assert_output_field (rig, "types", "uint8,uint8");
  rig_free (rig);
}

GST_END_TEST;

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
    GstBuffer *sample;

    run_two_ticks (rig);
    assert_eos (rig);
    flush_all (rig);
    rig_renew_output (rig);
    feed_segment (a);
    feed_segment (b);
    feed_ramp (a, 500, 540, 10);
    feed_one (b, MS (500), 5);
    flush_all (rig);
    while ((sample = gst_harness_try_pull (rig->out)))
      gst_buffer_unref (sample);
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

/* ---- cameras ---- */

static Rig *
camera_rig (Feed **camera, const gchar *caps)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  *camera = feed_new_bare (rig, "camera_0", FALSE);
  rig_play (rig);
  feed_start (*camera, caps);
  return rig;
}

GST_START_TEST (test_dense_frame_is_not_copied)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  GstBuffer *frame = gst_buffer_new_allocate (NULL, 8, NULL), *sample;
  GstMemory *memory = gst_buffer_peek_memory (frame, 0);

  gst_buffer_memset (frame, 0, 42, 8);
  GST_BUFFER_PTS (frame) = 0;
  gst_memory_ref (memory);
  fail_unless_equals_int (gst_pad_push (camera->pad, frame), GST_FLOW_OK);
  feed_frame (camera, MS (30), 1);
  feed_eos (camera);
  for (gint i = 0; i <= 1; i++) {       /* nearest: the same frame twice */
    sample = pull (rig);
    fail_unless (gst_buffer_peek_memory (sample, 0) == memory);
    fail_unless_equals_int (pixel_of (sample, 0, 3), 42);
    gst_buffer_unref (sample);
  }
  sample = pull (rig);
  fail_if (gst_buffer_peek_memory (sample, 0) == memory);
  fail_unless_equals_int (pixel_of (sample, 0, 3), 1);
  gst_buffer_unref (sample);
  gst_buffer_unref (pull (rig));
  assert_eos (rig);
  gst_memory_unref (memory);
  rig_free (rig);
}

GST_END_TEST;

/* A held frame is handed on again, without a copy. */
GST_START_TEST (test_held_frame_is_not_copied)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE), *other = feed_new_bare (rig, "proprio_0", FALSE);
  GstMemory *memory = NULL;

  rig_play (rig);
  feed_start (camera, GRAY ("100/1"));
  feed_start (other, ONE_CHANNEL);
  feed_frame (camera, 0, 9);
  feed_ramp (other, 0, 30, 10);
  all_eos (rig);
  for (gint i = 0; i <= 3; i++) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_int64 (status_of (sample, 0), i == 0 ? ALIGNED : HELD);
    if (memory)
      fail_unless (gst_buffer_peek_memory (sample, 0) == memory);
    else
      memory = gst_memory_ref (gst_buffer_peek_memory (sample, 0));
    gst_buffer_unref (sample);
  }
  gst_memory_unref (memory);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_missing_frame_is_zero)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE), *other = feed_new_bare (rig, "proprio_0", FALSE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (camera, GRAY ("100/1"));
  feed_start (other, ONE_CHANNEL);
  feed_one (other, 0, 1);
  feed_frame (camera, MS (10), 200);
  all_eos (rig);
  sample = pull (rig);
  fail_unless_equals_int64 (status_of (sample, 0), MISSING);
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), 0);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* Lines of a width that is no multiple of 4 are padded: the padding is left out. */
static const struct
{
  const gchar *format;
  guint components, bytes;      /* bytes of a component */
  const gchar *type;
} camera_formats[] = {
  {"RGB", 3, 1, "uint8"},
  {"BGR", 3, 1, "uint8"},
  {"RGBA", 4, 1, "uint8"},
  {"GRAY8", 1, 1, "uint8"},
  {"GRAY16_LE", 1, 2, "uint16"},
};

GST_START_TEST (test_camera_formats)
{
  const guint components = camera_formats[__i__].components, line = 3 * components * camera_formats[__i__].bytes;
  const guint stride = GST_ROUND_UP_4 (line);
  gchar *caps = g_strdup_printf ("video/x-raw, format=(string)%s, width=(int)3, height=(int)2, framerate=(fraction)100/1",
      camera_formats[__i__].format);
  gchar *dimensions = g_strdup_printf ("%u:3:2", components);
  guint8 *bytes = g_malloc (2 * stride);
  Feed *camera;
  Rig *rig = camera_rig (&camera, caps);
  GstBuffer *sample;

  for (guint i = 0; i < 2 * stride; i++)
    bytes[i] = i % stride < line ? 1 + i : 255;
  feed_bytes (camera, 0, bytes, 2 * stride);
  feed_eos (camera);
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_get_size (sample), 2 * line);
  for (guint i = 0; i < 2 * line; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), 1 + i / line * stride + i % line);
  assert_output_field (rig, "dimensions", components == 1 ? "1:3:2" : dimensions);
  assert_output_field (rig, "types", camera_formats[__i__].type);
  gst_buffer_unref (sample);
  g_free (bytes);
  g_free (dimensions);
  g_free (caps);
  rig_free (rig);
}

GST_END_TEST;

static const struct
{
  const gchar *interpolation;
  gint expected;                /* of 10 at 0 and 30 at 20 ms, at 10 ms */
} blends[] = { {"linear", 20}, {"nearest", 10}, {"previous", 10}, {"cubic", 20}, {"mean", 20} };

GST_START_TEST (test_blended_frames)
{
  Feed *camera;
  Rig *rig = rig_new ("rate", "100/1", NULL);
  GstBuffer *sample;

  camera = feed_new_bare (rig, "camera_0", FALSE);
  feed_set (camera, "interpolation", blends[__i__].interpolation, NULL);
  rig_play (rig);
  feed_start (camera, GRAY ("50/1"));
  feed_frame (camera, 0, 10);
  feed_frame (camera, MS (20), 30);
  feed_eos (camera);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), blends[__i__].expected);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_window_of_frames)
{
  Rig *rig = rig_new ("rate", "100/1", "window", "2", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE);
  static const guint8 expected[][2] = { {0, 1}, {1, 2} };

  rig_play (rig);
  feed_start (camera, GRAY ("100/1"));
  feed_frame (camera, 0, 1);
  feed_frame (camera, MS (10), 2);
  feed_eos (camera);
  for (gint i = 0; i < 2; i++) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_int (pixel_of (sample, 0, 0), expected[i][0]);
    fail_unless_equals_int (pixel_of (sample, 0, 15), expected[i][1]);
    gst_buffer_unref (sample);
  }
  assert_output_field (rig, "dimensions", "1:4:2:2");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_concat_leaves_cameras_out)
{
  Rig *rig = rig_new ("layout", "concat", "type", "float32", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE), *other = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_start (camera, GRAY ("100/1"));
  feed_start (other, ONE_CHANNEL);
  feed_frame (camera, 0, 1);
  feed_one (other, 0, 7);
  all_eos (rig);
  expect (rig, 0, 7, ALIGNED);
  assert_output_field (rig, "streams", "proprio_0");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_concat_of_cameras_only)
{
  Rig *rig = rig_new ("layout", "concat", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE);

  rig_play (rig);
  feed_start (camera, GRAY ("100/1"));
  feed_frame (camera, 0, 1);
  feed_eos (camera);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "layout=concat", "camera", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_frame_of_wrong_size)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  const guint8 pixels[9] = { 0 };

  fail_if (feed_bytes (camera, 0, pixels, 9) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "camera_0", "9 bytes", "8", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* A video meta that leads out of the frame's memory, or tells of another picture. */
static const struct
{
  gint width, height, stride;
  gsize offset;
} wrong_metas[] = { {4, 2, 8, 0}, {4, 2, 4, 1}, {4, 2, 3, 0}, {4, 2, -4, 4}, {2, 2, 4, 0}, {4, 1, 4, 0}, {4, 2, 4, 1 << 30} };

GST_START_TEST (test_wrong_video_meta)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  const guint8 pixels[8] = { 0 };
  GstBuffer *frame = buffer_of (0, pixels, sizeof (pixels));
  gsize offset[GST_VIDEO_MAX_PLANES] = { wrong_metas[__i__].offset };
  gint stride[GST_VIDEO_MAX_PLANES] = { wrong_metas[__i__].stride };

  gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, wrong_metas[__i__].width,
      wrong_metas[__i__].height, 1, offset, stride);
  fail_if (gst_pad_push (camera->pad, frame) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "camera_0", "video meta", "4x2", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_video_meta_with_a_stride)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  guint8 pixels[16];
  gsize offset[GST_VIDEO_MAX_PLANES] = { 1 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 6 };
  GstBuffer *frame, *sample;

  for (guint i = 0; i < sizeof (pixels); i++)
    pixels[i] = i;
  frame = buffer_of (0, pixels, sizeof (pixels));
  gst_buffer_add_video_meta_full (frame, GST_VIDEO_FRAME_FLAG_NONE, GST_VIDEO_FORMAT_GRAY8, 4, 2, 1, offset, stride);
  fail_unless_equals_int (gst_pad_push (camera->pad, frame), GST_FLOW_OK);
  feed_eos (camera);
  sample = pull (rig);
  for (guint i = 0; i < 8; i++)
    fail_unless_equals_int (pixel_of (sample, 0, i), 1 + i / 4 * 6 + i % 4);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_allocation_query)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  GstCaps *caps = gst_caps_from_string (GRAY ("100/1"));
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  guint size = 0, min = 0, max = 1;

  fail_unless (gst_pad_peer_query (camera->pad, query));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, NULL, &size, &min, &max);
  fail_unless_equals_int (size, 8);
  fail_unless (min > 2);
  fail_unless_equals_int (max, 0);
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  gst_query_unref (query);
  gst_caps_unref (caps);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_allocation_query_without_caps)
{
  Feed *camera;
  Rig *rig = camera_rig (&camera, GRAY ("100/1"));
  GstQuery *query = gst_query_new_allocation (NULL, TRUE);

  fail_if (gst_pad_peer_query (camera->pad, query));
  gst_query_unref (query);
  rig_free (rig);
}

GST_END_TEST;

static TCase *
add_case (Suite *s, const gchar *name)
{
  TCase *tc = tcase_create (name);

  suite_add_tcase (s, tc);
  return tc;
}

static Suite *
robocachefusepads_suite (void)
{
  Suite *s = suite_create ("robocachefusepads");
  TCase *tc = add_case (s, "names");

  tcase_add_loop_test (tc, test_name_is_honoured, 0, G_N_ELEMENTS (good_names));
  tcase_add_loop_test (tc, test_name_is_refused, 0, G_N_ELEMENTS (bad_names));
  tcase_add_test (tc, test_unnamed_pads_are_numbered);
  tcase_add_test (tc, test_name_of_a_released_pad_is_free);
  tcase_add_test (tc, test_children);
  tcase_add_test (tc, test_launch_without_pad_names);
  tcase_add_test (tc, test_launch_in_line);
  tcase_add_test (tc, test_launch_property_before_its_pad);
  tcase_add_test (tc, test_launch_with_a_camera);

  tc = add_case (s, "coming and going");
  tcase_add_test (tc, test_pad_is_removed);
  tcase_add_test (tc, test_pad_is_added);
  tcase_add_test (tc, test_last_pad_is_removed);
  tcase_add_test (tc, test_removing_a_pad_frees_its_source);
  tcase_add_test (tc, test_stopping_frees_a_waiting_source);
  tcase_add_test (tc, test_reference_pad_is_removed);
  tcase_add_test (tc, test_reference_pad);
  tcase_add_test (tc, test_eos_of_the_reference_pad);
  tcase_add_test (tc, test_lowest_camera_is_the_default_reference);

  tc = add_case (s, "ends and flushes");
  tcase_add_test (tc, test_eos_without_data);
  tcase_add_test (tc, test_eos_on_one_pad);
  tcase_add_test (tc, test_stream_start_after_eos);
  tcase_add_test (tc, test_flush_of_one_pad);
  tcase_add_test (tc, test_flush_of_all_pads);
  tcase_add_test (tc, test_rows_between_the_flushes_of_a_seek);
  tcase_add_test (tc, test_flush_frees_a_waiting_source);
  tcase_add_test (tc, test_flushing_seeks);
  tcase_add_test (tc, test_seeks_while_flowing);

  tc = add_case (s, "cameras");
  tcase_add_test (tc, test_dense_frame_is_not_copied);
  tcase_add_test (tc, test_held_frame_is_not_copied);
  tcase_add_test (tc, test_missing_frame_is_zero);
  tcase_add_loop_test (tc, test_camera_formats, 0, G_N_ELEMENTS (camera_formats));
  tcase_add_loop_test (tc, test_blended_frames, 0, G_N_ELEMENTS (blends));
  tcase_add_test (tc, test_window_of_frames);
  tcase_add_test (tc, test_concat_leaves_cameras_out);
  tcase_add_test (tc, test_concat_of_cameras_only);
  tcase_add_test (tc, test_frame_of_wrong_size);
  tcase_add_loop_test (tc, test_wrong_video_meta, 0, G_N_ELEMENTS (wrong_metas));
  tcase_add_test (tc, test_video_meta_with_a_stride);
  tcase_add_test (tc, test_allocation_query);
  tcase_add_test (tc, test_allocation_query_without_caps);
  return s;
}

GST_CHECK_MAIN (robocachefusepads);
