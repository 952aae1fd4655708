/* robocache: robocachevoxelize, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "voxelsettings.h"

/* Ids of properties; those up to ROBOCACHE_VOXELIZE_N_SETTINGS may be set while playing. */
enum
{
  ROBOCACHE_VOXELIZE_PROP_ORIGIN = 1,
  ROBOCACHE_VOXELIZE_PROP_VOXEL_SIZE,
  ROBOCACHE_VOXELIZE_N_SETTINGS = 23,

  ROBOCACHE_VOXELIZE_PROP_STATS,
  ROBOCACHE_VOXELIZE_PROP_STATS_INTERVAL,
  ROBOCACHE_VOXELIZE_PROP_DEVICE_FIRST
};

/* The settings as they were set. The element's object lock guards them. */
typedef struct
{
  RobocacheVoxelSettings settings;      /* except settings.grid */
  gchar *grid;
  gchar *wrong_origin, *wrong_voxel_size;       /* fault of the last value; NULL: none */
  gboolean has_changed;         /* settings have changed since they were last read */
} RobocacheVoxelizeProperties;

/* Installs all properties of the element. */
void robocache_voxelize_properties_install (GObjectClass * klass);
void robocache_voxelize_properties_init (RobocacheVoxelizeProperties * properties);
void robocache_voxelize_properties_clear (RobocacheVoxelizeProperties * properties);

/* Set and get a property; id: 1 … ROBOCACHE_VOXELIZE_N_SETTINGS. */
void robocache_voxelize_properties_set (RobocacheVoxelizeProperties * properties, guint id, const GValue * value);
void robocache_voxelize_properties_get (RobocacheVoxelizeProperties * properties, guint id, GValue * value);
/* Copies the settings. FALSE and an error that names a property with a malformed value. */
gboolean robocache_voxelize_properties_read (RobocacheVoxelizeProperties * properties, RobocacheVoxelSettings * settings,
    GError ** error);
