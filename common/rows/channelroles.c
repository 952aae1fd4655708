/* robocache: roles of channels of a stream: the properties quaternions, angles and velocities
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "channelroles.h"

static const struct
{
  const gchar *name, *nick, *blurb;
} properties[ROBOCACHE_N_ROLES] = {
  [ROBOCACHE_ROLE_QUATERNIONS] = {"quaternions", "Quaternions",
      "First channels of quaternions of four channels, interpolated along the arc: numbers or names, like \"3,7\" or \"qw\""},
  [ROBOCACHE_ROLE_ANGLES] = {"angles", "Angles",
      "Channels in radians, interpolated along the shorter arc: numbers, ranges or names, like \"0-2\""},
  [ROBOCACHE_ROLE_VELOCITIES] = {"velocities", "Velocities",
      "For interpolation=hermite: the channels with the rates per second of channels 0, 1, …: numbers, ranges or names, like "
      "\"6-11\""},
};

void
robocache_channel_roles_install_properties (GObjectClass *klass, guint first_id)
{
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    g_object_class_install_property (klass, first_id + role, g_param_spec_string (properties[role].name,
            properties[role].nick, properties[role].blurb, NULL,
            G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY));
}

void
robocache_channel_roles_set_property (RobocacheChannelRoles *roles, guint role, const GValue *value)
{
  g_free (roles->strings[role]);
  roles->strings[role] = g_value_dup_string (value);
}

void
robocache_channel_roles_get_property (const RobocacheChannelRoles *roles, guint role, GValue *value)
{
  g_value_set_string (value, roles->strings[role]);
}

void
robocache_channel_roles_set_names (RobocacheChannelRoles *roles, const gchar *names)
{
  g_free (roles->names);
  roles->names = g_strdup (names);
}

void
robocache_channel_roles_copy (RobocacheChannelRoles *roles, const RobocacheChannelRoles *from)
{
  robocache_channel_roles_clear (roles);
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    roles->strings[role] = g_strdup (from->strings[role]);
  roles->names = g_strdup (from->names);
}

gboolean
robocache_channel_roles_check (guint role, const GValue *value, GError **error)
{
  if (robocache_channel_list_check (g_value_get_string (value), error))
    return TRUE;
  g_prefix_error (error, "%s: ", properties[role].name);
  return FALSE;
}

gboolean
robocache_channel_roles_parse (RobocacheChannelRoles *roles, GError **error)
{
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++) {
    if (robocache_channel_list_parse (&roles->lists[role], roles->strings[role], roles->names, error))
      continue;
    g_prefix_error (error, "%s: ", properties[role].name);
    return FALSE;
  }
  return TRUE;
}

void
robocache_channel_roles_clear (RobocacheChannelRoles *roles)
{
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++) {
    robocache_channel_list_clear (&roles->lists[role]);
    g_clear_pointer (&roles->strings[role], g_free);
  }
  g_clear_pointer (&roles->names, g_free);
}

void
robocache_channel_roles_apply (const RobocacheChannelRoles *roles, RcAlignStreamSpec *spec)
{
  spec->quaternions = roles->lists[ROBOCACHE_ROLE_QUATERNIONS].channels;
  spec->n_quaternions = roles->lists[ROBOCACHE_ROLE_QUATERNIONS].n;
  spec->angles = roles->lists[ROBOCACHE_ROLE_ANGLES].channels;
  spec->n_angles = roles->lists[ROBOCACHE_ROLE_ANGLES].n;
  spec->velocities = roles->lists[ROBOCACHE_ROLE_VELOCITIES].channels;
  spec->n_velocities = roles->lists[ROBOCACHE_ROLE_VELOCITIES].n;
}
