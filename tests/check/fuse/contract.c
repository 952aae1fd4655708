/* robocache: robocachefuse and GStreamer's contract: settings, segments, queries, allocation, metas, pauses
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define SECOND MS (1000)
#define DAY (24 * 3600 * (gint64) SECOND)

/* ---- settings ---- */

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

/* Those that may leave no tick to hand out without an error: they say so by a warning, or wait for long. */
static const gchar *const kept_settings[] = { "name", "parent", "offset", "reorder-window", "busy-wait", "reference-origin",
  "reference-clock", NULL
};

static void
set_at_random (GRand *rand, gpointer object)
{
  guint n;
  GParamSpec **pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);
  GParamSpec *pspec = pspecs[g_rand_int_range (rand, 0, (gint) n)];
  GValue value = G_VALUE_INIT;

  if ((pspec->flags & G_PARAM_WRITABLE) && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY) && !g_strv_contains (kept_settings, pspec->name)
      && random_value (rand, pspec, &value))
    g_object_set_property (object, pspec->name, &value);
  if (G_IS_VALUE (&value))
    g_value_unset (&value);
  g_free (pspecs);
}

/* Those that are out and dropped. */
static guint64
count_ticks (Play *play)
{
  return fuse_count (play->rig->fuse, "ticks-out") + fuse_count (play->rig->fuse, "ticks-dropped");
}

/* Any property, to any value, while rows flow: samples go on, or an error says why not. */
GST_START_TEST (test_random_settings)
{
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1);
  Play *play = play_new ("rate=100/1", "a");
  Feed *feed = play->pads[0].feed;
  GstMessage *error = NULL;
  const gfloat value = 1;

  for (gint round = 0; round < 20 && error == NULL; round++) {
    const guint64 before = count_ticks (play);
    const gint64 end = g_get_monotonic_time () + 60 * G_USEC_PER_SEC;

    for (guint i = 0; i < 3; i++)
      set_at_random (rand, i == 2 ? (gpointer) feed->sink : (gpointer) play->rig->fuse);
    for (gint t = 0; t < 1000 && error == NULL; t += 10) {
      if (feed_row (feed, round * SECOND + MS (t), &value, 1) != GST_FLOW_OK)
        error = wait_message (play->rig, GST_MESSAGE_ERROR);
      drop_samples (play->rig);
    }
    while (error == NULL && count_ticks (play) == before) {
      fail_unless (g_get_monotonic_time () < end, "round %d of seed %d: no tick", round, __i__ + 1);
      g_thread_yield ();
      error = gst_bus_pop_filtered (play->rig->bus, GST_MESSAGE_ERROR);
    }
    drop_messages (play->rig, GST_MESSAGE_ANY & ~GST_MESSAGE_ERROR);
  }
  if (error)
    gst_message_unref (error);
  drop_messages (play->rig, GST_MESSAGE_ERROR);
  g_rand_free (rand);
  play_free (play);
}

GST_END_TEST;

/* ---- segments and queries ---- */

/* The last tick leaves before SEGMENT_DONE does, which waits for the last pad; a pad at EOS counts. */
GST_START_TEST (test_segment_done)
{
  Play *play = play_new ("rate=100/1", "a b");
  GstEvent *done = NULL;
  GstFormat format;
  gint64 position;

  play_words (play, "ab+0..30/10");
  feed_event (play->pads[0].feed, gst_event_new_segment_done (GST_FORMAT_TIME, MS (40)));
  feed_event (play->pads[1].feed, __i__ ? gst_event_new_eos () : gst_event_new_segment_done (GST_FORMAT_TIME, MS (40)));
  play_words (play, ">0..30/10");
  done = wait_event (play->rig, GST_EVENT_SEGMENT_DONE);
  gst_event_parse_segment_done (done, &format, &position);
  fail_unless_equals_int (format, GST_FORMAT_TIME);
  fail_unless_equals_int64 (position, MS (30));
  gst_event_unref (done);
  fail_unless (next_event (play->rig, GST_EVENT_EOS) == NULL);
  play_free (play);
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

/* Streams of 1 s and 5 s. One that cannot seek does not stop the other. */
GST_START_TEST (test_duration_position_seeking)
{
  Play *play = play_new ("rate=100/1", "a,bare b,bare");
  Feed *a = play->pads[0].feed, *b = play->pads[1].feed;
  GstElement *fuse = play->rig->fuse;
  GstQuery *query = gst_query_new_seeking (GST_FORMAT_TIME);
  gboolean seekable;
  gint64 value;

  a->latency = SECOND;          /* their durations */
  b->latency = 5 * SECOND;
  gst_pad_set_query_function (a->pad, answer_as_file);
  gst_pad_set_query_function (b->pad, answer_as_file);
  play_words (play, "ab:start ab+0..40/10 >0..20/10");
  fail_unless (gst_element_query_duration (fuse, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 5 * SECOND);
  fail_unless (gst_element_query_position (fuse, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, MS (20));
  for (guint i = 0; i < 2; i++) {
    b->holds_nothing = i > 0;   /* cannot seek */
    fail_unless (gst_element_query (fuse, query));
    gst_query_parse_seeking (query, NULL, &seekable, NULL, NULL);
    fail_unless (seekable);
  }
  gst_query_unref (query);
  play_free (play);
}

GST_END_TEST;

/* A pad whose source has ended and is gone neither flushes nor holds up a seek; events after it carry its number. */
GST_START_TEST (test_seek_beside_a_pad_without_a_source)
{
  GstEvent *seek = seek_to (0, -1), *segment;
  const guint32 seqnum = gst_event_get_seqnum (seek);
  Play *play = play_new ("rate=100/1", "a,on-seek:obey b");

  play_words (play, "b:eos a+0..30/10 >0 b=missing");
  gst_pad_unlink (play->pads[1].feed->pad, play->pads[1].feed->sink);
  fail_unless (gst_pad_push_event (play->rig->out->sinkpad, seek));
  fail_unless (next_event (play->rig, GST_EVENT_EOS) == NULL);  /* and all of before are read */
  play_words (play, "drop a+50..90/10 a:eos");
  segment = wait_event (play->rig, GST_EVENT_SEGMENT);
  fail_unless_equals_int (gst_event_get_seqnum (segment), seqnum);
  gst_event_unref (segment);
  play_free (play);
}

GST_END_TEST;

/* ---- sequence numbers ---- */

static guint32
seqnum_of_next (Rig *rig, GstEventType type)
{
  GstEvent *event = wait_event (rig, type);
  const guint32 seqnum = gst_event_get_seqnum (event);

  gst_event_unref (event);
  return seqnum;
}

static void
feed_numbered (Feed *feed, GstEvent *event, guint32 seqnum)
{
  gst_event_set_seqnum (event, seqnum);
  feed_event (feed, event);
}

/* SEGMENT and SEGMENT_DONE carry the number of the last SEGMENT of a pad, and EOS that of the last EOS. */
GST_START_TEST (test_seqnums_of_pads)
{
  const guint32 earlier = gst_util_seqnum_next (), last = gst_util_seqnum_next (), end = gst_util_seqnum_next ();
  Play *play = play_new ("rate=100/1", "a,bare b,bare");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  play_words (play, "ab:stream ab:caps=1");
  feed_numbered (play->pads[0].feed, gst_event_new_segment (&segment), earlier);
  feed_numbered (play->pads[1].feed, gst_event_new_segment (&segment), last);
  play_words (play, "ab+0..30/10");
  for (guint i = 0; i < 2; i++)
    feed_event (play->pads[i].feed, gst_event_new_segment_done (GST_FORMAT_TIME, MS (30)));
  fail_unless_equals_int (seqnum_of_next (play->rig, GST_EVENT_SEGMENT), last);
  fail_unless_equals_int (seqnum_of_next (play->rig, GST_EVENT_SEGMENT_DONE), last);
  feed_numbered (play->pads[0].feed, gst_event_new_eos (), earlier);
  feed_numbered (play->pads[1].feed, gst_event_new_eos (), end);
  fail_unless_equals_int (seqnum_of_next (play->rig, GST_EVENT_EOS), end);
  play_free (play);
}

GST_END_TEST;

/* The EOS message has the number of the EOS event that an application sends. */
GST_START_TEST (test_seqnum_of_an_eos_event)
{
  GstElement *fuse, *pipeline = launch ("robocachetestsrc is-live=true ! robocachefuse name=fuse rate=50/1 ! fakesink "
      "robocachetestsrc is-live=true ! fuse.", &fuse);
  GstBus *bus = gst_element_get_bus (pipeline);
  GstEvent *eos = gst_event_new_eos ();
  const guint32 seqnum = gst_event_get_seqnum (eos);
  GstMessage *message;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  fail_unless (gst_element_send_event (pipeline, eos));
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS);
  fail_unless_equals_int (gst_message_get_seqnum (message), seqnum);
  gst_message_unref (message);
  gst_object_unref (bus);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

static gpointer
push_forty (gpointer feed)
{
  feed_ramp (feed, 531, 570, 1);
  return NULL;
}

/* The first row of one stream tells where the ticks begin, so that the other's source need not wait any more. */
GST_START_TEST (test_first_row_frees_a_waiting_source)
{
  Play *play = play_new ("rate=1/1", "a b");
  Feed *a = play->pads[0].feed;
  GThread *thread;

  play_words (play, "a+500..530/1");
  thread = g_thread_new ("a", push_forty, a);
  while (fuse_count (a->sink, "rows-in") < 32)    /* it waits for the other stream */
    g_thread_yield ();
  play_words (play, "b+500=0");
  g_thread_join (thread);
  play_words (play, "a.rows-in=71 eos");
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_events_keep_their_order)
{
  Play *play = play_new ("rate=100/1", "a");
  GstEvent *event;

  play_words (play, "a+0..30/10 >0");
  feed_event (play->pads[0].feed, gst_event_new_custom (GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty ("mark")));
  play_words (play, "a+40..60/10 a:eos");
  event = wait_event (play->rig, GST_EVENT_CUSTOM_DOWNSTREAM);
  fail_unless (gst_event_has_name (event, "mark"));
  gst_event_unref (event);
  play_free (play);
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
  Play *play = play_new ("rate=100/1 backend=cpu", "a");        /* a GPU's memory is our own */
  GstBuffer *sample;

  gst_pad_add_probe (play->rig->out->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, propose_pool, pool, NULL);
  play_words (play, "a+0..20/10");
  wait_until_held (pool);
  play_words (play, "a+30..100/10 rows-in=11 a.rows-in=11 live=0 a:gap:100,5 ticks-out=0");
  open_pool (pool);
  play_words (play, "a:eos");
  for (gint t = 0; t <= 100; t += 10) {
    sample = pull (play->rig);
    fail_unless (sample->pool == GST_BUFFER_POOL (pool), "not a buffer of downstream's pool");
    fail_unless_equals_uint64 (gst_buffer_get_size (sample), sizeof (gfloat));
    fail_unless_equals_int64 (status_of (sample, 0), ALIGNED);
    assert_value (value_of (sample, 0, 0), t);
    gst_buffer_unref (sample);
  }
  play_words (play, ">eos");
  play_free (play);
  gst_object_unref (pool);
}

GST_END_TEST;

static GstBuffer *
frame_at (gint64 pts, guint8 value)
{
  guint8 pixels[8];

  memset (pixels, value, sizeof (pixels));
  return fuse_buffer (pts, pixels, sizeof (pixels));
}

/* After DRAIN upstream has its frames back, and ticks have the same pixels. */
GST_START_TEST (test_drain)
{
  Play *play = play_new ("rate=10/1", "a=camera_0,caps:gray@30/1 b");
  GstPad *pad = play->pads[0].feed->pad;
  GstQuery *drain = gst_query_new_drain ();
  GstBuffer *frames[3];

  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    frames[i] = frame_at (MS (100 * (gint) i), (guint8) (i + 1));
    fail_unless_equals_int (gst_pad_push (pad, gst_buffer_ref (frames[i])), GST_FLOW_OK);
  }
  fail_unless (gst_pad_peer_query (pad, drain));
  for (guint i = 0; i < G_N_ELEMENTS (frames); i++) {
    ASSERT_MINI_OBJECT_REFCOUNT (frames[i], "frame", 1);
    gst_buffer_unref (frames[i]);
  }
  gst_query_unref (drain);
  play_words (play, "b+0..200/100 eos >0 a=1 >100 a=2 >200 a=3 >eos");
  play_free (play);
}

GST_END_TEST;

/* ---- metas ---- */

GST_START_TEST (test_metas_of_a_frame)
{
  Play *play = play_new ("rate=10/1", "a=camera_0,caps:gray@30/1");
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ptp"), *caps = NULL;
  const GValue *references;
  GstBuffer *frame = frame_at (0, 1), *sample;
  guint64 timestamp;

  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  gst_buffer_add_reference_timestamp_meta (frame, reference, 12345, GST_CLOCK_TIME_NONE);
  fail_unless_equals_int (gst_pad_push (play->pads[0].feed->pad, frame), GST_FLOW_OK);
  play_words (play, "a+100..200/100=2");

  sample = pull (play->rig);
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

  /* in the buffer of the first one */
  play_words (play, "a:eos");
  sample = pull (play->rig);
  fail_unless_equals_int64 (status_of (sample, 0), ALIGNED);
  fail_if (gst_structure_has_field (sample_meta (sample), "references"));
  gst_buffer_unref (sample);
  gst_caps_unref (reference);
  play_free (play);
}

GST_END_TEST;

/* ---- what is reported ---- */

/* 1 kHz with disorder: the first loss at once, then one message a second with all of them. */
GST_START_TEST (test_one_message_a_second)
{
  Play *play = play_new ("rate=1/1 qos-interval=1000ms", "a,live,caps:1");
  GstMessage *message;
  guint64 dropped = 0;
  guint n = 0;

  play_words (play, "for:1..2999/1 { @t a+t a+t-1 } eos");     /* the second of each two is late */
  while ((message = gst_bus_timed_pop_filtered (play->rig->bus, dropped < 2999 ? 60 * GST_SECOND : 0, GST_MESSAGE_QOS))) {
    gst_message_parse_qos_stats (message, NULL, NULL, &dropped);
    gst_message_unref (message);
    n++;
  }
  fail_unless (n >= 1 && n <= 4, "%u messages", n);
  fail_unless_equals_uint64 (dropped, 2999);
  play_free (play);
}

GST_END_TEST;

/* A window shows the times of the last ticks of a hole. */
GST_START_TEST (test_window_after_a_hole)
{
  Play *play = play_new ("rate=1000/1 window=3", "a,required=true,hold-limit=0");
  GstBuffer *sample;

  play_words (play, "a+0=1 a+86400000=7 a:eos >0 a=nan,nan,1");
  sample = pull (play->rig);
  for (gint slot = 0; slot < 3; slot++) {
    fail_unless_equals_int64 (info_of (sample, slot, INFO_TICK), DAY - MS (2 - slot));
    fail_unless_equals_int64 (status_of (sample, slot), slot < 2 ? MISSING : ALIGNED);
  }
  gst_buffer_unref (sample);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_row_at_0_before_utc)
{
  Play *play = play_new ("rate=100/1", "a");

  play_words (play, "a+0!any a+1700000000000!any a+1700000000010!any 'error:format:0.210 s|1700000000.000 s'");
  play_free (play);
}

GST_END_TEST;

/* ---- pauses ---- */

/* While paused nothing leaves; after a pause of any length the next tick is the next of the grid. */
GST_START_TEST (test_pause)
{
  Play *play = play_new ("rate=100/1", "a,live");
  GstElement *fuse = play->rig->fuse;

  play_words (play, "a+0..10/10 >0..10/10");
  gst_element_set_state (fuse, GST_STATE_PAUSED);
  play_words (play, "@3600020");
  gst_element_set_base_time (fuse, 3600 * GST_SECOND);
  play_words (play, "ticks-out=2");
  gst_element_set_state (fuse, GST_STATE_PLAYING);
  play_words (play, "a+20..30/10 >20..30/10 ticks-out=4");
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefusecontract, NULL, NULL, TIMES (8, test_random_settings), TIMES (2, test_segment_done), ONCE (test_duration_position_seeking),
  ONCE (test_seek_beside_a_pad_without_a_source), ONCE (test_seqnums_of_pads), ONCE (test_seqnum_of_an_eos_event),
  ONCE (test_first_row_frees_a_waiting_source), ONCE (test_events_keep_their_order), ONCE (test_composition_holds_nothing_up), ONCE (test_drain),
  ONCE (test_metas_of_a_frame), ONCE (test_one_message_a_second), ONCE (test_window_after_a_hole), ONCE (test_row_at_0_before_utc), ONCE (test_pause))
