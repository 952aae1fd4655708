/* robocache: language features of kernels that C++ lacks, with replacements for compilers other than nvcc
 *
 * Pointers to kernels, launch bounds, shared memory whose size a launch sets, and PTX. Without nvcc kernels are emulated
 * (tests/emulation), and loads and stores are plain C++.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#ifdef __CUDACC__

/* A pointer to the host stub of a kernel, as cudaLaunchKernel and cudaFuncGetAttributes take it. */
#define KERNEL(...) reinterpret_cast<const void *> (__VA_ARGS__)

#define DYNAMIC_SHARED(type, name) extern __shared__ __align__ (16) type name[]

/* A parameter of a kernel that is read directly from the constant bank. */
#define GRID_CONSTANT const __grid_constant__

#endif

namespace rc
{
/* Keeps the compiler from loading parts of a kernel's arguments before they are used, since they would occupy registers from the start.
 * */
template <typename... Arguments>
__device__ __forceinline__ void
read_late ([[maybe_unused]] const Arguments &...arguments)
{
#ifdef __CUDACC__
  const void *const addresses[] = { &arguments... };

#pragma unroll
  for (const void *address : addresses)
    asm volatile ("" :: "l" (address));
#endif
}

/* ---- words of global memory, if the compiler cannot infer that they are there ----
 *
 * This is so if addresses come from shared memory. The order of loads and stores is kept. */

template <typename Word>
__device__ __forceinline__ Word
load_global (const char *p)
{
#ifndef __CUDACC__
  return *reinterpret_cast<const Word *> (p);
#else
  if constexpr (sizeof (Word) == 16) {
    Word v;

    asm volatile ("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r" (v.x), "=r" (v.y), "=r" (v.z), "=r" (v.w) : "l" (p));
    return v;
  } else if constexpr (sizeof (Word) == 8) {
    Word v;

    asm volatile ("ld.global.v2.u32 {%0, %1}, [%2];" : "=r" (v.x), "=r" (v.y) : "l" (p));
    return v;
  } else {
    uint32_t v;

    if constexpr (sizeof (Word) == 4)
      asm volatile ("ld.global.u32 %0, [%1];" : "=r" (v) : "l" (p));
    else if constexpr (sizeof (Word) == 2)
      asm volatile ("ld.global.u16 %0, [%1];" : "=r" (v) : "l" (p));
    else
      asm volatile ("ld.global.u8 %0, [%1];" : "=r" (v) : "l" (p));
    return (Word) v;
  }
#endif
}

template <typename Word>
__device__ __forceinline__ void
store_global (char *p, Word v)
{
#ifndef __CUDACC__
  *reinterpret_cast<Word *> (p) = v;
#else
  if constexpr (sizeof (Word) == 16)
    asm volatile ("st.global.v4.u32 [%0], {%1, %2, %3, %4};" :: "l" (p), "r" (v.x), "r" (v.y), "r" (v.z), "r" (v.w));
  else if constexpr (sizeof (Word) == 8)
    asm volatile ("st.global.v2.u32 [%0], {%1, %2};" :: "l" (p), "r" (v.x), "r" (v.y));
  else if constexpr (sizeof (Word) == 4)
    asm volatile ("st.global.u32 [%0], %1;" :: "l" (p), "r" (v));
  else if constexpr (sizeof (Word) == 2)
    asm volatile ("st.global.u16 [%0], %1;" :: "l" (p), "h" (v));
  else
    asm volatile ("st.global.u8 [%0], %1;" :: "l" (p), "r" ((uint32_t) v));
#endif
}

/* Prefetches the line of an address to the L2. */
__device__ __forceinline__ void
prefetch_global (const char *p)
{
#ifdef __CUDACC__
  asm volatile ("prefetch.global.L2 [%0];" :: "l" (p));
#endif
}

/* Like prefetch_global, for a line that the L2 should keep longer than others, since it is read again after many writes. */
__device__ __forceinline__ void
prefetch_evict_last (const char *p)
{
#if defined (__CUDACC__) && __CUDA_ARCH__ >= 800
  asm volatile ("prefetch.global.L2::evict_last [%0];" :: "l" (p));
#else
  prefetch_global (p);
#endif
}

/* ---- copies of 16 bytes to shared memory, which bypass the registers if the device supports it ---- */

__device__ __forceinline__ void
begin_copy (char *to, const char *from)
{
#if defined (__CUDACC__) && __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.cg.shared.global [%0], [%1], 16;" :: "r" ((uint32_t) __cvta_generic_to_shared (to)), "l" (from)
      : "memory");
#else
  *reinterpret_cast<uint4 *> (to) = *reinterpret_cast<const uint4 *> (from);
#endif
}

/* Waits for the copies that this thread began; other threads see them after a barrier. */
__device__ __forceinline__ void
finish_copies (void)
{
#if defined (__CUDACC__) && __CUDA_ARCH__ >= 800
  asm volatile ("cp.async.wait_all;" ::: "memory");
#endif
}

/* ---- launches that begin before the preceding one has ended, if the device supports it ---- */

/* Lets the next launch begin. */
__device__ __forceinline__ void
allow_next (void)
{
#if defined (__CUDACC__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.launch_dependents;");
#endif
}

/* Waits for the preceding launch. Before this call a kernel must not read or write memory that other kernels write or read. After it,
 * such memory must still be read by plain loads, since loads for constant data require that it does not change during the whole kernel.
 * */
__device__ __forceinline__ void
wait_for_previous (void)
{
#if defined (__CUDACC__) && __CUDA_ARCH__ >= 900
  asm volatile ("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void
follow_previous (void)
{
  allow_next ();
  wait_for_previous ();
}
}
