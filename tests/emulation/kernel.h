/* robocache: a CUDA device on the CPU: a kernel, as launches know it
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "engine.h"

namespace emulation
{
struct Kernel
{
  const char *name;
  std::function<void ()> (*bind) (void **arguments);    /* what each thread of a launch with these does */
  void *(*shared) ();           /* as in Launch */
  int most_shared;              /* bytes that a launch may ask for; atomic */
};
}
