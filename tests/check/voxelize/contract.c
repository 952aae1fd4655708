/* robocache: robocachevoxelize and robocachevoxelview keep GStreamer's contract: settings, queries, logs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/logs.h"
#include "tests/check/lib/randomproperties.h"
#include "tests/check/lib/points/voxelizeharness.h"

static const struct
{
  const gchar *factory, *properties, *caps;
  gsize size;
  const gchar *logs[5];         /* "LEVEL words" */
} elements[] = {
  {"robocachevoxelize", UNIT "accumulate=3 output=sparse max-voxels=9", XYZI, 32, {"INFO 3 clouds each", "DEBUG event",
          "LOG 2 of 2 points are inside, 1 voxels", "LOG from 1 clouds", NULL}},
  {"robocachevoxelview", "", TENSOR ("uint8", "2:2:8") ",voxel-origin=<0,0,0>,voxel-size=<1,1,1>,framerate=10/1", 32,
      {"INFO video/x-raw", "DEBUG event", "LOG 0 voxels occupied", "LOG picture of", NULL}},
};

/* The last one may not be built. */
static guint
n_elements (void)
{
  GstElementFactory *last = gst_element_factory_find (elements[G_N_ELEMENTS (elements) - 1].factory);

  if (last == NULL)
    return G_N_ELEMENTS (elements) - 1;
  gst_object_unref (last);
  return G_N_ELEMENTS (elements);
}

static GstHarness *
open_element (gint i)
{
  GstHarness *h = element_open (elements[i].factory, elements[i].properties);

  gst_harness_set_live (h, FALSE);
  gst_harness_set_src_caps_str (h, elements[i].caps);
  return h;
}

static GstBuffer *
zeros (gint i)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, elements[i].size, NULL);

  gst_buffer_memset (buffer, 0, 0, elements[i].size);
  return buffer;
}

static GstFlowReturn
push_zeros (GstHarness *h, gint i, GstClockTime pts)
{
  return gst_harness_push (h, at (zeros (i), pts));
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

  for (guint round = 0; round < 600; round++) {
    GstBuffer *output;
    GstFlowReturn ret;
    gboolean failed;

    set_random_property (random, G_OBJECT (h->element));
    limit (G_OBJECT (h->element));
    ret = push_zeros (h, __i__, round * GST_MSECOND);
    output = gst_harness_try_pull (h);
    failed = had_error (h);
    fail_unless (output != NULL || failed, "round %u: no output and no error", round);
    fail_unless_equals_int (ret == GST_FLOW_OK, !failed);
    n_outputs += output != NULL;
    n_errors += failed;
    gst_clear_buffer (&output);
    if (failed) {
      harness_close (h);
      h = open_element (__i__);
    }
  }
  fail_unless (n_outputs > 50 && n_errors > 5, "%u outputs, %u errors", n_outputs, n_errors);
  g_rand_free (random);
  harness_close (h);
}

GST_END_TEST;

/* Each property says when it may be set. Those that READY fixes warn once when they are set later, and no others do. */
GST_START_TEST (test_late_settings)
{
  GstHarness *h = open_element (__i__);
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (h->element), &n);

  for (guint i = 0; i < n; i++) {
    if (all[i]->owner_type != G_OBJECT_TYPE (h->element) || !(all[i]->flags & G_PARAM_WRITABLE))
      continue;
    fail_unless (all[i]->flags & (GST_PARAM_MUTABLE_PLAYING | GST_PARAM_MUTABLE_READY), "%s", all[i]->name);
    g_object_set_property (G_OBJECT (h->element), all[i]->name, g_param_spec_get_default_value (all[i]));
    if (all[i]->flags & GST_PARAM_MUTABLE_READY)
      expect_posted_warning (h, "settings", all[i]->name);
    fail_unless (pop_message (h, GST_MESSAGE_WARNING) == NULL, "%s", all[i]->name);
  }
  g_free (all);
  harness_close (h);
}

GST_END_TEST;

/* ---- times and metadata ---- */

GST_START_TEST (test_times_and_metadata_are_copied)
{
  GstHarness *h = open_element (__i__);
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-ptp");
  GstBuffer *buffer = at (zeros (__i__), 1234), *output;
  GstReferenceTimestampMeta *meta;

  GST_BUFFER_DTS (buffer) = 1200;
  GST_BUFFER_OFFSET (buffer) = 77;
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_MARKER);
  gst_buffer_add_reference_timestamp_meta (buffer, reference, 99, 1);
  output = push_pull (h, buffer);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (output), 1234);
  fail_unless_equals_uint64 (GST_BUFFER_DTS (output), 1200);
  fail_unless_equals_uint64 (GST_BUFFER_DURATION (output), 100 * GST_MSECOND);
  fail_unless_equals_uint64 (GST_BUFFER_OFFSET (output), 77);
  fail_unless (GST_BUFFER_FLAG_IS_SET (output, GST_BUFFER_FLAG_MARKER));
  meta = gst_buffer_get_reference_timestamp_meta (output, reference);
  fail_unless (meta != NULL && meta->timestamp == 99);
  gst_buffer_unref (output);
  gst_caps_unref (reference);
  expect_no_complaint (h);
  harness_close (h);
}

GST_END_TEST;

/* ---- queries ---- */

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
  harness_close (undisturbed);
  harness_close (h);
  g_free (properties);
}

GST_END_TEST;

/* ---- logs ---- */

/* Nothing of ours is in GStreamer's own category. */
static void
refuse_default_category (GstDebugCategory *category, GstDebugLevel level, const gchar *file, const gchar *function, gint line,
    GObject *object, GstDebugMessage *message, gpointer data)
{
  const gboolean ours = strstr (file, "gst/vox") || strstr (file, "common/");

  fail_if (ours && g_str_equal (gst_debug_category_get_name (category), "default"), "%s", gst_debug_message_get (message));
}

/* Negotiation is INFO, an event DEBUG, a buffer with its counts LOG. */
GST_START_TEST (test_logs)
{
  Logs *logs = logs_begin (elements[__i__].factory);
  GstHarness *h;

  gst_debug_add_log_function (refuse_default_category, NULL, NULL);
  gst_debug_set_threshold_from_string ("default:6", FALSE);
  h = open_element (__i__);
  push_zeros (h, __i__, 0);
  harness_close (h);
  gst_debug_remove_log_function (refuse_default_category);
  logs_end (logs, elements[__i__].logs);
}

GST_END_TEST;

CHECK_MAIN (voxelize_contract, use_cpu, NULL, TIMES (n_elements (), test_random_settings),
    TIMES (n_elements (), test_late_settings),
    TIMES (n_elements (), test_times_and_metadata_are_copied), TIMES (3, test_drain),
    TIMES (n_elements (), test_logs))
