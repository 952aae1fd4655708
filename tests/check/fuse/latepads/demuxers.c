/* robocache: before its first tick, when not live, robocachefuse waits for pads that an element of its pipeline adds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"
#include "tests/check/lib/fuse/testdemux.h"

/* A pipeline with elements fuse and d, which is a test demuxer. */
typedef struct
{
  GstElement *pipeline, *fuse, *demux;
} Stage;

static guint64
count (const Stage *stage, const gchar *pad, const gchar *name)
{
  GstStructure *stats;
  const GstStructure *part;
  guint64 n = 0;

  g_object_get (stage->fuse, "stats", &stats, NULL);
  part = pad == NULL ? stats : gst_structure_has_field (stats, pad) ? gst_value_get_structure (gst_structure_get_value (stats, pad)) : NULL;
  if (part)
    gst_structure_get_uint64 (part, name, &n);
  gst_structure_free (stats);
  return n;
}

static void
wait_for_count (const Stage *stage, const gchar *pad, const gchar *name, guint64 least)
{
  while (count (stage, pad, name) < least)
    g_usleep (1000);
}

static GstPad *
nth_pad (const Stage *stage, guint n)
{
  gchar *name = g_strdup_printf ("src_%u", n);
  GstPad *pad = gst_element_get_static_pad (stage->demux, name);

  fail_unless (pad != NULL, "no pad %s", name);
  g_free (name);
  return pad;
}

static void
push_event (const Stage *stage, guint n, GstEvent *event)
{
  GstPad *pad = nth_pad (stage, n);

  gst_pad_push_event (pad, event);
  gst_object_unref (pad);
}

static void
start_stream (const Stage *stage, guint n)
{
  push_event (stage, n, gst_event_new_stream_start ("a"));
}

static void
send_headers (const Stage *stage, guint n)
{
  GstCaps *caps = gst_caps_from_string (F32 ("1"));
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  start_stream (stage, n);
  push_event (stage, n, gst_event_new_caps (caps));
  push_event (stage, n, gst_event_new_segment (&segment));
  gst_caps_unref (caps);
}

/* 100 of them, 10 ms apart. */
static void
send_rows (const Stage *stage, guint n)
{
  GstPad *pad = nth_pad (stage, n);

  for (gint i = 0; i < 100; i++) {
    const gfloat row = (gfloat) i;
    GstBuffer *buffer = gst_buffer_new_memdup (&row, sizeof (row));

    GST_BUFFER_PTS (buffer) = (GstClockTime) MS (10 * i);
    fail_unless_equals_int (gst_pad_push (pad, buffer), GST_FLOW_OK);
  }
  gst_object_unref (pad);
}

/* Long enough for a tick that does not wait. Without what is tested here, a source waits after 32 rows. */
static void
expect_none (const Stage *stage, guint n)
{
  wait_for_count (stage, "proprio_0", "rows-in", 32);
  g_usleep (50000);
  fail_unless_equals_uint64 (count (stage, NULL, "ticks-out"), 0);
}

static void
add_pad (const Stage *stage, guint n)
{
  test_demux_add_pad (stage->demux);
}

static void
send_eos (const Stage *stage, guint n)
{
  push_event (stage, n, gst_event_new_eos ());
}

static void
signal_no_more_pads (const Stage *stage, guint n)
{
  gst_element_no_more_pads (stage->demux);
}

static void
fail_element (const Stage *stage, guint n)
{
  GST_ELEMENT_ERROR (stage->demux, STREAM, FAILED, ("the test fails"), (NULL));
}

static void
stop_element (const Stage *stage, guint n)
{
  gst_element_set_state (stage->demux, GST_STATE_NULL);
}

static void
remove_element (const Stage *stage, guint n)
{
  gst_bin_remove (GST_BIN (stage->pipeline), stage->demux);
  gst_element_set_state (stage->demux, GST_STATE_NULL);
}

static void
release_pad (const Stage *stage, guint n)
{
  GstPad *pad = nth_pad (stage, n), *sink = gst_pad_get_peer (pad);

  gst_pad_unlink (pad, sink);
  gst_element_release_request_pad (stage->fuse, sink);
  gst_object_unref (sink);
  gst_object_unref (pad);
}

/* The pipeline goes to READY and back. */
static void
restart (const Stage *stage, guint n)
{
  gst_element_set_state (stage->pipeline, GST_STATE_READY);
  gst_element_set_state (stage->pipeline, GST_STATE_PLAYING);
}

static void
wait_for_preroll (const Stage *stage, guint n)
{
  fail_unless_equals_int (gst_element_get_state (stage->pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
}

static void
play (const Stage *stage, guint n)
{
  gst_element_set_state (stage->pipeline, GST_STATE_PLAYING);
}

static const struct
{
  const gchar *name;
  void (*run) (const Stage * stage, guint n);
} steps[] = {
  {"none", expect_none}, {"pad", add_pad}, {"start", start_stream}, {"headers", send_headers}, {"rows", send_rows}, {"eos", send_eos}, {"no-more-pads", signal_no_more_pads},
  {"error", fail_element}, {"stop", stop_element}, {"remove", remove_element}, {"release", release_pad}, {"restart", restart},
  {"preroll", wait_for_preroll}, {"play", play},
};

/* "STEP" or "STEP:N" each */
static void
run_steps (const Stage *stage, const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);

  for (gchar **word = words; *word && **word; word++) {
    const gchar *n = strchr (*word, ':');
    guint i = 0;

    while (strlen (steps[i].name) != strcspn (*word, ":") || !g_str_has_prefix (*word, steps[i].name))
      fail_unless (++i < G_N_ELEMENTS (steps), "no step %s", *word);
    steps[i].run (stage, n ? (guint) atoi (n + 1) : 0);
  }
  g_strfreev (words);
}

static void
stage_open (Stage *stage, const gchar *line)
{
  register_test_demuxers ();
  stage->pipeline = launch (line, &stage->fuse);
  stage->demux = gst_bin_get_by_name (GST_BIN (stage->pipeline), "d");
}

static GstMessage *
wait_for_message (const Stage *stage, GstMessageType types)
{
  GstBus *bus = gst_element_get_bus (stage->pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, types);

  fail_unless (message != NULL);
  gst_object_unref (bus);
  return message;
}

static void
stage_close (Stage *stage)
{
  gst_object_unref (stage->demux);
  end_pipeline (stage->pipeline, stage->fuse);
}

#define FUSE "robocachefuse name=fuse rate=100/1 ! fakesink sync=false "
#define JOINTS "robocachetestsrc channels=1 rate=100/1 num-buffers=100 ! fuse.proprio_0 "
#define DEMUX "testdemux name=d "
#define STREAM(n) "pad headers:" #n " rows:" #n " eos:" #n " "

static const struct
{
  const gchar *name, *launch, *steps;
  guint n_missing;              /* ticks of 100 at which force_0 is missing; 100: it has no pad, or no row */
} cases[] = {
  {"a pad that comes late", FUSE JOINTS DEMUX "! fuse.force_0", "none pad none headers:0 none rows:0 eos:0"},
  {"a pad behind a queue", FUSE JOINTS DEMUX "! queue ! fuse.force_0", "none pad headers:0 rows:0 eos:0"},
  {"a pad without data", FUSE JOINTS DEMUX "! fuse.force_0", "none pad headers:0 none eos:0", 100},
  {"a pad that ends before its caps", FUSE JOINTS DEMUX "! fuse.force_0", "pad none start:0 eos:0", 100},
  {"a pad that is released", FUSE JOINTS DEMUX "! fuse.force_0", "pad none release:0", 100},
  {"the second pad comes with its rows, from the thread of the first", FUSE JOINTS DEMUX "d. ! fuse.proprio_1 d. ! fuse.force_0",
      "pad headers:0 rows:0 " STREAM (1) "eos:0"},
  {"no-more-pads, and a link that cannot be made", FUSE JOINTS DEMUX "! fuse.force_0", "none no-more-pads", 100},
  {"two links, and one pad", FUSE JOINTS DEMUX "d. ! fuse.force_0 d. ! fuse.force_1", "pad headers:0 rows:0 none no-more-pads eos:0"},
  {"two links, and one pad that ends", FUSE JOINTS DEMUX "d. ! fuse.force_0 d. ! fuse.force_1", "pad headers:0 rows:0 none eos:0"},
  {"pads for another element", FUSE JOINTS DEMUX "! fakesink async=false", "none pad headers:0 eos:0", 100},
  {"an error", "robocachefuse name=fuse rate=100/1 ! fakesink async=false " JOINTS DEMUX "! fuse.force_0", "none error", 100},
  {"it stops", FUSE JOINTS DEMUX "! fuse.force_0", "none stop", 100},
  {"it is removed", FUSE JOINTS DEMUX "! fuse.force_0", "none remove", 100},
  {"a restart", FUSE JOINTS DEMUX "! fuse.force_0", "none restart none " STREAM (0)},
  {"declared, too", "robocachefuse name=fuse rate=100/1 force_0::expected-caps=\"" F32 ("1") "\" ! fakesink sync=false " JOINTS DEMUX "! fuse.force_0", "none pad none headers:0 rows:0 eos:0"},
  {"named, too", "robocachefuse name=fuse rate=100/1 pads=force_0 ! fakesink sync=false " JOINTS DEMUX "! fuse.force_0", "none " STREAM (0)},
};

GST_START_TEST (test_elements)
{
  Stage stage;

  stage_open (&stage, cases[__i__].launch);
  gst_element_set_state (stage.pipeline, GST_STATE_PLAYING);
  run_steps (&stage, cases[__i__].steps);
  gst_message_unref (wait_for_message (&stage, GST_MESSAGE_EOS));
  fail_unless_equals_uint64 (count (&stage, NULL, "ticks-out"), 100);
  fail_unless_equals_uint64 (count (&stage, "proprio_0", "ticks-aligned"), 100);
  if (cases[__i__].n_missing < 100)
    fail_unless_equals_uint64 (count (&stage, "force_0", "ticks-aligned"), 100 - cases[__i__].n_missing);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- rows that fill the memory ---- */

/* Rows of 400,008 bytes with their times: 168 of them are 64 MiB. */
#define BIG_ROWS "robocachetestsrc channels=100000 rate=100/1 ! fuse.proprio_0 "
#define N_BIG_ROWS 168

GST_START_TEST (test_full)
{
  Stage stage;

  stage_open (&stage, FUSE BIG_ROWS DEMUX "! fuse.force_0");
  gst_element_set_state (stage.pipeline, GST_STATE_PLAYING);
  wait_for_count (&stage, "proprio_0", "rows-in", N_BIG_ROWS);
  g_usleep (100000);
  fail_unless_equals_uint64 (count (&stage, "proprio_0", "rows-in"), N_BIG_ROWS);
  fail_unless_equals_uint64 (count (&stage, NULL, "ticks-out"), 0);
  gst_element_no_more_pads (stage.demux);
  wait_for_count (&stage, NULL, "ticks-out", 2 * N_BIG_ROWS);
  stage_close (&stage);
}

GST_END_TEST;

#define FULL "proprio_0: rows before the first tick fill 64 MiB, and the tick still waits for caps of force_0, the named pads force_1, no-more-pads of d: " \
  "put a queue with higher limits before each pad if one element feeds several pads, remove from the property pads the names of " \
  "pads that are never requested, or disconnect from pad-added of an element that never signals no-more-pads"

/* After 10 s. */
GST_START_TEST (test_full_for_long)
{
  GError *error;
  GstMessage *message;
  Stage stage;

  stage_open (&stage, "robocachefuse name=fuse rate=100/1 pads=force_1 force_0::expected-caps=\"" F32 ("1") "\" ! fakesink sync=false " BIG_ROWS
      DEMUX "! queue ! fuse.force_0");
  gst_element_set_state (stage.pipeline, GST_STATE_PLAYING);
  message = wait_for_message (&stage, GST_MESSAGE_ERROR);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  fail_unless_equals_string (error->message, FULL);
  g_error_free (error);
  gst_message_unref (message);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- a seek before an element has added its pads ---- */

static const struct
{
  GstState state;
  const gchar *before, *after, *error;  /* steps around the seek; NULL: the streams end */
} seeks[] = {
  {GST_STATE_PLAYING, "none", "pad", "force_0: the pad was added after a seek and missed it: seek after all elements have signalled no-more-pads"},
  {GST_STATE_PLAYING, "none", "no-more-pads", NULL},
  /* in PAUSED the other stream does not end before the pad is there */
  {GST_STATE_PAUSED, "none no-more-pads preroll", "pad headers:0 play rows:0 eos:0", NULL},
};

GST_START_TEST (test_seeks)
{
  const gchar *expected = seeks[__i__].error;
  GError *error = NULL;
  GstMessage *message;
  Stage stage;

  stage_open (&stage, FUSE JOINTS DEMUX "! fuse.force_0");
  gst_element_set_state (stage.pipeline, seeks[__i__].state);
  run_steps (&stage, seeks[__i__].before);
  fail_unless (gst_element_seek_simple (stage.fuse, GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, MS (200)));
  run_steps (&stage, seeks[__i__].after);
  message = wait_for_message (&stage, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless_equals_string (error ? error->message : NULL, expected);
  g_clear_error (&error);
  gst_message_unref (message);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- what is reported after two seconds ---- */

static const struct
{
  const gchar *launch;
  GstState state;
  const gchar *words;
} warnings[] = {
  {FUSE JOINTS DEMUX "! fuse.force_0", GST_STATE_PLAYING, "samples wait for all pads of d: after 2 s, it has not signalled "
      "no-more-pads"},
  {FUSE DEMUX "! fuse.force_0", GST_STATE_PAUSED, "samples wait for all pads of d"},
  {"robocachefuse name=fuse rate=100/1 pads=force_7 ! fakesink " JOINTS "testdemux name=d", GST_STATE_PAUSED,
      "the property pads names force_7, but no such pad exists, so no sample leaves"},
  {"robocachefuse name=fuse rate=100/1 proprio_1::expected-caps=\"" F32 ("1") "\" ! fakesink appsrc ! fuse.proprio_1 " JOINTS "testdemux name=d",
      GST_STATE_PAUSED, "proprio_1 has no row after 2 s, and samples wait for it; it has no caps yet"},
};

GST_START_TEST (test_warnings)
{
  GError *warning;
  GstMessage *message;
  Stage stage;

  stage_open (&stage, warnings[__i__].launch);
  gst_element_set_state (stage.pipeline, warnings[__i__].state);
  message = wait_for_message (&stage, GST_MESSAGE_WARNING);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (strstr (warning->message, warnings[__i__].words) != NULL, "%s", warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- live ---- */

static const gchar *const live[] = {
  FUSE "robocachetestsrc channels=1 rate=100/1 is-live=true ! fuse.proprio_0 " DEMUX "! fuse.force_0",
  "robocachefuse name=fuse rate=100/1 force-live=true ! fakesink sync=false robocachetestsrc channels=1 rate=100/1 ! fuse.proprio_0 " DEMUX
      "! fuse.force_0",
};

GST_START_TEST (test_live)
{
  Stage stage;

  stage_open (&stage, live[__i__]);
  gst_element_set_state (stage.pipeline, GST_STATE_PLAYING);
  wait_for_count (&stage, NULL, "ticks-out", 10);
  stage_close (&stage);
}

GST_END_TEST;

CHECK_MAIN (robocachefusedemuxers, NULL, NULL, EACH (cases, test_elements), ONCE (test_full), ONCE (test_full_for_long), EACH (seeks, test_seeks),
  EACH (warnings, test_warnings), EACH (live, test_live))
