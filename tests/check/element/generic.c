/* robocache: what GStreamer expects of any element: klass words, states, properties, request pads, and base classes left alone
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib/gstdio.h>
#include <gst/base/gstbasetransform.h>

#include "tests/check/lib/checks.h"
#include "tests/check/lib/randomproperties.h"

static GList *factories;        /* of the plugin */
static gchar *folder;

/* ---- setup ---- */

static void
setup (void)
{
  GList *features = gst_registry_get_feature_list_by_plugin (gst_registry_get (), "robocache");

  gchar *csv;

  folder = g_dir_make_tmp ("generic-XXXXXX", NULL);
  csv = g_build_filename (folder, "rows.csv", NULL);
  fail_unless (g_file_set_contents (csv, "t,a\n0,1\n1,2\n", -1, NULL));
  g_free (csv);
  for (GList *feature = features; feature; feature = feature->next)
    if (GST_IS_ELEMENT_FACTORY (feature->data))
      factories = g_list_prepend (factories, gst_object_ref (feature->data));
  gst_plugin_feature_list_free (features);
  fail_unless (g_list_length (factories) >= 5);
}

static void
teardown (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
  g_list_free_full (g_steal_pointer (&factories), gst_object_unref);
}

/* ---- klass ---- */

/* GStreamer's own, draft-klass.md of its design documents, in the order that it suggests; and two media of ours. */
static const gchar *const functions[] = { "Source", "Sink", "Filter", "Effect", "Demuxer", "Muxer", "Decoder", "Encoder", "Mixer", "Converter",
  "Analyzer", "Control", "Extracter", "Formatter", "Connector", "Codec", "Parser", NULL
};
static const gchar *const media[] = { "Audio", "Video", "Image", "Text", "Metadata", "Sensor", "Tensor", NULL };
static const gchar *const extras[] = { "Network", "Protocol", "Payloader", "Depayloader", "RTP", "Device", "Visualisation", "Debug", "File", NULL };

static guint
kind_of_word (const gchar *word)
{
  const gchar *const *const kinds[] = { functions, media, extras };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_strv_contains (kinds[i], word))
      return i;
  ck_abort_msg ("\"%s\" is no klass word of GStreamer", word);
  return 0;
}

GST_START_TEST (test_klass)
{
  static const gchar *const needed[][2] = { {"robocachefuse", "Mixer"}, {"robocachetestsrc", "Source"}, {"robocachemcapmux", "Muxer"},
  {"robocachemcapdemux", "Demuxer"}, {"robocachemcapsink", "Sink"}, {"robocachefoxglovesink", "Sink"}, {"robocachebagsrc", "Source"},
  {"robocacherossrc", "Source"}, {"robocacherossink", "Sink"}, {"robocacheparse", "Parser"}
  };

  for (GList *factory = factories; factory; factory = factory->next) {
    const gchar *klass = gst_element_factory_get_metadata (factory->data, GST_ELEMENT_METADATA_KLASS);
    gchar **words = g_strsplit (klass, "/", -1);

    fail_unless (kind_of_word (words[0]) == 0, "%s", klass);
    for (gchar **word = words + 1; *word; word++)
      fail_unless (kind_of_word (word[0]) >= kind_of_word (word[-1]), "%s", klass);
    for (guint i = 0; i < G_N_ELEMENTS (needed); i++)
      if (g_str_equal (GST_OBJECT_NAME (factory->data), needed[i][0]))
        fail_unless (g_strv_contains ((const gchar * const *) words, needed[i][1]), "%s: %s", needed[i][0], klass);
    g_strfreev (words);
  }
}

GST_END_TEST;

/* ---- states ---- */

#define ROWS "robocachetestsrc num-buffers=20 channels=7 rate=100/1 "
#define CLOUDS "robocachetestsrc kind=points channels=30 num-buffers=5 ! robocachevoxelize name=e grid=4:4:4 voxel-size=<1.0,1.0,1.0> "
#define RECORDED ROWS "! robocachemcapsink location=%s/recorded.mcap"

/* first: makes a file in the folder. d: an element with sometimes pads. */
static const struct
{
  const gchar *factory, *first, *launch;
} runs[] = {
  {"robocachetestsrc", NULL, ROWS "! fakesink name=sink"},
  {"robocacheresample", NULL, ROWS "! robocacheresample rate=50/1 ! fakesink name=sink"},
  {"robocachevoxelize", NULL, CLOUDS "! fakesink name=sink"},
  {"robocachevoxelview", NULL, CLOUDS "! robocachevoxelview ! fakesink name=sink"},
  {"robocachekinematics", NULL, ROWS "! robocachekinematics urdf=" ROBOCACHE_EXAMPLES "/arm.urdf frames=tool joints=q0,q1,q2,q3,q4,q5,q6 "
        "! fakesink name=sink"},
  {"robocacheparse", NULL, "filesrc location=%s/rows.csv ! robocacheparse ! fakesink name=sink"},
  {"robocachefuse", NULL, "robocachefuse name=e rate=50/1 ! fakesink name=sink " ROWS "! e.proprio_0 " ROWS "! e.sink_0"},
  {"robocachemcapmux", NULL, ROWS "! robocachemcapmux ! fakesink name=sink"},
  {"robocachemcapsink", NULL, ROWS "! robocachemcapsink location=%s/written.mcap"},
  {"robocachemcapdemux", RECORDED, "filesrc location=%s/recorded.mcap ! robocachemcapdemux name=d fakesink name=sink"},
  {"robocachebagsrc", RECORDED, "robocachebagsrc name=d location=%s/recorded.mcap fakesink name=sink"},
};

static gboolean
is_built (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean is_there = factory != NULL;

  gst_clear_object (&factory);
  return is_there;
}

static GstElement *
launch (const gchar *text)
{
  gchar **parts = g_strsplit (text, "%s", -1), *line = g_strjoinv (folder, parts);
  GError *error = NULL;
  GstElement *pipeline = gst_parse_launch (line, &error);

  fail_unless (error == NULL, "%s: %s", line, error ? error->message : "");
  g_strfreev (parts);
  g_free (line);
  return pipeline;
}

static void
play_to_eos (GstElement *pipeline)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "no end within a minute");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s", error ? error->message : "");
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
count_buffer (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer n)
{
  g_atomic_int_inc ((gint *) n);
}

static void
link_to_sink (GstElement *element, GstPad *pad, gpointer sink)
{
  GstPad *other = gst_element_get_static_pad (sink, "sink");

  fail_unless_equals_int (gst_pad_link (pad, other), GST_PAD_LINK_OK);
  gst_object_unref (other);
}

static void
count_output (GstElement *pipeline, gint *n)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink"), *d = gst_bin_get_by_name (GST_BIN (pipeline), "d");

  if (sink) {
    g_object_set (sink, "signal-handoffs", TRUE, NULL);
    g_signal_connect (sink, "handoff", G_CALLBACK (count_buffer), n);
  }
  if (d)
    g_signal_connect (d, "pad-added", G_CALLBACK (link_to_sink), sink);
  gst_clear_object (&sink);
  gst_clear_object (&d);
}

static void
leave (GstElement *pipeline, GstState state)
{
  fail_unless_equals_int (gst_element_set_state (pipeline, state), GST_STATE_CHANGE_SUCCESS);
}

/* From NULL and from READY, and each time as the first. */
GST_START_TEST (test_states)
{
  GstElement *pipeline;
  gint n = 0, n_first;

  if (!is_built (runs[__i__].factory))
    return;
  if (runs[__i__].first) {
    pipeline = launch (runs[__i__].first);
    play_to_eos (pipeline);
    leave (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
  }
  pipeline = launch (runs[__i__].launch);
  count_output (pipeline, &n);
  play_to_eos (pipeline);
  n_first = n;
  fail_unless (n_first > 0 || !strstr (runs[__i__].launch, "name=sink"));
  leave (pipeline, GST_STATE_READY);
  play_to_eos (pipeline);
  leave (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, 2 * n_first);
  play_to_eos (pipeline);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  leave (pipeline, GST_STATE_READY);
  leave (pipeline, GST_STATE_NULL);
  fail_unless_equals_int (n, 3 * n_first);
  gst_object_unref (pipeline);
}

GST_END_TEST;

/* An element that was never in a state, and one that was only in READY, leave nothing behind. */
GST_START_TEST (test_life_without_data)
{
  for (GList *factory = factories; factory; factory = factory->next) {
    GstElement *element = gst_object_ref_sink (gst_element_factory_create (factory->data, NULL));

    if (__i__ > 0) {
      fail_unless_equals_int (gst_element_set_state (element, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
      fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
    }
    ASSERT_OBJECT_REFCOUNT (element, GST_OBJECT_NAME (factory->data), 1);
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* ---- properties ---- */

static void
set_random_values (GObject *object, GParamSpec *pspec, GRand *random)
{
  for (guint i = 0; i < 10; i++) {
    GValue value = G_VALUE_INIT;

    if (random_value (random, pspec, &value))
      g_object_set_property (object, pspec->name, &value);
    g_value_unset (&value);
  }
}

static void
check_property (GObject *object, GParamSpec *pspec, GRand *random)
{
  GValue value = G_VALUE_INIT;

  fail_unless (g_param_spec_get_nick (pspec) && g_param_spec_get_blurb (pspec), "%s", pspec->name);
  if (!(pspec->flags & G_PARAM_READABLE))
    return;
  g_object_get_property (object, pspec->name, g_value_init (&value, pspec->value_type));
  /* GStreamer's arrays have no defaults; the environment has that of backend */
  if (pspec->flags & G_PARAM_WRITABLE && !g_str_equal (pspec->name, "backend") && pspec->value_type != GST_TYPE_ARRAY)
    fail_unless (g_param_value_defaults (pspec, &value), "%s of %s is not its default", pspec->name, G_OBJECT_TYPE_NAME (object));
  if (pspec->flags & G_PARAM_WRITABLE && !(pspec->flags & G_PARAM_CONSTRUCT_ONLY)) {
    set_random_values (object, pspec, random);
    g_object_set_property (object, pspec->name, &value);
  }
  g_value_unset (&value);
}

static void
check_properties (GObject *object)
{
  GRand *random = g_rand_new_with_seed (5);
  guint n;
  GParamSpec **all = g_object_class_list_properties (G_OBJECT_GET_CLASS (object), &n);

  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (g_type_name (all[i]->owner_type), "GstRobocache"))
      check_property (object, all[i], random);
  g_free (all);
  g_rand_free (random);
}

/* Each reads as its default and can be set to it, and random values are no criticals. */
GST_START_TEST (test_properties)
{
  for (GList *factory = factories; factory; factory = factory->next) {
    GstElement *element = gst_element_factory_create (factory->data, NULL);

    check_properties (G_OBJECT (element));
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* Properties that depend on hardware or on the build are flagged so. */
GST_START_TEST (test_conditional_properties)
{
  static const gchar *const names[] = { "device-id", "devices", "max-device-memory", "tensor-meta" };

  for (GList *factory = factories; factory; factory = factory->next) {
    GstElement *element = gst_element_factory_create (factory->data, NULL);

    for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
      GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (element), names[i]);

      fail_unless (pspec == NULL || (pspec->flags & GST_PARAM_CONDITIONALLY_AVAILABLE), "%s", names[i]);
    }
    gst_object_unref (element);
  }
}

GST_END_TEST;

/* ---- pads ---- */

static GstPadTemplate *
request_template (GstElement *element)
{
  for (GList *item = gst_element_class_get_pad_template_list (GST_ELEMENT_GET_CLASS (element)); item; item = item->next)
    if (GST_PAD_TEMPLATE_PRESENCE (item->data) == GST_PAD_REQUEST)
      return item->data;
  return NULL;
}

static void
check_request_pads (GstElement *element, GstPadTemplate *template)
{
  const guint n_before = element->numsinkpads;
  GstPad *pads[3];

  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    pads[i] = gst_element_request_pad (element, template, NULL, NULL);
    fail_unless (pads[i] && GST_OBJECT_PARENT (pads[i]) == GST_OBJECT (element));
    fail_unless (GST_PAD_PAD_TEMPLATE (pads[i]) == template);
    check_properties (G_OBJECT (pads[i]));
  }
  fail_unless_equals_int (element->numsinkpads, n_before + 3);
  gst_element_release_request_pad (element, pads[1]);
  fail_unless (GST_OBJECT_PARENT (pads[1]) == NULL);
  ASSERT_OBJECT_REFCOUNT (pads[1], "released pad", 1);
  gst_object_unref (pads[1]);
  pads[1] = gst_element_request_pad (element, template, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (pads); i++) {
    gst_element_release_request_pad (element, pads[i]);
    gst_object_unref (pads[i]);
  }
  fail_unless_equals_int (element->numsinkpads, n_before);
}

/* One needs a location, and one the network, which its own tests keep to themselves. */
static const gchar *const unpaused[] = { "robocachemcapsink", "robocacherossink", NULL };

/* In NULL, and while the element waits for data. */
GST_START_TEST (test_request_pads)
{
  guint n_tested = 0;

  for (GList *factory = factories; factory; factory = factory->next) {
    GstElement *element = gst_object_ref_sink (gst_element_factory_create (factory->data, NULL));
    GstPadTemplate *template = request_template (element);

    if (template && !g_strv_contains (unpaused, GST_OBJECT_NAME (factory->data))) {
      check_request_pads (element, template);
      gst_element_set_state (element, GST_STATE_PAUSED);
      check_request_pads (element, template);
      gst_element_set_state (element, GST_STATE_NULL);
      n_tested++;
    }
    ASSERT_OBJECT_REFCOUNT (element, "element", 1);
    gst_object_unref (element);
  }
  fail_unless (n_tested > 0);
}

GST_END_TEST;

/* The base class's functions are those of the pads: what an element adds is in virtual methods. */
GST_START_TEST (test_base_class_pads)
{
  GstElement *other = gst_element_factory_make ("identity", NULL);
  const GstPad *expected = GST_BASE_TRANSFORM_SINK_PAD (other);
  guint n_tested = 0;

  for (GList *factory = factories; factory; factory = factory->next) {
    GstElement *element = gst_object_ref_sink (gst_element_factory_create (factory->data, NULL));
    const GstPad *pad = GST_IS_BASE_TRANSFORM (element) ? GST_BASE_TRANSFORM_SINK_PAD (element) : expected;

    fail_unless (GST_PAD_CHAINFUNC (pad) == GST_PAD_CHAINFUNC (expected), "%s", GST_OBJECT_NAME (factory->data));
    fail_unless (GST_PAD_EVENTFUNC (pad) == GST_PAD_EVENTFUNC (expected), "%s", GST_OBJECT_NAME (factory->data));
    fail_unless (GST_PAD_QUERYFUNC (pad) == GST_PAD_QUERYFUNC (expected), "%s", GST_OBJECT_NAME (factory->data));
    n_tested += pad != expected;
    gst_object_unref (element);
  }
  fail_unless (n_tested >= 2);
  gst_object_unref (other);
}

GST_END_TEST;

CHECK_MAIN (generic, setup, teardown, ONCE (test_klass), EACH (runs, test_states), TIMES (2, test_life_without_data), ONCE (test_properties),
    ONCE (test_conditional_properties), ONCE (test_request_pads), ONCE (test_base_class_pads))
