/* robocache: definitions of the messages that we write
 *
 * Fields, their types and order are those of common_interfaces and rcl_interfaces (docs.ros.org/en/rolling/p/sensor_msgs and its
 * neighbours) and of foxglove_msgs; comments are ours. robocache_msgs are ours altogether.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "definitions.h"

#include <string.h>

static const struct
{
  const gchar *name, *text;
} definitions[] = {
  {"builtin_interfaces/Duration",
        "int32 sec\n"
        "uint32 nanosec\n"},
  {"builtin_interfaces/Time",
        "int32 sec\n"
        "uint32 nanosec\n"},
  {"foxglove_msgs/CompressedVideo",
        "builtin_interfaces/Time timestamp\n"
        "string frame_id\n"
        "uint8[] data  # one frame; with parameter sets if it is a key frame\n"
        "string format  # h264 or h265: Annex B\n"},
  {"geometry_msgs/Point",
        "float64 x  # m\n"
        "float64 y\n"
        "float64 z\n"},
  {"geometry_msgs/Pose",
        "geometry_msgs/Point position\n"
        "geometry_msgs/Quaternion orientation\n"},
  {"geometry_msgs/PoseStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose pose\n"},
  {"geometry_msgs/Quaternion",
        "float64 x 0\n"
        "float64 y 0\n"
        "float64 z 0\n"
        "float64 w 1\n"},
  {"geometry_msgs/Vector3",
        "float64 x\n"
        "float64 y\n"
        "float64 z\n"},
  {"geometry_msgs/Wrench",
        "geometry_msgs/Vector3 force  # N\n"
        "geometry_msgs/Vector3 torque  # N m\n"},
  {"geometry_msgs/WrenchStamped",
        "std_msgs/Header header\n"
        "geometry_msgs/Wrench wrench\n"},
  {"robocache_msgs/Event",
        "std_msgs/Header header  # stamp: time of capture at which it holds\n"
        "string kind  # gap, eos, flush, segment, caps, property, ...\n"
        "string topic  # of the stream; empty: of the recorder\n"
        "uint32 sequence  # messages of the topic before it\n"
        "int64 duration  # ns; -1: none\n"
        "string text  # caps, or property=value\n"},
  {"robocache_msgs/Row",
        "# A row of a stream, or several that arrived in one buffer. One of the value arrays is used, that of the stream's type.\n"
        "std_msgs/Header header\n"
        "string[] names  # of the channels of a row\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "int64 duration  # of the buffer, ns; -1: unknown\n"
        "int64[] times  # of each row, ns after the stamp; empty: evenly over the duration\n"
        "int8[] values_int8\n"
        "uint8[] values_uint8\n"
        "int16[] values_int16\n"
        "uint16[] values_uint16\n"
        "int32[] values_int32\n"
        "uint32[] values_uint32\n"
        "int64[] values_int64\n"
        "uint64[] values_uint64\n"
        "uint16[] values_float16  # bits of IEEE binary16\n"
        "uint16[] values_bfloat16  # upper halves of binary32\n"
        "float32[] values_float32\n"
        "float64[] values_float64\n"},
  {"robocache_msgs/Tensor",
        "std_msgs/Header header\n"
        "string name\n"
        "string dtype  # int8 ... uint64, float16, bfloat16, float32, float64\n"
        "uint64[] dims  # the first is the fastest axis\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "int64 duration  # ns; -1: unknown\n"
        "uint8[] data  # little endian, dense\n"},
  {"robocache_msgs/Tick",
        "# What a fused sample was made of. Times are running times in ns; -9223372036854775808: none.\n"
        "std_msgs/Header header\n"
        "int64 tick\n"
        "int64 decided  # when the sample was decided\n"
        "uint32 window  # rows a stream\n"
        "robocache_msgs/TickStream[] streams  # all of the oldest row of the window first\n"
        "uint64 journal_start  # entries of the journal in messages before this one\n"
        "string journal_pads  # names by number, joined by commas\n"
        "int64[] journal  # of four: kind, pad, n, time; live, what was taken in and decided since the last sample\n"},
  {"robocache_msgs/TickStream",
        "string name\n"
        "int64 before  # time of the row at or before the tick\n"
        "int64 after  # time of the row after it\n"
        "int64 age  # of the row before, ns\n"
        "uint8 status  # 0 aligned, 1 held, 2 missing\n"
        "uint64 rows  # taken in by the time of decision\n"
        "uint64 gaps\n"
        "uint64 events\n"},
  {"sensor_msgs/CameraInfo",
        "std_msgs/Header header\n"
        "uint32 height\n"
        "uint32 width\n"
        "string distortion_model  # plumb_bob, rational_polynomial, equidistant\n"
        "float64[] d\n"
        "float64[9] k  # row-major, as r and p\n"
        "float64[9] r\n"
        "float64[12] p\n"
        "uint32 binning_x\n"
        "uint32 binning_y\n"
        "sensor_msgs/RegionOfInterest roi\n"},
  {"sensor_msgs/CompressedImage",
        "std_msgs/Header header\n"
        "string format  # jpeg, png\n"
        "uint8[] data\n"},
  {"sensor_msgs/Image",
        "std_msgs/Header header\n"
        "uint32 height\n"
        "uint32 width\n"
        "string encoding  # rgb8, bgr8, rgba8, mono8, 16UC1, ...\n"
        "uint8 is_bigendian\n"
        "uint32 step  # bytes of a line\n"
        "uint8[] data\n"},
  {"sensor_msgs/Imu",
        "# A covariance that begins with -1: the quantity before it is not measured.\n"
        "std_msgs/Header header\n"
        "geometry_msgs/Quaternion orientation\n"
        "float64[9] orientation_covariance\n"
        "geometry_msgs/Vector3 angular_velocity  # rad/s\n"
        "float64[9] angular_velocity_covariance\n"
        "geometry_msgs/Vector3 linear_acceleration  # m/s^2\n"
        "float64[9] linear_acceleration_covariance\n"},
  {"sensor_msgs/JointState",
        "std_msgs/Header header\n"
        "string[] name\n"
        "float64[] position  # rad or m; of each name, or empty, as the next two\n"
        "float64[] velocity\n"
        "float64[] effort\n"},
  {"sensor_msgs/PointCloud2",
        "std_msgs/Header header\n"
        "uint32 height\n"
        "uint32 width\n"
        "sensor_msgs/PointField[] fields\n"
        "bool is_bigendian\n"
        "uint32 point_step\n"
        "uint32 row_step\n"
        "uint8[] data\n"
        "bool is_dense  # no point is NaN\n"},
  {"sensor_msgs/PointField",
        "uint8 INT8=1\n"
        "uint8 UINT8=2\n"
        "uint8 INT16=3\n"
        "uint8 UINT16=4\n"
        "uint8 INT32=5\n"
        "uint8 UINT32=6\n"
        "uint8 FLOAT32=7\n"
        "uint8 FLOAT64=8\n"
        "string name\n"
        "uint32 offset  # bytes from the beginning of a point\n"
        "uint8 datatype\n"
        "uint32 count\n"},
  {"sensor_msgs/RegionOfInterest",
        "uint32 x_offset\n"
        "uint32 y_offset\n"
        "uint32 height\n"
        "uint32 width\n"
        "bool do_rectify\n"},
  {"std_msgs/Header",
        "builtin_interfaces/Time stamp\n"
        "string frame_id\n"},
};

gchar *
robocache_ros_short_name (const gchar *name)
{
  static const gchar *const folders[] = { "msg", "srv", "action", NULL };
  gchar **parts = g_strsplit (name, "/", -1), *short_name;

  if (g_strv_length (parts) == 3 && g_strv_contains (folders, parts[1]))
    short_name = g_strjoin ("/", parts[0], parts[2], NULL);
  else
    short_name = g_strdup (name);
  g_strfreev (parts);
  return short_name;
}

/* -1: not one of ours. */
static gint
find_definition (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++) {
    if (g_str_equal (name, definitions[i].name))
      return (gint) i;
  }
  return -1;
}

const gchar *
robocache_ros_definition (const gchar *name)
{
  const gint index = find_definition (name);

  return index < 0 ? NULL : definitions[index].text;
}

const gchar **
robocache_ros_definition_names (void)
{
  const gchar **names = g_new0 (const gchar *, G_N_ELEMENTS (definitions) + 1);

  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++)
    names[i] = definitions[i].name;
  return names;
}

static void
append_definition (GString *text, gint index)
{
  for (guint i = 0; i < 80; i++)
    g_string_append_c (text, '=');
  g_string_append_printf (text, "\nMSG: %s\n%s", definitions[index].name, definitions[index].text);
}

/* Appends the types that definition `index` uses, and theirs, in the order of their first use; has_type notes which. */
static void
append_used_types (GString *text, gint index, gboolean *has_type)
{
  for (const gchar *line = definitions[index].text; *line; line = strchr (line, '\n') + 1) {
    gchar *type = g_strndup (line, strcspn (line, " [\n"));
    const gint used = find_definition (type);

    g_free (type);
    if (used < 0 || has_type[used])
      continue;
    has_type[used] = TRUE;
    append_definition (text, used);
    append_used_types (text, used, has_type);
  }
}

gchar *
robocache_ros_schema_text (const gchar *name)
{
  gboolean has_type[G_N_ELEMENTS (definitions)] = { FALSE };
  gchar *short_name = robocache_ros_short_name (name);
  const gint index = find_definition (short_name);
  GString *text;

  g_free (short_name);
  if (index < 0)
    return NULL;
  text = g_string_new (definitions[index].text);
  append_used_types (text, index, has_type);
  return g_string_free (text, FALSE);
}
