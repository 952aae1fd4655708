/* robocache: sensor_msgs/PointCloud2 and foxglove_msgs/PointCloud as clouds
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <string.h>

#include "common/element/errors.h"
#include "common/points/pointcloudcaps.h"
#include "common/points/pointfields.h"

#define FOXGLOVE_TYPE "foxglove_msgs/PointCloud"
/* Numbers of a point; a field may be several. */
#define MAX_NUMBERS 1024

enum
{ HEIGHT, WIDTH, FIELDS, IS_BIGENDIAN, POINT_STEP, ROW_STEP, DATA, POSE_X, POSE_Y, POSE_Z, POSE_QX, POSE_QY, POSE_QZ, N_CLOUD_FIELDS };

static const RobocacheFieldSpec cloud_fields[N_CLOUD_FIELDS] = {
  {"height", ROBOCACHE_FIELD_NUMBER}, {"width", ROBOCACHE_FIELD_NUMBER}, {"fields", ROBOCACHE_FIELD_MESSAGES},
  {"is_bigendian", ROBOCACHE_FIELD_NUMBER}, {"point_step", ROBOCACHE_FIELD_NUMBER}, {"row_step", ROBOCACHE_FIELD_NUMBER},
  {"data", ROBOCACHE_FIELD_BYTES},
  /* those of Foxglove */
  {"pose.position.x", ROBOCACHE_FIELD_NUMBER, TRUE}, {"pose.position.y", ROBOCACHE_FIELD_NUMBER, TRUE},
  {"pose.position.z", ROBOCACHE_FIELD_NUMBER, TRUE}, {"pose.orientation.x", ROBOCACHE_FIELD_NUMBER, TRUE},
  {"pose.orientation.y", ROBOCACHE_FIELD_NUMBER, TRUE}, {"pose.orientation.z", ROBOCACHE_FIELD_NUMBER, TRUE},
};

enum
{ NAME, OFFSET, DATATYPE, COUNT, N_POINT_FIELDS };

static const RobocacheFieldSpec point_fields[N_POINT_FIELDS] = {
  {"name", ROBOCACHE_FIELD_STRING}, {"offset", ROBOCACHE_FIELD_NUMBER}, {"datatype", ROBOCACHE_FIELD_NUMBER},
  {"count", ROBOCACHE_FIELD_NUMBER},
};

/* Numbers of types of Foxglove as those of ROS, where integers without a sign come second. Source: schemas/PackedElementField of foxglove-sdk. */
static const guint8 foxglove_datatypes[] = { 0, 2, 1, 4, 3, 6, 5, 7, 8 };

typedef struct
{
  RobocacheStreamReader parent;
  RobocacheMessageFields *fields;
  RobocacheMessageFields *point;        /* a PointField */
  gboolean is_of_foxglove;
  GstCaps *noted;               /* by the writer; NULL: none */

  /* of the last message */
  GBytes *layout;               /* its fields and sizes as they lie in the message */
  GstCaps *caps;
  RobocachePointFields points;
} CloudReader;

/* ---- fields of a point ---- */

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  const RobocachePointField *s = a, *t = b;

  return (s->offset > t->offset) - (s->offset < t->offset);
}

static void
note_omission (CloudReader *self, const gchar *name, const gchar *reason)
{
  gchar *note = g_strdup_printf ("the field \"%.40s\" of points is left out: %s", name, reason);

  robocache_stream_reader_note (&self->parent, g_utf8_make_valid (note, -1));
  g_free (note);
}

/* Adds the numbers of a field; one of an unknown type is left out. FALSE and an error: it does not lie in a point. */
static gboolean
add_point_field (CloudReader *self, gsize point_step, GError **error)
{
  const gchar *name = robocache_message_fields_string (self->point, NAME);
  const gint64 offset = robocache_message_fields_integer (self->point, OFFSET);
  const gint64 given = robocache_message_fields_integer (self->point, DATATYPE);
  const gint64 datatype = self->is_of_foxglove && given >= 0 && given < (gint64) G_N_ELEMENTS (foxglove_datatypes) ? foxglove_datatypes[given]
      : given;
  /* some writers leave it 0 */
  const gint64 count = MAX (robocache_message_fields_integer (self->point, COUNT), 1);
  const RcDtype dtype = datatype >= 0 && datatype <= G_MAXUINT8 ? robocache_ros_point_dtype ((guint8) datatype) : RC_N_DTYPES;
  const gsize size = dtype == RC_N_DTYPES ? 0 : rc_dtype_size (dtype);

  if (size == 0) {
    gchar *reason = g_strdup_printf ("its datatype is %" G_GINT64_FORMAT ", which is not known", given);

    note_omission (self, name, reason);
    g_free (reason);
    return TRUE;
  }
  if (offset < 0 || (guint64) offset > point_step || (guint64) count > (point_step - (gsize) offset) / size
      || self->points.fields->len + (guint64) count > MAX_NUMBERS) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "field \"%.40s\" of datatype %" G_GINT64_FORMAT ", count %"
        G_GINT64_FORMAT " and offset %" G_GINT64_FORMAT " does not fit a point of %" G_GSIZE_FORMAT " bytes", name, datatype, count,
        offset, point_step);
    return FALSE;
  }
  self->points.point_step = (gsize) offset;
  for (gint64 i = 0; i < count; i++) {
    gchar *numbered = count > 1 ? g_strdup_printf ("%s_%" G_GINT64_FORMAT, name, i) : NULL;

    robocache_point_fields_append (&self->points, numbered ? numbered : name, dtype);
    g_free (numbered);
  }
  return TRUE;
}

/* Leaves out fields at the place of an earlier one: rgba at that of rgb. */
static void
drop_twins (CloudReader *self)
{
  GArray *fields = self->points.fields;

  for (guint i = 1; i < fields->len;) {
    const RobocachePointField *field = &g_array_index (fields, RobocachePointField, i), *last = field - 1;
    gchar *reason;

    if (field->offset != last->offset || rc_dtype_size (field->dtype) != rc_dtype_size (last->dtype)) {
      i++;
      continue;
    }
    reason = g_strdup_printf ("it has the same bytes as \"%.40s\"", last->name);
    note_omission (self, field->name, reason);
    g_free (reason);
    g_array_remove_index (fields, i);
  }
}

static gboolean
read_point_fields (CloudReader *self, gsize point_step, GError **error)
{
  RobocacheCdrReader reader = robocache_message_fields_reader (self->fields, FIELDS);
  const guint32 n = robocache_message_fields_count (self->fields, FIELDS);

  robocache_point_fields_clear (&self->points);
  robocache_point_fields_init (&self->points);
  for (guint32 i = 0; i < n; i++) {
    if (!robocache_message_fields_find (self->point, &reader, TRUE))
      return robocache_cdr_reader_check (&reader, error);
    if (!add_point_field (self, point_step, error))
      return FALSE;
  }
  self->points.point_step = point_step;
  g_array_sort (self->points.fields, compare_offsets);
  drop_twins (self);
  return robocache_point_fields_check (&self->points, error);
}

/* ---- caps ---- */

/* Caps that the writer noted, if they are of the same points; else caps. Takes caps. */
static GstCaps *
prefer_noted (const CloudReader *self, GstCaps *caps)
{
  static const gchar *const fields[] = { "fields", "type", "types", "offsets", "point-step", "width", "height" };
  const GstStructure *ours = gst_caps_get_structure (caps, 0), *noted;

  if (!self->noted)
    return caps;
  noted = gst_caps_get_structure (self->noted, 0);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *value = gst_structure_get_value (ours, fields[i]), *other = gst_structure_get_value (noted, fields[i]);

    if ((value != NULL) != (other != NULL) || (value && gst_value_compare (value, other) != GST_VALUE_EQUAL))
      return caps;
  }
  gst_caps_unref (caps);
  caps = gst_caps_copy (self->noted);
  gst_caps_set_features (caps, 0, NULL);
  return caps;
}

static GstCaps *
new_caps (CloudReader *self, guint64 height, guint64 width)
{
  GstCaps *caps = robocache_point_fields_to_caps (&self->points);

  if (height > 1 && height <= G_MAXINT && width <= G_MAXINT)
    gst_caps_set_simple (caps, "width", G_TYPE_INT, (gint) width, "height", G_TYPE_INT, (gint) height, NULL);
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 0, 1, NULL);
  return prefer_noted (self, caps);
}

/* What caps depend on: height and width of clouds with lines, and the bytes of the fields up to the step of a point. */
static GBytes *
layout_of (const CloudReader *self, guint64 height, guint64 width, guint64 point_step)
{
  const RobocacheCdrReader first = robocache_message_fields_reader (self->fields, FIELDS);
  const RobocacheCdrReader end = robocache_message_fields_reader (self->fields, self->is_of_foxglove ? DATA : IS_BIGENDIAN);
  const guint64 sizes[] = { height > 1 ? height : 1, height > 1 ? width : 0, point_step };
  GByteArray *bytes = g_byte_array_new ();
  gsize size;

  g_byte_array_append (bytes, (const guint8 *) sizes, sizeof (sizes));
  /* if is_bigendian does not follow the fields, copy the rest of the message */
  size = (end.offset > first.offset ? end.offset : first.size) - first.offset;
  g_byte_array_append (bytes, first.body + first.offset, (guint) MIN (size, G_MAXUINT / 2));
  return g_byte_array_free_to_bytes (bytes);
}

static gboolean
update_caps (CloudReader *self, guint64 height, guint64 width, guint64 point_step, GError **error)
{
  GBytes *layout = layout_of (self, height, width, point_step);
  GstCaps *caps;

  if (self->caps && g_bytes_equal (self->layout, layout)) {
    g_bytes_unref (layout);
    return TRUE;
  }
  g_clear_pointer (&self->layout, g_bytes_unref);
  self->layout = layout;
  if (!read_point_fields (self, point_step, error)) {
    gst_clear_caps (&self->caps);
    return FALSE;
  }
  caps = new_caps (self, height, width);
  /* the same fields in the other byte order */
  if (!self->caps || !gst_caps_is_equal (self->caps, caps))
    gst_caps_replace (&self->caps, caps);
  gst_caps_unref (caps);
  return TRUE;
}

/* ---- points ---- */

/* Turns the bytes of each number round. */
static void
swap_points (const CloudReader *self, guint8 *points, guint64 n)
{
  const RobocacheCdrReader turned = {.is_swapped = TRUE };

  for (guint64 i = 0; i < n; i++, points += self->points.point_step) {
    for (guint f = 0; f < self->points.fields->len; f++) {
      const RobocachePointField *field = &g_array_index (self->points.fields, RobocachePointField, f);
      guint8 copy[8];

      memcpy (copy, points + field->offset, rc_dtype_size (field->dtype));
      robocache_cdr_copy_numbers (&turned, points + field->offset, copy, (guint) rc_dtype_size (field->dtype), 1);
    }
  }
}

/* The lines of points without the bytes between them. */
static GstBuffer *
copy_points (const CloudReader *self, const guint8 *data, guint64 height, guint64 row_bytes, guint64 row_step, GError **error)
{
  const gsize size = height * row_bytes;
  const gboolean is_bigendian = robocache_message_fields_integer (self->fields, IS_BIGENDIAN) != 0;
  guint8 *points = g_try_malloc (MAX (1, size));

  if (!points) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for a cloud of %" G_GSIZE_FORMAT " bytes", size);
    return NULL;
  }
  if (row_step == row_bytes)
    memcpy (points, data, size);
  for (guint64 y = 0; row_step != row_bytes && y < height; y++)
    memcpy (points + y * row_bytes, data + y * row_step, row_bytes);
  if (is_bigendian != (G_BYTE_ORDER == G_BIG_ENDIAN))
    swap_points (self, points, size / self->points.point_step);
  return gst_buffer_new_wrapped_full (0, points, MAX (1, size), 0, size, points, g_free);
}

/* FALSE and an error: the data do not contain all points. */
static gboolean
check_sizes (const CloudReader *self, guint64 height, guint64 width, guint64 point_step, guint64 row_step, GError **error)
{
  const guint64 size = robocache_message_fields_count (self->fields, DATA);
  /* each is below 2^32 */
  const guint64 row_bytes = width * point_step;

  if (self->is_of_foxglove && point_step > 0 && size % point_step != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%" G_GUINT64_FORMAT " bytes are not a whole number of points of %"
        G_GUINT64_FORMAT " bytes", size, point_step);
    return FALSE;
  }
  if (point_step > 0 && (height == 0
          || (row_bytes <= size && (height == 1 || (row_step >= row_bytes && (size - row_bytes) / row_step >= height - 1)))))
    return TRUE;
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "%" G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT " points of %"
      G_GUINT64_FORMAT " bytes in rows of %" G_GUINT64_FORMAT " bytes do not fit %" G_GUINT64_FORMAT " bytes", height, width, point_step,
      row_step, size);
  return FALSE;
}

static guint64
read_size (const CloudReader *self, guint field)
{
  return (guint64) CLAMP (robocache_message_fields_integer (self->fields, field), 0, G_MAXUINT32);
}

/* Clouds of Foxglove are a list of points, in the frame of their pose. */
static void
read_dimensions (CloudReader *self, guint64 point_step, guint64 *width, guint64 *height)
{
  *width = read_size (self, WIDTH);
  *height = read_size (self, HEIGHT);
  if (!self->is_of_foxglove)
    return;
  *width = point_step > 0 ? robocache_message_fields_count (self->fields, DATA) / point_step : 0;
  *height = 1;
  for (guint i = POSE_X; i <= POSE_QZ; i++) {
    if (robocache_message_fields_number (self->fields, i) == 0.0)
      continue;
    robocache_stream_reader_note (&self->parent, g_strdup ("points stay in the coordinates of the message: the cloud's pose is "
            "not applied"));
    break;
  }
}

static gboolean
read_cloud (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  CloudReader *self = (CloudReader *) reader;
  guint64 height, width, point_step, row_step;
  GstBuffer *buffer;

  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  point_step = read_size (self, POINT_STEP);
  read_dimensions (self, point_step, &width, &height);
  row_step = height > 1 ? read_size (self, ROW_STEP) : width * point_step;
  if (width == 0)
    height = 0;
  if (height == 0 && (point_step == 0 || robocache_message_fields_count (self->fields, FIELDS) == 0)) {
    /* an empty cloud that does not say of what */
    if (self->caps)
      robocache_stream_reader_add (reader, "", self->caps, gst_buffer_new ());
    return TRUE;
  }
  if (!check_sizes (self, height, width, point_step, row_step, error) || !update_caps (self, height, width, point_step, error))
    return FALSE;
  buffer = copy_points (self, robocache_message_fields_bytes (self->fields, DATA), height, width * point_step, row_step, error);
  if (buffer)
    robocache_stream_reader_add (reader, "", self->caps, buffer);
  return buffer != NULL;
}

/* ---- life ---- */

static void
free_clouds (RobocacheStreamReader *reader)
{
  CloudReader *self = (CloudReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->fields);
  robocache_message_fields_free (self->point);
  robocache_point_fields_clear (&self->points);
  g_clear_pointer (&self->layout, g_bytes_unref);
  gst_clear_caps (&self->noted);
  gst_clear_caps (&self->caps);
  g_free (self);
}

static void
rename_for_foxglove (RobocacheFieldSpec *cloud, RobocacheFieldSpec *point)
{
  static const guint missing[] = { HEIGHT, WIDTH, IS_BIGENDIAN, ROW_STEP };

  for (guint i = 0; i < G_N_ELEMENTS (missing); i++)
    cloud[missing[i]].is_optional = TRUE;
  cloud[POINT_STEP].path = "point_stride";
  point[DATATYPE].path = "type";
  point[COUNT].is_optional = TRUE;
}

gboolean
robocache_cloud_messages_have (const gchar *type)
{
  return g_str_equal (type, ROBOCACHE_POINT_CLOUD_TYPE) || g_str_equal (type, FOXGLOVE_TYPE);
}

RobocacheStreamReader *
robocache_cloud_messages_new (const RobocacheRosSource *source, GError **error)
{
  RobocacheFieldSpec of_cloud[N_CLOUD_FIELDS], of_point[N_POINT_FIELDS];
  CloudReader *self = g_new0 (CloudReader, 1);

  robocache_stream_reader_init (&self->parent, source);
  robocache_point_fields_init (&self->points);
  self->parent.read = read_cloud;
  self->parent.free = free_clouds;
  if (source->caps && gst_caps_is_fixed (source->caps)
      && gst_structure_has_name (gst_caps_get_structure (source->caps, 0), ROBOCACHE_POINTCLOUD_MEDIA_TYPE))
    self->noted = gst_caps_copy (source->caps);
  memcpy (of_cloud, cloud_fields, sizeof (of_cloud));
  memcpy (of_point, point_fields, sizeof (of_point));
  self->is_of_foxglove = g_str_equal (source->type, FOXGLOVE_TYPE);
  if (self->is_of_foxglove)
    rename_for_foxglove (of_cloud, of_point);
  self->fields = robocache_message_fields_new (source->schema, 0, of_cloud, N_CLOUD_FIELDS, error);
  if (self->fields)
    self->point = robocache_message_fields_new (source->schema, robocache_message_fields_type (self->fields, FIELDS), of_point,
        N_POINT_FIELDS, error);
  if (self->point)
    return &self->parent;
  free_clouds (&self->parent);
  return NULL;
}
