/* robocache: robocachekinematics, its properties, apart from those that are read only
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "properties.h"

#include "common/element/propertytypes.h"
#include "kernels/kinematics/kinematics.h"

enum
{
  PROP_URDF = ROBOCACHE_KINEMATICS_PROP_STATS + 1,
  PROP_BASE,
  PROP_FRAMES,
  PROP_JOINTS,
  PROP_VELOCITIES,
  PROP_POSES,
  PROP_BASE_POSE,
  PROP_MODE,
  PROP_ORIENTATION,
  PROP_QUATERNION_ORDER,
  PROP_REFERENCE,
  PROP_APPEND,
  PROP_MANIPULABILITY,
  PROP_TYPE,
  PROP_MAX_ITERATIONS,
  PROP_RESTARTS,
  PROP_TOLERANCE,
  PROP_ORIENTATION_WEIGHT,
  PROP_STATS_INTERVAL
};

#define SETTING(field) G_STRUCT_OFFSET (RobocacheKinematicsProperties, settings.field)

static const gsize fields[] = {
  [PROP_URDF] = SETTING (urdf),
  [PROP_BASE] = SETTING (base),
  [PROP_FRAMES] = SETTING (frames),
  [PROP_JOINTS] = SETTING (joints),
  [PROP_VELOCITIES] = SETTING (velocities),
  [PROP_POSES] = SETTING (poses),
  [PROP_BASE_POSE] = SETTING (base_pose),
  [PROP_MODE] = SETTING (mode),
  [PROP_ORIENTATION] = SETTING (orientation),
  [PROP_QUATERNION_ORDER] = SETTING (quaternion_order),
  [PROP_REFERENCE] = SETTING (reference),
  [PROP_APPEND] = SETTING (append),
  [PROP_MANIPULABILITY] = SETTING (manipulability),
  [PROP_TYPE] = SETTING (type),
  [PROP_MAX_ITERATIONS] = SETTING (max_iterations),
  [PROP_RESTARTS] = SETTING (restarts),
  [PROP_TOLERANCE] = SETTING (tolerance),
  [PROP_ORIENTATION_WEIGHT] = SETTING (orientation_weight),
  [PROP_STATS_INTERVAL] = G_STRUCT_OFFSET (RobocacheKinematicsProperties, stats_timer.interval),
};

#define TYPE_MODE (mode_get_type ())
static ROBOCACHE_DEFINE_ENUM (mode_get_type, "GstRobocacheKinematicsMode",
    {ROBOCACHE_KINEMATICS_FORWARD, "Joint positions to poses of the frames", "fk"},
    {ROBOCACHE_KINEMATICS_JACOBIAN, "Joint positions to Jacobians of the frames", "jacobian"},
    {ROBOCACHE_KINEMATICS_INVERSE, "Poses of the frames to joint positions", "ik"},
    {ROBOCACHE_KINEMATICS_VELOCITY, "Joint positions and velocities to velocities of the frames", "velocity"})

#define TYPE_ORIENTATION (orientation_get_type ())
static ROBOCACHE_DEFINE_ENUM (orientation_get_type, "GstRobocacheKinematicsOrientation",
    {ROBOCACHE_ORIENTATION_QUATERNION, "A quaternion of norm 1, w not negative", "quaternion"},
    {ROBOCACHE_ORIENTATION_ROTATION_6D, "The first two columns of the rotation matrix", "rotation6d"},
    {ROBOCACHE_ORIENTATION_EULER, "Roll, pitch and yaw about the fixed axes x, y, z", "euler"})

#define TYPE_QUATERNION_ORDER (quaternion_order_get_type ())
static ROBOCACHE_DEFINE_ENUM (quaternion_order_get_type, "GstRobocacheKinematicsQuaternionOrder",
    {ROBOCACHE_QUATERNION_WXYZ, "w, x, y, z", "wxyz"},
    {ROBOCACHE_QUATERNION_XYZW, "x, y, z, w, as in ROS messages", "xyzw"})

#define TYPE_REFERENCE (reference_get_type ())
static ROBOCACHE_DEFINE_ENUM (reference_get_type, "GstRobocacheKinematicsReference",
    {ROBOCACHE_REFERENCE_BASE, "The base link", "base"},
    {ROBOCACHE_REFERENCE_PREVIOUS, "The frame's own pose in the row before", "previous"},
    {ROBOCACHE_REFERENCE_FIRST, "The frame's own pose in the first row", "first"})

void
robocache_kinematics_properties_init (RobocacheKinematicsProperties *properties)
{
  robocache_kinematics_settings_init (&properties->settings);
  robocache_statistics_timer_reset (&properties->stats_timer);
}

void
robocache_kinematics_properties_clear (RobocacheKinematicsProperties *properties)
{
  robocache_kinematics_settings_clear (&properties->settings);
}

#define READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

static void
install_string (GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb)
{
  g_object_class_install_property (klass, id, g_param_spec_string (name, nick, blurb, NULL, READY));
}

static void
install_enum (GObjectClass *klass, guint id, const gchar *name, const gchar *nick, const gchar *blurb, GType type)
{
  g_object_class_install_property (klass, id, g_param_spec_enum (name, nick, blurb, type, 0, READY));
  gst_type_mark_as_plugin_api (type, 0);
}

static void
install_model (GObjectClass *klass)
{
  install_string (klass, PROP_URDF, "urdf", "URDF", "File that describes the robot");
  install_string (klass, PROP_BASE, "base", "Base", "Link that poses are relative to (empty = the root link)");
  install_string (klass, PROP_FRAMES, "frames", "Frames", "Links to compute, separated by commas (empty = the robot's only end "
      "link)");
  install_string (klass, PROP_JOINTS, "joints", "Joints", "Joints of the channels, from the first channel on: names separated by "
      "commas; an empty name skips its channel. With mode=ik: joints of the output, in this order (empty = by the names of the "
      "channels)");
  install_string (klass, PROP_VELOCITIES, "velocities", "Velocities", "Channels of joint velocities, one per joint (empty = those named "
      "JOINT.velocity)");
  install_string (klass, PROP_POSES, "poses", "Poses", "With mode=ik: channels of the target poses, frame by frame (empty = by "
      "name)");
  install_string (klass, PROP_BASE_POSE, "base-pose", "Base pose", "Channels of the base's own pose: x, y, z and a quaternion (empty = "
      "the base is fixed)");
}

static void
install_output (GObjectClass *klass)
{
  install_enum (klass, PROP_MODE, "mode", "Mode", "What to compute", TYPE_MODE);
  install_enum (klass, PROP_ORIENTATION, "orientation", "Orientation", "Form of orientations", TYPE_ORIENTATION);
  install_enum (klass, PROP_QUATERNION_ORDER, "quaternion-order", "Quaternion order", "Order of a quaternion's channels",
      TYPE_QUATERNION_ORDER);
  install_enum (klass, PROP_REFERENCE, "reference", "Reference", "What poses are relative to", TYPE_REFERENCE);
  g_object_class_install_property (klass, PROP_APPEND, g_param_spec_boolean ("append", "Append",
          "Put the channels of the input before the new ones", FALSE, READY));
  g_object_class_install_property (klass, PROP_MANIPULABILITY, g_param_spec_boolean ("manipulability", "Manipulability",
          "Append to each frame its manipulability, the product of the Jacobian's singular values", FALSE, READY));
  g_object_class_install_property (klass, PROP_TYPE, g_param_spec_enum ("type", "Type", "Element type of the output (auto = the input's)",
          ROBOCACHE_TYPE_DTYPE, ROBOCACHE_DTYPE_AUTO, READY));
}

static void
install_inverse (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_MAX_ITERATIONS, g_param_spec_uint ("max-iterations", "Maximum iterations",
          "Maximum iterations per row with mode=ik", 1, RC_KINEMATICS_MAX_ITERATIONS, 100, READY));
  g_object_class_install_property (klass, PROP_RESTARTS, g_param_spec_uint ("restarts", "Restarts", "Extra starting poses to try "
      "when the search does not converge, within max-iterations", 0, RC_KINEMATICS_MAX_RESTARTS, 20, READY));
  g_object_class_install_property (klass, PROP_TOLERANCE, g_param_spec_double ("tolerance", "Tolerance",
          "With mode=ik: end the search this close to the target, in distance (m) and in angle (rad)", 1e-12, 1.0, 1e-6, READY));
  g_object_class_install_property (klass, PROP_ORIENTATION_WEIGHT, g_param_spec_double ("orientation-weight", "Orientation weight",
          "With mode=ik: position error (m) that counts as much as an orientation error of 1 rad (0 = ignore orientations)",
          0.0, 1000.0, 1.0, READY));
}

void
robocache_kinematics_properties_install (GObjectClass *klass)
{
  install_model (klass);
  install_output (klass);
  install_inverse (klass);
  g_object_class_install_property (klass, PROP_STATS_INTERVAL, g_param_spec_uint64 ("stats-interval", "Statistics interval",
          "Interval between element messages with stats (ns of running time, 0 = off)", 0, G_MAXUINT64, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

void
robocache_kinematics_properties_set (RobocacheKinematicsProperties *properties, guint id, const GValue *value)
{
  robocache_setting_set (G_STRUCT_MEMBER_P (properties, fields[id]), value);
  if (id == PROP_STATS_INTERVAL)
    robocache_statistics_timer_reset (&properties->stats_timer);
}

void
robocache_kinematics_properties_get (RobocacheKinematicsProperties *properties, guint id, GValue *value)
{
  robocache_setting_get (G_STRUCT_MEMBER_P (properties, fields[id]), value);
}
