/* robocache: robocachefuse and threads: what comes out does not depend on who runs when, nor on how rows lie in buffers
 *
 * Threads that feed rows sleep and yield at random, as noise on the scheduling only; nothing is waited for by sleeping.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"

#define N_STREAMS 4
#define N_RUNS 20

/* One recorded stream: irregular rows, some late, some equal, with a silence of 400 ms. */
static const struct
{
  const gchar *pad;
  guint channels;
  gint spacing_us, jitter_us;
  guint n_rows;
  const gchar *settings;
} streams[N_STREAMS] = {
  {"proprio_0", 3, 10000, 9000, 200, "interpolation=cubic reorder-window=15000000 angles=1"},
  {"proprio_1", 2, 4000, 5000, 500, "interpolation=hermite velocities=1 offset=-3000000"},
  {"force_0", 1, 1000, 300, 2000, "interpolation=mean max-gap=50000000"},
  {"sink_0", 4, 33000, 2000, 60, "interpolation=nearest hold-limit=50000000 required=true"},
};

typedef struct
{
  gint64 *times;
  gfloat *values;
} Rows;

static Rows recorded[N_STREAMS];

static void
record (void)
{
  GRand *rand = g_rand_new_with_seed (20240229);

  for (guint s = 0; s < N_STREAMS; s++) {
    Rows *rows = &recorded[s];
    gint64 t = 1000 * g_rand_int_range (rand, 0, 30000);

    rows->times = g_new (gint64, streams[s].n_rows);
    rows->values = g_new (gfloat, streams[s].n_rows * streams[s].channels);
    for (guint i = 0; i < streams[s].n_rows; i++) {
      t += 1000 * (gint64) streams[s].spacing_us + (i == streams[s].n_rows / 2 ? MS (400) : 0);
      rows->times[i] = t + 1000 * g_rand_int_range (rand, 0, streams[s].jitter_us);
      if (i > 0 && i % 17 == 0)
        rows->times[i] = rows->times[i - 1];
      for (guint c = 0; c < streams[s].channels; c++)
        rows->values[i * streams[s].channels + c] = (gfloat) g_rand_double_range (rand, -3, 3);
    }
  }
  g_rand_free (rand);
}

static void
forget (void)
{
  for (guint s = 0; s < N_STREAMS; s++) {
    g_free (recorded[s].times);
    g_free (recorded[s].values);
  }
}

/* ---- rows in ---- */

/* How many rows the next buffer has. */
typedef guint (*Cut) (GRand *rand);

static guint
cut_one (GRand *rand)
{
  return 1;
}

static guint
cut_seven (GRand *rand)
{
  return 7;
}

static guint
cut_at_random (GRand *rand)
{
  return g_rand_int_range (rand, 1, 60);
}

typedef struct
{
  Feed *feed;
  guint stream;
  guint32 seed;
  Cut cut;
  gboolean noise;
} Source;

/* Seldom, since each takes as long as the machine is busy. */
static void
disturb (GRand *rand)
{
  const guint32 dice = g_rand_int (rand) % 128;

  if (dice == 0)
    g_usleep (g_rand_int_range (rand, 1, 300));
  else if (dice < 8)
    g_thread_yield ();
}

/* Caps tell how many rows a buffer has, so they change where that does. */
static void
announce (Source *source, guint n)
{
  gchar *caps = g_strdup_printf ("other/tensors, format=(string)static, num_tensors=(int)2, types=(string)\"float32,int64\", "
      "dimensions=(string)\"%u:%u,%u\", framerate=(fraction)20/1", streams[source->stream].channels, n, n);

  fail_unless (feed_caps (source->feed, caps));
  g_free (caps);
}

static gpointer
run_source (gpointer data)
{
  Source *source = data;
  const Rows *rows = &recorded[source->stream];
  const guint channels = streams[source->stream].channels, total = streams[source->stream].n_rows;
  GRand *rand = g_rand_new_with_seed (source->seed);
  guint announced = 0;
  GstFlowReturn flow;

  feed_event (source->feed, gst_event_new_stream_start (streams[source->stream].pad));
  for (guint i = 0, n; i < total; i += n) {
    GstBuffer *buffer;

    n = source->cut (rand);
    n = MIN (n, total - i);
    if (n != announced)
      announce (source, n);
    if (announced == 0)
      feed_segment (source->feed);
    announced = n;
    buffer = fuse_buffer (NONE, rows->values + i * channels, n * channels * sizeof (gfloat));
    buffer = gst_buffer_append (buffer, fuse_buffer (NONE, rows->times + i, n * sizeof (gint64)));
    if (source->noise)
      disturb (rand);
    flow = gst_pad_push (source->feed->pad, buffer);
    if (flow == GST_FLOW_EOS)   /* the reference pad's end was the end */
      break;
    fail_unless_equals_int (flow, GST_FLOW_OK);
  }
  feed_eos (source->feed);
  g_rand_free (rand);
  return NULL;
}

/* ---- samples out ---- */

static void
append_sample (GByteArray *out, GstBuffer *sample)
{
  const guint64 head[] = { GST_BUFFER_PTS (sample), GST_BUFFER_DURATION (sample), GST_BUFFER_FLAGS (sample)
        & GST_BUFFER_FLAG_DISCONT };
  GstMapInfo map;

  g_byte_array_append (out, (const guint8 *) head, sizeof (head));
  gst_buffer_map (sample, &map, GST_MAP_READ);
  g_byte_array_append (out, map.data, map.size);
  gst_buffer_unmap (sample, &map);
}

/* Everything the element hands out, one way of running it. */
static GByteArray *
run (const gchar *settings, guint32 seed, Cut cut, gboolean noise)
{
  Rig *rig = rig_new (settings);
  GByteArray *out = g_byte_array_new ();
  GThread *threads[N_STREAMS];
  Source sources[N_STREAMS];
  GstBuffer *sample;

  for (guint s = 0; s < N_STREAMS; s++) {
    sources[s] = (Source) {feed_new_bare (rig, streams[s].pad, FALSE), s, seed + s, cut, noise};
    set_all (sources[s].feed->sink, streams[s].settings);
  }
  rig_play (rig);
  for (guint s = 0; s < N_STREAMS; s++)
    threads[s] = g_thread_new (streams[s].pad, run_source, &sources[s]);
  while ((sample = pull_until_eos (rig))) {
    append_sample (out, sample);
    gst_buffer_unref (sample);
  }
  for (guint s = 0; s < N_STREAMS; s++) {
    g_thread_join (threads[s]);
    assert_rows_balance (sources[s].feed);
    if (g_str_has_prefix (settings, "rate="))
      fail_unless_equals_uint64 (fuse_count (sources[s].feed->sink, "rows-in"), streams[s].n_rows);
  }
  fail_unless (fuse_count (rig->fuse, "ticks-out") > 30);
  rig_free (rig);
  return out;
}

static void
assert_same (const GByteArray *a, const GByteArray *b, const gchar *what)
{
  guint i = 0;

  while (i < a->len && i < b->len && a->data[i] == b->data[i])
    i++;
  fail_unless (a->len == b->len && i == a->len, "%s: outputs of %u and %u bytes differ at byte %u", what, a->len, b->len, i);
}

static const gchar *tick_sources[] = { "rate=100/1 window=2 info=tensor", "rate=1000/7 window=2 info=tensor",
  "reference-pad=sink_0 window=2 info=tensor", "reference-pad=proprio_0 window=2 info=tensor"
};

GST_START_TEST (test_twenty_runs)
{
  GByteArray *before = NULL;

  record ();
  for (guint i = 0; i < N_RUNS; i++) {
    GByteArray *out = run (tick_sources[__i__], 100 * i, cut_one, i > 0);

    if (before) {
      assert_same (before, out, "run");
      g_byte_array_unref (out);
    } else {
      before = out;
    }
  }
  g_byte_array_unref (before);
  forget ();
}

GST_END_TEST;

GST_START_TEST (test_cuts)
{
  static const Cut cuts[] = { cut_seven, cut_at_random, cut_at_random, cut_at_random };
  GByteArray *one;

  record ();
  one = run (tick_sources[__i__], 1, cut_one, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (cuts); i++) {
    GByteArray *out = run (tick_sources[__i__], 1000 * i, cuts[i], TRUE);

    assert_same (one, out, i == 0 ? "seven rows a buffer" : "random cuts");
    g_byte_array_unref (out);
  }
  g_byte_array_unref (one);
  forget ();
}

GST_END_TEST;

/* ---- pads that come and go under load ---- */

static gint stop_load;          /* atomic */

static gpointer
run_load (gpointer data)
{
  Feed *feed = data;

  for (gint64 t = 0; !g_atomic_int_get (&stop_load); t += MS (1))
    feed_one (feed, t, 0);
  return NULL;
}

static gpointer
run_drain (gpointer data)
{
  GstHarness *out = data;

  while (!g_atomic_int_get (&stop_load)) {
    GstBuffer *sample = gst_harness_try_pull (out);

    if (sample)
      gst_buffer_unref (sample);
    else
      g_thread_yield ();
  }
  return NULL;
}

GST_START_TEST (test_pads_come_and_go_under_load)
{
  const gboolean live = __i__;
  Rig *rig = rig_new ("rate=500/1");
  Feed *steady = feed_new_bare (rig, "force_0", live);
  GThread *load, *drain;
  const gfloat zero = 0;

  rig_play (rig);
  feed_start (steady, ONE_CHANNEL);
  g_atomic_int_set (&stop_load, 0);
  load = g_thread_new ("load", run_load, steady);
  drain = g_thread_new ("drain", run_drain, rig->out);
  for (gint i = 0; i < 200; i++) {
    Feed *guest = feed_new_bare (rig, i % 2 ? "proprio_%u" : "sink_%u", live);

    if (i % 3) {
      feed_start (guest, ONE_CHANNEL);
      for (gint r = 0; r < i % 5; r++)
        feed_row (guest, MS (r), &zero, 1);
    }
    feed_remove (guest);
  }
  g_atomic_int_set (&stop_load, 1);
  g_thread_join (load);
  g_thread_join (drain);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

/* Statistics are read and settings are changed while rows flow. */
GST_START_TEST (test_properties_under_load)
{
  static const gchar *interpolations[] = { "linear", "cubic", "mean", "previous", "nearest", "hermite", "lowpass" };
  Rig *rig = rig_new ("rate=500/1");
  Feed *steady = feed_new_bare (rig, "force_0", FALSE);
  GThread *load, *drain;

  rig_play (rig);
  feed_start (steady, ONE_CHANNEL);
  g_atomic_int_set (&stop_load, 0);
  load = g_thread_new ("load", run_load, steady);
  drain = g_thread_new ("drain", run_drain, rig->out);
  for (gint i = 0; i < 500; i++) {
    gst_util_set_object_arg (G_OBJECT (steady->sink), "interpolation", interpolations[i % 6]);
    set_all (steady->sink, i % 2 ? "angles=0 required=true" : i % 4 ? "angles= required=true" : "angles= required=false");
    gst_structure_free (stats_of (rig->fuse));
    assert_rows_balance (steady);
  }
  g_atomic_int_set (&stop_load, 1);
  g_thread_join (load);
  g_thread_join (drain);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

CHECK_MAIN (robocachefusethreads, NULL, NULL, EACH (tick_sources, test_twenty_runs), EACH (tick_sources, test_cuts),
  TIMES (2, test_pads_come_and_go_under_load), ONCE (test_properties_under_load))
