/* robocache: what the driver says of the kernels that it has loaded
 *
 * Programs that fail say why and end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef BENCH_LOADED_H
#define BENCH_LOADED_H

#include <cuda.h>

/* A kernel as it is launched, or as it may be. */
typedef struct
{
  char name[256];               /* as it is in the source, without arguments, where there is a C++ library to tell */
  int threads;                  /* of a block */
  int registers;                /* of a thread */
  int shared_bytes;             /* of a block, static */
  int local_bytes;              /* of a thread */
  int blocks;                   /* of a multiprocessor, at once */
} BenchLoaded;

/* A function of the driver; ends where it has none of this name, as CUDA 12.4 knew it. */
void bench_find_function (const char *name, void *function);
void bench_must_driver (CUresult result, const char *what);

/* Of blocks of so many threads with so much dynamic shared memory. threads 0: as many as it can have. */
void bench_loaded (CUfunction function, int threads, size_t dynamic_bytes, BenchLoaded *loaded);

#endif
