/* robocache: roles of channels of a stream: the properties quaternions, angles and velocities
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef ROBOCACHE_CHANNELROLES_H
#define ROBOCACHE_CHANNELROLES_H

#include "kernels/align.h"
#include "common/element/propertytypes.h"

G_BEGIN_DECLS

enum
{
  ROBOCACHE_ROLE_QUATERNIONS,
  ROBOCACHE_ROLE_ANGLES,
  ROBOCACHE_ROLE_VELOCITIES,
  ROBOCACHE_N_ROLES
};

/* Zero is no roles. */
typedef struct
{
  gchar *strings[ROBOCACHE_N_ROLES];    /* the properties as they were set */
  gchar *names;                 /* of all channels, separated by commas; NULL: the caps have none */
  RobocacheChannelList lists[ROBOCACHE_N_ROLES];        /* what they mean, once parsed */
} RobocacheChannelRoles;

/* Installs the three properties, mutable in READY, under ids first_id … first_id + 2. */
void robocache_channel_roles_install_properties (GObjectClass * klass, guint first_id);
/* role is one of the enum above. */
void robocache_channel_roles_set_property (RobocacheChannelRoles * roles, guint role, const GValue * value);
void robocache_channel_roles_get_property (const RobocacheChannelRoles * roles, guint role, GValue * value);

/* FALSE and an error that names the role when a value of its property is not a channel list, whatever the names. */
gboolean robocache_channel_roles_check (guint role, const GValue * value, GError ** error);

/* The names that the lists may use; NULL: none. */
void robocache_channel_roles_set_names (RobocacheChannelRoles * roles, const gchar * names);

/* Copies the properties and names, not the lists; roles is cleared first. */
void robocache_channel_roles_copy (RobocacheChannelRoles * roles, const RobocacheChannelRoles * from);
void robocache_channel_roles_clear (RobocacheChannelRoles * roles);

/* Makes lists of the properties. FALSE and an error that names the one that is no channel list. */
gboolean robocache_channel_roles_parse (RobocacheChannelRoles * roles, GError ** error);

/* Points the lists of spec to those of roles, which are parsed. */
void robocache_channel_roles_apply (const RobocacheChannelRoles * roles, RcAlignStreamSpec * spec);

G_END_DECLS
#endif
