/* robocache: robocachekinematics, poses as channels of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "orientation.h"

#include "kernels/kinematics/kinematics.h"

static const gchar *const names[][2][ROBOCACHE_MAX_POSE_CHANNELS + 1] = {
  [ROBOCACHE_ORIENTATION_QUATERNION] = {{"x", "y", "z", "qw", "qx", "qy", "qz"}, {"x", "y", "z", "qx", "qy", "qz", "qw"}},
  [ROBOCACHE_ORIENTATION_ROTATION_6D] = {{"x", "y", "z", "r00", "r10", "r20", "r01", "r11", "r21"},
      {"x", "y", "z", "r00", "r10", "r20", "r01", "r11", "r21"}},
  [ROBOCACHE_ORIENTATION_EULER] = {{"x", "y", "z", "roll", "pitch", "yaw"}, {"x", "y", "z", "roll", "pitch", "yaw"}},
};

const gchar *const *
robocache_pose_names (RobocachePoseForm form)
{
  return names[form.orientation][form.order];
}

guint
robocache_pose_channels (RobocachePoseForm form)
{
  static const guint n[] = { 7, 9, 6 };

  return n[form.orientation];
}

/* Where w x y z are. */
static const guint places[][4] = {
  [ROBOCACHE_QUATERNION_WXYZ] = {0, 1, 2, 3},
  [ROBOCACHE_QUATERNION_XYZW] = {3, 0, 1, 2},
};

/* ---- write ---- */

static void
write_quaternion (RobocachePoseForm form, const gdouble *r, gdouble *channels)
{
  gdouble q[4];

  rc_quaternion_from_rotation (r, q);
  for (guint i = 0; i < 4; i++)
    channels[places[form.order][i]] = q[i];
}

/* The first two columns (Zhou et al., On the continuity of rotation representations in neural networks, CVPR 2019). */
static void
write_columns (const gdouble *r, gdouble *channels)
{
  for (guint i = 0; i < 3; i++) {
    channels[i] = r[3 * i];
    channels[3 + i] = r[3 * i + 1];
  }
}

void
robocache_pose_write (RobocachePoseForm form, const RcTransform *pose, gdouble *channels)
{
  for (guint i = 0; i < 3; i++)
    channels[i] = pose->p[i];
  if (form.orientation == ROBOCACHE_ORIENTATION_QUATERNION)
    write_quaternion (form, pose->r, channels + 3);
  else if (form.orientation == ROBOCACHE_ORIENTATION_ROTATION_6D)
    write_columns (pose->r, channels + 3);
  else
    rc_rpy_from_rotation (pose->r, channels + 3);
}

/* ---- read ---- */

static gboolean
read_quaternion (RobocachePoseForm form, const gdouble *channels, RcTransform *pose)
{
  gdouble numbers[7] = { channels[0], channels[1], channels[2] };

  for (guint i = 0; i < 4; i++)
    numbers[3 + i] = channels[3 + places[form.order][i]];
  return rc_transform_from_pose (numbers, RC_KINEMATICS_MAX_POSITION, pose);
}

/* FALSE: v has no direction. */
static gboolean
normalise3 (gdouble *v)
{
  const gdouble norm = sqrt ((v[0] * v[0] + v[1] * v[1]) + v[2] * v[2]);

  if (!(norm > 1e-9))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    v[i] = v[i] / norm;
  return TRUE;
}

/* By Gram and Schmidt, since a network's two columns are neither of length 1 nor at right angles. */
static gboolean
read_columns (const gdouble *channels, gdouble *r)
{
  gdouble x[3] = { channels[0], channels[1], channels[2] }, y[3] = { channels[3], channels[4], channels[5] }, along;

  if (!normalise3 (x) || !normalise3 (y))
    return FALSE;
  along = (x[0] * y[0] + x[1] * y[1]) + x[2] * y[2];
  for (guint i = 0; i < 3; i++)
    y[i] = y[i] - along * x[i];
  if (!normalise3 (y))
    return FALSE;
  for (guint i = 0; i < 3; i++) {
    const guint j = (i + 1) % 3, k = (i + 2) % 3;

    r[3 * i] = x[i];
    r[3 * i + 1] = y[i];
    r[3 * i + 2] = x[j] * y[k] - x[k] * y[j];
  }
  return TRUE;
}

gboolean
robocache_pose_read (RobocachePoseForm form, const gdouble *channels, RcTransform *pose)
{
  const guint n = robocache_pose_channels (form);

  for (guint i = 0; i < n; i++) {
    if (!(ABS (channels[i]) <= RC_KINEMATICS_MAX_POSITION))
      return FALSE;
  }
  for (guint i = 0; i < 3; i++)
    pose->p[i] = channels[i];
  if (form.orientation == ROBOCACHE_ORIENTATION_QUATERNION)
    return read_quaternion (form, channels, pose);
  if (form.orientation == ROBOCACHE_ORIENTATION_ROTATION_6D)
    return read_columns (channels + 3, pose->r);
  rc_rotation_from_rpy (channels + 3, pose->r);
  return TRUE;
}
