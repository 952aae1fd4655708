/* robocache: a message of each type that we write
 *
 * None of our elements writes a CameraInfo; robocachemcapdemux and robocachebagsrc read it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "common/ros/messageencoders.h"

typedef struct
{
  const gchar *type;
  void (*write) (RobocacheCdrWriter *writer);
  const gchar *text;            /* fields in their order */
} MessageExample;

static const RobocacheRosHeader example_header = { 1500000007, "base" };

#define HEADER_TEXT "((1 500000007) 'base')"

static const gdouble example_numbers[12] = { 0.5, -1.5, 2.25, 1e-3, 1e9, -0.125, 7, 8, 9, 10, 11, 12 };
static const guint8 example_bytes[] = { 1, 2, 3, 255, 0, 6, 7, 8 };

static void
write_joints (RobocacheCdrWriter *writer)
{
  static const gchar *const names[] = { "shoulder", "elbow", "w" };

  robocache_ros_write_joint_state (writer, &example_header, names, 3, example_numbers, NULL, example_numbers + 3);
}

static void
write_imu (RobocacheCdrWriter *writer)
{
  const RobocacheRosImu imu = {.orientation = example_numbers,.angular_velocity = example_numbers + 4 };

  robocache_ros_write_imu (writer, &example_header, &imu);
}

static void
write_wrench (RobocacheCdrWriter *writer)
{
  robocache_ros_write_wrench (writer, &example_header, example_numbers, example_numbers + 3);
}

static void
write_pose (RobocacheCdrWriter *writer)
{
  robocache_ros_write_pose (writer, &example_header, example_numbers, example_numbers + 3);
}

static void
write_twist (RobocacheCdrWriter *writer)
{
  robocache_ros_write_twist (writer, &example_header, example_numbers, example_numbers + 3);
}

static void
write_numbers (RobocacheCdrWriter *writer)
{
  robocache_ros_write_float64_multi_array (writer, example_numbers, 3);
}

static void
write_cloud (RobocacheCdrWriter *writer)
{
  static const RobocacheRosPointField fields[] = { {"x", 0, RC_INT8}, {"ring", 2, RC_UINT16} };

  robocache_ros_write_point_cloud (writer, &example_header, 1, 2, fields, 2, 4, example_bytes, TRUE);
}

static void
write_image (RobocacheCdrWriter *writer)
{
  robocache_ros_write_image (writer, &example_header, 2, 1, "rgb8", FALSE, 4, example_bytes);
}

static void
write_compressed_image (RobocacheCdrWriter *writer)
{
  robocache_ros_write_compressed_image (writer, &example_header, "jpeg", example_bytes, 3);
}

static void
write_video (RobocacheCdrWriter *writer)
{
  robocache_ros_write_compressed_video (writer, &example_header, "h264", example_bytes, 5);
}

static void
write_camera (RobocacheCdrWriter *writer)
{
  const gdouble k[9] = { [0] = 1,[8] = 1 }, r[9] = { [0] = 2,[8] = 1 }, p[12] = { [0] = 3,[11] = 4 };

  robocache_cdr_writer_begin (writer);
  robocache_cdr_write_int32 (writer, 1);
  robocache_cdr_write_uint32 (writer, 500000007);
  robocache_cdr_write_string (writer, "base");
  robocache_cdr_write_uint32 (writer, 480);
  robocache_cdr_write_uint32 (writer, 640);
  robocache_cdr_write_string (writer, "plumb_bob");
  robocache_cdr_write_sequence (writer, example_numbers, sizeof (gdouble), 5);
  robocache_cdr_write_array (writer, k, sizeof (gdouble), 9);
  robocache_cdr_write_array (writer, r, sizeof (gdouble), 9);
  robocache_cdr_write_array (writer, p, sizeof (gdouble), 12);
  /* no binning, and the whole image as the region of interest */
  for (guint i = 0; i < 6; i++)
    robocache_cdr_write_uint32 (writer, 0);
  robocache_cdr_write_uint8 (writer, FALSE);
}

static void
write_row (RobocacheCdrWriter *writer)
{
  static const gchar *const names[] = { "a", "bc" };
  static const gint64 times[] = { 0, 1000000 };
  static const gfloat values[] = { 1.5f, -2.0f, 3.0f, 4.0f };
  const RobocacheRosRow row = { names, 2, 1, 2000000, times, 2, RC_FLOAT32, values, 4 };

  robocache_ros_write_row (writer, &example_header, &row);
}

static void
write_row_of_bits (RobocacheCdrWriter *writer)
{
  static const gchar *const names[] = { "a" };
  static const guint16 values[] = { 0x3c00 };
  const RobocacheRosRow row = { names, 1, 2, -1, NULL, 0, RC_FLOAT16, values, 1 };

  robocache_ros_write_row (writer, &example_header, &row);
}

static void
write_tensor (RobocacheCdrWriter *writer)
{
  static const guint64 dims[] = { 2, 1, 2 };
  static const guint16 elements[] = { 1, 2, 3, 0x0405 };

  robocache_ros_write_tensor (writer, &example_header, "map", RC_UINT16, dims, 3, 0, 20, elements, 4);
}

static void
write_tick (RobocacheCdrWriter *writer)
{
  static const RobocacheRosTickStream streams[] = {
    {"camera_0", 90, 110, 10, 0, 5, 1, 2}, {"sink_0", 50, ROBOCACHE_ROS_NO_TIME, 50, 1, 6, 0, 0}
  };

  static const gint64 journal[] = { 0, 1, 3, 95 };
  const RobocacheRosTick tick = { 100, 120, 1, streams, 2, 7, "camera_0,sink_0", journal, 4 };

  robocache_ros_write_tick (writer, &example_header, &tick);
}

static void
write_event (RobocacheCdrWriter *writer)
{
  robocache_ros_write_event (writer, &example_header, "caps", "/joints", 7, -1, "other/tensors");
}

#define ZEROS_8 "0 0 0 0 0 0 0 0"

static const MessageExample message_examples[] = {
  {"sensor_msgs/JointState", write_joints, "(" HEADER_TEXT " ['shoulder' 'elbow' 'w'] [0.5 -1.5 2.25] [] [0.001 1e+09 -0.125])"},
  {"sensor_msgs/Imu", write_imu, "(" HEADER_TEXT " (0.5 -1.5 2.25 0.001) [0 " ZEROS_8 "] (1e+09 -0.125 7) [0 " ZEROS_8 "] (0 0 0) "
        "[-1 " ZEROS_8 "])"},
  {"geometry_msgs/WrenchStamped", write_wrench, "(" HEADER_TEXT " ((0.5 -1.5 2.25) (0.001 1e+09 -0.125)))"},
  {"geometry_msgs/PoseStamped", write_pose, "(" HEADER_TEXT " ((0.5 -1.5 2.25) (0.001 1e+09 -0.125 7)))"},
  {"geometry_msgs/TwistStamped", write_twist, "(" HEADER_TEXT " ((0.5 -1.5 2.25) (0.001 1e+09 -0.125)))"},
  {"std_msgs/Float64MultiArray", write_numbers, "(([] 0) [0.5 -1.5 2.25])"},
  {"sensor_msgs/PointCloud2", write_cloud, "(" HEADER_TEXT " 1 2 [('x' 0 1 1) ('ring' 2 4 1)] 0 4 8 [1 2 3 255 0 6 7 8] 1)"},
  {"sensor_msgs/Image", write_image, "(" HEADER_TEXT " 2 1 'rgb8' 0 4 [1 2 3 255 0 6 7 8])"},
  {"sensor_msgs/CompressedImage", write_compressed_image, "(" HEADER_TEXT " 'jpeg' [1 2 3])"},
  {"foxglove_msgs/CompressedVideo", write_video, "((1 500000007) 'base' [1 2 3 255 0] 'h264')"},
  {"sensor_msgs/CameraInfo", write_camera, "(" HEADER_TEXT " 480 640 'plumb_bob' [0.5 -1.5 2.25 0.001 1e+09] [1 0 0 0 0 0 0 0 1] "
        "[2 0 0 0 0 0 0 0 1] [3 0 0 0 0 0 0 0 0 0 0 4] 0 0 (0 0 0 0 0))"},
  {"robocache_msgs/Row", write_row, "(" HEADER_TEXT " ['a' 'bc'] 1 2000000 [0 1000000] [] [] [] [] [] [] [] [] [] [] "
        "[1.5 -2 3 4] [])"},
  {"robocache_msgs/Row", write_row_of_bits, "(" HEADER_TEXT " ['a'] 2 -1 [] [] [] [] [] [] [] [] [] [15360] [] [] [])"},
  {"robocache_msgs/Tensor", write_tensor, "(" HEADER_TEXT " 'map' 'uint16' [2 1 2] 0 20 [1 0 2 0 3 0 5 4])"},
  {"robocache_msgs/Tick", write_tick, "(" HEADER_TEXT " 100 120 1 [('camera_0' 90 110 10 0 5 1 2) ('sink_0' 50 "
        "-9223372036854775808 50 1 6 0 0)] 7 'camera_0,sink_0' [0 1 3 95])"},
  {"robocache_msgs/Event", write_event, "(" HEADER_TEXT " 'caps' '/joints' 7 -1 'other/tensors')"},
};
