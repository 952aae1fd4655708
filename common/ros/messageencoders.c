/* robocache: encoders of ROS 2 messages
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "messageencoders.h"

#define NS_PER_S G_GINT64_CONSTANT (1000000000)

static gint64
whole_seconds (gint64 ns)
{
  return ns / NS_PER_S - (ns % NS_PER_S < 0);
}

gboolean
robocache_ros_stamp_fits (gint64 stamp_ns)
{
  const gint64 seconds = whole_seconds (stamp_ns);

  return seconds >= G_MININT32 && seconds <= G_MAXINT32;
}

/* Inside of a message. */
static void
write_inner_header (RobocacheCdrWriter *writer, const RobocacheRosHeader *header)
{
  const gint64 seconds = whole_seconds (header->stamp_ns);

  robocache_cdr_write_int32 (writer, (gint32) seconds);
  robocache_cdr_write_uint32 (writer, (guint32) (header->stamp_ns - seconds * NS_PER_S));
  robocache_cdr_write_string (writer, header->frame_id);
}

void
robocache_ros_write_header (RobocacheCdrWriter *writer, const RobocacheRosHeader *header)
{
  robocache_cdr_writer_begin (writer);
  write_inner_header (writer, header);
}

static void
write_doubles (RobocacheCdrWriter *writer, const gdouble *numbers, guint n)
{
  robocache_cdr_write_array (writer, numbers, sizeof (*numbers), n);
}

/* ---- sensor_msgs, geometry_msgs ---- */

void
robocache_ros_write_joint_state (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gchar *const *names, guint n,
    const gdouble *position, const gdouble *velocity, const gdouble *effort)
{
  const gdouble *const lists[] = { position, velocity, effort };

  robocache_ros_write_header (writer, header);
  robocache_cdr_write_strings (writer, names, n);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    robocache_cdr_write_sequence (writer, lists[i], sizeof (gdouble), lists[i] ? n : 0);
}

static void
write_measured (RobocacheCdrWriter *writer, const gdouble *quantity, const gdouble *absent, guint n)
{
  const gdouble covariance[9] = { quantity ? 0.0 : -1.0 };

  write_doubles (writer, quantity ? quantity : absent, n);
  write_doubles (writer, covariance, G_N_ELEMENTS (covariance));
}

void
robocache_ros_write_imu (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const RobocacheRosImu *imu)
{
  static const gdouble no_rotation[4] = { 0.0, 0.0, 0.0, 1.0 }, zero[3];

  robocache_ros_write_header (writer, header);
  write_measured (writer, imu->orientation, no_rotation, 4);
  write_measured (writer, imu->angular_velocity, zero, 3);
  write_measured (writer, imu->linear_acceleration, zero, 3);
}

void
robocache_ros_write_wrench (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gdouble force[3],
    const gdouble torque[3])
{
  robocache_ros_write_header (writer, header);
  write_doubles (writer, force, 3);
  write_doubles (writer, torque, 3);
}

void
robocache_ros_write_pose (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gdouble position[3],
    const gdouble orientation[4])
{
  robocache_ros_write_header (writer, header);
  write_doubles (writer, position, 3);
  write_doubles (writer, orientation, 4);
}

void
robocache_ros_write_twist (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gdouble linear[3], const gdouble angular[3])
{
  robocache_ros_write_wrench (writer, header, linear, angular);
}

void
robocache_ros_write_float64_multi_array (RobocacheCdrWriter *writer, const gdouble *numbers, guint n)
{
  robocache_cdr_writer_begin (writer);
  /* dimensions, and the offset of the data */
  robocache_cdr_write_uint32 (writer, 0);
  robocache_cdr_write_uint32 (writer, 0);
  robocache_cdr_write_sequence (writer, numbers, sizeof (*numbers), n);
}

/* By their numbers in PointField, from 1 on. */
static const RcDtype point_dtypes[] = { RC_INT8, RC_UINT8, RC_INT16, RC_UINT16, RC_INT32, RC_UINT32, RC_FLOAT32, RC_FLOAT64 };

guint8
robocache_ros_point_datatype (RcDtype dtype)
{
  for (guint8 i = 0; i < G_N_ELEMENTS (point_dtypes); i++) {
    if (point_dtypes[i] == dtype)
      return i + 1;
  }
  return 0;
}

RcDtype
robocache_ros_point_dtype (guint8 datatype)
{
  return datatype > 0 && datatype <= G_N_ELEMENTS (point_dtypes) ? point_dtypes[datatype - 1] : RC_N_DTYPES;
}

/* A sequence of n bytes as they are. */
static void
write_bytes (RobocacheCdrWriter *writer, gconstpointer bytes, gsize n)
{
  robocache_cdr_write_sequence (writer, bytes, 1, n);
}

void
robocache_ros_write_point_cloud (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, guint32 height, guint32 width,
    const RobocacheRosPointField *fields, guint n_fields, guint32 point_step, gconstpointer points, gboolean is_dense)
{
  const guint64 row_step = (guint64) width * point_step;

  robocache_ros_write_header (writer, header);
  robocache_cdr_write_uint32 (writer, height);
  robocache_cdr_write_uint32 (writer, width);
  robocache_cdr_write_uint32 (writer, n_fields);
  for (guint i = 0; i < n_fields; i++) {
    robocache_cdr_write_string (writer, fields[i].name);
    robocache_cdr_write_uint32 (writer, fields[i].offset);
    robocache_cdr_write_uint8 (writer, robocache_ros_point_datatype (fields[i].dtype));
    robocache_cdr_write_uint32 (writer, 1);
  }
  robocache_cdr_write_uint8 (writer, G_BYTE_ORDER == G_BIG_ENDIAN);
  robocache_cdr_write_uint32 (writer, point_step);
  writer->has_failed |= row_step > G_MAXUINT32;
  robocache_cdr_write_uint32 (writer, (guint32) row_step);
  if (height > 0 && row_step > G_MAXUINT32 / height)
    writer->has_failed = TRUE;
  else
    write_bytes (writer, points, height * row_step);
  robocache_cdr_write_uint8 (writer, is_dense != FALSE);
}

void
robocache_ros_write_image (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, guint32 height, guint32 width,
    const gchar *encoding, gboolean is_bigendian, guint32 step, gconstpointer lines)
{
  robocache_ros_write_header (writer, header);
  robocache_cdr_write_uint32 (writer, height);
  robocache_cdr_write_uint32 (writer, width);
  robocache_cdr_write_string (writer, encoding);
  robocache_cdr_write_uint8 (writer, is_bigendian != FALSE);
  robocache_cdr_write_uint32 (writer, step);
  write_bytes (writer, lines, (gsize) height * step);
}

void
robocache_ros_write_compressed_image (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gchar *format,
    gconstpointer data, gsize size)
{
  robocache_ros_write_header (writer, header);
  robocache_cdr_write_string (writer, format);
  write_bytes (writer, data, size);
}

void
robocache_ros_write_compressed_video (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gchar *format,
    gconstpointer data, gsize size)
{
  /* its timestamp and frame_id lie as a header does */
  robocache_ros_write_header (writer, header);
  write_bytes (writer, data, size);
  robocache_cdr_write_string (writer, format);
}

/* By their numbers in PackedElementField, from 1 on. */
static const RcDtype element_types[] = { RC_UINT8, RC_INT8, RC_UINT16, RC_INT16, RC_UINT32, RC_INT32, RC_FLOAT32, RC_FLOAT64 };

guint8
robocache_ros_element_type (RcDtype dtype)
{
  for (guint8 i = 0; i < G_N_ELEMENTS (element_types); i++) {
    if (element_types[i] == dtype)
      return i + 1;
  }
  return 0;
}

void
robocache_ros_write_voxel_grid (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const RobocacheRosVoxelGrid *grid,
    gconstpointer cells)
{
  static const gdouble no_rotation[4] = { 0.0, 0.0, 0.0, 1.0 };
  const guint32 value_bytes = (guint32) rc_dtype_size (grid->dtype);
  const guint64 cell = (guint64) value_bytes * grid->n_channels, row = cell * grid->n[0];
  const guint64 slice = row <= G_MAXUINT32 ? row * grid->n[1] : G_MAXUINT64;

  /* its timestamp and frame_id lie as a header does */
  robocache_ros_write_header (writer, header);
  write_doubles (writer, grid->origin, 3);
  write_doubles (writer, no_rotation, 4);
  robocache_cdr_write_uint32 (writer, grid->n[1]);
  robocache_cdr_write_uint32 (writer, grid->n[0]);
  write_doubles (writer, grid->cell_size, 3);
  writer->has_failed |= slice > G_MAXUINT32 || (grid->n[2] > 0 && slice > G_MAXUINT32 / grid->n[2]);
  robocache_cdr_write_uint32 (writer, (guint32) slice);
  robocache_cdr_write_uint32 (writer, (guint32) row);
  robocache_cdr_write_uint32 (writer, (guint32) cell);
  robocache_cdr_write_uint32 (writer, grid->n_channels);
  for (guint32 i = 0; i < grid->n_channels; i++) {
    gchar name[24];

    if (grid->n_channels > 1)
      g_snprintf (name, sizeof name, "value%u", i);
    else
      g_strlcpy (name, "value", sizeof name);
    robocache_cdr_write_string (writer, name);
    robocache_cdr_write_uint32 (writer, i * value_bytes);
    robocache_cdr_write_uint8 (writer, robocache_ros_element_type (grid->dtype));
  }
  write_bytes (writer, cells, writer->has_failed ? 0 : (gsize) (slice * grid->n[2]));
}

void
robocache_ros_write_transforms (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const RobocacheRosTransform *transforms, guint n)
{
  robocache_cdr_writer_begin (writer);
  robocache_cdr_write_uint32 (writer, n);
  for (guint i = 0; i < n; i++) {
    write_inner_header (writer, header);
    robocache_cdr_write_string (writer, transforms[i].child);
    write_doubles (writer, transforms[i].numbers, 7);
  }
}

/* ---- robocache_msgs ---- */

void
robocache_ros_write_row (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const RobocacheRosRow *row)
{
  robocache_ros_write_header (writer, header);
  robocache_cdr_write_strings (writer, row->names, row->n_names);
  robocache_cdr_write_uint8 (writer, row->status);
  robocache_cdr_write_int64 (writer, row->duration_ns);
  robocache_cdr_write_sequence (writer, row->times, sizeof (gint64), row->n_times);
  /* the arrays are in the order of the dtypes */
  for (RcDtype dtype = 0; dtype < RC_N_DTYPES; dtype++)
    robocache_cdr_write_sequence (writer, row->values, (guint) rc_dtype_size (dtype), dtype == row->dtype ? row->n_values : 0);
}

void
robocache_ros_write_tensor (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gchar *name, RcDtype dtype,
    const guint64 *dims, guint rank, guint8 status, gint64 duration_ns, gconstpointer elements, gsize n)
{
  const guint bytes = (guint) rc_dtype_size (dtype);
  gsize start;

  robocache_ros_write_header (writer, header);
  robocache_cdr_write_string (writer, name);
  robocache_cdr_write_string (writer, rc_dtype_name (dtype));
  robocache_cdr_write_sequence (writer, dims, sizeof (*dims), rank);
  robocache_cdr_write_uint8 (writer, status);
  robocache_cdr_write_int64 (writer, duration_ns);
  if (n > G_MAXUINT32 / bytes)
    writer->has_failed = TRUE;
  else
    write_bytes (writer, elements, n * bytes);
  start = writer->size - n * bytes;
  for (gsize i = 0; G_BYTE_ORDER == G_BIG_ENDIAN && bytes > 1 && !writer->has_failed && i < n; i++) {
    for (guint k = 0; k < bytes; k++)
      writer->data[start + i * bytes + k] = ((const guint8 *) elements)[i * bytes + bytes - 1 - k];
  }
}

static void
write_tick_stream (RobocacheCdrWriter *writer, const RobocacheRosTickStream *stream)
{
  robocache_cdr_write_string (writer, stream->name);
  robocache_cdr_write_int64 (writer, stream->before_ns);
  robocache_cdr_write_int64 (writer, stream->after_ns);
  robocache_cdr_write_int64 (writer, stream->age_ns);
  robocache_cdr_write_uint8 (writer, stream->status);
  robocache_cdr_write_uint64 (writer, stream->rows);
  robocache_cdr_write_uint64 (writer, stream->gaps);
  robocache_cdr_write_uint64 (writer, stream->events);
}

void
robocache_ros_write_tick (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const RobocacheRosTick *tick)
{
  robocache_ros_write_header (writer, header);
  robocache_cdr_write_int64 (writer, tick->tick_ns);
  robocache_cdr_write_int64 (writer, tick->decided_ns);
  robocache_cdr_write_uint32 (writer, tick->window);
  robocache_cdr_write_uint32 (writer, tick->n_streams);
  for (guint i = 0; i < tick->n_streams; i++)
    write_tick_stream (writer, &tick->streams[i]);
  robocache_cdr_write_uint64 (writer, tick->journal_start);
  robocache_cdr_write_string (writer, tick->journal_pads);
  robocache_cdr_write_sequence (writer, tick->journal, sizeof *tick->journal, tick->n_journal);
}

void
robocache_ros_write_event (RobocacheCdrWriter *writer, const RobocacheRosHeader *header, const gchar *kind, const gchar *topic,
    guint32 sequence, gint64 duration_ns, const gchar *text)
{
  robocache_ros_write_header (writer, header);
  robocache_cdr_write_string (writer, kind);
  robocache_cdr_write_string (writer, topic);
  robocache_cdr_write_uint32 (writer, sequence);
  robocache_cdr_write_int64 (writer, duration_ns);
  robocache_cdr_write_string (writer, text);
}
