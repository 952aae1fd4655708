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
      "First channels of quaternions of four channels, interpolated along the arc, like \"3,7\""},
  [ROBOCACHE_ROLE_ANGLES] = {"angles", "Angles",
      "Channels in radians, interpolated the short way round, like \"0-2\""},
  [ROBOCACHE_ROLE_VELOCITIES] = {"velocities", "Velocities",
      "For interpolation=hermite: the channels with the rates of channels 0, 1, …, per second, like \"6-11\""},
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
robocache_channel_roles_copy (RobocacheChannelRoles *roles, const RobocacheChannelRoles *from)
{
  robocache_channel_roles_clear (roles);
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++)
    roles->strings[role] = g_strdup (from->strings[role]);
}

static gboolean
parse (guint role, const gchar *string, RobocacheChannelList *list, GError **error)
{
  if (robocache_channel_list_parse (list, string, error))
    return TRUE;
  g_prefix_error (error, "%s: ", properties[role].name);
  return FALSE;
}

gboolean
robocache_channel_roles_check (guint role, const GValue *value, GError **error)
{
  RobocacheChannelList list = { 0 };
  const gboolean ok = parse (role, g_value_get_string (value), &list, error);

  robocache_channel_list_clear (&list);
  return ok;
}

gboolean
robocache_channel_roles_parse (RobocacheChannelRoles *roles, GError **error)
{
  for (guint role = 0; role < ROBOCACHE_N_ROLES; role++) {
    if (!parse (role, roles->strings[role], &roles->lists[role], error))
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
