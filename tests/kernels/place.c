/* robocache: a backend that a test runs on, with its memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* feenableexcept */
#endif
#include "tests/kernels/place.h"

#include <fenv.h>
#include <inttypes.h>
#include <stdlib.h>
#if defined (__SSE2__)
#include <xmmintrin.h>
#endif
#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

#define CANARY 256
#define DIRT 0x5A

int
is_ok (RcStatus status, const RcError *error, Test *test)
{
  if (status != RC_OK)
    test_fail (test, "%s", error->message);
  return status == RC_OK;
}

void
expect_refusal (RcStatus got, RcStatus expected, const RcError *error, const char *fragments, Test *test)
{
  char copy[256], *rest = copy, *fragment;

  test_expect (test, got == expected, "status %d, not %d, where \"%s\" is expected", (int) got, (int) expected, fragments);
  if (!test_holds (test))
    return;
  test_expect (test, error->status == expected, "status %d in the error: %s", (int) error->status, error->message);
  snprintf (copy, sizeof (copy), "%s", fragments);
  while ((fragment = strsep (&rest, "|")) != NULL)
    test_expect (test, strstr (error->message, fragment) != NULL, "\"%s\" lacks \"%s\"", error->message, fragment);
}

void
expect_setting (const RcError *error, RcSetting setting, Test *test)
{
  test_expect (test, error->wrong.setting == setting, "setting %d: %s", (int) error->wrong.setting, error->message);
  if (setting == RC_SETTING_NONE)
    return;
  test_expect (test, *error->wrong.value && strstr (error->message, error->wrong.value) != NULL, "value \"%s\": %s",
      error->wrong.value, error->message);
  test_expect (test, *error->expected && strstr (error->message, error->expected) != NULL, "\"%s\": %s", error->expected,
      error->message);
  test_expect (test, strpbrk (error->expected, "_[]") == NULL, "\"%s\" names a field", error->expected);
}

static void
run_in_reverse (void *self, void (*work) (void *data, int64_t i), void *data, int64_t n)
{
  while (n-- > 0)
    work (data, n);
}

const RcThreadPool reverse_pool = { run_in_reverse, NULL };

RcStatus
place_open (Place *place, const char *name, const RcWhere *where, RcError *error)
{
  RcStatus status;

  place->name = name;
  place->is_gpu = where->kind == RC_BACKEND_CUDA;
  status = rc_backend_open (where, &place->backend, error);
  if (status == RC_OK)
    status = rc_stream_new (place->backend, &place->stream, error);
  return status;
}

void
place_close (Place *place)
{
  rc_stream_free (place->backend, place->stream);
  rc_backend_close (place->backend);
}

/* ---- memory ---- */

/* A memory checker does not see within the driver's pools. */
void *
place_alloc (const Place *place, uint64_t bytes)
{
  void *memory = NULL;

#ifdef HAVE_CUDA
  if (place->separate)
    return cudaMalloc (&memory, bytes > 0 ? bytes : 1) == cudaSuccess ? memory : NULL;
#endif
  rc_memory_alloc (place->backend, RC_MEMORY_DEVICE, bytes > 0 ? bytes : 1, &memory, NULL);
  return memory;
}

void
place_free (const Place *place, void *memory)
{
#ifdef HAVE_CUDA
  if (place->separate) {
    cudaFree (memory);
    return;
  }
#endif
  rc_memory_free (place->backend, RC_MEMORY_DEVICE, memory);
}

void
place_wait (const Place *place, Test *test)
{
  RcError error;

  is_ok (rc_stream_synchronize (place->backend, place->stream, &error), &error, test);
}

int
place_copy (const Place *place, void *to, const void *from, uint64_t bytes, Test *test)
{
  const RcMemoryCopy copy = {.to = to,.from = from,.row_bytes = bytes,.rows = 1,.is_read_on_return = 1 };
  RcError error;

  if (bytes > 0 && is_ok (rc_memory_copy (place->backend, &copy, place->stream, &error), &error, test))
    place_wait (place, test);
  return test_holds (test);
}

/* ---- scratch ---- */


Scratch
scratch_new (const Place *place, const RcFootprint *footprint, int64_t points, Test *test)
{
  static const size_t piece = (size_t) 1 << 20;
  Scratch scratch = { NULL, footprint->scratch_bytes + footprint->scratch_bytes_per_point * (uint64_t) points };
  unsigned char *dirt = place->separate ? NULL : malloc (piece);

  scratch.memory = place_alloc (place, scratch.bytes + (place->separate ? 0 : CANARY));
  test_expect (test, scratch.memory != NULL, "no memory for scratch of %" PRIu64 " bytes", scratch.bytes);
  if (dirt != NULL)
    memset (dirt, DIRT, piece);
  for (uint64_t at = 0; dirt != NULL && scratch.memory != NULL && at < scratch.bytes + CANARY && test_holds (test); at += piece)
    place_copy (place, (char *) scratch.memory + at, dirt, scratch.bytes + CANARY - at < piece ? scratch.bytes + CANARY - at : piece,
        test);
  free (dirt);
  return scratch;
}

void
scratch_free (const Place *place, Scratch *scratch, Test *test)
{
  unsigned char canary[CANARY];

  if (scratch->memory != NULL && !place->separate && test_holds (test)
      && place_copy (place, canary, (char *) scratch->memory + scratch->bytes, CANARY, test)) {
    for (int i = 0; i < CANARY; i++)
      test_expect (test, canary[i] == DIRT, "byte %d past the scratch of %" PRIu64 " was written", i, scratch->bytes);
  }
  place_free (place, scratch->memory);
  scratch->memory = NULL;
}

/* ---- modes of callers ---- */

static const struct
{
  int rounding, flushes, traps;
} caller_modes[] = {
  {FE_UPWARD}, {FE_DOWNWARD}, {FE_TOWARDZERO}, {FE_TONEAREST, 1}, {FE_UPWARD, 1},
  {FE_TONEAREST, 0, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW | FE_INEXACT},
};

#define N_CALLER_MODES ((int) (COUNT (caller_modes)))

/* As a library that was built with -ffast-math leaves a thread. */
static void
flush_denormals (void)
{
#if defined (__SSE2__)
  _mm_setcsr (_mm_getcsr () | 0x8040);
#elif defined (__aarch64__)
  uint64_t fpcr;

  __asm__ volatile ("mrs %0, fpcr":"=r" (fpcr));
  __asm__ volatile ("msr fpcr, %0"::"r" (fpcr | 1 << 24));
#endif
}

/* Of this thread, without the exception flags. */
static uint64_t
float_mode (void)
{
#if defined (__SSE2__)
  return _mm_getcsr () & ~0x3Fu;
#elif defined (__aarch64__)
  uint64_t fpcr;

  __asm__ volatile ("mrs %0, fpcr":"=r" (fpcr));
  return fpcr;
#else
  return (uint64_t) fegetround ();
#endif
}

void
caller_mode_enter (CallerMode *mode, const Place *place, uint64_t seed)
{
  fenv_t usual;

  _Static_assert (sizeof (usual) <= sizeof (mode->usual), "a mode fits");
  mode->kind = place->is_gpu ? N_CALLER_MODES : (int) (seed % (N_CALLER_MODES + 2));
  fegetenv (&usual);
  memcpy (mode->usual, &usual, sizeof (usual));
  if (mode->kind < N_CALLER_MODES) {
    fesetround (caller_modes[mode->kind].rounding);
    if (caller_modes[mode->kind].flushes)
      flush_denormals ();
    feclearexcept (FE_ALL_EXCEPT);
    /* AArch64 without traps, which are optional there, ignores the bits of FPCR */
    if (feenableexcept (caller_modes[mode->kind].traps) == -1)
      mode->kind = N_CALLER_MODES;
  }
  mode->before = float_mode ();
}

void
caller_mode_leave (const CallerMode *mode, Test *test)
{
  const uint64_t after = float_mode ();
  fenv_t usual;

  memcpy (&usual, mode->usual, sizeof (usual));
  fesetenv (&usual);
  test_expect (test, after == mode->before, "the float mode was %" PRIx64 " and is %" PRIx64, mode->before, after);
  test_expect (test, mode->kind >= N_CALLER_MODES || mode->before != float_mode (), "mode %d is the usual one", mode->kind);
}
