/* robocache: tensors and caps of a voxel grid
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "voxelcaps.h"

#include <string.h>

#include "common/element/linkadvice.h"
#include "common/tensors/memorycaps.h"
#include "common/element/propertytypes.h"

static guint64
channels_of (const RcVoxelSpec *spec)
{
  const gint64 decorations = rc_voxel_decorations (spec);

  if (!robocache_voxel_mode_has_channels (spec->mode))
    return 1;
  if (spec->mode == RC_VOXEL_CENTROID || spec->source == RC_VOXEL_DEPTH)
    return (guint64) (3 + decorations);
  return (guint64) (rc_voxel_lists_points (spec->mode) ? spec->points.fields + decorations : spec->points.features);
}

/* The points of each voxel, and how many these are. */
static void
list_tensors (RobocacheTensorsInfo *info, const RcVoxelSpec *spec)
{
  const guint64 cap = (guint64) spec->max_voxels, batch = (guint64) spec->batch;
  const guint64 points[] = { channels_of (spec), (guint64) spec->max_points, cap, batch };
  const guint64 counts[] = { 1, cap, batch };

  robocache_tensor_info_set (&info->tensors[2], spec->dtype, points, 4);
  robocache_tensor_info_set (&info->tensors[3], RC_UINT32, counts, 3);
  info->n_tensors = 4;
}

static void
sparse_tensors (RobocacheTensorsInfo *info, const RcVoxelSpec *spec)
{
  const guint64 cap = (guint64) spec->max_voxels, batch = (guint64) spec->batch;
  const guint64 number[] = { 1, batch };
  const guint64 coordinates[] = { 3, cap, batch };
  const guint64 values[] = { channels_of (spec), cap, batch };

  robocache_tensor_info_set (&info->tensors[0], RC_UINT32, number, 2);
  robocache_tensor_info_set (&info->tensors[1], RC_INT32, coordinates, 3);
  info->n_tensors = 2;
  if (rc_voxel_lists_points (spec->mode))
    list_tensors (info, spec);
  else if (spec->mode != RC_VOXEL_OCCUPANCY)
    robocache_tensor_info_set (&info->tensors[info->n_tensors++], spec->dtype, values, 3);
}

/* A number for each point, in the shape in which the points are. */
static void
map_tensors (RobocacheTensorsInfo *info, const RobocachePointsInfo *points)
{
  const gboolean depth = points->kind == ROBOCACHE_POINTS_DEPTH;
  const guint64 image[] = { (guint64) GST_VIDEO_INFO_WIDTH (&points->video),
    (guint64) GST_VIDEO_INFO_HEIGHT (&points->video)
  };
  const guint64 batch[] = { points->n_points, points->n_items };

  info->n_tensors = points->kind == ROBOCACHE_POINTS_CLOUD ? 0 : 1;
  if (info->n_tensors > 0)
    robocache_tensor_info_set (&info->tensors[0], RC_INT64, depth ? image : batch, 2);
}

void
robocache_voxel_tensors (RobocacheTensorsInfo *info, const RobocachePointsInfo *points, const RcVoxelSpec *spec)
{
  const guint64 nx = (guint64) spec->grid[0], ny = (guint64) spec->grid[1], nz = (guint64) spec->grid[2];
  const guint64 batch = (guint64) spec->batch;
  const guint64 bits[] = { (nx + 31) / 32, ny, nz, batch };
  const guint64 dense[] = { channels_of (spec), nx, ny, nz, batch };
  const guint first = robocache_voxel_mode_has_channels (spec->mode) ? 0 : 1;

  memset (info, 0, sizeof (*info));
  info->rate_num = points->rate_num;
  info->rate_den = points->rate_den;
  info->n_tensors = 1;
  if (rc_voxel_maps_points (spec->output))
    map_tensors (info, points);
  else if (spec->output == RC_VOXEL_SPARSE)
    sparse_tensors (info, spec);
  else if (spec->output == RC_VOXEL_BITS)
    robocache_tensor_info_set (&info->tensors[0], RC_UINT32, bits, 4);
  else
    robocache_tensor_info_set (&info->tensors[0], spec->dtype, dense + first, 5 - first);
}

gboolean
robocache_voxel_maps_cloud (const RobocachePointsInfo *points, const RcVoxelSpec *spec)
{
  return rc_voxel_maps_points (spec->output) && points->kind == ROBOCACHE_POINTS_CLOUD;
}

/* ---- the map of a cloud ---- */

gboolean
robocache_voxel_wants_map_tensor (const GstCaps *peer)
{
  return !robocache_caps_match (peer, ROBOCACHE_POINTCLOUD_MEDIA_TYPE "(ANY)")
      && robocache_caps_match (peer, ROBOCACHE_TENSORS_MEDIA_TYPE "(ANY), format=(string)static, num_tensors=(int)1, types=(string)int64");
}

GstCaps *
robocache_voxel_resize_map (const GstCaps *caps, guint64 n_points)
{
  GstCaps *resized = gst_caps_copy (caps);
  gchar *dimensions = g_strdup_printf ("%" G_GUINT64_FORMAT, n_points);

  gst_caps_set_simple (resized, "dimensions", G_TYPE_STRING, dimensions, NULL);
  g_free (dimensions);
  return resized;
}

/* A cloud of numbers, or a tensor of as many as the last cloud has points. */
static GstCaps *
map_caps (const RobocacheVoxelSettings *settings, const RobocachePointsInfo *points, const GstCaps *peer)
{
  RobocacheTensorsInfo map = {.n_tensors = 1,.rate_num = points->rate_num,.rate_den = points->rate_den };

  if (settings->map_points == 0 || peer == NULL || !robocache_voxel_wants_map_tensor (peer))
    return robocache_pointcloud_caps_new ("voxel", RC_INT64, points->rate_num, points->rate_den);
  robocache_tensor_info_set (&map.tensors[0], RC_INT64, &settings->map_points, 1);
  return robocache_tensors_info_to_caps (&map);
}

/* ---- the caps that downstream accepts ---- */

/* Caps of the grid with values of dtype. */
static GstCaps *
caps_of_type (const RobocacheVoxelSettings *settings, const RobocachePointsInfo *points, RcDtype dtype,
    RobocacheCapsMemory memory, const GstCaps *peer, RcVoxelSpec *spec, RobocacheTensorsInfo *tensors)
{
  GstCaps *caps;

  *spec = robocache_voxel_spec (settings, points, dtype);
  robocache_voxel_tensors (tensors, points, spec);
  caps = robocache_voxel_maps_cloud (points, spec) ? map_caps (settings, points, peer) : robocache_tensors_info_to_caps (tensors);
  caps = robocache_caps_in_memory (caps, memory);
  robocache_voxel_frame_to_caps (spec, caps);
  return caps;
}

/* caps (taken) in the peer's spelling; NULL when the peer does not take them. */
static GstCaps *
spell_for (GstCaps *caps, const GstCaps *peer)
{
  GstCaps *spelled = NULL;

  if (peer == NULL)
    return caps;
  if (robocache_tensors_caps_compatible (caps, peer))
    spelled = robocache_tensors_caps_in_spelling_of (caps, peer);
  gst_caps_unref (caps);
  return spelled;
}

GstCaps *
robocache_voxel_choose_caps (const RobocacheVoxelSettings *settings, const RobocachePointsInfo *points,
    RobocacheCapsMemory memory, GstCaps *peer, RcVoxelSpec *spec, RobocacheTensorsInfo *tensors, GError **error)
{
  const RcDtype *dtypes = robocache_voxel_dtypes (settings);
  gchar *ours, *theirs;
  GstCaps *caps;

  for (const RcDtype *dtype = dtypes; *dtype != RC_N_DTYPES; dtype++) {
    if ((caps = spell_for (caps_of_type (settings, points, *dtype, memory, peer, spec, tensors), peer)) != NULL)
      return caps;
  }
  caps = caps_of_type (settings, points, dtypes[0], memory, peer, spec, tensors);
  ours = gst_caps_to_string (caps);
  theirs = gst_caps_to_string (peer);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "downstream accepts only %s, but grid, mode, output and type "
      "give %s", theirs, ours);
  g_free (ours);
  g_free (theirs);
  gst_caps_unref (caps);
  return NULL;
}
