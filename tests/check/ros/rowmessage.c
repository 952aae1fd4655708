/* robocache: rows whose channels are fields of a common message
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "common/ros/rowmessage.h"

#include <string.h>

#include "tests/check/lib/checks.h"

#define IMU "qx,qy,qz,qw,gx,gy,gz,ax,ay,az"
#define WRENCH "fx,fy,fz,tx,ty,tz"

/* Names and role of rows, and what becomes of them: places of the channels, quantities, joints. */
static const struct
{
  const gchar *names, *role;
  RobocacheRowMessageKind kind;
  const gchar *places, *quantities, *joints;
} rows[] = {
  {IMU, "imu", ROBOCACHE_ROW_MESSAGE_IMU, "0,1,2,3,4,5,6,7,8,9", "yyy"},
  {IMU, NULL, ROBOCACHE_ROW_MESSAGE_IMU, "0,1,2,3,4,5,6,7,8,9", "yyy"},
  {"ax,ay,az,wz,wy,wx", NULL, ROBOCACHE_ROW_MESSAGE_IMU, "7,8,9,6,5,4", "nyy"},
  {"orientation.w,orientation.x,orientation.y,orientation.z", "imu", ROBOCACHE_ROW_MESSAGE_IMU, "3,0,1,2", "ynn"},
  {"gx,gy,gz", "imu", ROBOCACHE_ROW_MESSAGE_IMU, "4,5,6", "nyn"},
  {"gx,gy,gz", NULL},
  {"gx,gy,ax,ay,az", "imu"},
  {IMU ",temperature", "imu"},
  {IMU ",qx", "imu"},
  {"gx,gy,gz,ax,ay,az,wx", "imu"},
  {WRENCH, "force", ROBOCACHE_ROW_MESSAGE_WRENCH, "0,1,2,3,4,5", "yyn"},
  {"torque.x,torque.y,torque.z,wrench.force.x,wrench.force.y,wrench.force.z", NULL, ROBOCACHE_ROW_MESSAGE_WRENCH, "3,4,5,0,1,2",
        "yyn"},
  {"fx,fy,fz", "force"},
  {WRENCH ",fx1", "force"},
  {"x,y,z,qx,qy,qz,qw", NULL, ROBOCACHE_ROW_MESSAGE_POSE, "0,1,2,3,4,5,6", "yyn"},
  {"qw,qx,qy,qz,px,py,pz", "pose", ROBOCACHE_ROW_MESSAGE_POSE, "6,3,4,5,0,1,2", "yyn"},
  {"x,y,z", NULL},
  {"qx,qy,qz,qw", NULL},
  {"a.position,b.position", NULL, ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1", "ynn", "a,b"},
  {"b.velocity,a.position,b.position,a.velocity", NULL, ROBOCACHE_ROW_MESSAGE_JOINTS, "2,1,0,3", "yyn", "b,a"},
  {"a.effort", NULL, ROBOCACHE_ROW_MESSAGE_JOINTS, "2", "nny", "a"},
  {"a/b.x.position", NULL, ROBOCACHE_ROW_MESSAGE_JOINTS, "0", "ynn", "a/b.x"},
  {"q0,q1,q2", "proprio", ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1,2", "ynn", "q0,q1,q2"},
  {"shoulder,elbow", "joints", ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1", "ynn", "shoulder,elbow"},
  {"q0,q1,dq0,dq1,tau0,tau1", "proprio", ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1,2,3,4,5", "yyy", "q0,q1"},
  {"tau0,taut", "joints", ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1", "ynn", "tau0,taut"},
  {"dq0,dq1", "joints", ROBOCACHE_ROW_MESSAGE_JOINTS, "0,1", "ynn", "dq0,dq1"},
  {"q0,q1,q2", NULL},
  {"q0,q1,q2", "other"},
  {"a.position,b.position,a.velocity", NULL},
  {"a.position,b.velocity", NULL},
  {"a.position,a.position", NULL},
  {"a.position,a", "joints"},
  {"a.position,b", NULL},
  {".position", NULL},
  {"a,", "joints"},
};

static gchar *
places_of (const RobocacheRowMessage *message)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < message->n; i++)
    g_string_append_printf (text, i ? ",%u" : "%u", message->places[i]);
  return g_string_free (text, FALSE);
}

static void
check_message (const RobocacheRowMessage *message, guint row)
{
  gchar *places = places_of (message), *joints;

  fail_unless_equals_string (places, rows[row].places);
  for (guint q = 0; q < 3; q++)
    fail_unless_equals_int (message->has_quantity[q], rows[row].quantities[q] == 'y');
  if (rows[row].joints) {
    joints = g_strjoinv (",", message->joints);
    fail_unless_equals_string (joints, rows[row].joints);
    g_free (joints);
  }
  g_free (places);
}

GST_START_TEST (test_names)
{
  gchar **names = g_strsplit (rows[__i__].names, ",", -1);
  RobocacheRowMessage message;

  robocache_row_message_init (&message, (const gchar * const *) names, g_strv_length (names), rows[__i__].role, RC_FLOAT32);
  fail_unless_equals_int (message.kind, rows[__i__].kind);
  if (message.kind != ROBOCACHE_ROW_MESSAGE_NONE)
    check_message (&message, __i__);
  else
    fail_unless_equals_string (robocache_row_message_type (&message), "robocache_msgs/msg/Row");
  robocache_row_message_clear (&message);
  g_strfreev (names);
}

GST_END_TEST;

/* Rows of each dtype come back from the numbers of their message with the same bits, and none is lost in the message. */
GST_START_TEST (test_dtypes)
{
  static const gchar *const names[] = { "b.position", "a.position", "a.velocity", "b.velocity" };
  const RcDtype dtype = __i__;
  const gboolean is_exact = dtype != RC_INT64 && dtype != RC_UINT64;
  const RobocacheRosHeader header = { 0 };
  const gsize size = rc_dtype_size (dtype);
  RobocacheCdrWriter writer = { 0 };
  RobocacheRowMessage message;
  guint8 row[32], again[32] = { 0 };

  robocache_row_message_init (&message, names, 4, NULL, dtype);
  fail_unless_equals_int (message.kind != ROBOCACHE_ROW_MESSAGE_NONE, is_exact);
  /* all exponents of small floats, but no NaN */
  for (guint start = 0; start < 256 && is_exact; start++) {
    for (guint i = 0; i < 4 * size; i++)
      row[i] = (guint8) ((start + 37 * i) & (i % size == size - 1 ? 0xbb : 0xff));
    robocache_row_message_write (&message, &writer, &header, row);
    fail_unless (!writer.has_failed && writer.size > 4 * sizeof (gdouble));
    robocache_row_message_read (&message, again);
    fail_unless (memcmp (row, again, 4 * size) == 0, "of %s rows of %u differ", rc_dtype_name (dtype), start);
  }
  robocache_cdr_writer_clear (&writer);
  robocache_row_message_clear (&message);
}

GST_END_TEST;

GST_START_TEST (test_types)
{
  static const struct
  {
    const gchar *names, *type;
  } cases[] = {
    {"tz,ty,tx,fz,fy,fx", "geometry_msgs/msg/WrenchStamped"}, {"qw,x,y,z,qx,qy,qz", "geometry_msgs/msg/PoseStamped"},
    {IMU, "sensor_msgs/msg/Imu"}, {"b.effort,a.effort", "sensor_msgs/msg/JointState"},
  };
  static const gdouble row[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  static const gdouble expected[][10] = { {5, 4, 3, 2, 1, 0}, {1, 2, 3, 4, 5, 6, 0}, {0, 1, 2, 3}, {0} };
  const RobocacheRosHeader header = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    gchar **names = g_strsplit (cases[i].names, ",", -1);
    const guint n = g_strv_length (names);
    RobocacheCdrWriter writer = { 0 };
    RobocacheRowMessage message;

    robocache_row_message_init (&message, (const gchar * const *) names, n, NULL, RC_FLOAT64);
    fail_unless_equals_string (robocache_row_message_type (&message), cases[i].type);
    robocache_row_message_write (&message, &writer, &header, row);
    /* the numbers begin behind a stamp and an empty frame, at a multiple of 8 */
    if (message.kind != ROBOCACHE_ROW_MESSAGE_JOINTS)
      fail_unless (memcmp (writer.data + 4 + 16, expected[i], MIN (n, 4) * sizeof (gdouble)) == 0, "%s", cases[i].type);
    robocache_cdr_writer_clear (&writer);
    robocache_row_message_clear (&message);
    g_strfreev (names);
  }
}

GST_END_TEST;

/* kind: what is requested; numbers: the first ones of the message, behind its header, if it can be made. */
static const struct
{
  RobocacheRowMessageKind kind;
  const gchar *names;           /* NULL: none, and n channels */
  guint n;
  RcDtype dtype;
  const gchar *type, *error;
  gdouble numbers[4];
} requests[] = {
  {ROBOCACHE_ROW_MESSAGE_TWIST, "wx,wy,wz,vx,vy,vz", 0, RC_FLOAT64, "geometry_msgs/msg/TwistStamped", NULL, {3, 4, 5, 0}},
  {ROBOCACHE_ROW_MESSAGE_TWIST, NULL, 6, RC_FLOAT64, "geometry_msgs/msg/TwistStamped", NULL, {0, 1, 2, 3}},
  {ROBOCACHE_ROW_MESSAGE_WRENCH, NULL, 6, RC_FLOAT64, "geometry_msgs/msg/WrenchStamped", NULL, {0, 1, 2, 3}},
  {ROBOCACHE_ROW_MESSAGE_JOINTS, "a,b", 0, RC_FLOAT64, "sensor_msgs/msg/JointState", NULL, {0}},
  {ROBOCACHE_ROW_MESSAGE_ARRAY, "a,b", 0, RC_FLOAT64, "std_msgs/msg/Float64MultiArray", NULL, {0}},
  {ROBOCACHE_ROW_MESSAGE_TWIST, "a,b", 0, RC_FLOAT64, NULL,
        "rows of 2 channels (a,b) cannot be sent as geometry_msgs/msg/TwistStamped: expected other names in channels", {0}},
  {ROBOCACHE_ROW_MESSAGE_POSE, NULL, 6, RC_FLOAT64, NULL,
        "rows of 6 channels (no names in the caps) cannot be sent as geometry_msgs/msg/PoseStamped: expected other names in channels", {0}},
  {ROBOCACHE_ROW_MESSAGE_JOINTS, NULL, 2, RC_FLOAT64, NULL,
        "rows of 2 channels (no names in the caps) cannot be sent as sensor_msgs/msg/JointState: expected other names in channels", {0}},
  {ROBOCACHE_ROW_MESSAGE_ARRAY, NULL, 2, RC_INT64, NULL, "rows of int64 cannot be sent as std_msgs/msg/Float64MultiArray, whose numbers are float64",
        {0}},
};

GST_START_TEST (test_requests)
{
  static const gdouble row[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
  const RobocacheRosHeader header = { 0 };
  gchar **names = requests[__i__].names ? g_strsplit (requests[__i__].names, ",", -1) : NULL;
  const guint n = names ? g_strv_length (names) : requests[__i__].n;
  RobocacheCdrWriter writer = { 0 };
  RobocacheRowMessage message;
  GError *error = NULL;
  const gboolean is_made = robocache_row_message_init_as (&message, requests[__i__].kind, (const gchar * const *) names, n, requests[__i__].dtype,
      &error);

  fail_unless_equals_int (is_made, requests[__i__].type != NULL);
  if (is_made) {
    fail_unless_equals_string (robocache_row_message_type (&message), requests[__i__].type);
    robocache_row_message_write (&message, &writer, &header, row);
    if (message.n_numbers >= 6 && message.kind != ROBOCACHE_ROW_MESSAGE_JOINTS)
      fail_unless (memcmp (writer.data + 4 + 16, requests[__i__].numbers, sizeof (requests[__i__].numbers)) == 0);
    robocache_row_message_clear (&message);
  } else {
    fail_unless_equals_string (error->message, requests[__i__].error);
    g_error_free (error);
  }
  robocache_cdr_writer_clear (&writer);
  g_strfreev (names);
}

GST_END_TEST;

CHECK_MAIN (rowmessage, NULL, NULL, EACH (rows, test_names), TIMES (RC_N_DTYPES, test_dtypes), ONCE (test_types), EACH (requests, test_requests))
