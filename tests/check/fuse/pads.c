/* robocache: robocachefuse, its pads: names, coming and going, and the pad that gives the ticks
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

static void
assert_pad (GstElement *fuse, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (fuse, name);

  fail_unless (pad != NULL, "there is no pad %s", name);
  gst_object_unref (pad);
}

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
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Live, the ticks between are not made up for, either, when a stream comes back. */
GST_START_TEST (test_last_pad_is_removed_live)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE), *silent = feed_new_bare (rig, "proprio_1", TRUE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 0);
  fail_unless (gst_test_clock_crank (rig->clock));      /* to the first tick's deadline */
  expect (rig, 0, 0, ALIGNED);
  feed_remove (feed);           /* only a pad without caps is left */
  feed_start (silent, ONE_CHANNEL);
  feed_one (silent, MS (5000), 7);
  sample = pull (rig);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (sample), MS (5000));
  fail_unless (GST_BUFFER_FLAG_IS_SET (sample, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* A source that waits for the others is let go when its pad is. */
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
  tcase_add_test (tc, test_last_pad_is_removed_live);
  tcase_add_test (tc, test_removing_a_pad_frees_its_source);
  tcase_add_test (tc, test_stopping_frees_a_waiting_source);
  tcase_add_test (tc, test_reference_pad_is_removed);
  tcase_add_test (tc, test_reference_pad);
  tcase_add_test (tc, test_eos_of_the_reference_pad);
  return s;
}

GST_CHECK_MAIN (robocachefusepads);
