/* robocache: alignment on the GPU, for RcBackendOps
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/backend_impl.h"

RcStatus rc_cuda_align_prepare (RcBackend * backend, RcAlignPlan * plan, RcFootprint * footprint, RcError * error);
RcStatus rc_cuda_align_run (RcAlignPlan * plan, const RcAlignArgs * args, RcStream stream, RcError * error);
void rc_cuda_align_release (RcAlignPlan * plan);
