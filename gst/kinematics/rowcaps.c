/* robocache: robocachekinematics, caps of rows in and out
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowcaps.h"

#include "common/channels/channelkinds.h"
#include "common/element/errors.h"

gboolean
robocache_kinematics_parse_caps (RobocacheTensorsInfo *info, const GstCaps *caps, GError **error)
{
  if (!robocache_tensors_info_from_caps (info, caps, error))
    return FALSE;
  if (rc_dtype_is_float (info->tensors[0].dtype))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "types=%s: the first tensor, which has the rows, must be float16, "
      "bfloat16, float32 or float64", rc_dtype_name (info->tensors[0].dtype));
  return FALSE;
}

void
robocache_kinematics_describe_output (const RobocacheTensorsInfo *info, guint64 n, RcDtype dtype, RobocacheTensorsInfo *out)
{
  guint64 dims[ROBOCACHE_MAX_RANK];

  *out = *info;
  for (guint i = 0; i < ROBOCACHE_MAX_RANK; i++)
    dims[i] = i == 0 ? n : robocache_tensor_info_dim (&info->tensors[0], i);
  robocache_tensor_info_set (&out->tensors[0], dtype, dims, ROBOCACHE_MAX_RANK);
}

GstCaps *
robocache_kinematics_output_caps (const GstCaps *in, const RobocacheTensorsInfo *out, const gchar *names, const gchar *kinds,
    gboolean keeps_roles)
{
  GstCaps *shape = robocache_tensors_info_to_caps (out), *caps = gst_caps_copy (in);
  GstStructure *structure = gst_caps_get_structure (caps, 0);
  const gchar *const fields[] = { "dimensions", "types" };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    gst_structure_set_value (structure, fields[i], gst_structure_get_value (gst_caps_get_structure (shape, 0), fields[i]));
  gst_structure_remove_fields (structure, "channels", ROBOCACHE_KINDS_FIELD, NULL);
  if (kinds)
    gst_structure_set (structure, ROBOCACHE_KINDS_FIELD, G_TYPE_STRING, kinds, NULL);
  if (names)
    gst_structure_set (structure, "channels", G_TYPE_STRING, names, NULL);
  if (!keeps_roles)
    gst_structure_remove_fields (structure, "role", "quaternions", NULL);
  gst_caps_unref (shape);
  return caps;
}

/* Rates and the number of tensors stay; shape and type are known once both caps are. */
static GstCaps *
open_shape (const GstCaps *caps)
{
  static const gchar *const kept[] = { "framerate", "num_tensors" };
  GstCaps *open = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    GstStructure *structure = gst_structure_new (ROBOCACHE_TENSORS_MEDIA_TYPE, "format", G_TYPE_STRING, "static", NULL);

    for (guint k = 0; k < G_N_ELEMENTS (kept); k++) {
      const GValue *value = gst_structure_get_value (gst_caps_get_structure (caps, i), kept[k]);

      if (value)
        gst_structure_set_value (structure, kept[k], value);
    }
    open = gst_caps_merge_structure (open, structure);
  }
  return open;
}

GstCaps *
robocache_kinematics_transform_caps (GstPadDirection direction, const GstCaps *caps, GstCaps *filter)
{
  GstCaps *other = gst_caps_is_any (caps) ? gst_caps_new_empty_simple (ROBOCACHE_TENSORS_MEDIA_TYPE) : open_shape (caps), *filtered;

  if (filter == NULL)
    return other;
  filtered = gst_caps_intersect_full (filter, other, GST_CAPS_INTERSECT_FIRST);
  gst_caps_unref (other);
  return filtered;
}
