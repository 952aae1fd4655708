/* robocache: robocacheparse keeps GStreamer's contract: seeks, queries, starts, properties, messages, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/points/parseharness.h"
#include "tests/check/lib/logs.h"
#include "tests/check/lib/randomproperties.h"

/* ---- seeks and queries ---- */

/* A file of 0, 0.1 ... 9.9 s, value 0 ... 99. */
static Run
ramp_begin (void)
{
  GString *text = g_string_new ("t,q\n");
  Run run;

  for (guint i = 0; i < 100; i++)
    g_string_append_printf (text, "%u.%u,%u\n", i / 10, i % 10, i);
  run = file_run_begin (text->str, (gssize) text->len, "", 64);
  g_string_free (text, TRUE);
  return run;
}

GST_START_TEST (a_seek_is_accurate)
{
  Run run = ramp_begin ();
  Output out;

  run_preroll (&run);
  fail_unless (gst_element_seek (run.pipeline, 1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 3050000000,
          GST_SEEK_TYPE_SET, 5000000000));
  gst_element_get_state (run.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  out = play_to_end (run.pipeline);
  /* the row before the segment is in force where it starts */
  fail_unless_equals_int (out.buffers->len, 20);
  for (guint i = 0; i < 20; i++) {
    fail_unless_equals_uint64 (output_pts (&out, i), (30 + i) * G_GUINT64_CONSTANT (100000000));
    fail_unless (output_value (&out, i, 0) == (gfloat) (30 + i));
  }
  fail_unless (GST_BUFFER_FLAG_IS_SET (output_buffer (&out, 0), GST_BUFFER_FLAG_DISCONT));
  fail_unless (output_count (&out, "skipped") >= 80);
  output_clear (&out);

  /* after NULL nothing of the seek is left */
  out = play_to_end (run.pipeline);
  fail_unless_equals_int (out.buffers->len, 100);
  output_clear (&out);
  run_end (&run);
}

GST_END_TEST;

static gboolean
refuse_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return FALSE;
}

GST_START_TEST (seeks_that_are_refused)
{
  static const struct
  {
    gdouble rate;
    GstFormat format;
    gint64 start, stop;         /* s; stop -1: as it is */
    gboolean is_accepted;
  } seeks[] = {
    {-1.0, GST_FORMAT_TIME, 0, 1, FALSE}, {1.0, GST_FORMAT_DEFAULT, 3, -1, FALSE},
    /* and behind the stop of the one before */
    {1.0, GST_FORMAT_TIME, 0, 1, TRUE}, {1.0, GST_FORMAT_TIME, 2, -1, FALSE},
  };
  Run run = ramp_begin ();
  GstHarness *h = parse_harness ("");

  run_preroll (&run);
  for (guint i = 0; i < G_N_ELEMENTS (seeks); i++) {
    fail_unless_equals_int (gst_element_seek (run.pipeline, seeks[i].rate, seeks[i].format,
            GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, seeks[i].start * (gint64) GST_SECOND,
            seeks[i].stop < 0 ? GST_SEEK_TYPE_NONE : GST_SEEK_TYPE_SET, seeks[i].stop * (gint64) GST_SECOND),
        seeks[i].is_accepted);
    gst_element_get_state (run.pipeline, NULL, NULL, GST_CLOCK_TIME_NONE);
  }
  run_end (&run);

  /* upstream cannot */
  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  gst_pad_set_event_function (h->srcpad, refuse_event);
  fail_if (gst_pad_push_event (h->sinkpad,
      gst_event_new_seek (1.0, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0)));
  fail_unless_equals_int (push_text (h, "1,2\n"), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_buffers_received (h), 2);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (segment_seeks_end_with_segment_done)
{
  static const GstClockTime stops[] = { 2 * GST_SECOND, 5 * GST_SECOND, GST_CLOCK_TIME_NONE };
  static const gint n_rows[] = { 20, 30, 50 };
  Run run = ramp_begin ();

  expect_segments (&run, stops, n_rows, G_N_ELEMENTS (stops));
  run_end (&run);
}

GST_END_TEST;

GST_START_TEST (queries)
{
  static const GstFormat formats[] = { GST_FORMAT_TIME, GST_FORMAT_BYTES };
  Run run = ramp_begin ();
  GstBus *bus = gst_element_get_bus (run.pipeline);
  GstPad *pad = gst_element_get_static_pad (run.e, "src");
  gint64 value = -1;

  run_preroll (&run);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstQuery *query = gst_query_new_seeking (formats[i]);
    gboolean is_seekable = FALSE;

    fail_unless (gst_pad_query (pad, query));
    gst_query_parse_seeking (query, NULL, &is_seekable, NULL, NULL);
    fail_unless_equals_int (is_seekable, formats[i] == GST_FORMAT_TIME);
    gst_query_unref (query);
  }
  gst_element_set_state (run.pipeline, GST_STATE_PLAYING);
  gst_message_unref (gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS));
  fail_unless (gst_pad_query_duration (pad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 9900000000);
  fail_unless (gst_pad_query_position (pad, GST_FORMAT_TIME, &value));
  fail_unless_equals_int64 (value, 9900000000);
  fail_if (gst_pad_query_duration (pad, GST_FORMAT_DEFAULT, &value));
  fail_if (gst_pad_query_position (pad, GST_FORMAT_DEFAULT, &value));
  gst_object_unref (pad);
  gst_object_unref (bus);
  run_end (&run);
}

GST_END_TEST;

/* ---- input that cannot be read ---- */

typedef GstAllocator Unreadable;
typedef GstAllocatorClass UnreadableClass;
static GType unreadable_get_type (void);
G_DEFINE_TYPE (Unreadable, unreadable, GST_TYPE_ALLOCATOR)

static gpointer
map_nothing (GstMemory *memory, gsize size, GstMapFlags flags)
{
  return NULL;
}

static void
free_memory (GstAllocator *allocator, GstMemory *memory)
{
  g_free (memory);
}

static void
unreadable_class_init (UnreadableClass *klass)
{
  klass->free = free_memory;
}

static void
unreadable_init (Unreadable *unreadable)
{
  unreadable->mem_map = map_nothing;
  GST_OBJECT_FLAG_SET (unreadable, GST_ALLOCATOR_FLAG_CUSTOM_ALLOC);
}

GST_START_TEST (a_buffer_that_cannot_be_mapped_is_an_error)
{
  static const gchar *const formats[] = { "", "format=binary layout==4f", "format=pcd cloud-end=stream",
    "format=kitti cloud-end=stream", "format=nuscenes cloud-end=stream",
    "format=points layout==4f channels=x,y,z,i cloud-end=stream"
  };
  GstAllocator *allocator = g_object_ref_sink (g_object_new (unreadable_get_type (), NULL));

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstHarness *h = parse_harness (formats[i]);
    GstBuffer *buffer = gst_buffer_new ();
    GstMemory *memory = g_new0 (GstMemory, 1);

    gst_memory_init (memory, GST_MEMORY_FLAG_NO_SHARE, allocator, NULL, 100, 0, 0, 100);
    gst_buffer_append_memory (buffer, memory);
    for (guint k = 0; k < 2; k++)
      fail_unless (gst_harness_push (h, gst_buffer_ref (buffer)) == GST_FLOW_ERROR, "%s", formats[i]);
    expect_posted_error (h, "failed", "a buffer of 100 bytes cannot be mapped");
    harness_close (h);
    gst_buffer_unref (buffer);
  }
  gst_object_unref (allocator);
}

GST_END_TEST;

/* ---- starts ---- */

static gboolean refuse_activation;

static gboolean
activate_unless_refused (GstPad *pad, GstObject *parent)
{
  return !refuse_activation && gst_pad_activate_mode (pad, GST_PAD_MODE_PUSH, TRUE);
}

/* Each time what start made is let go, which a checker of leaks sees. */
GST_START_TEST (a_start_that_fails_can_be_tried_again)
{
  GstHarness *h = parse_harness ("");
  GstPad *src = gst_element_get_static_pad (h->element, "src");

  gst_element_set_state (h->element, GST_STATE_NULL);
  gst_pad_set_activate_function (src, activate_unless_refused);
  refuse_activation = TRUE;
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_PLAYING), GST_STATE_CHANGE_FAILURE);
  refuse_activation = FALSE;
  fail_if (gst_element_set_state (h->element, GST_STATE_PLAYING) == GST_STATE_CHANGE_FAILURE);
  gst_harness_push_event (h, gst_event_new_stream_start ("again"));
  fail_unless_equals_int (push_text (h, "0,1\n"), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (h));
  gst_object_unref (src);
  harness_close (h);
}

GST_END_TEST;

/* ---- properties and messages ---- */

GST_START_TEST (every_property_reads_back)
{
  expect_properties_read_back ("robocacheparse");
}

GST_END_TEST;

GST_START_TEST (any_property_set_while_data_flows)
{
  static const gchar *const properties[] = { "", "format=kitti points-per-cloud=1 rate=10/1" };
  GRand *random = g_rand_new_with_seed (17);

  for (guint i = 0; i < G_N_ELEMENTS (properties); i++) {
    GstHarness *h = parse_harness (properties[i]);
    guint n_late = 0;

    for (guint k = 0; k < 500; k++) {
      gchar *text = i == 0 ? g_strdup_printf ("%u,1,2\n", k) : g_strdup ("1234567890123456");

      n_late += (set_random_property (random, G_OBJECT (h->element)) & GST_PARAM_MUTABLE_READY) != 0;
      fail_unless_equals_int (push_text (h, text), GST_FLOW_OK);
      fail_unless_equals_int (gst_harness_buffers_received (h), k + 1);
      g_free (text);
    }
    fail_unless (n_late > 300);
    fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
    harness_close (h);
  }
  g_rand_free (random);
}

GST_END_TEST;

GST_START_TEST (logs)
{
  static const struct
  {
    const gchar *properties, *text, *expected[6];
  } cases[] = {
    {"", "t,q0,q1\n0,1,2\n", {"INFO channels=(string)\"q0\\,q1\"", "DEBUG segment", "LOG row of record 2 at 0:00:00.0",
            "DEBUG the duration is", "DEBUG eos"}},
    {"time-unit=ms", "1,1\n0,1\nx\n", {"INFO time in column 0 in ms (by default)",
            "WARN Dropped record 2: it is 1000000 ns before running time 0", "WARN dropped: line 3"}},
    {"format=kitti", "1234567890123456", {"INFO a file of points ends with the stream", "INFO application/x-pointcloud",
            "LOG cloud 1 of 1 points at 99:99:99"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    Logs *logs = logs_begin ("robocacheparse");
    Output out = parse (cases[i].text, cases[i].properties);

    output_clear (&out);
    logs_end (logs, cases[i].expected);
  }
}

GST_END_TEST;

GST_START_TEST (the_origin_of_the_plugin_is_a_url)
{
  GstPlugin *plugin = gst_registry_find_plugin (gst_registry_get (), "robocache");

  fail_unless (g_str_has_prefix (gst_plugin_get_origin (plugin), "https://"));
  gst_object_unref (plugin);
}

GST_END_TEST;

CHECK_MAIN (robocacheparse_contract, NULL, NULL, ONCE (a_seek_is_accurate), ONCE (seeks_that_are_refused), ONCE (segment_seeks_end_with_segment_done),
  ONCE (queries), ONCE (a_buffer_that_cannot_be_mapped_is_an_error), ONCE (a_start_that_fails_can_be_tried_again), ONCE (every_property_reads_back),
  ONCE (any_property_set_while_data_flows), ONCE (logs), ONCE (the_origin_of_the_plugin_is_a_url))
