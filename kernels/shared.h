/* robocache: code that the C compiler and nvcc both read
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#ifdef __CUDACC__
#define RC_SHARED static inline __host__ __device__
#else
#define RC_SHARED static inline
#endif

/* For a long function that a GPU should call instead of inlining it at each use: its copies would take minutes to compile. */
#ifdef __CUDACC__
#define RC_SHARED_CALL static __noinline__ __host__ __device__
#else
#define RC_SHARED_CALL RC_SHARED
#endif

/* Before a loop that a GPU should not unroll, because its time is that of a chain of loads, and registers are scarce. */
#ifdef __CUDA_ARCH__
#define RC_SHARED_LOOP _Pragma ("unroll 1")
#else
#define RC_SHARED_LOOP
#endif

/* Before a short loop that should be vectorised: otherwise gcc unrolls it first, and then cannot vectorise it. */
#if defined (__GNUC__) && !defined (__clang__) && !defined (__CUDACC__)
#define RC_SHARED_VECTORS _Pragma ("GCC unroll 1")
#else
#define RC_SHARED_VECTORS
#endif
