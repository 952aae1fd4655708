/* robocache: the pose at the end of an arm of seven joints, for many sets of angles: experimental kernels
 *
 * A pose is a product of seven matrices, one a joint (Denavit and Hartenberg): turn by q about z, move by d along z and by a
 * along x, turn by alpha, a multiple of a quarter, about x.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_CHAINS_H
#define BENCH_CHAINS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CHAINS_JOINTS 7
#define CHAINS_POSE 12          /* floats: three rows of four; the fourth row is 0 0 0 1 */
#define CHAINS_THREADS 128      /* as many arms a block */

typedef struct
{
  float a, d;                   /* metres */
  float cos_alpha, sin_alpha;
} ChainsLink;

#define CHAINS_LINKS { \
    {0, 0.333f, 0, -1}, {0, 0, 0, 1}, {0.0825f, 0.316f, 0, 1}, {-0.0825f, 0, 0, -1}, {0, 0.384f, 0, 1}, {0.088f, 0, 0, 1}, \
    {0, 0.107f, 1, 0} }

typedef struct
{
  const float *angles;          /* [n, CHAINS_JOINTS] radians */
  float *poses;                 /* [n, CHAINS_POSE] */
  int64_t n;                    /* a multiple of CHAINS_THREADS */
} ChainsArgs;

extern const void *const chains_plain;  /* a thread an arm, fused multiply-add */
extern const void *const chains_mma;    /* four arms a product of 16x8 and 8x8, tf32 */
extern const void *const chains_wgmma;  /* 16 arms a product of 64x8 and 8x32, tf32 */

#ifdef __cplusplus
}
#endif
#endif
