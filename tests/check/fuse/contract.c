/* robocache: robocachefuse and GStreamer's contract: settings, segments, queries, allocation, metas, declared pads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "livefuse.h"

#define SECOND MS (1000)
#define DAY (24 * 3600 * (gint64) SECOND)
#define UTC (1700000000 * (gint64) SECOND)

/* ---- settings ---- */

static void
assert_warning (Rig *rig, const gchar *word)
{
  GstMessage *message = wait_message (rig, GST_MESSAGE_WARNING);
  GError *error = NULL;

  gst_message_parse_warning (message, &error, NULL);
  fail_unless (strstr (error->message, word) != NULL, "\"%s\" does not say \"%s\"", error->message, word);
  g_error_free (error);
  gst_message_unref (message);
}

GST_START_TEST (test_rate_while_playing)
{
  Feed *feed;
  Rig *rig = rig_with_one ("50/1", &feed);
  GstBuffer *sample;

  feed_ramp (feed, 0, 55, 5);
  for (gint t = 0; t <= 40; t += 20)
    expect (rig, MS (t), t, ALIGNED);
  g_object_set (rig->fuse, "rate", 100, 1, NULL);
  feed_ramp (feed, 60, 100, 5);
  feed_eos (feed);
  sample = pull (rig);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (sample), MS (50));
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (sample), MS (10));
  fail_unless (GST_BUFFER_IS_DISCONT (sample));
  gst_buffer_unref (sample);
  assert_output_field (rig, "framerate", "100/1");
  for (gint t = 60; t <= 100; t += 10)
    expect (rig, MS (t), t, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* Settings that hold from READY on; those of the pad have a prefix. */
static const struct
{
  const gchar *property, *value;
  gboolean of_pad;
} held_settings[] = {
  {"window", "3"},
  {"layout", "concat"},
  {"info", "tensor"},
  {"type", "float64"},
  {"reference-pad", "nobody"},
  {"quaternions", "99", TRUE},
  {"angles", "x", TRUE},
};

GST_START_TEST (test_settings_that_hold)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstBuffer *sample;

  feed_ramp (feed, 0, 20, 10);
  expect (rig, 0, 0, ALIGNED);
  gst_util_set_object_arg (held_settings[__i__].of_pad ? G_OBJECT (feed->sink) : G_OBJECT (rig->fuse),
      held_settings[__i__].property, held_settings[__i__].value);
  assert_warning (rig, held_settings[__i__].property);
  feed_ramp (feed, 30, 50, 10);
  feed_eos (feed);
  for (gint t = 10; t <= 50; t += 10) {
    sample = pull (rig);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (sample), MS (t));
    fail_unless_equals_int (gst_buffer_n_memory (sample), 1);
    fail_unless_equals_uint64 (gst_buffer_get_size (sample), sizeof (gfloat));
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  rig_free (rig);
}

GST_END_TEST;

/* A value in the range of a property. */
static gboolean
random_value (GRand *rand, GParamSpec *pspec, GValue *value)
{
  g_value_init (value, pspec->value_type);
  if (G_IS_PARAM_SPEC_UINT64 (pspec))
    g_value_set_uint64 (value, (guint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 20));
  else if (G_IS_PARAM_SPEC_INT64 (pspec))
    g_value_set_int64 (value, (gint64) g_rand_int (rand) << g_rand_int_range (rand, 0, 10));
  else if (G_IS_PARAM_SPEC_BOOLEAN (pspec))
    g_value_set_boolean (value, g_rand_boolean (rand));
  else if (G_IS_PARAM_SPEC_UINT (pspec))
    g_value_set_uint (value, (guint) g_rand_int_range (rand, 1, 64));
  else if (G_IS_PARAM_SPEC_INT (pspec))
    g_value_set_int (value, g_rand_int_range (rand, -1, 8));
  else if (G_IS_PARAM_SPEC_ENUM (pspec))
    g_value_set_enum (value, g_rand_int_range (rand, 0, (gint) G_PARAM_SPEC_ENUM (pspec)->enum_class->n_values));
  else if (GST_IS_PARAM_SPEC_FRACTION (pspec))
    gst_value_set_fraction (value, g_rand_int_range (rand, 10, 500), g_rand_int_range (rand, 1, 4));
  else if (G_IS_PARAM_SPEC_STRING (pspec))
    g_value_take_string (value, g_strdup_printf ("%u", g_rand_int_range (rand, 0, 9)));
  else
    return FALSE;
  g_param_value_validate (pspec, value);        /* into its range */
  return TRUE;
}

static void
set_at_random (GRand *rand, gpointer object)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  GParamSpec *pspec = pspecs[g_rand_int_range (rand, 0, (gint) n)];
  GValue value = G_VALUE_INIT;

  if ((pspec->flags & G_PARAM_WRITABLE) && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY) && !g_str_equal (pspec->name, "name")
      && !g_str_equal (pspec->name, "parent") && !g_str_equal (pspec->name, "offset")
      && !g_str_equal (pspec->name, "reorder-window") && !g_str_equal (pspec->name, "busy-wait") && random_value (rand, pspec, &value))
    g_object_set_property (object, pspec->name, &value);
  if (G_IS_VALUE (&value))
    g_value_unset (&value);
  g_free (pspecs);
}

/* Any property, to any value, while rows flow: samples go on, or an error says why not. */
GST_START_TEST (test_random_settings)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1);
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstMessage *error = NULL;
  guint64 before, after = 0;
  GstBuffer *sample;

  for (gint round = 0; round < 20 && error == NULL; round++) {
    before = count_of (rig->fuse, "ticks-out") + count_of (rig->fuse, "ticks-dropped");
    for (guint i = 0; i < 3; i++)
      set_at_random (rand, i == 2 ? (gpointer) feed->sink : (gpointer) rig->fuse);
    for (gint t = 0; t < 1000 && error == NULL; t += 10) {
      const gfloat value = 1;

      if (feed_row (feed, round * SECOND + MS (t), &value, 1) != GST_FLOW_OK)
        error = wait_message (rig, GST_MESSAGE_ERROR);
      sample = gst_harness_try_pull (rig->out);
      gst_clear_buffer (&sample);
    }
    after = count_of (rig->fuse, "ticks-out") + count_of (rig->fuse, "ticks-dropped");
    if (error == NULL)
      error = gst_bus_pop_filtered (rig->bus, GST_MESSAGE_ERROR);
    fail_unless (after > before || error, "round %d of seed %d: no tick", round, __i__ + 1);
    drop_messages (rig, GST_MESSAGE_ANY & ~GST_MESSAGE_ERROR);
  }
  if (error)
    gst_message_unref (error);
  g_rand_free (rand);
  rig_free (rig);
}

GST_END_TEST;

/* ---- segments and queries ---- */

static guint
count_events (Rig *rig, GstEventType type, GstEvent **last)
{
  GstEvent *event;
  guint n = 0;

  while ((event = gst_harness_try_pull_event (rig->out))) {
    if (GST_EVENT_TYPE (event) == type) {
      n++;
      if (last)
        gst_event_replace (last, event);
    }
    gst_event_unref (event);
  }
  return n;
}

/* The last tick leaves before SEGMENT_DONE does, which waits for the last pad; a pad at EOS counts. */
GST_START_TEST (test_segment_done)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GstEvent *done = NULL;
  GstFormat format;
  gint64 position;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 30, 10);
  feed_ramp (b, 0, 30, 10);
  feed_event (a, gst_event_new_segment_done (GST_FORMAT_TIME, MS (40)));
  if (__i__)
    feed_eos (b);
  else
    feed_event (b, gst_event_new_segment_done (GST_FORMAT_TIME, MS (40)));
  for (gint t = 0; t <= 30; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, t, ALIGNED);
  while (done == NULL) {
    count_events (rig, GST_EVENT_SEGMENT_DONE, &done);
    g_thread_yield ();
  }
  gst_event_parse_segment_done (done, &format, &position);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_int64 (position, MS (30));
  gst_event_unref (done);
  fail_unless_equals_int (count_events (rig, GST_EVENT_EOS, NULL), 0);
  rig_free (rig);
}

GST_END_TEST;

static gboolean
answer_as_file (GstPad *pad, GstObject *parent, GstQuery *query)
{
  const Feed *feed = gst_pad_get_element_private (pad);

  if (GST_QUERY_TYPE (query) == GST_QUERY_DURATION)
    gst_query_set_duration (query, GST_FORMAT_TIME, (gint64) feed->latency);
  else if (GST_QUERY_TYPE (query) == GST_QUERY_SEEKING)
    gst_query_set_seeking (query, GST_FORMAT_TIME, !feed->holds_nothing, 0, (gint64) feed->latency);
  else
    return gst_pad_query_default (pad, parent, query);
  return TRUE;
}

/* Streams of 1 s and 5 s. */
GST_START_TEST (test_duration_position_seeking)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable;
  gint64 value;

  a->latency = SECOND;          /* their durations */
  b->latency = 5 * SECOND;
  gst_pad_set_query_function (a->pad, answer_as_file);
  gst_pad_set_query_function (b->pad, answer_as_file);
  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 0, 40, 10);
  feed_ramp (b, 0, 40, 10);
  for (gint t = 0; t <= 20; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, t, ALIGNED);
  fail_unless (gst_element_query_duration (rig->fuse, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 5 * SECOND);
  fail_unless (gst_element_query_position (rig->fuse, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, MS (20));
  for (guint i = 0; i < 2; i++) {
    b->holds_nothing = i > 0;   /* cannot seek */
    fail_unless (gst_element_query (rig->fuse, query));
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
    fail_unless_equals_int (seekable, i == 0);
  }
  gst_query_unref (query);
  rig_free (rig);
}

GST_END_TEST;

static gpointer
push_forty (gpointer feed)
{
  feed_ramp (feed, 531, 570, 1);
  return NULL;
}

/* A file: it flushes, and sends its rows anew. */
static gboolean
obey_seek (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const guint32 seqnum = gst_event_get_seqnum (event);
  GstEvent *flush = gst_event_new_flush_start ();

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEEK)
    return gst_pad_event_default (pad, parent, event);
  gst_event_set_seqnum (flush, seqnum);
  gst_pad_push_event (pad, flush);
  flush = gst_event_new_flush_stop (TRUE);
  gst_event_set_seqnum (flush, seqnum);
  gst_pad_push_event (pad, flush);
  gst_event_unref (event);
  return TRUE;
}

/* A pad without a source neither flushes nor holds up a seek; events after it carry its number. */
GST_START_TEST (test_seek_beside_a_pad_without_a_source)
{
  GstEvent *seek = gst_event_new_seek (1, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0);
  const guint32 seqnum = gst_event_get_seqnum (seek);
  GstEvent *segment = NULL;
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstPad *spare = gst_element_request_pad_simple (rig->fuse, "proprio_1");

  gst_util_set_object_arg (G_OBJECT (spare), "expected-caps", ONE_CHANNEL);
  gst_pad_set_event_function (feed->pad, obey_seek);
  feed_ramp (feed, 0, 30, 10);
  expect_two (rig, 0, 0, ALIGNED, NAN, MISSING);
  fail_unless (gst_pad_push_event (rig->out->sinkpad, seek));
  gst_clear_buffer (&(GstBuffer *) { gst_harness_try_pull (rig->out) });
  count_events (rig, GST_EVENT_SEGMENT, NULL);
  feed_segment (feed);
  feed_ramp (feed, 50, 90, 10);
  feed_eos (feed);
  while (count_events (rig, GST_EVENT_SEGMENT, &segment) == 0)
    g_thread_yield ();
  fail_unless_equals_int (gst_event_get_seqnum (segment), seqnum);
  gst_event_unref (segment);
  gst_object_unref (spare);
  rig_free (rig);
}

GST_END_TEST;

/* The first row of one stream tells where the ticks begin, so that the other's source need not wait any more. */
GST_START_TEST (test_first_row_frees_a_waiting_source)
{
  Rig *rig = rig_new ("rate", "1/1", NULL);
  Feed *a = feed_new_bare (rig, "proprio_0", FALSE), *b = feed_new_bare (rig, "proprio_1", FALSE);
  GThread *thread;

  rig_play (rig);
  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  feed_ramp (a, 500, 530, 1);
  thread = g_thread_new ("a", push_forty, a);
  while (count_of (a->sink, "rows-in") < 32)    /* it waits for the other stream */
    g_thread_yield ();
  feed_one (b, MS (500), 0);
  g_thread_join (thread);
  fail_unless_equals_uint64 (count_of (a->sink, "rows-in"), 31 + 40);
  all_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_events_keep_their_order)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstEvent *event = NULL;

  feed_ramp (feed, 0, 30, 10);
  expect (rig, 0, 0, ALIGNED);
  feed_event (feed, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  feed_ramp (feed, 40, 60, 10);
  feed_eos (feed);
  while (count_events (rig, GST_EVENT_CUSTOM_DOWNSTREAM, &event) == 0)
    g_thread_yield ();
  fail_unless (gst_event_has_name (event, "mark"));
  gst_event_unref (event);
  rig_free (rig);
}

GST_END_TEST;

/* ---- allocation ---- */

/* A pool whose buffers are held back until the test gives them free. */
typedef struct
{
  GstBufferPool parent;
  GMutex lock;
  GCond changed;
  gboolean open;
  guint n_waiting;
} HeldPool;
typedef GstBufferPoolClass HeldPoolClass;

static GType held_pool_get_type (void);
G_DEFINE_TYPE (HeldPool, held_pool, GST_TYPE_BUFFER_POOL)

static GstFlowReturn
held_pool_acquire (GstBufferPool *pool, GstBuffer **buffer, GstBufferPoolAcquireParams *params)
{
  HeldPool *held = (HeldPool *) pool;

  g_mutex_lock (&held->lock);
  held->n_waiting++;
  g_cond_broadcast (&held->changed);
  while (!held->open)
    g_cond_wait (&held->changed, &held->lock);
  g_mutex_unlock (&held->lock);
  return GST_BUFFER_POOL_CLASS (held_pool_parent_class)->acquire_buffer (pool, buffer, params);
}

static void
held_pool_class_init (HeldPoolClass *klass)
{
  klass->acquire_buffer = held_pool_acquire;
}

static void
held_pool_init (HeldPool *held)
{
  g_mutex_init (&held->lock);
  g_cond_init (&held->changed);
}

static void
open_pool (HeldPool *held)
{
  g_mutex_lock (&held->lock);
  held->open = TRUE;
  g_cond_broadcast (&held->changed);
  g_mutex_unlock (&held->lock);
}

static void
wait_until_held (HeldPool *held)
{
  g_mutex_lock (&held->lock);
  while (held->n_waiting == 0)
    g_cond_wait (&held->changed, &held->lock);
  g_mutex_unlock (&held->lock);
}

static GstPadProbeReturn
propose_pool (GstPad *pad, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, pool, 64, 0, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* While a composition is held up in downstream's pool, rows, statistics, queries and events come and go. */
GST_START_TEST (test_composition_holds_nothing_up)
{
  HeldPool *pool = gst_object_ref_sink (g_object_new (held_pool_get_type (), NULL));
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstBuffer *sample;

  gst_pad_add_probe (rig->out->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, propose_pool, pool, NULL);
  feed_ramp (feed, 0, 20, 10);
  wait_until_held (pool);
  feed_ramp (feed, 30, 100, 10);
  fail_unless_equals_uint64 (count_of (rig->fuse, "rows-in"), 11);
  fail_unless_equals_uint64 (count_of (feed->sink, "rows-in"), 11);
  gst_harness_query_latency (rig->out);
  feed_event (feed, gst_event_new_gap (MS (100), MS (5)));
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 0);
  open_pool (pool);
  feed_eos (feed);
  for (gint t = 0; t <= 100; t += 10) {
    sample = pull (rig);
    fail_unless (sample->pool == GST_BUFFER_POOL (pool), "not a buffer of downstream's pool");
    fail_unless_equals_uint64 (gst_buffer_get_size (sample), sizeof (gfloat));
    fail_unless_equals_int64 (status_of (sample, 0), ALIGNED);
    assert_value (value_of (sample, 0, 0), t);
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  rig_free (rig);
  gst_object_unref (pool);
}

GST_END_TEST;

#define GRAY "video/x-raw, format=(string)GRAY8, width=(int)4, height=(int)2, framerate=(fraction)30/1"

static GstBuffer *
frame_at (gint64 pts, guint8 value)
{
  guint8 pixels[8];

  memset (pixels, value, sizeof (pixels));
  return buffer_of (pts, pixels, sizeof (pixels));
}

/* After DRAIN upstream has its frames back, and ticks have the same pixels. */
GST_START_TEST (test_drain)
{
  Rig *rig = rig_new ("rate", "10/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE), *other = feed_new_bare (rig, "proprio_0", FALSE);
  GstQuery *drain = gst_query_new_drain ();
  GstBuffer *frames[3], *sample;
  GstMapInfo map;

  rig_play (rig);
  feed_start (camera, GRAY);
  feed_start (other, ONE_CHANNEL);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = frame_at (MS (100 * (gint) i), (guint8) (i + 1));
    fail_unless_equals_int (gst_pad_push (camera->pad, gst_buffer_ref (frames[i])), GST_FLOW_OK);
  }
  fail_unless (gst_pad_peer_query (camera->pad, drain));
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    ASSERT_MINI_OBJECT_REFCOUNT (frames[i], "frame", 1);
    gst_buffer_unref (frames[i]);
  }
  gst_query_unref (drain);
  feed_ramp (other, 0, 200, 100);
  all_eos (rig);
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    sample = pull (rig);
    fail_unless (gst_memory_map (gst_buffer_peek_memory (sample, 0), &map, GST_MAP_READ));
    fail_unless_equals_int (map.data[0], (gint) i + 1);
    gst_memory_unmap (gst_buffer_peek_memory (sample, 0), &map);
    gst_buffer_unref (sample);
  }
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- metas ---- */

GST_START_TEST (test_metas_of_a_frame)
{
  Rig *rig = rig_new ("rate", "10/1", NULL);
  Feed *camera = feed_new_bare (rig, "camera_0", FALSE);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ptp"), *caps = NULL;
  const GValue *references;
  GstBuffer *frame, *sample;
  guint64 timestamp;

  rig_play (rig);
  feed_start (camera, GRAY);
  frame = frame_at (0, 1);
  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  gst_buffer_add_reference_timestamp_meta (frame, reference, 12345, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (gst_pad_push (camera->pad, frame), GST_FLOW_OK);
  fail_unless_equals_int (gst_pad_push (camera->pad, frame_at (MS (100), 2)), GST_FLOW_OK);
  feed_eos (camera);

  sample = pull (rig);
  fail_unless_equals_int64 (status_of (sample, 0), ALIGNED | 4);
  references = gst_structure_get_value (sample_meta (sample), "references");
  fail_unless (references && gst_value_array_get_size (references) == 1);
  references = gst_value_array_get_value (references, 0);
  fail_unless_equals_string (gst_structure_get_string (gst_value_get_structure (references), "stream"), "camera_0");
  gst_structure_get (gst_value_get_structure (references), "reference", GST_TYPE_CAPS, &caps, "timestamp", G_TYPE_UINT64,
      &timestamp, NULL);
  fail_unless (gst_caps_is_equal (caps, reference));
  fail_unless_equals_uint64 (timestamp, 12345);
  gst_caps_unref (caps);
  gst_buffer_unref (sample);

  sample = pull (rig);
  fail_unless_equals_int64 (status_of (sample, 0), ALIGNED);
  fail_if (gst_structure_has_field (sample_meta (sample), "references"));
  gst_buffer_unref (sample);
  gst_caps_unref (reference);
  rig_free (rig);
}

GST_END_TEST;

/* ---- what is reported ---- */

/* 1 kHz with disorder: the first loss at once, then one message a second with all of them. */
GST_START_TEST (test_one_message_a_second)
{
  Rig *rig = rig_new ("rate", "1/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", TRUE);
  GstMessage *message;
  guint64 dropped = 0;
  guint n = 0;

  g_object_set (rig->fuse, "qos-interval", (guint64) GST_SECOND, NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  for (gint t = 1; t < 3000; t++) {
    set_clock (rig, MS (t));
    feed_one (feed, MS (t), 0);
    feed_one (feed, MS (t - 1), 0);     /* late */
  }
  all_eos (rig);
  while ((message = gst_bus_timed_pop_filtered (rig->bus, dropped < 2999 ? 60 * GST_SECOND : 0, GST_MESSAGE_QOS))) {
    gst_message_parse_qos_stats (message, NULL, NULL, &dropped);
    gst_message_unref (message);
    n++;
  }
  fail_unless (n >= 1 && n <= 4, "%u messages", n);
  fail_unless_equals_uint64 (dropped, 2999);
  rig_free (rig);
}

GST_END_TEST;

/* Dropped ticks that are known together are one GAP, found by arithmetic. */
GST_START_TEST (test_hole_of_a_day)
{
  Feed *feed;
  Rig *rig = rig_new ("rate", "1000/1", "qos-interval", "1000000000", NULL);
  GstClockTime pts, duration;
  GstEvent *gap = NULL;

  feed = feed_new_bare (rig, "proprio_0", FALSE);
  feed_set (feed, "required", "true", "hold-limit", "0", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_ramp (feed, 0, 2, 1);
  feed_one (feed, DAY, 7);
  feed_one (feed, DAY + MS (1), 8);
  feed_eos (feed);
  for (gint t = 0; t <= 2; t++)
    expect (rig, MS (t), t, ALIGNED);
  expect (rig, DAY, 7, ALIGNED);
  expect (rig, DAY + MS (1), 8, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_int (count_events (rig, GST_EVENT_GAP, &gap), 1);
  gst_event_parse_gap (gap, &pts, &duration);
  fail_unless_equals_uint64 (pts, MS (3));
  fail_unless_equals_uint64 (duration, DAY - MS (3));
  gst_event_unref (gap);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-dropped"), DAY / MS (1) - 3);
  fail_unless_equals_uint64 (count_of (feed->sink, "ticks-missing"), DAY / MS (1) - 3);
  gst_message_unref (wait_message (rig, GST_MESSAGE_QOS));
  assert_no_message (rig, GST_MESSAGE_QOS);
  rig_free (rig);
}

GST_END_TEST;

/* A window shows the times of the last ticks of a hole. */
GST_START_TEST (test_window_after_a_hole)
{
  Rig *rig = rig_new ("rate", "1000/1", "window", "3", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);
  GstBuffer *sample;

  feed_set (feed, "required", "true", "hold-limit", "0", NULL);
  rig_play (rig);
  feed_start (feed, ONE_CHANNEL);
  feed_one (feed, 0, 1);
  feed_one (feed, DAY, 7);
  feed_eos (feed);
  gst_buffer_unref (pull (rig));
  sample = pull (rig);
  for (gint slot = 0; slot < 3; slot++) {
    fail_unless_equals_int64 (info_of (sample, slot, INFO_TICK), DAY - MS (2 - slot));
    fail_unless_equals_int64 (status_of (sample, slot), slot < 2 ? MISSING : ALIGNED);
  }
  gst_buffer_unref (sample);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_row_at_0_before_utc)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  gfloat value = 0;

  feed_row (feed, 0, &value, 1);
  feed_row (feed, UTC, &value, 1);
  feed_row (feed, UTC + MS (10), &value, 1);
  assert_error (rig, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT, "0:00:0", "472222:13:20", NULL);
  rig_free (rig);
}

GST_END_TEST;

/* Three of four rows are 1 ns apart: memory is for the rows of a tick that are there. */
GST_START_TEST (test_mean_of_crowded_rows)
{
  Feed *feed;
  Rig *rig = rig_with_one ("1/1", &feed);

  feed_set (feed, "interpolation", "mean", NULL);
  for (gint i = 0; i < 3; i++)
    feed_one (feed, i, (gfloat) i);
  feed_one (feed, SECOND, 5);
  feed_eos (feed);
  expect (rig, 0, 1, ALIGNED);
  expect (rig, SECOND, 5, ALIGNED);
  assert_eos (rig);
  rig_free (rig);
}

GST_END_TEST;

/* ---- pads that are declared ---- */

/* proprio_0 beside proprio_1, which expects caps. */
static Rig *
rig_with_declared (Feed **feed, gboolean live, GstPad **declared)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);

  *feed = feed_new_bare (rig, "proprio_0", live);
  *declared = gst_element_request_pad_simple (rig->fuse, "proprio_1");
  gst_util_set_object_arg (G_OBJECT (*declared), "expected-caps", F32 ("2"));
  rig_play (rig);
  feed_start (*feed, live ? AT_100_HZ : ONE_CHANNEL);
  return rig;
}

/* Without a peer it is missing, and waited for neither by ticks nor by EOS. */
GST_START_TEST (test_declared_pad_without_a_peer)
{
  GstPad *declared;
  Feed *feed;
  Rig *rig = rig_with_declared (&feed, FALSE, &declared);

  feed_ramp (feed, 0, 30, 10);
  feed_eos (feed);
  for (gint t = 0; t <= 30; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, NAN, MISSING);
  assert_eos (rig);
  assert_output_field (rig, "dimensions", "1,2");
  gst_object_unref (declared);
  rig_free (rig);
}

GST_END_TEST;

/* A sensor that comes three seconds late: samples have its tensor from the first tick on, and caps never change. */
GST_START_TEST (test_declared_pad_that_comes_late)
{
  GstPad *declared;
  Feed *feed, *late;
  Rig *rig = rig_with_declared (&feed, FALSE, &declared);
  const gfloat row[2] = { 1, 2 };

  feed_ramp (feed, 0, 30, 10);
  for (gint t = 0; t <= 10; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, NAN, MISSING);
  late = g_new0 (Feed, 1);
  late->rig = rig;
  late->pad = gst_pad_new (NULL, GST_PAD_SRC);
  gst_pad_set_element_private (late->pad, late);
  g_object_set_data_full (G_OBJECT (late->pad), "feed", late, g_free);
  gst_pad_set_query_function (late->pad, feed_query);
  gst_pad_set_active (late->pad, TRUE);
  late->sink = declared;
  g_ptr_array_add (rig->feeds, late);
  fail_unless_equals_int (gst_pad_link (late->pad, declared), GST_PAD_LINK_OK);
  feed_start (late, F32 ("2") ", channels=(string)\"x,y\"");
  fail_unless_equals_int (feed_row (late, MS (40), row, 2), GST_FLOW_OK);
  fail_unless_equals_int (feed_row (late, MS (50), row, 2), GST_FLOW_OK);
  feed_ramp (feed, 40, 50, 10);
  all_eos (rig);
  for (gint t = 20; t <= 30; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, NAN, MISSING);
  expect_two (rig, MS (40), 40, ALIGNED, 1, ALIGNED);
  expect_two (rig, MS (50), 50, ALIGNED, 1, ALIGNED);
  assert_eos (rig);
  fail_unless_equals_int (count_events (rig, GST_EVENT_CAPS, NULL), 1);
  rig_free (rig);
}

GST_END_TEST;

/* A pad that is requested and declared while samples flow. */
GST_START_TEST (test_pad_declared_while_playing)
{
  Feed *feed;
  Rig *rig = rig_with_one ("100/1", &feed);
  GstPad *declared;

  feed_ramp (feed, 0, 30, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  declared = gst_element_request_pad_simple (rig->fuse, "proprio_1");
  gst_util_set_object_arg (G_OBJECT (declared), "expected-caps", F32 ("2"));
  feed_ramp (feed, 40, 50, 10);
  feed_eos (feed);
  for (gint t = 20; t <= 50; t += 10)
    expect_two (rig, MS (t), t, ALIGNED, NAN, MISSING);
  assert_eos (rig);
  gst_object_unref (declared);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_caps_other_than_expected)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  Feed *feed = feed_new_bare (rig, "proprio_0", FALSE);

  gst_util_set_object_arg (G_OBJECT (feed->sink), "expected-caps", F32 ("2"));
  rig_play (rig);
  feed_event (feed, gst_event_new_stream_start ("x"));
  feed_caps (feed, F32 ("3"));
  assert_error (rig, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION, "proprio_0", "dimensions=(string)3", "dimensions=(string)2",
      NULL);
  rig_free (rig);
}

GST_END_TEST;

static const struct
{
  const gchar *caps, *word;
} wrong_caps[] = {
  {"other/tensors, types=(string)float32", "format"},
  {"other/tensors, format=(string)static, num_tensors=(int)1, types=(string)float32, dimensions=(string)4, framerate=(fraction)[0,9]",
      "fixed"},
};

GST_START_TEST (test_expected_caps_that_are_none)
{
  Rig *rig = rig_new ("rate", "100/1", NULL);
  GstPad *pad = gst_element_request_pad_simple (rig->fuse, "proprio_0");

  gst_util_set_object_arg (G_OBJECT (pad), "expected-caps", wrong_caps[__i__].caps);
  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_error (rig, __i__ ? GST_LIBRARY_ERROR : GST_CORE_ERROR, __i__ ? (gint) GST_LIBRARY_ERROR_SETTINGS
      : (gint) GST_CORE_ERROR_NEGOTIATION, "expected-caps", wrong_caps[__i__].word, NULL);
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  gst_object_unref (pad);
  rig_free (rig);
}

GST_END_TEST;

/* A declared pad adds no latency before it has caps. */
GST_START_TEST (test_declared_pad_adds_no_latency)
{
  GstPad *declared;
  Feed *feed;
  Rig *rig = rig_with_declared (&feed, TRUE, &declared);

  g_object_set (declared, "reorder-window", SECOND, NULL);
  fail_unless_equals_uint64 (gst_harness_query_latency (rig->out), MS (LATENCY));
  feed_one (feed, 0, 1);
  expect_two (rig, 0, 1, ALIGNED, NAN, MISSING);
  gst_object_unref (declared);
  rig_free (rig);
}

GST_END_TEST;

/* A robot that boots before its cameras: ticks start at PLAYING, with expected caps and no data. */
GST_START_TEST (test_force_live)
{
  Rig *rig = g_new0 (Rig, 1);
  GstPad *pad;

  rig->fuse = gst_element_factory_make_full ("robocachefuse", "name", "fuse", "force-live", TRUE, "rate", 100, 1, NULL);
  rig->bus = gst_bus_new ();
  gst_element_set_bus (rig->fuse, rig->bus);
  rig->clock = GST_TEST_CLOCK (gst_test_clock_new ());
  gst_element_set_clock (rig->fuse, GST_CLOCK (rig->clock));
  rig->feeds = g_ptr_array_new ();
  pad = gst_element_request_pad_simple (rig->fuse, "proprio_0");
  gst_util_set_object_arg (G_OBJECT (pad), "expected-caps", AT_100_HZ);
  rig_play (rig);
  for (gint t = 0; t <= 30; t += 10) {
    pass_deadline (rig, MS (t + 5));
    expect (rig, MS (t), NAN, MISSING);
  }
  gst_object_unref (pad);
  rig_free (rig);
}

GST_END_TEST;

/* While paused nothing leaves; after a pause of any length the next tick is the next of the grid. */
GST_START_TEST (test_pause)
{
  Feed *feed;
  Rig *rig = live_rig ("100/1", &feed);

  feed_ramp (feed, 0, 10, 10);
  expect (rig, 0, 0, ALIGNED);
  expect (rig, MS (10), 10, ALIGNED);
  gst_element_set_state (rig->fuse, GST_STATE_PAUSED);
  set_clock (rig, MS (20) + 3600 * (gint64) SECOND);
  gst_element_set_base_time (rig->fuse, 3600 * (gint64) SECOND);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 2);
  gst_element_set_state (rig->fuse, GST_STATE_PLAYING);
  feed_ramp (feed, 20, 30, 10);
  expect (rig, MS (20), 20, ALIGNED);
  expect (rig, MS (30), 30, ALIGNED);
  fail_unless_equals_uint64 (count_of (rig->fuse, "ticks-out"), 4);
  rig_free (rig);
}

GST_END_TEST;

static Suite *
robocachefusecontract_suite (void)
{
  Suite *s = suite_create ("robocachefusecontract");
  TCase *tc = add_case (s, "settings");

  tcase_add_test (tc, test_rate_while_playing);
  tcase_add_loop_test (tc, test_settings_that_hold, 0, G_N_ELEMENTS (held_settings));
  tcase_add_loop_test (tc, test_random_settings, 0, 8);
  tc = add_case (s, "segments and queries");
  tcase_add_loop_test (tc, test_segment_done, 0, 2);
  tcase_add_test (tc, test_duration_position_seeking);
  tcase_add_test (tc, test_seek_beside_a_pad_without_a_source);
  tcase_add_test (tc, test_first_row_frees_a_waiting_source);
  tcase_add_test (tc, test_events_keep_their_order);
  tc = add_case (s, "allocation");
  tcase_add_test (tc, test_composition_holds_nothing_up);
  tcase_add_test (tc, test_drain);
  tc = add_case (s, "metas");
  tcase_add_test (tc, test_metas_of_a_frame);
  tc = add_case (s, "reports");
  tcase_add_test (tc, test_one_message_a_second);
  tcase_add_test (tc, test_hole_of_a_day);
  tcase_add_test (tc, test_window_after_a_hole);
  tcase_add_test (tc, test_row_at_0_before_utc);
  tcase_add_test (tc, test_mean_of_crowded_rows);
  tc = add_case (s, "declared pads");
  tcase_add_test (tc, test_declared_pad_without_a_peer);
  tcase_add_test (tc, test_declared_pad_that_comes_late);
  tcase_add_test (tc, test_pad_declared_while_playing);
  tcase_add_test (tc, test_caps_other_than_expected);
  tcase_add_loop_test (tc, test_expected_caps_that_are_none, 0, G_N_ELEMENTS (wrong_caps));
  tcase_add_test (tc, test_declared_pad_adds_no_latency);
  tcase_add_test (tc, test_force_live);
  tcase_add_test (tc, test_pause);
  return s;
}

GST_CHECK_MAIN (robocachefusecontract);
