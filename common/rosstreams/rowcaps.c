/* robocache: caps of rows that were messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowcaps.h"

#include "common/channels/channelnames.h"

/* As robocachetestsrc has it. */
#define MAX_NAMED_CHANNELS 1024

static void
append_name (GString *list, const gchar *name)
{
  gchar *valid = g_strdelimit (g_utf8_make_valid (name, -1), ",", '_');

  g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", valid);
  g_free (valid);
}

static void
set_text (GstCaps *caps, const gchar *field, const gchar *text)
{
  if (text && *text)
    gst_caps_set_simple (caps, field, G_TYPE_STRING, text, NULL);
}

static void
set_kinds (GstCaps *caps, const RobocacheKinds *kinds, const gchar *names)
{
  gchar *text = robocache_kinds_to_string (kinds, names), *quaternions = robocache_kinds_list_quaternions (kinds);

  set_text (caps, ROBOCACHE_KINDS_FIELD, text);
  set_text (caps, "quaternions", quaternions);
  g_free (quaternions);
  g_free (text);
}

/* Quaternions by names that are not adjacent stay real: no fields of a message can be moved. */
GstCaps *
robocache_row_caps_new (const gchar *const *names, guint n, RcDtype dtype, const gchar *role, const RobocacheKinds *kinds)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  GString *list = g_string_new (NULL);
  RobocacheKinds by_names = { 0 };
  const guint64 dims[] = { n };
  GstCaps *caps;

  robocache_tensor_info_set (&info.tensors[0], dtype, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  for (guint i = 0; i < n && n <= MAX_NAMED_CHANNELS; i++)
    append_name (list, names[i]);
  if (!kinds && n <= MAX_NAMED_CHANNELS)
    robocache_kinds_of_names (&by_names, names, n, NULL);
  set_text (caps, "channels", list->str);
  set_text (caps, "role", role);
  set_kinds (caps, kinds ? kinds : &by_names, list->str);
  robocache_kinds_clear (&by_names);
  g_string_free (list, TRUE);
  return caps;
}

/* Caps with other tensors. */
static GstCaps *
with_tensors (const GstCaps *caps, const RobocacheTensorsInfo *info)
{
  static const gchar *const fields[] = { "num_tensors", "types", "dimensions" };
  GstCaps *plain = robocache_tensors_info_to_caps (info), *changed = gst_caps_copy (caps);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    gst_caps_set_value (changed, fields[i], gst_structure_get_value (gst_caps_get_structure (plain, 0), fields[i]));
  gst_caps_unref (plain);
  return changed;
}

GstCaps *
robocache_row_caps_of_block (const GstCaps *caps, const RobocacheTensorInfo *row, guint n)
{
  const guint64 dims[] = { row->dims[0], n }, n_times[] = { n };
  RobocacheTensorsInfo info = {.n_tensors = 2,.rate_den = 1 };

  robocache_tensor_info_set (&info.tensors[0], row->dtype, dims, 2);
  robocache_tensor_info_set (&info.tensors[1], RC_INT64, n_times, 1);
  return with_tensors (caps, &info);
}

GstCaps *
robocache_row_caps_of_one_row (const GstCaps *caps, guint n, RobocacheTensorInfo *row)
{
  RobocacheTensorsInfo info;
  GstCaps *one;
  guint64 dims[1];

  if (!caps || !gst_caps_is_fixed (caps) || !robocache_tensors_info_from_caps (&info, caps, NULL))
    return NULL;
  dims[0] = robocache_tensor_info_dim (&info.tensors[0], 0);
  if (n > 0 && dims[0] != n)
    return NULL;
  info.n_tensors = 1;
  robocache_tensor_info_set (&info.tensors[0], info.tensors[0].dtype, dims, 1);
  *row = info.tensors[0];
  one = with_tensors (caps, &info);
  /* a noted stream was in some memory, and is now in the system's */
  gst_caps_set_features (one, 0, NULL);
  return one;
}

gchar **
robocache_row_caps_names (const GstCaps *caps, guint64 n)
{
  const gchar *list = gst_structure_get_string (gst_caps_get_structure (caps, 0), "channels");
  gchar **names = list ? g_strsplit (list, ",", -1) : NULL;

  if (names && g_strv_length (names) != n)
    g_clear_pointer (&names, g_strfreev);
  return names;
}

const gchar *
robocache_row_caps_role (const GstCaps *caps)
{
  return gst_structure_get_string (gst_caps_get_structure (caps, 0), "role");
}
