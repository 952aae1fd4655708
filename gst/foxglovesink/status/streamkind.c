/* robocache: a word for what a stream has
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "streamkind.h"

static const struct
{
  const gchar *media, *kind;
} medias[] = {
  {"video/x-raw", "camera"},
  {"image/jpeg", "camera"},
  {"image/png", "camera"},
  {"video/x-h264", "video"},
  {"video/x-h265", "video"},
  {"application/x-pointcloud", "points"},
  {"application/x-lidar", "points"},
};

static const gchar *
kind_of_caps (const GstStructure *structure)
{
  const gchar *role = gst_structure_get_string (structure, "role");

  for (guint i = 0; i < G_N_ELEMENTS (medias); i++)
    if (gst_structure_has_name (structure, medias[i].media))
      return medias[i].kind;
  if (gst_structure_has_field (structure, "streams"))
    return "samples";
  return role ? role : "rows";
}

/* Names of pads of robocachefuse; NULL: the name has no kind. */
static const gchar *
kind_of_name (const gchar *name)
{
  static const gchar *const kinds[] = { "camera", "proprio", "force" };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (name, kinds[i]))
      return kinds[i];
  return NULL;
}

GstStructure *
robocache_stream_kind_describe (GstPad *pad)
{
  const gchar *kind = kind_of_name (GST_OBJECT_NAME (pad));
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const GstStructure *structure = caps && gst_caps_get_size (caps) > 0 ? gst_caps_get_structure (caps, 0) : NULL;
  GstStructure *description = gst_structure_new ("stream", "name", G_TYPE_STRING, GST_OBJECT_NAME (pad), NULL);
  gint num = 0, den = 1;

  if (structure && !kind)
    kind = kind_of_caps (structure);
  if (structure)
    gst_structure_get_fraction (structure, "framerate", &num, &den);
  gst_structure_set (description, "kind", G_TYPE_STRING, kind ? kind : "rows", "nominal-rate", G_TYPE_DOUBLE, (gdouble) num / den, NULL);
  gst_clear_caps (&caps);
  return description;
}
