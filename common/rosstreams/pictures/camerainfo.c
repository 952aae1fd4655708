/* robocache: sensor_msgs/CameraInfo and foxglove_msgs/CameraCalibration as fields of caps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "camerainfo.h"

#include <string.h>

#include "common/ros/messagecheck.h"

/* Numbers of a lens; the largest model of ROS has 14. */
#define MAX_DISTORTION 64

enum
{ MODEL, D, K, N_INFO_FIELDS };

static const RobocacheFieldSpec info_fields[N_INFO_FIELDS] = {
  {"distortion_model", ROBOCACHE_FIELD_STRING}, {"d", ROBOCACHE_FIELD_NUMBERS}, {"k", ROBOCACHE_FIELD_NUMBERS},
};
/* before ROS 2 had names in lower case alone */
static const RobocacheFieldSpec old_info_fields[N_INFO_FIELDS] = {
  {"distortion_model", ROBOCACHE_FIELD_STRING}, {"D", ROBOCACHE_FIELD_NUMBERS}, {"K", ROBOCACHE_FIELD_NUMBERS},
};

struct _RobocacheCameraInfo
{
  RobocacheMessageFields *fields;
  RobocacheMessageCheck *check;
  GstStructure *caps_fields;
};

gboolean
robocache_camera_info_has (const gchar *type)
{
  static const gchar *const types[] = { "sensor_msgs/CameraInfo", "foxglove_msgs/CameraCalibration", "foxglove.CameraCalibration", NULL };

  return g_strv_contains (types, type);
}

RobocacheCameraInfo *
robocache_camera_info_new (const RobocacheRosSchema *schema, GError **error)
{
  RobocacheMessageFields *fields = robocache_message_fields_new (schema, 0, old_info_fields, N_INFO_FIELDS, NULL);
  RobocacheCameraInfo *info;

  if (!fields)
    fields = robocache_message_fields_new (schema, 0, info_fields, N_INFO_FIELDS, error);
  if (!fields)
    return NULL;
  info = g_new0 (RobocacheCameraInfo, 1);
  info->fields = fields;
  info->check = robocache_message_check_new (schema);
  return info;
}

void
robocache_camera_info_free (RobocacheCameraInfo *info)
{
  if (!info)
    return;
  robocache_message_fields_free (info->fields);
  robocache_message_check_free (info->check);
  g_clear_pointer (&info->caps_fields, gst_structure_free);
  g_free (info);
}

static void
set_numbers (GstStructure *structure, const gchar *name, const RobocacheMessageFields *fields, guint field, const guint *items, guint n)
{
  GValue list = G_VALUE_INIT, number = G_VALUE_INIT;

  g_value_init (&list, GST_TYPE_ARRAY);
  g_value_init (&number, G_TYPE_DOUBLE);
  for (guint i = 0; i < n; i++) {
    g_value_set_double (&number, robocache_message_fields_item (fields, field, items ? items[i] : i));
    gst_value_array_append_value (&list, &number);
  }
  gst_structure_take_value (structure, name, &list);
}

static GstStructure *
read_caps_fields (const RobocacheMessageFields *fields)
{
  /* fx, fy, cx, cy of a row-major 3 x 3 matrix */
  static const guint items[] = { 0, 4, 2, 5 };
  const gchar *model = robocache_message_fields_string (fields, MODEL);
  const guint32 n = robocache_message_fields_count (fields, D);
  GstStructure *structure;
  gchar *valid;

  /* a camera without a calibration has zeros */
  if (robocache_message_fields_count (fields, K) != 9 || robocache_message_fields_item (fields, K, 0) == 0.0)
    return NULL;
  structure = gst_structure_new_empty ("camera");
  set_numbers (structure, "intrinsics", fields, K, items, G_N_ELEMENTS (items));
  if (*model && n > 0 && n <= MAX_DISTORTION) {
    valid = g_utf8_make_valid (model, -1);
    gst_structure_set (structure, "distortion-model", G_TYPE_STRING, valid, NULL);
    set_numbers (structure, "distortion", fields, D, NULL, n);
    g_free (valid);
  }
  return structure;
}

gboolean
robocache_camera_info_read (RobocacheCameraInfo *info, gconstpointer message, gsize size, GError **error)
{
  RobocacheCdrReader reader;
  GstStructure *fields;

  robocache_cdr_reader_init (&reader, message, size);
  if (!robocache_message_fields_find (info->fields, &reader, FALSE))
    return robocache_cdr_reader_check (&reader, error);
  if (!robocache_message_check_length (info->check, message, size, error))
    return FALSE;
  fields = read_caps_fields (info->fields);
  if (fields && info->caps_fields && gst_structure_is_equal (fields, info->caps_fields)) {
    gst_structure_free (fields);
    return TRUE;
  }
  g_clear_pointer (&info->caps_fields, gst_structure_free);
  info->caps_fields = fields;
  return TRUE;
}

/* Bytes of a topic before its last part, and before one more for transports (/camera/image_raw/compressed). */
gboolean
robocache_camera_info_is_of (const gchar *info_topic, const gchar *picture_topic)
{
  const gchar *slash = strrchr (info_topic, '/');
  const gsize n = slash ? (gsize) (slash - info_topic) : 0;
  const gchar *rest = picture_topic + n, *next;

  if (strncmp (info_topic, picture_topic, n) != 0 || (n > 0 && *rest != '/'))
    return FALSE;
  next = strchr (*rest == '/' ? rest + 1 : rest, '/');
  return next == NULL || strchr (next + 1, '/') == NULL;
}

static gboolean
are_pictures (const GstCaps *caps)
{
  const gchar *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  return g_str_has_prefix (name, "video/") || g_str_has_prefix (name, "image/");
}

const GstStructure *
robocache_camera_info_fields (const RobocacheCameraInfo *info, const GstCaps *caps)
{
  return are_pictures (caps) ? info->caps_fields : NULL;
}
