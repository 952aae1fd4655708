/* robocache: robocachefuse, its samples: the order and the layout of tensors, info, the window
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

#define TENSORS "other/tensors, format=(string)static, num_tensors=(int)1, "
#define CHANNELS(names) F32 ("2") ", channels=(string)\"" names "\""

/* ---- the order and the layout of tensors ---- */

GST_START_TEST (test_order_of_tensors)
{
  static const gchar *names[] = { "sink_0", "force_2", "proprio_10", "proprio_9", "force_0" };
  static const gfloat expected[] = { 3, 2, 4, 1, 0 };
  Rig *rig = rig_new ("rate", "100/1", NULL);
  GstBuffer *sample;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    feed_new_bare (rig, names[i], FALSE);
  rig_play (rig);
  for (guint i = 0; i < rig->feeds->len; i++) {
    feed_start (g_ptr_array_index (rig->feeds, i), ONE_CHANNEL);
    feed_one (g_ptr_array_index (rig->feeds, i), 0, i);
  }
  all_eos (rig);
  sample = pull (rig);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    assert_value (value_of (sample, i, 0), expected[i]);
  fail_unless_equals_string (gst_structure_get_string (sample_meta (sample), "streams"),
      "proprio_9,proprio_10,force_0,force_2,sink_0");
  assert_output_field (rig, "streams", "proprio_9,proprio_10,force_0,force_2,sink_0");
  assert_output_field (rig, "num_tensors", "5");
  assert_output_field (rig, "dimensions", "1,1,1,1,1");
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_concat)
{
  Rig *rig = rig_new ("rate", "100/1", "layout", "concat", NULL);
  Feed *force = feed_new_bare (rig, "force_0", FALSE), *proprio = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat a[] = { 1, 2 };
  const gdouble b[] = { 3, 4, 5 };
  GstBuffer *sample;

  rig_play (rig);
  feed_start (force, TENSORS "types=(string)float64, dimensions=(string)3, channels=(string)\"fx,fy,fz\"");
  feed_start (proprio, CHANNELS ("q0,q1"));
  feed_row (proprio, 0, a, 2);
  feed_bytes (force, 0, b, sizeof (b));
  all_eos (rig);
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_n_memory (sample), 1);
  for (guint i = 0; i < 5; i++)
    assert_value (value_of (sample, 0, i), i + 1);
  assert_output_field (rig, "dimensions", "5");
  assert_output_field (rig, "types", "float32");
  assert_output_field (rig, "channels", "q0,q1,fx,fy,fz");
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* Names that do not fit their channels would name the wrong ones: none are told. */
static const gchar *half_named[] = { F32 ("2"), CHANNELS ("q0"), CHANNELS ("q0,q1,q2") };

GST_START_TEST (test_channels_only_when_all_are_named)
{
  Rig *rig = rig_new ("rate", "100/1", "layout", "concat", NULL);
  Feed *named = feed_new_bare (rig, "proprio_0", FALSE), *other = feed_new_bare (rig, "proprio_1", FALSE);
  const gfloat row[] = { 1, 2 };
  GstBuffer *sample;

  rig_play (rig);
  feed_start (named, CHANNELS ("a,b"));
  feed_start (other, half_named[__i__]);
  feed_row (named, 0, row, 2);
  feed_row (other, 0, row, 2);
  all_eos (rig);
  sample = pull (rig);
  assert_output_field (rig, "channels", NULL);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

static Rig *
rig_with_many (guint n, const gchar *layout, const gchar *info)
{
  Rig *rig = rig_new ("rate", "100/1", "layout", layout, "info", info, NULL);

  for (guint i = 0; i < n; i++) {
    gchar *name = g_strdup_printf ("sink_%u", i);

    feed_new_bare (rig, name, FALSE);
    g_free (name);
  }
  rig_play (rig);
  for (guint i = 0; i < n; i++) {
    feed_start (g_ptr_array_index (rig->feeds, i), ONE_CHANNEL);
    feed_one (g_ptr_array_index (rig->feeds, i), 0, i);
  }
  all_eos (rig);
  return rig;
}

GST_START_TEST (test_sixteen_tensors)
{
  Rig *rig = rig_with_many (16, "tensors", "none");

  expect (rig, 0, 0, ALIGNED);
  assert_output_field (rig, "num_tensors", "16");
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_seventeen_streams_need_concat)
{
  Rig *rig = rig_with_many (17, "tensors", "none");

  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "17 streams", "16", "layout=concat", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_sixteen_streams_and_info_need_concat)
{
  Rig *rig = rig_with_many (16, "tensors", "tensor");

  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "16 streams", "layout=concat", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_concat_of_seventeen)
{
  Rig *rig = rig_with_many (17, "concat", "tensor");
  GstBuffer *sample = pull (rig);

  for (guint i = 0; i < 17; i++)
    assert_value (value_of (sample, 0, i), i);
  assert_output_field (rig, "dimensions", "17,4:17");
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_concat_is_float32)
{
  Rig *rig = rig_new ("rate", "100/1", "layout", "concat", "type", "float64", NULL);
  Feed *feed = feed_new_bare (rig, "sink_0", FALSE);

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 0);
  feed_eos (feed);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "concat", "float64", "type", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- info ---- */

static void
assert_info_tensor_is_meta (GstBuffer *sample, guint tensor)
{
  gsize size;
  gconstpointer meta = g_bytes_get_data (g_value_get_boxed (gst_structure_get_value (sample_meta (sample), "info")), &size);
  GstMapInfo map;

  fail_unless (gst_memory_map (gst_buffer_peek_memory (sample, tensor), &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, size);
  fail_unless (memcmp (map.data, meta, size) == 0);
  gst_memory_unmap (gst_buffer_peek_memory (sample, tensor), &map);
}

GST_START_TEST (test_info)
{
  Rig *rig = rig_new ("rate", "100/1", "info", "tensor", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  static const gint64 expected[] = { 10000000, 8000000, 12000000, ALIGNED, 10000000, NONE, NONE, MISSING };
  GstBuffer *sample;
  gint64 tick = 0;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_one (a, MS (8), 8);
  feed_one (a, MS (12), 12);
  all_eos (rig);
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_n_memory (sample), 3);
  assert_info_tensor_is_meta (sample, 2);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    fail_unless_equals_int64 (info_of (sample, i / 4, i % 4), expected[i]);
  fail_unless (gst_structure_get_int64 (sample_meta (sample), "tick", &tick));
  fail_unless_equals_int64 (tick, MS (10));
  assert_output_field (rig, "types", "float32,float32,int64");
  assert_output_field (rig, "dimensions", "1,1,4:2");
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* The times of info are the output's: a pad's offset is in them. */
GST_START_TEST (test_info_with_offset)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstBuffer *sample;

  feed_set (feed, "offset", "5000000", NULL);
  feed_one (feed, MS (4), 4);
  feed_one (feed, MS (8), 8);
  feed_eos (feed);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10));
  fail_unless_equals_int64 (info_of (sample, 0, INFO_BEFORE), MS (9));
  fail_unless_equals_int64 (info_of (sample, 0, INFO_AFTER), MS (13));
  assert_value (value_of (sample, 0, 0), 5);
  gst_buffer_unref (sample);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_meta_survives_a_copy)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstBuffer *sample, *copy;

  feed_one (feed, 0, 1);
  feed_eos (feed);
  sample = pull (rig);
  copy = gst_buffer_copy_deep (sample);
  gst_buffer_unref (sample);
  fail_unless_equals_int64 (status_of (copy, 0), ALIGNED);
  fail_unless_equals_string (gst_structure_get_string (sample_meta (copy), "streams"), "proprio_0");
  gst_buffer_unref (copy);
  rig_free (rig);
}

GST_END_TEST;

/* ---- window ---- */

GST_START_TEST (test_window)
{
  Rig *rig = rig_new ("rate", "100/1", "window", "3", "info", "tensor", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  static const gfloat rows[][3] = { {NAN, NAN, 0}, {NAN, 0, 10}, {0, 10, 20}, {10, 20, 30} };
  static const gint64 statuses[][3] = { {MISSING, MISSING, ALIGNED}, {MISSING, ALIGNED, ALIGNED}, {0, 0, 0}, {0, 0, 0} };

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 0, 30, 10);
  feed_eos (feed);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *sample = pull (rig);

    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10 * i));
    fail_unless_equals_int64 (GST_BUFFER_DURATION (sample), MS (10));
    assert_info_tensor_is_meta (sample, 1);
    for (guint slot = 0; slot < 3; slot++) {
      assert_value (value_of (sample, 0, slot), rows[i][slot]);
      fail_unless_equals_int64 (info_of (sample, slot, INFO_STATUS), statuses[i][slot]);
      fail_unless_equals_int64 (info_of (sample, slot, INFO_TICK), i + slot < 2 ? NONE : MS (10 * (i + slot - 2)));
    }
    gst_buffer_unref (sample);
  }
  assert_output_field (rig, "dimensions", "1:3,4:1:3");
  assert_output_field (rig, "window", "3");
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* The rows of ticks that were dropped are in the window: it lies on the tick grid. */
GST_START_TEST (test_window_keeps_dropped_ticks)
{
  Rig *rig = rig_new ("rate", "100/1", "window", "2", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GstBuffer *sample;

  feed_set (b, "required", "true", NULL);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 20, 10);
  feed_one (b, MS (20), 5);
  all_eos (rig);
  sample = pull (rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (20));
  assert_value (value_of (sample, 0, 0), 10);
  assert_value (value_of (sample, 0, 1), 20);
  assert_value (value_of (sample, 1, 0), NAN);
  assert_value (value_of (sample, 1, 1), 5);
  gst_buffer_unref (sample);
  assert_eos (rig);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-dropped"), 2);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_window_of_concat)
{
  Rig *rig = rig_new ("rate", "100/1", "window", "2", "layout", "concat", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "force_0", FALSE);
  static const gfloat expected[] = { 0, 100, 10, 110 };
  GstBuffer *sample;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 10, 10);
  feed_one (b, 0, 100);
  feed_one (b, MS (10), 110);
  all_eos (rig);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  for (guint i = 0; i < 4; i++)
    assert_value (value_of (sample, 0, i), expected[i]);
  assert_output_field (rig, "dimensions", "2:2");
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefusesamples_suite (void)
{
  Suite *s = suite_create ("robocachefusesamples");
  TCase *tc = add_case (s, "samples");

  tcase_add_test (tc, test_order_of_tensors);
  tcase_add_test (tc, test_concat);
  tcase_add_loop_test (tc, test_channels_only_when_all_are_named, 0, G_N_ELEMENTS (half_named));
  tcase_add_test (tc, test_sixteen_tensors);
  tcase_add_test (tc, test_seventeen_streams_need_concat);
  tcase_add_test (tc, test_sixteen_streams_and_info_need_concat);
  tcase_add_test (tc, test_concat_of_seventeen);
  tcase_add_test (tc, test_concat_is_float32);
  tcase_add_test (tc, test_info);
  tcase_add_test (tc, test_info_with_offset);
  tcase_add_test (tc, test_meta_survives_a_copy);
  tcase_add_test (tc, test_window);
  tcase_add_test (tc, test_window_keeps_dropped_ticks);
  tcase_add_test (tc, test_window_of_concat);
  return s;
}

GST_CHECK_MAIN (robocachefusesamples);
