/* robocache: rows whose channels are fields of a common ROS 2 message
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "rowmessage.h"

#include <string.h>

#include "common/element/errordomain.h"
#include "common/tensors/tensorelements.h"
#include "kernels/arithmetic.h"

/* ---- messages of fixed fields ---- */

#define MAX_NUMBERS 10
#define MAX_QUANTITIES 3

/* Names of each number, the last ones NULL. */
typedef const gchar *const NumberNames[4];

static const NumberNames imu_names[] = {
  {"orientation.x", "qx"}, {"orientation.y", "qy"}, {"orientation.z", "qz"}, {"orientation.w", "qw"},
  {"angular_velocity.x", "gx", "wx"}, {"angular_velocity.y", "gy", "wy"}, {"angular_velocity.z", "gz", "wz"},
  {"linear_acceleration.x", "ax"}, {"linear_acceleration.y", "ay"}, {"linear_acceleration.z", "az"},
};
static const NumberNames wrench_names[] = {
  {"wrench.force.x", "force.x", "fx"}, {"wrench.force.y", "force.y", "fy"}, {"wrench.force.z", "force.z", "fz"},
  {"wrench.torque.x", "torque.x", "tx"}, {"wrench.torque.y", "torque.y", "ty"}, {"wrench.torque.z", "torque.z", "tz"},
};
static const NumberNames pose_names[] = {
  {"pose.position.x", "position.x", "x", "px"}, {"pose.position.y", "position.y", "y", "py"},
  {"pose.position.z", "position.z", "z", "pz"}, {"pose.orientation.x", "orientation.x", "qx"},
  {"pose.orientation.y", "orientation.y", "qy"}, {"pose.orientation.z", "orientation.z", "qz"},
  {"pose.orientation.w", "orientation.w", "qw"},
};
static const NumberNames twist_names[] = {
  {"twist.linear.x", "linear.x", "vx"}, {"twist.linear.y", "linear.y", "vy"}, {"twist.linear.z", "linear.z", "vz"},
  {"twist.angular.x", "angular.x", "wx"}, {"twist.angular.y", "angular.y", "wy"}, {"twist.angular.z", "angular.z", "wz"},
};

static const struct
{
  RobocacheRowMessageKind kind;
  const NumberNames *names;
  guint n_numbers;
  guint ends[MAX_QUANTITIES];   /* of each quantity, among the numbers */
  guint n_quantities;
  guint min_quantities;         /* that rows have */
  const gchar *role;            /* with which one quantity is enough; or NULL */
  gboolean is_on_request;
} fixed_messages[] = {
  {ROBOCACHE_ROW_MESSAGE_IMU, imu_names, 10, {4, 7, 10}, 3, 2, "imu"},
  {ROBOCACHE_ROW_MESSAGE_WRENCH, wrench_names, 6, {3, 6}, 2, 2, NULL},
  {ROBOCACHE_ROW_MESSAGE_POSE, pose_names, 7, {3, 7}, 2, 2, NULL},
  {ROBOCACHE_ROW_MESSAGE_TWIST, twist_names, 6, {3, 6}, 2, 2, NULL, TRUE},
};

static const gchar *const types[] = { "robocache_msgs/msg/Row", "sensor_msgs/msg/JointState", "sensor_msgs/msg/Imu",
  "geometry_msgs/msg/WrenchStamped", "geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/TwistStamped", "std_msgs/msg/Float64MultiArray"
};

/* n_numbers: not found. */
static guint
find_number (const NumberNames *names, guint n_numbers, const gchar *name)
{
  for (guint i = 0; i < n_numbers; i++) {
    for (guint k = 0; k < G_N_ELEMENTS (names[i]) && names[i][k]; k++) {
      if (g_str_equal (name, names[i][k]))
        return i;
    }
  }
  return n_numbers;
}

/* Whether each quantity is either complete or absent, and enough are complete. */
static gboolean
check_quantities (RobocacheRowMessage *message, guint index, const gboolean *has_number, const gchar *role)
{
  const gboolean is_of_role = fixed_messages[index].role && g_strcmp0 (role, fixed_messages[index].role) == 0;
  guint number = 0, n_quantities = 0;

  for (guint q = 0; q < fixed_messages[index].n_quantities; q++) {
    const guint first = number;
    guint n_present = 0;

    for (; number < fixed_messages[index].ends[q]; number++)
      n_present += has_number[number];
    if (n_present > 0 && n_present < number - first)
      return FALSE;
    message->has_quantity[q] = n_present > 0;
    n_quantities += n_present > 0;
  }
  return n_quantities >= (is_of_role ? 1 : fixed_messages[index].min_quantities);
}

static gboolean
is_fixed_message (RobocacheRowMessage *message, guint index, const gchar *const *names, const gchar *role)
{
  const guint n_numbers = fixed_messages[index].n_numbers;
  gboolean has_number[MAX_NUMBERS] = { FALSE };

  for (guint c = 0; c < message->n; c++) {
    const guint number = find_number (fixed_messages[index].names, n_numbers, names[c]);

    if (number == n_numbers || has_number[number])
      return FALSE;
    has_number[number] = TRUE;
    message->places[c] = number;
  }
  if (!check_quantities (message, index, has_number, role))
    return FALSE;
  message->kind = fixed_messages[index].kind;
  message->n_numbers = n_numbers;
  return TRUE;
}

/* ---- joints ---- */

/* The joint of a channel, a new string, and its quantity; NULL: none. */
static gchar *
find_joint (const gchar *name, gboolean has_role, GHashTable *all, guint *quantity)
{
  static const gchar *const suffixes[] = { ".position", ".velocity", ".effort" };
  gchar *position;

  for (*quantity = 0; *quantity < G_N_ELEMENTS (suffixes); (*quantity)++) {
    if (g_str_has_suffix (name, suffixes[*quantity]))
      return g_strndup (name, strlen (name) - strlen (suffixes[*quantity]));
  }
  if (!has_role)
    return NULL;
  *quantity = ROBOCACHE_JOINT_VELOCITY;
  if (*name == 'd' && g_hash_table_contains (all, name + 1))
    return g_strdup (name + 1);
  *quantity = ROBOCACHE_JOINT_EFFORT;
  position = g_str_has_prefix (name, "tau") ? g_strconcat ("q", name + 3, NULL) : NULL;
  if (position && g_hash_table_contains (all, position))
    return position;
  g_free (position);
  *quantity = ROBOCACHE_JOINT_POSITION;
  return g_strdup (name);
}

/* Joints in the order of their first channels. places become joint * 3 + quantity; FALSE: a channel belongs to no joint, or occurs twice. */
static gboolean
collect_joints (RobocacheRowMessage *message, GPtrArray *joints, const gchar *const *names, gboolean has_role, guint *n_of)
{
  GHashTable *all = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *indices = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *seen = g_hash_table_new (NULL, NULL);
  gboolean is_valid = TRUE;

  for (guint c = 0; c < message->n; c++)
    g_hash_table_add (all, (gpointer) names[c]);
  for (guint c = 0; c < message->n && is_valid; c++) {
    guint quantity, index;
    gchar *joint = find_joint (names[c], has_role, all, &quantity);

    is_valid = joint != NULL && *joint != '\0';
    if (is_valid && !g_hash_table_contains (indices, joint)) {
      g_ptr_array_add (joints, g_strdup (joint));
      g_hash_table_insert (indices, g_ptr_array_index (joints, joints->len - 1), GUINT_TO_POINTER (joints->len - 1));
    }
    if (is_valid) {
      index = GPOINTER_TO_UINT (g_hash_table_lookup (indices, joint));
      message->places[c] = index * ROBOCACHE_N_JOINT_QUANTITIES + quantity;
      is_valid = g_hash_table_add (seen, GUINT_TO_POINTER (message->places[c]));
      n_of[quantity]++;
    }
    g_free (joint);
  }
  g_hash_table_unref (seen);
  g_hash_table_unref (indices);
  g_hash_table_unref (all);
  return is_valid;
}

static gboolean
is_joints (RobocacheRowMessage *message, const gchar *const *names, const gchar *role)
{
  const gboolean has_role = g_strcmp0 (role, "proprio") == 0 || g_strcmp0 (role, "joints") == 0;
  GPtrArray *joints = g_ptr_array_new_with_free_func (g_free);
  guint n_of[ROBOCACHE_N_JOINT_QUANTITIES] = { 0 };
  gboolean is_valid = collect_joints (message, joints, names, has_role, n_of);

  for (guint q = 0; q < ROBOCACHE_N_JOINT_QUANTITIES; q++) {
    is_valid = is_valid && (n_of[q] == 0 || n_of[q] == joints->len);
    message->has_quantity[q] = n_of[q] > 0;
  }
  if (!is_valid) {
    g_ptr_array_unref (joints);
    return FALSE;
  }
  message->kind = ROBOCACHE_ROW_MESSAGE_JOINTS;
  message->n_joints = joints->len;
  message->n_numbers = joints->len * ROBOCACHE_N_JOINT_QUANTITIES;
  for (guint c = 0; c < message->n; c++)
    message->places[c] = message->places[c] % ROBOCACHE_N_JOINT_QUANTITIES * joints->len
        + message->places[c] / ROBOCACHE_N_JOINT_QUANTITIES;
  g_ptr_array_add (joints, NULL);
  message->joints = (gchar **) g_ptr_array_free (joints, FALSE);
  return TRUE;
}

/* ---- life ---- */

/* Whether float64 represents each value. */
static gboolean
is_exact (RcDtype dtype)
{
  return dtype != RC_INT64 && dtype != RC_UINT64;
}

void
robocache_row_message_init (RobocacheRowMessage *message, const gchar *const *names, guint n, const gchar *role, RcDtype dtype)
{
  *message = (RobocacheRowMessage) {.dtype = dtype,.n = n };
  if (n == 0 || names == NULL || !is_exact (dtype))
    return;
  message->places = g_new (guint, n);
  for (guint i = 0; i < G_N_ELEMENTS (fixed_messages) && message->kind == ROBOCACHE_ROW_MESSAGE_NONE; i++)
    if (!fixed_messages[i].is_on_request)
      is_fixed_message (message, i, names, role);
  if (message->kind == ROBOCACHE_ROW_MESSAGE_NONE)
    is_joints (message, names, role);
  message->numbers = g_new0 (gdouble, MAX (1, message->n_numbers));
}

/* The channels are all numbers of the message. */
static gboolean
is_in_order (RobocacheRowMessage *message, RobocacheRowMessageKind kind, guint n_numbers)
{
  if (message->n != n_numbers)
    return FALSE;
  for (guint i = 0; i < n_numbers; i++)
    message->places[i] = i;
  message->has_quantity[0] = message->has_quantity[1] = message->has_quantity[2] = TRUE;
  message->n_numbers = n_numbers;
  message->kind = kind;
  return TRUE;
}

static gboolean
is_of_kind (RobocacheRowMessage *message, RobocacheRowMessageKind kind, const gchar *const *names)
{
  if (kind == ROBOCACHE_ROW_MESSAGE_ARRAY)
    return is_in_order (message, kind, message->n);
  for (guint i = 0; i < G_N_ELEMENTS (fixed_messages); i++)
    if (fixed_messages[i].kind == kind)
      return names ? is_fixed_message (message, i, names, fixed_messages[i].role) : is_in_order (message, kind, fixed_messages[i].n_numbers);
  return names && is_joints (message, names, "joints");
}

gboolean
robocache_row_message_init_as (RobocacheRowMessage *message, RobocacheRowMessageKind kind, const gchar *const *names, guint n, RcDtype dtype,
    GError **error)
{
  gchar *list;

  *message = (RobocacheRowMessage) {.dtype = dtype,.n = n };
  if (!is_exact (dtype)) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "rows of %s cannot be sent as %s, whose numbers are float64", rc_dtype_name (dtype),
        types[kind]);
    return FALSE;
  }
  message->places = g_new0 (guint, MAX (1, n));
  if (is_of_kind (message, kind, names)) {
    message->numbers = g_new0 (gdouble, MAX (1, message->n_numbers));
    return TRUE;
  }
  list = names ? g_strjoinv (",", (gchar **) names) : g_strdup ("no names in the caps");
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "rows of %u channels (%s) cannot be sent as %s: expected other names in channels", n,
      list, types[kind]);
  g_free (list);
  robocache_row_message_clear (message);
  return FALSE;
}

void
robocache_row_message_clear (RobocacheRowMessage *message)
{
  g_free (message->places);
  g_free (message->numbers);
  g_strfreev (message->joints);
  *message = (RobocacheRowMessage) { 0 };
}

const gchar *
robocache_row_message_type (const RobocacheRowMessage *message)
{
  return types[message->kind];
}

/* ---- rows ---- */

static void
write_element (RcDtype dtype, gpointer row, guint i, gdouble number)
{
  switch (dtype) {
    case RC_INT8:
      ((gint8 *) row)[i] = rc_int8_from_float64 (number);
      break;
    case RC_UINT8:
      ((guint8 *) row)[i] = rc_uint8_from_float64 (number);
      break;
    case RC_INT16:
      ((gint16 *) row)[i] = rc_int16_from_float64 (number);
      break;
    case RC_UINT16:
      ((guint16 *) row)[i] = rc_uint16_from_float64 (number);
      break;
    case RC_INT32:
      ((gint32 *) row)[i] = rc_int32_from_float64 (number);
      break;
    case RC_UINT32:
      ((guint32 *) row)[i] = rc_uint32_from_float64 (number);
      break;
    case RC_FLOAT16:
      ((guint16 *) row)[i] = rc_float16_from_float64 (number);
      break;
    case RC_BFLOAT16:
      ((guint16 *) row)[i] = rc_bfloat16_from_float64 (number);
      break;
    case RC_FLOAT32:
      ((gfloat *) row)[i] = (gfloat) number;
      break;
    default:
      ((gdouble *) row)[i] = number;
      break;
  }
}

/* NULL if the message does not have that quantity. */
static const gdouble *
quantity (const RobocacheRowMessage *message, guint index, guint first)
{
  return message->has_quantity[index] ? message->numbers + first : NULL;
}

static void
write_imu (const RobocacheRowMessage *message, RobocacheCdrWriter *writer, const RobocacheRosHeader *header)
{
  const RobocacheRosImu imu = { quantity (message, 0, 0), quantity (message, 1, 4), quantity (message, 2, 7) };

  robocache_ros_write_imu (writer, header, &imu);
}

void
robocache_row_message_write (RobocacheRowMessage *message, RobocacheCdrWriter *writer, const RobocacheRosHeader *header,
    gconstpointer row)
{
  const guint n = message->n_joints;

  for (guint c = 0; c < message->n; c++)
    message->numbers[message->places[c]] = robocache_element_read (message->dtype,
        (const guint8 *) row + c * rc_dtype_size (message->dtype));
  switch (message->kind) {
    case ROBOCACHE_ROW_MESSAGE_JOINTS:
      robocache_ros_write_joint_state (writer, header, (const gchar * const *) message->joints, n, quantity (message, 0, 0),
          quantity (message, 1, n), quantity (message, 2, 2 * n));
      break;
    case ROBOCACHE_ROW_MESSAGE_IMU:
      write_imu (message, writer, header);
      break;
    case ROBOCACHE_ROW_MESSAGE_WRENCH:
      robocache_ros_write_wrench (writer, header, message->numbers, message->numbers + 3);
      break;
    case ROBOCACHE_ROW_MESSAGE_POSE:
      robocache_ros_write_pose (writer, header, message->numbers, message->numbers + 3);
      break;
    case ROBOCACHE_ROW_MESSAGE_TWIST:
      robocache_ros_write_twist (writer, header, message->numbers, message->numbers + 3);
      break;
    case ROBOCACHE_ROW_MESSAGE_ARRAY:
      robocache_ros_write_float64_multi_array (writer, message->numbers, message->n_numbers);
      break;
    case ROBOCACHE_ROW_MESSAGE_NONE:
      g_return_if_reached ();
  }
}

void
robocache_row_message_read (const RobocacheRowMessage *message, gpointer row)
{
  /* the usual type of rows */
  if (message->dtype == RC_FLOAT32) {
    for (guint c = 0; c < message->n; c++)
      ((gfloat *) row)[c] = (gfloat) message->numbers[message->places[c]];
    return;
  }
  for (guint c = 0; c < message->n; c++)
    write_element (message->dtype, row, c, message->numbers[message->places[c]]);
}
