/* robocache: definitions of messages: moveit_msgs
 *
 * Source: the .msg files of github.com/moveit/moveit_msgs, branch humble and of octomap_msgs and object_recognition_msgs
 * (BSD): fields, types, constants and their order.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_moveit_msgs[] = {
  {"moveit_msgs/AllowedCollisionEntry",
        "bool[] enabled\n"},
  {"moveit_msgs/AllowedCollisionMatrix",
        "string[] entry_names\n"
        "moveit_msgs/AllowedCollisionEntry[] entry_values\n"
        "string[] default_entry_names\n"
        "bool[] default_entry_values\n"},
  {"moveit_msgs/AttachedCollisionObject",
        "string link_name\n"
        "moveit_msgs/CollisionObject object\n"
        "string[] touch_links\n"
        "trajectory_msgs/JointTrajectory detach_posture\n"
        "float64 weight\n"},
  {"moveit_msgs/BoundingVolume",
        "shape_msgs/SolidPrimitive[] primitives\n"
        "geometry_msgs/Pose[] primitive_poses\n"
        "shape_msgs/Mesh[] meshes\n"
        "geometry_msgs/Pose[] mesh_poses\n"},
  {"moveit_msgs/CartesianPoint",
        "geometry_msgs/Pose pose\n"
        "geometry_msgs/Twist velocity\n"
        "geometry_msgs/Accel acceleration\n"},
  {"moveit_msgs/CartesianTrajectory",
        "std_msgs/Header header\n"
        "string tracked_frame\n"
        "moveit_msgs/CartesianTrajectoryPoint[] points\n"},
  {"moveit_msgs/CartesianTrajectoryPoint",
        "moveit_msgs/CartesianPoint point\n"
        "builtin_interfaces/Duration time_from_start\n"},
  {"moveit_msgs/CollisionObject",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose pose\n"
        "string id\n"
        "object_recognition_msgs/ObjectType type\n"
        "shape_msgs/SolidPrimitive[] primitives\n"
        "geometry_msgs/Pose[] primitive_poses\n"
        "shape_msgs/Mesh[] meshes\n"
        "geometry_msgs/Pose[] mesh_poses\n"
        "shape_msgs/Plane[] planes\n"
        "geometry_msgs/Pose[] plane_poses\n"
        "string[] subframe_names\n"
        "geometry_msgs/Pose[] subframe_poses\n"
        "byte ADD=0\n"
        "byte REMOVE=1\n"
        "byte APPEND=2\n"
        "byte MOVE=3\n"
        "byte operation\n"},
  {"moveit_msgs/ConstraintEvalResult",
        "bool result\n"
        "float64 distance\n"},
  {"moveit_msgs/Constraints",
        "string name\n"
        "moveit_msgs/JointConstraint[] joint_constraints\n"
        "moveit_msgs/PositionConstraint[] position_constraints\n"
        "moveit_msgs/OrientationConstraint[] orientation_constraints\n"
        "moveit_msgs/VisibilityConstraint[] visibility_constraints\n"},
  {"moveit_msgs/ContactInformation",
        "std_msgs/Header header\n"
        "geometry_msgs/Point position\n"
        "geometry_msgs/Vector3 normal\n"
        "float64 depth\n"
        "string contact_body_1\n"
        "uint32 body_type_1\n"
        "string contact_body_2\n"
        "uint32 body_type_2\n"
        "uint32 ROBOT_LINK=0\n"
        "uint32 WORLD_OBJECT=1\n"
        "uint32 ROBOT_ATTACHED=2\n"},
  {"moveit_msgs/CostSource",
        "float64 cost_density\n"
        "geometry_msgs/Vector3 aabb_min\n"
        "geometry_msgs/Vector3 aabb_max\n"},
  {"moveit_msgs/DisplayRobotState",
        "moveit_msgs/RobotState state\n"
        "moveit_msgs/ObjectColor[] highlight_links\n"
        "bool hide\n"},
  {"moveit_msgs/DisplayTrajectory",
        "string model_id\n"
        "moveit_msgs/RobotTrajectory[] trajectory\n"
        "moveit_msgs/RobotState trajectory_start\n"},
  {"moveit_msgs/GenericTrajectory",
        "std_msgs/Header header\n"
        "trajectory_msgs/JointTrajectory[] joint_trajectory\n"
        "moveit_msgs/CartesianTrajectory[] cartesian_trajectory\n"},
  {"moveit_msgs/Grasp",
        "string id\n"
        "trajectory_msgs/JointTrajectory pre_grasp_posture\n"
        "trajectory_msgs/JointTrajectory grasp_posture\n"
        "geometry_msgs/PoseStamped grasp_pose\n"
        "float64 grasp_quality\n"
        "moveit_msgs/GripperTranslation pre_grasp_approach\n"
        "moveit_msgs/GripperTranslation post_grasp_retreat\n"
        "moveit_msgs/GripperTranslation post_place_retreat\n"
        "float32 max_contact_force\n"
        "string[] allowed_touch_objects\n"},
  {"moveit_msgs/GripperTranslation",
        "geometry_msgs/Vector3Stamped direction\n"
        "float32 desired_distance\n"
        "float32 min_distance\n"},
  {"moveit_msgs/JointConstraint",
        "string joint_name\n"
        "float64 position\n"
        "float64 tolerance_above\n"
        "float64 tolerance_below\n"
        "float64 weight\n"},
  {"moveit_msgs/JointLimits",
        "string joint_name\n"
        "bool has_position_limits\n"
        "float64 min_position\n"
        "float64 max_position\n"
        "bool has_velocity_limits\n"
        "float64 max_velocity\n"
        "bool has_acceleration_limits\n"
        "float64 max_acceleration\n"
        "bool has_jerk_limits\n"
        "float64 max_jerk\n"},
  {"moveit_msgs/KinematicSolverInfo",
        "string[] joint_names\n"
        "moveit_msgs/JointLimits[] limits\n"
        "string[] link_names\n"},
  {"moveit_msgs/LinkPadding",
        "string link_name\n"
        "float64 padding\n"},
  {"moveit_msgs/LinkScale",
        "string link_name\n"
        "float64 scale\n"},
  {"moveit_msgs/MotionPlanDetailedResponse",
        "moveit_msgs/RobotState trajectory_start\n"
        "string group_name\n"
        "moveit_msgs/RobotTrajectory[] trajectory\n"
        "string[] description\n"
        "float64[] processing_time\n"
        "moveit_msgs/MoveItErrorCodes error_code\n"},
  {"moveit_msgs/MotionPlanRequest",
        "moveit_msgs/WorkspaceParameters workspace_parameters\n"
        "moveit_msgs/RobotState start_state\n"
        "moveit_msgs/Constraints[] goal_constraints\n"
        "moveit_msgs/Constraints path_constraints\n"
        "moveit_msgs/TrajectoryConstraints trajectory_constraints\n"
        "moveit_msgs/GenericTrajectory[] reference_trajectories\n"
        "string pipeline_id\n"
        "string planner_id\n"
        "string group_name\n"
        "int32 num_planning_attempts\n"
        "float64 allowed_planning_time\n"
        "float64 max_velocity_scaling_factor\n"
        "float64 max_acceleration_scaling_factor\n"
        "string cartesian_speed_end_effector_link\n"
        "float64 max_cartesian_speed\n"},
  {"moveit_msgs/MotionPlanResponse",
        "moveit_msgs/RobotState trajectory_start\n"
        "string group_name\n"
        "moveit_msgs/RobotTrajectory trajectory\n"
        "float64 planning_time\n"
        "moveit_msgs/MoveItErrorCodes error_code\n"},
  {"moveit_msgs/MotionSequenceItem",
        "moveit_msgs/MotionPlanRequest req\n"
        "float64 blend_radius\n"},
  {"moveit_msgs/MotionSequenceRequest",
        "moveit_msgs/MotionSequenceItem[] items\n"},
  {"moveit_msgs/MotionSequenceResponse",
        "moveit_msgs/MoveItErrorCodes error_code\n"
        "moveit_msgs/RobotState sequence_start\n"
        "moveit_msgs/RobotTrajectory[] planned_trajectories\n"
        "float64 planning_time\n"},
  {"moveit_msgs/MoveItErrorCodes",
        "int32 val\n"
        "int32 SUCCESS=1\n"
        "int32 FAILURE=99999\n"
        "int32 PLANNING_FAILED=-1\n"
        "int32 INVALID_MOTION_PLAN=-2\n"
        "int32 MOTION_PLAN_INVALIDATED_BY_ENVIRONMENT_CHANGE=-3\n"
        "int32 CONTROL_FAILED=-4\n"
        "int32 UNABLE_TO_AQUIRE_SENSOR_DATA=-5\n"
        "int32 TIMED_OUT=-6\n"
        "int32 PREEMPTED=-7\n"
        "int32 START_STATE_IN_COLLISION=-10\n"
        "int32 START_STATE_VIOLATES_PATH_CONSTRAINTS=-11\n"
        "int32 START_STATE_INVALID=-26\n"
        "int32 GOAL_IN_COLLISION=-12\n"
        "int32 GOAL_VIOLATES_PATH_CONSTRAINTS=-13\n"
        "int32 GOAL_CONSTRAINTS_VIOLATED=-14\n"
        "int32 GOAL_STATE_INVALID=-27\n"
        "int32 UNRECOGNIZED_GOAL_TYPE=-28\n"
        "int32 INVALID_GROUP_NAME=-15\n"
        "int32 INVALID_GOAL_CONSTRAINTS=-16\n"
        "int32 INVALID_ROBOT_STATE=-17\n"
        "int32 INVALID_LINK_NAME=-18\n"
        "int32 INVALID_OBJECT_NAME=-19\n"
        "int32 FRAME_TRANSFORM_FAILURE=-21\n"
        "int32 COLLISION_CHECKING_UNAVAILABLE=-22\n"
        "int32 ROBOT_STATE_STALE=-23\n"
        "int32 SENSOR_INFO_STALE=-24\n"
        "int32 COMMUNICATION_FAILURE=-25\n"
        "int32 CRASH=-29\n"
        "int32 ABORT=-30\n"
        "int32 NO_IK_SOLUTION=-31\n"},
  {"moveit_msgs/ObjectColor",
        "string id\n"
        "std_msgs/ColorRGBA color\n"},
  {"moveit_msgs/OrientationConstraint",
        "std_msgs/Header header\n"
        "geometry_msgs/Quaternion orientation\n"
        "string link_name\n"
        "float64 absolute_x_axis_tolerance\n"
        "float64 absolute_y_axis_tolerance\n"
        "float64 absolute_z_axis_tolerance\n"
        "uint8 parameterization\n"
        "uint8 XYZ_EULER_ANGLES=0\n"
        "uint8 ROTATION_VECTOR=1\n"
        "float64 weight\n"},
  {"moveit_msgs/OrientedBoundingBox",
        "geometry_msgs/Pose pose\n"
        "geometry_msgs/Point32 extents\n"},
  {"moveit_msgs/PlaceLocation",
        "string id\n"
        "trajectory_msgs/JointTrajectory post_place_posture\n"
        "geometry_msgs/PoseStamped place_pose\n"
        "float64 quality\n"
        "moveit_msgs/GripperTranslation pre_place_approach\n"
        "moveit_msgs/GripperTranslation post_place_retreat\n"
        "string[] allowed_touch_objects\n"},
  {"moveit_msgs/PlannerInterfaceDescription",
        "string name\n"
        "string pipeline_id\n"
        "string[] planner_ids\n"},
  {"moveit_msgs/PlannerParams",
        "string[] keys\n"
        "string[] values\n"
        "string[] descriptions\n"},
  {"moveit_msgs/PlanningOptions",
        "moveit_msgs/PlanningScene planning_scene_diff\n"
        "bool plan_only\n"
        "bool look_around\n"
        "int32 look_around_attempts\n"
        "float64 max_safe_execution_cost\n"
        "bool replan\n"
        "int32 replan_attempts\n"
        "float64 replan_delay\n"},
  {"moveit_msgs/PlanningScene",
        "string name\n"
        "moveit_msgs/RobotState robot_state\n"
        "string robot_model_name\n"
        "geometry_msgs/TransformStamped[] fixed_frame_transforms\n"
        "moveit_msgs/AllowedCollisionMatrix allowed_collision_matrix\n"
        "moveit_msgs/LinkPadding[] link_padding\n"
        "moveit_msgs/LinkScale[] link_scale\n"
        "moveit_msgs/ObjectColor[] object_colors\n"
        "moveit_msgs/PlanningSceneWorld world\n"
        "bool is_diff\n"},
  {"moveit_msgs/PlanningSceneComponents",
        "uint32 SCENE_SETTINGS=1\n"
        "uint32 ROBOT_STATE=2\n"
        "uint32 ROBOT_STATE_ATTACHED_OBJECTS=4\n"
        "uint32 WORLD_OBJECT_NAMES=8\n"
        "uint32 WORLD_OBJECT_GEOMETRY=16\n"
        "uint32 OCTOMAP=32\n"
        "uint32 TRANSFORMS=64\n"
        "uint32 ALLOWED_COLLISION_MATRIX=128\n"
        "uint32 LINK_PADDING_AND_SCALING=256\n"
        "uint32 OBJECT_COLORS=512\n"
        "uint32 components\n"},
  {"moveit_msgs/PlanningSceneWorld",
        "moveit_msgs/CollisionObject[] collision_objects\n"
        "octomap_msgs/OctomapWithPose octomap\n"},
  {"moveit_msgs/PositionConstraint",
        "std_msgs/Header header\n"
        "string link_name\n"
        "geometry_msgs/Vector3 target_point_offset\n"
        "moveit_msgs/BoundingVolume constraint_region\n"
        "float64 weight\n"},
  {"moveit_msgs/PositionIKRequest",
        "string group_name\n"
        "moveit_msgs/RobotState robot_state\n"
        "moveit_msgs/Constraints constraints\n"
        "bool avoid_collisions\n"
        "string ik_link_name\n"
        "geometry_msgs/PoseStamped pose_stamped\n"
        "string[] ik_link_names\n"
        "geometry_msgs/PoseStamped[] pose_stamped_vector\n"
        "builtin_interfaces/Duration timeout\n"},
  {"moveit_msgs/RobotState",
        "sensor_msgs/JointState joint_state\n"
        "sensor_msgs/MultiDOFJointState multi_dof_joint_state\n"
        "moveit_msgs/AttachedCollisionObject[] attached_collision_objects\n"
        "bool is_diff\n"},
  {"moveit_msgs/RobotTrajectory",
        "trajectory_msgs/JointTrajectory joint_trajectory\n"
        "trajectory_msgs/MultiDOFJointTrajectory multi_dof_joint_trajectory\n"},
  {"moveit_msgs/TrajectoryConstraints",
        "moveit_msgs/Constraints[] constraints\n"},
  {"moveit_msgs/VisibilityConstraint",
        "float64 target_radius\n"
        "geometry_msgs/PoseStamped target_pose\n"
        "int32 cone_sides\n"
        "geometry_msgs/PoseStamped sensor_pose\n"
        "float64 max_view_angle\n"
        "float64 max_range_angle\n"
        "uint8 SENSOR_Z=0\n"
        "uint8 SENSOR_Y=1\n"
        "uint8 SENSOR_X=2\n"
        "uint8 sensor_view_direction\n"
        "float64 weight\n"},
  {"moveit_msgs/WorkspaceParameters",
        "std_msgs/Header header\n"
        "geometry_msgs/Vector3 min_corner\n"
        "geometry_msgs/Vector3 max_corner\n"},
  {"object_recognition_msgs/ObjectType",
        "string key\n"
        "string db\n"},
  {"octomap_msgs/Octomap",
        "std_msgs/Header header\n"
        "bool binary\n"
        "string id\n"
        "float64 resolution\n"
        "int8[] data\n"},
  {"octomap_msgs/OctomapWithPose",
        "std_msgs/Header header\n"
        "geometry_msgs/Pose origin\n"
        "octomap_msgs/Octomap octomap\n"},
  {NULL}
};
