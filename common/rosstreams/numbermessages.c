/* robocache: messages of fixed numbers, like Imu and Odometry, as rows
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "readers.h"

#include <string.h>

#include "common/element/errors.h"
#include "quantitystream.h"

#define MAX_TRANSFORMS 256

/* ---- types ---- */

typedef const gchar *const Names[5];

static const Names xyz = { "x", "y", "z", NULL }, rotation = { "qx", "qy", "qz", "qw", NULL };
static const Names linear = { "vx", "vy", "vz", NULL }, angular = { "wx", "wy", "wz", NULL };
static const Names gyroscope = { "gx", "gy", "gz", NULL }, acceleration = { "ax", "ay", "az", NULL };
static const Names force = { "fx", "fy", "fz", NULL }, torque = { "tx", "ty", "tz", NULL };

typedef struct
{
  const gchar *path;            /* of a message with the fields x, y, z and, for four names, w */
  const gchar *const *names;
  const gchar *covariance;      /* whose first number is -1 where the quantity is not measured; or NULL */
} Quantity;

typedef struct
{
  const gchar *type, *role;
  RobocacheRowMessageKind kind; /* that writers of rows make of them */
  const gchar *list;            /* a sequence, of the items of which a row is made each; THE_MESSAGE: it is the only item; or NULL */
  Quantity quantities[ROBOCACHE_MAX_QUANTITIES];
} NumberMessage;

#define THE_MESSAGE ""

static const NumberMessage number_messages[] = {
  {"sensor_msgs/Imu", "imu", ROBOCACHE_ROW_MESSAGE_IMU, NULL, {{"orientation", rotation, "orientation_covariance"},
          {"angular_velocity", gyroscope, "angular_velocity_covariance"},
          {"linear_acceleration", acceleration, "linear_acceleration_covariance"}}},
  {"geometry_msgs/Wrench", "force", ROBOCACHE_ROW_MESSAGE_WRENCH, NULL, {{"force", force}, {"torque", torque}}},
  {"geometry_msgs/WrenchStamped", "force", ROBOCACHE_ROW_MESSAGE_WRENCH, NULL, {{"wrench.force", force}, {"wrench.torque", torque}}},
  {"geometry_msgs/Pose", "pose", ROBOCACHE_ROW_MESSAGE_POSE, NULL, {{"position", xyz}, {"orientation", rotation}}},
  {"geometry_msgs/PoseStamped", "pose", ROBOCACHE_ROW_MESSAGE_POSE, NULL, {{"pose.position", xyz}, {"pose.orientation", rotation}}},
  {"geometry_msgs/PoseWithCovarianceStamped", "pose", ROBOCACHE_ROW_MESSAGE_POSE, NULL, {{"pose.pose.position", xyz},
          {"pose.pose.orientation", rotation}}},
  {"geometry_msgs/TransformStamped", "pose", ROBOCACHE_ROW_MESSAGE_POSE, NULL, {{"transform.translation", xyz},
          {"transform.rotation", rotation}}},
  {"geometry_msgs/Twist", "twist", ROBOCACHE_ROW_MESSAGE_NONE, NULL, {{"linear", linear}, {"angular", angular}}},
  {"geometry_msgs/TwistStamped", "twist", ROBOCACHE_ROW_MESSAGE_NONE, NULL, {{"twist.linear", linear}, {"twist.angular", angular}}},
  {"geometry_msgs/TwistWithCovarianceStamped", "twist", ROBOCACHE_ROW_MESSAGE_NONE, NULL, {{"twist.twist.linear", linear},
          {"twist.twist.angular", angular}}},
  {"nav_msgs/Odometry", "odometry", ROBOCACHE_ROW_MESSAGE_NONE, NULL, {{"pose.pose.position", xyz}, {"pose.pose.orientation", rotation},
          {"twist.twist.linear", linear}, {"twist.twist.angular", angular}}},
  {"foxglove_msgs/PoseInFrame", "pose", ROBOCACHE_ROW_MESSAGE_NONE, NULL, {{"pose.position", xyz}, {"pose.orientation", rotation}}},
  {"foxglove_msgs/FrameTransform", "pose", ROBOCACHE_ROW_MESSAGE_NONE, THE_MESSAGE, {{"translation", xyz}, {"rotation", rotation}}},
  {"foxglove_msgs/FrameTransforms", "pose", ROBOCACHE_ROW_MESSAGE_NONE, "transforms", {{"translation", xyz}, {"rotation", rotation}}},
  {"tf2_msgs/TFMessage", "pose", ROBOCACHE_ROW_MESSAGE_NONE, "transforms", {{"transform.translation", xyz},
          {"transform.rotation", rotation}}},
};

static const NumberMessage *
find_message (const gchar *type)
{
  for (guint i = 0; i < G_N_ELEMENTS (number_messages); i++) {
    if (g_str_equal (type, number_messages[i].type))
      return &number_messages[i];
  }
  return NULL;
}

gboolean
robocache_number_messages_have (const gchar *type)
{
  return find_message (type) != NULL;
}

/* ---- readers ---- */

/* Fields before those of the quantities. */
enum
{ CHILD_FRAME, SECONDS, NANOSECONDS, FRAME_ID, FOXGLOVE_SECONDS, FOXGLOVE_NANOSECONDS, FOXGLOVE_NSEC, PARENT_FRAME, N_OTHER_FIELDS };

#define NUMBERS_PER_QUANTITY 4
#define MAX_FIELDS (N_OTHER_FIELDS + ROBOCACHE_MAX_QUANTITIES * (NUMBERS_PER_QUANTITY + 1))

typedef struct
{
  RobocacheStreamReader parent;
  const NumberMessage *type;
  guint n_quantities;
  RobocacheMessageFields *list; /* NULL: no list, or THE_MESSAGE */
  RobocacheMessageFields *fields;       /* of an item */
  GHashTable *streams;          /* key → RobocacheQuantityStream */
} NumberReader;

/* The field of a quantity's number i; behind the last one is its covariance. */
static guint
field_of (guint quantity, guint i)
{
  return N_OTHER_FIELDS + quantity * (NUMBERS_PER_QUANTITY + 1) + i;
}

static RobocacheMessageFields *
fields_of_item (NumberReader *self, const RobocacheRosSchema *schema, guint index, GError **error)
{
  static const gchar *const axes[] = { "x", "y", "z", "w" };
  RobocacheFieldSpec specs[MAX_FIELDS] = {
    {"child_frame_id", ROBOCACHE_FIELD_STRING, TRUE}, {"header.stamp.sec", ROBOCACHE_FIELD_NUMBER, TRUE},
    {"header.stamp.nanosec", ROBOCACHE_FIELD_NUMBER, TRUE}, {"header.frame_id", ROBOCACHE_FIELD_STRING, TRUE},
    {"timestamp.sec", ROBOCACHE_FIELD_NUMBER, TRUE}, {"timestamp.nanosec", ROBOCACHE_FIELD_NUMBER, TRUE},
    {"timestamp.nsec", ROBOCACHE_FIELD_NUMBER, TRUE}, {"parent_frame_id", ROBOCACHE_FIELD_STRING, TRUE},
  };
  RobocacheMessageFields *fields;
  gchar *paths[MAX_FIELDS] = { NULL };
  const guint n = field_of (self->n_quantities, 0);

  for (guint q = 0; q < self->n_quantities; q++) {
    const Quantity *quantity = &self->type->quantities[q];
    const guint n_names = g_strv_length ((gchar **) quantity->names);

    for (guint i = 0; i < NUMBERS_PER_QUANTITY; i++) {
      paths[field_of (q, i)] = g_strdup_printf ("%s.%s", quantity->path, axes[i]);
      specs[field_of (q, i)] = (RobocacheFieldSpec) {paths[field_of (q, i)], ROBOCACHE_FIELD_NUMBER, i >= n_names};
    }
    /* a name that no field has */
    specs[field_of (q, NUMBERS_PER_QUANTITY)] = (RobocacheFieldSpec) {quantity->covariance ? quantity->covariance : "",
          ROBOCACHE_FIELD_NUMBERS, TRUE};
  }
  fields = robocache_message_fields_new (schema, index, specs, n, error);
  for (guint i = 0; i < n; i++)
    g_free (paths[i]);
  return fields;
}

static RobocacheQuantityStream *
new_stream (NumberReader *self, const gchar *key)
{
  RobocacheQuantityStream *stream = robocache_quantity_stream_new (key, self->type->role, self->n_quantities);

  for (guint q = 0; q < self->n_quantities; q++)
    robocache_quantity_stream_set_names (stream, q, g_strdupv ((gchar **) self->type->quantities[q].names));
  g_hash_table_insert (self->streams, stream->key, stream);
  return stream;
}

static RobocacheQuantityStream *
find_stream (NumberReader *self, const gchar *key, GError **error)
{
  gchar *valid = g_utf8_make_valid (key, -1);
  RobocacheQuantityStream *stream = g_hash_table_lookup (self->streams, valid);

  if (!stream && g_hash_table_size (self->streams) >= MAX_TRANSFORMS)
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_DATA, "frame %s: expected at most %d frames in a topic", valid,
        MAX_TRANSFORMS);
  else if (!stream)
    stream = new_stream (self, valid);
  g_free (valid);
  return stream;
}

static gboolean
is_measured (NumberReader *self, guint quantity)
{
  const guint field = field_of (quantity, NUMBERS_PER_QUANTITY);

  return !robocache_message_fields_has (self->fields, field) || robocache_message_fields_item (self->fields, field, 0) != -1.0;
}

static void
add_row (NumberReader *self, RobocacheQuantityStream *stream)
{
  gdouble numbers[ROBOCACHE_MAX_QUANTITIES][NUMBERS_PER_QUANTITY];
  const gdouble *quantities[ROBOCACHE_MAX_QUANTITIES] = { NULL };

  for (guint q = 0; q < self->n_quantities; q++) {
    for (guint i = 0; i < stream->n_names[q]; i++)
      numbers[q][i] = robocache_message_fields_number (self->fields, field_of (q, i));
    quantities[q] = is_measured (self, q) ? numbers[q] : NULL;
  }
  robocache_quantity_stream_add (stream, &self->parent, quantities);
}

/* An item of a list has a stamp and a stream of its own. */
static gboolean
read_item (NumberReader *self, RobocacheCdrReader *message, GError **error)
{
  RobocacheQuantityStream *stream;

  if (!robocache_message_fields_find (self->fields, message, TRUE))
    return robocache_cdr_reader_check (message, error);
  /* those that the type does not have are 0 */
  self->parent.stamp_ns = robocache_stamp_of (robocache_message_fields_integer (self->fields, SECONDS)
      + robocache_message_fields_integer (self->fields, FOXGLOVE_SECONDS), robocache_message_fields_integer (self->fields, NANOSECONDS)
      + robocache_message_fields_integer (self->fields, FOXGLOVE_NANOSECONDS) + robocache_message_fields_integer (self->fields, FOXGLOVE_NSEC));
  if (self->parent.stamp_ns == 0)
    self->parent.stamp_ns = ROBOCACHE_ROS_NO_TIME;
  self->parent.frame_id = robocache_message_fields_string (self->fields, robocache_message_fields_has (self->fields, PARENT_FRAME)
      ? PARENT_FRAME : FRAME_ID);
  stream = find_stream (self, robocache_message_fields_string (self->fields, CHILD_FRAME), error);
  if (stream)
    add_row (self, stream);
  return stream != NULL;
}

static gboolean
read_list (NumberReader *self, RobocacheCdrReader *message, GError **error)
{
  RobocacheCdrReader items;
  guint32 n;

  if (!robocache_message_fields_find (self->list, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  items = robocache_message_fields_reader (self->list, 0);
  n = robocache_message_fields_count (self->list, 0);
  for (guint32 i = 0; i < n; i++) {
    if (!read_item (self, &items, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_numbers (RobocacheStreamReader *reader, RobocacheCdrReader *message, GError **error)
{
  NumberReader *self = (NumberReader *) reader;

  if (self->list)
    return read_list (self, message, error);
  if (self->type->list)
    return read_item (self, message, error);
  if (!robocache_message_fields_find (self->fields, message, FALSE))
    return robocache_cdr_reader_check (message, error);
  add_row (self, g_hash_table_lookup (self->streams, ""));
  return TRUE;
}

static void
free_numbers (RobocacheStreamReader *reader)
{
  NumberReader *self = (NumberReader *) reader;

  robocache_stream_reader_clear (reader);
  robocache_message_fields_free (self->list);
  robocache_message_fields_free (self->fields);
  g_hash_table_unref (self->streams);
  g_free (self);
}

static gboolean
find_fields (NumberReader *self, const RobocacheRosSource *source, GError **error)
{
  const RobocacheFieldSpec list = { self->type->list, ROBOCACHE_FIELD_MESSAGES };
  guint index = 0;

  if (self->type->list && *self->type->list) {
    self->list = robocache_message_fields_new (source->schema, 0, &list, 1, error);
    if (!self->list)
      return FALSE;
    index = robocache_message_fields_type (self->list, 0);
  }
  self->fields = fields_of_item (self, source->schema, index, error);
  return self->fields != NULL;
}

RobocacheStreamReader *
robocache_number_messages_new (const RobocacheRosSource *source, GError **error)
{
  NumberReader *self = g_new0 (NumberReader, 1);
  RobocacheQuantityStream *stream;

  robocache_stream_reader_init (&self->parent, source);
  self->parent.read = read_numbers;
  self->parent.free = free_numbers;
  self->type = find_message (source->type);
  self->parent.has_several_streams = self->type->list != NULL;
  while (self->n_quantities < ROBOCACHE_MAX_QUANTITIES && self->type->quantities[self->n_quantities].path)
    self->n_quantities++;
  self->streams = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) robocache_quantity_stream_free);
  if (!find_fields (self, source, error)) {
    free_numbers (&self->parent);
    return NULL;
  }
  if (!self->type->list) {
    stream = new_stream (self, "");
    if (source->caps && self->type->kind != ROBOCACHE_ROW_MESSAGE_NONE)
      robocache_quantity_stream_restore (stream, source->caps, self->type->kind);
  }
  return &self->parent;
}
