/* robocache: CUDA C++ for a C++ compiler that is not nvcc
 *
 * Included before a .cu file. What the kernels here use is there, with CUDA's own headers for types and conversions; what
 * they do not use is not. They are compiled as code for compute capability 9.0.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include <tuple>
#include <type_traits>
#include <utility>

#include "kernel.h"

#include <cuda_runtime_api.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <vector_functions.h>

#define __CUDA_ARCH__ 900

/* ---- where things are ---- */

#undef __device__
#undef __forceinline__
#undef __global__
#undef __host__
#undef __launch_bounds__
#undef __noinline__
#undef __shared__
#define __device__
#define __forceinline__ inline
#define __global__
#define __host__
#define __launch_bounds__(...)
#define __noinline__ __attribute__ ((noinline))
#define __shared__ static thread_local

#define threadIdx (emulation::place.thread)
#define blockIdx (emulation::place.block)
#define blockDim (emulation::place.block_size)
#define gridDim (emulation::place.grid_size)

/* The shared memory of a launch. A library has one, defined in shared.cc. */
extern "C" __thread char emulation_shared[];

namespace emulation
{
inline void *
find_shared ()
{
  return emulation_shared;
}

/* ---- kernels as pointers ---- */

template <auto kernel, typename... Types, size_t... i>
std::function<void ()>
bind_as (void (*) (Types...), void **arguments, std::index_sequence<i...>)
{
  /* they are the launch's own: the caller may change his at once */
  return [copies = std::tuple<std::decay_t<Types>...> (*static_cast<std::decay_t<Types> *> (arguments[i])...)] {
    std::apply (kernel, copies);
  };
}

template <typename... Types>
std::index_sequence_for<Types...> numbers_of (void (*) (Types...));

template <auto kernel>
std::function<void ()>
bind (void **arguments)
{
  return bind_as<kernel> (kernel, arguments, decltype (numbers_of (kernel)) ());
}

template <auto kernel>
constexpr const char *
name_of ()
{
  return __PRETTY_FUNCTION__;
}

template <auto kernel>
inline Kernel kernel_of = { name_of<kernel> (), bind<kernel>, find_shared, 48 << 10 };
}

#define KERNEL(...) static_cast<const void *> (&emulation::kernel_of<__VA_ARGS__>)
/* Not const: gcc finds no kernel whose parameter pack is. */
#define GRID_CONSTANT
/* Another name of it. */
#define DYNAMIC_SHARED(type, name) extern "C" __thread type name[] __asm__ ("emulation_shared")

/* ---- numbers ---- */

/* The types that CUDA has them for. */
#define LESSER_AND_GREATER(T) \
  inline T min (T a, T b) { return b < a ? b : a; } \
  inline T max (T a, T b) { return a < b ? b : a; }
LESSER_AND_GREATER (int)
LESSER_AND_GREATER (unsigned)
LESSER_AND_GREATER (long)
LESSER_AND_GREATER (unsigned long)
LESSER_AND_GREATER (long long)
LESSER_AND_GREATER (unsigned long long)
#undef LESSER_AND_GREATER

inline int
__popc (unsigned x)
{
  return __builtin_popcount (x);
}

inline int
__ffs (int x)
{
  return __builtin_ffs (x);
}

inline int
__clzll (long long x)
{
  return x == 0 ? 64 : __builtin_clzll ((unsigned long long) x);
}

inline unsigned
__umulhi (unsigned a, unsigned b)
{
  return (unsigned) ((uint64_t) a * b >> 32);
}

/* The lower half of high:low shifted to the right, by at most 32. */
inline unsigned
__funnelshift_rc (unsigned low, unsigned high, unsigned shift)
{
  return (unsigned) (((uint64_t) high << 32 | low) >> (shift < 32 ? shift : 32));
}

/* The lesser of signed halves of words. */
inline unsigned
__vmins2 (unsigned a, unsigned b)
{
  const int16_t low = (int16_t) a < (int16_t) b ? (int16_t) a : (int16_t) b;
  const int16_t high = (int16_t) (a >> 16) < (int16_t) (b >> 16) ? (int16_t) (a >> 16) : (int16_t) (b >> 16);

  return (unsigned) (uint16_t) high << 16 | (uint16_t) low;
}

inline float
__uint_as_float (unsigned bits)
{
  float x;

  memcpy (&x, &bits, sizeof (x));
  return x;
}

inline double
__longlong_as_double (long long bits)
{
  double x;

  memcpy (&x, &bits, sizeof (x));
  return x;
}

inline float
__saturatef (float x)
{
  return x > 0 ? x < 1 ? x : 1 : 0;     /* of NaN 0 */
}

inline float
__fmaf_rn (float a, float b, float c)
{
  return fmaf (a, b, c);
}

/* Rounded down, where the rounded sum without c is a double: so is the product. */
inline float
__fmaf_rd (float a, float b, float c)
{
  const float nearest = fmaf (a, b, c);

  return (double) a * b < (double) nearest - c ? nextafterf (nearest, -INFINITY) : nearest;
}

inline long long
__double2ll_rn (double x)
{
  return llrint (x);
}

/* ---- memory ---- */

template <typename T>
T
__ldg (const T *p)
{
  return *p;
}

template <typename T>
void
__stcs (T *p, T v)
{
  *p = v;
}

#define ATOMIC(name, builtin) \
  template <typename T> \
  T name (T *p, std::common_type_t<T> x) { return builtin (p, x, __ATOMIC_RELAXED); }
ATOMIC (atomicAdd, __atomic_fetch_add)
ATOMIC (atomicSub, __atomic_fetch_sub)
ATOMIC (atomicAnd, __atomic_fetch_and)
ATOMIC (atomicOr, __atomic_fetch_or)
ATOMIC (atomicExch, __atomic_exchange_n)
#undef ATOMIC

template <typename T>
T
atomicMax (T *p, std::common_type_t<T> x)
{
  T old = __atomic_load_n (p, __ATOMIC_RELAXED);

  while (old < x && !__atomic_compare_exchange_n (p, &old, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

template <typename T>
T
atomicMin (T *p, std::common_type_t<T> x)
{
  T old = __atomic_load_n (p, __ATOMIC_RELAXED);

  while (x < old && !__atomic_compare_exchange_n (p, &old, x, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  return old;
}

/* A block writes before it counts itself, and the last one reads. */
inline void
__threadfence ()
{
  __atomic_thread_fence (__ATOMIC_SEQ_CST);
}

/* ---- threads of a block ---- */

inline void
__syncthreads ()
{
  emulation::sync_block (0);
}

inline int
__syncthreads_count (int predicate)
{
  return emulation::sync_block (predicate);
}

inline int
__syncthreads_or (int predicate)
{
  return emulation::sync_block (predicate) > 0;
}

inline void
__syncwarp (unsigned mask = ~0u)
{
  emulation::sync_warp (mask);
}

inline unsigned
__ballot_sync (unsigned mask, int predicate)
{
  return emulation::ballot (mask, predicate != 0);
}

inline int
__any_sync (unsigned mask, int predicate)
{
  return emulation::ballot (mask, predicate != 0) != 0;
}

inline int
__all_sync (unsigned mask, int predicate)
{
  return emulation::ballot (mask, predicate != 0) == mask;
}

template <typename T>
unsigned
__match_all_sync (unsigned mask, T value, int *all)
{
  *all = emulation::all_equal (mask, (uint64_t) value);
  return *all ? mask : 0;
}

template <typename T>
unsigned
__match_any_sync (unsigned mask, T value)
{
  unsigned same = 0;

  for (unsigned lane = 0; lane < 32; lane++) {
    if (mask >> lane & 1)
      same |= (unsigned) (emulation::value_of_lane (mask, (uint64_t) value, lane) == (uint64_t) value) << lane;
  }
  return same;
}

namespace emulation
{
template <typename T>
T
shuffle (unsigned mask, T value, unsigned lane)
{
  static_assert (sizeof (T) <= sizeof (uint64_t), "a word");
  uint64_t bits = 0;

  memcpy (&bits, &value, sizeof (value));
  bits = value_of_lane (mask, bits, lane);
  memcpy (&value, &bits, sizeof (value));
  return value;
}

inline unsigned
lane ()
{
  return (place.thread.x + place.block_size.x * (place.thread.y + place.block_size.y * place.thread.z)) % 32;
}
}

/* Groups of `width` lanes are apart. A lane that would look outside its group gets its own value; xor looks at earlier groups. */
template <typename T>
T
__shfl_sync (unsigned mask, T value, int lane, int width = 32)
{
  return emulation::shuffle (mask, value, emulation::lane () / width * width + (unsigned) lane % width);
}

template <typename T>
T
__shfl_up_sync (unsigned mask, T value, unsigned distance, int width = 32)
{
  const unsigned own = emulation::lane ();

  return emulation::shuffle (mask, value, own % width >= distance ? own - distance : own);
}

template <typename T>
T
__shfl_down_sync (unsigned mask, T value, unsigned distance, int width = 32)
{
  const unsigned own = emulation::lane ();

  return emulation::shuffle (mask, value, own % width + distance < (unsigned) width ? own + distance : own);
}

template <typename T>
T
__shfl_xor_sync (unsigned mask, T value, int distance, int width = 32)
{
  const unsigned own = emulation::lane (), other = own ^ (unsigned) distance;

  return emulation::shuffle (mask, value, other / width <= own / width ? other : own);
}
