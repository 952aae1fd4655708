/* robocache: clocks and energy of a GPU, as its board counts them (NVML)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/bench/limits/board.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>

/* As nvml.h has them, which a machine with a driver alone lacks. */
enum
{
  CLOCK_SM = 1,
  CLOCK_MEMORY = 2
};

static struct
{
  int (*init) (void);
  int (*by_bus) (const char *bus, void **device);
  int (*energy) (void *device, unsigned long long *mj);
  int (*clock) (void *device, int which, unsigned *mhz);
} nvml;

/* 0: there is none, as why says. */
static int
load_nvml (char *why, size_t why_bytes)
{
  void *library;

  if (nvml.init != NULL)
    return 1;
  library = dlopen ("libnvidia-ml.so.1", RTLD_NOW);
  if (library == NULL) {
    snprintf (why, why_bytes, "%s", dlerror ());
    return 0;
  }
  *(void **) &nvml.init = dlsym (library, "nvmlInit_v2");
  *(void **) &nvml.by_bus = dlsym (library, "nvmlDeviceGetHandleByPciBusId_v2");
  *(void **) &nvml.energy = dlsym (library, "nvmlDeviceGetTotalEnergyConsumption");
  *(void **) &nvml.clock = dlsym (library, "nvmlDeviceGetClockInfo");
  if (nvml.init && nvml.by_bus && nvml.energy && nvml.clock && nvml.init () == 0)
    return 1;
  nvml.init = NULL;
  snprintf (why, why_bytes, "NVML cannot be used");
  return 0;
}

int
board_open (Board *board, int device, char *why, size_t why_bytes)
{
  char bus[32];

  board->device = NULL;
  if (!load_nvml (why, why_bytes))
    return 0;
  if (cudaDeviceGetPCIBusId (bus, sizeof (bus), device) == cudaSuccess && nvml.by_bus (bus, &board->device) == 0)
    return 1;
  board->device = NULL;
  snprintf (why, why_bytes, "NVML does not know device %d", device);
  return 0;
}

double
board_joules (const Board *board)
{
  unsigned long long mj;

  return board->device != NULL && nvml.energy (board->device, &mj) == 0 ? (double) mj * 1e-3 : -1;
}

int
board_clocks (const Board *board, unsigned *sm, unsigned *memory)
{
  return board->device != NULL && nvml.clock (board->device, CLOCK_SM, sm) == 0
      && nvml.clock (board->device, CLOCK_MEMORY, memory) == 0;
}
