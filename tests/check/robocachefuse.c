/* robocache: robocachefuse, the caps and buffers it takes, the samples it makes, its properties and its life
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "fuseharness.h"

#define TENSORS "other/tensors, format=(string)static, num_tensors=(int)1, "
#define TWO_TENSORS "other/tensors, format=(string)static, num_tensors=(int)2, "
#define CHANNELS(names) F32 ("2") ", channels=(string)\"" names "\""

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

/* ---- properties ---- */

static const struct
{
  const gchar *name, *initial, *value;
} element_properties[] = {
  {"rate", "0/1", "1000/3"},
  {"reference-pad", NULL, "force_0"},
  {"window", "1", "16"},
  {"layout", "tensors", "concat"},
  {"info", "none", "tensor"},
  {"type", "auto", "bfloat16"},
  {"stats-interval", "0", "1000000000"},
  {"latency", "5000000", "7000000"},
  {"backend", "auto", "cpu"},
  {"device-id", "-1", "1"},
}, pad_properties[] = {
  {"interpolation", "linear", "cubic"},
  {"offset", "0", "-3000000"},
  {"max-gap", "200000000", "-1"},
  {"hold-limit", "200000000", "0"},
  {"required", "false", "true"},
  {"reorder-window", "0", "5000000"},
  {"quaternions", NULL, "0,4-5"},
  {"angles", NULL, "8"},
  {"velocities", NULL, "9-11"},
};

static void
assert_property (gpointer object, const gchar *name, const gchar *expected)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
  GValue value = G_VALUE_INIT;
  gchar *text;

  fail_unless (spec != NULL, "there is no property %s", name);
  g_value_init (&value, spec->value_type);
  g_object_get_property (object, name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    text = g_value_dup_string (&value);
  else if (G_VALUE_HOLDS_ENUM (&value))
    text = g_strdup (g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, g_value_get_enum (&value))->value_nick);
  else
    text = gst_value_serialize (&value);
  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s, expected %s", name, text, expected);
  g_free (text);
  g_value_unset (&value);
}

GST_START_TEST (test_element_properties)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  assert_property (fuse, element_properties[__i__].name, element_properties[__i__].initial);
  gst_util_set_object_arg (G_OBJECT (fuse), element_properties[__i__].name, element_properties[__i__].value);
  assert_property (fuse, element_properties[__i__].name, element_properties[__i__].value);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_pad_properties)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "proprio_0");

  assert_property (pad, pad_properties[__i__].name, pad_properties[__i__].initial);
  gst_util_set_object_arg (G_OBJECT (pad), pad_properties[__i__].name, pad_properties[__i__].value);
  assert_property (pad, pad_properties[__i__].name, pad_properties[__i__].value);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_camera_pad_starts_with_nearest)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "camera_%u");

  assert_property (pad, "interpolation", "nearest");
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

static const gchar *bad_lists[] = { "a", "1,", ",1", "3-1", "-1", "1--2", "1;2", "99999999999", "1,,2" };

/* A list that is none is warned about and changes nothing. */
GST_START_TEST (test_bad_channel_list)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "proprio_0");

  g_object_set (pad, "angles", "3", NULL);
  g_test_expect_message ("robocache", G_LOG_LEVEL_WARNING, "*angles*channel list*");
  g_object_set (pad, "angles", bad_lists[__i__], NULL);
  g_test_assert_expected_messages ();
  assert_property (pad, "angles", "3");
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

static const gchar *wrong_lists[][2] = { {"quaternions", "0"}, {"angles", "2"}, {"velocities", "5"} };

GST_START_TEST (test_channel_list_beyond_the_channels)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_3", FALSE);
  const gfloat row[] = { 0, 0 };

  feed_set (feed, wrong_lists[__i__][0], wrong_lists[__i__][1], "interpolation", "hermite", NULL);
  rig_play (rig);
  feed_start (feed, F32 ("2"));
  feed_row (feed, 0, row, 2);
  feed_eos (feed);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "proprio_3", wrong_lists[__i__][0], "expected", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- where ticks come from ---- */

GST_START_TEST (test_rate_and_reference_pad)
{
  Rig *rig = rig_new ("rate", "100/1", "reference-pad", "sink_0", NULL);

  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "rate", "reference-pad", NULL);
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_neither_rate_nor_camera)
{
  Rig *rig = rig_new (NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  const gfloat zero = 0;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  fail_unless_equals_int (feed_row (a, 0, &zero, 1), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int (feed_row (b, 0, &zero, 1), GST_FLOW_NOT_NEGOTIATED);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "rate", "reference-pad", "camera", NULL);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_reference_pad_that_is_none)
{
  Rig *rig = rig_new ("reference-pad", "force_7", NULL);
  Feed *feed = feed_new_bare (rig, "force_0", FALSE);
  const gfloat zero = 0;

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  fail_unless_equals_int (feed_row (feed, 0, &zero, 1), GST_FLOW_NOT_NEGOTIATED);
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "reference-pad", "force_7", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- life ---- */

static void
run_once (Rig *rig, GByteArray *out)
{
  GstBuffer *sample;
  Feed *a = g_ptr_array_index (rig->feeds, 0), *b = g_ptr_array_index (rig->feeds, 1);

  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  for (gint i = 0; i < 50; i++) {
    feed_one (a, MS (7 * i), i * i);
    feed_one (b, MS (3 + 7 * i), -i);
  }
  all_eos (rig);
  while ((sample = pull_until_eos (rig))) {
    GstMapInfo map;
    const gint64 pts = GST_BUFFER_PTS (sample);

    gst_buffer_map (sample, &map, GST_MAP_READ);
    g_byte_array_append (out, (const guint8 *) &pts, sizeof (pts));
    g_byte_array_append (out, map.data, map.size);
    gst_buffer_unmap (sample, &map);
    gst_buffer_unref (sample);
  }
}

GST_START_TEST (test_ten_lives)
{
  Rig *rig = rig_new ("rate", "90/1", "info", "tensor", NULL);
  GByteArray *before = NULL;

  feed_new_bare (rig, "proprio_0", FALSE);
  feed_new_bare (rig, "force_0", FALSE);
  for (gint life = 0; life < 10; life++) {
    GByteArray *out = g_byte_array_new ();

    rig_play (rig);
    run_once (rig, out);
    fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 32);
    fail_unless_equals_uint64 (count_of (((Feed *) g_ptr_array_index (rig->feeds, 0))->sink, "rows-in"), 50);
    rig_stop (rig);
    if (before) {
      fail_unless (out->len == before->len && memcmp (out->data, before->data, out->len) == 0, "life %d differs", life);
      g_byte_array_unref (out);
    } else {
      fail_unless (out->len > 0);
      before = out;
    }
  }
  g_byte_array_unref (before);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_stop_with_rows_inside)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_ramp (feed, 0, 300, 100);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_no_pads)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  rig_play (rig);
  fail_unless (gst_harness_try_pull (rig->out) == NULL);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_never_started)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  feed_new_bare (rig, "camera_0", FALSE);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_active_backend)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  g_object_set (fuse, "rate", 10, 1, NULL);
  gst_util_set_object_arg (G_OBJECT (fuse), "backend", "cpu");
  assert_property (fuse, "active-backend", "auto");
  gst_element_set_state (fuse, GST_STATE_PAUSED);
  assert_property (fuse, "active-backend", "cpu");
  gst_element_set_state (fuse, GST_STATE_NULL);
  assert_property (fuse, "active-backend", "auto");
  gst_object_unref (fuse);
}

GST_END_TEST;

/* ---- statistics ---- */

GST_START_TEST (test_stats_interval)
{
  Rig *rig = rig_new ("rate", "100/1", "stats-interval", "100000000", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  guint64 expected = 11;
  GstMessage *message;

  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 0, 350, 10);
  feed_eos (feed);
  for (gint i = 0; i <= 35; i++)
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
  assert_eos (rig);
  while ((message = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *stats = gst_message_get_structure (message);

    fail_unless_equals_string (gst_structure_get_name (stats), "robocachefuse");
    fail_unless_equals_uint64 (count_in (stats, "ticks-out"), expected);
    fail_unless (gst_structure_has_field_typed (stats, "proprio_0", GST_TYPE_STRUCTURE));
    expected += 10;
    gst_message_unref (message);
  }
  fail_unless_equals_uint64 (expected, 41);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_no_stats_messages_by_default)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);

  feed_ramp (feed, 0, 200, 10);
  feed_eos (feed);
  for (gint i = 0; i <= 20; i++)
    expect (rig, MS (10 * i), 10 * i, ALIGNED);
  assert_eos (rig);
  assert_no_message (rig, GST_MESSAGE_ELEMENT);
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
  tcase_add_test (tc, test_rows_after_a_refusal_are_refused);

  tc = add_case (s, "samples");
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

  tc = add_case (s, "properties");
  tcase_add_loop_test (tc, test_element_properties, 0, G_N_ELEMENTS (element_properties));
  tcase_add_loop_test (tc, test_pad_properties, 0, G_N_ELEMENTS (pad_properties));
  tcase_add_test (tc, test_camera_pad_starts_with_nearest);
  tcase_add_loop_test (tc, test_bad_channel_list, 0, G_N_ELEMENTS (bad_lists));
  tcase_add_loop_test (tc, test_channel_list_beyond_the_channels, 0, G_N_ELEMENTS (wrong_lists));
  tcase_add_test (tc, test_rate_and_reference_pad);
  tcase_add_test (tc, test_neither_rate_nor_camera);
  tcase_add_test (tc, test_reference_pad_that_is_none);

  tc = add_case (s, "life");
  tcase_add_test (tc, test_ten_lives);
  tcase_add_test (tc, test_stop_with_rows_inside);
  tcase_add_test (tc, test_no_pads);
  tcase_add_test (tc, test_never_started);
  tcase_add_test (tc, test_active_backend);
  tcase_add_test (tc, test_stats_interval);
  tcase_add_test (tc, test_no_stats_messages_by_default);
  return s;
}

GST_CHECK_MAIN (robocachefuse);
