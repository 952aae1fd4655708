/* robocache: robocachefuse, its properties, where its ticks come from, its life and its statistics
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

/* ---- properties ---- */

static const struct
{
  const gchar *name, *initial, *value;
} element_properties[] = {
  {"rate", "0/1", "1000/3"},
  {"reference-pad", NULL, "force_0"},
  {"window", "1", "16"},
  {"layout", "tensors", "concat"},
  {"info", "none", "tensor"},
  {"type", "auto", "bfloat16"},
  {"stats-interval", "0", "1000000000"},
  {"qos-messages", "true", "false"},
  {"latency", "5000000", "7000000"},
  {"backend", "auto", "cpu"},
  {"device-id", "-1", "1"},
}, pad_properties[] = {
  {"interpolation", "linear", "cubic"},
  {"offset", "0", "-3000000"},
  {"max-gap", "-2", "200000000"},
  {"hold-limit", "-2", "0"},
  {"required", "false", "true"},
  {"reorder-window", "0", "5000000"},
  {"quaternions", NULL, "0,4-5"},
  {"angles", NULL, "8"},
  {"velocities", NULL, "9-11"},
  {"kinds", NULL, "real*3,hold"},
};

static void
assert_property (gpointer object, const gchar *name, const gchar *expected)
{
  GParamSpec *spec = g_object_class_find_property (G_OBJECT_GET_CLASS (object), name);
  GValue value = G_VALUE_INIT;
  gchar *text;

  fail_unless (spec != NULL, "there is no property %s", name);
  g_value_init (&value, spec->value_type);
  g_object_get_property (object, name, &value);
  if (G_VALUE_HOLDS_STRING (&value))
    text = g_value_dup_string (&value);
  else if (G_VALUE_HOLDS_ENUM (&value))
    text = g_strdup (g_enum_get_value (G_PARAM_SPEC_ENUM (spec)->enum_class, g_value_get_enum (&value))->value_nick);
  else
    text = gst_value_serialize (&value);
  fail_unless (g_strcmp0 (text, expected) == 0, "%s is %s, expected %s", name, text, expected);
  g_free (text);
  g_value_unset (&value);
}

GST_START_TEST (test_element_properties)
{
  GstElement *fuse;

  g_unsetenv ("ROBOCACHE_BACKEND");     /* the default of one of them */
  fuse = gst_element_factory_make ("robocachefuse", NULL);

  assert_property (fuse, element_properties[__i__].name, element_properties[__i__].initial);
  gst_util_set_object_arg (G_OBJECT (fuse), element_properties[__i__].name, element_properties[__i__].value);
  assert_property (fuse, element_properties[__i__].name, element_properties[__i__].value);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_pad_properties)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "proprio_0");

  assert_property (pad, pad_properties[__i__].name, pad_properties[__i__].initial);
  gst_util_set_object_arg (G_OBJECT (pad), pad_properties[__i__].name, pad_properties[__i__].value);
  assert_property (pad, pad_properties[__i__].name, pad_properties[__i__].value);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_camera_pad_starts_with_nearest)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  GstPad *pad = gst_element_request_pad_simple (fuse, "camera_%u");

  assert_property (pad, "interpolation", "nearest");
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

static const gchar *bad_lists[] = { "a", "1,", ",1", "3-1", "-1", "1--2", "1;2", "99999999999", "1,,2" };

GST_START_TEST (test_bad_channel_list)
{
  Play *play = play_new ("rate=100/1", "a=proprio_3,bare");
  GstPad *pad = play->pads[0].feed->sink;

  g_object_set (pad, "angles", bad_lists[__i__], NULL);
  assert_property (pad, "angles", bad_lists[__i__]);
  play_words (play, "a:start a+0!any a:eos");
  assert_error (play->rig, "settings:proprio_3|angles|%s|channel list", bad_lists[__i__]);
  play_free (play);
}

GST_END_TEST;

static const gchar *wrong_lists[][3] = {
  {"quaternions", "0", "proprio_3: quaternions: 0: expected no entry: a row has 2 channels, fewer than 4"},
  {"quaternions", "0,1,2", "proprio_3: quaternions: 3 entries: expected 0 to the 2 channels"},
  {"angles", "2", "proprio_3: angles: 2: expected a channel from 0 to 1"},
  {"velocities", "5", "proprio_3: velocities: 5: expected a channel from 0 to 1"},
};

GST_START_TEST (test_channel_list_beyond_the_channels)
{
  Play *play = play_new ("rate=100/1", "a=proprio_3,caps:2,bare,interpolation=hermite");

  g_object_set (play->pads[0].feed->sink, wrong_lists[__i__][0], wrong_lists[__i__][1], NULL);
  play_words (play, "a:start a+0!any a:eos");
  assert_error (play->rig, "settings:%s", wrong_lists[__i__][2]);
  play_free (play);
}

GST_END_TEST;

/* ---- where ticks come from ---- */

GST_START_TEST (test_rate_above_1_ghz)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  gst_util_set_object_arg (G_OBJECT (fuse), "rate", "1000000000/1");
  SET_OUT_OF_RANGE (gst_util_set_object_arg (G_OBJECT (fuse), "rate", "1000000001/1"));
  assert_property (fuse, "rate", "1000000000/1");
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_rate_and_reference_pad)
{
  Rig *rig = rig_new ("rate=100/1 reference-pad=sink_0");

  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_error (rig, "settings:rate|reference-pad");
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  rig_free (rig);
}

GST_END_TEST;

/* ---- life ---- */

static void
run_once (Rig *rig, GByteArray *out)
{
  GstBuffer *sample;
  Feed *a = g_ptr_array_index (rig->feeds, 0), *b = g_ptr_array_index (rig->feeds, 1);

  feed_start (a, ONE_CHANNEL);
  feed_start (b, ONE_CHANNEL);
  for (gint i = 0; i < 50; i++) {
    feed_one (a, MS (7 * i), i * i);
    feed_one (b, MS (3 + 7 * i), -i);
  }
  all_eos (rig);
  while ((sample = pull_until_eos (rig))) {
    GstMapInfo map;
    const gint64 pts = GST_BUFFER_PTS (sample);

    gst_buffer_map (sample, &map, GST_MAP_READ);
    g_byte_array_append (out, (const guint8 *) &pts, sizeof (pts));
    g_byte_array_append (out, map.data, map.size);
    gst_buffer_unmap (sample, &map);
    gst_buffer_unref (sample);
  }
}

GST_START_TEST (test_ten_lives)
{
  Rig *rig = rig_new ("rate=90/1 info=tensor");
  GByteArray *before = NULL;

  feed_new_bare (rig, "proprio_0", FALSE);
  feed_new_bare (rig, "force_0", FALSE);
  for (gint life = 0; life < 10; life++) {
    GByteArray *out = g_byte_array_new ();

    rig_play (rig);
    run_once (rig, out);
    fail_unless_equals_uint64 (fuse_count (rig->fuse, "ticks-out"), 32);
    fail_unless_equals_uint64 (fuse_count (((Feed *) g_ptr_array_index (rig->feeds, 0))->sink, "rows-in"), 50);
    rig_stop (rig);
    if (before) {
      fail_unless (out->len == before->len && memcmp (out->data, before->data, out->len) == 0, "life %d differs", life);
      g_byte_array_unref (out);
    } else {
      fail_unless (out->len > 0);
      before = out;
    }
  }
  g_byte_array_unref (before);
  rig_free (rig);
}

GST_END_TEST;

typedef struct
{
  Feed *last;                   /* to remove at the next caps query; NULL: not yet, or done */
  gint removed;
} Removal;

static GstPadProbeReturn
remove_when_asked (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Removal *removal = data;
  Feed *last;

  if (GST_QUERY_TYPE (GST_PAD_PROBE_INFO_QUERY (info)) != GST_QUERY_CAPS)
    return GST_PAD_PROBE_OK;
  last = g_atomic_pointer_get (&removal->last);
  if (last == NULL || !g_atomic_pointer_compare_and_exchange (&removal->last, last, NULL))
    return GST_PAD_PROBE_OK;
  gst_element_release_request_pad (last->rig->fuse, last->sink);
  g_atomic_int_set (&removal->removed, 1);
  return GST_PAD_PROBE_OK;
}

/* The last stream goes while downstream is asked about the new sample: there is no tick, and no error. */
GST_START_TEST (test_last_pad_is_removed_while_downstream_is_asked)
{
  Play *play = play_new ("rate=100/1", "a b c,absent");
  GstPad *src = gst_element_get_static_pad (play->rig->fuse, "src");
  Feed *b = play->pads[1].feed;
  Removal removal = { NULL };

  play_words (play, "ab+0..20/10 >0");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM | GST_PAD_PROBE_TYPE_PUSH, remove_when_asked, &removal, NULL);
  g_atomic_pointer_set (&removal.last, b);
  play_words (play, "a:remove");
  for (gint64 t = MS (30); !g_atomic_int_get (&removal.removed); t += MS (10)) {
    const gfloat value = 0;

    feed_row (b, t, &value, 1); /* is refused once the pad is gone */
  }
  feed_free (b);
  play->pads[1].has_caps = FALSE;
  play_words (play, "c:add c:start c+100..120/10 c:eos");
  gst_buffer_unref (pull (play->rig));
  gst_object_unref (src);
  play_free (play);
}

GST_END_TEST;

GST_START_TEST (test_never_started)
{
  Rig *rig = rig_new ("rate=100/1");

  feed_new_bare (rig, "camera_0", FALSE);
  rig_free (rig);
}

GST_END_TEST;

GST_START_TEST (test_active_backend)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);

  g_object_set (fuse, "rate", 10, 1, NULL);
  gst_util_set_object_arg (G_OBJECT (fuse), "backend", "cpu");
  assert_property (fuse, "active-backend", "auto");
  gst_element_set_state (fuse, GST_STATE_PAUSED);
  assert_property (fuse, "active-backend", "cpu");
  gst_element_set_state (fuse, GST_STATE_NULL);
  assert_property (fuse, "active-backend", "auto");
  gst_object_unref (fuse);
}

GST_END_TEST;

/* ---- statistics ---- */

GST_START_TEST (test_stats_interval)
{
  Play *play = play_new ("rate=100/1 stats-interval=100ms", "a");
  guint64 expected = 11;
  GstMessage *message;

  play_words (play, "a+0..350/10 a:eos >0..350/10 >eos");
  while ((message = gst_bus_pop_filtered (play->rig->bus, GST_MESSAGE_ELEMENT))) {
    const GstStructure *stats = gst_message_get_structure (message);

    fail_unless_equals_string (gst_structure_get_name (stats), "robocachefuse");
    fail_unless_equals_uint64 (count_in (stats, "ticks-out"), MIN (expected, 36));      /* the last at the end */
    fail_unless (gst_structure_has_field_typed (stats, "proprio_0", GST_TYPE_STRUCTURE));
    expected += 10;
    gst_message_unref (message);
  }
  fail_unless_equals_uint64 (expected, 51);
  play_free (play);
}

GST_END_TEST;

/* What stats-interval posts is the same, and adds up as well. */
GST_START_TEST (test_stats_message)
{
  static const gchar *const fields[] = { "ticks-out", "lag-p99", "lateness-p50", "age-max", "row-lateness-max", "rows-in",
    "rows-dropped-overflow", "proprio_0", "removed-pads"
  };
  Play *play = play_new ("rate=100/1 stats-interval=20ms", "a,live");
  GstMessage *message;

  play_words (play, "a+0..50/10");
  message = wait_message (play->rig, GST_MESSAGE_ELEMENT);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    fail_unless (gst_structure_has_field (gst_message_get_structure (message), fields[i]), "no %s", fields[i]);
  assert_account_balances (gst_message_get_structure (message));
  gst_message_unref (message);
  play_free (play);
}

GST_END_TEST;

CHECK_MAIN (robocachefuselife, NULL, NULL, EACH (element_properties, test_element_properties), EACH (pad_properties, test_pad_properties),
  ONCE (test_camera_pad_starts_with_nearest), EACH (bad_lists, test_bad_channel_list), EACH (wrong_lists, test_channel_list_beyond_the_channels),
  ONCE (test_rate_above_1_ghz), ONCE (test_rate_and_reference_pad), ONCE (test_ten_lives), ONCE (test_last_pad_is_removed_while_downstream_is_asked),
  ONCE (test_never_started), ONCE (test_active_backend), ONCE (test_stats_interval), ONCE (test_stats_message))
