/* robocache: property types that elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include <string.h>

#include "common/element/properties.h"
#include "common/tensors/tensorcaps.h"

/* ---- channel lists ---- */

static const struct
{
  const gchar *text;
  gint n;
  gint32 channels[6];
} lists[] = {
  {NULL, 0, {0}},
  {"", 0, {0}},
  {"  ", 0, {0}},
  {"0", 1, {0}},
  {"3-6,9", 5, {3, 4, 5, 6, 9}},
  {" 1 , 2 - 3 ", 3, {1, 2, 3}},
  {"7-7", 1, {7}},
  {"9,1,1", 3, {9, 1, 1}},
  {"16777216", 1, {16777216}},
};

GST_START_TEST (test_channel_list)
{
  RobocacheChannelList list = { 0 };
  GError *error = NULL;

  fail_unless (robocache_channel_list_parse (&list, lists[__i__].text, &error));
  fail_unless_equals_int64 (list.n, lists[__i__].n);
  for (gint i = 0; i < lists[__i__].n; i++)
    fail_unless_equals_int (list.channels[i], lists[__i__].channels[i]);
  robocache_channel_list_clear (&list);
  fail_unless (list.channels == NULL && list.n == 0);
}

GST_END_TEST;

static const gchar *no_lists[] = { "x", "1,", ",", "1,,2", "-", "-1", "1-", "2-1", "1 2", "1;2", "0x1", "1.5", "16777217",
  "0-99999999999999999999", "1,2x"
};

GST_START_TEST (test_no_channel_list)
{
  RobocacheChannelList list = { 0 };
  GError *error = NULL;

  fail_unless (robocache_channel_list_parse (&list, "5", NULL));
  fail_if (robocache_channel_list_parse (&list, no_lists[__i__], &error));
  fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY));
  fail_unless (strstr (error->message, no_lists[__i__]) != NULL, "%s", error->message);
  fail_unless (list.n == 1 && list.channels[0] == 5);   /* as it was */
  g_error_free (error);
  robocache_channel_list_clear (&list);
}

GST_END_TEST;

/* ---- enums ---- */

static const struct
{
  RcInterpolation value;
  const gchar *nick;
} interpolations[] = {
  {RC_LINEAR, "linear"}, {RC_NEAREST, "nearest"}, {RC_PREVIOUS, "previous"}, {RC_CUBIC, "cubic"}, {RC_HERMITE, "hermite"},
  {RC_MEAN, "mean"},
};

GST_START_TEST (test_interpolation)
{
  GEnumClass *type = g_type_class_ref (ROBOCACHE_TYPE_INTERPOLATION);

  fail_unless_equals_int (type->n_values, G_N_ELEMENTS (interpolations));
  fail_unless_equals_string (g_enum_get_value (type, interpolations[__i__].value)->value_nick, interpolations[__i__].nick);
  g_type_class_unref (type);
}

GST_END_TEST;

GST_START_TEST (test_dtype)
{
  GEnumClass *type = g_type_class_ref (ROBOCACHE_TYPE_DTYPE);

  fail_unless_equals_int (type->n_values, RC_N_DTYPES + 1);
  fail_unless_equals_string (g_enum_get_value (type, ROBOCACHE_DTYPE_AUTO)->value_nick, "auto");
  fail_unless_equals_string (g_enum_get_value (type, __i__)->value_nick, rc_dtype_name (__i__));
  fail_unless_equals_int (robocache_dtype_resolve (__i__, RC_UINT8), __i__);
  fail_unless_equals_int (robocache_dtype_resolve (ROBOCACHE_DTYPE_AUTO, __i__), rc_dtype_is_float (__i__) ? __i__ : RC_FLOAT32);
  g_type_class_unref (type);
}

GST_END_TEST;

/* ---- arrays of numbers ---- */

static const struct
{
  const gchar *text;
  guint n;
  gboolean ok;
  gdouble values[3];
} arrays[] = {
  {"<-1.0,0.5,1e3>", 3, TRUE, {-1, 0.5, 1000}},
  {"<1,2,3>", 3, TRUE, {1, 2, 3}},
  {"<1,2>", 2, TRUE, {1, 2}},
  {"<1,2>", 3, FALSE, {0}},
  {"<1,2,3,4>", 3, FALSE, {0}},
  {"<a,b,c>", 3, FALSE, {0}},
};

GST_START_TEST (test_doubles)
{
  GValue array = G_VALUE_INIT, again = G_VALUE_INIT;
  gdouble out[3] = { 77, 77, 77 };

  g_value_init (&array, GST_TYPE_ARRAY);
  fail_unless (gst_value_deserialize (&array, arrays[__i__].text));
  fail_unless_equals_int (robocache_value_get_doubles (&array, out, arrays[__i__].n), arrays[__i__].ok);
  for (guint i = 0; i < 3 && !arrays[__i__].ok; i++)
    fail_unless (out[i] == 77);
  for (guint i = 0; i < arrays[__i__].n && arrays[__i__].ok; i++)
    fail_unless (out[i] == arrays[__i__].values[i]);
  if (arrays[__i__].ok) {
    gdouble back[3];

    g_value_init (&again, GST_TYPE_ARRAY);
    robocache_value_set_doubles (&again, out, arrays[__i__].n);
    fail_unless (robocache_value_get_doubles (&again, back, arrays[__i__].n));
    fail_unless (memcmp (out, back, arrays[__i__].n * sizeof (gdouble)) == 0);
    g_value_unset (&again);
  }
  g_value_unset (&array);
}

GST_END_TEST;

/* Arrays are of one type each. */
static const struct
{
  const gchar *type;
  gboolean ok;
} number_types[] = { {"gint", TRUE}, {"gfloat", TRUE}, {"gint64", TRUE}, {"gdouble", TRUE}, {"gchararray", FALSE} };

GST_START_TEST (test_doubles_of_many_types)
{
  GValue array = G_VALUE_INIT, number = G_VALUE_INIT;
  gdouble out[2] = { 0 };

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&number, g_type_from_name (number_types[__i__].type));
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_value_deserialize (&number, i ? "7" : "-3"));
    gst_value_array_append_value (&array, &number);
  }
  fail_unless_equals_int (robocache_value_get_doubles (&array, out, 2), number_types[__i__].ok);
  if (number_types[__i__].ok)
    fail_unless (out[0] == -3 && out[1] == 7);
  g_value_unset (&number);
  g_value_unset (&array);
}

GST_END_TEST;

GST_START_TEST (test_doubles_of_another_type)
{
  GValue value = G_VALUE_INIT;
  gdouble out[1];

  g_value_init (&value, G_TYPE_DOUBLE);
  fail_if (robocache_value_get_doubles (&value, out, 1));
  g_value_unset (&value);
}

GST_END_TEST;

/* ---- plain fields ---- */

static void
roundtrip (gpointer field, const GValue *value)
{
  GValue back = G_VALUE_INIT;

  robocache_setting_set (field, value);
  g_value_init (&back, G_VALUE_TYPE (value));
  robocache_setting_get (field, &back);
  fail_unless_equals_int (gst_value_compare (&back, value), GST_VALUE_EQUAL);
  g_value_unset (&back);
}

static const struct
{
  const gchar *type, *text;
} settings[] = { {"gint", "-7"}, {"guint", "7"}, {"gint64", "-7000000000"}, {"guint64", "7000000000"}, {"gdouble", "0.25"},
{"gboolean", "true"}, {"GstFraction", "1000/3"}, {"RobocacheInterpolation", "cubic"}
};

GST_START_TEST (test_setting)
{
  gint64 field[2] = { 0 };
  GValue value = G_VALUE_INIT;

  robocache_interpolation_get_type ();
  g_value_init (&value, g_type_from_name (settings[__i__].type));
  fail_unless (gst_value_deserialize (&value, settings[__i__].text));
  roundtrip (field, &value);
  fail_unless (field[0] != 0);
  g_value_unset (&value);
}

GST_END_TEST;

GST_START_TEST (test_setting_of_text)
{
  gchar *field = NULL;
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, "one");
  roundtrip (&field, &value);
  g_value_set_string (&value, "two");
  roundtrip (&field, &value);
  fail_unless_equals_string (field, "two");
  g_value_set_string (&value, NULL);
  robocache_setting_set (&field, &value);
  fail_unless (field == NULL);
  g_value_unset (&value);
}

GST_END_TEST;

/* ---- settings that hold from READY on ---- */

static const struct
{
  GParamFlags flags;
  GstState state;
  gboolean of_pad;
  const gchar *warning;         /* NULL: none */
} late[] = {
  {GST_PARAM_MUTABLE_READY, GST_STATE_NULL, FALSE, NULL},
  {GST_PARAM_MUTABLE_READY, GST_STATE_READY, FALSE, NULL},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PAUSED, FALSE, "late was set while the element runs"},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PLAYING, FALSE, "late was set while the element runs"},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PLAYING, TRUE, "sink::late was set while the element runs"},
  {GST_PARAM_MUTABLE_PAUSED, GST_STATE_PLAYING, FALSE, NULL},
  {GST_PARAM_MUTABLE_PLAYING, GST_STATE_PLAYING, FALSE, NULL},
  {0, GST_STATE_PLAYING, FALSE, NULL},
};

GST_START_TEST (test_late_setting)
{
  GParamSpec *pspec = g_param_spec_ref_sink (g_param_spec_int ("late", NULL, NULL, 0, 1, 0, G_PARAM_READWRITE | late[__i__].flags));
  GstElement *element = gst_object_ref_sink (g_object_new (GST_TYPE_BIN, NULL));
  GstPad *pad = gst_pad_new ("sink", GST_PAD_SINK);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *warning;

  gst_element_add_pad (element, pad);
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, late[__i__].state);
  robocache_warn_of_late_setting (late[__i__].of_pad ? (gpointer) pad : element, pspec);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless_equals_int (message != NULL, late[__i__].warning != NULL);
  if (message) {
    gst_message_parse_warning (message, &warning, NULL);
    fail_unless (g_error_matches (warning, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
    fail_unless (g_str_has_prefix (warning->message, late[__i__].warning), "%s", warning->message);
    g_error_free (warning);
    gst_message_unref (message);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
  g_param_spec_unref (pspec);
}

GST_END_TEST;

/* A pad that belongs to no element yet. */
GST_START_TEST (test_late_setting_without_element)
{
  GParamSpec *pspec = g_param_spec_ref_sink (g_param_spec_int ("late", NULL, NULL, 0, 1, 0, G_PARAM_READWRITE
          | GST_PARAM_MUTABLE_READY));
  GstPad *pad = gst_object_ref_sink (gst_pad_new ("sink", GST_PAD_SINK));

  robocache_warn_of_late_setting (pad, pspec);
  gst_object_unref (pad);
  g_param_spec_unref (pspec);
}

GST_END_TEST;

static Suite *
properties_suite (void)
{
  Suite *s = suite_create ("properties");
  TCase *tc = tcase_create ("properties");

  suite_add_tcase (s, tc);
  tcase_add_loop_test (tc, test_channel_list, 0, G_N_ELEMENTS (lists));
  tcase_add_loop_test (tc, test_no_channel_list, 0, G_N_ELEMENTS (no_lists));
  tcase_add_loop_test (tc, test_interpolation, 0, G_N_ELEMENTS (interpolations));
  tcase_add_loop_test (tc, test_dtype, 0, RC_N_DTYPES);
  tcase_add_loop_test (tc, test_doubles, 0, G_N_ELEMENTS (arrays));
  tcase_add_loop_test (tc, test_doubles_of_many_types, 0, G_N_ELEMENTS (number_types));
  tcase_add_test (tc, test_doubles_of_another_type);
  tcase_add_loop_test (tc, test_setting, 0, G_N_ELEMENTS (settings));
  tcase_add_test (tc, test_setting_of_text);
  tcase_add_loop_test (tc, test_late_setting, 0, G_N_ELEMENTS (late));
  tcase_add_test (tc, test_late_setting_without_element);
  return s;
}

GST_CHECK_MAIN (properties);
