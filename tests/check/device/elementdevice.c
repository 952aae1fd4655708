/* robocache: what elements that compute offer and say of devices, on a machine with or without a GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "deviceharness.h"

static const struct
{
  const gchar *name, *caps, *properties;
} elements[] = {
  {"robocacheresample", "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,"
      "dimensions=(string)4,framerate=(fraction)10/1", ""},
  {"robocachevoxelize", "other/tensors,format=(string)static,num_tensors=(int)1,types=(string)float32,"
      "dimensions=(string)3:8,framerate=(fraction)10/1", "grid=4:4:4"},
};

#define N (G_N_ELEMENTS (elements))

static gboolean
gpu_is_there (void)
{
  const RcWhere where = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };

  return rc_backend_probe (&where, NULL) == RC_OK;
}

static GstElement *
make (guint i, const gchar *properties)
{
  GstElement *element = gst_element_factory_make (elements[i].name, NULL);

  set_properties (element, properties);
  return gst_object_ref_sink (element);
}

/* Position of the first structure of tensors in that memory; -1: none. */
static gint
place_of (GstCaps *caps, gboolean on_device)
{
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    if (gst_structure_has_name (gst_caps_get_structure (caps, i), SYSTEM)
        && gst_caps_features_contains (gst_caps_get_features (caps, i), "memory:RobocacheCUDA") == on_device)
      return (gint) i;
  }
  return -1;
}

typedef enum
{
  SYSTEM_ONLY,
  SYSTEM_FIRST,
  DEVICE_FIRST
} Offer;

static void
expect_offer (GstElement *element, const gchar *pad_name, Offer offer)
{
  GstPad *pad = gst_element_get_static_pad (element, pad_name);
  GstCaps *caps = gst_pad_query_caps (pad, NULL);
  gchar *text = gst_caps_to_string (caps);
  const gint system = place_of (caps, FALSE), device = place_of (caps, TRUE);

  fail_unless (system >= 0, "%s pad: %s", pad_name, text);
  fail_unless ((device >= 0) == (offer != SYSTEM_ONLY), "%s pad: %s", pad_name, text);
  if (device >= 0)
    fail_unless ((device < system) == (offer == DEVICE_FIRST), "%s pad: %s", pad_name, text);
  g_free (text);
  gst_caps_unref (caps);
  gst_object_unref (pad);
}

/* A build without CUDA does not advertise its memory: see robocache_add_pad_template. */
GST_START_TEST (test_templates)
{
  static const gchar *const names[] = { "robocachefuse", "robocacheresample", "robocachevoxelize" };
  GstElement *element = gst_object_ref_sink (gst_element_factory_make (names[__i__], NULL));
  const gboolean has_cuda = rc_backend_is_built (RC_BACKEND_CUDA);

  for (GList * link = gst_element_class_get_pad_template_list (GST_ELEMENT_GET_CLASS (element)); link; link = link->next) {
    GstCaps *caps = gst_pad_template_get_caps (link->data);
    gchar *text = gst_caps_to_string (caps);

    if (strstr (text, SYSTEM))
      fail_unless_equals_int (place_of (caps, TRUE) >= 0, has_cuda);
    fail_unless (has_cuda || strstr (text, "CUDA") == NULL, "%s: %s", GST_PAD_TEMPLATE_NAME_TEMPLATE (link->data), text);
    g_free (text);
    gst_caps_unref (caps);
  }
  gst_object_unref (element);
}

GST_END_TEST;

static const struct
{
  const gchar *properties;
  Offer offer;
} offers[] = {
  {"backend=cpu", SYSTEM_ONLY},
  {"backend=auto", SYSTEM_FIRST},
  {"backend=cuda", DEVICE_FIRST},
};

/* Before anything is looked for. */
GST_START_TEST (test_offers_in_null)
{
  GstElement *element = make (__i__ / 3, offers[__i__ % 3].properties);
  const Offer offer = rc_backend_is_built (RC_BACKEND_CUDA) ? offers[__i__ % 3].offer : SYSTEM_ONLY;

  expect_offer (element, "sink", offer);
  expect_offer (element, "src", offer);
  gst_object_unref (element);
}

GST_END_TEST;

/* Once it was looked for, the GPU's memory is offered where there is one. */
GST_START_TEST (test_offers_when_open)
{
  GstElement *element = make (__i__ / 2, offers[__i__ % 2].properties);
  const Offer offer = gpu_is_there () ? offers[__i__ % 2].offer : SYSTEM_ONLY;

  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  expect_offer (element, "sink", offer);
  expect_offer (element, "src", offer);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

GST_END_TEST;

/* Without another wish on either side, auto and the CPU stay in system memory. */
GST_START_TEST (test_chooses_system_memory)
{
  gchar *properties = g_strdup_printf ("%s %s", offers[__i__ % 2].properties, elements[__i__ / 2].properties);
  GstHarness *h = device_harness (elements[__i__ / 2].name, properties, NULL);
  GstCaps *caps;

  gst_harness_set_src_caps_str (h, elements[__i__ / 2].caps);
  caps = gst_pad_get_current_caps (h->sinkpad);
  fail_unless (caps != NULL && place_of (caps, FALSE) == 0);
  expect_backend (h, "cpu");
  gst_caps_unref (caps);
  g_free (properties);
  device_harness_free (h);
}

GST_END_TEST;

static void
expect_start_error (guint i, const gchar *properties, GQuark domain, gint code, const gchar *words)
{
  GstElement *element = make (i, properties);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (error->domain == domain && error->code == code, "%s", error->message);
  fail_unless (strstr (error->message, words) != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message == NULL, "a second error");
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_START_TEST (test_no_such_gpu)
{
  expect_start_error (__i__, "backend=cuda device-id=1000", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      "set backend=auto or backend=cpu");
  expect_start_error (__i__, "backend=cuda devices=1000", GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
      "set backend=auto or backend=cpu");
}

GST_END_TEST;

/* auto goes on with the CPU. */
GST_START_TEST (test_auto_without_that_gpu)
{
  gchar *properties = g_strdup_printf ("device-id=1000 %s", elements[__i__].properties);
  GstHarness *h = device_harness (elements[__i__].name, properties, NULL);

  gst_harness_set_src_caps_str (h, elements[__i__].caps);
  expect_no_error (h);
  expect_backend (h, "cpu");
  g_free (properties);
  device_harness_free (h);
}

GST_END_TEST;

/* A grid that is worth a GPU: stats tell that there was none. */
GST_START_TEST (test_auto_tells_of_no_gpu)
{
  GstHarness *h = device_harness ("robocachevoxelize", "device-id=1000 grid=128:128:128", NULL);

  push_start (h, elements[1].caps);
  expect_no_error (h);
  expect_backend (h, "cpu");
  fail_unless_equals_int64 (stat_of (h, "fallbacks"), 1);
  device_harness_free (h);
}

GST_END_TEST;

static const gchar *const wrong_lists[] = { "a", "0,", ",", "-1", "0;1", "0-3", "1.5",
    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16",
  "99999999999"
};

GST_START_TEST (test_wrong_devices)
{
  gchar *properties = g_strdup_printf ("devices=%s", wrong_lists[__i__ / N]);
  gchar *words = g_strdup_printf ("devices is \"%s\": expected", wrong_lists[__i__ / N]);

  expect_start_error (__i__ % N, properties, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  g_free (words);
  g_free (properties);
}

GST_END_TEST;

static const gchar *const right_lists[] = { "0", "0,1", " 3 , 2 ", "0,0,0" };

GST_START_TEST (test_devices_is_kept)
{
  GstElement *element = make (__i__ % N, "");
  gchar *text;

  g_object_get (element, "devices", &text, NULL);
  fail_unless (text == NULL);
  g_object_set (element, "devices", right_lists[__i__ / N], NULL);
  g_object_get (element, "devices", &text, NULL);
  fail_unless_equals_string (text, right_lists[__i__ / N]);
  g_free (text);
  g_object_set (element, "backend", 1, NULL);   /* the CPU: they are looked at, and not used */
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "devices", NULL, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
}

GST_END_TEST;

static const struct
{
  const gchar *value, *nick;
} environment[] = {
  {"cpu", "cpu"}, {"cuda", "cuda"}, {"auto", "auto"}, {"gpu", "auto"}, {NULL, "auto"},
};

GST_START_TEST (test_environment)
{
  const gchar *value = environment[__i__ / N].value;
  GstElement *element;
  GValue got = G_VALUE_INIT;
  gchar *text;

  if (value)
    g_setenv ("ROBOCACHE_BACKEND", value, TRUE);
  else
    g_unsetenv ("ROBOCACHE_BACKEND");
  element = make (__i__ % N, "");
  g_value_init (&got, g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend")->value_type);
  g_object_get_property (G_OBJECT (element), "backend", &got);
  text = gst_value_serialize (&got);
  fail_unless_equals_string (text, environment[__i__ / N].nick);
  g_free (text);
  g_value_unset (&got);
  gst_object_unref (element);
}

GST_END_TEST;

/* What is set while it plays is for the next start: before, the element looked for an engine that it had not opened. */
GST_START_TEST (test_backend_changes_at_the_next_start)
{
  const gboolean from_gpu = __i__ / N && gpu_is_there ();
  GstHarness *h = device_harness (elements[__i__ % N].name, elements[__i__ % N].properties, SYSTEM);
  GstElement *element = h->element;

  gst_element_set_state (element, GST_STATE_NULL);
  set_properties (element, from_gpu ? "backend=cuda" : "backend=cpu");
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PLAYING), GST_STATE_CHANGE_SUCCESS);
  set_properties (element, from_gpu ? "backend=cpu" : "backend=cuda device-id=99");
  push_start (h, elements[__i__ % N].caps);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new_allocate (NULL, __i__ % N ? 96 : 16, NULL)), GST_FLOW_OK);
  device_harness_free (h);
}

GST_END_TEST;

/* Every element that computes tells of its device, also before it is started. */
GST_START_TEST (test_stats)
{
  static const gchar *const fields[] = { "chunks", "fallbacks", "device-memory", "device-memory-peak", "pinned-memory",
    "pool-hits", "pool-misses", "last-pts"
  };
  GstHarness *h = device_harness (elements[__i__].name, elements[__i__].properties, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    stat_of (h, fields[i]);
  fail_unless_equals_int64 (stat_of (h, "device"), -1);
  device_harness_free (h);
}

GST_END_TEST;

static Suite *
elementdevice_suite (void)
{
  Suite *s = suite_create ("elementdevice");
  TCase *tc = tcase_create ("elementdevice");

  g_unsetenv ("ROBOCACHE_BACKEND");     /* each test says which backend it is about */
  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_templates, 0, 3);
  tcase_add_loop_test (tc, test_offers_in_null, 0, N * 3);
  tcase_add_loop_test (tc, test_offers_when_open, 0, N * 2);
  tcase_add_loop_test (tc, test_chooses_system_memory, 0, N * 2);
  tcase_add_loop_test (tc, test_no_such_gpu, 0, N);
  tcase_add_loop_test (tc, test_auto_without_that_gpu, 0, N);
  tcase_add_test (tc, test_auto_tells_of_no_gpu);
  tcase_add_loop_test (tc, test_wrong_devices, 0, N * G_N_ELEMENTS (wrong_lists));
  tcase_add_loop_test (tc, test_devices_is_kept, 0, N * G_N_ELEMENTS (right_lists));
  tcase_add_loop_test (tc, test_environment, 0, N * G_N_ELEMENTS (environment));
  tcase_add_loop_test (tc, test_backend_changes_at_the_next_start, 0, N * 2);
  tcase_add_loop_test (tc, test_stats, 0, N);
  return s;
}

GST_CHECK_MAIN (elementdevice);
