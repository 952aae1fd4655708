/* robocache: a backend that a test runs on, with its memory
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernels/memory.h"
#include "tests/kernels/report.h"

#define MAX_PLACES 4

typedef struct
{
  const char *name;
  RcBackend *backend;
  RcStream stream;
  int is_gpu;
  int separate;                 /* each array in an allocation of its own, for a memory checker */
  int number;                   /* 0 … MAX_PLACES - 1, of its copies of arenas */
} Place;

RcStatus place_open (Place * place, const char *name, const RcWhere * where, RcError * error);
void place_close (Place * place);

/* Memory where the backend computes, aligned to 256; NULL on failure. */
void *place_alloc (const Place * place, uint64_t bytes);
void place_free (const Place * place, void *memory);
/* Copies bytes to or from the host, and waits. Returns whether that succeeded. */
int place_copy (const Place * place, void *to, const void *from, uint64_t bytes, Test * test);
void place_wait (const Place * place, Test * test);

/* Fails the test with the error's message. Returns whether status is RC_OK. */
int is_ok (RcStatus status, const RcError * error, Test * test);
/* Fails the test unless the call was refused with a message that has all fragments, which '|' separates. */
void expect_refusal (RcStatus got, RcStatus expected, const RcError * error, const char *fragments, Test * test);
/* Fails the test unless the error names the setting, and its message has the value and what was expected. RC_SETTING_NONE: unless
 * it names none. */
void expect_setting (const RcError * error, RcSetting setting, Test * test);

/* Scratch of exactly the stated bytes at a place, dirty, with a canary behind it, which scratch_free checks. With separate
 * allocations neither. NULL on failure. */
typedef struct
{
  void *memory;
  uint64_t bytes;
} Scratch;

Scratch scratch_new (const Place * place, const RcFootprint * footprint, int64_t points, Test * test);
void scratch_free (const Place * place, Scratch * scratch, Test * test);

/* Floating-point modes that a caller of the CPU backend may have: the results do not depend on them. */
typedef struct
{
  int kind;
  uint64_t before;
  unsigned char usual[64];      /* fenv_t */
} CallerMode;

/* seed selects the mode; without one for a GPU. */
void caller_mode_enter (CallerMode * mode, const Place * place, uint64_t seed);
/* Restores the usual mode, and fails the test where the calls since have changed the caller's. */
void caller_mode_leave (const CallerMode * mode, Test * test);

/* A thread pool of the calling thread alone, which works in reverse order. */
extern const RcThreadPool reverse_pool;
