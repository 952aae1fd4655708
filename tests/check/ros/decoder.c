/* robocache: messages of ROS 2 as samples of streams
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/rosstreams/rosdecoder.h"

#include "common/element/errors.h"
#include "common/ros/definitions.h"
#include "common/ros/messagecheck.h"
#include "tests/check/lib/messagetext.h"
#include "tests/check/lib/checks.h"

/* ---- definitions ---- */

#define BREAK "\n===\nMSG: "
#define XYZ "float64 x\nfloat64 y\nfloat64 z"
#define VECTOR BREAK "geometry_msgs/Vector3\n" XYZ
#define QUATERNION BREAK "geometry_msgs/Quaternion\n" XYZ "\nfloat64 w"
#define TRANSFORM BREAK "geometry_msgs/TransformStamped\nstd_msgs/Header header\nstring child_frame_id\nTransform transform" \
  BREAK "geometry_msgs/Transform\nVector3 translation\nQuaternion rotation" VECTOR QUATERNION
#define ARRAY(type) "MultiArrayLayout layout\n" type "[] data" BREAK "std_msgs/MultiArrayLayout\nMultiArrayDimension[] dim\n" \
  "uint32 data_offset" BREAK "std_msgs/MultiArrayDimension\nstring label\nuint32 size\nuint32 stride"

static const struct
{
  const gchar *type, *text;
} definitions[] = {
  {"nav_msgs/Odometry", "std_msgs/Header header\nstring child_frame_id\ngeometry_msgs/PoseWithCovariance pose\n"
        "geometry_msgs/TwistWithCovariance twist" BREAK "geometry_msgs/PoseWithCovariance\nPose pose\nfloat64[2] covariance" BREAK
        "geometry_msgs/Pose\nPoint position\nQuaternion orientation" BREAK "geometry_msgs/Point\n" XYZ QUATERNION BREAK
        "geometry_msgs/TwistWithCovariance\nTwist twist\nfloat64[2] covariance" BREAK
        "geometry_msgs/Twist\nVector3 linear\nVector3 angular" VECTOR},
  {"geometry_msgs/TwistStamped", "std_msgs/Header header\nTwist twist" BREAK "geometry_msgs/Twist\nVector3 linear\nVector3 angular" VECTOR},
  {"geometry_msgs/Wrench", "Vector3 force\nVector3 torque" VECTOR},
  {"tf2_msgs/TFMessage", "geometry_msgs/TransformStamped[] transforms" TRANSFORM},
  {"std_msgs/Float32MultiArray", ARRAY ("float32")},
  {"std_msgs/Int16MultiArray", ARRAY ("int16")},
  {"sensor_msgs/LaserScan", "std_msgs/Header header\nfloat32 angle_min\nfloat32 angle_max\nfloat32 angle_increment\n"
        "float32 time_increment\nfloat32 scan_time\nfloat32 range_min\nfloat32 range_max\nfloat32[] ranges\nfloat32[] intensities"},
  {"a_msgs/Gripper", "builtin_interfaces/Time stamp\nfloat32 width\ngeometry_msgs/Pose pose\nbool closed" BREAK
        "geometry_msgs/Pose\nPoint position\nQuaternion orientation" BREAK "geometry_msgs/Point\n" XYZ QUATERNION},
  {"a_msgs/Text", "std_msgs/Header header\nstring text"},
};

static gchar *
definition_of (const gchar *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (definitions); i++) {
    if (g_str_equal (definitions[i].type, type))
      return g_strdup (definitions[i].text);
  }
  return robocache_ros_schema_text (type);
}

/* ---- cases ---- */

#define HEAD "((1 5) 'f')"
#define ROW(type, n) "other/tensors, format=(string)static, num_tensors=(int)1, types=(string)" type ", dimensions=(string)" n \
  ", framerate=(fraction)0/1"
#define JOINTS(n, names) ROW ("float64", n) ", channels=(string)" names ", role=(string)joints ="
#define RATED(n, names, kinds) ROW ("float64", n) ", channels=(string)" names ", role=(string)joints, kinds=(string)\"" kinds "\" ="
#define POSE ROW ("float64", "7") ", channels=(string)\"x\\,y\\,z\\,qx\\,qy\\,qz\\,qw\", role=(string)pose, kinds=(string)\"real\\*3\\,quaternion\", " \
  "quaternions=(string)3 ="
#define TWIST ROW ("float64", "6") ", channels=(string)\"vx\\,vy\\,vz\\,wx\\,wy\\,wz\", role=(string)twist ="
#define ZEROS_9 "[0 0 0 0 0 0 0 0 0]"
#define UNKNOWN_9 "[-1 0 0 0 0 0 0 0 0]"
#define VIDEO(format, width, height) "video/x-raw, format=(string)" format ", width=(int)" width ", height=(int)" height
#define CLOUD "application/x-pointcloud, fields=(string)"
#define NO_CAPS NULL, NULL, NULL

typedef struct
{
  const gchar *message, *samples;       /* of which only the beginning, up to "...", counts; "!words": an error with them */
} Step;

/* Messages of a topic, one after another, and their samples. */
static const struct
{
  const gchar *type, *fields, *joints, *caps;
  Step steps[9];
} cases[] = {
  /* joints by their names */
  {"sensor_msgs/JointState", NO_CAPS, {
          {"(" HEAD " ['a' 'b'] [1 2] [] [])", " @1000000005 f: " JOINTS ("2", "\"a.position\\,b.position\"") " 1 2"},
          {"(" HEAD " ['b' 'a'] [2 1] [] [])", " @1000000005 f: " JOINTS ("2", "\"a.position\\,b.position\"") " 1 2"},
          {"(" HEAD " ['b' 'a'] [2 1] [4 3] [])", " @1000000005 f: " RATED ("4", "\"a.position\\,b.position\\,a.velocity\\,b.velocity\"",
                  "real\\*2\\,velocity:a.position\\,velocity:b.position")
                " 1 2 3 4"},
          {"(" HEAD " ['a' 'b'] [1 2] [] [])", " @1000000005 f: " RATED ("4", "\"a.position\\,b.position\\,a.velocity\\,b.velocity\"",
                  "real\\*2\\,velocity:a.position\\,velocity:b.position")
                " 1 2 nan nan"},
          {"(" HEAD " ['c'] [5] [] [])", "c @1000000005 f: " JOINTS ("1", "c.position") " 5"},
          {"(" HEAD " [] [] [] [])", "none"},
          {"(" HEAD " ['a'] [] [] [])", "none"}}},
  {"sensor_msgs/JointState", NO_CAPS, {
          {"(" HEAD " ['a' 'b'] [1] [] [])", "!position has 1 numbers for 2 names"},
          {"(" HEAD " ['a' 'b' 'a'] [1 2 3] [] [])", "!joint a is named twice"},
          {"(" HEAD " ['a,b' 'a'] [1 2] [] [])", " @1000000005 f: " JOINTS ("2", "\"a_b.position\\,a.position\"") " 1 2"},
          {"(" HEAD " ['a' 'b,a'] [1 2] [] [])", "a,b,a @1000000005 f: " JOINTS ("2", "\"a.position\\,b_a.position\"") " 1 2"}}},
  /* joints without names */
  {"sensor_msgs/JointState", NO_CAPS, {
          {"(" HEAD " [] [1 2] [] [])", " @1000000005 f: " JOINTS ("2", "\"position\\[0\\]\\,position\\[1\\]\"") " 1 2"},
          {"(" HEAD " [] [3 4] [5 6] [])", " @1000000005 f: " RATED ("4", "\"position\\[0\\]\\,position\\[1\\]\\,velocity\\[0\\]\\,velocity\\[1\\]\"",
                  "real\\*2\\,velocity:position\\[0\\]\\,velocity:position\\[1\\]") " 3 4 5 6"},
          {"(" HEAD " [] [1] [] [2 3])", "!position has 1 numbers for 0 names"}}},
  {"sensor_msgs/JointState", NULL, "a", NULL, {{"(" HEAD " [] [1 2] [] [])", "!it names no joint, so the property joints cannot "
      "select any"}}},
  /* the names of the message before, wrong numbers for them, and names that differ in a byte */
  {"sensor_msgs/JointState", NO_CAPS, {
          {"(" HEAD " ['a' 'b'] [1 2] [] [])", " @1000000005 f: " JOINTS ("2", "\"a.position\\,b.position\"") " 1 2"},
          {"(" HEAD " ['a' 'b'] [3] [] [])", "!position has 1 numbers for 2 names"},
          {"(" HEAD " ['a' 'b'] [5 6] [] [])", " @1000000005 f: " JOINTS ("2", "\"a.position\\,b.position\"") " 5 6"},
          {"(" HEAD " ['a' 'c'] [7 8] [] [])", "a,c @1000000005 f: " JOINTS ("2", "\"a.position\\,c.position\"") " 7 8"},
          {"(" HEAD " ['a' 'a'] [7 8] [] [])", "!joint a is named twice"},
          {"(" HEAD " ['a' 'c'] [] [] [])", "none"},
          {"(" HEAD " ['a' 'b'] [] [9 1] [])", " @1000000005 f: " RATED ("4", "\"a.position\\,b.position\\,a.velocity\\,b.velocity\"",
                  "real\\*2\\,velocity:a.position\\,velocity:b.position")
                " nan nan 9 1"}}},
  /* lengths that change in messages of the same size */
  {"sensor_msgs/JointState", NO_CAPS, {
          {"(" HEAD " ['ab' 'c'] [1 2] [] [])", " @1000000005 f: " JOINTS ("2", "\"ab.position\\,c.position\"") " 1 2"},
          {"(" HEAD " ['a' 'bc'] [3 4] [] [])", "a,bc @1000000005 f: " JOINTS ("2", "\"a.position\\,bc.position\"") " 3 4"},
          {"(((1 5) 'gh') ['a' 'bc'] [5 6] [] [])", "a,bc @1000000005 gh: " JOINTS ("2", "\"a.position\\,bc.position\"") " 5 6"},
          {"(((2 7) '') ['ab' 'c'] [7 8] [] [])", " @2000000007 : " JOINTS ("2", "\"ab.position\\,c.position\"") " 7 8"}}},
  {"sensor_msgs/JointState", NULL, "b,a; c", NULL, {
          {"(" HEAD " ['a' 'b' 'd'] [1 2 9] [] [])", "b,a @1000000005 f: " JOINTS ("2", "\"b.position\\,a.position\"") " 2 1"},
          {"(" HEAD " ['c'] [] [] [7])", "c @1000000005 f: " JOINTS ("1", "c.effort") " 7"},
          {"(" HEAD " ['a'] [1] [] [])", "b,a @1000000005 f: " JOINTS ("2", "\"b.position\\,a.position\"") " nan 1"},
          {"(" HEAD " ['c' 'b' 'a'] [] [1 2 3] [])", "b,a @1000000005 f: " RATED ("4",
                  "\"b.position\\,a.position\\,b.velocity\\,a.velocity\"", "real\\*2\\,velocity:b.position\\,velocity:a.position") " nan nan 2 3; c @1000000005 f: " JOINTS ("2",
                  "\"c.velocity\\,c.effort\"") " 1 nan"},
          {"(" HEAD " ['e'] [1] [] [])", "none"}}},
  {"sensor_msgs/JointState", "/topic:velocity", NULL, NULL, {
          {"(" HEAD " ['a'] [1] [2] [3])", " @1000000005 f: " JOINTS ("1", "a.velocity") " 2"}}},
  {"sensor_msgs/JointState", "velocity", NULL, NULL, {
          {"(" HEAD " ['a'] [1] [2] [])", " @1000000005 f: " RATED ("2", "\"a.position\\,a.velocity\"",
                  "real\\,velocity:a.position") " 1 2"}}},
  /* as the writer's rows were */
  {"sensor_msgs/JointState", NULL, NULL, ROW ("float32", "2") ", channels=(string)\"q1,q0\", role=(string)proprio", {
          {"(" HEAD " ['q1' 'q0'] [1 2] [] [])", " @1000000005 f: " ROW ("float32", "2") ", channels=(string)\"q1\\,q0\", "
                "role=(string)proprio = 1 2"},
          {"(" HEAD " ['q0' 'q1'] [2 1] [] [])", " @1000000005 f: " ROW ("float32", "2") ", channels=(string)\"q1\\,q0\", "
                "role=(string)proprio = 1 2"},
          {"(" HEAD " ['x'] [1] [] [])", "x @1000000005 f: " JOINTS ("1", "x.position") " 1"}}},
  {"sensor_msgs/Imu", NULL, NULL, "other/tensors, format=static, num_tensors=2, types=(string)\"int16,int64\", "
        "dimensions=(string)\"6:4,4\", framerate=100/1, channels=(string)\"ax,ay,az,gx,gy,gz\"", {
          {"(" HEAD " (0 0 0 1) " UNKNOWN_9 " (1 2 3) " ZEROS_9 " (4 5 6) " ZEROS_9 ")", " @1000000005 f: other/tensors, "
                "format=(string)static, num_tensors=(int)1, types=(string)int16, dimensions=(string)6, framerate=(fraction)100/1, "
                "channels=(string)\"ax\\,ay\\,az\\,gx\\,gy\\,gz\" = 4 5 6 1 2 3"}}},
  /* caps that no row can be: of other channels, of no tensor, of no caps */
  {"geometry_msgs/WrenchStamped", NULL, NULL, ROW ("float32", "2") ", channels=(string)\"a,b\"", {
          {"(" HEAD " ((1 2 3) (4 5 6)))", " @1000000005 f: " ROW ("float64", "6") "..."}}},
  {"geometry_msgs/WrenchStamped", NULL, NULL, "video/x-raw", {{"(" HEAD " ((1 2 3) (4 5 6)))", "..."}}},
  {"geometry_msgs/WrenchStamped", NULL, NULL, ",,,", {{"(" HEAD " ((1 2 3) (4 5 6)))", "..."}}},
  /* fixed numbers */
  {"sensor_msgs/Imu", NO_CAPS, {
          {"(" HEAD " (0 0 0 1) " UNKNOWN_9 " (1 2 3) " ZEROS_9 " (4 5 6) " ZEROS_9 ")", " @1000000005 f: " ROW ("float64", "6")
                ", channels=(string)\"gx\\,gy\\,gz\\,ax\\,ay\\,az\", role=(string)imu = 1 2 3 4 5 6"},
          {"(" HEAD " (.5 .25 0 1) " ZEROS_9 " (1 2 3) " UNKNOWN_9 " (4 5 6) " ZEROS_9 ")", " @1000000005 f: " ROW ("float64", "10")
                ", channels=(string)\"qx\\,qy\\,qz\\,qw\\,gx\\,gy\\,gz\\,ax\\,ay\\,az\", role=(string)imu, kinds=(string)\"quaternion\\,real\\*6\", quaternions=(string)0"
                " = 0.5 0.25 0 1 nan nan nan 4 5 6"}}},
  {"geometry_msgs/WrenchStamped", NO_CAPS, {{"(((0 0) '') ((1 2 3) (4 5 6)))", " @none : " ROW ("float64", "6")
                ", channels=(string)\"fx\\,fy\\,fz\\,tx\\,ty\\,tz\", role=(string)force = 1 2 3 4 5 6"}}},
  {"geometry_msgs/Wrench", NO_CAPS, {{"((1 2 3) (4 5 6))", " @none : " ROW ("float64", "6")
                ", channels=(string)\"fx\\,fy\\,fz\\,tx\\,ty\\,tz\", role=(string)force = 1 2 3 4 5 6"}}},
  {"geometry_msgs/PoseStamped", NO_CAPS, {{"(((-1 5) 'map') ((1 2 3) (4 5 6 7)))", " @-999999995 map: " POSE " 1 2 3 4 5 6 7"}}},
  {"geometry_msgs/TwistStamped", NO_CAPS, {{"(" HEAD " ((1 2 3) (4 5 6)))", " @1000000005 f: " TWIST " 1 2 3 4 5 6"}}},
  {"nav_msgs/Odometry", NO_CAPS, {{"(" HEAD " 'c' (((1 2 3) (4 5 6 7)) [0 0]) (((8 9 10) (11 12 13)) [0 0]))", " @1000000005 f: "
                ROW ("float64", "13") ", channels=(string)\"x\\,y\\,z\\,qx\\,qy\\,qz\\,qw\\,vx\\,vy\\,vz\\,wx\\,wy\\,wz\", "
                "role=(string)odometry, kinds=(string)\"real\\*3\\,quaternion\\,real\\*6\", quaternions=(string)3 = 1 2 3 4 5 6 7 8 9 10 11 12 13"}}},
  {"tf2_msgs/TFMessage", NO_CAPS, {
          {"([(" HEAD " 'b' ((1 2 3) (0 0 0 1))) (((2 0) 'b') 'c' ((4 5 6) (0 0 1 0)))])", "b @1000000005 f: " POSE " 1 2 3 0 0 0 1; "
                "c @2000000000 b: " POSE " 4 5 6 0 0 1 0"},
          {"([])", "none"},
          {"([(" HEAD " 'c' ((1 2 3) (0 0 0 1)))])", "c @1000000005 f: " POSE " 1 2 3 0 0 0 1"}}},
  /* tensors */
  {"std_msgs/Float32MultiArray", NO_CAPS, {
          {"(([] 0) [1 2 3])", " @none : " ROW ("float32", "3") " = 1 2 3"},
          {"(([('r' 2 6) ('c' 3 3)] 0) [1 2 3 4 5 6])", " @none : " ROW ("float32", "3:2") " = 1 2 3 4 5 6"},
          {"(([('r' 2 6) ('c' 3 3)] 1) [9 1 2 3 4 5 6])", " @none : " ROW ("float32", "3:2") " = 1 2 3 4 5 6"},
          {"(([('r' 2 6) ('c' 4 3)] 0) [1 2 3 4 5 6])", " @none : " ROW ("float32", "6") " = 1 2 3 4 5 6"},
          {"(([('r' 4294967295 6) ('c' 4294967295 3)] 0) [1 2])", " @none : " ROW ("float32", "2") " = 1 2"},
          {"(([] 0) [])", "none"},
          {"(([] 4) [1 2 3])", "!layout.data_offset is 4"}}},
  {"std_msgs/Int16MultiArray", NO_CAPS, {{"(([('' 3 0)] 0) [1 -2 3])", " @none : " ROW ("int16", "3") " = 1 -2 3"}}},
  {"robocache_msgs/Row", NO_CAPS, {
          {"(" HEAD " ['a' 'b'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [1 2] [])", " @1000000005 f: " ROW ("float32", "2")
                ", channels=(string)\"a\\,b\" = 1 2"},
          {"(" HEAD " ['a' 'b'] 0 20 [] [] [] [] [] [] [] [] [] [] [] [1 2 3 4] [])", " @1000000005 f: " ROW ("float32", "2:2")
                ", channels=(string)\"a\\,b\" = 1 2 3 4 for 20"},
          {"(" HEAD " ['a'] 0 20 [0 5] [] [] [] [] [] [] [1 -2] [] [] [] [] [])", " @1000000005 f: other/tensors, format=(string)static, "
                "num_tensors=(int)2, types=(string)\"int64\\,int64\", dimensions=(string)\"1:2\\,2\", framerate=(fraction)0/1, "
                "channels=(string)a = 1 -2 | 0 5 for 20"},
          {"(" HEAD " ['a' 'b'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [1 2 3] [])", "!the row has 3 values"},
          {"(" HEAD " [] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [1 2] [])", " @1000000005 f: " ROW ("float32", "2") " = 1 2"},
          {"(" HEAD " ['a'] 0 -1 [1 2] [] [] [] [] [] [] [] [] [] [] [1] [])", "!2 times"},
          {"(" HEAD " [] 0 -1 [0 3] [] [] [] [] [] [] [] [] [] [] [1 2 3 4] [])", " @1000000005 f: other/tensors, format=(string)static, "
                "num_tensors=(int)2, types=(string)\"float32\\,int64\", dimensions=(string)\"2:2\\,2\", framerate=(fraction)0/1"
                " = 1 2 3 4 | 0 3"},
          {"(" HEAD " ['a'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [] [])", "none"}}},
  {"robocache_msgs/Row", NULL, NULL, ROW ("uint16", "2:8") ", channels=(string)\"a,b\", role=(string)other, "
      "kinds=(string)\"hold,real\"", {
          {"(" HEAD " ['a' 'b'] 0 -1 [] [] [] [] [1 2] [] [] [] [] [] [] [] [])", " @1000000005 f: " ROW ("uint16", "2")
                ", channels=(string)\"a\\,b\", role=(string)other, kinds=(string)\"hold\\,real\" = 1 2"},
          {"(" HEAD " ['a'] 0 -1 [] [] [] [] [] [] [] [] [] [] [] [1] [])", " @1000000005 f: " ROW ("float32", "1")
                ", channels=(string)a = 1"}}},
  {"robocache_msgs/Tensor", NO_CAPS, {
          {"(" HEAD " 'map' 'int16' [2 1 2] 0 -1 [1 0 2 0 255 255 0 1])", " @1000000005 f: " ROW ("int16", "2:1:2") " = 1 2 -1 256"},
          {"(" HEAD " 'map' 'int16' [] 0 7 [1 0])", " @1000000005 f: " ROW ("int16", "1") " = 1 for 7"},
          {"(" HEAD " 'map' 'int16' [3] 0 -1 [1 0])", "!does not fit its 2 bytes"},
          {"(" HEAD " 'map' 'int17' [1] 0 -1 [1 0])", "!type \"int17\""},
          {"(" HEAD " 'map' 'int8' [4294967296 4294967296] 0 -1 [1])", "!2 axes"},
          {"(" HEAD " 'map' 'int8' [1 1 1 1 1 1 1 1 1] 0 -1 [1])", "!9 axes"},
          {"(" HEAD " 'map' 'int8' [0] 0 -1 [])", "!1 axes"}}},
  /* pictures */
  {"sensor_msgs/Image", NO_CAPS, {
          {"(" HEAD " 2 1 'rgb8' 0 3 [1 2 3 4 5 6])", " @1000000005 f: " VIDEO ("RGB", "1", "2") "... 0102030004050600"},
          {"(" HEAD " 2 1 'bgr8' 0 5 [1 2 3 0 0 4 5 6])", " @1000000005 f: " VIDEO ("BGR", "1", "2") "... 0102030004050600"},
          {"(" HEAD " 1 2 'mono16' 0 4 [1 2 3 4])", " @1000000005 f: " VIDEO ("GRAY16_LE", "2", "1") "... 01020304"},
          {"(" HEAD " 1 2 '16UC1' 1 4 [1 2 3 4])", " @1000000005 f: " VIDEO ("GRAY16_BE", "2", "1") "... 01020304"},
          {"(" HEAD " 1 2 'yuv422_yuy2' 0 4 [1 2 3 4])", " @1000000005 f: " VIDEO ("YUY2", "2", "1") "... 01020304"},
          {"(" HEAD " 2 2 'nv21' 0 4 [1 2 0 0 3 4 0 0 5 6 0 0])", " @1000000005 f: " VIDEO ("NV21", "2", "2")
                "... 010200000304000005060000"},
          {"(" HEAD " 1 2 'nv24' 0 2 [1 2 3 4 5 6])", " @1000000005 f: " VIDEO ("NV24", "2", "1") "..."},
          {"(" HEAD " 2 2 'bayer_rggb8' 0 2 [1 2 3 4])", " @1000000005 f: video/x-bayer, format=(string)rggb, width=(int)2, "
                "height=(int)2, framerate=(fraction)0/1 = 0102000003040000"}}},
  {"sensor_msgs/Image", NO_CAPS, {
          {"(" HEAD " 1 2 '32FC1' 0 8 [0 0 128 63 0 0 0 64])", " @1000000005 f: " ROW ("float32", "2") ", picture=(string)32FC1 = 1 2"},
          {"(" HEAD " 2 1 '32FC1' 1 4 [63 128 0 0 64 0 0 0])", " @1000000005 f: " ROW ("float32", "1:2") ", picture=(string)32FC1 = 1 2"},
          {"(" HEAD " 1 1 '16SC3' 0 6 [1 0 255 255 2 0])", " @1000000005 f: " ROW ("int16", "3") ", picture=(string)16SC3 = 1 -1 2"},
          {"(" HEAD " 1 2 'rgb16' 0 12 [1 0 2 0 3 0 4 0 5 0 6 0])", " @1000000005 f: " ROW ("uint16", "3:2") ", picture=(string)rgb16 = 1 2 3 4 5 6"},
          {"(" HEAD " 2 1 'rgb8' 0 3 [1 2 3 4 5])", "!2 lines of 3 bytes, but its data has 5 bytes"},
          {"(" HEAD " 2 1 'rgb8' 0 2 [1 2 3 4 5 6])", "!step is 2 bytes"},
          {"(" HEAD " 0 1 'rgb8' 0 3 [])", "!1 x 0 pixels"},
          {"(" HEAD " 1 1 'bgr9' 0 3 [1 2 3])", "!unknown encoding \"bgr9\""}}},
  {"sensor_msgs/Image", NO_CAPS, {
          {"(" HEAD " 4294967295 4294967295 'rgb8' 0 4294967295 [])", "!4294967295 x 4294967295 pixels"},
          {"(" HEAD " 32767 32767 '64FC512' 0 4294967295 [])", "!32767 lines"},
          {"(" HEAD " 1 1 '32FC0' 0 4 [0 0 0 0])", "!unknown encoding"},
          {"(" HEAD " 1 1 '32FC1x' 0 4 [0 0 0 0])", "!unknown encoding"}}},
  {"sensor_msgs/Image", NO_CAPS, {
          {"(" HEAD " 2 2 'nv12' 0 4 [1 2 0 0 3 4 0 0 5 6 0 0])", " @1000000005 f: " VIDEO ("NV12", "2", "2")
                "... 010200000304000005060000"},
          {"(" HEAD " 2 2 'nv12' 0 2 [1 2 3 4 5 6])", " @1000000005 f: " VIDEO ("NV12", "2", "2") "... 010200000304000005060000"},
          {"(" HEAD " 2 2 'nv12' 0 2 [1 2 3 4 5])", "!2 lines of 2 bytes"}}},
  {"sensor_msgs/Image", NULL, NULL, VIDEO ("RGB", "1", "1") ", framerate=30/1, colorimetry=(string)sRGB", {
          {"(" HEAD " 1 1 'rgb8' 0 3 [1 2 3])", " @1000000005 f: " VIDEO ("RGB", "1", "1") ", framerate=(fraction)30/1, "
                "colorimetry=(string)sRGB = 01020300"},
          {"(" HEAD " 1 2 'rgb8' 0 6 [1 2 3 4 5 6])", " @1000000005 f: " VIDEO ("RGB", "2", "1") "... 0102030405060000"}}},
  {"sensor_msgs/CompressedImage", NO_CAPS, {
          {"(" HEAD " 'jpeg' [255 216 255 0])", " @1000000005 f: image/jpeg, framerate=(fraction)0/1 = ffd8ff00"},
          {"(" HEAD " 'bgr8; jpeg compressed bgr8' [255 216 255 1])", " @1000000005 f: image/jpeg, framerate=(fraction)0/1 = ffd8ff01"},
          {"(" HEAD " '16UC1; compressedDepth png' [0 0 0 0 0 0 0 0 0 0 0 0 137 80 78 71 13 10 26 10])",
                " @1000000005 f: image/png, framerate=(fraction)0/1 = 89504e470d0a1a0a"},
          {"(" HEAD " 'webp' [1 2 3])", "!unknown format \"webp\""},
          {"(" HEAD " 'jpeg' [])", "!its picture has 0 bytes: the frame is lost"},
          {"(" HEAD " '16UC1; compressedDepth rvl' [0 0 0 0 0 0 0 0 0 0 0 0 2 0 0 0 2 0 0 0 0 0 0 8])", "!RVL: the image is truncated"},
          {"(" HEAD " '32FC1; compressedDepth png' [0 0 0 0 0 0 0 0 0 0 0 0 1])", "!the image is not PNG"},
          {"(" HEAD " 'h264' [0 0 1 101])", " @1000000005 f: video/x-h264, stream-format=(string)byte-stream, alignment=(string)au"
                " = 00000165"}}},
  {"foxglove_msgs/CompressedVideo", NO_CAPS, {
          {"((1 5) 'f' [0 0 0 1 103 1 0 0 1 104 0 0 1 101 7] 'h264')", " @1000000005 f: video/x-h264, stream-format=(string)byte-stream, "
                "alignment=(string)au = 000000016701000001680000016507"},
          {"((1 5) 'f' [0 0 1 65 7] 'h264')", " @1000000005 f: video/x-h264, stream-format=(string)byte-stream, alignment=(string)au"
                " = 0000014107 delta"},
          {"((1 5) 'f' [0 0 1 1 7 0 0 1] 'h264')", " @1000000005 f: video/x-h264, stream-format=(string)byte-stream, "
                "alignment=(string)au = 0000010107000001 delta"},
          {"((1 5) 'f' [0 0 1 38 1] 'h265')", " @1000000005 f: video/x-h265, stream-format=(string)byte-stream, alignment=(string)au"
                " = 0000012601"},
          {"((1 5) 'f' [0 0 1 2 1] 'h265')", " @1000000005 f: video/x-h265, stream-format=(string)byte-stream, alignment=(string)au"
                " = 0000010201 delta"},
          {"((1 5) 'f' [1] 'vp9')", " @1000000005 f: video/x-vp9 = 01"},
          {"((1 5) 'f' [1] 'mjpeg')", "!unknown format \"mjpeg\""}}},
  {"foxglove_msgs/CompressedVideo", NULL, NULL, "video/x-h264, stream-format=byte-stream, alignment=au, width=4, height=2", {
          {"((1 5) 'f' [0 0 1 101 7] 'h264')", " @1000000005 f: video/x-h264, stream-format=(string)byte-stream, alignment=(string)au, "
                "width=(int)4, height=(int)2 = 0000016507"}}},
  /* clouds */
  {"sensor_msgs/PointCloud2", NO_CAPS, {
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 12 [0 0 128 63 0 0 0 64 0 0 64 64] 1)", " @1000000005 f: " CLOUD
                "\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1 = 0000803f0000004000004040"},
          {"(" HEAD " 1 0 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 0 [] 1)", " @1000000005 f: " CLOUD "\"x\\,y\\,z\", "
                "type=(string)float32, framerate=(fraction)0/1 = "},
          {"(" HEAD " 1 1 [('z' 8 7 0) ('i' 12 4 2) ('y' 4 7 1) ('x' 0 7 1)] 0 20 20 [0 0 128 63 0 0 0 64 0 0 64 64 1 0 2 0 9 9 9 9] 1)",
                " @1000000005 f: " CLOUD "\"x\\,y\\,z\\,i_0\\,i_1\", types=(string)\"float32\\,float32\\,float32\\,uint16\\,uint16\", "
                "offsets=(string)\"0\\,4\\,8\\,12\\,14\", point-step=(int)20, framerate=(fraction)0/1 = "
                "0000803f00000040000040400100020009090909"},
          {"(" HEAD " 2 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 13 [0 0 128 63 0 0 0 64 0 0 64 64 9 0 0 128 63 0 0 0 64 0 0 64 64] 1)",
                " @1000000005 f: " CLOUD "\"x\\,y\\,z\", type=(string)float32, width=(int)1, height=(int)2, framerate=(fraction)0/1 = "
                "0000803f00000040000040400000803f0000004000004040"},
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 1 12 12 [63 128 0 0 64 0 0 0 64 64 0 0] 1)", " @1000000005 f: " CLOUD
                "\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1 = 0000803f0000004000004040"},
          {"(" HEAD " 0 0 [] 0 0 0 [] 1)", " @1000000005 f: " CLOUD "\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1 ="}}},
  {"sensor_msgs/PointCloud2", NO_CAPS, {
          {"(" HEAD " 0 0 [] 0 0 0 [] 1)", "none"},
          {"(" HEAD " 1 2 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 24 [0 0 0 0] 1)", "!1 x 2"},
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1)] 0 8 8 [0 0 0 0 0 0 0 0] 1)", "!named z"},
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 8 8 [0 0 0 0 0 0 0 0] 1)", "!field \"z\""},
          {"(" HEAD " 1 1 [('x' 0 9 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 12 [0 0 0 0 0 0 0 0 0 0 0 0] 1)", "!named x"},
          {"(" HEAD " 1 1 [('x' 0 7 4294967295)] 0 12 12 [0 0 0 0 0 0 0 0 0 0 0 0] 1)", "!count 4294967295"},
          {"(" HEAD " 4294967295 4294967295 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 4294967295 [0 0 0 0] 1)", "!4294967295 x"}}},
  /* fields of unknown types, and at one place, are left out */
  {"sensor_msgs/PointCloud2", NO_CAPS, {
          {"(" HEAD " 1 1 [('x' 0 7 1) ('label' 12 9 1) ('y' 4 7 1) ('z' 8 7 1)] 0 16 16 [0 0 128 63 0 0 0 64 0 0 64 64 1 2 3 4] 1)",
                " @1000000005 f: " CLOUD "\"x\\,y\\,z\", types=(string)\"float32\\,float32\\,float32\", offsets=(string)\"0\\,4\\,8\", "
                "point-step=(int)16, framerate=(fraction)0/1 = 0000803f000000400000404001020304"},
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1) ('rgb' 12 7 1) ('rgba' 12 6 1)] 0 16 16 [0 0 128 63 0 0 0 64 0 0 64 64 1 2 3 4] 1)",
                " @1000000005 f: " CLOUD "\"x\\,y\\,z\\,rgb\", type=(string)float32, framerate=(fraction)0/1 = "
                "0000803f000000400000404001020304"}}},
  {"sensor_msgs/PointCloud2", NULL, NULL, CLOUD "\"x,y,z\", type=(string)float32, framerate=10/1, note=(string)n", {
          {"(" HEAD " 1 1 [('x' 0 7 1) ('y' 4 7 1) ('z' 8 7 1)] 0 12 12 [0 0 128 63 0 0 0 64 0 0 64 64] 1)", " @1000000005 f: " CLOUD
                "\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)10/1, note=(string)n = 0000803f0000004000004040"}}},
  {"sensor_msgs/LaserScan", NO_CAPS, {
          {"(" HEAD " 0 0 1.5707964 0 0 1 9 [2 0.5 4] [])", " @1000000005 f: " CLOUD "\"x\\,y\\,z\", type=(string)float32, "
                "framerate=(fraction)0/1 = 0000004000000000000000000000c07f0000c07f0000c07f..."},
          {"(" HEAD " 0 0 0 0 0 1 9 [2] [7])", " @1000000005 f: " CLOUD "\"x\\,y\\,z\\,intensity\", type=(string)float32, "
                "framerate=(fraction)0/1 = 0000004000000000000000000000e040"},
          {"(" HEAD " 0 0 0 0 0 1 9 [] [7])", " @1000000005 f: " CLOUD "\"x\\,y\\,z\", type=(string)float32, framerate=(fraction)0/1 = "}}},
  /* any other type */
  {"a_msgs/Gripper", NO_CAPS, {{"((1 5) .5 ((1 2 3) (4 5 6 7)) 1)", " @1000000005 : " ROW ("float64", "9") ", channels=(string)\"width"
                "\\,pose.position.x\\,pose.position.y\\,pose.position.z\\,pose.orientation.x\\,pose.orientation.y\\,"
                "pose.orientation.z\\,pose.orientation.w\\,closed\", kinds=(string)\"real\\*4\\,quaternion\\,hold\", quaternions=(string)4 = 0.5 1 2 3 4 5 6 7 1"}}},
  {"a_msgs/Gripper", "width,closed,/other:pose", NULL, NULL, {{"((1 5) .5 ((1 2 3) (4 5 6 7)) 1)", " @1000000005 : "
                ROW ("float32", "2") ", channels=(string)\"width\\,closed\", kinds=(string)\"real\\,hold\" = 0.5 1"}}},
  {"a_msgs/Gripper", "width,/top*:pose.position,/topic:closed", NULL, NULL, {{"((1 5) .5 ((1 2 3) (4 5 6 7)) 1)", " @1000000005 : "
                ROW ("float64", "4") ", channels=(string)\"pose.position.x\\,pose.position.y\\,pose.position.z\\,closed\", kinds=(string)\"real\\*3\\,hold\" = 1 2 3 1"}}},
  {"std_msgs/Bool", NO_CAPS, {{"(1)", " @none : " ROW ("uint8", "1") ", channels=(string)data, kinds=(string)hold = 1"}}},
  {"std_msgs/Int32", NO_CAPS, {{"(-7)", " @none : " ROW ("int32", "1") ", channels=(string)data, kinds=(string)hold = -7"}}},
  {"std_msgs/Float64", NO_CAPS, {{"(.5)", " @none : " ROW ("float64", "1") ", channels=(string)data = 0.5"}}},
  {"sensor_msgs/Imu", "/topic:*covariance", NULL, NULL, {{"(" HEAD " (0 0 0 1) " UNKNOWN_9 " (1 2 3) " ZEROS_9 " (4 5 6) " ZEROS_9
                ")", " @1000000005 f: " ROW ("float64", "27") "..."}}},
  {"sensor_msgs/Imu", "*covariance", NULL, NULL, {{"(" HEAD " (0 0 0 1) " UNKNOWN_9 " (1 2 3) " ZEROS_9 " (4 5 6) " ZEROS_9 ")",
                " @1000000005 f: " ROW ("float64", "6") "..."}}},
};

static void
check_samples (guint i, const Step *step, const gchar *samples)
{
  const gchar *dots = strstr (step->samples, "...");
  const gboolean matches = dots ? strncmp (samples, step->samples, (gsize) (dots - step->samples)) == 0
      && g_str_has_suffix (samples, dots + 3) : g_str_equal (samples, step->samples);

  fail_unless (matches, "case %u, %s:\n   \"%s\",\nnot \"%s\"", i, step->message, samples, step->samples);
}

static void
check_step (guint i, RobocacheRosDecoder *decoder, const RobocacheRosSchema *schema, const Step *step)
{
  RobocacheCdrWriter writer = { 0 };
  GError *error = NULL;
  GArray *samples;
  guint8 *exact;
  gchar *text;

  write_text (&writer, schema, step->message);
  /* nothing behind the message is touched */
  exact = g_memdup (writer.data, (guint) writer.size);
  samples = robocache_ros_decoder_run (decoder, exact, writer.size, &error);
  fail_unless_equals_int (samples == NULL, error != NULL);
  fail_unless (error == NULL || *step->samples == '!', "case %u, %s: %s", i, step->message, error ? error->message : "");
  fail_unless (error != NULL || *step->samples != '!', "case %u, %s: no error", i, step->message);
  if (error) {
    fail_unless (strstr (error->message, step->samples + 1) != NULL, "\"%s\" lacks \"%s\"", error->message, step->samples + 1);
    g_clear_error (&error);
  } else {
    text = samples_to_string (samples);
    check_samples (i, step, text);
    g_free (text);
  }
  g_free (exact);
  robocache_cdr_writer_clear (&writer);
}

GST_START_TEST (test_cases)
{
  gchar *definition = definition_of (cases[__i__].type);
  const RobocacheRosChannel channel = { "/topic", cases[__i__].type, definition, strlen (definition), cases[__i__].caps,
    NULL, cases[__i__].fields, cases[__i__].joints
  };
  RobocacheRosSchema *schema = robocache_ros_schema_parse (channel.type, definition, strlen (definition), NULL);
  GError *error = NULL;

  RobocacheRosDecoder *decoder = robocache_ros_decoder_new (&channel, &error);

  fail_unless (decoder != NULL, "%s", error ? error->message : "");
  for (guint i = 0; i < G_N_ELEMENTS (cases[0].steps) && cases[__i__].steps[i].message; i++)
    check_step (__i__, decoder, schema, &cases[__i__].steps[i]);
  robocache_ros_decoder_free (decoder);
  robocache_ros_schema_free (schema);
  g_free (definition);
}

GST_END_TEST;

/* Each beginning of a message has samples or an error, and costs the next message nothing. */
GST_START_TEST (test_parts)
{
  gchar *definition = definition_of (cases[__i__].type);
  const RobocacheRosChannel channel = { "/topic", cases[__i__].type, definition, strlen (definition), cases[__i__].caps,
    NULL, cases[__i__].fields, cases[__i__].joints
  };
  RobocacheRosSchema *schema = robocache_ros_schema_parse (channel.type, definition, strlen (definition), NULL);
  RobocacheRosDecoder *decoder = robocache_ros_decoder_new (&channel, NULL);
  RobocacheCdrWriter writer = { 0 };
  GError *error = NULL;

  write_text (&writer, schema, cases[__i__].steps[0].message);
  for (gsize n = 0; n < writer.size; n++) {
    guint8 *part = g_memdup (writer.data, (guint) n);
    GArray *samples = robocache_ros_decoder_run (decoder, part, n, &error);

    fail_unless_equals_int (samples == NULL, error != NULL);
    g_clear_error (&error);
    g_free (part);
  }
  robocache_ros_decoder_run (decoder, writer.data, writer.size, &error);
  fail_unless_equals_int (error != NULL, *cases[__i__].steps[0].samples == '!');
  g_clear_error (&error);
  robocache_cdr_writer_clear (&writer);
  robocache_ros_decoder_free (decoder);
  robocache_ros_schema_free (schema);
  g_free (definition);
}

GST_END_TEST;

/* A message with bytes behind it, which is an error from the fourth one on: it was written with another definition. */
GST_START_TEST (test_longer)
{
  gchar *definition = definition_of (cases[__i__].type);
  const RobocacheRosChannel channel = { "/topic", cases[__i__].type, definition, strlen (definition), cases[__i__].caps,
    NULL, cases[__i__].fields, cases[__i__].joints
  };
  RobocacheRosSchema *schema = robocache_ros_schema_parse (channel.type, definition, strlen (definition), NULL);
  RobocacheRosDecoder *decoder = robocache_ros_decoder_new (&channel, NULL);
  const gboolean is_good = *cases[__i__].steps[0].samples != '!';
  RobocacheCdrWriter writer = { 0 };
  GError *error = NULL;

  write_text (&writer, schema, cases[__i__].steps[0].message);
  for (gsize more = 0; more <= 9 && is_good; more++) {
    guint8 *longer = g_malloc0 (writer.size + more);

    memcpy (longer, writer.data, writer.size);
    fail_unless_equals_int (robocache_ros_decoder_run (decoder, longer, writer.size + more, &error) != NULL, more <= 3);
    fail_unless (!error || strstr (error->message, "it was written with another version of the definition"), "%s", error ? error->message : "");
    g_clear_error (&error);
    g_free (longer);
  }
  robocache_cdr_writer_clear (&writer);
  robocache_ros_decoder_free (decoder);
  robocache_ros_schema_free (schema);
  g_free (definition);
}

GST_END_TEST;

/* ---- what is said of a topic ---- */

#define LONGER "the message has 20 bytes, but by its definition of a_msgs/Point it ends after 16"

static const struct
{
  const gchar *definition, *messages[3];        /* bytes behind a message: "+N" before it */
  const gchar *says;
} checks[] = {
  {"float32 x\nfloat32 y\nfloat32 z\n", {"(1 2 3)", "(4 5 6)"}, NULL},
  {"float32 x\nfloat32 y\nfloat32 z\n", {"+3(1 2 3)", "+1(4 5 6)"}, NULL},
  {"float32 x\nfloat32 y\nfloat32 z\n", {"(1 2 3)", "+4(4 5 6)", "+5(4 5 6)"}, "/p: 2 of 3 messages are longer than their "
      "definition; the first: " LONGER "*"},
  {"wstring w\nfloat32 z\n", {"+4(1 2 3)"}, NULL},
  {"std_msgs/Header header\n", {"(((1 0) 'a'))", "(((0 1) 'a'))"}, NULL},
  {"std_msgs/Header header\n", {"(((0 0) 'a'))", "(((0 0) 'a'))"}, "/p: 2 of 2 stamps are 0, so their times are log times"},
  {"std_msgs/Header header\n", {"(((0 0) 'a'))", "+9(((0 5) 'a'))"}, "/p: 1 of 2 messages are longer *; 1 of 2 stamps are 0, *"},
};

static void
count_message (RobocacheMessageCheck *check, const RobocacheRosSchema *of_text, const gchar *message)
{
  RobocacheCdrWriter writer = { 0 };
  gchar *end = (gchar *) message;
  const gsize more = *message == '+' ? (gsize) g_ascii_strtoull (message + 1, &end, 10) : 0;
  guint8 *bytes;

  write_text (&writer, of_text, end);
  bytes = g_malloc0 (writer.size + more);
  memcpy (bytes, writer.data, writer.size);
  robocache_message_check_count (check, bytes, writer.size + more);
  g_free (bytes);
  robocache_cdr_writer_clear (&writer);
}

GST_START_TEST (test_checks)
{
  static const gchar header[] = "\n================================================================================\nMSG: std_msgs/Header\n"
      "builtin_interfaces/Time stamp\nstring frame_id\n"
      "================================================================================\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
  const gboolean has_wstring = strstr (checks[__i__].definition, "wstring") != NULL;
  gchar *text = g_strconcat (checks[__i__].definition, strstr (checks[__i__].definition, "Header") ? header : "", NULL), *says;
  const gchar *written = has_wstring ? "float32 x\nfloat32 y\nfloat32 z\n" : text;
  RobocacheRosSchema *schema = robocache_ros_schema_parse ("a_msgs/msg/Point", text, strlen (text), NULL);
  RobocacheRosSchema *of_text = robocache_ros_schema_parse ("a_msgs/msg/Point", written, strlen (written), NULL);
  RobocacheMessageCheck *check = robocache_message_check_new (schema);

  for (guint i = 0; i < G_N_ELEMENTS (checks[0].messages) && checks[__i__].messages[i]; i++)
    count_message (check, of_text, checks[__i__].messages[i]);
  says = robocache_message_check_describe (check, "/p");
  fail_unless (says == checks[__i__].says || (says && checks[__i__].says && g_pattern_match_simple (checks[__i__].says, says)), "%s", says);
  g_free (says);
  robocache_message_check_free (check);
  robocache_ros_schema_free (of_text);
  robocache_ros_schema_free (schema);
  g_free (text);
}

GST_END_TEST;

CHECK_MAIN (decoder, NULL, NULL, EACH (cases, test_cases), EACH (cases, test_parts), EACH (cases, test_longer), EACH (checks, test_checks))
