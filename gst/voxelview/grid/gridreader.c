/* robocache: the tensors of a buffer with voxel grids
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "gridreader.h"

/* Whether the axes of tensor from first on are grid, and one of items after it, which n_items becomes. */
static gboolean
axes_are (const RobocacheTensorInfo *tensor, guint first, const guint64 grid[3], guint64 *n_items)
{
  for (guint axis = 0; axis < 3; axis++) {
    if (robocache_tensor_info_dim (tensor, first + axis) != grid[axis])
      return FALSE;
  }
  *n_items = robocache_tensor_info_dim (tensor, first + 3);
  return tensor->rank <= first + 4;
}

/* nx:ny:nz, C:nx:ny:nz, and with a last axis of items. Without a mode, four axes mean that there are channels. */
static gboolean
lay_out_dense (RobocacheVoxelLayout *layout, const RobocacheTensorInfo *tensor)
{
  const gint64 *n = layout->frame.grid;
  const guint64 grid[3] = { (guint64) n[0], (guint64) n[1], (guint64) n[2] };
  const gint mode = layout->frame.mode;
  const gboolean with = mode < 0 || robocache_voxel_mode_has_channels ((RcVoxelMode) mode);
  const gboolean without = mode < 0 || !with;
  const gboolean is_plain = without && tensor->rank <= 3 && axes_are (tensor, 0, grid, &layout->n_items);

  layout->dtype = tensor->dtype;
  layout->n_channels = 1;
  if (is_plain)
    return TRUE;
  if (with && axes_are (tensor, 1, grid, &layout->n_items)) {
    layout->n_channels = robocache_tensor_info_dim (tensor, 0);
    return TRUE;
  }
  return without && axes_are (tensor, 0, grid, &layout->n_items);
}

static gboolean
lay_out_bits (RobocacheVoxelLayout *layout, const RobocacheTensorInfo *tensor)
{
  const gint64 *n = layout->frame.grid;
  const guint64 words[3] = { ((guint64) n[0] + 31) / 32, (guint64) n[1], (guint64) n[2] };

  layout->dtype = RC_N_DTYPES;
  layout->n_channels = 1;
  return tensor->dtype == RC_UINT32 && axes_are (tensor, 0, words, &layout->n_items);
}

/* Whether a tensor has a list with so many axes for each voxel of the capacity. */
static gboolean
is_of_voxels (const RobocacheVoxelLayout *layout, const RobocacheTensorInfo *tensor, guint n_own)
{
  return tensor->rank <= n_own + 2 && robocache_tensor_info_dim (tensor, n_own) == layout->capacity
      && robocache_tensor_info_dim (tensor, n_own + 1) == layout->n_items;
}

/* Points are no values of the voxel; how many there are of it is one. */
static gboolean
are_points (const RobocacheVoxelLayout *layout, const RobocacheTensorInfo *points, const RobocacheTensorInfo *counts)
{
  return is_of_voxels (layout, points, 2) && counts->dtype == RC_UINT32 && robocache_tensor_info_dim (counts, 0) == 1;
}

static gboolean
lay_out_sparse (RobocacheVoxelLayout *layout, const RobocacheTensorsInfo *info)
{
  const gboolean lists = rc_voxel_lists_points ((RcVoxelMode) layout->frame.mode);
  const guint values = lists ? 3 : 2;
  const gboolean valued = info->n_tensors == values + 1;
  const RobocacheTensorInfo *number = &info->tensors[0], *coordinates = &info->tensors[1], *value = &info->tensors[values];

  layout->capacity = robocache_tensor_info_dim (coordinates, 1);
  layout->n_items = robocache_tensor_info_dim (coordinates, 2);
  layout->n_channels = valued ? robocache_tensor_info_dim (value, 0) : 1;
  layout->values = values;
  layout->dtype = valued ? value->dtype : RC_N_DTYPES;
  return number->dtype == RC_UINT32 && robocache_tensor_info_dim (number, 0) == 1 && number->rank <= 2
      && robocache_tensor_info_dim (number, 1) == layout->n_items && coordinates->dtype == RC_INT32
      && robocache_tensor_info_dim (coordinates, 0) == 3 && coordinates->rank <= 3
      && (valued ? is_of_voxels (layout, value, 1) : info->n_tensors == 2 && !lists)
      && (!lists || are_points (layout, &info->tensors[2], value));
}

/* What the caps say, in one line. */
static gchar *
describe (const RobocacheTensorsInfo *info)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < info->n_tensors; i++) {
    gchar *dimensions = robocache_dimensions_to_string (&info->tensors[i]);

    g_string_append_printf (text, "%s%s %s", i ? ", " : "", rc_dtype_name (info->tensors[i].dtype), dimensions);
    g_free (dimensions);
  }
  return g_string_free (text, FALSE);
}

gboolean
robocache_voxel_layout_init (RobocacheVoxelLayout *layout, const RobocacheVoxelFrame *frame,
    const RobocacheTensorsInfo *info, GError **error)
{
  static const struct
  {
    guint least, most;          /* tensors */
    const gchar *expected;
  } forms[] = {
    [RC_VOXEL_DENSE] = {1, 1, "dense voxels nx:ny:nz or C:nx:ny:nz"},
    [RC_VOXEL_BITS] = {1, 1, "bits uint32 ceil(nx/32):ny:nz"},
    [RC_VOXEL_SPARSE] = {2, 4, "sparse voxels uint32 1, int32 3:cap and values C:cap, or for modes first and pillars "
        "F:P:cap and uint32 1:cap"},
  };
  gchar *tensors;
  gboolean ok;

  layout->frame = *frame;
  layout->capacity = 0;
  ok = info->n_tensors >= forms[frame->output].least && info->n_tensors <= forms[frame->output].most
      && (frame->output == RC_VOXEL_SPARSE ? lay_out_sparse (layout, info)
      : frame->output == RC_VOXEL_BITS ? lay_out_bits (layout, &info->tensors[0])
      : lay_out_dense (layout, &info->tensors[0]));
  if (ok)
    return TRUE;
  tensors = describe (info);
  g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_CAPS, "tensors are %s: expected %s of a grid of %"
      G_GINT64_FORMAT ":%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT ", with one more axis for a batch", tensors,
      forms[frame->output].expected, frame->grid[0], frame->grid[1], frame->grid[2]);
  g_free (tensors);
  return FALSE;
}
