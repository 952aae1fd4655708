/* robocache: kinds of channels: their text, what names tell, and what properties change
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <string.h>

#include "common/channels/channelnames.h"
#include "common/element/errordomain.h"
#include "common/rows/channelroles.h"
#include "tests/check/lib/checks.h"

/* ---- text ---- */

static const struct
{
  guint n;
  const gchar *names, *text;
  const gchar *shortest;        /* NULL: all are real */
  const gchar *error;           /* words of it; NULL: none */
} texts[] = {
  {1, NULL, "real", NULL},
  {4, NULL, "real*4", NULL},
  {4, NULL, "real,real,real*2", NULL},
  {1, NULL, "hold", "hold"},
  {4, NULL, "quaternion", "quaternion"},
  {8, NULL, "quaternion,quaternion", "quaternion*2"},
  {10, NULL, "real*3,quaternion,angle,hold*2", "real*3,quaternion,angle,hold*2"},
  {10, NULL, " real * 3 , quaternion, angle , hold,hold", "real*3,quaternion,angle,hold*2"},
  {2, "wrist,dwrist", "angle,velocity:wrist", "angle,velocity:wrist"},
  {2, NULL, "angle,velocity:0", "angle,velocity:0"},
  {3, "a,b,c", "velocity:c,velocity:c*1,real", "velocity:c,velocity:c,real"},
  {2, "a*2,b", "real,velocity:a*2*1", "real,velocity:0"},
  {3, NULL, "real*2", NULL, "real*2|2 channels|a row has 3"},
  {3, NULL, "quaternion", NULL, "quaternion|4 channels|a row has 3|stands for 4"},
  {3, NULL, "real*16777216,real*16777216", NULL, "33554432 channels|a row has 3"},
  {3, NULL, "", NULL, "0 channels|a row has 3"},
  {3, NULL, "real*2,", NULL, "\"\" is not a kind"},
  {3, NULL, "real,reel,real", NULL, "\"reel\" is not a kind: expected real, angle, quaternion, hold or velocity:NAME"},
  {3, NULL, "Real*3", NULL, "\"Real*3\" is not a kind"},
  {3, NULL, "real*0", NULL, "\"real*0\": expected a number from 1 to 16777216 after *"},
  {3, NULL, "real*", NULL, "\"real*\": expected a number"},
  {3, NULL, "real*-3", NULL, "\"real*-3\": expected a number"},
  {3, NULL, "real*99999999999999999999", NULL, "expected a number from 1 to 16777216"},
  {2, "a,b", "real,velocity:c", NULL, "\"velocity:c\": no channel has the name c"},
  {2, "a,b", "real,velocity", NULL, "\"velocity\" is not a kind"},
  {2, NULL, "real,velocity:2", NULL, "\"velocity:2\": no channel has the name 2"},
  {3, "a,b,c", "real,velocity:a*2", NULL, "\"velocity:a*2\": expected only one velocity per channel"},
};

static void
assert_words (const gchar *text, const gchar *words)
{
  gchar **each = g_strsplit (words, "|", -1);

  for (guint i = 0; each[i]; i++)
    fail_unless (strstr (text, each[i]) != NULL, "no \"%s\" in \"%s\"", each[i], text);
  g_strfreev (each);
}

GST_START_TEST (test_text)
{
  const gchar *wrong = texts[__i__].error;
  RobocacheKinds kinds = { 0 };
  GError *error = NULL;
  gchar *shortest;

  fail_unless_equals_int (robocache_kinds_parse (&kinds, texts[__i__].text, texts[__i__].n, texts[__i__].names, &error), wrong == NULL);
  fail_unless_equals_uint64 (kinds.n, wrong ? 0 : texts[__i__].n);
  shortest = robocache_kinds_to_string (&kinds, texts[__i__].names);
  fail_unless_equals_string (shortest, texts[__i__].shortest);
  if (wrong) {
    fail_unless (g_error_matches (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS));
    assert_words (error->message, wrong);
    g_error_free (error);
  }
  g_free (shortest);
  robocache_kinds_clear (&kinds);
}

GST_END_TEST;

/* ---- names ---- */

static const struct
{
  const gchar *names;
  const gchar *kinds;           /* NULL: all are real */
  const gchar *error;           /* words of it; NULL: none */
} named[] = {
  {"qx,qy,qz,qw", "quaternion"},
  {"qw,qx,qy,qz", "quaternion"},
  {"x,y,z,qx,qy,qz,qw", "real*3,quaternion"},
  {"tx,ty,tz,qx,qy,qz,qw", "real*3,quaternion"},
  {"imu_qw,imu_qx,imu_qy,imu_qz,imu_gx", "quaternion,real"},
  {"left.qx,left.qy,left.qz,left.qw,right.qx,right.qy,right.qz,right.qw", "quaternion*2"},
  {"QW,QX,QY,QZ", "quaternion"},
  {"q[0],q[1],q[2],q[3]", "quaternion"},
  {"vehicle_attitude/q.00,vehicle_attitude/q.01,vehicle_attitude/q.02,vehicle_attitude/q.03", "quaternion"},
  {"orientation.x,orientation.y,orientation.z,orientation.w", "quaternion"},
  {"pose.pose.position.x,pose.pose.position.y,pose.pose.position.z,pose.pose.orientation.x,pose.pose.orientation.y,"
      "pose.pose.orientation.z,pose.pose.orientation.w", "real*3,quaternion"},
  {"/odom/pose/orientation/w,/odom/pose/orientation/x,/odom/pose/orientation/y,/odom/pose/orientation/z", "quaternion"},
  {"q_w,q_x,q_y,q_z", "quaternion"},
  {"quat_w,quat_x,quat_y,quat_z", "quaternion"},
  {"quat x,quat y,quat z,quat w", "quaternion"},
  {"q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z []", "quaternion"},
  {"p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z [],v_RS_R_x [m s^-1]", "real*3,quaternion,real"},
  {"rot.w,rot.x,rot.y,rot.z", "quaternion"},
  {"rotation_x,rotation_y,rotation_z,rotation_w", "quaternion"},
  {"toolOrientationX,toolOrientationY,toolOrientationZ,toolOrientationW", "quaternion"},
  {"attitude.x,attitude.y,attitude.z,attitude.w", "quaternion"},
  /* velocities */
  {"a.position,b.position,a.velocity,b.velocity,a.effort,b.effort", "real*2,velocity:0,velocity:1,real*2"},
  {"a.velocity,a.position", "velocity:1,real"},
  {"position[0],position[1],velocity[1],velocity[0]", "real*2,velocity:1,velocity:0"},
  {"points[0].positions[1],points[0].velocities[1]", "real,velocity:0"},
  {"arm_pos_1 [rad],arm_vel_1 [rad],arm_vel_2 [rad]", "real,velocity:0,real"},
  {"elbow,elbow.velocity,elbow_vel", "real,velocity:0,velocity:0"},
  {"q0,q[1],dq0,dq[1],dq2", "real*2,velocity:0,velocity:1,real"},
  {"a.velocity,b.position,velocity,mode,mode.velocity", "real*3,hold,real"},
  {"position.x,velocity.x,pos_y,vel_y,x,dx,velocityz,positionz", NULL},
  /* no quaternions */
  {"q0,q1,q2,q3", NULL},
  {"q[0],q[1],q[2],q[3],q[4],q[5]", NULL},
  {"q[1],q[2],q[3],q[4]", NULL},
  {"x,y,z,w", NULL},
  {"position.x,position.y,position.z,position.w", NULL},
  {"qx,qy,qz", NULL},
  {"a.qx,a.qy,a.qz,b.qw", NULL},
  {"velocity.x,velocity.y,velocity.z,max", NULL},
  {"qx,qy,qz,qw,qw", NULL},
  {"freq_x,freq_y,freq_z,freq_w", NULL},
  {"q[0][0],q[0][1],q[0][2],q[0][3]", NULL},
  {"[0],x,w,[]", NULL},
  /* not as they should be */
  {"qx,qy,qw,qz", NULL, "qx, qy, qz and qw are a quaternion|channels 0, 1, 3 and 2|not adjacent in the order x, y, z, w or w, x, y, z"},
  {"qw,qz,qy,qx", NULL, "channels 3, 2, 1 and 0"},
  {"qx,a,qy,qz,qw,mode", "real*5,hold", "channels 0, 2, 3 and 4"},
  {"qx,qy,qz,mode,qw,l.qx,l.qy,l.qz,l.qw", "real*3,hold,real,quaternion", "qx, qy, qz and qw"},
  /* modes, statuses, counters */
  {"mode,status,x,counter", "hold*2,real,hold"},
  {"arm.mode,gripper_status,Status,seq", "hold*4"},
  {"modes,status.x,mode_x,statusword", NULL},
};

GST_START_TEST (test_names)
{
  gchar **names = g_strsplit (named[__i__].names, ",", -1);
  RobocacheKinds kinds = { 0 };
  GError *error = NULL;
  gchar *text;

  fail_unless_equals_int (robocache_kinds_of_names (&kinds, (const gchar * const *) names, g_strv_length (names), &error),
      named[__i__].error == NULL);
  text = robocache_kinds_to_string (&kinds, NULL);
  fail_unless_equals_string (text, named[__i__].kinds);
  if (named[__i__].error)
    assert_words (error->message, named[__i__].error);
  g_clear_error (&error);
  g_free (text);
  robocache_kinds_clear (&kinds);
  g_strfreev (names);
}

GST_END_TEST;

GST_START_TEST (test_parts_of_names)
{
  static const gchar *const names[] = { "qx", "a.qy", "orientation.z", "q_RS_w []", "q[0]", "q[3]" };
  static const gint parts[] = { 0, 1, 2, 3, 3, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    fail_unless_equals_int (robocache_name_part (names[i]), parts[i]);
  fail_unless_equals_int (robocache_name_part ("x"), -1);
  fail_unless_equals_int (robocache_name_part ("q[4]"), -1);
  fail_unless_equals_int (robocache_name_part (""), -1);
}

GST_END_TEST;

/* ---- properties ---- */

#define LIST(role) [ROBOCACHE_ROLE_##role]

static const struct
{
  guint n;
  const gchar *names, *kinds;   /* of caps */
  const gchar *strings[ROBOCACHE_N_ROLES];
  const gchar *used, *source;
  const gchar *velocities;      /* list; NULL: not looked at */
  const gchar *error;           /* words of it; NULL: none */
} roles[] = {
  {3, NULL, NULL, {NULL}, NULL, "none"},
  {8, NULL, "real*3,quaternion,hold", {NULL}, "real*3,quaternion,hold", "caps"},
  {8, NULL, "real*3,quaternion,hold", {LIST (KINDS) = "ignore"}, NULL, "ignored"},
  {8, NULL, "real*3,quaternion,hold", {LIST (KINDS) = ""}, "real*3,quaternion,hold", "caps"},
  {8, NULL, "real*3,quaternion,hold", {LIST (KINDS) = "hold*8"}, "hold*8", "property"},
  {8, NULL, NULL, {LIST (KINDS) = "hold*8"}, "hold*8", "property"},
  {8, NULL, "real*3,quaternion,hold", {LIST (QUATERNIONS) = ""}, "real*7,hold", "caps and property"},
  {8, NULL, "real*3,quaternion,hold", {LIST (QUATERNIONS) = "0"}, "quaternion,real*3,hold", "caps and property"},
  {8, NULL, "real*3,quaternion,hold", {LIST (ANGLES) = "4"}, "real*4,angle,real*2,hold", "caps and property"},
  {8, NULL, "real*3,quaternion,hold", {LIST (ANGLES) = "7"}, "real*3,quaternion,angle", "caps and property"},
  {8, NULL, "angle*2,real*6", {LIST (ANGLES) = "5"}, "real*5,angle,real*2", "caps and property"},
  {8, NULL, "real*3,quaternion,hold", {LIST (QUATERNIONS) = "0",LIST (KINDS) = "ignore"}, "quaternion,real*4", "property"},
  {4, NULL, NULL, {LIST (ANGLES) = "1"}, "real,angle,real*2", "property"},
  /* quaternions that overlap, which a plan refuses */
  {8, NULL, NULL, {LIST (QUATERNIONS) = "0,3"}, "quaternion,real*4", "property"},
  {8, NULL, NULL, {LIST (QUATERNIONS) = "4,3"}, "real*4,quaternion", "property"},
  {10, NULL, NULL, {LIST (QUATERNIONS) = "6,3"}, "real*6,quaternion", "property"},
  {6, NULL, NULL, {LIST (QUATERNIONS) = "2,0"}, "real*2,quaternion", "property"},
  {4, "a,b,da,db", "real*2,velocity:a,velocity:b", {NULL}, "real*2,velocity:a,velocity:b", "caps", "2,3,"},
  {4, "a,b,da,db", "real*2,velocity:b,velocity:a", {NULL}, "real*2,velocity:b,velocity:a", "caps", "3,2,"},
  {4, "a,b,da,db", "real*2,real,velocity:a", {NULL}, "real*3,velocity:a", "caps", "3,"},
  {4, "a,b,da,db", "real*3,velocity:b", {NULL}, "real*3,velocity:b", "caps", ""},
  {4, "a,b,da,db", "real,hold,velocity:a,velocity:b", {NULL}, "real,hold,velocity:a,velocity:b", "caps", "2,"},
  {4, "a,b,da,db", "real*2,velocity:a,velocity:b", {LIST (VELOCITIES) = "db"}, "real*3,velocity:a", "caps and property", "3,"},
  {3, NULL, "real*4", {NULL}, NULL, "caps", NULL, "kinds=\"real*4\" has 4 channels, but a row has 3"},
  {3, NULL, "real*4", {LIST (KINDS) = "ignore"}, NULL, "ignored"},
  {3, NULL, NULL, {LIST (KINDS) = "hold"}, NULL, "property", NULL, "kinds=\"hold\" has 1 channels, but a row has 3"},
};

GST_START_TEST (test_roles)
{
  const gchar *wrong = roles[__i__].error;
  RobocacheChannelRoles made = { 0 }, copy = { 0 };
  GString *velocities = g_string_new (NULL);
  GError *error = NULL;

  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    made.strings[role] = g_strdup (roles[__i__].strings[role]);
  robocache_channel_roles_set_channels (&made, roles[__i__].n, roles[__i__].names, roles[__i__].kinds);
  robocache_channel_roles_copy (&copy, &made);
  fail_unless_equals_int (robocache_channel_roles_parse (&copy, &error), wrong == NULL);
  if (wrong)
    assert_words (error->message, wrong);
  fail_unless_equals_string (copy.used, roles[__i__].used);
  fail_unless_equals_string (copy.source, roles[__i__].source);
  for (gint64 i = 0; i < copy.lists[ROBOCACHE_ROLE_VELOCITIES].n; i++)
    g_string_append_printf (velocities, "%d,", copy.lists[ROBOCACHE_ROLE_VELOCITIES].channels[i]);
  if (roles[__i__].velocities)
    fail_unless_equals_string (velocities->str, roles[__i__].velocities);
  fail_unless_equals_int (robocache_channel_roles_are_held (&copy), g_strcmp0 (copy.used, "hold*8") == 0);
  g_clear_error (&error);
  g_string_free (velocities, TRUE);
  robocache_channel_roles_clear (&copy);
  robocache_channel_roles_clear (&made);
}

GST_END_TEST;

static const struct
{
  const gchar *text;
  gboolean is_good;
} checked[] = {
  {NULL, TRUE}, {"", TRUE}, {"ignore", TRUE}, {"real*3,quaternion", TRUE}, {"hold", TRUE}, {"velocity:x,real", TRUE}, {"holds", FALSE},
  {"real*0", FALSE}, {"real,,hold", FALSE}, {"ignore,real", FALSE},
};

GST_START_TEST (test_check_of_a_property)
{
  GValue value = G_VALUE_INIT;
  GError *error = NULL;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, checked[__i__].text);
  fail_unless_equals_int (robocache_channel_roles_check (ROBOCACHE_ROLE_KINDS, &value, &error), checked[__i__].is_good);
  fail_unless_equals_int (error == NULL, checked[__i__].is_good);
  g_clear_error (&error);
  g_value_unset (&value);
}

GST_END_TEST;

GST_START_TEST (test_kinds_of_several_rows)
{
  RobocacheChannelRoles a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
  const RobocacheChannelRoles *all[] = { &a, &b, &c, &d };
  gchar *text;

  robocache_channel_roles_set_channels (&a, 5, "v,w,x,y,z", "quaternion,velocity:v");
  robocache_channel_roles_set_channels (&b, 2, NULL, NULL);
  robocache_channel_roles_set_channels (&c, 2, NULL, "hold,angle");
  robocache_channel_roles_set_channels (&d, 2, "p,dp", "real,velocity:p");
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    fail_unless (robocache_channel_roles_parse ((RobocacheChannelRoles *) all[i], NULL));
  text = robocache_channel_roles_join (all, 4, NULL);
  fail_unless_equals_string (text, "quaternion,velocity:0,real*2,hold,angle,real,velocity:9");
  g_free (text);
  text = robocache_channel_roles_join (all, 4, "v,w,x,y,z,b0,b1,c0,c1,p,dp");
  fail_unless_equals_string (text, "quaternion,velocity:v,real*2,hold,angle,real,velocity:p");
  g_free (text);
  text = robocache_channel_roles_join (all + 1, 1, NULL);
  fail_unless_equals_string (text, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    robocache_channel_roles_clear ((RobocacheChannelRoles *) all[i]);
}

GST_END_TEST;

CHECK_MAIN (kinds, NULL, NULL, EACH (texts, test_text), EACH (named, test_names), ONCE (test_parts_of_names), EACH (roles, test_roles),
    EACH (checked, test_check_of_a_property), ONCE (test_kinds_of_several_rows))
