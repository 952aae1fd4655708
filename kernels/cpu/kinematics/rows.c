/* robocache: kinematics of some rows of a batch, built once for each instruction set
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kinematics.h"

#include "kernels/kinematics/rows.h"

void
RC_LEVEL_NAME (rc_cpu_forward_rows) (const RcChain *chain, const RcForwardArgs *args, int64_t first, int64_t end)
{
  RcTransform moved[RC_KINEMATICS_MAX_STEPS];
  double jacobian[6 * RC_KINEMATICS_MAX_VARIABLES], packed[6 * RC_KINEMATICS_MAX_VARIABLES];
  int64_t row;

  for (row = first; row < end; row++)
    rc_forward_row (chain, args, row, moved, jacobian, packed);
}

void
RC_LEVEL_NAME (rc_cpu_inverse_rows) (const RcChain *chain, const RcInverseArgs *args, int64_t first, int64_t end)
{
  enum { N = RC_KINEMATICS_MAX_VARIABLES, M = 6 * RC_KINEMATICS_MAX_TARGETS };
  RcTransform moved[RC_KINEMATICS_MAX_STEPS], targets[RC_KINEMATICS_MAX_TARGETS];
  double jacobian[M * N], normal[M * M], error[M], solution[M], trial_error[M], position[N], trial[N], slope[N];
  double start[N], closest[N];
  const RcInverseMemory memory = { moved, targets, jacobian, normal, error, solution, trial_error, position, trial, slope, start,
    closest
  };
  int64_t row;

  for (row = first; row < end; row++)
    rc_inverse_row (chain, args, row, &memory);
}
