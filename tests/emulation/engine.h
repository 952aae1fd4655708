/* robocache: a CUDA device on the CPU: blocks of threads
 *
 * A block runs on one thread of the CPU. Its own threads are fibers, which take turns where they wait for each other: at a
 * barrier, or where the lanes of a warp exchange values. The order in which they run changes from block to block and
 * from launch to launch, since nothing may depend on it. Blocks share a few threads of the CPU.
 *
 * Threads of a block that wait for each other for ever, that exchange values with a lane that is not there, or ask for more than a
 * device has end the process with a message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <functional>

namespace emulation
{
constexpr int MAX_THREADS = 1024;      /* of a block */
constexpr size_t MAX_SHARED = 232448;  /* bytes that a launch may ask for */

struct Index
{
  unsigned x, y, z;
};

/* Indices of the emulated thread that runs. */
struct Place
{
  Index thread, block, block_size, grid_size;
};

/* Bound at run time to the one in the library of the device. */
extern __thread Place place __attribute__ ((tls_model ("initial-exec")));

/* ---- what threads of a block do together; all of its threads call the first ones ---- */

/* A barrier. Returns how many of the threads came with a predicate that is not 0. */
int sync_block (int predicate);

/* These by the lanes of a warp that mask says, each of them with the same mask. */
void sync_warp (uint32_t mask);
uint32_t ballot (uint32_t mask, bool predicate);
bool all_equal (uint32_t mask, uint64_t value);
uint64_t value_of_lane (uint32_t mask, uint64_t value, unsigned lane);

/* ---- copies that a thread asks for and waits for later: none comes earlier ---- */

void copy_later (void *to, const void *from, size_t bytes);
/* All that came before are a group. */
void end_copy_group ();
/* Waits for all but the last n groups. */
void wait_for_copies (size_t n);

/* ---- launches ---- */

struct Launch
{
  const char *name;             /* of the kernel */
  std::function<void ()> run;   /* what each thread does */
  void *(*shared) ();           /* where the thread that calls it has the shared memory of the launch */
  Index grid, block;
  size_t shared_bytes;
};

/* Returns when all blocks have ended. May be called by any thread. False: one read or wrote where no memory is, and then nothing
 * is run any more. */
bool run (const Launch & launch);
}
