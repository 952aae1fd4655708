/* robocache: robocacheresample: caps, rates, types, channel roles, latency and counts
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <math.h>

#include "tests/check/lib/resampleharness.h"
#include "tests/check/lib/checks.h"

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
  {R100, NULL, FIELDS ("format=(string)sparse,num_tensors=(int)1,types=(string)float32,dimensions=(string)2"), "format is sparse"},
  {R100, NULL, FIELDS ("format=(string)static,types=(string)float32,dimensions=(string)2"), "num_tensors is missing"},
  {R100, NULL, FIELDS ("format=(string)static,num_tensors=(int)0,types=(string)float32,dimensions=(string)2"), "num_tensors is 0"},
  {R100, NULL, FIELDS ("format=(string)static,num_tensors=(int)17,types=(string)float32,dimensions=(string)2"), "num_tensors is 17"},
  {R100, NULL, FIELDS (HEAD "dimensions=(string)2"), "have no types"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32"), "have no dimensions"},
  {R100, NULL, FIELDS (HEAD "types=(string)complex64,dimensions=(string)2"), "\"complex64\" is not an element type"},
  {R100, NULL, FIELDS (HEAD "types=(string)\"float32,float32\",dimensions=(string)2"), "has 2 items"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)0"), "dimensions \"0\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2:0"), "dimensions \"2:0\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)-2"), "dimensions \"-2\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)\"\""), "dimensions=\"\" has 0 items"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2x"), "dimensions \"2x\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)99999999999999999999"), "99999999999999999999"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)4294967296:4294967296"), "expected at most"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)2:1:1:1:1:1:1:1:3"), "2:1:1:1:1:1:1:1:3"},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(int)-3"), "dimensions \"-3\""},
  {R100, NULL, FIELDS (HEAD "types=(string)float32,dimensions=(string)4:3:2"), "4:3:2"},
  {R100, NULL, "other/tensors," HEAD "types=(string)float32,dimensions=(string)2,framerate=(fraction)-1/1", "framerate"},
  {R100, NULL, "other/tensors," HEAD "types=(string)float32,dimensions=(string)2,framerate=(int)3", "framerate"},
  {R100, NULL, TENSORS ("2", "float32,float32", "2:3,3", "0/1"), "the second tensor is float32"},
  {R100, NULL, TENSORS ("2", "float32,int64", "2:3,4", "0/1"), "of dimensions 4"},
  {R100, NULL, TENSORS ("4", "float32,int64,int64,int64", "2,1,1,1", "0/1"), "4 tensors"},
  /* recorded episodes whose parts do not fit together */
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,5:3,5:3", "10/1"), "(2:4:3), int64 times (5:3)"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,4:2,5:3", "10/1"), "int64 times (4:2)"},
  {"gap-policy=nan", NULL, TENSORS ("3", "float32,int64,int64", "2:4:3,4:3,5:2", "10/1"), "target times (5:2)"},
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
  {R100, DOWNSTREAM ("framerate=(fraction)50/1"), ONE, "framerate=(fraction)50/1, but the input gives"},
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
  {"rate=100/1 backend=cpu", "other/tensors(memory:RobocacheCUDA)", TWO, ": backend=cpu offers no GPU memory"},
};

GST_START_TEST (test_unfit_caps)
{
  GstHarness *h = harness_open (LIVE, unfit[__i__].properties);
  const gfloat row[2] = { 0 };

  if (unfit[__i__].downstream)
    gst_harness_set_sink_caps_str (h, unfit[__i__].downstream);
  start_stream (h, unfit[__i__].caps);
  expect_posted_error (h, "negotiation", unfit[__i__].words);
  push_segment_of (h, GST_FORMAT_TIME);
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

/* ---- rate ---- */

GST_START_TEST (test_rate_of_property_above_1_ghz)
{
  GstHarness *h = harness_open (LIVE, "rate=1000000000/1");
  gchar *rate;

  SET_OUT_OF_RANGE (set_properties (h->element, "rate=1000000001/1"));
  rate = property_text (h->element, "rate");
  fail_unless_equals_string (rate, "1000000000/1");
  g_free (rate);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_caps_query)
{
  GstHarness *h = resample_harness (LIVE, "rate=100/1", ONE);
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

GST_START_TEST (test_every_type_to_every_type)
{
  const guint from = __i__ / N_DTYPES, to = __i__ % N_DTYPES;
  gchar *properties = g_strdup_printf ("rate=100/1 type=%s", dtypes[to].name);
  gchar *caps = g_strdup_printf (TENSORS ("1", "%s", "1", "0/1"), dtypes[from].name);
  GstHarness *h = resample_harness (LIVE, properties, caps);

  gst_harness_push (h, buffer_of (&dtypes[from].bits[0], dtypes[from].size, 0));
  gst_harness_push (h, buffer_of (&dtypes[from].bits[2], dtypes[from].size, NS (20)));
  expect_caps_field (h, "types", dtypes[to].name);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_harness_try_pull (h);

    fail_unless (buffer != NULL);
    gst_check_buffer_data (buffer, &dtypes[to].bits[i], dtypes[to].size);
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_harness_try_pull (h) == NULL);
  g_free (properties);
  g_free (caps);
  harness_close (h);
}

GST_END_TEST;

/* ---- channel lists ---- */

GST_START_TEST (test_malformed_roles)
{
  static const gchar *names[] = { "quaternions", "angles", "velocities" };
  static const gchar *lists[] = { "x", "1,", "3-1", "1;2", "-1", "99999999999" };
  const gchar *name = names[__i__ % 3], *list = lists[__i__ / 3];
  gchar *words = g_strdup_printf ("%s: \"%s\" is not a channel list", name, list), *kept;
  gchar *properties = g_strdup_printf ("rate=100/1 %s=%s", name, list);
  GstHarness *h = harness_open (LIVE, properties);
  const gfloat row[4] = { 0 };

  g_object_get (h->element, name, &kept, NULL);
  fail_unless_equals_string (kept, list);
  start_stream (h, F32 ("4", "0/1"));
  push_segment_of (h, GST_FORMAT_TIME);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (row, sizeof row, 0)), GST_FLOW_NOT_NEGOTIATED);
  expect_posted_error (h, "settings", words);
  g_free (properties);
  g_free (words);
  g_free (kept);
  harness_close (h);
}

GST_END_TEST;

/* ---- latency ---- */

static void
expect_latency (GstHarness *h, gboolean live, gdouble ms)
{
  GstQuery *query = gst_query_new_latency ();
  GstClockTime got;
  gboolean got_live;

  fail_unless (gst_pad_peer_query (h->sinkpad, query));
  gst_query_parse_latency (query, &got_live, &got, NULL);
  fail_unless_equals_int (got_live, live);
  fail_unless_equals_uint64 (got, NS (ms));
  gst_query_unref (query);
}

static const struct
{
  const gchar *properties;
  gdouble latency;              /* with rows every 10 ms */
} latencies[] = {
  {"rate=50/1 interpolation=previous", 0},
  {"rate=50/1 interpolation=nearest", 10},
  {"rate=50/1 interpolation=linear", 10},
  {"rate=50/1 interpolation=hermite", 10},
  {"rate=50/1 interpolation=cubic", 20},
  {"rate=50/1 interpolation=mean", 20},
  {"rate=50/1 interpolation=lowpass", 100},
  {"rate=200/1 interpolation=lowpass lobes=2 reorder-window=3000000", 28},
  {"rate=50/1 interpolation=lowpass cutoff=10", 200},
  {"rate=50/1 interpolation=previous reorder-window=3000000", 3},
  {"rate=50/1 interpolation=linear reorder-window=3000000", 13},
};

/* Live and not, by caps; and live, measured. */
GST_START_TEST (test_latency)
{
  const gchar *properties = latencies[__i__].properties;
  const gdouble latency = latencies[__i__].latency;
  GstHarness *h = resample_harness (LIVE, properties, F32 ("1", "100/1"));

  gst_harness_set_upstream_latency (h, NS (5));
  expect_latency (h, TRUE, 5 + latency);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_LATENCY), latency > 0);
  harness_close (h);
  h = resample_harness (NOT_LIVE, properties, F32 ("1", "100/1"));
  expect_latency (h, FALSE, latency);
  harness_close (h);
  h = resample_harness (LIVE, properties, ONE);
  for (guint i = 0; i < 5; i++)
    push (h, 10 * i, 0);
  expect_latency (h, TRUE, latency);
  fail_unless (latency == 0 || count_messages (h, GST_MESSAGE_LATENCY) > 0);
  harness_close (h);
}

GST_END_TEST;

/* The median follows a sensor that changes its rate, in buffers of any number of rows, and says so once. */
GST_START_TEST (test_latency_follows_the_rate)
{
  static const gchar *caps[] = { ONE, F32 ("1:7", "0/1"), F32 ("1:100", "0/1") };
  const guint rows[] = { 1, 7, 100 };
  const guint n = rows[__i__];
  GstHarness *h = resample_harness (LIVE, "rate=50/1", caps[__i__]);
  GstClockTime t = 0;

  for (guint i = 0; i < 800; i += n) {
    const gdouble period = i < 400 ? 10 : 4;
    gfloat values[100] = { 0 };
    GstBuffer *buffer = buffer_of (values, n * sizeof (gfloat), t);

    GST_BUFFER_DURATION (buffer) = NS (period) * n;
    t += NS (period) * n;
    gst_harness_push (h, buffer);
    if (i + n < 400)
      expect_latency (h, TRUE, i + n > 1 ? 10 : 0);
  }
  expect_latency (h, TRUE, 4);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_LATENCY), 2);
  harness_close (h);
}

GST_END_TEST;

/* ---- rows that ticks fold ---- */

static const struct
{
  const gchar *properties;
  gdouble hz;                   /* of a sine in rows at 1 kHz */
  guint warnings;
} fast_rows[] = {
  {"rate=30/1", 200, 1}, {"rate=30/1", 16.5, 1}, {"rate=30/1", 8, 0}, {"rate=30/1 interpolation=nearest", 200, 1},
  {"rate=30/1 interpolation=lowpass", 200, 0}, {"rate=30/1 interpolation=mean", 200, 0}, {"rate=350/1", 200, 0},
};

/* 1 % of the variance above half of the rate of ticks is too much, in the first 5 s, and once. */
GST_START_TEST (test_fast_rows)
{
  GstHarness *h = resample_harness (NOT_LIVE, fast_rows[__i__].properties, ONE);

  for (guint i = 0; i < 11000; i++) {
    push (h, i, (gfloat) sin (fast_rows[__i__].hz * i * (2 * G_PI / 1000)));
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), i == 5000 ? fast_rows[__i__].warnings : 0);
  }
  harness_close (h);
}

GST_END_TEST;

/* The first 5 s are all of a shorter stream, if they have ticks enough. Each channel is named. */
GST_START_TEST (test_short_stream_of_fast_rows)
{
  static const struct
  {
    guint rows;
    guint warnings;
  } cases[] = { {300, 0}, {700, 0}, {900, 1}, {2000, 1} };

  for (guint k = 0; k < G_N_ELEMENTS (cases); k++) {
    GstHarness *h = resample_harness (NOT_LIVE, "rate=30/1", ONE);

    for (guint i = 0; i < cases[k].rows; i++)
      push (h, i, (gfloat) sin (200.0 * i * (2 * G_PI / 1000)));
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_WARNING), 0);
    gst_harness_push_event (h, gst_event_new_eos ());
    fail_unless (count_messages (h, GST_MESSAGE_WARNING) == cases[k].warnings, "%u rows", cases[k].rows);
    harness_close (h);
  }
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
  GstHarness *h = resample_harness (__i__ % 2 ? LIVE : NOT_LIVE, properties[__i__ / 2], ONE);
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

/* max-gap in force: of the last tick, also when its rows have gone. */
static const struct
{
  const gchar *properties, *rate;
  gdouble spacing;              /* ms */
  gint64 expected;
} max_gaps[] = {
  {"", "0/1", 10, 80 * GST_MSECOND}, {"", "0/1", 1, 20 * GST_MSECOND}, {"", "50/1", 1, 160 * GST_MSECOND}, {"max-gap=5", "50/1", 1, 5},
  {"max-gap=-1", "0/1", 10, -1}, {"max-gap=-2", "0/1", 200, 1000 * GST_MSECOND},
};

static gint64
max_gap_in_stats (GstHarness *h)
{
  GstStructure *stats;
  gint64 value;

  g_object_get (h->element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_int64 (stats, "max-gap", &value));
  gst_structure_free (stats);
  return value;
}

GST_START_TEST (test_max_gap_in_stats)
{
  gchar *properties = g_strdup_printf ("rate=100/1 %s", max_gaps[__i__].properties), *caps = g_strdup_printf (
      "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,dimensions=(string)1,framerate=(fraction)%s", max_gaps[__i__].rate);
  GstHarness *h = resample_harness (NOT_LIVE, properties, caps);

  for (guint i = 0; i < 80; i++)
    push (h, i * max_gaps[__i__].spacing, 1);
  fail_unless_equals_int64 (max_gap_in_stats (h), max_gaps[__i__].expected);
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int64 (max_gap_in_stats (h), max_gaps[__i__].expected);
  harness_close (h);
  g_free (properties);
  g_free (caps);
}

GST_END_TEST;

GST_START_TEST (test_cuda_without_gpu_or_with)
{
  GstHarness *h = harness_open (LIVE, "backend=cpu");

  gst_element_set_state (h->element, GST_STATE_NULL);
  set_properties (h->element, "backend=cuda device-id=9999");
  fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 1);
  gst_element_set_state (h->element, GST_STATE_NULL);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (resample, NULL, NULL, EACH (unfit, test_unfit_caps), EACH (fits, test_caps_that_fit), ONCE (test_rate_of_property_above_1_ghz),
  ONCE (test_caps_query), TIMES (N_DTYPES * N_DTYPES, test_every_type_to_every_type), TIMES (18, test_malformed_roles),
  EACH (latencies, test_latency), TIMES (3, test_latency_follows_the_rate), EACH (fast_rows, test_fast_rows), ONCE (test_short_stream_of_fast_rows),
  TIMES (10, test_counts_balance), EACH (max_gaps, test_max_gap_in_stats), ONCE (test_cuda_without_gpu_or_with))
