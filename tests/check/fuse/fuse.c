/* robocache: robocachefuse, the caps and buffers it takes, the types it makes, and what downstream wants
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

#define TENSORS "other/tensors, format=(string)static, num_tensors=(int)1, "
#define TWO_TENSORS "other/tensors, format=(string)static, num_tensors=(int)2, "

/* ---- caps that are refused ---- */

static const struct
{
  const gchar *caps;
  const gchar *words[2];        /* of the error */
} refused[] = {
  {"other/tensors, num_tensors=(int)1, types=(string)float32, dimensions=(string)1", {"format", "static"}},
  {"other/tensors, format=(string)flexible, num_tensors=(int)1, types=(string)float32, dimensions=(string)1",
      {"flexible", "static"}},
  {"other/tensors, format=(string)static, types=(string)float32, dimensions=(string)1", {"num_tensors", "missing"}},
  {"other/tensors, format=(string)static, num_tensors=(int)0, types=(string)float32, dimensions=(string)1",
      {"num_tensors", "0"}},
  {"other/tensors, format=(string)static, num_tensors=(int)17, types=(string)float32, dimensions=(string)1",
      {"num_tensors", "17"}},
  {"other/tensors, format=(string)static, num_tensors=(int)-1, types=(string)float32, dimensions=(string)1",
      {"num_tensors", "-1"}},
  {TENSORS "dimensions=(string)1", {"types", "without"}},
  {TENSORS "types=(string)float32", {"dimensions", "without"}},
  {TENSORS "types=(string)float31, dimensions=(string)1", {"float31", "float32"}},
  {TENSORS "types=(string)\"float32,float32\", dimensions=(string)1", {"types", "2"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"1,1\"", {"dimensions", "2"}},
  {TENSORS "types=(string)float32, dimensions=(string)0", {"\"0\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:0\"", {"\"14:0\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"\"", {"\"\"", "0 items"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:\"", {"\"14:\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\":14\"", {"\":14\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"-3\"", {"\"-3\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"x\"", {"\"x\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"3x4\"", {"\"3x4\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"99999999999999999999999\"", {"99999999999999999999999", "elements"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"4294967296:4294967296\"", {"4294967296:4294967296", "elements"}},
  {TENSORS "types=(string)float64, dimensions=(string)\"70368744177664\"", {"70368744177664", "bytes"}},
  {TENSORS "types=(string)float32, dimensions=(int)0", {"\"0\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(int)-14", {"\"-14\"", "positive"}},
  {TENSORS "types=(string)float32, dimensions=(flagset)14:ffffffff", {"FlagSet", "(string)14:1"}},
  {TENSORS "types=(string)float32, dimensions=(string)\"2:3:4\"", {"2:3:4", "channels:rows"}},
  {TENSORS "types=(string)float32, dimensions=(string)1, framerate=(string)fast", {"framerate", "fraction"}},
  {"other/tensors, format=(string)static, num_tensors=(int)3, types=(string)\"float32,int64,int64\", "
        "dimensions=(string)\"1,1,1\"", {"3 tensors", "channels"}},
  {TWO_TENSORS "types=(string)\"float32,float32\", dimensions=(string)\"3:4,4\"", {"float32", "int64"}},
  {TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"3:4,5\"", {"5", "4"}},
  {TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"3:4\"", {"1 items", "2"}},
};

GST_START_TEST (test_caps_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("bad"));
  feed_caps (feed, refused[__i__].caps);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "proprio_0", refused[__i__].words[0],
      refused[__i__].words[1], NULL);
  rig_free (rig);
}

GST_END_TEST;

/* Core checks a camera's caps against the template and refuses them on its own. */
static const gchar *no_cameras[] = {
  "video/x-raw, format=(string)RGB, framerate=(fraction)30/1",
  "video/x-raw, format=(string)NV12, width=(int)4, height=(int)4, framerate=(fraction)30/1",
  ONE_CHANNEL,
};

GST_START_TEST (test_camera_caps_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "camera_0", FALSE);
  const guint8 frame[48] = { 0 };

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("bad"));
  feed_caps (feed, no_cameras[__i__]);
  feed_segment (feed);
  fail_unless_equals_int (feed_bytes (feed, 0, frame, sizeof (frame)), GST_FLOW_NOT_NEGOTIATED);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_rows_after_refused_caps_are_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat zero = 0;

  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("bad"));
  feed_caps (feed, TENSORS "types=(string)float32, dimensions=(string)0");
  feed_segment (feed);
  fail_if (feed_row (feed, 0, &zero, 1) == GST_FLOW_OK);
  fail_if (feed_row (feed, 1, &zero, 1) == GST_FLOW_OK);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "\"0\"", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- caps that are accepted ---- */

static const struct
{
  const gchar *caps;
  guint channels, rows;
  const gchar *dimensions;      /* of the output */
} accepted[] = {
  {TENSORS "types=(string)float32, dimensions=(string)14", 14, 1, "14"},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:1\"", 14, 1, "14"},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:1:1:1\"", 14, 1, "14"},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:1:1:1:1:1:1:1:1:1\"", 14, 1, "14"},
  {TENSORS "types=(string)float32, dimensions=(int)14", 14, 1, "14"},
  {TENSORS "types=(string)float32, dimensions=(string)\"3:5\"", 3, 5, "3"},
  {TENSORS "types=(string)float32, dimensions=(string)1", 1, 1, "1"},
  {TENSORS "types=(string)float32, dimensions=(string)1, framerate=(fraction)100/1", 1, 1, "1"},
};

GST_START_TEST (test_caps_accepted)
{
  const gsize n = accepted[__i__].channels * accepted[__i__].rows;
  gfloat *values = g_new0 (gfloat, n);
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  feed_start (feed, accepted[__i__].caps);
  for (gsize i = 0; i < n; i++)
    values[i] = 7;
  fail_unless_equals_int (feed_row (feed, 0, values, n), GST_FLOW_OK);
  feed_eos (feed);
  expect (rig, 0, 7, ALIGNED);
  assert_eos (rig);
  assert_output_field (rig, "dimensions", accepted[__i__].dimensions);
  assert_output_field (rig, "framerate", "100/1");
  assert_output_field (rig, "format", "static");
  g_free (values);
  rig_free (rig);
}

GST_END_TEST;

/* ---- buffers that are not what their caps say ---- */

static const gsize wrong_sizes[] = { 0, 3, 4, 7, 9, 80000 };

GST_START_TEST (test_wrong_size)
{
  const gsize size = wrong_sizes[__i__];
  guint8 *bytes = g_malloc0 (size + 1);
  gchar *text = g_strdup_printf ("%" G_GSIZE_FORMAT " bytes", size);
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", FALSE);

  rig_play (rig);
  feed_start (feed, F32 ("2"));
  fail_if (feed_bytes (feed, 0, bytes, size) == GST_FLOW_OK);
  fail_if (feed_bytes (feed, 1, bytes, size) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "force_0", text, "8 bytes", NULL);
  g_free (text);
  g_free (bytes);
  rig_free (rig);
}

GST_END_TEST;

#define WITH_TIMES TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"1:3,3\""
static const gfloat three_rows[] = { 0, 10, 20 };
static const gint64 three_times[] = { 0, 10000000, 20000000 };

static Rig *
rig_with_times (Feed **feed)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  *feed = feed_new_bare (rig, "proprio_0", FALSE);
  rig_play (rig);
  feed_start (*feed, WITH_TIMES);
  return rig;
}

GST_START_TEST (test_row_times_in_two_memories)
{
  Feed *feed;
  Rig *rig = rig_with_times (&feed);
  GstBuffer *buffer = buffer_of (NONE, three_rows, sizeof (three_rows));
  GstBuffer *times = buffer_of (NONE, three_times, sizeof (three_times));

  buffer = gst_buffer_append (buffer, times);
  fail_unless_equals_int (gst_buffer_n_memory (buffer), 2);
  fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_row_times_in_one_memory)
{
  Feed *feed;
  Rig *rig = rig_with_times (&feed);
  guint8 bytes[sizeof (three_rows) + sizeof (three_times)];

  memcpy (bytes, three_rows, sizeof (three_rows));
  memcpy (bytes + sizeof (three_rows), three_times, sizeof (three_times));
  fail_unless_equals_int (feed_bytes (feed, MS (500), bytes, sizeof (bytes)), GST_FLOW_OK);
  feed_eos (feed);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  expect (rig, MS (20), 20, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_three_memories_for_two_tensors)
{
  Feed *feed;
  Rig *rig = rig_with_times (&feed);
  GstBuffer *buffer = buffer_of (0, three_rows, 8);

  buffer = gst_buffer_append (buffer, buffer_of (NONE, three_rows + 2, 4));
  buffer = gst_buffer_append (buffer, buffer_of (NONE, three_times, sizeof (three_times)));
  fail_if (gst_pad_push (feed->pad, buffer) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "3 memories", "2 tensors", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_memories_of_wrong_sizes)
{
  Feed *feed;
  Rig *rig = rig_with_times (&feed);
  guint8 bytes[36] = { 0 };
  GstBuffer *buffer = gst_buffer_append (buffer_of (0, bytes, 16), buffer_of (NONE, bytes, 20));

  fail_if (gst_pad_push (feed->pad, buffer) == GST_FLOW_OK);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "16", "12", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- types ---- */

static const struct
{
  const gchar *type;
  guint bytes;
  guint64 bits;                 /* of 2.5 in that type; 2 where only integers fit: halves go to even */
} types[] = {
  {"int8", 1, 2},
  {"uint8", 1, 2},
  {"int16", 2, 2},
  {"uint16", 2, 2},
  {"int32", 4, 2},
  {"uint32", 4, 2},
  {"int64", 8, 2},
  {"uint64", 8, 2},
  {"float16", 2, 0x4100},
  {"bfloat16", 2, 0x4020},
  {"float32", 4, 0x40200000},
  {"float64", 8, G_GUINT64_CONSTANT (0x4004000000000000)},
};

GST_START_TEST (test_output_types)
{
  Rig *rig = rig_new ("rate", "100/1", "type", types[__i__].type, NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  guint64 bits = 0;
  GstBuffer *sample;

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 2.5);
  feed_eos (feed);
  sample = pull (rig);
  fail_unless_equals_int (gst_buffer_get_size (sample), types[__i__].bytes);
  gst_buffer_extract (sample, 0, &bits, types[__i__].bytes);
  fail_unless_equals_uint64_hex (bits, types[__i__].bits);
  assert_output_field (rig, "types", types[__i__].type);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* auto: floats keep their type, integers become float32 */
GST_START_TEST (test_input_types)
{
  const gboolean is_float = g_str_has_suffix (types[__i__].type, "float32") || strstr (types[__i__].type, "float");
  const gchar *expected = is_float ? types[__i__].type : "float32";
  gchar *caps = g_strdup_printf (TENSORS "types=(string)%s, dimensions=(string)1", types[__i__].type);
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  GstBuffer *sample;

  rig_play (rig);
  feed_start (feed, caps);
  fail_unless_equals_int (feed_bytes (feed, 0, &types[__i__].bits, types[__i__].bytes), GST_FLOW_OK);
  feed_eos (feed);
  sample = pull (rig);
  assert_output_field (rig, "types", expected);
  if (is_float)
    fail_unless (gst_buffer_memcmp (sample, 0, &types[__i__].bits, types[__i__].bytes) == 0);
  else
    assert_value (value_of (sample, 0, 0), 2);
  gst_buffer_unref (sample);
  g_free (caps);
  rig_free (rig);
}

GST_END_TEST;

/* A missing row is NaN, or 0 for integers. */
GST_START_TEST (test_missing_of_types)
{
  static const struct
  {
    const gchar *type;
    guint64 bits;
  } nans[] = { {"float16", 0x7E00}, {"bfloat16", 0x7FC0}, {"float32", 0x7FC00000},
  {"float64", G_GUINT64_CONSTANT (0x7FF8000000000000)}
  };
  Rig *rig = rig_new ("rate", "100/1", "type", types[__i__].type, NULL);
  Feed *present = feed_new_bare (rig, "proprio_0", FALSE), *absent = feed_new_bare (rig, "proprio_1", FALSE);
  guint64 expected = 0, bits = 0;
  GstBuffer *sample;

  rig_play (rig);
  feed_start (present, ONE_CHANNEL);
  feed_start (absent, ONE_CHANNEL);
  feed_one (present, 0, 1);
  feed_eos (absent);
  feed_eos (present);
  sample = pull (rig);
  for (guint i = 0; i < G_N_ELEMENTS (nans); i++) {
    if (g_str_equal (nans[i].type, types[__i__].type))
      expected = nans[i].bits;
  }
  gst_buffer_extract (sample, types[__i__].bytes, &bits, types[__i__].bytes);
  fail_unless_equals_uint64_hex (bits, expected);
  fail_unless_equals_int64 (status_of (sample, 1), MISSING);
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

/* ---- downstream ---- */

static const gchar *spellings[] = { "1", "1:1", "1:1:1:1" };

GST_START_TEST (test_spelling_of_downstream)
{
  gchar *caps = g_strdup_printf (TENSORS "types=(string)float32, dimensions=(string)%s", spellings[__i__]);
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  gst_harness_set_sink_caps_str (rig->out, caps);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 1);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  assert_output_field (rig, "dimensions", spellings[__i__]);
  g_free (caps);
  rig_free (rig);
}

GST_END_TEST;

static const gchar *unwanted[] = {
  TENSORS "types=(string)float32, dimensions=(string)2",
  TENSORS "types=(string)float64, dimensions=(string)1",
  TENSORS "types=(string)float32, dimensions=(string)1, framerate=(fraction)50/1",
  "other/tensors, format=(string)static, num_tensors=(int)2",
  "audio/x-raw",
};

GST_START_TEST (test_downstream_refuses)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  gst_harness_set_sink_caps_str (rig->out, unwanted[__i__]);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 1);
  feed_eos (feed);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "samples are other/tensors", "downstream takes", NULL);
  fail_unless (gst_harness_try_pull (rig->out) == NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_downstream_wants_memory_of_no_gpu)
{
  Rig *rig = rig_new ("rate", "100/1", "backend", "cpu", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  rig_play (rig);
  gst_harness_set_sink_caps_str (rig->out, "other/tensors(memory:RobocacheCUDA)");
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 1);
  feed_eos (feed);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "downstream takes other/tensors(memory:RobocacheCUDA)",
      ": backend=cpu has no memory of a GPU", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_rows_after_a_refusal_are_refused)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  const gfloat zero = 0;
  GstFlowReturn flow = GST_FLOW_OK;

  rig_play (rig);
  gst_harness_set_sink_caps_str (rig->out, "audio/x-raw");
  feed_start (feed, ONE_CHANNEL);
  /* a source that goes on is told in the end, since it may be no more than some rows ahead */
  for (gint i = 0; i < 10000 && flow == GST_FLOW_OK; i++)
    flow = feed_row (feed, MS (10 * i), &zero, 1);
  fail_unless_equals_int (flow, GST_FLOW_NOT_NEGOTIATED);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "downstream takes audio/x-raw", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- memory ---- */

GST_START_TEST (test_more_than_the_machine_has)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE), *huge = feed_new_bare (rig, "proprio_1", FALSE);

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_start (huge, "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, "
      "dimensions=(string)10000000000000, framerate=(fraction)0/1");
  feed_ramp (feed, 0, 50, 10);
  all_eos (rig);
  assert_error (rig, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "40000000000004", "window=1", NULL);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefuse_suite (void)
{
  Suite *s = suite_create ("robocachefuse");
  TCase *tc = add_case (s, "caps");

  tcase_add_loop_test (tc, test_caps_refused, 0, G_N_ELEMENTS (refused));
  tcase_add_loop_test (tc, test_camera_caps_refused, 0, G_N_ELEMENTS (no_cameras));
  tcase_add_test (tc, test_rows_after_refused_caps_are_refused);
  tcase_add_loop_test (tc, test_caps_accepted, 0, G_N_ELEMENTS (accepted));
  tcase_add_loop_test (tc, test_wrong_size, 0, G_N_ELEMENTS (wrong_sizes));
  tcase_add_test (tc, test_row_times_in_two_memories);
  tcase_add_test (tc, test_row_times_in_one_memory);
  tcase_add_test (tc, test_three_memories_for_two_tensors);
  tcase_add_test (tc, test_memories_of_wrong_sizes);
  tcase_add_loop_test (tc, test_output_types, 0, G_N_ELEMENTS (types));
  tcase_add_loop_test (tc, test_input_types, 0, G_N_ELEMENTS (types));
  tcase_add_loop_test (tc, test_missing_of_types, 0, G_N_ELEMENTS (types));
  tcase_add_loop_test (tc, test_spelling_of_downstream, 0, G_N_ELEMENTS (spellings));
  tcase_add_loop_test (tc, test_downstream_refuses, 0, G_N_ELEMENTS (unwanted));
  tcase_add_test (tc, test_downstream_wants_memory_of_no_gpu);
  tcase_add_test (tc, test_rows_after_a_refusal_are_refused);
  tc = add_case (s, "memory");
  tcase_add_test (tc, test_more_than_the_machine_has);
  return s;
}

GST_CHECK_MAIN (robocachefuse);
