/* robocache: robocachefuse, the caps and buffers it takes, the types it makes, and what downstream wants
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define TENSORS "other/tensors, format=(string)static, num_tensors=(int)1, "
#define TWO_TENSORS "other/tensors, format=(string)static, num_tensors=(int)2, "

/* ---- caps that are refused ---- */

static const struct
{
  const gchar *caps, *words;    /* of the error */
} refused[] = {
  {"other/tensors, num_tensors=(int)1, types=(string)float32, dimensions=(string)1", "format|static"},
  {"other/tensors, format=(string)sparse, num_tensors=(int)1, types=(string)float32, dimensions=(string)1",
      "sparse|static"},
  {"other/tensors, format=(string)flexible, framerate=(string)fast", "framerate|fraction"},
  {"other/tensors, format=(string)static, types=(string)float32, dimensions=(string)1", "num_tensors|missing"},
  {"other/tensors, format=(string)static, num_tensors=(int)0, types=(string)float32, dimensions=(string)1",
      "num_tensors|0"},
  {"other/tensors, format=(string)static, num_tensors=(int)17, types=(string)float32, dimensions=(string)1",
      "num_tensors|17"},
  {"other/tensors, format=(string)static, num_tensors=(int)-1, types=(string)float32, dimensions=(string)1",
      "num_tensors|-1"},
  {TENSORS "dimensions=(string)1", "types|have no"},
  {TENSORS "types=(string)float32", "dimensions|have no"},
  {TENSORS "types=(string)float31, dimensions=(string)1", "float31|float32"},
  {TENSORS "types=(string)\"float32,float32\", dimensions=(string)1", "types|2"},
  {TENSORS "types=(string)float32, dimensions=(string)\"1,1\"", "dimensions|2"},
  {TENSORS "types=(string)float32, dimensions=(string)0", "\"0\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:0\"", "\"14:0\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"\"", "\"\"|0 items"},
  {TENSORS "types=(string)float32, dimensions=(string)\"14:\"", "\"14:\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\":14\"", "\":14\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"-3\"", "\"-3\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"x\"", "\"x\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"3x4\"", "\"3x4\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(string)\"99999999999999999999999\"", "99999999999999999999999|elements"},
  {TENSORS "types=(string)float32, dimensions=(string)\"4294967296:4294967296\"", "4294967296:4294967296|elements"},
  {TENSORS "types=(string)float64, dimensions=(string)\"70368744177664\"", "70368744177664|bytes"},
  {TENSORS "types=(string)float32, dimensions=(int)0", "\"0\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(int)-14", "\"-14\"|positive"},
  {TENSORS "types=(string)float32, dimensions=(flagset)14:ffffffff", "FlagSet|(string)14:1"},
  {TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"2:3:4,4\"", "int64|of dimensions 1"},
  {TENSORS "types=(string)float32, dimensions=(string)1, framerate=(string)fast", "framerate|fraction"},
  {"other/tensors, format=(string)static, num_tensors=(int)3, types=(string)\"float32,int64,int64\", "
        "dimensions=(string)\"1,1,1\"", "3 tensors|channels"},
  {TWO_TENSORS "types=(string)\"float32,float32\", dimensions=(string)\"3:4,4\"", "float32|int64"},
  {TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"3:4,5\"", "5|4"},
  {TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"3:4\"", "1 items|2"},
};

GST_START_TEST (test_caps_refused)
{
  Play *play = play_new ("rate=100/1", "a,bare");

  play_words (play, "a:stream");
  feed_caps (play->pads[0].feed, refused[__i__].caps);
  assert_error (play->rig, "negotiation:proprio_0|%s", refused[__i__].words);
  play_free (play);
}

GST_END_TEST;

/* The core checks caps against the template, so the element never sees some of these: the error names the way out all the same. */
static const struct
{
  const gchar *caps, *words;
} no_cameras[] = {
  {"video/x-raw, format=(string)RGB, framerate=(fraction)30/1",
      "video/x-raw, format=(string)RGB, framerate=(fraction)30/1: add the missing fields to the caps. The pad accepts video/x-raw"},
  {"video/x-raw, format=(string)I420, width=(int)4, height=(int)4, framerate=(fraction)30/1", "put videoconvert between"},
  {"video/x-raw, format=(string)NV12, width=(int)4, height=(int)3, framerate=(fraction)30/1", "4x3|even"},
  {"video/x-raw, format=(string)NV12, width=(int)3, height=(int)4, framerate=(fraction)30/1", "3x4|even"},
  {"image/jpeg", "put jpegdec and videoconvert between"},
  {"audio/x-raw", "audio/x-raw: link another element"},
  {ONE_CHANNEL, "link tensors to a proprio_%u, force_%u or sink_%u pad"},
  /* core lets strides overflow */
  {"video/x-raw, format=(string)RGB, width=(int)715827883, height=(int)1, framerate=(fraction)30/1", "715827883|width"},
  {"video/x-raw, format=(string)RGBA, width=(int)715827883, height=(int)2, framerate=(fraction)30/1", "715827883|width"},
};

GST_START_TEST (test_camera_caps_refused)
{
  Play *play = play_new ("rate=100/1", "a=camera_0,caps:gray@30/1,bare");

  play_words (play, "a:stream");
  feed_caps (play->pads[0].feed, no_cameras[__i__].caps);
  play_words (play, "a:segment a+0!not-negotiated");
  assert_error (play->rig, "negotiation:camera_0|%s", no_cameras[__i__].words);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_rows_after_refused_caps_are_refused)
{
  Play *play = play_new ("rate=100/1", "a,bare");

  play_words (play, "a:stream");
  feed_caps (play->pads[0].feed, TENSORS "types=(string)float32, dimensions=(string)0");
  play_words (play, "a:segment a+0!not-negotiated a+1!not-negotiated");
  assert_error (play->rig, "negotiation:\"0\"");
  play_free (play);
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
  Play *play = play_new ("rate=100/1", "a,bare");
  Feed *feed = play->pads[0].feed;

  feed_start (feed, accepted[__i__].caps);
  play->pads[0].has_caps = TRUE;
  for (gsize i = 0; i < n; i++)
    values[i] = 7;
  fail_unless_equals_int (feed_row (feed, 0, values, n), GST_FLOW_OK);
  play_words (play, "a:eos >0 a=7 >eos caps.framerate=100/1 caps.format=static");
  assert_output_field (play->rig, "dimensions", accepted[__i__].dimensions);
  g_free (values);
  play_free (play);
}

GST_END_TEST;

/* ---- flexible tensors ---- */

#define FLEXIBLE "other/tensors, format=(string)flexible, framerate=(fraction)100/1"
#define HEADER_WORDS 32

/* Words of a header: NNStreamer's tensor_typedef.h. */
typedef struct
{
  guint32 magic, version, type, axes[16], format;
} Header;

#define VALID .magic = 0xfeedcced, .version = 0xde001000, .format = 1
#define FLOAT32 7
#define INT64 8

/* A buffer of so many tensors of n bytes 0x40 each, which are float32 of 3.0039. */
static GstBuffer *
make_flexible (const Header *headers, guint n_tensors, gsize n)
{
  GstBuffer *buffer = gst_buffer_new ();

  for (guint i = 0; i < n_tensors; i++) {
    guint8 *bytes = g_malloc0 (HEADER_WORDS * 4 + n);

    memcpy (bytes, &headers[i], sizeof (headers[i]));
    memset (bytes + HEADER_WORDS * 4, 0x40, n);
    gst_buffer_append_memory (buffer, gst_memory_new_wrapped (0, bytes, HEADER_WORDS * 4 + n, 0, HEADER_WORDS * 4 + n, bytes, g_free));
  }
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

static const struct
{
  Header headers[2];
  guint n_tensors;
  gsize n_bytes;                /* of each tensor */
  const gchar *dimensions;      /* of the output; NULL: it is refused */
  const gchar *words;           /* of the error */
} flexible[] = {
  {{{VALID,.type = FLOAT32,.axes = {3}}}, 1, 12, "3", NULL},
  {{{VALID,.type = FLOAT32,.axes = {3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}}}, 1, 12, "3", NULL},
  {{{VALID,.type = FLOAT32,.axes = {1, 2}}, {VALID,.type = INT64,.axes = {1}}}, 2, 8, NULL, "negotiation:proprio_0|dimensions"},
  {{{VALID,.type = FLOAT32,.axes = {2}}, {VALID,.type = INT64,.axes = {1}}}, 2, 8, "2", NULL},
  {{{.magic = 1,.version = 0xde001000,.type = FLOAT32,.axes = {3},.format = 1}}, 1, 12, NULL, "format:proprio_0|no header"},
  {{{.magic = 0xfeedcced,.version = 0xde002000,.type = FLOAT32,.axes = {3},.format = 1}}, 1, 12, NULL, "format:proprio_0|no header"},
  {{{.magic = 0xfeedcced,.version = 0xde001000,.type = FLOAT32,.axes = {3},.format = 2}}, 1, 12, NULL, "format:proprio_0|tensor_sparse_dec"},
  {{{VALID,.type = 11,.axes = {3}}}, 1, 12, NULL, "format:proprio_0|unknown type 11"},
  {{{VALID,.type = FLOAT32}}, 1, 12, NULL, "format:proprio_0|no axes"},
  {{{VALID,.type = FLOAT32,.axes = {1, 1, 1, 1, 1, 1, 1, 1, 3}}}, 1, 12, NULL, "format:proprio_0|more than 8"},
  {{{VALID,.type = FLOAT32,.axes = {4}}}, 1, 12, NULL, "format:proprio_0|12 bytes after its header"},
  {{{VALID,.type = FLOAT32,.axes = {4294967295u, 4294967295u, 4294967295u}}}, 1, 12, NULL, "format:proprio_0|12 bytes after its header"},
  {{{VALID,.type = FLOAT32,.axes = {2}}}, 1, 12, NULL, "format:proprio_0|has 4 bytes, less than its header"},
  {{{VALID,.type = FLOAT32,.axes = {3}}}, 0, 12, NULL, "format:proprio_0|has 0 bytes, less than its header"},
};

GST_START_TEST (test_flexible)
{
  Play *play = play_new ("rate=100/1", "a,bare,timestamp-source=pts");
  Feed *feed = play->pads[0].feed;
  GstFlowReturn flow;

  feed_start (feed, FLEXIBLE);
  flow = gst_pad_push (feed->pad, make_flexible (flexible[__i__].headers, flexible[__i__].n_tensors, flexible[__i__].n_bytes));
  if (flexible[__i__].dimensions) {
    fail_unless_equals_int (flow, GST_FLOW_OK);
    play_words (play, "a:eos >0 a=3.00392151 >eos caps.framerate=100/1 caps.format=static");
    assert_output_field (play->rig, "dimensions", flexible[__i__].dimensions);
  } else {
    fail_if (flow == GST_FLOW_OK);
    assert_error (play->rig, "%s", flexible[__i__].words);
  }
  play_free (play);
}

GST_END_TEST;

/* Axes that change are caps that change. */
GST_START_TEST (test_flexible_changes)
{
  const Header two = { VALID,.type = FLOAT32,.axes = {2} }, three = { VALID,.type = FLOAT32,.axes = {3} };
  Play *play = play_new ("rate=100/1", "a,bare");
  Feed *feed = play->pads[0].feed;

  feed_start (feed, FLEXIBLE);
  for (guint i = 0; i < 4; i++) {
    GstBuffer *buffer = make_flexible (i < 2 ? &two : &three, 1, i < 2 ? 8 : 12);

    GST_BUFFER_PTS (buffer) = i * 10 * GST_MSECOND;
    fail_unless_equals_int (gst_pad_push (feed->pad, buffer), GST_FLOW_OK);
    if (i == 2)
      play_words (play, ">0 a=3.00392151 caps.dimensions=2");
  }
  play_words (play, "a:eos >10 a=3.00392151 >20 a=3.00392151 >30 a=3.00392151 caps.dimensions=3 >eos");
  play_free (play);
}

GST_END_TEST;

/* What downstream answers to samples. */
static const GstFlowReturn ends[] = { GST_FLOW_FLUSHING, GST_FLOW_EOS };

static GstPadProbeReturn
answer_samples (GstPad *pad, GstPadProbeInfo *info, gpointer flow)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = *(const GstFlowReturn *) flow;
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_HANDLED;
}

/* A pad that accepts no rows any more looks at none. */
GST_START_TEST (test_flexible_at_the_end)
{
  const Header header = { VALID,.type = FLOAT32,.axes = {3} }, wrong = { VALID };
  Play *play = play_new ("rate=100/1", "a,bare");
  Feed *feed = play->pads[0].feed;
  GstFlowReturn flow = GST_FLOW_OK;

  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, answer_samples, (gpointer) &ends[__i__], NULL);
  feed_start (feed, FLEXIBLE);
  for (guint i = 0; flow == GST_FLOW_OK; i++) {
    GstBuffer *buffer = make_flexible (&header, 1, 12);

    GST_BUFFER_PTS (buffer) = i * 10 * GST_MSECOND;
    flow = gst_pad_push (feed->pad, buffer);
  }
  fail_unless_equals_int (flow, ends[__i__]);
  fail_unless_equals_int (gst_pad_push (feed->pad, make_flexible (&wrong, 1, 12)), ends[__i__]);
  play_words (play, "no:error a.rows-dropped-refused=2");
  play_free (play);
}

GST_END_TEST;

/* ---- buffers that are not what their caps say ---- */

static const gsize wrong_sizes[] = { 0, 3, 4, 7, 9, 80000 };

GST_START_TEST (test_wrong_size)
{
  const gsize size = wrong_sizes[__i__];
  guint8 *bytes = g_malloc0 (size + 1);
  Play *play = play_new ("rate=100/1", "a=force_0,caps:2");

  for (gint t = 0; t < 2; t++)
    fail_if (feed_bytes (play->pads[0].feed, t, bytes, size) == GST_FLOW_OK);
  assert_error (play->rig, "format:force_0|%" G_GSIZE_FORMAT " bytes|8 bytes", size);
  g_free (bytes);
  play_free (play);
}

GST_END_TEST;

/* What is wrong, and all after it, is dropped and counted: four rows each. */
GST_START_TEST (test_refused_rows_are_counted)
{
  Play *play = play_new ("rate=100/1", "a,caps:1:4");
  const gfloat rows[4] = { 0 };

  play_words (play, "a+0=0");
  fail_unless_equals_int (feed_bytes (play->pads[0].feed, MS (40), rows, sizeof (rows) - 1), GST_FLOW_ERROR);
  play_words (play, "a+40=0!error error:format:proprio_0 a.rows-dropped-malformed=4 a.rows-dropped-refused=4 a.rows-dropped=8 a.rows-in=12");
  play_free (play);
}

GST_END_TEST;

/* ---- a faulty sensor, live ---- */

static const gsize malformed_sizes[] = { 0, 1, 3, 5, 8, 40000 };

/* Live, a buffer that differs from its caps costs itself alone. */
GST_START_TEST (test_malformed_buffers_of_a_live_sensor)
{
  const gsize size = malformed_sizes[__i__];
  guint8 *bytes = g_malloc0 (size + 1);
  Play *play = play_new ("rate=100/1", "a,live b,live");

  play_words (play, "for:0..20/10 { @t ab+t >t }");
  for (gint i = 0; i < 2; i++)
    fail_unless_equals_int (feed_bytes (play->pads[0].feed, MS (20), bytes, size), GST_FLOW_OK);
  play_words (play, "warning:proprio_0|bytes|rows-dropped-malformed for:30..100/10 { @t ab+t >t } no:warning no:error "
      "a.rows-dropped-malformed=2 a.rows-dropped=2 b.rows-dropped=0 balance");
  g_free (bytes);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_malformed_frames_of_a_live_camera)
{
  Play *play = play_new ("rate=100/1", "a=camera_0,live,caps:gray@30/1 b,live");
  const gchar bytes[7] = { 0 };

  fail_unless_equals_int (feed_bytes (play->pads[0].feed, 0, bytes, sizeof (bytes)), GST_FLOW_OK);
  play_words (play, "warning:camera_0|bytes a.rows-dropped-malformed=1 a.rows-dropped=1 no:error");
  play_free (play);
}

GST_END_TEST;

#define BAD_TENSORS "other/tensors, format=(string)static, num_tensors=(int)1, framerate=(fraction)100/1, "
static const gchar *const bad_caps[] = {
  "other/tensors, format=(string)static, num_tensors=(int)1", BAD_TENSORS "types=(string)float32, dimensions=(string)0",
  BAD_TENSORS "types=(string)complex, dimensions=(string)1", BAD_TENSORS "types=(string)float32, dimensions=(string)\"x\"",
  BAD_TENSORS "types=(string)float32, dimensions=(string)\"4294967295:4294967295\"", "other/tensors, format=(string)sparse",
  "other/tensors, format=(string)flexible, framerate=(string)\"many\""
};

/* Live, caps that cannot be used cost the rows of their pad, until others come. */
GST_START_TEST (test_bad_caps_of_a_live_sensor)
{
  Play *play = play_new ("rate=100/1", "a,live b,live");

  play_words (play, "for:0..20/10 { @t ab+t >t }");
  for (gint i = 0; i < 2; i++)
    feed_caps (play->pads[0].feed, bad_caps[__i__]);
  play_words (play, "warning:proprio_0|rows-dropped-malformed for:30..100/10 { ab+t deadline:t+15 >t a=held:20 } no:warning "
      "a.rows-dropped-malformed=8 no:error");
  feed_caps (play->pads[0].feed, ONE_CHANNEL);
  play_words (play, "for:130..200/10 { @t ab+t } drop a.rows-dropped-malformed=8 a.rows-in=19 balance no:error");
  play_free (play);
}

GST_END_TEST;

/* An error is due where no other sensor is left, and where the pipeline is not live. */
GST_START_TEST (test_bad_caps_where_nothing_is_left)
{
  static const gchar *const pads[][2] = { {"a,live", "a+0"}, {"a,live b,live", "a+0 b:eos"}, {"a b", "a+0"} };
  Play *play = play_new ("rate=100/1", pads[__i__][0]);

  play_words (play, pads[__i__][1]);
  feed_caps (play->pads[0].feed, bad_caps[2]);
  play_words (play, "error:negotiation:proprio_0|complex no:warning");
  play_free (play);
}

GST_END_TEST;

/* Three rows and their times, 12 and 24 bytes, in memories of these sizes. */
static const struct
{
  gint64 pts;
  guint sizes[4];
  const gchar *words;
} memories[] = {
  {NONE, {12, 24}, "a:eos >0..20/10 >eos"},
  {MS (500), {36}, "a:eos >0..20/10 >eos"},
  {NONE, {8, 4, 24}, "a:eos >0..20/10 >eos"},
  {NONE, {1, 1, 34}, "a:eos >0..20/10 >eos"},
  {0, {16, 20}, "error:format:16|12"},
};

GST_START_TEST (test_row_times)
{
  const gfloat rows[] = { 0, 10, 20 };
  const gint64 times[] = { 0, 10000000, 20000000 };
  Play *play = play_new ("rate=100/1", "a,bare");
  guint8 bytes[sizeof (rows) + sizeof (times)];
  GstBuffer *buffer = fuse_buffer (memories[__i__].pts, NULL, 0);
  const guint8 *next = bytes;

  memcpy (bytes, rows, sizeof (rows));
  memcpy (bytes + sizeof (rows), times, sizeof (times));
  feed_start (play->pads[0].feed, TWO_TENSORS "types=(string)\"float32,int64\", dimensions=(string)\"1:3,3\"");
  play->pads[0].has_caps = TRUE;
  for (const guint *size = memories[__i__].sizes; *size > 0; next += *size++)
    buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (next, *size));
  fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, buffer), strstr (memories[__i__].words, "error")
      ? GST_FLOW_ERROR : GST_FLOW_OK);
  play_words (play, memories[__i__].words);
  play_free (play);
}

GST_END_TEST;

/* ---- types ---- */

static const struct
{
  const gchar *type;
  guint bytes;
  guint64 bits;                 /* of 2.5 in that type; 2 where only integers fit: halves go to even */
  guint64 missing;
} types[] = {
  {"int8", 1, 2},
  {"uint8", 1, 2},
  {"int16", 2, 2},
  {"uint16", 2, 2},
  {"int32", 4, 2},
  {"uint32", 4, 2},
  {"int64", 8, 2},
  {"uint64", 8, 2},
  {"float16", 2, 0x4100, 0x7E00},
  {"bfloat16", 2, 0x4020, 0x7FC0},
  {"float32", 4, 0x40200000, 0x7FC00000},
  {"float64", 8, G_GUINT64_CONSTANT (0x4004000000000000), G_GUINT64_CONSTANT (0x7FF8000000000000)},
};

GST_START_TEST (test_output_types)
{
  gchar *settings = g_strdup_printf ("rate=100/1 type=%s", types[__i__].type);
  Play *play = play_new (settings, "a");
  guint64 bits = 0;
  GstBuffer *sample;

  play_words (play, "a+0=2.5 a:eos");
  sample = pull (play->rig);
  fail_unless_equals_int (gst_buffer_get_size (sample), types[__i__].bytes);
  gst_buffer_extract (sample, 0, &bits, types[__i__].bytes);
  fail_unless_equals_uint64_hex (bits, types[__i__].bits);
  assert_output_field (play->rig, "types", types[__i__].type);
  gst_buffer_unref (sample);
  g_free (settings);
  play_free (play);
}

GST_END_TEST;

/* auto: floats keep their type, integers become float32 */
GST_START_TEST (test_input_types)
{
  const gboolean is_float = strstr (types[__i__].type, "float") != NULL;
  gchar *caps = g_strdup_printf (TENSORS "types=(string)%s, dimensions=(string)1", types[__i__].type);
  Play *play = play_new ("rate=100/1", "a,bare");
  Feed *feed = play->pads[0].feed;
  GstBuffer *sample;

  feed_start (feed, caps);
  fail_unless_equals_int (feed_bytes (feed, 0, &types[__i__].bits, types[__i__].bytes), GST_FLOW_OK);
  feed_eos (feed);
  sample = pull (play->rig);
  assert_output_field (play->rig, "types", is_float ? types[__i__].type : "float32");
  if (is_float)
    fail_unless (gst_buffer_memcmp (sample, 0, &types[__i__].bits, types[__i__].bytes) == 0);
  else
    assert_value (value_of (sample, 0, 0), 2);
  gst_buffer_unref (sample);
  g_free (caps);
  play_free (play);
}

GST_END_TEST;

/* A missing row is NaN, or 0 for integers. */
GST_START_TEST (test_missing_of_types)
{
  gchar *settings = g_strdup_printf ("rate=100/1 type=%s", types[__i__].type);
  Play *play = play_new (settings, "a b");
  guint64 bits = 0;
  GstBuffer *sample;

  play_words (play, "a+0=1 eos");
  sample = pull (play->rig);
  gst_buffer_extract (sample, types[__i__].bytes, &bits, types[__i__].bytes);
  fail_unless_equals_uint64_hex (bits, types[__i__].missing);
  fail_unless_equals_int64 (status_of (sample, 1), MISSING);
  gst_buffer_unref (sample);
  g_free (settings);
  play_free (play);
}

GST_END_TEST;

/* ---- tensors of more than two axes ---- */

static const struct
{
  const gchar *settings, *interpolation, *types, *dimensions;
  const gchar *out_types, *out_dimensions;      /* or NULL */
  const gchar *error;
} wholes[] = {
  {"", "nearest", "uint8", "3:4:2", "uint8", "3:4:2"},
  {"", "previous", "uint8", "3:4:2:1", "uint8", "3:4:2"},
  {"", "nearest", "uint8", "1:2:3:4", "uint8", "1:2:3:4"},
  {"type=float32", "nearest", "uint8", "3:4:2", "float32", "3:4:2"},
  {"window=2", "nearest", "uint8", "3:4:2", "uint8", "3:4:2:2"},
  {"layout=concat", "nearest", "uint8", "3:4:2", "float32", "24"},
  {"layout=concat window=2", "nearest", "uint8", "3:2:1:1:1:1:1:4", "float32", "24:2"},
  {"", "nearest", "uint8", "3:2:1:1:1:1:1:4", "uint8", "3:2:1:1:1:1:1:4"},
  {"window=2", "nearest", "uint8", "3:2:1:1:1:1:1:4", NULL, NULL, "settings:proprio_0|3:2:1:1:1:1:1:4|window=1"},
  {"", "linear", "uint8", "3:4:2", NULL, NULL, "settings:proprio_0|3:4:2|proprio_0::interpolation=nearest or previous"},
  {"", "cubic", "float32", "3:4:2", NULL, NULL, "settings:proprio_0|3:4:2|nearest or previous"},
};

/* The last tick of a sample, in elements of its type. */
static void
assert_counts_from_1 (GstBuffer *sample, gboolean is_uint8, guint ticks)
{
  GstMemory *memory = gst_buffer_peek_memory (sample, 0);
  GstMapInfo map;

  fail_unless (gst_memory_map (memory, &map, GST_MAP_READ));
  fail_unless_equals_int (map.size, ticks * 24 * (is_uint8 ? 1 : sizeof (gfloat)));
  for (guint i = 0, last = (ticks - 1) * 24; i < 24; i++)
    fail_unless (1 + i == (is_uint8 ? map.data[last + i] : ((gfloat *) map.data)[last + i]));
  gst_memory_unmap (memory, &map);
}

GST_START_TEST (test_whole_tensors)
{
  gchar *settings = g_strconcat ("rate=100/1 ", wholes[__i__].settings, NULL);
  gchar *pads = g_strdup_printf ("a,bare,interpolation=%s", wholes[__i__].interpolation);
  gchar *caps = g_strdup_printf (TENSORS "types=(string)%s, dimensions=(string)\"%s\"", wholes[__i__].types, wholes[__i__].dimensions);
  Play *play = play_new (settings, pads);
  Feed *feed = play->pads[0].feed;
  guint8 values[24 * sizeof (gfloat)] = { 0 };
  GstBuffer *sample;

  for (guint i = 0; i < 24; i++)
    values[i] = 1 + i;
  feed_start (feed, caps);
  feed_bytes (feed, 0, values, g_str_equal (wholes[__i__].types, "uint8") ? 24 : sizeof (values));
  feed_eos (feed);
  if (wholes[__i__].error) {
    assert_error (play->rig, "%s", wholes[__i__].error);
  } else {
    sample = pull (play->rig);
    assert_output_field (play->rig, "types", wholes[__i__].out_types);
    assert_output_field (play->rig, "dimensions", wholes[__i__].out_dimensions);
    assert_counts_from_1 (sample, g_str_equal (wholes[__i__].out_types, "uint8"), strstr (settings, "window") ? 2 : 1);
    gst_buffer_unref (sample);
  }
  play_free (play);
  g_free (caps);
  g_free (pads);
  g_free (settings);
}

GST_END_TEST;

/* ---- downstream ---- */

static const gchar *spellings[] = { "1", "1:1", "1:1:1:1" };

GST_START_TEST (test_spelling_of_downstream)
{
  gchar *caps = g_strdup_printf (TENSORS "types=(string)float32, dimensions=(string)%s", spellings[__i__]);
  Play *play = play_new ("rate=100/1", "a,bare");

  gst_harness_set_sink_caps_str (play->rig->out, caps);
  play_words (play, "a:start a+0=1 a:eos >0 a=1");
  assert_output_field (play->rig, "dimensions", spellings[__i__]);
  g_free (caps);
  play_free (play);
}

GST_END_TEST;

/* A downstream that fixes no more than the rank, as a capsfilter before tensor_aggregator does. */
GST_START_TEST (test_rank_of_downstream)
{
  Play *play = play_new ("rate=100/1", "a,bare");

  gst_harness_set_sink_caps_str (play->rig->out, "other/tensors, dimensions=(string)\"1:1\"");
  play_words (play, "a:start a+0=1 a:eos >0 a=1 caps.format=static");
  assert_output_field (play->rig, "dimensions", "1:1");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_bfloat16_of_downstream)
{
  Play *play = play_new ("rate=100/1 type=bfloat16", "a,bare");

  gst_harness_set_sink_caps_str (play->rig->out, TENSORS "types=(string){ float16, float32 }");
  play_words (play, "a:start a+0=1 a:eos 'error:negotiation:bfloat16|downstream accepts only|set type=float32 or float16' .");
  play_free (play);
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
  Play *play = play_new ("rate=100/1", "a,bare");

  gst_harness_set_sink_caps_str (play->rig->out, unwanted[__i__]);
  play_words (play, "a:start a+0=1 a:eos 'error:negotiation:samples are other/tensors|downstream accepts only' .");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_downstream_wants_memory_of_no_gpu)
{
  Play *play = play_new ("rate=100/1 backend=cpu", "a,bare");

  gst_harness_set_sink_caps_str (play->rig->out, "other/tensors(memory:RobocacheCUDA)");
  play_words (play, "a:start a+0=1 a:eos "
      "'error:negotiation:downstream accepts only other/tensors(memory:RobocacheCUDA)|: backend=cpu offers no GPU memory'");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_rows_after_a_refusal_are_refused)
{
  Play *play = play_new ("rate=100/1", "a,bare");
  const gfloat zero = 0;
  GstFlowReturn flow = GST_FLOW_OK;

  gst_harness_set_sink_caps_str (play->rig->out, "audio/x-raw");
  play_words (play, "a:start");
  /* a source that goes on is told in the end, since it may be no more than some rows ahead */
  for (gint i = 0; i < 10000 && flow == GST_FLOW_OK; i++)
    flow = feed_row (play->pads[0].feed, MS (10 * i), &zero, 1);
  fail_unless_equals_int (flow, GST_FLOW_NOT_NEGOTIATED);
  play_words (play, "'error:negotiation:downstream accepts only audio/x-raw'");
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefuse, NULL, NULL, EACH (refused, test_caps_refused), EACH (no_cameras, test_camera_caps_refused),
  ONCE (test_rows_after_refused_caps_are_refused), EACH (accepted, test_caps_accepted), EACH (flexible, test_flexible), ONCE (test_flexible_changes),
  EACH (ends, test_flexible_at_the_end), EACH (wholes, test_whole_tensors), EACH (wrong_sizes, test_wrong_size), ONCE (test_refused_rows_are_counted),
  EACH (malformed_sizes, test_malformed_buffers_of_a_live_sensor), ONCE (test_malformed_frames_of_a_live_camera),
  EACH (bad_caps, test_bad_caps_of_a_live_sensor), TIMES (3, test_bad_caps_where_nothing_is_left), EACH (memories, test_row_times),
  EACH (types, test_output_types), EACH (types, test_input_types), EACH (types, test_missing_of_types), EACH (spellings, test_spelling_of_downstream),
  ONCE (test_rank_of_downstream), ONCE (test_bfloat16_of_downstream), EACH (unwanted, test_downstream_refuses),
  ONCE (test_downstream_wants_memory_of_no_gpu), ONCE (test_rows_after_a_refusal_are_refused))
