/* robocache: caps of rows that were messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowcaps.h"

/* As robocachetestsrc has it. */
#define MAX_NAMED_CHANNELS 1024

static void
append_name (GString *list, const gchar *name)
{
  gchar *valid = g_strdelimit (g_utf8_make_valid (name, -1), ",", '_');

  g_string_append_printf (list, "%s%s", list->len > 0 ? "," : "", valid);
  g_free (valid);
}

/* First channels, "0,10"; NULL: none. */
static gchar *
find_quaternions (const gchar *const *names, guint n)
{
  static const gchar *const parts[] = { "qx", "qy", "qz", "qw" };
  GString *list = g_string_new (NULL);

  for (guint i = 0; i + 3 < n; i++) {
    guint k = 0;

    while (k < 4 && g_str_equal (names[i + k], parts[k]))
      k++;
    if (k == 4)
      g_string_append_printf (list, list->len > 0 ? ",%u" : "%u", i);
  }
  return g_string_free (list, list->len == 0);
}

GstCaps *
robocache_row_caps_new (const gchar *const *names, guint n, RcDtype dtype, const gchar *role, const gchar *quaternions)
{
  RobocacheTensorsInfo info = {.n_tensors = 1,.rate_den = 1 };
  gchar *found = quaternions || n > MAX_NAMED_CHANNELS ? g_strdup (quaternions) : find_quaternions (names, n);
  GString *list = g_string_new (NULL);
  const guint64 dims[] = { n };
  GstCaps *caps;

  robocache_tensor_info_set (&info.tensors[0], dtype, dims, 1);
  caps = robocache_tensors_info_to_caps (&info);
  for (guint i = 0; i < n && n <= MAX_NAMED_CHANNELS; i++)
    append_name (list, names[i]);
  if (list->len > 0)
    gst_caps_set_simple (caps, "channels", G_TYPE_STRING, list->str, NULL);
  if (role)
    gst_caps_set_simple (caps, "role", G_TYPE_STRING, role, NULL);
  if (found && *found)
    gst_caps_set_simple (caps, "quaternions", G_TYPE_STRING, found, NULL);
  g_string_free (list, TRUE);
  g_free (found);
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
