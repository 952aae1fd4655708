/* robocache: robocachevoxelview, its properties
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "voxelpicture.h"

/* Settings of a picture. */
typedef struct
{
  RobocacheView view;
  RobocacheColourBy colour_by;
  guint channel, batch_item;
  gboolean has_range;
  gdouble range[2];
  guint background;             /* 0xRRGGBB */
  gboolean axes, legend;
} RobocacheViewStyle;

/* An array as it was set. */
typedef struct
{
  gdouble numbers[3];
  gboolean is_set;
  gchar *wrong;                 /* fault of the last value; NULL: none */
} RobocacheViewNumbers;

/* The element's object lock guards them. All may be set while playing. */
typedef struct
{
  RobocacheViewStyle style;     /* except the range */
  RobocacheViewNumbers origin, voxel_size, range;
  gchar *grid;
  gint input_form;              /* an RcVoxelOutput; -1: auto */
  gboolean frame_changed;       /* grid, origin, voxel-size or input-form was set since this was last cleared */
} RobocacheViewProperties;

void robocache_view_properties_install (GObjectClass * klass);
void robocache_view_properties_init (RobocacheViewProperties * properties);
void robocache_view_properties_clear (RobocacheViewProperties * properties);
void robocache_view_properties_set (RobocacheViewProperties * properties, GParamSpec * pspec, const GValue * value);
void robocache_view_properties_get (RobocacheViewProperties * properties, GParamSpec * pspec, GValue * value);

/* Copies the style. FALSE and an error that names a property with a malformed value. */
gboolean robocache_view_properties_read_style (const RobocacheViewProperties * properties, RobocacheViewStyle * style,
    GError ** error);
/* Finds the frame of a grid from these caps and tensors; properties override caps. FALSE and an error: a property is malformed, or a value
 * is missing in the properties and in the caps. */
gboolean robocache_view_properties_find_frame (const RobocacheViewProperties * properties, const GstCaps * caps,
    const RobocacheTensorsInfo * tensors, RobocacheVoxelFrame * frame, GError ** error);
