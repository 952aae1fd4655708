/* robocache: voxel grids on the GPU: how a grid is cut into slabs, which blocks make in shared memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "state.h"

#define MAX_SLABS_OF_BIN 16    /* of counts: each slab reads all points of its bin, which larger grids would read too often */

/* ---- how a grid is cut ---- */

/* Whether blocks make the dense counts or bits of voxels in shared memory. */
static int
makes_slabs (const RcVoxelPlan *plan)
{
  const RcVoxelSpec *spec = &plan->spec;

  return !plan->accumulates && plan->bit_words > 0 && plan->bit_words <= INT32_MAX / 32
      && ((spec->mode == RC_VOXEL_COUNT && spec->output == RC_VOXEL_DENSE) || (spec->mode == RC_VOXEL_OCCUPANCY
          && (spec->output == RC_VOXEL_BITS || plan->voxels % 32 == 0)));
}

/* The index of bits in slabs. Pieces are dealt to slabs in turn: the bits of an index above its slab move below it. */
static RcCudaVoxelSlabIndex
slabs_of (int64_t slabs, int64_t pieces, int64_t piece_bits)
{
  const uint32_t piece = (uint32_t) piece_bits;

  return (RcCudaVoxelSlabIndex) { ((uint32_t) slabs - 1) * piece, (uint32_t) pieces - 1,
      (uint32_t) rc_cuda_log2_of (slabs * piece_bits),
    piece - (uint32_t) slabs * piece
  };
}

/* Slabs are as large as shared memory and the grid allow, or smaller so that all multiprocessors get one. Their number is a
 * power of two. Each slab has a bin, or each run of slabs where they are many. A slab of counts is one piece with a word
 * per voxel. For counts, three quarters of the multiprocessors suffice, since smaller slabs cost more than the other
 * multiprocessors gain. */
void
rc_cuda_voxel_plan_slabs (RcVoxelPlan *plan, RcCudaVoxelArguments *args, int64_t multiprocessors)
{
  const int counts = plan->spec.mode == RC_VOXEL_COUNT;
  const int64_t batch = plan->spec.batch, of_word = counts ? 1 : 32, item_words = plan->bit_words * 32 / of_word;
  const int64_t fewest = counts ? RC_CUDA_VOXEL_MIN_COUNTS : RC_CUDA_VOXEL_PIECE_WORDS;
  const int64_t blocks = counts ? multiprocessors * 3 / 4 : multiprocessors;
  int64_t words = RC_CUDA_VOXEL_SLAB_WORDS, slabs = 1, in_bin = 1;

  if (!makes_slabs (plan))
    return;
  while (words > fewest && (words >= 2 * item_words || rc_cuda_ceil_divide (item_words, words) * batch < blocks))
    words /= 2;
  if (rc_cuda_ceil_divide (item_words, words) * batch * 4 < multiprocessors)    /* few blocks would read the bits of all points */
    return;
  while (slabs * words < item_words)
    slabs *= 2;
  if (slabs > INT32_MAX / batch || (counts && slabs > MAX_SLABS_OF_BIN * RC_CUDA_VOXEL_BINS))  /* blocks */
    return;
  args->slabs.n = slabs;
  args->slabs.words = words;
  args->slabs.shift = rc_cuda_log2_of (slabs);
  args->slabs.index = counts ? slabs_of (slabs, 1, words)
      : slabs_of (slabs, words / RC_CUDA_VOXEL_PIECE_WORDS, RC_CUDA_VOXEL_PIECE_WORDS * 32);
  while (slabs / in_bin > RC_CUDA_VOXEL_BINS)
    in_bin *= 2;
  args->slabs.bins = (int32_t) (slabs / in_bin);
  args->slabs.bin_shift = rc_cuda_log2_of (words * of_word * in_bin);
  for (args->slabs.bin_parts = 32; args->slabs.bin_parts * (args->slabs.bins + 1) > RC_CUDA_VOXEL_THREADS;)
    args->slabs.bin_parts /= 2;
  plan->layout.item_bytes = plan->layout.bits;
  plan->layout.backend_bytes = (uint64_t) rc_cuda_ceil_divide (batch * (16 + 4 * args->slabs.bins), 64) * 64 + 64;
  plan->layout.backend_point_bytes = 4 + 1;     /* 4 of its bit, and at most a quarter of a byte of slots */
}

/* ---- shared memory ---- */

/* Writes are faster if fewer places of memory are written at once. So blocks that write all of a large grid of 4-byte
 * elements take more than half of the shared memory, which leaves a multiprocessor one of them at a time. */
static size_t
whole_slab_bytes (const RcCudaBackend *cuda, const RcVoxelPlan *plan, const RcCudaVoxelArguments *args)
{
  const size_t least = rc_cuda_voxel_slab_bytes (args), most = (size_t) cuda->shared_bytes / 2 + 1;
  const int is_alone = plan->spec.mode == RC_VOXEL_OCCUPANCY && plan->spec.output == RC_VOXEL_DENSE
      && rc_dtype_size (plan->spec.dtype) == 4
      && args->job.batch * args->slabs.n >= RC_CUDA_VOXEL_MANY_SLABS * cuda->multiprocessors;

  return is_alone && most > least ? most : least;
}

/* More than 48 KB must be asked for, for the kernel and not for the plan: so the most that any plan with this kernel may
 * need. */
RcStatus
rc_cuda_voxel_reserve_shared (const RcVoxelPlan *plan, RcCudaVoxelState *state, RcError *error)
{
  RcCudaBackend *cuda = (RcCudaBackend *) plan->backend;
  const size_t slab = RC_CUDA_VOXEL_SLAB_WORDS * sizeof (uint32_t), half = (size_t) cuda->shared_bytes / 2 + 1;
  const size_t bytes = slab > half ? slab : half;

  state->whole_slab_bytes = whole_slab_bytes (cuda, plan, &state->args);
  return rc_cuda_check (cuda, cudaFuncSetAttribute (state->write->function, cudaFuncAttributeMaxDynamicSharedMemorySize,
      (int) bytes),
      cuda->setup, error, "cudaFuncSetAttribute", "%zu bytes of shared memory for slabs of voxels", bytes);
}
