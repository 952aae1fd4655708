/* robocache: robocachefuse, settings of pads as one property: what it takes, what it refuses, and when it holds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/fuse/fusescenario.h"

#define SETTINGS_OF_PADS "angles, clock-mode, cutoff, expected-caps, hold-limit, interpolation, kinds, lobes, max-gap, max-lead, nan, offset, quaternions, " \
    "reference-caps, reference-clock, reference-origin, reorder-window, required, tensor-id, timestamp-source, velocities"

#define UNREADABLE " cannot be read: expected entries like \"proprio_0,interpolation=cubic,max-gap=100ms; force_0,required=true\""

/* ---- what is refused ---- */

static const struct
{
  const gchar *pads, *error;    /* all of its text */
} refused[] = {
  {"proprio_0,interpolation=lineer", "proprio_0: interpolation=lineer: expected linear, nearest, previous, cubic, hermite, mean or lowpass"},
  {"propio_0,max-gap=5", "\"propio_0\" is not the name of a pad: expected camera_N, proprio_N, force_N or sink_N"},
  {"proprio_x", "\"proprio_x\" is not the name of a pad: expected camera_N, proprio_N, force_N or sink_N"},
  {"src", "\"src\" is not the name of a pad: expected camera_N, proprio_N, force_N or sink_N"},
  {"force_0,required=true; camera_1,maxgap=5", "camera_1: there is no setting \"maxgap\"; the settings are " SETTINGS_OF_PADS},
  {"force_0,stats=1", "force_0: there is no setting \"stats\"; the settings are " SETTINGS_OF_PADS},
  {"force_0,name=a", "force_0: there is no setting \"name\"; the settings are " SETTINGS_OF_PADS},
  {"force_0,max-gap=-3", "force_0: max-gap=-3: expected a time in ns, or with a unit, like 20ms, of at least -2"},
  {"force_0,max-gap=5m", "force_0: max-gap=5m: expected a time in ns, or with a unit, like 20ms, of at least -2"},
  {"force_0,reorder-window=2h",
      "force_0: reorder-window=2h: expected a time in ns, or with a unit, like 20ms, of at least 0 and at most 3600000000000"},
  {"force_0,required=maybe", "force_0: required=maybe: expected true or false"},
  {"force_0,expected-caps=\"=\"", "force_0: expected-caps==: expected caps"},
  {"force_0,quaternions=1-", "force_0: quaternions: \"1-\" is not a channel list: set zero-based numbers and ranges, like \"0\" or \"3-6,9\""},
  {"force_0,offset=1ms; sink_1; force_0,offset=2ms", "force_0 has two entries"},
  {"force_0,max-gap=1ms,required", "force_0: max-gap=1ms,required: expected a time in ns, or with a unit, like 20ms, of at least -2"},
  {"sink_0; force_0,=5", "\"force_0,=5\"" UNREADABLE},
  {"force_0,required", "\"force_0,required\"" UNREADABLE},
  {"force_0,required=\"true\"x", "\"force_0,required=\"true\"x\"" UNREADABLE},
  {"force_0,angles=\xff", "the text is not UTF-8"},
  {"sink_0;;force_0", "\"\" is not the name of a pad: expected camera_N, proprio_N, force_N or sink_N"},
};

GST_START_TEST (test_refused)
{
  Rig *rig = rig_new ("rate=100/1");
  gchar *error = g_strdup_printf ("settings:pads: %s", refused[__i__].error);
  gint64 offset;
  Feed *feed = feed_new_unlinked (rig, "force_0", FALSE);

  g_object_set (rig->fuse, "pads", refused[__i__].pads, NULL);
  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_READY), GST_STATE_CHANGE_SUCCESS);
  assert_no_message (rig, GST_MESSAGE_ERROR);
  for (guint i = 0; i < 2; i++) {       /* it is one until it is mended */
    fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    assert_error (rig, "%s", error);
  }
  g_object_get (feed->sink, "offset", &offset, NULL);
  fail_unless_equals_int64 (offset, 0); /* nothing of it holds */
  g_object_set (rig->fuse, "pads", "force_0,offset=3ms", NULL);
  fail_unless_equals_int (gst_element_set_state (rig->fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  g_object_get (feed->sink, "offset", &offset, NULL);
  fail_unless_equals_int64 (offset, MS (3));
  gst_element_set_state (rig->fuse, GST_STATE_NULL);
  g_free (error);
  rig_free (rig);
}

GST_END_TEST;

/* ---- what is taken ---- */

static const struct
{
  const gchar *pads, *pad, *property, *value;   /* as gst_value_serialize writes it */
} taken[] = {
  {"proprio_0,interpolation=cubic", "proprio_0", "interpolation", "cubic"},
  {"proprio_0, max-gap = 100ms", "proprio_0", "max-gap", "100000000"},
  {"proprio_0,max-gap=2s", "proprio_0", "max-gap", "2000000000"},
  {"proprio_0,max-gap=50us", "proprio_0", "max-gap", "50000"},
  {"proprio_0,max-gap=-1;", "proprio_0", "max-gap", "-1"},
  {"proprio_0,max_gap=7", "proprio_0", "max-gap", "7"},
  {"proprio_0,max-gap=(string)100ms", "proprio_0", "max-gap", "100000000"},
  {"proprio_0,max-gap=(gint64)100", "proprio_0", "max-gap", "100"},
  {"proprio_0,offset=-20ms", "proprio_0", "offset", "-20000000"},
  {"  camera_3,interpolation=linear ;  proprio_0,required=true  ", "proprio_0", "required", "true"},
  {"camera_3,interpolation=linear; proprio_0,required=yes", "camera_3", "interpolation", "linear"},
  {"camera_3,interpolation=linear; proprio_0,required=1", "camera_4", "interpolation", "nearest"},
  {"proprio_0,quaternions=\"3,7\",angles=0-2", "proprio_0", "quaternions", "\"3\\,7\""},
  {"proprio_0,quaternions=3,7,angles=0-2", "proprio_0", "quaternions", "\"3\\,7\""},
  {"proprio_0,quaternions=\"3,7\" , angles=0-2", "proprio_0", "angles", "0-2"},
  {"proprio_0,quaternions=\"a\\\"b\\\\\"", "proprio_0", "quaternions", "\"a\\\"b\\\\\""},
  {"proprio_0,quaternions=qx", "proprio_0", "quaternions", "qx"},
  {"proprio_0,angles=0-2", "proprio_0", "angles", "0-2"},
  {"proprio_0", "proprio_0", "max-gap", "-2"},
  {"", "proprio_0", "max-gap", "-2"},
  {" ", "proprio_0", "max-gap", "-2"},
};

static void
assert_setting (gpointer pad, const gchar *property, const gchar *wanted)
{
  GParamSpec *pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (pad), property);
  GValue value = G_VALUE_INIT;
  gchar *text;

  g_value_init (&value, pspec->value_type);
  g_object_get_property (pad, property, &value);
  text = gst_value_serialize (&value);
  fail_unless_equals_string (text, wanted);
  g_value_unset (&value);
  g_free (text);
}

/* The pad is there before the property, or after it. */
GST_START_TEST (test_taken)
{
  GstElement *fuse = gst_element_factory_make ("robocachefuse", NULL);
  const gint row = __i__ / 2;
  GstPad *pad = __i__ % 2 ? gst_element_request_pad_simple (fuse, taken[row].pad) : NULL;
  gchar *text;

  g_object_set (fuse, "pads", taken[row].pads, NULL);
  g_object_get (fuse, "pads", &text, NULL);
  fail_unless_equals_string (text, taken[row].pads);
  if (pad == NULL)
    pad = gst_element_request_pad_simple (fuse, taken[row].pad);
  assert_setting (pad, taken[row].property, taken[row].value);
  fail_unless_equals_int (gst_element_set_state (fuse, GST_STATE_PAUSED), GST_STATE_CHANGE_SUCCESS);
  gst_element_set_state (fuse, GST_STATE_NULL);
  g_free (text);
  gst_object_unref (pad);
  gst_object_unref (fuse);
}

GST_END_TEST;

GST_START_TEST (test_launch)
{
  GstElement *fuse, *pipeline = launch ("robocachefuse name=fuse rate=50/1 "
      "pads=\"proprio_1,interpolation=cubic,max-gap=100ms; proprio_0,angles=\\\"0,1\\\"\" ! fakesink " SENSOR (20)
      "fuse.proprio_1 " SENSOR (20) "fuse.proprio_0", &fuse);
  GstPad *pad = gst_element_get_static_pad (fuse, "proprio_1");

  assert_setting (pad, "interpolation", "cubic");
  assert_setting (pad, "max-gap", "100000000");
  gst_object_unref (pad);
  run_to_eos (pipeline);
  end_pipeline (pipeline, fuse);
}

GST_END_TEST;

/* Whatever the text is: it is in force, or an error says why not. */
GST_START_TEST (test_random_text)
{
  static const gchar *const pieces[] = { "proprio_0", "camera_1", "force_", "max-gap", "angles", "interpolation", "=", "=", ",", ",", ";", "\"",
    "\\", "(", ")", " ", "cubic", "5ms", "-1", "0-2", "true", "\xff", "%s"
  };
  GRand *rand = g_rand_new_with_seed ((guint32) __i__ + 1);
  Rig *rig = rig_new ("");

  for (guint round = 0; round < 100; round++) {
    GString *text = g_string_new (NULL);
    GstStateChangeReturn changed;

    for (gint n = g_rand_int_range (rand, 0, 12); n > 0; n--)
      g_string_append (text, pieces[g_rand_int_range (rand, 0, G_N_ELEMENTS (pieces))]);
    g_object_set (rig->fuse, "pads", text->str, NULL);
    changed = gst_element_set_state (rig->fuse, GST_STATE_PAUSED);
    if (changed == GST_STATE_CHANGE_FAILURE)
      gst_message_unref (wait_message (rig, GST_MESSAGE_ERROR));
    assert_no_message (rig, GST_MESSAGE_ERROR);
    gst_element_set_state (rig->fuse, GST_STATE_NULL);
    g_string_free (text, TRUE);
  }
  g_rand_free (rand);
  rig_free (rig);
}

GST_END_TEST;

/* ---- when it holds ---- */

static const Scenario scenarios[] = {
  {"an entry waits for its pad", "rate=200/1 pads=proprio_1,interpolation=previous", "a,bare b,absent",
      "b:add a:start b:start a+0..20/10 b+0..20/10 eos >0 >5 b=0 >10 >15 b=10 >20 >eos"},
  {"an entry declares a pad that is requested while playing", "rate=100/1 "
      "pads=proprio_1,expected-caps=\"other/tensors,format=static,num_tensors=1,types=float32,dimensions=(string)2\"",
      "a,live b,absent,unlinked", "a+0..30/10 >0..30/10 b:add a+40..50/10 >40..50/10 b=missing a:eos >eos"},
  {"a setting of the child proxy that is set later wins", "rate=200/1 pads=proprio_0,interpolation=previous",
      "a,interpolation=linear", "a+0..20/10 a:eos >0 >5 >10 >15 >20 >eos"},
  {"the property that is set later wins", "rate=200/1", "a,bare,interpolation=linear",
      "stop set:pads=proprio_0,interpolation=previous play a:start a+0..20/10 a:eos >0 >5 a=0 >10 >15 a=10 >20 >eos"},
  {"while the element runs it waits for the next start, also for pads that come", "rate=200/1", "a b,absent",
      "a+0..10/10 set:pads=proprio_0,interpolation=previous;proprio_1,interpolation=previous 'warning:pads was set while' "
      "b:add b:start b+0..20/10 a+20 eos >0..20/5 >eos "
      "stop play ab:start ab+0..20/10 eos >0 >5 a=0 b=0 >10 >15 a=10 b=10 >20 >eos"},
  {"a wrong one that is set while the element runs is an error at the next start", "rate=200/1", "a",
      "a+0..10/10 set:pads=proprio_0,max-gap=x warning:pads a+20 a:eos >0..20/5 >eos"},
  {"an entry whose pad never comes", "rate=100/1 pads=force_7,max-gap=5;proprio_0,max-gap=5;proprio_3,max-gap=5", "a",
      "a+0 wall:1999 no:warning wall:2000 'warning:pads|force_7, proprio_3|such pad' wall:9000 no:warning"},
  {"an entry whose pad comes and goes", "rate=100/1 pads=proprio_1,max-gap=5", "a b,absent",
      "a+0 wall:1000 b:add b:remove wall:3000 no:warning"},
  {"entries are looked at once a start", "rate=100/1 pads=force_7,max-gap=5", "a",
      "a+0 wall:2000 wait:warning stop play a:start a+0 wall:3999 no:warning wall:4000 wait:warning no:warning"},
  {"nobody looks when the element has stopped", "rate=100/1 pads=force_7,max-gap=5", "a", "stop wall:3000 no:warning play"},
};

CHECK_MAIN (robocachefusepadsettings, NULL, NULL, EACH (refused, test_refused), TIMES (2 * G_N_ELEMENTS (taken), test_taken),
  TIMES (10, test_random_text), ONCE (test_launch), add_scenarios (suite, scenarios, G_N_ELEMENTS (scenarios), FALSE))
