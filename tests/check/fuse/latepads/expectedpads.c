/* robocache: elements of a pipeline that may still add and link a pad: which are found, and what ends the wait
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "gst/fuse/pads/expectedpads.h"
#include "tests/check/lib/checks.h"
#include "tests/check/lib/fuse/testdemux.h"

/* ---- steps ---- */

/* A pipeline with an element "fuse", and what it expects. */
typedef struct
{
  GstElement *pipeline, *fuse;
  FuseExpectedPads *pads;
  gint n_changes;               /* atomic */
} Stage;

static void
count_change (gpointer stage)
{
  g_atomic_int_inc (&((Stage *) stage)->n_changes);
}

static void
send_event (GstElement *demux, GstEvent *event)
{
  GstPad *pad = gst_element_get_static_pad (demux, "src_0");

  gst_pad_push_event (pad, gst_event_new_stream_start ("a"));
  gst_pad_push_event (pad, event);
  gst_object_unref (pad);
}

static void
post_error (GstElement *element)
{
  GST_ELEMENT_ERROR (element, STREAM, FAILED, ("the test fails"), (NULL));
}

static void
post_error_of_part (GstElement *bin)
{
  GstElement *part = gst_bin_get_by_name (GST_BIN (bin), "part");

  post_error (part);
  gst_object_unref (part);
}

static void
select_streams (GstElement *element)
{
  GstStreamCollection *collection = gst_stream_collection_new (NULL);

  gst_element_post_message (element, gst_message_new_streams_selected (GST_OBJECT (element), collection));
  gst_object_unref (collection);
}

static void
remove_from_bin (GstElement *element)
{
  GstObject *bin = gst_object_get_parent (GST_OBJECT (element));

  gst_object_ref (element);
  gst_bin_remove (GST_BIN (bin), element);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bin);
}

static void
remove_bin (GstElement *element)
{
  GstObject *bin = gst_object_get_parent (GST_OBJECT (element));

  remove_from_bin (GST_ELEMENT (bin));
  gst_object_unref (bin);
}

static void
add_pad (GstElement *element)
{
  test_demux_add_pad (element);
}

static void
make_paused (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_PAUSED);
}

static void
make_ready (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_READY);
}

static void
send_eos (GstElement *element)
{
  send_event (element, gst_event_new_eos ());
}

static void
send_segment (GstElement *element)
{
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  send_event (element, gst_event_new_segment (&segment));
}

/* In NULL, as an application leaves it. */
static void
lock_state (GstElement *element)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_locked_state (element, TRUE);
}

static void
ignore_pad (GstElement *element, GstPad *pad, gpointer data)
{
}

/* As an application does. */
static void
listen (GstElement *element)
{
  g_signal_connect (element, "pad-added", G_CALLBACK (ignore_pad), NULL);
}

static void
stop_listening (GstElement *element)
{
  g_signal_handlers_disconnect_by_func (element, (gpointer) ignore_pad, NULL);
}

static const struct
{
  const gchar *name;
  void (*run) (GstElement * element);
} steps[] = {
  {"pad", add_pad}, {"no-more-pads", gst_element_no_more_pads}, {"eos", send_eos}, {"segment", send_segment}, {"error", post_error},
  {"error-of-part", post_error_of_part}, {"selected", select_streams}, {"remove", remove_from_bin}, {"remove-bin", remove_bin},
  {"pause", make_paused}, {"ready", make_ready}, {"lock", lock_state}, {"listen", listen}, {"stop-listening", stop_listening},
};

/* "STEP:ELEMENT …" */
static void
run_steps (Stage *stage, const gchar *text)
{
  gchar **words = g_strsplit (text, " ", -1);

  for (gchar **word = words; *word && **word; word++) {
    const gchar *of = strchr (*word, ':') + 1;
    GstElement *element = gst_bin_get_by_name (GST_BIN (stage->pipeline), of);
    guint i = 0;

    while (strlen (steps[i].name) != (gsize) (of - *word) - 1 || !g_str_has_prefix (*word, steps[i].name))
      fail_unless (++i < G_N_ELEMENTS (steps), "no step \"%s\"", *word);
    fail_unless (element != NULL, "no element %s", of);
    steps[i].run (element);
    gst_object_unref (element);
  }
  g_strfreev (words);
}

static void
expect_pending (Stage *stage, const gchar *names)
{
  gchar *pending = fuse_expected_pads_describe (stage->pads);

  fail_unless_equals_string (pending, names);
  fail_unless_equals_int (fuse_expected_pads_pending (stage->pads) == 0, names == NULL);
  g_free (pending);
}

static void
stage_open (Stage *stage, const gchar *launch, const gchar *before)
{
  *stage = (Stage) {.pipeline = gst_parse_launch (launch, NULL) };
  fail_unless (stage->pipeline != NULL);
  stage->fuse = gst_bin_get_by_name (GST_BIN (stage->pipeline), "fuse");
  gst_element_set_state (stage->pipeline, GST_STATE_READY);
  run_steps (stage, before);
  stage->pads = fuse_expected_pads_new (stage->fuse, count_change, stage);
}

/* Nothing but the test keeps the pipeline and its elements. */
static void
stage_close (Stage *stage)
{
  gst_element_set_state (stage->pipeline, GST_STATE_NULL);
  fuse_expected_pads_free (stage->pads);
  ASSERT_OBJECT_REFCOUNT (stage->pipeline, "pipeline", 1);
  gst_object_unref (stage->pipeline);
  ASSERT_OBJECT_REFCOUNT (stage->fuse, "fuse", 1);
  gst_object_unref (stage->fuse);
}

/* ---- which elements are found, and what ends the wait ---- */

#define FUSE "robocachefuse name=fuse rate=100/1 ! fakesink "

static const struct
{
  const gchar *name, *launch, *before, *found, *then, *left;
  gint n_changes;
} cases[] = {
  /* which elements are found */
  {"a link that waits for a pad", FUSE "testdemux name=d ! fuse.", "", "d", "", "d"},
  {"a link to another element", FUSE "testdemux name=d ! fakesink", "", "d", "", "d"},
  {"two elements", FUSE "testdemux name=c ! fuse. testdemux name=d ! fuse.", "", "c, d", "no-more-pads:c", "d", 1},
  {"an application listens", FUSE "testdemux name=d", "listen:d", "d", "", "d"},
  {"nobody listens", FUSE "testdemux name=d", "", NULL, "pad:d", NULL},
  {"no pads that come", FUSE "identity name=d", "listen:d", NULL, "", NULL},
  {"pads of other caps", FUSE "testaudiodemux name=d ! fakesink", "", NULL, "", NULL},
  {"an element in bins", FUSE "bin.( bin.( testdemux name=d ) )", "listen:d", "d", "no-more-pads:d", NULL, 1},
  {"fuse in a bin", "bin.( " FUSE ") testdemux name=d", "listen:d", "d", "no-more-pads:d", NULL, 1},
  {"a bin that adds pads", FUSE "testdemuxbin.( name=b testdemux name=part )", "listen:b listen:part", "b", "no-more-pads:b", NULL, 1},
  {"a part of it", FUSE "testdemuxbin.( name=b testdemux name=part )", "listen:part", NULL, "", NULL},
  {"an element that runs", FUSE "testdemux name=d ! fuse.", "pause:d", NULL, "", NULL},
  {"an element that is left alone", FUSE "testdemux name=d ! fuse.", "lock:d", NULL, "", NULL},
  {"a bin that is left alone", FUSE "bin.( name=b testdemux name=d )", "listen:d lock:b", NULL, "", NULL},
  {"an element downstream", "robocachefuse name=fuse rate=100/1 ! testdemux name=d ! fakesink", "", NULL, "", NULL},
  {"an element far downstream", "robocachefuse name=fuse rate=100/1 ! tee name=t ! queue ! fakesink t. ! identity ! testdemux name=d ! fakesink", "",
      NULL, "", NULL},
  {"one upstream beside one downstream", "robocachefuse name=fuse rate=100/1 ! testdemux name=c ! fakesink testdemux name=d ! fuse.", "", "d", "",
      "d"},

  /* what ends the wait */
  {"the link is made", FUSE "testdemux name=d ! fuse.", "", "d", "pad:d", NULL, 1},
  {"one of two links is made", FUSE "testdemux name=d d. ! fuse. d. ! fuse.", "", "d", "pad:d", "d", 0},
  {"both links are made", FUSE "testdemux name=d d. ! fuse. d. ! fuse.", "", "d", "pad:d pad:d", NULL, 1},
  {"no-more-pads with a link that waits", FUSE "testdemux name=d d. ! fuse. d. ! fuse.", "", "d", "pad:d no-more-pads:d", NULL, 1},
  {"no-more-pads twice", FUSE "testdemux name=d ! fuse.", "", "d", "no-more-pads:d no-more-pads:d pad:d", NULL, 1},
  {"the application stays", FUSE "testdemux name=d", "listen:d", "d", "pad:d pad:d", "d", 0},
  {"the application has its pads", FUSE "testdemux name=d", "listen:d", "d", "pad:d stop-listening:d pad:d", NULL, 1},
  {"its pads are at EOS", FUSE "testdemux name=d", "listen:d", "d", "pad:d segment:d eos:d", NULL, 1},
  {"one of two pads is at EOS", FUSE "testdemux name=d", "listen:d", "d", "pad:d pad:d segment:d eos:d", "d", 0},
  {"no pad is at EOS", FUSE "testdemux name=d", "listen:d", "d", "pad:d segment:d", "d", 0},
  {"streams are selected", FUSE "testdemux name=d", "listen:d", "d", "pad:d selected:d", NULL, 1},
  {"streams of a part are selected", FUSE "testdemuxbin.( name=b testdemux name=part )", "listen:b", "b", "selected:part", NULL, 1},
  {"an error", FUSE "testdemux name=d ! fuse.", "", "d", "error:d", NULL, 1},
  {"an error of a part", FUSE "testdemuxbin.( name=b testdemux name=part )", "listen:b", "b", "error-of-part:b", NULL, 1},
  {"an error of another element", FUSE "testdemux name=d ! fuse.", "", "d", "error:fuse", "d", 0},
  {"it stops", FUSE "testdemux name=d ! fuse.", "", "d", "pause:d ready:d", NULL, 1},
  {"it starts", FUSE "testdemux name=d ! fuse.", "", "d", "pause:d", "d", 0},
  {"it is removed", FUSE "testdemux name=d", "listen:d", "d", "remove:d", NULL, 1},
  {"its bin is removed", FUSE "bin.( bin.( testdemux name=d ) )", "listen:d", "d", "remove-bin:d", NULL, 1},
};

GST_START_TEST (test_cases)
{
  Stage stage;

  stage_open (&stage, cases[__i__].launch, cases[__i__].before);
  expect_pending (&stage, cases[__i__].found);
  run_steps (&stage, cases[__i__].then);
  expect_pending (&stage, cases[__i__].left);
  fail_unless_equals_int (stage.n_changes, cases[__i__].n_changes);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- borders of bins ---- */

/* The element downstream is in another bin, and fuse in a bin of its own. */
GST_START_TEST (test_borders)
{
  GstElement *pipeline = gst_pipeline_new (NULL), *far, *near, *demux;
  Stage stage = { 0 };

  near = gst_parse_bin_from_description ("robocachefuse name=fuse rate=100/1", TRUE, NULL);
  far = gst_parse_bin_from_description ("identity ! testdemux name=c", TRUE, NULL);
  demux = gst_element_factory_make ("testdemux", "d");
  gst_bin_add_many (GST_BIN (pipeline), near, far, demux, NULL);
  fail_unless (gst_element_link (near, far));
  stage.pipeline = pipeline;
  stage.fuse = gst_bin_get_by_name (GST_BIN (pipeline), "fuse");
  run_steps (&stage, "listen:c listen:d");
  stage.pads = fuse_expected_pads_new (stage.fuse, count_change, &stage);
  expect_pending (&stage, "d");
  stage_close (&stage);
}

GST_END_TEST;

/* A harness has no pipeline. */
GST_START_TEST (test_no_pipeline)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  FuseExpectedPads *pads = fuse_expected_pads_new (fuse, count_change, NULL);

  fail_unless_equals_int (fuse_expected_pads_pending (pads), 0);
  fuse_expected_pads_free (pads);
  fuse_expected_pads_free (NULL);
  gst_object_unref (fuse);
}

GST_END_TEST;

/* Handlers of one do not count as listeners for the other. */
GST_START_TEST (test_two)
{
  FuseExpectedPads *other;
  Stage stage;

  stage_open (&stage, FUSE "testdemux name=d ! fuse.", "");
  other = fuse_expected_pads_new (stage.fuse, count_change, &stage);
  fail_unless_equals_int (fuse_expected_pads_pending (other), 1);
  run_steps (&stage, "pad:d");
  expect_pending (&stage, NULL);
  fail_unless_equals_int (fuse_expected_pads_pending (other), 0);
  fail_unless_equals_int (stage.n_changes, 2);
  fuse_expected_pads_free (other);
  stage_close (&stage);
}

GST_END_TEST;

/* ---- threads ---- */

/* The element adds pads and ends, and posts messages, while what it expects comes and goes. */
static gpointer
disturb (gpointer demux)
{
  for (guint i = 0; i < 200; i++) {
    GstPad *pad = test_demux_add_pad (demux);

    gst_pad_push_event (pad, gst_event_new_stream_start ("a"));
    if (i % 3 == 0)
      gst_pad_push_event (pad, gst_event_new_eos ());
    if (i % 5 == 0)
      gst_element_no_more_pads (demux);
    if (i % 7 == 0)
      select_streams (demux);
    gst_element_remove_pad (demux, pad);
  }
  return NULL;
}

GST_START_TEST (test_threads)
{
  for (guint round = 0; round < 20; round++) {
    GstElement *demux;
    GThread *thread;
    Stage stage;

    stage_open (&stage, FUSE "testdemux name=d", "listen:d");
    demux = gst_bin_get_by_name (GST_BIN (stage.pipeline), "d");
    thread = g_thread_new ("disturb", disturb, demux);
    for (guint i = 0; i < 100; i++) {
      FuseExpectedPads *pads = fuse_expected_pads_new (stage.fuse, count_change, &stage);

      fail_unless (fuse_expected_pads_pending (pads) <= 1);
      g_free (fuse_expected_pads_describe (pads));
      fuse_expected_pads_free (pads);
    }
    g_thread_join (thread);
    expect_pending (&stage, NULL);
    gst_object_unref (demux);
    stage_close (&stage);
  }
}

GST_END_TEST;

CHECK_MAIN (expectedpads, register_test_demuxers, NULL, EACH (cases, test_cases), ONCE (test_borders), ONCE (test_no_pipeline), ONCE (test_two),
    ONCE (test_threads))
