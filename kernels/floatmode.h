/* robocache: sets the rounding and denormal modes that the arithmetic needs
 *
 * A library that was built with -ffast-math makes threads of the process flush denormals, and a caller may have set
 * another rounding mode. So code whose result must have the same bits on every machine runs between rc_float_mode_enter and
 * rc_float_mode_leave: round to nearest even, denormals kept, traps masked. Put this code into functions of other files, because the
 * compiler may move floating-point operations of the same function across the calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if defined (__SSE2__)

#include <xmmintrin.h>

typedef unsigned RcFloatMode;

#define RC_FLOAT_MODE_DEFAULT 0x1F80u
#define RC_FLOAT_MODE_FLAGS 0x003Fu     /* raised exceptions, which are not part of the mode and need no write */

static inline RcFloatMode
rc_float_mode_enter (void)
{
  const RcFloatMode mode = _mm_getcsr ();

  if ((mode & ~RC_FLOAT_MODE_FLAGS) != RC_FLOAT_MODE_DEFAULT)
    _mm_setcsr (RC_FLOAT_MODE_DEFAULT);
  __asm__ volatile ("" ::: "memory");
  return mode;
}

static inline void
rc_float_mode_leave (RcFloatMode mode)
{
  __asm__ volatile ("" ::: "memory");
  if ((mode & ~RC_FLOAT_MODE_FLAGS) != RC_FLOAT_MODE_DEFAULT)
    _mm_setcsr (mode);
}

#elif defined (__aarch64__)

#include <stdint.h>

typedef uint64_t RcFloatMode;

static inline RcFloatMode
rc_float_mode_enter (void)
{
  RcFloatMode mode;

  __asm__ volatile ("mrs %0, fpcr":"=r" (mode));
  if (mode != 0)
    __asm__ volatile ("msr fpcr, %0"::"r" ((RcFloatMode) 0):"memory");
  return mode;
}

static inline void
rc_float_mode_leave (RcFloatMode mode)
{
  if (mode != 0)
    __asm__ volatile ("msr fpcr, %0"::"r" (mode):"memory");
}

#else

#include <fenv.h>

typedef fenv_t RcFloatMode;

static inline RcFloatMode
rc_float_mode_enter (void)
{
  RcFloatMode mode;

  fegetenv (&mode);
  fesetenv (FE_DFL_ENV);
  return mode;
}

static inline void
rc_float_mode_leave (RcFloatMode mode)
{
  fesetenv (&mode);
}

#endif
