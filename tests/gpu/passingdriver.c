/* robocache: a libcuda.so.1 that passes everything on to the real one, but for calls that it is asked for
 *
 * It stands before the real one in LD_LIBRARY_PATH. The runtime takes its entry points from cuGetProcAddress, which hands out
 * wrappers of the functions that are wanted (passingdriver.h).
 *
 *   ROBOCACHE_REAL_DRIVER=PATH            the real libcuda.so.1, when it is in none of the usual places
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gstcudafunctions.h"
#include "kernels/cuda/runtime/driver.h"
#include "passingdriver.h"

#define EXPORT __attribute__ ((visibility ("default")))
#define JOIN_STRING(x) #x
#define STRING(x) JOIN_STRING (x)

static void *library;           /* the real driver; NULL: none was found */

/* ---- wrappers ----
 *
 * One for each function that the real driver has given out: versions of one name are the same to who wants it. */

#define N_WRAPPERS 128

static struct
{
  PassingFunction real;
  void *wanted;
} wrapped[N_WRAPPERS];
static int n_wrapped;

#define WRAPPER(n) \
  static CUresult \
  wrapper_##n (PASSING_WORDS) \
  { \
    return passing_call (wrapped[0x##n].wanted, wrapped[0x##n].real, PASSING_ARGUMENTS); \
  }
#define FOR_16(make, n) make (n##0) make (n##1) make (n##2) make (n##3) make (n##4) make (n##5) make (n##6) make (n##7) \
    make (n##8) make (n##9) make (n##a) make (n##b) make (n##c) make (n##d) make (n##e) make (n##f)
#define FOR_128(make) FOR_16 (make, 0) FOR_16 (make, 1) FOR_16 (make, 2) FOR_16 (make, 3) FOR_16 (make, 4) \
    FOR_16 (make, 5) FOR_16 (make, 6) FOR_16 (make, 7)
FOR_128 (WRAPPER)

#define ADDRESS(n) wrapper_##n,
static const PassingFunction wrappers[N_WRAPPERS] = { FOR_128 (ADDRESS) };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;        /* guards wrapped while it grows */

static void *
wrap (const char *name, void *real)
{
  void *wanted = passing_wanted (name);
  void *wrapper = real;
  int n;

  if (wanted == NULL || real == NULL)
    return real;
  pthread_mutex_lock (&lock);
  for (n = 0; n < n_wrapped && (void *) wrapped[n].real != real; n++);
  if (n == n_wrapped && n < N_WRAPPERS) {
    wrapped[n].real = (PassingFunction) real;
    wrapped[n].wanted = wanted;
    n_wrapped++;
  }
  if (n < N_WRAPPERS)
    wrapper = (void *) wrappers[n];
  else
    fprintf (stderr, "%s is passed on as it is: more than %d functions\n", name, N_WRAPPERS);
  pthread_mutex_unlock (&lock);
  return wrapper;
}

/* ---- the real driver ---- */

__attribute__ ((constructor)) static void
load (void)
{
  static const char *const paths[] = {
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib/aarch64-linux-gnu/libcuda.so.1", "/usr/lib64/libcuda.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/cuda/compat/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1",
    "/usr/lib/libcuda.so.1",
  };
  const char *named = getenv ("ROBOCACHE_REAL_DRIVER");
  size_t i;

  if (named != NULL && named[0] != '\0')
    library = dlopen (named, RTLD_NOW | RTLD_LOCAL);
  for (i = 0; library == NULL && i < sizeof (paths) / sizeof (paths[0]); i++)
    library = dlopen (paths[i], RTLD_NOW | RTLD_LOCAL);
}

#define PASS_ON_AS(name, symbol) \
  EXPORT CUresult forward_##name (PASSING_WORDS) __asm__ (symbol); \
  EXPORT CUresult \
  forward_##name (PASSING_WORDS) \
  { \
    static PassingFunction to; \
    PassingFunction now = __atomic_load_n (&to, __ATOMIC_SEQ_CST); \
    \
    if (now == NULL && library != NULL) { \
      now = (PassingFunction) wrap (symbol, dlsym (library, symbol)); \
      __atomic_store_n (&to, now, __ATOMIC_SEQ_CST); \
    } \
    return now != NULL ? now (PASSING_ARGUMENTS) : CUDA_ERROR_NO_DEVICE; \
  }

/* The functions that kernels/cuda looks up by name. */
#define PASS_ON(name) PASS_ON_AS (name, STRING (name))
RC_CUDA_DRIVER_FUNCTIONS (PASS_ON)

/* The same of gstreamer-cuda. */
#define PASS_ON_EXACTLY(name) PASS_ON_AS (name, #name)
GST_CUDA_FUNCTIONS (PASS_ON_EXACTLY)
GST_CUDA_UNUSED_FUNCTIONS (PASS_ON_EXACTLY)

/* What the runtime looks up by name; everything else it gets from here. */
typedef CUresult (*GetProcAddress) (const char *symbol, void **function, int version, cuuint64_t flags);
typedef CUresult (*GetProcAddress2) (const char *symbol, void **function, int version, cuuint64_t flags,
    CUdriverProcAddressQueryResult * status);

EXPORT CUresult get_proc_address (const char *symbol, void **function, int version, cuuint64_t flags)
__asm__ ("cuGetProcAddress");
EXPORT CUresult get_proc_address_2 (const char *symbol, void **function, int version, cuuint64_t flags,
    CUdriverProcAddressQueryResult * status) __asm__ ("cuGetProcAddress_v2");

/* Its own successor too, or the next request would go past this. */
static void
replace (const char *symbol, void **function, int version)
{
  if (function == NULL || *function == NULL)
    return;
  if (strcmp (symbol, "cuGetProcAddress") == 0)
    *function = version >= 12000 ? (void *) get_proc_address_2 : (void *) get_proc_address;
  else if (strcmp (symbol, "cuGetProcAddress_v2") == 0)
    *function = (void *) get_proc_address_2;
  else
    *function = wrap (symbol, *function);
}

EXPORT CUresult
get_proc_address (const char *symbol, void **function, int version, cuuint64_t flags)
{
  GetProcAddress real = library != NULL ? (GetProcAddress) dlsym (library, "cuGetProcAddress") : NULL;
  const CUresult result = real != NULL ? real (symbol, function, version, flags) : CUDA_ERROR_NOT_FOUND;

  if (result == CUDA_SUCCESS)
    replace (symbol, function, version);
  return result;
}

EXPORT CUresult
get_proc_address_2 (const char *symbol, void **function, int version, cuuint64_t flags,
    CUdriverProcAddressQueryResult *status)
{
  GetProcAddress2 real = library != NULL ? (GetProcAddress2) dlsym (library, "cuGetProcAddress_v2") : NULL;
  const CUresult result = real != NULL ? real (symbol, function, version, flags, status) : CUDA_ERROR_NOT_FOUND;

  if (result == CUDA_SUCCESS)
    replace (symbol, function, version);
  return result;
}
