/* robocache: robocachevoxelview, voxel grids to pictures
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_ROBOCACHE_VOXELVIEW_H
#define GST_ROBOCACHE_VOXELVIEW_H

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

#include "voxelpicture.h"

G_BEGIN_DECLS

#define GST_TYPE_ROBOCACHE_VOXEL_VIEW (gst_robocache_voxel_view_get_type ())
G_DECLARE_FINAL_TYPE (GstRobocacheVoxelView, gst_robocache_voxel_view, GST, ROBOCACHE_VOXEL_VIEW, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (robocachevoxelview)

/* Numbers that belong together, as they were set. */
typedef struct
{
  gdouble numbers[3];
  gboolean said;
  gchar *wrong;                 /* what is wrong with them; NULL: nothing */
} GstRobocacheVoxelViewNumbers;

/* What a picture shows, and how. */
typedef struct
{
  RobocacheView view;
  RobocacheColourBy colour_by;
  guint channel, batch_item;
  gboolean has_range;
  gdouble range[2];
  guint background;             /* 0xRRGGBB */
  gboolean axes, legend;
} GstRobocacheVoxelViewStyle;

struct _GstRobocacheVoxelView
{
  GstBaseTransform parent;

  /* with the object lock */
  GstRobocacheVoxelViewStyle style;
  GstRobocacheVoxelViewNumbers origin, voxel_size, range;
  gchar *grid;
  gint input_form;              /* an RcVoxelOutput; -1: auto */
  gboolean frame_changed;       /* one of grid, origin, voxel-size and input-form, since the layout was made */

  /* with the stream lock */
  GstCaps *in_caps;             /* NULL: none yet, or refused */
  RobocacheTensorsInfo tensors;
  RobocacheVoxelLayout layout;
  GstVideoInfo video;
  RobocacheOccupiedVoxels voxels;
  RobocacheVoxelPicture picture;
  gchar *refusal;               /* what caps were last refused for, already posted; NULL: they were not */
};

/* ---- properties (gstrobocachevoxelviewsettings.c) ---- */

void gst_robocache_voxel_view_install_properties (GObjectClass * klass);
void gst_robocache_voxel_view_init_settings (GstRobocacheVoxelView * view);
void gst_robocache_voxel_view_clear_settings (GstRobocacheVoxelView * view);
/* The style of now, or an error that says which property is malformed. */
gboolean gst_robocache_voxel_view_take_style (GstRobocacheVoxelView * view, GstRobocacheVoxelViewStyle * style,
    GError ** error);

/* ---- negotiation (gstrobocachevoxelviewnegotiate.c) ---- */

void gst_robocache_voxel_view_install_negotiation (GstBaseTransformClass * klass);
/* Where the grid of the current caps is, with the properties of now. */
gboolean gst_robocache_voxel_view_lay_out (GstRobocacheVoxelView * view, GError ** error);

G_END_DECLS
#endif
