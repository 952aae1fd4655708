/* robocache: definitions of messages: control_msgs
 *
 * Source: the .msg files of github.com/ros-controls/control_msgs, branch humble
 * (BSD): fields, types, constants and their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_control_msgs[] = {
  {"control_msgs/AdmittanceControllerState",
        "std_msgs/Float64MultiArray mass\n"
        "std_msgs/Float64MultiArray damping\n"
        "std_msgs/Float64MultiArray stiffness\n"
        "geometry_msgs/Quaternion rot_base_control\n"
        "geometry_msgs/TransformStamped ref_trans_base_ft\n"
        "std_msgs/Int8MultiArray selected_axes\n"
        "std_msgs/String ft_sensor_frame\n"
        "geometry_msgs/TransformStamped admittance_position\n"
        "geometry_msgs/TwistStamped admittance_acceleration\n"
        "geometry_msgs/TwistStamped admittance_velocity\n"
        "geometry_msgs/WrenchStamped wrench_base\n"
        "sensor_msgs/JointState joint_state\n"},
  {"control_msgs/DynamicInterfaceGroupValues",
        "std_msgs/Header header\n"
        "string[] interface_groups\n"
        "control_msgs/InterfaceValue[] interface_values\n"},
  {"control_msgs/DynamicJointState",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "control_msgs/InterfaceValue[] interface_values\n"},
  {"control_msgs/GripperCommand",
        "float64 position\n"
        "float64 max_effort\n"},
  {"control_msgs/InterfaceValue",
        "string[] interface_names\n"
        "float64[] values\n"},
  {"control_msgs/JointComponentTolerance",
        "uint16 X_AXIS=1\n"
        "uint16 Y_AXIS=2\n"
        "uint16 Z_AXIS=3\n"
        "uint16 TRANSLATION=4\n"
        "uint16 ROTATION=5\n"
        "string joint_name\n"
        "uint16 component\n"
        "float64 position\n"
        "float64 velocity\n"
        "float64 acceleration\n"},
  {"control_msgs/JointControllerState",
        "std_msgs/Header header\n"
        "float64 set_point\n"
        "float64 process_value\n"
        "float64 process_value_dot\n"
        "float64 error\n"
        "float64 time_step\n"
        "float64 command\n"
        "float64 p\n"
        "float64 i\n"
        "float64 d\n"
        "float64 i_clamp\n"
        "bool antiwindup\n"},
  {"control_msgs/JointJog",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "float64[] displacements\n"
        "float64[] velocities\n"
        "float64 duration\n"},
  {"control_msgs/JointTolerance",
        "string name\n"
        "float64 position\n"
        "float64 velocity\n"
        "float64 acceleration\n"},
  {"control_msgs/JointTrajectoryControllerState",
        "std_msgs/Header header\n"
        "string[] joint_names\n"
        "trajectory_msgs/JointTrajectoryPoint reference\n"
        "trajectory_msgs/JointTrajectoryPoint feedback\n"
        "trajectory_msgs/JointTrajectoryPoint error\n"
        "trajectory_msgs/JointTrajectoryPoint output\n"
        "trajectory_msgs/JointTrajectoryPoint desired\n"
        "trajectory_msgs/JointTrajectoryPoint actual\n"
        "string[] multi_dof_joint_names\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_reference\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_feedback\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_error\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_output\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_desired\n"
        "trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_actual\n"},
  {"control_msgs/MecanumDriveControllerState",
        "std_msgs/Header header\n"
        "float64 front_left_wheel_velocity\n"
        "float64 back_left_wheel_velocity\n"
        "float64 back_right_wheel_velocity\n"
        "float64 front_right_wheel_velocity\n"
        "geometry_msgs/Twist reference_velocity\n"},
  {"control_msgs/MultiDOFCommand",
        "string[] dof_names\n"
        "float64[] values\n"
        "float64[] values_dot\n"},
  {"control_msgs/MultiDOFStateStamped",
        "std_msgs/Header header\n"
        "control_msgs/SingleDOFState[] dof_states\n"},
  {"control_msgs/PidState",
        "std_msgs/Header header\n"
        "builtin_interfaces/Duration timestep\n"
        "float64 error\n"
        "float64 error_dot\n"
        "float64 p_error\n"
        "float64 i_error\n"
        "float64 d_error\n"
        "float64 p_term\n"
        "float64 i_term\n"
        "float64 d_term\n"
        "float64 i_max\n"
        "float64 i_min\n"
        "float64 output\n"},
  {"control_msgs/SingleDOFState",
        "string name\n"
        "float64 reference\n"
        "float64 feedback\n"
        "float64 feedback_dot\n"
        "float64 error\n"
        "float64 error_dot\n"
        "float64 time_step\n"
        "float64 output\n"},
  {"control_msgs/SingleDOFStateStamped",
        "std_msgs/Header header\n"
        "control_msgs/SingleDOFState dof_state\n"},
  {"control_msgs/SteeringControllerStatus",
        "std_msgs/Header header\n"
        "float64[] traction_wheels_position\n"
        "float64[] traction_wheels_velocity\n"
        "float64[] steer_positions\n"
        "float64[] linear_velocity_command\n"
        "float64[] steering_angle_command\n"},
  {NULL}
};
