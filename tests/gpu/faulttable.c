/* robocache: calls of the driver that fail when they are told to
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "faulttable.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__ ((visibility ("default")))

struct Fault
{
  const char *name;             /* without a version */
  int calls;                    /* until now; atomic, as all of these */
  int left;                     /* calls until it fails; 0: it does not; negative: each one does */
  int result;
};

static Fault faults[] = {
  {"cuCtxPushCurrent"}, {"cuDevicePrimaryCtxRetain"}, {"cuEventCreate"}, {"cuEventQuery"}, {"cuEventRecord"},
  {"cuEventRecordWithFlags"},
  {"cuEventSynchronize"}, {"cuLaunchKernel"}, {"cuLaunchKernelEx"}, {"cuMemAlloc"}, {"cuMemAllocAsync"},
  {"cuMemAllocFromPoolAsync"}, {"cuMemAllocHost"}, {"cuMemFree"}, {"cuMemFreeAsync"}, {"cuMemFreeHost"},
  {"cuMemGetInfo"}, {"cuMemHostAlloc"}, {"cuMemPoolCreate"}, {"cuMemPoolSetAttribute"}, {"cuMemcpy2DAsync"},
  {"cuMemcpy2DUnaligned"}, {"cuMemcpy3DAsync"}, {"cuMemcpy3DPeerAsync"}, {"cuMemcpyAsync"}, {"cuMemcpyDtoDAsync"},
  {"cuMemcpyDtoHAsync"}, {"cuMemcpyHtoDAsync"}, {"cuMemcpyPeerAsync"}, {"cuMemsetD16Async"}, {"cuMemsetD2D16Async"},
  {"cuMemsetD2D32Async"}, {"cuMemsetD2D8Async"}, {"cuMemsetD32Async"}, {"cuMemsetD8Async"}, {"cuStreamCreate"},
  {"cuStreamCreateWithPriority"}, {"cuStreamQuery"}, {"cuStreamSynchronize"}, {"cuStreamWaitEvent"},
};

#define N_FAULTS (sizeof (faults) / sizeof (faults[0]))

static size_t
length_without (const char *name, size_t length, const char *end)
{
  const size_t n = strlen (end);

  return length > n && strncmp (name + length - n, end, n) == 0 ? length - n : length;
}

Fault *
fault_find (const char *name)
{
  static const char *const ends[] = { "_ptsz", "_ptds", "_v2", "_v3", "_v4" };
  size_t length = strlen (name), i;

  for (i = 0; i < sizeof (ends) / sizeof (ends[0]); i++)
    length = length_without (name, length, ends[i]);
  for (i = 0; i < N_FAULTS; i++) {
    if (strlen (faults[i].name) == length && strncmp (faults[i].name, name, length) == 0)
      return &faults[i];
  }
  return NULL;
}

int
fault_due (Fault *fault)
{
  int left = __atomic_load_n (&fault->left, __ATOMIC_SEQ_CST);

  __atomic_add_fetch (&fault->calls, 1, __ATOMIC_SEQ_CST);
  if (left < 0)
    return __atomic_load_n (&fault->result, __ATOMIC_SEQ_CST);
  while (left > 0) {
    if (__atomic_compare_exchange_n (&fault->left, &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return left == 1 ? __atomic_load_n (&fault->result, __ATOMIC_SEQ_CST) : 0;
  }
  return 0;
}

/* Takes the first name of "a|b|c". */
static int
next_name (const char **names, char name[64])
{
  const size_t length = strcspn (*names, "|");

  if (length == 0 || length >= 64)
    return 0;
  memcpy (name, *names, length);
  name[length] = '\0';
  *names += length + ((*names)[length] == '|');
  return 1;
}

/* The nth call from now on of each of the names "a|b|c" returns result; 0: none does, -1: all of them. Returns whether all names
 * are functions that can fail. */
EXPORT int robocache_fault_arm (const char *names, int nth, int result);
EXPORT int
robocache_fault_arm (const char *names, int nth, int result)
{
  int are_known = 1;
  char name[64];

  while (next_name (&names, name)) {
    Fault *fault = fault_find (name);

    are_known &= fault != NULL;
    if (fault != NULL) {
      __atomic_store_n (&fault->result, result, __ATOMIC_SEQ_CST);
      __atomic_store_n (&fault->left, nth, __ATOMIC_SEQ_CST);
    }
  }
  return are_known;
}

/* No call of any function fails any more. */
EXPORT void robocache_fault_disarm (void);
EXPORT void
robocache_fault_disarm (void)
{
  size_t i;

  for (i = 0; i < N_FAULTS; i++)
    __atomic_store_n (&faults[i].left, 0, __ATOMIC_SEQ_CST);
}

/* Of all functions that can fail, the one with that number; NULL: there are fewer. */
EXPORT const char *robocache_fault_name (int number);
EXPORT const char *
robocache_fault_name (int number)
{
  return number >= 0 && (size_t) number < N_FAULTS ? faults[number].name : NULL;
}

/* How often functions "a|b|c" were called, together. */
EXPORT int robocache_fault_calls (const char *names);
EXPORT int
robocache_fault_calls (const char *names)
{
  char name[64];
  int calls = 0;

  while (next_name (&names, name)) {
    const Fault *fault = fault_find (name);

    calls += fault != NULL ? __atomic_load_n (&fault->calls, __ATOMIC_SEQ_CST) : 0;
  }
  return calls;
}

void
fault_arm_from_environment (void)
{
  const char *text = getenv ("ROBOCACHE_FAULT");
  char name[64];
  int nth, result, used;

  while (text != NULL && sscanf (text, "%63[^:]:%d:%d%n", name, &nth, &result, &used) == 3) {
    if (!robocache_fault_arm (name, nth, result))
      fprintf (stderr, "ROBOCACHE_FAULT: %s is no function that can fail\n", name);
    text = text[used] == ',' ? text + used + 1 : NULL;
  }
}
