/* robocache: property types that elements share
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/propertytypes.h"
#include "common/tensors/tensorcaps.h"
#include "tests/check/lib/checks.h"

/* ---- channel lists ---- */

static const struct
{
  const gchar *text, *channels; /* NULL: an error that has the text, and the list is as it was */
  const gchar *names;
  gboolean may_be_named;        /* with other names it could be a list */
} lists[] = {
  {NULL, ""}, {"", ""}, {"  ", ""}, {"0", "0 "}, {"3-6,9", "3 4 5 6 9 "}, {" 1 , 2 - 3 ", "1 2 3 "}, {"7-7", "7 "},
  {"9,1,1", "9 1 1 "}, {"16777216", "16777216 "},
  {"qx", "1 ", "qw,qx,qy"}, {"qy,0, qw ", "2 0 0 ", "qw, qx ,qy"}, {"1-2,qw", "1 2 0 ", "qw,qx,qy"}, {"1", "1 ", "1,0"},
  {"a-b", "0 ", "a-b,c"}, {"2b", "1 ", "a,2b"}, {"x y", "0 ", "x y"},
  {"x", NULL, "y,z", TRUE}, {"x,", NULL, "x,"}, {"1-", NULL, "1-"}, {"y,x", NULL, "y", TRUE}, {"x", NULL, NULL, TRUE},
  {"1;2", NULL, NULL, TRUE}, {"0x1", NULL, NULL, TRUE}, {"1.5", NULL, NULL, TRUE}, {"1,2x", NULL, NULL, TRUE},
  {"1,"}, {","}, {"1,,2"}, {"-"}, {"-1"}, {"1-"}, {"2-1"}, {"1 2"}, {"16777217"},
  {"0-99999999999999999999"},
};

GST_START_TEST (test_channel_list)
{
  const gchar *text = lists[__i__].text, *wanted = lists[__i__].channels;
  RobocacheChannelList list = { 0 };
  GString *channels = g_string_new (NULL);
  GError *error = NULL;

  fail_unless (robocache_channel_list_parse (&list, "5", NULL, NULL));
  fail_unless_equals_int (robocache_channel_list_parse (&list, text, lists[__i__].names, &error), wanted != NULL);
  fail_unless_equals_int (robocache_channel_list_check (text, NULL), wanted != NULL || lists[__i__].may_be_named);
  for (gint64 i = 0; i < list.n; i++)
    g_string_append_printf (channels, "%d ", list.channels[i]);
  fail_unless_equals_string (channels->str, wanted ? wanted : "5 ");
  if (wanted == NULL) {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY));
    fail_unless (strstr (error->message, text) != NULL, "%s", error->message);
    g_error_free (error);
  }
  robocache_channel_list_clear (&list);
  fail_unless (list.channels == NULL && list.n == 0);
  g_string_free (channels, TRUE);
}

GST_END_TEST;

/* ---- enums ---- */

GST_START_TEST (test_interpolation)
{
  static const gchar *const nicks[] = {[RC_LINEAR] = "linear",[RC_NEAREST] = "nearest",[RC_PREVIOUS] = "previous",
    [RC_CUBIC] = "cubic",[RC_HERMITE] = "hermite",[RC_MEAN] = "mean",[RC_LOWPASS] = "lowpass"
  };
  GEnumClass *type = g_type_class_ref (ROBOCACHE_TYPE_INTERPOLATION);

  fail_unless_equals_int (type->n_values, G_N_ELEMENTS (nicks));
  for (guint i = 0; i < G_N_ELEMENTS (nicks); i++)
    fail_unless_equals_string (g_enum_get_value (type, i)->value_nick, nicks[i]);
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

GST_START_TEST (test_doubles_of_many_types)
{
  static const struct
  {
    const gchar *type;
    gboolean ok;
  } types[] = { {"gint", TRUE}, {"gfloat", TRUE}, {"gint64", TRUE}, {"gdouble", TRUE}, {"gchararray", FALSE} };
  GValue array = G_VALUE_INIT, number = G_VALUE_INIT;
  gdouble out[2] = { 0 };

  g_value_init (&array, GST_TYPE_ARRAY);
  g_value_init (&number, g_type_from_name (types[__i__].type));
  for (guint i = 0; i < 2; i++) {
    fail_unless (gst_value_deserialize (&number, i ? "7" : "-3"));
    gst_value_array_append_value (&array, &number);
  }
  fail_unless_equals_int (robocache_value_get_doubles (&array, out, 2), types[__i__].ok);
  fail_unless (!types[__i__].ok || (out[0] == -3 && out[1] == 7), "%s", types[__i__].type);
  fail_if (robocache_value_get_doubles (&number, out, 1));      /* no array */
  g_value_unset (&number);
  g_value_unset (&array);
}

GST_END_TEST;

/* ---- plain fields ---- */

static const struct
{
  const gchar *type, *texts[2]; /* one after the other */
} settings[] = {
  {"gint", {"-7"}}, {"guint", {"7"}}, {"gint64", {"-7000000000"}}, {"guint64", {"7000000000"}}, {"gdouble", {"0.25"}},
  {"gboolean", {"true"}}, {"GstFraction", {"1000/3"}}, {"GstRobocacheInterpolation", {"cubic"}}, {"gchararray", {"one", "two"}},
};

GST_START_TEST (test_setting)
{
  gint64 field[2] = { 0 };
  GValue value = G_VALUE_INIT, back = G_VALUE_INIT;

  robocache_interpolation_get_type ();
  g_value_init (&value, g_type_from_name (settings[__i__].type));
  g_value_init (&back, G_VALUE_TYPE (&value));
  for (guint i = 0; i < 2 && settings[__i__].texts[i]; i++) {
    fail_unless (gst_value_deserialize (&value, settings[__i__].texts[i]));
    robocache_setting_set (field, &value);
    robocache_setting_get (field, &back);
    fail_unless_equals_int (gst_value_compare (&back, &value), GST_VALUE_EQUAL);
    fail_unless (field[0] != 0);
  }
  if (G_VALUE_HOLDS_STRING (&value)) {
    fail_unless_equals_string (g_value_get_string (&back), "two");
    g_value_set_string (&value, NULL);
    robocache_setting_set (field, &value);
    fail_unless (field[0] == 0);
  }
  g_value_unset (&back);
  g_value_unset (&value);
}

GST_END_TEST;

/* ---- settings that hold from READY on ---- */

typedef enum
{
  OF_ELEMENT, OF_PAD, OF_PAD_ALONE      /* that belongs to no element yet */
} Owner;

static const struct
{
  GParamFlags flags;
  GstState state;
  Owner owner;
  const gchar *warning;         /* NULL: none */
} late[] = {
  {GST_PARAM_MUTABLE_READY, GST_STATE_NULL, OF_ELEMENT, NULL},
  {GST_PARAM_MUTABLE_READY, GST_STATE_READY, OF_ELEMENT, NULL},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PAUSED, OF_ELEMENT, "late was set while the element runs"},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PLAYING, OF_ELEMENT, "late was set while the element runs"},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PLAYING, OF_PAD, "sink::late was set while the element runs"},
  {GST_PARAM_MUTABLE_PAUSED, GST_STATE_PLAYING, OF_ELEMENT, NULL},
  {GST_PARAM_MUTABLE_PLAYING, GST_STATE_PLAYING, OF_ELEMENT, NULL},
  {0, GST_STATE_PLAYING, OF_ELEMENT, NULL},
  {GST_PARAM_MUTABLE_READY, GST_STATE_PLAYING, OF_PAD_ALONE, NULL},
};

GST_START_TEST (test_late_setting)
{
  GParamSpec *pspec = g_param_spec_ref_sink (g_param_spec_int ("late", NULL, NULL, 0, 1, 0,
      G_PARAM_READWRITE | late[__i__].flags));
  GstElement *element = gst_object_ref_sink (g_object_new (GST_TYPE_BIN, NULL));
  GstPad *pad = gst_pad_new ("sink", GST_PAD_SINK);
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *warning;

  if (late[__i__].owner == OF_PAD_ALONE)
    gst_object_ref_sink (pad);
  else
    gst_element_add_pad (element, pad);
  gst_element_set_bus (element, bus);
  gst_element_set_state (element, late[__i__].state);
  robocache_warn_of_late_setting (late[__i__].owner == OF_ELEMENT ? (gpointer) element : pad, pspec);
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
  if (late[__i__].owner == OF_PAD_ALONE)
    gst_object_unref (pad);
  gst_object_unref (element);
  gst_object_unref (bus);
  g_param_spec_unref (pspec);
}

GST_END_TEST;

CHECK_MAIN (properties, NULL, NULL, EACH (lists, test_channel_list), ONCE (test_interpolation), TIMES (RC_N_DTYPES, test_dtype),
    EACH (arrays, test_doubles), TIMES (5, test_doubles_of_many_types), EACH (settings, test_setting),
    EACH (late, test_late_setting))
