/* robocache: robocachefuse, its pads: names, and launch lines
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fuseharness.h"

/* ---- names ---- */

static const gchar *good_names[] = { "camera_0", "proprio_7", "force_4294967295", "sink_12" };
static const gchar *bad_names[] = { "camera_x", "proprio_", "force_-1", "sink_4294967296", "lidar_0", "proprio_1x" };

GST_START_TEST (test_name_is_honoured)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, good_names[__i__]);

  fail_unless (pad != NULL);
  fail_unless_equals_string (GST_OBJECT_NAME (pad), good_names[__i__]);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_name_is_refused)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  fail_unless (gst_element_request_pad_simple (fuse, bad_names[__i__]) == NULL);
  gst_object_unref (fuse);
}

GST_END_TEST;

static const struct
{
  const gchar *of_template, *name, *words;
} explained[] = {
  {"proprio_%u", "proprio_0", "the pad proprio_0 is in use: release it, or request proprio_%u for the next free number"},
  {"proprio_%u", "propio_1", "\"propio_1\" is not a pad name of proprio_%u: sink pads are camera_%u, proprio_%u, force_%u and sink_%u, with a number "
      "for %u"},
  {"camera_%u", "proprio_1", "\"proprio_1\" is not a pad name of camera_%u"},
  {"sink_%u", "sink_-1", "\"sink_-1\" is not a pad name of sink_%u"},
};

/* The core asks the class for any name that an application gives together with a template. */
GST_START_TEST (test_refusal_of_a_name_is_explained)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "proprio_0");
  GstPadTemplate *of_template = gst_element_get_pad_template (fuse, explained[__i__].of_template);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *warning;

  gst_element_set_bus (fuse, bus);
  fail_unless (GST_ELEMENT_GET_CLASS (fuse)->request_new_pad (fuse, of_template, explained[__i__].name, NULL) == NULL);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (message != NULL);
  gst_message_parse_warning (message, &warning, NULL);
  fail_unless (g_error_matches (warning, GST_CORE_ERROR, GST_CORE_ERROR_PAD));
  fail_unless (strstr (warning->message, explained[__i__].words) != NULL, "%s", warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  gst_element_set_bus (fuse, NULL);
  gst_object_unref (bus);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_unnamed_pads_are_numbered)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  static const struct
  {
    const gchar *asked, *got;
  } pads[] = {
    {"proprio_%u", "proprio_0"},
    {"proprio_2", "proprio_2"},
    {"proprio_%u", "proprio_3"},
    {"proprio_%u", "proprio_4"},
    {"camera_%u", "camera_0"},
    {"camera_4294967295", "camera_4294967295"},
    {"camera_%u", "camera_1"},
    {"sink_%u", "sink_0"},
  };

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    GstPad *pad = gst_element_request_pad_simple (fuse, pads[i].asked);

    fail_unless (pad != NULL);
    fail_unless_equals_string (GST_OBJECT_NAME (pad), pads[i].got);
    gst_object_unref (pad);
  }
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_name_of_a_released_pad_is_free)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  for (gint i = 0; i < 3; i++) {
    GstPad *pad = gst_element_request_pad_simple (fuse, "force_%u");

    fail_unless_equals_string (GST_OBJECT_NAME (pad), "force_0");
    gst_element_release_request_pad (fuse, pad);
    gst_object_unref (pad);
  }
  gst_object_unref (fuse);
}

GST_END_TEST;

#define N_THREADS 3
#define N_REQUESTS 150

/* Requests pads and releases two of three. Returns how many pads are left. */
static gpointer
request_and_release (gpointer fuse)
{
  guint n_left = 0;

  for (guint i = 0; i < N_REQUESTS; i++) {
    GstPad *pad = gst_element_request_pad_simple (fuse, i % 2 ? "force_%u" : "proprio_%u");
    GstObject *parent = gst_object_get_parent (GST_OBJECT (pad));

    fail_unless (parent == fuse);
    gst_object_unref (parent);
    if (i % 3 == 0)
      n_left++;
    else
      gst_element_release_request_pad (fuse, pad);
    gst_object_unref (pad);
  }
  return GUINT_TO_POINTER (n_left);
}

/* A name is free when its pad has left the element, so no pad is without a parent. */
GST_START_TEST (test_requests_from_threads)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GThread *threads[N_THREADS];
  guint n_left = 0;

  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("requests", request_and_release, fuse);
  for (guint i = 0; i < N_THREADS; i++)
    n_left += GPOINTER_TO_UINT (g_thread_join (threads[i]));
  fail_unless_equals_int (fuse->numsinkpads, n_left);
  fail_unless_equals_int (gst_child_proxy_get_children_count (GST_CHILD_PROXY (fuse)), n_left);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_children)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstChildProxy *proxy = GST_CHILD_PROXY (fuse);
  GstPad *pad = gst_element_request_pad_simple (fuse, "force_1");
  GObject *child;
  gint64 offset = 0;

  fail_unless_equals_int (gst_child_proxy_get_children_count (proxy), 1);
  child = gst_child_proxy_get_child_by_name (proxy, "force_1");
  fail_unless (child == G_OBJECT (pad));
  g_object_unref (child);
  fail_unless (gst_child_proxy_get_child_by_index (proxy, 1) == NULL);
  gst_child_proxy_set (GST_CHILD_PROXY (fuse), "force_1::offset", (gint64) - 5, NULL);
  g_object_get (pad, "offset", &offset, NULL);
  fail_unless_equals_int64 (offset, -5);
  gst_element_release_request_pad (fuse, pad);
  gst_object_unref (pad);
  fail_unless_equals_int (gst_child_proxy_get_children_count (proxy), 0);
  gst_object_unref (fuse);
}

GST_END_TEST;

/* ---- launch lines ---- */

static void
assert_pad (GstElement *fuse, const gchar *name)
{
  GstPad *pad = gst_element_get_static_pad (fuse, name);

  fail_unless (pad != NULL, "there is no pad %s", name);
  gst_object_unref (pad);
}

GST_START_TEST (test_launch_without_pad_names)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 ! fakesink " SENSOR (20) "fuse. " SENSOR (20)
      "fuse.", &fuse);

  assert_pad (fuse, "sink_0");
  assert_pad (fuse, "sink_1");
  run_to_eos (pipeline);
  fail_unless_equals_uint64 (fuse_count (fuse, "ticks-out"), 10);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_in_line)
{
  GstElement *fuse, *pipeline = launch (SENSOR (20) "robocachefuse name=fuse rate=50/1 ! fakesink", &fuse);

  assert_pad (fuse, "sink_0");
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_property_before_its_pad)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 proprio_1::offset=7000000 "
      "proprio_1::interpolation=cubic proprio_1::angles=0-1 ! fakesink " SENSOR (20) "fuse.proprio_1", &fuse);
  GstPad *pad = gst_element_get_static_pad (fuse, "proprio_1");
  gchar *angles = NULL;
  gint64 offset = 0;

  fail_unless (pad != NULL);
  g_object_get (pad, "offset", &offset, "angles", &angles, NULL);
  fail_unless_equals_int64 (offset, 7000000);
  fail_unless_equals_string (angles, "0-1");
  g_free (angles);
  gst_object_unref (pad);
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch_with_a_camera)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse ! fakesink "
      "videotestsrc num-buffers=10 ! video/x-raw,format=RGB,width=32,height=8,framerate=25/1 ! fuse.camera_0 " SENSOR (40)
      "fuse.proprio_0", &fuse);

  run_to_eos (pipeline);
  fail_unless_equals_uint64 (fuse_count (fuse, "ticks-out"), 10);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

CHECK_MAIN (robocachefusepads, NULL, NULL, EACH (good_names, test_name_is_honoured), EACH (bad_names, test_name_is_refused),
  EACH (explained, test_refusal_of_a_name_is_explained), ONCE (test_unnamed_pads_are_numbered), ONCE (test_name_of_a_released_pad_is_free),
  ONCE (test_requests_from_threads), ONCE (test_children), ONCE (test_launch_without_pad_names), ONCE (test_launch_in_line),
  ONCE (test_launch_property_before_its_pad), ONCE (test_launch_with_a_camera))
