/* robocache: robocachekinematics in a harness: caps, rows, gaps, states and every wrong setting
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/check/lib/elementharness.h"

#define ARM ROBOCACHE_EXAMPLES "/arm.urdf"
#define Q "q0,q1,q2,q3,q4,q5,q6"
#define POSE "tool.x,tool.y,tool.z,tool.qw,tool.qx,tool.qy,tool.qz"
#define ROWS(types, dimensions, channels) \
  "other/tensors,format=static,num_tensors=1,types=" types ",dimensions=(string)" dimensions ",framerate=50/1,channels=(string)\"" channels "\""
#define UNNAMED(dimensions) "other/tensors,format=static,num_tensors=1,types=float64,dimensions=(string)" dimensions ",framerate=50/1"

static GstHarness *
open_arm (const gchar *properties, const gchar *caps)
{
  gchar *all = g_strconcat ("urdf=" ARM " ", properties, NULL);
  GstHarness *h = element_open ("robocachekinematics", all);

  push_caps (h, caps);
  push_segment_of (h, GST_FORMAT_TIME);
  g_free (all);
  return h;
}

/* The row that comes out for a row of float64. */
static void
convert (GstHarness *h, const gdouble *in, guint n_in, gdouble *out, guint n_out, gint ms)
{
  GstBuffer *buffer;

  fail_unless_equals_int (gst_harness_push (h, buffer_of (in, n_in * sizeof (gdouble), NS (ms))), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), NS (ms));
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), n_out * sizeof (gdouble));
  gst_buffer_extract (buffer, 0, out, n_out * sizeof (gdouble));
  gst_buffer_unref (buffer);
}

static void
expect_numbers (const gdouble *got, const gdouble *expected, guint n, gdouble tolerance)
{
  for (guint i = 0; i < n; i++)
    fail_unless (fabs (got[i] - expected[i]) <= tolerance, "number %u: %.12g, expected %.12g", i, got[i], expected[i]);
}

/* ---- caps ---- */

static const struct
{
  const gchar *properties, *caps, *dimensions, *types, *channels;
} formats[] = {
  {"frames=tool", ROWS ("float32", "7", Q), "7", "float32", POSE},
  {"frames=tool type=float64", ROWS ("float32", "7", Q), "7", "float64", POSE},
  {"frames=tool", ROWS ("float16", "7:20", Q), "7:20", "float16", POSE},
  {"frames=tool", ROWS ("float64", "7:20:3", "q6,q5,q4,q3,q2,q1,q0"), "7:20:3", "float64", POSE},
  {"frames=tool", ROWS ("float64", "8", "q0.position,q1.position,q2.position,q3.position,q4.position,q5.position,q6,other"), "7", "float64", POSE},
  {"frames=tool quaternion-order=xyzw", ROWS ("float32", "7", Q), "7", "float32", "tool.x,tool.y,tool.z,tool.qx,tool.qy,tool.qz,tool.qw"},
  {"frames=tool orientation=rotation6d", ROWS ("float32", "7", Q), "9", "float32",
      "tool.x,tool.y,tool.z,tool.r00,tool.r10,tool.r20,tool.r01,tool.r11,tool.r21"},
  {"frames=tool orientation=euler manipulability=true", ROWS ("float32", "7", Q), "7", "float32",
      "tool.x,tool.y,tool.z,tool.roll,tool.pitch,tool.yaw,tool.manipulability"},
  {"frames=tool append=true", ROWS ("bfloat16", "8", "f," Q), "15", "bfloat16", "f," Q "," POSE},
  {"frames=tool append=true joints=q0,q1,q2,q3,q4,q5,q6", UNNAMED ("9"), "16", "float64", NULL},
  {"frames=link1,base", ROWS ("float32", "7", Q), "14", "float32",
      "link1.x,link1.y,link1.z,link1.qw,link1.qx,link1.qy,link1.qz,base.x,base.y,base.z,base.qw,base.qx,base.qy,base.qz"},
  {"frames=link1 mode=jacobian", ROWS ("float32", "1", "q0"), "6", "float32", "link1.vx.q0,link1.vy.q0,link1.vz.q0,link1.wx.q0,link1.wy.q0,link1.wz.q0"},
  {"frames=link1 mode=velocity", ROWS ("float32", "2", "q0.position,q0.velocity"), "6", "float32", "link1.vx,link1.vy,link1.vz,link1.wx,link1.wy,link1.wz"},
  {"frames=link2 mode=ik", ROWS ("float32", "7", "link2.x,link2.y,link2.z,link2.qw,link2.qx,link2.qy,link2.qz"), "5", "float32",
      "q0.position,q1.position,ik.status,ik.distance,ik.angle"},
  {"frames=left_finger joints=,grip,q6,q5,q4,q3,q2,q1,q0", UNNAMED ("9"), "7", "float64",
      "left_finger.x,left_finger.y,left_finger.z,left_finger.qw,left_finger.qx,left_finger.qy,left_finger.qz"},
  {"frames=right_finger base=tool joints=grip", UNNAMED ("1"), "7", "float64",
      "right_finger.x,right_finger.y,right_finger.z,right_finger.qw,right_finger.qx,right_finger.qy,right_finger.qz"},
};

GST_START_TEST (test_formats)
{
  GstHarness *h = open_arm (formats[__i__].properties, formats[__i__].caps);

  fail_unless_equals_int (count_messages (h, GST_MESSAGE_ERROR), 0);
  gst_harness_push (h, buffer_of (NULL, 0, NS (0)));    /* wrong, but caps go first */
  expect_caps_field (h, "dimensions", formats[__i__].dimensions);
  expect_caps_field (h, "types", formats[__i__].types);
  expect_caps_field (h, "framerate", "50/1");
  if (formats[__i__].channels) {
    GstCaps *caps = gst_pad_get_current_caps (h->sinkpad);

    fail_unless_equals_string (gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels"), formats[__i__].channels);
    gst_caps_unref (caps);
  }
  harness_close (h);
}

GST_END_TEST;

static const struct
{
  const gchar *properties, *caps, *code, *words;
} wrong[] = {
  {"frames=tool", ROWS ("int32", "7", Q), "negotiation", "types=int32: the first tensor"},
  {"frames=tool", UNNAMED ("7"), "settings", "channels: no channel is named \"q0\" or \"q0.position\""},
  {"frames=tool", ROWS ("float32", "7", "q0,q1,q2,q3,q4,q5,q5"), "settings", "channels: several channels are named \"q5\""},
  {"frames=tool", ROWS ("float32", "6", Q), "settings", "channels: the caps name more channels than a row has, 6"},
  {"frames=tip", ROWS ("float32", "7", Q), "settings", "frames: \"tip\" is not a link of robot \"arm\""},
  {"", ROWS ("float32", "7", Q), "settings", "frames is not set, and robot \"arm\" has 2 end links"},
  {"frames=tool base=world", ROWS ("float32", "7", Q), "settings", "base: \"world\" is not a link"},
  {"frames=tool joints=q0,q1,q2,q3,q4,q5,elbow", UNNAMED ("7"), "settings", "joints: robot \"arm\" has no joint \"elbow\""},
  {"frames=tool joints=q0,q1,q2,q3,q4,q5,q5", UNNAMED ("7"), "settings", "joints: joint \"q5\" is listed twice"},
  {"frames=tool joints=q0,q1,q2,q3,q4,q5", UNNAMED ("7"), "settings", "joints: joint \"q6\" moves a frame, but is not listed"},
  {"frames=tool joints=q0,q1,q2,q3,q4,q5,q6", UNNAMED ("6"), "settings", "joints: 7 names, but rows have 6 channels"},
  {"frames=tool mode=velocity", ROWS ("float32", "7", Q), "settings", "channels: no channel is named \"q0.velocity\""},
  {"frames=tool mode=velocity velocities=7-12", ROWS ("float32", "14", Q), "settings", "velocities=7-12: 6 channels: expected 7, one per joint"},
  {"frames=tool mode=velocity velocities=8-14", ROWS ("float32", "14", Q), "settings", "velocities: channel 14: expected 0 to 13"},
  {"frames=tool mode=velocity velocities=7-x", ROWS ("float32", "14", Q), "settings", "velocities: "},
  {"frames=tool mode=ik", ROWS ("float32", "7", Q), "settings", "channels: no channel is named \"tool.x\""},
  {"frames=tool mode=ik poses=0-5", UNNAMED ("7"), "settings", "poses=0-5: 6 channels: expected 7, the pose of each frame"},
  {"frames=tool,link1,link2,link3,link4 mode=ik", UNNAMED ("7"), "settings", "frames: 5 links with mode=ik: expected at most 4"},
  {"frames=tool base-pose=0-2", ROWS ("float32", "7", Q), "settings", "base-pose=0-2: 3 channels: expected 7"},
};

GST_START_TEST (test_wrong)
{
  GstHarness *h = open_arm (wrong[__i__].properties, wrong[__i__].caps);

  fail_unless_equals_int (gst_harness_push (h, buffer_of (NULL, 0, NS (0))), GST_FLOW_NOT_NEGOTIATED);
  expect_posted_error (h, wrong[__i__].code, wrong[__i__].words);
  harness_close (h);
}

GST_END_TEST;

/* Before any caps: the state does not change. */
static const struct
{
  const gchar *properties, *words;
} wrong_robots[] = {
  {"", "urdf is not set"},
  {"urdf=/nowhere/robot.urdf", "urdf=/nowhere/robot.urdf: No such file"},
  {"urdf=" ROBOCACHE_EXAMPLES "/env.sh", "env.sh: line 1: not XML"},
  {"urdf=" ARM " type=int8", "type=int8: expected auto, float16"},
};

GST_START_TEST (test_wrong_robots)
{
  GstElement *element = gst_element_factory_make ("robocachekinematics", "e");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;

  set_properties (element, wrong_robots[__i__].properties);
  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS)
      && strstr (error->message, wrong_robots[__i__].words), "%s", error->message);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR) == NULL);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_bus (element, NULL);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (element);
}

GST_END_TEST;

GST_START_TEST (test_downstream)
{
  GstHarness *h = element_open ("robocachekinematics", "urdf=" ARM " frames=tool");

  gst_harness_set_sink_caps_str (h, "other/tensors,types=float64");
  push_caps (h, ROWS ("float32", "7", Q));
  expect_posted_error (h, "negotiation", "downstream accepts only");
  harness_close (h);
}

GST_END_TEST;

/* Downstream's spelling of an equal shape is taken. */
GST_START_TEST (test_spelling)
{
  GstHarness *h = element_open ("robocachekinematics", "urdf=" ARM " frames=tool");
  GstBuffer *buffer;
  gfloat row[7] = { 0 };

  gst_harness_set_sink_caps_str (h, "other/tensors,dimensions=(string)7:1:1:1");
  push_caps (h, ROWS ("float32", "7", Q));
  push_segment_of (h, GST_FORMAT_TIME);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (row, sizeof row, 0)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), sizeof row);
  gst_buffer_unref (buffer);
  expect_caps_field (h, "dimensions", "7:1:1:1");
  harness_close (h);
}

GST_END_TEST;

/* ---- rows ---- */

static const gdouble zero[7], bent[7] = { 0.2, -0.5, 0.3, 1.0, -4.0, 0.7, 0.1 };

/* The arm of zero angles stands upright, and its tool is turned by a right angle. */
GST_START_TEST (test_upright)
{
  static const gdouble expected[] = { 0, 0, 1.34, M_SQRT1_2, 0, 0, M_SQRT1_2, 0 };
  GstHarness *h = open_arm ("frames=tool manipulability=true", ROWS ("float64", "7", Q));
  gdouble out[8];

  convert (h, zero, 7, out, 8, 0);
  expect_numbers (out, expected, 8, 1e-15);
  harness_close (h);
}

GST_END_TEST;

/* From a pose back to it, in every form and relative to everything: joints may differ, since there are seven. */
static const gchar *const forms[] = { "orientation=quaternion", "orientation=quaternion quaternion-order=xyzw", "orientation=rotation6d",
  "orientation=euler"
};
static const gchar *const references[] = { "reference=base", "reference=previous", "reference=first" };

GST_START_TEST (test_there_and_back)
{
  const gchar *form = forms[__i__ % G_N_ELEMENTS (forms)], *reference = references[__i__ / G_N_ELEMENTS (forms)];
  gchar *there = g_strdup_printf ("frames=tool append=true %s %s", form, reference);
  gchar *back = g_strdup_printf ("urdf=" ARM " frames=tool mode=ik tolerance=1e-10 %s %s", form, reference);
  GstHarness *h = open_arm (there, ROWS ("float64", "7", Q)), *inverse, *check = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  gdouble row[7], made[16], solution[10], pose[7], again[7];
  GstCaps *caps;
  guint width;

  convert (h, bent, 7, made, 7 + (strstr (form, "6d") ? 9 : strstr (form, "euler") ? 6 : 7), 0);
  caps = gst_pad_get_current_caps (h->sinkpad);
  width = (guint) g_ascii_strtoull (gst_structure_get_string (gst_caps_get_structure (caps, 0), "dimensions"), NULL, 10);
  inverse = element_open ("robocachekinematics", back);
  gst_harness_push_event (inverse, gst_event_new_caps (caps));
  push_segment_of (inverse, GST_FORMAT_TIME);
  convert (inverse, made, width, solution, 10, 0);
  for (guint k = 1; k < 20; k++) {
    for (guint i = 0; i < 7; i++)
      row[i] = bent[i] + 0.03 * k * (i % 2 ? 1 : -1);
    convert (h, row, 7, made, width, (gint) k);
    convert (inverse, made, width, solution, 10, (gint) k);
    fail_unless (solution[7] == 0.0 && solution[8] <= 1e-10 && solution[9] <= 1e-10, "row %u: status %g, %g m, %g rad", k, solution[7],
        solution[8], solution[9]);
    convert (check, row, 7, pose, 7, (gint) (2 * k));
    convert (check, solution, 7, again, 7, (gint) (2 * k + 1));
    expect_numbers (again, pose, 7, 1e-7);
  }
  fail_unless_equals_uint64 (count_of (inverse, "converged"), 20);
  gst_caps_unref (caps);
  g_free (there);
  g_free (back);
  harness_close (check);
  harness_close (inverse);
  harness_close (h);
}

GST_END_TEST;

/* A velocity is the Jacobian times the joints' velocities, and close to a difference of positions. */
GST_START_TEST (test_velocity)
{
  static const gdouble rates[7] = { 0.4, -0.3, 0.2, 0.6, -0.5, 0.1, 0.7 };
  GstHarness *jacobian = open_arm ("frames=tool mode=jacobian", ROWS ("float64", "7", Q));
  GstHarness *velocity = open_arm ("frames=tool mode=velocity velocities=7-13", ROWS ("float64", "14", Q));
  GstHarness *pose = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  gdouble row[14], moved[7], matrix[42], twist[6], expected[6], ends[2][7];

  memcpy (row, bent, sizeof bent);
  memcpy (row + 7, rates, sizeof rates);
  convert (jacobian, bent, 7, matrix, 42, 0);
  convert (velocity, row, 14, twist, 6, 0);
  for (guint k = 0; k < 2; k++) {
    for (guint i = 0; i < 7; i++)
      moved[i] = bent[i] + (k ? 1e-6 : -1e-6) * rates[i];
    convert (pose, moved, 7, ends[k], 7, (gint) k);
  }
  for (guint k = 0; k < 6; k++) {
    expected[k] = 0;
    for (guint i = 0; i < 7; i++)
      expected[k] += matrix[7 * k + i] * rates[i];
  }
  expect_numbers (twist, expected, 6, 1e-14);
  for (guint k = 0; k < 3; k++)
    fail_unless (fabs (twist[k] - (ends[1][k] - ends[0][k]) / 2e-6) < 1e-8);
  harness_close (pose);
  harness_close (velocity);
  harness_close (jacobian);
}

GST_END_TEST;

/* A row with a NaN gives NaN, and the next one is as it was. With append its own channels keep their bits. */
GST_START_TEST (test_missing)
{
  GstHarness *h = open_arm ("frames=tool,link1 append=true reference=previous", ROWS ("float64", "7", Q));
  gdouble row[7], out[21], after[21];

  memcpy (row, bent, sizeof row);
  convert (h, bent, 7, out, 21, 0);
  row[6] = NAN;
  convert (h, row, 7, out, 21, 1);
  fail_unless (memcmp (out, row, sizeof row) == 0);
  for (guint i = 7; i < 21; i++)
    fail_unless (isnan (out[i]), "channel %u", i);
  convert (h, bent, 7, after, 21, 2);
  fail_unless (after[7] == 0.0 && fabs (after[10] - 1.0) < 1e-15);
  fail_unless_equals_uint64 (count_of (h, "rows"), 3);
  fail_unless_equals_uint64 (count_of (h, "rows-missing"), 1);
  harness_close (h);
}

GST_END_TEST;

/* Without a reference, a frame that no missing joint moves is there. */
GST_START_TEST (test_partly_missing)
{
  GstHarness *h = open_arm ("frames=tool,link1", ROWS ("float64", "7", Q));
  gdouble row[7], out[14];

  memcpy (row, bent, sizeof row);
  row[6] = INFINITY;
  convert (h, row, 7, out, 14, 0);
  fail_unless (isnan (out[0]) && isnan (out[6]));
  fail_unless (fabs (out[9] - 0.34) < 1e-15 && !isnan (out[13]));
  harness_close (h);
}

GST_END_TEST;

/* What an inverse says of targets that it cannot reach. */
GST_START_TEST (test_statuses)
{
  static const gdouble far[] = { 5, 0, 0.34, 1, 0, 0, 0 }, none[] = { 5, 0, NAN, 1, 0, 0, 0 }, no_turn[] = { 0, 0, 1, 0, 0, 0, 0 };
  GstHarness *h = open_arm ("frames=tool mode=ik poses=0-6", UNNAMED ("7"));
  gdouble out[10];

  convert (h, far, 7, out, 10, 0);
  fail_unless ((out[7] == 2.0 || out[7] == 3.0 || out[7] == 1.0) && out[8] > 3.0, "status %g, %g m", out[7], out[8]);
  fail_if (isnan (out[0]));
  convert (h, none, 7, out, 10, 1);
  fail_unless (out[7] == 4.0 && isnan (out[0]) && isnan (out[9]));
  convert (h, no_turn, 7, out, 10, 2);
  fail_unless (out[7] == 4.0);
  fail_unless_equals_uint64 (count_of (h, "rows-missing"), 2);
  harness_close (h);
}

GST_END_TEST;

/* A base that moves takes its frames along. */
GST_START_TEST (test_base_pose)
{
  static const gdouble row[] = { 1, 2, 3, 0, 0, M_SQRT1_2, M_SQRT1_2, 0 }, expected[] = { 1, 2, 3.34, M_SQRT1_2, 0, 0, M_SQRT1_2 };
  GstHarness *h = open_arm ("frames=link1 base-pose=0-6 quaternion-order=xyzw joints=,,,,,,,q0", UNNAMED ("8"));
  gdouble out[7];

  convert (h, row, 8, out, 7, 0);
  expect_numbers (out, expected, 3, 1e-15);
  fail_unless (fabs (out[5] - M_SQRT1_2) < 1e-15 && fabs (out[6] - M_SQRT1_2) < 1e-15);
  harness_close (h);
}

GST_END_TEST;

/* What the channels are, of those that come in, too; "" where all are real. */
static const struct
{
  const gchar *settings, *in, *kinds;
} kinds_out[] = {
  {"frames=tool", "", "\"real\\*3\\,quaternion\""},
  {"frames=tool orientation=rotation6d", "", ""},
  {"frames=tool orientation=euler", "", "\"real\\*3\\,angle\\*3\""},
  {"frames=tool append=true", "", "\"real\\*4\\,angle\\,real\\*5\\,quaternion\""},   /* q4 has no limits */
  {"frames=tool append=true", "hold\\,real*6", "\"hold\\,real\\*3\\,angle\\,real\\*5\\,quaternion\""},
  {"frames=tool mode=jacobian", "", ""},
};

GST_START_TEST (test_kinds)
{
  gchar *caps = g_strdup_printf ("%s%s%s%s", ROWS ("float64", "7", Q), *kinds_out[__i__].in ? ",kinds=(string)\"" : "", kinds_out[__i__].in,
      *kinds_out[__i__].in ? "\"" : "");
  GstHarness *h = open_arm (kinds_out[__i__].settings, caps);
  gchar *text;

  fail_unless_equals_int (gst_harness_push (h, buffer_of (bent, sizeof bent, 0)), GST_FLOW_OK);
  text = caps_text (h, "kinds");
  fail_unless_equals_string (text ? text : "", kinds_out[__i__].kinds);
  g_free (text);
  g_free (caps);
  harness_close (h);
}

GST_END_TEST;

/* Blocks of rows are as rows one by one; a second tensor goes through as it is, in the same memory or in another. */
GST_START_TEST (test_blocks_and_tensors)
{
  GstHarness *one = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  GstHarness *h = open_arm ("frames=tool", "other/tensors,format=static,num_tensors=2,types=(string)\"float64,int64\","
      "dimensions=(string)\"7:3,2\",framerate=50/1,channels=(string)\"" Q "\"");
  struct
  {
    gdouble rows[21];
    gint64 info[2];
  } in = { .info = {7, -9} }, out;
  gdouble single[7];
  GstBuffer *buffer;

  for (guint i = 0; i < 21; i++)
    in.rows[i] = bent[i % 7] + 0.1 * i;
  for (guint k = 0; k < 2; k++) {
    buffer = buffer_of (&in, k ? sizeof in : sizeof in.rows, NS (k));
    if (k == 0)
      buffer = gst_buffer_append (buffer, gst_buffer_new_memdup (in.info, sizeof in.info));
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless_equals_uint64 (gst_buffer_get_size (buffer), sizeof out);
    gst_buffer_extract (buffer, 0, &out, sizeof out);
    gst_buffer_unref (buffer);
    fail_unless (memcmp (out.info, in.info, sizeof in.info) == 0);
  }
  for (guint i = 0; i < 3; i++) {
    convert (one, in.rows + 7 * i, 7, single, 7, (gint) i);
    fail_unless (memcmp (single, out.rows + 7 * i, sizeof single) == 0, "row %u", i);
  }
  expect_caps_field (h, "dimensions", "\"7:3\\,2\"");
  harness_close (h);
  harness_close (one);
}

GST_END_TEST;

/* ---- streams ---- */

static void
flush (GstHarness *h)
{
  gst_harness_push_event (h, gst_event_new_flush_start ());
  gst_harness_push_event (h, gst_event_new_flush_stop (TRUE));
  push_segment_of (h, GST_FORMAT_TIME);
}

static void
new_segment (GstHarness *h)
{
  push_segment_of (h, GST_FORMAT_TIME);
}

static void
restart (GstHarness *h)
{
  gst_element_set_state (h->element, GST_STATE_READY);
  gst_element_set_state (h->element, GST_STATE_PLAYING);
  gst_harness_push_event (h, gst_event_new_stream_start ("again"));
  push_caps (h, ROWS ("float64", "7", Q));
  push_segment_of (h, GST_FORMAT_TIME);
}

static void (*const forgetting[]) (GstHarness * h) = { flush, new_segment, restart };

/* Then the next row is the first one. */
GST_START_TEST (test_forgets)
{
  GstHarness *h = open_arm ("frames=tool reference=first", ROWS ("float64", "7", Q));
  gdouble out[7];

  convert (h, bent, 7, out, 7, 0);
  convert (h, zero, 7, out, 7, 1);
  fail_unless (fabs (out[0]) > 0.01);
  forgetting[__i__] (h);
  convert (h, zero, 7, out, 7, 2);
  fail_unless (out[0] == 0.0 && out[1] == 0.0 && out[2] == 0.0 && fabs (out[3] - 1.0) < 1e-15);
  harness_close (h);
}

GST_END_TEST;

/* Events go through in their places, gaps and EOS too; flags and durations stay. */
GST_START_TEST (test_events)
{
  GstHarness *h = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  GstBuffer *buffer = buffer_of (bent, sizeof bent, NS (5));
  GstEvent *event;
  GstClockTime start, duration;

  GST_BUFFER_DURATION (buffer) = NS (20);
  GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
  gst_harness_push (h, buffer);
  buffer = gst_harness_pull (h);
  fail_unless (GST_BUFFER_DURATION (buffer) == NS (20) && GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DISCONT));
  gst_buffer_unref (buffer);
  gst_harness_push_event (h, gst_event_new_gap (NS (25), NS (20)));
  event = pull_event (h, GST_EVENT_GAP);
  fail_unless (event != NULL);
  gst_event_parse_gap (event, &start, &duration);
  fail_unless (start == NS (25) && duration == NS (20));
  gst_event_unref (event);
  gst_harness_push_event (h, gst_event_new_eos ());
  event = pull_event (h, GST_EVENT_EOS);
  fail_unless (event != NULL);
  gst_event_unref (event);
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_short_buffer)
{
  GstHarness *h = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  gchar *fault;

  fail_unless_equals_int (gst_harness_push (h, buffer_of (bent, 48, NS (0))), GST_FLOW_OK);
  fault = message_fault (h, GST_MESSAGE_WARNING, "format", "48");
  fail_unless (fault == NULL, "%s", fault);
  fail_unless_equals_uint64 (count_of (h, "buffers-dropped-malformed"), 1);
  gst_harness_set_live (h, FALSE);
  fail_unless_equals_int (gst_harness_push (h, buffer_of (bent, 48, NS (0))), GST_FLOW_ERROR);
  expect_posted_error (h, "format", "48");
  harness_close (h);
}

GST_END_TEST;

GST_START_TEST (test_statistics)
{
  GstHarness *h = open_arm ("frames=tool stats-interval=10000000", ROWS ("float64", "7", Q));
  GstMessage *message;
  gdouble out[7];

  for (gint ms = 0; ms < 35; ms += 5)
    convert (h, bent, 7, out, 7, ms);
  for (guint i = 0; i < 3; i++) {
    message = pop_message (h, GST_MESSAGE_ELEMENT);
    fail_unless (message && gst_message_has_name (message, "robocachekinematics"), "message %u", i);
    gst_message_unref (message);
  }
  fail_unless_equals_uint64 (count_of (h, "rows"), 7);
  harness_close (h);
}

GST_END_TEST;

/* Settings hold from the start on, and a change while playing says so. */
GST_START_TEST (test_late_setting)
{
  GstHarness *h = open_arm ("frames=tool", ROWS ("float64", "7", Q));
  gchar *fault;

  g_object_set (h->element, "frames", "link1", NULL);
  fault = message_fault (h, GST_MESSAGE_WARNING, "settings", "frames");
  fail_unless (fault == NULL, "%s", fault);
  harness_close (h);
}

GST_END_TEST;

CHECK_MAIN (kinematics, NULL, NULL, EACH (formats, test_formats), EACH (wrong, test_wrong), EACH (wrong_robots, test_wrong_robots),
  ONCE (test_downstream), ONCE (test_spelling), ONCE (test_upright), TIMES (G_N_ELEMENTS (forms) * G_N_ELEMENTS (references), test_there_and_back),
  ONCE (test_velocity), ONCE (test_missing), ONCE (test_partly_missing), ONCE (test_statuses), ONCE (test_base_pose), ONCE (test_blocks_and_tensors),
  EACH (kinds_out, test_kinds), EACH (forgetting, test_forgets), ONCE (test_events), ONCE (test_short_buffer), ONCE (test_statistics),
  ONCE (test_late_setting))
