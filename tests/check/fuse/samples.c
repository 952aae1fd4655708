/* robocache: robocachefuse, its samples: more streams than tensors, info, the window
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#include "robocache/robocache.h"

/* ---- more streams than tensors ---- */

static Rig *
rig_with_many (guint n, const gchar *settings)
{
  Rig *rig = rig_new (settings);

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

static const struct
{
  guint n;
  const gchar *settings, *dimensions, *error;
} many[] = {
  {16, "rate=100/1", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1"},
  {17, "rate=100/1", NULL, "negotiation:17 streams|16|layout=concat"},
  {16, "rate=100/1 info=tensor", NULL, "negotiation:16 streams|layout=concat"},
  {17, "rate=100/1 info=tensor layout=concat", "17,4:17"},
};

GST_START_TEST (test_many_streams)
{
  const gboolean is_concat = strstr (many[__i__].settings, "concat") != NULL;
  Rig *rig = rig_with_many (many[__i__].n, many[__i__].settings);
  GstBuffer *sample;

  if (many[__i__].error) {
    assert_error (rig, "%s", many[__i__].error);
  } else {
    sample = pull (rig);
    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), 0);
    fail_unless_equals_int64 (status_of (sample, 0), ALIGNED);
    for (guint i = 0; i < many[__i__].n; i++)
      assert_value (value_of (sample, is_concat ? 0 : i, is_concat ? i : 0), i);
    assert_output_field (rig, "dimensions", many[__i__].dimensions);
    gst_buffer_unref (sample);
  }
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

/* The sample of test_info, as an application reads it. */
static void
assert_library_reads_it (GstBuffer *sample)
{
  RobocacheSampleStatus status = ROBOCACHE_SAMPLE_STATUS_ALIGNED;
  gint64 tick = 0, before = 0, after = 0;

  fail_unless (robocache_sample_meta_get_times (sample, "proprio_0", -1, &tick, &before, &after));
  fail_unless (tick == MS (10) && before == MS (8) && after == MS (12));
  fail_unless (robocache_sample_meta_get_status (sample, "proprio_1", -1, &status, NULL));
  fail_unless_equals_int (status, ROBOCACHE_SAMPLE_STATUS_MISSING);
}

GST_START_TEST (test_info)
{
  static const gint64 expected[] = { 10000000, 8000000, 12000000, ALIGNED, 10000000, NONE, NONE, MISSING };
  Play *play = play_new ("rate=100/1 info=tensor", "a b");
  GstBuffer *sample;
  gint64 tick = 0;

  play_words (play, "a+8 a+12 eos");
  sample = pull (play->rig);
  fail_unless_equals_int (gst_buffer_n_memory (sample), 3);
  assert_info_tensor_is_meta (sample, 2);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    fail_unless_equals_int64 (info_of (sample, i / 4, i % 4), expected[i]);
  fail_unless (gst_structure_get_int64 (sample_meta (sample), "tick", &tick));
  fail_unless_equals_int64 (tick, MS (10));
  assert_library_reads_it (sample);
  play_words (play, "caps.types=float32,float32,int64 caps.dimensions=1,1,4:2");
  gst_buffer_unref (sample);
  play_free (play);
}

GST_END_TEST;

/* The times of info are the output's: a pad's offset is in them. */
GST_START_TEST (test_info_with_offset)
{
  Play *play = play_new ("rate=100/1", "a,offset=5ms");
  GstBuffer *sample;

  play_words (play, "a+4 a+8 a:eos");
  sample = pull (play->rig);
  fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10));
  fail_unless_equals_int64 (info_of (sample, 0, INFO_BEFORE), MS (9));
  fail_unless_equals_int64 (info_of (sample, 0, INFO_AFTER), MS (13));
  assert_value (value_of (sample, 0, 0), 5);
  gst_buffer_unref (sample);
  play_words (play, ">eos");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_meta_survives_a_copy)
{
  Play *play = play_new ("rate=100/1", "a");
  GstBuffer *sample, *copy;

  play_words (play, "a+0=1 a:eos");
  sample = pull (play->rig);
  copy = gst_buffer_copy_deep (sample);
  gst_buffer_unref (sample);
  fail_unless_equals_int64 (status_of (copy, 0), ALIGNED);
  fail_unless_equals_string (gst_structure_get_string (sample_meta (copy), "streams"), "proprio_0");
  gst_buffer_unref (copy);
  play_free (play);
}

GST_END_TEST;

/* ---- window ---- */

GST_START_TEST (test_window)
{
  static const gfloat rows[][3] = { {NAN, NAN, 0}, {NAN, 0, 10}, {0, 10, 20}, {10, 20, 30} };
  Play *play = play_new ("rate=100/1 window=3 info=tensor", "a");

  play_words (play, "a+0..30/10 a:eos");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    GstBuffer *sample = pull (play->rig);

    fail_unless_equals_int64 (GST_BUFFER_PTS (sample), MS (10 * i));
    fail_unless_equals_int64 (GST_BUFFER_DURATION (sample), MS (10));
    assert_info_tensor_is_meta (sample, 1);
    for (guint slot = 0; slot < 3; slot++) {
      assert_value (value_of (sample, 0, slot), rows[i][slot]);
      fail_unless_equals_int64 (info_of (sample, slot, INFO_STATUS), isnan (rows[i][slot]) ? MISSING : ALIGNED);
      fail_unless_equals_int64 (info_of (sample, slot, INFO_TICK), i + slot < 2 ? NONE : MS (10 * (i + slot - 2)));
    }
    gst_buffer_unref (sample);
  }
  play_words (play, ">eos caps.dimensions=1:3,4:1:3 caps.window=3");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_window_of_concat)
{
  static const gfloat expected[] = { 0, 100, 10, 110 };
  Play *play = play_new ("rate=100/1 window=2 layout=concat", "a b=force_0");
  GstBuffer *sample;

  play_words (play, "a+0..10/10 b+0..10/10=t+100 eos >0 a=any b=any");
  sample = pull (play->rig);
  for (guint i = 0; i < 4; i++)
    assert_value (value_of (sample, 0, i), expected[i]);
  play_words (play, "caps.dimensions=2:2");
  gst_buffer_unref (sample);
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefusesamples, NULL, NULL, EACH (many, test_many_streams), ONCE (test_info), ONCE (test_info_with_offset),
  ONCE (test_meta_survives_a_copy), ONCE (test_window), ONCE (test_window_of_concat))
