/* robocache: what elements that compute offer and say of devices, on a machine with or without a GPU
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/backend/enginechoice.h"
#include "tests/check/lib/device/gpujobs.h"

static const Job jobs[] = {
  {ROWS, "float32", 4, 1, 1, ""},
  {ITEMS, "float32", 3, 8, 1, "grid=4:4:4"},
  {FUSED_ROWS, "float32", 4, 1, 1, ""},
};

#define N 2                     /* that take batches, and memory of devices on pads that they always have */
#define N_ALL 3

static gboolean
gpu_is_there (void)
{
  const RcWhere where = { RC_BACKEND_CUDA, 0, RC_CPU_BEST, 0 };

  return rc_backend_probe (&where, NULL) == RC_OK;
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
  GstElement *element = job_element (&jobs[__i__], "auto", "");
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
  free_element (element);
}

GST_END_TEST;

static const struct
{
  const gchar *backend;
  Offer offer;
} offers[] = {
  {"cpu", SYSTEM_ONLY},
  {"auto", SYSTEM_FIRST},
  {"cuda", DEVICE_FIRST},
};

/* Before anything is looked for. */
GST_START_TEST (test_offers_in_null)
{
  GstElement *element = job_element (&jobs[__i__ / 3], offers[__i__ % 3].backend, "");
  const Offer offer = rc_backend_is_built (RC_BACKEND_CUDA) ? offers[__i__ % 3].offer : SYSTEM_ONLY;

  expect_offer (element, "sink", offer);
  expect_offer (element, "src", offer);
  gst_object_unref (element);
}

GST_END_TEST;

/* Once it was looked for, the GPU's memory is offered where there is one. */
GST_START_TEST (test_offers_when_open)
{
  GstElement *element = job_element (&jobs[__i__ / 2], offers[__i__ % 2].backend, "");
  const Offer offer = gpu_is_there () ? offers[__i__ % 2].offer : SYSTEM_ONLY;

  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  expect_offer (element, "sink", offer);
  expect_offer (element, "src", offer);
  gst_element_set_state (element, GST_STATE_NULL);
  free_element (element);
}

GST_END_TEST;

/* Nothing is open before the start. Without another wish on either side, auto and the CPU stay in system memory. */
GST_START_TEST (test_chooses_system_memory)
{
  const Job *job = &jobs[__i__ / 2];
  GstElement *element = job_element (job, offers[__i__ % 2].backend, "");
  GstCaps *caps;
  Run run;

  expect_backend_of (element, "auto");
  run = run_with (job, element, SYSTEM_TO_ANY);
  for (guint i = 0; i < 20; i++)
    run_push (&run, i);
  run_finish (&run);
  fail_unless (run.bytes->len > 0);
  caps = gst_pad_get_current_caps (run.h->sinkpad);
  fail_unless (caps != NULL && place_of (caps, FALSE) == 0);
  expect_backend_of (element, "cpu");
  gst_caps_unref (caps);
  run_clear (&run);
  free_element (element);
}

GST_END_TEST;

/* robocachefuse takes one device. */
GST_START_TEST (test_no_such_gpu)
{
  static const gchar *const wrong[] = { "device-id=1000", "devices=1000" };
  GstElement *element = job_element (&jobs[__i__ % N_ALL], "cuda", wrong[__i__ / N_ALL]);

  expect_start_error (element, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "set backend=auto or backend=cpu");
  free_element (element);
}

GST_END_TEST;

/* auto goes on with the CPU; of a grid that is worth a GPU stats tell that there was none. */
GST_START_TEST (test_auto_without_that_gpu)
{
  static const Job large = { ITEMS, "float32", 3, 8, 1, "grid=128:128:128" };
  const Job *job = __i__ < N ? &jobs[__i__] : &large;
  Run run = run_new (job, "auto", "device-id=1000", SYSTEM_TO_ANY);

  expect_no_error (run.h);
  expect_backend (run.h, "cpu");
  fail_unless_equals_int64 (stat_of (run.h, "fallbacks"), job == &large);
  run_free (&run);
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
  GstElement *element = job_element (&jobs[__i__ % N], "auto", properties);

  expect_start_error (element, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, words);
  free_element (element);
  g_free (words);
  g_free (properties);
}

GST_END_TEST;

static const gchar *const right_lists[] = { "0", "0,1", " 3 , 2 ", "0,0,0" };

GST_START_TEST (test_devices_is_kept)
{
  GstElement *element = job_element (&jobs[__i__ % N], "cpu", "");      /* they are looked at, and not used */
  gchar *text;

  g_object_get (element, "devices", &text, NULL);
  fail_unless (text == NULL);
  g_object_set (element, "devices", right_lists[__i__ / N], NULL);
  g_object_get (element, "devices", &text, NULL);
  fail_unless_equals_string (text, right_lists[__i__ / N]);
  g_free (text);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "devices", NULL, NULL);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (element, GST_STATE_NULL);
  free_element (element);
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
  const gchar *value = environment[__i__ / N_ALL].value;
  GstElement *element;
  gchar *text;

  if (value)
    g_setenv ("ROBOCACHE_BACKEND", value, TRUE);
  else
    g_unsetenv ("ROBOCACHE_BACKEND");
  element = new_element (forms[jobs[__i__ % N_ALL].form].element, "");
  text = property_text (element, "backend");
  fail_unless_equals_string (text, environment[__i__ / N_ALL].nick);
  g_free (text);
  free_element (element);
}

GST_END_TEST;

/* What is set while it plays is for the next start: before, the element looked for an engine that it had not opened. */
GST_START_TEST (test_backend_changes_at_the_next_start)
{
  const gboolean from_gpu = __i__ / N && gpu_is_there ();
  const Job *job = &jobs[__i__ % N];
  GstElement *element = job_element (job, from_gpu ? "cuda" : "cpu", "");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");        /* it plays */
  GRand *random = g_rand_new_with_seed (1);
  gchar *caps = job_caps (job, FALSE);

  set_properties (element, from_gpu ? "backend=cpu" : "backend=cuda device-id=99");
  gst_harness_set_sink_caps_str (h, SYSTEM);
  push_start (h, caps);
  fail_unless_equals_int (gst_harness_push (h, job_buffer (job, 0, random, NULL)), GST_FLOW_OK);
  g_free (caps);
  g_rand_free (random);
  gst_harness_teardown (h);
  free_element (element);
}

GST_END_TEST;

/* Every element that computes tells of its device, also before it is started. */
GST_START_TEST (test_stats)
{
  static const gchar *const fields[] = { "chunks", "fallbacks", "retries", "device-memory", "device-memory-peak", "pinned-memory",
    "pool-hits", "pool-misses", "last-pts"
  };
  GstElement *element = job_element (&jobs[__i__], "auto", "");

  for (guint started = 0; started < 2; started++) {
    for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
      stat_of_element (element, fields[i]);
    fail_unless_equals_int64 (stat_of_element (element, "device"), -1);
    gst_element_set_state (element, GST_STATE_PAUSED);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  free_element (element);
}

GST_END_TEST;

/* ---- batches ---- */

static const struct
{
  RobocacheBackend choice;
  guint named;
  gboolean in_on_device, splits;
  guint expected;
} shards[] = {
  /* auto: no split pays */
  {ROBOCACHE_BACKEND_AUTO, 0, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, FALSE, FALSE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_AUTO, 4, TRUE, TRUE, 1},
  /* cuda does as it is told */
  {ROBOCACHE_BACKEND_CUDA, 0, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_CUDA, 1, FALSE, TRUE, 1},
  {ROBOCACHE_BACKEND_CUDA, 4, FALSE, FALSE, 1},
  {ROBOCACHE_BACKEND_CUDA, 4, FALSE, TRUE, 4},
  {ROBOCACHE_BACKEND_CUDA, 3, TRUE, TRUE, 3},
};

GST_START_TEST (test_shards)
{
  const RobocacheDeviceSettings settings = {.choice = shards[__i__].choice,.n_devices = shards[__i__].named };
  const RobocacheJob job = {.in_on_device = shards[__i__].in_on_device,.splits = shards[__i__].splits };

  fail_unless_equals_int (robocache_device_shards (&settings, &job), shards[__i__].expected);
}

GST_END_TEST;

/* Each test says which backend it is about. */
static void
forget_backend (void)
{
  g_unsetenv ("ROBOCACHE_BACKEND");
}

CHECK_MAIN (elementdevice, forget_backend, NULL,
    TIMES (N_ALL, test_templates), TIMES (N * 3, test_offers_in_null), TIMES (N * 2, test_offers_when_open),
    TIMES (N_ALL * 2, test_chooses_system_memory), TIMES (N_ALL + N, test_no_such_gpu),
    TIMES (N + 1, test_auto_without_that_gpu), TIMES (N * G_N_ELEMENTS (wrong_lists), test_wrong_devices),
    TIMES (N * G_N_ELEMENTS (right_lists), test_devices_is_kept),
    TIMES (N_ALL * G_N_ELEMENTS (environment), test_environment), TIMES (N * 2, test_backend_changes_at_the_next_start),
    TIMES (N, test_stats), EACH (shards, test_shards))
