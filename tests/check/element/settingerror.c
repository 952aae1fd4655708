/* robocache: settings that the kernels refuse have errors in the user's words
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/element/settingerror.h"
#include "tests/check/lib/checks.h"

static const struct
{
  RcWrongSetting wrong;
  const gchar *expected, *text;
} messages[] = {
  {{.setting = RC_SETTING_MAX_VOXELS,.value = "0"}, "1 to 9", "max-voxels=0: expected 1 to 9"},
  {{.setting = RC_SETTING_SCALE,.value = "nan"}, "a finite number above 0", "depth-scale=nan: expected a finite number above 0"},
  {{RC_SETTING_QUATERNIONS, RC_PART_ENTRY, 1, 2, "7"}, "a channel from 0 to 6", "quaternions: 7: expected a channel from 0 to 6"},
  {{RC_SETTING_ANGLES, RC_PART_ENTRY, 0, -1, "2"}, "0", "angles: 2: expected 0"},
  {{RC_SETTING_VELOCITIES, RC_PART_LENGTH, 0, -1, "11"}, "0 to 10", "velocities: 11 entries: expected 0 to 10"},
  {{RC_SETTING_GRID, RC_PART_AXIS, -1, 0, "0"}, "1 to 8 voxels", "grid: 0 along x: expected 1 to 8 voxels"},
  {{RC_SETTING_VOXEL_SIZE, RC_PART_AXIS, -1, 2, "-1"}, "a number above 0", "voxel-size: -1 along z: expected a number above 0"},
  {{RC_SETTING_MODE, RC_PART_VALUE, -1, -1, "mean", RC_SETTING_OUTPUT, "bits"}, "occupancy",
      "mode=mean with output=bits: expected occupancy"},
  {{.setting = RC_SETTING_DEVICE,.value = "3"}, "0 to 1, the GPUs of this machine",
      "device number: 3: expected 0 to 1, the GPUs of this machine"},
  {{RC_SETTING_CHANNELS, RC_PART_VALUE, 3, -1, "9999", RC_SETTING_QUATERNIONS, ""}, "at most 4096 on a GPU",
      "number of channels: 9999 with quaternions: expected at most 4096 on a GPU"},
};

GST_START_TEST (test_messages)
{
  RcError failure = {.status = RC_INVALID_ARGUMENT,.message = "in the kernels' words",.wrong = messages[__i__].wrong };
  GError *error = NULL;

  g_strlcpy (failure.expected, messages[__i__].expected, sizeof (failure.expected));
  fail_unless (robocache_setting_error (&failure, ROBOCACHE_ERROR_CAPS, &error));
  fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
  fail_unless_equals_string (error->message, messages[__i__].text);
  g_clear_error (&error);
}

GST_END_TEST;

GST_START_TEST (test_no_setting)
{
  const RcError failure = {.status = RC_DEVICE_FAILED,.message = "a device failed" };
  gchar *text = robocache_setting_text (&failure);
  GError *error = NULL;

  fail_unless_equals_string (text, "a device failed");
  g_free (text);
  fail_if (robocache_setting_error (&failure, ROBOCACHE_ERROR_CAPS, &error));
  fail_unless (error == NULL);
}

GST_END_TEST;

static gboolean
is_property (const gchar *factory, const gchar *pad, const gchar *name)
{
  GstElement *element = gst_element_factory_make (factory, NULL);
  GstPad *requested = pad ? gst_element_request_pad_simple (element, pad) : NULL;
  const gboolean is = g_object_class_find_property (G_OBJECT_GET_CLASS (requested ? (gpointer) requested : element), name) != NULL;

  gst_clear_object (&requested);
  gst_object_unref (element);
  return is;
}

/* Every setting has a name: that of a property, or plain words for what caps and buffers bring. */
GST_START_TEST (test_names)
{
  static const RcSetting not_properties[] = { RC_SETTING_DEVICE, RC_SETTING_IN, RC_SETTING_CHANNELS, RC_SETTING_PERIOD, RC_SETTING_POINT_DTYPE,
    RC_SETTING_FIELDS, RC_SETTING_N_POINTS, RC_SETTING_WIDTH, RC_SETTING_HEIGHT, RC_SETTING_JOINTS
  };
  const RcSetting setting = (RcSetting) (__i__ + 1);
  const RcError failure = {.status = RC_INVALID_ARGUMENT,.expected = "x",.wrong = {.setting = setting,.value = "" } };
  gchar *text = robocache_setting_text (&failure), *name = g_strndup (text, strcspn (text, ":"));
  GstElementFactory *kinematics = gst_element_factory_find ("robocachekinematics");
  const gboolean is_built = kinematics != NULL;
  gboolean expected = TRUE;

  gst_clear_object (&kinematics);
  fail_unless (g_str_has_suffix (text, ": expected x") && *name && strchr (name, '_') == NULL, "%s", text);
  for (guint i = 0; i < G_N_ELEMENTS (not_properties); i++)
    expected = expected && not_properties[i] != setting;
  if (setting < RC_SETTING_JOINTS || is_built)
    fail_unless_equals_int (is_property ("robocachefuse", "sink_0", name) || is_property ("robocacheresample", NULL, name)
        || is_property ("robocachevoxelize", NULL, name) || (is_built && is_property ("robocachekinematics", NULL, name)), expected);
  g_free (name);
  g_free (text);
}

GST_END_TEST;

CHECK_MAIN (settingerror, NULL, NULL, EACH (messages, test_messages), ONCE (test_no_setting), TIMES (RC_N_SETTINGS - 1, test_names))
