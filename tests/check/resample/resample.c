/* robocache: robocacheresample: caps, rates, types, channel roles, latency and counts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "resampleharness.h"

/* ---- caps in ---- */

#define FIELDS(fields) "other/tensors," fields ",framerate=(fraction)100/1"
#define HEAD "format=(string)static,num_tensors=(int)1,"
#define TWO F32 ("2", "100/1")

#define R100 "rate=100/1"
#define DOWNSTREAM(fields) "other/tensors," fields
#define RATE(rate) "other/tensors," HEAD "types=(string)float32,dimensions=(string)1,framerate=(fraction)" rate

/* Caps of both sides that do not go together, and words of the error. */
static const struct
{
  const gchar *properties, *downstream, *caps, *words;
} unfit[] = {
  {R100, NULL, FIELDS ("num_tensors=(int)1,types=(string)float32,dimensions=(string)2"), "format is missing"},
  {R100, NULL, FIELDS ("format=(string)flexible,num_tensors=(int)1,types=(string)float32,dimensions=(string)2"), "format is flexible"},
  {R100, NULL, FIELDS ("format=(string)static,types=(string)float32,dimensions=(string)2"), "num_tensors is missing"},
  {R100, NULL, FIELDS ("format=(string)static,num_tensors=(int)0,types=(string)float32,dimensions=(string)2"), "num_tensors is 0"},
  {R100, NULL, FIELDS ("format=(string)static,num_tensors=(int)17,types=(string)float32,dimensions=(string)2"), "num_tensors is 17"},
  {R100, NULL, FIELDS (HEAD "dimensions=(string)2"), "without types"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32"), "without dimensions"},
  {R100, NULL, FIELDS (HEAD "types=(string)complex64,dimensions=(string)2"), "\"complex64\" is no element type"},
  {R100, NULL, FIELDS (HEAD "types=(string)\"float32,float32\",dimensions=(string)2"), "has 2 items"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)0"), "dimensions \"0\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2:0"), "dimensions \"2:0\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)-2"), "dimensions \"-2\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)\"\""), "dimensions=\"\" has 0 items"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2x"), "dimensions \"2x\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)99999999999999999999"), "99999999999999999999"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)4294967296:4294967296"), "a tensor of more than"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2:1:1:1:1:1:1:1:3"), "2:1:1:1:1:1:1:1:3"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(int)-3"), "dimensions \"-3\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)4:3:2"), "4:3:2"},
  {R100, NULL, "other/tensors," HEAD "types=(string)float32,dimensions=(string)2,framerate=(fraction)-1/1", "framerate"},
  {R100, NULL, "other/tensors," HEAD "types=(string)float32,dimensions=(string)2,framerate=(int)3", "framerate"},
  {R100, NULL, TENSORS ("2", "float32,float32", "2:3,3", "0/1"), "the second tensor is float32"},
  {R100, NULL, TENSORS ("2", "float32,int64", "2:3,4", "0/1"), "of dimensions 4"},
  {R100, NULL, TENSORS ("4", "float32,int64,int64,int64", "2,1,1,1", "0/1"), "4 tensors"},
  /* recorded episodes whose parts do not fit together */
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,5:3,5:3", "10/1"), "2:4:3, int64 times of 5:3"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,4:2,5:3", "10/1"), "int64 times of 4:2"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,4:3,5:2", "10/1"), "target times of 5:2"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int32,int64", "2:4:3,4:3,5:3", "10/1"), "int32 times"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,float64", "2:4:3,4:3,5:3", "10/1"), "float64 target times"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3:2,4:3,5:3", "10/1"), "2:4:3:2"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,4:3:2,5:3", "10/1"), "4:3:2"},
  /* no rate, and rates above a tick a nanosecond, at which ticks would share their times */
  {"", NULL, ONE, "set rate"},
  {"", NULL, RATE ("1000000001/1"), "1000000001/1"},
  {"", NULL, RATE ("2147483647/1"), "2147483647/1"},
  {"", NULL, RATE ("2147483647/2"), "2147483647/2"},
  /* with the rate fixed the base class has no choice left to ask downstream about; without, it has */
  {R100, DOWNSTREAM ("framerate=(fraction)50/1"), ONE, "framerate=(fraction)50/1, but the input makes"},
  {R100, DOWNSTREAM ("dimensions=(string)3"), TWO, "3"},
  {"", DOWNSTREAM ("dimensions=(string)3"), TWO, "3"},
  {R100, DOWNSTREAM ("dimensions=(string)2:4"), TWO, "2:4"},
  {"", DOWNSTREAM ("dimensions=(string)2:4"), TWO, "2:4"},
  {R100, DOWNSTREAM ("dimensions=2:1"), TWO, "dimensions=(string)"},
  {"", DOWNSTREAM ("dimensions=2:1"), TWO, "dimensions=(string)"},
  {R100, DOWNSTREAM ("types=(string)float64"), TWO, "float64"},
  {"", DOWNSTREAM ("types=(string)float64"), TWO, "float64"},
  {R100, DOWNSTREAM ("num_tensors=(int)2"), TWO, "num_tensors=(int)2"},
  {"", DOWNSTREAM ("num_tensors=(int)2"), TWO, "num_tensors=(int)2"},
  {R100, DOWNSTREAM ("format=(string)flexible"), TWO, "flexible"},
  {"", DOWNSTREAM ("format=(string)flexible"), TWO, "flexible"},
  {"rate=100/1 backend=cpu", "other/tensors(memory:RobocacheCUDA)", TWO, ": backend=cpu has no memory of a GPU"},
};

GST_START_TEST (test_unfit_caps)
{
  GstHarness *h = harness_open (LIVE, unfit[__i__].properties);
  const gfloat row[2] = { 0 };

  if (unfit[__i__].downstream)
    gst_harness_set_sink_caps_str (h, unfit[__i__].downstream);
  start_stream (h, unfit[__i__].caps);
  expect_refused_caps (h, unfit[__i__].words);
  push_time_segment (h);
  /* the same caps come again with the buffer */
  fail_unless_equals_int (gst_harness_push (h, buffer_of (row, sizeof row, 0)), GST_FLOW_NOT_NEGOTIATED);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

/* Caps of both sides, and fields of the output. */
static const struct
{
  const gchar *properties, *downstream, *caps, *fields[5][2];
} fits[] = {
  {"rate=50/1", NULL, TWO, {{"format", "static"}, {"num_tensors", "1"}, {"framerate", "50/1"}, {"dimensions", "2"}, {"types",
          "float32"}}},
  {R100, NULL, F32 ("2:1:1:1", "0/1"), {{"dimensions", "2"}}},
  {R100, NULL, F32 ("2:1:1:1:1:1:1:1:1:1", "0/1"), {{"dimensions", "2"}}},
  {R100, NULL, F32 ("2:5", "0/1"), {{"dimensions", "2"}}},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(int)2"), {{"dimensions", "2"}}},
  {R100, NULL, "other/tensors," HEAD "types=(string)float32,dimensions=(string)2", {{"dimensions", "2"}}},
  {R100, NULL, TENSORS ("1", "bfloat16", "1", "0/1"), {{"types", "bfloat16"}}},
  {R100, NULL, TENSORS ("1", "float16", "1", "0/1"), {{"types", "float16"}}},
  {R100, NULL, TENSORS ("1", "float64", "1", "0/1"), {{"types", "float64"}}},
  {R100, NULL, TENSORS ("1", "uint64", "1", "0/1"), {{"types", "float32"}}},
  {R100, NULL, TENSORS ("1", "int8", "1", "0/1"), {{"types", "float32"}}},
  {R100, NULL, TENSORS ("2", "float32,int64", "2:3,3", "0/1"), {{"num_tensors", "1"}, {"dimensions", "2"}}},
  {R100, NULL, TENSORS ("2", "float32,int64", "2:3,1:3", "0/1"), {{"num_tensors", "1"}, {"dimensions", "2"}}},
  {R100, NULL, TENSORS ("2", "float32.int64", "2.1", "0/1"), {{"types", "float32"}, {"dimensions", "2"}}},
  {R100, NULL, TWO ",channels=(string)\"a,b\",role=(string)force", {{"channels", "\"a\\,b\""}, {"role", "force"}}},
  {"type=float64", DOWNSTREAM ("types=(string)float64"), TWO, {{"types", "float64"}}},
  {"", NULL, RATE ("1000000000/1"), {{"framerate", "1000000000/1"}}},
  {"", NULL, RATE ("2147483647/3"), {{"framerate", "2147483647/3"}}},
  {"", DOWNSTREAM ("framerate=(fraction)200/1"), TWO, {{"framerate", "200/1"}}},
  {"", DOWNSTREAM ("framerate=(fraction)[1/1,500/1]"), TWO, {{"framerate", "100/1"}}},
  {R100, DOWNSTREAM ("dimensions=(string)2:1"), TWO, {{"dimensions", "2:1"}}},
  {"", DOWNSTREAM ("dimensions=(string)2:1"), TWO, {{"dimensions", "2:1"}}},
  {R100, DOWNSTREAM ("dimensions=(string)2:1:1:1"), TWO, {{"dimensions", "2:1:1:1"}}},
  {"", DOWNSTREAM ("dimensions=(string)2:1:1:1"), TWO, {{"dimensions", "2:1:1:1"}}},
  {R100, DOWNSTREAM ("dimensions=(int)2"), TWO, {{"dimensions", "2"}}},
  {"", DOWNSTREAM ("dimensions=(int)2"), TWO, {{"dimensions", "2"}}},
};

GST_START_TEST (test_caps_that_fit)
{
  GstHarness *h = harness_open (LIVE, fits[__i__].properties);

  if (fits[__i__].downstream)
    gst_harness_set_sink_caps_str (h, fits[__i__].downstream);
  start_stream (h, fits[__i__].caps);
  for (guint i = 0; i < G_N_ELEMENTS (fits[__i__].fields) && fits[__i__].fields[i][0]; i++)
    expect_caps_field (h, fits[__i__].fields[i][0], fits[__i__].fields[i][1]);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_buffer_before_caps)
{
  GstHarness *h = harness_open (LIVE, "rate=100/1");
  const gfloat row = 0;

  gst_harness_push_event (h, gst_event_new_stream_start ("test"));
  push_time_segment (h);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (&row, sizeof row, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_refused_caps (h, "a buffer before its caps");
  harness_close (h);
}

GST_END_TEST;

static const struct
{
  const gchar *caps;
  gsize size;
  const gchar *words;
} wrong_sizes[] = {
  {F32 ("2", "0/1"), 4, "4 bytes"},
  {F32 ("2", "0/1"), 12, "12 bytes"},
  {F32 ("2:3", "0/1"), 8, "say 24 bytes"},
  {TENSORS ("2", "float32,int64", "2,1", "0/1"), 8, "say 16 bytes in 2 tensors"},
  {F32 ("2", "0/1"), 0, "0 bytes"},
};

GST_START_TEST (test_wrong_buffer_size)
{
  GstHarness *h = harness (LIVE, "rate=100/1", wrong_sizes[__i__].caps);
  const guint8 bytes[64] = { 0 };

  fail_unless_equals_int (gst_harness_push (h, buffer_of (bytes, wrong_sizes[__i__].size, 0)), GST_FLOW_ERROR);
  expect_message (h, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, wrong_sizes[__i__].words);
  harness_close (h);
}

GST_END_TEST;

/* ---- rate ---- */

GST_START_TEST (test_rate_of_property_above_1_ghz)
{
  GstElement *element = gst_element_factory_make ("robocacheresample", NULL);
  GValue rate = G_VALUE_INIT;

  g_value_init (&rate, GST_TYPE_FRACTION);
  gst_util_set_object_arg (G_OBJECT (element), "rate", "1000000000/1");
  ASSERT_WARNING (gst_util_set_object_arg (G_OBJECT (element), "rate", "1000000001/1"));
  g_object_get_property (G_OBJECT (element), "rate", &rate);
  fail_unless_equals_int (gst_value_get_fraction_numerator (&rate), 1000000000);
  g_value_unset (&rate);
  gst_object_unref (element);
}

GST_END_TEST;

/* ---- downstream's wishes ---- */

/* Downstream asks for another rate while rows flow: rows stay, and the next tick is the first after the last. */
GST_START_TEST (test_downstream_renegotiates)
{
  GstHarness *h = harness_open (NOT_LIVE, "");

  gst_harness_set_sink_caps_str (h, "other/tensors,framerate=(fraction)100/1");
  start_stream (h, ONE);
  push_time_segment (h);
  push (h, 0, 0);
  push (h, 20, 20);
  push (h, 21, 21);
  expect (h, 0, 0);
  expect (h, 10, 10);
  gst_harness_set_sink_caps_str (h, "other/tensors,framerate=(fraction)200/1");
  push (h, 25, 25);
  expect (h, 15, 15);
  expect (h, 20, 20);
  expect_caps_field (h, "framerate", "200/1");
  push (h, 35, 35);
  push (h, 36, 36);
  expect (h, 25, 25);
  expect (h, 30, 30);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_query)
{
  GstHarness *h = harness (LIVE, "rate=100/1", ONE);
  GstCaps *sink = gst_pad_peer_query_caps (h->srcpad, NULL), *src = gst_pad_peer_query_caps (h->sinkpad, NULL);
  GstCaps *tensors = gst_caps_new_empty_simple ("other/tensors"), *video = gst_caps_new_empty_simple ("video/x-raw");

  fail_unless (gst_caps_can_intersect (sink, tensors));
  fail_unless (gst_caps_can_intersect (src, tensors));
  fail_if (gst_caps_can_intersect (sink, video));
  fail_if (gst_caps_can_intersect (src, video));
  fail_if (gst_pad_peer_query_accept_caps (h->srcpad, video));
  gst_caps_unref (sink);
  gst_caps_unref (src);
  gst_caps_unref (tensors);
  gst_caps_unref (video);
  harness_close (h);
}

GST_END_TEST;

/* ---- types ---- */

/* 3, 4 and 5 in every type. */
static const struct
{
  const gchar *name;
  gsize size;
  guint64 bits[3];
} dtypes[] = {
  {"int8", 1, {3, 4, 5}},
  {"uint8", 1, {3, 4, 5}},
  {"int16", 2, {3, 4, 5}},
  {"uint16", 2, {3, 4, 5}},
  {"int32", 4, {3, 4, 5}},
  {"uint32", 4, {3, 4, 5}},
  {"int64", 8, {3, 4, 5}},
  {"uint64", 8, {3, 4, 5}},
  {"float16", 2, {0x4200, 0x4400, 0x4500}},
  {"bfloat16", 2, {0x4040, 0x4080, 0x40A0}},
  {"float32", 4, {0x40400000, 0x40800000, 0x40A00000}},
  {"float64", 8, {G_GUINT64_CONSTANT (0x4008) << 48, G_GUINT64_CONSTANT (0x4010) << 48, G_GUINT64_CONSTANT (0x4014) << 48}},
};

#define N_DTYPES ((gint) G_N_ELEMENTS (dtypes))

static void
expect_bits (GstHarness *h, guint dtype, guint which)
{
  GstBuffer *buffer = gst_harness_try_pull (h);

  fail_unless (buffer != NULL);
  gst_check_buffer_data (buffer, &dtypes[dtype].bits[which], dtypes[dtype].size);
  gst_buffer_unref (buffer);
}

GST_START_TEST (test_every_type_to_every_type)
{
  const guint from = __i__ / N_DTYPES, to = __i__ % N_DTYPES;
  gchar *properties = g_strdup_printf ("rate=100/1 type=%s", dtypes[to].name);
  gchar *caps = g_strdup_printf (TENSORS ("1", "%s", "1", "0/1"), dtypes[from].name);
  GstHarness *h = harness (LIVE, properties, caps);

  gst_harness_push (h, buffer_of (&dtypes[from].bits[0], dtypes[from].size, 0));
  gst_harness_push (h, buffer_of (&dtypes[from].bits[2], dtypes[from].size, NS (20)));
  expect_caps_field (h, "types", dtypes[to].name);
  for (guint i = 0; i < 3; i++)
    expect_bits (h, to, i);
  expect_nothing (h);
  g_free (properties);
  g_free (caps);
  harness_close (h);
}

GST_END_TEST;

/* ---- interpolations ---- */

/* Rows of 0, 10 and 22 at 2, 18 and 30 ms. */
static const struct
{
  const gchar *interpolation;
  gfloat at[6];                 /* 5, 10 … 30 ms */
} curves[] = {
  {"linear", {1.875f, 5, 8.125f, 12, 17, 22}},
  {"nearest", {0, 0, 10, 10, 22, 22}},
  {"previous", {0, 0, 0, 10, 10, 22}},
  {"mean", {1.875f, 5, 8.125f, 10, 17, 22}},
};

GST_START_TEST (test_interpolation)
{
  gchar *properties = g_strdup_printf ("rate=200/1 interpolation=%s", curves[__i__].interpolation);
  GstHarness *h = harness (NOT_LIVE, properties, ONE);

  g_free (properties);
  push (h, 2, 0);
  push (h, 18, 10);
  push (h, 30, 22);
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint i = 0; i < 6; i++)
    expect (h, 5 * (i + 1), curves[__i__].at[i]);
  expect_nothing (h);
  harness_close (h);
}

GST_END_TEST;

/* A parabola is its own cubic away from the ends. */
GST_START_TEST (test_cubic)
{
  GstHarness *h = harness (NOT_LIVE, "rate=100/1 interpolation=cubic", ONE);

  for (guint ms = 0; ms <= 80; ms += 20)
    push (h, ms, (gfloat) (ms * ms));
  gst_harness_push_event (h, gst_event_new_eos ());
  for (guint ms = 0; ms <= 80; ms += 10) {
    GstBuffer *buffer = gst_harness_try_pull (h);
    gfloat got;

    fail_unless (buffer != NULL);
    gst_buffer_extract (buffer, 0, &got, sizeof got);
    if (ms != 10 && ms != 70)
      fail_unless (fabsf (got - (gfloat) (ms * ms)) < 0.064f, "%u: %g", ms, got);
    gst_buffer_unref (buffer);
  }
  harness_close (h);
}

GST_END_TEST;

/* ---- channel roles ---- */

static void
push_row (GstHarness *h, gdouble ms, const gfloat *row, guint n)
{
  fail_unless_equals_int (gst_harness_push (h, buffer_of (row, n * sizeof (gfloat), NS (ms))), GST_FLOW_OK);
}

static void
expect_near (GstHarness *h, gdouble ms, const gfloat *wanted, guint n)
{
  GstBuffer *buffer = gst_harness_try_pull (h);
  gfloat got[8];

  fail_unless (buffer != NULL);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (ms));
  fail_unless_equals_int (gst_buffer_extract (buffer, 0, got, sizeof got), n * sizeof (gfloat));
  for (guint i = 0; i < n; i++)
    fail_unless (fabsf (got[i] - wanted[i]) < 1e-6f, "channel %u at %g: %g, not %g", i, ms, got[i], wanted[i]);
  gst_buffer_unref (buffer);
}

#define HALF_TURN_8 0.3826834324f       /* sin (pi / 8) */
#define COS_8 0.9238795325f

/* Rows at 0 and 20, and the row between. */
static const struct
{
  const gchar *properties, *caps;
  guint n;
  gfloat first[5], last[5], between[5];
} roles[] = {
  {"rate=100/1 quaternions=1", F32 ("5", "0/1"), 5, {1, 1, 0, 0, 0}, {3, 0.70710678f, 0, 0, 0.70710678f}, {2, COS_8, 0, 0,
      HALF_TURN_8}},
  {"rate=100/1 angles=1", F32 ("2", "0/1"), 2, {3, 3}, {-3, -3}, {0, (gfloat) G_PI}},
  /* x = t^3 in units of 20 ms, with its rate: a cubic Hermite is exact */
  {"rate=100/1 interpolation=hermite velocities=1", F32 ("2", "0/1"), 2, {0, 0}, {1, 150}, {0.125f, 75}},
};

GST_START_TEST (test_roles)
{
  const guint n = roles[__i__].n;
  GstHarness *h = harness (LIVE, roles[__i__].properties, roles[__i__].caps);

  push_row (h, 0, roles[__i__].first, n);
  push_row (h, 20, roles[__i__].last, n);
  expect_near (h, 0, roles[__i__].first, n);
  expect_near (h, 10, roles[__i__].between, n);
  expect_near (h, 20, roles[__i__].last, n);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_roles_that_do_not_fit)
{
  static const gchar *wrong[][2] = {
    {"rate=100/1 quaternions=2", "2"},
    {"rate=100/1 quaternions=0,3", "3"},
    {"rate=100/1 angles=5", "5"},
    {"rate=100/1 quaternions=0 angles=2", "2"},
    {"rate=100/1 interpolation=hermite velocities=7", "7"},
    {"rate=100/1 interpolation=hermite velocities=0-9", "velocities"},
  };
  GstHarness *h = harness_open (LIVE, wrong[__i__][0]);

  start_stream (h, F32 ("5", "0/1"));
  expect_refused_property (h, wrong[__i__][1]);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_malformed_roles)
{
  static const gchar *names[] = { "quaternions", "angles", "velocities" };
  static const gchar *lists[] = { "x", "1,", "3-1", "1;2", "-1", "99999999999" };
  const gchar *name = names[__i__ % 3], *list = lists[__i__ / 3];
  gchar *words = g_strdup_printf ("%s: \"%s\" is no channel list", name, list), *kept;
  gchar *properties = g_strdup_printf ("rate=100/1 %s=%s", name, list);
  GstHarness *h = harness_open (LIVE, properties);
  const gfloat row[4] = { 0 };

  g_object_get (h->element, name, &kept, NULL);
  fail_unless_equals_string (kept, list);
  start_stream (h, F32 ("4", "0/1"));
  push_time_segment (h);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (row, sizeof row, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_refused_property (h, words);
  g_free (properties);
  g_free (words);
  g_free (kept);
  harness_close (h);
}

GST_END_TEST;

/* ---- latency ---- */

static void
expect_latency (GstHarness *h, gboolean live, GstClockTime min)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime got;
  gboolean got_live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &got_live, &got, NULL);
  fail_unless_equals_int (got_live, live);
  fail_unless_equals_uint64 (got, min);
  gst_query_unref (query);
}

static const struct
{
  const gchar *properties;
  gdouble latency;              /* with rows every 10 ms */
} latencies[] = {
  {"interpolation=previous", 0},
  {"interpolation=nearest", 10},
  {"interpolation=linear", 10},
  {"interpolation=hermite", 10},
  {"interpolation=cubic", 20},
  {"interpolation=mean", 20},
  {"interpolation=previous reorder-window=3000000", 3},
  {"interpolation=linear reorder-window=3000000", 13},
};

static GstHarness *
harness_of_latency (guint i, gboolean live, const gchar *caps)
{
  gchar *properties = g_strdup_printf ("rate=50/1 %s", latencies[i].properties);
  GstHarness *h = harness (live, properties, caps);

  g_free (properties);
  return h;
}

GST_START_TEST (test_latency_live)
{
  GstHarness *h = harness_of_latency (__i__, LIVE, F32 ("1", "100/1"));

  gst_harness_set_upstream_latency (h, NS (5));
  expect_latency (h, TRUE, NS (5 + latencies[__i__].latency));
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_LATENCY), latencies[__i__].latency > 0);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_latency_not_live)
{
  GstHarness *h = harness_of_latency (__i__, NOT_LIVE, F32 ("1", "100/1"));

  expect_latency (h, FALSE, NS (latencies[__i__].latency));
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_latency_measured)
{
  GstHarness *h = harness_of_latency (__i__, LIVE, ONE);

  for (guint i = 0; i < 5; i++)
    push (h, 10 * i, 0);
  expect_latency (h, TRUE, NS (latencies[__i__].latency));
  fail_unless (latencies[__i__].latency == 0 || count_messages (h, GST_MESSAGE_LATENCY) > 0);
  harness_close (h);
}

GST_END_TEST;

/* No sum of latencies wraps. */
GST_START_TEST (test_latency_of_a_huge_reorder_window)
{
  GstHarness *h = harness (LIVE, "rate=100/1 reorder-window=9223372036854775807", F32 ("1", "100/1"));

  expect_latency (h, TRUE, G_MAXINT64);
  harness_close (h);
}

GST_END_TEST;

/* The median follows a sensor that changes its rate, in buffers of any number of rows, and says so once. */
GST_START_TEST (test_latency_follows_the_rate)
{
  static const gchar *caps[] = { ONE, F32 ("1:7", "0/1"), F32 ("1:100", "0/1") };
  const guint rows[] = { 1, 7, 100 };
  const guint n = rows[__i__];
  GstHarness *h = harness (LIVE, "rate=50/1", caps[__i__]);
  GstClockTime t = 0;

  for (guint i = 0; i < 800; i += n) {
    const gdouble period = i < 400 ? 10 : 4;
    gfloat values[100] = { 0 };
    GstBuffer *buffer = buffer_of (values, n * sizeof (gfloat), t);

    GST_BUFFER_DURATION (buffer) = NS (period) * n;
    t += NS (period) * n;
    gst_harness_push (h, buffer);
    if (i + n < 400)
      expect_latency (h, TRUE, i + n > 1 ? NS (10) : 0);
  }
  expect_latency (h, TRUE, NS (4));
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_LATENCY), 2);
  harness_close (h);
}

GST_END_TEST;

/* ---- counts ---- */

GST_START_TEST (test_counts_balance)
{
  static const gchar *properties[] = {
    "rate=100/1",
    "rate=100/1 reorder-window=20000000",
    "rate=7/1 interpolation=nearest reorder-window=15000000",
    "rate=1000/1 interpolation=cubic max-gap=10000000 gap-policy=hold",
    "rate=30/1 interpolation=mean max-gap=8000000 gap-policy=nan reorder-window=5000000",
  };
  GstHarness *h = harness (__i__ % 2 ? LIVE : NOT_LIVE, properties[__i__ / 2], ONE);
  GRand *rand = g_rand_new_with_seed (7 + __i__);
  GstBuffer *buffer;
  guint64 out = 0;

  for (guint i = 0; i < 500; i++) {
    push (h, g_rand_int_range (rand, i * 5 > 40 ? i * 5 - 40 : 0, i * 5 + 10), (gfloat) i);
    if (i % 50 == 0)
      expect_balance (h);
  }
  fail_unless_equals_uint64 (count_of (h, "rows-in"), 500);
  gst_harness_push_event (h, gst_event_new_eos ());
  expect_balance (h);
  fail_unless_equals_uint64 (count_of (h, "rows-kept"), 0);
  fail_unless (count_of (h, "rows-late") > 0);
  while ((buffer = gst_harness_try_pull (h))) {
    gst_buffer_unref (buffer);
    out++;
  }
  fail_unless_equals_uint64 (count_of (h, "ticks-out"), out);
  g_rand_free (rand);
  harness_close (h);
}

GST_END_TEST;

/* Rows every 10 ms for two seconds. The interval changes at 0.5 s and 1.5 s. */
static const struct
{
  guint64 first_ms, middle_ms, last_ms; /* stats-interval */
  guint n_messages;             /* before EOS, which adds one where they are on; setting it restarts it */
} stats_intervals[] = { {0, 0, 0, 0}, {100, 100, 100, 18}, {0, 100, 0, 9}, {3600000, 3600000, 3600000, 0} };

/* Messages have the counts so far; the last one those of rows that the end lets out. */
GST_START_TEST (test_stats_messages)
{
  GstHarness *h = harness (LIVE, "rate=100/1 interpolation=linear", ONE);
  const guint64 intervals[] = { stats_intervals[__i__].first_ms, stats_intervals[__i__].middle_ms, stats_intervals[__i__].last_ms };
  guint64 in = 0, last = 0;
  GstMessage *message;
  guint n = 0;

  for (guint ms = 0; ms <= 2000; ms += 10) {
    if (ms % 1000 == 500 || ms == 0)
      g_object_set (h->element, "stats-interval", intervals[(ms + 500) / 1000] * GST_MSECOND, NULL);
    push (h, ms, 0);
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  for (; (message = pop_message (h, GST_MESSAGE_ELEMENT)); n++) {
    const GstStructure *stats = gst_message_get_structure (message);

    fail_unless (gst_structure_has_name (stats, "robocacheresample"));
    in = field_of (stats, "rows-in");
    fail_unless (in > last || (in == last && in == 201));
    last = in;
    gst_message_unref (message);
  }
  fail_unless_equals_int (n, stats_intervals[__i__].n_messages + (intervals[2] > 0));
  fail_unless_equals_uint64 (in, n == 0 || intervals[2] == 0 ? in : 201);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_cuda_without_gpu_or_with)
{
  GstElement *element = gst_element_factory_make ("robocacheresample", NULL);
  GstBus *bus = gst_bus_new ();
  GstStateChangeReturn change;
  GstMessage *error;

  g_object_set (element, "device-id", 9999, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "backend", "cuda");
  gst_element_set_bus (element, bus);
  change = gst_element_set_state (element, GST_STATE_PAUSED);
  error = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless_equals_int (change, GST_STATE_CHANGE_FAILURE);
  fail_unless (error != NULL);
  gst_message_unref (error);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
resample_suite (void)
{
  Suite *suite = suite_create ("robocacheresample");
  TCase *tc = tcase_create ("general");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_unfit_caps, 0, G_N_ELEMENTS (unfit));
  tcase_add_loop_test (tc, test_caps_that_fit, 0, G_N_ELEMENTS (fits));
  tcase_add_test (tc, test_buffer_before_caps);
  tcase_add_loop_test (tc, test_wrong_buffer_size, 0, G_N_ELEMENTS (wrong_sizes));
  tcase_add_test (tc, test_rate_of_property_above_1_ghz);
  tcase_add_test (tc, test_downstream_renegotiates);
  tcase_add_test (tc, test_caps_query);
  tcase_add_loop_test (tc, test_every_type_to_every_type, 0, N_DTYPES * N_DTYPES);
  tcase_add_loop_test (tc, test_interpolation, 0, G_N_ELEMENTS (curves));
  tcase_add_test (tc, test_cubic);
  tcase_add_loop_test (tc, test_roles, 0, G_N_ELEMENTS (roles));
  tcase_add_loop_test (tc, test_roles_that_do_not_fit, 0, 6);
  tcase_add_loop_test (tc, test_malformed_roles, 0, 18);
  tcase_add_loop_test (tc, test_latency_live, 0, G_N_ELEMENTS (latencies));
  tcase_add_loop_test (tc, test_latency_not_live, 0, G_N_ELEMENTS (latencies));
  tcase_add_loop_test (tc, test_latency_measured, 0, G_N_ELEMENTS (latencies));
  tcase_add_test (tc, test_latency_of_a_huge_reorder_window);
  tcase_add_loop_test (tc, test_latency_follows_the_rate, 0, 3);
  tcase_add_loop_test (tc, test_counts_balance, 0, 10);
  tcase_add_loop_test (tc, test_stats_messages, 0, G_N_ELEMENTS (stats_intervals));
  tcase_add_test (tc, test_cuda_without_gpu_or_with);
  return suite;
}

GST_CHECK_MAIN (resample);
