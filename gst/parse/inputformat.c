/* robocache: the formats of input that robocacheparse reads
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "inputformat.h"

#include "common/element/propertytypes.h"

ROBOCACHE_DEFINE_ENUM (robocache_input_format_get_type, "RobocacheInputFormat",
    {ROBOCACHE_INPUT_CSV, "Lines of text with delimited fields", "csv"},
    {ROBOCACHE_INPUT_BINARY, "Records of fixed size, described by layout", "binary"},
    {ROBOCACHE_INPUT_PCD, "Clouds: PCD files 0.5 to 0.7", "pcd"},
    {ROBOCACHE_INPUT_KITTI, "Clouds: float32 x, y, z, intensity", "kitti"},
    {ROBOCACHE_INPUT_NUSCENES, "Clouds: float32 x, y, z, intensity, ring", "nuscenes"},
    {ROBOCACHE_INPUT_POINTS, "Clouds: points described by layout and channels, or by the caps of the input", "points"})

gboolean
robocache_input_format_is_of_clouds (RobocacheInputFormat format)
{
  return format >= ROBOCACHE_INPUT_PCD;
}
