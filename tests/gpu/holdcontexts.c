/* robocache: preloaded into a program, keeps the primary contexts of all GPUs while it runs
 *
 * Each test opens and closes its GPUs, which takes a second or two each time that nobody else has them open. Without a driver
 * it does nothing: the program says what it finds.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>

/* As the driver has them; 0 is success. */
typedef int (*Init) (unsigned flags);
typedef int (*GetCount) (int *n);
typedef int (*Get) (int *device, int number);
typedef int (*Retain) (void **context, int device);

static void hold_contexts (void) __attribute__ ((constructor));

static void
hold_contexts (void)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  const Init init = driver ? (Init) dlsym (driver, "cuInit") : 0;
  const GetCount get_count = driver ? (GetCount) dlsym (driver, "cuDeviceGetCount") : 0;
  const Get get = driver ? (Get) dlsym (driver, "cuDeviceGet") : 0;
  const Retain retain = driver ? (Retain) dlsym (driver, "cuDevicePrimaryCtxRetain") : 0;
  int n = 0, i, device;
  void *context;

  if (!init || !get_count || !get || !retain || init (0) != 0 || get_count (&n) != 0)
    return;
  for (i = 0; i < n; i++) {
    if (get (&device, i) == 0)
      retain (&context, device);        /* until the program ends */
  }
}
