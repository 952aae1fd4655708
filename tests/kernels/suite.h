/* robocache: a table of test cases, run on every backend
 *
 * A case is computed by the reference, a CPU backend, and then on each place: the instruction sets of this machine and a
 * thread pool, or with --gpu a GPU. All must produce the same bytes. C alone, so that a GPU machine with nothing but a C
 * library can run it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tests/kernels/arena.h"

typedef struct
{
  Place reference, places[MAX_PLACES];
  int n_places;
  Arena *arena;
  uint64_t seed;
  int is_gpu, few, small, sums;
  int cases, failures;
} Suite;

typedef struct
{
  const char *name;
  void (*check) (Suite * suite);
} Section;

/* Options of a program that runs sections; the exit status. arena_bytes: most that a case has.
 *   --gpu            compare a GPU with the CPU; without one, print SKIP
 *   --seed N         of the first case
 *   --few            a tenth of the cases
 *   --small          and of these the ones that an emulated device completes soon
 *   --separate       every array in an allocation of its own
 *   --sums           run the reference alone and print a sum of each case, to compare with other machines
 *   --only SECTION   --sections prints their names */
int suite_main (const char *name, int argc, char **argv, const Section * sections, size_t n_sections, uint64_t seed,
    size_t arena_bytes);

/* With --sums, of the case in the arena. */
void suite_print_sum (const Suite * suite);
uint64_t suite_next_seed (Suite * suite);
/* n on a GPU, a third of it on the CPU, which has several backends to compare, or with --few a tenth. */
int suite_fewer (const Suite * suite, int n);
void suite_end (Suite * suite, const Test * test);
