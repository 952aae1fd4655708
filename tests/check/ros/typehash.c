/* robocache: hashes of message types
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/typehash.h"

#include <string.h>

#include "common/ros/definitions.h"
#include "tests/check/lib/checks.h"

/* Those of built-in types are in the files that rosidl made for Jazzy. */
static const struct
{
  const gchar *type, *text, *expected;
} hashes[] = {
  {"sensor_msgs/msg/Imu", NULL, "RIHS01_7d9a00ff131080897a5ec7e26e315954b8eae3353c3f995c55faf71574000b5b"},
  {"sensor_msgs/msg/JointState", NULL, "RIHS01_a13ee3a330e346c9d87b5aa18d24e11690752bd33a0350f11c5882bc9179260e"},
  {"sensor_msgs/msg/PointCloud2", NULL, "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"},
  {"sensor_msgs/msg/CameraInfo", NULL, "RIHS01_b3dfd68ff46c9d56c80fd3bd4ed22c7a4ddce8c8348f2f59c299e73118e7e275"},
  {"geometry_msgs/msg/TransformStamped", NULL, "RIHS01_0a241f87d04668d94099cbb5ba11691d5ad32c2f29682e4eb5653424bd275206"},
  {"std_msgs/msg/Byte", NULL, "RIHS01_41e1a3345f73fe93ede006da826a6ee274af23dd4653976ff249b0f44e3e798f"},
  {"std_msgs/msg/Char", NULL, "RIHS01_3ad2d04dd29ba19d04b16659afa3ccaedd691914b02a64e82e252f2fa6a586a9"},
  {"std_msgs/msg/Empty", NULL, "RIHS01_20b625256f32d5dbc0d04fee44f43c41e51c70d3502f84b4a08e7a9c26a96312"},
  {"std_msgs/msg/ByteMultiArray", NULL, "RIHS01_972fec7f50ab3c1d06783c228e79e8a9a509021708c511c059926261ada901d4"},
};

GST_START_TEST (test_hash)
{
  gchar *text = hashes[__i__].text ? g_strdup (hashes[__i__].text) : robocache_ros_schema_text (hashes[__i__].type);
  RobocacheRosSchema *schema = robocache_ros_schema_parse (hashes[__i__].type, text, strlen (text), NULL);
  gchar *hash = robocache_ros_type_hash (schema);

  fail_unless_equals_string (hash, hashes[__i__].expected);
  g_free (hash);
  robocache_ros_schema_free (schema);
  g_free (text);
}

GST_END_TEST;

CHECK_MAIN (typehash, NULL, NULL, EACH (hashes, test_hash));
