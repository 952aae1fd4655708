/* robocache: rows stored in few bits: experimental kernels that blend them in float32
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_STORAGE_H
#define BENCH_STORAGE_H

#ifdef __cplusplus
extern "C" {
#endif

#define STORAGE_THREADS 128
/* Blocks of an item, each of which makes a part of its channels. */
#define STORAGE_SLICE_CHANNELS 2048
#define STORAGE_SLICES(channels) (((channels) + STORAGE_SLICE_CHANNELS - 1) / STORAGE_SLICE_CHANNELS)

typedef enum
{
  STORAGE_FLOAT32,
  STORAGE_BFLOAT16,
  STORAGE_FLOAT16,
  STORAGE_E4M3,                 /* 4 bits of exponent, 3 of mantissa: to 448 */
  STORAGE_E5M2,                 /* to 57344 */
  STORAGE_INT8,                 /* times a scale of the channel: scales are [2, channels], the second their inverses */
  STORAGE_KINDS
} StorageKind;

/* [slerp][out as in][in]: linear or, of quaternions, slerp; out float32 or as it came. Each takes EpisodesArgs. */
extern const void *const storage_kernels[2][2][STORAGE_KINDS];

#ifdef __cplusplus
}
#endif
#endif
