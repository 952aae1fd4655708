/* robocache: alignments and voxel grids as a first version in CUDA has them, for comparison
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "tests/bench/kernels/job.h"

/* Whether there is a kernel: linear and nearest alignments of floats without conversion; dense occupancy, counts and means of
 * float32, occupancy in uint8 and bits, and the index of each point. */
int bench_plain_has (const BenchWork * work);

/* Enqueues a thread for each element of an output, or for each point. Grids are cleared first. Rows outside of the times are
 * undefined. counts: bench_plain_count_bytes of device memory. */
void bench_plain_run (const BenchJob * job, float *counts, cudaStream_t stream);

int64_t bench_plain_count_bytes (const BenchWork * work);

#ifdef __cplusplus
}
#endif
