/* robocache: a CUDA device on the CPU: what the files of its runtime share
 *
 * A stream is a thread, so that work is really under way while the host goes on. Kernels run one at a time, whatever their
 * streams. What the functions of CUDA's runtime and driver do is as CUDA's documentation says;
 * those that robocache and its tests do not call are not there.
 *
 *   ROBOCACHE_EMULATED_DEVICES=N      how many there are; default 2, with 8 GiB each
 *   ROBOCACHE_EMULATED_INTEGRATED=1   they are integrated: they share the memory of the machine, as on a Jetson
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "faulttable.h"

namespace emulation
{
using Work = std::function<void ()>;

/* ---- errors (driver.cc) ---- */

/* Makes it what cudaGetLastError returns, unless it is success. */
cudaError_t note (cudaError_t result);

/* A kernel broke the devices: from then on every call fails. */
void break_devices ();
cudaError_t state_of_devices ();

/* At the start of a function: returns what this call of the driver's function of that name is told to fail with, if it is, or
 * with which the devices are broken. */
#define FAIL_IF_TOLD(name) \
    do { \
      static Fault *const fault = fault_find (name); \
      const cudaError_t told = (cudaError_t) fault_due (fault), state = state_of_devices (); \
      if (told != cudaSuccess || state != cudaSuccess) \
        return note (told != cudaSuccess ? told : state); \
    } while (0)

/* ---- devices (driver.cc) ---- */

int n_devices ();
/* The device of the context that is current on this thread. */
int current_device ();

/* ---- streams (streams.cc) ---- */

/* Work on the stream after all before it, or in the graph that it captures. */
void enqueue (cudaStream_t stream, Work work);
bool is_capturing (cudaStream_t stream);
void wait_until_idle (cudaStream_t stream);
/* All streams of all devices. */
void wait_until_all_idle ();
/* cudaSuccess where a call that waits for, or changes, the whole device is allowed; while graphs are captured it may not be,
 * and then their capture is over. */
cudaError_t allow_unsafe_call ();

/* ---- memory (memory.cc) ---- */

enum class Kind
{
  PAGEABLE, PINNED, DEVICE
};

struct Where
{
  Kind kind;
  int device;
  size_t left;                  /* bytes from there to the end of its block; not known of pageable memory */
};

Where where_is (const void *p);
}
