/* robocache: robocachekinematics, poses as channels of a row
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/kinematics/transform.h"
#include "settings.h"

#define ROBOCACHE_MAX_POSE_CHANNELS 9

typedef struct
{
  RobocacheOrientation orientation;
  RobocacheQuaternionOrder order;
} RobocachePoseForm;

/* Number of channels of a pose, and the suffixes of their names after the frame's name. */
guint robocache_pose_channels (RobocachePoseForm form);
const gchar *const *robocache_pose_names (RobocachePoseForm form);

void robocache_pose_write (RobocachePoseForm form, const RcTransform * pose, gdouble * channels);
/* FALSE: a channel is NaN or infinite, or an orientation has no direction. */
gboolean robocache_pose_read (RobocachePoseForm form, const gdouble * channels, RcTransform * pose);
