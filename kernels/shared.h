/* robocache: code that the C compiler and nvcc both read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef RC_SHARED_H
#define RC_SHARED_H

#ifdef __CUDACC__
#define RC_SHARED static inline __host__ __device__
#else
#define RC_SHARED static inline
#endif

/* A function that a GPU should call where it is used more than once: copies of long ones take minutes to compile. */
#ifdef __CUDACC__
#define RC_SHARED_CALL static __noinline__ __host__ __device__
#else
#define RC_SHARED_CALL RC_SHARED
#endif

/* Before a loop that a GPU should not unroll: a search is bound by its chain of loads, and registers are short. */
#ifdef __CUDA_ARCH__
#define RC_SHARED_LOOP _Pragma ("unroll 1")
#else
#define RC_SHARED_LOOP
#endif

/* Before a short loop that should become vectors: gcc unrolls it first otherwise, and then it cannot. */
#if defined (__GNUC__) && !defined (__clang__) && !defined (__CUDACC__)
#define RC_SHARED_VECTORS _Pragma ("GCC unroll 1")
#else
#define RC_SHARED_VECTORS
#endif

#endif
