/* robocache: URDF files: what is read, and one error for each that is wrong
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <gst/check/gstcheck.h>

#include <glib/gstdio.h>
#include <string.h>

#include "gst/kinematics/model.h"
#include "gst/kinematics/urdf/urdf.h"
#include "tests/check/lib/checks.h"

#define ROBOT(body) "<robot name=\"r\">" body "</robot>"
#define ROBOT_1_2(body) "<robot name=\"r\" version=\"1.2\">" body "</robot>"
#define LINK(name) "<link name=\"" name "\"/>"
#define JOINT(name, type, parent, child, more) \
  "<joint name=\"" name "\" type=\"" type "\"><parent link=\"" parent "\"/><child link=\"" child "\"/>" more "</joint>"
#define LIMIT "<limit lower=\"-1\" upper=\"1\"/>"
#define TWO LINK ("a") LINK ("b")

static const struct
{
  const gchar *name, *text, *words;
} wrong[] = {
  {"empty", "", "not XML"},
  {"no XML", "hello", "line 1: not XML"},
  {"cut off", "<robot name=\"r\"><link name=\"a\"/>", "not XML"},
  {"another root", "<sdf><model/></sdf>", "the root element is <sdf>, so the file is SDF, of Gazebo, not URDF"},
  {"MJCF", "<mujoco/>", "the file is MJCF, of MuJoCo, not URDF"},
  {"no robot", "<html/>", "the root element is <html>: expected <robot>"},
  {"no link", ROBOT (""), "the robot has no link"},
  {"link without a name", ROBOT ("<link/>"), "<link> has no name"},
  {"two links of a name", ROBOT (LINK ("a") LINK ("a")), "two links are named \"a\""},
  {"two roots", ROBOT (TWO), "no joint moves links \"a\" and \"b\": expected one root link"},
  {"two joints of a name", ROBOT (TWO LINK ("c") JOINT ("j", "fixed", "a", "b", "") JOINT ("j", "fixed", "a", "c", "")),
      "two joints are named \"j\""},
  {"cycle of all", ROBOT (TWO JOINT ("j", "fixed", "a", "b", "") JOINT ("k", "fixed", "b", "a", "")), "form a cycle"},
  {"cycle of some", ROBOT (TWO LINK ("c") JOINT ("j", "fixed", "b", "c", "") JOINT ("k", "fixed", "c", "b", "")),
      "joint \"j\" is part of a cycle"},
  {"two parents", ROBOT (TWO LINK ("c") JOINT ("j", "fixed", "a", "c", "") JOINT ("k", "fixed", "b", "c", "")),
      "joints \"j\" and \"k\" both move link \"c\": expected a tree"},
  {"unknown child", ROBOT (LINK ("a") JOINT ("j", "fixed", "a", "x", "")), "joint \"j\" connects link \"x\", which the robot does not have"},
  {"unknown parent", ROBOT (LINK ("a") JOINT ("j", "fixed", "x", "a", "")), "joint \"j\" connects link \"x\", which the robot does not have"},
  {"no parent", ROBOT (TWO "<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"), "joint \"j\" has no <parent>"},
  {"no child", ROBOT (TWO "<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/></joint>"), "joint \"j\" has no <child>"},
  {"two children", ROBOT (TWO JOINT ("j", "fixed", "a", "b", "<child link=\"a\"/>")), "joint \"j\" has two <child>"},
  {"joint without a name", ROBOT (TWO "<joint type=\"fixed\"/>"), "<joint> has no name"},
  {"joint without a type", ROBOT (TWO "<joint name=\"j\"/>"), "<joint> has no type"},
  {"unknown type", ROBOT (TWO JOINT ("j", "screw", "a", "b", "")), "type=\"screw\": expected fixed, revolute"},
  {"no limits", ROBOT (TWO JOINT ("j", "revolute", "a", "b", "")), "joint \"j\" has no <limit>: add one, or set type=\"continuous\""},
  {"reversed limits", ROBOT (TWO JOINT ("j", "prismatic", "a", "b", "<limit lower=\"1\" upper=\"-1\"/>")),
      "joint \"j\" has the limits 1 to -1: expected a lower limit that is not above the upper one"},
  {"limit that is no number", ROBOT (TWO JOINT ("j", "revolute", "a", "b", "<limit lower=\"x\" upper=\"1\"/>")), "lower=\"x\": expected 1 number"},
  {"NaN limit", ROBOT (TWO JOINT ("j", "revolute", "a", "b", "<limit lower=\"nan\" upper=\"1\"/>")), "lower=\"nan\": expected"},
  {"no axis", ROBOT (TWO JOINT ("j", "continuous", "a", "b", "<axis xyz=\"0 0 0\"/>")), "joint \"j\" has the axis 0 0 0: expected a direction"},
  {"axis of two numbers", ROBOT (TWO JOINT ("j", "continuous", "a", "b", "<axis xyz=\"0 1\"/>")), "xyz=\"0 1\": expected 3 numbers"},
  {"origin of four numbers", ROBOT (TWO JOINT ("j", "fixed", "a", "b", "<origin xyz=\"0 1 2 3\"/>")), "xyz=\"0 1 2 3\": expected 3 numbers"},
  {"infinite origin", ROBOT (TWO JOINT ("j", "fixed", "a", "b", "<origin rpy=\"0 inf 0\"/>")), "rpy=\"0 inf 0\": expected 3 numbers"},
  {"effort that is no number", ROBOT (TWO JOINT ("j", "revolute", "a", "b", "<limit lower=\"0\" upper=\"1\" effort=\"high\"/>")),
      "effort=\"high\": expected 1 number"},
  {"velocity that is empty", ROBOT (TWO JOINT ("j", "revolute", "a", "b", "<limit lower=\"0\" upper=\"1\" velocity=\"\"/>")),
      "velocity=\"\": expected 1 number"},
  {"unknown version", "<robot name=\"r\" version=\"2.0\">" LINK ("a") "</robot>", "version=\"2.0\": expected URDF 1.0, 1.1 or 1.2"},
  {"quaternion of an old version", ROBOT (TWO JOINT ("j", "fixed", "a", "b", "<origin quat_xyzw=\"0 0 0 1\"/>")), "quat_xyzw needs "
      "URDF 1.2: set version"},
  {"two rotations", ROBOT_1_2 (TWO JOINT ("j", "fixed", "a", "b", "<origin rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\"/>")),
      "an <origin> has both rpy and quat_xyzw"},
  {"quaternion of zeros", ROBOT_1_2 (TWO JOINT ("j", "fixed", "a", "b", "<origin quat_xyzw=\"0 0 0 0\"/>")), "quat_xyzw=\"0 0 0 0\": expected"},
  {"quaternion of three numbers", ROBOT_1_2 (TWO JOINT ("j", "fixed", "a", "b", "<origin quat_xyzw=\"0 0 1\"/>")),
      "quat_xyzw=\"0 0 1\": expected 4 numbers"},
  {"two mimics", ROBOT (TWO JOINT ("j", "continuous", "a", "b", "<mimic joint=\"j\"/><mimic joint=\"j\"/>")), "joint \"j\" has two <mimic>"},
  {"entity bomb", "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\"><!ENTITY c \"&b;&b;&b;&b;&b;&b;\">]>"
        ROBOT ("<link name=\"&c;&c;&c;\"/>"), "line 1: the file has a document type"},
  {"external entity", "<!DOCTYPE r SYSTEM \"file:///etc/passwd\">" ROBOT (LINK ("a")), "the file has a document type"},
  {"xacro element", "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\"><xacro:include filename=\"x\"/>" LINK ("a") "</robot>",
      "the file is xacro, not URDF: expand it with \"xacro FILE > robot.urdf\""},
  {"xacro value", ROBOT (LINK ("${prefix}base")), "the file is xacro"},
};

GST_START_TEST (test_wrong)
{
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("robot.urdf", wrong[__i__].text, strlen (wrong[__i__].text), &error);

  fail_unless (robot == NULL, "%s is read", wrong[__i__].name);
  fail_unless (error && g_str_has_prefix (error->message, "urdf=robot.urdf: ") && strstr (error->message, wrong[__i__].words), "%s: %s",
      wrong[__i__].name, error ? error->message : "no error");
  g_error_free (error);
}

GST_END_TEST;

/* A chain of so many links. */
static GString *
long_chain (guint n)
{
  GString *text = g_string_new ("<robot name=\"r\"><link name=\"l0\"/>");

  for (guint i = 1; i < n; i++)
    g_string_append_printf (text, "<link name=\"l%u\"/><joint name=\"j%u\" type=\"fixed\"><parent link=\"l%u\"/><child link=\"l%u\"/></joint>", i,
        i, i - 1, i);
  return g_string_append (text, "</robot>");
}

static const guint chains[] = { 1, 2, RC_KINEMATICS_MAX_JOINTS + 1, RC_KINEMATICS_MAX_JOINTS + 2, 100000 };

GST_START_TEST (test_long)
{
  const guint n = chains[__i__];
  GString *text = long_chain (n);
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("long", text->str, text->len, &error);

  fail_unless_equals_int (robot != NULL, n <= RC_KINEMATICS_MAX_JOINTS + 1);
  fail_unless (robot || strstr (error->message, "the robot has more than 409"), "%s", error ? error->message : "");
  fail_unless (robot == NULL || robot->joints->len == n - 1);
  g_clear_error (&error);
  robocache_robot_free (robot);
  g_string_free (text, TRUE);
}

GST_END_TEST;

GST_START_TEST (test_files)
{
  gchar *folder = g_dir_make_tmp ("urdf-XXXXXX", NULL), *path = g_build_filename (folder, "robot.urdf", NULL);
  GError *error = NULL;
  RobocacheRobot *robot;

  fail_unless (robocache_urdf_read (path, &error) == NULL);
  fail_unless (strstr (error->message, path) && strstr (error->message, g_strerror (ENOENT)), "%s", error->message);
  g_clear_error (&error);
  fail_unless (robocache_urdf_read (folder, &error) == NULL);
  fail_unless (strstr (error->message, g_strerror (EISDIR)) != NULL, "%s", error->message);
  g_clear_error (&error);
  fail_unless (robocache_urdf_read ("/dev/zero", &error) == NULL);
  fail_unless (strstr (error->message, "more than 64 MiB") != NULL, "%s", error->message);
  g_clear_error (&error);
  fail_unless (g_file_set_contents (path, ROBOT (LINK ("a")), -1, NULL));
  robot = robocache_urdf_read (path, &error);
  fail_unless (robot != NULL && g_str_equal (robot->root, "a"));
  robocache_robot_free (robot);
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  g_free (folder);
}

GST_END_TEST;

/* Elements of these names elsewhere, meshes and comments are no part of the robot. Joints may come in any order. */
GST_START_TEST (test_what_is_read)
{
  static const gchar text[] = "<?xml version=\"1.0\"?><!-- r --><robot name=\"r\"><material name=\"m\"><color rgba=\"1 0 0 1\"/></material>"
      JOINT ("k", "prismatic", "b", "c", "<origin xyz=\" 1 2\n3 \" rpy=\"0.1 0.2 0.3\"/><axis xyz=\"0 0 2\"/><limit effort=\"1\" velocity=\"1\" "
      "lower=\"-1e+16\" upper=\"0.5\"/><mimic joint=\"j\" multiplier=\"-2\" offset=\"0.25\"/><dynamics damping=\"1\"/>")
      "<link name=\"c\"><visual><origin xyz=\"9 9 9\"/><geometry><mesh filename=\"package://none\"/></geometry></visual></link>" TWO
      JOINT ("j", "continuous", "a", "b", "")
      "<transmission name=\"t\"><joint name=\"j\"><hardwareInterface>x</hardwareInterface></joint><link name=\"z\"/></transmission>"
      "<gazebo><link name=\"y\"/></gazebo></robot>";
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("r", text, strlen (text), &error);
  const RobocacheRobotJoint *k;

  fail_unless (robot != NULL, "%s", error ? error->message : "");
  fail_unless_equals_string (robot->name, "r");
  fail_unless_equals_string (robot->root, "a");
  fail_unless_equals_int ((gint) robot->joints->len, 2);
  fail_unless_equals_int (robocache_robot_find_link (robot, "a"), ROBOCACHE_ROBOT_ROOT);
  fail_unless_equals_int (robocache_robot_find_link (robot, "c"), 1);
  fail_unless_equals_int (robocache_robot_find_link (robot, "z"), ROBOCACHE_ROBOT_NONE);
  fail_unless_equals_int (robocache_robot_find_joint (robot, "j"), 0);
  k = robocache_robot_joint (robot, 1);
  fail_unless (k->spec.kind == RC_JOINT_PRISMATIC && k->spec.parent == 0 && k->spec.mimics == 0);
  fail_unless (k->spec.origin[2] == 3.0 && k->spec.rpy[1] == 0.2 && k->spec.axis[2] == 2.0 && k->spec.axis[0] == 0.0);
  fail_unless (k->spec.lower == -1e16 && k->spec.upper == 0.5 && k->spec.multiplier == -2.0 && k->spec.offset == 0.25);
  fail_unless (robocache_robot_joint (robot, 0)->spec.axis[0] == 1.0);
  robocache_robot_free (robot);
}

GST_END_TEST;

/* Poses of frames of a robot whose moving joints all have this position. */
static void
forward (const gchar *text, const gchar *frames, gdouble position, gdouble *poses)
{
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("r", text, strlen (text), &error);
  const RcWhere where = {.kind = RC_BACKEND_CPU };
  gdouble *positions;
  RobocacheModel model;
  RcBackend *backend;
  RcKinematicsPlan *plan;
  RcError failure;

  fail_unless (robot != NULL, "%s", error ? error->message : "");
  fail_unless (robocache_model_init (&model, robot, "", frames, &error), "%s", error ? error->message : "");
  positions = g_new (gdouble, robot->joints->len + 1);
  for (guint i = 0; i < robot->joints->len; i++) {
    positions[i] = position;
    if (robocache_robot_joint (robot, (gint) i)->spec.kind != RC_JOINT_FIXED)
      fail_unless (robocache_model_add_variable (&model, (gint) i, NULL));
  }
  model.spec.max_iterations = 1;
  model.spec.tolerance = 1e-6;
  fail_unless (rc_backend_open (&where, &backend, &failure) == RC_OK);
  fail_unless (rc_kinematics_plan (backend, robocache_model_spec (&model), &plan, NULL, &failure) == RC_OK, "%s", failure.message);
  fail_unless (rc_kinematics_forward (plan, &(RcForwardArgs) {.batch = 1,.positions = {positions, 0},.poses = {poses, 0} }, NULL, &failure) == RC_OK);
  rc_kinematics_plan_free (plan);
  rc_backend_close (backend);
  g_free (positions);
  robocache_model_clear (&model);
  robocache_robot_free (robot);
}

/* A quarter turn about z, by a quaternion of norm 2, and back by angles. */
GST_START_TEST (test_quaternions)
{
  static const gdouble turned[] = { 1, 2, 3, G_SQRT2 / 2, 0, 0, G_SQRT2 / 2 }, straight[] = { 1, 2, 3, 1, 0, 0, 0 };
  gdouble poses[14];

  forward (ROBOT_1_2 (TWO LINK ("c") JOINT ("j", "fixed", "a", "b", "<origin xyz=\"1 2 3\" quat_xyzw=\"0 0 1.4142135623730951 1.4142135623730951\"/>")
          JOINT ("k", "fixed", "b", "c", "<origin rpy=\"0 0 -1.5707963267948966\"/>")), "b,c", 0.0, poses);
  for (guint i = 0; i < 7; i++)
    fail_unless (ABS (poses[i] - turned[i]) < 1e-15 && ABS (poses[7 + i] - straight[i]) < 1e-15, "%u: %.17g %.17g", i, poses[i], poses[7 + i]);
}

GST_END_TEST;

/* So many joints, each of which moves the link behind it by 1/64 m. */
GST_START_TEST (test_many_joints)
{
  GString *text = g_string_new ("<robot name=\"r\"><link name=\"l0\"/>");
  gdouble pose[7];

  for (guint i = 1; i <= RC_KINEMATICS_MAX_VARIABLES; i++)
    g_string_append_printf (text, "<link name=\"l%u\"/><joint name=\"j%u\" type=\"prismatic\"><parent link=\"l%u\"/><child link=\"l%u\"/>" LIMIT "</joint>",
        i, i, i - 1, i);
  g_string_append (text, "</robot>");
  forward (text->str, "", 0x1p-6, pose);
  fail_unless (pose[0] == RC_KINEMATICS_MAX_VARIABLES * 0x1p-6 && pose[1] == 0.0 && pose[3] == 1.0, "%g %g", pose[0], pose[3]);
  g_string_free (text, TRUE);
}

GST_END_TEST;

/* m mimics nothing, n mimics m, o is of a circle: only the frames behind them are refused. */
static const struct
{
  const gchar *frames, *words;
} mimics[] = {
  {"c", NULL}, {"m", "joint \"m\" moves frame \"m\" and mimics joint \"none\""}, {"n", "joint \"n\" moves frame \"n\" and mimics joint \"m\""},
  {"o", "joint \"o\" moves frame \"o\" and mimics joint \"p\""}, {"f", "joint \"f\" moves frame \"f\" and mimics joint \"fixed\""},
};

GST_START_TEST (test_mimics)
{
  static const gchar text[] = ROBOT (TWO LINK ("c") LINK ("m") LINK ("n") LINK ("o") LINK ("p") LINK ("f") JOINT ("fixed", "fixed", "a", "b", "")
      JOINT ("j", "continuous", "b", "c", "") JOINT ("m", "continuous", "b", "m", "<mimic joint=\"none\"/>")
      JOINT ("n", "continuous", "b", "n", "<mimic joint=\"m\"/>") JOINT ("o", "continuous", "b", "o", "<mimic joint=\"p\"/>")
      JOINT ("p", "continuous", "b", "p", "<mimic joint=\"o\"/>") JOINT ("f", "continuous", "b", "f", "<mimic joint=\"fixed\"/>"));
  GError *error = NULL;
  RobocacheRobot *robot = robocache_urdf_parse ("r", text, strlen (text), &error);
  RobocacheModel model;
  gboolean ok;

  fail_unless (robot != NULL, "%s", error ? error->message : "");
  ok = robocache_model_init (&model, robot, "b", mimics[__i__].frames, &error);
  fail_unless_equals_int (ok, mimics[__i__].words == NULL);
  fail_unless (ok || strstr (error->message, mimics[__i__].words), "%s", error ? error->message : "");
  g_clear_error (&error);
  robocache_model_clear (&model);
  robocache_robot_free (robot);
}

GST_END_TEST;

/* a, then b by a floating joint, and two ends c and d. */
static const struct
{
  const gchar *base, *frames, *words;
} models[] = {
  {"", "c", "base: joint \"free\" between link \"a\" and frame \"c\" is floating or planar: set base=b"}, {"b", "c", NULL},
  {"c", "d", NULL}, {"x", "c", "base: \"x\" is not a link of robot \"r\""}, {"b", "j", "frames: \"j\" is not a link of robot \"r\", but a joint"},
  {"b", "", "frames is not set, and robot \"r\" has 2 end links (c, d): set frames to the links to "
      "compute"}, {"b", "c,,d", "frames: \"\" is not a link"},
  {"b", "c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c,c", "frames: 17 links: expected at most 16"},
};

GST_START_TEST (test_models)
{
  static const gchar text[] = ROBOT (TWO LINK ("c") LINK ("d") JOINT ("free", "floating", "a", "b", "") JOINT ("j", "continuous", "b", "c", "")
      JOINT ("k", "continuous", "b", "d", ""));
  RobocacheRobot *robot = robocache_urdf_parse ("r", text, strlen (text), NULL);
  RobocacheModel model;
  GError *error = NULL;
  const gboolean ok = robocache_model_init (&model, robot, models[__i__].base, models[__i__].frames, &error);

  fail_unless_equals_int (ok, models[__i__].words == NULL);
  fail_unless (ok || strstr (error->message, models[__i__].words), "%s", error ? error->message : "");
  if (ok) {
    fail_if (robocache_model_check_variables (&model, robot, &error));
    fail_unless (strstr (error->message, "joints: joint \"j\" moves a frame, but is not listed") != NULL, "%s", error->message);
  }
  g_clear_error (&error);
  robocache_model_clear (&model);
  robocache_robot_free (robot);
}

GST_END_TEST;

CHECK_MAIN (urdf, NULL, NULL, EACH (wrong, test_wrong), EACH (chains, test_long), ONCE (test_files), ONCE (test_what_is_read),
    EACH (models, test_models), ONCE (test_quaternions), EACH (mimics, test_mimics), ONCE (test_many_joints))
