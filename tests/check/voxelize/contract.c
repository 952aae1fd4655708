/* robocache: robocachevoxelize and robocachevoxelview keep GStreamer's contract: settings, queries, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/random_properties.h"
#include "voxelize_harness.h"

static const struct
{
  const gchar *factory, *properties, *caps;
  gsize size;
  const gchar *logs[4];         /* from INFO to LOG and after them: words of each */
} elements[] = {
  {"robocachevoxelize", UNIT "accumulate=3 output=sparse max-voxels=9", XYZI, 32, {"3 clouds each", "event",
          "2 of 2 points are inside, 1 voxels", "from 1 clouds"}},
  {"robocachevoxelview", "", TENSORS "types=(string)uint8,dimensions=(string)2:2:8,voxel-origin=<0,0,0>,voxel-size=<1,1,1>,"
      "framerate=10/1", 32, {"video/x-raw", "event", "0 voxels occupied", "picture of"}},
};

/* NULL: the element is not built. */
static GstHarness *
open_element (gint i)
{
  GstElementFactory *factory = gst_element_factory_find (elements[i].factory);
  GstHarness *h;

  if (factory == NULL)
    return NULL;
  gst_object_unref (factory);
  h = harness_of (elements[i].factory, elements[i].properties);
  gst_harness_set_src_caps_str (h, elements[i].caps);
  return h;
}

static GstFlowReturn
push_zeros (GstHarness *h, gint i, GstClockTime pts)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, elements[i].size, NULL);

  gst_buffer_memset (buffer, 0, 0, elements[i].size);
  return gst_harness_push (h, at (buffer, pts));
}

/* ---- settings ---- */

/* Keeps memory within bounds. */
static void
limit (GObject *element)
{
  static const struct
  {
    const gchar *name;
    guint most;
  } limits[] = { {"max-voxels", 1000}, {"max-points", 100}, {"n-threads", 4} };

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++) {
    guint value;

    if (g_object_class_find_property (G_OBJECT_GET_CLASS (element), limits[i].name) == NULL)
      continue;
    g_object_get (element, limits[i].name, &value, NULL);
    if (value > limits[i].most)
      g_object_set (element, limits[i].name, limits[i].most, NULL);
  }
}

/* Either a buffer comes out, or an error says why none does. */
GST_START_TEST (test_random_settings)
{
  GRand *random = g_rand_new_with_seed (8);
  GstHarness *h = open_element (__i__);
  guint n_outputs = 0, n_errors = 0;

  for (guint round = 0; h && round < 600; round++) {
    GstBuffer *output;
    GstMessage *error;
    GstFlowReturn ret;

    set_random_property (random, G_OBJECT (h->element));
    limit (G_OBJECT (h->element));
    ret = push_zeros (h, __i__, round * GST_MSECOND);
    output = gst_harness_try_pull (h);
    error = pop_message (h, GST_MESSAGE_ERROR);
    fail_unless (output != NULL || error != NULL, "round %u: no output and no error", round);
    fail_unless_equals_int (ret == GST_FLOW_OK, error == NULL);
    n_outputs += output != NULL;
    gst_clear_buffer (&output);
    if (error) {
      n_errors++;
      gst_message_unref (error);
      harness_free (h);
      h = open_element (__i__);
    }
  }
  fail_unless (h == NULL || (n_outputs > 50 && n_errors > 5), "%u outputs, %u errors", n_outputs, n_errors);
  g_rand_free (random);
  if (h)
    harness_free (h);
}

GST_END_TEST;

/* Properties that READY fixes warn once when they are set later, and no others do. */
GST_START_TEST (test_late_settings)
{
  GstHarness *h = open_element (__i__);
  GParamSpec **all;
  guint n = 0;

  if (h == NULL)
    return;
  all = g_object_class_list_properties (G_OBJECT_GET_CLASS (h->element), &n);
  for (guint i = 0; i < n; i++) {
    GstMessage *message;
    GError *warning = NULL;

    if (all[i]->owner_type != G_OBJECT_TYPE (h->element) || !(all[i]->flags & G_PARAM_WRITABLE))
      continue;
    g_object_set_property (G_OBJECT (h->element), all[i]->name, g_param_spec_get_default_value (all[i]));
    message = pop_message (h, GST_MESSAGE_WARNING);
    fail_unless ((message != NULL) == ((all[i]->flags & GST_PARAM_MUTABLE_READY) != 0), "%s", all[i]->name);
    if (message) {
      gst_message_parse_warning (message, &warning, NULL);
      fail_unless (g_error_matches (warning, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
      fail_unless (strstr (warning->message, all[i]->name) != NULL, "%s", warning->message);
      g_error_free (warning);
      gst_message_unref (message);
    }
  }
  g_free (all);
  harness_free (h);
}

GST_END_TEST;

/* A wrong value is an error, and a right one after it goes on. */
GST_START_TEST (test_wrong_setting_is_mended)
{
  static const struct
  {
    const gchar *name, *wrong, *right;
  } settings[] = {
    {"grid", "4:4", "2:2:8"}, {"voxel-size", "<1.0,0.0,1.0>", "<1.0,1.0,1.0>"}, {"origin", "<1.0>", "<0.0,0.0,0.0>"}
  };
  GstHarness *h = open_element (__i__ % 2);
  const guint i = (guint) __i__ / 2;

  if (h == NULL)
    return;
  for (guint round = 0; round < 2; round++) {
    GstMessage *error;

    gst_util_set_object_arg (G_OBJECT (h->element), settings[i].name, settings[i].wrong);
    fail_unless (push_zeros (h, __i__ % 2, 0) != GST_FLOW_OK);
    error = pop_message (h, GST_MESSAGE_ERROR);
    fail_unless (error != NULL);
    gst_message_unref (error);
    gst_util_set_object_arg (G_OBJECT (h->element), settings[i].name, settings[i].right);
    fail_unless_equals_int (push_zeros (h, __i__ % 2, 0), GST_FLOW_OK);
    gst_buffer_unref (gst_harness_pull (h));
  }
  harness_free (h);
}

GST_END_TEST;

/* ---- queries ---- */

static void
count_release (gpointer data, GstMiniObject *buffer)
{
  ++*(guint *) data;
}

/* DRAIN gives all clouds of a window back, and grids stay what they were. */
GST_START_TEST (test_drain)
{
  static const gchar *const modes[] = { "", "output=sparse max-voxels=9 mode=first", "mode=max" };
  gchar *properties = g_strdup_printf (UNIT "accumulate=4 %s", modes[__i__]);
  GstHarness *h = harness_with_caps (properties, XYZI), *undisturbed = harness_with_caps (properties, XYZI);
  GstQuery *query = gst_query_new_drain ();
  guint n_released = 0;

  for (guint i = 0; i < 9; i++) {
    GstBuffer *input = cloud ((gfloat) (i % 4), (gfloat) (i % 3), 0, (gfloat) i), *output, *wanted;

    wanted = push_pull (undisturbed, gst_buffer_copy_deep (input));
    gst_mini_object_weak_ref (GST_MINI_OBJECT (input), count_release, &n_released);
    output = push_pull (h, input);
    expect_bytes (output, bytes_of (wanted), properties, i);
    gst_buffer_unref (output);
    gst_buffer_unref (wanted);
    if (i % 3 == 2) {
      fail_unless (gst_pad_peer_query (h->srcpad, query));
      fail_unless_equals_int (n_released, i + 1);
    }
  }
  gst_query_unref (query);
  harness_free (undisturbed);
  harness_free (h);
  g_free (properties);
}

GST_END_TEST;

/* ---- logs ---- */

static GString *logged[GST_LEVEL_COUNT];

static void
collect_log (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer factory)
{
  const gboolean ours = strstr (file, "gst/vox") || strstr (file, "common/");

  if (g_str_equal (gst_debug_category_get_name (category), factory))
    g_string_append_printf (logged[level], "%s\n", gst_debug_message_get (message));
  else
    fail_if (ours && g_str_equal (gst_debug_category_get_name (category), "default"), "%s", gst_debug_message_get (message));
}

/* Negotiation is INFO, an event DEBUG, a buffer with its counts LOG, all in the element's own category. */
GST_START_TEST (test_logs)
{
  static const GstDebugLevel levels[] = { GST_LEVEL_INFO, GST_LEVEL_DEBUG, GST_LEVEL_LOG, GST_LEVEL_LOG };
  GstHarness *h;

  for (guint i = 0; i < GST_LEVEL_COUNT; i++)
    logged[i] = g_string_new (NULL);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (collect_log, (gpointer) elements[__i__].factory, NULL);
  gst_debug_set_active (TRUE);
  gst_debug_set_threshold_from_string ("default:6", FALSE);
  gst_debug_set_threshold_for_name (elements[__i__].factory, GST_LEVEL_LOG);
  h = open_element (__i__);
  if (h) {
    push_zeros (h, __i__, 0);
    for (guint i = 0; i < G_N_ELEMENTS (levels); i++)
      fail_unless (strstr (logged[levels[i]]->str, elements[__i__].logs[i]) != NULL, "\"%s\" lacks \"%s\"",
          logged[levels[i]]->str, elements[__i__].logs[i]);
    harness_free (h);
  }
  gst_debug_remove_log_function (collect_log);
  for (guint i = 0; i < GST_LEVEL_COUNT; i++)
    g_string_free (logged[i], TRUE);
}

GST_END_TEST;

static Suite *
voxelize_contract_suite (void)
{
  Suite *suite = suite_create ("robocachevoxelize and robocachevoxelview: the contract");
  TCase *tc = tcase_create ("contract");

  g_setenv ("ROBOCACHE_BACKEND", "cpu", TRUE);
  suite_add_tcase (suite, tc);
  tcase_add_loop_test (tc, test_random_settings, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_late_settings, 0, G_N_ELEMENTS (elements));
  tcase_add_loop_test (tc, test_wrong_setting_is_mended, 0, 6);
  tcase_add_loop_test (tc, test_drain, 0, 3);
  tcase_add_loop_test (tc, test_logs, 0, G_N_ELEMENTS (elements));
  return suite;
}

GST_CHECK_MAIN (voxelize_contract);
