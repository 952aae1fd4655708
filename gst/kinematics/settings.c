/* robocache: robocachekinematics, what its properties say
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "settings.h"

#include "common/element/propertytypes.h"

/* Fields that are strings. */
static const gsize strings[] = {
  G_STRUCT_OFFSET (RobocacheKinematicsSettings, urdf), G_STRUCT_OFFSET (RobocacheKinematicsSettings, base),
  G_STRUCT_OFFSET (RobocacheKinematicsSettings, frames), G_STRUCT_OFFSET (RobocacheKinematicsSettings, joints),
  G_STRUCT_OFFSET (RobocacheKinematicsSettings, velocities), G_STRUCT_OFFSET (RobocacheKinematicsSettings, poses),
  G_STRUCT_OFFSET (RobocacheKinematicsSettings, base_pose),
};

static gchar **
string_of (RobocacheKinematicsSettings *settings, guint i)
{
  return (gchar **) G_STRUCT_MEMBER_P (settings, strings[i]);
}

void
robocache_kinematics_settings_init (RobocacheKinematicsSettings *settings)
{
  *settings = (RobocacheKinematicsSettings) {.type = ROBOCACHE_DTYPE_AUTO,.max_iterations = 100,.restarts = 20,.tolerance = 1e-6,
    .orientation_weight = 1.0
  };
}

void
robocache_kinematics_settings_copy (RobocacheKinematicsSettings *to, const RobocacheKinematicsSettings *from)
{
  robocache_kinematics_settings_clear (to);
  *to = *from;
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    *string_of (to, i) = g_strdup (*string_of (to, i));
}

void
robocache_kinematics_settings_clear (RobocacheKinematicsSettings *settings)
{
  for (guint i = 0; i < G_N_ELEMENTS (strings); i++)
    g_clear_pointer (string_of (settings, i), g_free);
}
