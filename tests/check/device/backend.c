/* robocache: where elements compute: backend, device-id and active-backend
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

static const gchar *jobs[] = {
  "robocachetestsrc num-buffers=20 ! robocachefuse name=it rate=50/1 ! fakesink",
  "robocachetestsrc num-buffers=20 ! robocacheresample name=it rate=50/1 ! fakesink",
  "robocachetestsrc kind=points num-buffers=2 ! robocachevoxelize name=it ! fakesink",
};

static gchar *
active_backend (GstElement *it)
{
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_value_init (&value, g_object_class_find_property (G_OBJECT_GET_CLASS (it), "active-backend")->value_type);
  g_object_get_property (G_OBJECT (it), "active-backend", &value);
  text = gst_value_serialize (&value);
  g_value_unset (&value);
  return text;
}

/* Runs the job until EOS or an error, which is returned. */
static GError *
run (guint job, const gchar *backend)
{
  GstElement *pipeline = gst_parse_launch (jobs[job], NULL);
  GstElement *it = gst_bin_get_by_name (GST_BIN (pipeline), "it");
  GstBus *bus = gst_element_get_bus (pipeline);
  GError *error = NULL;
  GstMessage *message;
  gchar *active;

  gst_util_set_object_arg (G_OBJECT (it), "backend", backend);
  active = active_backend (it);
  fail_unless_equals_string (active, "auto");   /* nothing is open yet */
  g_free (active);

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
  } else {
    active = active_backend (it);
    fail_unless_equals_string (active, "cpu");
    g_free (active);
  }
  gst_message_unref (message);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (it);
  gst_object_unref (pipeline);
  return error;
}

GST_START_TEST (test_auto_and_cpu)
{
  fail_unless (run (__i__, "auto") == NULL);
  fail_unless (run (__i__, "cpu") == NULL);
}

GST_END_TEST;

GST_START_TEST (test_cuda_says_what_to_set)
{
  GError *error = run (__i__, "cuda");

  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (strstr (error->message, "backend=cpu") != NULL, "%s", error->message);
  g_error_free (error);
}

GST_END_TEST;

static Suite *
backend_suite (void)
{
  Suite *suite = suite_create ("backend");
  TCase *tc = tcase_create ("backend");

  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_auto_and_cpu, 0, G_N_ELEMENTS (jobs));
  tcase_add_loop_test (tc, test_cuda_says_what_to_set, 0, G_N_ELEMENTS (jobs));
  return suite;
}

GST_CHECK_MAIN (backend);
