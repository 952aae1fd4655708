/* robocache: what the driver says of the kernels that it has loaded
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/loaded.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct
{
  CUresult (*name) (const char **, CUfunction);
  CUresult (*attribute) (int *, CUfunction_attribute, CUfunction);
  CUresult (*occupancy) (int *, CUfunction, int, size_t);
} driver;

void
bench_find_function (const char *name, void *function)
{
  enum cudaDriverEntryPointQueryResult found;

  if (cudaGetDriverEntryPointByVersion (name, function, 12040, cudaEnableDefault, &found) != cudaSuccess
      || found != cudaDriverEntryPointSuccess) {
    fprintf (stderr, "%s: this driver has no such function; expected one for CUDA 12.4 or newer\n", name);
    exit (1);
  }
}

void
bench_must_driver (CUresult result, const char *what)
{
  if (result != CUDA_SUCCESS) {
    fprintf (stderr, "%s: the driver refuses it, error %d\n", what, (int) result);
    exit (1);
  }
}

static void
find_functions (void)
{
  if (driver.name != NULL)
    return;
  bench_find_function ("cuFuncGetAttribute", &driver.attribute);
  bench_find_function ("cuOccupancyMaxActiveBlocksPerMultiprocessor", &driver.occupancy);
  bench_find_function ("cuFuncGetName", &driver.name);
}

#define NAMELESS "(anonymous namespace)::"

/* As it is in the source, without arguments. The C++ library tells, where there is one; or else it stays as it is. */
static void
readable_name (const char *name, char *readable, size_t size)
{
  void *library = dlopen ("libstdc++.so.6", RTLD_LAZY);
  char *(*demangle) (const char *, char *, size_t *, int *) = NULL;
  char *told = NULL;
  const char *at;
  size_t n = 0;
  int depth = 0;

  if (library != NULL)
    *(void **) &demangle = dlsym (library, "__cxa_demangle");
  if (demangle != NULL)
    told = demangle (name, NULL, NULL, NULL);
  at = told != NULL ? told : name;
  if (strncmp (at, "void ", 5) == 0)
    at += 5;
  while (*at != '\0' && n + 1 < size) {
    if (strncmp (at, NAMELESS, strlen (NAMELESS)) == 0) {
      at += strlen (NAMELESS);
      continue;
    }
    if (*at == '(' && depth == 0)
      break;
    depth += (*at == '<') - (*at == '>');
    readable[n++] = *at++;
  }
  readable[n] = '\0';
  free (told);
  if (library != NULL)
    dlclose (library);
}

static int
attribute (CUfunction function, CUfunction_attribute which)
{
  int value;

  bench_must_driver (driver.attribute (&value, which, function), "cuFuncGetAttribute");
  return value;
}

void
bench_loaded (CUfunction function, int threads, size_t dynamic_bytes, BenchLoaded *loaded)
{
  const char *name;

  find_functions ();
  bench_must_driver (driver.name (&name, function), "cuFuncGetName");
  readable_name (name, loaded->name, sizeof (loaded->name));
  loaded->threads = threads > 0 ? threads : attribute (function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  loaded->registers = attribute (function, CU_FUNC_ATTRIBUTE_NUM_REGS);
  loaded->shared_bytes = attribute (function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  loaded->local_bytes = attribute (function, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  bench_must_driver (driver.occupancy (&loaded->blocks, function, loaded->threads, dynamic_bytes), name);
}
