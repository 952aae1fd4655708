/* robocache: definitions of messages: sensor_msgs
 *
 * Source: the .msg files of github.com/ros2/common_interfaces, branch humble
 * (Apache-2.0): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_sensor_msgs[] = {
  {"sensor_msgs/BatteryState",
        "uint8 POWER_SUPPLY_STATUS_UNKNOWN=0\n"
        "uint8 POWER_SUPPLY_STATUS_CHARGING=1\n"
        "uint8 POWER_SUPPLY_STATUS_DISCHARGING=2\n"
        "uint8 POWER_SUPPLY_STATUS_NOT_CHARGING=3\n"
        "uint8 POWER_SUPPLY_STATUS_FULL=4\n"
        "uint8 POWER_SUPPLY_HEALTH_UNKNOWN=0\n"
        "uint8 POWER_SUPPLY_HEALTH_GOOD=1\n"
        "uint8 POWER_SUPPLY_HEALTH_OVERHEAT=2\n"
        "uint8 POWER_SUPPLY_HEALTH_DEAD=3\n"
        "uint8 POWER_SUPPLY_HEALTH_OVERVOLTAGE=4\n"
        "uint8 POWER_SUPPLY_HEALTH_UNSPEC_FAILURE=5\n"
        "uint8 POWER_SUPPLY_HEALTH_COLD=6\n"
        "uint8 POWER_SUPPLY_HEALTH_WATCHDOG_TIMER_EXPIRE=7\n"
        "uint8 POWER_SUPPLY_HEALTH_SAFETY_TIMER_EXPIRE=8\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_UNKNOWN=0\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_NIMH=1\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LION=2\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIPO=3\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIFE=4\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_NICD=5\n"
        "uint8 POWER_SUPPLY_TECHNOLOGY_LIMN=6\n"
        "std_msgs/Header header\n"
        "float32 voltage\n"
        "float32 temperature\n"
        "float32 current\n"
        "float32 charge\n"
        "float32 capacity\n"
        "float32 design_capacity\n"
        "float32 percentage\n"
        "uint8 power_supply_status\n"
        "uint8 power_supply_health\n"
        "uint8 power_supply_technology\n"
        "bool present\n"
        "float32[] cell_voltage\n"
        "float32[] cell_temperature\n"
        "string location\n"
        "string serial_number\n"},
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
  {"sensor_msgs/ChannelFloat32",
        "string name\n"
        "float32[] values\n"},
  {"sensor_msgs/CompressedImage",
        "std_msgs/Header header\n"
        "string format  # jpeg, png\n"
        "uint8[] data\n"},
  {"sensor_msgs/FluidPressure",
        "std_msgs/Header header\n"
        "float64 fluid_pressure\n"
        "float64 variance\n"},
  {"sensor_msgs/Illuminance",
        "std_msgs/Header header\n"
        "float64 illuminance\n"
        "float64 variance\n"},
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
  {"sensor_msgs/Joy",
        "std_msgs/Header header\n"
        "float32[] axes\n"
        "int32[] buttons\n"},
  {"sensor_msgs/JoyFeedback",
        "uint8 TYPE_LED=0\n"
        "uint8 TYPE_RUMBLE=1\n"
        "uint8 TYPE_BUZZER=2\n"
        "uint8 type\n"
        "uint8 id\n"
        "float32 intensity\n"},
  {"sensor_msgs/JoyFeedbackArray",
        "sensor_msgs/JoyFeedback[] array\n"},
  {"sensor_msgs/LaserEcho",
        "float32[] echoes\n"},
  {"sensor_msgs/LaserScan",
        "std_msgs/Header header\n"
        "float32 angle_min\n"
        "float32 angle_max\n"
        "float32 angle_increment\n"
        "float32 time_increment\n"
        "float32 scan_time\n"
        "float32 range_min\n"
        "float32 range_max\n"
        "float32[] ranges\n"
        "float32[] intensities\n"},
  {"sensor_msgs/MagneticField",
        "std_msgs/Header header\n"
        "geometry_msgs/Vector3 magnetic_field\n"
        "float64[9] magnetic_field_covariance\n"},
  {"sensor_msgs/MultiDOFJointState",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "geometry_msgs/Transform[] transforms\n"
        "geometry_msgs/Twist[] twist\n"
        "geometry_msgs/Wrench[] wrench\n"},
  {"sensor_msgs/MultiEchoLaserScan",
        "std_msgs/Header header\n"
        "float32 angle_min\n"
        "float32 angle_max\n"
        "float32 angle_increment\n"
        "float32 time_increment\n"
        "float32 scan_time\n"
        "float32 range_min\n"
        "float32 range_max\n"
        "sensor_msgs/LaserEcho[] ranges\n"
        "sensor_msgs/LaserEcho[] intensities\n"},
  {"sensor_msgs/NavSatFix",
        "std_msgs/Header header\n"
        "sensor_msgs/NavSatStatus status\n"
        "float64 latitude\n"
        "float64 longitude\n"
        "float64 altitude\n"
        "float64[9] position_covariance\n"
        "uint8 COVARIANCE_TYPE_UNKNOWN=0\n"
        "uint8 COVARIANCE_TYPE_APPROXIMATED=1\n"
        "uint8 COVARIANCE_TYPE_DIAGONAL_KNOWN=2\n"
        "uint8 COVARIANCE_TYPE_KNOWN=3\n"
        "uint8 position_covariance_type\n"},
  {"sensor_msgs/NavSatStatus",
        "int8 STATUS_NO_FIX=-1\n"
        "int8 STATUS_FIX=0\n"
        "int8 STATUS_SBAS_FIX=1\n"
        "int8 STATUS_GBAS_FIX=2\n"
        "int8 status\n"
        "uint16 SERVICE_GPS=1\n"
        "uint16 SERVICE_GLONASS=2\n"
        "uint16 SERVICE_COMPASS=4\n"
        "uint16 SERVICE_GALILEO=8\n"
        "uint16 service\n"},
  {"sensor_msgs/PointCloud",
        "std_msgs/Header header\n"
        "geometry_msgs/Point32[] points\n"
        "sensor_msgs/ChannelFloat32[] channels\n"},
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
  {"sensor_msgs/Range",
        "std_msgs/Header header\n"
        "uint8 ULTRASOUND=0\n"
        "uint8 INFRARED=1\n"
        "uint8 radiation_type\n"
        "float32 field_of_view\n"
        "float32 min_range\n"
        "float32 max_range\n"
        "float32 range\n"},
  {"sensor_msgs/RegionOfInterest",
        "uint32 x_offset\n"
        "uint32 y_offset\n"
        "uint32 height\n"
        "uint32 width\n"
        "bool do_rectify\n"},
  {"sensor_msgs/RelativeHumidity",
        "std_msgs/Header header\n"
        "float64 relative_humidity\n"
        "float64 variance\n"},
  {"sensor_msgs/Temperature",
        "std_msgs/Header header\n"
        "float64 temperature\n"
        "float64 variance\n"},
  {"sensor_msgs/TimeReference",
        "std_msgs/Header header\n"
        "builtin_interfaces/Time time_ref\n"
        "string source\n"},
  {NULL}
};
