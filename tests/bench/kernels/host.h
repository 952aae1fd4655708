/* robocache: what benchmarks share on the host: errors, time, values and memory of a backend
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/dtype.h"
#include "kernels/memory.h"

/* Both end the program with a message; the second one does so unless status is RC_OK. */
void bench_fail (const char *what, const char *why) __attribute__ ((noreturn));
void bench_must (RcStatus status, const RcError * error, const char *what);

/* Whether argument *i is this option, whose value *i then is. */
int bench_option (int argc, char **argv, int *i, const char *name, const char **value);

double bench_now_us (void);

/* Keeps freed memory in the process: faulting gigabytes in again takes longer than measuring. */
void bench_keep_pages (void);

/* 0 <= x < 1, the same sequence in every run. */
double bench_uniform (void);

/* Writes x, rounded or saturated to dtype. */
void bench_put (void *to, RcDtype dtype, double x);

/* Fills memory with repetitions of its first bytes. */
void bench_repeat (void *memory, int64_t first, int64_t bytes);

RcBackend *bench_cpu (void);

/* Memory of at least one byte where the backend computes, a copy of like or all 0 if that is NULL. like may be of the host. */
void *bench_memory (RcBackend * backend, int64_t bytes, const void *like);

/* Copies between the host and a backend, and waits. */
void bench_copy (RcBackend * backend, void *to, const void *from, int64_t bytes);

/* First byte of a backend's memory that differs from the host's; -1: none. */
int64_t bench_difference (RcBackend * backend, const void *memory, const void *host, int64_t bytes);
