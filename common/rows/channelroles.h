/* robocache: roles of channels of a stream: its kinds in caps, and the properties kinds, quaternions, angles and velocities
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/align.h"
#include "common/channels/channelkinds.h"
#include "common/element/propertytypes.h"

/* The first three roles are lists of channels. */
enum
{
  ROBOCACHE_ROLE_QUATERNIONS,
  ROBOCACHE_ROLE_ANGLES,
  ROBOCACHE_ROLE_VELOCITIES,
  ROBOCACHE_ROLE_KINDS,
  ROBOCACHE_N_ROLES
};

/* A zeroed struct has no roles. */
typedef struct
{
  gchar *strings[ROBOCACHE_N_ROLES];    /* the properties as they were set */
  guint64 n;                    /* channels */
  gchar *names;                 /* names of all channels, separated by commas; NULL: the caps have no names */
  gchar *kinds;                 /* kinds in the caps; NULL: the caps have no kinds */

  /* results of robocache_channel_roles_parse */
  RobocacheChannelList lists[ROBOCACHE_ROLE_KINDS];
  RobocacheChannelList holds;
  gchar *used;                  /* the kinds that these lists give; NULL: all channels are real */
  const gchar *source;          /* source of the kinds: "caps", "property", "caps and property", "ignored", "none" */
} RobocacheChannelRoles;

/* Installs the four properties, mutable in READY, under ids first_id … first_id + 3. */
void robocache_channel_roles_install_properties (GObjectClass * klass, guint first_id);
/* role is one of the enum above. */
void robocache_channel_roles_set_property (RobocacheChannelRoles * roles, guint role, const GValue * value);
void robocache_channel_roles_get_property (const RobocacheChannelRoles * roles, guint role, GValue * value);

/* FALSE and an error that names the role: the value of its property is wrong with any names of channels. */
gboolean robocache_channel_roles_check (guint role, const GValue * value, GError ** error);

/* The n channels of a row. The lists may use the names; NULL: none. kinds: those of caps; NULL: none. */
void robocache_channel_roles_set_channels (RobocacheChannelRoles * roles, guint64 n, const gchar * names, const gchar * kinds);

/* Copies the properties and channels, but not the parsed results; roles is cleared first. */
void robocache_channel_roles_copy (RobocacheChannelRoles * roles, const RobocacheChannelRoles * from);
void robocache_channel_roles_clear (RobocacheChannelRoles * roles);

/* Makes lists from the properties, or from the kinds if a property is not set. A list that is set replaces that of the kinds, and its
 * channels have no other kind. FALSE and an error: the named property is wrong, or the kinds in caps. */
gboolean robocache_channel_roles_parse (RobocacheChannelRoles * roles, GError ** error);

/* Points the lists of spec to the parsed lists of roles. */
void robocache_channel_roles_apply (const RobocacheChannelRoles * roles, RcAlignStreamSpec * spec);
/* Bit c, for the first 32 channels: channel c is held or belongs to a quaternion. Roles are parsed. */
guint32 robocache_channel_roles_unfiltered (const RobocacheChannelRoles * roles);
/* Whether all channels are held. Roles are parsed. */
gboolean robocache_channel_roles_are_held (const RobocacheChannelRoles * roles);

/* A text for log lines: "kinds real*3,quaternion (from caps)". Roles are parsed. Free with g_free. */
gchar *robocache_channel_roles_describe (const RobocacheChannelRoles * roles, RcDtype dtype);
/* The kinds of the concatenation of n rows, whose roles are parsed. names: of all their channels, or NULL. Returns NULL: all are real. */
gchar *robocache_channel_roles_join (const RobocacheChannelRoles * const *roles, guint n, const gchar * names);
/* Adds the fields kinds ("": all channels are real) and kinds-source. */
void robocache_channel_roles_to_structure (const RobocacheChannelRoles * roles, GstStructure * structure);
