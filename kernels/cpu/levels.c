/* robocache: the inner loops of one instruction set, as a table
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "align_episode.h"
#include "cpu.h"
#include "kernels/cpu/kinematics/kinematics.h"
#include "kernels/cpu/voxel/block.h"
#include "kernels/cpu/voxel/words.h"

const RcCpuKernels RC_LEVEL_NAME (rc_cpu_kernels) = {
  .align_episode = RC_LEVEL_NAME (rc_cpu_align_episode),
  .forward_rows = RC_LEVEL_NAME (rc_cpu_forward_rows),
  .inverse_rows = RC_LEVEL_NAME (rc_cpu_inverse_rows),
  .voxel_load = RC_LEVEL_NAME (rc_cpu_voxel_load),
  .voxel_unproject = RC_LEVEL_NAME (rc_cpu_voxel_unproject),
  .voxel_unproject_rays = RC_LEVEL_NAME (rc_cpu_voxel_unproject_rays),
  .voxel_locate = RC_LEVEL_NAME (rc_cpu_voxel_locate),
  .voxel_update_words = RC_LEVEL_NAME (rc_cpu_voxel_update_words),
  .voxel_count_bits = RC_LEVEL_NAME (rc_cpu_voxel_count_bits),
  .voxel_expand = RC_LEVEL_NAME (rc_cpu_voxel_expand),
};
