/* robocache: what tests call of a driver that fails when it is told to (faulttable.c), found by name
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <dlfcn.h>

static struct
{
  int (*arm) (const char *names, int nth, int result);
  void (*disarm) (void);
  int (*calls) (const char *names);
  const char *(*name) (int number);
} faulty;

/* Returns whether the driver is one. */
static inline int
find_faulty (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW);

  if (library == NULL)
    return 0;
  faulty.arm = (int (*) (const char *, int, int)) dlsym (library, "robocache_fault_arm");
  faulty.disarm = (void (*) (void)) dlsym (library, "robocache_fault_disarm");
  faulty.calls = (int (*) (const char *)) dlsym (library, "robocache_fault_calls");
  faulty.name = (const char *(*) (int)) dlsym (library, "robocache_fault_name");
  return faulty.arm && faulty.disarm && faulty.calls && faulty.name;
}
