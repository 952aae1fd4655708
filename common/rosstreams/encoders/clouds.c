/* robocache: messages of point clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "encoders.h"

#include "common/device/mapping.h"
#include "common/element/errors.h"
#include "common/points/pointcloudcaps.h"

typedef struct
{
  RobocacheEncoder parent;
  RobocachePointsInfo info;
  gchar **names;
  RobocacheRosPointField *fields;       /* [info.layout.n_fields], of these names; NULL: PointField lacks one of the types */
  GstBuffer *buffer;
  GstMapInfo map;
} Clouds;

static gboolean
clouds_begin (RobocacheEncoder *encoder, GstBuffer *buffer, RobocacheEncoderItems *items, GError **error)
{
  Clouds *clouds = (Clouds *) encoder;
  guint64 n_points;

  if (!robocache_points_info_count (&clouds->info, gst_buffer_get_size (buffer), &n_points, error))
    return FALSE;
  if (n_points > G_MAXUINT32) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "a cloud of %" G_GUINT64_FORMAT " points is too large for a message", n_points);
    return FALSE;
  }
  if (!robocache_map_buffer (buffer, &clouds->map, GST_MAP_READ, error))
    return FALSE;
  clouds->buffer = buffer;
  *items = (RobocacheEncoderItems) {1, NULL, TRUE};
  return TRUE;
}

static gboolean
clouds_write (RobocacheEncoder *encoder, guint64 item, const RobocacheEncoderTimes *times, RobocacheEncoderEmit emit, gpointer user_data)
{
  Clouds *clouds = (Clouds *) encoder;
  const gsize step = robocache_points_info_point_size (&clouds->info), n = clouds->map.size / step;
  const guint64 dims[] = { step, n };

  if (clouds->fields)
    /* is_dense would say that no point is NaN, which nobody checked */
    robocache_ros_write_point_cloud (&encoder->writer, &times->header, 1, (guint32) n, clouds->fields, clouds->info.layout.n_fields,
        (guint32) step, clouds->map.data, FALSE);
  else
    robocache_ros_write_tensor (&encoder->writer, &times->header, "points", RC_UINT8, dims, 2, 0, times->duration_ns,
        clouds->map.data, clouds->map.size);
  return emit (user_data, 0, &encoder->writer);
}

static void
clouds_end (RobocacheEncoder *encoder)
{
  Clouds *clouds = (Clouds *) encoder;

  gst_buffer_unmap (clouds->buffer, &clouds->map);
}

static void
clouds_free (RobocacheEncoder *encoder)
{
  Clouds *clouds = (Clouds *) encoder;

  robocache_points_info_clear (&clouds->info);
  g_strfreev (clouds->names);
  g_free (clouds->fields);
  robocache_encoder_clear (encoder);
  g_free (clouds);
}

static const RobocacheEncoderClass clouds_class = { clouds_begin, clouds_write, clouds_end, clouds_free };

static void
move_to_front (gchar **names, const gchar *name, guint place)
{
  gchar *found;
  guint i = place;

  while (g_strcmp0 (names[i], name) != 0)
    i++;
  for (found = names[i]; i > place; i--)
    names[i] = names[i - 1];
  names[place] = found;
}

/* In the order of the layout: x, y and z come first where it is a table. */
static gchar **
list_names (const GstStructure *structure, gboolean is_table)
{
  const gchar *list = gst_structure_get_string (structure, "fields");
  gchar **names = g_strsplit (list ? list : "x,y,z,intensity", ",", -1);
  static const gchar *const axes[] = { "x", "y", "z" };

  for (gchar **name = names; *name; name++)
    g_strstrip (*name);
  for (guint i = 0; is_table && i < G_N_ELEMENTS (axes); i++)
    if (g_strv_contains ((const gchar * const *) names, axes[i]))
      move_to_front (names, axes[i], i);
  return names;
}

/* NULL: PointField lacks a type. */
static RobocacheRosPointField *
list_fields (const Clouds *clouds)
{
  const RobocachePointLayout *layout = &clouds->info.layout;
  RobocacheRosPointField *fields = g_new0 (RobocacheRosPointField, layout->n_fields);

  for (guint i = 0; i < layout->n_fields; i++) {
    const RcDtype dtype = layout->fields ? layout->fields[i].dtype : layout->dtype;
    const gsize offset = layout->fields ? (gsize) layout->fields[i].offset : i * rc_dtype_size (dtype);

    fields[i] = (RobocacheRosPointField) {clouds->names[i], (guint32) offset, dtype};
    if (robocache_ros_point_datatype (dtype) == 0) {
      g_free (fields);
      return NULL;
    }
  }
  return fields;
}

RobocacheEncoder *
robocache_encoder_new_clouds (const GstCaps *caps, GError **error)
{
  RobocachePointsInfo info;
  Clouds *clouds;

  if (!robocache_points_info_from_caps (&info, caps, error))
    return NULL;
  clouds = g_new0 (Clouds, 1);
  robocache_encoder_init (&clouds->parent, &clouds_class);
  clouds->info = info;
  clouds->names = list_names (gst_caps_get_structure (caps, 0), info.layout.fields != NULL);
  clouds->fields = list_fields (clouds);
  robocache_encoder_add_channel (&clouds->parent, clouds->fields ? "sensor_msgs/msg/PointCloud2" : "robocache_msgs/msg/Tensor",
      g_strdup (""), rc_dtype_name (info.layout.dtype), clouds->fields == NULL);
  return &clouds->parent;
}
