/* robocache: definitions of messages: packages of rcl_interfaces, unique_identifier_msgs and tf2_msgs
 *
 * Source: the .msg files of github.com/ros2/rcl_interfaces, unique_identifier_msgs and geometry2, branch humble
 * (Apache-2.0 and BSD): fields, types, constants and their order. Comments are ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "packages.h"

const RobocacheRosDefinition robocache_ros_core[] = {
  {"action_msgs/GoalInfo",
        "unique_identifier_msgs/UUID goal_id\n"
        "builtin_interfaces/Time stamp\n"},
  {"action_msgs/GoalStatus",
        "int8 STATUS_UNKNOWN=0\n"
        "int8 STATUS_ACCEPTED=1\n"
        "int8 STATUS_EXECUTING=2\n"
        "int8 STATUS_CANCELING=3\n"
        "int8 STATUS_SUCCEEDED=4\n"
        "int8 STATUS_CANCELED=5\n"
        "int8 STATUS_ABORTED=6\n"
        "action_msgs/GoalInfo goal_info\n"
        "int8 status\n"},
  {"action_msgs/GoalStatusArray",
        "action_msgs/GoalStatus[] status_list\n"},
  {"builtin_interfaces/Duration",
        "int32 sec\n"
        "uint32 nanosec\n"},
  {"builtin_interfaces/Time",
        "int32 sec\n"
        "uint32 nanosec\n"},
  {"lifecycle_msgs/State",
        "uint8 PRIMARY_STATE_UNKNOWN=0\n"
        "uint8 PRIMARY_STATE_UNCONFIGURED=1\n"
        "uint8 PRIMARY_STATE_INACTIVE=2\n"
        "uint8 PRIMARY_STATE_ACTIVE=3\n"
        "uint8 PRIMARY_STATE_FINALIZED=4\n"
        "uint8 TRANSITION_STATE_CONFIGURING=10\n"
        "uint8 TRANSITION_STATE_CLEANINGUP=11\n"
        "uint8 TRANSITION_STATE_SHUTTINGDOWN=12\n"
        "uint8 TRANSITION_STATE_ACTIVATING=13\n"
        "uint8 TRANSITION_STATE_DEACTIVATING=14\n"
        "uint8 TRANSITION_STATE_ERRORPROCESSING=15\n"
        "uint8 id\n"
        "string label\n"},
  {"lifecycle_msgs/Transition",
        "uint8 TRANSITION_CREATE=0\n"
        "uint8 TRANSITION_CONFIGURE=1\n"
        "uint8 TRANSITION_CLEANUP=2\n"
        "uint8 TRANSITION_ACTIVATE=3\n"
        "uint8 TRANSITION_DEACTIVATE=4\n"
        "uint8 TRANSITION_UNCONFIGURED_SHUTDOWN=5\n"
        "uint8 TRANSITION_INACTIVE_SHUTDOWN=6\n"
        "uint8 TRANSITION_ACTIVE_SHUTDOWN=7\n"
        "uint8 TRANSITION_DESTROY=8\n"
        "uint8 TRANSITION_ON_CONFIGURE_SUCCESS=10\n"
        "uint8 TRANSITION_ON_CONFIGURE_FAILURE=11\n"
        "uint8 TRANSITION_ON_CONFIGURE_ERROR=12\n"
        "uint8 TRANSITION_ON_CLEANUP_SUCCESS=20\n"
        "uint8 TRANSITION_ON_CLEANUP_FAILURE=21\n"
        "uint8 TRANSITION_ON_CLEANUP_ERROR=22\n"
        "uint8 TRANSITION_ON_ACTIVATE_SUCCESS=30\n"
        "uint8 TRANSITION_ON_ACTIVATE_FAILURE=31\n"
        "uint8 TRANSITION_ON_ACTIVATE_ERROR=32\n"
        "uint8 TRANSITION_ON_DEACTIVATE_SUCCESS=40\n"
        "uint8 TRANSITION_ON_DEACTIVATE_FAILURE=41\n"
        "uint8 TRANSITION_ON_DEACTIVATE_ERROR=42\n"
        "uint8 TRANSITION_ON_SHUTDOWN_SUCCESS=50\n"
        "uint8 TRANSITION_ON_SHUTDOWN_FAILURE=51\n"
        "uint8 TRANSITION_ON_SHUTDOWN_ERROR=52\n"
        "uint8 TRANSITION_ON_ERROR_SUCCESS=60\n"
        "uint8 TRANSITION_ON_ERROR_FAILURE=61\n"
        "uint8 TRANSITION_ON_ERROR_ERROR=62\n"
        "uint8 TRANSITION_CALLBACK_SUCCESS=97\n"
        "uint8 TRANSITION_CALLBACK_FAILURE=98\n"
        "uint8 TRANSITION_CALLBACK_ERROR=99\n"
        "uint8 id\n"
        "string label\n"},
  {"lifecycle_msgs/TransitionDescription",
        "lifecycle_msgs/Transition transition\n"
        "lifecycle_msgs/State start_state\n"
        "lifecycle_msgs/State goal_state\n"},
  {"lifecycle_msgs/TransitionEvent",
        "uint64 timestamp\n"
        "lifecycle_msgs/Transition transition\n"
        "lifecycle_msgs/State start_state\n"
        "lifecycle_msgs/State goal_state\n"},
  {"rcl_interfaces/FloatingPointRange",
        "float64 from_value\n"
        "float64 to_value\n"
        "float64 step\n"},
  {"rcl_interfaces/IntegerRange",
        "int64 from_value\n"
        "int64 to_value\n"
        "uint64 step\n"},
  {"rcl_interfaces/ListParametersResult",
        "string[] names\n"
        "string[] prefixes\n"},
  {"rcl_interfaces/Log",
        "byte DEBUG=10\n"
        "byte INFO=20\n"
        "byte WARN=30\n"
        "byte ERROR=40\n"
        "byte FATAL=50\n"
        "builtin_interfaces/Time stamp\n"
        "uint8 level\n"
        "string name\n"
        "string msg\n"
        "string file\n"
        "string function\n"
        "uint32 line\n"},
  {"rcl_interfaces/Parameter",
        "string name\n"
        "rcl_interfaces/ParameterValue value\n"},
  {"rcl_interfaces/ParameterDescriptor",
        "string name\n"
        "uint8 type\n"
        "string description\n"
        "string additional_constraints\n"
        "bool read_only false\n"
        "bool dynamic_typing false\n"
        "rcl_interfaces/FloatingPointRange[<=1] floating_point_range\n"
        "rcl_interfaces/IntegerRange[<=1] integer_range\n"},
  {"rcl_interfaces/ParameterEvent",
        "builtin_interfaces/Time stamp\n"
        "string node\n"
        "rcl_interfaces/Parameter[] new_parameters\n"
        "rcl_interfaces/Parameter[] changed_parameters\n"
        "rcl_interfaces/Parameter[] deleted_parameters\n"},
  {"rcl_interfaces/ParameterEventDescriptors",
        "rcl_interfaces/ParameterDescriptor[] new_parameters\n"
        "rcl_interfaces/ParameterDescriptor[] changed_parameters\n"
        "rcl_interfaces/ParameterDescriptor[] deleted_parameters\n"},
  {"rcl_interfaces/ParameterType",
        "uint8 PARAMETER_NOT_SET=0\n"
        "uint8 PARAMETER_BOOL=1\n"
        "uint8 PARAMETER_INTEGER=2\n"
        "uint8 PARAMETER_DOUBLE=3\n"
        "uint8 PARAMETER_STRING=4\n"
        "uint8 PARAMETER_BYTE_ARRAY=5\n"
        "uint8 PARAMETER_BOOL_ARRAY=6\n"
        "uint8 PARAMETER_INTEGER_ARRAY=7\n"
        "uint8 PARAMETER_DOUBLE_ARRAY=8\n"
        "uint8 PARAMETER_STRING_ARRAY=9\n"},
  {"rcl_interfaces/ParameterValue",
        "uint8 type\n"
        "bool bool_value\n"
        "int64 integer_value\n"
        "float64 double_value\n"
        "string string_value\n"
        "byte[] byte_array_value\n"
        "bool[] bool_array_value\n"
        "int64[] integer_array_value\n"
        "float64[] double_array_value\n"
        "string[] string_array_value\n"},
  {"rcl_interfaces/SetParametersResult",
        "bool successful\n"
        "string reason\n"},
  {"rosgraph_msgs/Clock",
        "builtin_interfaces/Time clock\n"},
  {"statistics_msgs/MetricsMessage",
        "string measurement_source_name\n"
        "string metrics_source\n"
        "string unit\n"
        "builtin_interfaces/Time window_start\n"
        "builtin_interfaces/Time window_stop\n"
        "statistics_msgs/StatisticDataPoint[] statistics\n"},
  {"statistics_msgs/StatisticDataPoint",
        "uint8 data_type\n"
        "float64 data\n"},
  {"statistics_msgs/StatisticDataType",
        "uint8 STATISTICS_DATA_TYPE_UNINITIALIZED=0\n"
        "uint8 STATISTICS_DATA_TYPE_AVERAGE=1\n"
        "uint8 STATISTICS_DATA_TYPE_MINIMUM=2\n"
        "uint8 STATISTICS_DATA_TYPE_MAXIMUM=3\n"
        "uint8 STATISTICS_DATA_TYPE_STDDEV=4\n"
        "uint8 STATISTICS_DATA_TYPE_SAMPLE_COUNT=5\n"},
  {"tf2_msgs/TF2Error",
        "uint8 NO_ERROR=0\n"
        "uint8 LOOKUP_ERROR=1\n"
        "uint8 CONNECTIVITY_ERROR=2\n"
        "uint8 EXTRAPOLATION_ERROR=3\n"
        "uint8 INVALID_ARGUMENT_ERROR=4\n"
        "uint8 TIMEOUT_ERROR=5\n"
        "uint8 TRANSFORM_ERROR=6\n"
        "uint8 error\n"
        "string error_string\n"},
  {"tf2_msgs/TFMessage",
        "geometry_msgs/TransformStamped[] transforms\n"},
  {"unique_identifier_msgs/UUID",
        "uint8[16] uuid\n"},
  {NULL}
};
